#include "lib/formats/sims/pools.h"

#include <string.h>

/* Names in extras. */
static const char *const has_names[SIMS_PARTS] = {"has_translation", "has_rotation"};
static const char *const first_names[SIMS_PARTS] = {"first_translation", "first_rotation"};
static const char *const pool_names[SIMS_PARTS] = {"translation_pool", "rotation_pool"};

static size_t components_of(int part)
{
    return part_components((enum pose_part)part);
}

/* Whether the pool has count keys starting at first. */
static bool is_in_pool(const struct sims_pool *pool, int64_t first, uint64_t count)
{
    return first >= 0 && (uint64_t)first + count <= pool->count;
}

bool sims_motion_drives(const struct sims_skill *skill, const struct sims_motion *motion, int part)
{
    return motion->has[part] && motion->frame_count &&
           is_in_pool(&skill->pools[part], motion->first[part], motion->frame_count);
}

/* ---------------------------------------------------------------------------------------------- decoding -- */

void sims_pools_describe_motion(struct value_list *extras, const struct sims_motion *motion,
                                const struct pose_track *track, struct sims_pool_walk *walk)
{
    uint32_t frames = 0;
    for (int part = 0; part < SIMS_PARTS; part++) {
        uint32_t count = track->channels[part].count;
        int64_t plain_first = count ? walk->next[part] : -1;
        frames = count ? count : frames;
        if (motion->has[part] != (count ? 1 : 0))
            value_put_int(extras, has_names[part], (int32_t)motion->has[part]);
        if (motion->first[part] != plain_first)
            value_put_int(extras, first_names[part], motion->first[part]);
        walk->moved[part] |= count && motion->first[part] != plain_first;
        walk->next[part] += count;
    }
    if (motion->frame_count != frames)
        value_put_int(extras, "frame_count", motion->frame_count);
}

/* Marks the keys of a pool that motions use. */
static bool *mark_used(struct arena *arena, const struct sims_skill *skill, int part)
{
    bool *used = ARENA_NEW(arena, bool, skill->pools[part].count);
    for (uint32_t i = 0; i < skill->motion_count && used; i++) {
        const struct sims_motion *motion = &skill->motions[i];
        if (sims_motion_drives(skill, motion, part))
            memset(used + motion->first[part], true, motion->frame_count);
    }
    return used;
}

/* Runs of unused keys: [{"first": 12, "values": [x, y, z, …]}, …]. */
static void put_unused(struct value_list *pool_object, const struct sims_skill *skill, int part)
{
    const struct sims_pool *pool = &skill->pools[part];
    const bool *used = mark_used(pool_object->arena, skill, part);
    if (!used)
        return;
    struct value_list runs = value_array(pool_object->arena);
    for (uint32_t first = 0, end; first < pool->count; first = end) {
        for (end = first; end < pool->count && used[end] == used[first];)
            end++;
        if (used[first])
            continue;
        struct value_list run = value_object(pool_object->arena);
        value_put_int(&run, "first", first);
        value_put_floats(&run, "values", pool->values + first * components_of(part),
                         (end - first) * components_of(part));
        value_put_list(&runs, NULL, &run);
    }
    if (runs.last)
        value_put_list(pool_object, "unused", &runs);
}

void sims_pools_describe(struct value_list *extras, const struct sims_skill *skill,
                         const struct sims_pool_walk *walk)
{
    for (int part = 0; part < SIMS_PARTS; part++) {
        const struct sims_pool *pool = &skill->pools[part];
        if (!walk->moved[part] && walk->next[part] == pool->count)
            continue;
        struct value_list object = value_object(extras->arena);
        value_put_int(&object, "count", pool->count);
        if (pool->values)
            put_unused(&object, skill, part);
        value_put_list(extras, pool_names[part], &object);
    }
}

/* ---------------------------------------------------------------------------------------------- encoding -- */

struct filling {
    struct arena *arena;
    const struct pose_clip *clip;
    const float *const (*keys)[SIMS_PARTS];
    struct sims_skill *skill;
    int part;
    bool *written; /* [pool count] */
    uint64_t written_count;
};

static bool open_pool(struct filling *f, uint64_t count)
{
    struct sims_pool *pool = &f->skill->pools[f->part];
    if (count > UINT32_MAX)
        return false;
    *pool = (struct sims_pool){.count = (uint32_t)count,
                               .values = ARENA_NEW(f->arena, float, count *components_of(f->part))};
    f->written = ARENA_NEW(f->arena, bool, count);
    f->written_count = 0;
    return pool->values && f->written;
}

/* Puts keys into the pool; false if they are out of range or conflict with keys already there. */
static bool place(struct filling *f, int64_t first, const float *values, uint32_t count)
{
    struct sims_pool *pool = &f->skill->pools[f->part];
    size_t components = components_of(f->part);
    if (!is_in_pool(pool, first, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)first + i;
        const float *value = values + i * components;
        float *to = pool->values + at * components;
        if (f->written[at] && memcmp(to, value, components * sizeof *to))
            return false;
        memcpy(to, value, components * sizeof *to);
        f->written_count += !f->written[at];
        f->written[at] = true;
    }
    return true;
}

