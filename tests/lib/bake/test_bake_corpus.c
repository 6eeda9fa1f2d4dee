/* Real clips to every target and back: what comes out against what went in, by its pose. */
#include "tests/lib/bake/bake_compare.h"
#include "tests/support/companions.h"
#include "tests/support/corpus_folder.h"
#include "tests/support/one_clip.h"
#include "tests/support/unit.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------------- each to each -- */

static char names[256][48];

/* Joints of Prime by the places of the tracks. */
struct table {
    struct pose_rename renames[100];
    uint32_t count;
};

static struct table table;

static const char *rename_for_prime(const char *name)
{
    for (uint32_t i = 0; i < table.count; i++) {
        if (!strcmp(table.renames[i].from, name))
            return table.renames[i].to;
    }
    return name;
}

static void make_table(const struct pose_clip *clip)
{
    table.count = 0;
    for (uint32_t i = 0; i < clip->track_count && table.count < 100; i++) {
        if (!clip->tracks[i].name)
            continue;
        snprintf(names[table.count], sizeof names[0], "joint_%u", table.count);
        table.renames[table.count] = (struct pose_rename){clip->tracks[i].name, names[table.count]};
        table.count++;
    }
}

struct totals {
    uint32_t clips, refused, keys_in, keys_out;
    struct gap gap;
    char worst[200];
};

static void note_code(void *user, const struct pose_warning *warning)
{
    char *codes = user;
    size_t used = strlen(codes);
    if (!strstr(codes, warning->code))
        snprintf(codes + used, 400 - used, "%s ", warning->code);
}

static struct pose_document *convert(const struct pose_conversion *conversion, char *codes)
{
    struct pose_error error;
    struct pose_buffer bytes;
    struct pose_document *document = NULL;
    const struct pose_format *format = pose_format_find(conversion->to);
    if (!format || !format->can_write) { /* what the target could hold, as long as nobody can write it */
        document = pose_bake(conversion, NULL, note_code, codes, &error);
        ck_assert_msg(document || !strcmp(error.code, "too_long"), "%s: %s", error.code, error.detail);
        return document;
    }
    bool done = pose_convert(conversion, NULL, note_code, codes, &bytes, NULL, &error);
    if (!done) {
        ck_assert_msg(!strcmp(error.code, "too_long") || !strcmp(error.code, "no_joints") ||
                          !strcmp(error.code, "too_many_joints"),
                      "%s: %s", error.code, error.detail);
        return NULL;
    }
    document = codec_must_decode(conversion->to, bytes.data, bytes.size);
    pose_buffer_free(&bytes);
    return document;
}

static void go(const char *path, const char *from, const struct pose_clip *clip, const char *to,
               const struct pose_skeleton *skeleton, struct totals *totals, char *codes)
{
    bool to_prime = !strcmp(to, "prime-anim");
    static const struct pose_value whole = {.kind = POSE_BOOL, .key = "reduce", .as.boolean = false};
    static const struct pose_value settings = {.kind = POSE_OBJECT, .first = &whole};
    make_table(clip);
    struct pose_conversion conversion = {ONE_CLIP(clip, from),
                                         .to = to,
                                         .skeleton = to_prime ? NULL : skeleton,
                                         .settings = !strcmp(to, "sl-anim") ? &settings : NULL,
                                         .renames = to_prime ? table.renames : NULL,
                                         .rename_count = to_prime ? table.count : 0};
    struct pose_document *document = convert(&conversion, codes);
    totals->clips++;
    if (!document) {
        totals->refused++;
        return;
    }
    const struct pose_clip *out = &document->clips[0];
    totals->keys_in += (uint32_t)clip->key_count;
    totals->keys_out += (uint32_t)out->key_count;
    struct gap gap =
        gap_between(clip, out, to_prime ? NULL : skeleton, to_prime ? rename_for_prime : NULL, 97);
    if (gap.angle > totals->gap.angle)
        snprintf(totals->worst, sizeof totals->worst, "%s", test_base_name(path));
    totals->gap.angle = fmax(totals->gap.angle, gap.angle);
    totals->gap.length = fmax(totals->gap.length, gap.length);
    totals->gap.place = fmax(totals->gap.place, gap.place);
    totals->gap.looks += gap.looks;
    totals->gap.off += gap.off;
    if (getenv("BAKE_VERBOSE") && gap.angle > 0.01)
        printf("   %s %s: %.3g rad %.3g m %.3g m\n", path, to, gap.angle, gap.length, gap.place);
    pose_document_free(document);
}

