/* Every vector of sims3-hash.md, and the names of the corpus against the ids that they stand under there. */
#include "lib/core/hash.h"
#include "lib/formats/sims3/names.h"
#include "pose.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    uint32_t fnv32;
    uint64_t fnv64; /* 0: not given */
} hashes[] = {
    {"", 0x811c9dc5, 0xcbf29ce484222325},
    {"x", 0x050c5d67, 0},
    {"b__ROOT__", 0xfeae6981, 0xfc99c6d074aad4e1},
    {"b__ROOT_bind__", 0x57884bb9, 0},
    {"b__Head__", 0x0f97b21b, 0x76ad043ae7f6dd7b},
    {"a_walk", 0x565e0dfe, 0x11a06ab91bca6bde},
    {"A_Walk", 0x565e0dfe, 0x11a06ab91bca6bde},
    {"c_walk", 0x9a652b34, 0x5d5d78cc131d5cd4},
    {"auRig", 0x43ac09fb, 0xd057fcc534c1bcbb},
    {"NoseCrinkleBack", 0xd50466b9, 0x1959c183f7f2bc99},
    {"ep5CatScratchSim", 0xd8e29cce, 0xa8dee7b73034ff0e},
};

TEST_EACH(hashes_of_the_spec, COUNT(hashes))
{
    const char *text = hashes[_i].text;
    ck_assert_uint_eq(hash_fnv32(text, strlen(text)), hashes[_i].fnv32);
    if (hashes[_i].fnv64)
        ck_assert_uint_eq(hash_fnv64(text, strlen(text)), hashes[_i].fnv64);
}

static const struct {
    const char *name;
    uint64_t instance;
    uint32_t group;
} clips[] = {
    {"a_walk", 0x11a06ab91bca6bde, 0},
    {"c_walk", 0x92a06ab91bca6bde, 0},
    {"C_WALK", 0x92a06ab91bca6bde, 0},
    {"a2o_chair_sit_x", 0x1e56f8e66f13b691, 0},
    {"o2c_chair_sit_x", 0xc36f29e86419d141, 0},
    {"t2c_kiss_x", 0xa183758c58387c6f, 0},
    {"ad2c_soc_neutral_attackSim_insulting_neutral_x", 0xc26063a8dea2048e, 0x48000000},
    {"al_wheeze_x", 0x94e51f6ddd39f504, 0x48000000},
    {"q_foo", 0xe3cb40c4660fda13, 0},
    {"a2_x", 0x2f7c5e7efc0efc7d, 0},
    {"react_jump_x", 0x42106856e28a285c, 0},
    {"abc2d_x", 0x296098024d297210, 0},
    /* A name of the corpus, with the id of its entry. */
    {"ac_idle_sit_hack_x", 0xbc78ecd3046cb427, 0x48000000},
};

TEST_EACH(clips_of_the_spec, COUNT(clips))
{
    const char *name = clips[_i].name;
    ck_assert_uint_eq(sims3_clip_instance(name, strlen(name)), clips[_i].instance);
    ck_assert_uint_eq(sims3_clip_group(name, strlen(name)), clips[_i].group);
}

/* Names at the edges of the rules: whole name, or never past the end of the text. */
TEST(odd_names)
{
    static const char *const generic[] = {"",         "_",    "_x",  "x",     "walk",
                                          "abcdef_x", "2a_x", "o_x", "a2a_x", "o2o_"};
    for (unsigned i = 0; i < sizeof generic / sizeof *generic; i++) {
        size_t length = strlen(generic[i]);
        ck_assert_uint_eq(sims3_clip_instance(generic[i], length),
                          hash_fnv64(generic[i], length) & 0x7fffffffffffffff);
    }
    ck_assert_uint_eq(sims3_clip_instance("c_walk_and_more", 6), sims3_clip_instance("c_walk", 6));
    ck_assert_uint_ne(sims3_clip_instance("c_", 2), sims3_clip_instance("a_", 2));
}

/* ------------------------------------------------------------------------------------- from an id to actors -- */

static const struct {
    const char *name;
    uint64_t id;
    const char *variant; /* "": of another clip */
    const char *codes;   /* "x y" */
    const char *words;   /* age and species of x */
} variants[] = {
    /* The example of the spec. */
    {"a2a_soc_neutral_attacksim_insulting_neutral_x", 0xc26063a8dea2048e,
     "ad2c_soc_neutral_attacksim_insulting_neutral_x", "ad c", "adult dog"},
    {"a_walk", 0x92a06ab91bca6bde, "c_walk", "c ", "child human"},
    {"c_walk", 0x11a06ab91bca6bde, "a_walk", "a ", "adult human"},
    {"cc_walk", 0x11a06ab91bca6bde, "a_walk", "a ", "adult human"},
    {"C_Walk", 0x92a06ab91bca6bde, "C_Walk", "c ", "child human"},
    {"t2c_kiss_x", 0xa183758c58387c6f, "t2c_kiss_x", "t c", "teen human"},
    {"o2a_chair_sit_x", 0xc36f29e86419d141, "o2c_chair_sit_x", "o c", "- object"},
    {"al_wheeze_x", 0x94e51f6ddd39f504, "al_wheeze_x", "al ", "adult little dog"},
    {"q_foo", 0xe3cb40c4660fda13, "q_foo", "q ", "- -"},
    {"a_foo", 0xe3cb40c4660fda13, "", "", ""}, /* of an unknown code: it has no name */
    {"a_walk", 0x11a06ab91bca6bdf, "", "", ""},
    {"a_walk", 0x12a06ab91bca6bde, "", "", ""}, /* an age without the bit that says so */
    {"a_walk", 0x92a16ab91bca6bde, "", "", ""}, /* a second actor */
    {"react_jump_x", 0x42106856e28a285c, "", "", ""},
    {"walk", 0, "", "", ""},
    {"", 0, "", "", ""},
};

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

