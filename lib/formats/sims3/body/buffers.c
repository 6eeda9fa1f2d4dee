/* Buffers and materials of object models: vertex layouts (VRTF), vertices (VBUF), indices (IBUF), materials
 * (MATD, MTST). */
#include "lib/formats/sims3/body/model.h"

#include <math.h>
#include <string.h>

enum {
    VRTF_VERSION = 2,
    VBUF_VERSION = 0x101,
    VBUF_HEAD = 16,
    IBUF_DIFFERENCES = 1,
    IBUF_WIDE = 2,
    MATD_WITH_SIZES = 0x103,
    MAX_SETS = 4, /* nested sets of materials */
};

/* -------------------------------------------------------------------------------------------------- layout -- */

enum vertex_format {
    FLOAT1,
    FLOAT4 = 3,
    UBYTE4 = 4,
    COLOR_UBYTE4 = 5,
    SHORT2 = 6,
    SHORT4 = 7,
    USHORT4N = 12,
    HALF2 = 15,
    FORMATS = 16,
};

static const uint8_t format_sizes[FORMATS] = {[FLOAT1] = 4,
                                              8,
                                              12,
                                              [FLOAT4] = 16,
                                              [UBYTE4] = 4,
                                              [COLOR_UBYTE4] = 4,
                                              [SHORT2] = 4,
                                              [SHORT4] = 8,
                                              [USHORT4N] = 8,
                                              [HALF2] = 4};

bool model_read_layout(struct model *model, uint32_t chunk, struct vertex_layout *layout)
{
    struct reader reader;
    bool has_position = false;
    if (!rcol_open(&model->rcol, chunk, "VRTF", &reader))
        return false;
    reader_u32le(&reader, "version");
    layout->stride = reader_u32le(&reader, "stride");
    if (!reader.failed && (!layout->stride || layout->stride > UINT8_MAX))
        return reader_fail(&reader, "element_size", "a vertex of %u bytes", layout->stride);
    layout->count = reader_u32le(&reader, "element_count");
    if (!reader.failed && layout->count > MODEL_MAX_ELEMENTS)
        return reader_fail(&reader, "bad_count", "%u elements; at most %d", layout->count,
                           MODEL_MAX_ELEMENTS);
    uint32_t is_extended = reader_u32le(&reader, "extended");
    for (uint32_t i = 0; i < layout->count && !reader.failed; i++) {
        uint32_t values[4];
        for (int k = 0; k < 4; k++)
            values[k] = is_extended ? reader_u32le(&reader, "element") : reader_u8(&reader, "element");
        if (reader.failed)
            return false;
        if (values[2] >= FORMATS || !format_sizes[values[2]])
            return reader_fail(&reader, "unsupported", "format %u of an element is not read", values[2]);
        if (values[3] > layout->stride || format_sizes[values[2]] > layout->stride - values[3])
            return reader_fail(&reader, "element_size", "an element ends outside of the vertex's %u bytes",
                               layout->stride);
        layout->elements[i] =
            (struct vertex_element){(uint8_t)(values[0] & UINT8_MAX), (uint8_t)(values[1] & UINT8_MAX),
                                    (uint8_t)values[2], (uint8_t)values[3]};
        has_position |= values[0] == VERTEX_POSITION;
    }
    if (!reader.failed && !has_position)
        return reader_fail(&reader, "no_positions", "no element is a position");
    return !reader.failed;
}

/* ------------------------------------------------------------------------------------------------- buffers -- */

bool model_read_vertices(struct model *model, uint32_t chunk, struct model_part *part)
{
    struct reader reader;
    if (!rcol_open(&model->rcol, chunk, "VBUF", &reader))
        return false;
    uint32_t version = reader_u32le(&reader, "version");
    if (!reader.failed && version != VBUF_VERSION)
        return reader_fail(&reader, "bad_version", "0x%x, not 0x%x", version, VBUF_VERSION);
    uint32_t flags = reader_u32le(&reader, "flags");
    if (!reader.failed && flags)
        return reader_fail(&reader, "unsupported", "flags 0x%x of a vertex buffer", flags);
    reader_u32le(&reader, "byte_order");
    if (!reader_skip(&reader, part->vertices_offset, "vertices") ||
        !reader_count(&reader, part->vertex_count, part->layout.stride, "vertices", "truncated"))
        return false;
    part->vertices = reader_bytes(&reader, (uint64_t)part->vertex_count * part->layout.stride, "vertices");
    return part->vertices;
}

static bool fill_indices(struct model *model, struct reader *reader, struct model_indices *indices,
                         bool is_wide, bool is_differences)
{
    uint32_t count = (uint32_t)(reader_left(reader) / (is_wide ? 4 : 2)), before = 0;
    if (count > MODEL_MAX_INDICES - model->index_total)
        return reader_fail(reader, "bad_count", "more than %d indices", MODEL_MAX_INDICES);
    model->index_total += count;
    uint32_t *values = ARENA_NEW(model->job->arena, uint32_t, count);
    for (uint32_t i = 0; values && i < count; i++) {
        uint32_t value = is_wide ? reader_u32le(reader, "index") : reader_u16le(reader, "index");
        before = is_differences ? before + value : value;
        before &= is_wide ? UINT32_MAX : UINT16_MAX;
        values[i] = before;
    }
    indices->values = values;
    indices->count = count;
    return values;
}

