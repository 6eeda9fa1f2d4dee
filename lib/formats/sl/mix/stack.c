/* The stack of a joint and how its states form a component's value (sl-mix.md, 5 to 7). */
#include "lib/formats/sl/mix/scene.h"
#include "lib/model/turn.h"
#include "lib/sample/sampler.h"

#include <float.h>
#include <string.h>

/* How long before its end a weight is sampled, while it is not yet zero. */
#define JUST_BEFORE 1e-6

/* All instances that play at one time. Their poses are sampled when a joint needs them. */
struct moment {
    double t;
    bool plays[POSE_SL_LAYERS]; /* by instance, like all below */
    double weights[POSE_SL_LAYERS];
    const float *rows[POSE_SL_LAYERS]; /* [joint_count][ROW_FLOATS]; NULL: not sampled yet */
    float *room;                       /* for the next pose */
};

/* What one instance contributes to a joint. */
struct state {
    uint8_t instance; /* SCENE_BASE: the base, which every avatar has, a translation of 0 */
    bool additive;
    uint8_t drives;
    double weight;
};

struct stack {
    uint32_t count;
    struct state states[POSE_SL_STACK];
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

static void moment_make(const struct pose_sl_mix *mix, double t, float *room, struct moment *moment)
{
    *moment = (struct moment){.t = t, .room = room};
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        const struct scene_instance *instance = &mix->instances[i];
        const struct scene_layer *layer = &mix->layers[instance->layer];
        moment->plays[i] =
            instance_plays(instance, t) && !(layer->additive && instance_is_covered(mix, instance, t));
        if (moment->plays[i])
            moment->weights[i] = instance_weight(mix, instance, t);
    }
}

/* The joint's row in the pose of a playing instance. */
static const float *moment_row(const struct pose_sl_mix *mix, struct moment *moment, uint32_t i,
                               uint32_t joint)
{
    if (!moment->rows[i]) {
        const struct scene_instance *instance = &mix->instances[i];
        pose_sample(mix->layers[instance->layer].sampler, instance_playhead(mix, instance, moment->t),
                    POSE_CLAMP, 0, moment->room, NULL);
        take_rest_off(mix, moment->room);
        moment->rows[i] = moment->room;
        moment->room += (size_t)mix->skeleton->joint_count * ROW_FLOATS;
    }
    return moment->rows[i] + (size_t)joint * ROW_FLOATS;
}

/* Highest priority first; at the same priority additive ones first, then the newest; the base is the oldest. */
static bool stands_above(const struct pose_sl_mix *mix, uint32_t joint, uint8_t a, uint8_t b)
{
    const struct scene_layer *x = a == SCENE_BASE ? NULL : &mix->layers[mix->instances[a].layer];
    const struct scene_layer *y = b == SCENE_BASE ? NULL : &mix->layers[mix->instances[b].layer];
    int32_t priority = x ? x->priorities[joint] : 0, other = y ? y->priorities[joint] : 0;
    if (priority != other)
        return priority > other;
    if ((x && x->additive) != (y && y->additive))
        return x && x->additive;
    return x && (!y || a > b);
}

/* Priorities do not change, so that the order of a joint's states is the same at all times. */
static void order_joint(const struct pose_sl_mix *mix, uint32_t joint, struct scene_order *order)
{
    uint32_t last = mix->instance_count;
    for (uint32_t i = 0; i <= last; i++) {
        bool is_base = i == last;
        uint8_t state = is_base ? SCENE_BASE : (uint8_t)i;
        if (is_base ? !mix->options.avatar_base || (int64_t)joint != mix->skeleton->root_joint
                    : !mix->layers[mix->instances[i].layer].has_track[joint])
            continue;
        uint8_t at = order->count++;
        for (; at && stands_above(mix, joint, state, order->states[at - 1]); at--)
            order->states[at] = order->states[at - 1];
        order->states[at] = state;
        if (!is_base && !mix->layers[mix->instances[i].layer].additive)
            order->driven |= mix->layers[mix->instances[i].layer].drives[joint];
    }
}

bool scene_make_orders(struct pose_sl_mix *scene)
{
    uint32_t joints = scene->skeleton->joint_count;
    struct scene_order *orders = ARENA_NEW(&scene->arena, struct scene_order, joints);
    for (uint32_t joint = 0; orders && joint < joints; joint++)
        order_joint(scene, joint, &orders[joint]);
    scene->orders = orders;
    return orders;
}

