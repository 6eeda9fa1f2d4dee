/* Building the parts of a document: warnings, channels, events, joints. Everything lives in one arena. */
#ifndef POSE_MODEL_BUILD_H
#define POSE_MODEL_BUILD_H

#include "lib/core/arena.h"
#include "lib/core/error.h"

/* A list of warnings under construction. Warnings of one code beyond WARNINGS_PER_CODE are only counted: the
 * last one then states how many more there were. */
enum { WARNINGS_PER_CODE = 16 };

struct warning_list {
    struct arena *arena;
    struct pose_warning *items;
    uint32_t count, capacity;
};

void warning_list_init(struct warning_list *list, struct arena *arena);
/* code must be static (or live in the arena); offset may be POSE_NO_OFFSET. */
void warning_add(struct warning_list *list, enum pose_severity severity, const char *code, uint64_t offset,
                 const char *format, ...) POSE_PRINTF(5, 6);

/* A channel with room for count keys; false if out of memory. components: 3, 4 or 1. */
struct channel_builder {
    float *times;
    float *values;
    uint32_t components;
};
bool channel_new(struct arena *arena, enum pose_part part, uint32_t count, struct channel_builder *builder);
/* The first count keys as a channel. */
struct pose_channel channel_done(const struct channel_builder *builder, uint32_t count);
/*
 * Makes a channel canonical: sorted by time (stable, O(n log n)); among keys at the same time the last one wins.
 * Returns how many keys are left; unsorted and equal_times (may be NULL) report what was found.
 */
uint32_t channel_sort(struct arena *arena, struct channel_builder *builder, uint32_t count, bool *unsorted,
                      uint32_t *equal_times);

/* Numbers in a channel's value: 3, 4, 3, 1. */
uint32_t part_components(enum pose_part part);
/* "translation", "rotation", "scale", "morph". */
const char *part_name(enum pose_part part);

/* Frames per second for a frame length: 30 if it is the float nearest to 1/30, since a whole number was meant. 0
 * if the rate does not fit in a float. */
float clip_frame_rate(float seconds);
/* False if the time of a key follows from its index instead of being stored. */
bool rules_are_keyed(enum pose_rules rules);

/* The number of keys in all channels of all tracks. */
uint64_t clip_count_keys(const struct pose_clip *clip);
/* Sorts events by time, stable. */
bool events_sort(struct arena *arena, struct pose_event *events, uint32_t count);

/*
 * Orders joints so that parents precede children (stable otherwise), renumbers parents, and fills in file_order
 * when the order changed. Parents are indices into the same array, -1 for roots. Returns false if the parents form
 * a cycle, with *cycle the index of a joint on it; false and *cycle -1 if out of memory. No recursion.
 */
bool skeleton_order_joints(struct arena *arena, struct pose_skeleton *skeleton, struct pose_joint *joints,
                           int32_t *cycle);

#endif
