/* ZIP, TAR, 7z and cpio as libarchive writes them, real programs' quirks by patching, bombs, unsafe names, damage. */
#include "lib/core/value.h"
#include "tests/support/archives.h"
#include "tests/support/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------- containers by libarchive -- */

/* An entry that is to be written; a target makes it a link. */
struct item {
    const char *name;
    const void *bytes;
    size_t size;
    unsigned type; /* AE_IFREG when 0 */
    const char *symlink, *hardlink;
};

/* How a container is written. */
struct container {
    int format, filter;
    const char *options;
    int outer_filter; /* around it once more */
};

static la_ssize_t append(struct archive *archive, void *user, const void *bytes, size_t size)
{
    (void)archive;
    return pose_buffer_append(user, bytes, size) ? (la_ssize_t)size : -1;
}

static void write_item(struct archive *archive, const struct item *item)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, item->name);
    archive_entry_set_filetype(entry, item->type ? item->type : AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)item->size);
    if (item->symlink)
        archive_entry_set_symlink(entry, item->symlink);
    if (item->hardlink)
        archive_entry_set_hardlink(entry, item->hardlink);
    ck_assert_msg(archive_write_header(archive, entry) >= ARCHIVE_WARN, "%s", archive_error_string(archive));
    if (item->size)
        ck_assert_int_eq(archive_write_data(archive, item->bytes, item->size), (la_ssize_t)item->size);
    archive_entry_free(entry);
}

static void make(const struct container *container, const struct item *items, unsigned count,
                 struct pose_buffer *out)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = uselocale(utf8);
    *out = (struct pose_buffer){0};
    struct archive *archive = archive_write_new();
    ck_assert_int_eq(archive_write_set_format(archive, container->format), ARCHIVE_OK);
    if (container->filter)
        ck_assert_int_eq(archive_write_add_filter(archive, container->filter), ARCHIVE_OK);
    if (container->outer_filter)
        ck_assert_int_eq(archive_write_add_filter(archive, container->outer_filter), ARCHIVE_OK);
    if (container->options)
        ck_assert_int_eq(archive_write_set_options(archive, container->options), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(archive, 1);
    ck_assert_int_eq(archive_write_open(archive, out, NULL, append, NULL), ARCHIVE_OK);
    for (unsigned i = 0; i < count; i++)
        write_item(archive, &items[i]);
    ck_assert_msg(archive_write_close(archive) == ARCHIVE_OK, "%s", archive_error_string(archive));
    archive_write_free(archive);
    uselocale(before);
    freelocale(utf8);
}

static const struct container containers[] = {
    {ARCHIVE_FORMAT_ZIP, 0, NULL, 0},
    {ARCHIVE_FORMAT_ZIP, 0, "zip:compression=store", 0},
    {ARCHIVE_FORMAT_ZIP, 0, "zip:zip64", 0},
    {ARCHIVE_FORMAT_TAR_USTAR, 0, NULL, 0},
    {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, 0, NULL, 0},
    {ARCHIVE_FORMAT_TAR_GNUTAR, 0, NULL, 0},
    {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_GZIP, NULL, 0},
    {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_BZIP2, NULL, 0},
    {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_XZ, NULL, 0},
    {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_ZSTD, NULL, 0},
    {ARCHIVE_FORMAT_7ZIP, 0, NULL, 0},
    {ARCHIVE_FORMAT_7ZIP, 0, "7zip:compression=ppmd", 0},
    {ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, 0, NULL, 0},
};
enum { CONTAINERS = sizeof containers / sizeof *containers };

static uint8_t large[100000]; /* repeats, so that it is packed */

static const struct item files[] = {
    {.name = "walk.anim", .bytes = large, .size = sizeof large},
    {.name = "folder", .type = AE_IFDIR},
    {.name = "folder/caf\xc3\xa9-\xe6\xbc\xa2.anim", .bytes = "hello", .size = 5},
    {.name = "folder/empty.txt", .bytes = "", .size = 0},
    {.name = "./here.anim", .bytes = large + 1, .size = 70000},
    {.name = "last.anim", .bytes = "world", .size = 5},
};
enum { FILES = sizeof files / sizeof *files };

