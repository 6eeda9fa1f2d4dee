/* Meshes of The Sims: one body in three encodings, its rules, and the real files. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

/* A triangle of two bones whose vertex 1 is blended; hostile cases replace one of its lines. */
static const char *const small[] = {
    "small",       "texture",     "2",           "A",
    "B",           "1",           "0 1 2",              /* 6: faces */
    "2",           "0 0 2 -1 0",  "1 2 1 0 1",          /* 8: bindings */
    "3",           "0 0",         "1 -0.38",     "0 1", /* 11: uvs */
    "1",           "1 8192",                            /* 15: blends */
    "4",           "0 0 0 0 1 0", "1 0 0 0 1 0", "0 1 -5.88894e-005 0 1 0",
    "2 0 0 0 0 1",
};
enum { SMALL_LINES = sizeof small / sizeof *small };

/* The small mesh with its line (1 …) replaced; NULL ends the file there. */
static char *small_text(unsigned line, const char *replacement)
{
    static char text[4096];
    text[0] = 0;
    for (unsigned i = 0; i < SMALL_LINES; i++) {
        const char *content = i + 1 == line ? replacement : small[i];
        if (!content)
            break;
        strcat(text, content);
        strcat(text, "\r\n");
    }
    return text;
}

static struct pose_document *decode_small(unsigned line, const char *replacement)
{
    const char *text = small_text(line, replacement);
    return codec_must_decode("sims1-skn", text, strlen(text));
}

static struct pose_buffer encode(const char *format, const struct pose_mesh *mesh)
{
    struct pose_content content = {.mesh_count = 1, .meshes = mesh};
    return codec_must_encode(format, &content, NULL);
}

static void check_texts_equal(const char *a, const char *b)
{
    ck_assert(!a == !b);
    if (a)
        ck_assert_str_eq(a, b);
}

static void check_bytes_equal(const void *a, const void *b, size_t size)
{
    ck_assert(size == 0 || !memcmp(a, b, size));
}

/* The same mesh, bit by bit; a .mesh has no names. */
static void check_meshes_equal(const struct pose_mesh *a, const struct pose_mesh *b, bool named)
{
    if (named) {
        check_texts_equal(a->name, b->name);
        check_texts_equal(a->texture, b->texture);
    }
    ck_assert_uint_eq(a->bone_count, b->bone_count);
    for (uint32_t i = 0; i < a->bone_count; i++)
        ck_assert_str_eq(a->bones[i], b->bones[i]);
    ck_assert_uint_eq(a->face_count, b->face_count);
    ck_assert_uint_eq(a->real_count, b->real_count);
    ck_assert_uint_eq(a->blend_count, b->blend_count);
    ck_assert_uint_eq(a->binding_count, b->binding_count);
    size_t vertices = (size_t)a->real_count + a->blend_count;
    check_bytes_equal(a->faces, b->faces, a->face_count * sizeof *a->faces);
    check_bytes_equal(a->uvs, b->uvs, a->real_count * sizeof *a->uvs);
    check_bytes_equal(a->blends, b->blends, a->blend_count * sizeof *a->blends);
    check_bytes_equal(a->bindings, b->bindings, a->binding_count * sizeof *a->bindings);
    check_bytes_equal(a->positions, b->positions, vertices * sizeof *a->positions);
    check_bytes_equal(a->normals, b->normals, vertices * sizeof *a->normals);
}

/* ---------------------------------------------------------------------------------------------- contents -- */

