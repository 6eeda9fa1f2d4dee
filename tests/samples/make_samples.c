/*
 * posed-samples OUTDIR: the sample library. An expressive walk, wave and idle on the two stand-in skeletons, written
 * with libpose's own encoders: loose files of Second Life and of The Sims Online, a FAR that holds the latter, a
 * package of The Sims 3, and a creature in paks of Metroid Prime 1 and 2.
 *
 * posed-samples --formats OUTDIR: for the tests, a sample of every format that can be written, OUTDIR/FORMAT/sample.EXT.
 *
 * The same bytes every time.
 */
#include "tests/samples/body_samples.h"
#include "tests/samples/output.h"
#include "tests/samples/prime_samples.h"
#include "tests/samples/sample_paks.h"
#include "tests/samples/sample_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- the library -- */

static bool make_clips(const char *format, const struct sample_family *family, struct made files[MOTIONS])
{
    bool done = true;
    for (int i = 0; done && i < MOTIONS; i++) {
        const struct pose_clip *clip = &family->clips[i].clip;
        snprintf(files[i].name, sizeof files[i].name, "%s.anim", clip->name ? clip->name : motions[i].name);
        done = encode_made(format, &(struct pose_content){.clip_count = 1, .clips = clip}, &files[i]);
    }
    return done;
}

static bool write_second_life(const struct sample_set *set, const char *root)
{
    struct made files[MOTIONS] = {0};
    bool done =
        make_clips("sl-anim", &set->second_life, files) && write_made(root, "second-life", files, MOTIONS);
    free_made(files, MOTIONS);
    return done;
}

/* A file of The Sims Online is known by its 64-bit key, which its name ends with. */
static bool make_keyed(const char *format, const char *name, uint32_t file, uint32_t type,
                       const char *extension, const struct pose_content *content, struct made *made)
{
    snprintf(made->name, sizeof made->name, "%s.%08x%08x%s", name, file, type, extension);
    return encode_made(format, content, made);
}

static bool write_sims_online(const struct sample_set *set, const char *root)
{
    enum { FILES = MOTIONS + 4 };
    struct made files[FILES] = {0}, far = {.name = "sims-online.far"}, *next = &files[MOTIONS];
    snprintf(next->name, sizeof next->name, "adult.skel");
    const struct pose_content skeleton = {.skeleton_count = 1, .skeletons = &set->sims.skeleton},
                              mesh = {.mesh_count = 1, .meshes = &set->body.mesh},
                              binding = {.character_count = 1, .characters = &set->characters[0]},
                              appearance = {.character_count = 1, .characters = &set->characters[1]};
    bool done = make_clips("tso-anim", &set->sims, files) && encode_made("tso-skel", &skeleton, next) &&
                make_keyed("tso-mesh", "body", SAMPLE_MESH, 9, ".mesh", &mesh, next + 1) &&
                make_keyed("tso-bnd", "body", SAMPLE_BINDING, 11, ".bnd", &binding, next + 2) &&
                make_keyed("tso-apr", "body", SAMPLE_APPEARANCE, 12, ".apr", &appearance, next + 3) &&
                write_made(root, "sims-online", files, FILES) && pack_made("far3", files, FILES, &far) &&
                write_made(root, ".", &far, 1);
    free_made(files, FILES);
    free_made(&far, 1);
    return done;
}

/* Clips, their rig, and the map of names that packing adds. */
static bool write_sims3(const struct sample_set *set, const char *root)
{
    enum { FILES = MOTIONS + 1 };
    struct made files[FILES] = {0}, package = {.name = "sims-3.package"};
    const struct pose_content rig = {.skeleton_count = 1, .skeletons = &set->sims3.skeleton};
    bool done = true;
    for (int i = 0; done && i < MOTIONS; i++) {
        const struct pose_clip *clip = &set->sims3.clips[i].clip;
        snprintf(files[i].name, sizeof files[i].name, "%s.clip", clip->name);
        done = encode_made("sims3-clip", &(struct pose_content){.clip_count = 1, .clips = clip}, &files[i]);
    }
    snprintf(files[MOTIONS].name, sizeof files[MOTIONS].name, "%s.rig", set->sims3.skeleton.name);
    done = done && encode_made("sims3-rig", &rig, &files[MOTIONS]) &&
           pack_made("dbpf", files, FILES, &package) && write_made(root, ".", &package, 1);
    free_made(files, FILES);
    free_made(&package, 1);
    return done;
}

