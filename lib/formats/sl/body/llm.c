/*
 * Second Life: a part of the avatar's body (.llm), little-endian, unaligned:
 *
 *     char[24] "Linden Binary Mesh 1.0"   u8 has weights   u8 detail   f32[3] position, rotation   u8
 *         f32[3] scale
 *     u16 vertices   f32[3] position, normal, binormal each; f32[2] uv each; f32 weight each
 *     u16 faces      u16[3] each
 *     u16 joints     char[64] each             with weights only
 *     morphs         char[64] name, u32 count, 48 bytes per vertex; until "End Morphs"
 *     u32 seams      u32[2] each
 *
 * A level of detail has no vertices, joints, morphs or seams: its faces index the first vertices of the file
 * with the same name without "_N". Facts: sl-avatar.md, 1 and 4, checked there against the viewer's own reader.
 */
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/codec.h"
#include "lib/formats/sl/body/palette.h"

#include <stdlib.h>
#include <string.h>

#define EXTENSIONS ".llm"
#define MAGIC "Linden Binary Mesh 1.0"
#define END_OF_MORPHS "End Morphs"
#define NORMAL_SHARE 0.65f /* how much of a morph's normals is applied (sl-avatar.md, 3) */

enum {
    MAGIC_FIELD = 24,
    MAGIC_LENGTH = sizeof MAGIC - 1,
    NAME_SIZE = 64,
    VERTEX_SIZE = 44, /* position, normal, binormal, uv */
    WEIGHT_SIZE = 4,
    FACE_SIZE = 6,
    MORPH_VERTEX_SIZE = 48,
    SEAM_SIZE = 8,
    LOD_FACES = MAGIC_FIELD + 39 + 2, /* their offset */
    MAX_MORPHS = 4096,                /* of one file; the head has 95 */
};

/* One decoding. */
struct building {
    struct decode_job *job;
    struct warning_list *warnings;
    struct reader reader;
    struct pose_mesh mesh;
    bool has_weights;
    bool is_lod;
    const uint8_t *weights; /* [real_count], unaligned floats in the file */
    uint64_t weights_offset;
    bool named[AVATAR_JOINTS];
    uint32_t morph_capacity;
    struct pose_morph_target *morphs;
};

/* ------------------------------------------------------------------------------------------------- pieces -- */

/* A name of 64 bytes; bytes after its NUL are garbage. NULL if there are fewer bytes. */
static const char *read_name(struct building *building, const char *field)
{
    struct reader *reader = &building->reader;
    const uint8_t *bytes = reader_bytes(reader, NAME_SIZE, field);
    if (!bytes)
        return NULL;
    size_t length = strnlen((const char *)bytes, NAME_SIZE);
    if (length == NAME_SIZE)
        warning_add(building->warnings, POSE_WARNING, "unterminated_name", reader_last_offset(reader),
                    "a name fills its %d bytes", NAME_SIZE);
    bool is_utf8;
    const char *name = text_from_bytes(building->job->arena, (const char *)bytes, length, &is_utf8);
    if (name && !is_utf8)
        warning_add(building->warnings, POSE_WARNING, "name_not_utf8", reader_last_offset(reader),
                    "a name is not UTF-8; it was read as Windows-1252");
    return name;
}

static bool read_vector(struct building *building, const char *field, float usual)
{
    bool is_usual = true;
    for (int i = 0; i < 3; i++)
        is_usual &= reader_finite_f32le(&building->reader, field, "not_finite") == usual;
    return is_usual;
}

