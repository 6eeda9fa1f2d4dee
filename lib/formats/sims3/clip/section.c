#include "lib/formats/sims3/clip/section.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- packings -- */

static const struct sims3_packing packings[] = {
    [SIMS3_F1] = {SIMS3_PALETTE, 1, 6, 8},
    [0x02] = {SIMS3_PALETTE, 2, 8, 8},
    [SIMS3_F3] = {SIMS3_PALETTE, 3, 10, 12},
    [SIMS3_F4] = {SIMS3_PALETTE, 4, 12, 12},
    [SIMS3_F1_NORMALIZED] = {SIMS3_WORD, 1, 6, 8},
    [SIMS3_F1_ZERO] = {SIMS3_ZERO, 1, 0, 0},
    [0x0a] = {SIMS3_ZERO, 2, 0, 0},
    [SIMS3_F3_ZERO] = {SIMS3_ZERO, 3, 0, 0},
    [0x0c] = {SIMS3_ZERO, 4, 0, 0},
    [0x0d] = {SIMS3_ONE, 1, 0, 0},
    [0x0e] = {SIMS3_ONE, 2, 0, 0},
    [0x0f] = {SIMS3_ONE, 3, 0, 0},
    [0x10] = {SIMS3_ONE, 4, 0, 0},
    [0x11] = {SIMS3_IDENTITY, 4, 0, 0},
    [SIMS3_F3_PACKED] = {SIMS3_TEN_BITS, 3, 8, 8},
    [SIMS3_F4_PACKED] = {SIMS3_WORDS, 4, 12, 12},
};

const struct sims3_packing *sims3_packing_of(uint8_t type)
{
    return &packings[type < sizeof packings / sizeof *packings ? type : 0];
}

bool sims3_is_constant(const struct sims3_packing *packing)
{
    return packing->kind == SIMS3_ZERO || packing->kind == SIMS3_ONE || packing->kind == SIMS3_IDENTITY;
}

int sims3_part_of(uint8_t sub_type)
{
    switch (sub_type) {
    case SIMS3_TRANSLATION:
        return POSE_TRANSLATION;
    case SIMS3_ORIENTATION:
        return POSE_ROTATION;
    case SIMS3_SCALE:
        return POSE_SCALE;
    case SIMS3_MORPH:
        return POSE_MORPH;
    default:
        return -1;
    }
}

/* ------------------------------------------------------------------------------------------ sizes of keys -- */

/* Start offsets of the channels' keys, ascending. */
struct key_starts {
    uint32_t *offsets;
    uint32_t count;
};

static int compare_offsets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool list_starts(struct arena *arena, const struct sims3_section *section, struct key_starts *starts)
{
    starts->count = 0;
    starts->offsets = ARENA_NEW(arena, uint32_t, section->channel_count);
    for (uint32_t i = 0; i < section->channel_count && starts->offsets; i++) {
        const struct sims3_channel *channel = &section->channels[i];
        if (channel->key_count && !sims3_is_constant(sims3_packing_of(channel->type)))
            starts->offsets[starts->count++] = channel->key_offset;
    }
    if (starts->count)
        qsort(starts->offsets, starts->count, sizeof *starts->offsets, compare_offsets);
    return starts->offsets != NULL;
}

