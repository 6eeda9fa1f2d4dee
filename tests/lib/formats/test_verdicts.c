/* What games say of clips and meshes: each reason from the smallest document that gives it. */
#include "pose.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CODES = 80 };

/* The last verdict, as text. */
struct heard {
    unsigned count, reasons;
    bool accepted;
    char target[16], codes[MAX_CODES][40], joint[40];
};

static void hear(void *user, const struct pose_verdict *verdict)
{
    struct heard *heard = user;
    heard->count++;
    heard->accepted = verdict->accepted;
    snprintf(heard->target, sizeof heard->target, "%s", verdict->target);
    for (const struct pose_value *reason = verdict->reasons->first; reason; reason = reason->next) {
        const struct pose_value *joint = pose_value_find(reason, "joint");
        ck_assert_uint_lt(heard->reasons, MAX_CODES);
        snprintf(heard->codes[heard->reasons++], sizeof heard->codes[0], "%s",
                 pose_value_find(reason, "code")->as.string);
        if (joint)
            snprintf(heard->joint, sizeof heard->joint, "%s", joint->as.string);
    }
}

static struct heard judge(const struct pose_document *document)
{
    struct heard heard = {0};
    pose_verdicts(document, hear, &heard);
    return heard;
}

static void expect(const struct pose_document *document, const char *target, const char *code,
                   const char *joint)
{
    struct heard heard = judge(document);
    ck_assert_uint_eq(heard.count, 1);
    ck_assert_str_eq(heard.target, target);
    ck_assert_msg(heard.reasons == (code ? 1u : 0u), "%u reasons, the first is %s", heard.reasons,
                  heard.codes[0]);
    ck_assert_int_eq(heard.accepted, !code);
    if (code)
        ck_assert_str_eq(heard.codes[0], code);
    ck_assert_str_eq(heard.joint, joint ? joint : "");
}

static const float times[] = {0, 1 / 30.0f}, off[] = {0, 0.05f}, late[] = {0, 3000};
static const float turns[8] = {0, 0, 0, 1, 0, 0, 0, 1}, shifts[6] = {0};
#define TURNS                                                                                                \
    {                                                                                                        \
        2, times, turns                                                                                      \
    }
#define SHIFTS                                                                                               \
    {                                                                                                        \
        2, times, shifts                                                                                     \
    }

static struct pose_document document_of(const char *format, const struct pose_clip *clip)
{
    return (struct pose_document){.format = format, .clip_count = 1, .clips = clip};
}

TEST(sims_need_names_bones_and_a_duration)
{
    const struct pose_value duration = {.kind = POSE_FLOAT, .key = "duration_ms", .as.number = 0};
    const struct pose_value extras = {.kind = POSE_OBJECT, .first = &duration};
    struct pose_track tracks[] = {{.name = "Wheel", .channels = {[POSE_ROTATION] = TURNS}},
                                  {.name = "pelvis", .channels = {[POSE_ROTATION] = TURNS}}};
    struct pose_clip clip = {.name = "a2o-spin", .duration = 1, .track_count = 2, .tracks = tracks};
    struct pose_document document = document_of("sims1-cmx", &clip);
    expect(&document, "sims1", NULL, NULL);
    clip.track_count = 1;
    expect(&document, "sims1", "no_known_bone", "Wheel");
    document.format = "tso-anim";
    expect(&document, "tso", "no_known_bone", "Wheel");
    clip.tracks = tracks + 1;
    clip.extras = &extras;
    expect(&document, "tso", NULL, NULL);
    document.format = "sims1-bcf";
    expect(&document, "sims1", "no_duration", NULL);
    clip.extras = NULL;
    clip.name = NULL;
    expect(&document, "sims1", "no_name", NULL);
    clip.name = "a2o-spin";
    const struct pose_warning gone = {"no_cfp", POSE_WARNING, "spin.cfp is missing", POSE_NO_OFFSET};
    clip.warnings = &gone;
    clip.warning_count = 1;
    expect(&document, "sims1", "no_cfp", NULL);
}

TEST(sims_meshes_hang_on_bones)
{
    static const char *const bones[] = {"HEAD", "wheel"};
    struct pose_mesh mesh = {.bone_count = 2, .bones = bones};
    const struct pose_document document = {.format = "sims1-skn", .mesh_count = 1, .meshes = &mesh};
    expect(&document, "sims1", NULL, NULL);
    mesh.bones = bones + 1;
    mesh.bone_count = 1;
    expect(&document, "sims1", "no_known_bone", "wheel");
}

