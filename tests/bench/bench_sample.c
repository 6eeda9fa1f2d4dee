/*
 * Sampling and model space on a clip of 60 joints, against the way that everyone writes first: a binary search and a
 * slerp a joint, a matrix product a joint.
 */
#include "lib/sample/sampler.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 60, FRAMES = 300, SPARSE_KEYS = 20, MOMENTS = 1024 };

/* ------------------------------------------------------------------------------------------------- the clip -- */

struct bench_clip {
    struct pose_clip clip;
    struct pose_track tracks[JOINTS];
    struct pose_skeleton skeleton;
    struct pose_joint joints[JOINTS];
    char names[JOINTS][8];
    float times[JOINTS][FRAMES];
    float rotations[JOINTS][FRAMES][4];
    float translations[FRAMES][3];
};

/* -1 ... 1. */
static float random_float(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) / 8388608.0f - 1;
}

/* Keys some degrees apart, as motion has them; step is how far. */
static void turn(float rotations[][4], uint32_t count, float step)
{
    float q[4] = {random_float(), random_float(), random_float(), random_float()};
    for (uint32_t k = 0; k < count; k++) {
        float square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] += random_float() * step;
            square += q[i] * q[i];
        }
        for (int i = 0; i < 4; i++)
            rotations[k][i] = q[i] = q[i] / sqrtf(square);
    }
}

static void make_clip(struct bench_clip *bench, enum pose_rules rules, enum pose_axes axes, uint32_t keys,
                      bool shared, float step)
{
    float duration = FRAMES / 30.0f;
    for (uint32_t j = 0; j < JOINTS; j++) {
        snprintf(bench->names[j], sizeof bench->names[j], "j%u", j);
        for (uint32_t k = 0; k < keys; k++) {
            float jitter = shared ? 0 : 0.4f * random_float();
            float at = ((float)k + jitter) / (float)(keys - 1);
            bench->times[j][k] = duration * fminf(fmaxf(at, 0), 1);
        }
        turn(bench->rotations[j], keys, step);
        bench->tracks[j] = (struct pose_track){.name = bench->names[j]};
        bench->tracks[j].channels[POSE_ROTATION] =
            (struct pose_channel){keys, bench->times[shared ? 0 : j], bench->rotations[j][0]};
        bench->joints[j] = (struct pose_joint){.name = bench->names[j],
                                               .parent = j ? (int32_t)((j - 1) / 2) : -1,
                                               .translation = {0, 0.2f, 0.01f},
                                               .rotation = {0, 0, 0, 1},
                                               .scale = {1, 1, 1}};
    }
    for (uint32_t k = 0; k < keys; k++)
        bench->translations[k][1] = random_float();
    bench->tracks[0].channels[POSE_TRANSLATION] =
        (struct pose_channel){keys, bench->times[0], bench->translations[0]};
    bench->clip = (struct pose_clip){.rules = rules,
                                     .axes = axes,
                                     .duration = duration,
                                     .loop_out = duration,
                                     .fps = 30,
                                     .track_count = JOINTS,
                                     .tracks = bench->tracks};
    bench->skeleton = (struct pose_skeleton){
        .axes = axes, .joint_count = JOINTS, .joints = bench->joints, .root_joint = -1};
}

/* ------------------------------------------------------------------------------------------ the simple way -- */

struct sampling {
    const struct bench_clip *bench;
    struct pose_sampler *sampler;
    struct sample_kernels kernels;
    double moments[MOMENTS];
    float rows[JOINTS * ROW_FLOATS], matrices[JOINTS * 16];
};

static void slerp(const float *a, const float *b, float u, float *out)
{
    float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = cosine < 0 ? -1 : 1;
    float from = 1 - u, to = u;
    if (cosine * sign < 0.9995f) {
        float angle = acosf(cosine * sign), whole = sinf(angle);
        from = sinf(angle * (1 - u)) / whole;
        to = sinf(angle * u) / whole;
    }
    for (int i = 0; i < 4; i++)
        out[i] = from * a[i] + to * sign * b[i];
}

