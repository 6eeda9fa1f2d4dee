/* What clips do on a skeleton: bones stretched, floors broken through, tracks of others, loops with a gap, wrong ids. */
#include "lib/formats/sims3/lint.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* What was found, as "code: message" lines. */
static char found[3000];

static void note(void *user, const struct pose_warning *warning)
{
    (void)user;
    size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s: %s\n", warning->code, warning->message);
}

enum { SL, SIMS, STAND_INS };
static struct pose_document *stand_ins[STAND_INS];

static void load(void)
{
    struct pose_error error;
    for (unsigned i = 0; i < STAND_INS; i++) {
        stand_ins[i] = pose_stand_in(i, NULL, &error);
        ck_assert_ptr_nonnull(stand_ins[i]);
    }
}

static void unload(void)
{
    for (unsigned i = 0; i < STAND_INS; i++)
        pose_document_free(stand_ins[i]);
}

static const float times[] = {0, 1};
static const float still[] = {0, 0, 0, 1, 0, 0, 0, 1};
static const float turned[] = {0, 0, 0, 1, 0.034899497f, 0, 0, 0.99939083f};   /* 4 degrees */
static const float a_little[] = {0, 0, 0, 1, 0.013089596f, 0, 0, 0.99991433f}; /* 1.5 degrees */

static struct pose_clip clip_of(unsigned stand_in, const struct pose_track *tracks, uint32_t count)
{
    return (struct pose_clip){.name = "made",
                              .axes = stand_ins[stand_in]->skeletons[0].axes,
                              .rules = stand_in == SL ? POSE_RULES_SL : POSE_RULES_SIMS,
                              .duration = 1,
                              .loop_out = 1,
                              .track_count = count,
                              .tracks = tracks};
}

static void look(const struct pose_clip *clip, const struct pose_skeleton *skeleton)
{
    found[0] = 0;
    pose_lint_clip(clip, skeleton, note, NULL);
}

/* A clip of one track on a stand-in. */
static void look_at(unsigned stand_in, const char *joint, enum pose_part part, const float *values)
{
    struct pose_track track = {.name = joint};
    track.channels[part] = (struct pose_channel){2, times, values};
    const struct pose_clip clip = clip_of(stand_in, &track, 1);
    look(&clip, &stand_ins[stand_in]->skeletons[0]);
}

static const float *rest_of(unsigned stand_in, const char *joint)
{
    const struct pose_skeleton *skeleton = &stand_ins[stand_in]->skeletons[0];
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (!strcmp(skeleton->joints[i].name, joint))
            return skeleton->joints[i].translation;
    }
    ck_abort_msg("no joint %s", joint);
}

static const struct {
    unsigned stand_in;
    const char *joint;
    float factor;
    bool stretched;
} lengths[] = {
    {SL, "mKneeLeft", 1, false},   {SL, "mKneeLeft", 1.2f, false}, {SL, "mKneeLeft", 0.7f, true},
    {SL, "mKneeLeft", 1.5f, true}, {SIMS, "R_LEG1", 1, false},     {SIMS, "R_LEG1", 1.5f, true},
    {SIMS, "R_LEG1", 1.2f, false}, {SIMS, "ROOT", 1.5f, false},    {SL, "mPelvis", 0.02f, false},
};

FIXTURE(load, unload);

TEST_EACH(bones_keep_their_length, COUNT(lengths))
{
    const float *rest = rest_of(lengths[_i].stand_in, lengths[_i].joint);
    float values[6];
    for (int i = 0; i < 3; i++) {
        values[i] = rest[i];
        values[3 + i] = rest[i] * lengths[_i].factor;
    }
    look_at(lengths[_i].stand_in, lengths[_i].joint, POSE_TRANSLATION, values);
    ck_assert_msg((strstr(found, "stretched_bone: joint ") == found) == lengths[_i].stretched, "%s", found);
    if (lengths[_i].stretched)
        ck_assert_msg(strstr(found, lengths[_i].joint) && strstr(found, "1 stretched in all"), "%s", found);
}

