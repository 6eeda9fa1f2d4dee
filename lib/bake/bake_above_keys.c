/* Keys of a bone below nodes that move (an armature that walks). Products of curves are not linear between their keys,
 * so that keys are inserted until they are near enough. */
#include "lib/bake/above.h"

#include "lib/core/error.h"
#include "lib/model/build.h"
#include "lib/sample/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBES = 3, /* times between two keys at which the product is compared */
    DEPTH = 10, /* halvings of the span between two keys */
};

#define ANGLE_TOLERANCE 1e-4  /* radians */
#define LENGTH_TOLERANCE 1e-4 /* metres */
#define FINEST 1e-6           /* of a length: a float has little more */
#define SHORTEST 1e-3         /* seconds: nearer keys are a jump */

struct link {
    const struct node *node;
    struct curve curves[POSE_SCALE + 1];
};

/* The bone, and the nodes above it up to the topmost that moves. */
struct chain {
    struct folding *folding; /* counts the keys */
    struct arena *arena;
    enum pose_part part;
    struct sample_kernels kernels;
    struct link *links;
    uint32_t count;
    struct place top; /* what is still above all links */
};

struct spot {
    double time;
    float value[4];
    unsigned depth; /* halvings that led to it */
};

struct spots {
    uint32_t count, time_room, value_room;
    float *times, *values;
};

/* -------------------------------------------------------------------------------------------------- the chain -- */

static bool add_link(struct chain *chain, const struct folding *folding, const struct node *node)
{
    struct link *link = &chain->links[chain->count++];
    link->node = node;
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
        if (node->moving[part] &&
            !curve_init(&link->curves[part], chain->arena, folding->clip, part, node->moving[part]))
            return false;
    }
    return true;
}

static bool chain_init(struct chain *chain, struct folding *folding, uint32_t bone, enum pose_part part)
{
    const struct pose_joint *joints = folding->skeleton->joints;
    uint32_t depth = 0;
    for (int32_t j = (int32_t)bone; j >= 0 && arena_step(folding->arena); j = joints[j].parent)
        depth++;
    *chain = (struct chain){.folding = folding,
                            .arena = folding->arena,
                            .part = part,
                            .kernels = curve_kernels(folding->clip->rules),
                            .links = ARENA_NEW(folding->arena, struct link, depth),
                            .top = {.turn = {0, 0, 0, 1}, .scale = 1}};
    if (!chain->links || !add_link(chain, folding, &folding->nodes[bone]))
        return false;
    int32_t j = joints[bone].parent;
    for (; j >= 0 && folding->nodes[j].above_moves; j = joints[j].parent) {
        if (!arena_step(chain->arena) || !add_link(chain, folding, &folding->nodes[j]))
            return false;
    }
    if (j >= 0)
        chain->top = folding->nodes[j].above;
    return true;
}

static struct place link_place(const struct link *link, double time)
{
    struct place place = link->node->local;
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
        float value[4];
        if (!link->node->moving[part])
            continue;
        curve_sample(&link->curves[part], &time, 1, value);
        place_set(&place, part, value);
    }
    return place;
}

/* Every link is a step, as a chain may have as many as the file has nodes. Returns false if the work must stop. */
static bool find_spot(const struct chain *chain, double time, struct spot *spot)
{
    struct place place = link_place(&chain->links[0], time);
    for (uint32_t i = 1; i < chain->count; i++) {
        if (!arena_step(chain->arena))
            return false;
        const struct place over = link_place(&chain->links[i], time);
        place = place_mul(&over, &place);
    }
    place = place_mul(&chain->top, &place);
    *spot = (struct spot){.time = time};
    place_get(&place, chain->part, spot->value);
    return arena_step(chain->arena);
}

/* ---------------------------------------------------------------------------------------------------- times -- */

/* Whether a part of a link moves the part that is wanted of the bone. */
static bool counts(const struct chain *chain, uint32_t link, enum pose_part part)
{
    const bool is_wanted = part == chain->part || (link && chain->part == POSE_TRANSLATION);
    return is_wanted && chain->links[link].node->moving[part];
}

static int compare_times(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Copies the key times of all links to times, unless it is NULL; returns their number. */
static size_t copy_times(const struct chain *chain, float *times)
{
    size_t count = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            if (!counts(chain, i, part))
                continue;
            const struct pose_channel *channel = chain->links[i].node->moving[part];
            if (times)
                memcpy(times + count, channel->times, channel->count * sizeof *times);
            count += channel->count;
        }
    }
    return count;
}

