#include "lib/formats/sims3/clip/clip_write.h"

#include "lib/formats/sims3/clip/events.h"
#include "lib/formats/sims3/clip/fit.h"
#include "lib/formats/sims3/clip/ik.h"
#include "lib/formats/sims3/clip/layout.h"

#include <string.h>

static const char DEFAULT_ACTOR[] = "x";

/* The start of the section in the file, and its contents. */
struct writing {
    struct encode_job *job;
    const struct pose_clip *clip;
    struct sims3_fit fit;
    size_t section;
};

/* Pads before a block, and sets its offset in the head. */
static void begin_block(struct writer *writer, unsigned head_offset)
{
    while (!writer->failed && writer->out->size % 4)
        writer_u8(writer, SIMS3_GAP);
    writer_patch_u32le(writer, head_offset, (uint32_t)(writer->out->size - head_offset));
}

static bool write_text(struct encode_job *job, const char *text, const char *what)
{
    size_t length = strlen(text);
    if (length >= SIMS3_TEXT_LIMIT)
        return error_set(job->error, POSE_BAD_ARGUMENT, "text_too_long", "%s of %zu bytes, longer than %d",
                         what, length, SIMS3_TEXT_LIMIT - 1);
    writer_bytes(job->writer, text, length + 1);
    return true;
}

/* ---------------------------------------------------------------------------------------------- section -- */

/* Sets the offset in the section's head to the current position. */
static void mark(const struct writing *writing, unsigned head_offset)
{
    struct writer *writer = writing->job->writer;
    writer_patch_u32le(writer, writing->section + head_offset,
                       (uint32_t)(writer->out->size - writing->section));
}

static void write_section_head(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    const struct sims3_fit *fit = &writing->fit;
    writer_text(writer, SIMS3_MAGIC);
    writer_u32le(writer, SIMS3_VERSION);
    writer_u32le(writer, (uint32_t)value_get_int(writing->clip->extras, "flags", 0));
    writer_f32le(writer, fit->frame_duration);
    writer_u16le(writer, fit->tick_count);
    writer_u16le(writer, 0);
    writer_u32le(writer, fit->channel_count);
    writer_u32le(writer, fit->palette_count);
    writer_zeros(writer, SIMS3_SECTION_HEAD - 0x20); /* offsets, filled in later */
}

/* Writes the rows of channels; the keys follow in the same order from keys_at in the section. */
static bool write_channels(struct writing *writing, uint64_t keys_at)
{
    struct writer *writer = writing->job->writer;
    for (uint32_t i = 0; i < writing->fit.channel_count; i++) {
        const struct sims3_fit_channel *channel = &writing->fit.channels[i];
        writer_u32le(writer, (uint32_t)keys_at);
        writer_u32le(writer, channel->key);
        writer_f32le(writer, channel->offset);
        writer_f32le(writer, channel->scale);
        writer_u16le(writer, (uint16_t)channel->count);
        writer_u8(writer, channel->type);
        writer_u8(writer, channel->sub_type);
        keys_at += (uint64_t)channel->count * sims3_fit_key_size(channel);
    }
    if (keys_at > INT32_MAX)
        return error_set(writing->job->error, POSE_BAD_DATA, "too_many_keys",
                         "%llu bytes of keys, more than offsets can address", (unsigned long long)keys_at);
    return !writer->failed;
}

static void write_keys(struct writing *writing, const struct sims3_fit_channel *channel)
{
    struct writer *writer = writing->job->writer;
    size_t key_size = sims3_fit_key_size(channel), size = channel->count * key_size;
    size_t components = sims3_packing_of(channel->type)->components;
    uint8_t *to = size ? writer_reserve(writer, size) : NULL;
    if (!to)
        return;
    for (uint32_t k = 0; k < channel->count; k++, to += key_size) {
        to[0] = (uint8_t)channel->ticks[k];
        to[1] = (uint8_t)(channel->ticks[k] >> 8);
        sims3_fit_pack(&writing->fit, channel, channel->values + k * components, to + 2);
    }
    writer_commit(writer, size);
}

