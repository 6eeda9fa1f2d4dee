#include "lib/formats/sims/mesh.h"

#include "lib/formats/sims/rows.h"
#include "lib/formats/sims/tso/stream.h"

#include <assert.h>
#include <string.h>

enum { FACES, BINDINGS, UVS, BLENDS, VERTICES, LIST_COUNT };

/* Rows of five and of two integers are read straight into these. */
static_assert(sizeof(struct pose_binding) == 5 * sizeof(uint32_t), "a binding is a row");
static_assert(sizeof(struct pose_blend) == 2 * sizeof(uint32_t), "a blend is a row");

/* A mesh as stored. Lists are NULL while walking. */
struct body {
    const struct sims_mesh_form *form;
    const char *name, *texture;
    uint32_t bone_count;
    const char **bones;
    struct sims_rows rows[LIST_COUNT];
    uint32_t *faces;
    struct pose_binding *bindings; /* an empty range of blended vertices starts at -1 */
    float *uvs;
    struct pose_blend *blends; /* weight and vertex swapped if the form says so */
    float *positions, *normals;
    bool has_short_count;
    uint64_t vertex_count_offset;
};

static const struct sims_row_type row_types[LIST_COUNT] = {
    [FACES] = {"faces", "face_count", 3, {"a", "b", "c"}},
    [BINDINGS] = {"bindings", "binding_count", 5, {"bone", "first", "count", "blend_first", "blend_count"}},
    [UVS] = {"uvs", "uv_count", 2, {"u", "v"}},
    [BLENDS] = {"blends", "blend_count", 2, {"vertex", "weight"}},
    [VERTICES] = {"vertices", "vertex_count", 6, {"x", "y", "z", "nx", "ny", "nz"}},
};
static const struct sims_row_type blends_weight_first = {"blends", "blend_count", 2, {"weight", "vertex"}};

static void body_init(struct body *body, const struct sims_mesh_form *form)
{
    *body = (struct body){.form = form};
    for (int i = 0; i < LIST_COUNT; i++)
        body->rows[i].type = &row_types[i];
    if (form->weight_first)
        body->rows[BLENDS].type = &blends_weight_first;
}

/* ------------------------------------------------------------------------------------------ the file's order -- */

static void visit_bones(struct sims_stream *s, struct body *body, uint32_t limit)
{
    if (!sims_count(s, "bone_count", &body->bone_count, 1, 1))
        return;
    if (body->bone_count > limit) {
        s->reader.failed = true;
        error_limit(s->error, "joints", "%u bones, more than the limit of %u", body->bone_count, limit);
        return;
    }
    body->bones = sims_items(s, body->bones, body->bone_count, sizeof *body->bones);
    for (uint32_t i = 0; sims_more(s, i, body->bone_count); i++) {
        const char *scratch = NULL, **bone = body->bones ? &body->bones[i] : &scratch;
        sims_enter(s, "bones", i);
        sims_text(s, "name", bone);
        sims_leave(s);
    }
}

/* A list of integers: its count, memory for its rows, and the rows. */
static void *visit_integers(struct sims_stream *s, struct sims_rows *rows, void *items)
{
    if (!sims_rows_count(s, rows) || !sims_rows_begin(s, rows))
        return items;
    items = sims_items(s, items, rows->count, rows->type->columns * sizeof(uint32_t));
    if (!sims_failed(s))
        sims_rows_integers(s, rows, items);
    return items;
}

static void visit_uvs(struct sims_stream *s, struct body *body)
{
    struct sims_rows *rows = &body->rows[UVS];
    if (!sims_rows_count(s, rows) || !sims_rows_begin(s, rows))
        return;
    body->uvs = sims_items(s, body->uvs, rows->count, 2 * sizeof(float));
    if (!sims_failed(s))
        sims_rows_floats(s, rows, 2, body->uvs, NULL);
}