/* All key times, ascending. NULL if out of memory. */
static float *gather_times(const struct chain *chain, size_t *count)
{
    const size_t all = copy_times(chain, NULL);
    float *times = ARENA_NEW(chain->arena, float, all);
    if (!times)
        return NULL;
    copy_times(chain, times);
    qsort(times, all, sizeof *times, compare_times);
    *count = 0;
    for (size_t k = 0; k < all; k++) {
        if (!*count || times[k] > times[*count - 1])
            times[(*count)++] = times[k];
    }
    return times;
}

/* ----------------------------------------------------------------------------------------------------- keys -- */

static bool append(const struct chain *chain, struct spots *spots, const struct spot *spot)
{
    const uint32_t components = part_components(chain->part);
    if (++chain->folding->keys > chain->folding->key_limit)
        return error_limit(chain->arena->error, "keys", "more than the limit of %llu keys",
                           (unsigned long long)chain->folding->key_limit);
    float *times = arena_grow(chain->arena, spots->times, spots->count, &spots->time_room, sizeof *times);
    float *values = arena_grow(chain->arena, spots->values, spots->count, &spots->value_room,
                               components * sizeof *values);
    if (!times || !values)
        return false;
    spots->times = times;
    spots->values = values;
    times[spots->count] = (float)spot->time;
    memcpy(values + (size_t)spots->count * components, spot->value, components * sizeof *values);
    spots->count++;
    return true;
}

/* How far a player may be from that spot. */
static double tolerance(enum pose_part part, const struct spot *spot)
{
    static const float origin[3];
    if (part == POSE_ROTATION)
        return ANGLE_TOLERANCE;
    return fmax(LENGTH_TOLERANCE, FINEST * curve_distance(part, spot->value, origin));
}

/* Whether a player that interpolates between the two is near the product. */
static bool is_near(const struct chain *chain, const struct spot *from, const struct spot *to)
{
    const uint32_t components = part_components(chain->part);
    double fractions[PROBES];
    float made[PROBES * 4];
    for (int i = 0; i < PROBES; i++)
        fractions[i] = (i + 1) / (double)(PROBES + 1);
    curve_blend(&chain->kernels, chain->part, from->value, to->value, fractions, PROBES, made);
    for (int i = 0; i < PROBES; i++) {
        struct spot real;
        if (!find_spot(chain, from->time + (to->time - from->time) * fractions[i], &real) ||
            curve_distance(chain->part, real.value, made + (size_t)i * components) >
                tolerance(chain->part, &real))
            return false;
    }
    return true;
}

/* Whether a key between the two is of use: *middle becomes its time. Late in a clip of days no float is between. */
static bool may_split(const struct spot *from, const struct spot *to, double *middle)
{
    *middle = (double)(float)(0.5 * (from->time + to->time));
    return to->depth < DEPTH && to->time - from->time > 2 * SHORTEST && from->time < *middle &&
           *middle < to->time;
}

/* Appends the keys needed between *last and to, and to itself, which *last becomes. */
static bool connect(const struct chain *chain, struct spots *spots, struct spot *last, const struct spot *to)
{
    struct spot ahead[DEPTH + 1];
    unsigned count = 1;
    ahead[0] = *to;
    while (count) { /* ahead[i].depth >= i */
        struct spot *next = &ahead[count - 1];
        double middle;
        if (may_split(last, next, &middle) && !is_near(chain, last, next)) {
            if (!find_spot(chain, middle, &ahead[count++]))
                return false;
            ahead[count - 1].depth = ++next->depth;
            continue;
        }
        if (!append(chain, spots, next))
            return false;
        *last = *next;
        count--;
    }
    return true;
}

bool above_follow(struct folding *folding, uint32_t bone, enum pose_part part, struct pose_channel *channel)
{
    struct chain chain;
    struct spots spots = {0};
    struct spot last, next;
    size_t count = 0;
    float *times = NULL;
    if (chain_init(&chain, folding, bone, part))
        times = gather_times(&chain, &count);
    if (!times)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (!find_spot(&chain, (double)times[k], &next))
            return false;
        if (k ? !connect(&chain, &spots, &last, &next) : !append(&chain, &spots, &next))
            return false;
        last = next;
    }
    *channel = (struct pose_channel){spots.count, spots.times, spots.values};
    return true;
}
