/* Clips made by hand, to every target: what is kept, what is changed, what is said, what is refused. */
#include "tests/lib/bake/bake_compare.h"
#include "tests/support/codecs.h"
#include "tests/support/one_clip.h"
#include "tests/support/sims3/clip_files.h"
#include "tests/support/sl_files.h"
#include "tests/support/tso_files.h"
#include "tests/support/unit.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------------- clips by hand -- */

enum { MAX_KEYS = 400, MAX_TRACKS = 4 };

struct made {
    struct pose_clip clip;
    struct pose_track tracks[MAX_TRACKS];
    float times[MAX_TRACKS][POSE_PART_COUNT][MAX_KEYS];
    float values[MAX_TRACKS][POSE_PART_COUNT][MAX_KEYS * 4];
};

static struct made made;

static struct pose_clip *open_clip(enum pose_rules rules, enum pose_axes axes, float duration)
{
    memset(&made, 0, sizeof made);
    made.clip = (struct pose_clip){.name = "made",
                                   .rules = rules,
                                   .axes = axes,
                                   .duration = duration,
                                   .loop_out = duration,
                                   .tracks = made.tracks};
    return &made.clip;
}

static void add_track(const char *name)
{
    made.tracks[made.clip.track_count++] = (struct pose_track){.name = name};
}

/* A key of the last track; unused numbers are left out. */
static void add_key(enum pose_part part, double time, double x, double y, double z, double w)
{
    static const int components[POSE_PART_COUNT] = {3, 4, 3, 1};
    const double value[4] = {x, y, z, w};
    uint32_t track = made.clip.track_count - 1;
    struct pose_channel *channel = &made.tracks[track].channels[part];
    for (int i = 0; i < components[part]; i++)
        made.values[track][part][channel->count * (uint32_t)components[part] + (uint32_t)i] = (float)value[i];
    made.times[track][part][channel->count++] = (float)time;
    channel->times = made.times[track][part];
    channel->values = made.values[track][part];
    made.clip.key_count++;
}

/* About a slanted axis. */
static void add_turn(double time, double degrees)
{
    double half = degrees * 3.14159265358979 / 360, s = sin(half) / sqrt(3);
    add_key(POSE_ROTATION, time, s, -s, s, cos(half));
}

/* Two joints with keys at odd times, far apart, and a third that stands still. */
static void make_irregular(void)
{
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 2);
    add_track("mPelvis");
    add_key(POSE_TRANSLATION, 0, 0, 1.067, 0, 0);
    add_key(POSE_TRANSLATION, 0.7301, 0.3, 1.2, -0.1, 0);
    add_key(POSE_TRANSLATION, 2, 0, 1, 0.5, 0);
    add_turn(0, 0);
    add_turn(0.41, 150);
    add_turn(1.9, 20);
    add_track("mTorso");
    add_turn(0.13, -60);
    add_turn(0.99, 55);
    add_turn(1.37, 175);
    add_turn(2, 300);
    add_track("mChest");
    add_turn(0, 30);
    add_turn(2, 30);
}

/* ------------------------------------------------------------------------------------------------- running -- */

static char codes[400];

static void note_code(void *user, const struct pose_warning *warning)
{
    (void)user;
    size_t used = strlen(codes);
    ck_assert_ptr_nonnull(warning->message);
    snprintf(codes + used, sizeof codes - used, "%s ", warning->code);
}

static struct pose_document *try_bake(const struct pose_conversion *conversion, struct pose_error *error)
{
    codes[0] = 0;
    return pose_bake(conversion, NULL, note_code, NULL, error);
}

static struct pose_document *must_bake(const struct pose_conversion *conversion)
{
    struct pose_error error;
    struct pose_document *document = try_bake(conversion, &error);
    ck_assert_msg(document != NULL, "%s: %s", error.code, error.detail);
    ck_assert_str_eq(document->format, conversion->to);
    ck_assert_uint_eq(document->clip_count, 1);
    return document;
}

static struct pose_document *bake_to(const char *to)
{
    return must_bake(&(struct pose_conversion){ONE_CLIP(&made.clip, NULL), .to = to});
}

static void must_refuse(const struct pose_conversion *conversion, const char *code)
{
    struct pose_error error;
    struct pose_document *document = try_bake(conversion, &error);
    ck_assert_msg(document == NULL, "baked what should be %s", code);
    ck_assert_str_eq(error.code, code);
    ck_assert_msg(*error.detail, "%s has no detail", code);
}

static void expect_codes(const char *expected)
{
    ck_assert_str_eq(codes, expected);
}

static const struct pose_channel *channel_of(const struct pose_document *document, uint32_t track,
                                             enum pose_part part)
{
    ck_assert_uint_lt(track, document->clips->track_count);
    return &document->clips->tracks[track].channels[part];
}

static struct pose_value members[8], object;

