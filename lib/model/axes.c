#include "lib/model/axes.h"

#include "lib/model/build.h"

#include <math.h>
#include <string.h>

/* From each system to glTF's. */
static const struct axes_map to_gltf[] = {
    [POSE_AXES_GLTF] = {{0, 1, 2}, {false, false, false}, 1},
    [POSE_AXES_SL] = {{1, 2, 0}, {false, false, false}, 1},
    [POSE_AXES_SIMS] = {{0, 1, 2}, {true, false, false}, 0.3048},
    [POSE_AXES_PRIME] = {{0, 2, 1}, {true, false, false}, 1},
    [POSE_AXES_INCHES] = {{0, 1, 2}, {false, false, false}, 0.02540005},
    [POSE_AXES_Z_UP] = {{0, 2, 1}, {false, false, true}, 1},
};

struct axes_map axes_map_between(enum pose_axes from, enum pose_axes to)
{
    const struct axes_map *in = &to_gltf[from], *out = &to_gltf[to];
    /* Equal units must give exactly 1. */
    struct axes_map map = {.unit = from == to ? 1 : in->unit / out->unit};
    for (unsigned i = 0; i < 3; i++) {
        map.source[out->source[i]] = in->source[i];
        map.negate[out->source[i]] = in->negate[i] != out->negate[i];
    }
    return map;
}

/* Maps components of count vectors, stride apart. A zero does not become -0. */
static void map_vectors(const struct axes_map *map, float *values, size_t count, size_t stride, double unit)
{
    const unsigned x = map->source[0], y = map->source[1], z = map->source[2];
    /* 0 - value is -1 * value + 0, and value is 1 * value + -0: neither makes a -0 of a 0. */
    const float sign[3] = {map->negate[0] ? -1 : 1, map->negate[1] ? -1 : 1, map->negate[2] ? -1 : 1};
    const float zero[3] = {map->negate[0] ? 0.0f : -0.0f, map->negate[1] ? 0.0f : -0.0f,
                           map->negate[2] ? 0.0f : -0.0f};
    for (size_t k = 0; k < count; k++, values += stride) {
        const float from[3] = {values[x], values[y], values[z]};
        for (unsigned i = 0; i < 3; i++)
            values[i] = from[i] * sign[i] + zero[i];
    }
    if (unit == 1)
        return;
    values -= count * stride;
    for (size_t k = 0; k < count; k++, values += stride) {
        for (unsigned i = 0; i < 3; i++)
            values[i] = (float)(unit * (double)values[i]);
    }
}

void pose_convert_axes(enum pose_part part, float *values, size_t count, enum pose_axes from,
                       enum pose_axes to)
{
    struct axes_map map = axes_map_between(from, to);
    if (from == to || part == POSE_MORPH)
        return;
    if (part == POSE_SCALE)
        memset(map.negate, 0, sizeof map.negate);
    map_vectors(&map, values, count, part_components(part), part == POSE_TRANSLATION ? map.unit : 1);
}

void quat_normalise(float q[4])
{
    double square = quat_square(q);
    if (quat_is_unit(square))
        return;
    if (!(square > 0) || !isfinite(square)) {
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
        return;
    }
    double scale = 1 / sqrt(square);
    for (unsigned i = 0; i < 4; i++)
        q[i] = (float)((double)q[i] * scale);
}

void pose_joint_rest(const struct pose_skeleton *skeleton, uint32_t joint, enum pose_axes axes,
                     float rest[10])
{
    const struct pose_joint *from = &skeleton->joints[joint];
    memcpy(rest, from->translation, sizeof from->translation);
    memcpy(rest + 3, from->rotation, sizeof from->rotation);
    memcpy(rest + 7, from->scale, sizeof from->scale);
    pose_convert_axes(POSE_TRANSLATION, rest, 1, skeleton->axes, axes);
    pose_convert_axes(POSE_ROTATION, rest + 3, 1, skeleton->axes, axes);
    pose_convert_axes(POSE_SCALE, rest + 7, 1, skeleton->axes, axes);
    quat_normalise(rest + 3);
}
