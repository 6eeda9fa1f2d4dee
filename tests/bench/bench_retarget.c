/*
 * Retargeting: a walk of a person of The Sims on Second Life's avatar, both as shipped, beside plain sampling of the clip
 * and model space of the avatar; what is built once for it; and a minute of it as a clip of its own.
 */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 1801, MOMENTS = 256, ROW = 10, MATRIX = 16, MAX_JOINTS = 512 };

struct walk {
    struct pose_document *source, *target;
    struct pose_clip clip;
    struct pose_track *tracks;
    float *times, *rotations, *ways;
    struct pose_humanoid *people[2];
    struct pose_sampler *plain;
    struct pose_retarget *retargets[2]; /* without feet, with them */
    struct pose_retarget *chosen;
    void *scratch;
    float rows[MAX_JOINTS * ROW], matrices[MAX_JOINTS * MATRIX];
};

/* A stand-in by the game that it is of. */
static struct pose_document *open_figure(const char *family)
{
    for (unsigned i = 0;; i++) {
        struct pose_document *document = pose_stand_in(i, NULL, NULL);
        if (!document)
            return NULL;
        const struct pose_format *format = pose_format_find(document->format);
        if (format && format->family && !strcmp(format->family, family))
            return document;
        pose_document_free(document);
    }
}

/* A key on each frame of every joint; feet rise and fall. */
static void make_clip(struct walk *walk)
{
    const struct pose_skeleton *skeleton = &walk->source->skeletons[0];
    uint32_t count = skeleton->joint_count;
    walk->tracks = calloc(count, sizeof *walk->tracks);
    walk->times = calloc(FRAMES, sizeof *walk->times);
    walk->rotations = calloc((size_t)count * FRAMES, 4 * sizeof *walk->rotations);
    walk->ways = calloc(FRAMES, 3 * sizeof *walk->ways);
    for (uint32_t k = 0; k < FRAMES; k++) {
        walk->times[k] = (float)k / 30;
        memcpy(walk->ways + 3 * (size_t)k, skeleton->joints[0].translation, 3 * sizeof *walk->ways);
        walk->ways[3 * (size_t)k + 1] += 0.02f * sinf(0.3f * (float)k);
    }
    for (uint32_t i = 0; i < count; i++) {
        float *rotations = walk->rotations + (size_t)i * FRAMES * 4;
        for (uint32_t k = 0; k < FRAMES; k++) {
            const float *r = skeleton->joints[i].rotation;
            float a = 0.15f * sinf(0.2f * (float)k + (float)i), s = sinf(a), c = cosf(a);
            /* r, then about z. */
            const float q[4] = {r[0] * c + r[1] * s, r[1] * c - r[0] * s, r[2] * c + r[3] * s,
                                r[3] * c - r[2] * s};
            memcpy(rotations + 4 * (size_t)k, q, sizeof q);
        }
        walk->tracks[i].name = skeleton->joints[i].name;
        walk->tracks[i].channels[POSE_ROTATION] = (struct pose_channel){FRAMES, walk->times, rotations};
    }
    walk->tracks[0].channels[POSE_TRANSLATION] = (struct pose_channel){FRAMES, walk->times, walk->ways};
    walk->clip = (struct pose_clip){.axes = skeleton->axes,
                                    .rules = POSE_RULES_SIMS,
                                    .duration = (FRAMES - 1) / 30.0f,
                                    .loop_out = (FRAMES - 1) / 30.0f,
                                    .fps = 30,
                                    .track_count = count,
                                    .tracks = walk->tracks};
}

static void must(const void *thing, const struct pose_error *error)
{
    if (thing)
        return;
    fprintf(stderr, "bench: %s\n", error->detail);
    exit(EXIT_FAILURE);
}

static void open_walk(struct walk *walk)
{
    struct pose_error error = {0};
    walk->source = open_figure("sims");
    walk->target = open_figure("sl");
    must(walk->source && walk->target ? walk : NULL, &error);
    make_clip(walk);
    walk->people[0] = pose_humanoid_new(&walk->source->skeletons[0], NULL, 0, NULL, &error);
    must(walk->people[0], &error);
    walk->people[1] = pose_humanoid_new(&walk->target->skeletons[0], NULL, 0, NULL, &error);
    must(walk->people[1], &error);
    walk->plain = pose_sampler_new(&walk->clip, &walk->source->skeletons[0], POSE_AXES_GLTF, NULL, &error);
    must(walk->plain, &error);
    for (unsigned feet = 0; feet < 2; feet++) {
        const struct pose_retarget_options wishes = {.flags = feet ? POSE_RETARGET_FEET : 0,
                                                     .axes = POSE_AXES_GLTF};
        walk->retargets[feet] =
            pose_retarget_new(&walk->clip, walk->people[0], walk->people[1], &wishes, NULL, &error);
        must(walk->retargets[feet], &error);
    }
    walk->scratch = malloc(pose_retarget_scratch(walk->retargets[1]));
}

