#include "lib/formats/sims_mesh.h"

#include "lib/core/floats.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum list_id { FACES, BINDINGS, UVS, BLENDS, VERTICES, LIST_COUNT };

static const char *const face_columns[] = {"a", "b", "c"};
static const char *const binding_columns[] = {"bone", "first", "count", "blend_first", "blend_count"};
static const char *const uv_columns[] = {"u", "v"};
static const char *const blend_columns[] = {"vertex", "weight"};
static const char *const blend_columns_weight_first[] = {"weight", "vertex"};
static const char *const vertex_columns[] = {"x", "y", "z", "nx", "ny", "nz"};

static const struct mesh_list lists[LIST_COUNT] = {
    [FACES] = {"faces", "face_count", 3, face_columns},
    [BINDINGS] = {"bindings", "binding_count", 5, binding_columns},
    [UVS] = {"uvs", "uv_count", 2, uv_columns},
    [BLENDS] = {"blends", "blend_count", 2, blend_columns},
    [VERTICES] = {"vertices", "vertex_count", 6, vertex_columns},
};
static const struct mesh_list blends_weight_first = {"blends", "blend_count", 2, blend_columns_weight_first};

/* Rows of five and two 32-bit integers are read straight into these. */
static_assert(sizeof(struct pose_binding) == 5 * sizeof(uint32_t), "a binding is a row");
static_assert(sizeof(struct pose_blend) == 2 * sizeof(uint32_t), "a blend is a row");

/* A body on its way into a mesh. */
struct body {
    struct mesh_source *source;
    struct pose_mesh *mesh;
    struct mesh_place places[LIST_COUNT];
};

static const struct mesh_list *list_of(const struct body *body, enum list_id id)
{
    return id == BLENDS && body->source->encoding->weight_first ? &blends_weight_first : &lists[id];
}

/* A failure at one value of a list that was read before. Always false. */
static bool fail_value(struct body *body, enum list_id id, uint32_t row, unsigned column, const char *code,
                       const char *format, ...) POSE_PRINTF(6, 7);
