/*
 * Metroid Prime: clips of version 2.
 *
 *     u32 2, scratch size, [mp1: u32 EVNT]  mp1: u32 1, mp2: u8 1, 1
 *     f32 duration, interval   u32 root bone, looping, rotation divisor   f32 translation multiplier
 *     [mp2: f32 scale multiplier]   u32 channels, 1, bits   u32 bitmap[bits / 32, rounded up]
 *     [mp1: u32 channels]   u32 channels
 *     channels: id (mp1 u32, mp2 u8), then for rotation, translation and (mp2) scale: u16 keys, and if there are
 *               any, for x, y, z: s16 first value, u8 width
 *     u32 stream[]: key by key, for every channel: [rotation: a sign bit], x, y, z as differences
 */
#include "lib/core/bytes/bits.h"
#include "lib/formats/prime/anim/clip.h"
#include "lib/formats/prime/anim/keys.h"

#include <float.h>
#include <math.h>

static bool has_scale(enum prime_game game)
{
    return game == PRIME_MP2;
}

/* --------------------------------------------------------------------------------------------- descriptors -- */

struct descriptor {
    uint32_t bone_id;
    unsigned part_count;
    struct prime_part parts[3]; /* those present, in file order */
};

static const enum pose_part part_order[3] = {POSE_ROTATION, POSE_TRANSLATION, POSE_SCALE};

static void read_part(struct reader *reader, enum pose_part part, struct descriptor *descriptor)
{
    static const char *const counts[3] = {"translation_key_count", "rotation_key_count", "scale_key_count"};
    static const char *const widths[3] = {"translation_bits", "rotation_bits", "scale_bits"};
    struct prime_part *out = &descriptor->parts[descriptor->part_count];
    *out = (struct prime_part){.part = part, .keys = reader_u16be(reader, counts[part])};
    for (int i = 0; i < 3 && out->keys; i++) {
        out->values[i] = (int16_t)reader_u16be(reader, "initial");
        out->widths[i] = reader_u8(reader, widths[part]);
        if (out->widths[i] > 32)
            reader_fail(reader, "bad_bit_width", "a field of %u bits, at most 32 are possible",
                        out->widths[i]);
    }
    out->bits = (unsigned)(part == POSE_ROTATION) + out->widths[0] + out->widths[1] + out->widths[2];
    descriptor->part_count += out->keys != 0;
}

static bool read_descriptor(struct reader *reader, enum prime_game game, struct descriptor *descriptor)
{
    *descriptor = (struct descriptor){0};
    descriptor->bone_id = game == PRIME_MP2 ? reader_u8(reader, "bone_id") : reader_u32be(reader, "bone_id");
    for (int i = 0; i < (has_scale(game) ? 3 : 2); i++)
        read_part(reader, part_order[i], descriptor);
    return !reader->failed;
}

/* ------------------------------------------------------------------------------------------------ the walk -- */

static void check_constant(struct prime_walk *walk, uint32_t value, uint32_t expected, const char *what)
{
    if (!walk->reader.failed && value != expected)
        prime_walk_warn(walk, reader_last_offset(&walk->reader), "unknown_constant",
                        "%s is 0x%x where all known files have 0x%x", what, value, expected);
}

/* Its product with any value in the stream must be a finite float. */
static float read_multiplier(struct reader *reader, const char *field)
{
    float multiplier = reader_finite_f32be(reader, field, "bad_multiplier");
    if (fabs((double)multiplier) * 32768 > (double)FLT_MAX)
        reader_fail(reader, "bad_multiplier", "%g gives values beyond the range of floats",
                    (double)multiplier);
    return multiplier;
}

