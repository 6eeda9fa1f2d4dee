/*
 * Key times, and finding the two keys around a moment. Channels whose keys lie at the same times share a timeline.
 *
 * Keyed times are found by a table of equal buckets over their span, about one a key; the few keys in a bucket are
 * compared at once, many by halving, so a search is O(1) for keys that are spread out and O(log n) for any.
 */
#ifndef POSE_SAMPLE_TIMELINE_H
#define POSE_SAMPLE_TIMELINE_H

#include "lib/core/arena.h"
#include "lib/sample/clock.h"

enum timeline_kind {
    TIMELINE_KEYED,    /* at their times; held before the first and after the last */
    TIMELINE_FRACTION, /* key k at k * duration / count (tso-anim.md, 2.4) */
    TIMELINE_FRAMES,   /* key k at k * interval (prime-anim.md, 3) */
};

struct timeline {
    enum timeline_kind kind;
    uint32_t count;          /* >= 1 */
    double interval;         /* of frames */
    const float *times;      /* keyed: [count + TIMELINE_CROWD], infinity behind the last */
    const uint32_t *earlier; /* keyed: [buckets + 1], how many keys lie in earlier buckets */
    uint32_t buckets;        /* keyed */
    uint32_t fullest;        /* keyed: keys in the fullest bucket */
    float bucket_rate;       /* keyed: buckets a second */
};

/* Keys that are compared at once. */
enum { TIMELINE_CROWD = 8 };

/* Two neighbouring keys and how far a moment is from the first to the second, 0 ... 1. */
struct key_place {
    uint32_t at, next;
    double fraction;
};

/* Times ascend strictly; they are copied into the arena. False when memory is out. */
bool timeline_init_keyed(struct timeline *timeline, struct arena *arena, const float *times, uint32_t count);
void timeline_init_fraction(struct timeline *timeline, uint32_t count);
/* interval > 0. */
void timeline_init_frames(struct timeline *timeline, uint32_t count, double interval);

struct key_place timeline_find(const struct timeline *timeline, const struct clock *clock);

#endif
