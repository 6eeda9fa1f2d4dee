/* Writing GEOM: a decoded file round-trips byte for byte. Facts: sims3-geom.md, 10. */
#include "lib/formats/sims3/body/geom.h"

#include "lib/core/hash.h"
#include "lib/model/axes.h"

#include <math.h>
#include <string.h>

struct writing {
    struct encode_job *job;
    struct writer *writer;
    const struct pose_mesh *mesh;
    uint32_t element_count, stride, further_size;
    struct geom_element elements[GEOM_MAX_ELEMENTS];
    const uint8_t *further; /* [real_count][further_size] */
    const struct sims3_resource *keys;
    uint32_t key_count;
};

static bool refuse(struct writing *writing, const char *code, const char *reason)
{
    return error_set(writing->job->error, POSE_BAD_DATA, code, "meshes[0]: %s", reason);
}

/* ---------------------------------------------------------------------------------------------- elements -- */

static void add_element(struct writing *writing, uint32_t usage, uint32_t type, uint32_t size)
{
    if (writing->element_count < GEOM_MAX_ELEMENTS)
        writing->elements[writing->element_count++] =
            (struct geom_element){.usage = usage, .type = type, .size = size};
}

/* The elements in the order of the game's own files. */
static void usual_elements(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    add_element(writing, GEOM_POSITION, GEOM_FLOATS, 12);
    if (mesh->normals)
        add_element(writing, GEOM_NORMAL, GEOM_FLOATS, 12);
    if (mesh->uvs)
        add_element(writing, GEOM_UV, GEOM_FLOATS, 8);
    for (uint32_t i = 0; i < mesh->further_uv_count; i++)
        add_element(writing, GEOM_UV, GEOM_FLOATS, 8);
    if (mesh->influences) {
        add_element(writing, GEOM_ASSIGNMENT, GEOM_BYTES, 4);
        add_element(writing, GEOM_WEIGHTS, GEOM_FLOATS, 16);
    }
    if (mesh->vertex_ids)
        add_element(writing, GEOM_ID, GEOM_WORD, 4);
    if (mesh->tangents)
        add_element(writing, GEOM_TANGENT, GEOM_FLOATS, 12);
}

/* Whether the mesh has the data for an element of that usage. */
static bool has_data(const struct writing *writing, const struct geom_element *element)
{
    const struct pose_mesh *mesh = writing->mesh;
    switch (element->usage) {
    case GEOM_NORMAL:
        return mesh->normals;
    case GEOM_UV:
        return element->set ? element->set - 1 < mesh->further_uv_count : mesh->uvs != NULL;
    case GEOM_ASSIGNMENT:
    case GEOM_WEIGHTS:
        return mesh->influences;
    case GEOM_ID:
        return mesh->vertex_ids;
    default:
        return true;
    }
}

static bool is_sound(const struct geom_element *element)
{
    switch (element->usage) {
    case GEOM_POSITION:
    case GEOM_NORMAL:
        return element->size == 12;
    case GEOM_UV:
        return element->size == 8;
    case GEOM_WEIGHTS:
        return element->size == (element->type == GEOM_BYTES ? 4 : 16);
    case GEOM_ASSIGNMENT:
    case GEOM_ID:
        return element->size == 4;
    default:
        return element->size > 0;
    }
}

/* The elements listed in the extras, if they fit the mesh. False if they do not. */
static bool take_elements(struct writing *writing)
{
    const struct pose_value *list = pose_value_find(writing->mesh->extras, "elements");
    if (!list || list->kind != POSE_ARRAY || value_count(list) > GEOM_MAX_ELEMENTS)
        return false;
    for (const struct pose_value *row = list->first; row; row = row->next) {
        const struct pose_value *at = row->kind == POSE_ARRAY ? row->first : NULL;
        uint32_t numbers[3] = {0};
        for (int i = 0; at && i < 3; at = at->next)
            numbers[i++] = at->kind == POSE_INT ? (uint32_t)at->as.integer : 0;
        add_element(writing, numbers[0], numbers[1], numbers[2] & UINT8_MAX);
    }
    geom_lay_out(writing->elements, writing->element_count);
    bool has_position = false;
    for (uint32_t i = 0; i < writing->element_count; i++) {
        const struct geom_element *element = &writing->elements[i];
        has_position |= element->usage == GEOM_POSITION;
        if (element->is_kept && (!is_sound(element) || !has_data(writing, element)))
            return false;
        writing->further_size += element->is_kept ? 0 : element->size;
    }
    return has_position;
}