static void setup(void)
{
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (uint8_t)(i / 300 * 7);
}

struct seen {
    unsigned count;
    uint32_t index[8];
    size_t size[8];
};

static bool skip_first(void *user, uint32_t index)
{
    (void)user;
    return index != 0;
}

static bool note(void *user, uint32_t index, struct pose_buffer *bytes, const struct pose_error *error)
{
    struct seen *seen = user;
    ck_assert_msg(!error, "%s", error ? error->detail : "");
    seen->index[seen->count] = index;
    seen->size[seen->count++] = bytes->size;
    return seen->count < 4;
}

FIXTURE(setup, NULL);

/* Every container lists the same entries, without the folder, and reads them in any order and in one pass. */
TEST_EACH(every_container_reads_alike, CONTAINERS)
{
    struct pose_buffer bytes;
    struct test_archive test;
    make(&containers[_i], files, FILES, &bytes);
    struct pose_source source = {.bytes = {bytes.data, bytes.size}};
    ck_assert_pstr_eq(pose_detect(&source), "zip");
    test_archive_must_open(&bytes, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), "zip");
    ck_assert_uint_eq(pose_archive_count(test.archive), 5);
    uint32_t order[5] = {0, 1, 2, 3, 4};
    if (containers[_i].format == ARCHIVE_FORMAT_7ZIP) { /* which puts empty files last */
        static const uint32_t of_7z[5] = {0, 1, 4, 2, 3};
        memcpy(order, of_7z, sizeof order);
    }
    test_entry_holds(&test, order[4], "last.anim", "world", 5);
    test_entry_holds(&test, order[1], "folder/caf\xc3\xa9-\xe6\xbc\xa2.anim", "hello", 5);
    test_entry_holds(&test, order[0], "walk.anim", large, sizeof large);
    test_entry_holds(&test, order[2], "folder/empty.txt", "", 0);
    test_entry_holds(&test, order[3], "here.anim", large + 1, 70000);
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 0);
    struct seen seen = {0};
    struct pose_pass pass = {.wants = skip_first, .visit = note, .user = &seen};
    ck_assert(!pose_archive_each(test.archive, &pass)); /* the fourth visit ends it */
    ck_assert_uint_eq(seen.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(seen.index[i], i + 1);
        ck_assert_uint_eq(seen.size[i], pose_archive_entry(test.archive, i + 1)->size);
    }
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A plain stream is no archive, whatever it is compressed with; nor is anything that was compressed twice. */
TEST(streams_without_a_tar)
{
    struct pose_buffer bytes;
    struct test_archive test;
    static const struct container twice = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, NULL,
                                           ARCHIVE_FILTER_GZIP},
                                  raw = {ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_XZ, NULL, 0},
                                  cpio = {ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FILTER_GZIP, NULL, 0};
    const struct container *const kinds[] = {&twice, &raw, &cpio};
    for (unsigned i = 0; i < 3; i++) {
        make(kinds[i], files, 1, &bytes);
        test_archive_open(bytes.data, bytes.size, NULL, NULL, &test);
        ck_assert_ptr_null(test.archive);
        ck_assert_int_eq(test.error.status, POSE_UNKNOWN_FORMAT);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* What is kept from before is read; where options forbid CAB and cpio, what looks like one is refused. */
TEST(uncommon_containers)
{
    static const struct container cpio = {ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, 0, NULL, 0};
    const struct pose_options common = {.is_common_only = true};
    struct pose_buffer bytes;
    make(&cpio, files, FILES, &bytes);
    const struct pose_bytes inputs[] = {{bytes.data, bytes.size},
                                        {(const uint8_t *)"070707 noise", 12},
                                        {(const uint8_t *)"070702 and more noise", 21},
                                        {(const uint8_t *)"MSCF\0\0\0\0and noise", 17}};
    for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        struct pose_error error;
        const struct pose_source source = {.bytes = inputs[i], .format = i % 2 ? "zip" : NULL};
        ck_assert_ptr_null(pose_archive_open(&source, &common, &error));
        ck_assert_int_eq(error.status, POSE_UNSUPPORTED);
        ck_assert_str_eq(error.code, "unsupported_container");
    }
    pose_buffer_free(&bytes);
}

