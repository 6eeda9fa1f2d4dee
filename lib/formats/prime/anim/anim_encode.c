/*
 * Writing ANIM of Metroid Prime 1 and 2 (prime-anim.md, 5): the result of fit.h, as float keys (version 0) or as
 * a bitstream of differences (version 2, stream.h).
 */
#include "lib/core/value.h"
#include "lib/formats/prime/anim/fit.h"
#include "lib/formats/prime/anim/put.h"
#include "lib/formats/prime/anim/stream.h"

#include <string.h>

enum { TABLE = PRIME_BONE_LIMIT, NOT_ANIMATED = 0xff };

/* Kinds of "char anim time"s; the two kinds of zero are equivalent. */
enum { TIME_NON_ZERO = 0, TIME_ZERO_STEADY = 2, TIME_KINDS = 5 };

/* ---------------------------------------------------------------------------------------------- version 0 -- */

struct tables {
    uint8_t bones[TABLE];                  /* channel of a bone */
    uint8_t parts[PRIME_FIT_PARTS][TABLE]; /* key array of a channel */
    uint32_t counts[PRIME_FIT_PARTS];
};

static void fill_tables(const struct prime_fit *fit, struct tables *tables)
{
    memset(tables->bones, NOT_ANIMATED, sizeof tables->bones);
    memset(tables->parts, NOT_ANIMATED, sizeof tables->parts);
    memset(tables->counts, 0, sizeof tables->counts);
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        tables->bones[fit->channels[c].bone_id] = (uint8_t)c;
        for (int part = 0; part < PRIME_FIT_PARTS; part++) {
            if (fit->channels[c].values[part])
                tables->parts[part][c] = (uint8_t)tables->counts[part]++;
        }
    }
}

static void write_table(struct writer *writer, const uint8_t table[TABLE])
{
    writer_u32be(writer, TABLE);
    writer_bytes(writer, table, TABLE);
}

/* Channel by channel, each with all its keys. */
static void write_keys(struct writer *writer, const struct prime_fit *fit, const struct tables *tables,
                       enum pose_part part)
{
    uint32_t components = part_components(part);
    writer_u32be(writer, tables->counts[part] * fit->key_count);
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        const float *value = fit->channels[c].values[part];
        for (uint32_t k = 0; value && k < fit->key_count; k++, value += components) {
            if (part == POSE_ROTATION)
                writer_f32be(writer, value[3]);
            for (int i = 0; i < 3; i++)
                writer_f32be(writer, value[i]);
        }
    }
}

static void write_time(struct writer *writer, float seconds, const struct pose_value *extras, const char *key)
{
    int64_t fallback = seconds != 0 ? TIME_NON_ZERO : TIME_ZERO_STEADY, kind;
    kind = value_get_int(extras, key, fallback);
    writer_f32be(writer, seconds);
    writer_u32be(writer, (uint32_t)(kind >= 0 && kind < TIME_KINDS ? kind : fallback));
}

static bool encode_plain(struct encode_job *job, const struct pose_clip *clip, const struct prime_fit *fit)
{
    struct writer *writer = job->writer;
    struct tables tables;
    bool is_mp2 = fit->target.game == PRIME_MP2;
    const struct pose_value *extras = fit->target.is_own ? clip->extras : NULL;
    fill_tables(fit, &tables);
    writer_u32be(writer, 0);
    write_time(writer, fit->duration, extras, "duration_kind");
    write_time(writer, fit->interval, extras, "interval_kind");
    writer_u32be(writer, fit->key_count);
    writer_u32be(writer, fit->target.root_bone_id);
    write_table(writer, tables.bones);
    if (is_mp2)
        write_table(writer, tables.parts[POSE_ROTATION]);
    write_table(writer, tables.parts[POSE_TRANSLATION]);
    if (is_mp2) {
        write_table(writer, tables.parts[POSE_SCALE]);
        write_keys(writer, fit, &tables, POSE_SCALE);
    }
    write_keys(writer, fit, &tables, POSE_ROTATION);
    write_keys(writer, fit, &tables, POSE_TRANSLATION);
    if (!is_mp2)
        writer_u32be(writer, fit->target.evnt);
    return true;
}

/* ---------------------------------------------------------------------------------------------- version 2 -- */

static void write_bitmap(struct writer *writer, const struct prime_fit *fit)
{
    struct bit_writer bits;
    uint32_t key = 0;
    writer_u32be(writer, fit->last_frame + 1);
    bit_writer_init(&bits, writer);
    for (uint32_t frame = 0; frame <= fit->last_frame; frame++) {
        bool is_key = key < fit->key_count && fit->frames[key] == frame;
        bit_writer_put(&bits, is_key, 1);
        key += is_key;
    }
    bit_writer_finish(&bits);
}

static void write_head(struct writer *writer, const struct prime_fit *fit, const struct prime_stream *stream)
{
    bool is_mp2 = fit->target.game == PRIME_MP2;
    if (fit->target.game == PRIME_MP1)
        writer_u32be(writer, fit->target.evnt);
    if (is_mp2)
        writer_u16be(writer, 0x0101);
    else
        writer_u32be(writer, 1);
    writer_f32be(writer, fit->duration);
    writer_f32be(writer, fit->interval);
    writer_u32be(writer, fit->target.root_bone_id);
    writer_u32be(writer, fit->target.loops);
    writer_u32be(writer, stream->divisor);
    writer_f32be(writer, stream->multipliers[POSE_TRANSLATION]);
    if (is_mp2)
        writer_f32be(writer, stream->multipliers[POSE_SCALE]);
    writer_u32be(writer, fit->channel_count);
    writer_u32be(writer, 1);
    write_bitmap(writer, fit);
    if (!is_mp2)
        writer_u32be(writer, fit->channel_count);
    writer_u32be(writer, fit->channel_count);
}

static bool encode_compressed(struct encode_job *job, const struct pose_clip *clip,
                              const struct prime_fit *fit)
{
    struct writer *writer = job->writer;
    struct prime_stream stream;
    if (!prime_stream_plan(job, clip, fit, &stream))
        return false;
    writer_u32be(writer, 2);
    size_t size_at = writer->out->size;
    writer_u32be(writer, 0);
    write_head(writer, fit, &stream);
    prime_stream_write_channels(&stream, fit, writer);
    prime_stream_write_keys(&stream, fit, writer);
    writer_patch_u32be(writer, size_at, (uint32_t)(writer->out->size - size_at));
    prime_put_padding(writer);
    return true;
}

bool prime_anim_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    struct prime_fit fit;
    if (content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip",
                         "an ANIM holds one clip, not %u: name one", content->clip_count);
    if (!prime_fit_clip(job, content->clips, &fit))
        return false;
    return fit.target.version == 0 ? encode_plain(job, content->clips, &fit)
                                   : encode_compressed(job, content->clips, &fit);
}
