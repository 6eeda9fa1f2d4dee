#include "lib/formats/sl/body/shape.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#include <string.h>

enum { SEX_DRIVER = 80 };

/* ------------------------------------------------------------------------------------------------ weights -- */

static float clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

static bool is_of_other_sex(const struct lad_param *param, bool is_male)
{
    return param->sex == (is_male ? LAD_FEMALE : LAD_MALE);
}

/* The weight of a driven parameter at driver weight d; never divides by zero, whatever its four points. */
static float driven_weight(const struct lad_param *driver, const struct lad_driven *points, float d,
                           const struct lad_param *param)
{
    float low = param->min, high = param->max;
    if (d <= points->min1)
        return points->min1 == points->max1 && points->min1 <= driver->min ? high : low;
    if (d <= points->max1)
        return low + (d - points->min1) / (points->max1 - points->min1) * (high - low);
    if (d <= points->max2)
        return high;
    if (d <= points->min2)
        return high + (d - points->max2) / (points->min2 - points->max2) * (low - high);
    return points->max2 >= driver->max ? high : low;
}

/* Applies to all elements of the driven id: each has its own range. */
static void drive(const struct lad *lad, const struct lad_param *driver, float d, float *weights)
{
    for (uint32_t k = 0; k < driver->driven_count; k++) {
        const struct lad_driven *points = &lad->driven[driver->driven_first + k];
        for (uint32_t i = 0; i < lad->param_count; i++) {
            const struct lad_param *param = &lad->params[i];
            if (param->id == points->id && !param->is_driver)
                weights[i] = driven_weight(driver, points, d, param);
        }
    }
}

static void choose(const struct lad *lad, const struct shape_choice *choice, float *weights)
{
    for (uint32_t i = 0; i < lad->param_count; i++) {
        if (lad->params[i].id == choice->id)
            weights[i] = clamp(choice->weight, lad->params[i].min, lad->params[i].max);
    }
}

float *shape_weights(const struct lad *lad, const struct shape_options *options, struct arena *arena)
{
    float *weights = ARENA_NEW(arena, float, lad->param_count);
    if (!weights || options->is_bare)
        return weights;
    for (uint32_t i = 0; i < lad->param_count; i++)
        weights[i] = lad->params[i].value;
    if (options->is_male)
        choose(lad, &(struct shape_choice){SEX_DRIVER, 1}, weights);
    for (uint32_t i = 0; i < options->choice_count; i++)
        choose(lad, &options->choices[i], weights);
    for (uint32_t i = 0; i < lad->param_count; i++) {
        const struct lad_param *param = &lad->params[i];
        if (param->is_driver && !is_of_other_sex(param, options->is_male))
            drive(lad, param, clamp(weights[i], param->min, param->max), weights);
    }
    /* The user may also set a parameter that is driven. */
    for (uint32_t i = 0; i < options->choice_count; i++)
        choose(lad, &options->choices[i], weights);
    for (uint32_t i = 0; i < lad->param_count; i++) {
        if (is_of_other_sex(&lad->params[i], options->is_male))
            weights[i] = lad->params[i].value;
    }
    return weights;
}

/* -------------------------------------------------------------------------------------------- the skeleton -- */

static int64_t find_joint(const struct pose_joint *joints, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (joints[i].name && !strcmp(joints[i].name, name))
            return i;
    }
    return -1;
}

static void change_bones(const struct lad *lad, const float *weights, struct pose_joint *joints,
                         uint32_t count)
{
    for (uint32_t i = 0; i < lad->param_count; i++) {
        const struct lad_param *param = &lad->params[i];
        for (uint32_t k = 0; weights[i] != 0 && k < param->bone_count; k++) {
            const struct lad_bone *bone = &lad->bones[param->bone_first + k];
            int64_t joint = find_joint(joints, count, bone->name);
            for (int axis = 0; joint >= 0 && axis < 3; axis++) {
                joints[joint].scale[axis] += weights[i] * bone->scale[axis];
                joints[joint].translation[axis] += weights[i] * bone->offset[axis];
            }
        }
    }
}

/* From the pelvis down to the sole; 0 if a bone is missing. */
static float length_of_legs(const struct pose_joint *joints, uint32_t count)
{
    static const char *const chain[] = {"mPelvis", "mHipLeft", "mKneeLeft", "mAnkleLeft", "mFootLeft"};
    float length = 0;
    int64_t above = find_joint(joints, count, chain[0]);
    for (size_t i = 1; above >= 0 && i < sizeof chain / sizeof *chain; i++) {
        int64_t joint = find_joint(joints, count, chain[i]);
        if (joint < 0)
            return 0;
        length -= joints[joint].translation[2] * joints[above].scale[2];
        above = joint;
    }
    return above < 0 ? 0 : length;
}

