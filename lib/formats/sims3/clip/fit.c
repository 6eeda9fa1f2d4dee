#include "lib/formats/sims3/clip/fit.h"

#include "lib/core/hash.h"
#include "lib/core/numbers/float_bits.h"
#include "lib/core/value.h"
#include "lib/formats/sims3/clip/keys.h"
#include "lib/model/axes.h"

#include <math.h>

enum {
    MAX_KEYS = 65535,    /* maximum keys per channel */
    MAX_PALETTE = 65536, /* maximum values that an index can address */
    TABLE_SIZE = 1 << 17,
    SETTLE_ROUNDS = 32, /* each but the last brings a rotation nearer to unit length; three usually suffice */
    SLACK_STEPS = 2,    /* how far normalising a rotation may move it out of its channel's range */
};

/* No rotation component needs more; a greater scale would only lose precision. */
static const float MAX_ROTATION_SCALE = 1.01f;
/* Rotations of a file are negated only if the result is clearly nearer. */
static const float OPPOSITE = -0.01f;
/* Well above the error of single precision, well below a step. */
static const double SAME_NUMBER = 2e-6;

static const double DEFAULT_FRAME_DURATION = 1 / 30.0; /* as in every known file */

struct fitting {
    struct encode_job *job;
    const struct pose_clip *clip;
    struct sims3_fit *fit;
    uint32_t last_tick;
    /* Reported once per clip. */
    uint32_t merged_keys, nameless, other;
};

/* -------------------------------------------------------------------------------------- packing of values -- */

unsigned sims3_fit_key_size(const struct sims3_fit_channel *channel)
{
    return sims3_packing_of(channel->type)->key_size;
}

/* The slot of the value in the palette's table, or the free slot where it belongs. */
static uint32_t find_slot(const struct sims3_fit *fit, float value)
{
    uint32_t bits = bits_of_float(value), slot = (bits * 2654435761u) >> 15;
    while (fit->palette_table[slot] && bits_of_float(fit->palette[fit->palette_table[slot] - 1]) != bits)
        slot = (slot + 1) % TABLE_SIZE;
    return slot;
}

/* A component as stored. */
struct raw {
    unsigned whole;
    bool negative;
};

static unsigned largest_raw(enum sims3_packing_kind kind)
{
    return kind == SIMS3_TEN_BITS ? 1023 : kind == SIMS3_WORDS ? 4095 : 65535;
}

static struct raw quantise(const struct sims3_fit_channel *channel, float value, unsigned max)
{
    double normal = ((double)value - (double)channel->offset) / (double)channel->scale;
    double steps = floor(fabs(normal) * max + 0.5);
    unsigned whole = steps < max ? (unsigned)steps : max;
    return (struct raw){whole, normal < 0 && whole > 0};
}

static double unpack(const struct sims3_fit_channel *channel, struct raw raw, unsigned max)
{
    double normal = raw.whole / (double)max;
    return (raw.negative ? -normal : normal) * (double)channel->scale + (double)channel->offset;
}

static struct raw pack_component(const struct sims3_fit *fit, const struct sims3_fit_channel *channel,
                                 float value)
{
    enum sims3_packing_kind kind = sims3_packing_of(channel->type)->kind;
    if (kind == SIMS3_PALETTE)
        return (struct raw){fit->palette_table[find_slot(fit, fabsf(value))] - 1, value < 0};
    return quantise(channel, value, largest_raw(kind));
}

/*
 * A reader normalises rotations, which moves them off the grid: written again they could drift to a neighbouring
 * step. Each round brings the stored rotation nearer to unit length, until it is the nearest one to what is read
 * from it.
 */
static void settle(const struct sims3_fit_channel *channel, struct raw raws[4])
{
    unsigned max = largest_raw(SIMS3_WORDS);
    bool moved = true;
    for (int round = 0; moved && round < SETTLE_ROUNDS; round++) {
        double q[4];
        for (int c = 0; c < 4; c++) {
            q[c] = unpack(channel, raws[c], max);
        }
        sims3_normalise(q);
        moved = false;
        for (int c = 0; c < 4; c++) {
            struct raw next = quantise(channel, (float)q[c], max);
            moved |= next.whole != raws[c].whole || next.negative != raws[c].negative;
            raws[c] = next;
        }
    }
}

