/* A clip of 60 joints by 300 frames as a GLB: the library alone, against a copy of the file that comes out. */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 60, FRAMES = 300 };

struct figure {
    struct pose_clip clip;
    struct pose_skeleton skeleton;
    struct pose_track tracks[JOINTS];
    struct pose_joint joints[JOINTS];
    char names[JOINTS][12];
    float times[FRAMES], turns[JOINTS][FRAMES][4], places[FRAMES][3];
    size_t size; /* of the GLB */
    uint8_t *glb, *copy;
};

static void make_joint(struct figure *figure, int joint)
{
    for (int k = 0; k < FRAMES; k++) {
        double angle = 0.4 * sin(k * (0.02 + 0.002 * joint));
        float *turn = figure->turns[joint][k];
        turn[0] = (float)(0.6 * sin(angle));
        turn[2] = (float)(0.8 * sin(angle));
        turn[3] = (float)cos(angle);
    }
    snprintf(figure->names[joint], sizeof figure->names[joint], "joint%d", joint);
    figure->tracks[joint].name = figure->joints[joint].name = figure->names[joint];
    figure->tracks[joint].channels[POSE_ROTATION] =
        (struct pose_channel){FRAMES, figure->times, figure->turns[joint][0]};
    /* Five limbs of a dozen joints. */
    figure->joints[joint] = (struct pose_joint){.name = figure->names[joint],
                                                .parent = joint == 0        ? -1
                                                          : joint % 12 == 0 ? 0
                                                                            : joint - 1,
                                                .translation = {0, 0.1f, 0},
                                                .rotation = {0, 0, 0, 1},
                                                .scale = {1, 1, 1}};
}

static struct figure *make_figure(enum pose_rules rules)
{
    struct figure *figure = calloc(1, sizeof *figure);
    if (!figure)
        abort();
    for (int k = 0; k < FRAMES; k++) {
        figure->times[k] = (float)(k / 30.0);
        figure->places[k][1] = 1 + 0.1f * sinf(0.05f * (float)k);
    }
    for (int joint = 0; joint < JOINTS; joint++)
        make_joint(figure, joint);
    figure->tracks[0].channels[POSE_TRANSLATION] =
        (struct pose_channel){FRAMES, figure->times, figure->places[0]};
    figure->clip = (struct pose_clip){.name = "bench",
                                      .axes = POSE_AXES_SL,
                                      .rules = rules,
                                      .duration = (float)((FRAMES - 1) / 30.0),
                                      .fps = 30,
                                      .track_count = JOINTS,
                                      .tracks = figure->tracks,
                                      .key_count = (JOINTS + 1) * FRAMES};
    figure->skeleton = (struct pose_skeleton){.name = "bench",
                                              .axes = POSE_AXES_SL,
                                              .joint_count = JOINTS,
                                              .joints = figure->joints,
                                              .root_joint = -1};
    return figure;
}

static struct pose_buffer encode(const struct figure *figure)
{
    struct pose_content content = {
        .clip_count = 1, .clips = &figure->clip, .skeleton_count = 1, .skeletons = &figure->skeleton};
    struct pose_buffer glb = {0};
    if (!pose_encode("gltf", &content, NULL, NULL, NULL, &glb, NULL))
        abort();
    return glb;
}

static void write_glb(void *subject)
{
    struct pose_buffer glb = encode(subject);
    bench_use(glb.data);
    pose_buffer_free(&glb);
}

static void copy_glb(void *subject)
{
    struct figure *figure = subject;
    memcpy(figure->copy, figure->glb, figure->size);
    bench_use(figure->copy);
}

static void run(void)
{
    struct figure *plain = make_figure(POSE_RULES_PLAIN), *sl = make_figure(POSE_RULES_SL),
                  *sims = make_figure(POSE_RULES_SIMS), *prime = make_figure(POSE_RULES_PRIME),
                  *frames = make_figure(POSE_RULES_PRIME_FRAMES);
    struct pose_buffer glb = encode(plain);
    plain->glb = glb.data;
    plain->size = glb.size;
    plain->copy = malloc(glb.size);
    if (!plain->copy)
        abort();
    const struct bench_contestant rows[] = {
        {"memcpy of the GLB", copy_glb, plain, 1},
        {"clip on a skeleton to GLB", write_glb, plain, 1},
        {"the same of Second Life (nlerp)", write_glb, sl, 1},
        {"the same of The Sims (nlerp)", write_glb, sims, 1},
        {"the same of Metroid Prime", write_glb, prime, 1},
        {"the same, a key on every frame", write_glb, frames, 1},
    };
    bench_compare("60 joints by 300 frames as glTF", "clips/s", 1, rows, sizeof rows / sizeof *rows);
    free(plain->copy);
    pose_buffer_free(&glb);
    free(plain);
    free(sl);
    free(sims);
    free(prime);
    free(frames);
}

const struct bench_part bench_gltf = {"gltf", run};
