/* The stack of a joint and how its states form a component's value (sl-mix.md, 5 to 7). */
#include "lib/formats/sl/mix/scene.h"
#include "lib/model/turn.h"
#include "lib/sample/sampler.h"

#include <float.h>
#include <string.h>

/* How long before its end a weight is sampled, while it is not yet zero. */
#define JUST_BEFORE 1e-6

/* What one instance contributes to a joint; NULL is the base, which every avatar has. */
struct state {
    const struct scene_instance *instance;
    int32_t priority;
    bool additive;
    uint8_t drives;
    double weight;
    const float *row; /* NULL: the base, a translation of 0 */
};

struct stack {
    uint32_t count;
    struct state states[POSE_SL_LAYERS + 1];
};

/* All instances that play at one time, with their poses. */
struct moment {
    double t;
    uint32_t count;
    const struct scene_instance *instances[POSE_SL_LAYERS];
    double weights[POSE_SL_LAYERS];
    const float *rows[POSE_SL_LAYERS]; /* [joint_count][ROW_FLOATS]; NULL at weight 0 */
};

/* A component's value: x, y, z, w of a rotation, x, y, z of a translation as the clips store it. */
struct mixed {
    bool is_set; /* a normal state drives it */
    bool adds;   /* an additive state drives it */
    double value[4], sum;
    double add[4];
};

static uint8_t bit_of(enum pose_part part)
{
    return (uint8_t)(1u << part);
}

/* ----------------------------------------------------------------------------------------- the instances -- */

/* Makes key values offsets from the rest where the skeleton requires it (mPelvis). */
static void take_rest_off(const struct pose_sl_mix *mix, float *rows)
{
    int32_t root = mix->skeleton->root_joint;
    if (root < 0)
        return;
    size_t place = (size_t)root * ROW_FLOATS;
    for (unsigned i = 0; i < 3; i++)
        rows[place + i] -= mix->rest[place + i];
}

static void moment_make(const struct pose_sl_mix *mix, double t, float *rows, struct moment *moment)
{
    *moment = (struct moment){.t = t};
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        const struct scene_instance *instance = &mix->instances[i];
        const struct scene_layer *layer = &mix->layers[instance->layer];
        if (!instance_plays(instance, t) || (layer->additive && instance_is_covered(mix, instance, t)))
            continue;
        uint32_t at = moment->count++;
        moment->instances[at] = instance;
        moment->weights[at] = instance_weight(mix, instance, t);
        moment->rows[at] = NULL;
        if (moment->weights[at] > 0) {
            pose_sample(layer->sampler, instance_playhead(mix, instance, t), POSE_CLAMP, 0, rows, NULL);
            take_rest_off(mix, rows);
            moment->rows[at] = rows;
            rows += (size_t)mix->skeleton->joint_count * ROW_FLOATS;
        }
    }
}

/* Highest priority first; at the same priority additive ones first, then the newest. */
static bool stands_above(const struct state *a, const struct state *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->additive != b->additive)
        return a->additive;
    return b->instance == NULL || (a->instance && a->instance > b->instance);
}

static void stack_put(struct stack *stack, const struct state *state)
{
    uint32_t at = stack->count++;
    for (; at && stands_above(state, &stack->states[at - 1]); at--)
        stack->states[at] = stack->states[at - 1];
    stack->states[at] = *state;
}

static void stack_make(const struct pose_sl_mix *mix, const struct moment *moment, uint32_t joint,
                       struct stack *stack)
{
    stack->count = 0;
    for (uint32_t i = 0; i < moment->count; i++) {
        const struct scene_layer *layer = &mix->layers[moment->instances[i]->layer];
        if (!layer->has_track[joint])
            continue;
        const float *row = moment->rows[i] ? moment->rows[i] + (size_t)joint * ROW_FLOATS : NULL;
        stack_put(stack, &(struct state){moment->instances[i], layer->priorities[joint], layer->additive,
                                         layer->drives[joint], moment->weights[i], row});
    }
    if (mix->options.avatar_base && (int64_t)joint == mix->skeleton->root_joint)
        stack_put(stack, &(struct state){NULL, 0, false, bit_of(POSE_TRANSLATION), 1, NULL});
    if (stack->count > POSE_SL_STACK)
        stack->count = POSE_SL_STACK;
}