static void put_word(uint8_t *to, unsigned word)
{
    to[0] = (uint8_t)word;
    to[1] = (uint8_t)(word >> 8);
}

void sims3_fit_pack(const struct sims3_fit *fit, const struct sims3_fit_channel *channel, const float *value,
                    uint8_t *to)
{
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    struct raw raws[4] = {{0, false}};
    unsigned flags = 0;
    for (unsigned c = 0; c < packing->components; c++)
        raws[c] = pack_component(fit, channel, value[c]);
    if (packing->kind == SIMS3_WORDS && fit->settled)
        settle(channel, raws);
    for (unsigned c = 0; c < packing->components; c++)
        flags |= (unsigned)raws[c].negative << c;
    put_word(to, flags);
    if (packing->kind == SIMS3_TEN_BITS) {
        uint32_t packed =
            (uint32_t)raws[0].whole | (uint32_t)raws[1].whole << 10 | (uint32_t)raws[2].whole << 20;
        put_word(to + 2, packed & 0xffff);
        put_word(to + 4, packed >> 16);
        return;
    }
    for (unsigned c = 0; c < packing->components; c++)
        put_word(to + 2 + 2 * (size_t)c, raws[c].whole);
}

/* ------------------------------------------------------------------------------------------- the palette -- */

static bool index_palette(struct fitting *fitting)
{
    struct sims3_fit *fit = fitting->fit;
    if (!fit->palette_table)
        fit->palette_table = ARENA_NEW(fitting->job->arena, uint32_t, TABLE_SIZE);
    if (!fit->palette_table)
        return false;
    for (uint32_t i = 0; i < fit->palette_count && i < MAX_PALETTE; i++) {
        uint32_t slot = find_slot(fit, fit->palette[i]);
        if (!fit->palette_table[slot])
            fit->palette_table[slot] = i + 1;
    }
    return true;
}

/* Adds every value of the channel to the palette; false if it is full. */
static bool extend_palette(struct fitting *fitting, const float *values, size_t count)
{
    struct sims3_fit *fit = fitting->fit;
    if (!fit->palette_table && !index_palette(fitting))
        return false;
    for (size_t i = 0; i < count; i++) {
        float value = fabsf(values[i]);
        uint32_t slot = find_slot(fit, value);
        if (fit->palette_table[slot])
            continue;
        if (fit->palette_count >= MAX_PALETTE)
            return false;
        fit->palette[fit->palette_count++] = value;
        fit->palette_table[slot] = fit->palette_count;
    }
    return true;
}

/* Takes the clip's original palette, even if no channel uses it, and reserves room for more. */
static bool take_palette(struct fitting *fitting)
{
    struct sims3_fit *fit = fitting->fit;
    const struct pose_value *palette = pose_value_find(fitting->clip->extras, "palette");
    size_t count = palette && palette->kind == POSE_ARRAY ? value_count(palette) : 0;
    fit->palette = ARENA_NEW(fitting->job->arena, float, count + MAX_PALETTE);
    if (!fit->palette)
        return false;
    count = value_get_floats(fitting->clip->extras, "palette", fit->palette, count);
    while (count && !isfinite(fit->palette[count - 1]))
        count--;
    fit->palette_count = (uint32_t)count;
    return true;
}

/* ----------------------------------------------------------------------------------------------- channels -- */

static const uint8_t sub_types[POSE_PART_COUNT] = {SIMS3_TRANSLATION, SIMS3_ORIENTATION, SIMS3_SCALE,
                                                   SIMS3_MORPH};
static const uint8_t palette_types[POSE_PART_COUNT] = {SIMS3_F3, SIMS3_F4, SIMS3_F3, SIMS3_F1};
static const uint8_t packed_types[POSE_PART_COUNT] = {SIMS3_F3_PACKED, SIMS3_F4_PACKED, SIMS3_F3_PACKED,
                                                      SIMS3_F1_NORMALIZED};

