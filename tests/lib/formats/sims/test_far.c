/* FAR archives written by hand from far.md, round trips, every code of its list, and damage. */
#include "lib/core/value.h"
#include "lib/core/bytes/writer.h"
#include "tests/support/archives.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- archives by hand -- */

static void begin(struct writer *writer, struct pose_buffer *out, uint32_t version, uint32_t table)
{
    *out = (struct pose_buffer){0};
    writer_init(writer, out, NULL);
    writer_bytes(writer, "FAR!byAZ", 8);
    writer_u32le(writer, version);
    writer_u32le(writer, table);
}

static void row_1a(struct writer *writer, uint32_t size, uint32_t stored, uint32_t offset, const char *name)
{
    writer_u32le(writer, size);
    writer_u32le(writer, stored);
    writer_u32le(writer, offset);
    writer_u32le(writer, (uint32_t)strlen(name));
    writer_text(writer, name);
}

static void row_1b(struct writer *writer, uint32_t size, uint32_t stored, uint32_t offset, const char *name)
{
    writer_u32le(writer, size);
    writer_u32le(writer, stored);
    writer_u32le(writer, offset);
    writer_u16le(writer, (uint16_t)strlen(name));
    writer_text(writer, name);
}

/* data_type and flag: the two bytes that may say "compressed". */
static void row_3(struct writer *writer, uint32_t size, uint32_t stored, uint8_t data_type, uint32_t offset,
                  uint8_t flag, uint32_t type, uint32_t file, const char *name)
{
    writer_u32le(writer, size);
    writer_u32le(writer, stored | (uint32_t)data_type << 24);
    writer_u32le(writer, offset);
    writer_u8(writer, flag);
    writer_u8(writer, 0);
    writer_u16le(writer, (uint16_t)strlen(name));
    writer_u32le(writer, type);
    writer_u32le(writer, file);
    writer_text(writer, name);
}

/* The worked example of dbpf.md, as FAR3 wraps it: 58 bytes out of 33. */
static const uint8_t body[] = {1,   58,  0,    0,    0,   24,  0,   0,    0,    24,   0,
                               0,   0,   0x10, 0xfb, 0,   0,   58,  0x88, 0xc0, 0x02, 'a',
                               'b', 'c', 0xe0, 'X',  'Y', 'Z', 'Q', 0xa3, 0x00, 0,    0xfc};
#define BODY_TEXT "abcabcabcabcabcXYZQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"

/* An archive of version 3 with one entry: a body, and its row. */
static void one_entry(struct pose_buffer *out, const uint8_t *bytes, size_t stored, uint32_t size,
                      uint8_t data_type, uint8_t flag)
{
    struct writer writer;
    begin(&writer, out, 3, 16 + (uint32_t)stored);
    writer_bytes(&writer, bytes, stored);
    writer_u32le(&writer, 1);
    row_3(&writer, size, (uint32_t)stored, data_type, 16, flag, 7, 0xc3bde7b2, "a.anim");
}

/* ---------------------------------------------------------------------------------------------- layouts -- */