const struct pose_skeleton *shape_skeleton(const struct lad *lad, const float *weights,
                                           const struct pose_skeleton *skeleton, struct arena *arena)
{
    uint32_t count = skeleton->joint_count;
    struct pose_skeleton *shaped = ARENA_NEW(arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(arena, struct pose_joint, count);
    if (!shaped || !joints)
        return NULL;
    memcpy(joints, skeleton->joints, count * sizeof *joints);
    change_bones(lad, weights, joints, count);
    if (skeleton->root_joint >= 0)
        joints[skeleton->root_joint].translation[2] +=
            length_of_legs(joints, count) - length_of_legs(skeleton->joints, count);
    *shaped = *skeleton;
    shaped->joints = joints;
    return shaped;
}

/* ---------------------------------------------------------------------------------------------- the meshes -- */

static bool is_masked(const struct lad *lad, const char *name)
{
    for (uint32_t i = 0; i < lad->mask_count; i++) {
        if (text_equal_nocase(lad->masks[i], name))
            return true;
    }
    return false;
}

static float morph_weight(const struct lad *lad, const float *weights, enum lad_mesh_type type,
                          const char *name)
{
    for (uint32_t i = 0; i < lad->param_count; i++) {
        int32_t mesh = lad->params[i].mesh;
        if (mesh >= 0 && lad->meshes[mesh].type == type && !lad->meshes[mesh].lod &&
            !strcmp(lad->params[i].name, name))
            return is_masked(lad, name) ? 0 : weights[i];
    }
    return 0;
}

/* Also on skeletons that have no pivots. */
static bool hang_on_pivots(struct pose_mesh *mesh, const struct pose_skeleton *skeleton, struct arena *arena)
{
    float(*matrices)[16] = arena_alloc(arena, mesh->bone_count, sizeof *matrices);
    for (uint32_t bone = 0; matrices && bone < mesh->bone_count; bone++) {
        int64_t joint = find_joint(skeleton->joints, skeleton->joint_count, mesh->bones[bone]);
        for (int i = 0; i < 4; i++)
            matrices[bone][5 * i] = 1;
        for (int axis = 0; joint >= 0 && axis < 3; axis++)
            matrices[bone][12 + axis] = -skeleton->pivots[joint][axis];
    }
    mesh->inverse_binds = (const float(*)[16])matrices;
    return matrices != NULL;
}

/* An eye has no weights: it is attached to its joint and does not grow with it. */
static bool hang_on_joint(struct pose_mesh *mesh, const char *joint, struct arena *arena)
{
    const char **bones = ARENA_NEW(arena, const char *, 1);
    float(*matrices)[16] = arena_alloc(arena, 1, sizeof *matrices);
    struct pose_influences *influences = ARENA_NEW(arena, struct pose_influences, mesh->real_count);
    if (!bones || !matrices || !influences)
        return false;
    bones[0] = joint;
    for (int i = 0; i < 4; i++)
        matrices[0][5 * i] = 1;
    for (uint32_t i = 0; i < mesh->real_count; i++)
        influences[i].weights[0] = 1;
    mesh->bone_count = 1;
    mesh->bones = bones;
    mesh->influences = influences;
    mesh->inverse_binds = (const float(*)[16])matrices;
    return true;
}

/* Cancels the joint's own scale, which its matrix will apply. */
static void undo_scale(struct pose_mesh *mesh, const struct pose_skeleton *skeleton)
{
    int64_t joint = find_joint(skeleton->joints, skeleton->joint_count, mesh->bones[0]);
    float(*matrix)[16] = (float(*)[16])(uintptr_t)mesh->inverse_binds;
    for (int axis = 0; joint >= 0 && axis < 3; axis++) {
        float scale = skeleton->joints[joint].scale[axis];
        matrix[0][5 * axis] = scale != 0 ? 1 / scale : 1;
    }
}

const struct pose_mesh *shape_mesh(const struct lad *lad, const float *weights, enum lad_mesh_type type,
                                   const struct pose_mesh *mesh, const struct pose_skeleton *skeleton,
                                   struct arena *arena)
{
    struct pose_mesh *shaped = ARENA_NEW(arena, struct pose_mesh, 1);
    struct pose_morph_target *morphs = ARENA_NEW(arena, struct pose_morph_target, mesh->morph_count);
    if (!shaped || !morphs)
        return NULL;
    *shaped = *mesh;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        morphs[i] = mesh->morphs[i];
        morphs[i].weight = morph_weight(lad, weights, type, morphs[i].name);
    }
    shaped->morphs = morphs;
    shaped->name = lad_mesh_name(type);
    if (mesh->influences)
        return hang_on_pivots(shaped, skeleton, arena) ? shaped : NULL;
    if (!hang_on_joint(shaped, type == LAD_RIGHT_EYE ? "mEyeRight" : "mEyeLeft", arena))
        return NULL;
    undo_scale(shaped, skeleton);
    return shaped;
}
