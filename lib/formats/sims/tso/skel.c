/*
 * The Sims Online: .skel (type id 5), a tree of bones with its rest pose. Integers big-endian, floats
 * little-endian.
 *
 *     u32 version = 1 · string8 name · u16 count, bones:
 *         u32 unknown = 1 · string8 name · string8 parent ("NULL" for the root)
 *         u8 has_props: u32 count, props: u32 count, pairs of string8
 *         translation x y z · rotation x y z w · u32 can_translate, can_rotate, can_blend
 *         f32 wiggle_value, wiggle_power (not used)
 *
 * From the wiki of the niotso project and FreeSO's reader. No real file was available: verified only with
 * generated ones, which other decoders read identically. A child may precede its parent.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/skeleton.h"
#include "lib/formats/sims/tso/stream.h"

#include <string.h>

enum { VERSION = 1, MIN_BONE = 55 };

static void visit_bone(struct sims_stream *s, struct sims_bone *bone)
{
    bone->place = sims_place_of(s);
    sims_unsigned(s, "unknown", &bone->unknown);
    sims_text(s, "name", &bone->name);
    sims_text(s, "parent", &bone->parent);
    tso_flag(s, "has_props", &bone->has_props);
    if (bone->has_props)
        sims_visit_props(s, "props", &bone->props);
    sims_visit_bone_rest(s, bone);
}

static void visit_bones(struct sims_stream *s, struct sims_bones *bones)
{
    uint32_t version = VERSION;
    sims_unsigned(s, "version", &version);
    if (version != VERSION) {
        reader_fail(&s->reader, "bad_version", "version %u, only %u is supported", version, VERSION);
        return;
    }
    sims_text(s, "name", &bones->name);
    if (!tso_short_count(s, "bone_count", &bones->count, MIN_BONE))
        return;
    bones->bones = sims_items(s, bones->bones, bones->count, sizeof *bones->bones);
    for (uint32_t i = 0; sims_more(s, i, bones->count); i++) {
        struct sims_bone scratch = {0}, *bone = bones->bones ? &bones->bones[i] : &scratch;
        sims_enter(s, "bones", i);
        visit_bone(s, bone);
        sims_leave(s);
    }
}

static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    struct sims_bones bones = {0};
    sims_stream_walk(&s, &tso_encoding, source->bytes);
    visit_bones(&s, &bones);
    if (!sims_failed(&s) && !reader_left(&s.reader) && bones.count)
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct sims_bones bones = {0};
    sims_stream_read(&s, &tso_encoding, job->source->bytes, job->arena, job->error);
    visit_bones(&s, &bones);
    struct pose_skeleton *skeleton = ARENA_NEW(job->arena, struct pose_skeleton, 1);
    if (sims_failed(&s) || !skeleton)
        return false;
    if (reader_left(&s.reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&s.reader),
                    "%zu bytes after the last bone", reader_left(&s.reader));
    job->document->skeletons = skeleton;
    job->document->skeleton_count = 1;
    return sims_skeleton_build(job, &s, &bones, true, &job->warnings, skeleton);
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    struct sims_bones bones;
    if (job->content->skeleton_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_skeleton", "a .skel holds one skeleton, not %u",
                         job->content->skeleton_count);
    if (!sims_bones_build(job, job->content->skeletons, &bones))
        return false;
    sims_stream_write(&s, &tso_encoding, job);
    visit_bones(&s, &bones);
    return !sims_failed(&s);
}

const struct codec codec_tso_skel = {
    .format = {.id = "tso-skel",
               .title = "The Sims Online skeleton",
               .extensions = ".skel",
               .media_type = "application/x-tso-skel",
               .kinds = "skeleton"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
};
