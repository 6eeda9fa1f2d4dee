/* A clip of 60 joints by 300 frames as a GLB, and a large .gltf read: the library alone, against a copy of the file. */
#include "lib/core/bytes/base64.h"
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 60, FRAMES = 300, EMBEDDED = 24 << 20 };

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

/* A .gltf whose buffer is base64 in its text, as exporters embed it. */
struct embedded {
    size_t size;
    char *text, *copy;
};

static void make_embedded(struct embedded *embedded)
{
    static const char head[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"a\"}],\"animations\":[{\"channels\":[{"
        "\"sampler\":0,"
        "\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}],"
        "\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},{\"bufferView\":0,"
        "\"byteOffset\":8,"
        "\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":40}],"
        "\"buffers\":[{\"byteLength\":25165824,\"uri\":\"data:application/octet-stream;base64,";
    static const char tail[] = "\"}]}";
    static const float values[10] = {0, 1, 0, 0, 0, 1, 0, 0, 1, 0};
    uint8_t *bytes = calloc(EMBEDDED, 1);
    size_t length = base64_length(EMBEDDED);
    embedded->size = sizeof head - 1 + length + sizeof tail - 1;
    embedded->text = malloc(embedded->size);
    embedded->copy = malloc(embedded->size);
    if (!bytes || !embedded->text || !embedded->copy)
        abort();
    memcpy(bytes, values, sizeof values);
    memcpy(embedded->text, head, sizeof head - 1);
    base64_encode(bytes, EMBEDDED, embedded->text + sizeof head - 1);
    memcpy(embedded->text + sizeof head - 1 + length, tail, sizeof tail - 1);
    free(bytes);
}

static void copy_embedded(void *subject)
{
    struct embedded *embedded = subject;
    memcpy(embedded->copy, embedded->text, embedded->size);
    bench_use(embedded->copy);
}

static void read_embedded(void *subject)
{
    const struct embedded *embedded = subject;
    const struct pose_source source = {.format = "gltf",
                                       .bytes = {(const uint8_t *)embedded->text, embedded->size}};
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    if (!document || !document->clip_count)
        abort();
    pose_document_free(document);
}

static void run_embedded(void)
{
    struct embedded embedded;
    make_embedded(&embedded);
    const struct bench_contestant rows[] = {
        {"memcpy of the text", copy_embedded, &embedded, (double)embedded.size},
        {"read (goal 500 MB/s)", read_embedded, &embedded, (double)embedded.size},
    };
    bench_compare("a .gltf with 24 MB of base64", "MB/s", 1e6, rows, 2);
    free(embedded.text);
    free(embedded.copy);
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
        {"clip on a skeleton to GLB (goal 4,000)", write_glb, plain, 1},
        {"the same of Second Life (nlerp; goal 2,000)", write_glb, sl, 1},
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
    run_embedded();
}

const struct bench_part bench_gltf = {"gltf", run};