static bool read_head(struct building *building)
{
    struct reader *reader = &building->reader;
    const uint8_t *magic = reader_bytes(reader, MAGIC_FIELD, "magic");
    if (!magic)
        return false;
    if (memcmp(magic, MAGIC, MAGIC_LENGTH) != 0)
        return reader_fail_at(reader, 0, "magic", "bad_magic", "not \"" MAGIC "\"");
    building->has_weights = reader_u8(reader, "has_weights");
    if (reader_u8(reader, "has_detail"))
        warning_add(building->warnings, POSE_WARNING, "detail_coordinates", reader_last_offset(reader),
                    "declares detail coordinates, which the viewer never reads");
    for (int i = 0; i < 3; i++)
        reader_finite_f32le(reader, "position", "not_finite");
    bool is_usual = read_vector(building, "rotation", 0);
    reader_u8(reader, "rotation_order");
    is_usual &= read_vector(building, "scale", 1);
    if (!reader->failed && !is_usual)
        warning_add(building->warnings, POSE_WARNING, "transform_ignored", POSE_NO_OFFSET,
                    "a rotation or scale of the mesh is not applied, as in the viewer");
    return !reader->failed;
}

/* Reads count vectors of components floats; *to is [count][components]. */
static bool read_floats(struct building *building, uint32_t count, unsigned components, const char *field,
                        float **to)
{
    struct reader *reader = &building->reader;
    *to = ARENA_NEW(building->job->arena, float, (size_t)count *components);
    for (size_t i = 0; *to && i < (size_t)count * components && !reader->failed; i++)
        (*to)[i] = reader_finite_f32le(reader, field, "not_finite");
    return *to && !reader->failed;
}

/* ----------------------------------------------------------------------------------------------- vertices -- */

/* The viewer passes image rows to OpenGL bottom up. */
static void turn_rows(float *uvs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        uvs[2 * i + 1] = 1 - uvs[2 * i + 1];
}

static bool read_vertices(struct building *building)
{
    struct reader *reader = &building->reader;
    struct pose_mesh *mesh = &building->mesh;
    float *positions, *normals, *uvs;
    uint32_t count = reader_u16le(reader, "vertex_count");
    if (!reader->failed && !count)
        return reader_fail(reader, "no_vertices", "a mesh without vertices");
    if (!reader_count(reader, count, VERTEX_SIZE + (building->has_weights ? WEIGHT_SIZE : 0), "vertices",
                      "truncated"))
        return false;
    if (!read_floats(building, count, 3, "positions", &positions) ||
        !read_floats(building, count, 3, "normals", &normals) ||
        !reader_skip(reader, (uint64_t)count * 12, "binormals") ||
        !read_floats(building, count, 2, "uvs", &uvs))
        return false;
    turn_rows(uvs, count);
    mesh->real_count = count;
    mesh->positions = (const float(*)[3])positions;
    mesh->normals = (const float(*)[3])normals;
    mesh->uvs = (const float(*)[2])uvs;
    if (building->has_weights) {
        building->weights_offset = reader_offset(reader);
        building->weights = reader_bytes(reader, (uint64_t)count * WEIGHT_SIZE, "weights");
    }
    return !reader->failed;
}

static bool read_faces(struct building *building)
{
    struct reader *reader = &building->reader;
    uint32_t count = reader_u16le(reader, "face_count");
    if (!reader_count(reader, count, FACE_SIZE, "faces", "truncated"))
        return false;
    uint32_t(*faces)[3] = arena_alloc(building->job->arena, count, sizeof *faces);
    for (uint32_t i = 0; faces && i < count; i++) {
        for (int corner = 0; corner < 3; corner++) {
            uint32_t vertex = faces[i][corner] = reader_u16le(reader, "faces");
            if (!building->is_lod && vertex >= building->mesh.real_count)
                return reader_fail(reader, "bad_index", "face %u: vertex %u of %u", i, vertex,
                                   building->mesh.real_count);
        }
    }
    building->mesh.face_count = count;
    building->mesh.faces = (const uint32_t(*)[3])faces;
    return faces != NULL;
}

/* ------------------------------------------------------------------------------------------------- joints -- */

