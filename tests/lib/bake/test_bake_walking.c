/* Figures below nodes that move (armatures that walk): what a target without such nodes gets is the same motion. */
#include "lib/model/match.h"
#include "tests/lib/bake/bake_compare.h"
#include "tests/support/codecs.h"
#include "tests/support/one_clip.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FRAMES = 31,
    WALKER = 0,
    ARMATURE = 1,
    PELVIS = 2,
    TORSO = 3,
    PROP = 4,
    JOINTS = 5,
    TRACKS = 4,
    ROW = 10
};

#define HALF 0.70710678f

/* A person of SL's names in centimetres, which an armature turns upright, below a node; and a prop beside the armature. */
struct figure {
    struct pose_joint joints[JOINTS];
    struct pose_skeleton skeleton;
    struct pose_track tracks[TRACKS];
    struct pose_clip clip;
};

static const float two[2] = {0, 1};

static void finish(struct figure *figure, uint32_t joints, uint32_t tracks)
{
    figure->skeleton = (struct pose_skeleton){.axes = POSE_AXES_GLTF,
                                              .scaling = POSE_SCALE_INHERITED,
                                              .joint_count = joints,
                                              .joints = figure->joints,
                                              .root_joint = -1};
    figure->skeleton.tree = skeleton_tree(&figure->skeleton);
    figure->clip = (struct pose_clip){.name = "w",
                                      .axes = POSE_AXES_GLTF,
                                      .duration = 1,
                                      .loop_out = 1,
                                      .tracks = figure->tracks,
                                      .track_count = tracks,
                                      .tree = figure->skeleton.tree};
}

static struct pose_joint joint(const char *name, int32_t parent, float y)
{
    return (struct pose_joint){.name = name,
                               .parent = parent,
                               .translation = {0, y, 0},
                               .rotation = {0, 0, 0, 1},
                               .scale = {1, 1, 1}};
}

static struct pose_track *drive(struct figure *figure, uint32_t number, uint32_t node)
{
    figure->tracks[number] = (struct pose_track){.name = figure->joints[node].name, .node = node + 1};
    return &figure->tracks[number];
}

/* Which node walks and turns; whether the pelvis moves as well; whether there is a prop below the walker. */
struct walk {
    uint32_t walker;
    bool pelvis_moves, has_prop;
};

static void make_walk(struct figure *figure, const struct walk *walk)
{
    /* From (0, 0, 0) to (1, 0, 2), a quarter turn to the left. */
    static const float places[6] = {0, 0, 0, 1, 0, 2}, bob[6] = {0, 0, 100, 0, -20, 100};
    static const float upright[8] = {0, 0, 0, 1, 0, HALF, 0, HALF},
                       turned[8] = {-HALF, 0, 0, HALF, -0.5f, 0.5f, 0.5f, 0.5f},
                       stands[8] = {HALF, 0, 0, HALF, HALF, 0, 0, HALF};
    static const char *const names[] = {"walker", "Armature", "mPelvis", "mTorso", "ball"};
    *figure = (struct figure){0};
    for (int32_t i = 0; i < JOINTS; i++)
        figure->joints[i] = joint(names[i], i == PROP ? WALKER : i - 1, i == TORSO ? 20 : 0);
    memcpy(figure->joints[ARMATURE].scale, (float[3]){0.01f, 0.01f, 0.01f}, 12);
    memcpy(figure->joints[ARMATURE].rotation, turned, 16);
    memcpy(figure->joints[PELVIS].rotation, stands, 16);
    figure->joints[PELVIS].translation[1] = 0;
    figure->joints[PELVIS].translation[2] = 100;
    figure->joints[PELVIS].in_skin = figure->joints[TORSO].in_skin = true;
    struct pose_track *track = drive(figure, 0, walk->walker);
    track->channels[POSE_TRANSLATION] = (struct pose_channel){2, two, places};
    track->channels[POSE_ROTATION] =
        (struct pose_channel){2, two, walk->walker == ARMATURE ? turned : upright};
    track = drive(figure, 1, walk->pelvis_moves ? PELVIS : TORSO);
    if (walk->pelvis_moves)
        track->channels[POSE_TRANSLATION] = (struct pose_channel){2, two, bob};
    track->channels[POSE_ROTATION] = (struct pose_channel){2, two, walk->pelvis_moves ? stands : upright};
    finish(figure, walk->has_prop ? JOINTS : JOINTS - 1, 2);
}

