/*
 * The Sims 3: an object's model (MODL, type 0x01661233), a list of its levels of detail, and one of these (MLOD,
 * type 0x01D10F34), which a MODL may hold as a chunk:
 *
 *     "MODL"  u32 version, n   f32[6] bounds   [0x102: u32 m, 24 bytes each, u32, f32]
 *             u32 reference, flags, level, f32 nearest, farthest each
 *     "MLOD"  u32 version, n   u32 size each, then name, material, VRTF, VBUF, IBUF, primitive, offset of vertices,
 *             start, first index, lowest vertex, vertices, triangles, f32[6] bounds, SKIN, u32 n bones, scale, u32
 *             n states of u32[5], [0x202: u32, f32[4]]
 *
 * The finest level becomes one mesh with a primitive per part. Facts: sims3-geom.md, 7.
 */
#include "lib/formats/sims3/body/model.h"
#include "lib/formats/sims3/known_names.h"

#include <string.h>

enum {
    MODL_FIRST = 0x100,
    MODL_LAST = 0x102,
    MLOD_FIRST = 0x201,
    MLOD_LAST = 0x203,
    MLOD_TAIL = 0x202, /* version from which parts end with five more words */
    LEVEL_SIZE = 20,
    STATE_SIZE = 20,
    SHADOW_LEVEL = 1 << 16,
    TRIANGLES = 3,
};
#define SHADOW_BUFFER 0x0229684bu

/* ------------------------------------------------------------------------------------------------- references -- */

bool model_follow(struct model *model, struct reader *reader, uint32_t reference, int64_t *chunk)
{
    uint32_t kind = reference >> 28, index = (reference & 0xfffffff) - 1;
    *chunk = MODEL_NO_CHUNK;
    if (!reference || reader->failed)
        return !reader->failed;
    if (kind > 1 || !(reference & 0xfffffff))
        return reader_fail(reader, "bad_reference", "%08x is not a reference to a chunk", reference);
    uint64_t found = (uint64_t)index + (kind ? model->rcol.public_count : 0);
    if (found >= model->rcol.chunk_count)
        return reader_fail(reader, "bad_reference", "%08x is chunk %llu of %u", reference,
                           (unsigned long long)found, model->rcol.chunk_count);
    *chunk = (int64_t)found;
    return true;
}

static bool read_reference(struct model *model, struct reader *reader, const char *field, int64_t *chunk)
{
    uint32_t reference = reader_u32le(reader, field);
    return model_follow(model, reader, reference, chunk);
}

/* ------------------------------------------------------------------------------------------------------ parts -- */

static bool check_bounds(struct reader *reader)
{
    for (int i = 0; i < 6; i++)
        reader_finite_f32le(reader, "bounds", "non_finite");
    return !reader->failed;
}

static bool check_skin(struct model *model, int64_t chunk)
{
    struct reader skin;
    if (chunk < 0)
        return true;
    if (!rcol_open(&model->rcol, (uint32_t)chunk, "SKIN", &skin))
        return false;
    reader_u32le(&skin, "version");
    uint32_t count = reader_u32le(&skin, "bone_count");
    if (!reader_count(&skin, count, 4 + 48, "bones", "truncated"))
        return false;
    reader_skip(&skin, 4 * (uint64_t)count, "bones");
    for (uint64_t i = 0; i < 12 * (uint64_t)count && !skin.failed; i++)
        reader_finite_f32le(&skin, "matrix", "non_finite");
    return !skin.failed;
}

static bool read_bones(struct model *model, struct reader *reader, struct model_part *part)
{
    part->bone_count = reader_u32le(reader, "bone_count");
    part->bone_first = model->bone_count;
    if (!reader_count(reader, part->bone_count, 4, "bones", "truncated"))
        return false;
    if (part->bone_count > MODEL_MAX_BONES - model->bone_count)
        return reader_fail(reader, "bad_count", "more than %d bones", MODEL_MAX_BONES);
    for (uint32_t i = 0; i < part->bone_count; i++)
        model->bone_ids[model->bone_count++] = reader_u32le(reader, "bone");
    return true;
}

