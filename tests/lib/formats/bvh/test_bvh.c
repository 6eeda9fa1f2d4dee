/* BVH, reading: worked values, every spelling that programs write, refusals with their line, hostile files. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pose_document *decode(const char *text)
{
    return codec_must_decode("bvh", text, strlen(text));
}

/* Two joints, lines 1 to 17; frames from 18 on. */
#define HEAD                                                                                                 \
    "HIERARCHY\nROOT Hips\n{\n\tOFFSET 1 2 3\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation "         \
    "Xrotation Yrotation\n\tJOINT Spine\n\t{\n\t\tOFFSET 0 5.5 -1e-1\n\t\tCHANNELS 3 Yrotation Xrotation "   \
    "Zrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 4 0\n\t\t}\n\t}\n}\nMOTION\n"
#define MOTION "Frames: 2\nFrame Time: 0.5\n10 20 30 90 0 0 0 0 0\n11 21 31 0 0 90 0 0 30\n"

TEST(worked_file)
{
    struct pose_document *document = decode(HEAD MOTION);
    const struct pose_skeleton *skeleton = document->skeletons;
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(document->warning_count, 0);
    ck_assert_int_eq(skeleton->axes, POSE_AXES_GLTF);
    ck_assert_uint_eq(skeleton->joint_count, 2);
    ck_assert_str_eq(skeleton->joints[0].name, "Hips");
    ck_assert_int_eq(skeleton->joints[1].parent, 0);
    ck_assert_float_eq(skeleton->joints[1].translation[2], -0.1f);
    const struct pose_value *ends = pose_value_find(skeleton->joints[1].extras, "end_sites");
    ck_assert_uint_eq(value_count(ends), 1);
    ck_assert_float_eq(ends->first->first->next->as.number, 4);
    ck_assert_float_eq(clip->duration, 0.5f);
    ck_assert_float_eq(clip->fps, 2);
    ck_assert_uint_eq(clip->frame_count, 2);
    ck_assert_int_eq(clip->loop, POSE_LOOP_UNKNOWN);
    ck_assert_str_eq(value_get_string(clip->extras, "frame_time", ""), "0.5");
    ck_assert_str_eq(value_get_string(clip->tracks[1].extras, "channels", ""),
                     "Yrotation Xrotation Zrotation");
    ck_assert_int_eq(value_get_int(clip->tracks[1].extras, "line", 0), 6);
    const struct pose_channel *place = &clip->tracks[0].channels[POSE_TRANSLATION],
                              *turn = &clip->tracks[0].channels[POSE_ROTATION];
    ck_assert_uint_eq(place->count, 2);
    ck_assert_float_eq(place->values[0], 10);
    ck_assert_float_eq(place->values[5], 31);
    ck_assert_float_eq(turn->times[1], 0.5f);
    ck_assert_float_eq_tol(turn->values[2], sqrtf(0.5f), 1e-7f); /* Z first */
    ck_assert_float_eq_tol(turn->values[5], sqrtf(0.5f), 1e-7f); /* Y last */
    ck_assert_float_eq_tol(clip->tracks[1].channels[POSE_ROTATION].values[6], sinf(0.2617994f), 1e-7f);
    ck_assert_uint_eq(clip->tracks[1].channels[POSE_TRANSLATION].count, 0);
    pose_document_free(document);
}

/* A root that is Second Life's pelvis means that viewer's inches. */
TEST(units)
{
    static const char *const names[] = {"hip", "mPelvis", "avatar_mPelvis"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "HIERARCHY\nROOT %s\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\nMOTION\n"
                 "Frames: 1\nFrame Time: 0.1\n0 100 0\n",
                 names[i]);
        struct pose_document *document = decode(text);
        float row[10];
        ck_assert_int_eq(document->clips->axes, POSE_AXES_INCHES);
        struct pose_sampler *sampler =
            pose_sampler_new(document->clips, document->skeletons, POSE_AXES_GLTF, NULL, NULL);
        pose_sample(sampler, 0, POSE_CLAMP, POSE_IN_PLACE, row, NULL);
        ck_assert_float_eq_tol(row[1], 2.540005f, 1e-6f);
        pose_sampler_free(sampler);
        pose_document_free(document);
    }
}