static bool read_joints(struct building *building)
{
    struct reader *reader = &building->reader;
    if (!building->has_weights)
        return true;
    uint32_t count = reader_u16le(reader, "joint_count");
    if (!reader->failed && !count)
        return reader_fail(reader, "no_joints", "a mesh has weights but no joints");
    if (count > MAX_SKIN_JOINTS)
        return reader_fail(reader, "too_many_joints", "%u joints; the viewer takes %d", count,
                           MAX_SKIN_JOINTS);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = read_name(building, "joint_names");
        if (!name)
            return false;
        int joint = sl_avatar_joint_find(name);
        if (joint >= 0)
            building->named[joint] = true;
        else
            warning_add(building->warnings, POSE_WARNING, "unknown_joint", reader_last_offset(reader),
                        "the avatar has no joint \"%s\"; it is ignored", name);
    }
    return true;
}

/* Palette entries become bones of the mesh, without duplicates, and weights become one or two influences. */
struct hanging {
    struct sl_palette palette;
    uint32_t bones[MAX_SKIN_JOINTS]; /* the bone of each entry */
    const char *names[MAX_SKIN_JOINTS];
    uint32_t bone_count;
};

static void name_bones(struct hanging *hanging)
{
    for (uint32_t entry = 0; entry < hanging->palette.count; entry++) {
        const char *name = sl_avatar_joint(hanging->palette.joints[entry]);
        uint32_t bone = 0;
        while (bone < hanging->bone_count && strcmp(hanging->names[bone], name) != 0)
            bone++;
        if (bone == hanging->bone_count)
            hanging->names[hanging->bone_count++] = name;
        hanging->bones[entry] = bone;
    }
}

/* The integer part of a weight is its entry, the fraction the share of the next one; the last entry has no next. */
static struct pose_influences hang(const struct hanging *hanging, float weight, bool *is_beyond)
{
    uint32_t last = hanging->palette.count - 1, entry = (uint32_t)weight;
    float share = weight - (float)entry;
    struct pose_influences influences = {0};
    *is_beyond |= entry > last;
    if (entry >= last) {
        entry = last;
        share = 0;
    }
    influences.bones[0] = hanging->bones[entry];
    influences.weights[0] = 1 - share;
    if (share > 0) {
        influences.bones[1] = hanging->bones[entry + 1];
        influences.weights[1] = share;
    }
    return influences;
}

static bool hang_vertices(struct building *building)
{
    struct pose_mesh *mesh = &building->mesh;
    struct hanging hanging = {0};
    struct reader weights;
    bool is_beyond = false;
    if (!building->has_weights)
        return true;
    sl_palette_make(building->named, &hanging.palette);
    if (hanging.palette.is_cut)
        warning_add(building->warnings, POSE_WARNING, "palette_cut", POSE_NO_OFFSET,
                    "the palette of joints has more than %d entries", MAX_SKIN_JOINTS);
    name_bones(&hanging);
    struct pose_influences *influences =
        ARENA_NEW(building->job->arena, struct pose_influences, mesh->real_count);
    const char **bones = ARENA_NEW(building->job->arena, const char *, hanging.bone_count);
    if (!influences || !bones ||
        !reader_part(&building->reader, &weights, building->weights_offset,
                     (uint64_t)mesh->real_count * WEIGHT_SIZE, "weights"))
        return false;
    for (uint32_t i = 0; i < mesh->real_count; i++) {
        float weight = reader_f32le(&weights, "weights");
        if (!(weight >= 0 && weight < MAX_SKIN_JOINTS))
            return reader_fail(&weights, "bad_weight", "vertex %u: %g is not between 0 and %d", i,
                               (double)weight, MAX_SKIN_JOINTS);
        if (hanging.palette.count)
            influences[i] = hang(&hanging, weight, &is_beyond);
    }
    if (is_beyond)
        warning_add(building->warnings, POSE_WARNING, "weight_beyond_palette", POSE_NO_OFFSET,
                    "weights beyond the palette's %u entries use the last one", hanging.palette.count);
    memcpy(bones, hanging.names, hanging.bone_count * sizeof *bones);
    mesh->bone_count = hanging.bone_count;
    mesh->bones = bones;
    mesh->influences = hanging.bone_count ? influences : NULL;
    return true;
}

