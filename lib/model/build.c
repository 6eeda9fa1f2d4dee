#include "lib/model/build.h"

#include "lib/core/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void warning_list_init(struct warning_list *list, struct arena *arena)
{
    *list = (struct warning_list){.arena = arena};
}

static uint32_t count_code(const struct warning_list *list, const char *code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += !strcmp(list->items[i].code, code);
    return count;
}

void warning_add(struct warning_list *list, enum pose_severity severity, const char *code, uint64_t offset,
                 const char *format, ...)
{
    uint32_t same = count_code(list, code);
    if (same > WARNINGS_PER_CODE || list->arena->failed)
        return;
    char message[400];
    if (same == WARNINGS_PER_CODE) {
        snprintf(message, sizeof message, "more of the same follow");
        offset = POSE_NO_OFFSET;
    } else {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        text_make_line(message);
    }
    struct pose_warning *items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *items);
    char *text = arena_copy_text(list->arena, message);
    if (!items || !text)
        return;
    list->items = items;
    items[list->count++] =
        (struct pose_warning){.code = code, .severity = severity, .message = text, .offset = offset};
}

uint32_t part_components(enum pose_part part)
{
    static const uint32_t components[POSE_PART_COUNT] = {3, 4, 3, 1};
    return components[part];
}

const char *part_name(enum pose_part part)
{
    static const char *const names[POSE_PART_COUNT] = {"translation", "rotation", "scale", "morph"};
    return names[part];
}

bool channel_new(struct arena *arena, enum pose_part part, uint32_t count, struct channel_builder *builder)
{
    builder->components = part_components(part);
    builder->times = ARENA_NEW(arena, float, count);
    builder->values = ARENA_NEW(arena, float, (size_t)count * builder->components);
    return builder->times && builder->values;
}

struct pose_channel channel_done(const struct channel_builder *builder, uint32_t count)
{
    return (struct pose_channel){.count = count, .times = builder->times, .values = builder->values};
}

struct sort_item {
    float time;
    uint32_t index;
};

static int compare_items(const void *a, const void *b)
{
    const struct sort_item *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts items by time, stable. */
static struct sort_item *sort_times(struct arena *arena, const float *times, uint32_t count)
{
    struct sort_item *items = ARENA_NEW(arena, struct sort_item, count);
    if (!items)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct sort_item){times[i], i};
    qsort(items, count, sizeof *items, compare_items);
    return items;
}

uint32_t channel_sort(struct arena *arena, struct channel_builder *builder, uint32_t count, bool *unsorted,
                      uint32_t *equal_times)
{
    bool ascending = true, strictly = true;
    for (uint32_t i = 1; i < count; i++) {
        ascending &= builder->times[i] >= builder->times[i - 1];
        strictly &= builder->times[i] > builder->times[i - 1];
    }
    if (unsorted)
        *unsorted = !ascending;
    if (equal_times)
        *equal_times = 0;
    if (strictly)
        return count;
    struct sort_item *order = sort_times(arena, builder->times, count);
    float *times = ARENA_NEW(arena, float, count);
    float *values = ARENA_NEW(arena, float, (size_t)count * builder->components);
    if (!order || !times || !values)
        return 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && order[i + 1].time == order[i].time)
            continue;
        times[kept] = order[i].time;
        memcpy(values + (size_t)kept * builder->components,
               builder->values + (size_t)order[i].index * builder->components,
               builder->components * sizeof *values);
        kept++;
    }
    if (equal_times)
        *equal_times = count - kept;
    builder->times = times;
    builder->values = values;
    return kept;
}

float clip_frame_rate(float seconds)
{
    double rate = 1 / (double)seconds, whole = floor(rate + 0.5);
    if (whole > 0 && (float)(1 / whole) == seconds)
        rate = whole;
    return rate <= (double)FLT_MAX ? (float)rate : 0;
}

bool rules_are_keyed(enum pose_rules rules)
{
    return rules != POSE_RULES_SIMS && rules != POSE_RULES_PRIME_FRAMES;
}

uint64_t clip_count_keys(const struct pose_clip *clip)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++)
            count += clip->tracks[i].channels[part].count;
    }
    return count;
}

bool events_sort(struct arena *arena, struct pose_event *events, uint32_t count)
{
    bool ascending = true;
    for (uint32_t i = 1; i < count; i++)
        ascending &= events[i].time >= events[i - 1].time;
    if (ascending)
        return true;
    float *times = ARENA_NEW(arena, float, count);
    struct pose_event *copy = ARENA_NEW(arena, struct pose_event, count);
    if (!times || !copy)
        return false;
    for (uint32_t i = 0; i < count; i++)
        times[i] = events[i].time;
    memcpy(copy, events, count * sizeof *events);
    struct sort_item *order = sort_times(arena, times, count);
    if (!order)
        return false;
    for (uint32_t i = 0; i < count; i++)
        events[i] = copy[order[i].index];
    return true;
}

/* Children of each joint as linked lists in file order: head[parent + 1], next[joint]. */
static bool list_children(struct arena *arena, const struct pose_joint *joints, uint32_t count,
                          int32_t **head, int32_t **next)
{
    *head = ARENA_NEW(arena, int32_t, (size_t)count + 1);
    *next = ARENA_NEW(arena, int32_t, count);
    if (!*head || !*next)
        return false;
    for (uint32_t i = 0; i <= count; i++)
        (*head)[i] = -1;
    for (uint32_t i = count; i-- > 0;) {
        int32_t parent = joints[i].parent;
        (*next)[i] = (*head)[parent + 1];
        (*head)[parent + 1] = (int32_t)i;
    }
    return true;
}

static bool parents_precede(const struct pose_joint *joints, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (joints[i].parent >= (int32_t)i)
            return false;
    }
    return true;
}

bool skeleton_order_joints(struct arena *arena, struct pose_skeleton *skeleton, struct pose_joint *joints,
                           int32_t *cycle)
{
    uint32_t count = skeleton->joint_count;
    *cycle = -1;
    skeleton->joints = joints;
    if (parents_precede(joints, count))
        return true;
    int32_t *head, *next;
    int32_t *place = ARENA_NEW(arena, int32_t, count); /* new index of each joint, -1 while unplaced */
    struct pose_joint *ordered = ARENA_NEW(arena, struct pose_joint, count);
    uint32_t *file_order = ARENA_NEW(arena, uint32_t, count);
    if (!list_children(arena, joints, count, &head, &next) || !place || !ordered || !file_order)
        return false;
    for (uint32_t i = 0; i < count; i++)
        place[i] = -1;
    /* Breadth first: the array of placed joints serves as the queue. */
    uint32_t *queue = file_order, placed = 0;
    for (int32_t child = head[0]; child >= 0; child = next[child])
        queue[placed++] = (uint32_t)child;
    for (uint32_t done = 0; done < placed; done++) {
        for (int32_t child = head[queue[done] + 1]; child >= 0; child = next[child])
            queue[placed++] = (uint32_t)child;
    }
    for (uint32_t i = 0; i < placed; i++) {
        place[queue[i]] = (int32_t)i;
        ordered[i] = joints[queue[i]];
        if (ordered[i].parent >= 0)
            ordered[i].parent = place[ordered[i].parent];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (place[i] < 0) {
            *cycle = (int32_t)i;
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        file_order[i] = (uint32_t)place[i];
    skeleton->joints = ordered;
    skeleton->file_order = file_order;
    return true;
}