TEST(fields_go_where_they_belong)
{
    struct pose_document *document = decode_small(0, NULL);
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_str_eq(mesh->name, "small");
    ck_assert_str_eq(mesh->texture, "texture");
    ck_assert_int_eq(mesh->axes, POSE_AXES_SIMS);
    ck_assert_uint_eq(mesh->bone_count, 2);
    ck_assert_str_eq(mesh->bones[1], "B");
    ck_assert_uint_eq(mesh->face_count, 1);
    ck_assert_uint_eq(mesh->faces[0][2], 2);
    ck_assert_uint_eq(mesh->binding_count, 2);
    ck_assert_uint_eq(mesh->bindings[0].blend_first, 0); /* -1 in the file */
    ck_assert_uint_eq(mesh->bindings[0].blend_count, 0);
    ck_assert_uint_eq(mesh->bindings[1].first, 2);
    ck_assert_uint_eq(mesh->bindings[1].blend_count, 1);
    ck_assert_uint_eq(mesh->real_count, 3);
    ck_assert_uint_eq(mesh->blend_count, 1);
    ck_assert(mesh->uvs[1][1] == -0.38f);
    ck_assert_uint_eq(mesh->blends[0].vertex, 1);
    ck_assert_int_eq(mesh->blends[0].weight, 8192);
    ck_assert(mesh->positions[2][2] == -5.88894e-5f);
    ck_assert(mesh->positions[3][0] == 2);
    ck_assert(mesh->normals[3][2] == 1 && mesh->normals[3][1] == 0);
    ck_assert_uint_eq(document->warning_count, 0);
    pose_document_free(document);
}

TEST(texture_x_is_none)
{
    struct pose_document *document = decode_small(2, "x");
    ck_assert_ptr_null(document->meshes->texture);
    pose_document_free(document);
}

TEST(blends_are_weight_first_in_binary)
{
    static const uint8_t little[] = {0, 0x20, 0, 0, 1, 0, 0, 0}, big[] = {0, 0, 0x20, 0, 0, 0, 0, 1};
    struct pose_document *document = decode_small(0, NULL);
    const struct pose_mesh *mesh = document->meshes;
    struct pose_buffer bmf = encode("sims1-bmf", mesh), tso = encode("tso-mesh", mesh);
    ck_assert_ptr_nonnull(memmem(bmf.data, bmf.size, little, sizeof little));
    ck_assert_ptr_nonnull(memmem(tso.data, tso.size, big, sizeof big));
    pose_buffer_free(&bmf);
    pose_buffer_free(&tso);
    pose_document_free(document);
}

/* mesh in that format and back again: the same, and written once more the same bytes. */
static void check_round_trip(const char *format, const struct pose_mesh *mesh, bool named)
{
    struct pose_buffer bytes = encode(format, mesh);
    struct pose_document *document = codec_must_decode(NULL, bytes.data, bytes.size);
    ck_assert_str_eq(document->format, format);
    check_meshes_equal(mesh, document->meshes, named);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    struct pose_buffer again = encode(format, document->meshes);
    codec_check_bytes(format, again.data, again.size, bytes.data, bytes.size);
    pose_buffer_free(&again);
    pose_buffer_free(&bytes);
    pose_document_free(document);
}

static void check_all_round_trips(const struct pose_mesh *mesh)
{
    check_round_trip("sims1-skn", mesh, mesh->name);
    check_round_trip("sims1-bmf", mesh, mesh->name);
    check_round_trip("tso-mesh", mesh, false);
}

TEST(small_mesh_goes_round)
{
    struct pose_document *document = decode_small(2, "x");
    check_all_round_trips(document->meshes);
    pose_document_free(document);
}

TEST_EACH(long_names_go_round_in_bmf, 4)
{
    static const size_t lengths[] = {254, 255, 256, 1000};
    char name[1001];
    memset(name, 'n', sizeof name);
    name[lengths[_i]] = 0;
    struct pose_document *document = decode_small(1, name);
    check_round_trip("sims1-bmf", document->meshes, true);
    pose_document_free(document);
}

static const struct {
    const char *format, *name, *code;
} refused_names[] = {
    {"sims1-skn", "two\nlines", "bad_text"},
    {"sims1-skn", " blank", "bad_text"},
    {"sims1-skn", "\xe2\x98\x83", "bad_text"},
    {"sims1-bmf", "\xe2\x98\x83", "bad_text"},
};