static bool count_down(void *user)
{
    unsigned *left = user;
    return !*left || !--*left;
}

/* However far it has come: stopped while it is listed or read, it fails with that reason. */
TEST_EACH(unpacking_asks_whether_to_stop, CONTAINERS)
{
    static uint8_t noise[1 << 20];
    for (size_t i = 0, x = 1; i < sizeof noise; i++, x = x * 6364136223846793005u + 1442695040888963407u)
        noise[i] = (uint8_t)(x >> 56);
    const bool is_slow = _i == 11; /* PPMd */
    const struct item item = {.name = "a.anim", .bytes = noise, .size = sizeof noise >> is_slow * 4};
    struct pose_buffer bytes;
    make(&containers[_i], &item, 1, &bytes);
    const struct pose_source source = {.bytes = {bytes.data, bytes.size}};
    struct pose_archive *whole = pose_archive_open(&source, NULL, NULL);
    const bool is_zip = !containers[_i].filter && !pose_archive_is_stream(whole);
    const bool is_kept = containers[_i].filter || containers[_i].format == ARCHIVE_FORMAT_7ZIP;
    for (unsigned asked = 1; asked < (is_slow ? 2 : 13); asked += 11) {
        unsigned left = asked;
        const struct pose_stop stop = {count_down, &left};
        const struct pose_options options = {.stop = &stop};
        struct pose_error error;
        struct pose_archive *archive = pose_archive_open(&source, &options, &error);
        ck_assert_msg(!archive == is_kept || (!archive && asked == 1), "%d: %s", _i, error.detail);
        ck_assert(archive || error.status == POSE_STOPPED);
        pose_archive_close(archive);
        left = asked;
        struct pose_buffer out;
        const bool done = pose_archive_read_until(whole, 0, &stop, &out, &error);
        ck_assert(done || error.status == POSE_STOPPED);
        ck_assert(done == (is_kept || is_zip));
        pose_buffer_free(&out);
    }
    pose_archive_close(whole);
    pose_buffer_free(&bytes);
}

TEST(text_is_never_claimed)
{
    static const char *const texts[] = {"",          "PK", "a text of words\n", "#mtree\nfile type=file\n",
                                        "!<arch>\n", "P"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pose_source source = {.bytes = {(const uint8_t *)texts[i], strlen(texts[i])}};
        ck_assert_ptr_null(pose_detect(&source));
    }
}

/* ------------------------------------------------------------------------------- what is listed, not read -- */

static const struct item specials[] = {
    {.name = "good.anim", .bytes = "good", .size = 4},
    {.name = "symlink.anim", .type = AE_IFLNK, .symlink = "/etc/passwd"},
    {.name = "hardlink.anim", .hardlink = "good.anim"},
    {.name = "pipe", .type = AE_IFIFO},
    {.name = "/etc/passwd", .bytes = "x", .size = 1},
    {.name = "a/../../x.anim", .bytes = "x", .size = 1},
    {.name = "..\\..\\x.anim", .bytes = "x", .size = 1},
    {.name = "C:\\x.anim", .bytes = "x", .size = 1},
    {.name = "dots/..x/x...anim", .bytes = "x", .size = 1},
    {.name = "a\\b.anim", .bytes = "x", .size = 1},
};

