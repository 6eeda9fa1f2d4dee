#include "lib/formats/gltf/write/file.h"

#include "lib/core/bytes/base64.h"
#include "lib/core/numbers/floats.h"

#include <string.h>

static const unsigned shape_sizes[] = {1, 2, 3, 4, 16};
static const char *const shape_names[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};

void gltf_file_init(struct gltf_file *file, struct encode_job *job)
{
    const struct pose_allocator *allocator = job->arena->allocator;
    *file = (struct gltf_file){
        .job = job, .json_bytes = {.allocator = allocator}, .bin_bytes = {.allocator = allocator}};
    writer_init_part(&file->json.to, &file->json_bytes, job->writer);
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

/* Minimum and maximum of a sparse accessor, whose other values are 0. */
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

/* ------------------------------------------------------------------------------------------------- the end -- */

static void put_sparse(struct json_writer *json, const struct gltf_accessor *accessor)
{
    jsonw_object(json, "sparse");
    jsonw_integer(json, "count", accessor->sparse_count);
    jsonw_object(json, "indices");
    jsonw_integer(json, "bufferView", accessor->places_view);
    jsonw_integer(json, "componentType", GLTF_INTS);
    jsonw_end(json);
    jsonw_object(json, "values");
    jsonw_integer(json, "bufferView", accessor->view);
    jsonw_end(json);
    jsonw_end(json);
}

static void put_accessor(struct json_writer *json, const struct gltf_accessor *accessor)
{
    jsonw_object(json, NULL);
    if (!accessor->is_sparse)
        jsonw_integer(json, "bufferView", accessor->view);
    if (accessor->offset)
        jsonw_unsigned(json, "byteOffset", accessor->offset);
    jsonw_integer(json, "componentType", accessor->component);
    if (accessor->is_normalised)
        jsonw_bool(json, "normalized", true);
    jsonw_integer(json, "count", accessor->count);
    jsonw_string(json, "type", shape_names[accessor->shape]);
    if (accessor->bounds) {
        jsonw_finite_floats(json, "min", accessor->least, accessor->bounds);
        jsonw_finite_floats(json, "max", accessor->most, accessor->bounds);
    }
    if (accessor->sparse_count)
        put_sparse(json, accessor);
    jsonw_end(json);
}

static void put_views(struct gltf_file *file)
{
    struct json_writer *json = &file->json;
    jsonw_array(json, "bufferViews");
    for (uint32_t i = 0; i < file->view_count; i++) {
        const struct gltf_view *view = &file->views[i];
        jsonw_object(json, NULL);
        jsonw_integer(json, "buffer", 0);
        jsonw_unsigned(json, "byteOffset", view->offset);
        jsonw_unsigned(json, "byteLength", view->size);
        if (view->target)
            jsonw_integer(json, "target", view->target);
        jsonw_end(json);
    }
    jsonw_end(json);
}

static void put_buffer(struct gltf_file *file, bool is_glb)
{
    struct json_writer *json = &file->json;
    size_t size = file->bin_bytes.size, length = base64_length(size);
    jsonw_array(json, "buffers");
    jsonw_object(json, NULL);
    jsonw_unsigned(json, "byteLength", size);
    if (!is_glb) {
        jsonw_key(json, "uri");
        writer_text(&json->to, "\"data:application/octet-stream;base64,");
        char *text = (char *)writer_reserve(&json->to, length);
        if (text)
            base64_encode(file->bin_bytes.data, size, text);
        writer_commit(&json->to, length);
        writer_u8(&json->to, '"');
    }
    jsonw_end(json);
    jsonw_end(json);
}

/* Header, JSON padded with blanks, and the buffer, if any, padded with zeros. */
static bool put_glb(struct gltf_file *file)
{
    struct writer *out = file->job->writer;
    while (file->json_bytes.size % 4 && !file->json.to.failed)
        writer_u8(&file->json.to, ' ');
    writer_zeros(&file->bin, (4 - file->bin_bytes.size % 4) % 4);
    uint64_t json = file->json_bytes.size, bin = file->bin_bytes.size;
    uint64_t whole = 12 + 8 + json + (bin ? 8 + bin : 0);
    if (whole > UINT32_MAX)
        return error_set(file->job->error, POSE_OVER_LIMIT, "too_large",
                         "%llu bytes exceed the 4 GiB of a GLB", (unsigned long long)whole);
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
        jsonw_array(&file->json, "accessors");
        for (uint32_t i = 0; i < file->accessor_count; i++)
            put_accessor(&file->json, &file->accessors[i]);
        jsonw_end(&file->json);
    }
    if (file->view_count) {
        put_views(file);
        put_buffer(file, is_glb);
    }
    jsonw_end(&file->json);
    if (file->json.to.failed || file->bin.failed || file->job->arena->failed)
        return false;
    if (is_glb)
        return put_glb(file);
    writer_bytes(file->job->writer, file->json_bytes.data, file->json_bytes.size);
    return true;
}