static bool read_head(struct prime_walk *walk, struct prime_packed *file)
{
    struct reader *reader = &walk->reader;
    reader_u32be(reader, "version");
    file->scratch_size = reader_u32be(reader, "scratch_size");
    if (walk->game == PRIME_MP1)
        file->evnt = reader_u32be(reader, "evnt");
    if (walk->game == PRIME_MP2)
        check_constant(walk, reader_u16be(reader, "unknown_8"), 0x0101, "unknown_8");
    else
        check_constant(walk, reader_u32be(reader, "unknown_12"), 1, "unknown_12");
    file->duration = prime_walk_duration(walk);
    file->interval = prime_walk_interval(walk);
    file->root_bone_id = reader_u32be(reader, "root_bone_id");
    file->looping = reader_u32be(reader, "looping");
    if (!reader->failed && file->looping > 1)
        prime_walk_warn(walk, reader_last_offset(reader), "odd_looping", "looping is %u, not 0 or 1",
                        file->looping);
    file->divisor = reader_u32be(reader, "rotation_divisor");
    if (!reader->failed && !file->divisor)
        return reader_fail(reader, "bad_divisor", "the divisor of rotations is 0");
    file->translation_multiplier = read_multiplier(reader, "translation_multiplier");
    if (has_scale(walk->game))
        file->scale_multiplier = read_multiplier(reader, "scale_multiplier");
    file->channel_count = reader_u32be(reader, "channel_count");
    check_constant(walk, reader_u32be(reader, "unknown_44"), 1, "unknown_44");
    return !reader->failed;
}

/* The number of bits set in [from, end). */
static uint32_t count_keys(const struct bits *bitmap, uint64_t from, uint64_t end)
{
    uint32_t count = 0;
    for (uint64_t at = bits_find(bitmap, from, end); at < end; at = bits_find(bitmap, at + 1, end))
        count++;
    return count;
}

/* Finds the last frame where the engine looks for it; later keys are never played (prime-anim.md, 2.5). */
static void find_end(struct prime_walk *walk, struct prime_packed *file, const struct bits *bitmap,
                     uint64_t offset)
{
    double last = floor(0.5 + (double)file->duration / (double)file->interval);
    uint32_t bits = file->bitmap_bits;
    bool fits = last < bits;
    file->last_frame = fits ? (uint32_t)last : bits - 1;
    file->keys = count_keys(bitmap, 1, (uint64_t)file->last_frame + 1);
    if (last + 1 != bits)
        prime_walk_warn(walk, offset, "bitmap_length", "a bitmap of %u bits for %.0f frames", bits, last + 1);
    if (!fits || !bits_test(bitmap, file->last_frame))
        prime_walk_warn(walk, offset, "last_frame_not_key",
                        "the last frame, %.0f, is not a key; the last key is held", last);
    if (file->keys < file->bitmap_keys)
        prime_walk_warn(walk, offset, "keys_after_end", "%u keys are after the end and are never played",
                        file->bitmap_keys - file->keys);
    if (!bits_test(bitmap, 0))
        prime_walk_warn(walk, offset, "first_frame_not_key", "bit 0 of the bitmap is clear");
}

static bool read_bitmap(struct prime_walk *walk, struct prime_packed *file)
{
    struct reader *reader = &walk->reader;
    struct bits bitmap;
    uint32_t bits = file->bitmap_bits = reader_u32be(reader, "bitmap_length");
    uint64_t offset = reader_last_offset(reader), words = ((uint64_t)bits + 31) / 32;
    if (!reader->failed && !bits)
        return reader_fail(reader, "empty_bitmap", "an empty key bitmap");
    if (!reader_count(reader, words, 4, "words of the bitmap", "count_too_large"))
        return false;
    if (bits > PRIME_FRAME_LIMIT)
        return reader_fail(reader, "count_too_large", "%u frames, more than a clip can have", bits);
    file->bitmap = reader_bytes(reader, words * 4, "bitmap");
    bits_init(&bitmap, file->bitmap, words);
    file->bitmap_keys = count_keys(&bitmap, 1, bits);
    find_end(walk, file, &bitmap, offset);
    return true;
}

static bool read_counts(struct prime_walk *walk, struct prime_packed *file)
{
    struct reader *reader = &walk->reader;
    uint32_t first = file->channel_count, second = first;
    if (walk->game != PRIME_MP2)
        second = reader_u32be(reader, "channel_count");
    file->channel_count = reader_u32be(reader, "channel_count");
    if (!reader->failed && (first != file->channel_count || second != file->channel_count))
        prime_walk_warn(walk, reader_last_offset(reader), "channel_counts_differ",
                        "%u channels, but %u and %u were declared before", file->channel_count, first,
                        second);
    uint64_t least = walk->game == PRIME_MP2 ? 7 : 8;
    return reader_count(reader, file->channel_count, least, "channels", "count_too_large");
}

