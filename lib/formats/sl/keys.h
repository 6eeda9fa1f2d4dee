/*
 * Keys of Second Life animations as stored in a file. Version 1.0 has four 16-bit words per key (time and a
 * vector), each a fixed-point number in its range; version 0.1 has four floats. Facts: sl-anim.md, 2, checked
 * there against the viewer's own code.
 */
#ifndef POSE_FORMATS_SL_KEYS_H
#define POSE_FORMATS_SL_KEYS_H

#include "pose.h"

enum {
    SL_KEY_SIZE = 8,      /* bytes, version 1.0 */
    SL_OLD_KEY_SIZE = 16, /* version 0.1 */
};

#define SL_POSITION_LIMIT 5.0f /* metres, on each axis */
#define SL_STEP (1.0f / 65535) /* of a word, as a fraction of its range */

/*
 * Decodes count keys of version 1.0, unaligned at from. times: [count] seconds; values: [count][4] unit
 * quaternions with w >= 0, or [count][3] metres. Returns how many vectors were longer than 1 and have been
 * normalised; for positions, how many have a component at the limit of +-5 m.
 */
uint32_t sl_rotations_decode(const uint8_t *from, uint32_t count, float duration, float *times,
                             float *values);
uint32_t sl_positions_decode(const uint8_t *from, uint32_t count, float duration, float *times,
                             float *values);

/* The two implementations of sl_rotations_decode, which chooses by processor. Their results are identical to the
 * bit. */
uint32_t sl_rotations_decode_scalar(const uint8_t *from, uint32_t count, float duration, float *times,
                                    float *values);
#if defined(__x86_64__) && defined(__GNUC__)
#define SL_KEYS_AVX2 1
uint32_t sl_rotations_decode_avx2(const uint8_t *from, uint32_t count, float duration, float *times,
                                  float *values);
#else
#define SL_KEYS_AVX2 0
#endif

/* The same for version 0.1: Euler angles in degrees, metres. The floats must be finite. */
void sl_old_rotations_decode(const uint8_t *from, uint32_t count, float *times, float *values);
uint32_t sl_old_positions_decode(const uint8_t *from, uint32_t count, float *times, float *values);
/* The index (4 per key) of the first float that is NaN or infinite, 4 * count if there is none. */
uint64_t sl_old_keys_find_bad(const uint8_t *from, uint32_t count);

/* True if times ascend strictly, as a decoded channel's must. */
bool sl_times_ascend(const float *times, uint32_t count);

/* Writing version 1.0: clamped, rounded to nearest, zero as 32767. */
uint16_t sl_time_encode(float time, float duration);
/*
 * q may have any length; of q and -q the one with w >= 0 is written. Close to a half turn (w < 0.01, where
 * rounding alone may make the vector longer than 1, or 0.1) the words that read back nearest to q are chosen.
 * may_be_long allows vectors longer than 1 (a decoded file may have some); without it none is written that a
 * reader would have to shorten, and the search is wider.
 */
void sl_rotation_encode(const float q[4], bool may_be_long, uint16_t words[3]);
void sl_position_encode(const float position[3], uint16_t words[3]);

#endif
