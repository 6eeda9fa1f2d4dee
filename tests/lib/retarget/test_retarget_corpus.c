/* What retargeting promises, over all pairs of the corpus' people and all clips, sampled in time. */
#include "pose.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus_folder.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 4, MAX_JOINTS = 400, ROW = 10, MOMENTS = 60, KNEE_MOMENTS = 12 };

struct corpus {
    struct corpus_folder sims;
    struct pose_document *documents[FIGURES];
    struct test_file files[FIGURES];
    struct pose_humanoid *people[FIGURES]; /* Second Life, The Sims adult and child, BVH */
};

static bool corpus_open(struct corpus *corpus)
{
    static const char *const paths[FIGURES] = {"sl/avatar_skeleton.xml", "sims/sims1/adult-skeleton.cmx",
                                               "sims/sims1/child-skeleton.cmx", "sl/bvh/avatar_walk.bvh"};
    if (!corpus_folder_open(&corpus->sims, "sims/sims1"))
        return false;
    for (int i = 0; i < FIGURES; i++) {
        struct pose_error error;
        ck_assert(corpus_read(paths[i], &corpus->files[i]));
        corpus->documents[i] = codec_must_decode(NULL, corpus->files[i].data, corpus->files[i].size);
        corpus->people[i] = pose_humanoid_new(&corpus->documents[i]->skeletons[0], NULL, 0, NULL, &error);
        ck_assert_msg(corpus->people[i] != NULL, "%s: %s", paths[i], error.detail);
    }
    return true;
}

static void corpus_close(struct corpus *corpus)
{
    for (int i = 0; i < FIGURES; i++) {
        pose_humanoid_free(corpus->people[i]);
        pose_document_free(corpus->documents[i]);
        test_file_free(&corpus->files[i]);
    }
    corpus_folder_close(&corpus->sims);
}

/* ------------------------------------------------------------------------------------------------- clips -- */

typedef void visitor(void *user, struct corpus *corpus, const char *path,
                     const struct pose_document *document, const struct pose_clip *clip,
                     struct pose_humanoid *on);

static void visit_file(struct corpus *corpus, const char *path, int figure, visitor *visit, void *user)
{
    struct pose_error error;
    struct test_file file;
    ck_assert(test_file_read(path, &file));
    struct pose_document *document =
        codec_decode_with(NULL, file.data, file.size, corpus->sims.companions, &error);
    for (uint32_t i = 0; document && i < document->clip_count; i++) {
        struct pose_humanoid *own = NULL;
        if (figure == 3)
            own = pose_humanoid_new(&document->skeletons[0], NULL, 0, NULL, &error);
        visit(user, corpus, path, document, &document->clips[i], own ? own : corpus->people[figure]);
        pose_humanoid_free(own);
    }
    pose_document_free(document);
    test_file_free(&file);
}

static void visit_clips(struct corpus *corpus, const char *folder, const char *suffix, int figure,
                        visitor *visit, void *user)
{
    struct test_paths paths;
    ck_assert(corpus_list(folder, suffix, &paths));
    for (size_t i = 0; i < paths.count; i++) {
        /* The Sims' cats and dogs, and what is no clip of a person. */
        if (strstr(paths.items[i], "/d2o-") || strstr(paths.items[i], "TeddyDangle"))
            continue;
        visit_file(corpus, paths.items[i], figure, visit, user);
    }
    test_paths_free(&paths);
}

static void visit_all(struct corpus *corpus, visitor *visit, void *user)
{
    visit_clips(corpus, "sl/viewer", ".animatn", 0, visit, user);
    visit_clips(corpus, "sl/opensim", ".anim", 0, visit, user);
    visit_clips(corpus, "sl/opensim", ".dat", 0, visit, user);
    visit_clips(corpus, "sims/sims1", ".cmx", 1, visit, user);
    visit_clips(corpus, "sims/tso/anim", ".anim", 1, visit, user);
    visit_clips(corpus, "sl/bvh", ".bvh", 3, visit, user);
}