/* ------------------------------------------------------------------------------------------------- morphs -- */

/* A vertex of a morph, as stored. */
struct moved {
    uint32_t vertex, order;
    float position[3], normal[3], uv[2];
};

static int by_vertex(const void *a, const void *b)
{
    const struct moved *one = a, *other = b;
    if (one->vertex != other->vertex)
        return one->vertex < other->vertex ? -1 : 1;
    return one->order < other->order ? -1 : 1;
}

static bool read_moved(struct building *building, uint32_t index, struct moved *moved)
{
    struct reader *reader = &building->reader;
    moved->order = index;
    moved->vertex = reader_u32le(reader, "vertex");
    if (!reader->failed && moved->vertex >= building->mesh.real_count)
        return reader_fail(reader, "bad_index", "vertex %u of %u", moved->vertex, building->mesh.real_count);
    for (int i = 0; i < 3; i++)
        moved->position[i] = reader_finite_f32le(reader, "position", "not_finite");
    for (int i = 0; i < 3; i++)
        moved->normal[i] = reader_finite_f32le(reader, "normal", "not_finite") * NORMAL_SHARE;
    for (int i = 0; i < 3; i++)
        reader_finite_f32le(reader, "binormal", "not_finite");
    moved->uv[0] = reader_finite_f32le(reader, "uv", "not_finite");
    moved->uv[1] = -reader_finite_f32le(reader, "uv", "not_finite");
    return !reader->failed;
}

static void add_moved(const struct moved *moved, float *position, float *normal, float *uv)
{
    for (int i = 0; i < 3; i++) {
        position[i] += moved->position[i];
        normal[i] += moved->normal[i];
    }
    for (int i = 0; i < 2; i++)
        uv[i] += moved->uv[i];
}

/* Sorts by vertex; displacements of the same vertex are added. */
static bool put_morph(struct building *building, const char *name, struct moved *moved, uint32_t count,
                      struct pose_morph_target *target)
{
    struct arena *arena = building->job->arena;
    uint32_t *vertices = ARENA_NEW(arena, uint32_t, count), used = 0;
    float(*positions)[3] = arena_alloc(arena, count, sizeof *positions);
    float(*normals)[3] = arena_alloc(arena, count, sizeof *normals);
    float(*uvs)[2] = arena_alloc(arena, count, sizeof *uvs);
    if (!vertices || !positions || !normals || !uvs)
        return false;
    if (count)
        qsort(moved, count, sizeof *moved, by_vertex);
    for (uint32_t i = 0; i < count; i++) {
        if (!used || vertices[used - 1] != moved[i].vertex)
            vertices[used++] = moved[i].vertex;
        add_moved(&moved[i], positions[used - 1], normals[used - 1], uvs[used - 1]);
    }
    if (used < count)
        warning_add(building->warnings, POSE_WARNING, "vertex_twice", POSE_NO_OFFSET,
                    "morph \"%s\" moves %u vertices more than once", name, count - used);
    *target = (struct pose_morph_target){.name = name,
                                         .count = used,
                                         .vertices = vertices,
                                         .positions = (const float(*)[3])positions,
                                         .normals = (const float(*)[3])normals,
                                         .uvs = (const float(*)[2])uvs};
    return true;
}

static bool is_known(const struct building *building, const char *name)
{
    for (uint32_t i = 0; i < building->mesh.morph_count; i++) {
        if (!strcmp(building->morphs[i].name, name))
            return true;
    }
    return false;
}