/* The same motion, by the pelvis alone. */
static void make_wanted(struct figure *figure, bool pelvis_moves)
{
    static float times[FRAMES], places[FRAMES][3], turns[FRAMES][4];
    static const float upright[8] = {0, 0, 0, 1, 0, HALF, 0, HALF};
    for (int k = 0; k < FRAMES; k++) {
        const double t = k / (FRAMES - 1.0), angle = t * M_PI / 2, ahead = pelvis_moves ? 0.2 * t : 0;
        times[k] = (float)t;
        memcpy(places[k], (float[3]){(float)(t + ahead * sin(angle)), 1, (float)(2 * t + ahead * cos(angle))},
               12);
        memcpy(turns[k], (float[4]){0, (float)sin(angle / 2), 0, (float)cos(angle / 2)}, 16);
    }
    *figure = (struct figure){0};
    figure->joints[0] = joint("mPelvis", -1, 1);
    figure->joints[1] = joint("mTorso", 0, 0.2f);
    struct pose_track *track = drive(figure, pelvis_moves ? 0 : 1, 0);
    track->channels[POSE_TRANSLATION] = (struct pose_channel){FRAMES, times, places[0]};
    track->channels[POSE_ROTATION] = (struct pose_channel){FRAMES, times, turns[0]};
    if (!pelvis_moves)
        drive(figure, 0, 1)->channels[POSE_ROTATION] = (struct pose_channel){2, two, upright};
    finish(figure, 2, pelvis_moves ? 1 : 2);
}

static char codes[200];

static void note_code(void *user, const struct pose_warning *warning)
{
    const size_t used = strlen(codes);
    (void)user;
    snprintf(codes + used, sizeof codes - used, "%s ", warning->code);
}