static struct pose_retarget *compile(const struct pose_clip *clip, const struct pose_humanoid *from,
                                     const struct pose_humanoid *to, unsigned flags)
{
    struct pose_error error;
    const struct pose_retarget_options wishes = {.flags = flags, .axes = POSE_AXES_GLTF};
    struct pose_retarget *retarget = pose_retarget_new(clip, from, to, &wishes, NULL, &error);
    ck_assert_msg(retarget != NULL, "%s", error.detail);
    return retarget;
}

/* ---------------------------------------------------------------------------------------------------- poses -- */

static void keep_worst(double *worst, double value)
{
    *worst = value > *worst ? value : *worst;
}

/* Between two rotations, degrees. */
static double angle_between(const float *a, const float *b)
{
    double apart = 0, sum = 0;
    for (int k = 0; k < 4; k++) {
        apart += pow((double)a[k] - (double)b[k], 2);
        sum += pow((double)a[k] + (double)b[k], 2);
    }
    return 4 * asin(fmin(sqrt(fmin(apart, sum)) / 2, 1)) * 57.29577951308232;
}

struct pose {
    float rows[MAX_JOINTS * ROW], matrices[MAX_JOINTS * 16];
};

static void sample_model(const struct pose_clip *clip, const struct pose_skeleton *skeleton, double t,
                         struct pose *pose)
{
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, POSE_AXES_GLTF, NULL, NULL);
    ck_assert(sampler && pose_sampler_row_count(sampler) <= MAX_JOINTS);
    pose_sample(sampler, t, POSE_CLAMP, 0, pose->rows, NULL);
    pose_model(sampler, pose->rows, pose->matrices);
    pose_sampler_free(sampler);
}

static void retarget_model(const struct pose_retarget *retarget, double t, struct pose *pose)
{
    void *scratch = malloc(pose_retarget_scratch(retarget));
    pose_retarget_sample(retarget, t, POSE_CLAMP, 0, pose->rows, scratch);
    pose_model(pose_retarget_rows(retarget), pose->rows, pose->matrices);
    free(scratch);
}

/* ------------------------------------------------------------------------------------------------- measures -- */

struct worst {
    double arms, head, hips, limbs[2], deeper[2], skate[2], knee;
    unsigned clips;
};

static bool warns(const struct pose_retarget *retarget, const char *code)
{
    const struct pose_retarget_report *report = pose_retarget_report(retarget);
    for (uint32_t i = 0; i < report->warning_count; i++) {
        if (!strcmp(report->warnings[i].code, code))
            return true;
    }
    return false;
}

static bool translates_limbs(const struct pose_retarget *retarget)
{
    return warns(retarget, "retarget_ignored");
}

/* Whether nothing but the hips and what carries them has positions: a limb's may be off by less than is reported. */
static bool has_hips_positions_only(const struct pose_clip *clip)
{
    static const char *const carriers[] = {"ROOT", "PELVIS", "mPelvis", "hip", "Hips"};
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        bool carries = !track->channels[POSE_TRANSLATION].count;
        for (int k = 0; k < COUNT(carriers) && track->name; k++)
            carries |= !strcmp(track->name, carriers[k]);
        if (!carries)
            return false;
    }
    return true;
}

/* How much more or less a knee of the target is bent for the feet, degrees. */
static double bent_knees(const struct pose_clip *clip, const struct pose_humanoid *from,
                         const struct pose_humanoid *to)
{
    const struct pose_humanoid_report *report = pose_humanoid_report(to);
    struct pose *poses = malloc(2 * sizeof *poses);
    double worst = 0;
    struct pose_retarget *players[2] = {compile(clip, from, to, 0),
                                        compile(clip, from, to, POSE_RETARGET_FEET)};
    for (int k = 0; k < KNEE_MOMENTS; k++) {
        for (int feet = 0; feet < 2; feet++)
            retarget_model(players[feet], (double)clip->duration * k / KNEE_MOMENTS, &poses[feet]);
        for (uint32_t i = 0; i < report->bone_count; i++) {
            size_t row = report->bones[i].joint * ROW;
            if (strstr(report->bones[i].name, "LowerLeg"))
                keep_worst(&worst, angle_between(poses[0].rows + row + 3, poses[1].rows + row + 3));
        }
    }
    for (int feet = 0; feet < 2; feet++)
        pose_retarget_free(players[feet]);
    free(poses);
    return worst;
}

