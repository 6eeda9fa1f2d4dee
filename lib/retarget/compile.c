/* Compiling: what each joint of the target takes over from which of the source, and in which order. */
#include "lib/model/axes.h"
#include "lib/retarget/motion.h"

#include <string.h>

enum { MAX_ENTRIES = SLOT_COUNT + MAX_PAIRS };

/* A joint of the target and what drives it. Source and target are joints here, nodes only at the end. */
struct entry {
    int32_t joint;
    int slot; /* -1: a pair */
    struct attitude attitude;
    struct link link;
    struct turn align;
    bool is_direct;
};

struct compiling {
    struct pose_retarget *r;
    const struct pose_humanoid *source, *target;
    struct arena *scratch;
    struct pose_error *error;
    uint32_t count;
    struct entry *entries;               /* [MAX_ENTRIES] */
    bool exact[SLOT_COUNT];              /* the target's bone has the very attitude of the source's */
    bool *source_wanted, *target_wanted; /* [joint_count] */
    int32_t *entry_of;                   /* [joint_count] of the target, -1 */
};

/* ------------------------------------------------------------------------------------------------- bones above -- */

static int last_of_spine(const struct pose_humanoid *humanoid)
{
    return humanoid->spine_count ? SLOT_SPINE + (int)humanoid->spine_count - 1 : SLOT_HIPS;
}

/* The bone that one of a side hangs on; SLOT_SPINE stands for the end of the spine. */
static int bone_above(int slot)
{
    int side = (slot - SLOT_SIDES) / SIDE_COUNT, bone = (slot - SLOT_SIDES) % SIDE_COUNT;
    static const int above[SIDE_FINGERS] = {
        [SIDE_SHOULDER] = -1,         [SIDE_UPPER_ARM] = SIDE_SHOULDER,  [SIDE_LOWER_ARM] = SIDE_UPPER_ARM,
        [SIDE_HAND] = SIDE_LOWER_ARM, [SIDE_LOWER_LEG] = SIDE_UPPER_LEG, [SIDE_FOOT] = SIDE_LOWER_LEG,
        [SIDE_TOES] = SIDE_FOOT,
    };
    if (slot == SLOT_JAW || bone == SIDE_EYE)
        return SLOT_HEAD;
    if (bone == SIDE_SHOULDER)
        return SLOT_SPINE;
    if (bone == SIDE_UPPER_LEG)
        return SLOT_HIPS;
    if (bone < SIDE_FINGERS)
        return slot_of(side, above[bone]);
    return (bone - SIDE_FINGERS) % 3 ? slot - 1 : slot_of(side, SIDE_HAND);
}

/* The end of the spine if both have one, else the hips. */
static int trunk_slot(const struct compiling *c, const struct pose_humanoid *of)
{
    return c->source->spine_count && c->target->spine_count ? last_of_spine(of) : SLOT_HIPS;
}

static struct link link_of(const struct compiling *c, int source, int target)
{
    return (struct link){c->source->joint[source], c->target->joint[target], c->source->figure.align[source],
                         c->target->figure.align[target]};
}

/* Fills in the entry's link to the nearest bone above that both have. */
static void link_above(const struct compiling *c, int slot, struct entry *entry)
{
    int above = slot;
    do
        above = bone_above(above);
    while (above >= SLOT_SIDES && above < SLOT_SPINE &&
           (c->source->joint[above] < 0 || c->target->joint[above] < 0));
    int source = above == SLOT_SPINE ? trunk_slot(c, c->source) : above;
    int target = above == SLOT_SPINE ? trunk_slot(c, c->target) : above;
    entry->link = link_of(c, source, target);
    entry->is_direct = c->exact[target];
}

/* ------------------------------------------------------------------------------------------------- entries -- */

static struct attitude attitude_of(const struct compiling *c, int slot)
{
    return (struct attitude){
        .a = c->source->joint[slot], .b = NO_NODE, .align_a = c->source->figure.align[slot]};
}

/* The joint that the clip must turn for the entry to be driven. */
static void add_entry(struct compiling *c, int slot, const struct entry *entry)
{
    int32_t turned = entry->attitude.b >= 0 ? entry->attitude.b : entry->attitude.a;
    if (turned < 0 || entry->joint < 0 || !drives_turn(c->r, turned, entry->link.source) ||
        c->entry_of[entry->joint] >= 0)
        return;
    c->entry_of[entry->joint] = (int32_t)c->count;
    c->entries[c->count] = *entry;
    c->entries[c->count++].slot = slot;
    c->exact[slot] = entry->is_direct;
}