/* ------------------------------------------------------------------------------------------- one component -- */

static struct turn turn_from(const double *q)
{
    return (struct turn){q[0], q[1], q[2], q[3]};
}

/* The viewer's interpolation (sl-anim.md): normalised lerp, or slerp from -a if the two are in opposite
 * hemispheres. */
static void turn(double u, const double *a, const double *b, double *to)
{
    double cosine = turn_dot(turn_from(a), turn_from(b)), from = 1 - u, share = u, sign = 1;
    if (cosine < 0) {
        double angle = acos(fmin(1, -cosine)), sine = sin(angle);
        sign = -1;
        if (sine > 1e-9) {
            from = sin((1 - u) * angle) / sine;
            share = sin(u * angle) / sine;
        }
    }
    double result[4];
    for (unsigned i = 0; i < 4; i++)
        result[i] = sign * from * a[i] + share * b[i];
    double length = sqrt(turn_dot(turn_from(result), turn_from(result)));
    for (unsigned i = 0; i < 4; i++)
        to[i] = length > 0 ? result[i] / length : b[i];
}

static void multiply(const double *a, const double *b, double *to)
{
    struct turn both = turn_mul(turn_from(a), turn_from(b));
    memcpy(to, (const double[4]){both.x, both.y, both.z, both.w}, 4 * sizeof *to);
}

static void value_of(const struct state *state, enum pose_part part, double *value)
{
    for (unsigned i = 0; i < (part == POSE_ROTATION ? 4 : 3); i++)
        value[i] = state->row ? (double)state->row[part_place(part) + i] : 0;
}

static void mix_normal(struct mixed *mixed, enum pose_part part, double weight, const double *value)
{
    if (!mixed->is_set) {
        memcpy(mixed->value, value, sizeof mixed->value);
        mixed->sum = weight;
        mixed->is_set = true;
        return;
    }
    double sum = fmin(1, mixed->sum + weight), u = mixed->sum / sum;
    if (part == POSE_ROTATION)
        turn(u, value, mixed->value, mixed->value);
    for (unsigned i = 0; part == POSE_TRANSLATION && i < 3; i++)
        mixed->value[i] = value[i] + (mixed->value[i] - value[i]) * u;
    mixed->sum = sum;
}

static void mix_additive(struct mixed *mixed, enum pose_part part, double weight, const double *value)
{
    double share = fmin(1, mixed->sum + weight) - mixed->sum, turned[4];
    mixed->adds = true;
    if (part == POSE_ROTATION) {
        turn(share, mixed->add, value, turned);
        multiply(mixed->add, turned, mixed->add);
    }
    for (unsigned i = 0; part == POSE_TRANSLATION && i < 3; i++)
        mixed->add[i] += share * value[i];
}

static bool state_counts(const struct state *state, enum pose_part part)
{
    return state->weight > 0 && (state->drives & bit_of(part));
}

static void mix_component(const struct stack *stack, enum pose_part part, struct mixed *mixed)
{
    *mixed = (struct mixed){.add = {0, 0, 0, part == POSE_ROTATION}};
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct state *state = &stack->states[i];
        double value[4] = {0};
        if (!state_counts(state, part))
            continue;
        value_of(state, part, value);
        if (state->additive)
            mix_additive(mixed, part, state->weight, value);
        else
            mix_normal(mixed, part, state->weight, value);
    }
}

/* Adds the additive states to an existing value. */
static void add_up(struct mixed *mixed, enum pose_part part)
{
    if (part == POSE_ROTATION)
        multiply(mixed->value, mixed->add, mixed->value);
    for (unsigned i = 0; part == POSE_TRANSLATION && i < 3; i++)
        mixed->value[i] += mixed->add[i];
}

/* ------------------------------------------------------------------------------------ what nothing drives -- */