TEST(version_1a_by_hand)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 1, 26);
    writer_text(&writer, "hello");
    writer_text(&writer, "world");
    writer_u32le(&writer, 2);
    row_1a(&writer, 5, 5, 16, "a.cmx");
    row_1a(&writer, 5, 5, 21, "skins\\caf\xe9\x80.skn");
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), "far1a");
    ck_assert_uint_eq(pose_archive_count(test.archive), 2);
    test_entry_holds(&test, 0, "a.cmx", "hello", 5);
    test_entry_holds(&test, 1, "skins/caf\xc3\xa9\xe2\x82\xac.skn", "world", 5);
    ck_assert_ptr_null(pose_archive_entry(test.archive, 0)->format);
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(version_1b_by_hand)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 1, 16); /* the table first, the data behind it */
    writer_u32le(&writer, 2);
    row_1b(&writer, 5, 5, 50, "a");
    row_1b(&writer, 0, 0, 55, "b");
    writer_text(&writer, "hello");
    ck_assert_uint_eq(bytes.size, 55);
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), "far1b");
    struct pose_source source = {.bytes = {bytes.data, bytes.size}};
    ck_assert_str_eq(pose_detect(&source), "far1b");
    test_entry_holds(&test, 0, "a", "hello", 5);
    test_entry_holds(&test, 1, "b", "", 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(empty_archives)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    for (uint32_t version = 1; version <= 3; version += 2) {
        begin(&writer, &bytes, version, 16);
        writer_u32le(&writer, 0);
        test_archive_must_open(&bytes, &test);
        ck_assert_str_eq(pose_archive_format(test.archive), version == 1 ? "far1a" : "far3");
        ck_assert_uint_eq(pose_archive_count(test.archive), 0);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

TEST(version_3_by_hand)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 3, 16 + sizeof body + 5);
    writer_bytes(&writer, body, sizeof body);
    writer_text(&writer, "plain");
    writer_u32le(&writer, 6);
    row_3(&writer, 58, sizeof body, 0x80, 16, 0, 7, 1, "by-byte-7.anim");
    row_3(&writer, 58, sizeof body, 0, 16, 1, 5, 2, "by-byte-12.skel");
    row_3(&writer, 5, 0, 0, 16 + sizeof body, 0, 9, 0xc3bde7b2, ""); /* the stored size tells nothing */
    row_3(&writer, 5, 5, 0x80, 16 + sizeof body, 0, 7, 4, "marked.dat");
    row_3(&writer, 5, 5, 0x80, 16 + sizeof body, 1, 12, 5, "named.apr");
    row_3(&writer, sizeof body, sizeof body, 0, 16, 0, 0, 6, "not-marked");
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), "far3");
    test_entry_holds(&test, 0, "by-byte-7.anim", BODY_TEXT, 58);
    test_entry_holds(&test, 1, "by-byte-12.skel", BODY_TEXT, 58);
    test_entry_holds(&test, 2, "00000009-C3BDE7B2", "plain", 5);
    test_entry_holds(&test, 3, "marked.dat", "plain", 5);
    test_entry_holds(&test, 4, "named.apr", "plain", 5);
    test_entry_holds(&test, 5, "not-marked", body, sizeof body);
    ck_assert_str_eq(test_read_warning(&test, 0), "");
    /* Marked in byte 7 only and stored plainly: the warning; byte 12 may mean "has a name". */
    ck_assert_uint_eq(test_count_warnings(&test, "flagged_but_stored"), 1);
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 1);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(type_ids_say_the_format_where_the_name_agrees)
{
    static const struct {
        uint32_t type;
        const char *name, *format, *kind;
    } rows[] = {
        {5, "x.skel", "tso-skel", "skeleton"},
        {7, "x.anim", "tso-anim", "clip"},
        {9, "x.mesh", "tso-mesh", "mesh"},
        {11, "x.bnd", "tso-bnd", "character"},
        {12, "x.apr", "tso-apr", "character"},
        {13, "x.oft", "tso-oft", "character"},
        {7, "", "tso-anim", "clip"},
        {7, "x.bmp", NULL, NULL},
        {7, "x", NULL, NULL},
        {8, "x.anim", NULL, NULL},
        {0, "x.anim", NULL, NULL},
    };
    const uint32_t count = sizeof rows / sizeof *rows;
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 3, 16);
    writer_u32le(&writer, count);
    for (uint32_t i = 0; i < count; i++)
        row_3(&writer, 1, 1, 0, 0, 0, rows[i].type, i, rows[i].name);
    test_archive_must_open(&bytes, &test);
    for (uint32_t i = 0; i < count; i++) {
        const struct pose_entry *entry = pose_archive_entry(test.archive, i);
        ck_assert_pstr_eq(entry->format, rows[i].format);
        ck_assert_pstr_eq(entry->kind, rows[i].kind);
    }
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(version_1_with_compressed_bodies)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 1, 16 + sizeof body);
    writer_bytes(&writer, body, sizeof body);
    writer_u32le(&writer, 2);
    row_1a(&writer, 58, sizeof body, 16, "packed");
    row_1a(&writer, 58, 20, 20, "unknown");
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "packed", BODY_TEXT, 58);
    ck_assert_ptr_nonnull(pose_archive_entry(test.archive, 1)->error);
    test_entry_fails(&test, 1, "bad_compression", 20);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(names_may_repeat)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 1, 18);
    writer_text(&writer, "12");
    writer_u32le(&writer, 4);
    row_1a(&writer, 1, 1, 16, "a.cmx");
    row_1a(&writer, 1, 1, 17, "b.cmx");
    row_1a(&writer, 1, 1, 17, "A.CMX");
    row_1a(&writer, 1, 1, 17, "a.cmx");
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(test_count_warnings(&test, "duplicate_name"), 2);
    test_entry_holds(&test, 0, "a.cmx", "1", 1);
    test_entry_holds(&test, 2, "A.CMX", "2", 1);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(data_may_overlap_and_lie_in_the_header)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 1, 16);
    writer_u32le(&writer, 2);
    row_1b(&writer, 8, 8, 0, "magic");
    row_1b(&writer, 6, 6, 2, "inside");
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "magic", "FAR!byAZ", 8);
    test_entry_holds(&test, 1, "inside", "R!byAZ", 6);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* -------------------------------------------------------------------------------------- what is refused -- */

