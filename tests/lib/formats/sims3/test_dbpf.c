/* DBPF packages written by hand from dbpf.md, the real ones of the corpus, round trips, hostile indices, damage. */
#include "lib/core/value.h"
#include "lib/core/bytes/writer.h"
#include "lib/formats/sims3/names.h"
#include "tests/support/archives.h"
#include "tests/support/corpus.h"
#include "tests/support/allocators.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

enum { CLIP = 0x6b20c4f3, NAME_MAP = 0x0166038c };
#define EXTENDED 0x80000000u
#define RIG 0x8eaf13deu

/* ------------------------------------------------------------------------------------- packages by hand -- */

/* The fields of a record, in the order of their bits; the last holds compression and, above it, committed. */
struct record {
    uint32_t fields[8];
};

/* How an index is written. */
struct layout {
    uint32_t flags;
    unsigned last; /* bytes of field 7 where it is no constant: 4, 2 or 0 */
};

static void begin(struct writer *writer, struct pose_buffer *out, uint32_t count)
{
    *out = (struct pose_buffer){0};
    writer_init(writer, out, NULL);
    writer_bytes(writer, "DBPF", 4);
    writer_u32le(writer, 2);
    writer_zeros(writer, 88);
    writer_patch_u32le(writer, 36, count);
}

static void write_field(struct writer *writer, const struct record *record, unsigned field, unsigned last)
{
    uint32_t value = record->fields[field];
    if (field < 7 || last == 4)
        writer_u32le(writer, value);
    else if (last == 2)
        writer_u16le(writer, (uint16_t)(value >> 16));
}

/* The index at the end, and its place in the header. */
static void finish(struct writer *writer, const struct record *records, uint32_t count, struct layout layout)
{
    size_t at = writer->out->size;
    writer_u32le(writer, layout.flags);
    for (unsigned field = 0; field < 8; field++) {
        if (layout.flags >> field & 1)
            write_field(writer, &records[0], field, 4);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned field = 0; field < 8; field++) {
            if (!(layout.flags >> field & 1))
                write_field(writer, &records[i], field, layout.last);
        }
    }
    writer_patch_u32le(writer, 44, (uint32_t)(writer->out->size - at));
    writer_patch_u32le(writer, 64, (uint32_t)at);
}

static void package(struct pose_buffer *out, const void *data, size_t size, const struct record *records,
                    uint32_t count, struct layout layout)
{
    struct writer writer;
    begin(&writer, out, count);
    writer_bytes(&writer, data, size);
    finish(&writer, records, count, layout);
}

/* One resource, stored in that way. */
static void one_entry(struct pose_buffer *out, const void *data, size_t stored, uint32_t size,
                      uint16_t compression)
{
    struct record record = {{CLIP, 0, 1, 2, 96, (uint32_t)stored | EXTENDED, size, compression | 0x10000u}};
    package(out, data, stored, &record, 1, (struct layout){0, 4});
}

static const struct layout plain = {0, 4};

/* The worked example of dbpf.md: 58 bytes out of 20. */
static const uint8_t refpack[] = {0x10, 0xfb, 0x00, 0x00, 0x3a, 0x88, 0xc0, 0x02, 0x61, 0x62,
                                  0x63, 0xe0, 0x58, 0x59, 0x5a, 0x51, 0xa3, 0x00, 0x00, 0xfc};
#define TEXT "abcabcabcabcabcXYZQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"

/* -------------------------------------------------------------------------------------------- the index -- */

TEST(an_empty_package)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 0);
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), "dbpf");
    ck_assert_uint_eq(pose_archive_count(test.archive), 0);
    test_archive_close(&test);
    memset(bytes.data + 40, 0xff, 8); /* whatever the index fields say */
    memset(bytes.data + 64, 0xff, 8);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* All 256 sets of constants with one entry, and with three that differ only in field 3 where that is no constant. */
