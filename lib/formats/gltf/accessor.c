/* Accessors (section 3.6.2): typed numbers in buffer views, optionally with sparse substitutions. */
#include "lib/formats/gltf/read.h"

#include <math.h>
#include <string.h>

enum component {
    BYTE = 5120,
    UNSIGNED_BYTE = 5121,
    SHORT = 5122,
    UNSIGNED_SHORT = 5123,
    UNSIGNED_INT = 5125,
    FLOAT = 5126
};

struct accessor {
    uint32_t index;
    const struct pose_value *object;
    enum component type;
    unsigned components, component_size;
    bool normalised;
    uint64_t count, offset;
    uint32_t view; /* GLTF_NONE: zeros */
};

static unsigned size_of(uint64_t type)
{
    switch (type) {
    case BYTE:
    case UNSIGNED_BYTE:
        return 1;
    case SHORT:
    case UNSIGNED_SHORT:
        return 2;
    case UNSIGNED_INT:
    case FLOAT:
        return 4;
    default:
        return 0;
    }
}

static const char *type_name(unsigned components)
{
    static const char *const names[] = {[1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4"};
    return components < 5 ? names[components] : "MAT4";
}

static bool read_head(struct gltf *g, uint32_t index, unsigned components, struct accessor *accessor)
{
    *accessor = (struct accessor){.index = index, .components = components};
    const struct pose_value *object = accessor->object = gltf_object(g, "/accessors", &g->accessors, index);
    uint64_t type;
    if (!object || !gltf_size(g, object, "componentType", 0, &type) ||
        !gltf_size(g, object, "count", 0, &accessor->count) ||
        !gltf_size(g, object, "byteOffset", 0, &accessor->offset) ||
        !gltf_index(g, object, "bufferView", g->views.count, false, &accessor->view))
        return false;
    accessor->component_size = size_of(type);
    accessor->type = (enum component)type;
    accessor->normalised = value_get_bool(object, "normalized", false);
    if (!accessor->component_size)
        return gltf_refuse(g, "bad_component_type", "/componentType", "unknown component type %llu",
                           (unsigned long long)type);
    if (strcmp(value_get_string(object, "type", ""), type_name(components)) != 0)
        return gltf_refuse(g, "bad_type", "/type", "must be %s", type_name(components));
    return true;
}

bool gltf_accessor_count(struct gltf *g, uint32_t index, unsigned components, uint64_t *count)
{
    struct accessor accessor;
    bool done = read_head(g, index, components, &accessor);
    *count = accessor.count;
    return done;
}

static double component(const uint8_t *at, enum component type, bool normalised)
{
    uint32_t word = 0;
    float number;
    switch (type) { /* section 3.11: normalised integers */
    case BYTE:
        return normalised ? fmax((double)(int8_t)at[0] / 127, -1) : (double)(int8_t)at[0];
    case UNSIGNED_BYTE:
        return normalised ? (double)at[0] / 255 : (double)at[0];
    case SHORT:
        word = (uint32_t)at[0] | (uint32_t)at[1] << 8;
        return normalised ? fmax((double)(int16_t)word / 32767, -1) : (double)(int16_t)word;
    case UNSIGNED_SHORT:
        word = (uint32_t)at[0] | (uint32_t)at[1] << 8;
        return normalised ? (double)word / 65535 : (double)word;
    default:
        word = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        if (type == UNSIGNED_INT)
            return (double)word;
        memcpy(&number, &word, sizeof number);
        return (double)number;
    }
}

/* Where the numbers go: one of the two. */
struct sink {
    float *floats;
    uint32_t *integers;
};

/* Elements of an unsigned type that is not normalised, as gltf_accessor_integers ensures, fit in the integers. */
static void put(const struct sink *to, size_t place, const uint8_t *at, const struct accessor *accessor)
{
    double number = component(at, accessor->type, accessor->normalised);
    if (to->integers)
        to->integers[place] = (uint32_t)number;
    else
        to->floats[place] = (float)number;
}

/* The start of count elements of that size, stride apart, in a view; NULL if they do not fit. pointer: the
 * member of the accessor to blame. */
static const uint8_t *locate(struct gltf *g, const struct accessor *accessor, uint32_t view, uint64_t offset,
                             uint64_t count, uint64_t size, uint64_t *stride)
{
    struct pose_bytes bytes;
    g->unpacking = accessor->index;
    if (!gltf_view(g, view, &bytes, stride))
        return NULL;
    if (*stride && *stride < size) {
        gltf_refuse(g, "bad_stride", "/byteStride", "elements of %llu bytes every %llu bytes",
                    (unsigned long long)size, (unsigned long long)*stride);
        return NULL;
    }
    *stride = *stride ? *stride : size;
    gltf_at(g, "/accessors/%u", accessor->index);
    if (count && (offset > bytes.size || size > bytes.size - offset ||
                  count - 1 > (bytes.size - offset - size) / *stride)) {
        gltf_refuse(g, "outside_view", "/count",
                    "%llu elements of %llu bytes at offset %llu exceed a buffer view of %zu bytes",
                    (unsigned long long)count, (unsigned long long)size, (unsigned long long)offset,
                    bytes.size);
        return NULL;
    }
    return bytes.data + (count ? offset : 0);
}

static bool read_plain(struct gltf *g, const struct accessor *accessor, const struct sink *to)
{
    unsigned components = accessor->components;
    uint64_t stride;
    if (accessor->view == GLTF_NONE)
        return true;
    const uint8_t *at = locate(g, accessor, accessor->view, accessor->offset, accessor->count,
                               (uint64_t)components * accessor->component_size, &stride);
    if (!at)
        return false;
    size_t place = 0;
    for (uint64_t i = 0; i < accessor->count; i++) {
        for (unsigned c = 0; c < components; c++)
            put(to, place++, at + c * accessor->component_size, accessor);
        at += stride;
    }
    return true;
}

/* The two views of a sparse accessor. */
struct sparse {
    uint64_t count;
    const uint8_t *indices, *values;
    enum component type;
    unsigned index_size;
};

static bool find_sparse(struct gltf *g, const struct accessor *accessor, const struct pose_value *object,
                        struct sparse *sparse)
{
    const struct pose_value *indices = pose_value_find(object, "indices"),
                            *values = pose_value_find(object, "values");
    uint64_t offset, type, stride;
    uint32_t view;
    gltf_at(g, "/accessors/%u/sparse", accessor->index);
    if (!gltf_size(g, object, "count", 0, &sparse->count))
        return false;
    if (sparse->count > accessor->count)
        return gltf_refuse(g, "bad_sparse", "/count", "%llu of %llu elements",
                           (unsigned long long)sparse->count, (unsigned long long)accessor->count);
    gltf_at(g, "/accessors/%u/sparse/indices", accessor->index);
    if (!gltf_index(g, indices, "bufferView", g->views.count, true, &view) ||
        !gltf_size(g, indices, "byteOffset", 0, &offset) || !gltf_size(g, indices, "componentType", 0, &type))
        return false;
    sparse->type = (enum component)type;
    sparse->index_size = size_of(type);
    if (type != UNSIGNED_BYTE && type != UNSIGNED_SHORT && type != UNSIGNED_INT)
        return gltf_refuse(g, "bad_component_type", "/componentType", "indices cannot be of type %llu",
                           (unsigned long long)type);
    sparse->indices = locate(g, accessor, view, offset, sparse->count, sparse->index_size, &stride);
    gltf_at(g, "/accessors/%u/sparse/values", accessor->index);
    if (!sparse->indices || !gltf_index(g, values, "bufferView", g->views.count, true, &view) ||
        !gltf_size(g, values, "byteOffset", 0, &offset))
        return false;
    sparse->values = locate(g, accessor, view, offset, sparse->count,
                            (uint64_t)accessor->components * accessor->component_size, &stride);
    return sparse->values;
}

static uint32_t sparse_index(const struct sparse *sparse, uint64_t i)
{
    const uint8_t *at = sparse->indices + i * sparse->index_size;
    uint32_t index = 0;
    for (unsigned byte = 0; byte < sparse->index_size; byte++)
        index |= (uint32_t)at[byte] << 8 * byte;
    return index;
}

static bool read_sparse(struct gltf *g, const struct accessor *accessor, const struct sink *to)
{
    const struct pose_value *object = pose_value_find(accessor->object, "sparse");
    struct sparse sparse = {0};
    if (!object)
        return true;
    if (!find_sparse(g, accessor, object, &sparse))
        return false;
    gltf_at(g, "/accessors/%u/sparse", accessor->index);
    const uint8_t *at = sparse.values;
    int64_t before = -1;
    for (uint64_t i = 0; i < sparse.count; i++) {
        uint32_t index = sparse_index(&sparse, i);
        if (index >= accessor->count || (int64_t)index <= before)
            return gltf_refuse(g, "bad_sparse", "/indices", "index %u after %lld, of %llu elements", index,
                               (long long)before, (unsigned long long)accessor->count);
        before = index;
        for (unsigned c = 0; c < accessor->components; c++, at += accessor->component_size)
            put(to, (size_t)index * accessor->components + c, at, accessor);
    }
    return true;
}

static bool check_finite(struct gltf *g, const struct accessor *accessor, const float *values)
{
    gltf_at(g, "/accessors/%u", accessor->index);
    for (uint64_t i = 0; i < accessor->count * accessor->components; i++) {
        if (!isfinite(values[i]))
            return gltf_refuse(g, "not_finite", "", "element %llu is not finite",
                               (unsigned long long)(i / accessor->components));
    }
    return true;
}

static bool fill(struct gltf *g, const struct accessor *accessor, float *values)
{
    const struct sink to = {.floats = values};
    return read_plain(g, accessor, &to) && read_sparse(g, accessor, &to) && check_finite(g, accessor, values);
}

float *gltf_accessor_read(struct gltf *g, uint32_t index, unsigned components, bool keep)
{
    struct accessor accessor;
    if (!read_head(g, index, components, &accessor))
        return NULL;
    /* Without a view the count cannot be checked against any bytes; the caller checks the limit. */
    size_t size = components * sizeof(float);
    float *values =
        keep ? arena_alloc(g->job->arena, accessor.count, size) : json_alloc(&g->json, accessor.count, size);
    return values && fill(g, &accessor, values) ? values : NULL;
}

static bool check_length(struct gltf *g, const struct accessor *accessor, uint64_t count)
{
    gltf_at(g, "/accessors/%u", accessor->index);
    return accessor->count == count ||
           gltf_refuse(g, "count_mismatch", "/count", "%llu elements, not %llu",
                       (unsigned long long)accessor->count, (unsigned long long)count);
}

bool gltf_accessor_fill(struct gltf *g, uint32_t index, unsigned components, uint64_t count, float *values)
{
    struct accessor accessor;
    if (!read_head(g, index, components, &accessor) || !check_length(g, &accessor, count))
        return false;
    memset(values, 0, (size_t)count * components * sizeof *values);
    return fill(g, &accessor, values);
}

bool gltf_accessor_integers(struct gltf *g, uint32_t index, unsigned components, uint64_t count,
                            uint32_t *values)
{
    struct accessor accessor;
    if (!read_head(g, index, components, &accessor) || !check_length(g, &accessor, count))
        return false;
    if (accessor.normalised ||
        (accessor.type != UNSIGNED_BYTE && accessor.type != UNSIGNED_SHORT && accessor.type != UNSIGNED_INT))
        return gltf_refuse(g, "bad_component_type", "/componentType", "must be unsigned integers");
    const struct sink to = {.integers = values};
    memset(values, 0, (size_t)count * components * sizeof *values);
    return read_plain(g, &accessor, &to) && read_sparse(g, &accessor, &to);
}

bool gltf_accessor_shape(struct gltf *g, uint32_t index, uint64_t *count, unsigned *components,
                         bool *has_view)
{
    const struct pose_value *object = gltf_object(g, "/accessors", &g->accessors, index);
    struct accessor accessor;
    *components = 0;
    *count = 0;
    if (!object)
        return false;
    for (unsigned c = 1; c < 5; c++) {
        if (!strcmp(value_get_string(object, "type", ""), type_name(c)))
            *components = c;
    }
    if (!*components)
        return true;
    if (!read_head(g, index, *components, &accessor))
        return false;
    uint64_t stride, size = (uint64_t)*components * accessor.component_size;
    *count = accessor.count;
    *has_view = accessor.view != GLTF_NONE;
    return !*has_view || locate(g, &accessor, accessor.view, accessor.offset, accessor.count, size, &stride);
}
