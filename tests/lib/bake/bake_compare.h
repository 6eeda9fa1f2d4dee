/* How far two clips are apart, in glTF's axes, at many moments: each joint by itself, or in model space on a skeleton. */
#ifndef TESTS_LIB_MODEL_BAKE_COMPARE_H
#define TESTS_LIB_MODEL_BAKE_COMPARE_H

#include "pose.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gap {
    double angle;    /* radians, of a joint by itself */
    double length;   /* metres, likewise */
    double place;    /* metres, of a joint in model space */
    uint32_t joints; /* that were compared at a moment */
    uint64_t looks;  /* joints, over all moments */
    uint64_t off;    /* those of them that are more than 0.01 rad or 2 mm off */
};

static inline double gap_of_rotations(const float *a, const float *b)
{
    double plus = 0, minus = 0;
    for (int i = 0; i < 4; i++) {
        plus += pow((double)a[i] + (double)b[i], 2);
        minus += pow((double)a[i] - (double)b[i], 2);
    }
    return 4 * asin(fmin(sqrt(fmin(plus, minus)) / 2, 1));
}

static inline double gap_of_vectors(const float *a, const float *b)
{
    return sqrt(pow((double)a[0] - (double)b[0], 2) + pow((double)a[1] - (double)b[1], 2) +
                pow((double)a[2] - (double)b[2], 2));
}

/* The row of the other clip for a joint of that name: by it, by the hash of it, or by the number in "joint_7". */
static inline int64_t gap_find(const struct pose_sampler *sampler, const struct pose_row *wanted,
                               const char *(*rename)(const char *))
{
    const struct pose_row *rows = pose_sampler_rows(sampler);
    const char *name = wanted->name && rename ? rename(wanted->name) : wanted->name;
    struct pose_sims3_name hashes = {0};
    if (name)
        pose_sims3_hash(name, &hashes);
    uint32_t number =
        name && !strncmp(name, "joint_", 6) ? (uint32_t)strtoul(name + 6, NULL, 10) : UINT32_MAX;
    for (uint32_t i = 0; i < pose_sampler_row_count(sampler); i++) {
        if (rows[i].name && name && !strcmp(rows[i].name, name))
            return i;
        if (!name && wanted->has_id && rows[i].has_id && rows[i].id == wanted->id)
            return i;
        if (name && rows[i].has_id && (rows[i].id == hashes.fnv32 || rows[i].id == number))
            return i;
    }
    return -1;
}

static inline void gap_at(const struct pose_sampler *a, const struct pose_sampler *b, double t,
                          enum pose_wrap wrap, const char *(*rename)(const char *), bool is_model,
                          struct gap *gap)
{
    uint32_t a_count = pose_sampler_row_count(a), b_count = pose_sampler_row_count(b);
    float *x = calloc(a_count + 1, 26 * sizeof *x), *y = calloc(b_count + 1, 26 * sizeof *y);
    pose_sample(a, t, POSE_CLAMP, 0, x, NULL);
    pose_sample(b, t, wrap, 0, y, NULL);
    float *x_model = x + 10 * (a_count + 1), *y_model = y + 10 * (b_count + 1);
    if (is_model) {
        pose_model(a, x, x_model);
        pose_model(b, y, y_model);
    }
    gap->joints = 0;
    for (uint32_t i = 0; i < a_count; i++) {
        const struct pose_row *row = &pose_sampler_rows(a)[i];
        int64_t j = gap_find(b, row, is_model ? NULL : rename);
        if (j < 0)
            continue;
        gap->joints++;
        const struct pose_row *other = &pose_sampler_rows(b)[j];
        double angle = 0, length = 0;
        if (row->has[1] && other->has[1])
            angle = gap_of_rotations(x + 10 * i + 3, y + 10 * j + 3);
        if (row->has[0] && other->has[0])
            length = gap_of_vectors(x + 10 * i, y + 10 * j);
        gap->angle = fmax(gap->angle, angle);
        gap->length = fmax(gap->length, length);
        gap->looks++;
        gap->off += angle > 0.01 || length > 0.002;
        if (is_model)
            gap->place = fmax(gap->place, gap_of_vectors(x_model + 16 * i + 12, y_model + 16 * j + 12));
    }
    free(x);
    free(y);
}

/*
 * moments from 0 to before the shorter of the durations; a clip of The Sims that is to go round (b, of the duration of
 * a) is played as a loop, for its last frame leads to the first one. skeleton NULL: each joint by itself, with the names of b made of
 * those of a by rename (NULL: the same).
 */
static inline struct gap gap_between(const struct pose_clip *a, const struct pose_clip *b,
                                     const struct pose_skeleton *skeleton,
                                     const char *(*rename)(const char *), int moments)
{
    struct gap gap = {0};
    struct pose_error error;
    struct pose_sampler *x = pose_sampler_new(a, skeleton, POSE_AXES_GLTF, NULL, &error);
    ck_assert_msg(x != NULL, "%s", error.detail);
    struct pose_sampler *y = pose_sampler_new(b, skeleton, POSE_AXES_GLTF, NULL, &error);
    ck_assert_msg(y != NULL, "%s", error.detail);
    double duration = fmin((double)a->duration, (double)b->duration);
    bool goes_round = b->rules == POSE_RULES_SIMS && a->rules != POSE_RULES_SIMS &&
                      fabsf(a->duration - b->duration) < 0.002f;
    for (int i = 0; i < moments; i++) {
        double t = duration * (i + 0.003) / moments;
        gap_at(x, y, t, goes_round ? POSE_WRAP : POSE_CLAMP, rename, skeleton != NULL, &gap);
    }
    pose_sampler_free(x);
    pose_sampler_free(y);
    return gap;
}

#endif