TEST_EACH(every_set_of_constants, 256)
{
    const uint32_t flags = (uint32_t)_i;
    const uint32_t count = flags & 8 ? 1 : 3;
    struct record records[3];
    for (uint32_t i = 0; i < 3; i++)
        records[i] =
            (struct record){{CLIP, 0x48000000, 0x01020304, 0x05060700 + i, 96, 20 | EXTENDED, 58, 0x1ffff}};
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, refpack, sizeof refpack, records, count, (struct layout){flags, 4});
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), count);
    for (uint32_t i = 0; i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "6B20C4F3-48000000-010203040506070%u", i);
        test_entry_holds(&test, i, name, TEXT, 58);
        const struct pose_entry *entry = pose_archive_entry(test.archive, i);
        ck_assert(entry->has_id && entry->type == CLIP && entry->group == 0x48000000);
        ck_assert_uint_eq(entry->id, 0x0102030405060700 + i);
    }
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* Records that do not say "extended": the length of the last field is found by what makes sense. */
TEST(records_that_are_not_extended)
{
    static const unsigned lengths[] = {4, 2, 0};
    struct record records[3];
    for (uint32_t i = 0; i < 3; i++)
        records[i] = (struct record){{CLIP, 0, 0, i, 96 + i, 5, 5, 0x10000}};
    for (unsigned k = 0; k < 3; k++) {
        struct pose_buffer bytes;
        struct test_archive test;
        package(&bytes, "abcdefgh", 8, records, 3, (struct layout){0, lengths[k]});
        test_archive_must_open(&bytes, &test);
        ck_assert_uint_eq(pose_archive_count(test.archive), 3);
        test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000000000000", "abcde", 5);
        test_entry_holds(&test, 2, "6B20C4F3-00000000-0000000000000002", "cdefg", 5);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
    /* A code that is there counts, extended or not. */
    struct record packed = {{CLIP, 0, 0, 1, 96, sizeof refpack, 58, 0x1ffff}};
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, refpack, sizeof refpack, &packed, 1, plain);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000000000001", TEXT, 58);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(places_of_the_index)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    struct record record = {{RIG, 1, 2, 3, 96 + 36, 5 | EXTENDED, 5, 0x10000}};
    begin(&writer, &bytes, 1); /* right behind the header, and named by the old field alone */
    finish(&writer, &record, 1, plain);
    writer_text(&writer, "hello");
    writer_patch_u32le(&writer, 40, 96);
    writer_patch_u32le(&writer, 64, 0);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "8EAF13DE-00000001-0000000200000003", "hello", 5);
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->kind, "skeleton");
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->format, "sims3-rig");
    test_archive_close(&test);
    writer_patch_u32le(&writer, 40, 0xffffffff); /* which the 64-bit one overrules */
    writer_patch_u32le(&writer, 64, 96);
    test_archive_must_open(&bytes, &test);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(kinds_by_type)
{
    static const struct {
        uint32_t type;
        const char *kind, *format;
    } rows[] = {{CLIP, "clip", "sims3-clip"},
                {RIG, "skeleton", "sims3-rig"},
                {0x02d5df13, "other", NULL},
                {0x073faa07, "other", NULL},
                {0, "other", NULL}};
    const uint32_t count = sizeof rows / sizeof *rows;
    struct record records[8];
    for (uint32_t i = 0; i < count; i++)
        records[i] = (struct record){{rows[i].type, 0, 0, i, 0, 4 | EXTENDED, 4, 0x10000}};
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, "", 0, records, count, plain);
    test_archive_must_open(&bytes, &test);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_pstr_eq(pose_archive_entry(test.archive, i)->kind, rows[i].kind);
        ck_assert_pstr_eq(pose_archive_entry(test.archive, i)->format, rows[i].format);
    }
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* ---------------------------------------------------------------------------------------- what is refused -- */

TEST(headers_that_are_refused)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 0);
    for (size_t size = 4; size < 96; size++)
        test_open_fails(bytes.data, size, "truncated", size, NULL);
    bytes.data[4] = 1;
    test_open_fails(bytes.data, bytes.size, "bad_version", 4, "major");
    bytes.data[4] = 2;
    bytes.data[3] = 'P';
    test_archive_open(bytes.data, bytes.size, NULL, NULL, &test);
    ck_assert_int_eq(test.error.status, POSE_UNSUPPORTED);
    ck_assert_str_eq(test.error.code, "encrypted_package");
    test_archive_close(&test);
    bytes.data[3] = 'X'; /* known by its name alone */
    struct pose_source source = {.name = "mod.package", .bytes = {bytes.data, bytes.size}};
    struct pose_error error;
    ck_assert_ptr_null(pose_archive_open(&source, NULL, &error));
    ck_assert_str_eq(error.code, "bad_magic");
    ck_assert_uint_eq(error.offset, 0);
    pose_buffer_free(&bytes);
}

/* Index fields of the header that lie, and the code and offset that come of it. */
static const struct {
    uint32_t count, index_at, index_at_high, index_size;
    const char *code;
    uint64_t offset;
} indices[] = {
    {1, 95, 0, 36, "index_range", 64},
    {1, 96, 0, 37, "index_range", 64},
    {1, 133, 0, 0, "index_range", 64},
    {1, 96, 1, 36, "index_range", 64},
    {1, 0xffffffff, 0xffffffff, 36, "index_range", 64},
    {2, 96, 0, 36, "count_too_large", 36},
    {0xffffffff, 96, 0, 36, "count_too_large", 36},
    {0x20000000, 96, 0, 36, "count_too_large", 36},
    {1, 96, 0, 35, "truncated", 96 + 34},
    {1, 96, 0, 3, "truncated", 96},
};

