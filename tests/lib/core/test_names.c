/* The index of names: every name is found, of equal ones the first. */
#include "lib/core/names.h"
#include "tests/support/unit.h"

#include <stdio.h>

TEST(names_are_found)
{
    enum { COUNT = 1000 };
    struct arena arena;
    struct name_index index;
    arena_init(&arena, NULL, 0, NULL);
    ck_assert(name_index_init(&index, &arena, COUNT));
    for (uint32_t i = 0; i < COUNT; i++)
        name_index_add(&index, arena_format(&arena, "bone%u", (i * 7919) % 500), i);
    name_index_sort(&index);
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "bone%u", (i * 7919) % 500);
        ck_assert_int_eq(name_index_find(&index, name), i % 500);
    }
    ck_assert_int_eq(name_index_find(&index, "bone500"), -1);
    ck_assert_int_eq(name_index_find(&index, "BONE1"), -1);
    ck_assert_int_eq(name_index_find(&index, ""), -1);
    arena_release(&arena);
}

TEST(nothing_is_left_out_or_added)
{
    struct arena arena;
    struct name_index index;
    arena_init(&arena, NULL, 0, NULL);
    ck_assert(name_index_init(&index, &arena, 0));
    name_index_sort(&index);
    ck_assert_int_eq(name_index_find(&index, "a"), -1);
    ck_assert(name_index_init(&index, &arena, 2));
    name_index_add(&index, NULL, 0);
    name_index_add(&index, "b", 7);
    name_index_add(&index, "a", 3);
    name_index_add(&index, "c", 9); /* there is no room for it */
    name_index_sort(&index);
    ck_assert_int_eq(name_index_find(&index, "a"), 3);
    ck_assert_int_eq(name_index_find(&index, "b"), 7);
    ck_assert_int_eq(name_index_find(&index, "c"), -1);
    arena_release(&arena);
}