TEST(links_and_unsafe_names)
{
    static const char *const codes[] = {NULL,          "link",        "link",        "device", "unsafe_name",
                                        "unsafe_name", "unsafe_name", "unsafe_name", NULL,     NULL};
    static const struct container tar = {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, 0, NULL, 0},
                                  gzip = {ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_GZIP, NULL, 0};
    for (int k = 0; k < 2; k++) {
        struct pose_buffer bytes;
        struct test_archive test;
        make(k ? &gzip : &tar, specials, sizeof specials / sizeof *specials, &bytes);
        test_archive_must_open(&bytes, &test);
        ck_assert_uint_eq(pose_archive_count(test.archive), sizeof specials / sizeof *specials);
        for (uint32_t i = 0; i < sizeof specials / sizeof *specials; i++) {
            const struct pose_entry *entry = pose_archive_entry(test.archive, i);
            if (codes[i])
                test_entry_fails(&test, i, codes[i], POSE_NO_OFFSET);
            else
                ck_assert(!entry->error && !entry->skipped);
            ck_assert_int_eq(entry->skipped != NULL, i >= 1 && i <= 3);
            ck_assert_int_eq(entry->error != NULL, i >= 4 && i <= 7);
        }
        test_entry_holds(&test, 0, "good.anim", "good", 4);
        test_entry_holds(&test, 9, "a/b.anim", "x", 1);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

TEST(a_link_in_a_zip)
{
    struct pose_buffer bytes;
    struct test_archive test;
    make(&containers[0], specials, 2, &bytes);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 2);
    test_entry_holds(&test, 0, "good.anim", "good", 4);
    ck_assert_str_eq(pose_archive_entry(test.archive, 1)->skipped, "link");
    test_entry_fails(&test, 1, "link", POSE_NO_OFFSET);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* --------------------------------------------------------------------------------------- ZIP by patching -- */

static const uint32_t local_signature = 0x04034b50, record_signature = 0x02014b50, end_signature = 0x06054b50;

/* Where the k-th signature stands. */
static size_t find_signature(const struct pose_buffer *bytes, uint32_t signature, unsigned k)
{
    for (size_t at = 0; at + 4 <= bytes->size; at++) {
        uint32_t word;
        memcpy(&word, bytes->data + at, 4);
        if (word == signature && !k--)
            return at;
    }
    ck_abort_msg("no such signature");
}

static void put_u32(struct pose_buffer *bytes, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes->data[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* What zip_pack makes: two files, the first deflated. */
static void make_zip(struct pose_buffer *bytes)
{
    const struct pose_pack_item items[] = {{"walk.anim", {large, sizeof large}},
                                           {"b.anim", {(const uint8_t *)"hello", 5}}};
    test_pack("zip", items, 2, NULL, bytes);
}

TEST(prefixed_and_commented)
{
    struct pose_buffer bytes, longer = {0};
    struct test_archive test;
    make_zip(&bytes);
    static uint8_t program[5000];
    memcpy(program, "PK\3\4", 4); /* or nothing would say that it is a ZIP */
    pose_buffer_append(&longer, program, sizeof program);
    pose_buffer_append(&longer, bytes.data, bytes.size);
    pose_buffer_append(&longer, "PK\5\6 is no end of it", 20);
    longer.data[longer.size - 20 - 2] = 20;
    test_archive_must_open(&longer, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 2);
    test_entry_holds(&test, 0, "walk.anim", large, sizeof large);
    test_entry_holds(&test, 1, "b.anim", "hello", 5);
    ck_assert_uint_eq(pose_archive_warning_count(test.archive), 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
    pose_buffer_free(&longer);
}

/* An end record in the comment. Where it ends with the file as well, programs differ in which of the two they take: the
 * entries are then read one after another, with a warning. */
TEST(ends_in_the_comment)
{
    static const uint8_t comments[] = {0, 2, 200}; /* of the record in the comment */
    for (size_t i = 0; i < sizeof comments; i++) {
        uint8_t record[25] = {'P', 'K', 5, 6, [20] = comments[i]};
        struct pose_buffer bytes;
        struct test_archive test;
        make_zip(&bytes);
        size_t end = bytes.size, size = comments[i] ? 25 : 22;
        pose_buffer_append(&bytes, record, size);
        bytes.data[end - 2] = (uint8_t)size;
        test_archive_must_open(&bytes, &test);
        ck_assert_uint_eq(pose_archive_count(test.archive), 2);
        ck_assert_uint_eq(test_count_warnings(&test, "two_directories"), !comments[i]);
        test_entry_holds(&test, 1, "b.anim", "hello", 5);
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* Fields of the directory's first record, what they are set to, and what comes of it. */
static const struct {
    unsigned field;
    uint32_t value;
    const char *code;
    bool in_row;
} patches[] = {
    {16, 0x12345678, "bad_crc", false},    {20, 100000000, "entry_range", true},
    {20, 150, "bad_deflate", false},       {24, 99999, "bad_deflate", false},
    {24, 100001, "bad_deflate", false},    {24, 0xfffffffe, "over_limit", false},
    {42, 0xfffffff0, "entry_range", true}, {42, 1, "bad_header", false},
    {8, 0x00080001, "encrypted", true},    {8, 0x00000000, "size_mismatch", true},
};

TEST_EACH(records_that_lie, COUNT(patches))
{
    struct pose_buffer bytes;
    struct test_archive test;
    make_zip(&bytes);
    size_t record = find_signature(&bytes, record_signature, 0);
    put_u32(&bytes, record + patches[_i].field, patches[_i].value);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(pose_archive_count(test.archive), 2);
    ck_assert_int_eq(pose_archive_entry(test.archive, 0)->error != NULL, patches[_i].in_row);
    test_entry_fails(&test, 0, patches[_i].code, patches[_i].in_row ? record : POSE_NO_OFFSET);
    test_entry_holds(&test, 1, "b.anim", "hello", 5);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A size that deflate could never reach is refused before memory is taken for it. */
TEST(a_size_out_of_reach)
{
    static const struct pose_options generous = {.limits = {.unpacked = UINT64_MAX, .ratio = UINT32_MAX}};
    struct pose_buffer bytes, out;
    struct test_archive test;
    struct pose_error error;
    make_zip(&bytes);
    put_u32(&bytes, find_signature(&bytes, record_signature, 0) + 24, 0xfffffffe);
    test_archive_open(bytes.data, bytes.size, NULL, &generous, &test);
    ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
    ck_assert_str_eq(error.code, "size_mismatch");
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

TEST(entries_that_share_their_data)
{
    struct pose_buffer bytes;
    struct test_archive test;
    make_zip(&bytes);
    size_t first = find_signature(&bytes, record_signature, 0),
           second = find_signature(&bytes, record_signature, 1);
    memcpy(bytes.data + second + 42, bytes.data + first + 42, 4);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "walk.anim", large, sizeof large);
    test_entry_fails(&test, 1, "overlap", 0);
    test_archive_close(&test);
    pose_buffer_free(&bytes);
}

/* A download that broke off has no directory: what is there is still found, with a warning. */
TEST(a_zip_without_its_directory)
{
    struct pose_buffer bytes;
    struct test_archive test;
    make_zip(&bytes);
    bytes.size = find_signature(&bytes, end_signature, 0);
    test_archive_must_open(&bytes, &test);
    ck_assert_uint_eq(test_count_warnings(&test, "no_directory"), 1);
    ck_assert_uint_eq(pose_archive_count(test.archive), 2);
    test_entry_holds(&test, 1, "b.anim", "hello", 5);
    test_entry_holds(&test, 0, "walk.anim", large, sizeof large);
    test_archive_close(&test);
    bytes.size = 40;
    test_open_fails(bytes.data, 20, "no_directory", 20, "end");
    pose_buffer_free(&bytes);
}

/* Methods that the fast way does not know are left to libarchive: bzip2 here, by hand around libarchive's filter. */
TEST(other_methods)
{
    static const struct container raw = {ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_BZIP2, NULL, 0};
    struct pose_buffer packed, stored, bytes = {0};
    struct test_archive test;
    make(&raw, files, 1, &packed);
    const struct pose_pack_item item = {"walk.anim", {packed.data, packed.size}};
    const struct pose_value no = {.kind = POSE_BOOL, .key = "compress"},
                            settings = {.kind = POSE_OBJECT, .first = &no};
    test_pack("zip", &item, 1, &settings, &stored);
    size_t record = find_signature(&stored, record_signature, 0),
           local = find_signature(&stored, local_signature, 0);
    ck_assert_uint_eq(local, 0);
    /* Method 12, and the checksum and the size of what is inside, in both places; without a descriptor. */
    pose_buffer_append(&bytes, stored.data, stored.size);
    uint32_t crc = 0;
    for (size_t i = 0; i < sizeof large; i++) {
        uint32_t byte = (crc ^ 0xffffffff ^ large[i]) & 0xff;
        for (int k = 0; k < 8; k++)
            byte = byte >> 1 ^ (byte & 1 ? 0xedb88320u : 0);
        crc = (((crc ^ 0xffffffff) >> 8) ^ byte) ^ 0xffffffff;
    }
    bytes.data[local + 6] &= 0xf7;
    bytes.data[record + 8] &= 0xf7;
    bytes.data[local + 8] = bytes.data[record + 10] = 12;
    put_u32(&bytes, local + 14, crc);
    put_u32(&bytes, record + 16, crc);
    put_u32(&bytes, local + 18, (uint32_t)packed.size);
    put_u32(&bytes, local + 22, sizeof large);
    put_u32(&bytes, record + 24, sizeof large);
    test_archive_must_open(&bytes, &test);
    test_entry_holds(&test, 0, "walk.anim", large, sizeof large);
    test_archive_close(&test);
    pose_buffer_free(&packed);
    pose_buffer_free(&stored);
    pose_buffer_free(&bytes);
}

/* ---------------------------------------------------------------------------------------------- bombs -- */

enum { BOMB = 64 << 20 };

static const struct container bombs[] = {
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, NULL, 0},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_BZIP2, NULL, 0},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ, NULL, 0},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD, NULL, 0},
    {ARCHIVE_FORMAT_7ZIP, 0, NULL, 0},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The bytes that libpose itself asks for, at the peak. */
struct meter {
    size_t now, peak;
};

static void *metered_alloc(void *user, size_t size)
{
    struct meter *meter = user;
    size_t *memory = malloc(size + 16);
    ck_assert_ptr_nonnull(memory);
    *memory = size;
    meter->now += size;
    meter->peak = meter->now > meter->peak ? meter->now : meter->peak;
    return (char *)memory + 16;
}

static void metered_free(void *user, void *memory)
{
    if (!memory)
        return;
    size_t *start = (size_t *)(void *)((char *)memory - 16);
    ((struct meter *)user)->now -= *start;
    free(start);
}

/* An archive that unpacks as one stream is refused by what its headers tell, before anything is unpacked. */
TEST_EACH(bombs_stop_early, COUNT(bombs))
{
    static uint8_t zeros[BOMB];
    const struct item items[] = {{.name = "a.anim", .bytes = "a", .size = 1},
                                 {.name = "bomb.anim", .bytes = zeros, .size = BOMB},
                                 {.name = "b.anim", .bytes = "b", .size = 1}};
    struct pose_buffer bytes;
    struct test_archive test;
    make(&bombs[_i], items, 3, &bytes);
    ck_assert_uint_lt(bytes.size, BOMB / 500);
    struct meter meter = {0};
    const struct pose_allocator allocator = {metered_alloc, metered_free, &meter};
    const struct pose_options by_size = {.allocator = &allocator, .limits = {.unpacked = BOMB}},
                              by_ratio = {.allocator = &allocator, .limits = {.ratio = 200}};
    double before = seconds();
    test_archive_open(bytes.data, bytes.size, NULL, &by_size, &test);
    ck_assert_ptr_null(test.archive);
    ck_assert_int_eq(test.error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(test.error.limit, "max-unpacked");
    test_archive_close(&test);
    test_archive_open(bytes.data, bytes.size, NULL, &by_ratio, &test);
    ck_assert_ptr_null(test.archive);
    ck_assert_str_eq(test.error.limit, "max-ratio");
    test_archive_close(&test);
    printf("bomb %d: %zu bytes refused twice in %.4f s\n", _i, bytes.size, seconds() - before);
    ck_assert_uint_lt(meter.peak, 1 << 20);
    ck_assert_uint_eq(meter.now, 0);
    pose_buffer_free(&bytes);
}

TEST(a_zip_bomb_is_one_bad_entry)
{
    static uint8_t zeros[BOMB];
    const struct pose_pack_item items[] = {{"bomb.anim", {zeros, BOMB}},
                                           {"b.anim", {(const uint8_t *)"hello", 5}}};
    struct pose_buffer bytes, out;
    struct test_archive test;
    struct pose_error error;
    struct meter meter = {0};
    const struct pose_allocator allocator = {metered_alloc, metered_free, &meter};
    const struct pose_options by_ratio = {.allocator = &allocator, .limits = {.ratio = 200}};
    test_pack("zip", items, 2, NULL, &bytes);
    test_archive_open(bytes.data, bytes.size, NULL, &by_ratio, &test);
    ck_assert_ptr_nonnull(test.archive);
    ck_assert(!pose_archive_read(test.archive, 0, &out, &error));
    ck_assert_str_eq(error.limit, "max-ratio");
    test_entry_holds(&test, 1, "b.anim", "hello", 5);
    ck_assert_uint_lt(meter.peak, 1 << 20);
    test_archive_close(&test);
    /* Without the directory its sizes are unknown: unpacked, but no further than the limit. */
    const struct pose_options small = {.allocator = &allocator, .limits = {.unpacked = 1 << 20}};
    size_t local = find_signature(&bytes, local_signature, 0);
    bytes.data[local + 6] |= 8;
    put_u32(&bytes, local + 18, 0);
    put_u32(&bytes, local + 22, 0);
    test_archive_open(bytes.data, find_signature(&bytes, record_signature, 0), NULL, &small, &test);
    ck_assert_ptr_null(test.archive);
    ck_assert_int_eq(test.error.status, POSE_OVER_LIMIT);
    test_archive_close(&test);
    ck_assert_uint_lt(meter.peak, 1 << 20);
    pose_buffer_free(&bytes);
}

TEST(limit_of_entries)
{
    static const struct pose_options two = {.limits = {.entries = 2}};
    for (int i = 0; i < CONTAINERS; i++) {
        struct pose_buffer bytes;
        struct test_archive test;
        make(&containers[i], files, FILES, &bytes);
        test_archive_open(bytes.data, bytes.size, NULL, &two, &test);
        ck_assert_ptr_null(test.archive);
        ck_assert_str_eq(test.error.limit, "max-entries");
        test_archive_close(&test);
        pose_buffer_free(&bytes);
    }
}

/* ---------------------------------------------------------------------------------------------- writing -- */

TEST(what_is_packed_reads_back)
{
    const struct pose_value no = {.kind = POSE_BOOL, .key = "compress"},
                            stored = {.kind = POSE_OBJECT, .first = &no};
    test_round_trip("zip", NULL, NULL);
    test_round_trip("zip", &stored, NULL);
}

TEST(packing_does_not_depend_on_the_time_zone)
{
    struct pose_buffer here, there;
    setenv("TZ", "UTC", 1);
    tzset();
    make_zip(&here);
    setenv("TZ", "Asia/Tokyo", 1);
    tzset();
    make_zip(&there);
    ck_assert_uint_eq(here.size, there.size);
    ck_assert_mem_eq(here.data, there.data, here.size);
    pose_buffer_free(&here);
    pose_buffer_free(&there);
}

TEST(names_that_cannot_be_packed)
{
    static const char *const names[] = {"", "folder/"};
    for (unsigned i = 0; i < 2; i++) {
        const struct pose_pack_item item = {names[i], {(const uint8_t *)"", 0}};
        struct pose_buffer out;
        struct pose_error error;
        ck_assert(!pose_pack("zip", &item, 1, NULL, NULL, &out, &error));
        ck_assert_str_eq(error.code, "bad_name");
    }
}

/* Small files: the damage run opens the container thousands of times. */
static const struct item small_files[] = {
    {.name = "a.anim", .bytes = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", .size = 56},
    {.name = "d/b.skel", .bytes = "hello", .size = 5},
};

TEST_EACH(damaged_containers_are_harmless, CONTAINERS)
{
    struct pose_buffer bytes;
    make(&containers[_i], small_files, 2, &bytes);
    if (bytes.size > 1600)
        bytes.size = 1600; /* of a TAR: both entries; zeros follow */
    ck_assert_uint_gt(test_damage(&bytes), 0);
    pose_buffer_free(&bytes);
}