TEST_EACH(names_that_do_not_fit_are_refused, COUNT(refused_names))
{
    struct pose_document *document = decode_small(0, NULL);
    struct pose_mesh mesh = *document->meshes;
    struct pose_content content = {.mesh_count = 1, .meshes = &mesh};
    struct pose_buffer out;
    struct pose_error error;
    mesh.name = refused_names[_i].name;
    ck_assert(!pose_encode(refused_names[_i].format, &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, refused_names[_i].code);
    ck_assert_ptr_null(out.data);
    pose_document_free(document);
}

/* ----------------------------------------------------------------------------------------------- hostile -- */

static const struct {
    unsigned line; /* replaced by content (NULL: the file ends too early) */
    const char *content, *code, *field;
    unsigned error_line;
} broken_texts[] = {
    {1, NULL, "truncated", "name", 1},
    {3, "-1", "count_too_large", "bone_count", 3},
    {3, "2000000000", "count_too_large", "bone_count", 3},
    {3, "two", "bad_number", "bone_count", 3},
    {3, "2.0", "bad_number", "bone_count", 3},
    {3, "2 2", "bad_number", "", 3},
    {5, NULL, "truncated", "bones[1].name", 5},
    {6, "2147483647", "count_too_large", "face_count", 6},
    {7, "0 1 3", "face_index", "faces[0].c", 7},
    {7, "-1 1 2", "face_index", "faces[0].a", 7},
    {7, "0 1", "bad_number", "faces[0].c", 7},
    {7, "0 1 2 0", "bad_number", "faces[0]", 7},
    {9, "2 0 2 -1 0", "binding_bone", "bindings[0].bone", 9},
    {9, "-1 0 2 -1 0", "binding_bone", "bindings[0].bone", 9},
    {9, "0 0 4 -1 0", "binding_range", "bindings[0].count", 9},
    {9, "0 -1 2 -1 0", "binding_range", "bindings[0].first", 9},
    {9, "0 0 -1 -1 0", "binding_range", "bindings[0].count", 9},
    {10, "1 2147483647 2147483647 0 1", "binding_range", "bindings[1].first", 10},
    {10, "1 2 1 -1 1", "binding_range", "bindings[1].blend_first", 10},
    {10, "1 2 1 1 1", "binding_range", "bindings[1].blend_first", 10},
    {13, "1 1.#QNAN", "non_finite", "uvs[1].v", 13},
    {13, "1 nan", "non_finite", "uvs[1].v", 13},
    {16, "3 8192", "blend_index", "blends[0].vertex", 16},
    {16, "-1 8192", "blend_index", "blends[0].vertex", 16},
    {17, "5", "vertex_count", "vertex_count", 17},
    {17, "2", "vertex_count", "vertex_count", 17},
    {20, "0 1 -1.#IND 0 1 0", "non_finite", "vertices[2].z", 20},
    {20, "0 1 2 0 1e999 0", "non_finite", "vertices[2].ny", 20},
    {20, "0 1 2 0 1,5 0", "bad_number", "vertices[2].ny", 20},
    {18, NULL, "count_too_large", "vertex_count", 17},
    {21, NULL, "truncated", "vertices[3].x", 21},
};

TEST_EACH(broken_texts_say_line_and_field, COUNT(broken_texts))
{
    const char *text = small_text(broken_texts[_i].line, broken_texts[_i].content);
    struct pose_error error = codec_must_fail("sims1-skn", text, strlen(text), broken_texts[_i].code);
    ck_assert_int_eq(error.status, POSE_BAD_DATA);
    ck_assert_str_eq(error.field, broken_texts[_i].field);
    ck_assert_uint_eq(error.line, broken_texts[_i].error_line);
    ck_assert_uint_le(error.offset, strlen(text));
}

/* Offsets in the small mesh as .mesh: version 0, bones 4 (two texts of 2 bytes at 8), faces 12, bindings 28,
 * uvs 72, blends 100, vertices 112; there are 212 bytes. */
static const struct {
    unsigned offset;
    uint8_t bytes[4];
    const char *code, *field, *detail;
} broken_bytes[] = {
    {0, {0, 0, 0, 1}, "bad_version", "version", "version at byte 0: version 1, only 2 is supported"},
    {4, {0x7f, 0xff, 0xff, 0xff}, "count_too_large", "bone_count", NULL},
    {8, {255, 'A', 1, 'B'}, "truncated", "bones[0].name", NULL},
    {12, {0x80, 0, 0, 0}, "count_too_large", "face_count", NULL},
    {12,
     {0, 0, 0, 17},
     "count_too_large",
     "face_count",
     "face_count at byte 12: 17 faces of 12 bytes promised, 196 bytes left"},
    {20, {0, 0, 0, 3}, "face_index", "faces[0].b", "faces[0].b at byte 20: vertex 3 of 3 real ones"},
    {32, {0, 0, 0, 9}, "binding_bone", "bindings[0].bone", NULL},
    {60, {0, 0, 0, 7}, "binding_range", "bindings[1].count", NULL},
    {80, {0, 0, 0x80, 0x7f}, "non_finite", "uvs[0].v", NULL},
    {108,
     {0, 0, 0, 3},
     "blend_index",
     "blends[0].vertex",
     "blends[0].vertex at byte 108: vertex 3 of 3 real ones"},
    {112, {0, 0, 0, 2}, "vertex_count", "vertex_count", NULL},
    {160, {1, 0, 0xc0, 0xff}, "non_finite", "vertices[1].nz", NULL},
};

static uint8_t *small_mesh_bytes(size_t *size)
{
    struct pose_document *document = decode_small(0, NULL);
    struct pose_buffer bytes = encode("tso-mesh", document->meshes);
    uint8_t *copy = malloc(bytes.size);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes.data, *size = bytes.size);
    pose_buffer_free(&bytes);
    pose_document_free(document);
    return copy;
}

