/* Which rows a pose has, and which channel of the clip drives which part of them. */
#include "lib/model/axes.h"
#include "lib/model/match.h"
#include "lib/sample/sampler.h"

#include <math.h>
#include <string.h>

static bool has_morph(const struct pose_track *track)
{
    return track->channels[POSE_MORPH].count;
}

static bool make_morphs(struct pose_sampler *sampler)
{
    const struct pose_clip *clip = sampler->clip;
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        count += has_morph(&clip->tracks[i]);
    sampler->morphs = ARENA_NEW(&sampler->arena, struct pose_morph, count);
    if (!sampler->morphs)
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (has_morph(track))
            sampler->morphs[sampler->morph_count++] =
                (struct pose_morph){track->name, track->has_id, track->id};
    }
    return true;
}

/* -------------------------------------------------------------------------------------- without a skeleton -- */

static void row_of_track(struct pose_sampler *sampler, const struct pose_track *track, uint32_t row,
                         struct row_drivers *drivers)
{
    static const float identity[ROW_FLOATS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    struct pose_row *to = &sampler->rows[row];
    *to = (struct pose_row){.name = track->name, .has_id = track->has_id, .id = track->id, .parent = -1};
    for (int part = 0; part < 3; part++) {
        to->has[part] = track->channels[part].count;
        to->driven |= to->has[part];
        drivers->channels[part] = to->has[part] ? &track->channels[part] : NULL;
    }
    memcpy(sampler->still + (size_t)row * ROW_FLOATS, identity, sizeof identity);
}

static struct row_drivers *rows_of_tracks(struct pose_sampler *sampler, struct arena *scratch)
{
    const struct pose_clip *clip = sampler->clip;
    uint32_t count = 0, row = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        count += track_is_joint(&clip->tracks[i]);
    struct row_drivers *drivers = ARENA_NEW(scratch, struct row_drivers, count);
    sampler->rows = ARENA_NEW(&sampler->arena, struct pose_row, count);
    sampler->still = ARENA_NEW(&sampler->arena, float, (size_t)count *ROW_FLOATS);
    sampler->unmatched = ARENA_NEW(&sampler->arena, uint32_t, 0);
    if (!drivers || !sampler->rows || !sampler->still || !sampler->unmatched)
        return NULL;
    sampler->row_count = count;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (track_is_joint(&clip->tracks[i])) {
            row_of_track(sampler, &clip->tracks[i], row, &drivers[row]);
            row++;
        }
    }
    return drivers;
}

/* ---------------------------------------------------------------------------------------- with a skeleton -- */

static void row_of_joint(struct pose_sampler *sampler, uint32_t row)
{
    const struct pose_joint *joint = &sampler->skeleton->joints[row];
    sampler->rows[row] = (struct pose_row){
        .name = joint->name,
        .has_id = joint->has_id,
        .id = joint->id,
        .parent = joint->parent,
        .has = {true, true, true},
    };
    float *rest = sampler->still + (size_t)row * ROW_FLOATS;
    pose_joint_rest(sampler->skeleton, row, sampler->axes, rest);
    for (unsigned i = 0; i < ROW_FLOATS; i++)
        rest[i] = isfinite(rest[i]) ? rest[i] : 0;
}

/* If several tracks drive one joint, Second Life plays only the first; others play the last (for each part
 * separately). */
static void drive_row(struct pose_sampler *sampler, const struct pose_track *track, uint32_t row,
                      struct row_drivers *drivers)
{
    if (sampler->rows[row].driven && sampler->clip->rules == POSE_RULES_SL)
        return;
    for (int part = 0; part < 3; part++) {
        if (!track->channels[part].count)
            continue;
        drivers->channels[part] = &track->channels[part];
        sampler->rows[row].driven = true;
    }
}

static bool drive_rows(struct pose_sampler *sampler, struct arena *scratch, struct row_drivers *drivers)
{
    const struct pose_clip *clip = sampler->clip;
    struct joint_index index;
    sampler->unmatched = ARENA_NEW(&sampler->arena, uint32_t, clip->track_count);
    if (!sampler->unmatched || !joint_index_init(&index, scratch, sampler->skeleton, clip->rules))
        return false;
    joint_index_follow(&index, sampler->skeleton, clip);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (!track_is_joint(track))
            continue;
        int64_t row = joint_index_find(&index, track);
        if (row < 0)
            sampler->unmatched[sampler->unmatched_count++] = i;
        else
            drive_row(sampler, track, (uint32_t)row, &drivers[row]);
    }
    return true;
}

static struct row_drivers *rows_of_joints(struct pose_sampler *sampler, struct arena *scratch)
{
    uint32_t count = sampler->skeleton->joint_count;
    struct row_drivers *drivers = ARENA_NEW(scratch, struct row_drivers, count);
    sampler->rows = ARENA_NEW(&sampler->arena, struct pose_row, count);
    sampler->still = ARENA_NEW(&sampler->arena, float, (size_t)count *ROW_FLOATS);
    if (!drivers || !sampler->rows || !sampler->still)
        return NULL;
    sampler->row_count = count;
    for (uint32_t row = 0; row < count; row++)
        row_of_joint(sampler, row);
    return drive_rows(sampler, scratch, drivers) ? drivers : NULL;
}

static void note_moves(struct pose_sampler *sampler, const struct row_drivers *drivers)
{
    for (uint32_t row = 0; row < sampler->row_count; row++) {
        for (int part = 0; part < 3; part++) {
            const struct pose_channel *channel = drivers[row].channels[part];
            sampler->rows[row].moves[part] = channel && channel->count > 1;
        }
    }
}

struct row_drivers *sampler_make_rows(struct pose_sampler *sampler, struct arena *scratch)
{
    if (!make_morphs(sampler))
        return NULL;
    struct row_drivers *drivers =
        sampler->skeleton ? rows_of_joints(sampler, scratch) : rows_of_tracks(sampler, scratch);
    if (drivers)
        note_moves(sampler, drivers);
    return drivers;
}
