#include "lib/core/names.h"
#include "lib/core/value.h"
#include "lib/formats/sims/props.h"
#include "lib/formats/sims/skeleton.h"

#include <string.h>

/* The parent name of a root. */
static const char ROOT_PARENT[] = "NULL";

/* ---------------------------------------------------------------------------------------------- decoding -- */

static bool fail_at_bone(struct sims_stream *s, const struct sims_bones *bones, uint32_t i, const char *field,
                         const char *code, const char *reason)
{
    const struct sims_bone *bone = &bones->bones[i];
    sims_enter(s, "bones", i);
    if (bone->place.line)
        s->reader.line = bone->place.line;
    reader_fail_at(&s->reader, bone->place.offset, field, code, "%.60s %s", bone->name, reason);
    sims_leave(s);
    return false;
}

static bool index_names(struct decode_job *job, struct sims_stream *s, const struct sims_bones *bones,
                        struct name_index *index)
{
    if (!name_index_init(index, job->arena, bones->count))
        return false;
    for (uint32_t i = 0; i < bones->count; i++)
        name_index_add(index, bones->bones[i].name, i);
    name_index_sort(index);
    for (uint32_t i = 0; i < bones->count; i++) {
        if (name_index_find(index, bones->bones[i].name) != i)
            return fail_at_bone(s, bones, i, "name", "duplicate_bone", "duplicate bone name");
    }
    return true;
}

/* A flag as a JSON boolean, or as a number (32 bits, signed) if it is neither 0 nor 1. */
static void put_flag(struct value_list *extras, const char *key, uint32_t flag)
{
    if (flag <= 1)
        value_put_bool(extras, key, flag);
    else
        value_put_int(extras, key, (int32_t)flag);
}

static const struct pose_value *joint_extras(struct arena *arena, const struct sims_bone *bone, bool online,
                                             bool is_orphan)
{
    struct value_list extras = value_object(arena);
    if (online)
        value_put_int(&extras, "unknown", bone->unknown);
    if (bone->has_props)
        sims_put_props(&extras, "props", &bone->props);
    if (online && bone->has_props > 1)
        value_put_int(&extras, "has_props", bone->has_props);
    put_flag(&extras, "can_translate", bone->can_translate);
    put_flag(&extras, "can_rotate", bone->can_rotate);
    put_flag(&extras, "can_blend", bone->can_blend);
    value_put_float(&extras, "wiggle_value", bone->wiggle_value);
    value_put_float(&extras, "wiggle_power", bone->wiggle_power);
    if (is_orphan)
        value_put_string(&extras, "parent", bone->parent);
    return value_done(&extras);
}

static void make_joint(struct arena *arena, const struct sims_bone *bone, const struct name_index *index,
                       bool online, struct warning_list *warnings, struct pose_joint *joint)
{
    bool is_root = !strcmp(bone->parent, ROOT_PARENT);
    int64_t parent = is_root ? -1 : name_index_find(index, bone->parent);
    if (!is_root && parent < 0)
        warning_add(warnings, POSE_WARNING, "unknown_parent", bone->place.offset,
                    "%s: no parent bone \"%.60s\"; it becomes a root", bone->name, bone->parent);
    joint->name = bone->name;
    joint->parent = (int32_t)parent;
    memcpy(joint->translation, bone->translation, sizeof joint->translation);
    memcpy(joint->rotation, bone->rotation, sizeof joint->rotation);
    for (int i = 0; i < 3; i++)
        joint->scale[i] = 1;
    joint->extras = joint_extras(arena, bone, online, !is_root && parent < 0);
}

static void check_roots(const struct pose_skeleton *skeleton, struct warning_list *warnings)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        roots += skeleton->joints[i].parent < 0;
    if (roots > 1)
        warning_add(warnings, POSE_WARNING, "several_roots", POSE_NO_OFFSET, "%u bones have no parent",
                    roots);
}

bool sims_skeleton_build(struct decode_job *job, struct sims_stream *s, const struct sims_bones *bones,
                         bool online, struct warning_list *warnings, struct pose_skeleton *skeleton)
{
    struct name_index index;
    int32_t cycle;
    if (sims_failed(s))
        return false;
    if (bones->count > job->limits->joints)
        return error_limit(job->error, "joints", "%u bones, more than the limit of %u joints", bones->count,
                           job->limits->joints);
    struct pose_joint *joints = ARENA_NEW(job->arena, struct pose_joint, bones->count);
    if (!joints || !index_names(job, s, bones, &index))
        return false;
    for (uint32_t i = 0; i < bones->count; i++)
        make_joint(job->arena, &bones->bones[i], &index, online, warnings, &joints[i]);
    skeleton->name = bones->name[0] ? bones->name : NULL;
    skeleton->axes = POSE_AXES_SIMS;
    skeleton->scaling = POSE_SCALE_OFFSETS;
    skeleton->joint_count = bones->count;
    skeleton->root_joint = -1;
    if (!skeleton_order_joints(job->arena, skeleton, joints, &cycle))
        return cycle >= 0 ? fail_at_bone(s, bones, (uint32_t)cycle, "parent", "bone_cycle",
                                         "is an ancestor of itself, or below one")
                          : false;
    check_roots(skeleton, warnings);
    return !job->arena->failed;
}

