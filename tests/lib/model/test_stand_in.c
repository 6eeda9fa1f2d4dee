/* The shipped skeletons: whole, plausible, and under the games' own names. */
#include "lib/core/hash.h"
#include "lib/model/stand_in.h"
#include "tests/support/allocators.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct pose_document *load(unsigned index)
{
    struct pose_error error;
    struct pose_document *document = pose_stand_in(index, NULL, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    ck_assert_uint_eq(document->skeleton_count, 1);
    return document;
}

static int32_t find(const struct pose_skeleton *skeleton, const char *name)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (!strcmp(skeleton->joints[i].name, name))
            return (int32_t)i;
    }
    return -1;
}

/* Where a joint rests; no joint of a stand-in is turned. */
static void rest_place(const struct pose_skeleton *skeleton, const char *name, float place[3])
{
    int32_t joint = find(skeleton, name);
    ck_assert_int_ge(joint, 0);
    place[0] = place[1] = place[2] = 0;
    for (; joint >= 0; joint = skeleton->joints[joint].parent) {
        for (int i = 0; i < 3; i++)
            place[i] += skeleton->joints[joint].translation[i];
    }
}

TEST(all_are_well_formed)
{
    unsigned count = 0;
    for (; pose_stand_in_name(count); count++) {
        struct pose_document *document = load(count);
        const struct pose_skeleton *skeleton = &document->skeletons[0];
        ck_assert_str_eq(skeleton->name, pose_stand_in_name(count));
        ck_assert_str_eq(document->format, stand_in_get(count)->format);
        ck_assert_uint_ge(document->size, skeleton->joint_count * sizeof *skeleton->joints);
        for (uint32_t i = 0; i < skeleton->joint_count; i++) {
            const struct pose_joint *joint = &skeleton->joints[i];
            const float *q = joint->rotation;
            ck_assert_int_lt(joint->parent, (int32_t)i);
            /* A parent that is named and missing would make a second root. */
            ck_assert_int_eq(joint->parent < 0, stand_in_get(count)->joints[i].parent == NULL);
            ck_assert_int_eq(find(skeleton, joint->name), (int32_t)i);
            ck_assert_float_eq_tol(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-5f);
            for (int k = 0; k < 3; k++) {
                ck_assert(isfinite(joint->translation[k]) && joint->scale[k] > 0);
                ck_assert(fabsf(joint->translation[k]) < 4);
            }
        }
        pose_document_free(document);
    }
    ck_assert_uint_ge(count, 1);
    struct pose_error error;
    ck_assert_ptr_null(pose_stand_in(count, NULL, &error));
    ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
}

TEST(sl_stands_upright)
{
    struct pose_document *document = load(0);
    const struct pose_skeleton *skeleton = &document->skeletons[0];
    ck_assert_str_eq(document->format, "sl-skeleton");
    ck_assert_uint_eq(skeleton->joint_count, 133 + 26);
    ck_assert_int_eq(skeleton->axes, POSE_AXES_SL);
    ck_assert_str_eq(skeleton->joints[skeleton->root_joint].name, "mPelvis");
    ck_assert_str_eq(skeleton->joints[0].aliases[0], "hip");
    ck_assert_str_eq(skeleton->joints[0].aliases[1], "avatar_mPelvis");
    ck_assert_ptr_null(skeleton->joints[0].aliases[2]);
    ck_assert_str_eq(skeleton->joints[132].name, "mHindLimb4Right");
    ck_assert_str_eq(skeleton->joints[133].name, "PELVIS");
    float head[3], foot[3], wrist[3], finger[3], tail[3];
    rest_place(skeleton, "mHead", head);
    rest_place(skeleton, "mFootLeft", foot);
    rest_place(skeleton, "mWristLeft", wrist);
    rest_place(skeleton, "mHandMiddle3Left", finger);
    rest_place(skeleton, "mTail6", tail);
    ck_assert(head[2] > 1.4f && head[2] < 1.8f && fabsf(head[1]) < 1e-6f);
    ck_assert(foot[2] > 0 && foot[2] < 0.1f && foot[1] > 0.05f);
    ck_assert(wrist[1] > 0.5f && finger[1] > wrist[1] + 0.1f && fabsf(wrist[2] - head[2]) < 0.3f);
    ck_assert(tail[0] < -0.5f);
    pose_document_free(document);
}

