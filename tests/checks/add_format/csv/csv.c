/*
 * A clip as comma-separated values, a line each:
 *
 *     posed-csv,DURATION,NAME        the first one
 *     joint,NAME                     whose keys follow, channel by channel
 *     rotation,TIME,X,Y,Z,W          or translation, scale: three numbers; morph: one
 */
#include "lib/core/bytes/lines.h"
#include "lib/core/numbers/numbers.h"
#include "lib/core/text.h"
#include "lib/core/utf8.h"
#include "lib/formats/codec.h"

#include <stdio.h>
#include <string.h>

static const char first_word[] = "posed-csv,";

struct key {
    float time, value[4];
};

struct reading {
    struct decode_job *job;
    struct reader reader;
    struct lines lines;
    struct pose_clip *clip;
    struct pose_track *tracks; /* arena_grow */
    uint32_t track_count, track_capacity;
    struct key *keys; /* of the channel that is being read */
    uint32_t key_count, key_capacity;
    uint64_t all_keys;
    int part; /* -1: none */
};

/* The next field of the line, up to a comma. */
static bool next_field(struct reading *r, const char **text, size_t *length)
{
    struct lines *lines = &r->lines;
    const char *comma = memchr(lines->at, ',', (size_t)(lines->end - lines->at));
    *text = lines->at;
    *length = (size_t)((comma ? comma : lines->end) - lines->at);
    lines->at = comma ? comma + 1 : lines->end;
    return *length > 0;
}

static bool next_number(struct reading *r, const char *field, float *value)
{
    const char *text;
    size_t length;
    bool found = next_field(r, &text, &length);
    r->reader.last = (const uint8_t *)text;
    r->reader.last_field = field;
    return (found && number_parse_float(text, length, value)) ||
           reader_fail(&r->reader, "bad_number", "a number belongs here");
}

/* What is left of the line, NULL when it is not text. */
static const char *rest_of_line(struct reading *r, const char *field)
{
    size_t length = (size_t)(r->lines.end - r->lines.at);
    r->reader.last_field = field;
    if (!text_is_utf8(r->lines.at, length) || memchr(r->lines.at, 0, length)) {
        reader_fail(&r->reader, "bad_text", "the name is not UTF-8");
        return NULL;
    }
    return arena_text(r->job->arena, r->lines.at, length);
}

/* The keys so far become the channel of the last joint. */
static bool end_channel(struct reading *r)
{
    struct channel_builder builder;
    struct arena *arena = r->job->arena;
    if (r->part < 0)
        return true;
    if (!channel_new(arena, (enum pose_part)r->part, r->key_count, &builder))
        return false;
    for (uint32_t i = 0; i < r->key_count; i++) {
        builder.times[i] = r->keys[i].time;
        memcpy(builder.values + (size_t)i * builder.components, r->keys[i].value,
               builder.components * sizeof(float));
    }
    uint32_t kept = channel_sort(arena, &builder, r->key_count, NULL, NULL);
    if (kept && (builder.times[0] < 0 || builder.times[kept - 1] > r->clip->duration))
        warning_add(&r->job->warnings, POSE_WARNING, "key_outside_clip", POSE_NO_OFFSET,
                    "%s: a key is outside the clip of %g s", r->tracks[r->track_count - 1].name,
                    (double)r->clip->duration);
    r->tracks[r->track_count - 1].channels[r->part] = channel_done(&builder, kept);
    r->part = -1;
    r->key_count = 0;
    return !arena->failed;
}

static bool read_joint(struct reading *r)
{
    const struct pose_limits *limits = r->job->limits;
    if (!end_channel(r))
        return false;
    if (r->track_count == limits->joints)
        return reader_limit_at(&r->reader, reader_last_offset(&r->reader), "joint", "joints",
                               "at most %u joints are read", limits->joints);
    struct pose_track *tracks =
        arena_grow(r->job->arena, r->tracks, r->track_count, &r->track_capacity, sizeof *tracks);
    const char *name = tracks ? rest_of_line(r, "joint") : NULL;
    if (!name)
        return false;
    r->tracks = tracks;
    r->tracks[r->track_count++] = (struct pose_track){.name = name};
    return true;
}

static bool read_key(struct reading *r, int part)
{
    const struct pose_limits *limits = r->job->limits;
    if (!r->track_count)
        return reader_fail(&r->reader, "no_joint", "a key before the first joint");
    if (part != r->part) {
        if (!end_channel(r))
            return false;
        if (r->tracks[r->track_count - 1].channels[part].count)
            return reader_fail(&r->reader, "repeated_channel", "the joint has such keys already");
        r->part = part;
    }
    if (r->all_keys++ >= limits->keys)
        return reader_limit_at(&r->reader, reader_last_offset(&r->reader), "key", "keys",
                               "at most %llu keys are read", (unsigned long long)limits->keys);
    struct key *keys = arena_grow(r->job->arena, r->keys, r->key_count, &r->key_capacity, sizeof *keys);
    if (!keys)
        return false;
    r->keys = keys;
    struct key *key = &keys[r->key_count++];
    if (!next_number(r, "time", &key->time))
        return false;
    for (uint32_t i = 0; i < part_components((enum pose_part)part); i++) {
        if (!next_number(r, part_name((enum pose_part)part), &key->value[i]))
            return false;
    }
    return r->lines.at == r->lines.end || reader_fail(&r->reader, "bad_number", "more numbers than it has");
}

