/* Metroid Prime: the channels and the bitstream of a compressed ANIM (prime-anim.md, 2.2 to 2.4). */
#ifndef POSE_FORMATS_PRIME_ANIM_STREAM_H
#define POSE_FORMATS_PRIME_ANIM_STREAM_H

#include "lib/core/bytes/bit_writer.h"
#include "lib/formats/prime/anim/fit.h"
#include "lib/formats/prime/anim/quantise.h"

/* A channel as integers. Keys: [key_count]; the first, at frame 0, is the initial value. */
struct prime_stream_channel {
    int16_t (*steps[PRIME_FIT_PARTS])[3]; /* NULL: not driven */
    bool *are_negative;                   /* signs of w */
    uint8_t widths[PRIME_FIT_PARTS][3];   /* of the differences */
};

struct prime_stream {
    uint32_t divisor;
    float multipliers[PRIME_FIT_PARTS]; /* of translation and scale */
    struct prime_stream_channel *channels;
};

/* Keeps the clip's own divisor and multipliers if they reproduce its values, otherwise chooses new ones. False
 * if out of memory. */
bool prime_stream_plan(struct encode_job *job, const struct pose_clip *clip, const struct prime_fit *fit,
                       struct prime_stream *stream);
void prime_stream_write_channels(const struct prime_stream *stream, const struct prime_fit *fit,
                                 struct writer *writer);
void prime_stream_write_keys(const struct prime_stream *stream, const struct prime_fit *fit,
                             struct writer *writer);

#endif