/* How the part was stored in the track's original file, in that packing; NULL if it was not. */
static const struct pose_value *find_row(const struct pose_track *track, enum pose_part part, uint8_t type)
{
    const struct pose_value *channels = pose_value_find(track->extras, "channels"), *found = NULL;
    const struct pose_value *row = channels && channels->kind == POSE_ARRAY ? channels->first : NULL;
    for (; row; row = row->next) {
        if (value_get_int(row, "sub_type", 0) == sub_types[part] && value_get_int(row, "type", 0) == type)
            found = row;
    }
    return found;
}

static bool are_zero(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 0)
            return false;
    }
    return true;
}

static void choose_range(struct sims3_fit_channel *channel, const float *values, size_t count)
{
    double least = (double)values[0], most = least;
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, (double)values[i]);
        most = fmax(most, (double)values[i]);
    }
    channel->offset = (float)((least + most) / 2);
    channel->scale = (float)((most - least) / 2);
    if (channel->scale == 0)
        channel->scale = 1;
}

/* Whether the values fit this offset and scale, allowing for normalisation of rotations. */
static bool fits(const struct sims3_fit_channel *range, const float *values, size_t count, unsigned max)
{
    double most = 1 + (double)SLACK_STEPS / max;
    if (!isfinite(range->offset) || !isfinite(range->scale) || range->scale == 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(((double)values[i] - (double)range->offset) / (double)range->scale) <= most))
            return false;
    }
    return true;
}

/* The original offset and scale of the part; false if it was not stored in that packing. */
static bool read_range(const struct pose_track *track, enum pose_part part, uint8_t type,
                       struct sims3_fit_channel *range)
{
    const struct pose_value *row = find_row(track, part, type);
    range->offset = value_get_float(row, "offset", 0);
    range->scale = value_get_float(row, "scale", 0);
    return row != NULL;
}

/* Values from a file are whole steps of its offset and scale: reusing these restores them exactly. */
static bool keep_range(const struct pose_track *track, enum pose_part part, struct sims3_fit_channel *channel,
                       size_t count)
{
    struct sims3_fit_channel own = {.scale = 0};
    bool had_range = read_range(track, part, channel->type, &own);
    unsigned max = largest_raw(sims3_packing_of(channel->type)->kind);
    bool too_coarse = part == POSE_ROTATION && fabsf(own.scale) > MAX_ROTATION_SCALE;
    if (!had_range || too_coarse || !fits(&own, channel->values, count, max))
        return false;
    channel->offset = own.offset;
    channel->scale = own.scale;
    return true;
}

static void choose_packing(struct fitting *fitting, const struct pose_track *track, enum pose_part part,
                           struct sims3_fit_channel *channel)
{
    size_t numbers = (size_t)channel->count * part_components(part);
    channel->sub_type = sub_types[part];
    channel->scale = 1;
    if ((part == POSE_TRANSLATION || part == POSE_MORPH) && are_zero(channel->values, numbers)) {
        channel->type = part == POSE_MORPH ? SIMS3_F1_ZERO : SIMS3_F3_ZERO;
        channel->count = 0;
        return;
    }
    channel->type = palette_types[part];
    if (find_row(track, part, channel->type) && extend_palette(fitting, channel->values, numbers))
        return;
    channel->type = packed_types[part];
    if (!keep_range(track, part, channel, numbers))
        choose_range(channel, channel->values, numbers);
}

/* Whether the rotations are what is read from the steps of this channel. */
static bool are_steps_of(const struct sims3_fit_channel *channel, const float *rotations, uint32_t count)
{
    unsigned max = largest_raw(SIMS3_WORDS);
    if (!fits(channel, rotations, (size_t)4 * count, max))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const float *q = rotations + (size_t)4 * k;
        double read[4];
        for (int c = 0; c < 4; c++)
            read[c] = unpack(channel, quantise(channel, q[c], max), max);
        sims3_normalise(read);
        for (int c = 0; c < 4; c++) {
            if (fabs(read[c] - (double)q[c]) > SAME_NUMBER)
                return false;
        }
    }
    return true;
}

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/*
 * Normalises, and puts each key in the hemisphere of the previous one. Keys already stored keep their sign:
 * between keys about half a turn apart the hemisphere depends on quantisation, which could decide differently
 * each time.
 */