static bool read_line(struct reading *r)
{
    const char *text;
    size_t length;
    next_field(r, &text, &length);
    if (length == strlen("joint") && !memcmp(text, "joint", length))
        return read_joint(r);
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        const char *name = part_name((enum pose_part)part);
        if (length == strlen(name) && !memcmp(text, name, length))
            return read_key(r, part);
    }
    return reader_fail(&r->reader, "bad_line", "neither a joint nor a key");
}

static bool read_clip(struct reading *r)
{
    struct pose_clip *clip = r->clip;
    const char *text;
    size_t length;
    if (!lines_next(&r->lines, "header") || !next_field(r, &text, &length) ||
        !next_number(r, "duration", &clip->duration))
        return false;
    if (clip->duration < 0)
        return reader_fail(&r->reader, "bad_duration", "a clip does not last %g s", (double)clip->duration);
    clip->name = rest_of_line(r, "name");
    while (clip->name && !lines_at_end(&r->lines)) {
        if (!lines_next(&r->lines, "line") || !read_line(r))
            return false;
    }
    return clip->name && end_channel(r);
}

static bool decode(struct decode_job *job)
{
    struct reading r = {.job = job, .part = -1, .clip = ARENA_NEW(job->arena, struct pose_clip, 1)};
    reader_init(&r.reader, job->source->bytes, job->error);
    lines_init(&r.lines, &r.reader);
    if (!r.clip || !read_clip(&r))
        return false;
    r.clip->axes = POSE_AXES_GLTF;
    r.clip->loop_out = r.clip->duration;
    r.clip->tracks = r.tracks;
    r.clip->track_count = r.track_count;
    r.clip->key_count = clip_count_keys(r.clip);
    job->document->clips = r.clip;
    job->document->clip_count = 1;
    return true;
}

/* ------------------------------------------------------------------------------------------------ writing -- */

static void put_channel(struct writer *w, enum pose_part part, const struct pose_channel *channel)
{
    uint32_t components = part_components(part);
    for (uint32_t i = 0; i < channel->count; i++) {
        writer_format(w, "%s,", part_name(part));
        writer_float(w, channel->times[i]);
        for (uint32_t c = 0; c < components; c++) {
            writer_u8(w, ',');
            writer_float(w, channel->values[(size_t)i * components + c]);
        }
        writer_u8(w, '\n');
    }
}

/* A name ends with its line. */
static bool put_name(struct encode_job *job, const char *name)
{
    if (strpbrk(name, "\r\n"))
        return error_set(job->error, POSE_BAD_ARGUMENT, "bad_name", "a name has several lines");
    writer_text(job->writer, name);
    writer_u8(job->writer, '\n');
    return true;
}

static bool encode(struct encode_job *job)
{
    const struct pose_clip *clip = job->content->clips;
    struct writer *w = job->writer;
    if (job->content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip", "a .csv holds one clip, not %u",
                         job->content->clip_count);
    writer_text(w, first_word);
    writer_float(w, clip->duration);
    writer_u8(w, ',');
    if (!put_name(job, clip->name ? clip->name : ""))
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        char number[24];
        snprintf(number, sizeof number, "joint_%u", track->id);
        writer_text(w, "joint,");
        if (!put_name(job, track->name ? track->name : number))
            return false;
        for (int part = 0; part < POSE_PART_COUNT; part++)
            put_channel(w, (enum pose_part)part, &track->channels[part]);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

static enum probe_result probe(const struct pose_source *source)
{
    size_t length = strlen(first_word);
    bool is_ours = source->bytes.size > length && !memcmp(source->bytes.data, first_word, length);
    return is_ours ? PROBE_SURE : PROBE_NO;
}

static const struct target target = {
    .title = "CSV",
    .axes = POSE_AXES_GLTF,
    .holds = {true, true, true, true},
    .resamples = true,
    .files = {{.options = "fps", .is_text = true}},
};

const struct codec codec_csv = {
    .format = {.id = "csv",
               .title = "Clip as CSV",
               .extensions = ".csv",
               .media_type = "text/csv",
               .kinds = "clip"},
    .probe = probe,
    .decode = decode,
    .encode = encode,
    .target = &target,
};