static struct pose_document *bake(const struct figure *figure, const char *to, float fps)
{
    const struct pose_conversion conversion = {ONE_CLIP(&figure->clip, "gltf"), .to = to,
                                               .skeleton = &figure->skeleton, .fps = fps};
    struct pose_error error;
    codes[0] = '\0';
    struct pose_document *document = pose_bake(&conversion, NULL, note_code, NULL, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    return document;
}

static const char *const targets[] = {"sl-anim", "tso-anim", "sims1-cmx", "sims1-bcf", "sims3-clip", "bvh"};

/* Whether the two play the same: at all frames of 1/60 s, the pose of the first joints of the wanted clip. */
static void assert_same_motion(const struct pose_document *made, const struct pose_document *wanted)
{
    const struct pose_document *both[] = {made, wanted};
    struct pose_sampler *samplers[2];
    float rows[2][ROW * JOINTS];
    struct pose_error error;
    ck_assert_uint_eq(made->clips->track_count, wanted->clips->track_count);
    for (int i = 0; i < 2; i++) {
        const struct pose_skeleton *skeleton = both[i]->skeleton_count ? both[i]->skeletons : NULL;
        samplers[i] = pose_sampler_new(both[i]->clips, skeleton, POSE_AXES_GLTF, NULL, &error);
        ck_assert_msg(samplers[i] != NULL, "%s", error.detail);
    }
    const uint32_t count = pose_sampler_row_count(samplers[0]);
    ck_assert_uint_eq(count, pose_sampler_row_count(samplers[1]));
    for (int k = 0; k <= 2 * FRAMES; k++) {
        for (int i = 0; i < 2; i++)
            pose_sample(samplers[i], k / 60.0, POSE_CLAMP, POSE_IN_PLACE, rows[i], NULL);
        for (uint32_t i = 0; i < count; i++) {
            const float *a = rows[0] + i * ROW, *b = rows[1] + i * ROW;
            ck_assert_double_lt(gap_of_vectors(a, b), 1e-3);
            ck_assert_double_lt(gap_of_rotations(a + 3, b + 3), 2e-3);
            ck_assert_double_lt(gap_of_vectors(a + 7, b + 7), 1e-6);
        }
    }
    pose_sampler_free(samplers[0]);
    pose_sampler_free(samplers[1]);
}

static const struct walk walks[] = {
    {ARMATURE, true, false}, {ARMATURE, false, false}, {WALKER, true, false}, {WALKER, false, false}};

TEST_EACH(walking_nodes_are_folded_into_the_root, COUNT(targets) * COUNT(walks))
{
    const struct walk *walk = &walks[_i / (int)COUNT(targets)];
    const char *to = targets[_i % (int)COUNT(targets)];
    struct figure figure, other;
    make_walk(&figure, walk);
    make_wanted(&other, walk->pelvis_moves);
    struct pose_document *wanted = bake(&other, to, 0), *made = bake(&figure, to, 0);
    assert_same_motion(made, wanted);
    pose_document_free(made);
    made = bake(&figure, to, 30);
    assert_same_motion(made, wanted);
    pose_document_free(made);
    pose_document_free(wanted);
}

/* A BVH has one root, so that the nodes stay: their scale alone is multiplied in. */
TEST(a_prop_beside_the_figure_keeps_its_node_in_bvh)
{
    struct figure figure;
    make_walk(&figure, &(struct walk){WALKER, true, true});
    struct pose_document *document = bake(&figure, "bvh", 0);
    ck_assert_uint_eq(document->skeletons->joint_count, JOINTS);
    ck_assert_str_eq(document->skeletons->joints[0].name, "walker");
    ck_assert_float_eq_tol(document->skeletons->joints[PELVIS].translation[2], 1, 1e-6f);
    pose_document_free(document);
    document = bake(&figure, "sl-anim", 0);
    ck_assert_uint_eq(document->clips->track_count, 1);
    ck_assert_str_eq(document->clips->tracks[0].name, "mPelvis");
    pose_document_free(document);
}

/* Without a bone of the figure below it, what moves is one itself. */
TEST(what_leads_to_no_bone_stays)
{
    struct figure figure;
    make_walk(&figure, &(struct walk){ARMATURE, true, false});
    figure.joints[PELVIS].in_skin = figure.joints[TORSO].in_skin = false;
    figure.joints[PELVIS].name = "thigh";
    figure.joints[TORSO].name = "shin";
    drive(&figure, 1, PELVIS)->channels[POSE_TRANSLATION] = figure.tracks[0].channels[POSE_TRANSLATION];
    finish(&figure, JOINTS - 1, 2);
    struct pose_document *document = bake(&figure, "sl-anim", 0);
    ck_assert_uint_eq(document->clips->track_count, 2);
    ck_assert_str_eq(document->clips->tracks[0].name, "Armature");
    pose_document_free(document);
    const struct pose_rename rename = {"thigh", "mPelvis"};
    const struct pose_conversion conversion = {ONE_CLIP(&figure.clip, "gltf"), .to = "sl-anim",
                                               .skeleton = &figure.skeleton, .renames = &rename,
                                               .rename_count = 1};
    document = pose_bake(&conversion, NULL, NULL, NULL, NULL);
    ck_assert_uint_eq(document->clips->track_count, 1);
    ck_assert_str_eq(document->clips->tracks[0].name, "mPelvis");
    pose_document_free(document);
}

TEST(a_scale_that_changes_is_told)
{
    static const float grows[6] = {0.01f, 0.01f, 0.01f, 0.02f, 0.02f, 0.02f};
    struct figure figure;
    make_walk(&figure, &(struct walk){ARMATURE, true, false});
    figure.tracks[0].channels[POSE_SCALE] = (struct pose_channel){2, two, grows};
    struct pose_document *document = bake(&figure, "tso-anim", 0);
    ck_assert_ptr_nonnull(strstr(codes, "scale_dropped "));
    const struct pose_channel *channel = &document->clips->tracks[0].channels[POSE_TRANSLATION];
    ck_assert_float_eq_tol(channel->values[3 * (channel->count - 1) + 1] * 0.3048f, 2, 1e-3f);
    pose_document_free(document);
}

/* Keys that folding inserts are on no frame. */
TEST(a_bvh_keeps_the_rate_of_the_keys)
{
    static const float times[3] = {0, 5 / 24.0f, 1}, places[9] = {0, 0, 0, 1, 0, 1, 1, 0, 2};
    struct figure figure;
    make_walk(&figure, &(struct walk){ARMATURE, true, false});
    figure.tracks[0].channels[POSE_TRANSLATION] = (struct pose_channel){3, times, places};
    struct pose_document *document = bake(&figure, "bvh", 0);
    ck_assert_float_eq(document->clips->fps, 24);
    pose_document_free(document);
}

/* Jumps stay jumps, and a key for each of many. */
TEST(steps_stay_steps)
{
    static const float times[4] = {0, 0.5f, 0.50001f, 1},
                       turns[16] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0};
    struct figure figure;
    make_walk(&figure, &(struct walk){WALKER, false, false});
    figure.tracks[0].channels[POSE_ROTATION] = (struct pose_channel){4, times, turns};
    figure.tracks[0].channels[POSE_TRANSLATION].count = 0;
    struct pose_document *document = bake(&figure, "bvh", 0);
    const struct pose_track *pelvis = &document->clips->tracks[1];
    ck_assert_str_eq(pelvis->name, "mPelvis");
    ck_assert_uint_eq(pelvis->channels[POSE_ROTATION].count, 4);
    pose_document_free(document);
}

