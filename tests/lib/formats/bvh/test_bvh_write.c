/* BVH, writing: files come back, other clips are sampled, what cannot be held is said. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/one_clip.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *encode(const struct pose_content *content, struct codec_losses *losses)
{
    struct pose_buffer out = codec_must_encode("bvh", content, losses);
    char *text = strndup((const char *)out.data, out.size);
    pose_buffer_free(&out);
    return text;
}

static void expect_back(const char *text)
{
    struct codec_losses losses;
    struct pose_document *document = codec_must_decode("bvh", text, strlen(text));
    struct pose_content content = document_content(document);
    char *back = encode(&content, &losses);
    ck_assert_str_eq(losses.codes, "");
    ck_assert_str_eq(back, text);
    free(back);
    pose_document_free(document);
}

/* Orders, channels, frame time, End Sites: the same text again. */
TEST(files_come_back)
{
    static const char *const orders[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"};
    for (int i = 0; i < 6; i++) {
        char text[600];
        const char *o = orders[i];
        snprintf(
            text, sizeof text,
            "HIERARCHY\nROOT a\n{\n\tOFFSET 1 2 3\n\tCHANNELS 6 Xposition Yposition Zposition %crotation "
            "%crotation %crotation\n\tJOINT b\n\t{\n\t\tOFFSET 0 -5.25 0\n\t\tCHANNELS 1 Yrotation\n"
            "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 4 0\n\t\t}\n\t}\n}\nMOTION\nFrames: 3\nFrame Time: "
            ".0333330\n"
            "10 20.5 -30 10.5 20.25 30 45\n0 0 0 -60 60 100 90\n1 2 3 -100 80 190 200\n",
            o[0], o[1], o[2]);
        expect_back(text);
    }
}

static const struct pose_joint two_roots[] = {
    {.name = "left hand",
     .parent = -1,
     .translation = {1, 2, 3},
     .rotation = {0, 0, 0, 1},
     .scale = {1, 1, 1}},
    {.name = "x", .parent = 0, .translation = {0, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    {.parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}, .has_id = true, .id = 7},
};

TEST(what_is_lost)
{
    const float times[2] = {0, 1}, places[6] = {0, 1, 0, 0, 3, 0}, turns[8] = {0, 0, 0, 1, 1, 0, 0, 0};
    const struct pose_track tracks[] = {
        {.name = "x", .channels = {{2, times, places}, {2, times, turns}, {2, times, places}}},
        {.name = "nobody", .channels = {{2, times, places}}},
        {.name = "m", .channels = {[POSE_MORPH] = {2, times, places}}}};
    const struct pose_clip clip = {
        .duration = 1, .fps = 10, .track_count = 3, .tracks = tracks, .loop = POSE_LOOP_YES};
    const struct pose_skeleton skeleton = {.joint_count = 3, .joints = two_roots, .root_joint = -1};
    struct codec_losses losses;
    char *text = encode(
        &(struct pose_content){.clip_count = 1, .clips = &clip, .skeleton_count = 1, .skeletons = &skeleton},
        &losses);
    static const char *const codes[] = {"unmatched_track", "renamed_joint", "morph_dropped",  "scale_dropped",
                                        "loop_dropped",    "root_added",    "joint_positions"};
    for (int i = 0; i < 7; i++)
        ck_assert_msg(strstr(losses.codes, codes[i]), "%s: %s", codes[i], losses.codes);
    ck_assert_str_eq(losses.notes, "root_added joint_positions "); /* nothing is missing */
    ck_assert(strstr(text, "ROOT root\n{\n\tOFFSET 0 0 0\n\tCHANNELS 0\n\tJOINT left_hand\n") != NULL);
    ck_assert(strstr(text, "JOINT joint_7\n") != NULL);
    ck_assert(strstr(text, "Frames: 11\nFrame Time: 0.1\n") != NULL);
    free(text);
}

static struct pose_error must_refuse(const struct pose_content *content, const char *code)
{
    struct pose_error error;
    struct pose_buffer out = {0};
    ck_assert(!pose_encode("bvh", content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, code);
    return error;
}

TEST(refused)
{
    const struct pose_value fps = {.kind = POSE_INT, .key = "fps", .as.integer = 0};
    const struct pose_value settings = {.kind = POSE_OBJECT, .first = &fps};
    struct pose_clip clip = {.duration = 1};
    const struct pose_skeleton skeleton = {.joint_count = 3, .joints = two_roots, .root_joint = -1};
    struct pose_content content = {.clip_count = 1, .clips = &clip};
    struct pose_error error = must_refuse(&content, "needs_skeleton");
    ck_assert_str_eq(error.field, "skeleton");
    ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
    content.skeleton_count = 1;
    content.skeletons = &skeleton;
    content.settings = &settings;
    ck_assert_str_eq(must_refuse(&content, "bad_setting").field, "fps");
    content.settings = NULL;
    content.clip_count = 0;
    must_refuse(&content, "one_clip");
    content.clip_count = 1;
    clip.duration = NAN;
    ck_assert(!pose_encode("bvh", &content, NULL, NULL, NULL, &(struct pose_buffer){0}, &error));
    clip.duration = 1e9f;
    ck_assert_int_eq(must_refuse(&content, "over_limit").status, POSE_OVER_LIMIT);
}

/* A clip of Second Life: the rest as frame 0, in inches; a joint that stays there is turned a little in frame 0 alone. */
TEST(for_second_life)
{
    struct pose_document *stand_in = NULL;
    for (unsigned i = 0; pose_stand_in_name(i) && !stand_in; i++) {
        stand_in = pose_stand_in(i, NULL, NULL);
        if (stand_in->skeletons->axes != POSE_AXES_SL) {
            pose_document_free(stand_in);
            stand_in = NULL;
        }
    }
    const float times[2] = {0, 1}, places[6] = {0, 0, 0, 0.5f, 0, 0}, still[4] = {0, 0, 0, 1};
    const struct pose_track tracks[] = {{.name = "mPelvis", .channels = {{2, times, places}}},
                                        {.name = "mHead", .channels = {[POSE_ROTATION] = {1, times, still}}}};
    const struct pose_clip clip = {
        .axes = POSE_AXES_SL, .rules = POSE_RULES_SL, .duration = 1, .track_count = 2, .tracks = tracks};
    const struct pose_content content = {
        .clip_count = 1, .clips = &clip, .skeleton_count = 1, .skeletons = stand_in->skeletons};
    struct codec_losses losses;
    char *text = encode(&content, &losses);
    ck_assert_str_eq(losses.codes, "");
    static const char head[] = "HIERARCHY\nROOT mPelvis\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 ";
    ck_assert(!strncmp(text, head, sizeof head - 1));
    ck_assert(strstr(text, "Frames: 22\nFrame Time: 0.05\n0 38.58") != NULL);
    ck_assert_ptr_null(strstr(text, "L_HAND"));
    struct pose_document *bvh = codec_must_decode("bvh", text, strlen(text));
    struct pose_content second = document_content(bvh);
    struct pose_buffer out = codec_must_encode("sl-anim", &second, &losses);
    struct pose_document *back = codec_must_decode("sl-anim", out.data, out.size);
    ck_assert_str_eq(losses.codes, "");
    ck_assert_float_eq(back->clips->duration, 1);
    ck_assert_uint_eq(back->clips->track_count, 2);
    ck_assert_str_eq(back->clips->tracks[1].name, "mHead");
    ck_assert_float_eq_tol(back->clips->tracks[1].channels[POSE_ROTATION].values[3], 1, 1e-5f);
    const struct pose_channel *place = &back->clips->tracks[0].channels[POSE_TRANSLATION];
    ck_assert_float_eq_tol(place->values[3 * (place->count - 1)], 0.5f, 2e-4f);
    pose_buffer_free(&out);
    pose_document_free(back);
    pose_document_free(bvh);
    pose_document_free(stand_in);
    free(text);
}

/* The second line of numbers of a clip that goes 1 m up from there, under a root of that name. */
static char *encode_lift(const char *root, const char *unit, bool is_native, struct codec_losses *losses)
{
    const float times[2] = {0, 1}, places[6] = {0, 1, 0, 0, 2, 0};
    const struct pose_joint joints[] = {
        {.name = root, .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "b", .parent = 0, .translation = {0, .5f, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    const struct pose_skeleton skeleton = {.joint_count = 2, .joints = joints, .root_joint = -1};
    const struct pose_value channels = {.kind = POSE_STRING,
                                        .key = "channels",
                                        .as.string = "Xposition Yposition Zposition Zrotation"},
                            channel_extras = {.kind = POSE_OBJECT, .first = &channels},
                            frame_time = {.kind = POSE_STRING, .key = "frame_time", .as.string = "1"},
                            extras = {.kind = POSE_OBJECT, .first = &frame_time},
                            setting = {.kind = POSE_STRING, .key = "unit", .as.string = unit},
                            settings = {.kind = POSE_OBJECT, .first = &setting};
    const struct pose_track track = {
        .name = root, .channels = {{2, times, places}}, .extras = is_native ? &channel_extras : NULL};
    const struct pose_clip clip = {.duration = 1,
                                   .fps = 1,
                                   .frame_count = 2,
                                   .track_count = 1,
                                   .tracks = &track,
                                   .extras = is_native ? &extras : NULL};
    return encode(&(struct pose_content){.clip_count = 1,
                                         .clips = &clip,
                                         .skeleton_count = 1,
                                         .skeletons = &skeleton,
                                         .settings = unit ? &settings : NULL},
                  losses);
}

/* Under Second Life's pelvis lengths are inches wherever the clip came from, as that viewer and our reader take them. */
TEST(units)
{
    static const struct {
        const char *root, *unit, *offset, *frame, *note;
    } cases[] = {
        {"body", NULL, "OFFSET 0 0.5 0\n", "\n0 2 0 0", ""},
        {"body", "m", "OFFSET 0 0.5 0\n", "\n0 2 0 0", ""},
        {"body", "cm", "OFFSET 0 50 0\n", "\n0 200 0 0", ""},
        {"body", "inch", "OFFSET 0 19.68", "\n0 78.74", ""},
        {"hip", NULL, "OFFSET 0 19.68", "\n0 78.74", ""},
        {"mPelvis", NULL, "OFFSET 0 19.68", "\n0 78.74", ""},
        {"mPelvis", "cm", "OFFSET 0 19.68", "\n0 78.74", "unit_inch "},
        {"hip", "inch", "OFFSET 0 19.68", "\n0 78.74", ""},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct codec_losses losses;
        size_t c = i / 2;
        char *text = encode_lift(cases[c].root, cases[c].unit, i % 2, &losses);
        ck_assert_str_eq(losses.codes, cases[c].note);
        ck_assert_str_eq(losses.notes, cases[c].note);
        ck_assert_msg(strstr(text, cases[c].offset) != NULL, "%zu: %s", i, text);
        ck_assert_msg(strstr(text, cases[c].frame) != NULL, "%zu: %s", i, text);
        free(text);
    }
    struct pose_error error;
    const struct pose_joint joint = {.name = "a", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    const struct pose_skeleton skeleton = {.joint_count = 1, .joints = &joint, .root_joint = -1};
    const struct pose_clip clip = {.duration = 1};
    const struct pose_value unit = {.kind = POSE_STRING, .key = "unit", .as.string = "ft"},
                            settings = {.kind = POSE_OBJECT, .first = &unit};
    error = must_refuse(&(struct pose_content){.clip_count = 1,
                                               .clips = &clip,
                                               .skeleton_count = 1,
                                               .skeletons = &skeleton,
                                               .settings = &settings},
                        "bad_setting");
    ck_assert_str_eq(error.field, "unit");
}

/* The pelvis' keys come back as the same 16 bits: those on frames, but for the rounding of their times, and fast ones too. */
TEST(the_pelvis_comes_back_exactly)
{
    enum { KEYS = 21 };
    struct pose_document *stand_in = NULL;
    for (unsigned i = 0; pose_stand_in_name(i) && !stand_in; i++) {
        stand_in = pose_stand_in(i, NULL, NULL);
        if (stand_in->skeletons->axes != POSE_AXES_SL) {
            pose_document_free(stand_in);
            stand_in = NULL;
        }
    }
    float times[KEYS], places[KEYS][3];
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)(floor(65535.0 * k / (KEYS - 1)) / 65535 * 7.3);
        for (int i = 0; i < 3; i++)
            places[k][i] = (float)((26000 + (k * 7919 + i * 4001) % 13000) / 65535.0 * 10 - 5);
    }
    const struct pose_track track = {.name = "mPelvis", .channels = {{KEYS, times, places[0]}}};
    const struct pose_clip clip = {
        .axes = POSE_AXES_SL, .rules = POSE_RULES_SL, .duration = 7.3f, .track_count = 1, .tracks = &track};
    const struct pose_content content = {
        .clip_count = 1, .clips = &clip, .skeleton_count = 1, .skeletons = stand_in->skeletons};
    char *text = encode(&content, NULL);
    struct pose_document *bvh = codec_must_decode("bvh", text, strlen(text));
    for (int on_skeleton = 0; on_skeleton < 2; on_skeleton++) {
        struct pose_conversion conversion = {ONE_CLIP(bvh->clips, "bvh"), .to = "sl-anim",
                                             .skeleton = on_skeleton ? bvh->skeletons : NULL};
        struct pose_buffer out;
        ck_assert(pose_convert(&conversion, NULL, NULL, NULL, &out, NULL, NULL));
        struct pose_document *back = codec_must_decode("sl-anim", out.data, out.size);
        const struct pose_channel *place = &back->clips->tracks[0].channels[POSE_TRANSLATION];
        uint32_t at = 0;
        for (int k = 0; k < KEYS; k++) {
            while (at < place->count && place->times[at] < times[k] - 7.3f * 1.5f / 65535)
                at++;
            ck_assert_uint_lt(at, place->count);
            ck_assert_float_eq_tol(place->times[at], times[k], 7.3f * 1.5f / 65535);
            for (int i = 0; i < 3; i++)
                ck_assert_float_eq_tol(place->values[3 * at + (uint32_t)i], places[k][i], 1e-6f);
        }
        pose_document_free(back);
        pose_buffer_free(&out);
    }
    pose_document_free(bvh);
    pose_document_free(stand_in);
    free(text);
}

/* Inches are axes that glTF's writer knows: what comes back stands as high. */
TEST(through_gltf)
{
    const char *text =
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation "
        "Yrotation Zrotation\n}\nMOTION\nFrames: 3\nFrame Time: 0.5\n0 40 0 0 0 0\n0 50 0 0 9 0\n"
        "0 40 0 0 0 9\n";
    struct pose_document *bvh = codec_must_decode("bvh", text, strlen(text));
    struct pose_content content = document_content(bvh);
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    struct pose_document *gltf = codec_must_decode("gltf", glb.data, glb.size);
    struct pose_sampler *sampler = pose_sampler_new(gltf->clips, gltf->skeletons, POSE_AXES_GLTF, NULL, NULL);
    float *rows = calloc(pose_sampler_row_count(sampler), 10 * sizeof *rows);
    pose_sample(sampler, 0.5, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
    ck_assert_float_eq_tol(rows[1], 50 * 0.02540005f, 1e-5f);
    free(rows);
    pose_sampler_free(sampler);
    pose_buffer_free(&glb);
    pose_document_free(gltf);
    pose_document_free(bvh);
}
