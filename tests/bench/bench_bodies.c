/*
 * Bodies: what decoding a model and its textures costs against a copy of the same bytes, and what deforming one with four
 * weights a vertex costs against plain C that does the same.
 */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tube of 5,000 triangles around a chain of bones. */
enum {
    BONES = 24,
    AROUND = 50,
    ALONG = 50,
    VERTICES = (AROUND + 1) * (ALONG + 1),
    FACES = AROUND * ALONG * 2
};
enum { SIDE = 1024, TEXELS = SIDE * SIDE };

static const char *const bones[BONES] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",
                                         "8",  "9",  "10", "11", "12", "13", "14", "15",
                                         "16", "17", "18", "19", "20", "21", "22", "23"};

struct tube {
    float positions[VERTICES][3], normals[VERTICES][3], uvs[VERTICES][2];
    uint32_t faces[FACES][3];
    struct pose_influences influences[VERTICES];
    struct pose_mesh mesh;
};

static void add_vertex(struct tube *tube, uint32_t v)
{
    float along = (float)(v / (AROUND + 1)) / ALONG, turn = 6.2831853f * (float)(v % (AROUND + 1)) / AROUND;
    uint32_t bone = (uint32_t)(along * (BONES - 4));
    const float normal[3] = {cosf(turn), 0, sinf(turn)};
    memcpy(tube->normals[v], normal, sizeof normal);
    memcpy(tube->positions[v], (float[]){0.2f * normal[0], 1.8f * along, 0.2f * normal[2]},
           sizeof *tube->positions);
    memcpy(tube->uvs[v], (float[]){turn / 7, along}, sizeof *tube->uvs);
    tube->influences[v] =
        (struct pose_influences){{bone, bone + 1, bone + 2, bone + 3}, {0.4f, 0.3f, 0.2f, 0.1f}};
}

static struct tube *make_tube(void)
{
    struct tube *tube = bench_need(calloc(1, sizeof *tube));
    for (uint32_t v = 0; v < VERTICES; v++)
        add_vertex(tube, v);
    for (uint32_t i = 0; i < AROUND * ALONG; i++) {
        uint32_t v = i / AROUND * (AROUND + 1) + i % AROUND, above = v + AROUND + 1;
        memcpy(tube->faces[2 * i], (uint32_t[]){v, above, v + 1}, sizeof *tube->faces);
        memcpy(tube->faces[2 * i + 1], (uint32_t[]){v + 1, above, above + 1}, sizeof *tube->faces);
    }
    tube->mesh = (struct pose_mesh){.name = "tube",
                                    .axes = POSE_AXES_GLTF,
                                    .space = POSE_SPACE_BIND,
                                    .bone_count = BONES,
                                    .bones = bones,
                                    .face_count = FACES,
                                    .faces = (const uint32_t(*)[3])(const void *)tube->faces,
                                    .real_count = VERTICES,
                                    .uvs = (const float(*)[2])(const void *)tube->uvs,
                                    .positions = (const float(*)[3])(const void *)tube->positions,
                                    .normals = (const float(*)[3])(const void *)tube->normals,
                                    .influences = tube->influences};
    return tube;
}

/* ---------------------------------------------------------------------------------------------- decoding -- */

struct file {
    const char *format;
    struct pose_buffer bytes;
    uint8_t *copy;
};

static void put(struct file *file, const void *bytes, size_t size)
{
    if (!pose_buffer_append(&file->bytes, bytes, size))
        abort();
}

static void put_zeros(struct file *file, size_t size)
{
    static const uint8_t zeros[256];
    for (; size; size -= size < sizeof zeros ? size : sizeof zeros)
        put(file, zeros, size < sizeof zeros ? size : sizeof zeros);
}

static void put_little(struct file *file, uint32_t value, unsigned size)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    put(file, bytes, size);
}

static void put_big(struct file *file, uint32_t value, unsigned size)
{
    while (size--)
        put(file, (uint8_t[]){(uint8_t)(value >> 8 * size)}, 1);
}

static void put_noise(struct file *file, size_t size)
{
    for (uint32_t i = 0, seed = 1; i < size; i++, seed = seed * 1664525 + 1013904223)
        put(file, (uint8_t[]){(uint8_t)(seed >> 24)}, 1);
}

static void close_file(struct file *file)
{
    file->copy = bench_need(malloc(file->bytes.size));
}

