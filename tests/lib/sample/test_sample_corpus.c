/* Poses of real files: the values that the formats' specs state, and every clip against the reference. */
#include "tests/lib/sample/sample_reference.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <strings.h>

enum { ROW = 10, MOST = 400 };
static float rows[MOST * ROW], matrices[MOST * 16];

/* ------------------------------------------------------------------------------------------------- looking up -- */

static struct pose_document *decode_file(const char *format, const char *path, struct test_file *file)
{
    return corpus_read(path, file) ? codec_must_decode(format, file->data, file->size) : NULL;
}

static struct pose_sampler *new_sampler(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                                        enum pose_axes axes)
{
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, axes, NULL, &error);
    ck_assert_msg(sampler != NULL, "%s", error.detail);
    ck_assert_uint_le(pose_sampler_row_count(sampler), MOST);
    return sampler;
}

static uint32_t find_row(const struct pose_sampler *sampler, const char *name)
{
    const struct pose_row *row = pose_sampler_rows(sampler);
    for (uint32_t i = 0; i < pose_sampler_row_count(sampler); i++) {
        if (!strcmp(row[i].name, name))
            return i;
    }
    ck_abort_msg("no row %s", name);
    return 0;
}

static void expect_three(const char *name, const float *got, double x, double y, double z, double tolerance)
{
    const double expected[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabs((double)got[i] - expected[i]) <= tolerance, "%s: (%g %g %g) instead of (%g %g %g)",
                      name, (double)got[0], (double)got[1], (double)got[2], x, y, z);
}

static void expect_translation(const struct pose_sampler *sampler, const char *name, double x, double y,
                               double z, double tolerance)
{
    expect_three(name, rows + find_row(sampler, name) * ROW, x, y, z, tolerance);
}

static void expect_rotation(const struct pose_sampler *sampler, const char *name, double x, double y,
                            double z, double w, double tolerance)
{
    const float *q = rows + find_row(sampler, name) * ROW + 3;
    double sign = (double)q[3] * w < 0 ? -1 : 1;
    const double expected[4] = {sign * x, sign * y, sign * z, sign * w};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(fabs((double)q[i] - expected[i]) <= tolerance, "%s: (%g %g %g %g)", name, (double)q[0],
                      (double)q[1], (double)q[2], (double)q[3]);
}

static void expect_place(const struct pose_sampler *sampler, const char *name, double x, double y, double z,
                         double tolerance)
{
    expect_three(name, matrices + find_row(sampler, name) * 16 + 12, x, y, z, tolerance);
}

/* ----------------------------------------------------------------------------------------------- Second Life -- */

#define WALK "sl/viewer/6ed24bd8-91aa-4b12-ccc7-c97c857ab4e0.animatn"

TEST(sl_sample_values)
{
    struct test_file file;
    struct pose_document *document = decode_file("sl-anim", WALK, &file);
    if (!document)
        return;
    struct pose_sampler *sampler = new_sampler(&document->clips[0], NULL, POSE_AXES_SL);
    pose_sample(sampler, 0.3, POSE_WRAP, 0, rows, NULL);
    expect_rotation(sampler, "mPelvis", 0.002808, 0.067315, -0.01105, 0.997667, 1e-5);
    expect_translation(sampler, "mPelvis", 0, -0.000534, 0.040056, 1e-6);
    expect_rotation(sampler, "mHipLeft", 0.008145, -0.273722, 0.023962, 0.961476, 1e-5);
    pose_sample(sampler, 1, POSE_WRAP, 0, rows, NULL);
    expect_rotation(sampler, "mHipLeft", 0.00029, 0.17113, -0.011612, 0.98518, 1e-5);
    pose_sampler_free(sampler);
    pose_document_free(document);
    test_file_free(&file);

    document = decode_file("sl-anim", "sl/viewer/42ecd00b-9947-a97c-400a-bbc9174c7aeb.animatn", &file);
    ck_assert_ptr_nonnull(document);
    sampler = new_sampler(&document->clips[0], NULL, POSE_AXES_SL);
    pose_sample(sampler, 0.5, POSE_WRAP, 0, rows, NULL);
    expect_translation(sampler, "mPelvis", 0.006561, 0, 0.139845, 1e-6);
    expect_rotation(sampler, "mElbowRight", 0.417275, -0.330862, 0.474425, 0.700952, 1e-5);
    pose_sample(sampler, 2, POSE_WRAP, 0, rows, NULL);
    expect_translation(sampler, "mPelvis", 0.003739, 0, 0.109639, 1e-6);
    pose_sampler_free(sampler);
    pose_document_free(document);
    test_file_free(&file);
}