static bool read_morph(struct building *building, const char *name)
{
    struct reader *reader = &building->reader;
    int32_t count = reader_i32le(reader, "morph_vertex_count");
    if (!reader->failed && count < 0)
        return reader_fail(reader, "bad_count", "morph \"%s\": %d vertices", name, count);
    uint64_t offset = reader_last_offset(reader);
    if (!reader_count(reader, (uint32_t)count, MORPH_VERTEX_SIZE, "vertices", "truncated"))
        return false;
    struct moved *moved = ARENA_NEW(building->job->arena, struct moved, (uint32_t)count);
    for (int32_t i = 0; moved && i < count; i++) {
        if (!read_moved(building, (uint32_t)i, &moved[i]))
            return false;
    }
    if (!*name || is_known(building, name)) {
        warning_add(building->warnings, POSE_WARNING, *name ? "morph_twice" : "unnamed_morph", offset,
                    *name ? "the second morph \"%s\" is left out" : "a morph without a name is left out%s",
                    name);
        return moved != NULL;
    }
    building->morphs = arena_grow(building->job->arena, building->morphs, building->mesh.morph_count,
                                  &building->morph_capacity, sizeof *building->morphs);
    if (!moved || !building->morphs ||
        !put_morph(building, name, moved, (uint32_t)count, &building->morphs[building->mesh.morph_count]))
        return false;
    building->mesh.morph_count++;
    return true;
}

/* Reads up to the end mark; without a mark, a file that ends between two morphs is accepted (*is_marked is
 * false). */
static bool read_morphs(struct building *building, bool *is_marked)
{
    struct reader *reader = &building->reader;
    for (uint32_t i = 0;; i++) {
        *is_marked = false;
        if (!reader_left(reader))
            return true;
        reader_enter(reader, "morphs", i);
        const char *name = read_name(building, "name");
        if (!name)
            return false;
        *is_marked = !strcmp(name, END_OF_MORPHS);
        if (i >= MAX_MORPHS)
            return reader_limit_at(reader, reader_last_offset(reader), "name", "morphs",
                                   "more than %d morphs", MAX_MORPHS);
        if (!*is_marked && !read_morph(building, name))
            return false;
        reader_leave(reader);
        if (*is_marked)
            return true;
    }
}

static bool read_seams(struct building *building)
{
    struct reader *reader = &building->reader;
    int32_t count = reader_i32le(reader, "seam_count");
    if (!reader->failed && count < 0)
        return reader_fail(reader, "bad_count", "%d seams", count);
    if (!reader_count(reader, (uint32_t)count, SEAM_SIZE, "seams", "truncated"))
        return false;
    for (int32_t i = 0; i < 2 * count; i++) {
        uint32_t vertex = reader_u32le(reader, "seams");
        if (vertex >= building->mesh.real_count)
            return reader_fail(reader, "bad_index", "seam %d: vertex %u of %u", i / 2, vertex,
                               building->mesh.real_count);
    }
    return true;
}

static bool read_tail(struct building *building)
{
    struct reader *reader = &building->reader;
    bool is_marked;
    if (!read_morphs(building, &is_marked) || (is_marked && !read_seams(building)))
        return false;
    if (!is_marked)
        warning_add(building->warnings, POSE_WARNING, "no_end_mark", reader_offset(reader),
                    "the file ends without \"" END_OF_MORPHS "\"");
    if (reader_left(reader))
        warning_add(building->warnings, POSE_WARNING, "trailing_bytes", reader_offset(reader),
                    "%zu bytes after the end", reader_left(reader));
    building->mesh.morphs = building->morphs;
    return true;
}

static bool read_base(struct building *building)
{
    return read_head(building) && read_vertices(building) && read_faces(building) && read_joints(building) &&
           hang_vertices(building) && read_tail(building);
}

/* -------------------------------------------------------------------------------------- levels of detail -- */