/* Settings of one member; a text when text is not NULL, else a number. */
static const struct pose_value *setting(const char *key, const char *text, int64_t number)
{
    members[0] = (struct pose_value){.key = key, .kind = text ? POSE_STRING : POSE_INT};
    if (text)
        members[0].as.string = text;
    else
        members[0].as.integer = number;
    object = (struct pose_value){.kind = POSE_OBJECT, .first = members};
    return &object;
}

/* -------------------------------------------------------------------------------------------------- keys -- */

/* Targets with keys at any time follow the curve; those with frames do on the frames' clock. */
TEST_EACH(irregular_keys_are_followed, 3)
{
    static const struct {
        const char *to;
        double angle, length;
    } cases[] = {
        {"sl-anim", 1.2e-4, 1.2e-4},
        {"tso-anim", 0.06, 0.004},
        {"sims3-clip", 0.06, 0.004},
    };
    make_irregular();
    struct pose_document *skeleton = pose_stand_in(0, NULL, NULL);
    ck_assert_int_eq(skeleton->skeletons[0].axes, POSE_AXES_SL);
    struct pose_document *document =
        must_bake(&(struct pose_conversion){ONE_CLIP(&made.clip, NULL), .to = cases[_i].to,
                                            .skeleton = _i == 0 ? &skeleton->skeletons[0] : NULL});
    struct gap gap;
    if (_i == 0) { /* the pelvis is taken off its rest */
        gap = gap_between(&made.clip, document->clips, &skeleton->skeletons[0], NULL, 501);
        ck_assert_double_le(gap.place, 1e-3);
    } else {
        gap = gap_between(&made.clip, document->clips, NULL, NULL, 501);
        ck_assert_uint_eq(gap.joints, 3);
        expect_codes(_i == 1 ? "duration_changed keys_off_frames unknown_joint "
                             : "keys_off_frames unknown_joint ");
    }
    ck_assert_double_le(gap.angle, cases[_i].angle);
    ck_assert_double_le(gap.length, cases[_i].length);
    pose_document_free(skeleton);
    pose_document_free(document);
}

TEST(own_keys_are_kept)
{
    make_irregular();
    struct pose_document *document = bake_to("sl-anim");
    for (uint32_t track = 0; track < 2; track++) {
        const struct pose_channel *from = &made.tracks[track].channels[POSE_ROTATION],
                                  *to = channel_of(document, track, POSE_ROTATION);
        ck_assert_uint_gt(to->count, from->count);
        for (uint32_t k = 0, found = 0; k < from->count; k++, found++) {
            while (found < to->count && to->times[found] < from->times[k])
                found++;
            ck_assert_uint_lt(found, to->count);
            ck_assert_float_eq(to->times[found], from->times[k]);
        }
    }
    /* Positions are lines in both. */
    ck_assert_uint_eq(channel_of(document, 0, POSE_TRANSLATION)->count, 3);
    ck_assert_float_eq_tol(channel_of(document, 0, POSE_TRANSLATION)->values[2], 0, 1e-6f);
    ck_assert_uint_eq(channel_of(document, 2, POSE_ROTATION)->count, 1);
    expect_codes("");
    pose_document_free(document);
}

/* Frames a key lies on are kept alone, and the exact value with them. */
TEST(keys_on_frames_stay_alone)
{
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 2);
    add_track("b__Head__");
    add_turn(0, 0);
    add_turn(10 / 30.0, 20);
    add_turn(2, -30);
    struct pose_document *document = bake_to("sims3-clip");
    const struct pose_channel *channel = channel_of(document, 0, POSE_ROTATION);
    ck_assert_uint_eq(channel->count, 3);
    ck_assert_mem_eq(channel->values, made.values[0][POSE_ROTATION], 12 * sizeof(float));
    ck_assert_uint_eq(document->clips->frame_count, 61);
    ck_assert(document->clips->tracks[0].has_id);
    ck_assert_uint_eq(document->clips->tracks[0].id, 0x0f97b21b);
    expect_codes("");
    pose_document_free(document);
}

