/* Every character file of The Sims 1 in the corpus: totals, the spec's values, and ways back that lose nothing. */
#include "tests/support/corpus_folder.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char FOLDER[] = "sims/sims1";

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), size = strlen(end);
    return length >= size && !strcasecmp(name + length - size, end);
}

static struct pose_document *decode(const struct corpus_folder *folder, const char *format,
                                    struct pose_bytes bytes)
{
    struct pose_error error;
    struct pose_document *document =
        codec_decode_with(format, bytes.data, bytes.size, folder->companions, &error);
    ck_assert_msg(document != NULL, "%s: %s", error.code, error.detail);
    return document;
}

static struct pose_document *open_file(const struct corpus_folder *folder, const char *name)
{
    for (const struct codec_companion *file = folder->companions; file->name; file++) {
        if (!strcmp(file->name, name))
            return decode(folder, NULL, file->bytes);
    }
    ck_abort_msg("no %s", name);
}

static const struct pose_clip *find_clip(const struct pose_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->clip_count; i++) {
        if (!strcmp(document->clips[i].name, name))
            return &document->clips[i];
    }
    ck_abort_msg("no %s", name);
}

/* ------------------------------------------------------------------------------------------------- totals -- */

TEST(everything_decodes)
{
    struct corpus_folder folder;
    if (!corpus_folder_open(&folder, FOLDER))
        return;
    uint32_t cmx = 0, cfp = 0, skills = 0, with_keys = 0, skeletons = 0, suits = 0, warnings = 0, lone = 0;
    for (size_t i = 0; i < folder.paths.count; i++) {
        const char *name = folder.companions[i].name;
        struct pose_bytes bytes = folder.companions[i].bytes;
        if (ends_with(name, ".cfp")) {
            struct pose_document *document = decode(&folder, "sims1-cfp", bytes);
            lone += codec_warnings(document, "companion_only");
            cfp++;
            pose_document_free(document);
        }
        if (!ends_with(name, ".cmx"))
            continue;
        struct pose_document *document = decode(&folder, NULL, bytes);
        ck_assert_str_eq(document->format, "sims1-cmx");
        cmx++;
        skills += document->clip_count;
        skeletons += document->skeleton_count;
        suits += document->character_count;
        for (uint32_t k = 0; k < document->clip_count; k++) {
            with_keys += document->clips[k].key_count > 0;
            ck_assert_ptr_nonnull(document->clips[k].companion);
        }
        /* Keys are used up, all channels are in range, all durations are sound: only the missing files are told. */
        warnings += codec_warnings(document, NULL) - codec_warnings(document, "no_cfp");
        pose_document_free(document);
    }
    ck_assert_uint_eq(cmx, 34);
    ck_assert_uint_eq(cfp, 25);
    ck_assert_uint_eq(lone, 25);
    ck_assert_uint_eq(skills, 35);
    ck_assert_uint_eq(with_keys, 24);
    ck_assert_uint_eq(skeletons, 2);
    ck_assert_uint_eq(suits, 9);
    ck_assert_uint_eq(warnings, 0);
    corpus_folder_close(&folder);
}

/* -------------------------------------------------------------------------------------------- ways back -- */