static uint32_t find_key(const float *times, uint32_t count, float t)
{
    uint32_t low = 0, high = count - 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void sample_simply(void *subject)
{
    struct sampling *sampling = subject;
    for (int m = 0; m < MOMENTS; m++) {
        float t = (float)sampling->moments[m];
        for (uint32_t j = 0; j < JOINTS; j++) {
            const struct pose_channel *channel = &sampling->bench->tracks[j].channels[POSE_ROTATION];
            uint32_t k = find_key(channel->times, channel->count, t);
            float u = (t - channel->times[k]) / (channel->times[k + 1] - channel->times[k]);
            slerp(channel->values + 4 * (size_t)k, channel->values + 4 * (size_t)k + 4, fminf(fmaxf(u, 0), 1),
                  sampling->rows + j * ROW_FLOATS + ROTATION_PLACE);
        }
    }
    bench_use(sampling->rows);
}

static void local_matrix(const float *row, float *m)
{
    const float x = row[3], y = row[4], z = row[5], w = row[6], *s = row + SCALE_PLACE;
    const float local[16] = {(1 - 2 * (y * y + z * z)) * s[0],
                             2 * (x * y + w * z) * s[0],
                             2 * (x * z - w * y) * s[0],
                             0,
                             2 * (x * y - w * z) * s[1],
                             (1 - 2 * (x * x + z * z)) * s[1],
                             2 * (y * z + w * x) * s[1],
                             0,
                             2 * (x * z + w * y) * s[2],
                             2 * (y * z - w * x) * s[2],
                             (1 - 2 * (x * x + y * y)) * s[2],
                             0,
                             row[0],
                             row[1],
                             row[2],
                             1};
    memcpy(m, local, sizeof local);
}

static void multiply(const float *a, const float *b, float *out)
{
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            float sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * k + row] * b[4 * column + k];
            out[4 * column + row] = sum;
        }
    }
}

static void to_model_simply(void *subject)
{
    struct sampling *sampling = subject;
    for (int m = 0; m < MOMENTS; m++) {
        for (uint32_t j = 0; j < JOINTS; j++) {
            float local[16], *matrix = sampling->matrices + 16 * j;
            int32_t parent = sampling->bench->joints[j].parent;
            local_matrix(sampling->rows + j * ROW_FLOATS, parent < 0 ? matrix : local);
            if (parent >= 0)
                multiply(sampling->matrices + 16 * parent, local, matrix);
        }
        bench_use(sampling->matrices);
    }
}

/* ------------------------------------------------------------------------------------------------- the work -- */

static void sample_moments(void *subject)
{
    struct sampling *sampling = subject;
    sampling->sampler->kernels = sampling->kernels;
    for (int i = 0; i < MOMENTS; i++)
        pose_sample(sampling->sampler, sampling->moments[i], POSE_WRAP, 0, sampling->rows, NULL);
    bench_use(sampling->rows);
}

static void to_model(void *subject)
{
    struct sampling *sampling = subject;
    for (int i = 0; i < MOMENTS; i++)
        pose_model(sampling->sampler, sampling->rows, sampling->matrices);
    bench_use(sampling->matrices);
}

static void compile(void *subject)
{
    const struct bench_clip *bench = subject;
    struct pose_sampler *sampler =
        pose_sampler_new(&bench->clip, &bench->skeleton, POSE_AXES_GLTF, NULL, NULL);
    if (!sampler)
        abort();
    bench_use(sampler);
    pose_sampler_free(sampler);
}

