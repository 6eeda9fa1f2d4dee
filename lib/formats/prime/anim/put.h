/*
 * Metroid Prime: writes members of a tree (extras, event fields) as fields of a file. A missing member gets its
 * default; one that does not fit its field is an error that names it. Failure is sticky.
 */
#ifndef POSE_FORMATS_PRIME_ANIM_PUT_H
#define POSE_FORMATS_PRIME_ANIM_PUT_H

#include "lib/formats/prime/prime.h"

struct prime_put {
    struct encode_job *job;
    struct writer *writer;
    enum prime_game game;
    bool failed;
};

/* Reports an error in a member. Only the first error is kept. Always false. */
bool prime_put_refuse(struct prime_put *put, const char *key, const char *what);

/* Integers of that many bytes (1, 2, 4); negative ones in two's complement. */
void prime_put_int(struct prime_put *put, const struct pose_value *object, const char *key, unsigned size,
                   int64_t fallback);
void prime_put_float(struct prime_put *put, const struct pose_value *object, const char *key, float fallback);
/* Text with its NUL; empty if missing. */
void prime_put_text(struct prime_put *put, const struct pose_value *object, const char *key);
/* A four-character type: 4 characters, or 8 hex digits; zeros if missing. */
void prime_put_type(struct prime_put *put, const struct pose_value *object, const char *key);
/* That many floats from an array, zeros if it is shorter. */
void prime_put_floats(struct prime_put *put, const struct pose_value *object, const char *key,
                      unsigned count);
/* The quaternion [x, y, z, w] as W X Y Z; the identity if missing. */
void prime_put_quaternion(struct prime_put *put, const struct pose_value *object, const char *key);
/* Seconds from key and their kind from kind_key. */
void prime_put_time(struct prime_put *put, const struct pose_value *object, const char *key,
                    const char *kind_key);
/* Hex digits as bytes, preceded by their count; none if missing. */
void prime_put_hex(struct prime_put *put, const struct pose_value *object, const char *key);
/* Writes the count of a list (32 bits) and returns its first item; a missing list is empty. */
const struct pose_value *prime_put_count(struct prime_put *put, const struct pose_value *object,
                                         const char *key);
/* A list of integers, preceded by its count. */
void prime_put_ints(struct prime_put *put, const struct pose_value *object, const char *key, unsigned size);

/* Takes the game from the settings, else from the extras, else the first game. False after an error. */
bool prime_put_init(struct prime_put *put, struct encode_job *job, const struct pose_value *extras);
/* Pads with 0xFF to a multiple of 32. */
void prime_put_padding(struct writer *writer);

#endif