/* Whether the bytes are a level of detail, whose end has a fixed form. Stores nothing. */
static bool ends_as_lod(struct pose_bytes bytes)
{
    enum { HEAD = MAGIC_FIELD + 39, TAIL = 2 + NAME_SIZE + 4 };
    if (bytes.size < HEAD + 2 + TAIL)
        return false;
    uint64_t faces = bytes.data[HEAD] | (uint64_t)bytes.data[HEAD + 1] << 8;
    const uint8_t *tail = bytes.data + bytes.size - TAIL;
    return HEAD + 2 + faces * FACE_SIZE + TAIL == bytes.size && !tail[0] && !tail[1] &&
           !memcmp(tail + 2, END_OF_MORPHS, sizeof END_OF_MORPHS);
}

/* "avatar_head_4.llm" has its vertices in "avatar_head.llm". False if the name has no number. */
static bool name_reference(const char *name, char *reference, size_t size)
{
    const char *base = name ? text_base_name(name) : "";
    size_t stem = text_stem_length(base), end = stem;
    while (end && base[end - 1] >= '0' && base[end - 1] <= '9')
        end--;
    if (end == stem || end < 2 || base[end - 1] != '_' || strlen(base) + 1 > size)
        return false;
    memcpy(reference, base, end - 1);
    memcpy(reference + end - 1, base + stem, strlen(base + stem) + 1);
    return true;
}

static bool decode_base(struct decode_job *job, struct pose_bytes bytes, struct pose_error *error,
                        struct building *building)
{
    *building = (struct building){.job = job, .warnings = &job->warnings};
    building->mesh = (struct pose_mesh){.axes = POSE_AXES_SL, .space = POSE_SPACE_BIND};
    reader_init(&building->reader, bytes, error);
    return read_base(building);
}

/* The faces of this file with the vertices of the file it refers to. */
static bool decode_lod(struct decode_job *job, struct building *building)
{
    struct building lod = {.job = job, .warnings = &job->warnings, .is_lod = true};
    char reference[256];
    struct pose_bytes bytes;
    reader_init(&lod.reader, job->source->bytes, job->error);
    if (!read_head(&lod) || !read_faces(&lod))
        return false;
    if (!name_reference(job->source->name, reference, sizeof reference) || !job->source->find ||
        !job->source->find(job->source->user, reference, &bytes) || ends_as_lod(bytes))
        return reader_fail_at(&lod.reader, 0, NULL, "no_reference",
                              "a level of detail without the file that contains its vertices");
    if (!decode_base(job, bytes, job->error, building))
        return false;
    for (uint32_t i = 0; i < lod.mesh.face_count; i++) {
        for (int corner = 0; corner < 3; corner++) {
            if (lod.mesh.faces[i][corner] >= building->mesh.real_count)
                return reader_fail_at(&lod.reader, LOD_FACES + (uint64_t)i * FACE_SIZE + 2 * (uint64_t)corner,
                                      "faces", "bad_index", "face %u: vertex %u of %u in %s", i,
                                      lod.mesh.faces[i][corner], building->mesh.real_count, reference);
        }
    }
    building->mesh.faces = lod.mesh.faces;
    building->mesh.face_count = lod.mesh.face_count;
    return true;
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

static enum probe_result probe(const struct pose_source *source)
{
    struct pose_bytes bytes = source->bytes;
    if (bytes.size >= MAGIC_FIELD && !memcmp(bytes.data, MAGIC, MAGIC_LENGTH))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

static bool decode(struct decode_job *job)
{
    struct building building;
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    bool decoded = ends_as_lod(job->source->bytes)
                       ? decode_lod(job, &building)
                       : decode_base(job, job->source->bytes, job->error, &building);
    if (!mesh || !decoded)
        return false;
    *mesh = building.mesh;
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return !job->arena->failed;
}

const struct codec codec_sl_llm = {
    .format = {.id = "sl-llm",
               .title = "Second Life avatar mesh",
               .extensions = EXTENSIONS,
               .media_type = "application/x-sl-llm",
               .kinds = "mesh",
               .has_companions = true},
    .probe = probe,
    .decode = decode,
};