TEST(headers_that_are_refused)
{
    struct pose_buffer bytes;
    struct writer writer;
    begin(&writer, &bytes, 1, 16);
    writer_u32le(&writer, 0);
    struct test_archive test;
    for (size_t size = 8; size < 20; size++)
        test_open_fails(bytes.data, size, "truncated", 0, "");
    for (size_t size = 0; size < 8; size++) {
        test_archive_open(bytes.data, size, "far1a", NULL, &test);
        ck_assert_str_eq(test.error.code, size ? "truncated" : "bad_magic");
        test_archive_close(&test);
    }
    test_archive_open("FAR?byAZ", 8, "far3", NULL, &test);
    ck_assert_str_eq(test.error.code, "bad_magic");
    test_archive_close(&test);
    bytes.data[8] = 2;
    test_open_fails(bytes.data, bytes.size, "bad_version", 8, "version");
    bytes.data[8] = 1;
    bytes.data[12] = 17;
    test_open_fails(bytes.data, bytes.size, "bad_table_offset", 12, "table_offset");
    memset(bytes.data + 12, 0xff, 4);
    test_open_fails(bytes.data, bytes.size, "bad_table_offset", 12, "table_offset");
    pose_buffer_free(&bytes);
}

TEST(counts_that_are_not_there)
{
    static const uint32_t counts[] = {UINT32_MAX, 0x10000000, 0x0aaaaaab, 2};
    for (uint32_t version = 1; version <= 3; version += 2) {
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct pose_buffer bytes;
            struct writer writer;
            begin(&writer, &bytes, version, 16);
            writer_u32le(&writer, counts[i]);
            writer_zeros(&writer, 26);
            test_open_fails(bytes.data, bytes.size, "count_too_large", 16, "entry_count");
            pose_buffer_free(&bytes);
        }
    }
}