/* -------------------------------------------------------------------------------------------- the formats -- */

/* Contents to try on a format, the likeliest first: what is not its own it may refuse, or warn of. */
static bool encode_first(const struct pose_format *format, const struct pose_content *contents,
                         unsigned count, struct made *file)
{
    struct pose_error error;
    for (unsigned i = 0; i < count; i++) {
        if (pose_encode(format->id, &contents[i], NULL, NULL, NULL, &file->bytes, &error))
            return true;
    }
    return fail(format->id, error.detail);
}

static bool make_sample(const struct sample_set *set, const struct pose_format *format, struct made *file)
{
    bool is_of_second_life = !strncmp(format->id, "sl-", 3);
    const struct sample_family *family = is_of_second_life ? &set->second_life : &set->sims;
    const struct pose_content clip = {.clip_count = 1, .clips = &family->clips[0].clip},
                              skeleton = {.skeleton_count = 1, .skeletons = &family->skeleton},
                              mesh = {.mesh_count = 1, .meshes = &set->body.mesh};
    struct pose_content both = clip, characters[CHARACTERS];
    both.skeleton_count = 1;
    both.skeletons = skeleton.skeletons;
    for (int i = 0; i < CHARACTERS; i++)
        characters[i] = (struct pose_content){.character_count = 1, .characters = &set->characters[i]};
    bool has_clips = strstr(format->kinds, "clip"), has_skeletons = strstr(format->kinds, "skeleton");
    if (has_clips && has_skeletons)
        return encode_first(format, &both, 1, file);
    if (has_clips || strstr(format->kinds, "other"))
        return encode_first(format, &clip, 1, file);
    if (has_skeletons)
        return encode_first(format, &skeleton, 1, file);
    if (strstr(format->kinds, "mesh"))
        return encode_first(format, &mesh, 1, file);
    if (strstr(format->kinds, "character"))
        return encode_first(format, characters, CHARACTERS, file);
    return fail(format->id, "no sample is of its kinds");
}

/* The Sims 1 keeps the keys of a skill in a file of their own, which has to lie beside it. */
static bool write_companion(const struct sample_set *set, const char *root, const struct pose_format *format)
{
    if (strcmp(format->id, "sims1-cmx") != 0 && strcmp(format->id, "sims1-bcf") != 0)
        return true;
    const struct pose_clip *clip = &set->sims.clips[0].clip;
    struct made file = {0};
    snprintf(file.name, sizeof file.name, "xskill-%s.cfp", clip->name);
    bool done = encode_first(pose_format_find("sims1-cfp"),
                             &(struct pose_content){.clip_count = 1, .clips = clip}, 1, &file) &&
                write_made(root, format->id, &file, 1);
    free_made(&file, 1);
    return done;
}

/* A clip and a skeleton, so that an archive holds more than one thing. */
static bool make_archive(const struct sample_set *set, const struct pose_format *format, struct made *file)
{
    /* Packages know their entries by key, not by name. */
    static const char *const keys[2] = {"0b0d0007-00000000-0000000000000001",
                                        "0b0d0005-00000000-0000000000000002"};
    struct made files[2] = {{.name = "walk.anim"}, {.name = "adult.skel"}};
    bool by_key = !strcmp(format->id, "dbpf");
    for (int i = 0; by_key && i < 2; i++)
        snprintf(files[i].name, sizeof files[i].name, "%s", keys[i]);
    const struct pose_content clip = {.clip_count = 1, .clips = &set->second_life.clips[0].clip},
                              skeleton = {.skeleton_count = 1, .skeletons = &set->sims.skeleton};
    bool done = encode_made("sl-anim", &clip, &files[0]) && encode_made("tso-skel", &skeleton, &files[1]) &&
                pack_made(format->id, files, 2, file);
    free_made(files, 2);
    return done;
}