bool model_read_indices(struct model *model, uint32_t chunk, struct model_part *part)
{
    struct model_indices *indices = &model->indices[chunk];
    struct reader reader;
    if (!rcol_open(&model->rcol, chunk, "IBUF", &reader))
        return false;
    reader_u32le(&reader, "version");
    uint32_t flags = reader_u32le(&reader, "flags");
    if (!reader.failed && (flags & ~(uint32_t)(IBUF_DIFFERENCES | IBUF_WIDE)))
        return reader_fail(&reader, "unsupported", "flags 0x%x of an index buffer", flags);
    reader_u32le(&reader, "unused");
    if (reader.failed || (!indices->values && !fill_indices(model, &reader, indices, flags & IBUF_WIDE,
                                                            flags & IBUF_DIFFERENCES)))
        return false;
    if (part->index_first > indices->count ||
        3 * (uint64_t)part->triangle_count > indices->count - part->index_first)
        return reader_fail(&reader, "truncated", "%u triangles from index %u on, of %u indices",
                           part->triangle_count, part->index_first, indices->count);
    part->indices = indices;
    return true;
}

/* ----------------------------------------------------------------------------------------------- materials -- */

/* Follows a set to its default material. */
static bool follow_sets(struct model *model, uint32_t *chunk)
{
    static const char tag[] = "MTST";
    for (int depth = 0;; depth++) {
        const struct rcol_chunk *at = &model->rcol.chunks[*chunk];
        struct reader reader;
        int64_t next;
        if (at->size < RCOL_TAG || memcmp(model->job->source->bytes.data + at->offset, tag, RCOL_TAG) != 0)
            return true;
        if (!rcol_open(&model->rcol, *chunk, tag, &reader) || !reader_skip(&reader, 8, "name"))
            return false;
        uint32_t reference = reader_u32le(&reader, "default");
        if (reader.failed || !model_follow(model, &reader, reference, &next))
            return false;
        if (next < 0)
            return reader_fail(&reader, "bad_reference", "a set of materials without one");
        if (depth == MAX_SETS || (uint32_t)next == *chunk)
            return reader_fail(&reader, "cycle", "sets of materials name each other");
        *chunk = (uint32_t)next;
    }
}

bool model_read_material(struct model *model, uint32_t chunk, struct model_part *part, uint32_t *shader)
{
    struct reader reader;
    struct mtnf mtnf = {.keys = model->rcol.externals, .key_count = model->rcol.external_count};
    if (!follow_sets(model, &chunk))
        return false;
    if (!rcol_open(&model->rcol, chunk, "MATD", &reader)) {
        if (reader.failed && !chunk)
            strcpy(model->job->error->code, "bad_reference");
        return false;
    }
    uint32_t version = reader_u32le(&reader, "version");
    reader_u32le(&reader, "name");
    mtnf.shader = *shader = reader_u32le(&reader, "shader");
    reader_u32le(&reader, "length");
    if (version >= MATD_WITH_SIZES)
        reader_skip(&reader, 8, "sizes");
    if (reader.failed)
        return false;
    mtnf.offset = reader_offset(&reader);
    mtnf.block = (struct pose_bytes){reader.at, reader_left(&reader)};
    sims3_read_material(&mtnf, model->job->arena, &model->job->warnings, &part->material);
    memcpy(part->uv_scales, mtnf.uv_scales, sizeof part->uv_scales);
    return true;
}

/* ------------------------------------------------------------------------------------------------- vertices -- */