/* ---------------------------------------------------------------------------------------------- encoding -- */

static const char *joint_name(struct encode_job *job, const struct pose_joint *joint)
{
    if (joint->name)
        return joint->name;
    const char *name = joint->has_id ? arena_format(job->arena, "joint_%u", joint->id) : NULL;
    return name ? name : "";
}

static void make_bone(struct encode_job *job, const struct pose_skeleton *skeleton, uint32_t i,
                      struct sims_bone *bone)
{
    const struct pose_joint *joint = &skeleton->joints[i];
    const struct pose_value *extras = joint->extras;
    bool is_root = joint->parent < 0;
    bone->unknown = (uint32_t)value_get_int(extras, "unknown", 1);
    bone->name = joint_name(job, joint);
    bone->parent = is_root ? value_get_string(extras, "parent", ROOT_PARENT)
                           : joint_name(job, &skeleton->joints[joint->parent]);
    const struct pose_value *props = pose_value_find(extras, "props");
    uint8_t odd = (uint8_t)value_get_int(extras, "has_props", 0);
    bone->props = sims_get_props(job->arena, props);
    bone->has_props = !props || props->kind != POSE_ARRAY ? 0 : odd ? odd : 1;
    memcpy(bone->translation, joint->translation, sizeof bone->translation);
    memcpy(bone->rotation, joint->rotation, sizeof bone->rotation);
    if (skeleton->axes != POSE_AXES_SIMS) {
        pose_convert_axes(POSE_TRANSLATION, bone->translation, 1, skeleton->axes, POSE_AXES_SIMS);
        pose_convert_axes(POSE_ROTATION, bone->rotation, 1, skeleton->axes, POSE_AXES_SIMS);
    }
    /* As in the game's skeletons: the root translates and is not blended, the others only rotate. */
    bone->can_translate = (uint32_t)value_get_int(extras, "can_translate", is_root);
    bone->can_rotate = (uint32_t)value_get_int(extras, "can_rotate", 1);
    bone->can_blend = (uint32_t)value_get_int(extras, "can_blend", !is_root);
    bone->wiggle_value = value_get_float(extras, "wiggle_value", 0);
    bone->wiggle_power = value_get_float(extras, "wiggle_power", 0);
}

static void warn_losses(struct encode_job *job, const struct pose_skeleton *skeleton)
{
    uint32_t scaled = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const float *scale = skeleton->joints[i].scale;
        scaled += scale[0] != 1 || scale[1] != 1 || scale[2] != 1;
    }
    if (scaled)
        encode_warn(job, "scale_lost", "the scale of %u joints was left out: bones have none", scaled);
}

/* Readers find parents by name: two bones with the same name would change the skeleton. */
static bool check_names(struct encode_job *job, const struct sims_bones *bones)
{
    struct name_index index;
    if (!name_index_init(&index, job->arena, bones->count))
        return false;
    for (uint32_t i = 0; i < bones->count; i++)
        name_index_add(&index, bones->bones[i].name, i);
    name_index_sort(&index);
    for (uint32_t i = 0; i < bones->count; i++) {
        if (name_index_find(&index, bones->bones[i].name) != i)
            return error_set(job->error, POSE_BAD_DATA, "duplicate_bone",
                             "two joints are named \"%.60s\"; the format requires unique names",
                             bones->bones[i].name);
    }
    return true;
}

bool sims_bones_build(struct encode_job *job, const struct pose_skeleton *skeleton, struct sims_bones *bones)
{
    warn_losses(job, skeleton);
    bones->name = skeleton->name ? skeleton->name : "";
    bones->count = skeleton->joint_count;
    bones->bones = ARENA_NEW(job->arena, struct sims_bone, bones->count);
    for (uint32_t k = 0; k < bones->count && bones->bones; k++)
        make_bone(job, skeleton, skeleton->file_order ? skeleton->file_order[k] : k, &bones->bones[k]);
    return bones->bones && check_names(job, bones) && !job->arena->failed;
}
