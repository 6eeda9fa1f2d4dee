/* The shipped names of bones and morphs: every key is the hash of its name, and is found. */
#include "lib/core/hash.h"
#include "lib/formats/sims3/known_names.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The published list: key, kind, name and rigs, separated by tabs. */
TEST(every_key_is_the_hash_of_its_name_and_is_found)
{
    FILE *file = fopen(POSED_SOURCE_DIR "/lib/formats/sims3/sims3-bone-names.tsv", "r");
    char line[512], kind[16], name[128];
    unsigned bones = 0, morphs = 0, key;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        ck_assert_int_eq(sscanf(line, "%x\t%15[^\t]\t%127[^\t\n]", &key, kind, name), 3);
        bool is_bone = !strcmp(kind, "bone");
        uint32_t hash = is_bone ? hash_fnv32(name, strlen(name)) : (uint32_t)hash_fnv64(name, strlen(name));
        const char *found = is_bone ? sims3_bone_name(key) : sims3_morph_name(key);
        ck_assert_msg(hash == key, "%s", name);
        ck_assert_msg(found && !strcasecmp(found, name), "%s", name); /* one bone is spelt in two ways */
        bones += is_bone;
        morphs += !is_bone;
    }
    fclose(file);
    ck_assert_uint_eq(bones, 404);
    ck_assert_uint_eq(morphs, 28);
}

/* Keys that stand in real files (sims3-hash.md). */
TEST(known_keys_are_named)
{
    ck_assert_str_eq(sims3_bone_name(0xfeae6981u), "b__ROOT__");
    ck_assert_str_eq(sims3_bone_name(0x57884bb9u), "b__ROOT_bind__");
    ck_assert_str_eq(sims3_bone_name(0x0f97b21bu), "b__Head__");
    ck_assert_str_eq(sims3_morph_name(0xf7f2bc99u), "NoseCrinkleBack");
    ck_assert_ptr_null(sims3_bone_name(0xf7f2bc99u));
    ck_assert_ptr_null(sims3_morph_name(0xfeae6981u));
    ck_assert_ptr_null(sims3_bone_name(0));
    ck_assert_ptr_null(sims3_bone_name(UINT32_MAX));
}