static bool write_section(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    const struct sims3_fit *fit = &writing->fit;
    const char *name = writing->clip->name ? writing->clip->name : "";
    const char *source = value_get_string(writing->clip->extras, "source_name", "");
    uint64_t keys_at = SIMS3_SECTION_HEAD + (uint64_t)fit->channel_count * SIMS3_CHANNEL_SIZE + strlen(name) +
                       strlen(source) + 2 + (uint64_t)fit->palette_count * 4;
    write_section_head(writing);
    mark(writing, SIMS3_SECTION_AT_CHANNELS);
    if (!write_channels(writing, keys_at))
        return false;
    mark(writing, SIMS3_SECTION_AT_CLIP_NAME);
    if (!write_text(writing->job, name, "a clip's name"))
        return false;
    mark(writing, SIMS3_SECTION_AT_SOURCE_NAME);
    if (!write_text(writing->job, source, "a source's name"))
        return false;
    mark(writing, SIMS3_SECTION_AT_PALETTE);
    for (uint32_t i = 0; i < fit->palette_count; i++)
        writer_f32le(writer, fit->palette[i]);
    for (uint32_t i = 0; i < fit->channel_count; i++)
        write_keys(writing, &fit->channels[i]);
    return !writer->failed;
}

/* ------------------------------------------------------------------------------------------------ the file -- */

/* null in extras: the original file had no such block. */
static bool is_absent(const struct pose_clip *clip, const char *key)
{
    const struct pose_value *value = pose_value_find(clip->extras, key);
    return value && value->kind == POSE_NULL;
}

static void write_head(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    writer_u32le(writer, SIMS3_CLIP_TYPE);
    writer_zeros(writer, SIMS3_HEAD - 4);
    if (writer->failed)
        return;
    writer_patch_u32le(writer, SIMS3_AT_UNKNOWN_28,
                       (uint32_t)value_get_int(writing->clip->extras, "unknown_28", 0));
    writer_patch_u32le(writer, SIMS3_AT_UNKNOWN_32,
                       (uint32_t)value_get_int(writing->clip->extras, "unknown_32", 1));
}

static bool write_actor(struct writing *writing)
{
    if (is_absent(writing->clip, "actor"))
        return true;
    begin_block(writing->job->writer, SIMS3_AT_ACTOR);
    return write_text(writing->job, value_get_string(writing->clip->extras, "actor", DEFAULT_ACTOR),
                      "an actor's name");
}

static bool write_ik(struct writing *writing)
{
    const struct pose_value *chains = pose_value_find(writing->clip->extras, "ik_chains");
    if (!chains || chains->kind == POSE_NULL)
        return true;
    begin_block(writing->job->writer, SIMS3_AT_IK);
    return sims3_ik_write(writing->job, chains);
}

static void write_end(struct writing *writing)
{
    static const float usual[4] = {0, 0, 0, 1};
    uint32_t end[4];
    if (is_absent(writing->clip, "end"))
        return;
    begin_block(writing->job->writer, SIMS3_AT_END);
    memcpy(end, usual, sizeof end);
    const struct pose_value *list = pose_value_find(writing->clip->extras, "end");
    const struct pose_value *item = list && list->kind == POSE_ARRAY ? list->first : NULL;
    for (int i = 0; i < 4; i++, item = item ? item->next : NULL) {
        value_float_bits(item, &end[i]);
        writer_u32le(writing->job->writer, end[i]);
    }
}

static bool write_file(struct writing *writing)
{
    struct writer *writer = writing->job->writer;
    write_head(writing);
    writing->section = writer->out->size;
    if (writer->failed || !write_section(writing))
        return false;
    writer_patch_u32le(writer, SIMS3_AT_SECTION_SIZE, (uint32_t)(writer->out->size - writing->section));
    writer_patch_u32le(writer, SIMS3_AT_SECTION, SIMS3_HEAD - SIMS3_AT_SECTION);
    if (!write_ik(writing) || !write_actor(writing))
        return false;
    begin_block(writer, SIMS3_AT_EVENTS);
    if (!sims3_events_write(writing->job, writing->clip))
        return false;
    write_end(writing);
    return !writer->failed;
}

bool sims3_clip_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip",
                         "a Sims 3 file holds one clip, not %u: name one", content->clip_count);
    struct writing writing = {.job = job, .clip = &content->clips[0]};
    return sims3_fit_clip(job, writing.clip, &writing.fit) && write_file(&writing);
}