static void add_hips(struct compiling *c)
{
    struct entry entry = {.joint = c->target->joint[SLOT_HIPS],
                          .attitude = attitude_of(c, SLOT_HIPS),
                          .link = {.source = NO_JOINT, .target = NO_JOINT},
                          .align = c->target->figure.align[SLOT_HIPS],
                          .is_direct = true};
    add_entry(c, SLOT_HIPS, &entry);
}

/* A chain of the source: slots with the one that it hangs on first, and where they lie. */
struct chain {
    int slots[MAX_SPINE + 2];
    double u[MAX_SPINE + 2];
    uint32_t count; /* without the first */
};

static struct chain chain_of(const struct pose_humanoid *humanoid, bool is_neck, int base)
{
    struct chain chain = {.slots = {base},
                          .count = is_neck ? humanoid->neck_count + 1 : humanoid->spine_count};
    const double *u = is_neck ? humanoid->figure.neck_u : humanoid->figure.spine_u;
    for (uint32_t k = 0; k < chain.count; k++) {
        bool is_head = is_neck && k + 1 == chain.count;
        chain.slots[k + 1] = is_head ? SLOT_HEAD : (is_neck ? SLOT_NECK : SLOT_SPINE) + (int)k;
        chain.u[k + 1] = u[k];
    }
    return chain;
}

/* The attitude that the chain has at u. */
static struct attitude attitude_at(const struct compiling *c, const struct chain *chain, double u)
{
    uint32_t k = 1;
    while (k < chain->count && chain->u[k] < u - 1e-9)
        k++;
    double span = chain->u[k] - chain->u[k - 1];
    double fraction = span > 1e-9 ? (u - chain->u[k - 1]) / span : 1;
    if (fraction > 1 - 1e-9)
        return attitude_of(c, chain->slots[k]);
    struct attitude attitude = attitude_of(c, chain->slots[k - 1]);
    attitude.b = c->source->joint[chain->slots[k]];
    attitude.align_b = c->source->figure.align[chain->slots[k]];
    attitude.fraction = fraction;
    return attitude;
}

static void add_chain(struct compiling *c, bool is_neck)
{
    int base = is_neck ? trunk_slot(c, c->source) : SLOT_HIPS;
    int target_base = is_neck ? trunk_slot(c, c->target) : SLOT_HIPS;
    struct chain from = chain_of(c->source, is_neck, base), to = chain_of(c->target, is_neck, target_base);
    for (uint32_t k = 1; k <= to.count && from.count; k++) {
        int slot = to.slots[k];
        struct entry entry = {
            .joint = c->target->joint[slot],
            .attitude =
                from.count == to.count ? attitude_of(c, from.slots[k]) : attitude_at(c, &from, to.u[k]),
            .link = link_of(c, base, target_base),
            .align = c->target->figure.align[slot],
            .is_direct = c->exact[target_base],
        };
        add_entry(c, slot, &entry);
    }
}

static void add_bones(struct compiling *c)
{
    add_hips(c);
    add_chain(c, false);
    add_chain(c, true);
    for (int slot = SLOT_JAW; slot < SLOT_SPINE; slot++) {
        if (c->source->joint[slot] < 0 || c->target->joint[slot] < 0)
            continue;
        struct entry entry = {.joint = c->target->joint[slot],
                              .attitude = attitude_of(c, slot),
                              .align = c->target->figure.align[slot]};
        link_above(c, slot, &entry);
        add_entry(c, slot, &entry);
    }
}

/* --------------------------------------------------------------------------------------------------- pairs -- */

static int32_t find_joint(const struct pose_humanoid *humanoid, const struct name_index *names,
                          const char *name, struct pose_error *error)
{
    int64_t joint = name_index_find(names, name);
    if (joint < 0)
        error_set(error, POSE_BAD_ARGUMENT, "unknown_joint", "\"%.60s\": the skeleton has no such joint",
                  name);
    else if (humanoid->depth[joint] > MAX_DEPTH)
        error_set(error, POSE_BAD_ARGUMENT, "unknown_joint", "\"%.60s\" hangs too deep", name);
    return joint < 0 || humanoid->depth[joint] > MAX_DEPTH ? NO_JOINT : (int32_t)joint;
}

static struct turn align_of(const struct pose_humanoid *humanoid, int32_t joint)
{
    return turn_mul(turn_inverse(humanoid->references[joint].turn), humanoid->figure.body);
}

