/*
 * The Sims 1: text character file (.cmx), one field per line. Lines end with CR LF or LF; "//" begins a comment
 * line.
 *
 *     // Character File. Copyright 1997, Maxis Inc.
 *     version 300
 *     1                            skeletons, then suits, then skills: see body.c
 *     adult
 *     …
 *
 * Numbers are decimal, one per line; a vector is "| x y z |". A text is its whole line. Checked on 34 real
 * files, whose numbers have the format of an old C library ("-5.88894e-005"). The keys of a skill are in its
 * .cfp.
 */
#include "lib/core/numbers/decimal.h"
#include "lib/formats/pages.h"
#include "lib/core/text.h"
#include "lib/formats/sims/sims1/body.h"
#include "lib/formats/sims/sims1/stream.h"
#include "lib/formats/sims/verdict/verdict.h"

enum { VERSION = 300 };

/* --------------------------------------------------------------------------------------------- the codec -- */

static bool is_version(const char *word, size_t length)
{
    static const char version[] = "version";
    for (size_t i = 0; i < length; i++) {
        if (text_lower(word[i]) != version[i]) /* the NUL of a longer word also differs */
            return false;
    }
    return length == sizeof version - 1;
}

/* "version 300" after any comments; the word is optional, see *has_word. */
static bool read_version(struct sims_stream *s, bool *has_word)
{
    struct lines *lines = &s->lines;
    const char *word;
    size_t length;
    int32_t version = 0;
    *has_word = false;
    if (!lines_record(lines, "version"))
        return false;
    const char *line = lines->at;
    *has_word = lines_field(lines, &word, &length) && is_version(word, length);
    if (!*has_word)
        lines->at = line;
    if (lines_field(lines, &word, &length) && decimal_i32(word, length, &version) == DECIMAL_OK &&
        version == VERSION)
        return lines_done(lines);
    return reader_fail(&s->reader, "bad_version", "only version %d is supported", VERSION);
}

static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    int32_t skeleton_count;
    bool has_word;
    sims_stream_walk(&s, &sims1_text_encoding, source->bytes);
    if (read_version(&s, &has_word) && has_word) {
        sims_integer(&s, "skeleton_count", &skeleton_count);
        if (!sims_failed(&s) && skeleton_count >= 0)
            return PROBE_SURE;
    }
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct sims1_body body = {0};
    bool has_word;
    sims_stream_read(&s, &sims1_text_encoding, job->source->bytes, job->arena, job->error);
    if (!read_version(&s, &has_word))
        return false;
    sims1_visit_body(&s, &body);
    if (sims_failed(&s))
        return false;
    if (!lines_at_end(&s.lines))
        warning_add(&job->warnings, POSE_WARNING, "trailing_lines", reader_offset(&s.reader),
                    "text after the last skill, from line %u on", s.lines.number + 1);
    return sims1_document_build(job, &s, &body);
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    struct sims1_body body;
    if (!sims1_body_build(job, &body))
        return false;
    sims_stream_write(&s, &sims1_text_encoding, job);
    writer_format(job->writer, "// Character File.\r\nversion %d\r\n", VERSION);
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
    .files = {{.extensions = ".cmx .cfp",
               .media_type = "application/zip",
               .options = "fps loop",
               .second = "sims1-cfp"}},
    .second_member = "file",
    .second_prefix = "xskill-",
    .has_bone = sims_has_bone,
};

const struct codec codec_sims1_cmx = {
    .format = {.id = "sims1-cmx",
               .title = "The Sims character file, text",
               .extensions = ".cmx",
               .media_type = "text/x-sims1-cmx",
               .kinds = "clip skeleton character",
               .has_companions = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .target = &target,
};
