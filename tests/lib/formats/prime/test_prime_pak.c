/* Paks written by hand from prime-pak.md, round trips for both games, hostile tables and segments, damage. */
#include "lib/core/value.h"
#include "lib/core/bytes/writer.h"
#include "tests/support/archives.h"
#include "tests/support/allocators.h"
#include "tests/support/unit.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------- paks by hand -- */

struct resource {
    uint32_t compressed;
    const char *type;
    uint32_t id, size, offset;
};

struct named {
    const char *type;
    uint32_t id;
    const char *name;
};

static void tables(struct pose_buffer *out, const struct named *names, uint32_t name_count,
                   const struct resource *resources, uint32_t count)
{
    struct writer writer;
    *out = (struct pose_buffer){0};
    writer_init(&writer, out, NULL);
    writer_u32be(&writer, 0x00030005);
    writer_u32be(&writer, 0);
    writer_u32be(&writer, name_count);
    for (uint32_t i = 0; i < name_count; i++) {
        writer_bytes(&writer, names[i].type, 4);
        writer_u32be(&writer, names[i].id);
        writer_u32be(&writer, (uint32_t)strlen(names[i].name));
        writer_text(&writer, names[i].name);
    }
    writer_u32be(&writer, count);
    for (uint32_t i = 0; i < count; i++) {
        writer_u32be(&writer, resources[i].compressed);
        writer_bytes(&writer, resources[i].type, 4);
        writer_u32be(&writer, resources[i].id);
        writer_u32be(&writer, resources[i].size);
        writer_u32be(&writer, resources[i].offset);
    }
}

static void put(struct pose_buffer *out, const void *bytes, size_t size)
{
    ck_assert(pose_buffer_append(out, bytes, size));
}

/* Zeros up to an offset. */
static void pad_to(struct pose_buffer *out, size_t size)
{
    while (out->size < size)
        put(out, "", 1);
}

/* One compressed resource at 64, and as much 0xFF behind it as makes 32. */
static void one_packed(struct pose_buffer *out, const void *data, size_t size)
{
    const struct resource resource = {1, "ANIM", 0x1234abcd, (uint32_t)(size + 31) / 32 * 32, 64};
    tables(out, NULL, 0, &resource, 1);
    pad_to(out, 64);
    put(out, data, size);
    while (out->size % 32)
        put(out, "\xff", 1);
}

/* ------------------------------------------------------------------------------------------ what is read -- */

