/*
 * The Sims 3: the mesh of a part of a body, of clothes, of hair (GEOM, type 0x015A1849), a single chunk:
 *
 *     "GEOM"  u32 5   u32 offset, size of the table of keys
 *     u32 shader      [shader: u32 size, the material's block]
 *     u32 merge group, sort order   u32 vertices
 *     u32 elements    u32 usage, u32 type, u8 bytes each;  the vertices, each with its elements in that order
 *     u32 groups      u8 bytes of an index, u32 number of indices each, followed by the indices
 *     i32 skin controller, a key    u32 bones, u32 hash of the name each
 *     the table of keys
 *
 * Facts: sims3-geom.md, 2.
 */
#include "lib/formats/sims3/body/geom.h"
#include "lib/formats/pages.h"

#include "lib/formats/sims3/body/material.h"
#include "lib/formats/sims3/known_names.h"

#include <math.h>
#include <string.h>

#define EXTENSIONS ".simgeom .geom"

enum { FIRST_SIMS4 = 12, LAST_SIMS4 = 15 };
static const float HUGE_METRES = 10000;
static const float WEIGHT_TOLERANCE = 0.01f, LEAST_WEIGHT = 1e-6f;

struct geom {
    struct decode_job *job;
    struct rcol rcol;
    struct reader reader; /* of the chunk */
    struct rcol_keys keys;
    struct pose_mesh mesh;
    struct pose_material *material; /* NULL: none */
    struct value_list extras;
    uint32_t stride, element_count;
    struct geom_element elements[GEOM_MAX_ELEMENTS];
    const uint8_t *vertices;
    uint64_t vertices_offset;
    uint32_t further_size; /* bytes per vertex that the mesh model cannot represent */
};

static void warn(struct geom *geom, const char *code, const char *text, uint32_t count)
{
    if (count)
        warning_add(&geom->job->warnings, POSE_WARNING, code, POSE_NO_OFFSET, text, count);
}

/* ------------------------------------------------------------------------------------------------- head -- */

static bool read_version(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    uint32_t version = reader_u32le(reader, "version");
    if (reader->failed || version == GEOM_VERSION)
        return !reader->failed;
    bool is_sims4 = version >= FIRST_SIMS4 && version <= LAST_SIMS4;
    return reader_fail(reader, "bad_version", "%u, not %d%s", version, GEOM_VERSION,
                       is_sims4 ? "; this is a mesh of The Sims 4" : "");
}

static bool read_material(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    struct mtnf mtnf = {.is_geom = true, .keys = geom->keys.items, .key_count = geom->keys.count};
    mtnf.shader = reader_u32le(reader, "shader");
    if (!mtnf.shader || reader->failed)
        return !reader->failed;
    uint32_t size = reader_u32le(reader, "material_size");
    mtnf.offset = reader_offset(reader);
    mtnf.block = (struct pose_bytes){reader_bytes(reader, size, "material"), size};
    if (!mtnf.block.data)
        return false;
    if (size > GEOM_MAX_MATERIAL)
        return reader_fail(reader, "bad_count", "a material of %u bytes; at most %d", size,
                           GEOM_MAX_MATERIAL);
    geom->material = ARENA_NEW(geom->job->arena, struct pose_material, 1);
    if (geom->material)
        sims3_read_material(&mtnf, geom->job->arena, &geom->job->warnings, geom->material);
    geom->mesh.materials = geom->material;
    geom->mesh.material_count = geom->material != NULL;
    return geom->material != NULL;
}

/* ---------------------------------------------------------------------------------------------- elements -- */

static uint32_t known_size(const struct geom_element *element)
{
    switch (element->usage) {
    case GEOM_POSITION:
    case GEOM_NORMAL:
    case GEOM_TANGENT:
        return 12;
    case GEOM_UV:
        return 8;
    case GEOM_WEIGHTS:
        return element->type == GEOM_BYTES ? 4 : 16;
    case GEOM_ASSIGNMENT:
    case GEOM_COLOR:
    case GEOM_ID:
        return 4;
    default:
        return 0;
    }
}

static uint32_t known_type(const struct geom_element *element)
{
    switch (element->usage) {
    case GEOM_ASSIGNMENT:
        return GEOM_BYTES;
    case GEOM_WEIGHTS:
        return element->type == GEOM_BYTES ? GEOM_BYTES : GEOM_FLOATS;
    case GEOM_COLOR:
        return GEOM_COLOR_BYTES;
    case GEOM_ID:
        return GEOM_WORD;
    default:
        return GEOM_FLOATS;
    }
}

