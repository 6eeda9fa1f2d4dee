#include "lib/formats/sims/keys.h"

#include "lib/formats/sims/clip.h"

#include <math.h>
#include <string.h>

bool sims_keys_are_uniform(const struct pose_channel *channel, float duration)
{
    /* A hundredth of a frame, plus the rounding of a time in single precision and JSON. */
    double tolerance = channel->count ? 0.01 * duration / channel->count + 1e-6 * duration : 0;
    for (uint32_t k = 0; k < channel->count; k++) {
        if (fabs(channel->times[k] - (double)k * duration / channel->count) > tolerance)
            return false;
    }
    return channel->count <= 1 || duration > 0;
}

uint32_t sims_frames_of(const struct pose_clip *clip)
{
    double frames = clip->frame_count ? clip->frame_count : round((double)clip->duration * 30);
    return frames >= 1 ? frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX : 1;
}

/* Interpolates two keys; rotations on the shorter arc. */
static void blend(float *to, const float *a, const float *b, double u, uint32_t components, bool is_rotation)
{
    double dot = 0, length = 0, result[4];
    for (uint32_t i = 0; i < components; i++)
        dot += (double)a[i] * b[i];
    double sign = is_rotation && dot < 0 ? -1 : 1;
    for (uint32_t i = 0; i < components; i++) {
        result[i] = a[i] + (sign * b[i] - a[i]) * u;
        length += result[i] * result[i];
    }
    length = is_rotation && length > 0 ? sqrt(length) : 1;
    for (uint32_t i = 0; i < components; i++)
        to[i] = (float)(result[i] / length);
}

float *sims_resample(struct arena *arena, const struct pose_channel *channel, enum pose_part part,
                     float duration, uint32_t count)
{
    if (!channel->count)
        return NULL;
    uint32_t components = part_components(part), next = 0;
    float *values = ARENA_NEW(arena, float, (size_t)count *components);
    for (uint32_t k = 0; values && k < count; k++) {
        float time = sims_key_time(k, duration, count);
        while (next < channel->count && channel->times[next] <= time)
            next++; /* the first key after it */
        uint32_t before = next ? next - 1 : 0, after = next < channel->count ? next : channel->count - 1;
        double span = (double)channel->times[after] - channel->times[before];
        double u = span > 0 ? ((double)time - channel->times[before]) / span : 0;
        blend(values + (size_t)k * components, channel->values + (size_t)before * components,
              channel->values + (size_t)after * components, u > 0 ? u : 0, components, part == POSE_ROTATION);
    }
    return values;
}
