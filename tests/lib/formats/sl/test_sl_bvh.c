/* BVH as Second Life's viewer takes it: what an upload becomes, and for which reasons it is refused. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HIERARCHY                                                                                            \
    "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Zrotation "    \
    "Yrotation\nJOINT chest\n{\nOFFSET 0 9 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT neck\n{\n"     \
    "OFFSET 0 9 0\nCHANNELS 3 Xrotation Zrotation Yrotation\n}\n}\n}\nMOTION\n"
#define FRAMES                                                                                               \
    "Frames: 4\nFrame Time: 0.5\n0 42 0 0 0 90 0 0 0 0 0 0\n10 42 0 0 0 90 0 30 0 0 0 0\n"                   \
    "0 52 0 0 0 90 0 60 0 0 0 0\n0 42 20 0 0 180 0 0 0 0 0 0\n"

/* The clip that it becomes; NULL and the error when it is refused. */
static struct pose_document *upload(const char *text, struct codec_losses *losses, struct pose_error *error)
{
    struct pose_document *bvh = codec_must_decode("bvh", text, strlen(text)), *clip = NULL;
    struct pose_content content = document_content(bvh);
    struct pose_buffer out = {0};
    if (losses) {
        out = codec_must_encode("sl-anim", &content, losses);
        clip = codec_must_decode("sl-anim", out.data, out.size);
    } else {
        ck_assert(!pose_encode("sl-anim", &content, NULL, NULL, NULL, &out, error));
    }
    pose_buffer_free(&out);
    pose_document_free(bvh);
    return clip;
}

/* Frame 0 is not played; the pelvis is relative to it, in metres and Second Life's axes; what never moves is left out. */
TEST(worked_upload)
{
    struct codec_losses losses;
    struct pose_document *document = upload(HIERARCHY FRAMES, &losses, NULL);
    const struct pose_clip *clip = document->clips;
    ck_assert_str_eq(losses.codes, "");
    ck_assert_uint_eq(document->warning_count, 0);
    ck_assert_float_eq(clip->duration, 1);
    ck_assert_int_eq(clip->loop, POSE_LOOP_NO);
    ck_assert_float_eq(clip->loop_out, 1);
    ck_assert_int_eq(value_get_int(clip->extras, "base_priority", 0), 2);
    ck_assert_int_eq(value_get_int(clip->extras, "hand_pose", 0), 1);
    ck_assert_float_eq(value_get_float(clip->extras, "ease_in", 0), 0.3f);
    ck_assert_uint_eq(clip->track_count, 2);
    ck_assert_str_eq(clip->tracks[0].name, "mPelvis");
    ck_assert_str_eq(clip->tracks[1].name, "mChest");
    const struct pose_channel *place = &clip->tracks[0].channels[POSE_TRANSLATION],
                              *turn = &clip->tracks[0].channels[POSE_ROTATION],
                              *chest = &clip->tracks[1].channels[POSE_ROTATION];
    /* 10 inches along X, seen from a pelvis that is turned by 90 degrees about Y: along its Z, Second Life's X. */
    ck_assert_uint_eq(place->count, 3);
    ck_assert_float_eq_tol(place->values[0], 0.2540005f, 1e-4f);
    ck_assert_float_eq_tol(place->values[5], 0.2540005f, 1e-4f);
    ck_assert_float_eq_tol(place->values[7], -0.508001f, 1e-4f);
    /* A turn about Y of 90 degrees more is one about Second Life's Z. */
    ck_assert_float_eq_tol(turn->values[3], 1, 1e-4f);
    ck_assert_float_eq_tol(turn->values[4 * (turn->count - 1) + 2], sqrtf(0.5f), 1e-4f);
    /* The chest is absolute: X of BVH is Y. */
    ck_assert_float_eq(chest->times[0], 0);
    ck_assert_float_eq_tol(chest->values[1], sinf(0.2617994f), 1e-4f);
    ck_assert_float_eq_tol(chest->values[5], 0.5f, 1e-4f);
    pose_document_free(document);
}

