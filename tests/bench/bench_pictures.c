/*
 * Pictures of 320 x 320: a still as PNG and SVG, and the motion of two seconds as animated WebP, of a walk on the
 * stand-in skeleton of Second Life, as bones, as a textured character of 5,000 triangles, and as the
 * mannequin. Beside them a blank picture of that size written by cairo; then stills and sheets beside a blank one and
 * their own pixels written by cairo.
 */
#include "pose.h"
#include "server/draw/picture.h"
#include "tests/bench/bench.h"

#include <cairo.h>
#include <malloc.h>
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

/* ---------------------------------------------------------------------------------------------- its own pixels -- */

struct pixels {
    cairo_surface_t *surface;
    struct pose_buffer file;
    size_t at;
};

static cairo_status_t give(void *user, unsigned char *data, unsigned size)
{
    struct pixels *pixels = user;
    if (pixels->file.size - pixels->at < size)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, pixels->file.data + pixels->at, size);
    pixels->at += size;
    return CAIRO_STATUS_SUCCESS;
}

static struct pixels pixels_of(const struct subject *subject)
{
    struct pixels pixels = {0};
    if (!picture_draw(&subject->source, &subject->options, &pixels.file, NULL))
        abort();
    pixels.surface = cairo_image_surface_create_from_png_stream(give, &pixels);
    pose_buffer_free(&pixels.file);
    return pixels;
}

static void write_again(void *user)
{
    const struct pixels *pixels = user;
    size_t size = 0;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, PICTURE_SIZE, PICTURE_SIZE);
    cairo_surface_write_to_png_stream(pixels->surface, swallow, &size);
    cairo_surface_destroy(surface);
    bench_use(&size);
}

/* A still and a sheet of eight moments. */
static void bench_pixels(const struct subject *body, const struct subject *mannequin)
{
    static const char *const titles[2][2] = {{"the body as PNG", "eight of it as PNG"},
                                             {"the mannequin as PNG", "eight of it as PNG"}};
    for (int i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 2; k++) {
            struct subject subject = i ? *mannequin : *body;
            subject.options.frames = k ? 8 : 1;
            struct pixels pixels = pixels_of(&subject);
            const struct bench_contestant rows[] = {
                {"a blank one and its pixels by cairo", write_again, &pixels, 1},
                {titles[i][k], draw, &subject, 1}};
            bench_compare("a picture beside its own pixels", "pictures/s", 1, rows, 2);
            cairo_surface_destroy(pixels.surface);
        }
    }
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

enum { TRIANGLES = 5000, TEXTURE_SIDE = 256 };

/* The mannequin in clothes: of 5,000 triangles, with a texture that has grain. */
struct body {
    uint32_t vertex_count, face_count;
    float (*positions)[3], (*uvs)[2];
    uint32_t (*faces)[3];
    struct pose_influences *influences;
    uint8_t pixels[TEXTURE_SIDE * TEXTURE_SIDE][4];
    struct pose_mesh mesh;
    struct pose_image image;
};

static void *must_allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

/* A third of the first face, whose middle is a vertex of the first corner's bones; two more faces. */
static void split_face(struct body *body, uint32_t face)
{
    const uint32_t middle = body->vertex_count++, *corners = body->faces[face];
    const uint32_t a = corners[0], b = corners[1], c = corners[2];
    for (int i = 0; i < 3; i++)
        body->positions[middle][i] =
            (body->positions[a][i] + body->positions[b][i] + body->positions[c][i]) / 3;
    body->influences[middle] = body->influences[a];
    memcpy(body->faces[body->face_count++], (uint32_t[]){b, c, middle}, sizeof *body->faces);
    memcpy(body->faces[body->face_count++], (uint32_t[]){c, a, middle}, sizeof *body->faces);
    body->faces[face][2] = middle;
}

static void take_shape(struct body *body, const struct pose_mesh *mesh)
{
    const size_t vertices = mesh->real_count + TRIANGLES;
    body->positions = must_allocate(vertices, sizeof *body->positions);
    body->uvs = must_allocate(vertices, sizeof *body->uvs);
    body->influences = must_allocate(vertices, sizeof *body->influences);
    body->faces = must_allocate(mesh->face_count + TRIANGLES, sizeof *body->faces);
    memcpy(body->positions, mesh->positions, mesh->real_count * sizeof *body->positions);
    memcpy(body->influences, mesh->influences, mesh->real_count * sizeof *body->influences);
    memcpy(body->faces, mesh->faces, mesh->face_count * sizeof *body->faces);
    body->vertex_count = mesh->real_count;
    body->face_count = mesh->face_count;
    for (uint32_t f = 0; body->face_count + 2 <= TRIANGLES; f++)
        split_face(body, f);
}

