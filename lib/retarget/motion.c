/* Sampling: the source's joints in the world, the target's from their attitudes, the position of the figure. */
#include "lib/model/axes.h"
#include "lib/retarget/motion.h"
#include "lib/sample/clock.h"

#include <float.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- scratch -- */

size_t moment_size(const struct pose_retarget *retarget)
{
    size_t source = retarget->source_count, target = retarget->target_count;
    return source * (sizeof(struct turn) + sizeof(struct vec) + ROW_FLOATS * sizeof(float)) +
           target * (2 * sizeof(struct turn) + sizeof(struct vec)) + sizeof(double);
}

struct moment moment_in(const struct pose_retarget *retarget, void *scratch)
{
    struct moment moment = {.from_turns = scratch};
    size_t source = retarget->source_count, target = retarget->target_count;
    moment.from_places = (struct vec *)(moment.from_turns + source);
    moment.turns = (struct turn *)(moment.from_places + source);
    moment.locals = moment.turns + target;
    moment.places = (struct vec *)(moment.locals + target);
    moment.rows = (float *)(moment.places + target);
    return moment;
}

/* -------------------------------------------------------------------------------------------------- source -- */

void moment_source(const struct pose_retarget *retarget, double t, enum pose_wrap wrap, unsigned flags,
                   struct moment *moment)
{
    pose_sample(retarget->sampler, t, wrap, flags, moment->rows, NULL);
    for (uint32_t i = 0; i < retarget->source_count; i++) {
        const struct source_node *node = &retarget->source_nodes[i];
        const float *row = moment->rows + (size_t)i * ROW_FLOATS;
        struct turn local = {(double)row[3], (double)row[4], (double)row[5], (double)row[6]};
        struct vec offset = {(double)row[0], (double)row[1], (double)row[2]};
        if (node->parent < 0) {
            moment->from_turns[i] = turn_unit(local);
            moment->from_places[i] = offset;
            continue;
        }
        /* Sampled rotations have unit length in single precision: renormalise, before the product that the next joint waits
         * for. */
        struct turn above = moment->from_turns[node->parent];
        moment->from_turns[i] = turn_mul(above, turn_settle(local));
        if (node->has_place)
            moment->from_places[i] =
                vec_add(moment->from_places[node->parent], turn_point(above, vec_mul(node->stretch, offset)));
    }
}

/* R A, of a bone of the source in its own world. */
static struct turn turned_bone(const struct moment *moment, const struct attitude *attitude)
{
    struct turn a = turn_mul(moment->from_turns[attitude->a], attitude->align_a);
    if (attitude->b < 0)
        return a;
    return turn_slerp(a, turn_mul(moment->from_turns[attitude->b], attitude->align_b), attitude->fraction);
}

struct turn source_attitude(const struct pose_retarget *retarget, const struct moment *moment,
                            const struct attitude *attitude)
{
    return turn_mul(retarget->turn_body, turned_bone(moment, attitude));
}

/* Positions are relative to the origin, so that a heading rotates the figure about it. */
static struct vec over(const struct pose_retarget *retarget, const struct moment *moment, struct vec place)
{
    struct vec turned = retarget->is_body_world ? place : turn_point(retarget->turn_body, place);
    return vec_sub(vec_sub(turned, retarget->turned_origin), moment->gone);
}

struct vec source_over(const struct pose_retarget *retarget, const struct moment *moment, int32_t node)
{
    return over(retarget, moment, moment->from_places[node]);
}

struct vec source_middle(const struct pose_retarget *retarget, const struct moment *moment)
{
    return over(retarget, moment,
                vec_middle(moment->from_places[retarget->source_legs[0]],
                           moment->from_places[retarget->source_legs[1]]));
}

struct vec target_over(const struct pose_retarget *retarget, struct vec place)
{
    const struct figure *figure = &retarget->target->figure;
    return vec_sub(turn_point(figure->unbody, place), retarget->target_origin);
}

