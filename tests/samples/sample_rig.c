#include "tests/samples/sample_rig.h"

#include <string.h>

static const char *const bones[][2] = {
    {"ROOT", "b__ROOT__"},        {"PELVIS", "b__Pelvis__"},      {"SPINE", "b__Spine0__"},
    {"SPINE1", "b__Spine1__"},    {"SPINE2", "b__Spine2__"},      {"NECK", "b__Neck__"},
    {"HEAD", "b__Head__"},        {"L_LEG", "b__L_Thigh__"},      {"L_LEG1", "b__L_Calf__"},
    {"L_FOOT", "b__L_Foot__"},    {"L_TOE0", "b__L_Toe0__"},      {"L_TOE01", "b__L_Toe1__"},
    {"L_TOE02", "b__L_Toe2__"},   {"R_LEG", "b__R_Thigh__"},      {"R_LEG1", "b__R_Calf__"},
    {"R_FOOT", "b__R_Foot__"},    {"R_TOE0", "b__R_Toe0__"},      {"R_TOE01", "b__R_Toe1__"},
    {"R_TOE02", "b__R_Toe2__"},   {"L_ARM", "b__L_Clavicle__"},   {"L_ARM1", "b__L_UpperArm__"},
    {"L_ARM2", "b__L_Forearm__"}, {"L_HAND", "b__L_Hand__"},      {"L_FINGER0", "b__L_Index0__"},
    {"R_ARM", "b__R_Clavicle__"}, {"R_ARM1", "b__R_UpperArm__"},  {"R_ARM2", "b__R_Forearm__"},
    {"R_HAND", "b__R_Hand__"},    {"R_FINGER0", "b__R_Index0__"},
};

const char *sample_rig_bone(const char *joint)
{
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        if (!strcmp(bones[i][0], joint))
            return bones[i][1];
    }
    return NULL;
}

bool sample_rig(struct sample_rig *rig, const struct pose_skeleton *figure, const char *name)
{
    if (figure->joint_count > RIG_BONES)
        return false;
    for (uint32_t i = 0; i < figure->joint_count; i++) {
        struct pose_joint *joint = &rig->joints[i];
        float rest[10];
        struct pose_sims3_name hashes;
        pose_joint_rest(figure, i, POSE_AXES_GLTF, rest);
        *joint = (struct pose_joint){.name = sample_rig_bone(figure->joints[i].name),
                                     .parent = figure->joints[i].parent};
        if (!joint->name)
            return false;
        pose_sims3_hash(joint->name, &hashes);
        joint->has_id = true;
        joint->id = hashes.fnv32;
        memcpy(joint->translation, rest, sizeof joint->translation);
        memcpy(joint->rotation, rest + 3, sizeof joint->rotation);
        memcpy(joint->scale, rest + 7, sizeof joint->scale);
    }
    rig->skeleton = (struct pose_skeleton){.name = name,
                                           .axes = POSE_AXES_GLTF,
                                           .scaling = POSE_SCALE_INHERITED,
                                           .joint_count = figure->joint_count,
                                           .joints = rig->joints,
                                           .root_joint = -1};
    return true;
}
