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

FIXTURE(setup, teardown);

TEST(in_their_order)
{
    const struct asset_id ids[] = {{{1}}, {{2}}, {{3}}};
    catalog_names_add(&names, "walk", &ids[0], 0, 5);
    catalog_names_add(&names, "run", &ids[1], 0, 6);
    catalog_names_add(&names, "walk", &ids[0], 1, 0);
    catalog_names_add(&names, "", &ids[2], 2, 0);
    const struct catalog_named *found = catalog_names_first(&names, "walk");
    ck_assert(found && found->archive == 0 && found->entry == 5);
    found = catalog_names_next(&names, found);
    ck_assert(found && found->archive == 1 && found->entry == 0);
    ck_assert_ptr_null(catalog_names_next(&names, found));
    ck_assert_ptr_eq(catalog_names_first(&names, "run")->id, &ids[1]);
    ck_assert_ptr_eq(catalog_names_first(&names, "")->id, &ids[2]);
    ck_assert_ptr_null(catalog_names_first(&names, "Walk"));
}

TEST(one_name_for_all)
{
    const struct asset_id id = {{1}};
    for (uint32_t i = 0; i < MANY; i++)
        catalog_names_add(&names, "same", &id, 0, i);
    uint32_t count = 0;
    for (const struct catalog_named *found = catalog_names_first(&names, "same"); found;
         found = catalog_names_next(&names, found))
        ck_assert_uint_eq(found->entry, count++);
    ck_assert_uint_eq(count, MANY);
}

TEST(a_name_each)
{
    static char texts[MANY][12];
    static struct asset_id ids[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "clip-%u", i);
        catalog_names_add(&names, texts[i], &ids[i], 0, i);
    }
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(catalog_names_first(&names, texts[i])->entry, i);
    ck_assert_ptr_null(catalog_names_first(&names, "clip-50000"));
}