/* The last time before t, just before an instance with weight that drove the component ended; -1: none. */
static double held_at(const struct pose_sl_mix *mix, uint32_t joint, enum pose_part part, double t)
{
    double last = -1;
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        const struct scene_instance *instance = &mix->instances[i];
        const struct scene_layer *layer = &mix->layers[instance->layer];
        if (layer->additive || !(layer->drives[joint] & bit_of(part)) || instance->start >= t)
            continue;
        double shown = fmin(instance_last_shown(instance), t);
        if (shown > instance->start)
            last = fmax(last, fmax(shown - JUST_BEFORE, (instance->start + shown) / 2));
    }
    return last;
}

static void rest_of(const struct pose_sl_mix *mix, uint32_t joint, enum pose_part part, double *value)
{
    const float *rest = mix->rest + (size_t)joint * ROW_FLOATS;
    bool is_offset = part == POSE_TRANSLATION && (int64_t)joint == mix->skeleton->root_joint;
    for (unsigned i = 0; i < (part == POSE_ROTATION ? 4 : 3); i++)
        value[i] = is_offset ? 0 : (double)rest[part_place(part) + i];
}

/* The value that a component had at an earlier time. */
static void value_then(const struct pose_sl_mix *mix, const struct moment *past, uint32_t joint,
                       enum pose_part part, struct mixed *mixed)
{
    struct stack stack;
    stack_make(mix, past, joint, &stack);
    mix_component(&stack, part, mixed);
    if (!mixed->is_set)
        rest_of(mix, joint, part, mixed->value);
    else if (mixed->adds)
        add_up(mixed, part);
}

/* --------------------------------------------------------------------------------------------- the pose -- */

static void put_component(const struct pose_sl_mix *mix, uint32_t joint, enum pose_part part,
                          const double *value, float *row)
{
    double rest[4] = {0};
    for (unsigned i = 0; i < 3 && part == POSE_TRANSLATION && (int64_t)joint == mix->skeleton->root_joint;
         i++)
        rest[i] = (double)mix->rest[(size_t)joint * ROW_FLOATS + i];
    for (unsigned i = 0; i < (part == POSE_ROTATION ? 4 : 3); i++)
        row[part_place(part) + i] = (float)fmin(fmax(rest[i] + value[i], (double)-FLT_MAX), (double)FLT_MAX);
}

/* A joint at the current time. held: [2], when parts that nothing drives now were last driven; -1 for the
 * others. */
static void put_joint(const struct pose_sl_mix *mix, const struct moment *now, uint32_t joint, float *row,
                      double *held)
{
    struct stack stack;
    memcpy(row, mix->rest + (size_t)joint * ROW_FLOATS, ROW_FLOATS * sizeof *row);
    stack_make(mix, now, joint, &stack);
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
        struct mixed mixed;
        mix_component(&stack, part, &mixed);
        held[part] = mixed.is_set || mix->options.rest_undriven ? -1 : held_at(mix, joint, part, now->t);
        if (held[part] >= 0 || (!mixed.is_set && !mixed.adds))
            continue;
        if (!mixed.is_set)
            rest_of(mix, joint, part, mixed.value);
        if (mixed.adds)
            add_up(&mixed, part);
        put_component(mix, joint, part, mixed.value, row);
    }
}

/* The parts that were last driven at that time, plus what is added to them now. */
static void put_held(const struct pose_sl_mix *mix, const struct moment *now, const struct moment *past,
                     const double *held, float *rows)
{
    for (uint32_t joint = 0; joint < mix->skeleton->joint_count; joint++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
            struct mixed then, added;
            struct stack stack;
            if (held[2 * joint + part] != past->t)
                continue;
            value_then(mix, past, joint, part, &then);
            stack_make(mix, now, joint, &stack);
            mix_component(&stack, part, &added);
            memcpy(then.add, added.add, sizeof then.add);
            if (added.adds)
                add_up(&then, part);
            put_component(mix, joint, part, then.value, rows + (size_t)joint * ROW_FLOATS);
        }
    }
}

static double next_held(const double *held, uint32_t count, double after)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        if (held[i] > after && held[i] < next)
            next = held[i];
    }
    return next;
}