TEST(sl_world_values)
{
    struct test_file file, skeleton_file;
    struct pose_document *document = decode_file("sl-anim", WALK, &file);
    struct pose_document *skeleton = decode_file("sl-skeleton", "sl/avatar_skeleton.xml", &skeleton_file);
    if (!document || !skeleton)
        return;
    struct pose_clip still = {.axes = POSE_AXES_SL, .rules = POSE_RULES_SL};
    struct pose_sampler *sampler = new_sampler(&still, &skeleton->skeletons[0], POSE_AXES_SL);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    pose_model(sampler, rows, matrices);
    expect_place(sampler, "mHead", -0.025, 0, 1.683, 1e-3);
    expect_place(sampler, "mWristLeft", -0.036, 0.617, 1.521, 1e-3);
    expect_place(sampler, "mFootLeft", 0.116, 0.082, 0.006, 1e-3);
    pose_sampler_free(sampler);
    for (int gltf = 0; gltf < 2; gltf++) {
        sampler =
            new_sampler(&document->clips[0], &skeleton->skeletons[0], gltf ? POSE_AXES_GLTF : POSE_AXES_SL);
        pose_sample(sampler, 0.3, POSE_WRAP, 0, rows, NULL);
        pose_model(sampler, rows, matrices);
        for (uint32_t j = 0; gltf && j < pose_sampler_row_count(sampler); j++)
            pose_convert_axes(POSE_TRANSLATION, matrices + 16 * j + 12, 1, POSE_AXES_GLTF, POSE_AXES_SL);
        expect_place(sampler, "mPelvis", 0, -0.00053, 1.10706, 1e-5);
        expect_place(sampler, "mHead", 0.05105, -0.00421, 1.71972, 1e-5);
        expect_place(sampler, "mFootLeft", -0.09265, 0.07091, 0.1717, 1e-5);
        expect_place(sampler, "L_HAND", 0.07594, 0.22361, 1.0711, 1e-5);
        pose_sampler_free(sampler);
    }
    pose_document_free(document);
    pose_document_free(skeleton);
    test_file_free(&file);
    test_file_free(&skeleton_file);
}

/* ------------------------------------------------------------------------------------------------- The Sims -- */

/* Key files that were found, kept until the test ends. */
struct key_files {
    struct test_file files[8];
    unsigned count;
};

/* A pose_source's find. */
static bool find_keys(void *user, const char *name, struct pose_bytes *bytes)
{
    struct key_files *keys = user;
    struct test_paths paths;
    size_t length = strlen(name);
    bool found = false;
    if (keys->count == 8 || !corpus_list("sims/sims1", ".cfp", &paths))
        return false;
    struct test_file *file = &keys->files[keys->count];
    for (size_t i = 0; !found && i < paths.count; i++) {
        size_t size = strlen(paths.items[i]);
        if (size > length && paths.items[i][size - length - 1] == '/' &&
            !strcasecmp(paths.items[i] + size - length, name))
            found = test_file_read(paths.items[i], file);
    }
    test_paths_free(&paths);
    keys->count += found;
    *bytes = (struct pose_bytes){file->data, file->size};
    return found;
}

static const struct pose_clip *find_clip(const struct pose_document *document, const char *name)
{
    for (uint32_t i = 0; i < document->clip_count; i++) {
        if (!strcasecmp(document->clips[i].name, name))
            return &document->clips[i];
    }
    ck_abort_msg("no clip %s", name);
    return NULL;
}

static void check_walk(const struct pose_clip *clip, const struct pose_skeleton *skeleton)
{
    struct pose_sampler *sampler = new_sampler(clip, NULL, POSE_AXES_SIMS);
    pose_sample(sampler, 0.25, POSE_CLAMP, 0, rows, NULL);
    expect_translation(sampler, "ROOT", -0.00004, 2.87372, 0.11673, 2e-4);
    expect_rotation(sampler, "ROOT", 0.02574, -0.7152, -0.02521, -0.69799, 2e-4);
    expect_rotation(sampler, "L_LEG1", 0, 0.28897, 0, -0.95734, 2e-4);
    pose_sample(sampler, 1.26, POSE_CLAMP, 0, rows, NULL);
    expect_rotation(sampler, "L_LEG1", 0, 0.11095, 0, -0.99383, 2e-4);
    pose_sample(sampler, 1.26, POSE_WRAP, 0, rows, NULL);
    expect_rotation(sampler, "L_LEG1", 0.00115, 0.10407, 0, -0.99457, 2e-4);
    pose_sampler_free(sampler);

    sampler = new_sampler(clip, skeleton, POSE_AXES_SIMS);
    pose_sample(sampler, 0.25, POSE_CLAMP, 0, rows, NULL);
    pose_model(sampler, rows, matrices);
    expect_place(sampler, "HEAD", -0.0239, 4.8982, 0.3522, 2e-4);
    expect_place(sampler, "L_FOOT", -0.2585, 0.3498, -0.6867, 2e-4);
    float in_place = rows[find_row(sampler, "ROOT") * ROW + 2];
    pose_sample(sampler, 0.633, POSE_CLAMP, POSE_MOTION, rows, NULL);
    float moved = rows[find_row(sampler, "ROOT") * ROW + 2];
    pose_sample(sampler, 0.633, POSE_CLAMP, 0, rows, NULL);
    in_place = rows[find_row(sampler, "ROOT") * ROW + 2];
    ck_assert_float_eq_tol(moved - in_place, 4.06978f * 0.633f / 1.266f, 1e-4f);
    pose_sampler_free(sampler);
}

