#include "lib/formats/gltf/write/file.h"

#include "lib/core/numbers/floats.h"

#include <string.h>

static const unsigned shape_sizes[] = {1, 2, 3, 4, 16};
static const char *const shape_names[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};

void gltf_file_init(struct gltf_file *file, struct encode_job *job)
{
    const struct pose_allocator *allocator = job->arena->allocator;
    *file = (struct gltf_file){
        .job = job, .json_bytes = {.allocator = allocator}, .bin_bytes = {.allocator = allocator}};
    writer_init_part(&file->json, &file->json_bytes, job->writer);
    writer_init_part(&file->bin, &file->bin_bytes, job->writer);
}

void gltf_file_release(struct gltf_file *file)
{
    pose_buffer_free(&file->json_bytes);
    pose_buffer_free(&file->bin_bytes);
}

/* ------------------------------------------------------------------------------------- views and accessors -- */

uint32_t gltf_view_begin(struct gltf_file *file, enum gltf_target target)
{
    writer_zeros(&file->bin, (4 - file->bin_bytes.size % 4) % 4);
    struct gltf_view *views =
        arena_grow(file->job->arena, file->views, file->view_count, &file->view_capacity, sizeof *views);
    if (!views)
        return 0;
    file->views = views;
    views[file->view_count] = (struct gltf_view){.offset = file->bin_bytes.size, .target = target};
    return file->view_count++;
}

void gltf_view_end(struct gltf_file *file)
{
    if (!file->view_count)
        return;
    struct gltf_view *view = &file->views[file->view_count - 1];
    view->size = file->bin_bytes.size - view->offset;
}

static struct gltf_accessor *new_accessor(struct gltf_file *file)
{
    struct gltf_accessor *accessors = arena_grow(file->job->arena, file->accessors, file->accessor_count,
                                                 &file->accessor_capacity, sizeof *accessors);
    if (!accessors || !file->view_count)
        return NULL;
    file->accessors = accessors;
    return &accessors[file->accessor_count++];
}

uint32_t gltf_accessor_add(struct gltf_file *file, enum gltf_component component, enum gltf_shape shape,
                           uint32_t count)
{
    struct gltf_accessor *accessor = new_accessor(file);
    if (!accessor)
        return 0;
    uint32_t view = file->view_count - 1;
    *accessor = (struct gltf_accessor){.view = view,
                                       .count = count,
                                       .offset = file->bin_bytes.size - file->views[view].offset,
                                       .component = component,
                                       .shape = shape};
    return file->accessor_count - 1;
}

uint32_t gltf_accessor_bounded(struct gltf_file *file, enum gltf_shape shape, const float *values,
                               uint32_t count)
{
    uint32_t index = gltf_accessor_add(file, GLTF_FLOATS, shape, count);
    unsigned size = shape_sizes[shape];
    if (index < file->accessor_count && count) {
        struct gltf_accessor *accessor = &file->accessors[index];
        accessor->bounds = size;
        for (unsigned i = 0; i < size; i++)
            accessor->least[i] = accessor->most[i] = values[i];
        for (size_t k = size; k < (size_t)count * size; k++) {
            unsigned i = (unsigned)(k % size);
            accessor->least[i] = values[k] < accessor->least[i] ? values[k] : accessor->least[i];
            accessor->most[i] = values[k] > accessor->most[i] ? values[k] : accessor->most[i];
        }
    }
    gltf_bin_floats(file, values, (size_t)count * size);
    return index;
}

uint32_t gltf_accessor_view(struct gltf_file *file, enum gltf_target target, enum gltf_shape shape,
                            const float *values, uint32_t count, bool bounded)
{
    gltf_view_begin(file, target);
    uint32_t index;
    if (bounded) {
        index = gltf_accessor_bounded(file, shape, values, count);
    } else {
        index = gltf_accessor_add(file, GLTF_FLOATS, shape, count);
        gltf_bin_floats(file, values, (size_t)count * shape_sizes[shape]);
    }
    gltf_view_end(file);
    return index;
}

/* Least and most of a sparse accessor, whose other values are 0. */
static void bound_sparse(struct gltf_accessor *accessor, const float (*values)[3], uint32_t value_count)
{
    accessor->bounds = 3;
    for (unsigned i = 0; i < 3; i++) {
        float start = value_count == accessor->count && value_count ? values[0][i] : 0;
        accessor->least[i] = accessor->most[i] = start;
        for (uint32_t k = 0; k < value_count; k++) {
            accessor->least[i] = values[k][i] < accessor->least[i] ? values[k][i] : accessor->least[i];
            accessor->most[i] = values[k][i] > accessor->most[i] ? values[k][i] : accessor->most[i];
        }
    }
}

