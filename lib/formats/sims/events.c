#include "lib/formats/sims/events.h"

#include "lib/core/names.h"
#include "lib/core/value.h"
#include "lib/formats/sims/props.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float seconds_of(int64_t time_ms)
{
    return (float)((double)time_ms / 1000);
}

/* The result fits in 53 bits for any float. */
static int64_t ms_of(float seconds)
{
    double ms = round((double)seconds * 1000);
    return ms > -9e15 && ms < 9e15 ? (int64_t)ms : 0;
}

/* ---------------------------------------------------------------------------------------------- decoding -- */

/* Counts the pairs of all moments of a motion. */
static uint32_t count_pairs(const struct sims_motion *motion)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < motion->moments_count; l++) {
        const struct sims_moments *list = &motion->moments[l];
        for (uint32_t m = 0; m < list->count; m++) {
            for (uint32_t p = 0; p < list->items[m].props.count; p++)
                count += list->items[m].props.items[p].count;
        }
    }
    return count;
}

static struct pose_event make_event(struct arena *arena, int64_t time_ms, const struct sims_pair *pair,
                                    const char *bone)
{
    struct value_list fields = value_object(arena);
    value_put_string(&fields, "value", pair->value);
    value_put_string(&fields, "joint", bone);
    return (struct pose_event){.time = seconds_of(time_ms), .type = pair->key, .fields = value_done(&fields)};
}

static struct pose_event *put_moment(struct arena *arena, const struct sims_moment *moment, const char *bone,
                                     struct pose_event *next)
{
    for (uint32_t p = 0; p < moment->props.count; p++) {
        const struct sims_prop *prop = &moment->props.items[p];
        for (uint32_t i = 0; i < prop->count; i++)
            *next++ = make_event(arena, moment->time_ms, &prop->pairs[i], bone);
    }
    return next;
}

bool sims_events_build(struct arena *arena, const struct sims_skill *skill, struct pose_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < skill->motion_count; i++)
        count += count_pairs(&skill->motions[i]);
    struct pose_event *events = ARENA_NEW(arena, struct pose_event, count), *next = events;
    if (!events)
        return false;
    for (uint32_t i = 0; i < skill->motion_count; i++) {
        const struct sims_motion *motion = &skill->motions[i];
        for (uint32_t l = 0; l < motion->moments_count; l++) {
            for (uint32_t m = 0; m < motion->moments[l].count; m++)
                next = put_moment(arena, &motion->moments[l].items[m], motion->bone, next);
        }
    }
    clip->events = events;
    clip->event_count = count;
    return events_sort(arena, events, count);
}

static bool moment_is_plain(const struct sims_moment *moment, bool online)
{
    if (!moment->props.count || (!online && moment->props.count > 1))
        return false;
    for (uint32_t i = 0; i < moment->props.count; i++) {
        uint32_t pairs = moment->props.items[i].count;
        if (!pairs || (online && pairs > 1))
            return false;
    }
    /* A time too large for a float to hold its milliseconds would read back as another one. */
    return ms_of(seconds_of(moment->time_ms)) == moment->time_ms;
}