/* The nearest entry above whose source is above the source as well. */
static void link_pair(const struct compiling *c, int32_t source, struct entry *entry)
{
    entry->link = (struct link){.source = NO_JOINT, .target = NO_JOINT};
    entry->is_direct = true;
    int32_t at = c->target->skeleton->joints[entry->joint].parent;
    for (; at >= 0; at = c->target->skeleton->joints[at].parent) {
        const struct entry *above = c->entry_of[at] >= 0 ? &c->entries[c->entry_of[at]] : NULL;
        if (!above || above->attitude.b >= 0 || above->attitude.a == source ||
            !joint_is_below(c->source, source, above->attitude.a))
            continue;
        entry->link = (struct link){above->attitude.a, at, above->attitude.align_a, above->align};
        entry->is_direct = above->is_direct;
        return;
    }
}

static bool add_pair(struct compiling *c, const struct pose_joint_pair *pair,
                     const struct name_index *sources, const struct name_index *targets, bool *taken)
{
    int32_t source = find_joint(c->source, sources, pair->source, c->error);
    int32_t target = source < 0 ? NO_JOINT : find_joint(c->target, targets, pair->target, c->error);
    if (target < 0)
        return false;
    if (taken[target])
        return error_set(c->error, POSE_BAD_ARGUMENT, "two_joints",
                         "\"%.60s\": two joints are paired with it", pair->target);
    taken[target] = true;
    struct entry entry = {.joint = target,
                          .slot = -1,
                          .attitude = {.a = source, .b = NO_NODE, .align_a = align_of(c->source, source)},
                          .align = align_of(c->target, target)};
    link_pair(c, source, &entry);
    if (!drives_turn(c->r, source, entry.link.source))
        return true;
    /* Paired by the user: no bone any longer. */
    uint32_t at = c->entry_of[target] >= 0 ? (uint32_t)c->entry_of[target] : c->count++;
    c->entry_of[target] = (int32_t)at;
    c->entries[at] = entry;
    return true;
}

static bool index_joints(const struct pose_humanoid *humanoid, struct arena *scratch,
                         struct name_index *names)
{
    if (!name_index_init(names, scratch, humanoid->skeleton->joint_count))
        return false;
    for (uint32_t i = 0; i < humanoid->skeleton->joint_count; i++)
        name_index_add(names, humanoid->skeleton->joints[i].name, i);
    name_index_sort(names);
    return true;
}