static bool fail_value(struct body *body, enum list_id id, uint32_t row, unsigned column, const char *code,
                       const char *format, ...)
{
    struct mesh_source *source = body->source;
    const struct mesh_list *list = list_of(body, id);
    char reason[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    uint64_t offset = source->encoding->seek(source, &body->places[id], list->columns, row, column);
    reader_enter(source->reader, list->name, row);
    reader_fail_at(source->reader, offset, list->column_names[column], code, "%s", reason);
    reader_leave(source->reader);
    return false;
}

static uint64_t offset_of(struct body *body, enum list_id id, uint32_t row, unsigned column)
{
    struct mesh_source *source = body->source;
    return source->encoding->seek(source, &body->places[id], lists[id].columns, row, column);
}

/* ----------------------------------------------------------------------------------------------- reading -- */

static bool read_count(struct mesh_source *source, const char *field, uint32_t *count)
{
    int32_t value = source->encoding->read_count(source, field);
    *count = 0;
    if (value < 0)
        return reader_fail(source->reader, "count_too_large", "%d is no count", value);
    *count = (uint32_t)value;
    return !source->reader->failed;
}

/* The rows of a list follow at the reader's place, if they fit into what is left of the file. */
static bool begin_rows(struct body *body, enum list_id id, uint64_t rows)
{
    struct mesh_source *source = body->source;
    const struct mesh_list *list = list_of(body, id);
    if (!reader_count(source->reader, rows, source->encoding->row_size(list->columns), list->name,
                      "count_too_large"))
        return false;
    body->places[id] = (struct mesh_place){.at = source->reader->at, .line = source->lines.number};
    return true;
}

/* Zeroed memory for a list; NULL in a walk. False when memory is out. */
static bool new_rows(const struct mesh_source *source, size_t count, size_t size, void **rows)
{
    *rows = source->arena ? arena_alloc(source->arena, count, size) : NULL;
    return *rows || !source->arena;
}

static bool read_integers(struct body *body, enum list_id id, uint32_t *count, void **rows)
{
    struct mesh_source *source = body->source;
    const struct mesh_list *list = list_of(body, id);
    return read_count(source, list->count_name, count) && begin_rows(body, id, *count) &&
           new_rows(source, *count, list->columns * sizeof(uint32_t), rows) &&
           source->encoding->read_integers(source, list, *count, *rows);
}

/* The first value of a list that is NaN or infinite, which each half of its columns went to an array of. */
static bool check_finite(struct body *body, enum list_id id, uint32_t rows, unsigned width,
                         const float *values, unsigned first_column)
{
    if (!values)
        return true;
    size_t found = floats_find_non_finite(values, (size_t)rows * width);
    if (found == (size_t)rows * width)
        return true;
    return fail_value(body, id, (uint32_t)(found / width), first_column + (unsigned)(found % width),
                      "non_finite", "not a number that can be used");
}

static bool read_bones(struct mesh_source *source, struct pose_mesh *mesh, uint32_t limit)
{
    if (!read_count(source, "bone_count", &mesh->bone_count) ||
        !reader_count(source->reader, mesh->bone_count, 1, "bones", "count_too_large"))
        return false;
    if (mesh->bone_count > limit)
        return error_limit(source->reader->error, "joints", "%u bones are more than the limit of %u",
                           mesh->bone_count, limit);
    void *bones;
    if (!new_rows(source, mesh->bone_count, sizeof(char *), &bones))
        return false;
    for (uint32_t i = 0; i < mesh->bone_count && !source->reader->failed; i++) {
        reader_enter(source->reader, "bones", i);
        const char *name = source->encoding->read_text(source, NULL);
        if (bones)
            ((const char **)bones)[i] = name;
        reader_leave(source->reader);
    }
    mesh->bones = bones;
    return !source->reader->failed;
}

static bool read_uvs(struct body *body)
{
    struct mesh_source *source = body->source;
    struct pose_mesh *mesh = body->mesh;
    void *uvs;
    if (!read_count(source, "uv_count", &mesh->real_count) || !begin_rows(body, UVS, mesh->real_count) ||
        !new_rows(source, mesh->real_count, sizeof *mesh->uvs, &uvs) ||
        !source->encoding->read_floats(source, &lists[UVS], mesh->real_count, 2, uvs, NULL))
        return false;
    mesh->uvs = uvs;
    return check_finite(body, UVS, mesh->real_count, 2, uvs, 0);
}

static bool read_blends(struct body *body)
{
    void *rows;
    if (!read_integers(body, BLENDS, &body->mesh->blend_count, &rows))
        return false;
    struct pose_blend *blends = rows;
    body->mesh->blends = blends;
    if (!blends || !body->source->encoding->weight_first)
        return true;
    for (uint32_t i = 0; i < body->mesh->blend_count; i++) {
        struct pose_blend as_stored = blends[i];
        blends[i].vertex = (uint32_t)as_stored.weight;
        blends[i].weight = (int32_t)as_stored.vertex;
    }
    return true;
}

/* FreeSO's importer stores the count of real vertices alone, and writes the blended ones all the same. */
static bool read_vertex_count(struct body *body, struct warning_list *warnings)
{
    const struct pose_mesh *mesh = body->mesh;
    uint64_t wanted = (uint64_t)mesh->real_count + mesh->blend_count;
    uint32_t count;
    if (!read_count(body->source, "vertex_count", &count))
        return false;
    if (count != wanted && count != mesh->real_count)
        return reader_fail(body->source->reader, "vertex_count",
                           "%u vertices where %u uvs and %u blends need %llu", count, mesh->real_count,
                           mesh->blend_count, (unsigned long long)wanted);
    if (count != wanted && warnings)
        warning_add(warnings, POSE_WARNING, "vertex_count_quirk", reader_last_offset(body->source->reader),
                    "vertex_count counts the %u real vertices alone; the %u blended ones follow", count,
                    mesh->blend_count);
    return begin_rows(body, VERTICES, wanted);
}

static bool read_vertices(struct body *body, struct warning_list *warnings)
{
    struct mesh_source *source = body->source;
    struct pose_mesh *mesh = body->mesh;
    void *positions, *normals;
    if (!read_vertex_count(body, warnings))
        return false;
    uint32_t count = mesh->real_count + mesh->blend_count;
    if (!new_rows(source, count, sizeof *mesh->positions, &positions) ||
        !new_rows(source, count, sizeof *mesh->normals, &normals) ||
        !source->encoding->read_floats(source, &lists[VERTICES], count, 3, positions, normals))
        return false;
    mesh->positions = positions;
    mesh->normals = normals;
    return check_finite(body, VERTICES, count, 3, positions, 0) &&
           check_finite(body, VERTICES, count, 3, normals, 3);
}

static bool read_body(struct body *body, struct warning_list *warnings, uint32_t bone_limit)
{
    struct pose_mesh *mesh = body->mesh;
    void *faces, *bindings;
    if (!read_bones(body->source, mesh, bone_limit) ||
        !read_integers(body, FACES, &mesh->face_count, &faces) ||
        !read_integers(body, BINDINGS, &mesh->binding_count, &bindings) || !read_uvs(body) ||
        !read_blends(body) || !read_vertices(body, warnings))
        return false;
    mesh->faces = faces;
    mesh->bindings = bindings;
    return true;
}

/* ---------------------------------------------------------------------------------------------- checking -- */

static bool check_faces(struct body *body)
{
    const struct pose_mesh *mesh = body->mesh;
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        for (unsigned corner = 0; corner < 3; corner++) {
            if (mesh->faces[i][corner] >= mesh->real_count)
                return fail_value(body, FACES, i, corner, "face_index", "vertex %d of %u real ones",
                                  (int32_t)mesh->faces[i][corner], mesh->real_count);
        }
    }
    return true;
}