/* Alternative appearances: the one named first in the first part is shown. */
static bool read_states(struct model *model, struct reader *reader, struct model_part *part)
{
    uint32_t count = reader_u32le(reader, "state_count"), shown = 0;
    if (!reader_count(reader, count, STATE_SIZE, "states", "truncated"))
        return false;
    for (uint32_t i = 0; i < model->part_count && !shown; i++)
        shown = model->parts[i].state_name;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t values[5];
        for (int k = 0; k < 5; k++)
            values[k] = reader_u32le(reader, "state");
        if (!i)
            part->state_name = values[0];
        shown = shown ? shown : values[0];
        if (values[0] != shown)
            continue;
        part->index_first = values[1];
        part->triangle_count = values[4];
    }
    return !reader->failed;
}

struct part_chunks {
    int64_t material, layout, vertices, indices, skin;
};

static bool read_row(struct model *model, struct reader *reader, struct model_part *part,
                     struct part_chunks *chunks)
{
    reader_u32le(reader, "name");
    if (!read_reference(model, reader, "material", &chunks->material) ||
        !read_reference(model, reader, "layout", &chunks->layout) ||
        !read_reference(model, reader, "vertex_buffer", &chunks->vertices) ||
        !read_reference(model, reader, "index_buffer", &chunks->indices))
        return false;
    uint32_t primitive = reader_u32le(reader, "primitive_type") & UINT8_MAX;
    if (!reader->failed && primitive != TRIANGLES) {
        warning_add(&model->job->warnings, POSE_WARNING, "primitive_type", reader_last_offset(reader),
                    "primitives of type %u are not drawn", primitive);
        part->is_shadow = true;
    }
    part->vertices_offset = reader_u32le(reader, "vertices_offset");
    reader_u32le(reader, "start_vertex");
    part->index_first = reader_u32le(reader, "first_index");
    reader_u32le(reader, "lowest_vertex");
    part->vertex_count = reader_u32le(reader, "vertex_count");
    if (!reader->failed && part->vertex_count > MODEL_MAX_VERTICES)
        return reader_fail(reader, "bad_count", "%u vertices; at most %d", part->vertex_count,
                           MODEL_MAX_VERTICES);
    part->triangle_count = reader_u32le(reader, "triangle_count");
    return check_bounds(reader) && read_reference(model, reader, "skin", &chunks->skin) &&
           check_skin(model, chunks->skin) && read_bones(model, reader, part);
}

/* Reads the chunks that the row refers to. Skips shadows. */
static bool read_chunks(struct model *model, struct reader *reader, struct model_part *part,
                        const struct part_chunks *chunks)
{
    uint32_t shader = 0;
    if (chunks->material >= 0 && !model_read_material(model, (uint32_t)chunks->material, part, &shader))
        return false;
    part->is_shadow |=
        chunks->layout < 0 || shader == (uint32_t)SHADER_DROP_SHADOW || shader == SHADER_SHADOW_MAP ||
        (chunks->vertices >= 0 && model->rcol.chunks[chunks->vertices].key.type == SHADOW_BUFFER);
    if (part->is_shadow)
        return true;
    if (chunks->vertices < 0 || chunks->indices < 0)
        return reader_fail(reader, "bad_reference", "a part without vertices or indices");
    return model_read_layout(model, (uint32_t)chunks->layout, &part->layout) &&
           model_read_vertices(model, (uint32_t)chunks->vertices, part) &&
           model_read_indices(model, (uint32_t)chunks->indices, part);
}

static bool read_part(struct model *model, struct reader *all, uint32_t version, struct model_part *part)
{
    struct part_chunks chunks;
    struct reader reader;
    uint32_t size = reader_u32le(all, "size");
    uint64_t at = reader_offset(all);
    if (!reader_part(all, &reader, at, size, "part") || !reader_skip(all, size, "part") ||
        !read_row(model, &reader, part, &chunks))
        return false;
    reader_u32le(&reader, "scale");
    if (!read_states(model, &reader, part))
        return false;
    if (version >= MLOD_TAIL)
        reader_skip(&reader, 20, "tail");
    if (reader.failed)
        return false;
    if (reader_left(&reader))
        warning_add(&model->job->warnings, POSE_WARNING, "mesh_size", at, "%zu bytes of a part are not known",
                    reader_left(&reader));
    return read_chunks(model, &reader, part, &chunks);
}

