/*
 * Metroid Prime: clips of version 0, with a float key for every frame and channel.
 *
 *     u32 0   f32 duration, u32 kind   f32 interval, u32 kind   u32 frames, root bone
 *     tables of u32 count, s8 each:  bones: the channel of each, then for each channel the rows of keys:
 *         [mp2: rotation], translation, [mp2: scale]
 *     keys of u32 count, floats:  [mp2: scale, x y z], rotation, w x y z, translation, x y z; row by row
 *     [mp1: u32 EVNT]
 *
 * In mp1 a channel is the row of its rotation. The order of scale keys in the game itself is disputed
 * (prime-anim.md, 3); here it is the same as for the others.
 */
#include "lib/formats/prime/anim/clip.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const unsigned key_size[3] = {12, 16, 12};
static const char *const part_keys[3] = {"translation_keys", "rotation_keys", "scale_keys"};
static const char *const part_tables[3] = {"translation_table", "rotation_table", "scale_table"};

/* ------------------------------------------------------------------------------------------------ the walk -- */

static void read_table(struct reader *reader, struct prime_table *table, const char *field)
{
    table->count = reader_u32be(reader, field);
    table->offset = reader_offset(reader);
    if (reader_count(reader, table->count, 1, "entries", "count_too_large"))
        table->bytes = reader_bytes(reader, table->count, field);
}