/* What Prime turns the long way round stays so, in Prime and elsewhere. */
TEST_EACH(long_ways_are_gone, 4)
{
    static const char *const targets[] = {"sl-anim", "sims3-clip", "tso-anim", "prime-anim"};
    struct pose_clip *clip = open_clip(POSE_RULES_PRIME, POSE_AXES_PRIME, 2);
    clip->fps = 30;
    add_track(NULL);
    made.tracks[0].has_id = true;
    made.tracks[0].id = 3;
    for (int k = 0; k < 3; k++)
        add_turn(k, k == 1 ? 400 : 20 * k); /* 400 degrees: the other sign of 40 */
    const struct pose_rename to_name = {"joint_3", _i == 3 ? "joint_5" : "arm"};
    struct pose_conversion conversion = {ONE_CLIP(clip, NULL), .to = targets[_i], .renames = &to_name,
                                         .rename_count = 1,
                                         .settings = _i == 3 ? setting("version", NULL, 0) : NULL};
    struct pose_document *document = must_bake(&conversion);
    const struct pose_clip *out = document->clips;
    struct pose_sampler *a = pose_sampler_new(clip, NULL, POSE_AXES_GLTF, NULL, NULL),
                        *b = pose_sampler_new(out, NULL, POSE_AXES_GLTF, NULL, NULL);
    for (int i = 0; i < 200; i++) {
        float x[10], y[10];
        pose_sample(a, i * 0.00999, POSE_CLAMP, 0, x, NULL);
        pose_sample(b, i * 0.00999, POSE_CLAMP, 0, y, NULL);
        ck_assert_double_le(gap_of_rotations(x + 3, y + 3), 0.002);
    }
    if (_i == 3) {
        ck_assert_int_eq(out->rules, POSE_RULES_PRIME_FRAMES);
        ck_assert_uint_eq(channel_of(document, 0, POSE_ROTATION)->count, 61);
        ck_assert_uint_eq(out->tracks[0].id, 5);
    }
    pose_sampler_free(a);
    pose_sampler_free(b);
    pose_document_free(document);
}

TEST(every_frame_when_asked)
{
    make_irregular();
    struct pose_conversion conversion = {ONE_CLIP(&made.clip, NULL), .to = "sl-anim", .fps = 12.5f};
    struct pose_document *document = must_bake(&conversion);
    const struct pose_channel *channel = channel_of(document, 1, POSE_ROTATION);
    ck_assert_uint_eq(channel->count, 26);
    ck_assert_float_eq_tol(channel->times[24], 24 / 12.5f, 1e-6f);
    ck_assert_float_eq(channel->times[25], 2);
    pose_document_free(document);

    /* In single precision the end is a little past its frame: that makes no two keys of it. */
    made.clip.duration = 2.4f;
    document = must_bake(&conversion);
    channel = channel_of(document, 1, POSE_ROTATION);
    ck_assert_uint_eq(channel->count, 31);
    ck_assert_float_eq(channel->times[30], 2.4f);
    pose_document_free(document);
    made.clip.duration = 2;

    conversion.to = "sims3-clip";
    conversion.fps = 24;
    document = must_bake(&conversion);
    ck_assert_uint_eq(channel_of(document, 1, POSE_ROTATION)->count, 49);
    ck_assert_float_eq(document->clips->fps, 24);
    ck_assert_float_eq_tol(pose_value_find(document->clips->extras, "frame_duration")->as.number, 1 / 24.0f,
                           1e-8f);
    pose_document_free(document);

    conversion.to = "json";
    conversion.fps = 10;
    document = must_bake(&conversion);
    ck_assert_uint_eq(channel_of(document, 0, POSE_TRANSLATION)->count, 21);
    ck_assert_int_eq(document->clips->axes, POSE_AXES_GLTF);
    ck_assert_float_eq(channel_of(document, 0, POSE_TRANSLATION)->values[1], 1.067f);
    pose_document_free(document);

    conversion.to = "gltf"; /* whose encoder samples by itself */
    document = must_bake(&conversion);
    ck_assert_uint_eq(channel_of(document, 0, POSE_TRANSLATION)->count, 3);
    pose_document_free(document);
}

/* A clip that says that it is of The Sims, after someone moved its keys. */
TEST(keys_off_their_own_clock)
{
    struct pose_clip *clip = open_clip(POSE_RULES_SIMS, POSE_AXES_SIMS, 1);
    clip->frame_count = 30;
    add_track("HEAD");
    add_turn(0, 0);
    add_turn(0.2, 40);
    add_turn(0.9, 0);
    struct pose_document *document = bake_to("tso-anim");
    const struct pose_channel *channel = channel_of(document, 0, POSE_ROTATION);
    ck_assert_uint_eq(channel->count, 30);
    ck_assert_mem_eq(channel->values + 4 * 6, made.values[0][POSE_ROTATION] + 4, 4 * sizeof(float));
    pose_document_free(document);
}

/* ----------------------------------------------------------------------------------------------- the clock -- */

static void make_nod(double last)
{
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 1);
    add_track("HEAD");
    add_turn(0, 0);
    add_turn(0.5, 20);
    add_turn(1, last);
}

