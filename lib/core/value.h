/*
 * Builds trees of pose_value (extras, event fields, settings). A failed allocation leaves an incomplete tree; the
 * arena records the failure, and the decoder checks it once.
 */
#ifndef POSE_CORE_VALUE_H
#define POSE_CORE_VALUE_H

#include "lib/core/arena.h"

/* An array or object under construction. */
struct value_list {
    struct arena *arena;
    struct pose_value *value;
    struct pose_value *last;
};

struct value_list value_object(struct arena *arena);
struct value_list value_array(struct arena *arena);

/* key is NULL in an array. key and text are borrowed, not copied. */
void value_put_null(struct value_list *list, const char *key);
void value_put_bool(struct value_list *list, const char *key, bool boolean);
void value_put_int(struct value_list *list, const char *key, int64_t integer);
/* A number that is not finite becomes null, as JSON cannot represent it. */
void value_put_float(struct value_list *list, const char *key, float number);
void value_put_floats(struct value_list *list, const char *key, const float *numbers, size_t count);
/* A float given by its 32 bits; one that is not finite becomes a string, "0x7FC00000". */
void value_put_float_bits(struct value_list *list, const char *key, uint32_t bits);
/* NULL: null. */
void value_put_string(struct value_list *list, const char *key, const char *text);
/* Bytes as lower-case hex. */
void value_put_hex(struct value_list *list, const char *key, const uint8_t *bytes, size_t size);
/* A list that is complete. */
void value_put_list(struct value_list *list, const char *key, const struct value_list *child);
/* Copies the members of an object, except those named in a NULL-terminated list (may be NULL). Does nothing if
 * it is not an object. */
void value_put_members(struct value_list *list, const struct pose_value *object, const char *const *without);

/* The tree; NULL for an object without members. */
const struct pose_value *value_done(const struct value_list *list);

/* A deep copy in another arena, including texts. Returns NULL if out of memory, or if value is NULL. */
struct pose_value *value_copy(struct arena *arena, const struct pose_value *value);
/* The same for an object, without some of its members (as above). NULL if it is not an object or would be empty. */
const struct pose_value *value_copy_object(struct arena *arena, const struct pose_value *object,
                                           const char *const *without);

/* For encoders: the member converted to that kind (an int is accepted as a float, and a whole float as an int),
 * else the fallback. */
int64_t value_get_int(const struct pose_value *object, const char *key, int64_t fallback);
float value_get_float(const struct pose_value *object, const char *key, float fallback);
bool value_get_bool(const struct pose_value *object, const char *key, bool fallback);
const char *value_get_string(const struct pose_value *object, const char *key, const char *fallback);
/* An int or float as a float; false if it is not a number. */
bool value_number(const struct pose_value *value, float *number);
/* Reads the output of value_put_float_bits, or any number; false if it is neither. */
bool value_float_bits(const struct pose_value *value, uint32_t *bits);
uint32_t value_get_float_bits(const struct pose_value *object, const char *key, float fallback);
/* Reads at most count numbers of an array member; returns how many there were. */
size_t value_get_floats(const struct pose_value *object, const char *key, float *numbers, size_t count);
/* Reads a hex string member; returns its bytes, -1 if it is not one or longer than capacity. */
int64_t value_get_hex(const struct pose_value *object, const char *key, uint8_t *bytes, size_t capacity);
/* The first item of an array member; NULL: it is empty, or none. */
const struct pose_value *value_items(const struct pose_value *object, const char *key);
size_t value_count(const struct pose_value *list);

#endif
