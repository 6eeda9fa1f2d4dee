/* Humanoids for users of the library: construction and report. */
#include "lib/retarget/humanoid.h"

#include "lib/model/axes.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------- references -- */

static struct vec vec_of(const float *from)
{
    return (struct vec){(double)from[0], (double)from[1], (double)from[2]};
}

static struct turn turn_of(const float *from)
{
    return turn_unit((struct turn){(double)from[0], (double)from[1], (double)from[2], (double)from[3]});
}

static bool read_rest(const struct pose_skeleton *skeleton, uint32_t i, struct reference *to,
                      struct pose_error *error)
{
    float rest[10];
    pose_joint_rest(skeleton, i, POSE_AXES_GLTF, rest);
    for (int k = 0; k < 10; k++) {
        if (!isfinite(rest[k]))
            return error_set(error, POSE_BAD_DATA, "not_humanoid",
                             "the rest of joint %u (\"%.60s\") is not a number", i,
                             skeleton->joints[i].name ? skeleton->joints[i].name : "");
    }
    to->offset = vec_of(rest);
    to->local = turn_of(rest + 3);
    to->scale = vec_of(rest + 7);
    return true;
}

static bool read_references(struct pose_humanoid *humanoid, struct pose_error *error)
{
    static const struct reference ground = {
        .local = {0, 0, 0, 1}, .turn = {0, 0, 0, 1}, .stretch = {1, 1, 1}};
    const struct pose_skeleton *skeleton = humanoid->skeleton;
    bool inherits = skeleton->scaling == POSE_SCALE_INHERITED;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        struct reference *to = &humanoid->references[i];
        int32_t parent = skeleton->joints[i].parent;
        const struct reference *above = parent < 0 ? &ground : &humanoid->references[parent];
        if (!read_rest(skeleton, i, to, error))
            return false;
        to->turn = to->rest = turn_unit(turn_mul(above->turn, to->local));
        to->place = vec_add(above->place, turn_point(above->turn, vec_mul(above->stretch, to->offset)));
        to->stretch = inherits ? vec_mul(above->stretch, to->scale) : to->scale;
    }
    humanoid_bind(humanoid);
    return true;
}

/* ----------------------------------------------------------------------------------------------- reporting -- */

/* Bones that are required; a chain by its first joint. */
static bool is_needed(int slot)
{
    if (slot < SLOT_SIDES)
        return slot != SLOT_JAW;
    int bone = (slot - SLOT_SIDES) % SIDE_COUNT;
    return slot < SLOT_SPINE ? bone >= SIDE_UPPER_ARM && bone <= SIDE_FOOT : slot == SLOT_SPINE;
}

static void rate(struct pose_humanoid *humanoid, const char **missing)
{
    static const double worth[] = {
        [POSE_BONE_TABLE] = 1, [POSE_BONE_WORD] = 0.8, [POSE_BONE_TREE] = 0.7, [POSE_BONE_USER] = 1};
    struct pose_humanoid_report *report = &humanoid->report;
    char name[32];
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (!is_needed(slot))
            continue;
        if (humanoid->joint[slot] >= 0) {
            report->quality += worth[humanoid->how[slot]] / 15;
            report->required++;
            continue;
        }
        slot_name(humanoid, slot, name);
        missing[report->missing_count++] = arena_copy_text(&humanoid->arena, name);
    }
    report->quality = report->quality > 1 - 1e-9 ? 1 : report->quality;
    report->missing = missing;
}

static void list_bones(struct pose_humanoid *humanoid, struct pose_bone *bones)
{
    struct pose_humanoid_report *report = &humanoid->report;
    char name[32];
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (humanoid->joint[slot] < 0)
            continue;
        slot_name(humanoid, slot, name);
        bones[report->bone_count++] =
            (struct pose_bone){arena_copy_text(&humanoid->arena, name), (uint32_t)humanoid->joint[slot],
                               (enum pose_bone_how)humanoid->how[slot]};
    }
    report->bones = bones;
}

static bool make_report(struct pose_humanoid *humanoid)
{
    const struct figure *figure = &humanoid->figure;
    struct pose_humanoid_report *report = &humanoid->report;
    const char **missing = ARENA_NEW(&humanoid->arena, const char *, 15);
    struct pose_bone *bones = ARENA_NEW(&humanoid->arena, struct pose_bone, SLOT_COUNT);
    if (!missing || !bones)
        return false;
    *report = (struct pose_humanoid_report){
        .figure = humanoid->figure_number,
        .family = humanoid->family,
        .carrier = (uint32_t)humanoid->carrier,
        .hip_height = figure->hip_height,
        .mean_ankle = figure->mean_ankle,
        .ankle_height = 0.5 * (figure->legs[0].ankle_height + figure->legs[1].ankle_height),
        .ground = figure->ground,
        .arm_alignment = {figure->arms[0], figure->arms[1]},
        .leg_lean = {figure->legs[0].lean, figure->legs[1].lean},
        .spine_count = humanoid->spine_count,
        .neck_count = humanoid->neck_count,
        .spine = figure->spine_u,
        .neck = figure->neck_u,
    };
    rate(humanoid, missing);
    list_bones(humanoid, bones);
    return !humanoid->arena.failed;
}

