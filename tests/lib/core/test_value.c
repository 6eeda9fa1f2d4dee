/* Trees of values: read back as other kinds of numbers, and copied. */
#include "lib/core/value.h"
#include "lib/core/text.h"
#include "tests/support/unit.h"

#include <string.h>

enum { DEEP = 1000 };

static struct arena arena;

static void start(void)
{
    arena_init(&arena, NULL, 0, NULL);
}

static void stop(void)
{
    arena_release(&arena);
}

FIXTURE(start, stop);

TEST(floats_are_ints_when_they_are_whole)
{
    struct value_list list = value_object(&arena);
    value_put_float(&list, "whole", 4.0f);
    value_put_float(&list, "half", 4.5f);
    value_put_float(&list, "negative", -0.25f);
    value_put_float(&list, "large", 1e30f);
    const struct pose_value *object = value_done(&list);
    ck_assert_int_eq(value_get_int(object, "whole", -1), 4);
    ck_assert_int_eq(value_get_int(object, "half", -1), -1);
    ck_assert_int_eq(value_get_int(object, "negative", -1), -1);
    ck_assert_int_eq(value_get_int(object, "large", -1), -1);
    ck_assert_int_eq(value_get_int(object, "missing", -1), -1);
}

TEST(floats_that_are_no_numbers_are_their_bits)
{
    static const char *const wrong[] = {"0x7fc", "7fc00000", "0x7fc0000g", "0x7fc000000", "", "0x-1000000"};
    struct value_list list = value_object(&arena);
    value_put_float_bits(&list, "number", 0x3f800000);
    value_put_float_bits(&list, "nan", 0x7f800001);
    value_put_string(&list, "small", "0x7fabcdef");
    value_put_int(&list, "int", 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct value_list one = value_object(&arena);
        value_put_string(&one, "x", wrong[i]);
        ck_assert_uint_eq(value_get_float_bits(value_done(&one), "x", -1), 0xbf800000);
    }
    const struct pose_value *object = value_done(&list);
    ck_assert(value_get_float(object, "number", 0) == 1);
    ck_assert_str_eq(value_get_string(object, "nan", ""), "0x7F800001");
    ck_assert_uint_eq(value_get_float_bits(object, "nan", 0), 0x7f800001);
    ck_assert_uint_eq(value_get_float_bits(object, "small", 0), 0x7fabcdef);
    ck_assert_uint_eq(value_get_float_bits(object, "int", 0), 0x40000000);
    ck_assert_uint_eq(value_get_float_bits(object, "missing", -1), 0xbf800000);
    ck_assert(value_get_float(object, "nan", 5) == 5);
}

/* Arrays in arrays, the innermost with a text. */
static struct pose_value *make_deep(struct arena *from)
{
    struct value_list inner = value_array(from);
    value_put_string(&inner, NULL, "bottom");
    for (int i = 1; i < DEEP; i++) {
        struct value_list outer = value_array(from);
        value_put_int(&outer, NULL, i);
        value_put_list(&outer, NULL, &inner);
        inner = outer;
    }
    return inner.value;
}

TEST(copies_are_whole_and_on_their_own)
{
    struct arena gone;
    arena_init(&gone, NULL, 0, NULL);
    const struct pose_value *copy = value_copy(&arena, make_deep(&gone));
    arena_release(&gone);
    for (int i = DEEP - 1; i > 0; i--) {
        ck_assert_int_eq((int)copy->first->as.integer, i);
        copy = copy->first->next;
        ck_assert_ptr_null(copy->next);
    }
    ck_assert_str_eq(copy->first->as.string, "bottom");
    ck_assert_ptr_null(value_copy(&arena, NULL));
}

TEST(members_are_left_out_by_name)
{
    static const char *const without[] = {"a", "c", NULL}, *const all[] = {"a", "b", "c", NULL};
    struct value_list inner = value_object(&arena), list = value_object(&arena), array = value_array(&arena);
    value_put_int(&inner, "a", 2);
    value_put_int(&list, "a", 1);
    value_put_list(&list, "b", &inner);
    value_put_int(&list, "c", 3);
    const struct pose_value *copy = value_copy_object(&arena, list.value, without);
    ck_assert_uint_eq(value_count(copy), 1);
    ck_assert_str_eq(copy->first->key, "b");
    ck_assert_int_eq(value_get_int(copy->first, "a", 0), 2); /* the names are those of the object itself */
    ck_assert_uint_eq(value_count(value_copy_object(&arena, list.value, NULL)), 3);
    ck_assert_ptr_null(value_copy_object(&arena, list.value, all));
    ck_assert_ptr_null(value_copy_object(&arena, array.value, NULL));
    ck_assert_ptr_null(value_copy_object(&arena, NULL, NULL));
}

/* What is left of a copy must not point into the original, which may be gone. */
TEST(memory_runs_out)
{
    struct value_list deep = {.arena = &arena, .value = make_deep(&arena)};
    struct arena small;
    arena_init(&small, NULL, 16384, NULL);
    struct value_list list = value_object(&small), whole = value_object(&arena);
    value_put_list(&whole, "deep", &deep);
    value_put_members(&list, whole.value, NULL);
    ck_assert(small.failed);
    const struct pose_value *at = list.value->first, *original = deep.value;
    for (int i = DEEP - 1; at && i > 0; i--) {
        ck_assert_ptr_ne(at, original);
        original = original->first->next;
        at = at->first ? at->first->next : NULL;
    }
    ck_assert_ptr_null(at);
    ck_assert_ptr_null(value_copy(&small, whole.value));
    arena_release(&small);
}