static void straighten(const struct pose_track *track, float *rotations, uint32_t count, float opposite)
{
    struct sims3_fit_channel stored = {.scale = 0};
    bool had_range = read_range(track, POSE_ROTATION, packed_types[POSE_ROTATION], &stored);
    for (uint32_t k = 0; k < count; k++)
        quat_normalise(rotations + (size_t)4 * k);
    if (had_range && are_steps_of(&stored, rotations, count))
        return;
    for (uint32_t k = 1; k < count; k++) {
        float *q = rotations + (size_t)4 * k;
        if (!(dot(q, q - 4) < opposite))
            continue;
        for (int i = 0; i < 4; i++)
            q[i] = -q[i];
    }
}

/* Of keys that fall on the same tick the last one is kept. */
static bool take_keys(struct fitting *fitting, const struct pose_track *track, enum pose_part part,
                      struct sims3_fit_channel *channel)
{
    const struct pose_channel *from = &track->channels[part];
    size_t components = part_components(part);
    uint16_t *ticks = ARENA_NEW(fitting->job->arena, uint16_t, from->count);
    float *values = ARENA_NEW(fitting->job->arena, float, from->count *components);
    if (!ticks || !values)
        return false;
    for (uint32_t k = 0; k < from->count; k++) {
        double tick = floor((double)from->times[k] / (double)fitting->fit->frame_duration + 0.5);
        uint16_t whole = (uint16_t)fmin(fmax(tick, 0), SIMS3_TICK_LAST);
        bool same = channel->count && ticks[channel->count - 1] == whole;
        fitting->merged_keys += same;
        channel->count += !same;
        ticks[channel->count - 1] = whole;
        memcpy(values + (channel->count - 1) * components, from->values + k * components,
               components * sizeof *values);
    }
    if (ticks[channel->count - 1] > fitting->last_tick)
        fitting->last_tick = ticks[channel->count - 1];
    if (part != POSE_MORPH && fitting->clip->axes != POSE_AXES_GLTF)
        pose_convert_axes(part, values, channel->count, fitting->clip->axes, POSE_AXES_GLTF);
    if (part == POSE_ROTATION)
        straighten(track, values, channel->count, fitting->fit->settled ? OPPOSITE : 0);
    channel->ticks = ticks;
    channel->values = values;
    return true;
}

static bool are_finite(const struct pose_channel *channel, uint32_t components)
{
    for (size_t i = 0; i < channel->count; i++) {
        if (!isfinite(channel->times[i]))
            return false;
    }
    for (size_t i = 0; i < (size_t)channel->count * components; i++) {
        if (!isfinite(channel->values[i]))
            return false;
    }
    return true;
}

/* The key by which the game finds what the track drives. Ids of other formats are not keys. */
static bool find_key(const struct fitting *fitting, const struct pose_track *track, enum pose_part part,
                     uint32_t *key)
{
    size_t length = track->name ? strlen(track->name) : 0;
    if (track->has_id && (fitting->clip->rules == POSE_RULES_SIMS3 || !track->name))
        *key = track->id;
    else if (track->name)
        *key =
            part == POSE_MORPH ? (uint32_t)hash_fnv64(track->name, length) : hash_fnv32(track->name, length);
    else
        return false;
    return true;
}

