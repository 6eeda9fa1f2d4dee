/*
 * Meshes of The Sims: decoding against a copy of the same bytes, the text against the C library reading its numbers,
 * and deforming a body against its matrices times its vertices and nothing else.
 */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As large as a real body; a file of many bodies shows the speed of long arrays. */
enum { BONES = 19, REAL = 545, BLENDED = 142, FACES = 606 };

struct body {
    struct pose_mesh mesh;
    struct pose_binding *bindings;
    struct pose_blend *blends;
    uint32_t (*faces)[3];
    float (*uvs)[2], (*positions)[3], (*normals)[3];
};

static const char *const bones[BONES] = {"PELVIS", "SPINE", "SPINE1", "SPINE2", "NECK",  "L_ARM",  "L_ARM1",
                                         "L_ARM2", "R_ARM", "R_ARM1", "R_ARM2", "L_LEG", "L_LEG1", "L_FOOT",
                                         "L_TOE0", "R_LEG", "R_LEG1", "R_FOOT", "R_TOE0"};

static void fill_vertices(struct body *body, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double angle = 0.37 * i;
        float y = (float)(0.5 * sin(1.7 * i)), ring = sqrtf(1 - y * y);
        const float normal[3] = {ring * (float)cos(angle), y, ring * (float)sin(angle)};
        for (int k = 0; k < 3; k++) {
            body->normals[i][k] = normal[k];
            body->positions[i][k] = 0.4f * normal[k];
        }
    }
}

/* times: bodies in one mesh. */
static struct body make_body(uint32_t times)
{
    uint32_t real = REAL * times, blended = BLENDED * times, faces = FACES * times;
    struct body body = {.bindings = bench_need(calloc(BONES, sizeof *body.bindings)),
                        .blends = bench_need(calloc(blended, sizeof *body.blends)),
                        .faces = bench_need(calloc(faces, sizeof *body.faces)),
                        .uvs = bench_need(calloc(real, sizeof *body.uvs)),
                        .positions = bench_need(calloc(real + blended, sizeof *body.positions)),
                        .normals = bench_need(calloc(real + blended, sizeof *body.normals))};
    for (uint32_t i = 0; i < BONES; i++) {
        uint32_t first = real * i / BONES, blend_first = blended * i / BONES;
        body.bindings[i] = (struct pose_binding){i, first, real * (i + 1) / BONES - first, blend_first,
                                                 blended * (i + 1) / BONES - blend_first};
    }
    for (uint32_t i = 0; i < blended; i++)
        body.blends[i] = (struct pose_blend){i * 7919 % real, (int32_t)(3000 + i * 97 % 24000)};
    for (uint32_t i = 0; i < 3 * faces; i++)
        body.faces[i / 3][i % 3] = i * 31 % real;
    for (uint32_t i = 0; i < 2 * real; i++)
        body.uvs[i / 2][i % 2] = (float)(0.001 * (i % 1000));
    fill_vertices(&body, real + blended);
    body.mesh = (struct pose_mesh){.name = "body",
                                   .axes = POSE_AXES_SIMS,
                                   .bone_count = BONES,
                                   .bones = bones,
                                   .face_count = faces,
                                   .faces = (const uint32_t(*)[3])body.faces,
                                   .real_count = real,
                                   .blend_count = blended,
                                   .uvs = (const float(*)[2])body.uvs,
                                   .blends = body.blends,
                                   .positions = (const float(*)[3])body.positions,
                                   .normals = (const float(*)[3])body.normals,
                                   .binding_count = BONES,
                                   .bindings = body.bindings};
    return body;
}

static void free_body(struct body *body)
{
    free(body->bindings);
    free(body->blends);
    free(body->faces);
    free(body->uvs);
    free(body->positions);
    free(body->normals);
}

/* ---------------------------------------------------------------------------------------------- decoding -- */

struct file {
    const char *format;
    struct pose_buffer bytes;
    uint8_t *copy;
};

static struct file make_file(const char *format, const struct body *body)
{
    struct pose_content content = {.mesh_count = 1, .meshes = &body->mesh};
    struct file file = {.format = format};
    if (!pose_encode(format, &content, NULL, NULL, NULL, &file.bytes, NULL) ||
        !pose_buffer_append(&file.bytes, "", 1)) /* an end for strtof */
        abort();
    file.bytes.size--;
    file.copy = bench_need(malloc(file.bytes.size));
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
    struct pose_source source = {.bytes = {file->bytes.data, file->bytes.size}, .format = file->format};
    pose_document_free(bench_need(pose_decode(&source, NULL, NULL)));
}

static void detect_file(void *subject)
{
    const struct file *file = subject;
    struct pose_source source = {.bytes = {file->bytes.data, file->bytes.size}};
    bench_use(pose_detect(&source));
}

static void copy_file(void *subject)
{
    const struct file *file = subject;
    memcpy(file->copy, file->bytes.data, file->bytes.size);
    bench_use(file->copy);
}

/* Every number of the text, and nothing done with it. */
static void read_numbers(void *subject)
{
    const struct file *file = subject;
    float sum = 0;
    for (char *at = (char *)file->bytes.data, *end; *at; at = end) {
        sum += strtof(at, &end);
        end += end == at;
    }
    bench_use(&sum);
}

/* The same bodies as one of the later game: in the space of the model, with weights. */
static struct file make_geom(const struct body *body)
{
    struct body other = *body;
    struct pose_influences *influences = bench_need(calloc(body->mesh.real_count, sizeof *influences));
    for (uint32_t i = 0; i < body->mesh.real_count; i++)
        influences[i] = (struct pose_influences){{i % BONES, (i + 1) % BONES}, {0.75f, 0.25f}};
    other.mesh.axes = POSE_AXES_GLTF;
    other.mesh.space = POSE_SPACE_BIND;
    other.mesh.blend_count = other.mesh.binding_count = 0;
    other.mesh.influences = influences;
    struct file file = make_file("sims3-geom", &other);
    free(influences);
    return file;
}