static bool add_pairs(struct compiling *c, const struct pose_retarget_options *wishes)
{
    struct name_index sources, targets;
    bool *taken = ARENA_NEW(c->scratch, bool, c->target->skeleton->joint_count);
    if (!wishes->pair_count)
        return true;
    if (wishes->pair_count > MAX_PAIRS)
        return error_set(c->error, POSE_BAD_ARGUMENT, "map_too_long", "%u pairs of joints, more than %d",
                         wishes->pair_count, MAX_PAIRS);
    if (!taken || !index_joints(c->source, c->scratch, &sources) ||
        !index_joints(c->target, c->scratch, &targets))
        return false;
    for (uint32_t i = 0; i < wishes->pair_count; i++) {
        if (!add_pair(c, &wishes->pairs[i], &sources, &targets, taken))
            return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- wanted -- */

/* A joint and what is above it. */
static void want(const struct pose_humanoid *humanoid, bool *wanted, int32_t joint)
{
    for (; joint >= 0 && !wanted[joint]; joint = humanoid->skeleton->joints[joint].parent)
        wanted[joint] = true;
}

/* The first joints that hang on a foot, and the foot itself. */
static uint32_t list_low(const struct pose_humanoid *humanoid, int side, int32_t *low)
{
    int32_t foot = humanoid->joint[slot_of(side, SIDE_FOOT)];
    uint32_t count = 0, joints = humanoid->skeleton->joint_count;
    for (uint32_t i = (uint32_t)foot; i < joints && count < MAX_LOW; i++) {
        if (humanoid->depth[i] <= MAX_DEPTH && joint_is_below(humanoid, (int32_t)i, foot))
            low[count++] = (int32_t)i;
    }
    return count;
}

static void want_legs(const struct pose_humanoid *humanoid, bool *wanted)
{
    int32_t low[MAX_LOW];
    for (int side = 0; side < 2; side++) {
        want(humanoid, wanted, humanoid->joint[slot_of(side, SIDE_LOWER_LEG)]);
        want(humanoid, wanted, humanoid->joint[slot_of(side, SIDE_TOES)]);
        uint32_t count = list_low(humanoid, side, low);
        for (uint32_t i = 0; i < count; i++)
            want(humanoid, wanted, low[i]);
    }
}

static void want_arms(const struct pose_humanoid *humanoid, bool *wanted)
{
    want(humanoid, wanted, humanoid->joint[SLOT_HEAD]);
    want(humanoid, wanted, humanoid->carrier);
    for (int side = 0; side < 2; side++) {
        want(humanoid, wanted, humanoid->joint[slot_of(side, SIDE_LOWER_ARM)]);
        want(humanoid, wanted, humanoid->joint[slot_of(side, SIDE_HAND)]);
    }
}

static void want_entries(struct compiling *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct entry *entry = &c->entries[i];
        want(c->source, c->source_wanted, entry->attitude.a);
        want(c->source, c->source_wanted, entry->attitude.b);
        want(c->source, c->source_wanted, entry->link.source);
        want(c->target, c->target_wanted, entry->joint);
        want(c->target, c->target_wanted, entry->link.target);
    }
    want_legs(c->source, c->source_wanted);
    want_legs(c->target, c->target_wanted);
    want_arms(c->source, c->source_wanted);
    want_arms(c->target, c->target_wanted);
}

/* --------------------------------------------------------------------------------------------------- nodes -- */

static bool is_ready(const struct compiling *c, uint32_t joint)
{
    const int32_t *node = c->r->target_node_of;
    int32_t parent = c->target->skeleton->joints[joint].parent, entry = c->entry_of[joint];
    if (parent >= 0 && node[parent] == NO_NODE)
        return false;
    int32_t link = entry >= 0 && !c->entries[entry].is_direct ? c->entries[entry].link.target : NO_JOINT;
    return link < 0 || node[link] != NO_NODE;
}

/* Parents, and what links lead to, first. What waits for what hangs on it goes without its link. */
static bool order_nodes(struct compiling *c)
{
    struct pose_retarget *r = c->r;
    uint32_t joints = c->target->skeleton->joint_count, wanted = 0;
    for (uint32_t i = 0; i < joints; i++)
        wanted += c->target_wanted[i];
    if (wanted > NODE_LIMIT)
        return error_set(c->error, POSE_BAD_DATA, "not_humanoid", "%u joints of the target take part",
                         wanted);
    r->nodes = ARENA_NEW(&r->arena, struct target_node, wanted);
    r->target_node_of = ARENA_NEW(&r->arena, int32_t, joints);
    if (!r->nodes || !r->target_node_of)
        return false;
    memset(r->target_node_of, 0xff, joints * sizeof *r->target_node_of);
    while (r->target_count < wanted) {
        uint32_t before = r->target_count;
        for (uint32_t i = 0; i < joints; i++) {
            if (!c->target_wanted[i] || r->target_node_of[i] != NO_NODE || !is_ready(c, i))
                continue;
            r->target_node_of[i] = (int32_t)r->target_count;
            r->nodes[r->target_count++].joint = i;
        }
        for (uint32_t k = 0; k < c->count && r->target_count == before; k++)
            c->entries[k].is_direct |= r->target_node_of[c->entries[k].joint] == NO_NODE;
    }
    return true;
}

static int32_t source_node(const struct compiling *c, int32_t joint)
{
    return joint < 0 ? NO_NODE : c->r->source_node_of[joint];
}

static struct attitude attitude_of_nodes(const struct compiling *c, struct attitude attitude)
{
    attitude.a = source_node(c, attitude.a);
    attitude.b = source_node(c, attitude.b);
    return attitude;
}

static void fill_entry(const struct compiling *c, const struct entry *entry, struct target_node *node)
{
    node->is_driven = node->has_attitude = true;
    node->is_direct = entry->is_direct;
    node->attitude = attitude_of_nodes(c, entry->attitude);
    node->link = entry->link;
    node->link.source = source_node(c, entry->link.source);
    node->link.target = entry->link.target < 0 ? NO_NODE : c->r->target_node_of[entry->link.target];
    node->unalign = turn_inverse(entry->align);
    node->after = turn_mul(entry->attitude.align_a, node->unalign);
}

static void fill_nodes(struct compiling *c)
{
    struct pose_retarget *r = c->r;
    for (uint32_t i = 0; i < r->target_count; i++) {
        struct target_node *node = &r->nodes[i];
        const struct reference *rest = &c->target->references[node->joint];
        int32_t parent = c->target->skeleton->joints[node->joint].parent;
        node->parent = parent < 0 ? NO_NODE : r->target_node_of[parent];
        node->local = rest->local;
        node->offset = rest->offset;
        node->stretch = parent < 0 ? (struct vec){1, 1, 1} : c->target->references[parent].stretch;
        if (c->entry_of[node->joint] >= 0)
            fill_entry(c, &c->entries[c->entry_of[node->joint]], node);
    }
}

/* ------------------------------------------------------------------------------------------------ the carrier -- */

static bool hangs_on_hips(const struct pose_humanoid *humanoid)
{
    int32_t hips = humanoid->joint[SLOT_HIPS];
    int32_t trunk = humanoid->joint[humanoid->spine_count ? SLOT_SPINE : SLOT_HEAD];
    return joint_is_below(humanoid, trunk, hips) &&
           joint_is_below(humanoid, humanoid->joint[slot_of(0, SIDE_UPPER_LEG)], hips) &&
           joint_is_below(humanoid, humanoid->joint[slot_of(1, SIDE_UPPER_LEG)], hips);
}

static bool same_family(const struct compiling *c)
{
    return c->source->family && c->target->family && !strcmp(c->source->family, c->target->family);
}

static void fill_carrier(struct compiling *c)
{
    struct pose_retarget *r = c->r;
    int32_t hips = c->target->joint[SLOT_HIPS], carrier = c->target->carrier;
    r->carrier = r->target_node_of[carrier];
    const struct target_node *node = &r->nodes[r->carrier];
    struct turn above = turn_mul(c->target->references[carrier].turn, turn_inverse(turn_none));
    int32_t parent = c->target->skeleton->joints[carrier].parent;
    above = parent < 0 ? turn_none : c->target->references[parent].turn;
    r->carrier_unturn = turn_inverse(above);
    r->carrier_unstretch = (struct vec){1 / node->stretch.x, 1 / node->stretch.y, 1 / node->stretch.z};
    if (carrier == hips || c->entry_of[hips] < 0)
        return;
    r->has_carrier_turn = true;
    r->nodes[r->carrier].is_driven = true;
    r->carrier_attitude = attitude_of_nodes(c, attitude_of(c, SLOT_HIPS));
    if (hangs_on_hips(c->target)) {
        struct turn relative =
            turn_mul(turn_inverse(c->target->references[carrier].turn), c->target->references[hips].turn);
        r->carrier_after = turn_mul(turn_inverse(c->target->figure.align[SLOT_HIPS]), turn_inverse(relative));
        return;
    }
    r->carrier_after = turn_inverse(align_of(c->target, carrier));
    if (same_family(c) && c->source->carrier != c->source->joint[SLOT_HIPS]) {
        r->carrier_attitude.a = source_node(c, c->source->carrier);
        r->carrier_attitude.align_a = align_of(c->source, c->source->carrier);
    }
}

/* ---------------------------------------------------------------------------------------------------- feet -- */

static bool leg_is_driven(const struct compiling *c, int side)
{
    for (int bone = SIDE_UPPER_LEG; bone <= SIDE_FOOT; bone++) {
        if (c->entry_of[c->target->joint[slot_of(side, bone)]] >= 0)
            return true;
    }
    return false;
}

static void mark_places(struct pose_retarget *r, bool of_source, int32_t node)
{
    while (node >= 0) {
        bool *has = of_source ? &r->source_nodes[node].has_place : &r->nodes[node].has_place;
        if (*has)
            return;
        *has = true;
        node = of_source ? r->source_nodes[node].parent : r->nodes[node].parent;
    }
}

static void fill_low(struct compiling *c, int side, struct foot_motion *foot)
{
    struct pose_retarget *r = c->r;
    foot->source_low_count = list_low(c->source, side, foot->source_low);
    foot->low_count = list_low(c->target, side, foot->low);
    for (uint32_t i = 0; i < foot->source_low_count; i++) {
        foot->source_low[i] = r->source_node_of[foot->source_low[i]];
        mark_places(r, true, foot->source_low[i]);
    }
    for (uint32_t i = 0; i < foot->low_count; i++) {
        foot->low[i] = r->target_node_of[foot->low[i]];
        mark_places(r, false, foot->low[i]);
    }
}

static void fill_foot(struct compiling *c, int side)
{
    struct pose_retarget *r = c->r;
    struct foot_motion *foot = &r->feet[side];
    const struct leg_measures *from = &c->source->figure.legs[side], *to = &c->target->figure.legs[side];
    bool has_ball = from->has_ball && to->has_ball;
    int32_t toes = slot_of(side, SIDE_TOES);
    foot->source_foot = source_node(c, c->source->joint[slot_of(side, SIDE_FOOT)]);
    foot->source_ball = has_ball ? source_node(c, c->source->joint[toes]) : NO_NODE;
    foot->upper = r->target_node_of[c->target->joint[slot_of(side, SIDE_UPPER_LEG)]];
    foot->lower = r->target_node_of[c->target->joint[slot_of(side, SIDE_LOWER_LEG)]];
    foot->foot = r->target_node_of[c->target->joint[slot_of(side, SIDE_FOOT)]];
    foot->ball = has_ball ? r->target_node_of[c->target->joint[toes]] : NO_NODE;
    foot->knee_align = c->target->figure.align[slot_of(side, SIDE_UPPER_LEG)];
    foot->width = to->ankle.x - r->scale * from->ankle.x;
    foot->ball_width = to->ball.x - r->scale * from->ball.x;
    foot->ball_ahead = to->foot.z - r->scale * from->foot.z;
    fill_low(c, side, foot);
}

static void fill_feet(struct compiling *c)
{
    struct pose_retarget *r = c->r;
    bool driven = leg_is_driven(c, 0) && leg_is_driven(c, 1);
    for (int side = 0; side < 2; side++) {
        fill_foot(c, side);
        r->source_legs[side] = source_node(c, c->source->joint[slot_of(side, SIDE_UPPER_LEG)]);
        r->target_legs[side] = r->feet[side].upper;
    }
    r->has_feet = driven && (r->flags & POSE_RETARGET_FEET);
    for (int side = 0; side < 2 && r->has_feet; side++)
        r->nodes[r->feet[side].upper].is_driven = r->nodes[r->feet[side].lower].is_driven =
            r->nodes[r->feet[side].foot].is_driven = true;
}

/* ------------------------------------------------------------------------------------------------ the world -- */

static double median(double *values, int count)
{
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            double other = values[k];
            values[k] = values[k - 1];
            values[k - 1] = other;
        }
    }
    return values[count / 2];
}