static void stack_make(const struct pose_sl_mix *mix, const struct moment *moment, uint32_t joint,
                       struct stack *stack)
{
    const struct scene_order *order = &mix->orders[joint];
    stack->count = 0;
    for (uint32_t i = 0; i < order->count && stack->count < POSE_SL_STACK; i++) {
        uint8_t at = order->states[i];
        if (at == SCENE_BASE) {
            stack->states[stack->count++] = (struct state){at, false, bit_of(POSE_TRANSLATION), 1};
        } else if (moment->plays[at]) {
            const struct scene_layer *layer = &mix->layers[mix->instances[at].layer];
            stack->states[stack->count++] =
                (struct state){at, layer->additive, layer->drives[joint], moment->weights[at]};
        }
    }
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

/* A moment, and a joint in it. */
struct place {
    const struct pose_sl_mix *mix;
    struct moment *moment;
    uint32_t joint;
};

static void value_of(const struct place *place, const struct state *state, enum pose_part part, double *value)
{
    const float *row = state->instance == SCENE_BASE
                           ? NULL
                           : moment_row(place->mix, place->moment, state->instance, place->joint);
    for (unsigned i = 0; i < (part == POSE_ROTATION ? 4 : 3); i++)
        value[i] = row ? (double)row[part_place(part) + i] : 0;
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

/* Once the weights reach 1, what lies below changes nothing. */
static void mix_component(const struct place *place, const struct stack *stack, enum pose_part part,
                          struct mixed *mixed)
{
    *mixed = (struct mixed){.add = {0, 0, 0, part == POSE_ROTATION}};
    for (uint32_t i = 0; i < stack->count && mixed->sum < 1; i++) {
        const struct state *state = &stack->states[i];
        double value[4] = {0};
        if (!state_counts(state, part))
            continue;
        value_of(place, state, part, value);
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
    if (!(mix->orders[joint].driven & bit_of(part)))
        return -1;
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

/* What the normal states made of a component at an earlier time. Additive states are left out: those that still
 * play are added to it as they are now, once. */
static void value_then(const struct place *past, enum pose_part part, struct mixed *mixed)
{
    struct stack stack;
    stack_make(past->mix, past->moment, past->joint, &stack);
    mix_component(past, &stack, part, mixed);
    if (!mixed->is_set)
        rest_of(past->mix, past->joint, part, mixed->value);
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

/* The normal state that makes the component alone: it has all weight, or nothing else counts. NULL: there is none. */
static const struct state *find_alone(const struct stack *stack, enum pose_part part)
{
    const struct state *first = NULL;
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct state *state = &stack->states[i];
        if (!state_counts(state, part))
            continue;
        if (first || state->additive)
            return NULL;
        if (state->weight >= 1)
            return state;
        first = state;
    }
    return first;
}

/* The common case: a value taken as it is. False if it has to be mixed. */
static bool copy_component(const struct place *now, const struct stack *stack, enum pose_part part,
                           float *row)
{
    const struct state *alone = find_alone(stack, part);
    bool is_offset = (int64_t)now->joint == now->mix->skeleton->root_joint;
    if (!alone || alone->instance == SCENE_BASE || is_offset)
        return false;
    const float *from = moment_row(now->mix, now->moment, alone->instance, now->joint);
    memcpy(row + part_place(part), from + part_place(part), (part == POSE_ROTATION ? 4 : 3) * sizeof *row);
    return true;
}

/* A joint at the current time. held: [2], when parts that nothing drives now were last driven; -1 for the
 * others. */
static void put_joint(const struct place *now, float *row, double *held)
{
    const struct pose_sl_mix *mix = now->mix;
    uint32_t joint = now->joint;
    struct stack stack;
    memcpy(row, mix->rest + (size_t)joint * ROW_FLOATS, ROW_FLOATS * sizeof *row);
    stack_make(mix, now->moment, joint, &stack);
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
        struct mixed mixed;
        held[part] = -1;
        if (copy_component(now, &stack, part, row))
            continue;
        mix_component(now, &stack, part, &mixed);
        held[part] =
            mixed.is_set || mix->options.rest_undriven ? -1 : held_at(mix, joint, part, now->moment->t);
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
static void put_held(const struct pose_sl_mix *mix, struct moment *now, struct moment *past,
                     const double *held, float *rows)
{
    for (uint32_t joint = 0; joint < mix->skeleton->joint_count; joint++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
            struct mixed then, added;
            struct stack stack;
            if (held[2 * joint + part] != past->t)
                continue;
            value_then(&(struct place){mix, past, joint}, part, &then);
            stack_make(mix, now, joint, &stack);
            mix_component(&(struct place){mix, now, joint}, &stack, part, &added);
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
        put_joint(&(struct place){mix, &now, joint}, rows + (size_t)joint * ROW_FLOATS,
                  held + 2 * (size_t)joint);
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
    struct moment now = {.t = moment->t};
    struct stack stack;
    for (uint32_t i = 0; i < moment->count; i++) {
        now.plays[moment->instances[i]] = true;
        now.weights[moment->instances[i]] = moment->weights[i];
    }
    stack_make(mix, &now, joint, &stack);
    for (uint32_t i = 0; i < stack.count; i++) {
        const struct state *state = &stack.states[i];
        const struct scene_instance *instance =
            state->instance == SCENE_BASE ? NULL : &mix->instances[state->instance];
        shares[i] =
            (struct pose_sl_share){.layer = instance ? (int32_t)instance->layer : -1,
                                   .priority = instance ? mix->layers[instance->layer].priorities[joint] : 0,
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