/* -------------------------------------------------------------------------------------------------- people -- */

static bool build(struct pose_humanoid *humanoid, const struct humanoid_names *const *games,
                  const struct pose_bone_map *map, uint32_t map_count, const struct pose_options *options,
                  struct pose_error *error)
{
    struct arena scratch;
    uint32_t count = humanoid->skeleton->joint_count;
    humanoid->references = ARENA_NEW(&humanoid->arena, struct reference, count);
    humanoid->depth = ARENA_NEW(&humanoid->arena, uint16_t, count);
    if (!humanoid->references || !humanoid->depth || !read_references(humanoid, error))
        return false;
    arena_init(&scratch, humanoid->arena.allocator, options ? options->limits.memory : 0, error);
    bool done = humanoid_find(humanoid, games, map, map_count, &scratch, error);
    arena_release(&scratch);
    return done && humanoid_check(humanoid, error) && humanoid_measure(humanoid, error) &&
           make_report(humanoid);
}

/* What a humanoid is made of. */
struct making {
    const struct pose_skeleton *skeleton;
    const struct humanoid_names *const *games;
    const struct pose_bone_map *map;
    uint32_t map_count;
    const struct pose_options *options;
    struct pose_error *error;
};

/* figure 0: all joints. */
static struct pose_humanoid *make(const struct making *making, uint32_t figure)
{
    const struct pose_options *options = making->options;
    struct arena arena;
    pose_error_init(making->error);
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0,
               making->error);
    struct pose_humanoid *humanoid = ARENA_NEW(&arena, struct pose_humanoid, 1);
    if (!humanoid)
        return NULL;
    *humanoid = (struct pose_humanoid){.arena = arena,
                                       .skeleton = making->skeleton,
                                       .figure_number = figure,
                                       .named_root = NO_JOINT,
                                       .carrier = NO_JOINT};
    for (int slot = 0; slot < SLOT_COUNT; slot++)
        humanoid->joint[slot] = NO_JOINT;
    bool done = build(humanoid, making->games, making->map, making->map_count, options, making->error);
    humanoid->arena.error = NULL;
    if (!done) {
        pose_humanoid_free(humanoid);
        return NULL;
    }
    return humanoid;
}

static bool has_bone_of(const struct pose_humanoid *humanoid, uint32_t figure)
{
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        int32_t joint = humanoid->joint[slot];
        if (joint >= 0 && humanoid->skeleton->figures[joint] == figure)
            return true;
    }
    return false;
}

/* The figure that the clip moves. The parts of a robot may be figures of their own: then all joints together are a
 * person, who has bones of that part. */
static struct pose_humanoid *make_moved(const struct making *making, uint32_t figure)
{
    struct pose_humanoid *humanoid = make(making, figure);
    if (humanoid || making->error->status != POSE_BAD_DATA)
        return humanoid;
    const struct pose_error reason = *making->error;
    humanoid = make(making, 0);
    if (!humanoid || has_bone_of(humanoid, figure))
        return humanoid;
    pose_humanoid_free(humanoid);
    *making->error = reason;
    return NULL;
}

/* The first figure that is a person, else all joints together. */
static struct pose_humanoid *make_first(const struct making *making)
{
    enum { MAX_LOOKED_AT = 16 };
    const uint32_t count = figures_count(making->skeleton);
    for (uint32_t figure = 1; figure <= count && figure <= MAX_LOOKED_AT; figure++) {
        struct pose_humanoid *humanoid = make(making, figure);
        if (humanoid || making->error->status == POSE_NO_MEMORY)
            return humanoid;
    }
    return make(making, 0);
}

struct pose_humanoid *humanoid_new(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                                   const struct humanoid_names *const *games, const struct pose_bone_map *map,
                                   uint32_t map_count, const struct pose_options *options,
                                   struct pose_error *error)
{
    struct pose_error local;
    const struct making making = {skeleton, games, map, map_count, options, error ? error : &local};
    struct arena scratch;
    uint32_t figure;
    arena_init(&scratch, options ? options->allocator : NULL, options ? options->limits.memory : 0,
               making.error);
    pose_error_init(making.error);
    const bool found = figures_find_moved(skeleton, clip, &scratch, &figure);
    arena_release(&scratch);
    if (!found)
        return NULL;
    return figure ? make_moved(&making, figure) : make_first(&making);
}

void pose_humanoid_free(struct pose_humanoid *humanoid)
{
    if (!humanoid)
        return;
    struct arena arena = humanoid->arena;
    arena_release(&arena);
}

const struct pose_humanoid_report *pose_humanoid_report(const struct pose_humanoid *humanoid)
{
    return &humanoid->report;
}
