/*
 * BVH and Second Life over the corpus: the published BVH of clips that ship with the viewer against those clips, and
 * every clip there to BVH and back.
 */
#include "tests/support/codecs.h"
#include "tests/support/companions.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pose_document *decode_file(const struct test_file *file)
{
    const char *name = test_base_name(file->path);
    struct pose_source source = {.name = name, .bytes = {file->data, file->size}};
    struct pose_error error;
    struct pose_document *document = pose_decode(&source, NULL, &error);
    ck_assert_msg(document != NULL, "%s: %s", name, error.detail);
    return document;
}

static struct pose_document *read_corpus(const char *folder, const char *name)
{
    char path[300];
    struct test_file file;
    snprintf(path, sizeof path, "sl/%s/%s", folder, name);
    ck_assert(corpus_read(path, &file));
    struct pose_document *document = decode_file(&file);
    test_file_free(&file);
    return document;
}

/* Through the encoder and the decoder of another format. NULL and the error when it is refused. */
static struct pose_document *convert(const char *format, const struct pose_clip *clip,
                                     const struct pose_skeleton *skeleton, struct pose_error *error)
{
    struct pose_content content = {
        .clip_count = 1, .clips = clip, .skeleton_count = skeleton != NULL, .skeletons = skeleton};
    struct pose_buffer bytes = {0};
    if (!pose_encode(format, &content, NULL, NULL, NULL, &bytes, error))
        return NULL;
    struct pose_document *document = codec_must_decode(format, bytes.data, bytes.size);
    pose_buffer_free(&bytes);
    return document;
}

static double degrees_between(const float *a, const float *b)
{
    double same = 0, opposite = 0;
    for (int i = 0; i < 4; i++) {
        same += pow((double)a[i] - (double)b[i], 2);
        opposite += pow((double)a[i] + (double)b[i], 2);
    }
    return 4 * asin(fmin(1, sqrt(fmin(same, opposite)) / 2)) * 180 / 3.14159265358979323846;
}

/* ------------------------------------------------------------------------------------------------- pairs -- */

struct pair {
    char bvh[80], clip[80];
    double clip_frames, p90;
    int frames, offset, compared;
};

