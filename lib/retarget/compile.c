/* Compiling: the order of the target's joints, the source of each, and a clip that marks which joints are
 * driven. */
#include "lib/model/axes.h"
#include "lib/retarget/compile.h"

#include <string.h>

/* Nearer to where it was bound a joint keeps its rest: 0.1 degrees (retarget.md, 4). */
static const double OFF_BIND = 0.0017453292519943296;

/* -------------------------------------------------------------------------------------------------- wanted -- */

/* Marks a joint and its ancestors. */
static void want(const struct pose_humanoid *humanoid, bool *wanted, int32_t joint)
{
    for (; joint >= 0 && !wanted[joint]; joint = humanoid->skeleton->joints[joint].parent)
        wanted[joint] = true;
}

/* A foot and its first descendants. */
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

static struct turn bound_local(const struct pose_humanoid *humanoid, int32_t joint)
{
    int32_t parent = humanoid->skeleton->joints[joint].parent;
    struct turn above = parent < 0 ? turn_none : humanoid->references[parent].turn;
    return turn_unit(turn_mul(turn_inverse(above), humanoid->references[joint].turn));
}

/* Whether a bone of the target that the clip leaves alone rests elsewhere than where it was bound. */
static bool holds_bind(const struct compiling *c, int32_t joint)
{
    if (joint < 0 || !c->target->skeleton->binds || c->entry_of[joint] >= 0)
        return false;
    struct turn rest = turn_unit(c->target->references[joint].local);
    return turn_angle(turn_mul(turn_inverse(rest), bound_local(c->target, joint))) > OFF_BIND;
}

static bool is_bone(const struct pose_humanoid *humanoid, uint32_t joint)
{
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (humanoid->joint[slot] == (int32_t)joint)
            return true;
    }
    return false;
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
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (holds_bind(c, c->target->joint[slot]))
            want(c->target, c->target_wanted, c->target->joint[slot]);
    }
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

/* Orders nodes so that parents and link targets come first. A link to a descendant is dropped. */
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

struct attitude attitude_of_nodes(const struct compiling *c, struct attitude attitude)
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
        node->local = turn_unit(rest->local);
        node->offset = rest->offset;
        node->stretch = parent < 0 ? (struct vec){1, 1, 1} : c->target->references[parent].stretch;
        node->holds = is_bone(c->target, node->joint) && holds_bind(c, (int32_t)node->joint);
        if (node->holds)
            node->local = bound_local(c->target, (int32_t)node->joint);
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
    int32_t parent = c->target->skeleton->joints[carrier].parent;
    struct turn above = parent < 0 ? turn_none : c->target->references[parent].rest;
    r->carrier_unturn = turn_inverse(above);
    r->carrier_unstretch = (struct vec){1 / node->stretch.x, 1 / node->stretch.y, 1 / node->stretch.z};
    if (carrier == hips || c->entry_of[hips] < 0)
        return;
    r->has_carrier_turn = true;
    r->nodes[r->carrier].is_driven = true;
    r->carrier_attitude = attitude_of_nodes(c, attitude_of(c, SLOT_HIPS));
    if (hangs_on_hips(c->target)) {
        struct turn relative =
            turn_mul(turn_inverse(c->target->references[carrier].rest), c->target->references[hips].rest);
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
/* ----------------------------------------------------------------------------------------------------- rows -- */

/* A clip whose tracks mark the driven rows: two keys at rest each. */
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
        bool turns = r->nodes[i].is_driven || r->nodes[i].holds;
        if (!turns && !translates)
            continue;
        struct pose_track *track = &tracks[r->target_clip.track_count++];
        *track = (struct pose_track){.name = joint->name, .has_id = joint->has_id, .id = joint->id};
        if (turns)
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

/* Whether the clip moves the figure. */
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
    if (!entries_make(c, wishes))
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
    return world_find(c, &is_guessed) && make_rows(c, options) &&
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