TEST(last_pose_of_the_sims)
{
    make_nod(0); /* ends as it begins */
    struct pose_document *document = bake_to("tso-anim");
    ck_assert_uint_eq(document->clips->frame_count, 30);
    ck_assert_float_eq(document->clips->duration, 1);
    expect_codes("");
    pose_document_free(document);

    make_nod(10);
    document = bake_to("tso-anim");
    ck_assert_uint_eq(document->clips->frame_count, 31);
    ck_assert_float_eq_tol(document->clips->duration, 31 / 30.0f, 1e-6f);
    expect_codes("duration_changed ");
    pose_document_free(document);

    make_nod(10);
    document = must_bake(&(struct pose_conversion){ONE_CLIP(&made.clip, NULL), .to = "tso-anim",
                                                   .settings = setting("loop", NULL, 1)});
    ck_assert_uint_eq(document->clips->frame_count, 30);
    expect_codes("loop_dropped ");
    pose_document_free(document);
}

/* A loop of The Sims ends on its first key when it becomes a clip that cannot go round by itself. */
TEST(loops_are_closed)
{
    struct pose_clip *clip = open_clip(POSE_RULES_SIMS, POSE_AXES_SIMS, 1);
    clip->frame_count = 4;
    add_track("HEAD");
    for (int k = 0; k < 4; k++)
        add_turn(k * 0.25, 10 * k);
    struct pose_document *document = must_bake(&(struct pose_conversion){
        ONE_CLIP(clip, NULL), .to = "sl-anim", .settings = setting("loop", NULL, 1)});
    const struct pose_channel *channel = channel_of(document, 0, POSE_ROTATION);
    ck_assert_uint_ge(channel->count, 5);
    ck_assert_float_eq(channel->times[channel->count - 1], 1);
    ck_assert_float_eq_tol(channel->values[4 * channel->count - 1], 1, 1e-6f);
    ck_assert_int_eq(document->clips->loop, POSE_LOOP_YES);
    pose_document_free(document);

    document = bake_to("sl-anim");
    channel = channel_of(document, 0, POSE_ROTATION);
    ck_assert_float_eq(channel->times[channel->count - 1], 0.75f);
    ck_assert_int_eq(document->clips->loop, POSE_LOOP_NO);
    pose_document_free(document);
}

TEST(ranges_of_loops)
{
    struct pose_clip *clip = open_clip(POSE_RULES_SL, POSE_AXES_SL, 1);
    clip->loop = POSE_LOOP_YES;
    clip->loop_in = 0.25f;
    add_track("mHead");
    add_turn(0, 0);
    add_turn(1, 10);
    const struct pose_rename to_bone = {"mHead", "joint_7"};
    struct pose_document *document = must_bake(&(struct pose_conversion){
        ONE_CLIP(clip, NULL), .to = "prime-anim", .renames = &to_bone, .rename_count = 1});
    expect_codes("loop_range_dropped ");
    ck_assert_int_eq(document->clips->loop, POSE_LOOP_YES);
    ck_assert_float_eq(document->clips->loop_in, 0);
    pose_document_free(document);
    document = bake_to("json");
    ck_assert_float_eq(document->clips->loop_in, 0.25f);
    ck_assert_str_eq(document->clips->origin, "sl-anim");
    pose_document_free(document);
}

/* "joint_" and a number of 32 bits is the number; anything else is a name. */
TEST(new_names_that_are_numbers)
{
    static const struct {
        const char *name;
        bool is_number;
        uint32_t number;
    } wanted[] = {{"joint_7", true, 7},           {"joint_4294967295", true, UINT32_MAX},
                  {"joint_4294967296", false, 0}, {"joint_99999999999999999999", false, 0},
                  {"joint_", false, 0},           {"joint_7.scale", false, 0},
                  {"joint_-7", false, 0},         {"joint_ 7", false, 0}};
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 1);
    add_track("head");
    add_turn(0, 0);
    add_turn(1, 10);
    for (int i = 0; i < COUNT(wanted); i++) {
        const struct pose_rename rename = {"head", wanted[i].name};
        struct pose_document *document = must_bake(&(struct pose_conversion){
            ONE_CLIP(&made.clip, NULL), .to = "json", .renames = &rename, .rename_count = 1});
        const struct pose_track *track = document->clips->tracks;
        ck_assert_int_eq(track->has_id, wanted[i].is_number);
        if (wanted[i].is_number)
            ck_assert_uint_eq(track->id, wanted[i].number);
        else
            ck_assert_str_eq(track->name, wanted[i].name);
        pose_document_free(document);
    }
}

/* Prime's frames are as long as makes the duration whole; those of The Sims 3 are not, and the last one shows the end. */
TEST(durations_between_frames)
{
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 1.01f);
    add_track("joint_3");
    add_turn(0, 0);
    add_turn(1.01, 10);
    struct pose_document *document = bake_to("prime-anim");
    ck_assert_float_eq_tol(document->clips->duration, 1.01f, 1e-6f);
    ck_assert_uint_eq(document->clips->frame_count, 31);
    expect_codes("");
    pose_document_free(document);
    made.tracks[0].name = "b__Head__";
    document = bake_to("sims3-clip");
    ck_assert_uint_eq(document->clips->frame_count, 32);
    const struct pose_channel *channel = channel_of(document, 0, POSE_ROTATION);
    ck_assert_mem_eq(channel->values + 4 * (channel->count - 1), made.values[0][POSE_ROTATION] + 4,
                     4 * sizeof(float));
    ck_assert(!strncmp(codes, "duration_changed ", 17));
    pose_document_free(document);
}