/* Whether a figure's hips rest at 0, as those of BVH do: then nothing says where its ground is. */
static bool rests_at_zero(const struct pose_humanoid *humanoid)
{
    struct vec hips = humanoid->references[humanoid->joint[SLOT_HIPS]].place;
    return fabs(turn_point(humanoid->figure.unbody, hips).y) <= 0.02 * humanoid->figure.hip_height;
}

static bool is_for_second_life(const struct pose_humanoid *humanoid)
{
    return humanoid->skeleton->axes == POSE_AXES_INCHES && rests_at_zero(humanoid);
}

/* Motion of most BVH counts from the ground, whatever the rest says: then the ground is there. */
static bool counts_from_zero(struct compiling *c, struct moment *moment)
{
    enum { MOMENTS = 9 };
    struct pose_retarget *r = c->r;
    double heights[MOMENTS], h = c->source->figure.hip_height;
    for (int i = 0; i < MOMENTS; i++) {
        moment_source(r, (double)r->clip->duration * i / (MOMENTS - 1), POSE_CLAMP, 0, moment);
        heights[i] = source_middle(r, moment, 0).y;
    }
    double over = median(heights, MOMENTS), from_zero = over + r->origin.y;
    return fabs(over - h) > 0.5 * h && fabs(from_zero - h) < fabs(over - h);
}

