#include "lib/sample/timeline.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------- keyed -- */

/* Used for both keys and moments. It never decreases with time, so a key in an earlier bucket is earlier. */
static uint32_t bucket_of(const struct timeline *timeline, float time)
{
    float bucket = (time - timeline->times[0]) * timeline->bucket_rate;
    float last = (float)(timeline->buckets - 1);
    /* Written so that a value that is not finite falls into the last bucket. */
    return bucket < last ? (uint32_t)bucket : timeline->buckets - 1;
}

bool timeline_init_keyed(struct timeline *timeline, struct arena *arena, const float *times, uint32_t count)
{
    float *copy = arena_alloc(arena, (size_t)count + TIMELINE_CROWD, sizeof *copy);
    uint32_t *earlier = arena_alloc(arena, (size_t)count + 1, sizeof *earlier);
    if (!copy || !earlier)
        return false;
    memcpy(copy, times, count * sizeof *copy);
    for (unsigned i = 0; i < TIMELINE_CROWD; i++)
        copy[count + i] = INFINITY;
    float span = times[count - 1] - times[0];
    float rate = span > 0 ? (float)(count - 1) / span : 0;
    *timeline = (struct timeline){
        .kind = TIMELINE_KEYED,
        .count = count,
        .times = copy,
        .earlier = earlier,
        .buckets = isfinite(rate) && isfinite(span) ? count : 1,
        .bucket_rate = isfinite(rate) ? rate : 0,
    };
    for (uint32_t i = 0; i < count; i++)
        earlier[bucket_of(timeline, copy[i]) + 1]++;
    for (uint32_t b = 0; b < timeline->buckets; b++) {
        if (earlier[b + 1] > timeline->fullest)
            timeline->fullest = earlier[b + 1];
        earlier[b + 1] += earlier[b];
    }
    return true;
}

/* How many keys are at or before a time, which is not before the first key. */
static uint32_t count_until(const struct timeline *timeline, float time)
{
    const float *times = timeline->times;
    uint32_t bucket = bucket_of(timeline, time);
    uint32_t low = timeline->earlier[bucket];
    if (timeline->fullest <= TIMELINE_CROWD) {
        uint32_t count = 0;
        for (unsigned i = 0; i < TIMELINE_CROWD; i++)
            count += times[low + i] <= time;
        return low + count;
    }
    uint32_t high = timeline->earlier[bucket + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double clamp_fraction(double fraction)
{
    /* NaN becomes 0. */
    return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
}

static struct key_place find_keyed(const struct timeline *timeline, const struct clock *clock)
{
    const float *times = timeline->times;
    uint32_t until = count_until(timeline, clock->below > times[0] ? clock->below : times[0]);
    uint32_t at = until ? until - 1 : 0;
    uint32_t next = at + 1 < timeline->count ? at + 1 : at;
    /* After the last key the next one is infinitely far; before the first the fraction is negative. */
    double start = (double)times[at], end = (double)times[at + 1];
    return (struct key_place){at, next, clamp_fraction((clock->time - start) / (end - start))};
}

/* -------------------------------------------------------------------------------------------- by count alone -- */

void timeline_init_fraction(struct timeline *timeline, uint32_t count)
{
    *timeline = (struct timeline){.kind = TIMELINE_FRACTION, .count = count};
}

static struct key_place find_fraction(const struct timeline *timeline, const struct clock *clock)
{
    uint32_t count = timeline->count;
    double at = clock->phase * (double)count;
    double last = clock->wraps ? (double)count : (double)(count - 1);
    if (at >= last)
        at = clock->wraps ? 0 : last;
    uint32_t key = (uint32_t)at;
    uint32_t next = key + 1 < count ? key + 1 : clock->wraps ? 0 : key;
    return (struct key_place){key, next, at - (double)key};
}

void timeline_init_frames(struct timeline *timeline, uint32_t count, double interval)
{
    *timeline = (struct timeline){.kind = TIMELINE_FRAMES, .count = count, .interval = interval};
}

static struct key_place find_frame(const struct timeline *timeline, double time)
{
    uint32_t count = timeline->count;
    double frame = time / timeline->interval;
    uint32_t key = frame < (double)count ? (uint32_t)frame : count - 1;
    double past = time - (double)key * timeline->interval;
    double fraction = fabs(past) < 1e-5 ? 0 : clamp_fraction(past / timeline->interval);
    return (struct key_place){key, key + 1 < count ? key + 1 : 0, fraction};
}

struct key_place timeline_find(const struct timeline *timeline, const struct clock *clock)
{
    switch (timeline->kind) {
    case TIMELINE_FRACTION:
        return find_fraction(timeline, clock);
    case TIMELINE_FRAMES:
        return find_frame(timeline, clock->time);
    default:
        return find_keyed(timeline, clock);
    }
}
