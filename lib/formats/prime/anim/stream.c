#include "lib/formats/prime/anim/stream.h"

#include "lib/core/value.h"
#include "lib/model/axes.h"

#include <math.h>
#include <string.h>

/* The game computes the length of the stream in single precision. */
static const uint64_t MAX_STREAM = 1 << 24;

/* The order in descriptors and in the stream. */
static const enum pose_part file_order[PRIME_FIT_PARTS] = {POSE_ROTATION, POSE_TRANSLATION, POSE_SCALE};

struct planning {
    struct encode_job *job;
    const struct prime_fit *fit;
    const struct pose_value *extras; /* the clip's, if they are an ANIM's */
    struct prime_stream *stream;
};

/* ------------------------------------------------------------------------------------------ rotations -- */

/* The sign of the first w cannot be stored: negates the whole track. */
static void turn_over(float *rotations, uint32_t count)
{
    bool is_negative = rotations[3] < 0;
    for (size_t i = 0; is_negative && i < (size_t)4 * count; i++)
        rotations[i] = -rotations[i];
}

/* Quantises all rotations with that divisor; false if must_be_exact and they are not. */
static bool quantise_rotations(struct planning *planning, uint32_t divisor, bool must_be_exact)
{
    const struct prime_fit *fit = planning->fit;
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        struct prime_stream_channel *to = &planning->stream->channels[c];
        const float *q = fit->channels[c].values[POSE_ROTATION];
        for (uint32_t k = 0; q && k < fit->key_count; k++, q += 4) {
            bool is_exact;
            struct prime_rotation rotation = prime_rotation_quantise(q, divisor, &is_exact);
            if (must_be_exact && !is_exact)
                return false;
            memcpy(to->steps[POSE_ROTATION][k], rotation.steps, sizeof rotation.steps);
            to->are_negative[k] = rotation.is_negative && k > 0;
        }
    }
    planning->stream->divisor = divisor;
    return true;
}

static void plan_rotations(struct planning *planning)
{
    int64_t own = value_get_int(planning->extras, "rotation_divisor", 0);
    if (own > 0 && own <= UINT32_MAX && quantise_rotations(planning, (uint32_t)own, true))
        return;
    quantise_rotations(planning, PRIME_DIVISOR, false);
}

/* -------------------------------------------------------------------------------------------- vectors -- */

static bool are_multiples(const struct prime_fit *fit, enum pose_part part, float multiplier)
{
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        const float *values = fit->channels[c].values[part];
        if (values && !prime_vectors_are_multiples(values, fit->key_count, multiplier))
            return false;
    }
    return true;
}

static float choose_multiplier(const struct planning *planning, enum pose_part part, const char *key)
{
    const struct prime_fit *fit = planning->fit;
    double most = 0;
    float own;
    if (value_number(pose_value_find(planning->extras, key), &own) && isfinite(own) &&
        are_multiples(fit, part, own))
        return own;
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        if (fit->channels[c].values[part])
            prime_vectors_measure(fit->channels[c].values[part], fit->key_count, &most);
    }
    return prime_multiplier(most);
}

static void plan_vectors(struct planning *planning, enum pose_part part, const char *key)
{
    const struct prime_fit *fit = planning->fit;
    float multiplier = choose_multiplier(planning, part, key);
    planning->stream->multipliers[part] = multiplier;
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        const float *value = fit->channels[c].values[part];
        for (uint32_t k = 0; value && k < fit->key_count; k++, value += 3) {
            for (int i = 0; i < 3; i++)
                planning->stream->channels[c].steps[part][k][i] = prime_vector_quantise(value[i], multiplier);
        }
    }
}

/* ---------------------------------------------------------------------------------------------- stream -- */

/* Readers add 16-bit numbers that wrap, so differences wrap too. */
static int16_t difference(int16_t from, int16_t to)
{
    return (int16_t)(uint16_t)((unsigned)to - (unsigned)from);
}

static void measure_widths(const struct prime_fit *fit, struct prime_stream_channel *channel)
{
    for (int part = 0; part < PRIME_FIT_PARTS; part++) {
        for (int i = 0; channel->steps[part] && i < 3; i++) {
            /* 0 is valid, but some tools shift by width - 1. */
            unsigned widest = 1;
            for (uint32_t k = 1; k < fit->key_count; k++) {
                unsigned width =
                    bit_width_signed(difference(channel->steps[part][k - 1][i], channel->steps[part][k][i]));
                widest = width > widest ? width : widest;
            }
            channel->widths[part][i] = (uint8_t)widest;
        }
    }
}