/* Hips, a head and a foot; which way they lie is which way is up. */
static const struct {
    const char *root, *head, *foot;
    enum pose_axes axes;
} standing[] = {
    {"Hips", "0 60 1", "0 -90 5", POSE_AXES_GLTF},
    {"Hips", "0 1 60", "0 5 -90", POSE_AXES_Z_UP},
    {"Hips", "0 20 50", "0 0 -90", POSE_AXES_Z_UP},  /* stoops */
    {"Hips", "0 40 70", "0 -50 40", POSE_AXES_GLTF}, /* an animal that looks along Z */
    {"Hips", "0 5 70", "0 -50 35", POSE_AXES_GLTF},  /* one with its head low */
    {"Hips", "0 1 -60", "0 5 90", POSE_AXES_GLTF},   /* on its head */
    {"Hips", "0 0 0", "0 0 0", POSE_AXES_GLTF},
    {"hip", "0 1 60", "0 5 -90", POSE_AXES_INCHES}, /* as the viewer takes it */
};

TEST_EACH(up, COUNT(standing))
{
    char text[600];
    const char *codes = "";
    snprintf(
        text, sizeof text,
        "HIERARCHY\nROOT %s\n{\nOFFSET 7 8 9\nCHANNELS 3 Xposition Yposition Zposition\nJOINT Neck_Head\n{\n"
        "OFFSET %s\nCHANNELS 1 Xrotation\n}\nJOINT LeftFOOT\n{\nOFFSET %s\nCHANNELS 0\n}\n}\nMOTION\n"
        "Frames: 1\nFrame Time: 0.1\n1 2 3 90\n",
        standing[_i].root, standing[_i].head, standing[_i].foot);
    struct pose_document *document = decode(text);
    bool is_turned = standing[_i].axes == POSE_AXES_Z_UP;
    ck_assert_int_eq(document->clips->axes, standing[_i].axes);
    ck_assert_int_eq(document->skeletons->axes, standing[_i].axes);
    ck_assert_uint_eq(document->warning_count, is_turned);
    for (uint32_t i = 0; i < document->warning_count; i++) {
        codes = document->warnings[i].code;
        ck_assert_int_eq(document->warnings[i].severity, POSE_NOTE);
    }
    ck_assert_str_eq(codes, is_turned ? "z_up" : "");
    float rows[30];
    struct pose_sampler *sampler =
        pose_sampler_new(document->clips, document->skeletons, POSE_AXES_GLTF, NULL, NULL);
    pose_sample(sampler, 0, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
    if (is_turned) {
        ck_assert(rows[0] == 1 && rows[1] == 3 && rows[2] == -2);
        ck_assert_float_eq_tol(rows[13], sqrtf(0.5f), 1e-6f); /* about X, as stored */
    }
    pose_sampler_free(sampler);
    pose_document_free(document);
}

/* What is one file: line ends, blanks, words in other cases, braces that touch, a byte order mark, colons apart. */
TEST(spellings)
{
    static const char *const same[] = {
        "hierarchy root Hips { offset 1 2 3 channels 1 xROTATION End site { } } motion frames:1 frame "
        "time:0.5 90",
        "\xef\xbb\xbfHIERARCHY\r\nROOT Hips\r\n{\r\nOFFSET 1 2 3\r\nCHANNELS 1 Xrotation\r\nEnd Site\r\n{\r\n"
        "OFFSET 0 0 0\r\n}\r\n}\r\nMOTION\r\nFrames :\t1\r\nFrame Time :\t.5\r\n9.0e+1\r\n\r\n",
        "HIERARCHY\rROOT Hips{\rOFFSET 1 2 3 CHANNELS 1\rXrotation\rEnd Site{OFFSET 0 0 0}}\rMOTION\rFrames: "
        "1\r"
        "Frame Time: 5e-1\r+90",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct pose_document *document = decode(same[i]);
        ck_assert_str_eq(document->skeletons->joints[0].name, "Hips");
        ck_assert_float_eq(document->skeletons->joints[0].translation[1], 2);
        ck_assert_float_eq(document->clips->fps, 2);
        ck_assert_float_eq_tol(document->clips->tracks[0].channels[POSE_ROTATION].values[0], sqrtf(0.5f),
                               1e-7f);
        ck_assert_uint_eq(codec_warnings(document, NULL), 0);
        pose_document_free(document);
    }
}

/* Any choice of channels: a position by part keeps the OFFSET's rest, scales, an axis twice, none at all. */
TEST(channels)
{
    struct pose_document *document = decode(
        "HIERARCHY ROOT a { OFFSET 1 2 3 CHANNELS 2 Yposition Zrotation JOINT b { OFFSET 0 0 0 CHANNELS 9 "
        "Xscale Yscale Zscale Zrotation Xrotation Zrotation Xposition Yposition Zposition } JOINT c\n{ "
        "CHANNELS 0 } } ROOT d\n{ } MOTION Frames: 1 Frame Time: 1 7 90 2 3 4 90 0 -90 4 5 6");
    const struct pose_track *tracks = document->clips->tracks;
    ck_assert_uint_eq(document->clips->track_count, 4);
    ck_assert_float_eq(tracks[0].channels[POSE_TRANSLATION].values[0], 1);
    ck_assert_float_eq(tracks[0].channels[POSE_TRANSLATION].values[1], 7);
    ck_assert_float_eq(tracks[1].channels[POSE_SCALE].values[1], 3);
    ck_assert_float_eq(tracks[1].channels[POSE_TRANSLATION].values[2], 6);
    ck_assert_float_eq_tol(tracks[1].channels[POSE_ROTATION].values[3], 1, 1e-7f);
    ck_assert_uint_eq(tracks[2].channels[POSE_ROTATION].count, 0);
    ck_assert_int_eq(document->skeletons->joints[3].parent, -1);
    pose_document_free(document);
}

TEST(names)
{
    struct pose_document *document = decode("HIERARCHY\nROOT  Left  Hand \n{\nJOINT caf\xe9\n{\n}\nJOINT "
                                            "a\n{\n}\nJOINT a_3\n{\n}\nJOINT a\n{\n}\n"
                                            "}\nMOTION\nFrames: 0\nFrame Time: 0\n");
    const struct pose_joint *joints = document->skeletons->joints;
    ck_assert_str_eq(joints[0].name, "Left  Hand");
    ck_assert_str_eq(joints[1].name, "caf\xc3\xa9");
    ck_assert_str_eq(joints[2].name, "a");
    ck_assert_str_eq(joints[4].name, "a_4");
    ck_assert_uint_eq(codec_warnings(document, "name_not_utf8"), 1);
    ck_assert_uint_eq(codec_warnings(document, "duplicate_joint"), 1);
    ck_assert(strstr(codec_warning_text(document, "duplicate_joint"), "line 13") != NULL);
    pose_document_free(document);
}

/* An End Site's name is ignored, and may stand instead of Site. */
static const char *const ends[] = {"End Site",     "End Site Head_end",
                                   "End Head_end", "END  site a JOINT b",
                                   "end",          "End Site\t\xef\xbb\xbf\xe9 "};

TEST_EACH(named_ends, COUNT(ends))
{
    static const char *const breaks[] = {"\n", "\r\n", "\r", ""};
    for (int i = 0; i < COUNT(breaks); i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n%s%s{\nOFFSET 0 7 0\n}\n}\nMOTION\n"
            "Frames:1\nFrame Time:0.5\n90\n",
            ends[_i], breaks[i]);
        struct pose_document *document = decode(text);
        const struct pose_value *list = pose_value_find(document->skeletons->joints[0].extras, "end_sites");
        ck_assert_uint_eq(document->skeletons->joint_count, 1);
        ck_assert_float_eq(list->first->first->next->as.number, 7);
        ck_assert_float_eq(document->clips->duration, 0);
        ck_assert_uint_eq(document->warning_count, 0);
        pose_document_free(document);
    }
}