static void close_walk(struct walk *walk)
{
    for (unsigned i = 0; i < 2; i++) {
        pose_retarget_free(walk->retargets[i]);
        pose_humanoid_free(walk->people[i]);
    }
    pose_sampler_free(walk->plain);
    pose_document_free(walk->source);
    pose_document_free(walk->target);
    free(walk->tracks);
    free(walk->times);
    free(walk->rotations);
    free(walk->ways);
    free(walk->scratch);
}

static double moment(const struct walk *walk, int i)
{
    return (double)walk->clip.duration * ((i * 97) % MOMENTS) / MOMENTS;
}

static void run_plain(void *subject)
{
    struct walk *walk = subject;
    for (int i = 0; i < MOMENTS; i++) {
        pose_sample(walk->plain, moment(walk, i), POSE_CLAMP, 0, walk->rows, NULL);
        pose_model(walk->plain, walk->rows, walk->matrices);
    }
    bench_use(walk->matrices);
}

static void run_samples(struct walk *walk, const struct pose_retarget *retarget)
{
    for (int i = 0; i < MOMENTS; i++)
        pose_retarget_sample(retarget, moment(walk, i), POSE_CLAMP, 0, walk->rows, walk->scratch);
    bench_use(walk->rows);
}

static void run_none(void *subject)
{
    struct walk *walk = subject;
    run_samples(walk, walk->retargets[0]);
}

static void run_feet(void *subject)
{
    struct walk *walk = subject;
    run_samples(walk, walk->retargets[1]);
}

static void run_figure(struct walk *walk, unsigned which)
{
    const struct pose_document *document = which ? walk->target : walk->source;
    pose_humanoid_free(pose_humanoid_new(&document->skeletons[0], NULL, 0, NULL, NULL));
}

static void run_source(void *subject)
{
    run_figure(subject, 0);
}

static void run_target(void *subject)
{
    run_figure(subject, 1);
}

static void run_compile(void *subject)
{
    struct walk *walk = subject;
    const struct pose_retarget_options wishes = {.flags = POSE_RETARGET_FEET, .axes = POSE_AXES_GLTF};
    pose_retarget_free(pose_retarget_new(&walk->clip, walk->people[0], walk->people[1], &wishes, NULL, NULL));
}

static void run_bake(void *subject)
{
    struct walk *walk = subject;
    const struct pose_retarget_baking baking = {.to = "sl-anim", .fps = 30, .tolerance = 0.05};
    pose_document_free(pose_retarget_bake(walk->retargets[1], &baking, NULL, NULL, NULL, NULL));
}

static void run(void)
{
    struct walk *walk = calloc(1, sizeof *walk);
    char title[80];
    open_walk(walk);
    const struct pose_retarget_report *report = pose_retarget_report(walk->retargets[0]);
    const struct bench_contestant poses[] = {{"plain, and its model space", run_plain, walk, MOMENTS},
                                             {"retargeted, no feet", run_none, walk, MOMENTS},
                                             {"retargeted, feet standing", run_feet, walk, MOMENTS}};
    snprintf(title, sizeof title, "a pose of %u bones (goal 1200 ns, 3)", report->driven_count);
    bench_compare_times(title, "ns/pose", poses, sizeof poses / sizeof *poses);
    char source[64], target[64];
    snprintf(source, sizeof source, "a person of %u joints", walk->source->skeletons[0].joint_count);
    snprintf(target, sizeof target, "a person of %u joints (goal 100000)",
             walk->target->skeletons[0].joint_count);
    const struct bench_contestant once[] = {
        {source, run_source, walk, 1},
        {target, run_target, walk, 1},
        {"what goes from one to the other", run_compile, walk, 1},
        {"a minute of it at 30 fps (goal 20000000)", run_bake, walk, 1},
    };
    bench_compare_times("once for all poses", "ns", once, sizeof once / sizeof *once);
    close_walk(walk);
    free(walk);
}

const struct bench_part bench_retarget = {"retarget", run};