TEST(limit_of_entries)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    static const struct pose_options options = {.limits = {.entries = 2}};
    begin(&writer, &bytes, 1, 16);
    writer_u32le(&writer, 3);
    for (int i = 0; i < 3; i++)
        row_1a(&writer, 0, 0, 0, "a");
    test_archive_open(bytes.data, bytes.size, NULL, &options, &test);
    ck_assert_ptr_null(test.archive);
    ck_assert_int_eq(test.error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(test.error.limit, "max-entries");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* Of both layouts of version 1 the one that gets further is reported. */
TEST(cut_tables)
{
    struct pose_buffer bytes;
    struct writer writer;
    begin(&writer, &bytes, 1, 16);
    writer_u32le(&writer, 3);
    row_1a(&writer, 0, 0, 0, "first");
    row_1a(&writer, 0, 0, 0, "second-name-that-is-long-enough-for-the-count");
    writer_u32le(&writer, 0);
    size_t at = bytes.size;
    writer_u32le(&writer, 0);
    test_open_fails(bytes.data, at + 2, "truncated", at, "entries[2].stored_size");
    writer_u32le(&writer, 0);
    writer_u32le(&writer, 5);
    writer_text(&writer, "abc");
    test_open_fails(bytes.data, bytes.size, "bad_name", at + 8, "entries[2].name_length");
    pose_buffer_free(&bytes);
    begin(&writer, &bytes, 3, 16);
    writer_u32le(&writer, 2);
    row_3(&writer, 0, 0, 0, 0, 0, 0, 0, "a-name-of-more-than-24-bytes-for-the-count");
    test_open_fails(bytes.data, bytes.size, "truncated", bytes.size, "entries[1].size");
    pose_buffer_free(&bytes);
}

static void check_name_of_1a(const char *name, uint32_t length, uint64_t offset)
{
    struct pose_buffer bytes;
    struct writer writer;
    begin(&writer, &bytes, 1, 16);
    writer_u32le(&writer, 2);
    row_1a(&writer, 0, 0, 0, "good");
    writer_zeros(&writer, 12);
    writer_u32le(&writer, length);
    writer_bytes(&writer, name, length < 10 ? length : 10);
    writer_zeros(&writer, 5000);
    test_open_fails(bytes.data, bytes.size, "bad_name", offset, NULL);
    pose_buffer_free(&bytes);
}

TEST(names_that_are_refused)
{
    uint64_t length_at = 20 + 16 + 4 + 12;
    check_name_of_1a("", 0, length_at);
    check_name_of_1a("abc\0d", 5, length_at + 4);
    check_name_of_1a("\x1f"
                     "abc",
                     4, length_at + 4);
    check_name_of_1a("aaaaaaaaaa", 4097, length_at);
    check_name_of_1a("aaaaaaaaaa", UINT32_MAX, length_at);
    struct pose_buffer bytes;
    struct writer writer;
    begin(&writer, &bytes, 3, 16);
    writer_u32le(&writer, 1);
    row_3(&writer, 0, 0, 0, 0, 0, 0, 0, "");
    bytes.data[20 + 14] = 1;
    test_open_fails(bytes.data, bytes.size, "bad_name", 20 + 14, NULL);
    pose_buffer_free(&bytes);
}

/* Offset + size beyond the file, and beyond 32 bits: that entry alone is refused. */
TEST(entries_outside_of_the_file)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    for (uint32_t version = 1; version <= 3; version += 2) {
        begin(&writer, &bytes, version, 20);
        writer_text(&writer, "data");
        writer_u32le(&writer, 4);
        const uint32_t offsets[] = {16, 0xffffffff, 16, 0xfffffff0}, sizes[] = {4, 1, 0xfffffff0, 0x20};
        uint64_t at[4];
        for (int i = 0; i < 4; i++) {
            at[i] = bytes.size;
            if (version == 1)
                row_1b(&writer, sizes[i], sizes[i], offsets[i], "name");
            else
                row_3(&writer, sizes[i], sizes[i] & 0xffffff, 0, offsets[i], 0, 7, 1, "name");
        }
        test_archive_must_open(&bytes, &test);
        ck_assert_str_eq(pose_archive_format(test.archive), version == 1 ? "far1b" : "far3");
        test_entry_holds(&test, 0, "name", "data", 4);
        for (uint32_t i = 1; i < 4; i++) {
            test_entry_fails(&test, i, "entry_range", at[i]);
            char field[40];
            snprintf(field, sizeof field, "entries[%u].offset", i);
            ck_assert_str_eq(pose_archive_entry(test.archive, i)->error->field, field);
        }
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* A body with one thing changed: the code, its offset, and whether the row itself shows it. */
static const struct {
    unsigned at;
    uint8_t value;
    const char *code;
    uint64_t offset;
    bool in_row;
} broken_bodies[] = {
    {1, 59, "size_mismatch", 16 + 1, true},        {4, 1, "size_mismatch", 16 + 1, true},
    {17, 57, "size_mismatch", 16 + 15, true},      {15, 1, "size_mismatch", 16 + 15, true},
    {20, 3, "bad_reference", 16 + 18, false},      {18, 0xfc, "output_short", 16 + 19, false},
    {29, 0xb3, "output_overflow", 16 + 29, false}, {29, 0xa2, "output_short", 16 + 33, false},
    {32, 0xff, "truncated", 16 + 32, false},
};

TEST_EACH(bodies_that_are_refused, COUNT(broken_bodies))
{
    uint8_t changed[sizeof body];
    memcpy(changed, body, sizeof body);
    changed[broken_bodies[_i].at] = broken_bodies[_i].value;
    struct pose_buffer bytes;
    struct test_archive test;
    one_entry(&bytes, changed, sizeof changed, 58, 0x80, 1);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, broken_bodies[_i].code, broken_bodies[_i].offset);
    ck_assert_int_eq(pose_archive_entry(test.archive, 0)->error != NULL, broken_bodies[_i].in_row);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(bodies_that_are_cut)
{
    struct pose_buffer bytes;
    struct test_archive test;
    one_entry(&bytes, body, 17, 58, 0x80, 1);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, "truncated", 16 + 17 + 4);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    one_entry(&bytes, body, 22, 58, 0x80, 1);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, "truncated", 16 + 18);
    ck_assert_uint_eq(test_count_warnings(&test, "persist_size_mismatch"), 1);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(bodies_that_are_only_odd)
{
    struct pose_buffer bytes;
    struct test_archive test;
    uint8_t longer[sizeof body + 2] = {0};
    memcpy(longer, body, sizeof body);
    longer[5] = longer[9] = sizeof longer - 9;
    one_entry(&bytes, longer, sizeof longer, 58, 0x80, 1);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 0);
    ck_assert_str_eq(test_read_warning(&test, 0), "trailing_bytes");
    test_entry_holds(&test, 0, "a.anim", BODY_TEXT, 58);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    one_entry(&bytes, body, sizeof body - 1, 58, 0x80, 1);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(test_count_warnings(&test, "persist_size_mismatch"), 1);
    ck_assert_str_eq(test_read_warning(&test, 0), "no_stop_code");
    test_entry_holds(&test, 0, "a.anim", BODY_TEXT, 58);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* 58 bytes out of 33 under limits that forbid it, by size and by ratio. */
TEST(limits_of_unpacking)
{
    static uint8_t zeros[1 << 20];
    const struct pose_pack_item item = {"zeros.anim", {zeros, sizeof zeros}};
    static const struct pose_options small = {.limits = {.unpacked = sizeof zeros - 1}},
                                     steep = {.limits = {.ratio = 100}};
    struct pose_buffer bytes, out;
    struct test_archive test;
    struct pose_error error;
    test_pack("far3", &item, 1, NULL, &bytes);
    ck_assert_uint_lt(bytes.size, sizeof zeros / 200);
    test_archive_open(bytes.data, bytes.size, NULL, &small, &test);
    ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "max-unpacked");
    test_archive_close(&test);
    test_archive_open(bytes.data, bytes.size, NULL, &steep, &test);
    ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "max-ratio");
    test_archive_close(&test);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "zeros.anim", zeros, sizeof zeros);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(forced_layouts)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 1, 16);
    writer_u32le(&writer, 1);
    row_1a(&writer, 0, 0, 0, "a.cmx");
    test_archive_open(bytes.data, bytes.size, "far1a", NULL, &test);
    ck_assert_ptr_nonnull(test.archive);
    test_archive_close(&test);
    test_archive_open(bytes.data, bytes.size, "far1b", NULL, &test);
    ck_assert_str_eq(test.error.code, "bad_name"); /* whose length is 5, and a zero byte is first */
    test_archive_close(&test);
    test_archive_open(bytes.data, bytes.size, "far3", NULL, &test);
    ck_assert_str_eq(test.error.code, "bad_version");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* ---------------------------------------------------------------------------------------------- writing -- */