/* A quarter turn within 100 s, so far from the origin that floats are millimetres apart. */
static void make_far_walk(struct figure *figure)
{
    static const float long_times[2] = {0, 100}, places[6] = {0, 0, 0, 1, 0, 2};
    make_walk(figure, &(struct walk){WALKER, false, false});
    for (uint32_t i = 0; i < 2; i++) {
        figure->tracks[i].channels[POSE_ROTATION].times = long_times;
        figure->tracks[i].channels[POSE_TRANSLATION].times = long_times;
    }
    figure->tracks[0].channels[POSE_TRANSLATION].values = places;
    figure->joints[ARMATURE].translation[0] = 1e5f;
    figure->clip.duration = figure->clip.loop_out = 100;
}

TEST(keys_are_inserted_to_a_depth)
{
    struct figure figure;
    make_far_walk(&figure);
    struct pose_document *document = bake(&figure, "bvh", 0);
    const struct pose_channel *channel = &document->clips->tracks[1].channels[POSE_TRANSLATION];
    ck_assert_uint_gt(channel->count, 256);
    ck_assert_uint_le(channel->count, 1 + 1024);
    pose_document_free(document);
}

TEST(inserted_keys_count_against_the_limit)
{
    struct figure figure;
    make_far_walk(&figure);
    const struct pose_conversion conversion = {ONE_CLIP(&figure.clip, "gltf"), .to = "bvh",
                                               .skeleton = &figure.skeleton};
    const struct pose_options options = {.limits.keys = 256};
    struct pose_error error;
    ck_assert_ptr_null(pose_bake(&conversion, &options, NULL, NULL, &error));
    ck_assert_str_eq(error.detail, "more than the limit of 256 keys");
}

/* After days no float is between two that are a frame apart. */
TEST(keys_ascend_in_clips_of_days)
{
    static const float starts[] = {1 << 15, 1 << 21, 1e30f},
                       turns[16] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0};
    for (size_t i = 0; i < COUNT(starts); i++) {
        const float times[4] = {0, starts[i], nextafterf(starts[i], INFINITY), 2 * starts[i]};
        struct figure figure;
        make_walk(&figure, &(struct walk){WALKER, false, false});
        figure.tracks[0].channels[POSE_ROTATION] = (struct pose_channel){4, times, turns};
        figure.joints[ARMATURE].translation[0] = 1;
        figure.clip.duration = figure.clip.loop_out = times[3];
        struct pose_document *document = bake(&figure, "bvh", 0);
        for (int part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
            const struct pose_channel *channel = &document->clips->tracks[1].channels[part];
            ck_assert_uint_ge(channel->count, part == POSE_ROTATION ? 4 : 2);
            for (uint32_t k = 1; k < channel->count; k++)
                ck_assert_float_gt(channel->times[k], channel->times[k - 1]);
        }
        pose_document_free(document);
    }
}

enum { LINKS = 300 };

static bool count_question(void *user)
{
    ++*(unsigned *)user;
    return false;
}

/* The product at one time takes as long as there are nodes: how often a stop is asked for follows from both. */
TEST(a_long_chain_can_be_stopped)
{
    static const float quarter[8] = {0, 0, 0, 1, 0, 0.001f, 0, 1};
    static struct pose_joint joints[LINKS + 1];
    static struct pose_track tracks[LINKS];
    static float times[LINKS + 1], binds[LINKS + 1][16];
    for (int32_t i = 0; i < LINKS; i++) {
        times[i] = (float)i / LINKS;
        joints[i] = joint("link", i - 1, 0);
        tracks[i] = (struct pose_track){.name = "link", .node = (uint32_t)i + 1};
        tracks[i].channels[POSE_ROTATION] = (struct pose_channel){2, &times[i], quarter};
    }
    times[LINKS] = 1;
    joints[LINKS] = joint("mPelvis", LINKS - 1, 0);
    binds[LINKS][15] = 1;
    struct figure figure = {0};
    finish(&figure, 1, 1);
    figure.skeleton.joints = joints;
    figure.skeleton.joint_count = LINKS + 1;
    figure.skeleton.binds = (const float(*)[16])binds;
    figure.skeleton.tree = skeleton_tree(&figure.skeleton);
    figure.clip.tracks = tracks;
    figure.clip.track_count = LINKS;
    figure.clip.tree = figure.skeleton.tree;
    unsigned questions = 0;
    const struct pose_stop stop = {.ask = count_question, .user = &questions};
    const struct pose_options options = {.stop = &stop};
    const struct pose_conversion conversion = {ONE_CLIP(&figure.clip, "gltf"), .to = "sl-anim",
                                               .skeleton = &figure.skeleton};
    struct pose_document *document = pose_bake(&conversion, &options, NULL, NULL, NULL);
    ck_assert_uint_eq(document->clips->track_count, 1);
    ck_assert_uint_gt(questions, LINKS * LINKS / 256);
    pose_document_free(document);
}