#define THREE "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n}\nMOTION\n"

/* A frame per line where each line is long enough; otherwise a stream. The last position tells which. */
static const struct {
    const char *motion;
    float last[3];
    const char *code, *message;
} lined[] = {
    {"Frames: 3\nFrame Time: 1\n1 2 3\n4 5 6 99\n7 8 9\n",
     {7, 8, 9},
     "extra_numbers",
     "line 11: 4 numbers for 3 channels; what is too many was left out, on 1 line in all"},
    {"Frames: 3\nFrame Time: 1\n1 2 3 x\n\n4 5 6\n \n7 8 9 \t10  11\n",
     {7, 8, 9},
     "extra_numbers",
     "line 10: 4 numbers for 3 channels; what is too many was left out, on 2 lines in all"},
    {"Frames: 3\rFrame Time: 1\r1 2 3 4\r4 5 6\r7 8 9",
     {7, 8, 9},
     "extra_numbers",
     "line 8: 4 numbers for 3 channels; what is too many was left out, on 1 line in all"},
    {"Frames: 2\r\nFrame Time: 1\r\n1 2 3 4\r\n\r\n7 8 9 0\r\n",
     {7, 8, 9},
     "extra_numbers",
     "line 10: 4 numbers for 3 channels; what is too many was left out, on 2 lines in all"},
    {"Frames: 3\nFrame Time: 1\n1 2 3 4 5 6 7 8 9", {7, 8, 9}, "", ""},
    {"Frames: 3\nFrame Time: 1\n1 2 3 4\n5\n6 7 8\n9", {7, 8, 9}, "", ""},
    {"Frames: 3\nFrame Time: 1\n1\n2\n3 4 5 6 7\n8 9\n", {7, 8, 9}, "", ""},
    {"Frames: 3\nFrame Time: 1\n1 2\n3\n4 5 6\n7 8 9\n", {7, 8, 9}, "", ""},
    {"Frames: 3\nFrame Time: 1\n1 2 3\n4\n5 6\n7 8 9\n10 11\n",
     {7, 8, 9},
     "trailing_text",
     "text after the last frame, from line 14 on"},
    {"Frames: 2\nFrame Time: 1\n1 2 3 4 5 6\n9\n",
     {4, 5, 6},
     "trailing_text",
     "text after the last frame, from line 11 on"},
    {"Frames: 3\nFrame Time: 1\n1 2 3 4\n5\n6 7 8\n9\n the end",
     {7, 8, 9},
     "trailing_text",
     "text after the last frame, from line 14 on"},
    {"Frames: 3\nFrame Time: 1\n1 2\n3 4\n5 6\n7 8\n9 10\n",
     {7, 8, 9},
     "trailing_text",
     "text after the last frame, from line 14 on"},
    {"Frames: 2\nFrame Time: 1 1 2 3 4 5 6\n", {4, 5, 6}, "", ""},
    {"Frames: 2\nFrame Time: 1 1 2 3\n4 5 6\n", {4, 5, 6}, "", ""},
    {"Frames: 2\nFrame Time: 1 30\n1 2 3\n4 5 6\n",
     {4, 5, 6},
     "extra_text",
     "line 9: what follows its numbers was left out"},
    {"Frames: 2\nFrame Time: 1 s\n1 2\n3 4 5\n6\n",
     {4, 5, 6},
     "extra_text",
     "line 9: what follows its numbers was left out"},
    {"Frames: 2 frames, 3\r\nFrame Time: 1 # s\r\n1 2 3\r\n4 5 6",
     {4, 5, 6},
     "extra_text",
     "line 8: what follows its numbers was left out"},
    {"Frames: 2.00 Frame Time: 1\n1 2 3\n4 5 6\n", {4, 5, 6}, "", ""},
    {"Frames: 2\nFrame Time: 1\n1 2 3\n4 5 6\n7 8 9\n\n10 11 12 13\n",
     {4, 5, 6},
     "extra_frames",
     "4 frames for the 2 that Frames: says; those from line 12 on were left out"},
    {"Frames: 1\nFrame Time: 1\n1 2 3\n4 5 6\nthe end of it",
     {1, 2, 3},
     "trailing_text",
     "text after the last frame, from line 11 on"},
};

