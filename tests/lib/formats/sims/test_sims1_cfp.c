/* The keys of The Sims 1: the sequence of codes, its errors, both ways of packing, and what a lone .cfp is. */
#include "lib/core/arena.h"
#include "lib/formats/table.h"
#include "lib/formats/sims/sims1/keys.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct pose_error error;
    struct arena arena;
    struct warning_list warnings;
    struct reader reader;
    struct sims_pool pools[SIMS_PARTS];
};

static bool decode(struct fixture *f, const void *bytes, size_t size, uint32_t translations,
                   uint32_t rotations)
{
    pose_error_init(&f->error);
    arena_init(&f->arena, NULL, 0, &f->error);
    warning_list_init(&f->warnings, &f->arena);
    reader_init(&f->reader, (struct pose_bytes){bytes, size}, &f->error);
    f->pools[POSE_TRANSLATION] = (struct sims_pool){.count = translations};
    f->pools[POSE_ROTATION] = (struct sims_pool){.count = rotations};
    return sims1_keys_decode(&f->reader, &f->arena, &f->warnings, f->pools);
}

static void check_floats(const float *values, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(fabsf(values[i] - expected[i]) < 1e-6f, "%zu: %g, not %g", i, (double)values[i],
                      (double)expected[i]);
}

TEST(the_test_vector)
{
    static const uint8_t bytes[] = {0xff, 0,    0, 0x80, 0x3f, 0xfe, 1, 0, 0xfc, 0xff, 0,    0,   0,
                                    0,    0xfe, 2, 0,    0xff, 0,    0, 0, 0x3f, 0,    0x78, 0x85};
    static const float expected[] = {1, 0, 0.5f, 1, 0, 0.4f, 1, 0, 0.3999995f, 1.1f, 0, 0.4000004f};
    struct fixture f;
    ck_assert(decode(&f, bytes, sizeof bytes, 4, 0));
    check_floats(f.pools[POSE_TRANSLATION].values, expected, 12);
    ck_assert_uint_eq(reader_left(&f.reader), 0);
    ck_assert_uint_eq(f.warnings.count, 0);
    arena_release(&f.arena);
}

TEST(the_table_of_differences)
{
    static const struct {
        uint8_t code;
        float difference;
    } known[] = {{0, -0.1f}, {126, 0}, {252, 0.1f}, {133, 9.526e-7f}, {200, 0.0118972f}, {52, -0.0118972f}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct fixture f;
        uint8_t bytes[] = {known[i].code, 126, 126};
        ck_assert(decode(&f, bytes, sizeof bytes, 1, 0));
        ck_assert_float_eq_tol(f.pools[0].values[0], known[i].difference,
                               fabsf(known[i].difference) * 1e-4f + 1e-20f);
        arena_release(&f.arena);
    }
}

TEST(a_boundary_resets_nothing)
{
    /* One literal, and a run over all of two translations and a rotation: 3 * 2 + 4 values. */
    static const uint8_t bytes[] = {0xff, 0, 0, 0x80, 0x3f, 0xfe, 8, 0, 0x99};
    struct fixture f;
    ck_assert(decode(&f, bytes, sizeof bytes, 2, 1));
    for (int i = 0; i < 6; i++)
        ck_assert(f.pools[POSE_TRANSLATION].values[i] == 1);
    for (int i = 0; i < 4; i++)
        ck_assert(f.pools[POSE_ROTATION].values[i] == 1);
    ck_assert_uint_eq(f.warnings.count, 1);
    ck_assert_str_eq(f.warnings.items[0].code, "run_crosses_component");
    ck_assert_uint_eq(reader_left(&f.reader), 1); /* for no key */
    arena_release(&f.arena);
}