static bool is_same_figure(const struct pose_humanoid *a, const struct pose_humanoid *b)
{
    return a->skeleton == b->skeleton || (a->skeleton->joint_count == b->skeleton->joint_count &&
                                          fabs(a->figure.hip_height - b->figure.hip_height) < 1e-9 &&
                                          fabs(a->figure.ground - b->figure.ground) < 1e-9);
}

/* Figures for Second Life stand with their hips at 42.01 inches. */
static void find_ground(struct compiling *c, struct moment *moment, bool *is_guessed)
{
    static const double standing = 42.01 * 0.02540005;
    struct pose_retarget *r = c->r;
    if (!r->moves)
        return;
    if (is_for_second_life(c->target))
        r->target_origin.y += standing;
    if (is_for_second_life(c->source)) {
        r->origin.y += standing;
    } else if (rests_at_zero(c->source) && counts_from_zero(c, moment)) {
        r->origin.y = 0;
        *is_guessed = true;
        if (is_same_figure(c->source, c->target))
            r->target_origin.y = 0;
    }
}

static void find_heading(struct compiling *c, struct moment *moment)
{
    struct pose_retarget *r = c->r;
    struct attitude hips = attitude_of_nodes(c, attitude_of(c, SLOT_HIPS));
    if (c->entry_of[c->target->joint[SLOT_HIPS]] < 0)
        return;
    moment_source(r, 0, POSE_CLAMP, 0, moment);
    struct turn yaw = turn_yaw(source_attitude(r, moment, &hips));
    r->report.heading = 2 * atan2(yaw.w < 0 ? -yaw.y : yaw.y, fabs(yaw.w));
    if (!(r->flags & POSE_RETARGET_FACE_FORWARD))
        return;
    r->turn_heading = turn_inverse(yaw);
    r->turn_body = turn_mul(r->turn_heading, r->turn_body);
}

