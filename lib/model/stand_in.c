#include "lib/model/stand_in.h"

#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/model/document.h"

#include <string.h>

/* THE LIST: the order is that of pose_stand_in's index. */
static const struct stand_in *const stand_ins[] = {
    &stand_in_sl, &stand_in_sims_adult, &stand_in_sims3_adult, &stand_in_sims3_child, &stand_in_sims3_pet,
};

const struct stand_in *stand_in_get(unsigned index)
{
    return index < sizeof stand_ins / sizeof *stand_ins ? stand_ins[index] : NULL;
}

const char *pose_stand_in_name(unsigned index)
{
    const struct stand_in *table = stand_in_get(index);
    return table ? table->name : NULL;
}

static int32_t find_joint(const struct pose_joint *joints, uint32_t count, const char *name)
{
    for (uint32_t i = 0; name && i < count; i++) {
        if (!strcmp(joints[i].name, name))
            return (int32_t)i;
    }
    return -1;
}

static bool build_joint(struct arena *arena, const struct stand_in_joint *row,
                        const struct pose_joint *before, uint32_t index, struct pose_joint *joint)
{
    joint->name = row->name;
    joint->parent = find_joint(before, index, row->parent);
    memcpy(joint->translation, row->translation, sizeof joint->translation);
    memcpy(joint->rotation, row->rotation, sizeof joint->rotation);
    bool unscaled = row->scale[0] == 0 && row->scale[1] == 0 && row->scale[2] == 0;
    for (int i = 0; i < 3; i++)
        joint->scale[i] = unscaled ? 1 : row->scale[i];
    if (row->kind) {
        struct value_list extras = value_object(arena);
        value_put_string(&extras, "kind", row->kind);
        joint->extras = value_done(&extras);
    }
    return !row->aliases || text_split(arena, row->aliases, &joint->aliases);
}

static bool build_skeleton(struct arena *arena, const struct stand_in *table, struct pose_skeleton *skeleton)
{
    struct pose_joint *joints = ARENA_NEW(arena, struct pose_joint, table->joint_count);
    if (!joints)
        return false;
    for (uint32_t i = 0; i < table->joint_count; i++) {
        if (!build_joint(arena, &table->joints[i], joints, i, &joints[i]))
            return false;
        joints[i].has_id = table->has_hashes;
        joints[i].id = table->has_hashes ? hash_fnv32(joints[i].name, strlen(joints[i].name)) : 0;
        for (int k = 0; k < 3 && table->size > 0; k++)
            joints[i].translation[k] *= table->size;
    }
    *skeleton = (struct pose_skeleton){
        .name = table->name,
        .axes = table->axes,
        .scaling = table->scaling,
        .joint_count = table->joint_count,
        .joints = joints,
        .root_joint = find_joint(joints, table->joint_count, table->added_to_rest),
    };
    return true;
}

struct pose_document *pose_stand_in(unsigned index, const struct pose_options *options,
                                    struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    const struct stand_in *table = stand_in_get(index);
    if (!table) {
        error_set(error, POSE_BAD_ARGUMENT, "no_stand_in", "no stand-in skeleton %u", index);
        return NULL;
    }
    struct arena arena;
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct document *document = ARENA_NEW(&arena, struct document, 1);
    struct pose_skeleton *skeleton = ARENA_NEW(&arena, struct pose_skeleton, 1);
    if (!document || !skeleton || !build_skeleton(&arena, table, skeleton)) {
        arena_release(&arena);
        return NULL;
    }
    document->view = (struct pose_document){
        .format = table->format, .skeleton_count = 1, .skeletons = skeleton, .size = arena.held};
    arena.error = NULL;
    document->arena = arena;
    return &document->view;
}