/* The other side's name: "mWristLeft" and "L_HAND" have one. False when the joint is in the middle. */
static bool mirrored_name(const char *name, char *other)
{
    static const char *const sides[][2] = {{"Left", "Right"}, {"LEFT_", "RIGHT_"}, {"L_", "R_"}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const char *at = strstr(name, sides[i][0]);
        if (at && (i == 0 || at == name)) {
            sprintf(other, "%.*s%s%s", (int)(at - name), name, sides[i][1], at + strlen(sides[i][0]));
            return true;
        }
    }
    return false;
}

TEST(sl_sides_mirror)
{
    struct pose_document *document = load(0);
    const struct pose_skeleton *skeleton = &document->skeletons[0];
    unsigned pairs = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        char name[64];
        const struct pose_joint *left = &skeleton->joints[i];
        if (!mirrored_name(left->name, name))
            continue;
        int32_t index = find(skeleton, name);
        ck_assert_msg(index >= 0, "%s has no %s", left->name, name);
        const struct pose_joint *right = &skeleton->joints[index];
        ck_assert_float_eq(left->translation[0], right->translation[0]);
        ck_assert_float_eq(left->translation[1], -right->translation[1]);
        ck_assert_float_eq(left->translation[2], right->translation[2]);
        pairs++;
    }
    ck_assert_uint_eq(pairs, 50 + 9); /* bones, volumes */
    pose_document_free(document);
}

TEST(memory_may_run_out)
{
    bool done = false;
    for (unsigned allowed = 0; !done; allowed++) {
        unsigned left = allowed;
        struct pose_allocator allocator = allocator_of_some(&left);
        struct pose_options options = {.allocator = &allocator};
        struct pose_error error;
        struct pose_document *document = pose_stand_in(0, &options, &error);
        done = document != NULL;
        if (!done)
            ck_assert_int_eq(error.status, POSE_NO_MEMORY);
        pose_document_free(document);
    }
}

static struct pose_document *load_named(const char *name)
{
    unsigned index = 0;
    while (pose_stand_in_name(index) && strcmp(pose_stand_in_name(index), name) != 0)
        index++;
    return load(index);
}

/* Model space, of a skeleton with axes gltf. */
static void model_place(const struct pose_skeleton *skeleton, const char *name, float place[3])
{
    int32_t joint = find(skeleton, name);
    ck_assert_int_ge(joint, 0);
    place[0] = place[1] = place[2] = 0;
    for (; joint >= 0; joint = skeleton->joints[joint].parent) {
        const float *q = skeleton->joints[joint].rotation, *p = place;
        const float x = 2 * (q[1] * p[2] - q[2] * p[1]), y = 2 * (q[2] * p[0] - q[0] * p[2]),
                    z = 2 * (q[0] * p[1] - q[1] * p[0]);
        const float turned[3] = {p[0] + q[3] * x + q[1] * z - q[2] * y, p[1] + q[3] * y + q[2] * x - q[0] * z,
                                 p[2] + q[3] * z + q[0] * y - q[1] * x};
        for (int i = 0; i < 3; i++)
            place[i] = turned[i] + skeleton->joints[joint].translation[i];
    }
}

static const char *const sims3_names[] = {"The Sims 3 adult stand-in", "The Sims 3 child stand-in",
                                          "The Sims 3 pet stand-in"};

