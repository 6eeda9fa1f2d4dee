/*
 * The Sims 1: binary character file (.bcf, .cmx.bcf inside archives): the fields of .cmx without its header.
 * Integers and booleans are i32, floats f32, all little-endian; a text is a length byte followed by its bytes;
 * 255 means that an i32 with the length follows. No magic number and no version.
 *
 * From the notes of the engine's author and other readers. No real file was available: verified with files
 * converted from real .cmx, and against other readers.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/sims1/body.h"
#include "lib/formats/sims/sims1/stream.h"
#include "lib/formats/sims/verdict/verdict.h"

/* --------------------------------------------------------------------------------------------- the codec -- */

/* Without a magic number only a file that is not empty and ends exactly is recognised, whatever its name. */
static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    struct sims1_body body = {0};
    sims_stream_walk(&s, &sims1_binary_encoding, source->bytes);
    sims1_visit_body(&s, &body);
    if (!sims_failed(&s) && !reader_left(&s.reader) &&
        (body.skeleton_count || body.suit_count || body.skill_count))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct sims1_body body = {0};
    sims_stream_read(&s, &sims1_binary_encoding, job->source->bytes, job->arena, job->error);
    sims1_visit_body(&s, &body);
    if (sims_failed(&s))
        return false;
    if (reader_left(&s.reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&s.reader),
                    "%zu bytes after the last skill", reader_left(&s.reader));
    return sims1_document_build(job, &s, &body);
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    struct sims1_body body;
    if (!sims1_body_build(job, &body))
        return false;
    sims_stream_write(&s, &sims1_binary_encoding, job);
    sims1_visit_body(&s, &body);
    return !sims_failed(&s);
}

static const struct target target = {
    .title = "The Sims 1",
    .family = FAMILY_SIMS,
    .axes = POSE_AXES_SIMS,
    .rules = POSE_RULES_SIMS,
    .holds = {true, true, false, false},
    .own_settings = "loop distance",
    .files = {{.media_type = "application/zip", .options = "fps loop", .second = "sims1-cfp"}},
    .second_member = "file",
    .second_prefix = "xskill-",
    .has_bone = sims_has_bone,
};

const struct codec codec_sims1_bcf = {
    .format = {.id = "sims1-bcf",
               .title = "The Sims character file, binary",
               .extensions = ".bcf",
               .media_type = "application/x-sims1-bcf",
               .kinds = "clip skeleton character",
               .has_companions = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .target = &target,
};