static float float_at(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_keys(struct reader *reader, enum pose_part part, struct prime_keys *keys)
{
    keys->count = reader_u32be(reader, part_keys[part]);
    keys->offset = reader_last_offset(reader);
    if (!reader_count(reader, keys->count, key_size[part], "keys", "count_too_large"))
        return false;
    uint64_t offset = reader_offset(reader), size = (uint64_t)keys->count * key_size[part];
    keys->bytes = reader_bytes(reader, size, part_keys[part]);
    for (uint64_t i = 0; keys->bytes && i < size; i += 4) {
        if (!isfinite(float_at(keys->bytes + i)))
            return reader_fail_at(reader, offset + i, part_keys[part], "not_finite",
                                  "key %llu is not a usable number",
                                  (unsigned long long)(i / key_size[part]));
    }
    return !reader->failed;
}

static bool read_head(struct prime_walk *walk, struct prime_frames *file)
{
    struct reader *reader = &walk->reader;
    reader_u32be(reader, "version");
    file->duration = prime_walk_duration(walk);
    file->duration_kind = reader_u32be(reader, "duration_kind");
    file->interval = prime_walk_interval(walk);
    file->interval_kind = reader_u32be(reader, "interval_kind");
    file->frame_count = reader_u32be(reader, "key_count");
    if (!reader->failed && !file->frame_count)
        return reader_fail(reader, "no_keys", "a clip without frames");
    file->root_bone_id = reader_u32be(reader, "root_bone_id");
    return !reader->failed;
}

static bool read_tables(struct prime_walk *walk, struct prime_frames *file)
{
    struct reader *reader = &walk->reader;
    read_table(reader, &file->bones, "bone_table");
    if (!reader->failed && file->bones.count != PRIME_BONE_LIMIT)
        prime_walk_warn(walk, file->bones.offset, "bone_table_size", "the bone table has %u entries, not %d",
                        file->bones.count, PRIME_BONE_LIMIT);
    if (walk->game == PRIME_MP2)
        read_table(reader, &file->tables[POSE_ROTATION], part_tables[POSE_ROTATION]);
    read_table(reader, &file->tables[POSE_TRANSLATION], part_tables[POSE_TRANSLATION]);
    if (walk->game == PRIME_MP2)
        read_table(reader, &file->tables[POSE_SCALE], part_tables[POSE_SCALE]);
    return !reader->failed;
}

static bool read_all_keys(struct prime_walk *walk, struct prime_frames *file)
{
    struct reader *reader = &walk->reader;
    if (walk->game == PRIME_MP2 && !read_keys(reader, POSE_SCALE, &file->keys[POSE_SCALE]))
        return false;
    return read_keys(reader, POSE_ROTATION, &file->keys[POSE_ROTATION]) &&
           read_keys(reader, POSE_TRANSLATION, &file->keys[POSE_TRANSLATION]);
}

/* The row of a channel in the keys of a part, -1: none; -2: the table has no such channel. */
static int row_of(const struct prime_frames *file, enum prime_game game, unsigned channel,
                  enum pose_part part)
{
    const struct prime_table *table = &file->tables[part];
    if (game != PRIME_MP2 && part != POSE_TRANSLATION)
        return part == POSE_ROTATION ? (int)channel : -1;
    if (channel >= table->count)
        return -2;
    return table->bytes[channel] < 0x80 ? (int)table->bytes[channel] : -1;
}

/* Channels index tables, and tables index keys: an index out of range is an error. */
static bool check_channel(struct prime_walk *walk, struct prime_frames *file, uint32_t bone,
                          bool seen[3][0x80])
{
    struct reader *reader = &walk->reader;
    unsigned channel = file->bones.bytes[bone];
    for (int part = 0; part < 3; part++) {
        int row = row_of(file, walk->game, channel, (enum pose_part)part);
        const struct prime_keys *keys = &file->keys[part];
        if (row == -2)
            return reader_fail_at(reader, file->bones.offset + bone, "bone_table", "bad_channel",
                                  "bone %u has channel %u, the %s has %u", bone, channel, part_tables[part],
                                  file->tables[part].count);
        if (row < 0)
            continue;
        if (((uint64_t)row + 1) * file->frame_count > keys->count)
            return reader_fail_at(reader, keys->offset, part_keys[part], "bad_channel",
                                  "channel %u of bone %u is beyond the %u keys", channel, bone, keys->count);
        seen[part][row] = true;
        file->part_count++;
    }
    return true;
}

static bool check_channels(struct prime_walk *walk, struct prime_frames *file)
{
    bool seen[3][0x80] = {{false}};
    for (uint32_t bone = 0; bone < file->bones.count; bone++) {
        if (file->bones.bytes[bone] >= 0x80)
            continue;
        if (bone >= PRIME_BONE_LIMIT)
            prime_walk_warn(walk, file->bones.offset + bone, "bone_id_too_large", "bone %u; ids end at %d",
                            bone, PRIME_BONE_LIMIT - 1);
        if (!check_channel(walk, file, bone, seen))
            return false;
    }
    for (int part = 0; part < 3; part++) {
        uint64_t rows = 0;
        for (int row = 0; row < 0x80; row++)
            rows += seen[part][row];
        if (rows * file->frame_count != file->keys[part].count)
            prime_walk_warn(walk, file->keys[part].offset, "key_counts_differ",
                            "%u %s, of which the channels use %llu", file->keys[part].count, part_keys[part],
                            (unsigned long long)(rows * file->frame_count));
    }
    return true;
}

bool prime_frames_walk(struct prime_walk *walk, struct prime_frames *file)
{
    *file = (struct prime_frames){0};
    if (!read_head(walk, file) || !read_tables(walk, file) || !read_all_keys(walk, file))
        return false;
    if (walk->game != PRIME_MP2)
        file->evnt = reader_u32be(&walk->reader, "evnt");
    if (walk->reader.failed)
        return false;
    walk->reached = reader_offset(&walk->reader);
    return check_channels(walk, file) && prime_check_end(&walk->reader);
}

/* ------------------------------------------------------------------------------------------------- the clip -- */

struct building {
    struct decode_job *job;
    const struct prime_frames *file;
    enum prime_game game;
    float *times;
    float *rows[3][0x80]; /* those already read: bones may share a row */
};

static float *read_row(struct building *building, enum pose_part part, int row)
{
    const struct prime_frames *file = building->file;
    size_t count = file->frame_count, numbers = key_size[part] / 4;
    float *values = arena_alloc(building->job->arena, count * numbers, sizeof *values);
    const uint8_t *from = file->keys[part].bytes + (size_t)row * count * key_size[part];
    for (size_t k = 0; values && k < count; k++, from += key_size[part]) {
        float *key = values + k * numbers;
        for (size_t i = 0; i < numbers; i++)
            key[numbers == 4 ? (i + 3) % 4 : i] = float_at(from + 4 * i); /* w is stored first */
    }
    return values;
}

static void build_track(struct building *building, uint32_t bone, struct pose_track *track)
{
    track->has_id = true;
    track->id = bone;
    for (int part = 0; part < 3; part++) {
        int row =
            row_of(building->file, building->game, building->file->bones.bytes[bone], (enum pose_part)part);
        if (row < 0)
            continue;
        if (!building->rows[part][row])
            building->rows[part][row] = read_row(building, (enum pose_part)part, row);
        track->channels[part] = (struct pose_channel){.count = building->file->frame_count,
                                                      .times = building->times,
                                                      .values = building->rows[part][row]};
    }
}

static uint32_t count_tracks(const struct prime_frames *file)
{
    uint32_t count = 0;
    for (uint32_t bone = 0; bone < file->bones.count; bone++)
        count += file->bones.bytes[bone] < 0x80;
    return count;
}

bool prime_frames_build(struct decode_job *job, const struct prime_walk *walk,
                        const struct prime_frames *file, struct pose_clip *clip)
{
    if (!prime_check_keys(job, file->part_count, file->frame_count, file->bones.offset))
        return false;
    struct building building = {.job = job, .file = file, .game = walk->game};
    struct pose_track *tracks = ARENA_NEW(job->arena, struct pose_track, count_tracks(file));
    /* Without keys the number of frames is not trusted. */
    building.times =
        prime_key_times(job->arena, NULL, file->part_count ? file->frame_count : 0, file->interval);
    for (uint32_t bone = 0; tracks && building.times && bone < file->bones.count; bone++) {
        if (file->bones.bytes[bone] < 0x80)
            build_track(&building, bone, &tracks[clip->track_count++]);
    }
    struct value_list extras = value_object(job->arena);
    prime_put_head(&extras, walk->game, PRIME_ANIM_FRAMES, file->evnt, file->root_bone_id, file->interval);
    value_put_null(&extras, "scratch_size");
    value_put_null(&extras, "rotation_divisor");
    value_put_null(&extras, "translation_multiplier");
    value_put_null(&extras, "scale_multiplier");
    value_put_null(&extras, "key_frames");
    value_put_int(&extras, "duration_kind", file->duration_kind);
    value_put_int(&extras, "interval_kind", file->interval_kind);
    clip->rules = POSE_RULES_PRIME_FRAMES;
    clip->duration = file->duration;
    clip->frame_count = file->frame_count;
    clip->tracks = tracks;
    clip->extras = value_done(&extras);
    return !job->arena->failed;
}
