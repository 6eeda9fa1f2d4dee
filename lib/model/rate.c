#include "lib/model/rate.h"

#include <math.h>

static bool is_on_frame(double time, double frame, double slack)
{
    const double frames = time / frame;
    return fabs(frames - round(frames)) <= slack;
}

bool clip_is_on_frames(const struct pose_clip *clip, double frame, double slack)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_MORPH; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            for (uint32_t k = 0; k < channel->count; k++) {
                if (!is_on_frame((double)channel->times[k], frame, slack))
                    return false;
            }
        }
    }
    return true;
}

double clip_find_rate(const struct pose_clip *clip)
{
    static const double rates[] = {30, 24, 25, 20, 60, 50, 48, 120, 100, 30 / 1.001, 24 / 1.001, 60 / 1.001};
    static const double slack = 0.01;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        if (is_on_frame((double)clip->duration, 1 / rates[i], slack) &&
            clip_is_on_frames(clip, 1 / rates[i], slack))
            return rates[i];
    }
    return 0;
}