TEST_EACH(ids_name_their_actors, COUNT(variants))
{
    struct pose_sims3_actor actors[2] = {{.code = ""}, {.code = ""}};
    char variant[POSE_SIMS3_NAME], text[64];
    unsigned count = pose_sims3_actors(variants[_i].name, variants[_i].id, actors, variant);
    ck_assert_str_eq(variant, variants[_i].variant);
    ck_assert_uint_eq(count, !*variant ? 0 : strchr(variants[_i].codes, ' ')[1] ? 2 : 1);
    if (!count)
        return;
    snprintf(text, sizeof text, "%s %s", actors[0].code, count == 2 ? actors[1].code : "");
    ck_assert_str_eq(text, variants[_i].codes);
    snprintf(text, sizeof text, "%s %s", or_dash(actors[0].age), or_dash(actors[0].species));
    ck_assert_str_eq(text, variants[_i].words);
    ck_assert_uint_eq(sims3_clip_instance(variant, strlen(variant)), variants[_i].id);
}

/* A name longer than there is room for is cut, never overrun. */
TEST(long_names_are_cut)
{
    char name[1000], variant[POSE_SIMS3_NAME];
    struct pose_sims3_actor actors[2];
    memset(name, 'a', sizeof name - 1);
    memcpy(name, "c_", 2);
    name[sizeof name - 1] = 0;
    uint64_t id = sims3_clip_instance(name, strlen(name));
    ck_assert_uint_eq(pose_sims3_actors(name, id, actors, variant), 1);
    ck_assert_uint_eq(strlen(variant), POSE_SIMS3_NAME - 1);
    ck_assert_uint_eq(pose_sims3_actors(name, id ^ (uint64_t)0x8300 << 48, actors, variant), 1);
    ck_assert_uint_eq(strlen(variant), POSE_SIMS3_NAME - 1);
}

/* --------------------------------------------------------------------------------------------------- keys -- */

static const struct {
    const char *file;
    const char *name; /* "-": none; NULL: no key */
} keys[] = {
    {"6B20C4F3-48000000-94E51F6DDD39F504", "-"},
    {"6b20c4f3-48000000-94e51f6ddd39f504_al_wheeze_x", "al_wheeze_x"},
    {"6B20C4F3-48000000-94E51F6DDD39F504_al.wheeze", "al.wheeze"},
    {"6B20C4F3-48000000-94E51F6DDD39F504_", "-"},
    {"6B20C4F3-48000000-94E51F6DDD39F504.clip", "-"},
    {"a/b/6B20C4F3-48000000-94E51F6DDD39F504_al_wheeze_x.clip", "al_wheeze_x"},
    {"S3_6B20C4F3_48000000_94E51F6DDD39F504", "-"},
    {"S3_6B20C4F3_48000000_94E51F6DDD39F504.animation", "-"},
    {"S3_6B20C4F3_48000000_94E51F6DDD39F504%%+CLIP.animation", "-"},
    {"S3_6B20C4F3_48000000_94E51F6DDD39F504_al_wheeze_x%%+CLIP.animation", "al_wheeze_x"},
    {"c:\\x\\s3_6b20c4f3_48000000_94e51f6ddd39f504_al_wheeze_x%%+clip.animation", "al_wheeze_x"},
    {"S3_6B20C4F3_48000000_94E51F6DDD39F504_al_wheeze_x.clip", "al_wheeze_x"},
    {"S3_6B20C4F3_48000000_94E51F6DDD39F504_%%+CLIP.animation", "-"},
    {"6B20C4F3_48000000_94E51F6DDD39F504", NULL},
    {"S3_6B20C4F3-48000000-94E51F6DDD39F504", NULL},
    {"6B20C4F3-48000000-94E51F6DDD39F50", NULL},
    {"6B20C4F3-48000000-94E51F6DDD39F5041", NULL},
    {"6B20C4G3-48000000-94E51F6DDD39F504", NULL},
    {"S3_", NULL},
    {"", NULL},
};

TEST_EACH(keys_of_file_names, COUNT(keys))
{
    struct pose_sims3_key key;
    ck_assert_int_eq(pose_sims3_key(keys[_i].file, &key), keys[_i].name != NULL);
    if (!keys[_i].name)
        return;
    ck_assert(key.type == 0x6b20c4f3 && key.group == 0x48000000 && key.instance == 0x94e51f6ddd39f504);
    char name[64] = "-";
    if (key.name && key.name_length)
        snprintf(name, sizeof name, "%.*s", (int)key.name_length, key.name);
    ck_assert_str_eq(name, keys[_i].name);
}