static void bench_decoding(void)
{
    struct body one = make_body(1), many = make_body(50);
    struct file skn = make_file("sims1-skn", &one), bmf = make_file("sims1-bmf", &one);
    struct file mesh = make_file("tso-mesh", &one), large = make_file("tso-mesh", &many);
    struct file geom = make_geom(&many);
    const struct bench_contestant text[] = {
        {"strtof alone", read_numbers, &skn, (double)skn.bytes.size},
        {"sims1-skn, decode", decode_file, &skn, (double)skn.bytes.size},
        {"any, detect", detect_file, &skn, (double)skn.bytes.size},
    };
    const struct bench_contestant binary[] = {
        {"memcpy", copy_file, &mesh, (double)mesh.bytes.size},
        {"sims1-bmf, decode", decode_file, &bmf, (double)bmf.bytes.size},
        {"tso-mesh, decode", decode_file, &mesh, (double)mesh.bytes.size},
        {"any, detect", detect_file, &mesh, (double)mesh.bytes.size},
    };
    const struct bench_contestant long_arrays[] = {
        {"memcpy", copy_file, &large, (double)large.bytes.size},
        {"tso-mesh, decode", decode_file, &large, (double)large.bytes.size},
    };
    const struct bench_contestant weighted[] = {
        {"memcpy", copy_file, &geom, (double)geom.bytes.size},
        {"sims3-geom, decode", decode_file, &geom, (double)geom.bytes.size},
    };
    bench_compare("a body as text", "MB/s", 1e6, text, 3);
    bench_compare("a body in binary", "MB/s", 1e6, binary, 4);
    bench_compare("fifty bodies in one file", "MB/s", 1e6, long_arrays, 2);
    bench_compare("fifty bodies with weights", "MB/s", 1e6, weighted, 2);
    free_file(&skn);
    free_file(&bmf);
    free_file(&mesh);
    free_file(&large);
    free_file(&geom);
    free_body(&one);
    free_body(&many);
}

/* --------------------------------------------------------------------------------------------- deforming -- */

struct figure {
    const struct pose_mesh *mesh;
    struct pose_skin *skin;
    float matrices[BONES][16];
    float (*positions)[3], (*normals)[3];
    void *scratch;
};

static struct figure make_figure(const struct pose_mesh *mesh)
{
    struct pose_joint joints[BONES];
    for (int i = 0; i < BONES; i++)
        joints[i] = (struct pose_joint){.name = bones[i], .parent = i - 1};
    const struct pose_skeleton skeleton = {.axes = POSE_AXES_SIMS, .joint_count = BONES, .joints = joints};
    size_t total = mesh->real_count + mesh->blend_count;
    struct figure figure = {.mesh = mesh,
                            .skin = bench_need(pose_skin_new(mesh, &skeleton, POSE_AXES_GLTF, NULL, NULL)),
                            .positions = bench_need(malloc(total * sizeof *figure.positions)),
                            .normals = bench_need(malloc(total * sizeof *figure.normals))};
    figure.scratch = bench_need(malloc(pose_deform_scratch(figure.skin)));
    for (int i = 0; i < BONES; i++) {
        float c = cosf(0.1f * (float)i), s = sinf(0.1f * (float)i);
        const float m[16] = {c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0.1f * (float)i, 0, 1};
        memcpy(figure.matrices[i], m, sizeof m);
    }
    return figure;
}

static void free_figure(struct figure *figure)
{
    pose_skin_free(figure->skin);
    free(figure->positions);
    free(figure->normals);
    free(figure->scratch);
}

static void deform_figure(void *subject)
{
    struct figure *figure = subject;
    pose_deform(figure->skin, figure->matrices[0], figure->positions, figure->normals, figure->scratch);
    bench_use(figure->positions);
}

static void turn_row(const float m[16], const float v[3], float origin, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] * origin;
}

/* Every vertex, blended ones too, times the matrix of its bone, a row after the other. */
static void multiply_only(void *subject)
{
    struct figure *figure = subject;
    const struct pose_mesh *mesh = figure->mesh;
    for (uint32_t b = 0; b < mesh->binding_count; b++) {
        const struct pose_binding *binding = &mesh->bindings[b];
        const float *m = figure->matrices[binding->bone];
        uint32_t starts[] = {binding->first, mesh->real_count + binding->blend_first};
        uint32_t counts[] = {binding->count, binding->blend_count};
        for (int part = 0; part < 2; part++) {
            for (uint32_t v = starts[part]; v < starts[part] + counts[part]; v++) {
                turn_row(m, mesh->positions[v], 1, figure->positions[v]);
                turn_row(m, mesh->normals[v], 0, figure->normals[v]);
            }
        }
    }
    bench_use(figure->positions);
}

static void bench_deforming(uint32_t times, const char *heading)
{
    struct body body = make_body(times);
    struct figure figure = make_figure(&body.mesh);
    const struct bench_contestant contestants[] = {
        {"matrices times vertices, no blending", multiply_only, &figure, (double)body.mesh.real_count},
        {"deform", deform_figure, &figure, (double)body.mesh.real_count},
    };
    bench_compare(heading, "M vert./s", 1e6, contestants, 2);
    free_figure(&figure);
    free_body(&body);
}

static void run(void)
{
    bench_decoding();
    bench_deforming(1, "a body on a pose");
    bench_deforming(50, "fifty bodies in one mesh");
}

const struct bench_part bench_meshes = {"meshes", run};
