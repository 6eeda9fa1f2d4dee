#include "lib/formats/sims3/clip/keys.h"

#include <math.h>
#include <string.h>

enum { PALETTE_GAP = 5 }; /* returned for an index without a value; greater than any component number */

static const float SHORTEST_ROTATION = 1e-6f;

static unsigned word_at(const uint8_t *bytes)
{
    return (unsigned)bytes[0] | (unsigned)bytes[1] << 8;
}

/* The components before sign, scale and offset. Returns PALETTE_GAP, or the first component with a bad index. */
static unsigned unpack(const struct sims3_section *section, const struct sims3_packing *packing,
                       const uint8_t *payload, double values[4])
{
    uint32_t packed;
    switch (packing->kind) {
    case SIMS3_TEN_BITS:
        packed = word_at(payload) | (uint32_t)word_at(payload + 2) << 16;
        for (int c = 0; c < 3; c++)
            values[c] = (packed >> 10 * c & 1023) / 1023.0;
        break;
    case SIMS3_WORDS:
        for (size_t c = 0; c < 4; c++)
            values[c] = (word_at(payload + 2 * c) & 4095) / 4095.0;
        break;
    case SIMS3_WORD:
        values[0] = word_at(payload) / 65535.0;
        break;
    default:
        for (unsigned c = 0; c < packing->components; c++) {
            unsigned index = word_at(payload + 2 * (size_t)c);
            if (index >= section->palette_count)
                return c;
            values[c] = (double)section->palette[index];
        }
    }
    return PALETTE_GAP;
}

void sims3_normalise(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (length < (double)SHORTEST_ROTATION) {
        memset(q, 0, 3 * sizeof *q);
        q[3] = length = 1;
    }
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

/* Stores one key's value; false if it exceeds the range of floats. */
static bool store(const double *values, unsigned components, float *to)
{
    bool finite = true;
    for (unsigned c = 0; c < components; c++) {
        to[c] = (float)values[c];
        finite &= isfinite(to[c]) != 0;
    }
    return finite;
}

static bool decode_constant(struct arena *arena, const struct sims3_packing *packing, enum pose_part part,
                            struct channel_builder *builder)
{
    double values[4] = {0, 0, 0, packing->kind == SIMS3_IDENTITY};
    for (int c = 0; c < 4 && packing->kind == SIMS3_ONE; c++)
        values[c] = 1;
    if (!channel_new(arena, part, 1, builder))
        return false;
    if (part == POSE_ROTATION)
        sims3_normalise(values);
    return store(values, builder->components, builder->values);
}

static bool decode_key(struct reader *reader, const struct sims3_section *section,
                       const struct sims3_channel *channel, const uint8_t *key, float *to)
{
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    double values[4];
    unsigned gap = unpack(section, packing, key + 4, values);
    uint64_t at = section->start + (uint64_t)(key - section->bytes);
    if (gap != PALETTE_GAP)
        return reader_fail_at(reader, at + 4 + 2 * (uint64_t)gap, NULL, "palette_index",
                              "index %u is beyond the palette of %u values",
                              word_at(key + 4 + 2 * (size_t)gap), section->palette_count);
    for (unsigned c = 0; c < packing->components; c++) {
        double value = key[2] >> c & 1 ? -values[c] : values[c];
        values[c] = value * (double)channel->scale + (double)channel->offset;
    }
    if (channel->sub_type == SIMS3_ORIENTATION)
        sims3_normalise(values);
    if (!store(values, packing->components, to))
        return reader_fail_at(reader, at, NULL, "not_finite", "a value beyond the range of floats");
    return true;
}

static bool decode_keys(struct sims3_file *file, const struct sims3_section *section,
                        const struct sims3_channel *channel, struct channel_builder *builder,
                        uint64_t *odd_flags)
{
    const uint8_t *key = section->bytes + channel->key_offset;
    for (uint32_t k = 0; k < channel->key_count; k++, key += channel->key_size) {
        reader_enter(&file->reader, "keys", k);
        builder->times[k] = (float)(word_at(key) * (double)section->frame_duration);
        *odd_flags += (word_at(key + 2) & 0xfff0) != 0;
        if (!decode_key(&file->reader, section, channel, key,
                        builder->values + (size_t)k * builder->components))
            return false;
        reader_leave(&file->reader);
    }
    return true;
}

static uint32_t sort_keys(struct sims3_file *file, const struct sims3_section *section,
                          const struct sims3_channel *channel, struct channel_builder *builder)
{
    bool unsorted;
    uint32_t repeated;
    uint32_t kept = channel_sort(file->job->arena, builder, channel->key_count, &unsorted, &repeated);
    uint64_t at = section->start + channel->key_offset;
    if (unsorted)
        warning_add(&file->job->warnings, POSE_WARNING, "unsorted_keys", at,
                    "the %u keys of channel 0x%08X are not in order of time", channel->key_count,
                    channel->key);
    if (repeated)
        warning_add(&file->job->warnings, POSE_WARNING, "equal_key_times", at,
                    "%u keys of channel 0x%08X repeat a tick; the last one counts", repeated, channel->key);
    return kept;
}

bool sims3_keys_decode(struct sims3_file *file, const struct sims3_section *section, uint32_t index,
                       enum pose_part part, struct pose_channel *decoded, uint64_t *odd_flags)
{
    const struct sims3_channel *channel = &section->channels[index];
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    struct channel_builder builder;
    *decoded = (struct pose_channel){0};
    if (sims3_is_constant(packing)) {
        bool done = decode_constant(file->job->arena, packing, part, &builder);
        *decoded = channel_done(&builder, done);
        return done;
    }
    if (!channel->key_count)
        return true;
    if (!channel_new(file->job->arena, part, channel->key_count, &builder))
        return false;
    reader_enter(&file->reader, "channels", index);
    if (!decode_keys(file, section, channel, &builder, odd_flags))
        return false;
    reader_leave(&file->reader);
    *decoded = channel_done(&builder, sort_keys(file, section, channel, &builder));
    return !file->job->arena->failed;
}