TEST(tables_by_hand)
{
    static const struct named names[] = {
        {"ANCS", 5, "Samus/Suit"}, {"MLVL", 9, "World"}, {"ANCS", 5, "second"}};
    static const struct resource resources[] = {
        {0, "CINF", 0xdeadbeef, 32, 256}, {0, "ANCS", 5, 32, 288}, {0, "ANIM", 7, 32, 320},
        {0, "CINF", 0xdeadbeef, 32, 256}, {0, "EVNT", 8, 32, 320}, {0, "CSKR", 8, 32, 320},
        {0, "\1\2\3/", 8, 32, 320},       {0, "MLVL", 9, 0, 0},
    };
    struct pose_buffer bytes;
    struct test_archive test;
    tables(&bytes, names, 3, resources, 8);
    pad_to(&bytes, 256);
    for (int i = 0; i < 96; i++)
        put(&bytes, &i, 1);
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), "prime-pak");
    ck_assert_uint_eq(pose_archive_count(test.archive), 8);
    const uint8_t *data = bytes.data + 256;
    test_entry_holds(&test, 0, "DEADBEEF.CINF", data, 32);
    test_entry_holds(&test, 1, "00000005_Samus_Suit.ANCS", data + 32, 32);
    test_entry_holds(&test, 2, "00000007.ANIM", data + 64, 32);
    test_entry_holds(&test, 3, "DEADBEEF.CINF", data, 32);
    test_entry_holds(&test, 6, "00000008.0102032F", data + 64, 32);
    test_entry_holds(&test, 7, "00000009_World.MLVL", data, 0);
    static const char *const kinds[] = {"skeleton", "character", "clip",  "skeleton",
                                        "events",   "mesh",      "other", "other"};
    static const char *const formats[] = {"prime-cinf", "prime-ancs", "prime-anim", "prime-cinf",
                                          "prime-evnt", "prime-cskr", NULL,         NULL};
    for (uint32_t i = 0; i < 8; i++) {
        const struct pose_entry *entry = pose_archive_entry(test.archive, i);
        ck_assert_str_eq(entry->kind, kinds[i]);
        ck_assert_pstr_eq(entry->format, formats[i]);
        ck_assert(entry->has_id && entry->id == resources[i].id);
        ck_assert_ptr_null(entry->game);
    }
    ck_assert_str_eq(pose_archive_entry(test.archive, 1)->label, "Samus/Suit");
    ck_assert_uint_eq(pose_archive_entry(test.archive, 1)->type, 0x414e4353);
    ck_assert_uint_eq(pose_archive_name_count(test.archive), 2);
    ck_assert_str_eq(pose_archive_names(test.archive)[1].text, "World");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(empty_paks)
{
    struct pose_buffer bytes;
    struct test_archive test;
    tables(&bytes, NULL, 0, NULL, 0);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 0);
    test_archive_close(&test);
    bytes.size = 8; /* as on the demo disc */
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A literal stream of LZO1X, plain bytes, and zlib, each as a segment; then padding. */
TEST(segments_by_hand)
{
    static const uint8_t data[] = {0,    0,    0,    14,   0,    8,    21,   'a', 'b',  'c',  'd',  0x11,
                                   0,    0,    0xff, 0xfb, 'e',  'f',  'g',  'h', 'i',  0,    13,   0x78,
                                   0x9c, 0x33, 0x30, 0x34, 0x32, 0x36, 0x01, 0,   0x02, 0xe9, 0x00, 0xfb};
    struct pose_buffer bytes;
    struct test_archive test;
    one_packed(&bytes, data, sizeof data);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "1234ABCD.ANIM", "abcdefghi01234", 14);
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->game, "mp2");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A zlib stream of 1000 bytes behind its size. */
static size_t make_zlib(uint8_t *out, size_t capacity, uint32_t size)
{
    uint8_t text[1000];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i / 7);
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(9);
    size_t packed = libdeflate_zlib_compress(compressor, text, sizeof text, out + 4, capacity - 4);
    libdeflate_free_compressor(compressor);
    ck_assert_uint_gt(packed, 0);
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(size >> (24 - 8 * i));
    return packed + 4;
}

TEST(zlib_by_hand)
{
    uint8_t packed[1000], text[1000];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i / 7);
    struct pose_buffer bytes;
    struct test_archive test;
    size_t size = make_zlib(packed, sizeof packed, 1000);
    ck_assert_uint_eq(packed[4], 0x78);
    one_packed(&bytes, packed, size);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "1234ABCD.ANIM", text, sizeof text);
    ck_assert_str_eq(pose_archive_entry(test.archive, 0)->game, "mp1");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    static const uint32_t wrong[] = {999, 1001, 0};
    for (int i = 0; i < 3; i++) {
        make_zlib(packed, sizeof packed, wrong[i]);
        one_packed(&bytes, packed, size);
        test_archive_must_open(&bytes, &test);
        test_entry_fails(&test, 0, wrong[i] > 1000 ? "output_short" : "bad_zlib", 64 + 4);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* Without compressed resources a character set tells the games apart. */
TEST(games_by_character_sets)
{
    static const struct {
        uint8_t version;
        const char *game;
    } sets[] = {{5, "mp1"}, {6, "mp1"}, {10, "mp2"}, {7, NULL}};
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t ancs[32] = {0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, sets[i].version};
        const struct resource resources[] = {{0, "ANCS", 5, 32, 64}, {0, "ANIM", 6, 32, 64}};
        struct pose_buffer bytes;
        struct test_archive test;
        tables(&bytes, NULL, 0, resources, 2);
        pad_to(&bytes, 64);
        put(&bytes, ancs, sizeof ancs);
        test_archive_must_open(&bytes, &test);
        ck_assert_pstr_eq(pose_archive_entry(test.archive, 1)->game, sets[i].game);
        test_archive_close(&test);
        struct pose_source source = {.bytes = {bytes.data, bytes.size}, .game = "mp2"};
        struct pose_archive *forced = pose_archive_open(&source, NULL, NULL);
        ck_assert_str_eq(pose_archive_entry(forced, 0)->game, "mp2");
        pose_archive_close(forced);
        pose_buffer_free(&bytes);
    }
}

