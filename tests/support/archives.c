#include "tests/support/archives.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_archive_open(const void *bytes, size_t size, const char *format, const struct pose_options *options,
                       struct test_archive *test)
{
    test->bytes = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(test->bytes);
    if (size)
        memcpy(test->bytes, bytes, size);
    struct pose_source source = {.bytes = {test->bytes, size}, .format = format};
    test->archive = pose_archive_open(&source, options, &test->error);
    ck_assert(test->archive ||
              (test->error.status != POSE_OK && test->error.code[0] && test->error.detail[0]));
}

void test_archive_close(struct test_archive *test)
{
    pose_archive_close(test->archive);
    free(test->bytes);
}

void test_archive_must_open(const struct pose_buffer *bytes, struct test_archive *test)
{
    test_archive_open(bytes->data, bytes->size, NULL, NULL, test);
    ck_assert_msg(test->archive != NULL, "%s", test->error.detail);
}

void test_entry_holds(const struct test_archive *test, uint32_t index, const char *name, const void *bytes,
                      size_t size)
{
    ck_assert_uint_lt(index, pose_archive_count(test->archive));
    const struct pose_entry *entry = pose_archive_entry(test->archive, index);
    ck_assert_str_eq(entry->name, name);
    ck_assert_uint_eq(entry->size, size);
    ck_assert_ptr_null(entry->error);
    ck_assert_ptr_null(entry->skipped);
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_msg(pose_archive_read(test->archive, index, &out, &error), "%s", error.detail);
    ck_assert_uint_eq(out.size, size);
    ck_assert(!size || !memcmp(out.data, bytes, size));
    pose_buffer_free(&out);
}

void test_entry_fails(const struct test_archive *test, uint32_t index, const char *code, uint64_t offset)
{
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_uint_lt(index, pose_archive_count(test->archive));
    ck_assert(!pose_archive_read(test->archive, index, &out, &error));
    ck_assert_str_eq(error.code, code);
    if (offset != POSE_NO_OFFSET)
        ck_assert_uint_eq(error.offset, offset);
    ck_assert(error.detail[0]);
    ck_assert_ptr_null(out.data);
    ck_assert_uint_eq(out.capacity, 0);
}

void test_open_fails(const void *bytes, size_t size, const char *code, uint64_t offset, const char *field)
{
    struct test_archive test;
    test_archive_open(bytes, size, NULL, NULL, &test);
    ck_assert_ptr_null(test.archive);
    ck_assert_msg(!strcmp(test.error.code, code), "%s: %s", test.error.code, test.error.detail);
    if (offset != POSE_NO_OFFSET)
        ck_assert_uint_eq(test.error.offset, offset);
    if (field)
        ck_assert_str_eq(test.error.field, field);
    test_archive_close(&test);
}

unsigned test_count_warnings(const struct test_archive *test, const char *code)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < pose_archive_warning_count(test->archive); i++)
        count += !strcmp(pose_archive_warning(test->archive, i)->code, code);
    return count;
}

static void keep_code(void *user, const struct pose_warning *warning)
{
    const char **code = user;
    if (!**code)
        *code = warning->code;
}

const char *test_read_warning(const struct test_archive *test, uint32_t index)
{
    const char *code = "";
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_msg(pose_archive_read_warn(test->archive, index, keep_code, &code, &out, &error), "%s",
                  error.detail);
    pose_buffer_free(&out);
    return code;
}

void test_pack(const char *format, const struct pose_pack_item *items, uint32_t count,
               const struct pose_value *settings, struct pose_buffer *out)
{
    struct pose_error error;
    ck_assert_msg(pose_pack(format, items, count, settings, NULL, out, &error), "%s", error.detail);
}

/* ------------------------------------------------------------------------------------ refused allocations -- */

/* Lets that many allocations pass, and refuses one. */
struct refusal {
    unsigned left;
    bool done;
};

