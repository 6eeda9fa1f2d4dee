/* All 167 clips of the corpus: what they hold, that they come back, and the warnings that are known of them. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <string.h>

struct totals {
    uint32_t clips, tracks, without_rotation, rotation_keys, position_keys;
    uint32_t looping, with_constraints, constraints, with_emote, differing;
    uint32_t overlong, unknown_joint, ignored, other_warnings, negative_dots, neighbours;
};

static void count_negative_dots(const struct pose_channel *rotation, struct totals *totals)
{
    for (uint32_t k = 1; k < rotation->count; k++) {
        const float *q = rotation->values + 4 * k, *p = q - 4;
        totals->negative_dots += p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0;
        totals->neighbours++;
    }
}

static void add_clip(const struct pose_clip *clip, struct totals *totals)
{
    totals->clips++;
    totals->tracks += clip->track_count;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_channel *channels = clip->tracks[i].channels;
        totals->rotation_keys += channels[POSE_ROTATION].count;
        totals->position_keys += channels[POSE_TRANSLATION].count;
        totals->without_rotation += channels[POSE_ROTATION].count == 0;
        count_negative_dots(&channels[POSE_ROTATION], totals);
    }
    uint32_t constraints = (uint32_t)value_count(pose_value_find(clip->extras, "constraints"));
    totals->looping += clip->loop == POSE_LOOP_YES;
    totals->constraints += constraints;
    totals->with_constraints += constraints > 0;
    totals->with_emote += *value_get_string(clip->extras, "emote", "") != 0;
}

static void add_warnings(const struct pose_document *document, struct totals *totals)
{
    for (uint32_t i = 0; i < document->warning_count; i++) {
        const char *code = document->warnings[i].code;
        totals->overlong += !strcmp(code, "overlong_rotation");
        totals->unknown_joint += !strcmp(code, "unknown_joint");
        totals->ignored += !strcmp(code, "constraints_ignored");
    }
    totals->other_warnings = codec_warnings(document, NULL) - codec_warnings(document, "overlong_rotation") -
                             codec_warnings(document, "unknown_joint") -
                             codec_warnings(document, "constraints_ignored") + totals->other_warnings;
}

/* Those that do not come back: keys of 32768 become 32767; vectors longer than 1 become unit. */
static bool may_differ(const char *path)
{
    static const char *const names[] = {"Raptor Bento Walk.anim", "Raptor attack.anim", "Raptor stand1.anim",
                                        "f2bed5f9-9d44-39af-b0cd-257b2a17fe40.animatn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(path, names[i]))
            return true;
    }
    return false;
}

static void check_round_trip(const struct test_file *file, const struct pose_document *document,
                             struct totals *totals)
{
    struct pose_content content = document_content(document);
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode("sl-anim", &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    if (may_differ(file->path)) {
        ck_assert_uint_eq(out.size, file->size);
        totals->differing += memcmp(out.data, file->data, out.size) != 0;
    } else {
        codec_check_bytes(file->path, out.data, out.size, file->data, file->size);
    }
    pose_buffer_free(&out);
}

static void add_file(const char *path, struct totals *totals)
{
    struct test_file file;
    ck_assert(test_file_read(path, &file));
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    ck_assert_str_eq(document->format, "sl-anim");
    ck_assert_uint_eq(document->clip_count, 1);
    add_clip(&document->clips[0], totals);
    add_warnings(document, totals);
    check_round_trip(&file, document, totals);
    pose_document_free(document);
    test_file_free(&file);
}

static bool add_folder(const char *folder, const char *suffix, struct totals *totals)
{
    struct test_paths paths;
    if (!corpus_list(folder, suffix, &paths))
        return false;
    for (size_t i = 0; i < paths.count; i++)
        add_file(paths.items[i], totals);
    test_paths_free(&paths);
    return true;
}

TEST(all_clips)
{
    struct totals totals = {0};
    if (!add_folder("sl/viewer", ".animatn", &totals))
        return;
    add_folder("sl/opensim", ".dat", &totals);
    add_folder("sl/opensim", ".anim", &totals);
    add_folder("sl/bento", ".anim", &totals);
    add_folder("sl/ruth2", ".anim", &totals);
    ck_assert_uint_eq(totals.clips, 167);
    ck_assert_uint_eq(totals.tracks, 6018);
    ck_assert_uint_eq(totals.rotation_keys, 47027);
    ck_assert_uint_eq(totals.position_keys, 3100);
    ck_assert_uint_eq(totals.without_rotation, 336);
    ck_assert_uint_eq(totals.neighbours, 41345);
    ck_assert_uint_eq(totals.negative_dots, 23);
    ck_assert_uint_eq(totals.looping, 90);
    ck_assert_uint_eq(totals.with_constraints, 31);
    ck_assert_uint_eq(totals.constraints, 80);
    ck_assert_uint_eq(totals.with_emote, 47);
    ck_assert_uint_eq(totals.differing, 4);
    ck_assert_uint_eq(totals.overlong, 2); /* files; 5 keys */
    ck_assert_uint_eq(totals.unknown_joint, 4);
    ck_assert_uint_eq(totals.ignored, 1);
    ck_assert_uint_eq(totals.other_warnings, 1); /* Raptor attack.anim loops at -1/24 s */
}
