/* Several clips together on 60 joints, beside one clip alone: as Second Life's viewer mixes them, and by weights. */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 60, KEYS = 20, MOMENTS = 256, CLIPS = POSE_SL_LAYERS };

#define DURATION 10.0f

struct bench_mix {
    struct pose_skeleton skeleton;
    struct pose_joint joints[JOINTS];
    char names[JOINTS][8];
    float times[KEYS], rotations[CLIPS][JOINTS][KEYS][4];
    struct pose_track tracks[CLIPS][JOINTS];
    struct pose_clip clips[CLIPS];
    struct pose_sampler *samplers[CLIPS];
    float rows[CLIPS + 1][JOINTS][10];
};

static void make_clip(struct bench_mix *bench, int c)
{
    for (int j = 0; j < JOINTS; j++) {
        for (int k = 0; k < KEYS; k++) {
            double angle = 0.3 * sin(0.7 * k + j + 3 * c);
            bench->rotations[c][j][k][j % 3] = (float)sin(angle / 2);
            bench->rotations[c][j][k][3] = (float)cos(angle / 2);
        }
        bench->tracks[c][j] = (struct pose_track){
            .name = bench->names[j],
            .channels = {[POSE_ROTATION] = {KEYS, bench->times, bench->rotations[c][j][0]}}};
    }
    bench->clips[c] = (struct pose_clip){.axes = POSE_AXES_SL,
                                         .rules = POSE_RULES_SL,
                                         .duration = DURATION,
                                         .loop = POSE_LOOP_YES,
                                         .loop_out = DURATION,
                                         .track_count = JOINTS,
                                         .tracks = bench->tracks[c]};
    bench->samplers[c] = pose_sampler_new(&bench->clips[c], &bench->skeleton, POSE_AXES_SL, NULL, NULL);
    if (!bench->samplers[c])
        abort();
}

static struct bench_mix *make(void)
{
    struct bench_mix *bench = calloc(1, sizeof *bench);
    if (!bench)
        abort();
    for (int j = 0; j < JOINTS; j++) {
        snprintf(bench->names[j], sizeof bench->names[j], "j%d", j);
        bench->joints[j] = (struct pose_joint){
            .name = bench->names[j], .parent = j - 1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    }
    bench->skeleton = (struct pose_skeleton){
        .axes = POSE_AXES_SL, .joint_count = JOINTS, .joints = bench->joints, .root_joint = -1};
    for (int k = 0; k < KEYS; k++)
        bench->times[k] = DURATION * (float)k / (KEYS - 1);
    for (int c = 0; c < CLIPS; c++)
        make_clip(bench, c);
    return bench;
}

static void free_bench(struct bench_mix *bench)
{
    for (int c = 0; c < CLIPS; c++)
        pose_sampler_free(bench->samplers[c]);
    free(bench);
}

static void sample_one(void *subject)
{
    struct bench_mix *bench = subject;
    for (int i = 0; i < MOMENTS; i++)
        pose_sample(bench->samplers[0], DURATION * (i + 0.5) / MOMENTS, POSE_CLAMP, 0, bench->rows[0][0],
                    NULL);
    bench_use(bench->rows);
}

static void blend_three(void *subject)
{
    struct bench_mix *bench = subject;
    struct pose_layer layers[3];
    for (int i = 0; i < MOMENTS; i++) {
        for (int c = 0; c < 3; c++) {
            pose_sample(bench->samplers[c], DURATION * (i + 0.5) / MOMENTS, POSE_CLAMP, 0,
                        bench->rows[c + 1][0], NULL);
            layers[c] = (struct pose_layer){bench->rows[c + 1][0], (float)(c + 1), NULL};
        }
        pose_mix(layers, 3, JOINTS, bench->rows[0][0]);
    }
    bench_use(bench->rows);
}

/* A mix, and the part of time that is looked at. */
struct playing {
    struct bench_mix *bench;
    struct pose_sl_mix *mix;
    void *scratch;
    double from, to;
};

/* stop: when the layers are stopped, one after the other. */
static struct playing play(struct bench_mix *bench, uint32_t layers, double stop, double from, double to)
{
    struct pose_sl_layer list[CLIPS];
    for (uint32_t i = 0; i < layers; i++)
        list[i] = (struct pose_sl_layer){
            .clip = &bench->clips[i], .start = 0.1 * i, .stop = stop + 0.1 * i, .priority = -1};
    const struct pose_sl_mix_options how = {.axes = POSE_AXES_SL};
    struct playing playing = {.bench = bench, .from = from, .to = to};
    playing.mix = pose_sl_mix_new(list, layers, &bench->skeleton, &how, NULL, NULL);
    if (!playing.mix)
        abort();
    playing.scratch = malloc(pose_sl_mix_scratch(playing.mix));
    if (!playing.scratch)
        abort();
    return playing;
}

static void stop_playing(struct playing *playing)
{
    pose_sl_mix_free(playing->mix);
    free(playing->scratch);
}

static void sample_mix(void *subject)
{
    struct playing *playing = subject;
    for (int i = 0; i < MOMENTS; i++)
        pose_sl_mix_sample(playing->mix, playing->from + (playing->to - playing->from) * i / MOMENTS,
                           playing->bench->rows[0][0], playing->scratch);
    bench_use(playing->bench->rows);
}

static void run(void)
{
    struct bench_mix *bench = make();
    struct playing one = play(bench, 1, INFINITY, 1, 9), three = play(bench, 3, INFINITY, 1, 9),
                   sixteen = play(bench, 16, INFINITY, 2, 9), over = play(bench, 3, 2, 10, 20);
    const double amount = (double)MOMENTS * JOINTS;
    const struct bench_contestant rows[] = {
        {"one clip, pose_sample", sample_one, bench, amount},
        {"three by weights, pose_mix", blend_three, bench, amount},
        {"one, as the viewer mixes", sample_mix, &one, amount},
        {"three, as the viewer mixes", sample_mix, &three, amount},
        {"sixteen, as the viewer mixes", sample_mix, &sixteen, amount},
        {"three that are over: held", sample_mix, &over, amount},
    };
    bench_compare_times("a mixed pose beside a plain one", "ns a joint", rows, sizeof rows / sizeof *rows);
    stop_playing(&one);
    stop_playing(&three);
    stop_playing(&sixteen);
    stop_playing(&over);
    free_bench(bench);
}

const struct bench_part bench_mix = {"mix", run};