uint32_t gltf_accessor_sparse(struct gltf_file *file, uint32_t count, const uint32_t *places,
                              const float (*values)[3], uint32_t value_count, bool bounded)
{
    uint32_t places_view = 0, values_view = 0;
    if (value_count) {
        places_view = gltf_view_begin(file, GLTF_NO_TARGET);
        for (uint32_t i = 0; i < value_count; i++)
            writer_u32le(&file->bin, places[i]);
        gltf_view_end(file);
        values_view = gltf_view_begin(file, GLTF_NO_TARGET);
        gltf_bin_floats(file, values[0], 3 * (size_t)value_count);
        gltf_view_end(file);
    }
    struct gltf_accessor *accessor = new_accessor(file);
    if (!accessor)
        return 0;
    *accessor = (struct gltf_accessor){.view = values_view,
                                       .count = count,
                                       .component = GLTF_FLOATS,
                                       .shape = GLTF_VEC3,
                                       .sparse_count = value_count,
                                       .places_view = places_view,
                                       .is_sparse = true};
    if (bounded)
        bound_sparse(accessor, values, value_count);
    return file->accessor_count - 1;
}

void gltf_bin_floats(struct gltf_file *file, const float *values, size_t count)
{
    uint8_t *to = writer_reserve(&file->bin, count * sizeof *values);
    if (to)
        floats_to_le(to, values, count);
    writer_commit(&file->bin, count * sizeof *values);
}

/* ---------------------------------------------------------------------------------------------------- JSON -- */

void gltf_json_uint(struct gltf_file *file, uint64_t number)
{
    char digits[20];
    unsigned at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    writer_bytes(&file->json, digits + at, sizeof digits - at);
}

void gltf_json_floats(struct gltf_file *file, const float *values, size_t count)
{
    uint8_t *start = writer_reserve(&file->json, count * (POSE_FLOAT_TEXT + 1) + 2), *to = start;
    if (!start)
        return;
    *to++ = '[';
    for (size_t i = 0; i < count; i++) {
        if (i)
            *to++ = ',';
        to += pose_float_text(values[i], (char *)to);
    }
    *to++ = ']';
    writer_commit(&file->json, (size_t)(to - start));
}

void gltf_json_comma(struct gltf_file *file)
{
    const struct pose_buffer *text = &file->json_bytes;
    char last = text->size ? (char)text->data[text->size - 1] : '{';
    if (last != '{' && last != '[')
        writer_u8(&file->json, ',');
}

void gltf_json_text(struct gltf_file *file, const char *text)
{
    writer_bytes(&file->json, text, strlen(text));
}

void gltf_json_key(struct gltf_file *file, const char *key)
{
    gltf_json_comma(file);
    writer_u8(&file->json, '"');
    gltf_json_text(file, key);
    writer_bytes(&file->json, "\":", 2);
}

void gltf_json_string(struct gltf_file *file, const char *text)
{
    if (text)
        writer_json_string(&file->json, text);
    else
        gltf_json_text(file, "null");
}

/* ------------------------------------------------------------------------------------------------- the end -- */

static void put_sparse(struct gltf_file *file, const struct gltf_accessor *accessor)
{
    gltf_json_key(file, "sparse");
    gltf_json_text(file, "{\"count\":");
    gltf_json_uint(file, accessor->sparse_count);
    gltf_json_text(file, ",\"indices\":{\"bufferView\":");
    gltf_json_uint(file, accessor->places_view);
    gltf_json_text(file, ",\"componentType\":5125},\"values\":{\"bufferView\":");
    gltf_json_uint(file, accessor->view);
    gltf_json_text(file, "}}");
}