/* An armature, hips, a leg and a control beside the hips: which of them moves away, and whether the hips turn. */
static const struct {
    const char *moved;
    bool hips_turn, stretched;
} rigs[] = {{"Hips", true, false},
            {"Leg", true, true},
            {"foot_ik.L", true, false},
            {"Control", false, false},
            {"foot_ik.L", false, false}};

TEST_EACH(what_moves_freely_is_no_stretched_bone, COUNT(rigs))
{
    const struct pose_joint joints[] = {
        {.name = "Armature", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "Hips", .translation = {0, 1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "Leg",
         .parent = 1,
         .translation = {0, -0.5f, 0},
         .rotation = {0, 0, 0, 1},
         .scale = {1, 1, 1}},
        {.name = "Control", .translation = {0, 0.1f, 1}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "foot_ik.L",
         .parent = 1,
         .translation = {0, 0.1f, 0},
         .rotation = {0, 0, 0, 1},
         .scale = {1, 1, 1}},
    };
    const struct pose_skeleton skeleton = {.joint_count = COUNT(joints), .joints = joints, .root_joint = -1};
    const float values[] = {0, 3, 0, 0, 5, 0};
    const struct pose_track tracks[] = {
        {.name = "Armature", .channels[POSE_ROTATION] = {2, times, still}},
        {.name = "Hips", .channels[POSE_ROTATION] = {2, times, rigs[_i].hips_turn ? turned : still}},
        {.name = rigs[_i].moved, .channels[POSE_TRANSLATION] = {2, times, values}},
    };
    const struct pose_clip clip = {
        .duration = 1, .rules = POSE_RULES_PLAIN, .track_count = COUNT(tracks), .tracks = tracks};
    look(&clip, &skeleton);
    ck_assert_msg((strstr(found, "stretched_bone") != NULL) == rigs[_i].stretched, "%s", found);
}

static const struct {
    float height; /* that the pelvis sinks, metres */
    bool below;
} depths[] = {{0, false}, {-0.02f, false}, {-0.2f, true}, {0.5f, false}};

TEST_EACH(feet_stay_on_the_floor, COUNT(depths))
{
    const float values[] = {0, 0, 0, 0, 0, depths[_i].height};
    const struct pose_track tracks[] = {
        {.name = "mPelvis", .channels[POSE_TRANSLATION] = {2, times, values}},
        {.name = "mKneeLeft", .channels[POSE_ROTATION] = {2, times, still}},
    };
    const struct pose_clip clip = clip_of(SL, tracks, 2);
    look(&clip, &stand_ins[SL]->skeletons[0]);
    ck_assert_msg((strstr(found, "below_floor: joint ") == found) == depths[_i].below, "%s", found);
}

TEST(a_skeleton_below_the_floor_says_nothing)
{
    const struct pose_joint joints[] = {
        {.name = "A", .parent = -1, .translation = {0, -1, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    const struct pose_skeleton skeleton = {.joint_count = 1, .joints = joints, .root_joint = -1};
    const float values[] = {0, -3, 0, 0, -3, 0};
    const struct pose_track track = {.name = "A", .channels[POSE_TRANSLATION] = {2, times, values}};
    const struct pose_clip clip = {.duration = 1, .track_count = 1, .tracks = &track};
    look(&clip, &skeleton);
    ck_assert_str_eq(found, "");
}

TEST(tracks_of_others_are_counted)
{
    const struct pose_track tracks[] = {
        {.name = "mHead", .channels[POSE_ROTATION] = {2, times, still}},
        {.name = "b__Head__", .channels[POSE_ROTATION] = {2, times, still}},
        {.name = "b__Neck__", .channels[POSE_ROTATION] = {2, times, still}},
    };
    const struct pose_skeleton *skeleton = &stand_ins[SL]->skeletons[0];
    struct pose_clip clip = clip_of(SL, tracks, 2);
    look(&clip, skeleton);
    ck_assert_str_eq(found, "");
    clip.track_count = 3;
    look(&clip, skeleton);
    ck_assert_msg(strstr(found, "foreign_tracks: ") == found &&
                      strstr(found, "has joints for 1 of the clip's 3 tracks"),
                  "%s", found);
}

static const struct {
    const char *name;
    enum pose_loop loop;
    enum pose_rules rules;
    const float *values;
    bool gap;
} loops[] = {
    {"a", POSE_LOOP_YES, POSE_RULES_SL, turned, true},
    {"a", POSE_LOOP_YES, POSE_RULES_SL, a_little, false},
    {"a", POSE_LOOP_YES, POSE_RULES_SL, still, false},
    {"a", POSE_LOOP_NO, POSE_RULES_SL, turned, false},
    {"a_loop", POSE_LOOP_NO, POSE_RULES_SL, turned, false},
    {"a_Loop", POSE_LOOP_UNKNOWN, POSE_RULES_SIMS3, turned, true},
    {"a-loop", POSE_LOOP_UNKNOWN, POSE_RULES_PLAIN, turned, true},
    {"a_sit_loop_x", POSE_LOOP_UNKNOWN, POSE_RULES_SIMS3, turned, true},
    {"a_sit_x", POSE_LOOP_UNKNOWN, POSE_RULES_SIMS3, turned, false},
    {"loop", POSE_LOOP_UNKNOWN, POSE_RULES_SIMS3, turned, false},
    {NULL, POSE_LOOP_UNKNOWN, POSE_RULES_SIMS3, turned, false},
    {"a_loop", POSE_LOOP_YES, POSE_RULES_SIMS, turned, false}, /* blends into its start */
};

TEST_EACH(loops_close, COUNT(loops))
{
    const struct pose_track track = {.name = "mHead",
                                     .channels[POSE_ROTATION] = {2, times, loops[_i].values}};
    struct pose_clip clip = clip_of(SL, &track, 1);
    clip.name = loops[_i].name;
    clip.loop = loops[_i].loop;
    clip.rules = loops[_i].rules;
    const struct pose_skeleton *skeletons[] = {&stand_ins[SL]->skeletons[0], NULL};
    for (int i = 0; i < COUNT(skeletons); i++) {
        look(&clip, skeletons[i]);
        ck_assert_msg((strstr(found, "loop_gap: ") == found) == loops[_i].gap, "%s", found);
        ck_assert(!loops[_i].gap || (strstr(found, "mHead") && strstr(found, "4 degrees")));
    }
}

static const struct {
    const char *inner, *file;
    const char *finding; /* part of it; NULL: none */
    bool is_other;       /* than the name in the file's */
} ids[] = {
    {"c_walk", "6B20C4F3-00000000-92A06AB91BCA6BDE_c_walk", NULL, false},
    {"other", "6B20C4F3-00000000-92A06AB91BCA6BDE_c_walk", NULL, true},
    {"c_walk", "6B20C4F3-00000000-92A06AB91BCA6BDE_other", NULL, true},
    {"a_walk", "6b20c4f3-00000000-11a06ab91bca6bde", NULL, false},
    {"c_walk", "6B20C4F3-00000000-11A06AB91BCA6BDE", "but that of \"a_walk\"\n", false},
    {"a_walk", "6B20C4F3-00000000-92A06AB91BCA6BDE", "but that of \"c_walk\"\n", false},
    {"a_walk", "6B20C4F3-00000000-92A06AB91BCA6BDF", "is not that of \"a_walk\" (0x11A06AB91BCA6BDE)\n",
     false},
    {"c_walk", "S3_6B20C4F3_00000000_92A06AB91BCA6BDE_other%%+CLIP.animation", NULL, true},
    {"x", "folder/S3_6B20C4F3_00000000_92A06AB91BCA6BDE_c_walk%%+CLIP.animation", NULL, true},
    {"a_walk", "S3_6B20C4F3_00000000_92A06AB91BCA6BDE_a_walk%%+CLIP.animation", "but that of \"c_walk\"\n",
     false},
    {"a_walk", "walk.clip", NULL, false},
    {"C_Walk", "6B20C4F3-00000000-92A06AB91BCA6BDE_c_walk", NULL, false},
    {"a_walk", NULL, NULL, false},
    {NULL, "6B20C4F3-00000000-92A06AB91BCA6BDF", NULL, false},
};

TEST_EACH(ids_are_those_of_names, COUNT(ids))
{
    const struct pose_clip clip = {.name = ids[_i].inner};
    const struct lint lint = {note, NULL};
    found[0] = 0;
    sims3_lint_clip(&lint, &clip, ids[_i].file);
    ck_assert_msg((strstr(found, "name_differs: ") != NULL) == ids[_i].is_other, "%s", found);
    if (!ids[_i].finding)
        ck_assert_ptr_null(strstr(found, "id_differs"));
    else
        ck_assert_msg(strstr(found, "id_differs: ") == found && strstr(found, ids[_i].finding), "%s", found);
}

static void look_sims3(const struct pose_clip *clip)
{
    const struct lint lint = {note, NULL};
    found[0] = 0;
    sims3_lint_clip(&lint, clip, NULL);
}

TEST(sounds_have_names)
{
    struct pose_value named = {.kind = POSE_STRING, .key = "sound", .as.string = "dog_bark"}, empty = named;
    empty.as.string = "";
    const struct pose_value fields[] = {{.kind = POSE_OBJECT, .first = &named},
                                        {.kind = POSE_OBJECT, .first = &empty}};
    struct pose_event events[] = {{.time = 0, .type = "sound", .fields = &fields[0]},
                                  {.time = 0.5f, .type = "script", .fields = &fields[1]},
                                  {.time = 1, .type = "script"}};
    const struct pose_clip clip = {.event_count = 3, .events = events};
    look_sims3(&clip);
    ck_assert_str_eq(found, "");
    events[1].type = "sound";
    look_sims3(&clip);
    ck_assert_str_eq(found, "empty_sound: 1 sound event names no sound; the first is at 0.5 s\n");
}

TEST(a_clip_ends_where_its_keys_do)
{
    float begin_end[] = {0, 1}, values[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    struct pose_track track = {.channels[POSE_ROTATION] = {.count = 2, .times = begin_end, .values = values}};
    struct pose_event event = {.time = 2, .type = "script"};
    struct pose_clip clip = {
        .track_count = 1, .tracks = &track, .key_count = 2, .duration = 2, .frame_count = 61};
    look_sims3(&clip);
    ck_assert_str_eq(found, ""); /* held for as long as it moved */
    clip.duration = 4;
    clip.frame_count = 121;
    look_sims3(&clip);
    ck_assert_str_eq(found, "late_end: 121 ticks are 4 s, and the last key or event is at 1 s\n");
    clip.event_count = 1;
    clip.events = &event;
    look_sims3(&clip);
    ck_assert_str_eq(found, "");
    clip = (struct pose_clip){.duration = 4, .frame_count = 121};
    look_sims3(&clip);
    ck_assert_str_eq(found, "");
}

/* --------------------------------------------------------------------------------------------- real clips -- */

static const char *const codes[] = {"stretched_bone", "below_floor", "foreign_tracks", "loop_gap"};

struct tally {
    unsigned clips, findings[COUNT(codes)];
};

static void tally_clip(const struct pose_clip *clip, struct tally *tally)
{
    const struct pose_skeleton *best = NULL;
    uint32_t most = 0;
    for (unsigned i = 0; i < STAND_INS; i++) {
        uint32_t matches = pose_skeleton_match(&stand_ins[i]->skeletons[0], clip);
        if (matches > most) {
            most = matches;
            best = &stand_ins[i]->skeletons[0];
        }
    }
    look(clip, best);
    tally->clips++;
    for (int i = 0; i < COUNT(codes); i++)
        tally->findings[i] += strstr(found, codes[i]) != NULL;
}

/* Game clips: what motion capture does beside them was not looked at by hand. */
static void tally_file(const char *path, struct tally *tally)
{
    struct test_file file;
    struct pose_error error;
    ck_assert(test_file_read(path, &file));
    struct pose_source source = {.name = path, .bytes = {file.data, file.size}};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    bool is_game = document && strcmp(document->format, "bvh") != 0;
    for (uint32_t i = 0; is_game && i < document->clip_count; i++)
        tally_clip(&document->clips[i], tally);
    pose_document_free(document);
    test_file_free(&file);
}

/* "id_differs" of the clips of a package. */
static unsigned count_wrong_ids(const char *name, unsigned *clips)
{
    struct test_file file;
    struct pose_error error;
    ck_assert(corpus_read(name, &file));
    struct pose_source source = {.name = name, .bytes = {file.data, file.size}};
    struct pose_archive *archive = pose_archive_open(&source, NULL, &error);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < pose_archive_count(archive); i++) {
        const struct pose_entry *entry = pose_archive_entry(archive, i);
        struct pose_buffer bytes;
        if (entry->type != 0x6b20c4f3 || !pose_archive_read(archive, i, &bytes, &error))
            continue;
        struct pose_source inner = {.name = entry->name, .bytes = {bytes.data, bytes.size}};
        struct pose_document *document = pose_decode(&inner, NULL, &error);
        ck_assert_ptr_nonnull(document);
        found[0] = 0;
        pose_lint(document, entry->name, note, NULL);
        wrong += strstr(found, "id_differs") != NULL;
        (*clips)++;
        pose_document_free(document);
        pose_buffer_free(&bytes);
    }
    pose_archive_close(archive);
    test_file_free(&file);
    return wrong;
}

TEST(real_ids_fit)
{
    unsigned clips = 0;
    if (!corpus_root())
        return;
    ck_assert_uint_eq(count_wrong_ids("sims3/packages/pets-clips.package", &clips), 0);
    ck_assert_uint_eq(count_wrong_ids("sims3/packages/seasons-clips.package", &clips), 0);
    ck_assert_uint_eq(clips, 15);
}

static struct tally tally_folder(const char *folder)
{
    struct tally tally = {0};
    struct test_paths paths;
    ck_assert(test_paths_walk(folder, &paths));
    for (size_t i = 0; i < paths.count; i++)
        tally_file(paths.items[i], &tally);
    test_paths_free(&paths);
    fprintf(stderr, "%s: %u clips:", folder, tally.clips);
    for (int i = 0; i < COUNT(codes); i++)
        fprintf(stderr, " %s %u", codes[i], tally.findings[i]);
    fprintf(stderr, "\n");
    return tally;
}

static const struct {
    const char *folder;
    struct tally tally;
} real[] = {
    {"sl", {167, {2, 25, 0, 14}}},
    {"sims/tso", {44, {5, 3, 0, 0}}},
    {"sims3", {8, {0, 0, 0, 0}}},
};

TEST_EACH(real_clips_have_the_known_findings, COUNT(real))
{
    char folder[1000];
    const char *root = corpus_root();
    if (!root)
        return;
    snprintf(folder, sizeof folder, "%s/%s", root, real[_i].folder);
    struct tally tally = tally_folder(folder);
    ck_assert_uint_eq(tally.clips, real[_i].tally.clips);
    for (int i = 0; i < COUNT(codes); i++)
        ck_assert_msg(tally.findings[i] == real[_i].tally.findings[i], "%s: %u", codes[i], tally.findings[i]);
}
