/* Which source joint drives each joint of the target, and the nearest bone above that both figures have. */
#include "lib/retarget/compile.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- bones above -- */

static int last_of_spine(const struct pose_humanoid *humanoid)
{
    return humanoid->spine_count ? SLOT_SPINE + (int)humanoid->spine_count - 1 : SLOT_HIPS;
}

/* The parent bone of a bone of one side; SLOT_SPINE stands for the end of the spine. */
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
    return (struct link){
        c->source->joint[source], c->target->joint[target],
        turn_mul(c->target->figure.align[target], turn_inverse(c->source->figure.align[source]))};
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

struct attitude attitude_of(const struct compiling *c, int slot)
{
    return (struct attitude){
        .a = c->source->joint[slot], .b = NO_NODE, .align_a = c->source->figure.align[slot]};
}

/* Adds an entry, if the clip rotates the joint that drives it. */
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

/* A chain of the source: its slots, starting with the one it is attached to, and their positions. */
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

/* The attitude of the chain at u. */
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

struct turn align_of(const struct pose_humanoid *humanoid, int32_t joint)
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
        entry->link = (struct link){above->attitude.a, at,
                                    turn_mul(above->align, turn_inverse(above->attitude.align_a))};
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
    /* Paired by the user, so no longer a bone. */
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

bool entries_make(struct compiling *c, const struct pose_retarget_options *wishes)
{
    add_bones(c);
    return add_pairs(c, wishes);
}
