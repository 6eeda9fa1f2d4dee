/*
 * Metroid Prime: writing members of a tree (extras, event fields) as fields of a file. A member that is missing stands
 * for its default; one that does not fit its field is an error that names it. Failure is sticky.
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

/* Always false; the first error wins. what is wrong with that member. */
bool prime_put_refuse(struct prime_put *put, const char *key, const char *what);

/* Whole numbers of that many bytes (1, 2, 4); negative ones are two's complement. */
void prime_put_int(struct prime_put *put, const struct pose_value *object, const char *key, unsigned size,
                   int64_t fallback);
void prime_put_float(struct prime_put *put, const struct pose_value *object, const char *key, float fallback);
/* With its NUL; missing: empty. */
void prime_put_text(struct prime_put *put, const struct pose_value *object, const char *key);
/* A four-character type: 4 characters, or 8 hex digits; missing: zeros. */
void prime_put_type(struct prime_put *put, const struct pose_value *object, const char *key);
/* That many floats of an array, zeros where it is shorter. */
void prime_put_floats(struct prime_put *put, const struct pose_value *object, const char *key,
                      unsigned count);
/* The quaternion [x, y, z, w] as W X Y Z; missing: none. */
void prime_put_quaternion(struct prime_put *put, const struct pose_value *object, const char *key);
/* Seconds under key and their kind under kind_key. */
void prime_put_time(struct prime_put *put, const struct pose_value *object, const char *key,
                    const char *kind_key);
/* Hex digits as bytes, with their count before them; missing: none. */
void prime_put_hex(struct prime_put *put, const struct pose_value *object, const char *key);
/* The count of a list (32 bits) and its first item; a list that is missing has none. */
const struct pose_value *prime_put_count(struct prime_put *put, const struct pose_value *object,
                                         const char *key);
/* A list of whole numbers, behind its count. */
void prime_put_ints(struct prime_put *put, const struct pose_value *object, const char *key, unsigned size);

/* The game of the settings, else of the extras, else the first one. False after an error. */
bool prime_put_init(struct prime_put *put, struct encode_job *job, const struct pose_value *extras);
/* 0xFF up to a multiple of 32. */
void prime_put_padding(struct writer *writer);

#endif