static uint32_t word_of(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float float_of(const uint8_t *p)
{
    uint32_t bits = word_of(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float short_of(const uint8_t *p)
{
    return (float)(int16_t)(uint16_t)(p[0] | p[1] << 8);
}

static float half_of(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8, exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent == 31 ? NAN
                  : exponent     ? ldexpf((float)(fraction + 1024), (int)exponent - 25)
                                 : ldexpf((float)fraction, -24);
    return bits & 0x8000 ? -value : value;
}

/* A direction's component. */
static float signed_of(uint8_t c)
{
    return c ? (float)(c + 1) / 128 - 1 : -1;
}

static void unpack_floats(const uint8_t *p, uint8_t format, float *to, unsigned count)
{
    unsigned there = format <= FLOAT4 ? format + 1u : 0;
    for (unsigned i = 0; i < count; i++)
        to[i] = i < there ? float_of(p + 4 * i) : 0;
}

static void unpack_position(const uint8_t *p, uint8_t format, float to[3])
{
    enum { OF_SHORT4 = 32767, OF_USHORT4N = 512 };
    uint32_t scale = (uint32_t)p[6] | (uint32_t)p[7] << 8;
    if (format != SHORT4 && format != USHORT4N) {
        unpack_floats(p, format, to, 3);
        return;
    }
    if (!scale)
        scale = format == SHORT4 ? OF_SHORT4 : OF_USHORT4N;
    for (int i = 0; i < 3; i++)
        to[i] = short_of(p + 2 * i) / (float)scale;
}

static void unpack_normal(const uint8_t *p, uint8_t format, float to[3])
{
    if (format != COLOR_UBYTE4) {
        unpack_floats(p, format, to, 3);
        return;
    }
    float square = 0;
    for (int i = 0; i < 3; i++) {
        to[i] = signed_of(p[2 - i]);
        square += to[i] * to[i];
    }
    float length = sqrtf(square);
    for (int i = 0; i < 3 && length > 0; i++)
        to[i] /= length;
}

static void unpack_uv(const struct model_part *part, const uint8_t *p, uint8_t format, float to[2])
{
    float scale = part->uv_scales[0] != 0 ? part->uv_scales[0] : 1.0f / 32767;
    if (format == SHORT4)
        scale = 1.0f / 32767;
    for (int i = 0; i < 2; i++) {
        if (format == SHORT2 || format == SHORT4)
            to[i] = short_of(p + 2 * i) * scale;
        else if (format == HALF2)
            to[i] = half_of(p + 2 * i);
    }
    if (format <= FLOAT4)
        unpack_floats(p, format, to, 2);
}

/* Ignores bones that the part does not have; true if there was one. */
static bool unpack_joints(const struct model_part *part, const uint8_t *p, struct pose_influences *to)
{
    bool is_beyond = false;
    for (int i = 0; i < POSE_WEIGHTS; i++) {
        bool is_there = p[i] < part->bone_count;
        is_beyond |= !is_there && to->weights[i] > 0;
        to->bones[i] = is_there ? part->bone_first + p[i] : 0;
        to->weights[i] = is_there ? to->weights[i] : 0;
    }
    return is_beyond;
}

static void unpack_weights(const uint8_t *p, uint8_t format, float to[POSE_WEIGHTS])
{
    static const int order[POSE_WEIGHTS] = {2, 1, 0, 3};
    for (int i = 0; i < POSE_WEIGHTS; i++)
        to[i] = format == COLOR_UBYTE4 ? (float)p[order[i]] / 255 : format == UBYTE4 ? (float)p[i] / 255 : 0;
    if (format <= FLOAT4)
        unpack_floats(p, format, to, POSE_WEIGHTS);
}

static const struct vertex_element *find_element(const struct model_part *part, uint8_t usage)
{
    for (uint32_t i = 0; i < part->layout.count; i++) {
        if (part->layout.elements[i].usage == usage)
            return &part->layout.elements[i];
    }
    return NULL;
}

static bool are_finite(const float *values, unsigned count)
{
    bool finite = true;
    for (unsigned i = 0; i < count; i++)
        finite &= isfinite(values[i]) != 0;
    return finite;
}

bool model_unpack(struct model *model, const struct model_part *part, uint32_t first, float (*positions)[3],
                  float (*normals)[3], float (*uvs)[2], struct pose_influences *influences)
{
    const struct vertex_element *elements[VERTEX_USAGES];
    uint32_t beyond = 0;
    for (uint8_t usage = 0; usage < VERTEX_USAGES; usage++)
        elements[usage] = find_element(part, usage);
    for (uint32_t i = 0; i < part->vertex_count; i++) {
        const uint8_t *p[VERTEX_USAGES], *vertex = part->vertices + (size_t)i * part->layout.stride;
        uint32_t v = first + i;
        for (int usage = 0; usage < VERTEX_USAGES; usage++)
            p[usage] = elements[usage] ? vertex + elements[usage]->offset : NULL;
        unpack_position(p[VERTEX_POSITION], elements[VERTEX_POSITION]->format, positions[v]);
        if (p[VERTEX_NORMAL])
            unpack_normal(p[VERTEX_NORMAL], elements[VERTEX_NORMAL]->format, normals[v]);
        else
            normals[v][1] = 1;
        if (p[VERTEX_UV])
            unpack_uv(part, p[VERTEX_UV], elements[VERTEX_UV]->format, uvs[v]);
        if (p[VERTEX_WEIGHTS])
            unpack_weights(p[VERTEX_WEIGHTS], elements[VERTEX_WEIGHTS]->format, influences[v].weights);
        if (p[VERTEX_JOINTS] && p[VERTEX_WEIGHTS])
            beyond += unpack_joints(part, p[VERTEX_JOINTS], &influences[v]);
        if (!are_finite(positions[v], 3) || !are_finite(normals[v], 3) || !are_finite(uvs[v], 2) ||
            !are_finite(influences[v].weights, POSE_WEIGHTS))
            return reader_fail_at(&model->rcol.reader, (uint64_t)(vertex - model->job->source->bytes.data),
                                  "vertices", "non_finite", "vertex %u has a value that is not a number", i);
    }
    if (beyond)
        warning_add(&model->job->warnings, POSE_WARNING, "joint_index", POSE_NO_OFFSET,
                    "%u vertices have weights of bones that the part does not have", beyond);
    return true;
}
