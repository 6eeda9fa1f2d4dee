/* Lines and records of text files, and where their errors point. */
#include "lib/core/bytes/lines.h"
#include "tests/support/unit.h"

#include <string.h>

struct fixture {
    struct pose_error error;
    struct arena arena;
    struct reader reader;
    struct lines lines;
};

static void begin(struct fixture *f, const char *text)
{
    pose_error_init(&f->error);
    arena_init(&f->arena, NULL, 0, &f->error);
    reader_init(&f->reader, (struct pose_bytes){(const uint8_t *)text, strlen(text)}, &f->error);
    lines_init(&f->lines, &f->reader);
}

TEST(texts_and_records_are_read)
{
    struct fixture f;
    begin(&f, "  a name \r\n\r\n// comment\n 1\t2 \r\n\n-1.5 // rest\n\n  \n");
    ck_assert(lines_next(&f.lines, "name"));
    ck_assert_int_eq(f.lines.end - f.lines.at, 6);
    ck_assert_int_eq(memcmp(f.lines.at, "a name", 6), 0);
    ck_assert(lines_next(&f.lines, "empty"));
    ck_assert_ptr_eq(f.lines.at, f.lines.end);
    ck_assert(lines_record(&f.lines, "pair"));
    ck_assert_int_eq(lines_i32(&f.lines, "a"), 1);
    ck_assert_int_eq(lines_i32(&f.lines, "b"), 2);
    ck_assert(lines_done(&f.lines));
    ck_assert(!lines_at_end(&f.lines));
    ck_assert(lines_record(&f.lines, "last"));
    ck_assert(lines_float(&f.lines, "x") == -1.5f);
    ck_assert_uint_eq(f.lines.number, 6);
    ck_assert(lines_at_end(&f.lines));
    ck_assert(!error_is_set(&f.error));
    arena_release(&f.arena);
}

/* Each asks for a record of two integers. */
static const struct {
    const char *text, *code, *detail;
    uint32_t line;
    uint64_t offset;
} failures[] = {
    {"", "truncated", "pairs[0].pair at line 1: the file ends too early", 1, 0},
    {"\n\n", "truncated", "pairs[0].pair at line 3: the file ends too early", 3, 2},
    {"1\n", "bad_number", "pairs[0].b at line 1: a number is missing", 1, 1},
    {"\n1 x\n", "bad_number", "pairs[0].b at line 2: \"x\" is not a valid number", 2, 3},
    {"1 2 3\n", "bad_number", "pairs[0] at line 1: too many fields in the line", 1, 4},
    {"1 2147483648", "bad_number", "pairs[0].b at line 1: 2147483648 does not fit into 32 bits", 1, 2},
    {"1 1.#IND", "non_finite", "pairs[0].b at line 1: \"1.#IND\" is not a finite number", 1, 2},
};

TEST_EACH(failures_say_line_and_byte, COUNT(failures))
{
    struct fixture f;
    begin(&f, failures[_i].text);
    reader_enter(&f.reader, "pairs", 0);
    lines_record(&f.lines, "pair");
    lines_i32(&f.lines, "a");
    lines_i32(&f.lines, "b");
    lines_done(&f.lines);
    ck_assert_str_eq(f.error.code, failures[_i].code);
    ck_assert_uint_eq(f.error.line, failures[_i].line);
    ck_assert_uint_eq(f.error.offset, failures[_i].offset);
    ck_assert_str_eq(f.error.detail, failures[_i].detail);
    arena_release(&f.arena);
}