static bool take_further(struct writing *writing)
{
    size_t size = (size_t)writing->further_size * writing->mesh->real_count;
    uint8_t *bytes = ARENA_NEW(writing->job->arena, uint8_t, size);
    if (bytes && size && value_get_hex(writing->mesh->extras, "further", bytes, size) != (int64_t)size)
        return false;
    writing->further = bytes;
    return bytes;
}

static void choose_elements(struct writing *writing)
{
    if (!take_elements(writing) || !take_further(writing)) {
        writing->element_count = writing->further_size = 0;
        usual_elements(writing);
    }
    writing->stride = geom_lay_out(writing->elements, writing->element_count);
}

/* ---------------------------------------------------------------------------------------------- vertices -- */

static void write_floats(struct writer *writer, const float *floats, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        writer_f32le(writer, floats[i]);
}

static void write_vector(struct writing *writing, enum pose_part part, const float *vector)
{
    float turned[3];
    memcpy(turned, vector, sizeof turned);
    if (writing->mesh->axes != POSE_AXES_GLTF)
        pose_convert_axes(part, turned, 1, writing->mesh->axes, POSE_AXES_GLTF);
    write_floats(writing->writer, turned, 3);
}

static void write_weights(struct writing *writing, const struct geom_element *element,
                          const struct pose_influences *influences)
{
    for (int i = 0; i < POSE_WEIGHTS; i++) {
        if (element->type == GEOM_BYTES)
            writer_u8(writing->writer, (uint8_t)lroundf(fminf(fmaxf(influences->weights[i], 0), 1) * 255));
        else
            writer_f32le(writing->writer, influences->weights[i]);
    }
}

static void write_element(struct writing *writing, const struct geom_element *element, uint32_t v)
{
    const struct pose_mesh *mesh = writing->mesh;
    switch (element->usage) {
    case GEOM_POSITION:
        write_vector(writing, POSE_TRANSLATION, mesh->positions[v]);
        break;
    case GEOM_NORMAL:
        write_vector(writing, POSE_TRANSLATION, mesh->normals[v]);
        break;
    case GEOM_TANGENT:
        write_vector(writing, POSE_TRANSLATION, mesh->tangents[v]);
        break;
    case GEOM_UV:
        write_floats(writing->writer, element->set ? mesh->further_uvs[element->set - 1][v] : mesh->uvs[v],
                     2);
        break;
    case GEOM_ASSIGNMENT:
        for (int i = 0; i < POSE_WEIGHTS; i++)
            writer_u8(writing->writer, (uint8_t)mesh->influences[v].bones[i]);
        break;
    case GEOM_WEIGHTS:
        write_weights(writing, element, &mesh->influences[v]);
        break;
    case GEOM_ID:
        writer_u32le(writing->writer, mesh->vertex_ids[v]);
        break;
    default:
        break;
    }
}