static const struct pose_value no = {.kind = POSE_BOOL, .key = "compress", .as.boolean = false};
static const struct pose_value uncompressed = {.kind = POSE_OBJECT, .first = &no};

TEST(what_is_packed_reads_back)
{
    test_round_trip("far1a", NULL, NULL);
    test_round_trip("far1b", NULL, NULL);
    test_round_trip("far3", NULL, NULL);
    test_round_trip("far3", &uncompressed, NULL);
}

TEST(packing_sets_ids_and_both_flags)
{
    static const uint8_t noise[] = "0123456789abcdef", repeats[200] = {0};
    const struct pose_pack_item items[] = {
        {"walk.c3bde7b200000007.anim", {repeats, sizeof repeats}},
        {"00000005-000000AB", {noise, 16}},
        {"d/x.skel", {noise, 16}},
        {"caf\xc3\xa9", {noise, 0}},
    };
    struct pose_buffer bytes;
    struct test_archive test;
    test_pack("far3", items, 4, NULL, &bytes);
    const uint8_t *row = bytes.data + bytes.data[12] + 4;
    ck_assert_uint_eq(row[7], 0x80);
    ck_assert_uint_eq(row[12], 1);
    static const uint8_t ids[] = {7, 0, 0, 0, 0xb2, 0xe7, 0xbd, 0xc3};
    ck_assert_mem_eq(row + 16, ids, 8);
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->kind, "clip");
    test_entry_holds(&test, 0, "walk.c3bde7b200000007.anim", repeats, sizeof repeats);
    test_entry_holds(&test, 1, "00000005-000000AB", noise, 16);
    ck_assert_str_eq(pose_archive_entry(test.archive, 1)->kind, "skeleton");
    test_entry_holds(&test, 2, "d/x.skel", noise, 16);
    test_entry_holds(&test, 3, "caf\xc3\xa9", noise, 0);
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(names_that_cannot_be_packed)
{
    static char name[5000];
    memset(name, 'a', 4097);
    const char *const names[] = {"", "\xe6\xbc\xa2", "\x01", name, "\xff"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pose_pack_item item = {names[i], {(const uint8_t *)"", 0}};
        struct pose_buffer out;
        struct pose_error error;
        ck_assert(!pose_pack("far1a", &item, 1, NULL, NULL, &out, &error));
        ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
        ck_assert_str_eq(error.code, "bad_name");
        ck_assert_ptr_null(out.data);
    }
}

TEST_EACH(damaged_archives_are_harmless, 3)
{
    static const char *const ids[] = {"far1a", "far1b", "far3"};
    static const uint8_t repeats[600] = {7};
    const struct pose_pack_item items[] = {{"a.anim", {repeats, sizeof repeats}},
                                           {"b\xc3\xa9", {(const uint8_t *)"xyz", 3}},
                                           {"c/d.skel", {repeats, 40}}};
    struct pose_buffer bytes;
    test_pack(ids[_i], items, 3, NULL, &bytes);
    ck_assert_uint_gt(test_damage(&bytes), bytes.size);
    pose_buffer_free(&bytes);
}
