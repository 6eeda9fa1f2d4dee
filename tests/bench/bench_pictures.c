/*
 * Pictures of 320 x 320: a still as PNG and SVG, and the motion of two seconds as animated WebP, of a walk on the
 * stand-in skeleton of Second Life, as bones, as a body of 5,000 triangles whose texture is noise, the worst there is,
 * and as the mannequin. Beside them a blank picture of that size written by cairo.
 */
#include "pose.h"
#include "server/draw/picture.h"
#include "tests/bench/bench.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 61, JOINTS = 12, GALLERY_SIZE = 192 };

static const char *const joints[JOINTS] = {"mHipLeft",      "mHipRight",      "mKneeLeft",  "mKneeRight",
                                           "mShoulderLeft", "mShoulderRight", "mElbowLeft", "mElbowRight",
                                           "mTorso",        "mChest",         "mAnkleLeft", "mHead"};

struct subject {
    struct figure_source source;
    struct picture_options options;
    unsigned turn;
    size_t size; /* of the last one */
};

static void draw(void *user)
{
    struct subject *subject = user;
    struct pose_buffer out = {0};
    struct pose_error error;
    subject->options.t = 0.03 * (subject->turn++ % 60); /* no two in a row are alike */
    if (!picture_draw(&subject->source, &subject->options, &out, &error)) {
        fprintf(stderr, "%s\n", error.detail);
        abort();
    }
    bench_use(out.data);
    subject->size = out.size;
    pose_buffer_free(&out);
}

static cairo_status_t swallow(void *user, const unsigned char *data, unsigned size)
{
    *(size_t *)user += size;
    bench_use(data);
    return CAIRO_STATUS_SUCCESS;
}

static void blank(void *user)
{
    size_t size = 0;
    (void)user;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, PICTURE_SIZE, PICTURE_SIZE);
    cairo_surface_write_to_png_stream(surface, swallow, &size);
    cairo_surface_destroy(surface);
    bench_use(&size);
}

static struct pose_document *stand_in(const char *name)
{
    struct pose_error error;
    for (unsigned i = 0; pose_stand_in_name(i); i++) {
        struct pose_document *document = pose_stand_in(i, NULL, &error);
        for (uint32_t j = 0; document && j < document->skeletons[0].joint_count; j++) {
            const char *joint = document->skeletons[0].joints[j].name;
            if (joint && !strcmp(joint, name))
                return document;
        }
        pose_document_free(document);
    }
    abort();
}

/* ---------------------------------------------------------------------------------------------------- a body -- */

enum {
    AROUND = 16,
    ALONG = 13,
    TUBES = JOINTS,
    TUBE_VERTICES = (AROUND + 1) * (ALONG + 1),
    TUBE_FACES = AROUND * ALONG * 2,
    TEXTURE_SIDE = 256,
};

/* Tubes around the bones, each on two of them: 4,992 triangles. */
struct body {
    float positions[TUBES * TUBE_VERTICES][3], uvs[TUBES * TUBE_VERTICES][2];
    uint32_t faces[TUBES * TUBE_FACES][3];
    struct pose_influences influences[TUBES * TUBE_VERTICES];
    uint8_t pixels[TEXTURE_SIDE * TEXTURE_SIDE][4];
    struct pose_mesh mesh;
    struct pose_image image;
};

static void add_tube(struct body *body, uint32_t tube, const float *from)
{
    uint32_t vertex = tube * TUBE_VERTICES, face = tube * TUBE_FACES;
    for (uint32_t k = 0; k <= ALONG; k++) {
        for (uint32_t i = 0; i <= AROUND; i++, vertex++) {
            float along = (float)k / ALONG, turn = 6.2831853f * (float)i / AROUND;
            float radius = 0.08f * sinf(3.1415f * (0.02f + 0.96f * along));
            memcpy(body->positions[vertex],
                   (float[]){from[0] + radius * cosf(turn), from[1] - 0.4f * along,
                             from[2] + radius * sinf(turn)},
                   sizeof body->positions[vertex]);
            memcpy(body->uvs[vertex], (float[]){(float)i / AROUND, along}, sizeof body->uvs[vertex]);
            body->influences[vertex] =
                (struct pose_influences){{tube, (tube + 2) % JOINTS}, {1 - along / 2, along / 2}};
            if (i == AROUND || k == ALONG)
                continue;
            uint32_t below = vertex + AROUND + 1;
            memcpy(body->faces[face++], (uint32_t[]){vertex, vertex + 1, below}, sizeof *body->faces);
            memcpy(body->faces[face++], (uint32_t[]){vertex + 1, below + 1, below}, sizeof *body->faces);
        }
    }
}

