/* Clips by name: found in their order, told apart, and cheap when thousands have one name. */
#include "server/library/snapshot/catalog_names.h"
#include "tests/support/unit.h"

#include <stdio.h>

enum { MANY = 50000 };

static struct region region;
static struct catalog_names names;

static void setup(void)
{
    region_init(&region);
    catalog_names_init(&names, &region, MANY);
}

static void teardown(void)
{
    region_release(&region);
}

START_TEST(in_their_order)
{
    struct index_asset walk = {.name = "walk"}, run = {.name = "run"}, empty = {.name = ""};
    catalog_names_add(&names, &walk, 0, 5);
    catalog_names_add(&names, &run, 0, 6);
    catalog_names_add(&names, &walk, 1, 0);
    catalog_names_add(&names, &empty, 2, 0);
    const struct catalog_named *found = catalog_names_first(&names, "walk");
    ck_assert(found && found->archive == 0 && found->entry == 5);
    found = catalog_names_next(&names, found);
    ck_assert(found && found->archive == 1 && found->entry == 0);
    ck_assert_ptr_null(catalog_names_next(&names, found));
    ck_assert_ptr_eq(catalog_names_first(&names, "run")->asset, &run);
    ck_assert_ptr_eq(catalog_names_first(&names, "")->asset, &empty);
    ck_assert_ptr_null(catalog_names_first(&names, "Walk"));
}
END_TEST

START_TEST(one_name_for_all)
{
    struct index_asset same = {.name = "same"};
    for (uint32_t i = 0; i < MANY; i++)
        catalog_names_add(&names, &same, 0, i);
    uint32_t count = 0;
    for (const struct catalog_named *found = catalog_names_first(&names, "same"); found;
         found = catalog_names_next(&names, found))
        ck_assert_uint_eq(found->entry, count++);
    ck_assert_uint_eq(count, MANY);
}
END_TEST

START_TEST(a_name_each)
{
    static char texts[MANY][12];
    static struct index_asset assets[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "clip-%u", i);
        assets[i].name = texts[i];
        catalog_names_add(&names, &assets[i], 0, i);
    }
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(catalog_names_first(&names, texts[i])->entry, i);
    ck_assert_ptr_null(catalog_names_first(&names, "clip-50000"));
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("names");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, in_their_order);
    tcase_add_test(all, one_name_for_all);
    tcase_add_test(all, a_name_each);
    return unit_run("catalog_names", all, NULL);
}