static struct sampling *new_sampling(const struct bench_clip *bench, bool ordered, bool scalar)
{
    struct sampling *sampling = calloc(1, sizeof *sampling);
    if (!sampling)
        abort();
    sampling->bench = bench;
    sampling->sampler = pose_sampler_new(&bench->clip, &bench->skeleton, POSE_AXES_GLTF, NULL, NULL);
    if (!sampling->sampler)
        abort();
    sampling->kernels = scalar ? sample_kernels_scalar(bench->clip.rules) : sampling->sampler->kernels;
    for (int i = 0; i < MOMENTS; i++) {
        double at = ordered ? (double)i / MOMENTS : (double)(random_float() + 1) / 2;
        sampling->moments[i] = at * (double)bench->clip.duration;
    }
    return sampling;
}

static void free_sampling(struct sampling *sampling)
{
    pose_sampler_free(sampling->sampler);
    free(sampling);
}

static void compare_sampling(const char *heading, const struct bench_clip *bench)
{
    struct sampling *at_random = new_sampling(bench, false, false),
                    *scalar = new_sampling(bench, false, true);
    struct sampling *forward = new_sampling(bench, true, false);
    const struct bench_contestant contestants[] = {
        {"binary search and slerp, random times", sample_simply, at_random, (double)MOMENTS * JOINTS},
        {"scalar kernels, random times", sample_moments, scalar, (double)MOMENTS * JOINTS},
        {"random times", sample_moments, at_random, (double)MOMENTS * JOINTS},
        {"forward times", sample_moments, forward, (double)MOMENTS * JOINTS},
    };
    bench_compare_times(heading, "ns a joint", contestants, sizeof contestants / sizeof *contestants);
    free_sampling(at_random);
    free_sampling(scalar);
    free_sampling(forward);
}

static void compare_model(struct bench_clip *bench)
{
    bench->skeleton.scaling = POSE_SCALE_OFFSETS;
    struct sampling *offsets = new_sampling(bench, false, false);
    struct pose_skeleton inheriting = bench->skeleton;
    inheriting.scaling = POSE_SCALE_INHERITED;
    struct sampling *inherited = new_sampling(bench, false, false);
    inherited->sampler->skeleton = &inheriting;
    sample_moments(offsets);
    sample_moments(inherited);
    const struct bench_contestant contestants[] = {
        {"a matrix product a joint", to_model_simply, inherited, (double)MOMENTS * JOINTS},
        {"scale inherited", to_model, inherited, (double)MOMENTS * JOINTS},
        {"scale of offsets", to_model, offsets, (double)MOMENTS * JOINTS},
    };
    bench_compare_times("local to model", "ns a joint", contestants,
                        sizeof contestants / sizeof *contestants);
    free_sampling(offsets);
    free_sampling(inherited);
}

static void run(void)
{
    struct bench_clip *bench = calloc(1, sizeof *bench);
    if (!bench)
        abort();
    make_clip(bench, POSE_RULES_SIMS, POSE_AXES_SIMS, FRAMES, true, 0.02f);
    compare_sampling("uniform keys, The Sims", bench);
    const struct bench_contestant compiling = {"60 joints x 300 keys", compile, bench, JOINTS * FRAMES};
    bench_compare_times("compiling a sampler", "ns a key", &compiling, 1);
    make_clip(bench, POSE_RULES_PRIME, POSE_AXES_PRIME, FRAMES, true, 0.02f);
    compare_sampling("uniform keys, Prime", bench);
    make_clip(bench, POSE_RULES_PLAIN, POSE_AXES_GLTF, FRAMES, true, 0.5f);
    compare_sampling("uniform keys far apart, glTF", bench);
    make_clip(bench, POSE_RULES_SL, POSE_AXES_SL, SPARSE_KEYS, false, 0.1f);
    compare_sampling("sparse keys, Second Life", bench);
    make_clip(bench, POSE_RULES_SIMS3, POSE_AXES_GLTF, SPARSE_KEYS, false, 0.5f);
    compare_sampling("sparse keys far apart, The Sims 3", bench);
    compare_model(bench);
    free(bench);
}

const struct bench_part bench_sample = {"sample", run};