static bool read_level(struct model *model, uint32_t chunk)
{
    struct reader reader;
    if (!rcol_open(&model->rcol, chunk, "MLOD", &reader))
        return false;
    uint32_t version = reader_u32le(&reader, "version");
    if (!reader.failed && (version < MLOD_FIRST || version > MLOD_LAST))
        return reader_fail(&reader, "bad_version", "0x%x, not 0x%x to 0x%x", version, MLOD_FIRST, MLOD_LAST);
    uint32_t count = reader_u32le(&reader, "part_count");
    if (!reader.failed && count > MODEL_MAX_PARTS)
        return reader_fail(&reader, "bad_count", "%u parts; at most %d", count, MODEL_MAX_PARTS);
    if (!reader_count(&reader, count, 4, "parts", "truncated"))
        return false;
    model->parts = ARENA_NEW(model->job->arena, struct model_part, count);
    for (; model->parts && model->part_count < count; model->part_count++) {
        struct model_part *part = &model->parts[model->part_count];
        reader_enter(&reader, "parts", model->part_count);
        if (!read_part(model, &reader, version, part))
            return false;
        reader_leave(&reader);
        if (part->is_shadow)
            part->vertex_count = part->triangle_count = 0;
        model->vertex_total += part->vertex_count;
        model->triangle_total += part->triangle_count;
        if (model->vertex_total > MODEL_MAX_VERTICES || model->triangle_total > MODEL_MAX_INDICES)
            return reader_fail(&reader, "bad_count", "more than %d vertices in all parts",
                               MODEL_MAX_VERTICES);
    }
    return model->parts && !reader.failed;
}

/* ----------------------------------------------------------------------------------------------------- levels -- */

/* Chooses the finest level in this file that is not only for shadows; MODEL_NO_CHUNK if all are in other files. */
static bool choose_level(struct model *model, struct reader *reader, uint32_t count, int64_t *chosen,
                         const struct sims3_resource **elsewhere)
{
    enum { EXTERNAL = 3 };
    uint32_t best = UINT32_MAX, best_elsewhere = UINT32_MAX;
    *chosen = MODEL_NO_CHUNK;
    *elsewhere = NULL;
    for (uint32_t i = 0; i < count; i++) {
        int64_t chunk = MODEL_NO_CHUNK;
        reader_enter(reader, "levels", i);
        uint32_t reference = reader_u32le(reader, "reference");
        bool is_here = reference >> 28 != EXTERNAL;
        if (is_here && !model_follow(model, reader, reference, &chunk))
            return false;
        reader_u32le(reader, "flags");
        uint32_t level = reader_u32le(reader, "level");
        reader_skip(reader, 8, "distances");
        reader_leave(reader);
        if (level & SHADOW_LEVEL)
            continue;
        uint32_t key = (reference & 0xfffffff) - 1;
        if (!is_here && key >= model->rcol.external_count)
            return reader_fail(reader, "bad_reference", "%08x is key %u of %u", reference, key,
                               model->rcol.external_count);
        if (!is_here && level < best_elsewhere) {
            best_elsewhere = level;
            *elsewhere = &model->rcol.externals[key];
        }
        if (chunk >= 0 && level < best) {
            best = level;
            *chosen = chunk;
        }
    }
    if (best <= best_elsewhere)
        *elsewhere = NULL;
    return !reader->failed;
}