static void put_accessor(struct gltf_file *file, const struct gltf_accessor *accessor)
{
    gltf_json_comma(file);
    gltf_json_text(file, "{");
    if (!accessor->is_sparse) {
        gltf_json_key(file, "bufferView");
        gltf_json_uint(file, accessor->view);
    }
    if (accessor->offset) {
        gltf_json_text(file, ",\"byteOffset\":");
        gltf_json_uint(file, accessor->offset);
    }
    gltf_json_key(file, "componentType");
    gltf_json_uint(file, accessor->component);
    if (accessor->is_normalised)
        gltf_json_text(file, ",\"normalized\":true");
    gltf_json_text(file, ",\"count\":");
    gltf_json_uint(file, accessor->count);
    gltf_json_text(file, ",\"type\":\"");
    gltf_json_text(file, shape_names[accessor->shape]);
    gltf_json_text(file, "\"");
    if (accessor->bounds) {
        gltf_json_text(file, ",\"min\":");
        gltf_json_floats(file, accessor->least, accessor->bounds);
        gltf_json_text(file, ",\"max\":");
        gltf_json_floats(file, accessor->most, accessor->bounds);
    }
    if (accessor->sparse_count)
        put_sparse(file, accessor);
    gltf_json_text(file, "}");
}

static void put_views(struct gltf_file *file)
{
    gltf_json_key(file, "bufferViews");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < file->view_count; i++) {
        const struct gltf_view *view = &file->views[i];
        gltf_json_comma(file);
        gltf_json_text(file, "{\"buffer\":0,\"byteOffset\":");
        gltf_json_uint(file, view->offset);
        gltf_json_text(file, ",\"byteLength\":");
        gltf_json_uint(file, view->size);
        if (view->target) {
            gltf_json_text(file, ",\"target\":");
            gltf_json_uint(file, view->target);
        }
        gltf_json_text(file, "}");
    }
    gltf_json_text(file, "]");
}

static void put_base64(struct gltf_file *file, const uint8_t *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = (size + 2) / 3 * 4;
    char *to = (char *)writer_reserve(&file->json, length);
    for (size_t i = 0; to && i < size; i += 3) {
        uint32_t word = (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) |
                        (i + 2 < size ? data[i + 2] : 0);
        *to++ = digits[word >> 18];
        *to++ = digits[word >> 12 & 63];
        *to++ = i + 1 < size ? digits[word >> 6 & 63] : '=';
        *to++ = i + 2 < size ? digits[word & 63] : '=';
    }
    writer_commit(&file->json, length);
}

static void put_buffer(struct gltf_file *file, bool is_glb)
{
    gltf_json_key(file, "buffers");
    gltf_json_text(file, "[{\"byteLength\":");
    gltf_json_uint(file, file->bin_bytes.size);
    if (!is_glb) {
        gltf_json_text(file, ",\"uri\":\"data:application/octet-stream;base64,");
        put_base64(file, file->bin_bytes.data, file->bin_bytes.size);
        gltf_json_text(file, "\"");
    }
    gltf_json_text(file, "}]");
}

/* Header, JSON filled up with blanks, and the buffer, if there is one, filled up with zeros. */
static bool put_glb(struct gltf_file *file)
{
    struct writer *out = file->job->writer;
    while (file->json_bytes.size % 4 && !file->json.failed)
        writer_u8(&file->json, ' ');
    writer_zeros(&file->bin, (4 - file->bin_bytes.size % 4) % 4);
    uint64_t json = file->json_bytes.size, bin = file->bin_bytes.size;
    uint64_t whole = 12 + 8 + json + (bin ? 8 + bin : 0);
    if (whole > UINT32_MAX)
        return error_set(file->job->error, POSE_OVER_LIMIT, "too_large",
                         "%llu bytes are more than a GLB can hold", (unsigned long long)whole);
    writer_reserve(out, whole);
    writer_bytes(out, "glTF", 4);
    writer_u32le(out, 2);
    writer_u32le(out, (uint32_t)whole);
    writer_u32le(out, (uint32_t)json);
    writer_bytes(out, "JSON", 4);
    writer_bytes(out, file->json_bytes.data, json);
    if (bin) {
        writer_u32le(out, (uint32_t)bin);
        writer_bytes(out, "BIN\0", 4);
        writer_bytes(out, file->bin_bytes.data, bin);
    }
    return true;
}

bool gltf_file_finish(struct gltf_file *file, bool is_glb)
{
    if (file->accessor_count) {
        gltf_json_key(file, "accessors");
        gltf_json_text(file, "[");
        for (uint32_t i = 0; i < file->accessor_count; i++)
            put_accessor(file, &file->accessors[i]);
        gltf_json_text(file, "]");
    }
    if (file->view_count) {
        put_views(file);
        put_buffer(file, is_glb);
    }
    gltf_json_text(file, "}");
    if (file->json.failed || file->bin.failed || file->job->arena->failed)
        return false;
    if (is_glb)
        return put_glb(file);
    writer_bytes(file->job->writer, file->json_bytes.data, file->json_bytes.size);
    return true;
}