/* All parts of all channels must have the same number of keys; the engine uses the first one's. */
static bool check_part(struct prime_walk *walk, struct prime_packed *file, const struct prime_part *part)
{
    struct reader *reader = &walk->reader;
    if (!file->part_count++)
        file->stored_keys = part->keys;
    if (part->keys < file->bitmap_keys)
        return reader_fail(reader, "too_many_bitmap_keys",
                           "the bitmap has %u keys after frame 0, this channel only %u", file->bitmap_keys,
                           part->keys);
    if (part->keys != file->stored_keys)
        prime_walk_warn(walk, reader_last_offset(reader), "key_counts_differ",
                        "a channel of %u keys; the first has %u, and all are read alike", part->keys,
                        file->stored_keys);
    file->bits_per_key += part->bits;
    return true;
}

static void check_bone(struct prime_walk *walk, const struct descriptor *descriptor, uint64_t offset,
                       bool seen[PRIME_BONE_LIMIT])
{
    uint32_t id = descriptor->bone_id;
    bool has_rotation = descriptor->part_count && descriptor->parts[0].part == POSE_ROTATION;
    if (id >= PRIME_BONE_LIMIT)
        prime_walk_warn(walk, offset, "bone_id_too_large", "bone %u; ids end at %d", id,
                        PRIME_BONE_LIMIT - 1);
    else if (seen[id])
        prime_walk_warn(walk, offset, "duplicate_bone", "bone %u has two channels; the last is played", id);
    else
        seen[id] = true;
    if (walk->game != PRIME_MP2 && !has_rotation)
        prime_walk_warn(walk, offset, "no_rotation", "the channel of bone %u has no rotation", id);
}

static bool read_descriptors(struct prime_walk *walk, struct prime_packed *file)
{
    struct reader *reader = &walk->reader;
    bool seen[PRIME_BONE_LIMIT] = {false};
    file->descriptors = reader_offset(reader);
    for (uint32_t i = 0; i < file->channel_count; i++) {
        struct descriptor descriptor;
        uint64_t offset = reader_offset(reader);
        reader_enter(reader, "channels", i);
        if (!read_descriptor(reader, walk->game, &descriptor))
            return false;
        check_bone(walk, &descriptor, offset, seen);
        for (unsigned k = 0; k < descriptor.part_count; k++) {
            if (!check_part(walk, file, &descriptor.parts[k]))
                return false;
        }
        reader_leave(reader);
    }
    if (file->part_count && file->stored_keys > file->bitmap_keys)
        prime_walk_warn(walk, file->descriptors, "unused_keys",
                        "%u keys are stored, the bitmap has %u after frame 0", file->stored_keys,
                        file->bitmap_keys);
    return true;
}

bool prime_packed_walk(struct prime_walk *walk, struct prime_packed *file)
{
    struct reader *reader = &walk->reader;
    *file = (struct prime_packed){0};
    if (!read_head(walk, file) || !read_bitmap(walk, file) || !read_counts(walk, file) ||
        !read_descriptors(walk, file))
        return false;
    file->stream_words = (file->bits_per_key * file->stored_keys + 31) / 32;
    file->stream = reader_bytes(reader, file->stream_words * 4, "bitstream");
    return prime_check_end(&walk->reader);
}

/* ------------------------------------------------------------------------------------------------- the clip -- */

struct building {
    struct decode_job *job;
    const struct prime_packed *file;
    struct pose_track *tracks;
    struct prime_part *parts; /* of all channels, in stream order */
    float *times;
};

static void begin_part(struct building *building, struct prime_part *part, const struct prime_part *from,
                       struct pose_channel *channel)
{
    const struct prime_packed *file = building->file;
    uint32_t count = file->keys + 1, numbers = from->part == POSE_ROTATION ? 4 : 3;
    float *values = arena_alloc(building->job->arena, (size_t)count * numbers + PRIME_SPARE, sizeof *values);
    *part = *from;
    part->out = values;
    *channel = (struct pose_channel){.count = count, .times = building->times, .values = values};
    if (!values)
        return;
    part->scale = from->part == POSE_ROTATION      ? 1
                  : from->part == POSE_TRANSLATION ? file->translation_multiplier
                                                   : file->scale_multiplier;
    for (int i = 0; i < 3; i++)
        part->out[i] = (float)from->values[i] * part->scale;
    if (numbers == 4)
        part->out[3] = 1; /* frame 0 has no sign */
    part->out += numbers;
}