/* What is removed at a moment: of the motion that the clip is sampled with, as pose_sample accumulates it. */
static struct vec travel_gone(const struct pose_retarget *retarget, double t, enum pose_wrap wrap,
                              unsigned flags)
{
    if (!(retarget->flags & POSE_RETARGET_REMOVE_TRAVEL))
        return (struct vec){0, 0, 0};
    const struct clock clock = clock_read(&retarget->source_clip, t, wrap);
    const double duration = (double)retarget->source_clip.duration;
    const struct vec in_place = vec_scale(retarget->travel, clock.phase);
    if (!(flags & POSE_MOTION))
        return in_place;
    bool adds_up = retarget->sampler->travels && wrap == POSE_WRAP && duration > 0;
    return vec_add(in_place, vec_scale(retarget->root_travel, adds_up ? t / duration : clock.phase));
}

/* -------------------------------------------------------------------------------------------------- target -- */

static struct turn between_worlds(const struct pose_retarget *retarget, struct turn turn)
{
    return retarget->is_same_world ? turn : turn_mul(retarget->before, turn);
}

/*
 * R' of a driven joint. Its attitude relative to the bone above that both have is that of the source's, in which what
 * turns a figure as a whole falls out; what does not depend on the moment was multiplied beforehand.
 */
static struct turn driven_turn(const struct pose_retarget *retarget, const struct target_node *node,
                               const struct moment *moment)
{
    const struct attitude *attitude = &node->attitude;
    struct turn turned = attitude->b < 0 ? turn_mul(moment->from_turns[attitude->a], node->after)
                                         : turn_mul(turned_bone(moment, attitude), node->unalign);
    if (node->is_direct)
        return between_worlds(retarget, turned);
    const struct link *link = &node->link;
    struct turn from = moment->from_turns[link->source];
    struct turn relative = turn_mul(link->between, turn_mul(turn_inverse(from), turned));
    return turn_mul(moment->turns[link->target], relative); /* last, as the next joint waits for the link's */
}

static struct turn carrier_turn(const struct pose_retarget *retarget, const struct moment *moment)
{
    struct turn attitude = source_attitude(retarget, moment, &retarget->carrier_attitude);
    return turn_mul(retarget->target->figure.body, turn_mul(attitude, retarget->carrier_after));
}

static void turn_target(const struct pose_retarget *retarget, struct moment *moment)
{
    for (uint32_t i = 0; i < retarget->target_count; i++) {
        const struct target_node *node = &retarget->nodes[i];
        struct turn above = node->parent < 0 ? turn_none : moment->turns[node->parent];
        bool is_carrier = retarget->has_carrier_turn && (int32_t)i == retarget->carrier;
        if (is_carrier)
            moment->turns[i] = carrier_turn(retarget, moment);
        else if (node->has_attitude)
            moment->turns[i] = driven_turn(retarget, node, moment);
        else {
            moment->locals[i] = node->local;
            moment->turns[i] = turn_mul(above, node->local);
            continue;
        }
        moment->locals[i] = turn_mul(turn_inverse(above), moment->turns[i]);
    }
}

/* With the carrier at its rest, as its position does not affect rotations. */
static void place_target(const struct pose_retarget *retarget, struct moment *moment)
{
    for (uint32_t i = 0; i < retarget->target_count; i++) {
        const struct target_node *node = &retarget->nodes[i];
        if (!node->has_place)
            continue;
        moment->places[i] =
            node->parent < 0
                ? node->offset
                : vec_add(moment->places[node->parent],
                          turn_point(moment->turns[node->parent], vec_mul(node->stretch, node->offset)));
    }
}

/* The carrier's offset from its rest, in the target's world. */
static struct vec find_shift(const struct pose_retarget *retarget, const struct moment *moment)
{
    const struct figure *from = &retarget->source->figure, *to = &retarget->target->figure;
    struct vec m = source_middle(retarget, moment);
    struct vec goal = {retarget->scale * m.x, to->mean_ankle + retarget->scale * (m.y - from->mean_ankle),
                       retarget->scale * m.z};
    struct vec is = target_over(retarget, vec_middle(moment->places[retarget->target_legs[0]],
                                                     moment->places[retarget->target_legs[1]]));
    return turn_point(to->body, vec_sub(goal, is));
}