static void *refuse_one(void *user, size_t size)
{
    struct refusal *refusal = user;
    if (refusal->left--)
        return malloc(size);
    refusal->done = true;
    return NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Packs with the k-th allocation refused, until k is more than there are. */
static void pack_without_memory(const char *format, const struct pose_pack_item *items, uint32_t count,
                                const struct pose_value *settings)
{
    struct refusal refusal = {.done = true};
    const struct pose_allocator allocator = {refuse_one, release, &refusal};
    const struct pose_options options = {.allocator = &allocator};
    for (unsigned k = 0; refusal.done; k++) {
        struct pose_buffer out;
        struct pose_error error;
        refusal = (struct refusal){.left = k};
        bool done = pose_pack(format, items, count, settings, &options, &out, &error);
        ck_assert(done == !refusal.done);
        ck_assert(done || (error.code[0] && !out.data));
        pose_buffer_free(&out);
    }
}

/* ------------------------------------------------------------------------------------------ round trips -- */

enum { FILES = 24 };

/* Empty, tiny, noise, repeats, and larger than every window; from a fixed seed. */
static uint8_t *make_file(unsigned number, size_t *size)
{
    static const size_t sizes[] = {0,   1,   2,    3,     4,     31,    32,    33,
                                   238, 239, 1000, 16383, 16384, 16385, 70000, 300000};
    *size = sizes[number % (sizeof sizes / sizeof *sizes)];
    uint8_t *bytes = malloc(*size + 1);
    ck_assert_ptr_nonnull(bytes);
    uint32_t seed = number * 2654435761u;
    for (size_t i = 0; i < *size; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = number % 3 == 0   ? (uint8_t)(seed >> 24)
                   : number % 3 == 1 ? (uint8_t)(i / 50)
                                     : (uint8_t)number;
    }
    return bytes;
}

struct pass_state {
    const struct pose_pack_item *items;
    unsigned seen;
    uint32_t skip;
};

static bool wants_all_but(void *user, uint32_t index)
{
    return index != ((struct pass_state *)user)->skip;
}

static bool check_visit(void *user, uint32_t index, struct pose_buffer *bytes, const struct pose_error *error)
{
    struct pass_state *state = user;
    ck_assert_msg(!error, "%s", error ? error->detail : "");
    ck_assert_uint_ne(index, state->skip);
    ck_assert_uint_eq(bytes->size, state->items[index].bytes.size);
    ck_assert(!bytes->size || !memcmp(bytes->data, state->items[index].bytes.data, bytes->size));
    state->seen++;
    return state->seen < FILES - 1; /* the last visit ends the pass */
}

static void plain_name(unsigned number, char *text, size_t size)
{
    snprintf(text, size, "folder/file-%u.anim", number);
}

void test_round_trip(const char *format, const struct pose_value *settings, test_name_of *name_of)
{
    struct pose_pack_item items[FILES];
    char names[FILES][40];
    for (unsigned i = 0; i < FILES; i++) {
        (name_of ? name_of : plain_name)(i, names[i], sizeof names[i]);
        items[i].name = names[i];
        items[i].bytes.data = make_file(i, &items[i].bytes.size);
    }
    struct pose_buffer packed, again;
    test_pack(format, items, FILES, settings, &packed);
    test_pack(format, items, FILES, settings, &again);
    ck_assert_uint_eq(packed.size, again.size);
    ck_assert_mem_eq(packed.data, again.data, packed.size);
    pack_without_memory(format, items, 4, settings);
    struct test_archive test;
    test_archive_must_open(&packed, &test);
    ck_assert_str_eq(pose_archive_format(test.archive), format);
    ck_assert_uint_eq(pose_archive_count(test.archive), FILES);
    for (uint32_t i = 0; i < FILES; i++)
        test_entry_holds(&test, i, names[i], items[i].bytes.data, items[i].bytes.size);
    struct pass_state state = {.items = items, .skip = 5};
    struct pose_pass pass = {.wants = wants_all_but, .visit = check_visit, .user = &state};
    ck_assert(!pose_archive_each(test.archive, &pass));
    ck_assert_uint_eq(state.seen, FILES - 1);
    test_archive_close(&test);
    pose_buffer_free(&packed);
    pose_buffer_free(&again);
    for (unsigned i = 0; i < FILES; i++)
        free((void *)items[i].bytes.data);
}

/* ---------------------------------------------------------------------------------------------- damage -- */

static volatile uint8_t touched;

/* Reads every byte, so that AddressSanitizer sees whether all of them are there. */
static void touch(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        touched = bytes[i];
}

static unsigned read_all(const struct pose_archive *archive)
{
    unsigned refused = 0;
    for (uint32_t i = 0; i < pose_archive_count(archive); i++) {
        struct pose_buffer out;
        struct pose_error error;
        if (!pose_archive_read(archive, i, &out, &error)) {
            ck_assert(error.status != POSE_OK && error.code[0] && error.detail[0]);
            refused++;
        }
        touch(out.data, out.size);
        pose_buffer_free(&out);
    }
    return refused;
}

static unsigned open_and_read(const uint8_t *bytes, size_t size, const char *format)
{
    static const struct pose_options options = {.limits = {.unpacked = 1 << 20, .entries = 1000}};
    struct test_archive test;
    test_archive_open(bytes, size, format, &options, &test);
    unsigned refused = test.archive ? read_all(test.archive) : 1;
    test_archive_close(&test);
    return refused;
}

/* Opens and reads with the k-th allocation refused, until k is more than there are. */
static void open_without_memory(const struct pose_buffer *bytes, const char *format)
{
    struct refusal refusal = {.done = true};
    const struct pose_allocator allocator = {refuse_one, release, &refusal};
    const struct pose_options options = {.allocator = &allocator};
    for (unsigned k = 0; refusal.done; k++) {
        struct test_archive test;
        refusal = (struct refusal){.left = k};
        test_archive_open(bytes->data, bytes->size, format, &options, &test);
        if (test.archive)
            read_all(test.archive);
        else
            ck_assert(refusal.done);
        test_archive_close(&test);
    }
}

unsigned test_damage(const struct pose_buffer *bytes)
{
    unsigned refused = 0;
    struct pose_source source = {.bytes = {bytes->data, bytes->size}};
    const char *format = pose_detect(&source);
    open_without_memory(bytes, format);
    for (size_t size = 0; size < bytes->size; size++)
        refused += open_and_read(bytes->data, size, format);
    uint8_t *copy = malloc(bytes->size);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes->data, bytes->size);
    for (size_t i = 0; i < bytes->size; i++) {
        const uint8_t before = copy[i];
        const uint8_t patches[] = {0, 0xff, (uint8_t)(before ^ 0x80), (uint8_t)(before + 1)};
        for (unsigned k = 0; k < sizeof patches; k++) {
            copy[i] = patches[k];
            refused += open_and_read(copy, bytes->size, format);
        }
        copy[i] = before;
    }
    free(copy);
    return refused;
}