static bool begins_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* A line of the original and one of ours: the same text, or the same numbers however they are written. */
static bool lines_agree(const char *a, const char *b)
{
    while (*a || *b) {
        char *a_end, *b_end;
        if (begins_number(*a) && begins_number(*b) && strtof(a, &a_end) == strtof(b, &b_end) && a_end > a &&
            b_end > b) {
            a = a_end;
            b = b_end;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return true;
}

/* Cuts a line out of a text; NULL at its end. */
static char *take_line(char **text)
{
    char *line = *text, *end = line ? strchr(line, '\n') : NULL;
    if (!line || !*line)
        return NULL;
    *text = end ? end + 1 : NULL;
    if (end)
        *end = 0;
    line[strcspn(line, "\r")] = 0;
    return line;
}

static void check_texts(const char *name, const struct pose_bytes *original, const struct pose_buffer *ours)
{
    char *copies[] = {strndup((const char *)original->data, original->size),
                      strndup((const char *)ours->data, ours->size)};
    char *a = copies[0], *b = copies[1];
    take_line(&a); /* "// Character File. Copyright …" */
    take_line(&b);
    for (int number = 2;; number++) {
        char *x = take_line(&a), *y = take_line(&b);
        if (!x && !y)
            break;
        if (!x || !y || !lines_agree(x, y))
            ck_abort_msg("%s, line %d: \"%s\", not \"%s\"", name, number, y ? y : "", x ? x : "");
    }
    free(copies[0]);
    free(copies[1]);
}

TEST(text_and_binary_lose_nothing)
{
    struct corpus_folder folder;
    if (!corpus_folder_open(&folder, FOLDER))
        return;
    for (size_t i = 0; i < folder.paths.count; i++) {
        const char *name = folder.companions[i].name;
        if (!ends_with(name, ".cmx"))
            continue;
        struct pose_document *document = decode(&folder, NULL, folder.companions[i].bytes);
        struct pose_content content = document_content(document);
        struct codec_losses losses;
        struct pose_buffer text = codec_must_encode("sims1-cmx", &content, &losses);
        ck_assert_str_eq(losses.codes, "");
        check_texts(name, &folder.companions[i].bytes, &text);
        struct pose_buffer binary = codec_must_encode("sims1-bcf", &content, &losses);
        pose_document_free(document);
        document = decode(&folder, NULL, (struct pose_bytes){binary.data, binary.size});
        ck_assert_str_eq(document->format, "sims1-bcf");
        content = document_content(document);
        struct pose_buffer again = codec_must_encode("sims1-cmx", &content, &losses);
        codec_check_bytes(name, again.data, again.size, text.data, text.size);
        pose_document_free(document);
        pose_buffer_free(&text);
        pose_buffer_free(&binary);
        pose_buffer_free(&again);
    }
    corpus_folder_close(&folder);
}

/* The largest difference between the keys of two clips. */
static float compare_keys(const struct pose_clip *a, const struct pose_clip *b)
{
    float largest = 0;
    ck_assert_uint_eq(a->key_count, b->key_count);
    for (uint32_t t = 0; t < a->track_count; t++) {
        for (int part = 0; part < 2; part++) {
            const struct pose_channel *x = &a->tracks[t].channels[part], *y = &b->tracks[t].channels[part];
            ck_assert_uint_eq(x->count, y->count);
            for (uint32_t i = 0; i < x->count * (part ? 4 : 3); i++)
                largest = fmaxf(largest, fabsf(x->values[i] - y->values[i]));
        }
    }
    return largest;
}

/* Packs a clip's keys, and reads the file of the clip again with them in place of its own. */
static float repack(struct pose_bytes file, uint32_t index, const struct pose_clip *clip, const char *mode,
                    size_t *size)
{
    struct pose_value value = {.kind = POSE_STRING, .key = "cfp", .as.string = mode};
    struct pose_value settings = {.kind = POSE_OBJECT, .first = &value};
    struct pose_content content = {.clip_count = 1, .clips = clip, .settings = &settings};
    struct pose_buffer keys = codec_must_encode("sims1-cfp", &content, NULL);
    struct codec_companion own[] = {{clip->companion, {keys.data, keys.size}}, {NULL, {NULL, 0}}};
    struct pose_document *document = codec_decode_with(NULL, file.data, file.size, own, NULL);
    ck_assert_ptr_nonnull(document);
    ck_assert_uint_eq(document->clips[index].warning_count, 0);
    float difference = compare_keys(clip, &document->clips[index]);
    *size += keys.size;
    pose_document_free(document);
    pose_buffer_free(&keys);
    return difference;
}

TEST(keys_are_packed_again)
{
    struct corpus_folder folder;
    if (!corpus_folder_open(&folder, FOLDER))
        return;
    size_t original = 0, compact = 0, lossless = 0;
    float worst = 0;
    for (size_t i = 0; i < folder.paths.count; i++) {
        struct pose_bytes bytes = folder.companions[i].bytes;
        if (!ends_with(folder.companions[i].name, ".cmx"))
            continue;
        struct pose_document *document = decode(&folder, NULL, bytes);
        for (uint32_t k = 0; k < document->clip_count; k++) {
            const struct pose_clip *clip = &document->clips[k];
            struct pose_bytes keys;
            if (!clip->key_count)
                continue;
            ck_assert(codec_find_companion(folder.companions, clip->companion, &keys));
            original += keys.size;
            ck_assert(repack(bytes, k, clip, "lossless", &lossless) == 0);
            worst = fmaxf(worst, repack(bytes, k, clip, "compact", &compact));
        }
        pose_document_free(document);
    }
    ck_assert_msg(worst <= 5.01e-4f, "%g", (double)worst);
    /* What is within the spec's error of the game's own choice is about as small. */
    ck_assert_msg(compact < original + original / 20, "%zu for %zu", compact, original);
    ck_assert_uint_gt(lossless, compact);
    corpus_folder_close(&folder);
}

/* ------------------------------------------------------------------------------- the spec's test vectors -- */

enum { JOINTS = 29, TOLERANCE = 200 /* millionths */ };

static void check_near(const char *what, const float *values, const float *expected, unsigned count)
{
    float sign = 1;
    if (count == 4 && values[3] * expected[3] < 0)
        sign = -1;
    for (unsigned i = 0; i < count; i++)
        ck_assert_msg(fabsf(sign * values[i] - expected[i]) <= TOLERANCE * 1e-6f, "%s[%u] is %g, not %g",
                      what, i, (double)values[i], (double)expected[i]);
}

static uint32_t find_row(const struct pose_sampler *sampler, const char *name)
{
    uint32_t row = 0;
    while (strcmp(pose_sampler_rows(sampler)[row].name, name))
        ck_assert_uint_lt(++row, pose_sampler_row_count(sampler));
    return row;
}

static void sample(const struct pose_clip *clip, double t, enum pose_wrap wrap, const char *joint,
                   float row[10])
{
    static float rows[JOINTS * 10];
    struct pose_sampler *sampler = pose_sampler_new(clip, NULL, POSE_AXES_SIMS, NULL, NULL);
    ck_assert_uint_eq(pose_sampler_row_count(sampler), JOINTS);
    pose_sample(sampler, t, wrap, 0, rows, NULL);
    memcpy(row, rows + 10 * find_row(sampler, joint), 10 * sizeof *row);
    pose_sampler_free(sampler);
}

TEST(the_walk_has_the_spec_s_poses)
{
    struct corpus_folder folder;
    if (!corpus_folder_open(&folder, FOLDER))
        return;
    static const float place[] = {-0.00004f, 2.87372f, 0.11673f},
                       turn[] = {0.02574f, -0.7152f, -0.02521f, -0.69799f};
    static const float knee[] = {0, 0.28897f, 0, -0.95734f}, held[] = {0, 0.11095f, 0, -0.99383f},
                       looped[] = {0.00115f, 0.10407f, 0, -0.99457f};
    struct pose_document *document = open_file(&folder, "ross-walking-loop.cmx");
    const struct pose_clip *clip = find_clip(document, "a2o-walking-loop");
    float row[10];
    ck_assert_uint_eq(clip->frame_count, 38);
    ck_assert(clip->duration == 1.266f);
    sample(clip, 0.25, POSE_CLAMP, "ROOT", row);
    check_near("ROOT translation", row, place, 3);
    check_near("ROOT rotation", row + 3, turn, 4);
    sample(clip, 0.25, POSE_CLAMP, "L_LEG1", row);
    check_near("L_LEG1", row + 3, knee, 4);
    sample(clip, 1.26, POSE_CLAMP, "L_LEG1", row);
    check_near("L_LEG1 held", row + 3, held, 4);
    sample(clip, 1.26, POSE_WRAP, "L_LEG1", row);
    check_near("L_LEG1 looped", row + 3, looped, 4);
    pose_document_free(document);
    corpus_folder_close(&folder);
}

static void check_world(const struct pose_clip *clip, const struct pose_skeleton *skeleton, double t,
                        const char *joint, float x, float y, float z)
{
    static float rows[JOINTS * 10], matrices[JOINTS * 16];
    const float expected[] = {x, y, z};
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, POSE_AXES_SIMS, NULL, NULL);
    pose_sample(sampler, t, POSE_CLAMP, 0, rows, NULL);
    pose_model(sampler, rows, matrices);
    check_near(joint, matrices + 16 * find_row(sampler, joint) + 12, expected, 3);
    pose_sampler_free(sampler);
}

TEST(figures_stand_where_the_spec_says)
{
    struct corpus_folder folder;
    if (!corpus_folder_open(&folder, FOLDER))
        return;
    struct pose_document *adult = open_file(&folder, "adult-skeleton.cmx");
    struct pose_document *walk = open_file(&folder, "ross-walking-loop.cmx");
    const struct pose_skeleton *skeleton = adult->skeletons;
    const struct pose_clip *clip = find_clip(walk, "a2o-walking-loop");
    static const struct pose_clip rest = {.axes = POSE_AXES_SIMS, .rules = POSE_RULES_SIMS};
    check_world(&rest, skeleton, 0, "HEAD", 0, 5.0502f, -0.0288f);
    check_world(&rest, skeleton, 0, "L_HAND", -0.6657f, 2.8754f, -0.0337f);
    check_world(&rest, skeleton, 0, "L_TOE02", -0.2418f, -0.005f, 0.6543f);
    check_world(clip, skeleton, 0.25, "HEAD", -0.0239f, 4.8982f, 0.3522f);
    check_world(clip, skeleton, 0.25, "L_FOOT", -0.2585f, 0.3498f, -0.6867f);
    pose_document_free(adult);
    pose_document_free(walk);
    corpus_folder_close(&folder);
}