void moment_at(const struct pose_retarget *retarget, double t, enum pose_wrap wrap, unsigned flags,
               struct moment *moment)
{
    moment_source(retarget, t, wrap, flags, moment);
    moment->gone = travel_gone(retarget, t, wrap, flags);
    turn_target(retarget, moment);
    moment->shift = (struct vec){0, 0, 0};
    moment->weights[0] = moment->weights[1] = moment->missed[0] = moment->missed[1] = 0;
    if (!retarget->moves && !retarget->has_feet)
        return;
    place_target(retarget, moment);
    if (retarget->moves)
        moment->shift = find_shift(retarget, moment);
    if (retarget->has_feet)
        feet_stand(retarget, moment);
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

static float finite_float(double value)
{
    return (float)fmin(fmax(value, (double)-FLT_MAX), (double)FLT_MAX);
}

static void put(const struct axes_map *map, const double from[3], double *to)
{
    for (unsigned i = 0; i < 3; i++)
        to[i] = map->negate[i] ? 0 - from[map->source[i]] : from[map->source[i]];
}

void retarget_row(const struct pose_retarget *retarget, const struct moment *moment, uint32_t node,
                  float *row)
{
    const struct target_node *of = &retarget->nodes[node];
    if (of->is_driven || of->holds) {
        struct turn q = turn_settle(moment->locals[node]);
        double axis[3];
        put(retarget->to_rows, (double[3]){q.x, q.y, q.z}, axis);
        for (unsigned i = 0; i < 3; i++)
            row[ROTATION_PLACE + i] = (float)axis[i];
        row[ROTATION_PLACE + 3] = (float)q.w;
    }
    if (retarget->moves && (int32_t)node == retarget->carrier) {
        struct vec way =
            vec_mul(retarget->carrier_unstretch, turn_point(retarget->carrier_unturn, moment->shift));
        struct vec to = vec_add(of->offset, way);
        double place[3];
        put(retarget->to_rows, (double[3]){to.x, to.y, to.z}, place);
        for (unsigned i = 0; i < 3; i++)
            row[i] = finite_float(place[i] * retarget->to_rows->unit);
    }
}

size_t pose_retarget_scratch(const struct pose_retarget *retarget)
{
    return moment_size(retarget);
}

void pose_retarget_sample(const struct pose_retarget *retarget, double t, enum pose_wrap wrap, unsigned flags,
                          float *rows, void *scratch)
{
    const struct pose_sampler *to = retarget->rows;
    struct moment moment = moment_in(retarget, scratch);
    moment_at(retarget, t, wrap, flags, &moment);
    memcpy(rows, to->still, (size_t)to->row_count * ROW_FLOATS * sizeof *rows);
    for (uint32_t i = 0; i < retarget->target_count; i++) {
        const struct target_node *node = &retarget->nodes[i];
        if (node->is_driven || node->holds || (int32_t)i == retarget->carrier)
            retarget_row(retarget, &moment, i, rows + (size_t)node->joint * ROW_FLOATS);
    }
}

/* Scratch memory on the stack: the small size suffices for most figures. */
enum { SMALL = 24 * 1024, LARGE = NODE_LIMIT * 200 };

__attribute__((noinline)) static void carry_large(const struct pose_retarget *retarget, double t,
                                                  enum pose_wrap wrap, unsigned flags, float *rows)
{
    double scratch[LARGE / sizeof(double)];
    pose_retarget_sample(retarget, t, wrap, flags, rows, scratch);
}

void retarget_carry(const void *carried, double t, enum pose_wrap wrap, unsigned flags, float *rows)
{
    const struct pose_retarget *retarget = carried;
    double scratch[SMALL / sizeof(double)];
    if (moment_size(retarget) > sizeof scratch)
        carry_large(retarget, t, wrap, flags, rows);
    else
        pose_retarget_sample(retarget, t, wrap, flags, rows, scratch);
}