size_t pose_sl_mix_scratch(const struct pose_sl_mix *mix)
{
    size_t joints = mix->skeleton->joint_count;
    return joints * (2 * sizeof(double) + 2 * ROW_FLOATS * sizeof(float) * POSE_SL_LAYERS);
}

void pose_sl_mix_sample(const struct pose_sl_mix *mix, double t, float *rows, void *scratch)
{
    uint32_t joints = mix->skeleton->joint_count;
    double *held = scratch;
    float *rows_now = (float *)(held + 2 * (size_t)joints);
    float *rows_then = rows_now + (size_t)joints * ROW_FLOATS * POSE_SL_LAYERS;
    struct moment now, past;
    moment_make(mix, t, rows_now, &now);
    for (uint32_t joint = 0; joint < joints; joint++)
        put_joint(mix, &now, joint, rows + (size_t)joint * ROW_FLOATS, held + 2 * (size_t)joint);
    double at = next_held(held, 2 * joints, -1);
    for (; isfinite(at); at = next_held(held, 2 * joints, at)) {
        moment_make(mix, at, rows_then, &past);
        put_held(mix, &now, &past, held, rows);
    }
}

/* ------------------------------------------------------------------------------------------- explanation -- */

uint32_t pose_sl_mix_playing(const struct pose_sl_mix *mix, double t, struct pose_sl_playing *playing)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        const struct scene_instance *instance = &mix->instances[i];
        if (instance_plays(instance, t))
            playing[count++] = (struct pose_sl_playing){instance->layer, instance_weight(mix, instance, t),
                                                        instance_playhead(mix, instance, t)};
    }
    return count;
}

/* The share of each state in the result, as computed by mix_component. */
static void put_shares(const struct stack *stack, enum pose_part part, struct pose_sl_share *shares)
{
    double sum = 0;
    bool is_set = false;
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct state *state = &stack->states[i];
        if (!state_counts(state, part))
            continue;
        double total = is_set || state->additive ? fmin(1, sum + state->weight) : state->weight;
        if (state->additive) {
            shares[i].shares[part] = total - sum;
            continue;
        }
        double kept = is_set ? sum / total : 0;
        for (uint32_t above = 0; above < i; above++) {
            if (!stack->states[above].additive && state_counts(&stack->states[above], part))
                shares[above].shares[part] *= kept;
        }
        shares[i].shares[part] = 1 - kept;
        sum = total;
        is_set = true;
    }
}

void pose_sl_mix_moment(const struct pose_sl_mix *mix, double t, struct pose_sl_moment *moment)
{
    *moment = (struct pose_sl_moment){.t = t};
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        const struct scene_instance *instance = &mix->instances[i];
        if (!instance_plays(instance, t) ||
            (mix->layers[instance->layer].additive && instance_is_covered(mix, instance, t)))
            continue;
        moment->weights[moment->count] = instance_weight(mix, instance, t);
        moment->instances[moment->count++] = i;
    }
}

uint32_t pose_sl_mix_explain(const struct pose_sl_mix *mix, const struct pose_sl_moment *moment,
                             uint32_t joint, struct pose_sl_share *shares, bool held[2])
{
    struct moment now = {.t = moment->t, .count = moment->count};
    struct stack stack;
    for (uint32_t i = 0; i < moment->count; i++) {
        now.weights[i] = moment->weights[i];
        now.instances[i] = &mix->instances[moment->instances[i]];
    }
    stack_make(mix, &now, joint, &stack);
    for (uint32_t i = 0; i < stack.count; i++) {
        const struct state *state = &stack.states[i];
        shares[i] = (struct pose_sl_share){.layer = state->instance ? (int32_t)state->instance->layer : -1,
                                           .priority = state->priority,
                                           .weight = state->weight,
                                           .shares = {-1, -1}};
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
            if (state->drives & bit_of(part))
                shares[i].shares[part] = 0;
        }
    }
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
        bool driven = false;
        for (uint32_t i = 0; i < stack.count; i++)
            driven |= !stack.states[i].additive && state_counts(&stack.states[i], part);
        put_shares(&stack, part, shares);
        held[part] = !driven && !mix->options.rest_undriven && held_at(mix, joint, part, moment->t) >= 0;
    }
    return stack.count;
}