static void find_travel(struct compiling *c, struct moment *moment)
{
    struct pose_retarget *r = c->r;
    if (!r->moves || !(r->flags & POSE_RETARGET_REMOVE_TRAVEL))
        return;
    moment_source(r, 0, POSE_CLAMP, POSE_MOTION, moment);
    struct vec first = source_middle(r, moment, 0);
    moment_source(r, (double)r->clip->duration, POSE_CLAMP, POSE_MOTION, moment);
    struct vec last = source_middle(r, moment, 0);
    r->travel = (struct vec){last.x - first.x, 0, last.z - first.z};
    struct vec way = turn_point(c->target->figure.body, vec_scale(r->travel, r->scale));
    memcpy(r->report.travel, (double[3]){way.x, way.y, way.z}, sizeof r->report.travel);
}

static bool find_world(struct compiling *c, bool *is_guessed)
{
    struct pose_retarget *r = c->r;
    void *memory = arena_alloc(c->scratch, moment_size(r), 1);
    if (!memory)
        return false;
    struct moment moment = moment_in(r, memory);
    r->turn_body = c->source->figure.unbody;
    r->origin = c->source->figure.origin;
    r->target_origin = c->target->figure.origin;
    r->turn_heading = turn_none;
    find_ground(c, &moment, is_guessed);
    find_heading(c, &moment);
    find_travel(c, &moment);
    r->before = turn_mul(c->target->figure.body, r->turn_body);
    r->is_same_world = fabs(r->before.w) > 1 - 1e-15;
    return true;
}

/* ----------------------------------------------------------------------------------------------------- rows -- */

/* A clip whose tracks say which rows are driven: their rest, twice. */
static bool make_rows(struct compiling *c, const struct pose_options *options)
{
    static const float times[2] = {0, 1};
    struct pose_retarget *r = c->r;
    struct pose_track *tracks = ARENA_NEW(&r->arena, struct pose_track, r->target_count);
    struct pose_joint *joints = ARENA_NEW(&r->arena, struct pose_joint, r->target_count);
    if (!tracks || !joints)
        return false;
    r->target_clip = (struct pose_clip){
        .axes = c->target->skeleton->axes, .rules = POSE_RULES_PLAIN, .duration = 1, .loop_out = 1};
    for (uint32_t i = 0; i < r->target_count; i++) {
        const struct pose_joint *joint = &c->target->skeleton->joints[r->nodes[i].joint];
        bool translates = r->moves && (int32_t)i == r->carrier;
        float *values = ARENA_NEW(&r->arena, float, 14);
        if (!values)
            return false;
        for (int k = 0; k < 2; k++) {
            memcpy(values + 4 * k, joint->rotation, sizeof joint->rotation);
            memcpy(values + 8 + 3 * k, joint->translation, sizeof joint->translation);
        }
        if (!r->nodes[i].is_driven && !translates)
            continue;
        struct pose_track *track = &tracks[r->target_clip.track_count++];
        *track = (struct pose_track){.name = joint->name, .has_id = joint->has_id, .id = joint->id};
        if (r->nodes[i].is_driven)
            track->channels[POSE_ROTATION] = (struct pose_channel){2, times, values};
        if (translates)
            track->channels[POSE_TRANSLATION] = (struct pose_channel){2, times, values + 8};
    }
    r->target_clip.tracks = tracks;
    r->rows = pose_sampler_new(&r->target_clip, c->target->skeleton, r->axes, options, c->error);
    if (r->rows) {
        r->rows->carry = retarget_carry;
        r->rows->carried = r;
    }
    return r->rows;
}