/* One number of each kind a sampler of the clip, at t: the row of that name. */
static bool row_at(const struct pose_sampler *sampler, const char *name, double t, float row[10])
{
    uint32_t count = pose_sampler_row_count(sampler);
    float *rows = malloc(count * 10 * sizeof *rows);
    bool found = false;
    pose_sample(sampler, t, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
    for (uint32_t i = 0; i < count && !found; i++) {
        found = !strcmp(pose_sampler_rows(sampler)[i].name, name);
        if (found)
            memcpy(row, rows + i * 10, 10 * sizeof *row);
    }
    free(rows);
    return found;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/*
 * The shipped clip has frame k at (k + offset) frames; the upload of the same file has it at k - 1, frame 0 being a
 * reference. Frame 0 itself, and joints that never leave it, are not in the upload.
 */
static unsigned compare_pair(const struct pair *pair, const struct pose_clip *real,
                             const struct pose_clip *converted, double seconds, double *errors)
{
    struct pose_sampler *sampler = pose_sampler_new(converted, NULL, POSE_AXES_SL, NULL, NULL);
    double real_frame = (double)real->duration / pair->clip_frames;
    unsigned count = 0;
    for (uint32_t i = 0; i < real->track_count; i++) {
        const struct pose_track *track = &real->tracks[i];
        const struct pose_channel *rotation = &track->channels[POSE_ROTATION];
        for (uint32_t k = 0; strcmp(track->name, "mPelvis") && k < rotation->count; k++) {
            double frame = round((double)rotation->times[k] / real_frame) - pair->offset;
            float row[10];
            if (pair->frames > 1 && (frame < 1 || frame >= pair->frames))
                continue;
            if (row_at(sampler, track->name, fmax(frame - 1, 0) * seconds, row))
                errors[count++] = degrees_between(row + 3, rotation->values + 4 * k);
        }
    }
    pose_sampler_free(sampler);
    qsort(errors, count, sizeof *errors, compare_doubles);
    return count;
}

static void check_pair(const struct pair *pair)
{
    static double errors[4096];
    struct pose_document *bvh = read_corpus("bvh", pair->bvh), *real = read_corpus("viewer", pair->clip);
    struct pose_error error;
    struct pose_document *converted = convert("sl-anim", bvh->clips, NULL, &error);
    ck_assert_msg(converted != NULL, "%s: %s", pair->bvh, error.detail);
    double seconds = 1 / (double)bvh->clips->fps;
    unsigned count = compare_pair(pair, real->clips, converted->clips, seconds, errors);
    ck_assert_uint_gt(count, 0);
    double p90 = errors[count * 9 / 10];
    printf("%s: %u keys, p50 %.4f, p90 %.4f (%.4f), worst %.4f degrees\n", pair->bvh, count,
           errors[count / 2], p90, pair->p90, errors[count - 1]);
    /* The table's figures are of unrounded rotations against words that were cut off. Words that are rounded to nearest
     * are a whole step off those, or not at all, which is twice as far; a step of one axis is 0.0035 degrees. */
    ck_assert_msg(p90 <= 2 * pair->p90, "%s: %g degrees", pair->bvh, p90);
    pose_document_free(converted);
    pose_document_free(real);
    pose_document_free(bvh);
}

TIMEOUT(120);

TEST(published_files_agree_with_shipped_clips)
{
    struct test_file table;
    if (!corpus_read("sl/bvh/PAIRS.tsv", &table))
        return;
    char *text = strndup((const char *)table.data, table.size), *save;
    unsigned count = 0;
    strtok_r(text, "\n", &save);
    for (char *line; (line = strtok_r(NULL, "\n", &save)); count++) {
        struct pair pair;
        ck_assert_int_eq(sscanf(line, "%79s %79s %d %*s %lf %d %lf %*s %d", pair.bvh, pair.clip, &pair.frames,
                                &pair.clip_frames, &pair.offset, &pair.p90, &pair.compared),
                         7);
        check_pair(&pair);
    }
    ck_assert_uint_eq(count, 30);
    free(text);
    test_file_free(&table);
}

/* -------------------------------------------------------------------------------------------- round trips -- */

struct worst {
    double degrees, metres, pelvis;
    unsigned clips;
};

/* A clip's pose on the skeleton. */
struct posing {
    struct pose_sampler *sampler;
    uint32_t count;
    float *rows;
};

static struct posing pose_start(const struct pose_clip *clip, const struct pose_skeleton *skeleton)
{
    struct posing posing = {.sampler = pose_sampler_new(clip, skeleton, POSE_AXES_SL, NULL, NULL)};
    posing.count = pose_sampler_row_count(posing.sampler);
    posing.rows = malloc(posing.count * 10 * sizeof *posing.rows);
    return posing;
}

static void pose_end(struct posing *posing)
{
    pose_sampler_free(posing->sampler);
    free(posing->rows);
}

static void compare_rows(const struct posing *a, const struct posing *b, struct worst *worst)
{
    *worst = (struct worst){0};
    for (uint32_t i = 0; i < a->count; i++) {
        const float *p = a->rows + i * 10, *q = b->rows + i * 10;
        double metres = hypot(hypot((double)(p[0] - q[0]), (double)(p[1] - q[1])), (double)(p[2] - q[2]));
        worst->degrees = fmax(worst->degrees, degrees_between(p + 3, q + 3));
        worst->metres = fmax(worst->metres, metres);
        worst->pelvis = i ? worst->pelvis : metres;
    }
}

static void add_worst(struct worst *total, const struct worst *worst)
{
    total->degrees = fmax(total->degrees, worst->degrees);
    total->metres = fmax(total->metres, worst->metres);
    total->pelvis = fmax(total->pelvis, worst->pelvis);
}

/* The poses of both at many times, or at most a step of the format's 16-bit times apart. */
static void compare_poses(const struct pose_clip *a, const struct pose_clip *b,
                          const struct pose_skeleton *skeleton, struct worst *total)
{
    struct posing x = pose_start(a, skeleton), y = pose_start(b, skeleton);
    double step = (double)a->duration / 65535;
    for (int i = 0; i <= 97; i++) {
        double t = (double)a->duration * i / 97;
        struct worst nearest = {.degrees = 1000}, worst;
        pose_sample(x.sampler, t, POSE_CLAMP, POSE_IN_PLACE, x.rows, NULL);
        for (int shift = -1; shift <= 1; shift++) {
            pose_sample(y.sampler, t + shift * step, POSE_CLAMP, POSE_IN_PLACE, y.rows, NULL);
            compare_rows(&x, &y, &worst);
            if (worst.degrees < nearest.degrees)
                nearest = worst;
        }
        add_worst(total, &nearest);
    }
    pose_end(&x);
    pose_end(&y);
}

/* To BVH and back; the skeleton of the BVH takes part in that, or not. */
static void round_trip(const struct test_file *file, const struct pose_skeleton *skeleton, bool on_skeleton,
                       struct worst *total)
{
    struct pose_document *clip = decode_file(file);
    struct pose_error error;
    struct worst worst = {0};
    struct pose_document *bvh = convert("bvh", clip->clips, skeleton, &error);
    ck_assert_msg(bvh != NULL, "%s: %s", file->path, error.detail);
    struct pose_document *back = convert("sl-anim", bvh->clips, on_skeleton ? bvh->skeletons : NULL, &error);
    ck_assert_msg(back != NULL, "%s: %s", file->path, error.detail);
    ck_assert_uint_eq(codec_warnings(back, "overlong_rotation"), 0);
    compare_poses(clip->clips, back->clips, skeleton, &worst);
    ck_assert_msg(worst.degrees <= 0.1 && worst.metres <= 2.5e-4, "%s: %g degrees, %g m", file->path,
                  worst.degrees, worst.metres);
    add_worst(total, &worst);
    total->clips++;
    pose_document_free(back);
    pose_document_free(bvh);
    pose_document_free(clip);
}

TEST(clips_come_back_from_bvh)
{
    static const char *const folders[] = {"sl/viewer", "sl/opensim", "sl/bento", "sl/ruth2"};
    struct worst worst = {0};
    struct test_file xml;
    if (!corpus_read("sl/avatar_skeleton.xml", &xml))
        return;
    struct pose_document *skeleton = decode_file(&xml);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct test_paths paths;
        ck_assert(corpus_list(folders[i], "", &paths));
        for (size_t k = 0; k < paths.count; k++) {
            struct test_file file;
            ck_assert(test_file_read(paths.items[k], &file));
            round_trip(&file, skeleton->skeletons, k % 2, &worst);
            test_file_free(&file);
        }
        test_paths_free(&paths);
    }
    printf("%u clips to BVH and back: at worst %.4f degrees, %.6f m, the pelvis %.6f m\n", worst.clips,
           worst.degrees, worst.metres, worst.pelvis);
    ck_assert_uint_eq(worst.clips, 167);
    pose_document_free(skeleton);
    test_file_free(&xml);
}