TEST_EACH(lines, COUNT(lined))
{
    char text[300];
    snprintf(text, sizeof text, "%s%s", THREE, lined[_i].motion);
    struct pose_document *document = decode(text);
    const struct pose_channel *place = &document->clips->tracks[0].channels[POSE_TRANSLATION];
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(place->values[3 * (place->count - 1) + (size_t)i], lined[_i].last[i]);
    ck_assert_uint_eq(document->warning_count, *lined[_i].code != 0);
    if (*lined[_i].code)
        ck_assert_str_eq(codec_warning_text(document, lined[_i].code), lined[_i].message);
    pose_document_free(document);
}

/* Where other lines hold a whole frame and the numbers make no stream, the line that lacks some is named. */
TEST(a_frame_cut_short)
{
    static const struct {
        const char *motion, *detail;
    } cut[] = {
        {"Frames: 3\nFrame Time: 1\n1 2 3\n4 5 6 99\n7 8\n7 8 9\n",
         "frames[2] at line 12: 2 numbers for 3 channels, though other lines hold a whole frame"},
        {"Frames: 3\nFrame Time: 1\n1 2 3\n4\n7 8 9\n10 11 12",
         "frames[1] at line 11: 1 number for 3 channels, though other lines hold a whole frame"},
        {"Frames: 4\r\nFrame Time: 1\r\n1 2 3\r\n\r\n4 5\r\n7 8 9\r\n10 11 12\r\n",
         "frames[1] at line 12: 2 numbers for 3 channels, though other lines hold a whole frame"},
        {"Frames: 2\nFrame Time: 1\n1 2\n4 5 6\n7 8 9\n",
         "frames[0] at line 10: 2 numbers for 3 channels, though other lines hold a whole frame"},
        {"Frames: 3\nFrame Time: 1\n1 2 3\n4 5 6 99 99\n7 8\n",
         "frames[2] at line 12: 2 numbers for 3 channels, though other lines hold a whole frame"},
        {"Frames: 3\nFrame Time: 1 30\n1 2 3\n4\n7 8 9\n10 11 12\n",
         "frames[1] at line 11: 1 number for 3 channels, though other lines hold a whole frame"},
    };
    for (int i = 0; i < COUNT(cut); i++) {
        char text[300];
        snprintf(text, sizeof text, "%s%s", THREE, cut[i].motion);
        struct pose_error error = codec_must_fail("bvh", text, strlen(text), "short_frame");
        ck_assert_str_eq(error.detail, cut[i].detail);
        ck_assert_uint_eq(error.line, (unsigned)atoi(strstr(cut[i].detail, "line ") + 5));
    }
    static const char at_the_end[] = THREE "Frames: 3\nFrame Time: 1\n1 2 3\n4 5 6\n7 8\n";
    struct pose_error error = codec_must_fail("bvh", at_the_end, strlen(at_the_end), "truncated");
    ck_assert_uint_eq(error.line, 13);
}

