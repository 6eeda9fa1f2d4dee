/*
 * Pictures of 320 x 320: a still as PNG and SVG, and the motion of two seconds as animated WebP, of a walk on the
 * stand-in skeleton of Second Life. Beside them a blank picture of that size written by cairo.
 */
#include "pose.h"
#include "server/draw/picture.h"
#include "tests/bench/bench.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 61, JOINTS = 12 };

static const char *const joints[JOINTS] = {"mHipLeft",      "mHipRight",      "mKneeLeft",  "mKneeRight",
                                           "mShoulderLeft", "mShoulderRight", "mElbowLeft", "mElbowRight",
                                           "mTorso",        "mChest",         "mAnkleLeft", "mHead"};

struct subject {
    struct figure_source source;
    struct picture_options options;
    unsigned turn;
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
    static const enum picture_type types[] = {PICTURE_PNG, PICTURE_SVG, PICTURE_WEBP};
    static const char *const titles[] = {"a still as PNG", "a still as SVG", "2 s as animated WebP"};
    struct subject subjects[3];
    struct bench_contestant rows[4] = {{"a blank PNG by cairo", blank, NULL, 1}};
    for (int i = 0; i < 3; i++) {
        subjects[i] =
            (struct subject){.source = {.clip = &clip, .sampler = sampler, .skeleton = skeleton->skeletons},
                             .options = {.type = types[i], .width = PICTURE_SIZE, .height = PICTURE_SIZE}};
        rows[i + 1] = (struct bench_contestant){titles[i], draw, &subjects[i], 1};
    }
    bench_compare("pictures of 320 x 320", "pictures/s", 1, rows, 4);
    pose_sampler_free(sampler);
    pose_document_free(skeleton);
}

const struct bench_part bench_pictures = {"pictures", run};
