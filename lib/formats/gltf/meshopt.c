/*
 * Buffer views compressed by meshoptimizer (EXT_meshopt_compression; KHR_meshopt_compression, as far as it is
 * the same):
 *
 *     "extensions": {"EXT_meshopt_compression": {"buffer": 1, "byteOffset": 0, "byteLength": 90, "byteStride": 8,
 *                    "count": 60, "mode": "ATTRIBUTES", "filter": "QUATERNION"}}
 *
 * The view's own buffer is a fallback for readers that do not know the extension, and may be missing. The modes
 * for triangles and indices are not needed for keys.
 */
#include "lib/formats/gltf/read.h"

#include "lib/packing/meshopt.h"

#include <stdio.h>
#include <string.h>

enum filter { NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL };

struct packed {
    const struct pose_value *object;
    uint64_t count, stride;
    unsigned filter;
    struct pose_bytes bytes;
};

static const struct pose_value *find_packed(struct gltf *g, uint32_t view, const struct pose_value *object)
{
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    const struct pose_value *extensions = pose_value_find(object, "extensions");
    for (unsigned i = 0; i < 2; i++) {
        const struct pose_value *packed = pose_value_find(extensions, names[i]);
        if (packed) {
            gltf_at(g, "/bufferViews/%u/extensions/%s", view, names[i]);
            return packed;
        }
    }
    return NULL;
}

/* Says which accessor cannot be read. Where keys are in it the file is refused, since without them the motion would be
 * another one; a mesh or a bind pose is left out alone. */
static bool refuse_packing(struct gltf *g, const char *code, const char *member, const char *reason)
{
    char who[24] = "it", text[128];
    if (g->unpacking != GLTF_NONE)
        snprintf(who, sizeof who, "accessor %u", g->unpacking);
    snprintf(text, sizeof text, "%s is packed %s; save the file without that packing", who, reason);
    return gltf_refuse_kind(g, code, member, text);
}

static bool read_mode(struct gltf *g, struct packed *packed)
{
    static const char *const filters[] = {[NONE] = "NONE",
                                          [OCTAHEDRAL] = "OCTAHEDRAL",
                                          [QUATERNION] = "QUATERNION",
                                          [EXPONENTIAL] = "EXPONENTIAL"};
    const char *filter = value_get_string(packed->object, "filter", "NONE");
    if (strcmp(value_get_string(packed->object, "mode", ""), "ATTRIBUTES") != 0)
        return refuse_packing(g, "meshopt_mode", "/mode", "in another mode than ATTRIBUTES");
    while (packed->filter < 4 && strcmp(filter, filters[packed->filter]) != 0)
        packed->filter++;
    return packed->filter < 4 || gltf_refuse_kind(g, "meshopt_filter", "/filter",
                                                  "must be NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL");
}

/* Strides that the specification allows. */
static bool check_stride(struct gltf *g, const struct packed *packed)
{
    uint64_t stride = packed->stride;
    bool fits = stride % 4 == 0 && stride >= 4 && stride <= MAX_MESHOPT_STRIDE;
    if (packed->filter == QUATERNION)
        fits = stride == 8;
    else if (packed->filter == OCTAHEDRAL)
        fits = stride == 4 || stride == 8;
    return fits ||
           gltf_refuse(g, "bad_stride", "/byteStride", "elements of %llu bytes", (unsigned long long)stride);
}

/* Before the size is judged, which is that of version 0: version 1 packs tighter. */
static bool check_version(struct gltf *g, const struct packed *packed)
{
    return !packed->bytes.size || packed->bytes.data[0] != 0xa1 ||
           refuse_packing(g, "meshopt_version", "", "by version 1 of the codec, only version 0 is supported");
}

/* Accepts the count only if the bytes can hold that many elements: data expands at most 64-fold. */
static bool check_count(struct gltf *g, const struct packed *packed)
{
    uint64_t least = meshopt_least(packed->count, (uint32_t)packed->stride);
    return packed->bytes.size >= least ||
           gltf_refuse(g, "truncated", "/count", "%llu elements take at least %llu bytes, %zu are there",
                       (unsigned long long)packed->count, (unsigned long long)least, packed->bytes.size);
}

/* False: stopped. */
static bool unfilter(const struct packed *packed, uint8_t *elements, struct arena *arena)
{
    enum { AT_ONCE = 1 << 16 };
    const uint32_t stride = (uint32_t)packed->stride;
    for (uint64_t left = packed->count, count; left; left -= count, elements += count * stride) {
        if (!arena_look(arena))
            return false;
        count = left < AT_ONCE ? left : AT_ONCE;
        if (packed->filter == OCTAHEDRAL)
            meshopt_octahedral(elements, count, stride);
        else if (packed->filter == QUATERNION)
            meshopt_quaternion(elements, count);
        else if (packed->filter == EXPONENTIAL)
            meshopt_exponential(elements, count, stride);
    }
    return true;
}

static bool unpack(struct gltf *g, const struct packed *packed, uint8_t **elements)
{
    uint8_t *out = json_alloc(&g->json, packed->count, packed->stride);
    if (!out)
        return false;
    const char *wrong =
        meshopt_unpack(packed->bytes, packed->count, (uint32_t)packed->stride, out, g->job->arena);
    if (wrong)
        return gltf_refuse(g, "bad_meshopt", "", "%s", wrong);
    if (!unfilter(packed, out, g->job->arena))
        return false;
    *elements = out;
    return true;
}

bool gltf_unpack(struct gltf *g, uint32_t view, const struct pose_value *object, struct pose_bytes *bytes,
                 uint64_t *stride, bool *is_packed)
{
    struct packed packed = {.object = find_packed(g, view, object)};
    *is_packed = packed.object;
    if (!packed.object)
        return true;
    if (packed.object->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "must be an object");
    if (!gltf_size(g, packed.object, "count", 0, &packed.count) || !read_mode(g, &packed) ||
        !gltf_part(g, packed.object, &packed.bytes, &packed.stride) || !check_stride(g, &packed) ||
        !check_version(g, &packed) || !check_count(g, &packed) ||
        (!g->unpacked[view] && !unpack(g, &packed, &g->unpacked[view])))
        return false;
    *bytes = (struct pose_bytes){g->unpacked[view], (size_t)(packed.count * packed.stride)};
    *stride = packed.stride;
    return true;
}