TEST(sims_values)
{
    struct test_file file, skeleton_file;
    struct key_files keys = {0};
    struct pose_document *skeleton =
        decode_file("sims1-cmx", "sims/sims1/adult-skeleton.cmx", &skeleton_file);
    if (!skeleton)
        return;
    struct pose_clip still = {.axes = POSE_AXES_SIMS, .rules = POSE_RULES_SIMS};
    for (int gltf = 0; gltf < 2; gltf++) {
        double unit = gltf ? 0.3048 : 1, mirror = gltf ? -1 : 1;
        struct pose_sampler *sampler =
            new_sampler(&still, &skeleton->skeletons[0], gltf ? POSE_AXES_GLTF : POSE_AXES_SIMS);
        pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
        pose_model(sampler, rows, matrices);
        expect_place(sampler, "HEAD", 0, 5.0502 * unit, -0.0288 * unit, 2e-4);
        expect_place(sampler, "L_HAND", -0.6657 * unit * mirror, 2.8754 * unit, -0.0337 * unit, 2e-4);
        expect_place(sampler, "L_TOE02", -0.2418 * unit * mirror, -0.005 * unit, 0.6543 * unit, 2e-4);
        pose_sampler_free(sampler);
    }
    ck_assert(corpus_read("sims/sims1/ross-walking-loop.cmx", &file));
    struct pose_error error;
    struct pose_source source = {
        .bytes = {file.data, file.size}, .format = "sims1-cmx", .find = find_keys, .user = &keys};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    check_walk(find_clip(document, "a2o-walking-loop"), &skeleton->skeletons[0]);
    pose_document_free(document);
    pose_document_free(skeleton);
    test_file_free(&file);
    test_file_free(&skeleton_file);
    for (unsigned i = 0; i < keys.count; i++)
        test_file_free(&keys.files[i]);
}

/* ---------------------------------------------------------------------------------------------- every clip -- */

static void check_part(const struct pose_clip *clip, const struct pose_track *track, enum pose_part part,
                       double t, const float *row, const char *path)
{
    static const unsigned places[3] = {0, 3, 7};
    double expected[4], sign = 1, off = 0;
    unsigned count = part == POSE_ROTATION ? 4 : 3;
    reference_channel(clip, part, &track->channels[part], t, POSE_WRAP, expected);
    reference_to_gltf(clip->axes, part, expected);
    const float *got = row + places[part];
    if (part == POSE_ROTATION)
        sign = expected[0] * (double)got[0] + expected[1] * (double)got[1] + expected[2] * (double)got[2] +
                           expected[3] * (double)got[3] <
                       0
                   ? -1
                   : 1;
    for (unsigned i = 0; i < count; i++)
        off = fmax(off, fabs(sign * expected[i] - (double)got[i]) / fmax(1, fabs(expected[i])));
    if (!(off <= 2e-6))
        ck_abort_msg("%s: %s of %s at %g is off by %g", path, part == POSE_ROTATION ? "rotation" : "vector",
                     track->name, t, off);
}

/* At moments that lie on no seam of a loop. */
static void check_clip(const struct pose_clip *clip, const char *path)
{
    struct pose_sampler *sampler = new_sampler(clip, NULL, POSE_AXES_GLTF);
    for (int moment = 0; moment < 12; moment++) {
        double t = (double)clip->duration * (moment * 0.12347 + 0.0031);
        pose_sample(sampler, t, POSE_WRAP, 0, rows, NULL);
        for (uint32_t i = 0; i < clip->track_count; i++) {
            for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
                if (clip->tracks[i].channels[part].count)
                    check_part(clip, &clip->tracks[i], part, t, rows + i * ROW, path);
            }
        }
    }
    pose_sampler_free(sampler);
}

static const struct {
    const char *folder, *suffix, *format;
    size_t least; /* files */
} folders[] = {
    {"sl/viewer", ".animatn", "sl-anim", 100},
    {"sl/ruth2", ".anim", "sl-anim", 5},
    {"sl/bento", ".anim", "sl-anim", 5},
    {"sims/tso/anim", ".anim", "tso-anim", 40},
};

TEST_EACH(every_clip_matches_the_reference, COUNT(folders))
{
    struct test_paths paths;
    if (!corpus_list(folders[_i].folder, folders[_i].suffix, &paths))
        return;
    ck_assert_uint_ge(paths.count, folders[_i].least);
    for (size_t i = 0; i < paths.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(paths.items[i], &file));
        struct pose_document *document = codec_must_decode(folders[_i].format, file.data, file.size);
        for (uint32_t c = 0; c < document->clip_count; c++)
            check_clip(&document->clips[c], paths.items[i]);
        pose_document_free(document);
        test_file_free(&file);
    }
    test_paths_free(&paths);
}
