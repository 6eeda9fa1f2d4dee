#include "lib/model/figures.h"

#include "lib/model/build.h"
#include "lib/model/match.h"

#include <math.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;
static const float STILL = 1e-5f; /* metres, parts of a quaternion, factors */

uint32_t figures_count(const struct pose_skeleton *skeleton)
{
    uint32_t count = 0;
    for (uint32_t i = 0; skeleton->figures && i < skeleton->joint_count; i++)
        count = skeleton->figures[i] > count ? skeleton->figures[i] : count;
    return count;
}

/* ---------------------------------------------------------------------------------------- which one is moved -- */

/* Whether the keys of the track change anything. */
static bool changes(const struct pose_track *track)
{
    for (int part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
        const struct pose_channel *channel = &track->channels[part];
        const uint32_t components = part_components((enum pose_part)part);
        for (size_t i = components; i < (size_t)channel->count * components; i++) {
            if (fabsf(channel->values[i] - channel->values[i % components]) > STILL)
                return true;
        }
    }
    return false;
}

/* Joints of a figure that a clip moves. */
struct moved {
    uint32_t changing, keyed;
};

static bool is_more(const struct moved *a, const struct moved *b)
{
    return a->changing != b->changing ? a->changing > b->changing : a->keyed > b->keyed;
}

bool figures_find_moved(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                        struct arena *scratch, uint32_t *figure)
{
    const uint32_t count = figures_count(skeleton);
    struct joint_index index;
    *figure = 0;
    if (!count || !clip)
        return true;
    struct moved *moved = ARENA_NEW(scratch, struct moved, (size_t)count + 1);
    if (!moved || !joint_index_init(&index, scratch, skeleton, clip->rules))
        return false;
    joint_index_follow(&index, skeleton, clip);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        const int64_t joint = track_drives_joint(track) ? joint_index_find(&index, track) : -1;
        if (joint < 0)
            continue;
        struct moved *of = &moved[skeleton->figures[joint]];
        of->keyed++;
        of->changing += changes(track);
    }
    moved[0] = (struct moved){0, 0};
    for (uint32_t i = 1; i <= count; i++)
        *figure = is_more(&moved[i], &moved[*figure]) ? i : *figure;
    return true;
}

/* -------------------------------------------------------------------------------------------- telling them apart -- */

/* The first of the sets that were joined with this one. */
static uint32_t first_of(const struct figure_sets *sets, uint32_t set)
{
    uint32_t *joined = sets->joined;
    while (joined[set] != set) {
        joined[set] = joined[joined[set]];
        set = joined[set];
    }
    return set;
}

static void join(struct figure_sets *sets, uint32_t a, uint32_t b)
{
    a = first_of(sets, a);
    b = first_of(sets, b);
    sets->joined[a > b ? a : b] = a > b ? b : a;
}

bool figure_sets_init(struct figure_sets *sets, uint32_t joint_count, uint32_t count, struct arena *scratch)
{
    *sets = (struct figure_sets){count, ARENA_NEW(scratch, uint32_t, joint_count),
                                 ARENA_NEW(scratch, uint32_t, count)};
    if (!sets->set || !sets->joined)
        return false;
    memset(sets->set, 0xff, joint_count * sizeof *sets->set);
    for (uint32_t i = 0; i < count; i++)
        sets->joined[i] = i;
    return true;
}

void figure_sets_put(struct figure_sets *sets, uint32_t joint, uint32_t set)
{
    if (sets->set[joint] == none)
        sets->set[joint] = set;
    else
        join(sets, sets->set[joint], set);
}

/* Numbers the figures from 1, in the order of joints. Returns how many there are. */
static uint32_t number(const struct figure_sets *sets, uint32_t *figures, uint32_t count, uint32_t *numbers)
{
    uint32_t figure_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (figures[i] == none) {
            figures[i] = 0;
            continue;
        }
        uint32_t *own = &numbers[first_of(sets, figures[i])];
        *own = *own ? *own : ++figure_count;
        figures[i] = *own;
    }
    return figure_count;
}

/* Joints above a single figure are part of it. below: zeros, [joint_count]. */
static void claim_above(const struct pose_skeleton *skeleton, uint32_t *figures, uint32_t *below)
{
    for (uint32_t i = skeleton->joint_count; i-- > 0;) {
        const int32_t parent = skeleton->joints[i].parent;
        if (!figures[i] && below[i] != none)
            figures[i] = below[i];
        const uint32_t here = figures[i] ? figures[i] : below[i];
        if (parent >= 0 && here)
            below[parent] = !below[parent] || below[parent] == here ? here : none;
    }
}

bool figure_sets_finish(struct figure_sets *sets, struct pose_skeleton *skeleton, struct arena *arena,
                        struct arena *scratch)
{
    const uint32_t count = skeleton->joint_count;
    uint32_t *figures = ARENA_NEW(arena, uint32_t, count), *below = ARENA_NEW(scratch, uint32_t, count),
             *numbers = ARENA_NEW(scratch, uint32_t, sets->count);
    if (!figures || !below || !numbers)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t parent = skeleton->joints[i].parent;
        const uint32_t above = parent < 0 ? none : figures[parent];
        figures[i] = sets->set[i] == none ? above : sets->set[i];
        if (sets->set[i] != none && above != none)
            join(sets, sets->set[i], above);
    }
    if (number(sets, figures, count, numbers) < 2)
        return true;
    claim_above(skeleton, figures, below);
    skeleton->figures = figures;
    return true;
}