/* Others read three numbers of a line with OFFSET and ignore the rest. */
TEST(text_after_an_offset)
{
    static const char *const after[] = {" 4", "\t# in cm", " // x", " ,", " 4 5 CHANNELS 3"};
    for (int i = 0; i < COUNT(after); i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3%s\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\n"
            "OFFSET 0 7 0%s\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n7 8 9\n",
            after[i], after[i]);
        struct pose_document *document = decode(text);
        ck_assert_float_eq(document->skeletons->joints[0].translation[2], 3);
        ck_assert_float_eq(document->clips->tracks[0].channels[POSE_TRANSLATION].values[2], 9);
        ck_assert_str_eq(codec_warning_text(document, "extra_text"),
                         "line 4: what follows its numbers was left out");
        pose_document_free(document);
    }
}

TEST(utf16_is_said)
{
    static const struct {
        const char *text;
        size_t size;
    } wide[] = {{"\xff\xfeH\0I\0", 6}, {"\xfe\xff\0H\0I", 6}, {"H\0I\0", 4}, {"\0H\0I", 4}};
    for (int i = 0; i < COUNT(wide); i++) {
        struct pose_error error = codec_must_fail("bvh", wide[i].text, wide[i].size, "no_hierarchy");
        ck_assert_ptr_nonnull(strstr(error.detail, "the text is UTF-16; save the file as UTF-8"));
    }
}

TEST(text_after_the_frames)
{
    struct pose_document *document = decode(HEAD MOTION "\n1 2 3\n");
    ck_assert_str_eq(codec_warning_text(document, "trailing_text"),
                     "text after the last frame, from line 22 on");
    pose_document_free(document);
}

/* ----------------------------------------------------------------------------------------------- refusals -- */

struct refusal {
    const char *text, *code;
    unsigned line;
};

