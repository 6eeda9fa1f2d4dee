/* What families say beyond their formats: here for which skeleton something is made, by its name. */
#include "lib/formats/table.h"
#include "lib/formats/rules.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *format, *kind, *name, *actor, *skeleton;
    bool made;
} namings[] = {
    {"tso-anim", "clip", "a2o-walk", NULL, "adult", true},
    {"tso-anim", "clip", "A2o-walk", NULL, "Adult.skel", true},
    {"tso-anim", "clip", "a2o-walk", NULL, "child", false},
    {"sims1-cmx", "clip", "c2o-run", NULL, "child", true},
    {"tso-anim", "clip", "d2o-sit", NULL, "dog", true},
    {"tso-anim", "clip", "k2o-sit", NULL, "cat", true},
    {"tso-anim", "clip", "b001uc", NULL, "child", false}, /* clothes are named so, not clips */
    {"sims1-cmx", "character", "b001uc", NULL, "child", true},
    {"sims1-skn", "mesh", "xskin-b001uc-PELVIS-BODY", NULL, "child", true},
    {"sims1-skn", "mesh", "XSKIN-B001MA_01", NULL, "adult", true},
    {"sims1-skn", "mesh", "xskin-", NULL, "adult", false},
    {"sims3-clip", "clip", "a_walk_x", NULL, "auRig", true},
    {"sims3-clip", "clip", "a_walk_x", NULL, "aurig", true},
    {"sims3-clip", "clip", "a_walk_x", NULL, "cuRig", false},
    {"sims3-clip", "clip", "t2c_hug_x", NULL, "auRig", true},
    {"sims3-clip", "clip", "t2c_hug_y", NULL, "cuRig", true},
    {"sims3-clip", "clip", "t2c_hug_y", NULL, "auRig", false},
    {"sims3-clip", "clip", "t2c_hug", "y", "cuRig", true},
    {"sims3-clip", "clip", "t2c_hug_x", "y", "auRig", true},
    {"sims3-clip", "clip", "al_wheeze_x", NULL, "alRig", true},
    {"sims3-clip", "clip", "o_door_x", NULL, "auRig", false},
    {"sims3-clip", "clip", "zz_what_x", NULL, "auRig", false},
    {"sims3-clip", "clip", "walk", NULL, "auRig", false},
    {"sims3-clip", "clip", "a2o-walk", NULL, "adult", false}, /* another game's naming */
    {"gltf", "clip", "a2o-walk", NULL, "adult", true},
    {"bvh", "clip", "c_walk_x", NULL, "cuRig", true},
    {NULL, "clip", "a2o-walk", NULL, "adult", true},
    {"no such format", "clip", "a2o-walk", NULL, "adult", true},
    {"tso-anim", "clip", NULL, NULL, "adult", false},
    {"tso-anim", "clip", "a2o-walk", NULL, NULL, false},
};

TEST(a_naming_says_for_which_skeleton_a_thing_is_made)
{
    for (size_t i = 0; i < sizeof namings / sizeof *namings; i++) {
        const struct pose_naming what = {.format = namings[i].format,
                                         .kind = namings[i].kind,
                                         .name = namings[i].name,
                                         .actor = namings[i].actor};
        ck_assert_msg(pose_made_for(&what, namings[i].skeleton) == namings[i].made, "%s %s on %s",
                      what.format ? what.format : "-", what.name ? what.name : "-",
                      namings[i].skeleton ? namings[i].skeleton : "-");
    }
}

static const struct {
    const char *skeleton;
    unsigned adulthood;
} ages[] = {
    {"auRig", 2},
    {"AURIG", 2},
    {"S3_8EAF13DE_00000000_0123456789ABCDEF_auRig%%+GRANNYRIG.grannyrig", 2},
    {"The Sims 3 adult stand-in", 2},
    {"adult", 2},
    {"Adult.skel", 2},
    {"adRig", 1},
    {"ahRig", 1},
    {"The Sims 3 pet stand-in", 1},
    {"The Sims 3 child stand-in", 0},
    {"cuRig", 0},
    {"puRig", 0},
    {"buRig", 0},
    {"cdRig", 0},
    {"child", 0},
    {"dog", 0},
    {"auRig2", 0},
    {"", 0},
    {NULL, 0},
};