/* A clip without a rate whose keys were made at one. */
TEST(rates_are_found)
{
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 2.5f);
    add_track("joint_3");
    for (int k = 0; k <= 60; k += 3)
        add_turn(k / 24.0, k % 7 * 20);
    struct pose_document *document = bake_to("prime-anim");
    ck_assert_float_eq(document->clips->fps, 24);
    ck_assert_uint_eq(document->clips->frame_count, 61);
    expect_codes("");
    pose_document_free(document);
}

/* A pose: one key, no duration. */
TEST_EACH(poses_become_clips, 5)
{
    static const char *const targets[] = {"sl-anim", "tso-anim", "sims1-cmx", "sims3-clip", "prime-anim"};
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 0);
    add_track(_i == 4 ? "joint_3" : "HEAD");
    add_turn(0, 33);
    struct pose_document *document = bake_to(targets[_i]);
    const struct pose_channel *channel = channel_of(document, 0, POSE_ROTATION);
    ck_assert_uint_eq(channel->count, _i == 4 ? 2 : 1);
    ck_assert_float_eq_tol(fabsf(channel->values[3]), (float)cos(33 * 3.14159265 / 360), 1e-6f);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------------- joints -- */

TEST(pelvis_is_taken_off_its_rest)
{
    struct little_file file = {0};
    sl_put_example(&file, false);
    struct pose_document *own = codec_must_decode("sl-anim", file.bytes.data, file.bytes.size);
    struct pose_document *skeleton = pose_stand_in(0, NULL, NULL);
    struct pose_conversion conversion = {ONE_CLIP(own->clips, "sl-anim"), .to = "sims3-clip"};
    float stored = own->clips->tracks[0].channels[POSE_TRANSLATION].values[2];

    struct pose_document *without = must_bake(&conversion);
    ck_assert(strstr(codes, "pelvis_without_rest ") != NULL);
    ck_assert_float_eq(channel_of(without, 0, POSE_TRANSLATION)->values[1], stored);
    pose_document_free(without);

    conversion.skeleton = &skeleton->skeletons[0];
    struct pose_document *with = must_bake(&conversion);
    ck_assert(strstr(codes, "pelvis_without_rest ") == NULL);
    float rest = skeleton->skeletons[0].joints[skeleton->skeletons[0].root_joint].translation[2];
    ck_assert_float_eq_tol(channel_of(with, 0, POSE_TRANSLATION)->values[1], rest + stored, 1e-6f);

    conversion = (struct pose_conversion){ONE_CLIP(with->clips, "sims3-clip"), .to = "sl-anim",
                                          .skeleton = &skeleton->skeletons[0]};
    struct pose_document *back = must_bake(&conversion);
    ck_assert_float_eq_tol(channel_of(back, 0, POSE_TRANSLATION)->values[2], stored, 1e-6f);
    pose_document_free(back);
    pose_document_free(with);
    pose_document_free(skeleton);
    pose_document_free(own);
    pose_buffer_free(&file.bytes);
}

TEST(names_by_table_alone)
{
    static const struct pose_rename renames[] = {
        {"mTorso", "b__Spine0__"}, {"nothing", "else"}, {"mChest", "b__Spine0__"}};
    make_irregular();
    struct pose_document *document = must_bake(&(struct pose_conversion){
        ONE_CLIP(&made.clip, NULL), .to = "sims3-clip", .renames = renames, .rename_count = 3});
    ck_assert_str_eq(document->clips->tracks[0].name, "mPelvis");
    ck_assert_str_eq(document->clips->tracks[1].name, "b__Spine0__");
    ck_assert(strstr(codes, "rename_unused ") != NULL);
    ck_assert(strstr(codes, "joint_twice ") != NULL);
    struct pose_sims3_name hashes;
    pose_sims3_hash("b__Spine0__", &hashes);
    ck_assert_uint_eq(document->clips->tracks[1].id, hashes.fnv32);
    pose_document_free(document);
    made.tracks[0].name = NULL; /* neither name nor number */
    document = bake_to("sl-anim");
    ck_assert_uint_eq(document->clips->track_count, 2);
    expect_codes("unnamed_track ");
    pose_document_free(document);
}

