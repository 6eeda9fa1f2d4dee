/* A motion on a figure as a clip, in a family's own axes, key clock and extras. */
#ifndef TESTS_SAMPLES_SAMPLE_CLIP_H
#define TESTS_SAMPLES_SAMPLE_CLIP_H

#include "tests/samples/figure.h"

enum { SAMPLE_KEYS = 160, SAMPLE_EVENTS = 2 };

/* All of a clip's memory; the struct must stay where it is. */
struct sample_clip {
    struct pose_clip clip;
    struct pose_track tracks[PART_COUNT];
    float times[SAMPLE_KEYS];
    float rotations[PART_COUNT][SAMPLE_KEYS][4];
    float translations[SAMPLE_KEYS][3];
    struct pose_event events[SAMPLE_EVENTS];
    struct pose_value event_fields[SAMPLE_EVENTS][3];
    struct pose_value extras[8];
};

/* An .anim of Second Life: loops by its own flag, the last key is the first one again, the pelvis moves from rest. */
void sample_clip_sl(struct sample_clip *sample, struct figure *figure, const struct motion *motion);
/* An .anim of The Sims Online: key k of n at k/n of the duration, footsteps as events, the distance of a walk. */
void sample_clip_sims(struct sample_clip *sample, struct figure *figure, const struct motion *motion,
                      const char *name);
/* A clip of The Sims 3: keys at whole ticks, the last one is the first again, footsteps as sounds. */
void sample_clip_sims3(struct sample_clip *sample, struct figure *figure, const struct motion *motion,
                       const char *name);

#endif