bool sims_moments_are_plain(const struct sims_motion *motion, bool online, bool is_alone)
{
    if (!motion->has_moments)
        return is_alone;
    if (!is_alone || motion->has_moments != 1 || motion->moments_count != 1 || !motion->moments[0].count)
        return false;
    const struct sims_moments *list = &motion->moments[0];
    for (uint32_t m = 0; m < list->count; m++) {
        if (!moment_is_plain(&list->items[m], online) ||
            (m && list->items[m].time_ms <= list->items[m - 1].time_ms))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- encoding -- */

struct happening {
    float time;
    uint32_t order;
    struct sims_pair pair;
};

struct happenings {
    uint32_t count;
    struct happening *items;
};

static int compare_happenings(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_happenings(struct happenings *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_happenings);
}

static void add_happening(struct happenings *list, float time, struct sims_pair pair)
{
    pair.key = pair.key ? pair.key : "";
    pair.value = pair.value ? pair.value : "";
    list->items[list->count] = (struct happening){time, list->count, pair};
    list->count++;
}

/* Tracks of one bone share their events: the first track is the owner. */
struct assignment {
    struct arena *arena;
    const struct pose_clip *clip;
    bool online;
    struct sims_skill *skill;
    uint32_t *owner;       /* [track] */
    uint32_t *next;        /* [track] the next one of the same owner, UINT32_MAX: last */
    uint32_t *event_owner; /* [event] */
    uint32_t *first_event; /* [track + 1] index of its first event in by_owner */
    uint32_t *by_owner;    /* events sorted by owner, then in the clip's order */
};

static bool group_tracks(struct assignment *a)
{
    uint32_t count = a->clip->track_count;
    struct name_index index;
    a->owner = ARENA_NEW(a->arena, uint32_t, count);
    a->next = ARENA_NEW(a->arena, uint32_t, count);
    uint32_t *last = ARENA_NEW(a->arena, uint32_t, count);
    if (!a->owner || !a->next || !last || !name_index_init(&index, a->arena, count))
        return false;
    for (uint32_t t = 0; t < count; t++)
        name_index_add(&index, a->skill->motions[t].bone, t);
    name_index_sort(&index);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t owner = (uint32_t)name_index_find(&index, a->skill->motions[t].bone);
        a->owner[t] = owner;
        a->next[t] = UINT32_MAX;
        if (owner != t)
            a->next[last[owner]] = t;
        last[owner] = t;
    }
    a->event_owner = ARENA_NEW(a->arena, uint32_t, a->clip->event_count);
    for (uint32_t e = 0; a->event_owner && e < a->clip->event_count; e++) {
        const char *joint = value_get_string(a->clip->events[e].fields, "joint", NULL);
        int64_t owner = joint ? name_index_find(&index, joint) : -1;
        a->event_owner[e] = owner >= 0 ? (uint32_t)owner : 0; /* events on no bone go to the first */
    }
    return a->event_owner != NULL;
}

/* Counting sort: keeps the order within each owner. */
static bool group_events(struct assignment *a)
{
    uint32_t count = a->clip->event_count, tracks = a->clip->track_count;
    a->first_event = ARENA_NEW(a->arena, uint32_t, (size_t)tracks + 1);
    a->by_owner = ARENA_NEW(a->arena, uint32_t, count);
    uint32_t *at = ARENA_NEW(a->arena, uint32_t, (size_t)tracks + 1);
    if (!a->first_event || !a->by_owner || !at)
        return false;
    for (uint32_t e = 0; e < count; e++)
        a->first_event[a->event_owner[e] + 1]++;
    for (uint32_t t = 0; t < tracks; t++) {
        a->first_event[t + 1] += a->first_event[t];
        at[t + 1] = a->first_event[t + 1];
    }
    for (uint32_t e = 0; e < count; e++)
        a->by_owner[at[a->event_owner[e]]++] = e;
    return true;
}

/* The clip's events of an owner. */
static struct happenings wanted_of(struct assignment *a, uint32_t owner)
{
    uint32_t first = a->first_event[owner], end = a->first_event[owner + 1];
    struct happenings list = {.items = ARENA_NEW(a->arena, struct happening, end - first)};
    for (uint32_t i = first; i < end && list.items; i++) {
        const struct pose_event *event = &a->clip->events[a->by_owner[i]];
        const char *value = sims_text_of(a->arena, pose_value_find(event->fields, "value"));
        add_happening(&list, event->time, (struct sims_pair){event->type, value});
    }
    sort_happenings(&list);
    return list;
}

/* Reads the layout from the extras of an owner's tracks; false if there is none. */
static bool take_stored(struct assignment *a, uint32_t owner)
{
    bool found = false;
    for (uint32_t t = owner; t != UINT32_MAX; t = a->next[t]) {
        struct sims_motion *motion = &a->skill->motions[t];
        const struct pose_value *extras = a->clip->tracks[t].extras;
        const struct pose_value *stored = pose_value_find(extras, "time_props");
        motion->moments = sims_get_moments_lists(a->arena, stored, &motion->moments_count);
        motion->has_moments = motion->moments != NULL;
        uint8_t odd = (uint8_t)value_get_int(extras, "has_time_props", 0);
        if (motion->has_moments && odd)
            motion->has_moments = odd;
        found |= stored != NULL;
    }
    return found;
}

static void gather_moment(struct happenings *list, const struct sims_moment *moment)
{
    for (uint32_t p = 0; p < moment->props.count; p++) {
        for (uint32_t i = 0; i < moment->props.items[p].count; i++)
            add_happening(list, seconds_of(moment->time_ms), moment->props.items[p].pairs[i]);
    }
}

/* The events in the stored layout of an owner's tracks. */
static struct happenings stored_of(struct assignment *a, uint32_t owner)
{
    size_t count = 0;
    for (uint32_t t = owner; t != UINT32_MAX; t = a->next[t])
        count += count_pairs(&a->skill->motions[t]);
    struct happenings list = {.items = ARENA_NEW(a->arena, struct happening, count)};
    for (uint32_t t = owner; t != UINT32_MAX && list.items; t = a->next[t]) {
        const struct sims_motion *motion = &a->skill->motions[t];
        for (uint32_t l = 0; l < motion->moments_count; l++) {
            for (uint32_t m = 0; m < motion->moments[l].count; m++)
                gather_moment(&list, &motion->moments[l].items[m]);
        }
    }
    sort_happenings(&list);
    return list;
}

static bool agree(const struct happenings *a, const struct happenings *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct happening *x = &a->items[i], *y = &b->items[i];
        if (fabsf(x->time - y->time) > 0.0004f || strcmp(x->pair.key, y->pair.key) ||
            strcmp(x->pair.value, y->pair.value))
            return false;
    }
    return true;
}