static const struct {
    const char *title;
    uint8_t bytes[16];
    size_t size;
    uint32_t translations, rotations;
    const char *code, *field;
    uint64_t offset;
} failures[] = {
    {"nothing at all", {0}, 0, 1, 0, "truncated", "translations[0].x", 0},
    {"too few codes", {126, 126}, 2, 1, 0, "truncated", "translations[0].z", 2},
    {"none for the rotations", {126, 126, 126}, 3, 1, 1, "truncated", "rotations[0].x", 3},
    {"half a literal", {126, 0xff, 0, 0, 0}, 5, 1, 0, "truncated", "translations[0].y", 1},
    {"half a run", {126, 0xfe, 1}, 3, 1, 0, "truncated", "translations[0].y", 1},
    {"the code without meaning", {126, 126, 126, 0xfd}, 4, 0, 2, "reserved_code", "rotations[1].y", 3},
    {"NaN", {0xff, 0, 0, 0xc0, 0x7f, 126, 126}, 7, 1, 0, "non_finite", "translations[0].x", 0},
    {"infinity", {126, 0xff, 0, 0, 0x80, 0xff, 126}, 7, 1, 0, "non_finite", "translations[0].y", 1},
    {"a run beyond the end", {126, 0xfe, 2, 0}, 4, 1, 0, "run_too_long", "codes", 1},
    {"a promise that runs cannot keep",
     {0xfe, 0xff, 0xff, 0xfe, 0xff, 0xff},
     6,
     50000,
     0,
     "truncated",
     "codes",
     6},
    {"a promise before a code without meaning",
     {0xfe, 1, 0, 0xfd},
     4,
     5000,
     5000,
     "reserved_code",
     "codes",
     3},
};

TEST_EACH(failures_name_the_key, COUNT(failures))
{
    struct fixture f;
    uint8_t *bytes = malloc(failures[_i].size + !failures[_i].size); /* so that a read past the end shows */
    memcpy(bytes, failures[_i].bytes, failures[_i].size);
    ck_assert(!decode(&f, bytes, failures[_i].size, failures[_i].translations, failures[_i].rotations));
    ck_assert_str_eq(f.error.code, failures[_i].code);
    ck_assert_str_eq(f.error.field, failures[_i].field);
    ck_assert_uint_eq(f.error.offset, failures[_i].offset);
    ck_assert_int_eq(f.error.status, POSE_BAD_DATA);
    arena_release(&f.arena);
    free(bytes);
}

TEST(a_promise_costs_nothing)
{
    static const uint8_t bytes[50] = {0xfe, 0xff, 0xff};
    struct fixture f;
    ck_assert(!decode(&f, bytes, sizeof bytes, 2000000000, 2000000000));
    ck_assert_str_eq(f.error.code, "truncated");
    ck_assert_uint_le(f.arena.held, 4096);
    arena_release(&f.arena);
}

TEST(a_promise_that_is_kept_is_believed)
{
    /* A literal and three runs: 3 * 65536 values. */
    static const uint8_t bytes[] = {0xff, 0,    0,    0x80, 0x3f, 0xfe, 0xff,
                                    0xff, 0xfe, 0xff, 0xff, 0xfe, 0xfe, 0xff};
    struct fixture f;
    ck_assert(decode(&f, bytes, sizeof bytes, 65536, 0));
    ck_assert(f.pools[POSE_TRANSLATION].values[3 * 65536 - 1] == 1);
    arena_release(&f.arena);
    ck_assert(!decode(&f, bytes, sizeof bytes, 65535, 0));
    ck_assert_str_eq(f.error.code, "run_too_long");
    arena_release(&f.arena);
    ck_assert(!decode(&f, bytes, sizeof bytes, 65537, 0));
    ck_assert_str_eq(f.error.code, "truncated");
    arena_release(&f.arena);
}

/* ----------------------------------------------------------------------------------------------- packing -- */

enum { TRANSLATIONS = 3000, ROTATIONS = 2000 };

/* Values of every kind: still, creeping, smooth, jumping, and exact zeros of both signs. */
static void fill(float *values, size_t count, unsigned components)
{
    uint32_t noise = 12345;
    for (size_t i = 0; i < count * components; i++) {
        size_t k = i / components;
        noise = noise * 1664525 + 1013904223;
        float jump = (float)(noise >> 8) / 65536;
        float kinds[] = {2, 1e-6f * (float)k, sinf((float)k * 0.05f), jump, k % 2 ? -0.0f : 0.0f};
        values[i] = kinds[(k / 300 + i % components) % 5];
    }
}

static void pack(const struct sims_pool *pools, enum sims1_keys_mode mode, struct pose_buffer *out)
{
    struct writer writer;
    struct pose_error error;
    pose_error_init(&error);
    *out = (struct pose_buffer){0};
    writer_init(&writer, out, &error);
    sims1_keys_encode(&writer, pools, mode);
    ck_assert(writer_finish(&writer));
}

struct packed {
    float translations[TRANSLATIONS * 3], rotations[ROTATIONS * 4];
    struct sims_pool pools[SIMS_PARTS];
    struct pose_buffer bytes;
    struct fixture again;
};

