/* The shipped skeletons: whole, plausible, and under the games' own names. */
#include "lib/model/stand_in.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

START_TEST(all_are_well_formed)
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
END_TEST

START_TEST(sl_stands_upright)
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
END_TEST

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

START_TEST(sl_sides_mirror)
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
END_TEST

static void *refuse(void *user, size_t size)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void give_back(void *user, void *memory)
{
    (void)user;
    free(memory);
}

START_TEST(memory_may_run_out)
{
    bool done = false;
    for (int allowed = 0; !done; allowed++) {
        int left = allowed;
        struct pose_allocator allocator = {refuse, give_back, &left};
        struct pose_options options = {.allocator = &allocator};
        struct pose_error error;
        struct pose_document *document = pose_stand_in(0, &options, &error);
        done = document != NULL;
        if (!done)
            ck_assert_int_eq(error.status, POSE_NO_MEMORY);
        pose_document_free(document);
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("stand-ins");
    tcase_add_test(cases, all_are_well_formed);
    tcase_add_test(cases, sl_stands_upright);
    tcase_add_test(cases, sl_sides_mirror);
    tcase_add_test(cases, memory_may_run_out);
    return unit_run("stand_in", cases, NULL);
}