/* As a tailor would cut it: front and back. */
static void lay_texture(struct body *body)
{
    float least[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, most[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int i = 0; i < 3; i++) {
            least[i] = fminf(least[i], body->positions[v][i]);
            most[i] = fmaxf(most[i], body->positions[v][i]);
        }
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        const float *place = body->positions[v];
        body->uvs[v][0] = (place[0] - least[0]) / (most[0] - least[0]);
        body->uvs[v][1] = (most[1] - place[1]) / (most[1] - least[1]);
    }
}

/* From the top: hair, skin, a shirt with a broad stripe, trousers, shoes; all with grain. */
static void paint(struct body *body)
{
    static const struct {
        int end; /* row */
        uint8_t color[3];
    } clothes[] = {{14, {70, 44, 28}},
                   {42, {224, 172, 140}},
                   {122, {190, 60, 56}},
                   {238, {52, 70, 120}},
                   {TEXTURE_SIDE, {40, 36, 34}}};
    uint32_t random = 1;
    for (int y = 0, part = 0; y < TEXTURE_SIDE; y++) {
        part += y >= clothes[part].end;
        const bool is_stripe = part == 2 && y > 60 && y < 78;
        for (int x = 0; x < TEXTURE_SIDE; x++) {
            uint8_t *pixel = body->pixels[y * TEXTURE_SIDE + x];
            random = random * 1664525 + 1013904223;
            for (int i = 0; i < 3; i++)
                pixel[i] = (uint8_t)((is_stripe ? 205 : clothes[part].color[i]) + (int)(random >> 28) - 8);
            pixel[3] = 255;
        }
    }
}

static struct body *make_body(const struct pose_mesh *mannequin)
{
    struct body *body = must_allocate(1, sizeof *body);
    take_shape(body, mannequin);
    lay_texture(body);
    paint(body);
    body->image = (struct pose_image){.name = "clothes",
                                      .width = TEXTURE_SIDE,
                                      .height = TEXTURE_SIDE,
                                      .pixels = (const uint8_t(*)[4])(const void *)body->pixels};
    body->mesh = *mannequin;
    body->mesh.texture = "clothes";
    body->mesh.primitive_count = body->mesh.material_count = 0;
    body->mesh.face_count = body->face_count;
    body->mesh.faces = (const uint32_t(*)[3])body->faces;
    body->mesh.real_count = body->vertex_count;
    body->mesh.positions = (const float(*)[3])body->positions;
    body->mesh.uvs = (const float(*)[2])body->uvs;
    body->mesh.influences = body->influences;
    return body;
}

static void free_body(struct body *body)
{
    free(body->positions);
    free(body->uvs);
    free(body->influences);
    free(body->faces);
    free(body);
}

/* As the daemon has it: what was freed is kept, or a third of the time of the blank picture would be page faults as well. */
static void keep_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_MMAP_THRESHOLD, 2 << 20);
}

static void run(void)
{
    keep_memory();
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
    static const char *const titles[] = {
        "bones as PNG",    "bones as SVG",    "bones, 2 s as animated WebP",
        "the body as PNG", "the body as SVG", "the body, 2 s as animated WebP"};
    struct pose_humanoid *person = pose_humanoid_new(skeleton->skeletons, NULL, 0, NULL, &error);
    struct pose_document *mannequin = person ? pose_mannequin(person, NULL, &error) : NULL;
    struct pose_skin *mannequin_skin =
        mannequin ? pose_skin_new(mannequin->meshes, skeleton->skeletons, POSE_AXES_GLTF, NULL, &error)
                  : NULL;
    struct body *body = mannequin_skin ? make_body(mannequin->meshes) : NULL;
    struct pose_skin *skin =
        body ? pose_skin_new(&body->mesh, skeleton->skeletons, POSE_AXES_GLTF, NULL, &error) : NULL;
    if (!skin)
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
    bench_pixels(&subjects[3], &still);
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
    free_body(body);
    pose_sampler_free(sampler);
    pose_document_free(skeleton);
}

const struct bench_part bench_pictures = {"pictures", run};