static void pack_and_unpack(struct packed *p, enum sims1_keys_mode mode)
{
    fill(p->translations, TRANSLATIONS, 3);
    fill(p->rotations, ROTATIONS, 4);
    p->pools[POSE_TRANSLATION] = (struct sims_pool){TRANSLATIONS, p->translations};
    p->pools[POSE_ROTATION] = (struct sims_pool){ROTATIONS, p->rotations};
    pack(p->pools, mode, &p->bytes);
    ck_assert_msg(decode(&p->again, p->bytes.data, p->bytes.size, TRANSLATIONS, ROTATIONS), "%s",
                  p->again.error.detail);
    ck_assert_uint_eq(reader_left(&p->again.reader), 0);
    ck_assert_uint_eq(p->again.warnings.count, 0);
}

static void free_packed(struct packed *p)
{
    pose_buffer_free(&p->bytes);
    arena_release(&p->again.arena);
}

TEST(lossless_is_exact)
{
    static struct packed p;
    pack_and_unpack(&p, SIMS1_KEYS_LOSSLESS);
    ck_assert_mem_eq(p.again.pools[0].values, p.translations, sizeof p.translations);
    ck_assert_mem_eq(p.again.pools[1].values, p.rotations, sizeof p.rotations);
    free_packed(&p);
}

TEST(compact_stays_within_its_error)
{
    static struct packed p;
    pack_and_unpack(&p, SIMS1_KEYS_COMPACT);
    for (size_t i = 0; i < TRANSLATIONS * 3; i++)
        ck_assert(fabsf(p.again.pools[0].values[i] - p.translations[i]) <= 5.01e-4f);
    for (size_t i = 0; i < ROTATIONS * 4; i++)
        ck_assert(fabsf(p.again.pools[1].values[i] - p.rotations[i]) <= 5.01e-4f);
    free_packed(&p);
}