static bool read_levels(struct model *model, int64_t *chosen, const struct sims3_resource **elsewhere)
{
    struct reader reader;
    if (!rcol_open(&model->rcol, 0, "MODL", &reader))
        return false;
    uint32_t version = reader_u32le(&reader, "version");
    if (!reader.failed && (version < MODL_FIRST || version > MODL_LAST))
        return reader_fail(&reader, "bad_version", "0x%x, not 0x%x to 0x%x", version, MODL_FIRST, MODL_LAST);
    uint32_t count = reader_u32le(&reader, "level_count");
    if (!check_bounds(&reader))
        return false;
    if (version == MODL_LAST) {
        uint32_t more = reader_u32le(&reader, "extra_count");
        if (!reader_count(&reader, more, 24, "extra bounds", "truncated"))
            return false;
        reader_skip(&reader, 24 * (uint64_t)more + 8, "extra");
    }
    return reader_count(&reader, count, LEVEL_SIZE, "levels", "truncated") &&
           choose_level(model, &reader, count, chosen, elsewhere);
}

/* ------------------------------------------------------------------------------------------------------- mesh -- */

static bool has_usage(const struct model *model, uint8_t usage)
{
    bool any = false;
    for (uint32_t p = 0; p < model->part_count; p++) {
        for (uint32_t i = 0; i < model->parts[p].layout.count && !model->parts[p].is_shadow; i++)
            any |= model->parts[p].layout.elements[i].usage == usage;
    }
    return any;
}

static bool take_faces(struct model *model, const struct model_part *part, uint32_t first,
                       uint32_t (*faces)[3])
{
    for (uint32_t i = 0; i < 3 * part->triangle_count; i++) {
        uint32_t index = part->indices->values[part->index_first + i];
        if (index >= part->vertex_count)
            return reader_fail_at(&model->rcol.reader, 0, "indices", "bad_index", "vertex %u of %u", index,
                                  part->vertex_count);
        faces[i / 3][i % 3] = first + index;
    }
    return true;
}

static bool fill(struct model *model, struct pose_mesh *mesh)
{
    struct arena *arena = model->job->arena;
    uint32_t vertices = model->vertex_total;
    float(*positions)[3] = arena_alloc(arena, vertices, sizeof *positions);
    float(*normals)[3] = arena_alloc(arena, vertices, sizeof *normals);
    float(*uvs)[2] = arena_alloc(arena, vertices, sizeof *uvs);
    struct pose_influences *influences = ARENA_NEW(arena, struct pose_influences, vertices);
    uint32_t(*faces)[3] = arena_alloc(arena, model->triangle_total, sizeof *faces);
    struct pose_primitive *primitives = ARENA_NEW(arena, struct pose_primitive, model->part_count);
    struct pose_material *materials = ARENA_NEW(arena, struct pose_material, model->part_count);
    if (!positions || !normals || !uvs || !influences || !faces || !primitives || !materials)
        return false;
    for (uint32_t p = 0; p < model->part_count; p++) {
        const struct model_part *part = &model->parts[p];
        uint32_t first = mesh->real_count;
        if (!part->triangle_count)
            continue;
        if (!model_unpack(model, part, first, positions, normals, uvs, influences) ||
            !take_faces(model, part, first, faces + mesh->face_count))
            return false;
        materials[mesh->material_count] = part->material;
        primitives[mesh->primitive_count++] =
            (struct pose_primitive){mesh->material_count++, mesh->face_count, part->triangle_count};
        mesh->real_count += part->vertex_count;
        mesh->face_count += part->triangle_count;
    }
    mesh->positions = (const float(*)[3])positions;
    mesh->normals = has_usage(model, VERTEX_NORMAL) ? (const float(*)[3])normals : NULL;
    mesh->uvs = has_usage(model, VERTEX_UV) ? (const float(*)[2])uvs : NULL;
    mesh->influences = has_usage(model, VERTEX_JOINTS) && model->bone_count ? influences : NULL;
    mesh->faces = (const uint32_t(*)[3])faces;
    mesh->primitives = primitives;
    mesh->materials = materials;
    return true;
}

