/*
 * Key times, and finding the two keys around a moment. Channels with the same key times share a timeline.
 *
 * Keyed times are found with a table of equal buckets over their span, about one per key; a few keys in a bucket
 * are compared at once, many by binary search, so a search is O(1) for evenly spread keys and O(log n) at worst.
 */
#ifndef POSE_SAMPLE_TIMELINE_H
#define POSE_SAMPLE_TIMELINE_H

#include "lib/core/arena.h"
#include "lib/sample/clock.h"

enum timeline_kind {
    TIMELINE_KEYED,    /* keys at stored times; clamped before the first and after the last */
    TIMELINE_FRACTION, /* key k at k * duration / count (tso-anim.md, 2.4) */
    TIMELINE_FRAMES,   /* key k at k * interval (prime-anim.md, 3) */
};

struct timeline {
    enum timeline_kind kind;
    uint32_t count;          /* >= 1 */
    double interval;         /* of frames */
    const float *times;      /* keyed: [count + TIMELINE_CROWD], infinity after the last */
    const uint32_t *earlier; /* keyed: [buckets + 1], number of keys in earlier buckets */
    uint32_t buckets;        /* keyed */
    uint32_t fullest;        /* keyed: keys in the fullest bucket */
    float bucket_rate;       /* keyed: buckets per second */
};

/* Number of keys compared at once. */
enum { TIMELINE_CROWD = 8 };

/* Two adjacent keys and the position of a moment between them, 0 ... 1. */
struct key_place {
    uint32_t at, next;
    double fraction;
};

/* Times are strictly ascending; they are copied into the arena. Returns false if out of memory. */
bool timeline_init_keyed(struct timeline *timeline, struct arena *arena, const float *times, uint32_t count);
void timeline_init_fraction(struct timeline *timeline, uint32_t count);
/* interval > 0. */
void timeline_init_frames(struct timeline *timeline, uint32_t count, double interval);

struct key_place timeline_find(const struct timeline *timeline, const struct clock *clock);

#endif