uint32_t geom_lay_out(struct geom_element *elements, uint32_t count)
{
    uint32_t stride = 0, sets = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct geom_element *element = &elements[i];
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first &= elements[k].usage != element->usage;
        element->offset = stride;
        element->set = element->usage == GEOM_UV ? sets++ : 0;
        element->is_kept = known_size(element) && element->usage != GEOM_TANGENT &&
                           element->usage != GEOM_COLOR && (is_first || element->usage == GEOM_UV);
        stride += element->size;
    }
    return stride;
}

static bool read_element(struct geom *geom, struct geom_element *element)
{
    struct reader *reader = &geom->reader;
    element->usage = reader_u32le(reader, "usage");
    uint64_t at = reader_last_offset(reader);
    element->type = reader_u32le(reader, "type");
    element->size = reader_u8(reader, "size");
    uint32_t size = known_size(element);
    if (reader->failed)
        return false;
    if (!element->size || (size && size != element->size))
        return reader_fail(reader, "element_size", "%u bytes of usage %u, not %u", element->size,
                           element->usage, size);
    if (!size)
        warning_add(&geom->job->warnings, POSE_WARNING, "unknown_element", at,
                    "elements of usage %u are passed over", element->usage);
    else if (element->type != known_type(element))
        warning_add(&geom->job->warnings, POSE_WARNING, "element_type", at,
                    "elements of usage %u have type %u, not %u", element->usage, element->type,
                    known_type(element));
    return true;
}

static const struct geom_element *find_element(const struct geom *geom, uint32_t usage)
{
    for (uint32_t i = 0; i < geom->element_count; i++) {
        if (geom->elements[i].usage == usage)
            return &geom->elements[i];
    }
    return NULL;
}

static void put_elements(struct geom *geom)
{
    struct value_list list = value_array(geom->job->arena);
    for (uint32_t i = 0; i < geom->element_count; i++) {
        const struct geom_element *element = &geom->elements[i];
        struct value_list row = value_array(geom->job->arena);
        value_put_int(&row, NULL, element->usage);
        value_put_int(&row, NULL, element->type);
        value_put_int(&row, NULL, element->size);
        value_put_list(&list, NULL, &row);
        if (!element->is_kept && known_size(element) && find_element(geom, element->usage) != element)
            warning_add(&geom->job->warnings, POSE_WARNING, "repeated_element", POSE_NO_OFFSET,
                        "of elements of usage %u the first counts", element->usage);
    }
    value_put_list(&geom->extras, "elements", &list);
}

static bool read_elements(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    geom->mesh.real_count = reader_u32le(reader, "vertex_count");
    if (!reader->failed && geom->mesh.real_count > GEOM_MAX_VERTICES)
        return reader_fail(reader, "bad_count", "%u vertices; at most %d", geom->mesh.real_count,
                           GEOM_MAX_VERTICES);
    uint32_t count = reader_u32le(reader, "element_count");
    if (!reader->failed && count > GEOM_MAX_ELEMENTS)
        return reader_fail(reader, "bad_count", "%u elements; at most %d", count, GEOM_MAX_ELEMENTS);
    for (; geom->element_count < count; geom->element_count++) {
        reader_enter(reader, "elements", geom->element_count);
        if (!read_element(geom, &geom->elements[geom->element_count]))
            return false;
        reader_leave(reader);
    }
    if (!find_element(geom, GEOM_POSITION))
        return reader_fail(reader, "no_positions", "no element is a position");
    geom->stride = geom_lay_out(geom->elements, geom->element_count);
    put_elements(geom);
    return true;
}

/* ---------------------------------------------------------------------------------------------- vertices -- */