static const struct refusal refusals[] = {
    {"", "truncated", 1},
    {"MOTION", "no_hierarchy", 1},
    {"HIERARCHY\nJOIN a", "no_joint", 2},
    {"HIERARCHY\nMOTION\nFrames: 1", "no_joint", 2},
    {"HIERARCHY\nROOT\n{\n}", "no_name", 2},
    {"HIERARCHY\nROOT a\nOFFSET 0 0 0", "no_offset", 3},
    {"HIERARCHY\nROOT a\n{\n\nOFFSET 0 x 0\n}", "bad_number", 5},
    {"HIERARCHY\nROOT a\n{\nOFFSET 0 1e999 0\n}", "non_finite", 4},
    {"HIERARCHY\nROOT a\n{\nOFFSET 0 nan 0\n}", "non_finite", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS 2 Xrotation Wrotation\n}", "bad_channel", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS 10 Xrotation\n}", "bad_channel", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS -1\n}", "bad_channel", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS 99999999999\n}", "bad_number", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS 2 Xposition Xposition\n}", "bad_channel", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS 4 Xrotation Xrotation Xrotation Xrotation\n}", "bad_channel", 4},
    {"HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotation\nCHANNELS 1 Yrotation\n}", "bad_channel", 5},
    {"HIERARCHY\nROOT a\n{\nEnd Site a\nOFFSET 0 0 0\n}", "no_offset", 5},
    {"HIERARCHY\nROOT a\n{\nEnd", "truncated", 4},
    {"HIERARCHY\nROOT a\n{\nEnd Site\n{\nOFFSET 0 0 0\nJOINT b", "no_offset", 7},
    {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nMOTION\nFrames: 1", "unclosed_joint", 5},
    {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n", "truncated", 5},
    {"HIERARCHY\nROOT a\n{\n}\n}\n", "no_joint", 5},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrame Time: 1\n", "no_frames", 6},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: -1\n", "no_frames", 6},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 4294967296\n", "bad_number", 6},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 2\nTime: 1\n", "no_frame_time", 7},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 2\nFrame Time: 0\n\n\n", "bad_frame_time", 7},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 1\nFrame Time: -1\n\n\n", "bad_frame_time", 7},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 2\nFrame Time: 1e-30\n\n\n", "bad_frame_time", 7},
    {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 2147483647\nFrame Time: 1\n", "truncated", 7},
    {HEAD "Frames: 3\nFrame Time: 0.5\n10 20 30 90 0 0 0 0 0\n", "truncated", 18},
    {HEAD "Frames: 2\nFrame Time: 0.5\n10 20 30 90 0 0 0 0 0\n11 21 31 0 0 90 0 0  ", "truncated", 20},
    {HEAD "Frames: 1\nFrame Time: 0.5\n10 20 30\n90 0x1 0 0 0 0\n", "bad_number", 20},
    {HEAD "Frames: 1\nFrame Time: 0.5\n10 20 30 90 0 inf 0 0 0\n", "non_finite", 19},
};

TEST_EACH(refused, COUNT(refusals))
{
    const struct refusal *refusal = &refusals[_i];
    struct pose_error error = codec_must_fail("bvh", refusal->text, strlen(refusal->text), refusal->code);
    ck_assert_msg(error.line == refusal->line, "line %u: %s", error.line, error.detail);
    ck_assert_int_eq(error.status, POSE_BAD_DATA);
}

TEST(a_bad_number_says_where)
{
    const char *text = HEAD "Frames: 1\nFrame Time: 0.5\n1 2 3 4 5 6 7 east 9\n";
    struct pose_error error = codec_must_fail("bvh", text, strlen(text), "bad_number");
    ck_assert_str_eq(error.field, "frames[0].Xrotation");
    ck_assert_str_eq(error.detail, "frames[0].Xrotation at line 19: \"east\" instead of a number");
    text = "HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: -1\n";
    error = codec_must_fail("bvh", text, strlen(text), "no_frames");
    ck_assert_str_eq(error.detail, "Frames at line 6: -1 frames");
}

/* ------------------------------------------------------------------------------------------------ hostile -- */

/* Many times the same piece of text, between two others. */
static char *repeat(const char *before, const char *piece, size_t count, const char *after)
{
    size_t length = strlen(piece), start = strlen(before);
    char *text = malloc(start + length * count + strlen(after) + 1);
    memcpy(text, before, start);
    for (size_t i = 0; i < count; i++)
        memcpy(text + start + i * length, piece, length);
    strcpy(text + start + length * count, after);
    return text;
}

