/* Normals as glTF has them: of unit length. */
#ifndef POSE_FORMATS_GLTF_NORMAL_H
#define POSE_FORMATS_GLTF_NORMAL_H

#include <math.h>

/*
 * Makes n a unit vector, +Y if it has no direction. One that is a unit vector but for rounding stays as it is:
 * dividing again would change its last bits each time a file is read and written.
 */
static inline void gltf_unit_normal(float n[3])
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (fabsf(length - 1) < 1e-5f)
        return;
    for (unsigned i = 0; i < 3; i++)
        n[i] = length > 1e-20f && isfinite(length) ? n[i] / length : (float)(i == 1);
}

#endif
