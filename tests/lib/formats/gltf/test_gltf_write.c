/* glTF as it is written: what is in the file, what comes back out of it, and what is refused. */
#include "lib/images/picture.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

/* Two joints that turn, the first moves as well; two seconds. */
static const float times[3] = {0, 1, 2}, end_times[2] = {0, 2};
static const float turns[3][4] = {{0, 0, 0, 1}, {0, 0.6f, 0, 0.8f}, {0, 0.96f, 0, 0.28f}};
static const float places[2][3] = {{0, 0.25f, 0}, {0.5f, 0.25f, 0}};
static const float still[2][3] = {{1, 2, 3}, {1, 2, 3}};

static struct pose_track tracks[2] = {
    {.name = "hip", .channels = {{2, end_times, places[0]}, {3, times, turns[0]}}},
    {.name = "leg", .channels = {{2, end_times, still[0]}, {3, times, turns[0]}}},
};

static struct pose_clip make_clip(enum pose_rules rules)
{
    return (struct pose_clip){.name = "step",
                              .rules = rules,
                              .duration = 2,
                              .loop_out = 2,
                              .track_count = 2,
                              .tracks = tracks,
                              .key_count = 10};
}

static struct pose_joint joints[2] = {
    {.name = "hip", .parent = -1, .translation = {0, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    {.name = "leg", .parent = 0, .translation = {0, 0.5f, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
};

static struct pose_skeleton make_skeleton(void)
{
    return (struct pose_skeleton){.name = "figure", .joint_count = 2, .joints = joints, .root_joint = -1};
}

/* The JSON of a file, as text that lasts until the next call. */
static const char *json_of(const struct pose_buffer *file)
{
    static char text[1 << 17];
    bool is_glb = file->size > 20 && !memcmp(file->data, "glTF", 4);
    size_t size = is_glb ? (size_t)file->data[12] | (size_t)file->data[13] << 8 | (size_t)file->data[14] << 16
                         : file->size;
    ck_assert_uint_lt(size, sizeof text);
    memcpy(text, file->data + (is_glb ? 20 : 0), size);
    text[size] = '\0';
    return text;
}

static void expect_text(const struct pose_buffer *file, const char *part)
{
    ck_assert_msg(strstr(json_of(file), part) != NULL, "no %s in %s", part, json_of(file));
}

static struct pose_buffer write_with(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                                     struct pose_value setting, struct codec_losses *losses)
{
    struct pose_value settings = {.kind = POSE_OBJECT, .first = &setting};
    struct pose_content content = {.clip_count = clip != NULL,
                                   .clips = clip,
                                   .skeleton_count = skeleton != NULL,
                                   .skeletons = skeleton,
                                   .settings = setting.key ? &settings : NULL};
    return codec_must_encode("gltf", &content, losses);
}

static const struct pose_value no_setting;

/* -------------------------------------------------------------------------------------------------- clips -- */

/* What was written and read again is what the sampler says, at any time. */
static void expect_same_motion(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                               const struct pose_buffer *glb, float tolerance)
{
    struct pose_document *document = codec_must_decode("gltf", glb->data, glb->size);
    struct pose_clip read = document->clips[0];
    read.rules = POSE_RULES_PLAIN; /* as glTF plays it */
    struct pose_sampler *a = pose_sampler_new(clip, skeleton, POSE_AXES_GLTF, NULL, NULL);
    struct pose_sampler *b = pose_sampler_new(&read, NULL, POSE_AXES_GLTF, NULL, NULL);
    ck_assert(a && b);
    for (int k = 0; k <= 40; k++) {
        float x[20], y[20];
        pose_sample(a, k / 20.0, POSE_CLAMP, 0, x, NULL);
        pose_sample(b, k / 20.0, POSE_CLAMP, 0, y, NULL);
        for (int i = 0; i < 20; i++)
            ck_assert_float_eq_tol(x[i], y[i], tolerance);
    }
    pose_sampler_free(a);
    pose_sampler_free(b);
    pose_document_free(document);
}

TEST(keys_are_the_clips_own)
{
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    struct pose_buffer glb = write_with(&clip, NULL, no_setting, NULL);
    expect_text(&glb, "\"rotation\":{\"count\":3}");
    expect_text(&glb, "\"translation\":{\"timeline\":0}"); /* never changes */
    expect_text(&glb, "\"timelines\":[[0,2]]");
    expect_same_motion(&clip, NULL, &glb, 1e-6f);
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    for (int t = 0; t < 2; t++) {
        ck_assert_uint_eq(document->clips[0].tracks[t].channels[POSE_TRANSLATION].count, 2);
        ck_assert_uint_eq(document->clips[0].tracks[t].channels[POSE_ROTATION].count, 3);
    }
    pose_document_free(document);
    pose_buffer_free(&glb);
}

TEST(an_engine_that_goes_another_way_gets_keys)
{
    static const float long_way[2][4] = {{0, 0, 0, 1}, {0, -0.6f, 0, -0.8f}};
    static struct pose_track track = {.name = "hip",
                                      .channels = {[POSE_ROTATION] = {2, end_times, long_way[0]}}};
    struct pose_clip clips[2] = {make_clip(POSE_RULES_SL), make_clip(POSE_RULES_PRIME)};
    clips[1].tracks = &track;
    clips[1].track_count = 1;
    for (int i = 0; i < 2; i++) {
        struct pose_buffer glb = write_with(&clips[i], NULL, no_setting, NULL);
        expect_text(&glb, ",\"added\":[1");
        struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
        /* Taken out again on the way back. */
        ck_assert_uint_eq(document->clips[0].tracks[0].channels[POSE_ROTATION].count, i ? 2 : 3);
        pose_document_free(document);
        pose_buffer_free(&glb);
    }
}

TEST(sampled_anew)
{
    struct pose_clip clip = make_clip(POSE_RULES_SL);
    struct pose_value fps = {.kind = POSE_FLOAT, .key = "fps", .as.number = 7.5f};
    struct pose_buffer glb = write_with(&clip, NULL, fps, NULL);
    expect_text(&glb, "\"resampled\":7.5");
    expect_text(&glb, "\"count\":16,\"type\":\"SCALAR\",\"min\":[0],\"max\":[2]");
    expect_same_motion(&clip, NULL, &glb, 2e-2f);
    pose_buffer_free(&glb);
}

TEST(the_end_is_reached)
{
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    clip.duration = 3;
    struct pose_buffer glb = write_with(&clip, NULL, no_setting, NULL);
    expect_text(&glb, "\"max\":[3]");
    expect_text(&glb, "\"added\":[");
    pose_buffer_free(&glb);
}

TEST(pelvis_is_rest_and_key)
{
    struct pose_clip clip = make_clip(POSE_RULES_SL);
    clip.axes = POSE_AXES_SL;
    struct pose_skeleton skeleton = make_skeleton();
    skeleton.axes = POSE_AXES_SL;
    skeleton.root_joint = 0;
    struct pose_buffer glb = write_with(&clip, &skeleton, no_setting, NULL);
    expect_text(&glb, "\"root\":{\"joint\":0,\"node\":0,\"rest\":[0,1,0]}");
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    float value[3];
    memcpy(value, document->clips[0].tracks[0].channels[POSE_TRANSLATION].values + 3, sizeof value);
    pose_convert_axes(POSE_TRANSLATION, value, 1, POSE_AXES_GLTF, POSE_AXES_SL);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq_tol(value[i], places[1][i], 1e-6f);
    pose_document_free(document);
    pose_buffer_free(&glb);
}

TEST(scale_that_is_not_inherited)
{
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    struct pose_skeleton skeleton = make_skeleton();
    struct pose_joint scaled[2] = {joints[0], joints[1]};
    scaled[0].scale[1] = 2;
    skeleton.joints = scaled;
    struct pose_buffer glb = write_with(&clip, &skeleton, no_setting, NULL);
    expect_text(&glb, "{\"name\":\"hip.scale\",\"scale\":[1,2,1]}");
    expect_text(&glb, "{\"name\":\"leg\",\"translation\":[0,1,0]}");
    expect_text(&glb, "\"joints\":[2,1]");
    pose_buffer_free(&glb);
    skeleton.scaling = POSE_SCALE_INHERITED;
    glb = write_with(&clip, &skeleton, no_setting, NULL);
    ck_assert_ptr_null(strstr(json_of(&glb), "hip.scale"));
    expect_text(&glb, "{\"name\":\"leg\",\"translation\":[0,0.5,0]}");
    pose_buffer_free(&glb);
}

TEST(tracks_without_a_joint_stay_in_extras)
{
    static const float weights[2] = {0.25f, 0.75f};
    struct pose_track other[2] = {
        {.name = "tail", .channels = {{2, end_times, places[0]}}},
        {.name = "smile", .channels = {[POSE_MORPH] = {2, end_times, weights}}},
    };
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    struct pose_skeleton skeleton = make_skeleton();
    struct codec_losses losses;
    clip.tracks = other;
    struct pose_buffer glb = write_with(&clip, &skeleton, no_setting, &losses);
    ck_assert_str_eq(losses.codes, "unmatched_tracks morphs_not_played ");
    ck_assert_str_eq(losses.notes, losses.codes); /* as they come back */
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    ck_assert_uint_eq(document->clips[0].track_count, 2);
    ck_assert_float_eq(document->clips[0].tracks[0].channels[POSE_TRANSLATION].values[3], 0.5f);
    ck_assert_float_eq(document->clips[0].tracks[1].channels[POSE_MORPH].values[1], 0.75f);
    pose_document_free(document);
    pose_buffer_free(&glb);
}

/* Names are those of the pose though two joints share one: nodes are bound by their index. */
TEST(equal_names_come_back)
{
    static const float other[2][4] = {{0, 0, 0, 1}, {0.6f, 0, 0, 0.8f}};
    struct pose_track twice[2] = {
        {.name = "bone", .has_id = true, .id = 1, .channels = {[POSE_ROTATION] = {3, times, turns[0]}}},
        {.name = "bone", .has_id = true, .id = 2, .channels = {[POSE_ROTATION] = {2, end_times, other[0]}}},
    };
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    clip.tracks = twice;
    struct pose_buffer glb = write_with(&clip, NULL, no_setting, NULL);
    expect_text(&glb, "{\"name\":\"bone\"},{\"name\":\"bone_1\",");
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    const struct pose_track *read = document->clips->tracks;
    ck_assert_uint_eq(document->clips->track_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_str_eq(read[i].name, "bone");
        ck_assert_uint_eq(read[i].id, i + 1);
        ck_assert_uint_eq(read[i].channels[POSE_ROTATION].count, 3 - i);
    }
    ck_assert_float_eq_tol(read[0].channels[POSE_ROTATION].values[5], 0.6f, 1e-6f);
    ck_assert_float_eq_tol(read[1].channels[POSE_ROTATION].values[4], 0.6f, 1e-6f);
    pose_document_free(document);
    pose_buffer_free(&glb);
}

TEST(several_clips_share_joints)
{
    struct pose_track third[2] = {tracks[1], {.name = "arm", .channels = {{2, end_times, places[0]}}}};
    struct pose_clip clips[2] = {make_clip(POSE_RULES_PLAIN), make_clip(POSE_RULES_PLAIN)};
    clips[1].tracks = third;
    struct pose_content content = {.clip_count = 2, .clips = clips};
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    ck_assert_uint_eq(document->clip_count, 2);
    ck_assert_uint_eq(document->skeletons[0].joint_count, 3);
    pose_document_free(document);
    pose_buffer_free(&glb);
}

/* The frame, which we add, makes way for joints of its name; three.js would rename the joint. */
TEST(the_frame_takes_no_joints_name)
{
    struct pose_joint roots[3] = {joints[0], joints[0], joints[0]};
    roots[1].name = "figure";
    roots[2].name = "figure_1";
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    struct pose_skeleton skeleton = {.name = "figure", .joint_count = 3, .joints = roots, .root_joint = -1};
    struct pose_buffer file = write_with(&clip, &skeleton, no_setting, NULL);
    expect_text(&file, "\"name\":\"figure_2\",\"extras\":{\"posed\":{\"frame\":true}}");
    pose_buffer_free(&file);
}

TEST(without_keys_no_animation)
{
    struct pose_clip clip = {.name = "nothing", .duration = 1};
    struct pose_skeleton skeleton = make_skeleton();
    struct codec_losses losses;
    struct pose_buffer glb = write_with(&clip, &skeleton, no_setting, &losses);
    ck_assert_str_eq(losses.codes, "no_keys ");
    ck_assert_ptr_null(strstr(json_of(&glb), "animations"));
    expect_text(&glb, "\"name\":\"bones\"");
    pose_buffer_free(&glb);
    struct pose_value none = {.kind = POSE_STRING, .key = "bones", .as.string = "none"};
    glb = write_with(&clip, &skeleton, none, NULL);
    ck_assert_ptr_null(strstr(json_of(&glb), "\"meshes\""));
    expect_text(&glb, "\"skins\"");
    pose_buffer_free(&glb);
}

/* No animation, but all that the clip's own format holds. */
TEST(without_keys_all_else_comes_back)
{
    struct pose_value priority = {.kind = POSE_INT, .key = "base_priority", .as.integer = 4};
    struct pose_value extras = {.kind = POSE_OBJECT, .first = &priority};
    struct pose_value volume = {.kind = POSE_FLOAT, .key = "volume", .as.number = 0.5f};
    struct pose_value fields = {.kind = POSE_OBJECT, .first = &volume};
    struct pose_event event = {.time = 0.25f, .type = "sound", .fields = &fields};
    struct pose_track unmoved = {.name = "leg", .has_id = true, .id = 7};
    struct pose_clip clips[2] = {{.name = "silence",
                                  .axes = POSE_AXES_SL,
                                  .rules = POSE_RULES_SL,
                                  .duration = 1.5f,
                                  .loop = POSE_LOOP_YES,
                                  .loop_in = 0.5f,
                                  .loop_out = 1,
                                  .track_count = 1,
                                  .tracks = &unmoved,
                                  .event_count = 1,
                                  .events = &event,
                                  .extras = &extras},
                                 make_clip(POSE_RULES_PLAIN)};
    struct pose_skeleton skeleton = make_skeleton();
    for (uint32_t count = 1; count <= 2; count++) {
        struct pose_content content = {
            .clip_count = count, .clips = clips, .skeleton_count = 1, .skeletons = &skeleton};
        struct codec_losses losses;
        struct pose_buffer glb = codec_must_encode("gltf", &content, &losses);
        ck_assert_str_eq(losses.codes, "no_keys ");
        ck_assert_str_eq(losses.notes, "");
        struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
        ck_assert_uint_eq(document->clip_count, count);
        ck_assert_uint_eq(codec_warnings(document, NULL), 0);
        const struct pose_clip *clip = &document->clips[count - 1];
        ck_assert_str_eq(clip->name, "silence");
        ck_assert_str_eq(clip->origin, "sl-anim");
        ck_assert_int_eq(clip->rules, POSE_RULES_SL);
        ck_assert_int_eq(clip->loop, POSE_LOOP_YES);
        ck_assert_float_eq(clip->duration, 1.5f);
        ck_assert_float_eq(clip->loop_in, 0.5f);
        ck_assert_float_eq(clip->loop_out, 1);
        ck_assert_uint_eq(clip->track_count, 1);
        ck_assert_str_eq(clip->tracks[0].name, "leg");
        ck_assert_uint_eq(clip->tracks[0].id, 7);
        ck_assert_uint_eq(clip->event_count, 1);
        ck_assert_str_eq(clip->events[0].type, "sound");
        ck_assert_float_eq(pose_value_find(clip->events[0].fields, "volume")->as.number, 0.5f);
        ck_assert_int_eq(pose_value_find(clip->extras, "base_priority")->as.integer, 4);
        ck_assert_uint_eq(clip->key_count, 0);
        if (count == 2)
            ck_assert_uint_eq(document->clips[0].key_count, 10);
        /* And once more. */
        struct pose_content again = document_content(document);
        struct pose_buffer second = codec_must_encode("gltf", &again, NULL);
        struct pose_document *same = codec_must_decode("gltf", second.data, second.size);
        ck_assert_uint_eq(same->clip_count, count);
        ck_assert_int_eq(pose_value_find(same->clips[count - 1].extras, "base_priority")->as.integer, 4);
        pose_document_free(same);
        pose_buffer_free(&second);
        pose_document_free(document);
        pose_buffer_free(&glb);
    }
}

TEST(as_text)
{
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    struct pose_value text = {.kind = POSE_STRING, .key = "container", .as.string = "gltf"};
    struct pose_buffer file = write_with(&clip, NULL, text, NULL);
    ck_assert_int_eq(file.data[0], '{');
    expect_text(&file, "\"uri\":\"data:application/octet-stream;base64,");
    expect_same_motion(&clip, NULL, &file, 1e-6f);
    pose_buffer_free(&file);
}

/* ------------------------------------------------------------------------------------------------- meshes -- */

/* A triangle: a vertex on each of two bones, a third that a blended one pulls over by a quarter. */
static const char *const bones[] = {"hip", "leg"};
static const uint32_t faces[1][3] = {{0, 1, 2}};
static const float uvs[3][2] = {{0, 0}, {1, 0}, {0, 1}};
static const struct pose_blend blends[1] = {{2, 8192}};
static const float positions[4][3] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0.5f, 1}};
static const float normals[4][3] = {{0, 3, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
static const struct pose_binding bindings[2] = {{0, 0, 1, 0, 0}, {1, 1, 2, 0, 0}};

static struct pose_mesh make_mesh(void)
{
    static struct pose_binding both[2];
    memcpy(both, bindings, sizeof both);
    both[0].blend_count = 1;
    return (struct pose_mesh){.name = "coat",
                              .texture = "cloth",
                              .bone_count = 2,
                              .bones = bones,
                              .face_count = 1,
                              .faces = faces,
                              .real_count = 3,
                              .blend_count = 1,
                              .uvs = uvs,
                              .blends = blends,
                              .positions = positions,
                              .normals = normals,
                              .binding_count = 2,
                              .bindings = both};
}

static const uint8_t tga[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 10, 20, 30};

TEST(mesh_with_texture)
{
    struct pose_mesh mesh = make_mesh();
    struct pose_skeleton skeleton = make_skeleton();
    struct pose_image image = {.name = "textures/CLOTH.tga", .bytes = {tga, sizeof tga}};
    struct pose_content content = {.skeleton_count = 1,
                                   .skeletons = &skeleton,
                                   .mesh_count = 1,
                                   .meshes = &mesh,
                                   .image_count = 1,
                                   .images = &image};
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    /* Vertex 2: three quarters at the leg's (0, 1.5, 1), one at the hip's (0, 1.5, 1). */
    expect_text(&glb, "\"min\":[0,1,0],\"max\":[1,1.5,1]");
    expect_text(&glb, "\"baseColorTexture\":{\"index\":0}");
    expect_text(&glb, "\"mimeType\":\"image/png\"");
    const uint8_t *png = memmem(glb.data, glb.size, "\x89PNG", 4);
    ck_assert_ptr_nonnull(png);
    struct picture picture;
    ck_assert(picture_read((struct pose_bytes){png, (size_t)(glb.data + glb.size - png)}, NULL, NULL,
                           &picture, NULL));
    ck_assert_uint_eq(picture.width * picture.height, 1);
    ck_assert_int_eq(picture.pixels[0], 30);
    ck_assert_int_eq(picture.pixels[2], 10);
    picture_free(&picture);
    pose_buffer_free(&glb);
}

TEST(mesh_that_lacks_things)
{
    static const char *const strange[] = {"hip", "wing"};
    struct pose_mesh mesh = make_mesh();
    struct pose_skeleton skeleton = make_skeleton();
    struct pose_image image = {.name = "cloth.bmp", .bytes = {tga, 10}};
    struct codec_losses losses;
    mesh.bones = strange;
    struct pose_content content = {.skeleton_count = 1,
                                   .skeletons = &skeleton,
                                   .mesh_count = 1,
                                   .meshes = &mesh,
                                   .image_count = 1,
                                   .images = &image};
    struct pose_buffer glb = codec_must_encode("gltf", &content, &losses);
    ck_assert_str_eq(losses.codes, "missing_bone texture_unreadable ");
    expect_text(&glb, "\"joints\":[0,1,2]"); /* the frame holds what no joint does */
    pose_buffer_free(&glb);
    content.skeleton_count = 0;
    glb = codec_must_encode("gltf", &content, &losses);
    ck_assert_str_eq(losses.codes, "unbound_mesh texture_unreadable ");
    pose_buffer_free(&glb);
}

TEST(mesh_without_faces)
{
    struct pose_mesh mesh = make_mesh();
    struct pose_skeleton skeleton = make_skeleton();
    struct codec_losses losses;
    mesh.face_count = 0;
    struct pose_content content = {
        .skeleton_count = 1, .skeletons = &skeleton, .mesh_count = 1, .meshes = &mesh};
    struct pose_buffer glb = codec_must_encode("gltf", &content, &losses);
    ck_assert_str_eq(losses.codes, "empty_mesh ");
    expect_text(&glb, "\"name\":\"bones\"");
    pose_buffer_free(&glb);
}

TEST(pictures_that_are_refused)
{
    struct picture picture;
    struct pose_error error;
    uint8_t large[sizeof tga];
    memcpy(large, tga, sizeof tga);
    large[13] = large[15] = 0x1f; /* 7937 by 7937 */
    pose_error_init(&error);
    ck_assert(!picture_read((struct pose_bytes){large, sizeof large}, NULL, NULL, &picture, &error));
    ck_assert_str_eq(error.code, "picture_too_large");
    pose_error_init(&error);
    ck_assert(!picture_read((struct pose_bytes){(const uint8_t *)"GIF89a", 6}, NULL, NULL, &picture, &error));
    ck_assert_str_eq(error.code, "bad_picture");
}

/* ----------------------------------------------------------------------------------------------- refusals -- */

static void expect_refusal(const struct pose_content *content, const char *code)
{
    struct pose_error error;
    struct pose_buffer out;
    ck_assert(!pose_encode("gltf", content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, code);
    ck_assert_ptr_null(out.data);
}

TEST(refusals)
{
    static const float descending[3] = {0, 2, 1};
    static const uint32_t outside[1][3] = {{0, 1, 3}};
    struct pose_value wrong[] = {
        {.kind = POSE_STRING, .key = "container", .as.string = "fbx"},
        {.kind = POSE_STRING, .key = "bones", .as.string = "some"},
        {.kind = POSE_INT, .key = "fps", .as.integer = 0},
        {.kind = POSE_STRING, .key = "fps", .as.string = "30"},
        {.kind = POSE_INT, .key = "fps", .as.integer = 1001},
    };
    struct pose_clip clip = make_clip(POSE_RULES_PLAIN);
    struct pose_skeleton two[2] = {make_skeleton(), make_skeleton()};
    struct pose_mesh mesh = make_mesh();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pose_value settings = {.kind = POSE_OBJECT, .first = &wrong[i]};
        expect_refusal(&(struct pose_content){.clip_count = 1, .clips = &clip, .settings = &settings},
                       "bad_setting");
    }
    expect_refusal(&(struct pose_content){0}, "nothing_to_write");
    expect_refusal(&(struct pose_content){.skeleton_count = 2, .skeletons = two}, "one_skeleton");
    mesh.faces = outside;
    expect_refusal(&(struct pose_content){.mesh_count = 1, .meshes = &mesh}, "face_index");
    struct pose_track track = {.name = "hip", .channels = {[POSE_ROTATION] = {3, descending, turns[0]}}};
    clip.tracks = &track;
    clip.track_count = 1;
    expect_refusal(&(struct pose_content){.clip_count = 1, .clips = &clip}, "bad_times");
    clip.duration = NAN;
    expect_refusal(&(struct pose_content){.clip_count = 1, .clips = &clip}, "bad_duration");
}