static uint32_t word_of(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static const uint8_t *value_at(const struct geom *geom, const struct geom_element *element, uint32_t vertex)
{
    return geom->vertices + (size_t)vertex * geom->stride + element->offset;
}

/* The values of an element, components per vertex. NULL on failure. */
static float *read_floats(struct geom *geom, const struct geom_element *element, unsigned components,
                          const char *field)
{
    float *floats = ARENA_NEW(geom->job->arena, float, (size_t)geom->mesh.real_count *components),
          *to = floats;
    for (uint32_t v = 0; to && v < geom->mesh.real_count; v++) {
        const uint8_t *from = value_at(geom, element, v);
        for (unsigned i = 0; i < components; i++, to++) {
            uint32_t bits = word_of(from + 4 * i);
            memcpy(to, &bits, sizeof bits);
            if (!isfinite(*to)) {
                reader_fail_at(&geom->reader,
                               geom->vertices_offset + (uint64_t)(from - geom->vertices) + 4 * i, field,
                               "non_finite", "vertex %u has a value that is not a number", v);
                return NULL;
            }
        }
    }
    return floats;
}

static bool read_uvs(struct geom *geom)
{
    uint32_t count = 0;
    const float(**further)[2] = arena_alloc(geom->job->arena, geom->element_count, sizeof *further);
    if (!further)
        return false;
    for (uint32_t i = 0; i < geom->element_count; i++) {
        const struct geom_element *element = &geom->elements[i];
        if (element->usage != GEOM_UV)
            continue;
        const float(*uvs)[2] = (const float(*)[2])read_floats(geom, element, 2, "uv");
        if (!uvs)
            return false;
        if (!count++)
            geom->mesh.uvs = uvs;
        else
            further[count - 2] = uvs;
    }
    geom->mesh.further_uv_count = count ? count - 1 : 0;
    geom->mesh.further_uvs = count > 1 ? further : NULL;
    return true;
}

static bool read_ids(struct geom *geom)
{
    const struct geom_element *element = find_element(geom, GEOM_ID);
    uint32_t *ids = element ? ARENA_NEW(geom->job->arena, uint32_t, geom->mesh.real_count) : NULL;
    for (uint32_t v = 0; ids && v < geom->mesh.real_count; v++)
        ids[v] = word_of(value_at(geom, element, v));
    geom->mesh.vertex_ids = ids;
    return !element || ids;
}

static bool read_influences(struct geom *geom)
{
    const struct geom_element *bones = find_element(geom, GEOM_ASSIGNMENT);
    const struct geom_element *weights = find_element(geom, GEOM_WEIGHTS);
    if (!bones != !weights)
        warn(geom, "half_a_skin",
             "bones without weights, or weights without bones: nothing moves the %u vertices",
             geom->mesh.real_count);
    if (!bones || !weights)
        return true;
    struct pose_influences *influences =
        ARENA_NEW(geom->job->arena, struct pose_influences, geom->mesh.real_count);
    bool is_bytes = weights->type == GEOM_BYTES;
    const float(*floats)[4] = is_bytes ? NULL : (const float(*)[4])read_floats(geom, weights, 4, "weights");
    if (!influences || (!is_bytes && !floats))
        return false;
    for (uint32_t v = 0; v < geom->mesh.real_count; v++) {
        const uint8_t *indices = value_at(geom, bones, v), *bytes = value_at(geom, weights, v);
        for (int i = 0; i < POSE_WEIGHTS; i++) {
            influences[v].bones[i] = indices[i];
            influences[v].weights[i] = is_bytes ? (float)bytes[i] / 255 : floats[v][i];
        }
    }
    geom->mesh.influences = influences;
    return true;
}

/* Keeps tangents, tags and unknown data for writing. */
static bool keep_further(struct geom *geom)
{
    for (uint32_t i = 0; i < geom->element_count; i++)
        geom->further_size += geom->elements[i].is_kept ? 0 : geom->elements[i].size;
    if (!geom->further_size)
        return true;
    size_t size = (size_t)geom->further_size * geom->mesh.real_count;
    uint8_t *bytes = ARENA_NEW(geom->job->arena, uint8_t, size), *to = bytes;
    for (uint32_t v = 0; to && v < geom->mesh.real_count; v++) {
        for (uint32_t i = 0; i < geom->element_count; i++) {
            const struct geom_element *element = &geom->elements[i];
            if (element->is_kept)
                continue;
            memcpy(to, value_at(geom, element, v), element->size);
            to += element->size;
        }
    }
    if (bytes)
        value_put_hex(&geom->extras, "further", bytes, size);
    return bytes;
}

static bool read_vertices(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    if (!reader_count(reader, geom->mesh.real_count, geom->stride, "vertices", "truncated"))
        return false;
    geom->vertices_offset = reader_offset(reader);
    geom->vertices = reader_bytes(reader, (uint64_t)geom->mesh.real_count * geom->stride, "vertices");
    if (!geom->vertices)
        return false;
    const struct geom_element *normal = find_element(geom, GEOM_NORMAL);
    float *positions = read_floats(geom, find_element(geom, GEOM_POSITION), 3, "position");
    float *normals = normal && positions ? read_floats(geom, normal, 3, "normal") : NULL;
    if (!positions || (normal && !normals))
        return false;
    geom->mesh.positions = (const float(*)[3])positions;
    geom->mesh.normals = (const float(*)[3])normals;
    bool is_far = false;
    for (size_t i = 0; i < (size_t)geom->mesh.real_count * 3; i++)
        is_far |= fabsf(positions[i]) > HUGE_METRES;
    warn(geom, "huge", "a coordinate is more than 10 km off; there are %u vertices",
         is_far ? geom->mesh.real_count : 0);
    return read_uvs(geom) && read_ids(geom) && read_influences(geom) && keep_further(geom);
}

/* ------------------------------------------------------------------------------------------------- faces -- */

/* One group; the faces of all groups are contiguous. */
struct face_group {
    uint32_t index_size, count;
    const uint8_t *indices;
    uint64_t offset;
};

static bool read_face_group(struct geom *geom, struct face_group *group)
{
    struct reader *reader = &geom->reader;
    group->index_size = reader_u8(reader, "index_size");
    if (!reader->failed && group->index_size != 1 && group->index_size != 2 && group->index_size != 4)
        return reader_fail(reader, "bad_index_size", "%u bytes, not 1, 2 or 4", group->index_size);
    group->count = reader_u32le(reader, "index_count");
    if (!reader_count(reader, group->count, group->index_size, "indices", "truncated"))
        return false;
    group->offset = reader_offset(reader);
    group->indices = reader_bytes(reader, (uint64_t)group->count * group->index_size, "indices");
    return group->indices;
}

static uint32_t index_at(const struct face_group *group, uint32_t i)
{
    const uint8_t *p = group->indices + (size_t)i * group->index_size;
    return group->index_size == 4   ? word_of(p)
           : group->index_size == 2 ? (uint32_t)p[0] | (uint32_t)p[1] << 8
                                    : p[0];
}

static bool take_faces(struct geom *geom, const struct face_group *group, uint32_t (*faces)[3])
{
    for (uint32_t i = 0; i < group->count / 3 * 3; i++) {
        uint32_t index = faces[i / 3][i % 3] = index_at(group, i);
        if (index >= geom->mesh.real_count)
            return reader_fail_at(&geom->reader, group->offset + (uint64_t)i * group->index_size, "indices",
                                  "bad_index", "vertex %u of %u", index, geom->mesh.real_count);
    }
    return true;
}

static void put_face_groups(struct geom *geom, const struct face_group *groups, uint32_t count)
{
    struct value_list list = value_array(geom->job->arena);
    for (uint32_t i = 0; i < count; i++)
        value_put_int(&list, NULL, groups[i].count);
    warn(geom, "several_face_groups", "%u groups of faces are drawn as one", count > 1 ? count : 0);
    if (count > 1)
        value_put_list(&geom->extras, "face_groups", &list);
    if (count && groups->index_size != 2)
        value_put_int(&geom->extras, "index_size", groups->index_size);
}

static bool read_faces(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    struct face_group groups[GEOM_MAX_FACE_GROUPS];
    uint32_t count = reader_u32le(reader, "face_group_count"), faces_count = 0;
    if (!reader->failed && (!count || count > GEOM_MAX_FACE_GROUPS))
        return reader_fail(reader, "bad_count", "%u groups of faces; 1 to %d", count, GEOM_MAX_FACE_GROUPS);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        reader_enter(reader, "face_groups", i);
        if (!read_face_group(geom, &groups[i]))
            return false;
        reader_leave(reader);
        faces_count += groups[i].count / 3;
        warn(geom, "odd_index_count", "%u indices do not make whole triangles; the rest is left out",
             groups[i].count % 3 ? groups[i].count : 0);
    }
    uint32_t(*faces)[3] = reader->failed ? NULL : arena_alloc(geom->job->arena, faces_count, sizeof *faces);
    for (uint32_t i = 0, first = 0; faces && i < count; first += groups[i++].count / 3) {
        if (!take_faces(geom, &groups[i], faces + first))
            return false;
    }
    if (faces)
        put_face_groups(geom, groups, count);
    geom->mesh.faces = (const uint32_t(*)[3])faces;
    geom->mesh.face_count = faces_count;
    warn(geom, "empty", "a mesh without faces or vertices; it has %u bones at most",
         faces && (!faces_count || !geom->mesh.real_count) ? GEOM_MAX_BONES : 0);
    return faces;
}