/* A range, as the file stores it, must lie within size vertices; else its start or its count is at fault. */
static bool check_range(struct body *body, uint32_t row, unsigned first_column, uint32_t first,
                        uint32_t count, uint32_t size, const char *vertices)
{
    if (count == 0 || (first < size && count <= size - first))
        return true;
    return fail_value(body, BINDINGS, row, first_column + (first < size), "binding_range",
                      "%d vertices from %d on, of %u %s ones", (int32_t)count, (int32_t)first, size,
                      vertices);
}

static bool check_binding(struct body *body, struct pose_binding *binding, uint32_t row)
{
    const struct pose_mesh *mesh = body->mesh;
    if (binding->bone >= mesh->bone_count)
        return fail_value(body, BINDINGS, row, 0, "binding_bone", "bone %d of %u", (int32_t)binding->bone,
                          mesh->bone_count);
    if (!check_range(body, row, 1, binding->first, binding->count, mesh->real_count, "real") ||
        !check_range(body, row, 3, binding->blend_first, binding->blend_count, mesh->blend_count, "blended"))
        return false;
    /* An empty range begins nowhere; files say so with -1. */
    binding->first = binding->count ? binding->first : 0;
    binding->blend_first = binding->blend_count ? binding->blend_first : 0;
    return true;
}

static bool check_bindings(struct body *body, struct pose_binding *bindings)
{
    for (uint32_t i = 0; i < body->mesh->binding_count; i++) {
        if (!check_binding(body, &bindings[i], i))
            return false;
    }
    return true;
}