TEST(a_skeleton_says_whether_it_is_grown)
{
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
        ck_assert_msg(pose_adulthood(ages[i].skeleton) == ages[i].adulthood, "%s",
                      ages[i].skeleton ? ages[i].skeleton : "-");
}

static const struct {
    const char *format, *name, *skeleton, *prefix;
} prefixes[] = {
    {"sims3-clip", "dance", "auRig", "a_"},
    {"sims3-clip", "dance", "The Sims 3 adult stand-in", "a_"},
    {"sims3-clip", "dance", "cuRig", "c_"},
    {"sims3-clip", "dance", "puRig", "p_"},
    {"sims3-clip", "a_dance", "auRig", ""},
    {"sims3-clip", "t_dance", "auRig", ""}, /* teens have the adults' */
    {"sims3-clip", "c_dance", "auRig", "a_"},
    {"sims3-clip", "a2c_hug_y", "auRig", "a_"},
    {"sims3-clip", "dance", "adRig", ""},
    {"sims3-clip", "dance", "my own", ""},
    {"sims3-clip", "dance", NULL, ""},
    {"sims3-clip", NULL, "auRig", "a_"},
    {"sims1-cmx", "dance", "adult", ""},
    {"sl-anim", "dance", "auRig", ""},
    {"gltf", "dance", "auRig", ""},
    {NULL, "dance", "auRig", ""},
};

TEST(a_prefix_makes_a_clip_for_its_skeleton)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const char *name = prefixes[i].name, *skeleton = prefixes[i].skeleton;
        const char *prefix = format_clip_prefix(prefixes[i].format, name, skeleton);
        ck_assert_msg(!strcmp(prefix, prefixes[i].prefix), "%s on %s: %s", name ? name : "-",
                      skeleton ? skeleton : "-", prefix);
        char whole[40];
        snprintf(whole, sizeof whole, "%s%s", prefix, name ? name : "");
        const struct pose_naming naming = {.format = prefixes[i].format, .kind = "clip", .name = whole};
        ck_assert(!*prefix || pose_made_for(&naming, skeleton));
    }
}

