/* Building what a document holds: warnings, growing lists of them, channels. Everything lives in one arena. */
#ifndef POSE_MODEL_BUILD_H
#define POSE_MODEL_BUILD_H

#include "lib/core/arena.h"
#include "lib/core/error.h"

/* A list of warnings that is being written. A code that comes more than WARNINGS_PER_CODE times is counted instead:
 * the last one then says how many more there were. */
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

/* Channels with room for count keys; false when memory is out. components: 3, 4 or 1. */
struct channel_builder {
    float *times;
    float *values;
    uint32_t components;
};
bool channel_new(struct arena *arena, enum pose_part part, uint32_t count, struct channel_builder *builder);
/* The first count keys as a channel. */
struct pose_channel channel_done(const struct channel_builder *builder, uint32_t count);
/*
 * Makes a channel canonical: sorted by time (stable, O(n log n)), of several keys at one time the last one wins.
 * Returns how many keys are left; unsorted and equal_times (may be NULL) tell what was found.
 */
uint32_t channel_sort(struct arena *arena, struct channel_builder *builder, uint32_t count, bool *unsorted,
                      uint32_t *equal_times);

/* Numbers in a channel's value: 3, 4, 3, 1. */
uint32_t part_components(enum pose_part part);
/* "translation", "rotation", "scale", "morph". */
const char *part_name(enum pose_part part);

/* Frames a second of frames that last so long: 30 where that is the float next to 1/30, for what was meant is a whole
 * number. 0 when no float is that large. */
float clip_frame_rate(float seconds);
/* False where the number of a key says when it is, not a time of its own. */
bool rules_are_keyed(enum pose_rules rules);

/* Keys over all channels of the clip's tracks. */
uint64_t clip_count_keys(const struct pose_clip *clip);
/* Sorts events by time, stable. */
bool events_sort(struct arena *arena, struct pose_event *events, uint32_t count);

/*
 * Orders joints so that parents precede children (stable otherwise), renumbers parents, and fills in file_order when
 * the order changed. Parents are indices into the same array, -1 for roots. False, with *cycle the index of a joint
 * on one, when the parents form a cycle; false and *cycle -1 when memory is out. No recursion.
 */
bool skeleton_order_joints(struct arena *arena, struct pose_skeleton *skeleton, struct pose_joint *joints,
                           int32_t *cycle);

#endif