static const struct {
    const char *folder, *suffix, *format, *skeleton, *skeleton_format;
} sources[] = {
    {"sl/viewer", ".animatn", "sl-anim", "sl/avatar_skeleton.xml", "sl-skeleton"},
    {"sl/ruth2", ".anim", "sl-anim", "sl/avatar_skeleton.xml", "sl-skeleton"},
    {"sims/tso/anim", ".anim", "tso-anim", "sims/sims1/adult-skeleton.cmx", "sims1-cmx"},
    {"sims/sims1", ".cmx", "sims1-cmx", "sims/sims1/adult-skeleton.cmx", "sims1-cmx"},
    {"sims3/clips", ".clip", "sims3-clip", NULL, NULL},
};

enum { SOURCES = sizeof sources / sizeof *sources };

static const char *const targets[] = {"sl-anim", "tso-anim", "sims3-clip", "prime-anim"};

static void run(size_t which, const char *to)
{
    struct corpus_folder folder;
    struct test_file skeleton_file = {0};
    struct pose_document *skeleton = NULL;
    struct totals totals = {0};
    char codes[400] = "";
    if (!corpus_folder_open(&folder, sources[which].folder))
        return;
    if (sources[which].skeleton && corpus_read(sources[which].skeleton, &skeleton_file))
        skeleton = codec_must_decode(sources[which].skeleton_format, skeleton_file.data, skeleton_file.size);
    for (size_t i = 0; i < folder.paths.count; i++) {
        const char *path = folder.paths.items[i];
        size_t length = strlen(path), end = strlen(sources[which].suffix);
        struct pose_error error;
        if (length < end || strcmp(path + length - end, sources[which].suffix) != 0)
            continue;
        struct pose_document *document = codec_decode_with(sources[which].format, folder.files[i].data,
                                                           folder.files[i].size, folder.companions, &error);
        ck_assert_msg(document != NULL, "%s", error.detail);
        for (uint32_t c = 0; c < document->clip_count; c++) {
            if (document->clips[c].key_count)
                go(path, sources[which].format, &document->clips[c], to,
                   skeleton ? &skeleton->skeletons[0] : NULL, &totals, codes);
        }
        pose_document_free(document);
    }
    printf("%s -> %s: %u clips, %u refused, %u -> %u keys; %.2g rad, %.2g mm, %.2g mm in model space (%s), "
           "%.3f %% off; %s\n",
           sources[which].folder, to, totals.clips, totals.refused, totals.keys_in, totals.keys_out,
           totals.gap.angle, totals.gap.length * 1000, totals.gap.place * 1000, totals.worst,
           100.0 * (double)totals.gap.off / (double)totals.gap.looks, codes);
    bool is_family = !strcmp(sources[which].format, to) ||
                     (!strcmp(sources[which].format, "sims1-cmx") && !strcmp(to, "tso-anim"));
    ck_assert_uint_eq(totals.refused, 0);
    ck_assert_uint_gt(totals.gap.looks, 1000);
    ck_assert_double_le((double)totals.gap.off / (double)totals.gap.looks, is_family ? 0 : 0.02);
    pose_document_free(skeleton);
    test_file_free(&skeleton_file);
    corpus_folder_close(&folder);
}

TIMEOUT(100);

TEST_EACH(each_to_each, SOURCES)
{
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        run((size_t)_i, targets[t]);
}