/* A file of one frame is a pose of all its joints. */
TEST(one_frame)
{
    struct codec_losses losses;
    struct pose_document *document =
        upload(HIERARCHY "Frames: 1\nFrame Time: 0.5\n1 2 3 0 0 90 90 0 0 0 0 0\n", &losses, NULL);
    ck_assert_float_eq(document->clips->duration, 0.5f);
    ck_assert_uint_eq(document->clips->track_count, 3);
    ck_assert_float_eq(document->clips->tracks[0].channels[POSE_ROTATION].values[3], 1);
    ck_assert_float_eq(document->clips->tracks[0].channels[POSE_TRANSLATION].values[0], 0);
    ck_assert_float_eq_tol(document->clips->tracks[1].channels[POSE_ROTATION].values[0], sqrtf(0.5f), 1e-4f);
    pose_document_free(document);
}

/* The viewer refuses the upload, and would play the clip but for that joint: it is kept and told. */
TEST(unknown_joint)
{
    struct codec_losses losses;
    const char *text =
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT bow\n{\n"
        "OFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation\n}\n}\nMOTION\n"
        "Frames: 2\nFrame Time: 1\n0 0 0 0 0 0 0 0 0\n0 0 0 10 20 30 90 0 0\n";
    struct pose_document *document = upload(text, &losses, NULL);
    ck_assert_str_eq(losses.codes, "unknown_joint ");
    ck_assert_str_eq(document->clips->tracks[0].name, "bow");
    /* Inches become metres, but X stays X. */
    const struct pose_channel *channels = document->clips->tracks[0].channels;
    ck_assert_float_eq_tol(channels[POSE_ROTATION].values[0], sqrtf(0.5f), 1e-4f);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq_tol(channels[POSE_TRANSLATION].values[i], (float)(i + 1) * 0.2540005f, 2e-4f);
    pose_document_free(document);
}

/* Six channels are three positions along X, Y and Z, whatever they are called, and then three rotations. */
TEST(positions_are_taken_in_their_order)
{
    static const char *const orders[] = {"Xposition Yposition Zposition", "Zposition Yposition Xposition",
                                         "Yposition Zposition Xposition"};
    for (int i = 0; i < 3; i++) {
        char text[400];
        struct codec_losses losses;
        snprintf(
            text, sizeof text,
            "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 %s Xrotation Zrotation Yrotation\n}\nMOTION\n"
            "Frames: 3\nFrame Time: 1\n5 5 5 0 90 0\n15 25 35 0 90 0\n15 25 35 0 90 0\n",
            orders[i]);
        struct pose_document *document = upload(text, &losses, NULL);
        ck_assert_str_eq(losses.codes, i ? "position_order " : "");
        /* 10, 20 and 30 inches seen from a pelvis turned by 90 degrees about Z: 20, -10, 30; X is Second Life's Y. */
        const float *place = document->clips->tracks[0].channels[POSE_TRANSLATION].values;
        ck_assert_float_eq_tol(place[1], 20 * 0.0254f, 2e-4f);
        ck_assert_float_eq_tol(place[2], -10 * 0.0254f, 2e-4f);
        ck_assert_float_eq_tol(place[0], 30 * 0.0254f, 2e-4f);
        pose_document_free(document);
    }
}

struct refusal {
    const char *text, *code;
    unsigned line;
};

#define JOINT "\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\n"
#define TURN "Frames: 2\nFrame Time: 1\n0 0 0\n90 0 0\n"

static const struct refusal refusals[] = {
    {"HIERARCHY\nROOT Hips" JOINT TURN, "bad_root", 2},
    {"HIERARCHY\n\n\nROOT chest" JOINT TURN, "bad_root", 4},
    {HIERARCHY "Frames: 2\nFrame Time: 1\n0 0 0 0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0 0 0 0\n", "no_joints",
     18},
    {"HIERARCHY\nROOT hip" JOINT "Frames: 3\nFrame Time: 61\n0 0 0\n90 0 0\n90 0 0\n", "too_long", 8},
    {"HIERARCHY\nROOT hip {\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\n" TURN,
     "no_offset", 3},
    {"hierarchy\nROOT hip" JOINT TURN, "no_hierarchy", 1},
    {"HIERARCHY\nroot hip" JOINT TURN, "no_joint", 2},
    {"HIERARCHY\nROOT hip\n{\nCHANNELS 3 Xrotation Yrotation Zrotation\nOFFSET 0 0 0\n}\nMOTION\n" TURN,
     "no_offset", 4},
    {"HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 0\nFrame Time: 1\n", "no_joints", 7},
    {"HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 2\nFrame Time: "
     "1\n0\n90\n",
     "no_rotation", 5},
    {"HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation\nZrotation\n}\nMOTION\n" TURN,
     "no_rotation", 5},
    {"HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 xrotation Yrotation Zrotation\n}\nMOTION\n" TURN,
     "no_axis", 5},
    {"HIERARCHY\nROOT hip" JOINT "Frames 2\nFrame Time: 1\n0 0 0\n90 0 0\n", "no_frames", 8},
    {"HIERARCHY\nROOT hip" JOINT "Frames: 2\nframe time: 1\n0 0 0\n90 0 0\n", "no_frame_time", 9},
    {"HIERARCHY\nROOT hip" JOINT "Frames: 2\nFrame Time: 1\n0 0 0\n90\n0 0\n", "no_positions", 11},
    {"HIERARCHY\nROOT hip" JOINT "Frames: 2\nFrame Time: 1\n0 0 0 east\n90 0 0\n", "no_positions", 10},
    {"HIERARCHY\nROOT hip" JOINT " Frames: 2\nFrame Time: 1\n0 0 0\n90 0 0\n", "no_frames", 8},
    {"HIERARCHY\nROOT hip" JOINT "Frames : 2\nFrame Time: 1\n0 0 0\n90 0 0\n", "no_frames", 8},
    {"HIERARCHY\nROOT hip" JOINT "Frames:\n2\nFrame Time: 1\n0 0 0\n90 0 0\n", "no_frames", 8},
    {"HIERARCHY\nROOT hip" JOINT "Frames: 2\nFrame  Time: 1\n0 0 0\n90 0 0\n", "no_frame_time", 9},
    {"HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd a\n{\nOFFSET 0 0 "
     "0\n}\n}\nMOTION\n" TURN,
     "no_joint", 6},
};

/* Spellings that the viewer takes, and what it ignores. */
static const char *const taken[] = {
    "HIERARCHY\nROOT hip" JOINT "Frames:2\nFrame Time:1\n0 0 0\n90 0 0\n",
    "HIERARCHY\nROOT hip" JOINT "Frames:\t2\nFrame Time:.5\n0 0 0\n90 0 0\n",
    "HIERARCHY\nROOT hip" JOINT "Frames: 2\nFrame Time: 1\n0 0 0 99\n90 0 0 1e3 -7\n45 0 0\n",
    "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site "
    "hip_end\n{\nOFFSET 0 "
    "0 0\n}\n}\nMOTION\n" TURN,
};

TEST_EACH(viewer_takes, COUNT(taken))
{
    struct codec_losses losses;
    struct pose_document *bvh = codec_must_decode("bvh", taken[_i], strlen(taken[_i])),
                         *clip = upload(taken[_i], &losses, NULL);
    ck_assert_uint_eq(value_count(pose_value_find(bvh->clips->extras, "sl_viewer")), 0);
    ck_assert_float_eq_tol(clip->clips->tracks[0].channels[POSE_ROTATION].values[1], sqrtf(0.5f), 1e-4f);
    pose_document_free(clip);
    pose_document_free(bvh);
}

/* Sound for other programs; the verdict and the conversion say the same. */
TEST_EACH(refused, COUNT(refusals))
{
    const struct refusal *refusal = &refusals[_i];
    struct pose_error error;
    upload(refusal->text, NULL, &error);
    ck_assert_msg(!strcmp(error.code, refusal->code) && error.line == refusal->line, "%s, line %u: %s",
                  error.code, error.line, error.detail);
    struct pose_document *bvh = codec_must_decode("bvh", refusal->text, strlen(refusal->text));
    const struct pose_value *reasons = pose_value_find(bvh->clips->extras, "sl_viewer");
    bool found = false;
    for (const struct pose_value *reason = reasons->first; reason; reason = reason->next)
        found |= !strcmp(value_get_string(reason, "code", ""), refusal->code) &&
                 value_get_int(reason, "line", 0) == refusal->line;
    ck_assert(found);
    pose_document_free(bvh);
}
