/*
 * Decoding animations of Second Life against a copy of the same bytes: a dense clip, one of the size of the viewer's
 * own, and the rotation keys alone.
 */
#include "lib/formats/sl/keys.h"
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOINTS = 60, MAX_KEYS = 300 };

static const char *const names[] = {
    "mPelvis",        "mTorso",     "mChest",      "mNeck",       "mHead",       "mCollarLeft",  "mHipLeft",
    "mShoulderLeft",  "mKneeLeft",  "mElbowLeft",  "mAnkleLeft",  "mWristLeft",  "mCollarRight", "mHipRight",
    "mShoulderRight", "mKneeRight", "mElbowRight", "mAnkleRight", "mWristRight", "mFootLeft"};

/* A clip of so many joints with so many rotation keys each, as a file. */
struct made {
    struct pose_buffer file;
    uint8_t *copy;
};

static struct pose_track make_track(uint32_t joint, uint32_t keys, const float *times, float (*values)[4])
{
    for (uint32_t k = 0; k < keys; k++) {
        float a = sinf(0.1f * (float)k + (float)joint), b = cosf(0.07f * (float)k);
        float scale = 1 / sqrtf(a * a + b * b + 2);
        memcpy(values[k], (float[]){a * scale, b * scale, scale, scale}, sizeof values[k]);
    }
    struct pose_track track = {.name = names[joint % (sizeof names / sizeof *names)]};
    track.channels[POSE_ROTATION] = (struct pose_channel){keys, times, values[0]};
    return track;
}

static struct made make_file(uint32_t joints, uint32_t keys)
{
    static float times[MAX_KEYS], values[MAX_JOINTS][MAX_KEYS][4];
    struct pose_track tracks[MAX_JOINTS];
    for (uint32_t k = 0; k < keys; k++)
        times[k] = (float)k / 30;
    for (uint32_t j = 0; j < joints; j++)
        tracks[j] = make_track(j, keys, times, values[j]);
    struct pose_clip clip = {.axes = POSE_AXES_SL,
                             .rules = POSE_RULES_SL, /* every key is written */
                             .duration = times[keys - 1],
                             .track_count = joints,
                             .tracks = tracks};
    struct pose_content content = {.clip_count = 1, .clips = &clip};
    struct made made = {0};
    struct pose_error error;
    if (!pose_encode("sl-anim", &content, NULL, NULL, NULL, &made.file, &error)) {
        fprintf(stderr, "%s\n", error.detail);
        abort();
    }
    made.copy = malloc(made.file.size);
    return made;
}

static void copy(void *subject)
{
    struct made *made = subject;
    memcpy(made->copy, made->file.data, made->file.size);
    bench_use(made->copy);
}

static void decode(void *subject)
{
    struct made *made = subject;
    struct pose_source source = {.bytes = {made->file.data, made->file.size}, .format = "sl-anim"};
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    bench_use(document);
    pose_document_free(document);
}

static void run_file(const char *heading, uint32_t joints, uint32_t keys)
{
    struct made made = make_file(joints, keys);
    double size = (double)made.file.size;
    const struct bench_contestant rows[] = {
        {"copy of the bytes", copy, &made, size},
        {"pose_decode", decode, &made, size},
    };
    bench_compare(heading, "MB/s", 1e6, rows, 2);
    pose_buffer_free(&made.file);
    free(made.copy);
}

struct keys {
    uint8_t bytes[MAX_KEYS * SL_KEY_SIZE];
    float times[MAX_KEYS], values[MAX_KEYS][4];
};

static void decode_scalar(void *subject)
{
    struct keys *keys = subject;
    sl_rotations_decode_scalar(keys->bytes, MAX_KEYS, 10, keys->times, keys->values[0]);
    bench_use(keys);
}

static void decode_chosen(void *subject)
{
    struct keys *keys = subject;
    sl_rotations_decode(keys->bytes, MAX_KEYS, 10, keys->times, keys->values[0]);
    bench_use(keys);
}

static void run_keys(void)
{
    static struct keys keys;
    for (unsigned i = 0; i < sizeof keys.bytes; i++)
        keys.bytes[i] = (uint8_t)(i % 2 ? 0x50 + i % 0x50 : i * 37);
    const struct bench_contestant rows[] = {
        {"scalar", decode_scalar, &keys, sizeof keys.bytes},
        {"as this machine does it", decode_chosen, &keys, sizeof keys.bytes},
    };
    bench_compare("rotation keys alone", "MB/s", 1e6, rows, 2);
}

static void run(void)
{
    run_file("sl-anim, 60 joints x 300 keys", 60, 300);
    run_file("sl-anim, 20 joints x 12 keys", 20, 12);
    run_keys();
}

const struct bench_part bench_sl = {"sl", run};
