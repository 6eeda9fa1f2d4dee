/*
 * Writing CINF of Metroid Prime 1 and 2 (prime-skeleton.md, 1): the bones of one skeleton at their positions in
 * model space. A bind pose has no rotations: those of other formats are dropped, the positions stay.
 */
#include "lib/formats/prime/anim/put.h"

#include "lib/core/value.h"
#include "lib/model/axes.h"

#include <math.h>
#include <string.h>

/* The first id, and the id that means no bone, by game. */
static const uint32_t first_ids[] = {[PRIME_MP1] = 3, [PRIME_MP2] = 0};
static const uint32_t null_ids[] = {[PRIME_MP1] = 2, [PRIME_MP2] = 97};

/* A stored origin is used if it is this close to where the joint's translation puts it. */
static const double SAME_PLACE = 1e-4;

struct bones {
    struct prime_put put;
    const struct pose_skeleton *skeleton;
    uint32_t *ids; /* [joint_count] */
    float (*origins)[3];
    bool keeps_ids;
    uint32_t null_id;
};

/* --------------------------------------------------------------------------------------------------- ids -- */

static bool are_bone_ids(const struct pose_skeleton *skeleton)
{
    bool used[PRIME_BONE_LIMIT] = {false};
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        if (!joint->has_id || joint->id >= PRIME_BONE_LIMIT || used[joint->id])
            return false;
        used[joint->id] = true;
    }
    return true;
}

static bool has_id(const struct bones *bones, uint32_t id)
{
    for (uint32_t i = 0; i < bones->skeleton->joint_count; i++) {
        if (bones->ids[i] == id)
            return true;
    }
    return false;
}

bool prime_bone_ids(const struct pose_skeleton *skeleton, enum prime_game game, uint32_t *ids, bool *keeps,
                    struct pose_error *error)
{
    uint32_t first = first_ids[game];
    *keeps = are_bone_ids(skeleton);
    if (!*keeps && skeleton->joint_count > PRIME_BONE_LIMIT - first)
        return error_set(error, POSE_BAD_DATA, "too_many_joints",
                         "%u joints; a skeleton has ids for at most %u", skeleton->joint_count,
                         PRIME_BONE_LIMIT - first);
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        ids[i] = *keeps ? skeleton->joints[i].id : first + i;
    return true;
}

static bool choose_ids(struct bones *bones)
{
    struct encode_job *job = bones->put.job;
    if (!prime_bone_ids(bones->skeleton, bones->put.game, bones->ids, &bones->keeps_ids, job->error))
        return false;
    if (!bones->keeps_ids)
        encode_note(job, "ids_assigned", "the joints were numbered from %u: they had no bone ids",
                    first_ids[bones->put.game]);
    bones->null_id = null_ids[bones->put.game];
    while (has_id(bones, bones->null_id))
        bones->null_id++;
    return true;
}

/* --------------------------------------------------------------------------------------------- the places -- */

static bool is_turned(const float q[4])
{
    return fabsf(q[0]) > 1e-4f || fabsf(q[1]) > 1e-4f || fabsf(q[2]) > 1e-4f;
}

struct rest {
    double q[4], place[3];
};

static void turn(const double q[4], const float v[3], double to[3])
{
    /* v + 2w (u x v) + 2 u x (u x v) */
    double c[3], d[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = q[j] * (double)v[k] - q[k] * (double)v[j];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[i] = q[j] * c[k] - q[k] * c[j];
    }
    for (int i = 0; i < 3; i++)
        to[i] = (double)v[i] + 2 * q[3] * c[i] + 2 * d[i];
}

