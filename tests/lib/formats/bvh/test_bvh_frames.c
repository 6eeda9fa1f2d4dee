/* Which frames a BVH gets of a clip without a rate, and what a game's clip keeps there and back. */
#include "tests/support/codecs.h"
#include "tests/support/one_clip.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

enum { MOST = 200 };

static const struct pose_joint bone[] = {
    {.name = "a", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
static const struct pose_skeleton one_bone = {
    .axes = POSE_AXES_GLTF, .joint_count = 1, .joints = bone, .root_joint = -1};

static struct pose_document *there(const struct pose_clip *clip, const char *from,
                                   const struct pose_skeleton *skeleton, float fps)
{
    const struct pose_conversion conversion = {ONE_CLIP(clip, from), .to = "bvh", .skeleton = skeleton,
                                               .fps = fps};
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_msg(pose_convert(&conversion, NULL, NULL, NULL, &out, NULL, &error), "%s", error.detail);
    struct pose_document *document = codec_must_decode("bvh", out.data, out.size);
    pose_buffer_free(&out);
    return document;
}

/* ---------------------------------------------------------------------------------------------------- rates -- */

/* A clip without a rate, whose keys are at those frames of one. */
static struct pose_document *sample(double fps, const unsigned *frames, uint32_t count, float asked)
{
    float times[MOST], values[MOST][3];
    for (uint32_t k = 0; k < count; k++) {
        times[k] = (float)(frames[k] / fps);
        for (int i = 0; i < 3; i++)
            values[k][i] = (float)sin((double)k + i);
    }
    const struct pose_track track = {.name = "a", .channels = {{count, times, values[0]}}};
    const struct pose_clip clip = {.axes = POSE_AXES_GLTF,
                                   .duration = times[count - 1],
                                   .loop_out = times[count - 1],
                                   .track_count = 1,
                                   .tracks = &track};
    struct pose_document *document = there(&clip, "gltf", &one_bone, asked);
    if (!(asked > 0))
        ck_assert_float_eq_tol(document->clips->duration, clip.duration, 1e-4f);
    return document;
}

static const struct {
    double fps, rate; /* of the keys, and wanted */
    unsigned frames[4];
} rates[] = {
    {24, 24, {0, 5, 6, 37}},   {30, 30, {0, 5, 6, 37}},
    {25, 25, {0, 5, 6, 37}},   {60, 60, {0, 5, 6, 37}},
    {50, 50, {0, 5, 6, 37}},   {20, 20, {0, 5, 6, 37}},
    {120, 120, {0, 5, 6, 37}}, {48, 48, {1, 5, 6, 37}},
    {15, 30, {0, 5, 6, 37}},   {12, 24, {0, 5, 6, 37}},
    {10, 30, {0, 5, 6, 37}},   {24, 24, {1, 2, 1000, 2401}},
    {1, 30, {0, 1, 2, 3}},     {23.976024, 23.976, {0, 250, 777, 2000}},
};

TEST_EACH(the_rate_is_that_of_the_keys, COUNT(rates))
{
    struct pose_document *document = sample(rates[_i].fps, rates[_i].frames, 4, 0);
    ck_assert_float_eq_tol(document->clips->fps, (float)rates[_i].rate, 2e-3f);
    const double frames = rates[_i].frames[3] / rates[_i].fps * rates[_i].rate;
    ck_assert_uint_eq(document->clips->frame_count, (uint32_t)round(frames) + 1);
    pose_document_free(document);
}

/* On no common rate: about 30, and the last frame is the end. */
TEST(other_keys_make_no_frame_longer)
{
    static const unsigned frames[][3] = {{0, 7, 31}, {0, 1, 3}, {3, 50, 1999}, {0, 0, 1}};
    for (size_t i = 0; i < COUNT(frames) - 1; i++) {
        struct pose_document *document = sample(37.3, frames[i], 3, 0);
        ck_assert_float_ge(document->clips->fps, 29.9f);
        pose_document_free(document);
    }
    pose_document_free(sample(37.3, (unsigned[]){0, 1}, 2, 0));
    pose_document_free(sample(5e4, (unsigned[]){0, 1}, 2, 30)); /* over at once */
}

TEST(a_rate_that_is_asked_for_is_kept)
{
    struct pose_document *document = sample(24, (unsigned[]){0, 5, 24}, 3, 10);
    ck_assert_float_eq_tol(document->clips->fps, 10, 1e-4f);
    ck_assert_uint_eq(document->clips->frame_count, 11);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------ there and back -- */

enum last_pose { MOVES, STANDS, RETURNS };

/* A clip of The Sims Online whose pelvis is off its rest, by a constant, and whose head turns. */
static void go_round(const struct pose_skeleton *skeleton, uint32_t count, enum last_pose last, float drop,
                     float rate)
{
    float times[MOST], places[MOST][3], turns[MOST][4];
    for (uint32_t k = 0; k < count; k++) {
        uint32_t as = k + 1 < count || last == MOVES ? k : last == STANDS ? k - 1 : 0;
        times[k] = (float)k / rate;
        memcpy(places[k], (float[3]){0.1f, 2 - drop, 0.2f}, sizeof *places);
        memcpy(turns[k], (float[4]){(float)sin(0.1 * as), 0, 0, (float)cos(0.1 * as)}, sizeof *turns);
    }
    const struct pose_track tracks[] = {
        {.name = "PELVIS", .channels = {{count, times, places[0]}, {count, times, turns[0]}}},
        {.name = "HEAD", .channels = {[POSE_ROTATION] = {count, times, turns[0]}}}};
    const struct pose_clip clip = {.name = "a2o-x",
                                   .axes = POSE_AXES_SIMS,
                                   .rules = POSE_RULES_SIMS,
                                   .duration = (float)count / rate,
                                   .fps = 30,
                                   .frame_count = count,
                                   .track_count = 2,
                                   .tracks = tracks};
    struct pose_document *bvh = there(&clip, "tso-anim", skeleton, 0);
    for (int again = 0; again < 2; again++) {
        const struct pose_conversion back = {ONE_CLIP(bvh->clips, "bvh"), .to = "tso-anim",
                                             .skeleton = bvh->skeletons};
        struct pose_error error;
        struct pose_document *sims = pose_bake(&back, NULL, NULL, NULL, &error);
        ck_assert_msg(sims != NULL, "%s", error.detail);
        ck_assert_uint_eq(sims->clips->frame_count, count);
        const struct pose_track *pelvis = NULL;
        for (uint32_t i = 0; i < sims->clips->track_count; i++)
            pelvis = !strcmp(sims->clips->tracks[i].name, "PELVIS") ? &sims->clips->tracks[i] : pelvis;
        ck_assert_ptr_nonnull(pelvis);
        const struct pose_channel *place = &pelvis->channels[POSE_TRANSLATION];
        ck_assert_uint_eq(place->count, count);
        for (uint32_t k = 0; k < 3 * count; k++)
            ck_assert_float_eq_tol(place->values[k], places[0][k % 3], 1e-4f);
        /* And once more. */
        struct pose_document *next = again ? NULL : there(sims->clips, "tso-anim", skeleton, 0);
        pose_document_free(bvh);
        bvh = next;
        pose_document_free(sims);
    }
}

TEST(a_clip_of_the_sims_comes_back_as_long_and_in_its_place)
{
    static const uint32_t counts[] = {2, 3, 11, 30, 61};
    for (unsigned i = 0; pose_stand_in_name(i); i++) {
        struct pose_document *stand_in = pose_stand_in(i, NULL, NULL);
        for (size_t k = 0; k < COUNT(counts) && stand_in->skeletons->axes == POSE_AXES_SIMS; k++) {
            go_round(stand_in->skeletons, counts[k], MOVES, 0.8f, 30);
            go_round(stand_in->skeletons, counts[k], STANDS, -0.3f, 29.97f);
            go_round(stand_in->skeletons, counts[k], RETURNS, 0.8f, 30.2f);
        }
        if (stand_in->skeletons->axes == POSE_AXES_SIMS)
            go_round(stand_in->skeletons, 1, MOVES, 0.8f, 30);
        pose_document_free(stand_in);
    }
}

/* What a bone's length is stays one: no positions where a clip of exchange holds its own skeleton. */
TEST(a_skeleton_of_the_clips_own_needs_no_positions)
{
    const struct pose_joint joints[] = {
        bone[0],
        {.name = "b", .parent = 0, .translation = {0, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    const struct pose_skeleton skeleton = {
        .axes = POSE_AXES_GLTF, .joint_count = 2, .joints = joints, .root_joint = -1};
    const float times[2] = {0, 1}, places[6] = {0, 2, 0, 0, 2, 0};
    const struct pose_track track = {.name = "b", .channels = {{2, times, places}}};
    const struct pose_clip clip = {
        .axes = POSE_AXES_GLTF, .duration = 1, .loop_out = 1, .track_count = 1, .tracks = &track};
    struct pose_document *document = there(&clip, "gltf", &skeleton, 0);
    ck_assert_uint_eq(document->clips->tracks[1].channels[POSE_TRANSLATION].count, 0);
    ck_assert_float_eq_tol(document->skeletons->joints[1].translation[1], 2, 1e-6f);
    pose_document_free(document);
}