static struct file encode(const char *format, const struct tube *tube)
{
    const struct pose_content content = {.mesh_count = 1, .meshes = &tube->mesh};
    struct file file = {.format = format};
    struct pose_error error = {0};
    if (!pose_encode(format, &content, NULL, NULL, NULL, &file.bytes, &error)) {
        fprintf(stderr, "%s: %s\n", format, error.detail);
        abort();
    }
    close_file(&file);
    return file;
}

/* The same as a part of Second Life's avatar, which has one weight a vertex. */
static struct file make_llm(const struct tube *tube)
{
    struct file file = {.format = "sl-llm"};
    put(&file, "Linden Binary Mesh 1.0\0", 24);
    put_little(&file, 1, 1);
    put_zeros(&file, 1 + 24 + 1);
    put(&file, (float[]){1, 1, 1}, 12);
    put_little(&file, VERTICES, 2);
    put(&file, tube->positions, sizeof tube->positions);
    put(&file, tube->normals, sizeof tube->normals);
    put(&file, tube->normals, sizeof tube->normals);
    put(&file, tube->uvs, sizeof tube->uvs);
    for (int v = 0; v < VERTICES; v++)
        put(&file, (float[]){1 + 0.5f * (float)(v % 2)}, 4);
    put_little(&file, FACES, 2);
    for (int f = 0; f < 3 * FACES; f++)
        put_little(&file, tube->faces[f / 3][f % 3], 2);
    put_little(&file, 2, 2);
    put(&file, (char[64]){"mChest"}, 64);
    put(&file, (char[64]){"mNeck"}, 64);
    put(&file, (char[64]){"End Morphs"}, 64);
    put_little(&file, 0, 4);
    close_file(&file);
    return file;
}

/* Noise in blocks of that kind. */
static struct file make_dds(const char kind[4], size_t size)
{
    struct file file = {.format = "sims3-dds"};
    const uint32_t head[] = {124, 0x81007, SIDE, SIDE, (uint32_t)size, 0, 0};
    put(&file, "DDS ", 4);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        put_little(&file, head[i], 4);
    put_zeros(&file, 44);
    put_little(&file, 32, 4);
    put_little(&file, 4, 4);
    put(&file, kind, 4);
    put_zeros(&file, 20);
    put_little(&file, 0x1000, 4);
    put_zeros(&file, 16);
    put_noise(&file, size);
    close_file(&file);
    return file;
}

static struct file make_txtr(unsigned format, size_t size)
{
    struct file file = {.format = "prime-txtr"};
    put_big(&file, format, 4);
    put_big(&file, SIDE, 2);
    put_big(&file, SIDE, 2);
    put_big(&file, 1, 4);
    put_noise(&file, size);
    put_zeros(&file, (32 - file.bytes.size % 32) % 32);
    close_file(&file);
    return file;
}

static void free_file(struct file *file)
{
    pose_buffer_free(&file->bytes);
    free(file->copy);
}

static void decode_file(void *subject)
{
    const struct file *file = subject;
    const struct pose_source source = {.bytes = {file->bytes.data, file->bytes.size}, .format = file->format};
    struct pose_error error = {0};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    if (!document) {
        fprintf(stderr, "%s: %s\n", file->format, error.detail);
        abort();
    }
    pose_document_free(document);
}

static void copy_file(void *subject)
{
    const struct file *file = subject;
    memcpy(file->copy, file->bytes.data, file->bytes.size);
    bench_use(file->copy);
}

static void bench_models(const struct tube *tube)
{
    struct file geom = encode("sims3-geom", tube), cmdl = encode("prime-cmdl", tube), llm = make_llm(tube);
    const struct bench_contestant rows[] = {
        {"memcpy", copy_file, &geom, (double)geom.bytes.size},
        {"sims3-geom, decode", decode_file, &geom, (double)geom.bytes.size},
        {"prime-cmdl, decode", decode_file, &cmdl, (double)cmdl.bytes.size},
        {"sl-llm, decode", decode_file, &llm, (double)llm.bytes.size},
    };
    bench_compare("a model of 5,000 triangles", "MB/s", 1e6, rows, sizeof rows / sizeof *rows);
    free_file(&geom);
    free_file(&cmdl);
    free_file(&llm);
}

static void copy_pixels(void *subject)
{
    uint32_t *pixels = subject;
    memcpy(pixels, pixels + TEXELS, TEXELS * sizeof *pixels);
    bench_use(pixels);
}