static bool place_unused(struct filling *f, const struct pose_value *runs)
{
    size_t components = components_of(f->part);
    for (const struct pose_value *run = runs ? runs->first : NULL; run; run = run->next) {
        size_t count = value_count(pose_value_find(run, "values"));
        float *values = ARENA_NEW(f->arena, float, count);
        if (!values || value_get_floats(run, "values", values, count) != count || count % components ||
            count / components > UINT32_MAX ||
            !place(f, value_get_int(run, "first", -1), values, (uint32_t)(count / components)))
            return false;
    }
    return true;
}

/* The number of keys of the clip's tracks for this part. */
static uint64_t count_keys(const struct filling *f)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < f->clip->track_count; t++)
        count += f->keys[t][f->part] ? f->skill->motions[t].frame_count : 0;
    return count;
}

/* An upper bound of the pool's count that the stored layout can fill, so that stored numbers are not trusted
 * blindly. */
static uint64_t count_placeable(const struct filling *f, const struct pose_value *runs)
{
    uint64_t count = count_keys(f);
    for (const struct pose_value *run = runs ? runs->first : NULL; run; run = run->next)
        count += value_count(pose_value_find(run, "values")) / components_of(f->part);
    return count;
}

/* Fills the pool as the extras say; false if they no longer fit the keys. */
static bool fill_as_stored(struct filling *f)
{
    const struct pose_value *stored = pose_value_find(f->clip->extras, pool_names[f->part]);
    const struct pose_value *runs = pose_value_find(stored, "unused");
    int64_t next = 0, count = value_get_int(stored, "count", (int64_t)count_keys(f));
    if (count < 0 || (uint64_t)count > count_placeable(f, runs) || !open_pool(f, (uint64_t)count))
        return false;
    for (uint32_t t = 0; t < f->clip->track_count; t++) {
        struct sims_motion *motion = &f->skill->motions[t];
        const float *values = f->keys[t][f->part];
        if (!values)
            continue;
        int64_t first = value_get_int(f->clip->tracks[t].extras, first_names[f->part], next);
        if (!place(f, first, values, motion->frame_count))
            return false;
        motion->first[f->part] = (int32_t)first;
        next += motion->frame_count;
    }
    return place_unused(f, runs) && f->written_count == (uint64_t)count;
}

static bool fill_plainly(struct filling *f)
{
    int64_t next = 0;
    if (!open_pool(f, count_keys(f)))
        return false;
    for (uint32_t t = 0; t < f->clip->track_count; t++) {
        struct sims_motion *motion = &f->skill->motions[t];
        if (!f->keys[t][f->part])
            continue;
        if (!place(f, next, f->keys[t][f->part], motion->frame_count))
            return false;
        motion->first[f->part] = (int32_t)next;
        next += motion->frame_count;
    }
    return true;
}

/* Sets flags, and first keys of motions that do not drive the part though the file said they would. */
static void set_flags(struct filling *f, bool keys_are_missing)
{
    const struct sims_pool *pool = &f->skill->pools[f->part];
    for (uint32_t t = 0; t < f->clip->track_count; t++) {
        const struct pose_value *extras = f->clip->tracks[t].extras;
        struct sims_motion *motion = &f->skill->motions[t];
        uint32_t has = (uint32_t)value_get_int(extras, has_names[f->part], 0);
        int32_t first = (int32_t)value_get_int(extras, first_names[f->part], -1);
        if (f->keys[t][f->part]) {
            motion->has[f->part] = has ? has : 1;
            continue;
        }
        /* Keys that were out of range must stay out of range. */
        bool would_drive =
            has && motion->frame_count && !keys_are_missing && is_in_pool(pool, first, motion->frame_count);
        motion->has[f->part] = would_drive ? 0 : has;
        motion->first[f->part] = would_drive ? -1 : first;
    }
}

bool sims_pools_fill(struct encode_job *job, const struct pose_clip *clip, bool online,
                     const float *const (*keys)[SIMS_PARTS], struct sims_skill *skill)
{
    bool keys_are_missing = !online;
    for (uint32_t t = 0; t < clip->track_count; t++)
        keys_are_missing &= !keys[t][POSE_TRANSLATION] && !keys[t][POSE_ROTATION];
    for (int part = 0; part < SIMS_PARTS; part++) {
        struct filling f = {.arena = job->arena, .clip = clip, .keys = keys, .skill = skill, .part = part};
        if (keys_are_missing)
            skill->pools[part] =
                (struct sims_pool){.count = (uint32_t)value_get_int(
                                       pose_value_find(clip->extras, pool_names[part]), "count", 0)};
        else if (!fill_as_stored(&f) && !job->arena->failed && !fill_plainly(&f) && !job->arena->failed)
            return error_set(job->error, POSE_BAD_DATA, "too_many", "more than 2^32 keys");
        set_flags(&f, keys_are_missing);
    }
    return !job->arena->failed;
}
