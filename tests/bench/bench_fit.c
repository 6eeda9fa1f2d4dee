/* Meshes of glTF into the games: a body of 5,000 triangles, read and written in each format, beside reading it alone. */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 50, ROW = SIDE + 1, VERTICES = ROW * ROW, FACES = 2 * SIDE * SIDE, BONES = 20 };

struct subject {
    const char *to; /* NULL: reading alone */
    const struct pose_buffer *glb;
};

static void run_one(void *data)
{
    const struct subject *subject = data;
    const struct pose_source source = {.name = "body.glb", .bytes = {subject->glb->data, subject->glb->size}};
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    struct pose_mesh_files files = {.count = 0};
    if (!document || !document->mesh_count)
        abort();
    const struct pose_mesh_conversion conversion = {
        .to = subject->to, .mesh = document->meshes, .skeleton = document->skeletons};
    if (subject->to && !pose_mesh_convert(&conversion, NULL, NULL, NULL, &files, NULL))
        abort();
    bench_use(&files);
    pose_mesh_files_free(&files);
    pose_document_free(document);
}

/* A tube along a chain of bones; each vertex has two. */
static void make_body(struct pose_buffer *glb)
{
    static float positions[VERTICES][3], normals[VERTICES][3], uvs[VERTICES][2];
    static struct pose_influences influences[VERTICES];
    static uint32_t faces[FACES][3];
    static char names[BONES][8];
    const char *bones[BONES];
    struct pose_joint joints[BONES];
    for (int i = 0; i < BONES; i++) {
        snprintf(names[i], sizeof names[i], "B%d", i);
        bones[i] = names[i];
        joints[i] = (struct pose_joint){.name = names[i],
                                        .parent = i - 1,
                                        .translation = {0, i ? 2.0f / BONES : 0, 0},
                                        .rotation = {0, 0, 0, 1},
                                        .scale = {1, 1, 1}};
    }
    for (uint32_t v = 0; v < VERTICES; v++) {
        double up = (double)(v / ROW) / SIDE, angle = 2 * 3.14159265 * (v % ROW) / SIDE;
        uint32_t bone = (uint32_t)(up * (BONES - 1.001));
        const float normal[3] = {(float)cos(angle), 0, (float)sin(angle)};
        for (int k = 0; k < 3; k++) {
            normals[v][k] = normal[k];
            positions[v][k] = k == 1 ? (float)(2 * up) : 0.2f * normal[k];
        }
        uvs[v][0] = (float)(v % ROW) / SIDE;
        uvs[v][1] = (float)up;
        influences[v] = (struct pose_influences){{bone, bone + 1}, {0.75f, 0.25f}};
    }
    for (uint32_t i = 0; i < FACES; i++) {
        uint32_t a = i / 2 / SIDE * ROW + i / 2 % SIDE;
        const uint32_t face[3] = {i % 2 ? a + 1 : a, a + ROW, i % 2 ? a + ROW + 1 : a + 1};
        memcpy(faces[i], face, sizeof face);
    }
    const struct pose_skeleton skeleton = {.axes = POSE_AXES_GLTF, .joint_count = BONES, .joints = joints};
    const struct pose_mesh mesh = {.name = "body",
                                   .axes = POSE_AXES_GLTF,
                                   .space = POSE_SPACE_BIND,
                                   .bone_count = BONES,
                                   .bones = bones,
                                   .face_count = FACES,
                                   .faces = (const uint32_t(*)[3])faces,
                                   .real_count = VERTICES,
                                   .positions = (const float(*)[3])positions,
                                   .normals = (const float(*)[3])normals,
                                   .uvs = (const float(*)[2])uvs,
                                   .influences = influences};
    const struct pose_content content = {
        .skeleton_count = 1, .skeletons = &skeleton, .mesh_count = 1, .meshes = &mesh};
    if (!pose_encode("gltf", &content, NULL, NULL, NULL, glb, NULL))
        abort();
}

static void run(void)
{
    struct pose_buffer glb = {0};
    make_body(&glb);
    struct subject subjects[] = {{NULL, &glb},       {"sims1-skn", &glb},  {"sims1-bmf", &glb},
                                 {"tso-mesh", &glb}, {"sims3-geom", &glb}, {"prime-cmdl", &glb}};
    enum { COUNT = sizeof subjects / sizeof *subjects };
    struct bench_contestant rows[COUNT];
    for (int i = 0; i < COUNT; i++)
        rows[i] = (struct bench_contestant){subjects[i].to ? subjects[i].to : "glb, decode", run_one,
                                            &subjects[i], 1};
    bench_compare("a GLB of 5,000 triangles into a game", "files/s", 1, rows, COUNT);
    pose_buffer_free(&glb);
}

const struct bench_part bench_fit = {"fit", run};