TEST(numbers_of_prime)
{
    const struct pose_joint joints[] = {
        {.name = "root", .has_id = true, .id = 0, .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "hip",
         .has_id = true,
         .id = 2,
         .parent = 0,
         .rotation = {0, 0.6f, 0, 0.8f},
         .scale = {1, 1, 1}},
        {.name = "arm", .has_id = true, .id = 9, .parent = 1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    const struct pose_skeleton skeleton = {
        .axes = POSE_AXES_PRIME, .joint_count = 3, .joints = joints, .root_joint = -1};
    open_clip(POSE_RULES_PLAIN, POSE_AXES_PRIME, 1);
    add_track("arm");
    add_turn(0, 0);
    add_turn(1, 20);
    add_key(POSE_SCALE, 0, 1, 2, 1, 0);
    add_track("hip");
    add_key(POSE_TRANSLATION, 0, 1, 2, 3, 0);
    add_track("tail");
    add_turn(0, 0);
    struct pose_conversion conversion = {ONE_CLIP(&made.clip, NULL), .to = "prime-anim",
                                         .skeleton = &skeleton};
    struct pose_document *document = must_bake(&conversion);
    expect_codes("scale_dropped unknown_bone ");
    ck_assert_uint_eq(document->clips->track_count, 2);
    ck_assert_uint_eq(document->clips->tracks[0].id, 9);
    ck_assert_uint_eq(document->clips->tracks[1].id, 2);
    ck_assert_str_eq(document->clips->game, "mp1");
    /* Prime 1 has a rotation of every bone: here its rest, on every key. */
    const struct pose_channel *rest = channel_of(document, 1, POSE_ROTATION);
    ck_assert_uint_eq(rest->count, channel_of(document, 0, POSE_ROTATION)->count);
    ck_assert_uint_eq(rest->count, channel_of(document, 1, POSE_TRANSLATION)->count);
    ck_assert_float_eq(rest->values[1], 0.6f);
    pose_document_free(document);

    conversion.settings = setting("game", "mp2", 0);
    document = must_bake(&conversion);
    expect_codes("unknown_bone ");
    /* Every bone of the skeleton by its number, a rotation of the first. */
    ck_assert_uint_eq(document->clips->track_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(document->clips->tracks[i].id, joints[i].id);
    ck_assert_uint_ge(channel_of(document, 0, POSE_ROTATION)->count, 2);
    ck_assert_uint_eq(channel_of(document, 1, POSE_ROTATION)->count, 0);
    ck_assert_uint_ge(channel_of(document, 2, POSE_SCALE)->count, 2);
    pose_document_free(document);

    /* Who asks for nothing is not told off for what the clip says. */
    conversion.settings = NULL;
    conversion.clips =
        &(const struct pose_conversion_clip){.clip = conversion.clips->clip, .from = "prime-anim"};
    made.clip.extras = setting("game", "mp9", 0);
    document = must_bake(&conversion);
    ck_assert_str_eq(document->clips->game, "mp1");
    pose_document_free(document);
}

/* -------------------------------------------------------------------------------------- extras and events -- */

TEST(same_format_same_bytes)
{
    struct little_file sl = {0};
    struct tso_file tso = {.size = 0};
    struct little_file sims3 = {0};
    sl_put_example(&sl, true);
    tso_make_anim(&tso);
    sims3_make_example(&sims3);
    const struct {
        const char *format;
        struct pose_bytes bytes;
    } files[] = {{"sl-anim", {sl.bytes.data, sl.bytes.size}},
                 {"tso-anim", {tso.data, tso.size}},
                 {"sims3-clip", {sims3.bytes.data, sims3.bytes.size}}};
    for (int i = 0; i < 3; i++) {
        struct pose_document *document =
            codec_must_decode(files[i].format, files[i].bytes.data, files[i].bytes.size);
        struct pose_buffer out;
        struct pose_error error;
        codes[0] = 0;
        struct pose_conversion conversion = {ONE_CLIP(document->clips, files[i].format),
                                             .to = files[i].format};
        ck_assert_msg(pose_convert(&conversion, NULL, note_code, NULL, &out, NULL, &error), "%s",
                      error.detail);
        struct pose_content content = document_content(document);
        struct pose_buffer plain = codec_must_encode(files[i].format, &content, NULL);
        codec_check_bytes(files[i].format, out.data, out.size, plain.data, plain.size);
        expect_codes("");
        pose_buffer_free(&plain);
        pose_buffer_free(&out);
        pose_document_free(document);
    }
    pose_buffer_free(&sl.bytes);
    pose_buffer_free(&sims3.bytes);
}

/* The clip of a GLB: in glTF's axes, plain, and of The Sims by its origin. */
TEST(origin_keeps_extras)
{
    struct tso_file file = {.size = 0};
    tso_make_anim(&file);
    struct pose_document *document = codec_must_decode("tso-anim", file.data, file.size);
    struct pose_clip clip = *document->clips;
    clip.origin = "tso-anim";
    static const struct pose_rename head = {"HEAD", "NECK"};
    struct pose_document *kept = must_bake(&(struct pose_conversion){
        ONE_CLIP(&clip, "gltf"), .to = "sims1-cmx", .renames = &head, .rename_count = 1});
    expect_codes("");
    ck_assert_uint_eq(kept->clips->event_count, clip.event_count);
    ck_assert_float_eq(pose_value_find(kept->clips->extras, "distance")->as.number, 2.5f);
    ck_assert_ptr_nonnull(pose_value_find(kept->clips->tracks[0].extras, "props"));
    ck_assert_ptr_null(kept->clips->origin);
    uint32_t necks = 0;
    for (uint32_t i = 0; i < kept->clips->event_count; i++) {
        const struct pose_value *joint = pose_value_find(kept->clips->events[i].fields, "joint");
        ck_assert_str_ne(joint->as.string, "HEAD");
        necks += !strcmp(joint->as.string, "NECK");
    }
    ck_assert_uint_eq(necks, 1);
    pose_document_free(kept);

    clip.origin = "sl-anim"; /* of another family: its extras are none of The Sims' */
    clip.rules = POSE_RULES_PLAIN;
    kept = must_bake(&(struct pose_conversion){ONE_CLIP(&clip, "gltf"), .to = "tso-anim"});
    ck_assert_ptr_null(pose_value_find(kept->clips->extras, "distance"));
    ck_assert_ptr_null(kept->clips->tracks[0].extras);
    ck_assert(strstr(codes, "events_dropped ") && strstr(codes, "extras_dropped "));
    pose_document_free(kept);
    pose_document_free(document);
}

TEST(events_that_both_have)
{
    struct tso_file file = {.size = 0};
    tso_make_anim(&file);
    struct pose_document *document = codec_must_decode("tso-anim", file.data, file.size);
    struct pose_document *sims3 =
        must_bake(&(struct pose_conversion){ONE_CLIP(document->clips, "tso-anim"), .to = "sims3-clip"});
    ck_assert(strstr(codes, "events_dropped ") != NULL); /* the footsteps */
    ck_assert_uint_eq(sims3->clips->event_count, 2);
    ck_assert_str_eq(sims3->clips->events[0].type, "script");
    ck_assert_int_eq(pose_value_find(sims3->clips->events[0].fields, "id")->as.integer, 7);
    ck_assert_str_eq(sims3->clips->events[1].type, "sound");
    ck_assert_str_eq(pose_value_find(sims3->clips->events[1].fields, "sound")->as.string, "door");
    ck_assert_float_eq(sims3->clips->events[1].time, 0.5f);
    struct pose_document *back =
        must_bake(&(struct pose_conversion){ONE_CLIP(sims3->clips, "sims3-clip"), .to = "tso-anim"});
    ck_assert_uint_eq(back->clips->event_count, 2);
    ck_assert_str_eq(back->clips->events[0].type, "xevt");
    ck_assert_str_eq(pose_value_find(back->clips->events[0].fields, "value")->as.string, "7");
    ck_assert_str_eq(pose_value_find(back->clips->events[1].fields, "value")->as.string, "door");
    pose_document_free(back);
    pose_document_free(sims3);
    pose_document_free(document);
}

TEST(settings_become_extras)
{
    make_nod(0);
    struct pose_document *document = must_bake(&(struct pose_conversion){
        ONE_CLIP(&made.clip, NULL), .to = "sims1-bcf", .settings = setting("distance", NULL, -3)});
    ck_assert_float_eq(pose_value_find(document->clips->extras, "distance")->as.number, -3);
    pose_document_free(document);
    document = must_bake(&(struct pose_conversion){ONE_CLIP(&made.clip, NULL), .to = "sims3-clip",
                                                   .settings = setting("actor", "y", 0)});
    ck_assert_str_eq(pose_value_find(document->clips->extras, "actor")->as.string, "y");
    pose_document_free(document);
    made.tracks[0].name = "joint_4";
    document = must_bake(&(struct pose_conversion){ONE_CLIP(&made.clip, NULL), .to = "prime-anim",
                                                   .settings = setting("evnt", NULL, 0x12345678)});
    const struct pose_value *extras = document->clips->extras;
    ck_assert_int_eq(pose_value_find(extras, "evnt")->as.integer, 0x12345678);
    ck_assert_int_eq(pose_value_find(extras, "version")->as.integer, 2);
    ck_assert_int_eq(pose_value_find(extras, "root_bone_id")->as.integer, 3);
    ck_assert_str_eq(pose_value_find(extras, "game")->as.string, "mp1");
    ck_assert_float_eq(pose_value_find(extras, "interval")->as.number, 1 / 30.0f);
    pose_document_free(document);
}

TEST(losses_are_said)
{
    make_nod(0);
    add_key(POSE_SCALE, 0, 1, 1, 1, 0);
    add_track("smile");
    add_key(POSE_MORPH, 0, 0.5, 0, 0, 0);
    const struct pose_event event = {.type = "anything"};
    made.clip.events = &event;
    made.clip.event_count = 1;
    struct pose_document *document = bake_to("tso-anim");
    expect_codes("scale_dropped morph_dropped events_dropped ");
    ck_assert_uint_eq(document->clips->track_count, 1);
    pose_document_free(document);
    document = bake_to("sims3-clip");
    expect_codes("events_dropped unknown_joint ");
    ck_assert_uint_eq(document->clips->track_count, 2);
    ck_assert_uint_eq(channel_of(document, 0, POSE_SCALE)->count, 1);
    ck_assert_uint_eq(channel_of(document, 1, POSE_MORPH)->count, 1);
    pose_document_free(document);
}

/* A figure that knows none of the names stands still: one that knows a single one does not. */
TEST(strangers_are_told)
{
    static const struct {
        const char *to, *stranger, *known;
    } games[] = {{"tso-anim", "mPelvis", "pelvis"},
                 {"sims1-cmx", "mPelvis", "PELVIS"},
                 {"sims1-bcf", "mPelvis", "PELVIS"},
                 {"sims3-clip", "PELVIS", "b__Pelvis__"}};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        make_nod(0);
        made.tracks[0].name = games[i].stranger;
        pose_document_free(bake_to(games[i].to));
        ck_assert_msg(strstr(codes, "unknown_joint "), "%s: %s", games[i].to, codes);
        add_track(games[i].known);
        add_turn(0, 0);
        add_turn(1, 0);
        pose_document_free(bake_to(games[i].to));
        ck_assert_msg(!strstr(codes, "unknown_joint "), "%s: %s", games[i].to, codes);
    }
}

/* ----------------------------------------------------------------------------------------------- refusals -- */

TEST(refusals)
{
    make_nod(0);
    struct pose_conversion conversion = {ONE_CLIP(&made.clip, NULL), .to = "sl-skeleton"};
    must_refuse(&conversion, "unknown_format");
    conversion.to = NULL;
    must_refuse(&conversion, "unknown_format");
    conversion.to = "sl-anim";
    conversion.fps = -1;
    must_refuse(&conversion, "bad_fps");
    conversion.fps = NAN;
    must_refuse(&conversion, "bad_fps");
    conversion.fps = 0;
    made.clip.duration = 60.5f;
    must_refuse(&conversion, "too_long");
    made.clip.duration = 3000;
    conversion.to = "sims3-clip";
    must_refuse(&conversion, "too_long");
    made.clip.duration = -1;
    must_refuse(&conversion, "bad_duration");
    made.clip.duration = INFINITY;
    must_refuse(&conversion, "bad_duration");
    make_nod(0);
    made.values[0][POSE_ROTATION][2] = NAN;
    must_refuse(&conversion, "not_finite");
    make_nod(0);
    made.times[0][POSE_ROTATION][1] = 2;
    must_refuse(&conversion, "unsorted_keys");
}

TEST_EACH(bad_settings, 8)
{
    static const struct {
        const char *to, *key, *text;
        int64_t number;
    } cases[] = {
        {"sl-anim", "loop", "yes", 0},    {"tso-anim", "distance", "far", 0},
        {"sims3-clip", "actor", NULL, 5}, {"prime-anim", "version", NULL, 1},
        {"prime-anim", "game", "mp3", 0}, {"prime-anim", "root_bone_id", NULL, 100},
        {"prime-anim", "evnt", NULL, -1}, {"sims3-clip", "source_name", NULL, 1},
    };
    make_nod(0);
    made.tracks[0].name = "joint_4"; /* a bone of every target */
    must_refuse(
        &(struct pose_conversion){ONE_CLIP(&made.clip, NULL), .to = cases[_i].to,
                                  .settings = setting(cases[_i].key, cases[_i].text, cases[_i].number)},
        "bad_setting");
}

TEST_EACH(limits_hold, 4)
{
    static const char *const targets[] = {"sl-anim", "tso-anim", "sims3-clip", "prime-anim"};
    struct pose_error error;
    open_clip(POSE_RULES_PLAIN, POSE_AXES_GLTF, 50);
    add_track("joint_3");
    for (int k = 0; k < 300; k++)
        add_turn(k / 7.0, k * 97);
    struct pose_options options = {.limits.keys = 200};
    struct pose_conversion conversion = {ONE_CLIP(&made.clip, NULL), .to = targets[_i]};
    ck_assert_ptr_null(pose_bake(&conversion, &options, NULL, NULL, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "keys");
    options.limits = (struct pose_limits){.memory = 4096};
    ck_assert_ptr_null(pose_bake(&conversion, &options, NULL, NULL, &error));
    ck_assert_str_eq(error.limit, "memory");
}
