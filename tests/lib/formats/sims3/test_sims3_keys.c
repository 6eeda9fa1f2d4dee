/* The shipped names of bones and morphs: every key is the hash of its name, and is found. */
#include "lib/core/hash.h"
#include "lib/formats/sims3/known_names.h"
#include "tests/support/unit.h"

#include <string.h>

static void check_ascending(const struct sims3_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++)
        ck_assert_msg(keys[i - 1].key < keys[i].key, "%s is out of place", keys[i].name);
}

START_TEST(every_bone_has_the_hash_of_its_name)
{
    size_t count;
    const struct sims3_key *keys = sims3_bone_keys(&count);
    ck_assert_uint_eq(count, 403);
    check_ascending(keys, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(hash_fnv32(keys[i].name, strlen(keys[i].name)) == keys[i].key, "%s", keys[i].name);
        ck_assert_ptr_eq(sims3_bone_name(keys[i].key), keys[i].name);
    }
}
END_TEST

START_TEST(every_morph_has_the_hash_of_its_name)
{
    size_t count;
    const struct sims3_key *keys = sims3_morph_keys(&count);
    ck_assert_uint_eq(count, 28);
    check_ascending(keys, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t key = (uint32_t)hash_fnv64(keys[i].name, strlen(keys[i].name));
        ck_assert_msg(key == keys[i].key, "%s", keys[i].name);
        ck_assert_ptr_eq(sims3_morph_name(keys[i].key), keys[i].name);
    }
}
END_TEST

/* Keys that stand in real files (sims3-hash.md). */
START_TEST(known_keys_are_named)
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
END_TEST

int main(void)
{
    TCase *cases = tcase_create("keys");
    tcase_add_test(cases, every_bone_has_the_hash_of_its_name);
    tcase_add_test(cases, every_morph_has_the_hash_of_its_name);
    tcase_add_test(cases, known_keys_are_named);
    return unit_run("sims3_keys", cases, NULL);
}