/* A moment from the events first … end - 1, all at the same time. */
static struct sims_moment make_moment(struct assignment *a, const struct happenings *list, uint32_t first,
                                      uint32_t end)
{
    uint32_t count = end - first, props = a->online ? count : 1;
    struct sims_moment moment = {.time_ms = ms_of(list->items[first].time)};
    struct sims_pair *pairs = ARENA_NEW(a->arena, struct sims_pair, count);
    moment.props.items = ARENA_NEW(a->arena, struct sims_prop, props);
    if (!pairs || !moment.props.items)
        return moment;
    for (uint32_t i = 0; i < count; i++)
        pairs[i] = list->items[first + i].pair;
    moment.props.count = props;
    for (uint32_t p = 0; p < props; p++)
        moment.props.items[p] = (struct sims_prop){.count = count / props, .pairs = &pairs[p]};
    return moment;
}

/* Makes the plain layout. */
static void make_plain(struct assignment *a, const struct happenings *list, struct sims_motion *motion)
{
    motion->has_moments = 0;
    motion->moments_count = 0;
    if (!list->count)
        return;
    struct sims_moments *moments = ARENA_NEW(a->arena, struct sims_moments, 1);
    struct sims_moment *items = ARENA_NEW(a->arena, struct sims_moment, list->count);
    if (!moments || !items)
        return;
    moments->items = items;
    for (uint32_t first = 0, end; first < list->count; first = end) {
        int64_t time_ms = ms_of(list->items[first].time);
        for (end = first + 1; end < list->count && ms_of(list->items[end].time) == time_ms;)
            end++;
        items[moments->count++] = make_moment(a, list, first, end);
    }
    motion->has_moments = 1;
    motion->moments_count = 1;
    motion->moments = moments;
}

static void assign_owner(struct assignment *a, uint32_t owner)
{
    struct happenings wanted = wanted_of(a, owner);
    if (take_stored(a, owner)) {
        struct happenings stored = stored_of(a, owner);
        if (agree(&stored, &wanted))
            return;
    }
    struct happenings none = {0};
    for (uint32_t t = owner; t != UINT32_MAX; t = a->next[t])
        make_plain(a, t == owner ? &wanted : &none, &a->skill->motions[t]);
}

bool sims_events_assign(struct encode_job *job, const struct pose_clip *clip, bool online,
                        struct sims_skill *skill)
{
    struct assignment a = {.arena = job->arena, .clip = clip, .online = online, .skill = skill};
    if (!clip->track_count) {
        if (clip->event_count)
            encode_warn(job, "events_lost", "%u events were dropped: there is no track to hold them",
                        clip->event_count);
        return true;
    }
    if (!group_tracks(&a) || !group_events(&a))
        return false;
    for (uint32_t t = 0; t < clip->track_count && !job->arena->failed; t++) {
        if (a.owner[t] == t)
            assign_owner(&a, t);
    }
    return !job->arena->failed;
}