static void write_vertices(struct writing *writing)
{
    const uint8_t *further = writing->further;
    for (uint32_t v = 0; v < writing->mesh->real_count; v++) {
        for (uint32_t i = 0; i < writing->element_count; i++) {
            const struct geom_element *element = &writing->elements[i];
            if (element->is_kept || !writing->further_size) {
                write_element(writing, element, v);
            } else {
                writer_bytes(writing->writer, further, element->size);
                further += element->size;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------- faces -- */

/* Writes one group; returns the index of its end among all indices. */
static uint32_t write_group(struct writing *writing, unsigned index_size, uint32_t first, uint32_t count)
{
    const struct pose_mesh *mesh = writing->mesh;
    writer_u8(writing->writer, (uint8_t)index_size);
    writer_u32le(writing->writer, count);
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t index = mesh->faces[i / 3][i % 3];
        for (unsigned k = 0; k < index_size; k++)
            writer_u8(writing->writer, (uint8_t)(index >> 8 * k));
    }
    return first + count;
}

/* Whether the groups in the extras match the mesh. */
static bool fits(const struct pose_value *groups, uint32_t index_count)
{
    uint64_t sum = 0;
    for (const struct pose_value *item = groups->first; item; item = item->next) {
        if (item->kind != POSE_INT || item->as.integer < 0 || item->as.integer % 3 ||
            item->as.integer > index_count)
            return false;
        sum += (uint64_t)item->as.integer;
    }
    return sum == index_count;
}

static void write_faces(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    const struct pose_value *groups = pose_value_find(mesh->extras, "face_groups");
    int64_t index_size = value_get_int(mesh->extras, "index_size", 2);
    uint32_t least = mesh->real_count > UINT16_MAX + 1 ? 4 : mesh->real_count > UINT8_MAX + 1 ? 2 : 1, at = 0;
    if ((index_size != 1 && index_size != 2 && index_size != 4) || index_size < least)
        index_size = least == 4 ? 4 : 2;
    uint32_t count = 3 * mesh->face_count, group_count = groups ? (uint32_t)value_count(groups) : 0;
    if (!groups || groups->kind != POSE_ARRAY || !group_count || group_count > GEOM_MAX_FACE_GROUPS ||
        !fits(groups, count)) {
        writer_u32le(writing->writer, 1);
        write_group(writing, (unsigned)index_size, 0, count);
        return;
    }
    writer_u32le(writing->writer, group_count);
    for (const struct pose_value *item = groups->first; item; item = item->next)
        at = write_group(writing, (unsigned)index_size, at, (uint32_t)item->as.integer);
}

/* ------------------------------------------------------------------------------------------------- parts -- */

static bool write_material(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    const struct pose_value *extras = mesh->material_count ? mesh->materials->extras : NULL;
    uint32_t shader = (uint32_t)value_get_int(extras, "shader", 0);
    const char *text = value_get_string(extras, "block", "");
    size_t size = strlen(text) / 2;
    uint8_t *block = ARENA_NEW(writing->job->arena, uint8_t, size);
    if (!block)
        return false;
    if (shader && value_get_hex(extras, "block", block, size) != (int64_t)size)
        return refuse(writing, "bad_material", "extras.block of the material is not hexadecimal");
    writer_u32le(writing->writer, shader);
    if (shader) {
        writer_u32le(writing->writer, (uint32_t)size);
        writer_bytes(writing->writer, block, size);
    }
    return true;
}

static void write_bones(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    writer_u32le(writing->writer, (uint32_t)value_get_int(mesh->extras, "skin_controller", -1));
    writer_u32le(writing->writer, mesh->bone_count);
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        const char *name = mesh->bones && mesh->bones[i] ? mesh->bones[i] : "";
        writer_u32le(writing->writer, mesh->bone_ids ? mesh->bone_ids[i] : hash_fnv32(name, strlen(name)));
    }
}

static bool check(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    if (mesh->space != POSE_SPACE_BIND)
        return refuse(writing, "unsupported", "its vertices are in the space of its bones");
    if (mesh->bone_count > UINT8_MAX + 1 || mesh->real_count > GEOM_MAX_VERTICES)
        return refuse(writing, "bad_count", "more bones or vertices than the format numbers");
    for (uint32_t v = 0; v < mesh->real_count; v++) {
        for (int i = 0; i < 3; i++) {
            if (!isfinite(mesh->positions[v][i]) || (mesh->normals && !isfinite(mesh->normals[v][i])))
                return refuse(writing, "non_finite", "a vertex has a value that is not a number");
        }
        for (int i = 0; mesh->influences && i < POSE_WEIGHTS; i++) {
            if (!isfinite(mesh->influences[v].weights[i]) || mesh->influences[v].bones[i] > UINT8_MAX)
                return refuse(writing, "non_finite",
                              "a weight is not a number, or is for a bone beyond the format's range");
        }
    }
    return true;
}

bool geom_encode(struct encode_job *job)
{
    struct writing writing = {.job = job, .writer = job->writer, .mesh = job->content->meshes};
    if (!job->content->mesh_count)
        return error_set(job->error, POSE_BAD_DATA, "no_mesh", "a GEOM holds one mesh");
    const struct pose_value *extras = writing.mesh->extras;
    if (!check(&writing) || !rcol_take_keys(job, extras, &writing.keys, &writing.key_count))
        return false;
    choose_elements(&writing);
    struct writer *writer = job->writer;
    size_t chunk = rcol_begin(writer, extras, "GEOM", 0);
    writer_u32le(writer, GEOM_VERSION);
    size_t field = writer->out->size;
    writer_zeros(writer, 8);
    if (!write_material(&writing))
        return false;
    writer_u32le(writer, (uint32_t)value_get_int(extras, "merge_group", 0));
    writer_u32le(writer, (uint32_t)value_get_int(extras, "sort_order", 0));
    writer_u32le(writer, writing.mesh->real_count);
    writer_u32le(writer, writing.element_count);
    for (uint32_t i = 0; i < writing.element_count; i++) {
        writer_u32le(writer, writing.elements[i].usage);
        writer_u32le(writer, writing.elements[i].type);
        writer_u8(writer, (uint8_t)writing.elements[i].size);
    }
    write_vertices(&writing);
    write_faces(&writing);
    write_bones(&writing);
    rcol_end(writer, chunk, field, writing.keys, writing.key_count);
    return true;
}