TEST_EACH(indices_that_are_refused, COUNT(indices))
{
    struct pose_buffer bytes;
    struct writer writer;
    struct record record = {{CLIP, 0, 0, 0, 0, 4 | EXTENDED, 4, 0x10000}};
    begin(&writer, &bytes, 1);
    finish(&writer, &record, 1, plain);
    ck_assert_uint_eq(bytes.size, 132);
    writer_patch_u32le(&writer, 36, indices[_i].count);
    writer_patch_u32le(&writer, 44, indices[_i].index_size);
    writer_patch_u32le(&writer, 64, indices[_i].index_at);
    writer_patch_u32le(&writer, 68, indices[_i].index_at_high);
    test_open_fails(bytes.data, bytes.size, indices[_i].code, indices[_i].offset, NULL);
    pose_buffer_free(&bytes);
}

/* All fields constant: a record of no bytes, of which there cannot be 2^32 - 1. */
TEST(entries_of_no_bytes)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct record record = {{CLIP, 0, 0, 0, 0, 4 | EXTENDED, 4, 0x10000}};
    begin(&writer, &bytes, 1);
    finish(&writer, &record, 1, (struct layout){0xff, 4});
    struct test_archive test;
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000000000000", "DBPF", 4);
    test_archive_close(&test);
    writer_patch_u32le(&writer, 36, 0xffffffff);
    test_open_fails(bytes.data, bytes.size, "count_too_large", 36, "entry_count");
    writer_patch_u32le(&writer, 36, 2);
    test_open_fails(bytes.data, bytes.size, "count_too_large", 36, "entry_count");
    pose_buffer_free(&bytes);
    /* Field 7 is left, which may have no bytes when the records are not extended. */
    record.fields[5] = 4;
    begin(&writer, &bytes, 0xffffffff);
    finish(&writer, &record, 0, (struct layout){0x7f, 0});
    test_open_fails(bytes.data, bytes.size, "count_too_large", 36, "entry_count");
    pose_buffer_free(&bytes);
    begin(&writer, &bytes, 1);
    finish(&writer, &record, 1, (struct layout){0x1ff, 4});
    test_open_fails(bytes.data, bytes.size, "bad_index_flags", 96, "index.flags");
    pose_buffer_free(&bytes);
}

TEST(limit_of_entries)
{
    static const struct pose_options two = {.limits = {.entries = 2}};
    struct record records[3] = {{{0}}};
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, "", 0, records, 3, plain);
    test_archive_open(bytes.data, bytes.size, NULL, &two, &test);
    ck_assert_ptr_null(test.archive);
    ck_assert_str_eq(test.error.limit, "max-entries");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* One bad record beside a good one: the field, and how it reads in the error. */
static const struct {
    unsigned field;
    uint32_t value;
    const char *code;
} bad_records[] = {
    {4, 0xffffffff, "entry_range"},
    {5, 0x7fffffff | EXTENDED, "entry_range"},
    {4, 166, "entry_range"},
    {6, 6, "size_mismatch"},
    {7, 0x15a43, "unknown_compression"},
    {7, 0x10001, "unknown_compression"},
    {6, 0xfffffffe, "size_mismatch"},
};

TEST_EACH(entries_that_are_refused, COUNT(bad_records))
{
    struct record records[] = {{{CLIP, 0, 0, 1, 96, 5 | EXTENDED, 5, 0x10000}},
                               {{CLIP, 0, 0, 2, 96, 5 | EXTENDED, 5, 0x10000}}};
    records[0].fields[bad_records[_i].field] = bad_records[_i].value;
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, "hello", 5, records, 2, plain);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, bad_records[_i].code, POSE_NO_OFFSET);
    const struct pose_error *error = pose_archive_entry(test.archive, 0)->error;
    ck_assert_ptr_nonnull(error);
    ck_assert_uint_eq(error->offset, 101 + 4 + 4 * (bad_records[_i].field == 5 ? 4 : bad_records[_i].field));
    test_entry_holds(&test, 1, "6B20C4F3-00000000-0000000000000002", "hello", 5);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A constant field is told where it is written, before the records, and shortens them. */
TEST(a_refused_field_is_told_where_it_is)
{
    struct record records[] = {{{CLIP, 0, 0, 1, 1000, 5 | EXTENDED, 5, 0x10000}},
                               {{CLIP, 0, 0, 2, 1000, 5 | EXTENDED, 5, 0x10000}}};
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, "hello", 5, records, 2, (struct layout){0x01 | 0x02 | 0x10, 4});
    test_archive_must_open(&bytes, &test);
    for (uint32_t i = 0; i < 2; i++) {
        const struct pose_error *error = pose_archive_entry(test.archive, i)->error;
        ck_assert_ptr_nonnull(error);
        ck_assert_uint_eq(error->offset, 101 + 4 + 2 * 4);
        ck_assert_ptr_nonnull(strstr(error->detail, "position at byte 113: "));
    }
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    records[0].fields[4] = records[1].fields[4] = 96;
    records[1].fields[6] = 6;
    package(&bytes, "hello", 5, records, 2, (struct layout){0x01 | 0x02 | 0x10, 4});
    test_archive_must_open(&bytes, &test);
    const struct pose_error *error = pose_archive_entry(test.archive, 1)->error;
    ck_assert_ptr_nonnull(error);
    ck_assert_uint_eq(error->offset, 101 + 4 + 3 * 4 + 20 + 3 * 4);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(a_deleted_entry)
{
    struct record record = {{CLIP, 0, 0, 1, 0xfffffff0, 0x7fffffff | EXTENDED, 0, 0x1ffe0}};
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, "", 0, &record, 1, plain);
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->skipped, "deleted");
    ck_assert_ptr_null(pose_archive_entry(test.archive, 0)->error);
    test_entry_fails(&test, 0, "deleted", POSE_NO_OFFSET);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* Deleted by its sizes, whatever the mark and the place say; the entry beside it stays. */