/* -------------------------------------------------------------------------------------- what is refused -- */

TEST(headers_that_are_refused)
{
    struct test_archive test;
    uint8_t prime3[68] = {0, 0, 0, 2, 0, 0, 0, 0x40};
    test_archive_open(prime3, sizeof prime3, NULL, NULL, &test);
    ck_assert_int_eq(test.error.status, POSE_UNSUPPORTED);
    ck_assert_str_eq(test.error.code, "prime3_pak");
    test_archive_close(&test);
    static const uint8_t other[8] = {0, 3, 0, 6};
    test_archive_open(other, sizeof other, "prime-pak", NULL, &test);
    ck_assert_str_eq(test.error.code, "bad_version");
    ck_assert_uint_eq(test.error.offset, 0);
    test_archive_close(&test);
    struct pose_source source = {.name = "x.PAK", .bytes = {other, sizeof other}};
    ck_assert_pstr_eq(pose_detect(&source), "prime-pak");
}

TEST(tables_that_are_refused)
{
    static const struct named name = {"ANCS", 5, "Samus"};
    static const struct resource resource = {0, "ANIM", 1, 0, 0};
    struct pose_buffer bytes;
    tables(&bytes, &name, 1, &resource, 1);
    /* 8 count, 12 type, 16 id, 20 length, 24 name, 29 count, 33 the row */
    ck_assert_uint_eq(bytes.size, 53);
    for (size_t size = 9; size < bytes.size; size++) {
        const char *code = size >= 12 && size < 24 ? "count_too_large"
                           : size >= 33            ? "count_too_large"
                                                   : "truncated";
        test_open_fails(bytes.data, size, code, POSE_NO_OFFSET, NULL);
    }
    static const struct {
        unsigned at;
        const char *code, *field;
        uint64_t offset;
    } counts[] = {{8, "count_too_large", "name_count", 8},
                  {20, "truncated", "names[0].name", 24},
                  {29, "count_too_large", "resource_count", 29}};
    for (unsigned i = 0; i < 3; i++) {
        uint8_t saved[4];
        memcpy(saved, bytes.data + counts[i].at, 4);
        memset(bytes.data + counts[i].at, 0xff, 4);
        test_open_fails(bytes.data, bytes.size, counts[i].code, counts[i].offset, counts[i].field);
        memcpy(bytes.data + counts[i].at, saved, 4);
    }
    pose_buffer_free(&bytes);
}

