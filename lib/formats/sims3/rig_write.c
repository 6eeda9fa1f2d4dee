#include "lib/formats/sims3/rig_write.h"

#include "lib/core/hash.h"
#include "lib/core/value.h"
#include "lib/model/axes.h"

#include <math.h>

enum { USUAL_FLAGS = 0x23 };

/* Rotations this close to unit length are written unchanged, so that valid files round-trip. */
static const double UNIT_TOLERANCE = 1e-4;

struct writing {
    struct encode_job *job;
    const struct pose_skeleton *skeleton;
    uint32_t *places; /* the position of each joint in the file */
    uint32_t other_hashes;
};

static bool number_joints(struct writing *writing)
{
    const struct pose_skeleton *skeleton = writing->skeleton;
    writing->places = ARENA_NEW(writing->job->arena, uint32_t, skeleton->joint_count);
    for (uint32_t k = 0; k < skeleton->joint_count && writing->places; k++)
        writing->places[skeleton->file_order ? skeleton->file_order[k] : k] = k;
    return writing->places != NULL;
}

static void write_text(struct writer *writer, const char *text)
{
    writer_u32le(writer, (uint32_t)strlen(text));
    writer_text(writer, text);
}

/* Position, orientation and scale in the format's axes. */
static bool write_rest(struct writing *writing, const struct pose_joint *joint)
{
    float rest[10], *rotation = rest + 3;
    memcpy(rest, joint->translation, sizeof joint->translation);
    memcpy(rotation, joint->rotation, sizeof joint->rotation);
    memcpy(rest + 7, joint->scale, sizeof joint->scale);
    for (int i = 0; i < 10; i++) {
        if (!isfinite(rest[i]))
            return error_set(writing->job->error, POSE_BAD_DATA, "not_finite",
                             "joints[%u]: a value is not a number",
                             (unsigned)(joint - writing->skeleton->joints));
    }
    if (writing->skeleton->axes != POSE_AXES_GLTF) {
        pose_convert_axes(POSE_TRANSLATION, rest, 1, writing->skeleton->axes, POSE_AXES_GLTF);
        pose_convert_axes(POSE_ROTATION, rotation, 1, writing->skeleton->axes, POSE_AXES_GLTF);
        pose_convert_axes(POSE_SCALE, rest + 7, 1, writing->skeleton->axes, POSE_AXES_GLTF);
    }
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)rotation[i] * (double)rotation[i];
    if (!(fabs(square - 1) <= UNIT_TOLERANCE))
        quat_normalise(rotation);
    for (int i = 0; i < 10; i++)
        writer_f32le(writing->job->writer, rest[i]);
    return true;
}

static bool write_bone(struct writing *writing, uint32_t place)
{
    const struct pose_skeleton *skeleton = writing->skeleton;
    const struct pose_joint *joint =
        &skeleton->joints[skeleton->file_order ? skeleton->file_order[place] : place];
    struct writer *writer = writing->job->writer;
    const char *name = joint->name;
    if (!name)
        name = joint->has_id ? arena_format(writing->job->arena, "joint_%u", joint->id) : "";
    if (!name || !write_rest(writing, joint))
        return false;
    /* Joints with flags come from a rig, where the id is a hash. */
    uint32_t hash = joint->name || !joint->has_id ? hash_fnv32(name, strlen(name)) : joint->id;
    writing->other_hashes +=
        joint->has_id && value_get_int(joint->extras, "flags", -1) >= 0 && joint->id != hash;
    write_text(writer, name);
    writer_u32le(writer, (uint32_t)value_get_int(joint->extras, "opposite", place));
    writer_u32le(writer, joint->parent < 0 ? UINT32_MAX : writing->places[joint->parent]);
    writer_u32le(writer, hash);
    writer_u32le(writer, (uint32_t)value_get_int(joint->extras, "flags", USUAL_FLAGS));
    return true;
}

/* ------------------------------------------------------------------------------------------------- chains -- */

/* The index of a bone of the file, otherwise -1. */
static void write_index(const struct writing *writing, int64_t index)
{
    bool is_bone = index >= 0 && index < (int64_t)writing->skeleton->joint_count;
    writer_u32le(writing->job->writer, is_bone ? (uint32_t)index : UINT32_MAX);
}

/* Writes count indices; -1 for those that the list lacks. */
static void write_indices(const struct writing *writing, const struct pose_value *list, size_t count)
{
    const struct pose_value *item = list && list->kind == POSE_ARRAY ? list->first : NULL;
    for (size_t i = 0; i < count; i++, item = item ? item->next : NULL)
        write_index(writing, item && item->kind == POSE_INT ? item->as.integer : -1);
}

static void write_chain(const struct writing *writing, const struct pose_value *chain)
{
    const struct pose_value *bones = pose_value_find(chain, "bones");
    size_t count = bones && bones->kind == POSE_ARRAY ? value_count(bones) : 0;
    writer_u32le(writing->job->writer, (uint32_t)count);
    write_indices(writing, bones, count);
    write_indices(writing, pose_value_find(chain, "info"), SIMS3_CHAIN_INFOS);
    write_index(writing, value_get_int(chain, "pole", -1));
    write_index(writing, value_get_int(chain, "slot_info", -1));
    write_index(writing, value_get_int(chain, "slot_offset", -1));
    write_index(writing, value_get_int(chain, "root", -1));
}

static void write_chains(const struct writing *writing)
{
    const struct pose_value *chains = pose_value_find(writing->skeleton->extras, "chains");
    bool is_list = chains && chains->kind == POSE_ARRAY;
    writer_u32le(writing->job->writer, is_list ? (uint32_t)value_count(chains) : 0);
    for (const struct pose_value *chain = is_list ? chains->first : NULL; chain; chain = chain->next)
        write_chain(writing, chain);
}

/* ---------------------------------------------------------------------------------------------------- rig -- */

static bool write_rig(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    const struct pose_skeleton *skeleton = writing->skeleton;
    int64_t major = value_get_int(skeleton->extras, "major", SIMS3_RIG_MAJOR);
    int64_t minor = value_get_int(skeleton->extras, "minor", SIMS3_RIG_MINOR);
    writer_u32le(writer, major == 3 ? 3 : SIMS3_RIG_MAJOR);
    writer_u32le(writer, minor == 1 ? 1 : SIMS3_RIG_MINOR);
    writer_u32le(writer, skeleton->joint_count);
    for (uint32_t place = 0; place < skeleton->joint_count; place++) {
        if (!write_bone(writing, place))
            return false;
    }
    write_text(writer, skeleton->name ? skeleton->name : "");
    if (major != 3)
        write_chains(writing);
    if (writing->other_hashes)
        encode_warn(writing->job, "hash_changed", "the hashes of %u bones were not those of their names",
                    writing->other_hashes);
    return !writer->failed;
}

bool sims3_rig_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (content->skeleton_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_skeleton", "a rig holds one skeleton, not %u",
                         content->skeleton_count);
    struct writing writing = {.job = job, .skeleton = content->skeletons};
    if (writing.skeleton->joint_count > SIMS3_RIG_BONE_LIMIT)
        return error_set(job->error, POSE_BAD_DATA, "too_many_joints", "%u joints; a rig holds up to %d",
                         writing.skeleton->joint_count, SIMS3_RIG_BONE_LIMIT);
    return number_joints(&writing) && write_rig(&writing);
}