/* ------------------------------------------------------------------------------------------------ the whole -- */

static bool prepare(struct compiling *c)
{
    struct pose_retarget *r = c->r;
    const struct figure *from = &c->source->figure, *to = &c->target->figure;
    uint32_t joints = c->target->skeleton->joint_count;
    c->entries = ARENA_NEW(c->scratch, struct entry, MAX_ENTRIES);
    c->source_wanted = ARENA_NEW(c->scratch, bool, c->source->skeleton->joint_count);
    c->target_wanted = ARENA_NEW(c->scratch, bool, joints);
    c->entry_of = ARENA_NEW(c->scratch, int32_t, joints);
    r->to_rows = ARENA_NEW(&r->arena, struct axes_map, 1);
    if (!c->entries || !c->source_wanted || !c->target_wanted || !c->entry_of || !r->to_rows)
        return false;
    memset(c->entry_of, 0xff, joints * sizeof *c->entry_of);
    *r->to_rows = axes_map_between(POSE_AXES_GLTF, r->axes);
    r->scale = (to->hip_height - to->mean_ankle) / (from->hip_height - from->mean_ankle);
    return drives_read(r, c->scratch);
}

/* Whether the clip carries its figure about. */
static bool carries_about(const struct compiling *c)
{
    const struct pose_skeleton *skeleton = c->source->skeleton;
    for (int32_t at = c->source->joint[SLOT_HIPS]; at >= 0; at = skeleton->joints[at].parent) {
        if (c->r->translates[at])
            return true;
    }
    return false;
}

static bool compile(struct compiling *c, const struct pose_retarget_options *wishes,
                    const struct pose_options *options)
{
    struct pose_retarget *r = c->r;
    bool is_guessed = false;
    if (!prepare(c))
        return false;
    add_bones(c);
    if (!add_pairs(c, wishes))
        return false;
    want_entries(c);
    if (!drives_cut(r, c->source_wanted, c->scratch, options, c->error) || !order_nodes(c))
        return false;
    fill_nodes(c);
    r->moves = carries_about(c);
    fill_carrier(c);
    fill_feet(c);
    for (int side = 0; side < 2; side++) {
        mark_places(r, true, r->source_legs[side]);
        mark_places(r, false, r->target_legs[side]);
    }
    return find_world(c, &is_guessed) && make_rows(c, options) &&
           retarget_tell(r, wishes, c->scratch, is_guessed);
}

struct pose_retarget *pose_retarget_new(const struct pose_clip *clip, const struct pose_humanoid *source,
                                        const struct pose_humanoid *target,
                                        const struct pose_retarget_options *wishes,
                                        const struct pose_options *options, struct pose_error *error)
{
    static const struct pose_retarget_options usual = {.flags = POSE_RETARGET_FEET};
    struct pose_error local;
    struct arena arena, scratch;
    error = error ? error : &local;
    wishes = wishes ? wishes : &usual;
    pose_error_init(error);
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct pose_retarget *retarget = ARENA_NEW(&arena, struct pose_retarget, 1);
    if (!retarget)
        return NULL;
    *retarget = (struct pose_retarget){.arena = arena,
                                       .clip = clip,
                                       .source = source,
                                       .target = target,
                                       .flags = wishes->flags,
                                       .axes = wishes->axes};
    arena_init(&scratch, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct compiling compiling = {
        .r = retarget, .source = source, .target = target, .scratch = &scratch, .error = error};
    bool done = compile(&compiling, wishes, options) && !retarget->arena.failed;
    arena_release(&scratch);
    retarget->arena.error = NULL;
    if (!done) {
        error_no_memory(error);
        pose_retarget_free(retarget);
        return NULL;
    }
    return retarget;
}

void pose_retarget_free(struct pose_retarget *retarget)
{
    if (!retarget)
        return;
    pose_sampler_free(retarget->sampler);
    pose_sampler_free(retarget->rows);
    struct arena arena = retarget->arena;
    arena_release(&arena);
}

size_t pose_retarget_size(const struct pose_retarget *retarget)
{
    return retarget->arena.held + pose_sampler_size(retarget->sampler) + pose_sampler_size(retarget->rows);
}

const struct pose_sampler *pose_retarget_rows(const struct pose_retarget *retarget)
{
    return retarget->rows;
}