static const struct {
    const char *format, *kind, *name;
    bool known, has_place;
    enum pose_place place;
    const char *age;
    char sex, side;
} wears[] = {
    {"sims1-skn", "mesh", "xskin-b001fafit_01-PELVIS-BODY", true, true, POSE_PLACE_BODY, "adult", 'f', 0},
    {"sims1-bmf", "mesh", "xskin-b001ucchd_01-PELVIS-KBODYNAKED", true, true, POSE_PLACE_BODY, "child", 0, 0},
    {"sims1-skn", "mesh", "XSKIN-C001MA_Jo-HEAD-HEAD", true, true, POSE_PLACE_HEAD, "adult", 'm', 0},
    {"sims1-skn", "mesh", "xskin-c005ma_x-HEAD-SPECS", true, true, POSE_PLACE_ACCESSORY, "adult", 'm', 0},
    {"sims1-skn", "mesh", "xskin-hulo-L_HAND-HANDCL", true, true, POSE_PLACE_HANDS, NULL, 0, 'l'},
    {"sims1-skn", "mesh", "xskin-hurp-R_HAND-POINTCR", true, true, POSE_PLACE_HANDS, NULL, 0, 'r'},
    {"sims1-cmx", "character", "b001mafit_01", true, false, POSE_PLACE_BODY, "adult", 'm', 0},
    {"sims1-skn", "mesh", "xskin-child-censor-HEAD-HEADBOX", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims1-skn", "mesh", "xskin-HEAD", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims1-skn", "mesh", "xskin-", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims1-skn", "mesh", "", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims1-skn", "mesh", NULL, false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"tso-mesh", "mesh", "xskin-c001ma_jo-HEAD-HEAD", true, true, POSE_PLACE_HEAD, "adult", 'm', 0},
    {"sims3-geom", "mesh", "afBodyDressSunbelt_lod1", true, true, POSE_PLACE_BODY, "adult", 'f', 0},
    {"sims3-geom", "mesh", "015A1849-008C9DFC-00000000D9DBB6AB_amTopTee_lod1", true, true, POSE_PLACE_BODY,
     "adult", 'm', 0},
    {"sims3-geom", "mesh", "cuFaceOne_lod0", true, true, POSE_PLACE_HEAD, "child", 0, 0},
    {"sims3-geom", "mesh", "efHairBun_lod1", true, true, POSE_PLACE_ACCESSORY, "elder", 'f', 0},
    {"sims3-casp", "character", "tmBottomJeans", true, true, POSE_PLACE_ACCESSORY, "teen", 'm', 0},
    {"sims3-geom", "mesh", "coffeeBeanKona", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims3-geom", "mesh", "afbody", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims3-geom", "mesh", "a", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"sims3-geom", "mesh", "", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {"gltf", "mesh", "xskin-c001ma_jo-HEAD-HEAD", false, false, POSE_PLACE_BODY, NULL, 0, 0},
    {NULL, "mesh", "xskin-c001ma_jo-HEAD-HEAD", false, false, POSE_PLACE_BODY, NULL, 0, 0},
};

TEST(a_naming_says_who_wears_a_thing_and_where)
{
    for (size_t i = 0; i < sizeof wears / sizeof *wears; i++) {
        const struct pose_naming what = {
            .format = wears[i].format, .kind = wears[i].kind, .name = wears[i].name};
        const char *name = what.name ? what.name : "-";
        struct pose_wear wear;
        ck_assert_msg(pose_wear_of(&what, &wear) == wears[i].known, "%s", name);
        if (!wears[i].known)
            continue;
        ck_assert_msg(wear.has_place == wears[i].has_place && wear.place == wears[i].place, "%s", name);
        ck_assert_msg(wear.sex == wears[i].sex && wear.side == wears[i].side, "%s", name);
        ck_assert_pstr_eq(wear.age, wears[i].age);
    }
}

/* Free names: the bones of such a mesh say where it belongs. */
TEST(what_is_named_freely_goes_by_its_bones)
{
    const struct pose_naming what = {.format = "tso-mesh", .kind = "mesh", .name = "wizard-hat"};
    struct pose_wear wear;
    ck_assert(pose_wear_of(&what, &wear));
    ck_assert(wear.by_bones && !wear.has_place);
    ck_assert_str_eq(wear.head, "HEAD");
    ck_assert_str_eq(wear.hands[1], "R_HAND");
    const struct pose_naming older = {.format = "sims1-skn", .kind = "mesh", .name = "wizard-hat"};
    ck_assert(!pose_wear_of(&older, &wear));
}

TEST(what_is_for_the_distance_is_coarse)
{
    static const char *const names[] = {"afBodyOne_lod0",   "afBodyOne_lod1_1", "afBodyOne_lod2",
                                        "afBodyOne_lod3_1", "afBodyOne_lod",    "afBodyOne"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pose_naming what = {.format = "sims3-geom", .kind = "mesh", .name = names[i]};
        struct pose_wear wear;
        ck_assert(pose_wear_of(&what, &wear));
        ck_assert_msg(wear.is_coarse == (i == 2 || i == 3), "%s", names[i]);
    }
}

TEST(every_format_is_of_one_family)
{
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        const struct family *family = family_find(format->id);
        ck_assert_msg(family != NULL, "%s is of no family", format->id);
        ck_assert(family->id && *family->id && family->title && *family->title);
    }
    ck_assert_ptr_null(family_find("no such format"));
    ck_assert_ptr_null(family_find(NULL));
}