static void measure_clip(void *user, struct corpus *corpus, const char *path,
                         const struct pose_document *document, const struct pose_clip *clip,
                         struct pose_humanoid *on)
{
    struct worst(*all)[FIGURES] = user;
    int from = document->skeleton_count ? 3 : clip->rules == POSE_RULES_SL ? 0 : 1;
    for (int to = 0; to < FIGURES; to++) {
        struct worst *worst = &all[from][to];
        for (unsigned feet = 0; feet < 2; feet++) {
            struct pose_retarget_measures m;
            struct pose_retarget *retarget =
                compile(clip, on, corpus->people[to], feet ? POSE_RETARGET_FEET : 0);
            ck_assert(pose_retarget_measure(retarget, MOMENTS, &m));
            ck_assert_msg(m.head < 0.01 && m.hips < 0.01, "%s: head %g, hips %g", path, m.head, m.hips);
            if (!translates_limbs(retarget)) {
                ck_assert_msg(m.arms_max < 0.01, "%s to %d: arms %g", path, to, m.arms_max);
                keep_worst(&worst->arms, m.arms_max);
            }
            keep_worst(&worst->head, m.head);
            keep_worst(&worst->limbs[feet], m.limbs_max);
            double deeper = fmin(0, m.lowest_source) - m.lowest_target;
            keep_worst(&worst->deeper[feet], deeper * 100);
            keep_worst(&worst->skate[feet], m.skate_max * 100);
            pose_retarget_free(retarget);
        }
        keep_worst(&worst->knee, bent_knees(clip, on, corpus->people[to]));
        worst->clips++;
    }
}

TEST(all_pairs)
{
    static const char *const names[FIGURES] = {"SL", "adult", "child", "BVH"};
    struct corpus corpus = {0};
    struct worst worst[FIGURES][FIGURES] = {0};
    if (!corpus_open(&corpus))
        return;
    visit_all(&corpus, measure_clip, worst);
    for (int from = 0; from < FIGURES; from++) {
        for (int to = 0; to < FIGURES; to++) {
            const struct worst *w = &worst[from][to];
            if (w->clips)
                printf("%5s -> %-5s %3u clips: arms %.4f, limbs %4.1f -> %4.1f degrees, deeper %.2f -> %.2f "
                       "cm, skate %.1f -> %.1f cm, knees %.1f degrees\n",
                       names[from], names[to], w->clips, w->arms, w->limbs[0], w->limbs[1], w->deeper[0],
                       w->deeper[1], w->skate[0], w->skate[1], w->knee);
            ck_assert_msg(w->knee <= 10.001, "knees of %s on %s: %g degrees", names[from], names[to],
                          w->knee);
        }
    }
    ck_assert_uint_ge(worst[0][1].clips, 150);
    ck_assert_uint_ge(worst[1][0].clips, 60);
    ck_assert_uint_ge(worst[3][0].clips, 26);
    ck_assert(worst[1][0].limbs[0] < 6.3 && worst[0][1].limbs[0] < 6.3);
    ck_assert(worst[1][0].limbs[1] < 12 && worst[0][1].limbs[1] < 12);
    corpus_close(&corpus);
}

/* --------------------------------------------------------------------------------- section 7 of retarget.md -- */

/* The table took 40 to 80 moments of a clip. */
enum { MAX_CLIPS = 200, TABLE_MOMENTS = 80 };

/* A row of its table: degrees and centimetres; [0] without feet, [1] with them. */
struct row {
    const char *name;
    int to;
    unsigned clips, with_stances[2];
    double arms, head, hips, deeper[2];
    double legs_mean[2], legs[2][MAX_CLIPS], skate[2][MAX_CLIPS];
};