static bool name_bones(struct model *model, struct pose_mesh *mesh)
{
    uint32_t *ids = ARENA_NEW(model->job->arena, uint32_t, model->bone_count);
    const char **names = ARENA_NEW(model->job->arena, const char *, model->bone_count);
    for (uint32_t i = 0; ids && names && i < model->bone_count; i++) {
        ids[i] = model->bone_ids[i];
        names[i] = sims3_bone_name(ids[i]);
    }
    mesh->bone_count = model->bone_count;
    mesh->bone_ids = ids;
    mesh->bones = names;
    return ids && names;
}

static bool read_mesh(struct model *model, int64_t level, struct pose_mesh *mesh)
{
    model->indices = ARENA_NEW(model->job->arena, struct model_indices, model->rcol.chunk_count);
    *mesh = (struct pose_mesh){.axes = POSE_AXES_GLTF, .space = POSE_SPACE_BIND};
    return model->indices && (level < 0 || read_level(model, (uint32_t)level)) && fill(model, mesh) &&
           name_bones(model, mesh);
}

/* Reads a level that is a separate file or entry, named by its key. False if it is missing or broken. */
static bool read_elsewhere(struct decode_job *job, const struct sims3_resource *key, struct pose_mesh *mesh)
{
    struct model *model = ARENA_NEW(job->arena, struct model, 1);
    const char *name = sims3_key_text(job->arena, key), *file = arena_format(job->arena, "%s.mlod", name);
    struct pose_source source = {.name = file, .find = job->source->find, .user = job->source->user};
    struct pose_error error;
    struct decode_job own = *job;
    pose_error_init(&error);
    own.source = &source;
    own.error = &error;
    bool is_there =
        model && name && file && source.find &&
        (source.find(source.user, file, &source.bytes) || source.find(source.user, name, &source.bytes));
    if (!is_there)
        return false;
    model->job = &own;
    bool done = rcol_read(&model->rcol, &own) && read_mesh(model, 0, mesh);
    job->warnings = own.warnings;
    return done;
}

static bool decode_from(struct decode_job *job, bool is_list)
{
    struct model *model = ARENA_NEW(job->arena, struct model, 1);
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    const struct sims3_resource *elsewhere = NULL;
    int64_t level = 0;
    if (!model || !mesh)
        return false;
    model->job = job;
    if (!rcol_read(&model->rcol, job) || (is_list && !read_levels(model, &level, &elsewhere)))
        return false;
    if (!elsewhere || !read_elsewhere(job, elsewhere, mesh)) {
        if (elsewhere)
            warning_add(&job->warnings, POSE_NOTE, "level_elsewhere", POSE_NO_OFFSET,
                        "the finest level is %s, which is not here", sims3_key_text(job->arena, elsewhere));
        if (!read_mesh(model, level, mesh))
            return false;
    }
    if (!mesh->face_count)
        warning_add(&job->warnings, POSE_NOTE, "empty", POSE_NO_OFFSET, "nothing of it is to be drawn");
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return !job->arena->failed;
}

static enum probe_result probe_modl(const struct pose_source *source)
{
    return rcol_probe(source, "MODL", ".modl");
}

static bool decode_modl(struct decode_job *job)
{
    return decode_from(job, true);
}

static enum probe_result probe_mlod(const struct pose_source *source)
{
    return rcol_probe(source, "MLOD", ".mlod");
}

static bool decode_mlod(struct decode_job *job)
{
    return decode_from(job, false);
}

const struct codec codec_sims3_modl = {
    .format = {.id = "sims3-modl",
               .title = "The Sims 3 object model",
               .extensions = ".modl",
               .media_type = "application/x-sims3-modl",
               .kinds = "mesh",
               .has_companions = true,
               .is_linked = true},
    .probe = probe_modl,
    .decode = decode_modl,
};

const struct codec codec_sims3_mlod = {
    .format = {.id = "sims3-mlod",
               .title = "The Sims 3 level of detail",
               .extensions = ".mlod",
               .media_type = "application/x-sims3-mlod",
               .kinds = "mesh",
               .is_linked = true},
    .probe = probe_mlod,
    .decode = decode_mlod,
};