TEST(sims3_has_ticks_chains_and_hashes)
{
    struct pose_value chains[6] = {{.kind = POSE_OBJECT}, {.kind = POSE_OBJECT}, {.kind = POSE_OBJECT},
                                   {.kind = POSE_OBJECT}, {.kind = POSE_OBJECT}, {.kind = POSE_OBJECT}};
    for (int i = 0; i < 5; i++)
        chains[i].next = &chains[i + 1];
    const struct pose_value list = {.kind = POSE_ARRAY, .key = "ik_chains", .first = chains};
    const struct pose_value extras = {.kind = POSE_OBJECT, .first = &list};
    struct pose_track track = {.has_id = true, .id = 0xFEAE6981, .channels = {[POSE_ROTATION] = TURNS}};
    struct pose_clip clip = {
        .name = "a2o_spin_x", .duration = 1, .fps = 30, .track_count = 1, .tracks = &track};
    const struct pose_document document = document_of("sims3-clip", &clip);
    expect(&document, "sims3", NULL, NULL);
    track.id = 7;
    expect(&document, "sims3", "no_known_bone", "#7");
    clip.name = "my_rig_spins";
    expect(&document, "sims3", NULL, NULL);
    track.channels[POSE_ROTATION].times = off;
    expect(&document, "sims3", "off_tick", "#7");
    track.channels[POSE_ROTATION].times = late;
    clip.duration = 3000;
    expect(&document, "sims3", "too_many_ticks", NULL);
    track.channels[POSE_ROTATION].times = times;
    clip.duration = 1;
    clip.extras = &extras;
    expect(&document, "sims3", "ik_chains", NULL);
    clip.extras = NULL;
    clip.name = "";
    expect(&document, "sims3", "no_name", NULL);
}

TEST(prime_has_ids_orders_and_versions)
{
    struct pose_value version = {.kind = POSE_INT, .key = "version", .as.integer = 2};
    struct pose_value game = {.kind = POSE_STRING, .key = "game", .as.string = "mp1", .next = &version};
    const struct pose_value extras = {.kind = POSE_OBJECT, .first = &game};
    struct pose_track tracks[] = {
        {.has_id = true, .id = 3, .channels = {[POSE_ROTATION] = TURNS}},
        {.has_id = true, .id = 9, .channels = {[POSE_ROTATION] = TURNS}},
    };
    struct pose_clip clip = {.duration = 1, .track_count = 2, .tracks = tracks, .extras = &extras};
    struct pose_document document = document_of("prime-anim", &clip);
    expect(&document, "mp1", NULL, NULL);
    tracks[1].id = 100;
    expect(&document, "mp1", "bone_id", "#100");
    tracks[1].id = 2;
    expect(&document, "mp1", "bone_id", "#2");
    tracks[1].id = 9;
    tracks[1].channels[POSE_ROTATION].count = 0;
    tracks[1].channels[POSE_TRANSLATION] = (struct pose_channel)SHIFTS;
    expect(&document, "mp1", "no_rotation", "#9");
    version.as.integer = 0;
    expect(&document, "mp1", NULL, NULL);
    version.as.integer = 2;
    game.as.string = "mp2";
    expect(&document, "mp2", "bone_order", "#3");
    tracks[0].id = 0;
    tracks[1].id = 1;
    expect(&document, "mp2", NULL, NULL);
    clip.tracks = tracks + 1;
    clip.track_count = 1;
    tracks[1].id = 0;
    expect(&document, "mp2", "first_without_rotation", "#0");
    struct pose_mesh mesh = {.extras = &extras};
    document = (struct pose_document){.format = "prime-cmdl", .mesh_count = 1, .meshes = &mesh};
    expect(&document, "mp2", "version", NULL);
    version.as.integer = 4;
    expect(&document, "mp2", NULL, NULL);
}

TEST(reasons_are_bounded)
{
    static struct pose_warning warnings[1000];
    for (int i = 0; i < 1000; i++)
        warnings[i] = (struct pose_warning){"unknown_joint", POSE_WARNING, "a joint", (uint64_t)i};
    struct pose_clip clip = {.name = "a"};
    struct pose_document document = document_of("sl-anim", &clip);
    document.warnings = warnings;
    document.warning_count = 1000;
    struct heard heard = judge(&document);
    ck_assert_str_eq(heard.target, "sl-viewer");
    ck_assert(!heard.accepted);
    ck_assert_uint_eq(heard.reasons, 64);
}

TEST(others_have_none)
{
    static const char *const formats[] = {"gltf", "json", "sims3-rig", "tso-skel", "prime-cinf"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct pose_document document = {.format = formats[i]};
        ck_assert_uint_eq(judge(&document).count, 0);
    }
}