static uint64_t bits_per_key(const struct prime_stream *stream, const struct prime_fit *fit)
{
    uint64_t bits = 0;
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        const struct prime_stream_channel *channel = &stream->channels[c];
        bits += channel->steps[POSE_ROTATION] != NULL;
        for (int part = 0; part < PRIME_FIT_PARTS; part++) {
            for (int i = 0; i < 3; i++)
                bits += channel->widths[part][i];
        }
    }
    return bits;
}

static bool allocate(struct planning *planning)
{
    const struct prime_fit *fit = planning->fit;
    struct arena *arena = planning->job->arena;
    planning->stream->channels = ARENA_NEW(arena, struct prime_stream_channel, fit->channel_count);
    for (uint32_t c = 0; planning->stream->channels && c < fit->channel_count; c++) {
        struct prime_stream_channel *channel = &planning->stream->channels[c];
        for (int part = 0; part < PRIME_FIT_PARTS; part++) {
            if (fit->channels[c].values[part])
                channel->steps[part] = arena_alloc(arena, fit->key_count, sizeof *channel->steps[part]);
        }
        if (fit->channels[c].values[POSE_ROTATION])
            channel->are_negative = ARENA_NEW(arena, bool, fit->key_count);
    }
    return !arena->failed;
}

bool prime_stream_plan(struct encode_job *job, const struct pose_clip *clip, const struct prime_fit *fit,
                       struct prime_stream *stream)
{
    struct planning planning = {
        .job = job, .fit = fit, .extras = fit->target.is_own ? clip->extras : NULL, .stream = stream};
    *stream = (struct prime_stream){.divisor = PRIME_DIVISOR};
    if (!allocate(&planning))
        return false;
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        if (fit->channels[c].values[POSE_ROTATION])
            turn_over(fit->channels[c].values[POSE_ROTATION], fit->key_count);
    }
    plan_rotations(&planning);
    plan_vectors(&planning, POSE_TRANSLATION, "translation_multiplier");
    plan_vectors(&planning, POSE_SCALE, "scale_multiplier");
    for (uint32_t c = 0; c < fit->channel_count; c++)
        measure_widths(fit, &stream->channels[c]);
    if (bits_per_key(stream, fit) * (fit->key_count - 1) >= MAX_STREAM)
        encode_warn(job, "large_stream", "the stream is so long that the game may miscount its words");
    return true;
}

void prime_stream_write_channels(const struct prime_stream *stream, const struct prime_fit *fit,
                                 struct writer *writer)
{
    bool is_mp2 = fit->target.game == PRIME_MP2;
    for (uint32_t c = 0; c < fit->channel_count; c++) {
        const struct prime_stream_channel *channel = &stream->channels[c];
        if (is_mp2)
            writer_u8(writer, (uint8_t)fit->channels[c].bone_id);
        else
            writer_u32be(writer, fit->channels[c].bone_id);
        for (int p = 0; p < (is_mp2 ? 3 : 2); p++) {
            enum pose_part part = file_order[p];
            writer_u16be(writer, (uint16_t)(channel->steps[part] ? fit->key_count - 1 : 0));
            for (int i = 0; channel->steps[part] && i < 3; i++) {
                writer_u16be(writer, (uint16_t)channel->steps[part][0][i]);
                writer_u8(writer, channel->widths[part][i]);
            }
        }
    }
}

void prime_stream_write_keys(const struct prime_stream *stream, const struct prime_fit *fit,
                             struct writer *writer)
{
    struct bit_writer bits;
    bit_writer_init(&bits, writer);
    for (uint32_t k = 1; k < fit->key_count; k++) {
        for (uint32_t c = 0; c < fit->channel_count; c++) {
            const struct prime_stream_channel *channel = &stream->channels[c];
            if (channel->steps[POSE_ROTATION])
                bit_writer_put(&bits, channel->are_negative[k], 1);
            for (int p = 0; p < PRIME_FIT_PARTS; p++) {
                int16_t(*steps)[3] = channel->steps[file_order[p]];
                for (int i = 0; steps && i < 3; i++)
                    bit_writer_put(&bits, difference(steps[k - 1][i], steps[k][i]),
                                   channel->widths[file_order[p]][i]);
            }
        }
    }
    bit_writer_finish(&bits);
}