/* The bytes from the channel's keys to the next channel's, or to the end of the section. */
static uint64_t measure_span(const struct sims3_section *section, const struct key_starts *starts,
                             uint32_t offset)
{
    uint32_t low = 0, high = starts->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (starts->offsets[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t next = low < starts->count ? starts->offsets[low] : section->size;
    return (next < section->size ? next : section->size) - offset;
}

static unsigned word_at(const uint8_t *bytes)
{
    return (unsigned)bytes[0] | (unsigned)bytes[1] << 8;
}

static bool indices_fit(const struct sims3_section *section, const struct sims3_packing *packing,
                        const uint8_t *payload)
{
    for (unsigned c = 0; packing->kind == SIMS3_PALETTE && c < packing->components; c++) {
        if (word_at(payload + 2 * (size_t)c) >= section->palette_count)
            return false;
    }
    return true;
}

/* Whether keys of that size, which lie within the section, have ascending ticks and valid palette indices. */
static bool is_plausible(const struct sims3_section *section, const struct sims3_channel *channel,
                         unsigned key_size)
{
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    const uint8_t *key = section->bytes + channel->key_offset;
    unsigned last_tick = section->tick_count ? section->tick_count : 1;
    for (unsigned k = 0; k < channel->key_count; k++, key += key_size) {
        unsigned tick = word_at(key);
        if (tick > last_tick || (k && tick <= word_at(key - key_size)) ||
            !indices_fit(section, packing, key + 4))
            return false;
    }
    return true;
}

/* The rule of sims3-clip.md, 3, for payloads with optional padding. */
static unsigned choose_key_size(const struct sims3_section *section, const struct sims3_channel *channel,
                                uint64_t span)
{
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    uint64_t small = (uint64_t)channel->key_count * packing->key_size;
    uint64_t large = (uint64_t)channel->key_count * packing->padded_key_size;
    if (span == small)
        return packing->key_size;
    if (span == large)
        return packing->padded_key_size;
    if (span < large || is_plausible(section, channel, packing->key_size) ||
        !is_plausible(section, channel, packing->padded_key_size))
        return packing->key_size;
    return packing->padded_key_size;
}

static bool find_key_size(struct reader *reader, const struct sims3_section *section,
                          const struct key_starts *starts, struct sims3_channel *channel)
{
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    if (!channel->key_count || !packing->key_size)
        return true;
    if (channel->key_offset > section->size)
        return reader_fail_at(reader, channel->at, "key_offset", "keys_outside",
                              "keys at byte %u of a section of %llu bytes", channel->key_offset,
                              (unsigned long long)section->size);
    uint64_t left = section->size - channel->key_offset;
    unsigned key_size = packing->key_size;
    if (key_size != packing->padded_key_size)
        key_size = choose_key_size(section, channel, measure_span(section, starts, channel->key_offset));
    if ((uint64_t)channel->key_count * key_size > left)
        return reader_fail_at(reader, channel->at + SIMS3_CHANNEL_AT_COUNT, "key_count", "keys_outside",
                              "%u keys of %u bytes promised, %llu bytes left in the section",
                              channel->key_count, key_size, (unsigned long long)left);
    channel->key_size = (uint8_t)key_size;
    return true;
}

static bool find_key_sizes(struct sims3_file *file, struct reader *reader, struct sims3_section *section)
{
    struct key_starts starts;
    if (!list_starts(file->job->arena, section, &starts))
        return false;
    for (uint32_t i = 0; i < section->channel_count; i++) {
        reader_enter(reader, "channels", i);
        if (!find_key_size(reader, section, &starts, &section->channels[i]))
            return false;
        reader_leave(reader);
    }
    return true;
}

/* ----------------------------------------------------------------------------------- channels and palette -- */

static void read_channel(struct reader *reader, struct sims3_channel *channel)
{
    channel->at = reader_offset(reader);
    channel->key_offset = reader_u32le(reader, "key_offset");
    channel->key = reader_u32le(reader, "key");
    channel->offset = reader_finite_f32le(reader, "offset", "not_finite");
    channel->scale = reader_finite_f32le(reader, "scale", "not_finite");
    channel->key_count = reader_u16le(reader, "key_count");
    channel->type = reader_u8(reader, "type");
    channel->sub_type = reader_u8(reader, "sub_type");
}

/* Channels may share keys, so the total number of keys has its own limit. */
static bool check_key_sum(struct sims3_file *file, struct reader *reader, const struct sims3_section *section)
{
    uint64_t sum = 0, limit = file->job->limits->keys;
    uint32_t over = UINT32_MAX;
    for (uint32_t i = 0; i < section->channel_count; i++) {
        const struct sims3_packing *packing = sims3_packing_of(section->channels[i].type);
        sum += sims3_is_constant(packing) ? 1 : packing->key_size ? section->channels[i].key_count : 0;
        if (sum > limit && over == UINT32_MAX)
            over = i;
    }
    if (sum <= limit)
        return true;
    reader_enter(reader, "channels", over);
    return reader_limit_at(reader, section->channels[over].at + SIMS3_CHANNEL_AT_COUNT, "key_count", "keys",
                           "%llu keys in all, more than the limit of %llu", (unsigned long long)sum,
                           (unsigned long long)limit);
}

/* Reads an offset in the head and moves the reader there. */
static bool go_to(struct reader *reader, const struct sims3_section *section, unsigned head_offset,
                  const char *field, uint32_t *offset)
{
    reader_seek(reader, section->start + head_offset, field);
    *offset = reader_u32le(reader, field);
    return sims3_go(reader, section->start + *offset, field);
}

static bool read_channels(struct sims3_file *file, struct reader *reader, struct sims3_section *section)
{
    uint32_t table;
    if (!go_to(reader, section, SIMS3_SECTION_AT_CHANNELS, "channel_table", &table))
        return false;
    if (section->channel_count && table < SIMS3_SECTION_HEAD)
        return reader_fail(reader, "bad_offset", "the channels begin at byte %u, within the header", table);
    if (!reader_count(reader, section->channel_count, SIMS3_CHANNEL_SIZE, "channels", "count_too_large"))
        return false;
    section->channels = ARENA_NEW(file->job->arena, struct sims3_channel, section->channel_count);
    for (uint32_t i = 0; i < section->channel_count && section->channels; i++) {
        reader_enter(reader, "channels", i);
        read_channel(reader, &section->channels[i]);
        if (reader->failed)
            return false;
        reader_leave(reader);
    }
    return section->channels && check_key_sum(file, reader, section);
}

static bool read_palette(struct sims3_file *file, struct reader *reader, struct sims3_section *section)
{
    uint32_t offset;
    if (!go_to(reader, section, SIMS3_SECTION_AT_PALETTE, "palette_offset", &offset) ||
        !reader_count(reader, section->palette_count, sizeof(float), "palette values", "count_too_large"))
        return false;
    section->palette = ARENA_NEW(file->job->arena, float, section->palette_count);
    for (uint32_t i = 0; i < section->palette_count && section->palette; i++) {
        reader_enter(reader, "palette", i);
        section->palette[i] = reader_finite_f32le(reader, NULL, "not_finite");
        if (reader->failed)
            return false;
        reader_leave(reader);
    }
    return section->palette != NULL;
}

/* --------------------------------------------------------------------------------------------------- head -- */

static const char *read_name(struct sims3_file *file, struct reader *reader,
                             const struct sims3_section *section, unsigned head_offset, const char *field)
{
    uint32_t offset;
    if (!go_to(reader, section, head_offset, field, &offset))
        return NULL;
    if (!offset)
        return "";
    return sims3_read_text(file, reader, SIMS3_TEXT_LIMIT, field);
}

static bool read_head(struct reader *reader, struct sims3_section *section)
{
    const uint8_t *magic = reader_bytes(reader, sizeof SIMS3_MAGIC - 1, "magic");
    if (magic && memcmp(magic, SIMS3_MAGIC, sizeof SIMS3_MAGIC - 1) != 0)
        return reader_fail(reader, "bad_magic", "the section does not begin with " SIMS3_MAGIC);
    section->version = reader_u32le(reader, "version");
    if (!reader->failed && section->version != SIMS3_VERSION)
        return reader_fail(reader, "bad_version", "version %u, only %d is supported", section->version,
                           SIMS3_VERSION);
    section->flags = reader_u32le(reader, "flags");
    section->frame_duration = reader_finite_f32le(reader, "frame_duration", "bad_frame_duration");
    if (!reader->failed &&
        !(section->frame_duration > 0 && section->frame_duration <= SIMS3_FRAME_DURATION_LIMIT))
        return reader_fail(reader, "bad_frame_duration", "frames of %g seconds",
                           (double)section->frame_duration);
    section->tick_count = reader_u16le(reader, "tick_count");
    reader_u16le(reader, "unused"); /* uninitialised memory */
    section->channel_count = reader_u32le(reader, "channel_count");
    section->palette_count = reader_u32le(reader, "palette_count");
    return !reader->failed;
}

bool sims3_section_read(struct sims3_file *file, uint64_t start, uint64_t size, struct sims3_section *section)
{
    struct reader reader;
    *section = (struct sims3_section){.start = start, .size = size};
    if (!reader_part(&file->reader, &reader, start, size, "section"))
        return false;
    reader_enter(&reader, "section", READER_NO_INDEX);
    section->bytes = reader.start;
    if (!read_head(&reader, section))
        return false;
    if (!read_channels(file, &reader, section) || !read_palette(file, &reader, section))
        return false;
    section->clip_name = read_name(file, &reader, section, SIMS3_SECTION_AT_CLIP_NAME, "clip_name");
    section->source_name = read_name(file, &reader, section, SIMS3_SECTION_AT_SOURCE_NAME, "source_name");
    if (!section->clip_name || !section->source_name || !find_key_sizes(file, &reader, section))
        return false;
    reader_seek(&reader, start + size, NULL);
    sims3_used(file, &reader);
    return true;
}