TEST_EACH(broken_bytes_say_offset_and_field, COUNT(broken_bytes))
{
    size_t size;
    uint8_t *data = small_mesh_bytes(&size);
    ck_assert_uint_eq(size, 212);
    memcpy(data + broken_bytes[_i].offset, broken_bytes[_i].bytes, 4);
    struct pose_error error = codec_must_fail("tso-mesh", data, size, broken_bytes[_i].code);
    ck_assert_str_eq(error.field, broken_bytes[_i].field);
    if (broken_bytes[_i].detail)
        ck_assert_str_eq(error.detail, broken_bytes[_i].detail);
    ck_assert_uint_eq(error.line, 0);
    free(data);
}

TEST(every_truncation_is_refused)
{
    size_t size;
    uint8_t *data = small_mesh_bytes(&size);
    for (size_t length = 0; length < size; length++) {
        struct pose_error error;
        uint8_t *part = malloc(length ? length : 1); /* so that a sanitizer sees a byte too far */
        ck_assert_ptr_nonnull(part);
        memcpy(part, data, length);
        ck_assert_ptr_null(codec_decode("tso-mesh", part, length, &error));
        ck_assert(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"));
        ck_assert_uint_le(error.offset, length);
        free(part);
    }
    free(data);
}

TEST(a_huge_count_costs_nothing)
{
    static const uint8_t bytes[50] = {0, 0, 0, 2, 0x7f, 0xff, 0xff, 0xff};
    codec_must_fail("tso-mesh", bytes, sizeof bytes, "count_too_large");
    ck_assert_uint_le(codec_memory("tso-mesh", bytes, sizeof bytes), 4096);
}

TEST(too_many_bones_hit_the_limit)
{
    struct pose_options options = {.limits = {.joints = 1}};
    const char *text = small_text(0, NULL);
    struct pose_source source = {.bytes = {(const uint8_t *)text, strlen(text)}};
    struct pose_error error;
    ck_assert_ptr_null(pose_decode(&source, &options, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "joints");
}

/* ---------------------------------------------------------------------------------------------- warnings -- */

static const struct {
    unsigned line;
    const char *content, *code;
} odd_texts[] = {
    {17, "3", "vertex_count_quirk"},
    {9, "0 0 1 -1 0", "uneven_binding_coverage"},
    {9, "0 0 3 -1 0", "uneven_binding_coverage"},
    {10, "1 2 1 -1 0", "uneven_binding_coverage"},
    {16, "1 32769", "blend_weight_out_of_range"},
    {16, "1 -1", "blend_weight_out_of_range"},
    {21, "2 0 0 0 0 1\r\nmore", "trailing_lines"},
};

TEST_EACH(odd_texts_are_warned_of, COUNT(odd_texts))
{
    struct pose_document *document = decode_small(odd_texts[_i].line, odd_texts[_i].content);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    ck_assert_uint_eq(codec_warnings(document, odd_texts[_i].code), 1);
    ck_assert(document->meshes->positions[3][0] == 2);
    pose_document_free(document);
}

TEST(blank_lines_and_missing_last_line_end_are_harmless)
{
    const char *text = small_text(17, "\r\n 4 \r\n");
    struct pose_document *document = codec_must_decode("sims1-skn", text, strlen(text) - 2);
    ck_assert(document->meshes->normals[3][2] == 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
}

TEST(trailing_bytes_are_warned_of)
{
    size_t size;
    uint8_t *data = small_mesh_bytes(&size);
    data = realloc(data, size + 3);
    ck_assert_ptr_nonnull(data);
    memset(data + size, 0, 3);
    struct pose_document *document = codec_must_decode("tso-mesh", data, size + 3);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(document->warnings[0].offset, size);
    pose_document_free(document);
    free(data);
}

/* Without an exact walk the extension decides. */
TEST(names_decide_where_bytes_do_not)
{
    static const struct {
        const char *name, *format;
    } names[] = {{"a.skn", "sims1-skn"}, {"A.BMF", "sims1-bmf"}, {"b.mesh", "tso-mesh"}, {"b.txt", NULL}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct pose_source source = {.name = names[i].name, .bytes = {(const uint8_t *)"\0\1", 2}};
        check_texts_equal(pose_detect(&source), names[i].format);
    }
}

/* ------------------------------------------------------------------------------------------------ corpus -- */

struct totals {
    unsigned files, short_counts, vertices, faces;
};

static void check_real_file(const char *path, const char *format, struct totals *totals)
{
    struct test_file file;
    ck_assert(test_file_read(path, &file));
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    ck_assert_str_eq(document->format, format);
    const struct pose_mesh *mesh = document->meshes;
    uint32_t quirk = codec_warnings(document, "vertex_count_quirk");
    ck_assert_uint_eq(codec_warnings(document, NULL), quirk);
    totals->files++;
    totals->short_counts += quirk;
    totals->vertices += mesh->real_count;
    totals->faces += mesh->face_count;
    check_all_round_trips(mesh);
    if (!strcmp(format, "tso-mesh")) {
        /* The same bytes again, but for the short count. */
        struct pose_buffer again = encode(format, mesh);
        size_t count_at = file.size - 24 * ((size_t)mesh->real_count + mesh->blend_count) - 4;
        ck_assert_uint_gt(again.size, count_at);
        ck_assert(quirk == (memcmp(again.data + count_at, file.data + count_at, 4) != 0));
        memcpy(again.data + count_at, file.data + count_at, 4);
        codec_check_bytes(path, again.data, again.size, file.data, file.size);
        pose_buffer_free(&again);
    }
    pose_document_free(document);
    test_file_free(&file);
}

static struct totals check_real_files(const char *folder, const char *suffix, const char *format)
{
    struct totals totals = {0};
    struct test_paths paths;
    if (!corpus_list(folder, suffix, &paths))
        return totals;
    for (size_t i = 0; i < paths.count; i++)
        check_real_file(paths.items[i], format, &totals);
    test_paths_free(&paths);
    return totals;
}

TEST(real_skn_files_decode)
{
    struct totals totals = check_real_files("sims/sims1", ".skn", "sims1-skn");
    if (!totals.files)
        return;
    ck_assert_uint_eq(totals.files, 12);
    ck_assert_uint_eq(totals.short_counts, 0);
    ck_assert_uint_eq(totals.vertices, 2535);
    ck_assert_uint_eq(totals.faces, 3194);
}

TEST(real_mesh_files_decode)
{
    struct totals totals = check_real_files("sims/tso/mesh", ".mesh", "tso-mesh");
    if (!totals.files)
        return;
    ck_assert_uint_eq(totals.files, 21);
    ck_assert_uint_eq(totals.short_counts, 8);
}