/* A million joints in one another: over the limit of joints, and what is below it is no problem. */
TEST(deep_nesting)
{
    struct pose_error error;
    char *deep = repeat("HIERARCHY ROOT a\n{", "JOINT b\n{", 1000000, "");
    ck_assert_ptr_null(codec_decode("bvh", deep, strlen(deep), &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "joints");
    free(deep);
    char *braces = repeat("", "}", 20000, "} MOTION Frames: 0 Frame Time: 0");
    deep = repeat("HIERARCHY ROOT a\n{", "JOINT b\n{CHANNELS 0 ", 20000, braces);
    struct pose_document *document = decode(deep);
    ck_assert_uint_eq(document->skeletons->joint_count, 20001);
    struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode("bvh", &content, NULL);
    ck_assert_uint_lt(out.size, 20001 * 400);
    pose_buffer_free(&out);
    pose_document_free(document);
    free(braces);
    free(deep);
}

/* Joints times frames: few numbers, many keys that nothing in the file pays for. */
TEST(joints_times_frames)
{
    struct pose_error error;
    char *joints = repeat("HIERARCHY ROOT a\n{", "JOINT b\n{}", 5000, "} MOTION Frames: 5000 Frame Time: 1 ");
    char *text = repeat(joints, "\n", 5000, "");
    ck_assert_ptr_null(codec_decode("bvh", text, strlen(text), &error));
    ck_assert_str_eq(error.limit, "keys");
    free(text);
    free(joints);
}

/* Lines are looked at a bounded number of times: the whole file once, however many there are and however long. */
TEST(many_lines)
{
    static const char *const pieces[] = {"\n", "\r", "\r\n", " \n", "9 "};
    for (int i = 0; i < COUNT(pieces); i++) {
        char *text =
            repeat(THREE "Frames: 3\nFrame Time: 1\n1 2 3 4\n", pieces[i], 3000000, "\n5 6 7\n8 9 10\n");
        struct pose_document *document = decode(text);
        ck_assert_uint_eq(document->clips->frame_count, 3);
        pose_document_free(document);
        free(text);
    }
    char *rows = repeat(THREE "Frames: 3\nFrame Time: 1\n1 2 3 4\n", "9 \n", 3000000, "\n5 6 7\n8 9 10\n");
    codec_must_fail("bvh", rows, strlen(rows), "short_frame");
    free(rows);
    char *text = repeat(THREE "Frames: 100000\nFrame Time: 1\n", "1 2 3 4 5\n", 99999, "1 2 3");
    struct pose_document *document = decode(text);
    ck_assert_ptr_nonnull(strstr(codec_warning_text(document, "extra_numbers"), "on 99999 lines in all"));
    pose_document_free(document);
    free(text);
}

TEST(promises_cost_nothing)
{
    const char *text = HEAD "Frames: 2147483647\nFrame Time: 0.5\n1 2 3\n";
    ck_assert_uint_lt(codec_memory("bvh", text, strlen(text)), 100000);
    char *line = repeat(HEAD "Frames: 1\nFrame Time: 0.5\n", "9", 3000000, " 1 2 3 4 5 6 7 8");
    codec_must_fail("bvh", line, strlen(line), "non_finite");
    free(line);
    line = repeat("HIERARCHY ROOT ", "x", 3000000, "\n{ } MOTION Frames: 0 Frame Time: 0");
    struct pose_document *document = decode(line);
    ck_assert_uint_eq(strlen(document->skeletons->joints[0].name), 3000000);
    pose_document_free(document);
    free(line);
}

/* All joints of one name: each gets another. */
TEST(one_name)
{
    char *text = repeat("HIERARCHY ROOT a\n{", "JOINT a\n{}", 20000, "} MOTION Frames: 0 Frame Time: 0");
    struct pose_document *document = decode(text);
    ck_assert_str_eq(document->skeletons->joints[20000].name, "a_20000");
    ck_assert_uint_lt(document->warning_count, 20);
    pose_document_free(document);
    free(text);
}

TEST(detected)
{
    struct pose_source source = {.name = "a.txt", .bytes = {(const uint8_t *)HEAD, sizeof HEAD - 1}};
    ck_assert_str_eq(pose_detect(&source), "bvh");
    source = (struct pose_source){.name = "a.BVH", .bytes = {(const uint8_t *)"HIER", 4}};
    ck_assert_str_eq(pose_detect(&source), "bvh");
    source.name = "a.txt";
    ck_assert_ptr_null(pose_detect(&source));
}
