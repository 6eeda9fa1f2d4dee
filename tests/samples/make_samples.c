/*
 * posed-samples OUTDIR: the sample library. An expressive walk, wave and idle on the two stand-in skeletons, written
 * with libpose's own encoders: loose files of Second Life and of The Sims Online, and a FAR that holds the latter.
 * posed-samples --archives OUTDIR: one small archive of each kind that can be written, for the tests.
 * The same bytes every time.
 */
#include "tests/samples/sample_clip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOTIONS = sizeof motions / sizeof *motions, MOST_FILES = MOTIONS + 1 };

/* A file that was made, not yet written. */
struct made {
    char name[40];
    struct pose_buffer bytes;
};

static bool fail(const char *what, const char *why)
{
    fprintf(stderr, "posed-samples: %s: %s\n", what, why);
    return false;
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || fail(path, strerror(errno));
}

static bool write_file(const char *folder, const char *name, const struct pose_buffer *bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    if (!stream)
        return fail(path, strerror(errno));
    bool done = fwrite(bytes->data, 1, bytes->size, stream) == bytes->size;
    return fclose(stream) == 0 && done ? true : fail(path, strerror(errno));
}

static bool write_all(const char *root, const char *folder, const struct made *files, unsigned count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    bool done = make_folder(path);
    for (unsigned i = 0; done && i < count; i++)
        done = write_file(path, files[i].name, &files[i].bytes);
    return done;
}

static void free_all(struct made *files, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pose_buffer_free(&files[i].bytes);
}

/* ------------------------------------------------------------------------------------------- the encoders -- */

/* Nothing that we make up should be more than its own format can hold. */
static void refuse_warning(void *user, const struct pose_warning *warning)
{
    *(bool *)user = fail(warning->code, warning->message);
}

static bool encode(const char *format, const struct pose_content *content, struct made *file)
{
    bool clean = true;
    struct pose_error error;
    if (!pose_encode(format, content, NULL, refuse_warning, &clean, &file->bytes, &error))
        return fail(file->name, error.detail);
    return clean;
}

static bool make_clip(const char *format, struct figure *figure, const struct motion *motion,
                      struct made *file)
{
    static struct sample_clip sample; /* 80 KB, too much for a stack */
    bool sims = !strcmp(format, "tso-anim");
    char name[32];
    snprintf(name, sizeof name, "%s%s", sims ? "a2o-" : "", motion->name);
    snprintf(file->name, sizeof file->name, "%s.anim", name);
    if (sims)
        sample_clip_sims(&sample, figure, motion, name);
    else
        sample_clip_sl(&sample, figure, motion);
    if (figure->worst_reach > 0) {
        fprintf(stderr, "posed-samples: %s: a foot is %.3f m out of reach\n", name, figure->worst_reach);
        return false;
    }
    return encode(format, &(struct pose_content){.clip_count = 1, .clips = &sample.clip}, file);
}

static bool make_clips(const char *format, const struct pose_skeleton *skeleton, const struct body *body,
                       struct made *files)
{
    static struct figure figure;
    if (!figure_bind(&figure, skeleton, body))
        return fail(format, "the stand-in skeleton lacks a part of the body");
    for (int i = 0; i < MOTIONS; i++) {
        if (!make_clip(format, &figure, &motions[i], &files[i]))
            return false;
    }
    return true;
}

static bool pack(const char *format, const char *name, const struct made *files, unsigned count,
                 const char *folder)
{
    struct pose_pack_item items[MOST_FILES];
    for (unsigned i = 0; i < count; i++)
        items[i] = (struct pose_pack_item){files[i].name, {files[i].bytes.data, files[i].bytes.size}};
    struct pose_buffer out;
    struct pose_error error;
    if (!pose_pack(format, items, count, NULL, NULL, &out, &error))
        return fail(name, error.detail);
    bool done = write_file(folder, name, &out);
    pose_buffer_free(&out);
    return done;
}

/* -------------------------------------------------------------------------------------------- the library -- */

/* The stand-in whose joints are called as that body's parts; its document is the caller's. */
static struct pose_document *find_stand_in(const struct body *body)
{
    static struct figure figure;
    for (unsigned i = 0; pose_stand_in_name(i); i++) {
        struct pose_document *document = pose_stand_in(i, NULL, NULL);
        if (document && figure_bind(&figure, &document->skeletons[0], body))
            return document;
        pose_document_free(document);
    }
    fail(body->parts[PELVIS], "no stand-in skeleton has such a joint");
    return NULL;
}

static bool make_second_life(struct made files[MOTIONS])
{
    struct pose_document *stand_in = find_stand_in(&sl_body);
    bool done = stand_in && make_clips("sl-anim", &stand_in->skeletons[0], &sl_body, files);
    pose_document_free(stand_in);
    return done;
}

/* The clips, and the skeleton that they move. */
static bool make_sims_online(struct made files[MOTIONS + 1])
{
    struct pose_document *stand_in = find_stand_in(&sims_body);
    bool done = stand_in && make_clips("tso-anim", &stand_in->skeletons[0], &sims_body, files);
    if (done) {
        struct pose_skeleton skeleton = stand_in->skeletons[0];
        skeleton.name = "adult";
        struct made *file = &files[MOTIONS];
        snprintf(file->name, sizeof file->name, "adult.skel");
        done = encode("tso-skel", &(struct pose_content){.skeleton_count = 1, .skeletons = &skeleton}, file);
    }
    pose_document_free(stand_in);
    return done;
}

static bool write_library(const char *root, const struct made *second_life, const struct made *sims_online)
{
    return make_folder(root) && write_all(root, "second-life", second_life, MOTIONS) &&
           write_all(root, "sims-online", sims_online, MOTIONS + 1) &&
           pack("far3", "sims-online.far", sims_online, MOTIONS + 1, root);
}

static bool write_archives(const char *root, const struct made *second_life, const struct made *sims_online)
{
    const struct made small[] = {second_life[0], sims_online[MOTIONS]};
    return make_folder(root) && pack("far1a", "far1a.far", small, 2, root) &&
           pack("far1b", "far1b.far", small, 2, root) && pack("far3", "far3.dat", small, 2, root) &&
           pack("zip", "small.zip", small, 2, root);
}

int main(int argc, char **argv)
{
    bool archives = argc == 3 && !strcmp(argv[1], "--archives");
    if (argc != 2 && !archives) {
        fprintf(stderr, "usage: posed-samples [--archives] OUTDIR\n");
        return 2;
    }
    struct made second_life[MOTIONS] = {0}, sims_online[MOTIONS + 1] = {0};
    bool done = make_second_life(second_life) && make_sims_online(sims_online) &&
                (archives ? write_archives : write_library)(argv[argc - 1], second_life, sims_online);
    free_all(second_life, MOTIONS);
    free_all(sims_online, MOTIONS + 1);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