TEST(an_entry_deleted_by_its_sizes)
{
    static const uint32_t marks[] = {0x10000, 0x1ffff, 0x15a42, 0x1ffe0, 0x11234};
    for (size_t i = 0; i < COUNT(marks); i++) {
        struct record records[] = {{{CLIP, 0, 0, 1, 0xfffffff0, 1 | EXTENDED, UINT32_MAX, marks[i]}},
                                   {{CLIP, 0, 0, 2, 96, 5 | EXTENDED, 5, 0x10000}}};
        struct pose_buffer bytes;
        struct test_archive test;
        package(&bytes, "hello", 5, records, 2, plain);
        test_archive_must_open(&bytes, &test);
        ck_assert_pstr_eq(pose_archive_entry(test.archive, 0)->skipped, "deleted");
        ck_assert_ptr_null(pose_archive_entry(test.archive, 0)->error);
        test_entry_fails(&test, 0, "deleted", POSE_NO_OFFSET);
        test_entry_holds(&test, 1, "6B20C4F3-00000000-0000000000000002", "hello", 5);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* Marks that the sizes contradict: the sizes are right. */
TEST(sizes_decide_whether_an_entry_is_packed)
{
    static const uint16_t packed_marks[] = {0xffff, 0xfffe, 0x5a42, 0};
    struct pose_buffer bytes;
    struct test_archive test;
    for (size_t i = 0; i < COUNT(packed_marks); i++) {
        one_entry(&bytes, "hello", 5, 5, packed_marks[i]);
        test_archive_must_open(&bytes, &test);
        test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000100000002", "hello", 5);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
    /* 6 bytes in 14 of zlib, stored blocks: larger than they are. */
    static const uint8_t zlib[] = {0x78, 0x01, 0x01, 5,   0,    0xfa, 0xff, 'h',
                                   'e',  'l',  'l',  'o', 0x06, 0x2c, 0x02, 0x15};
    for (size_t i = 0; i < COUNT(packed_marks); i++) {
        one_entry(&bytes, zlib, sizeof zlib, 5, packed_marks[i]);
        test_archive_must_open(&bytes, &test);
        test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000100000002", "hello", 5);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
        one_entry(&bytes, refpack, sizeof refpack, 58, packed_marks[i]);
        test_archive_must_open(&bytes, &test);
        test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000100000002", TEXT, 58);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
    one_entry(&bytes, refpack, sizeof refpack, 59, 0); /* packed, but to another size */
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, "size_mismatch", POSE_NO_OFFSET);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* ---------------------------------------------------------------------------------------------- RefPack -- */

/* Headers before the same opcodes: what is read, or the code. */
static const struct {
    unsigned size;
    uint8_t bytes[10];
    const char *code; /* NULL: it is read */
} headers[] = {
    {5, {0x10, 0xfb, 0, 0, 58}, NULL},
    {6, {0x90, 0xfb, 0, 0, 0, 58}, NULL},
    {5, {0x50, 0xfb, 0, 0, 58}, NULL},
    {8, {0x11, 0xfb, 0, 0, 20, 0, 0, 58}, NULL},
    {10, {0x91, 0xfb, 0, 0, 0, 20, 0, 0, 0, 58}, NULL},
    {10, {0xd1, 0xfb, 0, 0, 0, 20, 0, 0, 0, 58}, NULL},
    {5, {0x80, 0xfb, 0, 0, 58}, "bad_signature"},
    {5, {0x10, 0xfc, 0, 0, 58}, "bad_signature"},
    {5, {0x12, 0xfb, 0, 0, 58}, "bad_signature"},
    {5, {0x14, 0xfb, 0, 0, 58}, "bad_signature"},
    {5, {0x18, 0xfb, 0, 0, 58}, "bad_signature"},
    {5, {0x30, 0xfb, 0, 0, 58}, "bad_signature"},
    {5, {0x10, 0xfb, 0, 0, 59}, "size_mismatch"},
    {5, {0x10, 0xfb, 1, 0, 58}, "size_mismatch"},
};

TEST_EACH(headers_of_refpack, COUNT(headers))
{
    uint8_t data[40];
    memcpy(data, headers[_i].bytes, headers[_i].size);
    memcpy(data + headers[_i].size, refpack + 5, sizeof refpack - 5);
    struct pose_buffer bytes;
    struct test_archive test;
    one_entry(&bytes, data, headers[_i].size + sizeof refpack - 5, 58, _i % 2 ? 0xfffe : 0xffff);
    test_archive_must_open(&bytes, &test);
    if (headers[_i].code)
        test_entry_fails(&test, 0, headers[_i].code, POSE_NO_OFFSET);
    else
        test_entry_holds(&test, 0, "6B20C4F3-00000000-0000000100000002", TEXT, 58);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(ends_of_refpack)
{
    uint8_t longer[sizeof refpack + 7] = {0};
    memcpy(longer, refpack, sizeof refpack);
    struct pose_buffer bytes;
    struct test_archive test;
    const char *name = "6B20C4F3-00000000-0000000100000002";
    one_entry(&bytes, longer, sizeof longer, 58, 0xffff); /* bytes after the stop are ignored */
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, name, TEXT, 58);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    one_entry(&bytes, refpack, sizeof refpack - 1, 58, 0xffff); /* so is a missing stop */
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, name, TEXT, 58);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    for (size_t size = 0; size + 1 < sizeof refpack; size++) {
        one_entry(&bytes, refpack, size, 58, 0xffff);
        test_archive_must_open(&bytes, &test);
        struct pose_buffer out;
        struct pose_error error;
        ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_msg(!strcmp(error.code, "truncated") || !strcmp(error.code, "output_short"), "%s",
                      error.code);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

TEST(references_before_the_start)
{
    static const uint8_t data[] = {0x10, 0xfb, 0,    0,    13,   0xe0, 'a', 'b',
                                   'c',  'd',  0xc0, 0xff, 0xff, 0x04, 0xfc};
    struct pose_buffer bytes;
    struct test_archive test;
    one_entry(&bytes, data, sizeof data, 13, 0xffff);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, "bad_reference", 96 + 10);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* Sizes that the stored bytes cannot give are refused before memory is taken for them. */
TEST(bombs)
{
    static const uint8_t data[] = {0x90, 0xfb, 0x0f, 0xff, 0xff, 0xff, 0xe0, 'a', 'b', 'c', 'd', 0xfc};
    static size_t most = 100000;
    const struct pose_allocator allocator = allocator_of_small(&most);
    const struct pose_options options = {.allocator = &allocator, .limits = {.ratio = UINT32_MAX}};
    static const uint16_t codes[] = {0xffff, 0x5a42};
    for (int i = 0; i < 2; i++) {
        struct pose_buffer bytes, out;
        struct test_archive test;
        struct pose_error error;
        one_entry(&bytes, data, sizeof data, 0x0fffffff, codes[i]);
        test_archive_open(bytes.data, bytes.size, NULL, &options, &test);
        ck_assert_ptr_nonnull(test.archive);
        ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_str_eq(error.code, "size_mismatch");
        /* Known when it is listed, so that it does not count against the limit of the whole package. */
        ck_assert_ptr_nonnull(pose_archive_entry(test.archive, 0)->error);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
    static const struct pose_options small = {.limits = {.unpacked = 57}};
    struct pose_buffer bytes, out;
    struct test_archive test;
    struct pose_error error;
    one_entry(&bytes, refpack, sizeof refpack, 58, 0xffff);
    test_archive_open(bytes.data, bytes.size, NULL, &small, &test);
    ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
    ck_assert_str_eq(error.limit, "max-unpacked");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* 80,000 bytes that RefPack could give of 400, and zlib as well. */
TEST(limits_of_sizes)
{
    enum { STORED = 400, SIZE = 80000 };
    static const struct {
        struct pose_options options;
        const char *limit; /* "": it is within */
    } cases[] = {
        {{.limits = {.ratio = SIZE / (STORED + 1)}}, "max-ratio"},
        {{.limits = {.ratio = SIZE / STORED}}, ""},
        {{.limits = {.ratio = SIZE, .unpacked = SIZE - 1}}, "max-unpacked"},
        {{.limits = {.ratio = SIZE, .unpacked = SIZE}}, ""},
    };
    static const uint8_t starts[2][5] = {{0x10, 0xfb, 0x01, 0x38, 0x80}, {0x78, 0xda, 3, 0, 0}};
    static const uint16_t marks[] = {0xffff, 0x5a42};
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        uint8_t data[STORED] = {0};
        struct pose_buffer bytes, out;
        struct test_archive test;
        struct pose_error error;
        memcpy(data, starts[i % 2], sizeof starts[0]);
        one_entry(&bytes, data, sizeof data, SIZE, marks[i % 2]);
        test_archive_open(bytes.data, bytes.size, NULL, &cases[i / 2].options, &test);
        ck_assert(test.archive && !pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_ptr_null(pose_archive_entry(test.archive, 0)->error);
        ck_assert_str_eq(error.limit, cases[i / 2].limit);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* --------------------------------------------------------------------------------------------- name maps -- */

static void put_name(struct writer *writer, uint64_t id, const char *text)
{
    writer_u64le(writer, id);
    writer_u32le(writer, (uint32_t)strlen(text));
    writer_text(writer, text);
}

/* Two maps: the later one wins; names of resources that are not here are kept as well. */
TEST(names_from_two_maps)
{
    struct pose_buffer bytes;
    struct writer writer;
    struct test_archive test;
    begin(&writer, &bytes, 3);
    writer_u32le(&writer, 1);
    writer_u32le(&writer, 2);
    put_name(&writer, 0x100000002, "old");
    put_name(&writer, 7, "seven \xff/\\.x");
    size_t second = bytes.size;
    writer_u32le(&writer, 1);
    writer_u32le(&writer, 2);
    put_name(&writer, 0x100000002, "a_w\xc3\xa4lk");
    put_name(&writer, 3, "elsewhere");
    size_t end = bytes.size;
    struct record records[] = {
        {{NAME_MAP, 0, 0, 0, 96, (uint32_t)(second - 96) | EXTENDED, (uint32_t)(second - 96), 0x10000}},
        {{CLIP, 0, 1, 2, 96, 4 | EXTENDED, 4, 0x10000}},
        {{NAME_MAP, 0, 0, 7, (uint32_t)second, (uint32_t)(end - second) | EXTENDED, (uint32_t)(end - second),
          0x10000}},
    };
    finish(&writer, records, 3, plain);
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->name, "0166038C-00000000-0000000000000000");
    ck_assert_str_eq(pose_archive_entry(test.archive, 1)->name,
                     "6B20C4F3-00000000-0000000100000002_a_w\xc3\xa4lk");
    ck_assert_str_eq(pose_archive_entry(test.archive, 1)->label, "a_w\xc3\xa4lk");
    ck_assert_str_eq(pose_archive_entry(test.archive, 2)->name,
                     "0166038C-00000000-0000000000000007_seven \xef\xbf\xbd__.x");
    ck_assert_str_eq(pose_archive_entry(test.archive, 2)->label, "seven \xef\xbf\xbd/\\.x");
    const struct pose_name *names = pose_archive_names(test.archive);
    ck_assert_uint_eq(pose_archive_name_count(test.archive), 3);
    ck_assert(names[0].id == 3 && names[1].id == 7 && names[2].id == 0x100000002);
    ck_assert_str_eq(names[0].text, "elsewhere");
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* What stands in a name map that is broken, and how many names it still gives. */
static const struct {
    unsigned size;
    uint8_t bytes[48];
    uint32_t names;
} maps[] = {
    {4, {1}, 0},
    {8, {2, 0, 0, 0, 0}, 0},
    {8, {1, 0, 0, 0, 1}, 0},
    {32, {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, 0},
    {8 + 13 + 13,
     {1, 0, 0, 0,   2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1,
      0, 0, 0, 'a', 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'b'},
     1},
};

TEST_EACH(broken_maps_are_warnings, COUNT(maps))
{
    struct record records[] = {
        {{NAME_MAP, 0, 0, 0, 96, maps[_i].size | EXTENDED, maps[_i].size, 0x10000}},
        {{CLIP, 0, 0, 9, 96, 1 | EXTENDED, 1, 0x10000}},
        {{NAME_MAP, 0, 0, 1, 96, 0x7fffffff | EXTENDED, 1, 0x10000}}, /* outside of the file */
    };
    struct pose_buffer bytes;
    struct test_archive test;
    package(&bytes, maps[_i].bytes, maps[_i].size, records, 3, plain);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 3);
    ck_assert_uint_eq(test_count_warnings(&test, "bad_name_map"), 2);
    ck_assert_uint_eq(pose_archive_name_count(test.archive), maps[_i].names);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* ------------------------------------------------------------------------------------------- the corpus -- */

static bool open_corpus(const char *name, struct test_file *file, struct pose_archive **archive,
                        struct pose_error *error)
{
    char path[200];
    snprintf(path, sizeof path, "sims3/packages/%s.package", name);
    if (!corpus_read(path, file))
        return false;
    struct pose_source source = {.name = file->path, .bytes = {file->data, file->size}};
    *archive = pose_archive_open(&source, NULL, error);
    return true;
}

/* Packages that are read: entries by kind, entries that are skipped, names. */
static const struct {
    const char *name;
    uint32_t count, clips, rigs, skipped, named;
} packages[] = {
    {"object-rigs", 4, 0, 3, 0, 2},        {"pets-clips", 10, 9, 0, 0, 9},
    {"seasons-clips", 8, 6, 1, 0, 7},      {"s4tk-Animation", 1, 0, 0, 0, 0},
    {"s4tk-CompleteTrait", 4, 0, 0, 0, 0}, {"s4tk-DeletedRecord", 1, 0, 0, 1, 0},
    {"s4tk-Empty", 0, 0, 0, 0, 0},         {"s4tk-InternalCompression", 1, 0, 0, 0, 0},
    {"s4tk-Trait", 2, 0, 0, 0, 0},
};

TEST_EACH(real_packages, COUNT(packages))
{
    struct test_file file;
    struct pose_archive *archive;
    struct pose_error error;
    if (!open_corpus(packages[_i].name, &file, &archive, &error))
        return;
    ck_assert_msg(archive != NULL, "%s: %s", file.path, error.detail);
    ck_assert_uint_eq(pose_archive_count(archive), packages[_i].count);
    ck_assert_uint_eq(pose_archive_warning_count(archive), 0);
    uint32_t clips = 0, rigs = 0, skipped = 0, named = 0;
    for (uint32_t i = 0; i < packages[_i].count; i++) {
        const struct pose_entry *entry = pose_archive_entry(archive, i);
        struct pose_buffer out;
        clips += !strcmp(entry->kind, "clip");
        rigs += !strcmp(entry->kind, "skeleton");
        skipped += entry->skipped != NULL;
        named += entry->label != NULL;
        ck_assert_msg(pose_archive_read(archive, i, &out, &error) || entry->skipped, "%s", error.detail);
        ck_assert(entry->skipped || out.size == entry->size);
        pose_buffer_free(&out);
        /* A clip's id is the hash of its name. */
        if (!strcmp(entry->kind, "clip"))
            ck_assert_uint_eq(entry->id, sims3_clip_instance(entry->label, strlen(entry->label)));
    }
    ck_assert_uint_eq(clips, packages[_i].clips);
    ck_assert_uint_eq(rigs, packages[_i].rigs);
    ck_assert_uint_eq(skipped, packages[_i].skipped);
    ck_assert_uint_eq(named, packages[_i].named);
    pose_archive_close(archive);
    test_file_free(&file);
}

TEST(broken_packages)
{
    static const char *const names[] = {"s4tk-Corrupt", "s4tk-CorruptHeader"}, *const codes[] = {
                                                                                   "index_range",
                                                                                   "bad_magic"};
    static const uint64_t offsets[] = {64, 0};
    for (int i = 0; i < 2; i++) {
        struct test_file file;
        struct pose_archive *archive;
        struct pose_error error;
        if (!open_corpus(names[i], &file, &archive, &error))
            return;
        ck_assert_ptr_null(archive);
        ck_assert_int_eq(error.status, POSE_BAD_DATA);
        ck_assert_str_eq(error.code, codes[i]);
        ck_assert_uint_eq(error.offset, offsets[i]);
        test_file_free(&file);
    }
}

/* The loose files of the corpus are resources of its packages, byte for byte. */
TEST(loose_files_equal_packaged_ones)
{
    static const struct {
        const char *package, *loose;
        uint64_t id;
    } pairs[] = {
        {"pets-clips", "clips/ac_idle_sit_hack_x.clip", 0xbc78ecd3046cb427},
        {"pets-clips", "clips/al_wheeze_x.clip", 0x94e51f6ddd39f504},
        {"seasons-clips", "clips/c_buff_dazed_x.clip", 0xd660c6da61573420},
        {"object-rigs", "rigs/8EAF13DE-00000000-023ECBDB12A4B889.rig", 0x023ecbdb12a4b889},
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct test_file file, loose;
        struct pose_archive *archive;
        struct pose_error error;
        char path[200];
        snprintf(path, sizeof path, "sims3/%s", pairs[i].loose);
        if (!open_corpus(pairs[i].package, &file, &archive, &error))
            return;
        ck_assert(archive && corpus_read(path, &loose));
        uint32_t index = 0;
        while (index < pose_archive_count(archive) && pose_archive_entry(archive, index)->id != pairs[i].id)
            index++;
        struct pose_buffer out;
        ck_assert_uint_lt(index, pose_archive_count(archive));
        ck_assert(pose_archive_read(archive, index, &out, &error));
        ck_assert_uint_eq(out.size, loose.size);
        ck_assert_mem_eq(out.data, loose.data, loose.size);
        pose_buffer_free(&out);
        pose_archive_close(archive);
        test_file_free(&file);
        test_file_free(&loose);
    }
}

/* ---------------------------------------------------------------------------------------------- writing -- */

static void key_name(unsigned number, char *text, size_t size)
{
    snprintf(text, size, "%08X-%08X-%08X%08X", number % 2 ? CLIP : RIG, number % 3, number / 20, number);
}

static struct pose_value compress_as(const char *name)
{
    return (struct pose_value){.kind = POSE_STRING, .key = "compress", .as.string = name};
}

TEST(what_is_packed_reads_back)
{
    static const char *const names[] = {"none", "refpack", "zlib"};
    test_round_trip("dbpf", NULL, key_name);
    for (int i = 0; i < 3; i++) {
        const struct pose_value compress = compress_as(names[i]),
                                settings = {.kind = POSE_OBJECT, .first = &compress};
        test_round_trip("dbpf", &settings, key_name);
    }
}

TEST(names_become_keys_and_a_map)
{
    const struct pose_pack_item items[] = {
        {"folder/c_walk.clip", {(const uint8_t *)"clip", 4}},
        {"auRig.rig", {(const uint8_t *)"rig", 3}},
        {"02D5DF13-00000001-0000000000000005_a machine", {(const uint8_t *)"jazz", 4}},
        {"02d5df13-00000001-0000000000000006.bin", {(const uint8_t *)"x", 1}},
        /* As package tools name what they write out. */
        {"S3_6B20C4F3_70000000_D660C6DA61573420_c_dazed%%+CLIP.animation", {(const uint8_t *)"y", 1}},
    };
    struct pose_buffer bytes;
    struct test_archive test;
    test_pack("dbpf", items, 5, NULL, &bytes);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 6);
    test_entry_holds(&test, 0, "6B20C4F3-00000000-92A06AB91BCA6BDE_c_walk", "clip", 4);
    test_entry_holds(&test, 1, "8EAF13DE-00000000-D057FCC534C1BCBB_auRig", "rig", 3);
    test_entry_holds(&test, 2, "02D5DF13-00000001-0000000000000005_a machine", "jazz", 4);
    test_entry_holds(&test, 3, "02D5DF13-00000001-0000000000000006", "x", 1);
    test_entry_holds(&test, 4, "6B20C4F3-70000000-D660C6DA61573420_c_dazed", "y", 1);
    ck_assert_uint_eq(pose_archive_entry(test.archive, 5)->type, NAME_MAP);
    ck_assert_uint_eq(pose_archive_name_count(test.archive), 4);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* The header and the index as dbpf.md says that they are written. */
TEST(layout_of_what_is_written)
{
    const struct pose_pack_item items[] = {
        {"6B20C4F3-00000000-0000000000000005", {(const uint8_t *)"abc", 3}},
        {"6B20C4F3-00000000-0000000000000006", {(const uint8_t *)"de", 2}},
    };
    static const uint8_t expected[] = {
        'a', 'b', 'c', 'd', 'e', 7, 0, 0, 0, 0xf3, 0xc4, 0x20, 0x6b, 0, 0, 0, 0, 0, 0, 0, 0,
        5,   0,   0,   0,   96,  0, 0, 0, 3, 0,    0,    0x80, 3,    0, 0, 0, 0, 0, 1, 0, 6,
        0,   0,   0,   99,  0,   0, 0, 2, 0, 0,    0x80, 2,    0,    0, 0, 0, 0, 1, 0,
    };
    struct pose_buffer bytes;
    test_pack("dbpf", items, 2, NULL, &bytes);
    ck_assert_uint_eq(bytes.size, 96 + sizeof expected);
    ck_assert_mem_eq(bytes.data + 96, expected, sizeof expected);
    uint8_t header[96] = {'D', 'B', 'P', 'F', 2};
    header[36] = 2;
    header[44] = sizeof expected - 5;
    header[60] = 3;
    header[64] = 101;
    ck_assert_mem_eq(bytes.data, header, 96);
    pose_buffer_free(&bytes);
}

TEST(what_cannot_be_packed)
{
    static const char *const names[] = {"", "walk.anim", ".clip", "6B20C4F3-00000000-000000000000000",
                                        "6B20C4F3_00000000-0000000000000000"};
    struct pose_buffer out;
    struct pose_error error;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pose_pack_item item = {names[i], {(const uint8_t *)"", 0}};
        ck_assert(!pose_pack("dbpf", &item, 1, NULL, NULL, &out, &error));
        ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
        ck_assert_str_eq(error.code, "bad_name");
    }
    const struct pose_pack_item item = {"a_x.clip", {(const uint8_t *)"", 0}};
    const struct pose_value compress = compress_as("lzma"),
                            settings = {.kind = POSE_OBJECT, .first = &compress};
    ck_assert(!pose_pack("dbpf", &item, 1, &settings, NULL, &out, &error));
    ck_assert_str_eq(error.code, "bad_setting");
}

TEST_EACH(damaged_packages_are_harmless, 3)
{
    static const char *const ways[] = {"none", "refpack", "zlib"};
    static const uint8_t repeats[300] = {7};
    const struct pose_value compress = compress_as(ways[_i]),
                            settings = {.kind = POSE_OBJECT, .first = &compress};
    const struct pose_pack_item items[] = {{"a_walk.clip", {repeats, sizeof repeats}},
                                           {"b.rig", {repeats, 40}}};
    struct pose_buffer bytes;
    test_pack("dbpf", items, 2, &settings, &bytes);
    ck_assert_uint_gt(test_damage(&bytes), bytes.size);
    pose_buffer_free(&bytes);
}