static bool fit_channel(struct fitting *fitting, uint32_t index, enum pose_part part)
{
    const struct pose_track *track = &fitting->clip->tracks[index];
    const struct pose_channel *from = &track->channels[part];
    struct sims3_fit_channel *channel = &fitting->fit->channels[fitting->fit->channel_count];
    *channel = (struct sims3_fit_channel){0};
    if (!from->count)
        return true;
    if (!are_finite(from, part_components(part)))
        return error_set(fitting->job->error, POSE_BAD_DATA, "not_finite",
                         "tracks[%u].%s: a key holds no number", index, part_name(part));
    if (!find_key(fitting, track, part, &channel->key)) {
        fitting->nameless++;
        return true;
    }
    if (!take_keys(fitting, track, part, channel))
        return false;
    choose_packing(fitting, track, part, channel);
    if (channel->count > MAX_KEYS)
        return error_set(fitting->job->error, POSE_BAD_DATA, "too_many_keys",
                         "tracks[%u].%s: %u keys; a channel holds up to %d", index, part_name(part),
                         channel->count, MAX_KEYS);
    fitting->fit->channel_count++;
    return true;
}

/* --------------------------------------------------------------------------------------------------- clip -- */

/* The clip's own; every known file has 1/30, so rates close to that are rounded to it. */
static void choose_frame_duration(struct fitting *fitting)
{
    const struct pose_clip *clip = fitting->clip;
    float own = value_get_float(clip->extras, "frame_duration", 0);
    double chosen = DEFAULT_FRAME_DURATION;
    if (isfinite(own) && own > 0)
        chosen = (double)own;
    else if (isfinite(clip->fps) && clip->fps > 0 && fabs((double)clip->fps * chosen - 1) > 0.01)
        chosen = 1 / (double)clip->fps;
    if (chosen > (double)SIMS3_FRAME_DURATION_LIMIT)
        chosen = DEFAULT_FRAME_DURATION;
    fitting->fit->frame_duration = (float)chosen;
}

static bool check_duration(struct fitting *fitting)
{
    float duration = fitting->clip->duration;
    double ticks = floor((double)duration / (double)fitting->fit->frame_duration + 0.5);
    if (!isfinite(duration) || duration < 0)
        return error_set(fitting->job->error, POSE_BAD_DATA, "bad_duration", "a clip of %g seconds",
                         (double)duration);
    if (ticks > SIMS3_TICK_LAST)
        return error_set(fitting->job->error, POSE_BAD_DATA, "too_long",
                         "a clip of %.0f ticks of %g s; at most %d fit: cut it first", ticks,
                         (double)fitting->fit->frame_duration, SIMS3_TICK_LAST);
    fitting->last_tick = (uint32_t)ticks;
    return true;
}

static void tell(const struct fitting *fitting)
{
    struct encode_job *job = fitting->job;
    if (fitting->merged_keys)
        encode_warn(job, "keys_merged", "%u keys fell on the tick of another; the last one was kept",
                    fitting->merged_keys);
    if (fitting->nameless)
        encode_warn(job, "unnamed_track", "%u channels of tracks without a name or id were left out",
                    fitting->nameless);
    if (fitting->other)
        encode_warn(job, "channels_dropped", "unknown channels of %u tracks were left out", fitting->other);
    if (fitting->clip->loop == POSE_LOOP_YES)
        encode_warn(job, "loop_dropped", "the loop flag was dropped: the format has none");
}

bool sims3_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct sims3_fit *fit)
{
    struct fitting fitting = {.job = job, .clip = clip, .fit = fit};
    *fit = (struct sims3_fit){0};
    fit->channels =
        ARENA_NEW(job->arena, struct sims3_fit_channel, (size_t)clip->track_count * POSE_PART_COUNT + 1);
    if (!fit->channels || !take_palette(&fitting))
        return false;
    fit->settled = clip->rules == POSE_RULES_SIMS3;
    choose_frame_duration(&fitting);
    if (!check_duration(&fitting))
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        fitting.other += pose_value_find(clip->tracks[i].extras, "other") != NULL;
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            if (!fit_channel(&fitting, i, (enum pose_part)part))
                return false;
        }
    }
    /* 65536 ticks do not fit the count: the last key implies the last tick. */
    fit->tick_count = (uint16_t)(fitting.last_tick < UINT16_MAX ? fitting.last_tick + 1 : UINT16_MAX);
    tell(&fitting);
    return !job->arena->failed;
}