/* What the library holds needs no second sample; of Metroid Prime there are those of sample_paks.c and
 * prime_samples.c. */
static bool is_in_library(const struct pose_format *format)
{
    if (!strncmp(format->id, "prime-", 6) && strcmp(format->id, "prime-pak") != 0)
        return true;
    static const char *const ids[] = {"sl-anim", "tso-anim", "tso-skel", "tso-mesh",
                                      "tso-bnd", "tso-apr",  "far3"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (!strcmp(ids[i], format->id))
            return true;
    }
    return false;
}

/* What is read and not written, made of the package: two files behind a manifest, the second not all there. */
static bool write_sims3pack(const char *root, const struct made *package)
{
    char manifest[512];
    struct made file = {.name = "sample.sims3pack"};
    int length =
        snprintf(manifest, sizeof manifest,
                 "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Sims3Package Type=\"CasPart\">\n"
                 "<DisplayName>a sample</DisplayName>\n"
                 "<PackagedFile><Name>walk &amp; stand.package</Name><Length>%zu</Length><Offset>4</Offset>"
                 "</PackagedFile>\n<PackagedFile><Name>cut.png</Name><Length>9</Length><Offset>%zu</Offset>"
                 "</PackagedFile>\n</Sims3Package>\n",
                 package->bytes.size, package->bytes.size);
    uint8_t header[17] = "\7\0\0\0TS3Pack\1\1";
    for (int i = 0; i < 4; i++)
        header[13 + i] = (uint8_t)((unsigned)length >> 8 * i);
    size_t head = sizeof header + (size_t)length + 4, size = head + package->bytes.size;
    uint8_t *bytes = calloc(size, 1);
    if (!bytes)
        return fail("sims3pack", "out of memory");
    memcpy(bytes, header, sizeof header);
    memcpy(bytes + sizeof header, manifest, (size_t)length);
    memcpy(bytes + head, package->bytes.data, package->bytes.size);
    file.bytes = (struct pose_buffer){.data = bytes, .size = size, .capacity = size};
    bool done = write_made(root, "sims3pack", &file, 1);
    free_made(&file, 1);
    return done;
}

/* A format that makes nothing of these contents is left out here; the coverage of the golden texts asks for a file of
 * it in tests/data then. */
static bool write_formats(const struct sample_set *set, const char *root)
{
    bool done = true;
    for (const struct pose_format *format = pose_formats(); done && format->id; format++) {
        struct made file = {0};
        snprintf(file.name, sizeof file.name, "sample%.*s", (int)strcspn(format->extensions, " "),
                 format->extensions);
        bool is_archive = strstr(format->kinds, "archive"),
             wanted = format->can_write && !is_in_library(format);
        if (wanted && (is_archive ? make_archive : make_sample)(set, format, &file))
            done = write_made(root, format->id, &file, 1) && write_companion(set, root, format);
        if (done && !strcmp(format->id, "dbpf"))
            done = write_sims3pack(root, &file);
        free_made(&file, 1);
    }
    return done;
}

int main(int argc, char **argv)
{
    bool formats = argc == 3 && !strcmp(argv[1], "--formats");
    if (argc != 2 && !formats) {
        fprintf(stderr, "usage: posed-samples [--formats] OUTDIR\n");
        return 2;
    }
    const char *root = argv[argc - 1];
    struct sample_set *set = sample_set_new();
    bool done = set && make_folder(root) &&
                (formats ? write_formats(set, root) && write_prime_samples(root) && write_pak_parts(root) &&
                               write_body_samples(root)
                         : write_second_life(set, root) && write_sims_online(set, root) &&
                               write_sims3(set, root) && write_paks(root));
    sample_set_free(set);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