/* Clips name bones by hash alone. */
TEST(sims3_bones_have_hashes)
{
    for (size_t i = 0; i < sizeof sims3_names / sizeof *sims3_names; i++) {
        struct pose_document *document = load_named(sims3_names[i]);
        const struct pose_skeleton *skeleton = &document->skeletons[0];
        ck_assert_str_eq(document->format, "sims3-rig");
        ck_assert_int_eq(skeleton->axes, POSE_AXES_GLTF);
        for (uint32_t k = 0; k < skeleton->joint_count; k++) {
            const char *name = skeleton->joints[k].name;
            ck_assert(skeleton->joints[k].has_id);
            ck_assert_uint_eq(skeleton->joints[k].id, hash_fnv32(name, strlen(name)));
        }
        pose_document_free(document);
    }
}

TEST(sims3_people_stand_upright)
{
    for (int i = 0; i < 2; i++) {
        struct pose_document *document = load_named(sims3_names[i]);
        const struct pose_skeleton *skeleton = &document->skeletons[0];
        const float size = i ? 2.0f / 3 : 1;
        float head[3], toe[3], left[3], right[3], ankle[3];
        model_place(skeleton, "b__Head__", head);
        model_place(skeleton, "b__L_Toe__", toe);
        model_place(skeleton, "b__L_Foot__", ankle);
        model_place(skeleton, "b__L_Hand__", left);
        model_place(skeleton, "b__R_Hand__", right);
        ck_assert_float_eq_tol(head[1], 1.66f * size, 0.01f);
        ck_assert(fabsf(toe[1]) < 0.01f);
        ck_assert_msg(toe[2] > ankle[2] + 0.05f, "feet point forwards");
        ck_assert_msg(left[0] > 0.5f * size, "the left side is at +X");
        ck_assert_float_eq_tol(left[0], -right[0], 1e-5f);
        ck_assert_float_eq_tol(left[1], right[1], 1e-5f);
        ck_assert_msg(left[1] > 1 * size && left[1] < 1.2f * size, "the arms are half lowered");
        pose_document_free(document);
    }
}

TEST(sims3_pets_stand_on_four_feet)
{
    static const char *const paws[] = {"b__L_Mid0__", "b__R_Mid0__", "b__L_Toe0__", "b__R_Toe0__"};
    struct pose_document *document = load_named(sims3_names[2]);
    const struct pose_skeleton *skeleton = &document->skeletons[0];
    float head[3], tail[3], place[3];
    model_place(skeleton, "b__Head__", head);
    model_place(skeleton, "b__Tail8__", tail);
    ck_assert_msg(head[2] > 0.1f && head[1] > 0.65f, "the head is in front and above");
    ck_assert_msg(tail[2] < -0.5f, "the tail is behind");
    for (int i = 0; i < 4; i++) {
        model_place(skeleton, paws[i], place);
        ck_assert_msg(place[1] > -0.03f && place[1] < 0.1f, "%s is at %.3f", paws[i], (double)place[1]);
        ck_assert_msg((place[0] > 0) == (paws[i][3] == 'L'), "%s is on the wrong side", paws[i]);
        ck_assert((place[2] > -0.15f) == (i < 2));
    }
    pose_document_free(document);
}

/* By the game's own naming of clips. */
TEST(sims3_clips_take_theirs)
{
    static const char *const clips[][2] = {{"a_walk_x", "adult"}, {"c_walk_x", "child"},
                                           {"p_walk_x", "child"}, {"ad_walk_x", "pet"},
                                           {"cc_walk_x", "pet"},  {"ah_walk_x", "pet"}};
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        const struct pose_naming clip = {.format = "sims3-clip", .kind = "clip", .name = clips[i][0]};
        for (size_t k = 0; k < 3; k++)
            ck_assert_msg(pose_made_for(&clip, sims3_names[k]) ==
                              (strstr(sims3_names[k], clips[i][1]) != NULL),
                          "%s on %s", clips[i][0], sims3_names[k]);
    }
}