/* ------------------------------------------------------------------------------------------------- bones -- */

static bool read_bones(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    int32_t controller = reader_i32le(reader, "skin_controller");
    uint64_t at = reader_last_offset(reader);
    uint32_t count = reader_u32le(reader, "bone_count");
    if (!reader->failed && count > GEOM_MAX_BONES)
        return reader_fail(reader, "bad_count", "%u bones; at most %d", count, GEOM_MAX_BONES);
    if (!reader_count(reader, count, 4, "bones", "truncated"))
        return false;
    uint32_t *ids = ARENA_NEW(geom->job->arena, uint32_t, count);
    const char **names = ARENA_NEW(geom->job->arena, const char *, count);
    for (uint32_t i = 0; ids && names && i < count; i++) {
        ids[i] = reader_u32le(reader, "bone");
        names[i] = sims3_bone_name(ids[i]);
    }
    if (controller < 0 || (uint32_t)controller >= geom->keys.count)
        warning_add(&geom->job->warnings, POSE_WARNING, "skin_controller_index", at,
                    "%d is not the number of one of the %u keys", controller, geom->keys.count);
    value_put_int(&geom->extras, "skin_controller", controller);
    geom->mesh.bone_count = count;
    geom->mesh.bone_ids = ids;
    geom->mesh.bones = names;
    return ids && names && !reader->failed;
}