/* FreeSO's importer counts only the real vertices, but still writes the blended ones. */
static bool visit_vertex_count(struct sims_stream *s, struct body *body)
{
    struct sims_rows *rows = &body->rows[VERTICES];
    uint32_t real = body->rows[UVS].count, blended = body->rows[BLENDS].count;
    uint64_t wanted = (uint64_t)real + blended;
    rows->count = (uint32_t)wanted;
    if (!sims_rows_count(s, rows))
        return false;
    if (rows->count != wanted && rows->count != real)
        return reader_fail(&s->reader, "vertex_count", "%u vertices where %u uvs and %u blends need %llu",
                           rows->count, real, blended, (unsigned long long)wanted);
    body->has_short_count = rows->count != wanted;
    body->vertex_count_offset = reader_last_offset(&s->reader);
    rows->count = (uint32_t)wanted;
    return sims_rows_begin(s, rows);
}

static void visit_vertices(struct sims_stream *s, struct body *body)
{
    struct sims_rows *rows = &body->rows[VERTICES];
    if (!visit_vertex_count(s, body))
        return;
    body->positions = sims_items(s, body->positions, rows->count, 3 * sizeof(float));
    body->normals = sims_items(s, body->normals, rows->count, 3 * sizeof(float));
    if (!sims_failed(s))
        sims_rows_floats(s, rows, 3, body->positions, body->normals);
}

static void visit_mesh(struct sims_stream *s, struct body *body, uint32_t bone_limit)
{
    if (body->form->version && !tso_version(s, body->form->version))
        return;
    if (body->form->is_named) {
        sims_text(s, "name", &body->name);
        sims_text(s, "texture", &body->texture);
    }
    visit_bones(s, body, bone_limit);
    body->faces = visit_integers(s, &body->rows[FACES], body->faces);
    body->bindings = visit_integers(s, &body->rows[BINDINGS], body->bindings);
    visit_uvs(s, body);
    body->blends = visit_integers(s, &body->rows[BLENDS], body->blends);
    if (!sims_failed(s))
        visit_vertices(s, body);
}

/* -------------------------------------------------------------------------------------------------- rules -- */

static bool check_faces(struct sims_stream *s, const struct body *body)
{
    const struct sims_rows *faces = &body->rows[FACES];
    uint32_t real = body->rows[UVS].count;
    for (size_t i = 0; i < 3 * (size_t)faces->count; i++) {
        if (body->faces[i] >= real)
            return sims_rows_fail(s, faces, (uint32_t)(i / 3), (unsigned)(i % 3), "face_index",
                                  "vertex %d of %u real ones", (int32_t)body->faces[i], real);
    }
    return true;
}

/* Checks that a range lies within the vertices of its kind; otherwise blames its start or its count. column:
 * that of its start. The start of an empty range is ignored. */
static bool check_range(struct sims_stream *s, const struct body *body, uint32_t row, unsigned column,
                        uint32_t *first, uint32_t count)
{
    bool real = column == 1;
    uint32_t size = body->rows[real ? UVS : BLENDS].count;
    if (count == 0)
        *first = 0;
    if (count == 0 || (*first < size && count <= size - *first))
        return true;
    return sims_rows_fail(s, &body->rows[BINDINGS], row, column + (*first < size), "binding_range",
                          "%d vertices from %d on, of %u %s ones", (int32_t)count, (int32_t)*first, size,
                          real ? "real" : "blended");
}

static bool check_bindings(struct sims_stream *s, struct body *body)
{
    for (uint32_t i = 0; i < body->rows[BINDINGS].count; i++) {
        struct pose_binding *binding = &body->bindings[i];
        if (binding->bone >= body->bone_count)
            return sims_rows_fail(s, &body->rows[BINDINGS], i, 0, "binding_bone", "bone %d of %u",
                                  (int32_t)binding->bone, body->bone_count);
        if (!check_range(s, body, i, 1, &binding->first, binding->count) ||
            !check_range(s, body, i, 3, &binding->blend_first, binding->blend_count))
            return false;
    }
    return true;
}