static void bench_textures(void)
{
    struct file dxt1 = make_dds("DXT1", TEXELS / 2), dxt5 = make_dds("DXT5", TEXELS);
    struct file cmpr = make_txtr(10, TEXELS / 2), rgba = make_txtr(9, 4 * TEXELS),
                grey = make_txtr(1, TEXELS);
    uint32_t *pixels = bench_need(calloc(2 * TEXELS, sizeof *pixels));
    const struct bench_contestant rows[] = {
        {"memcpy of the pixels", copy_pixels, pixels, TEXELS},
        {"DDS, DXT1", decode_file, &dxt1, TEXELS},
        {"DDS, DXT5", decode_file, &dxt5, TEXELS},
        {"TXTR, CMPR", decode_file, &cmpr, TEXELS},
        {"TXTR, RGBA8", decode_file, &rgba, TEXELS},
        {"TXTR, I8", decode_file, &grey, TEXELS},
    };
    bench_compare("a texture of 1024 x 1024", "M pixels/s", 1e6, rows, sizeof rows / sizeof *rows);
    free(pixels);
    struct file *const files[] = {&dxt1, &dxt5, &cmpr, &rgba, &grey};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        free_file(files[i]);
}

/* --------------------------------------------------------------------------------------------- deforming -- */

struct figure {
    const struct tube *tube;
    struct pose_skin *skin;
    float matrices[BONES][16];
    float (*positions)[3], (*normals)[3];
    void *scratch;
};

static void deform_figure(void *subject)
{
    struct figure *figure = subject;
    pose_deform(figure->skin, figure->matrices[0], figure->positions, figure->normals, figure->scratch);
    bench_use(figure->positions);
}

/* As a textbook has it: four matrices by their weights, then the vertex times their sum. */
static void blend_matrices(void *subject)
{
    struct figure *figure = subject;
    for (uint32_t v = 0; v < VERTICES; v++) {
        const struct pose_influences *influences = &figure->tube->influences[v];
        const float *p = figure->tube->positions[v], *n = figure->tube->normals[v];
        float sum[12] = {0};
        for (int k = 0; k < 4; k++) {
            const float *m = figure->matrices[influences->bones[k]], weight = influences->weights[k];
            for (int i = 0; i < 12; i++)
                sum[i] += weight * m[i / 3 * 4 + i % 3];
        }
        float turned[3];
        for (int i = 0; i < 3; i++) {
            figure->positions[v][i] = sum[i] * p[0] + sum[3 + i] * p[1] + sum[6 + i] * p[2] + sum[9 + i];
            turned[i] = sum[i] * n[0] + sum[3 + i] * n[1] + sum[6 + i] * n[2];
        }
        float size = sqrtf(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]);
        for (int i = 0; i < 3; i++)
            figure->normals[v][i] = size > 1e-6f ? turned[i] / size : n[i];
    }
    bench_use(figure->positions);
}

static void bench_deforming(const struct tube *tube)
{
    struct pose_joint joints[BONES];
    for (int i = 0; i < BONES; i++)
        joints[i] =
            (struct pose_joint){.name = bones[i], .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    const struct pose_skeleton skeleton = {.axes = POSE_AXES_GLTF, .joint_count = BONES, .joints = joints};
    struct figure figure = {.tube = tube,
                            .skin =
                                bench_need(pose_skin_new(&tube->mesh, &skeleton, POSE_AXES_GLTF, NULL, NULL)),
                            .positions = bench_need(malloc(VERTICES * sizeof *figure.positions)),
                            .normals = bench_need(malloc(VERTICES * sizeof *figure.normals))};
    figure.scratch = bench_need(malloc(pose_deform_scratch(figure.skin)));
    for (int i = 0; i < BONES; i++) {
        float c = cosf(0.1f * (float)i), s = sinf(0.1f * (float)i);
        const float m[16] = {c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0.01f * (float)i, 0, 1};
        memcpy(figure.matrices[i], m, sizeof m);
    }
    const struct bench_contestant rows[] = {{"plain C", blend_matrices, &figure, VERTICES},
                                            {"deform", deform_figure, &figure, VERTICES}};
    bench_compare("four weights a vertex", "M vert./s", 1e6, rows, 2);
    pose_skin_free(figure.skin);
    free(figure.positions);
    free(figure.normals);
    free(figure.scratch);
}

static void run(void)
{
    struct tube *tube = make_tube();
    bench_models(tube);
    bench_textures();
    bench_deforming(tube);
    free(tube);
}

const struct bench_part bench_bodies = {"bodies", run};