TEST(limit_of_entries)
{
    static const struct pose_options two = {.limits = {.entries = 2}};
    static const struct resource resources[3] = {
        {0, "ANIM", 1, 0, 0}, {0, "ANIM", 2, 0, 0}, {0, "ANIM", 3, 0, 0}};
    static const struct named names[3] = {{"ANIM", 1, "a"}, {"ANIM", 2, "b"}, {"ANIM", 3, "c"}};
    for (int i = 0; i < 2; i++) {
        struct pose_buffer bytes;
        struct test_archive test;
        tables(&bytes, names, i ? 3 : 0, resources, i ? 0 : 3);
        test_archive_open(bytes.data, bytes.size, NULL, &two, &test);
        ck_assert_ptr_null(test.archive);
        ck_assert_str_eq(test.error.limit, "max-entries");
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* One bad row beside a good one. */
static const struct {
    struct resource row;
    const char *code;
    unsigned field; /* offset of the field in the row */
} bad_rows[] = {
    {{0, "ANIM", 1, 32, 0xffffffe0}, "entry_range", 12},
    {{0, "ANIM", 1, 0xffffffff, 64}, "entry_range", 12},
    {{0, "ANIM", 1, 33, 64}, "entry_range", 12},
    {{0, "ANIM", 1, 32, 55}, "in_header", 16},
    {{0, "ANIM", 1, 32, 0}, "in_header", 16},
    {{2, "ANIM", 1, 32, 64}, "bad_flag", 0},
    {{1, "ANIM", 1, 5, 64}, "truncated", 12},
};

TEST_EACH(rows_that_are_refused, COUNT(bad_rows))
{
    const struct resource rows[] = {bad_rows[_i].row, {0, "ANIM", 1, 32, 64}, {0, "ANIM", 1, 32, 64}};
    struct pose_buffer bytes;
    struct test_archive test;
    tables(&bytes, NULL, 0, rows, 2);
    ck_assert_uint_eq(bytes.size, 56);
    pad_to(&bytes, 96);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, bad_rows[_i].code, 16 + bad_rows[_i].field);
    ck_assert_ptr_nonnull(pose_archive_entry(test.archive, 0)->error);
    static const uint8_t zeros[32];
    test_entry_holds(&test, 1, "00000001.ANIM", zeros, 32); /* the first sound one of that id */
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* Segments behind a size of 14. */
static const struct {
    const char *code;
    uint64_t offset;
    unsigned size;
    uint8_t bytes[28];
} segments[] = {
    {"bad_segment", 68, 4, {0, 0, 0, 0}},
    {"truncated", 70, 4, {0x7f, 0xff, 0x11, 0}},
    {"truncated", 70, 4, {0x80, 0, 'a', 'b'}},
    {"output_overflow",
     70,
     20,
     {0xff, 0xf1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o'}},
    {"output_overflow", 70, 24, {0,   19,  32,  'a', 'b', 'c', 'd', 'e',  'f', 'g', 'h',
                                 'i', 'j', 'k', 'l', 'm', 'n', 'o', 0x11, 0,   0}},
    {"bad_reference", 72, 10, {0, 8, 18, 'a', 0x44, 0, 0x11, 0, 0, 0}},
    {"trailing_bytes", 75, 10, {0, 6, 18, 'a', 0x11, 0, 0, 0}},
    {"bad_zlib", 70, 10, {0, 5, 0x78, 0x9c, 0xff, 0xff, 0xff}},
    {"truncated", 75, 7, {0, 5, 18, 'a', 0x11, 0, 0}}, /* one byte, and no further segment but padding */
};

TEST_EACH(segments_that_are_refused, COUNT(segments))
{
    uint8_t data[32] = {0, 0, 0, 14};
    memcpy(data + 4, segments[_i].bytes, segments[_i].size);
    struct pose_buffer bytes;
    struct test_archive test;
    one_packed(&bytes, data, segments[_i].size + 4);
    test_archive_must_open(&bytes, &test);
    test_entry_fails(&test, 0, segments[_i].code,
                     _i + 1 < (int)(sizeof segments / sizeof *segments) ? segments[_i].offset
                                                                        : POSE_NO_OFFSET);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A size that the stored bytes cannot give takes no memory. */
TEST(bombs)
{
    static size_t most = 100000;
    const struct pose_allocator allocator = allocator_of_small(&most);
    const struct pose_options patient = {.allocator = &allocator, .limits = {.ratio = UINT32_MAX}},
                              by_ratio = {.allocator = &allocator, .limits = {.ratio = 200}};
    static const uint8_t data[2][12] = {{0x0f, 0xff, 0xff, 0xff, 0, 5, 18, 'a', 0x11, 0, 0},
                                        {0x0f, 0xff, 0xff, 0xff, 0x78, 0xda, 3, 0}};
    for (int i = 0; i < 2; i++) {
        struct pose_buffer bytes, out;
        struct test_archive test;
        struct pose_error error;
        one_packed(&bytes, data[i], sizeof data[i]);
        test_archive_open(bytes.data, bytes.size, NULL, &patient, &test);
        ck_assert(test.archive && !pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_str_eq(error.code, "output_short");
        test_archive_close(&test);
        test_archive_open(bytes.data, bytes.size, NULL, &by_ratio, &test);
        ck_assert(test.archive && !pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_str_eq(error.code, "output_short");
        /* Known when it is listed, so that it does not count against the limit of the whole archive. */
        ck_assert_ptr_nonnull(pose_archive_entry(test.archive, 0)->error);
        test_archive_close(&test);
        bytes.data[64] = bytes.data[65] = 0; /* 10280, which is possible */
        bytes.data[66] = bytes.data[67] = 0x28;
        test_archive_open(bytes.data, bytes.size, NULL, &by_ratio, &test);
        ck_assert(test.archive && !pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_ptr_null(pose_archive_entry(test.archive, 0)->error);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* A size that the stored bytes could give, but that is more than may be, whatever packs them. */
TEST(limits_of_sizes)
{
    enum { STORED = 96, SIZE = 70000 };
    static const struct {
        struct pose_options options;
        const char *limit; /* "": it is within */
    } cases[] = {
        {{.limits = {.ratio = SIZE / (STORED + 1)}}, "max-ratio"},
        {{.limits = {.ratio = SIZE / STORED}}, ""},
        {{.limits = {.ratio = SIZE, .unpacked = SIZE - 1}}, "max-unpacked"},
        {{.limits = {.ratio = SIZE, .unpacked = SIZE}}, ""},
    };
    static const uint8_t starts[2][7] = {{0, 1, 0x11, 0x70, 0, 5, 18}, {0, 1, 0x11, 0x70, 0x78, 0xda, 3}};
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        uint8_t data[STORED] = {0};
        struct pose_buffer bytes, out;
        struct test_archive test;
        struct pose_error error;
        memcpy(data, starts[i % 2], sizeof starts[0]);
        one_packed(&bytes, data, sizeof data);
        test_archive_open(bytes.data, bytes.size, NULL, &cases[i / 2].options, &test);
        ck_assert(test.archive && !pose_archive_read(test.archive, 0, &out, &error));
        ck_assert_ptr_null(pose_archive_entry(test.archive, 0)->error);
        ck_assert_str_eq(error.limit, cases[i / 2].limit);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* ---------------------------------------------------------------------------------------------- writing -- */

enum { SIZES = 9 };
static const size_t sizes[SIZES] = {0, 1, 31, 32, 33, 16383, 16384, 16385, 100000};

/* An entry is its file, and where it is stored plainly the padding to 32. */
static void check_entry(const struct test_archive *test, uint32_t index, const char *name,
                        struct pose_bytes bytes)
{
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_str_eq(pose_archive_entry(test->archive, index)->name, name);
    ck_assert_msg(pose_archive_read(test->archive, index, &out, &error), "%s", error.detail);
    ck_assert(out.size == bytes.size || out.size == (bytes.size + 31) / 32 * 32);
    ck_assert(!bytes.size || !memcmp(out.data, bytes.data, bytes.size));
    for (size_t i = bytes.size; i < out.size; i++)
        ck_assert_uint_eq(out.data[i], 0xff);
    pose_buffer_free(&out);
}

static struct pose_value string_value(const char *key, const char *text, const struct pose_value *next)
{
    return (struct pose_value){.kind = POSE_STRING, .key = key, .as.string = text, .next = next};
}

TEST_EACH(what_is_packed_reads_back, 4)
{
    const char *const game = _i % 2 ? "mp2" : "mp1", *const ways[] = {"default", "none"},
                      *compress = ways[_i / 2];
    const struct pose_value how = string_value("compress", compress, NULL),
                            which = string_value("game", game, &how),
                            settings = {.kind = POSE_OBJECT, .first = &which};
    struct pose_pack_item items[2 * SIZES];
    char names[2 * SIZES][20];
    for (unsigned i = 0; i < 2 * SIZES; i++) {
        size_t size = sizes[i % SIZES];
        uint8_t *bytes = malloc(size + 1);
        uint32_t seed = i;
        for (size_t k = 0; k < size; k++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[k] = i < SIZES ? (uint8_t)(k / 100) : (uint8_t)(seed >> 24);
        }
        snprintf(names[i], sizeof names[i], "%08X.%s", i + 1, i % 3 ? "ANIM" : "CINF");
        items[i] = (struct pose_pack_item){names[i], {bytes, size}};
    }
    struct pose_buffer packed;
    struct test_archive test;
    test_pack("prime-pak", items, 2 * SIZES, &settings, &packed);
    ck_assert_uint_eq(packed.size % 32, 0);
    test_archive_must_open(&packed, &test);
    ck_assert_pstr_eq(pose_archive_entry(test.archive, 0)->game, strcmp(compress, "none") != 0 ? game : NULL);
    for (uint32_t i = 0; i < 2 * SIZES; i++) {
        check_entry(&test, i, names[i], items[i].bytes);
        free((void *)items[i].bytes.data);
    }
    test_archive_close(&test);
    pose_buffer_free(&packed);
}

/* Only what the games' own paks compress, and only where that saves space. */
TEST(policy_of_compression)
{
    static const uint8_t zeros[1000], tiny[20];
    const struct pose_pack_item items[] = {{"00000001.ANIM", {zeros, sizeof zeros}},
                                           {"00000002.CINF", {zeros, sizeof zeros}},
                                           {"00000003.ANIM", {tiny, sizeof tiny}}};
    struct pose_buffer packed;
    test_pack("prime-pak", items, 3, NULL, &packed);
    static const uint8_t row[] = {0, 0, 0, 3, 0, 0, 0, 1,  'A', 'N', 'I', 'M',
                                  0, 0, 0, 1, 0, 0, 0, 32, 0,   0,   0,   96};
    ck_assert_mem_eq(packed.data + 12, row, sizeof row);
    ck_assert_uint_eq(packed.data[16 + 20 + 3], 0);
    ck_assert_uint_eq(packed.data[16 + 40 + 3], 0);
    ck_assert_uint_eq(packed.size, 96 + 32 + 1024 + 32);
    for (size_t i = 16 + 60; i < 96; i++)
        ck_assert_uint_eq(packed.data[i], 0);
    pose_buffer_free(&packed);
}

TEST(names_of_what_is_packed)
{
    const struct pose_pack_item items[] = {
        {"folder/0000002A_Samus.ANCS", {(const uint8_t *)"a", 1}},
        {"walk.anim", {(const uint8_t *)"b", 1}},
        {"00000003.0102032F", {(const uint8_t *)"c", 1}},
        {"Walk.cinf", {(const uint8_t *)"d", 1}},
    };
    struct pose_buffer packed;
    struct test_archive test;
    test_pack("prime-pak", items, 4, NULL, &packed);
    test_archive_must_open(&packed, &test);
    check_entry(&test, 0, "0000002A_Samus.ANCS", items[0].bytes);
    const struct pose_entry *walk = pose_archive_entry(test.archive, 1),
                            *rig = pose_archive_entry(test.archive, 3);
    ck_assert_str_eq(walk->label, "walk");
    ck_assert_str_eq(rig->label, "Walk");
    ck_assert_uint_eq(walk->id, 0x8d917a55); /* CRC-32 of "walk" */
    ck_assert_uint_eq(walk->id, rig->id);
    ck_assert_str_eq(walk->kind, "clip");
    check_entry(&test, 2, "00000003.0102032F", items[2].bytes);
    test_archive_close(&test);
    pose_buffer_free(&packed);
    static const char *const bad[] = {"", "walk", ".anim", "walk.an", "walk.animation", "00000003.0102032X"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct pose_pack_item item = {bad[i], {(const uint8_t *)"", 0}};
        struct pose_error error;
        ck_assert(!pose_pack("prime-pak", &item, 1, NULL, NULL, &packed, &error));
        ck_assert_str_eq(error.code, "bad_name");
    }
    const struct pose_value which = string_value("game", "mp3", NULL),
                            settings = {.kind = POSE_OBJECT, .first = &which};
    struct pose_error error;
    ck_assert(!pose_pack("prime-pak", items, 1, &settings, NULL, &packed, &error));
    ck_assert_str_eq(error.code, "bad_setting");
}

TEST_EACH(damaged_paks_are_harmless, 2)
{
    const struct pose_value which = string_value("game", _i ? "mp2" : "mp1", NULL),
                            settings = {.kind = POSE_OBJECT, .first = &which};
    uint8_t text[500];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * i / 50);
    const struct pose_pack_item items[] = {{"00000001_a.ANIM", {text, sizeof text}},
                                           {"00000002.CINF", {text, 20}}};
    struct pose_buffer bytes;
    test_pack("prime-pak", items, 2, &settings, &bytes);
    ck_assert_uint_gt(test_damage(&bytes), bytes.size);
    pose_buffer_free(&bytes);
}