static bool check_blends(struct sims_stream *s, const struct body *body, struct warning_list *warnings)
{
    const struct sims_rows *rows = &body->rows[BLENDS];
    unsigned weight_column = body->form->weight_first ? 0 : 1;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (body->blends[i].vertex >= body->rows[UVS].count)
            return sims_rows_fail(s, rows, i, 1 - weight_column, "blend_index", "vertex %d of %u real ones",
                                  (int32_t)body->blends[i].vertex, body->rows[UVS].count);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        int32_t weight = body->blends[i].weight;
        if (weight < 0 || weight > 32768)
            warning_add(warnings, POSE_WARNING, "blend_weight_out_of_range",
                        sims_rows_seek(s, rows, i, weight_column),
                        "blends[%u]: weight %d is not between 0 and 32768", i, weight);
    }
    return true;
}

/* Finds vertices covered by no binding or by several. Uses a running sum over the ends of ranges, so that the
 * cost depends only on their number, not their length. */
static bool check_coverage(struct sims_stream *s, const struct body *body, struct arena *arena,
                           struct warning_list *warnings)
{
    uint32_t real = body->rows[UVS].count, total = body->rows[VERTICES].count, none = 0, several = 0;
    int32_t *change = ARENA_NEW(arena, int32_t, (size_t)total + 1), covered = 0;
    if (!change)
        return false;
    for (uint32_t i = 0; i < body->rows[BINDINGS].count; i++) {
        const struct pose_binding *binding = &body->bindings[i];
        change[binding->first]++;
        change[binding->first + binding->count]--;
        change[real + binding->blend_first]++;
        change[real + binding->blend_first + binding->blend_count]--;
    }
    for (uint32_t i = 0; i < total; i++) {
        covered += change[i];
        none += covered == 0;
        several += covered > 1;
    }
    if (none || several)
        warning_add(warnings, POSE_WARNING, "uneven_binding_coverage",
                    sims_rows_seek(s, &body->rows[BINDINGS], 0, 0),
                    "no binding covers %u of the %u vertices, several cover %u", none, total, several);
    return true;
}

static bool check_body(struct sims_stream *s, struct body *body, struct decode_job *job)
{
    /* Scratch memory of this check, not counted against the document. */
    struct arena scratch;
    arena_init(&scratch, job->arena->allocator, job->limits->memory, job->error);
    bool done = check_faces(s, body) && check_bindings(s, body) && check_blends(s, body, &job->warnings) &&
                check_coverage(s, body, &scratch, &job->warnings);
    arena_release(&scratch);
    return done;
}

static void warn_odd_sizes(const struct sims_stream *s, const struct body *body,
                           struct warning_list *warnings)
{
    if (body->has_short_count)
        warning_add(warnings, POSE_WARNING, "vertex_count_quirk", body->vertex_count_offset,
                    "vertex_count counts only the %u real vertices; the %u blended ones follow",
                    body->rows[UVS].count, body->rows[BLENDS].count);
    if (s->encoding->is_text && !lines_at_end(&s->lines))
        warning_add(warnings, POSE_WARNING, "trailing_lines", reader_offset(&s->reader),
                    "text after the last vertex, from line %u on", s->lines.number + 1);
    else if (!s->encoding->is_text && reader_left(&s->reader))
        warning_add(warnings, POSE_WARNING, "trailing_bytes", reader_offset(&s->reader),
                    "%zu bytes after the last vertex", reader_left(&s->reader));
}

/* ------------------------------------------------------------------------------------------- to the model -- */

static void swap_blends(struct pose_blend *blends, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        blends[i] = (struct pose_blend){(uint32_t)blends[i].weight, (int32_t)blends[i].vertex};
}

static void fill_mesh(const struct body *body, struct pose_mesh *mesh)
{
    bool has_texture = body->texture && strcmp(body->texture, "x");
    *mesh = (struct pose_mesh){.name = body->name,
                               .texture = has_texture ? body->texture : NULL,
                               .axes = POSE_AXES_SIMS,
                               .bone_count = body->bone_count,
                               .bones = body->bones,
                               .face_count = body->rows[FACES].count,
                               .faces = (const uint32_t(*)[3])body->faces,
                               .real_count = body->rows[UVS].count,
                               .blend_count = body->rows[BLENDS].count,
                               .uvs = (const float(*)[2])body->uvs,
                               .blends = body->blends,
                               .positions = (const float(*)[3])body->positions,
                               .normals = (const float(*)[3])body->normals,
                               .binding_count = body->rows[BINDINGS].count,
                               .bindings = body->bindings};
}