/* Packs the x of translations alone, whose y and z are literals with a run. */
static void check_packed_x(const float *x, uint32_t count, enum sims1_keys_mode mode, const void *expected,
                           size_t size)
{
    float *values = calloc(count, 3 * sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[3 * i] = x[i];
    struct sims_pool pools[SIMS_PARTS] = {{count, values}, {0, NULL}};
    struct pose_buffer out;
    pack(pools, mode, &out);
    ck_assert_uint_ge(out.size, size);
    codec_check_bytes("packed x", out.data, size, expected, size);
    ck_assert_uint_eq(out.data[size], 0xff); /* y begins with a literal */
    pose_buffer_free(&out);
    free(values);
}

TEST(packing_chooses_the_codes_of_the_spec)
{
    /* Still; a difference out of the table; one too large for it; one between two entries too far apart. */
    static const float x[] = {0, 0, 0, 0.1f, 1, 1.09f};
    static const uint8_t compact[] = {0xff, 0, 0,    0,    0,    0xfe, 1,    0,    0xfc, 0xff,
                                      0,    0, 0x80, 0x3f, 0xff, 0x1f, 0x85, 0x8b, 0x3f};
    check_packed_x(x, 6, SIMS1_KEYS_COMPACT, compact, sizeof compact);
    static const uint8_t lossless[] = {0xff, 0, 0, 0, 0, 0xfe, 1, 0, 0xff, 0xcd, 0xcc, 0xcc, 0x3d};
    check_packed_x(x, 4, SIMS1_KEYS_LOSSLESS, lossless, sizeof lossless);
}

TEST(creeping_values_end_a_run)
{
    /* Within a run the bound is looser: 1e-5 from where it began, not from the value before. */
    static const float x[] = {0, 0, 8e-6f, 1.6e-5f, 1.6e-5f};
    float values[15] = {0};
    for (int i = 0; i < 5; i++)
        values[3 * i] = x[i];
    struct sims_pool pools[SIMS_PARTS] = {{5, values}, {0, NULL}};
    struct pose_buffer out;
    pack(pools, SIMS1_KEYS_COMPACT, &out);
    static const uint8_t begin[] = {0xff, 0, 0, 0, 0, 0xfe, 1, 0};
    codec_check_bytes("creeping", out.data, sizeof begin, begin, sizeof begin);
    ck_assert_uint_lt(out.data[sizeof begin], 0xfd); /* a difference */
    pose_buffer_free(&out);
}

TEST(the_longest_run)
{
    float *x = calloc(70000, sizeof *x);
    static const uint8_t bytes[] = {0xff, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xfe, 0x6e, 0x11};
    check_packed_x(x, 70000, SIMS1_KEYS_COMPACT, bytes, sizeof bytes);
    check_packed_x(x, 70000, SIMS1_KEYS_LOSSLESS, bytes, sizeof bytes);
    check_packed_x(x, 65537, SIMS1_KEYS_LOSSLESS, bytes, 8);
    free(x);
}

TEST(every_difference_finds_its_code)
{
    /* A step of exactly a table entry is written as that entry, but for the steps that a run swallows. */
    for (int code = 0; code <= 252; code++) {
        double u = 2.0 * code / 252 - 1;
        float step = (float)(copysign(u * u * u * u, u) * 0.1), values[6] = {0, 0, 0, step, 0, 0};
        struct sims_pool pools[SIMS_PARTS] = {{2, values}, {0, NULL}};
        struct pose_buffer out;
        pack(pools, SIMS1_KEYS_COMPACT, &out);
        ck_assert_int_eq(out.data[5], fabsf(step) < 1e-6f ? 0xfe : code);
        pose_buffer_free(&out);
    }
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

TEST(a_lone_file_is_looked_over)
{
    static const uint8_t bytes[] = {0xff, 0, 0, 0x80, 0x3f, 0xfe, 1, 0, 0xfc, 0x12};
    struct pose_source source = {.name = "a/XSKILL-walk.CFP", .bytes = {bytes, sizeof bytes}};
    ck_assert_str_eq(pose_detect(&source), "sims1-cfp");
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    ck_assert_ptr_nonnull(document);
    ck_assert_uint_eq(document->clip_count, 0);
    ck_assert_uint_eq(codec_warnings(document, "companion_only"), 1);
    ck_assert_int_eq(document->warnings[0].severity, POSE_NOTE);
    ck_assert_int_eq(strncmp(document->warnings[0].message, "5 numbers", 9), 0);
    pose_document_free(document);
    source.name = NULL;
    ck_assert_ptr_null(pose_detect(&source));
}

static const struct {
    uint8_t bytes[8];
    size_t size;
    const char *code;
    uint64_t offset;
} broken[] = {
    {{0, 0xfd}, 2, "reserved_code", 1},
    {{0, 0, 0xfe, 1}, 4, "truncated", 2},
    {{0xff, 0, 0, 0}, 4, "truncated", 0},
    {{1, 0xff, 0, 0, 0x80, 0x7f}, 6, "non_finite", 1},
};

TEST_EACH(a_lone_file_that_is_broken, COUNT(broken))
{
    struct pose_error error =
        codec_must_fail("sims1-cfp", broken[_i].bytes, broken[_i].size, broken[_i].code);
    ck_assert_uint_eq(error.offset, broken[_i].offset);
    ck_assert_str_eq(error.field, "codes");
}

/* One track of two frames. */
static const float times[] = {0, 0.5f};
static const float places[] = {1, 2, 3, 1.05f, 2, 3};
static const struct pose_track track = {.name = "ROOT", .channels = {{2, times, places}}};
static const struct pose_clip clip = {.name = "step",
                                      .axes = POSE_AXES_SIMS,
                                      .duration = 1,
                                      .track_count = 1,
                                      .tracks = &track,
                                      .key_count = 2};

static void check_encoded(const char *mode, const char *code, size_t size)
{
    struct pose_value value = {.kind = POSE_STRING, .key = "cfp", .as.string = mode};
    struct pose_value settings = {.kind = POSE_OBJECT, .first = &value};
    struct pose_content content = {.clip_count = 1, .clips = &clip, .settings = mode ? &settings : NULL};
    struct pose_buffer out = {0};
    struct pose_error error;
    bool done = pose_encode("sims1-cfp", &content, NULL, NULL, NULL, &out, &error);
    ck_assert_str_eq(error.code, code);
    ck_assert(done == !code[0]);
    ck_assert_uint_eq(out.size, size);
    pose_buffer_free(&out);
}

TEST(a_clip_is_packed_as_asked)
{
    check_encoded(NULL, "", 5 + 1 + 5 + 3 + 5 + 3);
    check_encoded("compact", "", 5 + 1 + 5 + 3 + 5 + 3);
    check_encoded("lossless", "", 5 + 5 + 5 + 3 + 5 + 3);
    check_encoded("tiny", "bad_setting", 0);
}