static void follow(const struct rest *parent, const float row[10], struct rest *rest)
{
    const double *a = parent->q;
    const double b[4] = {(double)row[3], (double)row[4], (double)row[5], (double)row[6]};
    double offset[3];
    turn(a, row, offset);
    for (int i = 0; i < 3; i++)
        rest->place[i] = parent->place[i] + offset[i];
    rest->q[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    rest->q[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    rest->q[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    rest->q[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* The file's own origin, which the offset from the parent reproduces only up to rounding. */
static void take_own_origin(const struct pose_joint *joint, struct rest *rest)
{
    float own[3];
    if (value_get_floats(joint->extras, "origin", own, 3) != 3)
        return;
    for (int i = 0; i < 3; i++) {
        if (!(fabs((double)own[i] - rest->place[i]) <= SAME_PLACE * (1 + fabs(rest->place[i]))))
            return;
    }
    for (int i = 0; i < 3; i++)
        rest->place[i] = (double)own[i];
}

static bool find_origins(struct bones *bones)
{
    static const struct rest ground = {.q = {0, 0, 0, 1}};
    const struct pose_skeleton *skeleton = bones->skeleton;
    struct encode_job *job = bones->put.job;
    struct rest *rests = ARENA_NEW(job->arena, struct rest, skeleton->joint_count);
    uint32_t turned = 0, scaled = 0;
    if (!rests)
        return false;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        float row[10];
        pose_joint_rest(skeleton, i, POSE_AXES_PRIME, row);
        turned += is_turned(row + 3);
        scaled += row[7] != 1 || row[8] != 1 || row[9] != 1;
        follow(joint->parent < 0 ? &ground : &rests[joint->parent], row, &rests[i]);
        if (skeleton->axes == POSE_AXES_PRIME)
            take_own_origin(joint, &rests[i]);
        for (int k = 0; k < 3; k++) {
            bones->origins[i][k] = (float)rests[i].place[k];
            if (!isfinite(bones->origins[i][k]))
                return error_set(job->error, POSE_BAD_DATA, "not_finite",
                                 "joints[%u]: a position is not a number", i);
        }
    }
    if (turned)
        encode_warn(job, "rest_rotation_dropped",
                    "the rest rotations of %u joints were left out: a bind pose has none", turned);
    if (scaled)
        encode_warn(job, "rest_scale_dropped", "the rest scales of %u joints were left out", scaled);
    return true;
}

/* -------------------------------------------------------------------------------------------------- lists -- */

/* Whether all ids of a list from the file are still valid. */
static bool are_known(const struct bones *bones, const struct pose_value *list, uint32_t parent_id)
{
    if (!bones->keeps_ids || !list || list->kind != POSE_ARRAY)
        return false;
    for (const struct pose_value *item = list->first; item; item = item->next) {
        bool is_id = item->kind == POSE_INT && item->as.integer >= 0 && item->as.integer <= UINT32_MAX;
        if (!is_id || (item->as.integer != parent_id && !has_id(bones, (uint32_t)item->as.integer)))
            return false;
    }
    return true;
}

/* The file's id for no parent, or the game's. */
static uint32_t parent_id_of(const struct bones *bones, const struct pose_joint *joint)
{
    if (joint->parent >= 0)
        return bones->ids[joint->parent];
    int64_t own = value_get_int(joint->extras, "parent_id", -1);
    bool is_free = bones->keeps_ids && own >= 0 && own <= UINT32_MAX && !has_id(bones, (uint32_t)own);
    bool is_games = own != null_ids[bones->put.game == PRIME_MP1 ? PRIME_MP2 : PRIME_MP1];
    return is_free && is_games ? (uint32_t)own : bones->null_id;
}

/* The parent first, then the children. */
static void write_links(struct bones *bones, uint32_t index, uint32_t parent_id)
{
    const struct pose_skeleton *skeleton = bones->skeleton;
    struct writer *writer = bones->put.writer;
    const struct pose_value *own = pose_value_find(skeleton->joints[index].extras, "linked_bones");
    if (are_known(bones, own, parent_id)) {
        prime_put_ints(&bones->put, skeleton->joints[index].extras, "linked_bones", 4);
        return;
    }
    size_t count_at = writer->out->size;
    uint32_t count = 1;
    writer_u32be(writer, 0);
    writer_u32be(writer, parent_id);
    for (uint32_t i = index + 1; i < skeleton->joint_count; i++) {
        if (skeleton->joints[i].parent == (int32_t)index) {
            writer_u32be(writer, bones->ids[i]);
            count++;
        }
    }
    writer_patch_u32be(writer, count_at, count);
}

static void write_bone(struct bones *bones, uint32_t index)
{
    const struct pose_joint *joint = &bones->skeleton->joints[index];
    struct prime_put *put = &bones->put;
    uint32_t parent_id = parent_id_of(bones, joint);
    writer_u32be(put->writer, bones->ids[index]);
    writer_u32be(put->writer, parent_id);
    for (int i = 0; i < 3; i++)
        writer_f32be(put->writer, bones->origins[index][i]);
    if (put->game == PRIME_MP2) {
        prime_put_quaternion(put, joint->extras, "rotation");
        prime_put_quaternion(put, joint->extras, "local_rotation");
    }
    write_links(bones, index, parent_id);
}

static void write_build_order(struct bones *bones)
{
    const struct pose_skeleton *skeleton = bones->skeleton;
    const struct pose_value *own = pose_value_find(skeleton->extras, "build_order");
    if (value_count(own) == skeleton->joint_count && are_known(bones, own, bones->ids[0])) {
        prime_put_ints(&bones->put, skeleton->extras, "build_order", 4);
        return;
    }
    writer_u32be(bones->put.writer, skeleton->joint_count);
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        writer_u32be(bones->put.writer, bones->ids[i]);
}

/* The first name in the list for a bone. */
static const char *listed_name(const struct pose_value *names, uint32_t id)
{
    for (const struct pose_value *item = names->first; item; item = item->next) {
        if (value_get_int(item, "bone_id", -1) == id)
            return value_get_string(item, "name", NULL);
    }
    return NULL;
}

/* Whether the file's list still matches the joints. */
static bool are_names(const struct bones *bones, const struct pose_value *names)
{
    if (!bones->keeps_ids || !names || names->kind != POSE_ARRAY)
        return false;
    for (uint32_t i = 0; i < bones->skeleton->joint_count; i++) {
        const char *name = bones->skeleton->joints[i].name, *listed = listed_name(names, bones->ids[i]);
        if (strcmp(name ? name : "", listed ? listed : "") != 0)
            return false;
    }
    return true;
}

static uint32_t file_joint(const struct pose_skeleton *skeleton, uint32_t place)
{
    return skeleton->file_order ? skeleton->file_order[place] : place;
}

static void write_names(struct bones *bones)
{
    const struct pose_skeleton *skeleton = bones->skeleton;
    struct writer *writer = bones->put.writer;
    if (are_names(bones, pose_value_find(skeleton->extras, "names"))) {
        for (const struct pose_value *item = prime_put_count(&bones->put, skeleton->extras, "names"); item;
             item = item->next) {
            prime_put_text(&bones->put, item, "name");
            prime_put_int(&bones->put, item, "bone_id", 4, 0);
        }
        return;
    }
    uint32_t count = 0;
    size_t count_at = writer->out->size;
    writer_u32be(writer, 0);
    for (uint32_t k = 0; k < skeleton->joint_count; k++) {
        uint32_t i = file_joint(skeleton, k);
        const char *name = skeleton->joints[i].name;
        if (!name)
            continue;
        writer_bytes(writer, name, strlen(name) + 1);
        writer_u32be(writer, bones->ids[i]);
        count++;
    }
    writer_patch_u32be(writer, count_at, count);
}

/* ---------------------------------------------------------------------------------------------- the whole -- */

bool prime_cinf_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    struct bones bones = {.skeleton = content->skeletons};
    if (content->skeleton_count != 1 || !content->skeletons->joint_count)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_skeleton", "a CINF holds one skeleton, not %u",
                         content->skeleton_count);
    uint32_t count = bones.skeleton->joint_count;
    if (!prime_put_init(&bones.put, job, bones.skeleton->extras))
        return false;
    bones.ids = ARENA_NEW(job->arena, uint32_t, count);
    bones.origins = arena_alloc(job->arena, count, sizeof *bones.origins);
    if (!bones.ids || !bones.origins || !choose_ids(&bones) || !find_origins(&bones))
        return false;
    writer_u32be(job->writer, count);
    for (uint32_t k = 0; k < count; k++)
        write_bone(&bones, file_joint(bones.skeleton, k));
    write_build_order(&bones);
    write_names(&bones);
    prime_put_padding(job->writer);
    return !bones.put.failed;
}
