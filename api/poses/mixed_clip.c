#include "api/poses/mixed_clip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, PARTS = 3 };

static const unsigned part_places[PARTS] = {0, 3, 7}, part_sizes[PARTS] = {3, 4, 3};

/* ------------------------------------------------------------------------------------------------- key times -- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The frames, the end of the window, and what lies between of the mixture's moments; ascending, from malloc. */
static double *list_times(const struct mixture *mixture, const struct times *times, size_t *count)
{
    double moments[MIXTURE_MOMENTS];
    uint32_t more = times->items ? 0 : mixture_moments(mixture, moments);
    double *list = try_alloc(times->count + more + 2, sizeof *list);
    if (!list)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < times->count; i++)
        list[used++] = times_at(times, i);
    if (!times->items) {
        list[used++] = times->from;
        list[used++] = times->to;
    }
    for (uint32_t i = 0; i < more; i++) {
        if (moments[i] > times->from && moments[i] < times->to)
            list[used++] = moments[i];
    }
    qsort(list, used, sizeof *list, compare);
    *count = used;
    return list;
}

/* Clip times begin at 0; as 32-bit floats no two are equal. Of those that would be, the first stays. */
static size_t keep_distinct(double *list, size_t count, float *times)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        float t = (float)(list[i] - list[0]);
        if (kept && t <= times[kept - 1])
            continue;
        times[kept] = t;
        list[kept++] = list[i];
    }
    return kept;
}

/* ------------------------------------------------------------------------------------------------------- keys -- */

/* The rows that get a track: driven, and named by the item. From malloc. */
static bool *list_wanted(const struct mixture *mixture, size_t *count)
{
    const struct pose_request *request = &mixture->request;
    bool *wanted = try_alloc(mixture->row_count, sizeof *wanted);
    *count = 0;
    for (uint32_t i = 0; i < request->row_count && wanted; i++) {
        uint32_t row = request->selected ? request->selected[i] : i;
        wanted[row] = mixture->driven[row];
        *count += wanted[row];
    }
    return wanted;
}

static void keep_hemisphere(float *now, const float *before)
{
    float dot = now[0] * before[0] + now[1] * before[1] + now[2] * before[2] + now[3] * before[3];
    for (unsigned i = 0; i < 4 && dot < 0; i++)
        now[i] = 0 - now[i];
}

/* The keys of one part, taken out of all rows; whether any of them differs from rest. */
static bool take_part(const struct mixture *mixture, const float *rows, size_t count, uint32_t row,
                      unsigned part, float *values)
{
    const float *rest = mixture->rest + (size_t)row * ROW + part_places[part];
    unsigned size = part_sizes[part];
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        float *key = values + i * size;
        memcpy(key, rows + (i * mixture->row_count + row) * ROW + part_places[part], size * sizeof *key);
        if (part == POSE_ROTATION && i)
            keep_hemisphere(key, key - size);
        for (unsigned k = 0; k < size; k++)
            differs |= fabsf(key[k] - rest[k]) > 1e-6f;
    }
    return differs;
}

static void take_track(const struct mixture *mixture, const float *rows, size_t count, uint32_t row,
                       struct mixed_clip *mixed, float **values)
{
    const struct pose_joint *joint = &mixture->player->skeleton->joints[row];
    struct pose_track *track = &mixed->tracks[mixed->clip.track_count++];
    *track = (struct pose_track){.name = joint->name,
                                 .has_id = joint->has_id,
                                 .id = joint->id,
                                 .node = mixed->clip.tree ? row + 1 : 0};
    for (unsigned part = 0; part < PARTS; part++) {
        bool differs = take_part(mixture, rows, count, row, part, *values);
        if (!differs && part != POSE_ROTATION)
            continue;
        track->channels[part] = (struct pose_channel){(uint32_t)count, mixed->times, *values};
        mixed->clip.key_count += count;
        *values += count * part_sizes[part];
    }
}

static bool sample_all(struct item *item, struct mixture *mixture, const double *list, size_t count,
                       float *rows)
{
    for (size_t i = 0; i < count; i++) {
        if (item->call.effort && effort_is_over(item->call.effort))
            return false;
        mixture_sample(mixture, list[i], rows + i * mixture->row_count * ROW, NULL);
    }
    return true;
}

/* False with the problem in item->call. */
static bool fill(struct item *item, struct mixture *mixture, const double *list, size_t count,
                 const bool *wanted, struct mixed_clip *mixed)
{
    float *rows = try_alloc(count * mixture->row_count, ROW * sizeof *rows), *values = mixed->values;
    if (!rows)
        return item_refuse_memory(item);
    bool done = sample_all(item, mixture, list, count, rows);
    for (uint32_t i = 0; done && i < mixture->row_count; i++) {
        if (wanted[i])
            take_track(mixture, rows, count, i, mixed, &values);
    }
    free(rows);
    if (done)
        return true;
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_STOPPED;
    effort_explain(item->call.effort, &error);
    reply_error(&item->call, &error, NULL, NULL);
    return false;
}

static bool make(struct item *item, struct mixture *mixture, double *list, size_t count,
                 struct mixed_clip *mixed)
{
    size_t tracks;
    bool *wanted = list_wanted(mixture, &tracks);
    mixed->times = try_alloc(count, sizeof *mixed->times);
    mixed->tracks = wanted ? try_alloc(tracks, sizeof *mixed->tracks) : NULL;
    mixed->values = mixed->tracks ? try_alloc(count * tracks, ROW * sizeof *mixed->values) : NULL;
    if (!mixed->times || !mixed->values) {
        free(wanted);
        return item_refuse_memory(item);
    }
    count = keep_distinct(list, count, mixed->times);
    mixed->clip = (struct pose_clip){.axes = mixture->axes,
                                     .rules = POSE_RULES_PLAIN,
                                     .tree = mixture->player->skeleton->tree,
                                     .duration = mixed->times[count - 1],
                                     .loop_out = mixed->times[count - 1],
                                     .tracks = mixed->tracks};
    bool done = fill(item, mixture, list, count, wanted, mixed);
    free(wanted);
    return done;
}

bool mixed_clip_make(struct item *item, struct mixture *mixture, const struct times *times,
                     struct mixed_clip *mixed)
{
    size_t count;
    *mixed = (struct mixed_clip){.times = NULL};
    double *list = list_times(mixture, times, &count);
    if (!list)
        return item_refuse_memory(item);
    bool made = item_spend(item, count, mixture->row_count) &&
                item_spend_frames(item, count * (mixture->count - 1)) &&
                make(item, mixture, list, count, mixed);
    free(list);
    return made;
}

void mixed_clip_release(struct mixed_clip *mixed)
{
    free(mixed->tracks);
    free(mixed->times);
    free(mixed->values);
}