static void add_to_row(struct row *row, unsigned feet, const struct pose_retarget *retarget)
{
    struct pose_retarget_measures m;
    ck_assert(pose_retarget_measure(retarget, TABLE_MOMENTS, &m));
    if (!translates_limbs(retarget))
        keep_worst(&row->arms, m.arms_max);
    keep_worst(&row->head, m.head);
    keep_worst(&row->hips, m.hips);
    keep_worst(&row->deeper[feet], (fmin(0, m.lowest_source) - m.lowest_target) * 100);
    row->legs[feet][row->clips] = m.limbs_max;
    row->legs_mean[feet] += 2 * m.limbs_mean; /* half of the limbs are arms, which are exact */
    if (m.skate_stances)
        row->skate[feet][row->with_stances[feet]++] = m.skate_max * 100;
}

static void fill_row(void *user, struct corpus *corpus, const char *path,
                     const struct pose_document *document, const struct pose_clip *clip,
                     struct pose_humanoid *on)
{
    (void)path, (void)document;
    struct row *row = user;
    struct pose_retarget *players[2] = {compile(clip, on, corpus->people[row->to], 0),
                                        compile(clip, on, corpus->people[row->to], POSE_RETARGET_FEET)};
    /* Clips that move a person: not the starts and stops of The Sims whose motion is another file. */
    bool moves = pose_retarget_report(players[0])->driven_count > 0;
    for (unsigned feet = 0; feet < 2; feet++) {
        if (moves)
            add_to_row(row, feet, players[feet]);
        pose_retarget_free(players[feet]);
    }
    row->clips += moves;
    ck_assert_uint_lt(row->clips, MAX_CLIPS);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* values are sorted. */
static double percentile(double *values, unsigned count, double fraction)
{
    qsort(values, count, sizeof *values, by_size);
    return values[(unsigned)(fraction * count)];
}

/* As the table writes it: rounded to so many digits behind the point. */
static void same_figure_of(const struct row *row, const char *what, double found, double written, int digits)
{
    double half = 0.5 * pow(0.1, digits);
    ck_assert_msg(found < written + half, "%s: %s is %.4f instead of %g", row->name, what, found, written);
}

struct row_figures {
    unsigned clips;
    double legs_p95[2], legs_max[2], deeper[2];
    int deeper_digits, digits[2]; /* of those with feet */
    double skate[2][2];           /* p50, p95 */
};

static void check_row(struct row *row, const struct row_figures *wanted)
{
    printf("%s, %u clips: arms %.4f, head %.4f, hips %.4f degrees;", row->name, row->clips, row->arms,
           row->head, row->hips);
    for (unsigned feet = 0; feet < 2; feet++) {
        double mean = row->legs_mean[feet] / row->clips;
        double p95 = percentile(row->legs[feet], row->clips, 0.95), most = row->legs[feet][row->clips - 1];
        unsigned count = row->with_stances[feet];
        double p50 = percentile(row->skate[feet], count, 0.5),
               skate = percentile(row->skate[feet], count, 0.95);
        printf(" %s legs %.1f, %.1f, %.1f degrees, deeper %.2f cm, skate of %u %.2f, %.2f cm%s",
               feet ? "feet:" : "none:", mean, p95, most, row->deeper[feet], count, p50, skate,
               feet ? "\n" : ";");
        same_figure_of(row, "legs' p95", p95, wanted->legs_p95[feet], 1);
        same_figure_of(row, "legs' maximum", most, wanted->legs_max[feet], 1);
        same_figure_of(row, "deeper", row->deeper[feet], wanted->deeper[feet],
                       feet ? wanted->deeper_digits : 1);
        if (feet)
            same_figure_of(row, "skate's p95", skate, wanted->skate[1][1], wanted->digits[1]);
        same_figure_of(row, "skate's median", p50, wanted->skate[feet][0], feet ? wanted->digits[0] : 1);
    }
    ck_assert_uint_eq(row->clips, wanted->clips);
    ck_assert(row->head < 0.001 && row->hips < 0.001 && row->arms < 0.001);
}

TEST(table)
{
    struct row *rows = calloc(3, sizeof *rows);
    struct corpus corpus = {0};
    if (!corpus_open(&corpus)) {
        free(rows);
        return;
    }
    rows[0].name = "The Sims on Second Life", rows[1].name = "The Sims Online on Second Life";
    rows[2].name = "Second Life on The Sims", rows[2].to = 1;
    visit_clips(&corpus, "sims/sims1", ".cmx", 1, fill_row, &rows[0]);
    visit_clips(&corpus, "sims/tso/anim", ".anim", 1, fill_row, &rows[1]);
    visit_clips(&corpus, "sl/viewer", ".animatn", 0, fill_row, &rows[2]);
    visit_clips(&corpus, "sl/opensim", ".anim", 0, fill_row, &rows[2]);
    visit_clips(&corpus, "sl/opensim", ".dat", 0, fill_row, &rows[2]);
    /* The table has medians of 0.6 and 0.05 for the first row: nothing lies between the ten clips that stand (0.02 cm) and
       the thirteen that step (0.106 and more), see lib/retarget/README.md. One of the 153 clips of the last row moves
       nothing. */
    static const struct row_figures wanted[3] = {
        {24, {6.2, 6.9}, {6.2, 7.3}, {2.1, 0.03}, 2, {2, 2}, {{0.8, 7.8}, {0.2, 0.85}}},
        {39, {6.2, 9.0}, {6.2, 11.4}, {3.8, 0.13}, 2, {1, 1}, {{1.4, 8.2}, {0.2, 1.2}}},
        {152, {6.2, 7.0}, {6.2, 8.6}, {2.2, 0.8}, 1, {2, 1}, {{0.2, 3.5}, {0.02, 0.7}}},
    };
    for (int i = 0; i < 3; i++)
        check_row(&rows[i], &wanted[i]);
    corpus_close(&corpus);
    free(rows);
}

/* ---------------------------------------------------------------------------------------- there and back -- */

/* How far the figure reaches from the origin, at least 1: floats round by a share of it. */
static double reach(const struct pose_humanoid_report *report, const struct pose *pose)
{
    double most = 1;
    for (uint32_t i = 0; i < report->bone_count; i++) {
        const float *place = pose->matrices + report->bones[i].joint * 16 + 12;
        keep_worst(&most, hypot(hypot((double)place[0], (double)place[1]), (double)place[2]));
    }
    return most;
}

/* The worst that bones are off: degrees, and metres as a share of the figure's reach. chains: members of chains too. */
static void compare(const struct pose_humanoid *humanoid, const struct pose *a, const struct pose *b,
                    bool chains, double *angle, double *way)
{
    const struct pose_humanoid_report *report = pose_humanoid_report(humanoid);
    const double size = reach(report, a);
    for (uint32_t i = 0; i < report->bone_count; i++) {
        const struct pose_bone *bone = &report->bones[i];
        bool is_chain =
            strstr(bone->name, "neck") || strstr(bone->name, "spine") || strstr(bone->name, "hest");
        const float *m = a->matrices + bone->joint * 16, *n = b->matrices + bone->joint * 16;
        double square = 0, off = 0;
        for (int k = 0; k < 12; k++)
            square += pow((double)m[k] - (double)n[k], 2);
        for (int k = 12; k < 15; k++)
            off += pow((double)m[k] - (double)n[k], 2);
        if (is_chain && !chains)
            continue;
        keep_worst(angle, sqrt(square / 2) * 57.29577951308232);
        /* What hangs on a bent chain is where that leaves it. */
        if (chains || strstr(bone->name, "hips") || strstr(bone->name, "Leg") || strstr(bone->name, "Foot"))
            keep_worst(way, sqrt(off) / size);
    }
}

static void same_figure(void *user, struct corpus *corpus, const char *path,
                        const struct pose_document *document, const struct pose_clip *clip,
                        struct pose_humanoid *on)
{
    (void)corpus;
    double *worst = user;
    const struct pose_skeleton *skeleton =
        document->skeleton_count ? &document->skeletons[0]
                                 : &corpus->documents[clip->rules == POSE_RULES_SL ? 0 : 1]->skeletons[0];
    struct pose *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    for (unsigned feet = 0; feet < 2; feet++) {
        struct pose_retarget *retarget = compile(clip, on, on, feet ? POSE_RETARGET_FEET : 0);
        bool is_whole = !translates_limbs(retarget) && has_hips_positions_only(clip);
        for (int k = 0; k < 3 && is_whole; k++) {
            double t = (double)clip->duration * k / 2.3, angle = 0, way = 0;
            sample_model(clip, skeleton, t, a);
            retarget_model(retarget, t, b);
            compare(on, a, b, true, &angle, &way);
            ck_assert_msg(angle < 1e-3 && way < 1e-6, "%s at %g: %g degrees, %g m", path, t, angle, way);
            keep_worst(&worst[0], angle);
            keep_worst(&worst[1], way);
        }
        pose_retarget_free(retarget);
    }
    free(a);
    free(b);
}

TEST(onto_itself)
{
    struct corpus corpus = {0};
    double worst[2] = {0};
    if (!corpus_open(&corpus))
        return;
    visit_all(&corpus, same_figure, worst);
    printf("onto itself: %g degrees, %g m at worst\n", worst[0], worst[1]);
    corpus_close(&corpus);
}

static void there_and_back(void *user, struct corpus *corpus, const char *path,
                           const struct pose_document *document, const struct pose_clip *clip,
                           struct pose_humanoid *on)
{
    double *worst = user;
    (void)document;
    struct pose_error error;
    int from = clip->rules == POSE_RULES_SL ? 0 : 1;
    const struct pose_humanoid *other = corpus->people[1 - from];
    const struct pose_retarget_baking baking = {.fps = 10};
    struct pose_retarget *there = compile(clip, on, other, 0);
    struct pose_document *baked = pose_retarget_bake(there, &baking, NULL, NULL, NULL, &error);
    ck_assert_msg(baked != NULL, "%s: %s", path, error.detail);
    struct pose_retarget *back = compile(&baked->clips[0], other, on, 0);
    struct pose *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    /* What the other figure has no bone for (fingers) does not come back. */
    const bool is_whole = !translates_limbs(there) && !warns(there, "retarget_missing");
    for (int k = 0; k < 3 && is_whole; k++) {
        double t = floor((double)clip->duration * 10 * k / 2.3) / 10, angle = 0, way = 0;
        struct pose_retarget *self = compile(clip, on, on, 0);
        retarget_model(self, t, a);
        retarget_model(back, t, b);
        compare(on, a, b, false, &angle, &way);
        /* The middle of a longer chain bends as the shorter one lets it. */
        ck_assert_msg(angle < 1e-3 && way < 1e-5, "%s at %g: %g degrees, %g m", path, t, angle, way);
        keep_worst(&worst[0], angle);
        keep_worst(&worst[1], way);
        pose_retarget_free(self);
    }
    free(a);
    free(b);
    pose_retarget_free(back);
    pose_document_free(baked);
    pose_retarget_free(there);
}

TEST(back_again)
{
    struct corpus corpus = {0};
    double worst[2] = {0};
    if (!corpus_open(&corpus))
        return;
    visit_clips(&corpus, "sl/viewer", "0.animatn", 0, there_and_back, worst);
    visit_clips(&corpus, "sims/sims1", ".cmx", 1, there_and_back, worst);
    visit_clips(&corpus, "sims/tso/anim", ".anim", 1, there_and_back, worst);
    printf("there and back: %g degrees, %g m at worst\n", worst[0], worst[1]);
    corpus_close(&corpus);
}