/* Reads the descriptors again, which the walk has validated. */
static bool begin_tracks(struct building *building, const struct prime_walk *walk)
{
    struct reader reader = walk->reader;
    struct prime_part *part = building->parts;
    reader.at = reader.start + building->file->descriptors;
    for (uint32_t i = 0; i < building->file->channel_count; i++) {
        struct pose_track *track = &building->tracks[i];
        struct descriptor descriptor;
        if (!read_descriptor(&reader, walk->game, &descriptor))
            return false;
        track->has_id = true;
        track->id = descriptor.bone_id;
        for (unsigned k = 0; k < descriptor.part_count; k++) {
            const struct prime_part *from = &descriptor.parts[k];
            begin_part(building, part++, from, &track->channels[from->part]);
        }
    }
    return !building->job->arena->failed;
}

static void finish_rotations(const struct building *building)
{
    const struct prime_packed *file = building->file;
    const uint32_t count = file->keys + 1;
    for (uint32_t i = 0; i < file->part_count; i++) {
        const struct prime_part *part = &building->parts[i];
        if (part->part == POSE_ROTATION)
            prime_rotations_scale(part->out - (size_t)count * 4, count, file->divisor);
    }
}

/* The frames of the keys: frame 0 and those in the bitmap that are played. */
static uint32_t *list_frames(struct arena *arena, const struct prime_packed *file)
{
    uint32_t *frames = ARENA_NEW(arena, uint32_t, (size_t)file->keys + 1);
    struct bits bitmap;
    bits_init(&bitmap, file->bitmap, ((uint64_t)file->bitmap_bits + 31) / 32);
    uint64_t at = 0;
    for (uint32_t k = 1; frames && k <= file->keys; k++) {
        at = bits_find(&bitmap, at + 1, file->bitmap_bits);
        frames[k] = (uint32_t)at;
    }
    return frames;
}

static void put_extras(struct value_list *extras, enum prime_game game, const struct prime_packed *file,
                       const uint32_t *frames)
{
    struct value_list list = value_array(extras->arena);
    prime_put_head(extras, game, PRIME_ANIM_PACKED, file->evnt, file->root_bone_id, file->interval);
    value_put_int(extras, "scratch_size", file->scratch_size);
    value_put_int(extras, "rotation_divisor", file->divisor);
    value_put_float(extras, "translation_multiplier", file->translation_multiplier);
    if (has_scale(game))
        value_put_float(extras, "scale_multiplier", file->scale_multiplier);
    else
        value_put_null(extras, "scale_multiplier");
    for (uint32_t k = 0; frames && k <= file->keys; k++)
        value_put_int(&list, NULL, frames[k]);
    value_put_list(extras, "key_frames", &list);
}

bool prime_packed_build(struct decode_job *job, const struct prime_walk *walk,
                        const struct prime_packed *file, struct pose_clip *clip)
{
    struct arena *arena = job->arena;
    if (!prime_check_keys(job, file->part_count, (uint64_t)file->keys + 1, file->descriptors))
        return false;
    uint32_t *frames = list_frames(arena, file);
    struct building building = {
        .job = job,
        .file = file,
        .tracks = ARENA_NEW(arena, struct pose_track, file->channel_count),
        .parts = ARENA_NEW(arena, struct prime_part, file->part_count),
        .times = prime_key_times(arena, frames, file->keys + 1, file->interval),
    };
    if (!frames || !building.tracks || !building.parts || !building.times || !begin_tracks(&building, walk))
        return false;
    prime_packed_read(file, building.parts);
    finish_rotations(&building);
    struct value_list extras = value_object(arena);
    put_extras(&extras, walk->game, file, frames);
    clip->rules = POSE_RULES_PRIME;
    clip->duration = file->duration;
    clip->frame_count = file->last_frame + 1;
    clip->loop = file->looping ? POSE_LOOP_YES : POSE_LOOP_NO;
    clip->track_count = file->channel_count;
    clip->tracks = building.tracks;
    clip->extras = value_done(&extras);
    return true;
}