static void check_weights(struct geom *geom)
{
    uint32_t negative = 0, beyond = 0, off = 0, none = 0;
    for (uint32_t v = 0; geom->mesh.influences && v < geom->mesh.real_count; v++) {
        const struct pose_influences *one = &geom->mesh.influences[v];
        float sum = 0;
        for (int i = 0; i < POSE_WEIGHTS; i++) {
            bool counts = one->weights[i] > LEAST_WEIGHT;
            negative += one->weights[i] < 0;
            beyond += counts && one->bones[i] >= geom->mesh.bone_count;
            sum += counts && one->bones[i] < geom->mesh.bone_count ? one->weights[i] : 0;
        }
        none += !(sum > 0);
        off += sum > 0 && fabsf(sum - 1) > WEIGHT_TOLERANCE;
    }
    warn(geom, "negative_weight", "%u weights are below 0 and do not count", negative);
    warn(geom, "joint_index", "%u weights are of bones that the mesh does not have", beyond);
    warn(geom, "weight_sum", "the weights of %u vertices do not sum up to 1", off);
    warn(geom, "no_weight", "%u vertices have no weight and stay where they are", none);
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

static enum probe_result probe(const struct pose_source *source)
{
    return rcol_probe(source, "GEOM", EXTENSIONS);
}

static bool read_chunk(struct geom *geom)
{
    struct reader *reader = &geom->reader;
    if (!rcol_open(&geom->rcol, 0, "GEOM", reader) || !read_version(geom) ||
        !rcol_read_keys(&geom->rcol, reader, &geom->keys) || !read_material(geom))
        return false;
    value_put_int(&geom->extras, "merge_group", reader_u32le(reader, "merge_group"));
    value_put_int(&geom->extras, "sort_order", reader_u32le(reader, "sort_order"));
    if (!read_elements(geom) || !read_vertices(geom) || !read_faces(geom) || !read_bones(geom))
        return false;
    check_weights(geom);
    rcol_check_end(&geom->rcol, reader, &geom->keys);
    return true;
}

/* A mesh with only positions, normals and ids holds differences to be added to another mesh. */
static bool is_morph(const struct geom *geom)
{
    return geom->element_count == 3 && find_element(geom, GEOM_NORMAL) && find_element(geom, GEOM_ID);
}

static bool decode(struct decode_job *job)
{
    struct geom geom = {.job = job,
                        .mesh = {.axes = POSE_AXES_GLTF, .space = POSE_SPACE_BIND},
                        .extras = value_object(job->arena)};
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    if (!mesh || !rcol_read(&geom.rcol, job) || !read_chunk(&geom))
        return false;
    if (is_morph(&geom))
        value_put_bool(&geom.extras, "morph", true);
    sims3_put_keys(&geom.extras, "keys", geom.keys.items, geom.keys.count);
    rcol_put_extras(&geom.rcol, &geom.extras, 0);
    geom.mesh.extras = value_done(&geom.extras);
    *mesh = geom.mesh;
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return !job->arena->failed;
}

const struct codec codec_sims3_geom = {
    .format = {.id = "sims3-geom",
               .title = "The Sims 3 mesh",
               .extensions = EXTENSIONS,
               .media_type = "application/x-sims3-geom",
               .kinds = "mesh",
               .is_linked = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(geom_encode),
    .fit = NOT_IN_PAGES(geom_fit),
};