static bool check_blends(struct body *body, struct warning_list *warnings)
{
    const struct pose_mesh *mesh = body->mesh;
    unsigned vertex_column = body->source->encoding->weight_first ? 1 : 0;
    for (uint32_t i = 0; i < mesh->blend_count; i++) {
        const struct pose_blend *blend = &mesh->blends[i];
        if (blend->vertex >= mesh->real_count)
            return fail_value(body, BLENDS, i, vertex_column, "blend_index", "vertex %d of %u real ones",
                              (int32_t)blend->vertex, mesh->real_count);
    }
    for (uint32_t i = 0; i < mesh->blend_count; i++) {
        int32_t weight = mesh->blends[i].weight;
        if (weight < 0 || weight > 32768)
            warning_add(warnings, POSE_WARNING, "blend_weight_out_of_range",
                        offset_of(body, BLENDS, i, 1 - vertex_column),
                        "blends[%u]: weight %d lies outside of 0 to 32768", i, weight);
    }
    return true;
}

/* Vertices that no binding covers, and such that several do. A running sum over where ranges begin and end, so that
 * many long ranges cost no more than their own number. */
static bool check_coverage(const struct pose_mesh *mesh, struct arena *arena, struct warning_list *warnings,
                           uint64_t offset)
{
    uint32_t total = mesh->real_count + mesh->blend_count, none = 0, several = 0;
    int32_t *change = ARENA_NEW(arena, int32_t, (size_t)total + 1);
    if (!change)
        return false;
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        const struct pose_binding *binding = &mesh->bindings[i];
        change[binding->first]++;
        change[binding->first + binding->count]--;
        change[mesh->real_count + binding->blend_first]++;
        change[mesh->real_count + binding->blend_first + binding->blend_count]--;
    }
    int32_t covered = 0;
    for (uint32_t i = 0; i < total; i++) {
        covered += change[i];
        none += covered == 0;
        several += covered > 1;
    }
    if (none || several)
        warning_add(warnings, POSE_WARNING, "uneven_binding_coverage", offset,
                    "no binding covers %u of the %u vertices, several cover %u", none, total, several);
    return true;
}

static bool check_body(struct body *body, struct decode_job *job)
{
    /* The memory is this check's alone, so it does not weigh on the document. */
    struct arena scratch;
    arena_init(&scratch, job->arena->allocator, job->limits->memory, job->error);
    bool done = check_faces(body) && check_bindings(body, (struct pose_binding *)body->mesh->bindings) &&
                check_blends(body, &job->warnings) &&
                check_coverage(body->mesh, &scratch, &job->warnings, offset_of(body, BINDINGS, 0, 0));
    arena_release(&scratch);
    return done;
}

/* ------------------------------------------------------------------------------------------ entry points -- */

void mesh_source_init(struct mesh_source *source, const struct mesh_encoding *encoding, struct reader *reader,
                      struct arena *arena)
{
    *source = (struct mesh_source){.encoding = encoding, .reader = reader, .arena = arena};
    if (encoding == &mesh_encoding_text)
        lines_init(&source->lines, reader);
}

bool mesh_read_names(struct mesh_source *source, struct pose_mesh *mesh)
{
    mesh->name = source->encoding->read_text(source, "name");
    mesh->texture = mesh->name ? source->encoding->read_text(source, "texture") : NULL;
    bool done = mesh->texture != NULL;
    if (done && !strcmp(mesh->texture, "x"))
        mesh->texture = NULL;
    return done;
}

bool mesh_decode(struct decode_job *job, struct mesh_source *source, struct pose_mesh *mesh)
{
    struct body body = {.source = source, .mesh = mesh};
    if (!read_body(&body, &job->warnings, job->limits->joints) || !check_body(&body, job))
        return false;
    mesh->axes = POSE_AXES_SIMS;
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return true;
}

void mesh_warn_trailing(struct decode_job *job, const struct reader *reader)
{
    if (reader_left(reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(reader),
                    "%zu bytes follow the last vertex", reader_left(reader));
}

bool mesh_walk(struct mesh_source *source)
{
    struct pose_mesh mesh = {0};
    struct body body = {.source = source, .mesh = &mesh};
    return read_body(&body, NULL, UINT32_MAX) && mesh.bone_count && mesh.real_count;
}