bool sims_mesh_probe(const struct sims_mesh_form *form, struct pose_bytes bytes)
{
    struct sims_stream s;
    struct body body;
    body_init(&body, form);
    sims_stream_walk(&s, form->encoding, bytes);
    visit_mesh(&s, &body, UINT32_MAX);
    bool at_end = form->encoding->is_text ? lines_at_end(&s.lines) : !reader_left(&s.reader);
    return !sims_failed(&s) && at_end && body.bone_count && body.rows[UVS].count;
}

bool sims_mesh_decode(const struct sims_mesh_form *form, struct decode_job *job)
{
    struct sims_stream s;
    struct body body;
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    body_init(&body, form);
    sims_stream_read(&s, form->encoding, job->source->bytes, job->arena, job->error);
    visit_mesh(&s, &body, job->limits->joints);
    if (!mesh || sims_failed(&s))
        return false;
    if (form->weight_first)
        swap_blends(body.blends, body.rows[BLENDS].count);
    if (!check_body(&s, &body, job))
        return false;
    warn_odd_sizes(&s, &body, &job->warnings);
    fill_mesh(&body, mesh);
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return true;
}

/* ----------------------------------------------------------------------------------------- and back again -- */

static bool check_content(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (content->mesh_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_mesh", "the file holds one mesh, not %u",
                         content->mesh_count);
    if (content->meshes->axes != POSE_AXES_SIMS)
        return error_set(job->error, POSE_BAD_ARGUMENT, "foreign_axes",
                         "the mesh is not in the axes of The Sims, and its bones' spaces cannot be turned");
    return true;
}

/* Bindings and blends as the file stores them; everything else is borrowed from the mesh, and writing does not
 * change it. */
static bool body_build(struct encode_job *job, struct body *body)
{
    const struct pose_mesh *mesh = job->content->meshes;
    body->name = mesh->name ? mesh->name : "";
    body->texture = mesh->texture ? mesh->texture : "x";
    body->bone_count = mesh->bone_count;
    body->bones = (const char **)mesh->bones;
    body->rows[FACES].count = mesh->face_count;
    body->rows[BINDINGS].count = mesh->binding_count;
    body->rows[UVS].count = mesh->real_count;
    body->rows[BLENDS].count = mesh->blend_count;
    body->faces = (uint32_t *)mesh->faces;
    body->uvs = (float *)mesh->uvs;
    body->positions = (float *)mesh->positions;
    body->normals = (float *)mesh->normals;
    body->bindings = ARENA_NEW(job->arena, struct pose_binding, mesh->binding_count);
    body->blends = ARENA_NEW(job->arena, struct pose_blend, mesh->blend_count);
    if (!body->bindings || !body->blends)
        return false;
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        body->bindings[i] = mesh->bindings[i];
        if (!mesh->bindings[i].blend_count)
            body->bindings[i].blend_first = UINT32_MAX;
    }
    for (uint32_t i = 0; i < mesh->blend_count; i++)
        body->blends[i] = mesh->blends[i];
    if (body->form->weight_first)
        swap_blends(body->blends, mesh->blend_count);
    return true;
}

bool sims_mesh_encode(const struct sims_mesh_form *form, struct encode_job *job)
{
    struct sims_stream s;
    struct body body;
    body_init(&body, form);
    if (!check_content(job) || !body_build(job, &body))
        return false;
    if (!form->is_named && job->content->meshes->texture)
        encode_warn(job, "texture_dropped", "the file has no place for the name of a texture, \"%s\"",
                    body.texture);
    sims_stream_write(&s, form->encoding, job);
    visit_mesh(&s, &body, UINT32_MAX);
    return !sims_failed(&s);
}
