/* Messages that quote files: one line of UTF-8 whatever the file holds. */
#include "lib/core/text.h"
#include "lib/core/error.h"
#include "lib/model/build.h"
#include "tests/support/unit.h"

#include <stdio.h>

static const struct {
    const char *text, *line;
} lines[] = {
    {"", ""},
    {"joints[3].rot_keys: 20 keys", "joints[3].rot_keys: 20 keys"},
    {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"a\nb\tc\x1b[31m\x7f", "a?b?c?[31m?"},
    {"\xc2\x9b"
     "31m",
     "??31m"},                  /* CSI as one character of C1 */
    {"\xc2\xa0", "\xc2\xa0"},   /* the first one that is none */
    {"cut \xe2\x82", "cut ??"}, /* half of a sequence */
    {"\xff\xc0\x80", "???"},    /* never UTF-8 */
};

TEST_EACH(lines_are_made, COUNT(lines))
{
    char text[64];
    snprintf(text, sizeof text, "%s", lines[_i].text);
    text_make_line(text);
    ck_assert_str_eq(text, lines[_i].line);
}

TEST(errors_and_warnings_are_lines)
{
    struct pose_error error;
    pose_error_init(&error);
    error_set(&error, POSE_BAD_DATA, "bad", "bone %s", "\x1b]0;x\a");
    ck_assert_str_eq(error.detail, "bone ?]0;x?");

    struct arena arena;
    struct warning_list list;
    arena_init(&arena, NULL, 0, NULL);
    warning_list_init(&list, &arena);
    warning_add(&list, POSE_WARNING, "odd", POSE_NO_OFFSET, "%s", "two\r\nlines");
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.items[0].message, "two??lines");
    arena_release(&arena);
}