static struct body *make_body(const struct pose_sampler *sampler)
{
    struct body *body = calloc(1, sizeof *body);
    uint32_t count = pose_sampler_row_count(sampler);
    float *rows = calloc(count, 10 * sizeof *rows), *matrices = calloc(count, 16 * sizeof *matrices);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    pose_model(sampler, rows, matrices);
    for (uint32_t tube = 0; tube < TUBES; tube++) {
        for (uint32_t i = 0; i < count; i++) {
            if (!strcmp(pose_sampler_rows(sampler)[i].name, joints[tube]))
                add_tube(body, tube, matrices + 16 * (size_t)i + 12);
        }
    }
    free(rows);
    free(matrices);
    for (uint32_t i = 0; i < TEXTURE_SIDE * TEXTURE_SIDE; i++)
        memcpy(body->pixels[i], (uint8_t[]){(uint8_t)i, (uint8_t)(i / 256), (uint8_t)(i * 7 ^ i / 90), 255},
               sizeof body->pixels[i]);
    body->image = (struct pose_image){.name = "skin",
                                      .width = TEXTURE_SIDE,
                                      .height = TEXTURE_SIDE,
                                      .pixels = (const uint8_t(*)[4])(const void *)body->pixels};
    body->mesh = (struct pose_mesh){.name = "body",
                                    .texture = "skin",
                                    .space = POSE_SPACE_BIND,
                                    .bone_count = JOINTS,
                                    .bones = joints,
                                    .face_count = TUBES * TUBE_FACES,
                                    .faces = (const uint32_t(*)[3])(const void *)body->faces,
                                    .real_count = TUBES * TUBE_VERTICES,
                                    .uvs = (const float(*)[2])(const void *)body->uvs,
                                    .positions = (const float(*)[3])(const void *)body->positions,
                                    .influences = body->influences};
    return body;
}

static void run(void)
{
    static float times[KEYS], values[JOINTS][KEYS][4];
    static struct pose_track tracks[JOINTS];
    for (int k = 0; k < KEYS; k++)
        times[k] = (float)k / 30;
    for (int j = 0; j < JOINTS; j++) {
        for (int k = 0; k < KEYS; k++) {
            float angle = 0.4f * sinf(0.2f * (float)k + (float)j * 3.14f);
            memcpy(values[j][k], (float[]){0, sinf(angle / 2), 0, cosf(angle / 2)}, sizeof values[j][k]);
        }
        tracks[j] = (struct pose_track){.name = joints[j]};
        tracks[j].channels[POSE_ROTATION] = (struct pose_channel){KEYS, times, values[j][0]};
    }
    struct pose_clip clip = {
        .axes = POSE_AXES_SL, .rules = POSE_RULES_SL, .duration = 2, .track_count = JOINTS, .tracks = tracks};
    struct pose_document *skeleton = stand_in(joints[0]);
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(&clip, skeleton->skeletons, POSE_AXES_GLTF, NULL, &error);
    if (!sampler)
        abort();
    struct body *body = make_body(sampler);
    struct pose_skin *skin = pose_skin_new(&body->mesh, skeleton->skeletons, POSE_AXES_GLTF, NULL, &error);
    if (!skin)
        abort();
    static const enum picture_type types[] = {PICTURE_PNG, PICTURE_SVG, PICTURE_WEBP};
    static const char *const titles[] = {
        "bones as PNG",    "bones as SVG",    "bones, 2 s as animated WebP",
        "the body as PNG", "the body as SVG", "the body, 2 s as animated WebP"};
    struct pose_humanoid *person = pose_humanoid_new(skeleton->skeletons, NULL, 0, NULL, &error);
    struct pose_document *mannequin = person ? pose_mannequin(person, NULL, &error) : NULL;
    struct pose_skin *mannequin_skin =
        mannequin ? pose_skin_new(mannequin->meshes, skeleton->skeletons, POSE_AXES_GLTF, NULL, &error)
                  : NULL;
    if (!mannequin_skin)
        abort();
    struct subject subjects[6];
    struct bench_contestant rows[8] = {{"a blank PNG by cairo", blank, NULL, 1}};
    for (int i = 0; i < 6; i++) {
        subjects[i] = (struct subject){
            .source = {.clip = &clip, .sampler = sampler, .skeleton = skeleton->skeletons},
            .options = {.type = types[i % 3], .width = PICTURE_SIZE, .height = PICTURE_SIZE}};
        if (i >= 3) {
            struct figure_source *source = &subjects[i].source;
            source->mesh_count = source->image_count = 1;
            source->meshes[0] = &body->mesh;
            source->skins[0] = skin;
            source->images = &body->image;
        }
        rows[i + 1] = (struct bench_contestant){titles[i], draw, &subjects[i], 1};
    }
    struct subject still = subjects[0];
    still.source.mesh_count = 1;
    still.source.meshes[0] = mannequin->meshes;
    still.source.skins[0] = mannequin_skin;
    rows[7] = (struct bench_contestant){"the mannequin as PNG", draw, &still, 1};
    bench_compare("pictures of 320 x 320", "pictures/s", 1, rows, 8);
    static const char *const of_gallery[] = {"bones, 2 s as animated WebP", "the body, 2 s as animated WebP",
                                             "bones, 2 s as SVG that moves",
                                             "the mannequin, 2 s as animated WebP"};
    struct subject moving[4];
    for (int i = 0; i < 4; i++) {
        moving[i] = subjects[i == 2 ? 1 : i ? 5 : 2];
        moving[i].options.is_moving = true;
        moving[i].options.width = moving[i].options.height = GALLERY_SIZE;
        rows[i + 1] = (struct bench_contestant){of_gallery[i], draw, &moving[i], 1};
    }
    moving[3].source = still.source;
    bench_compare("pictures of a gallery, 192 x 192", "pictures/s", 1, rows, 5);
    for (int i = 0; i < 4; i++)
        printf("  %-42s %9zu bytes\n", rows[i + 1].title, moving[i].size);
    pose_skin_free(mannequin_skin);
    pose_document_free(mannequin);
    pose_humanoid_free(person);
    pose_skin_free(skin);
    free(body);
    pose_sampler_free(sampler);
    pose_document_free(skeleton);
}

const struct bench_part bench_pictures = {"pictures", run};
