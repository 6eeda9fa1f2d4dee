/*
 * Building the trees of pose_value (extras, event fields, settings). An allocation that fails leaves a tree that is
 * short; the arena remembers, and the decoder looks there once.
 */
#ifndef POSE_CORE_VALUE_H
#define POSE_CORE_VALUE_H

#include "lib/core/arena.h"

/* An array or object that is being built. */
struct value_list {
    struct arena *arena;
    struct pose_value *value;
    struct pose_value *last;
};

struct value_list value_object(struct arena *arena);
struct value_list value_array(struct arena *arena);

/* key is NULL in an array; it and the text are kept as pointers, not copied. */
void value_put_null(struct value_list *list, const char *key);
void value_put_bool(struct value_list *list, const char *key, bool boolean);
void value_put_int(struct value_list *list, const char *key, int64_t integer);
/* Not finite: null, since no JSON can hold it. */
void value_put_float(struct value_list *list, const char *key, float number);
void value_put_floats(struct value_list *list, const char *key, const float *numbers, size_t count);
/* A float by its 32 bits, whatever they are: one that is not finite becomes a text, "0x7FC00000". */
void value_put_float_bits(struct value_list *list, const char *key, uint32_t bits);
/* NULL: null. */
void value_put_string(struct value_list *list, const char *key, const char *text);
/* Bytes as lower-case hex. */
void value_put_hex(struct value_list *list, const char *key, const uint8_t *bytes, size_t size);
/* A list that is complete. */
void value_put_list(struct value_list *list, const char *key, const struct value_list *child);
/* Copies of the members of an object, but for those of some names (a list that ends with NULL, or NULL). Nothing of what
 * is no object. */
void value_put_members(struct value_list *list, const struct pose_value *object, const char *const *without);

/* The tree; NULL for an object without members. */
const struct pose_value *value_done(const struct value_list *list);

/* A copy in another arena, with its texts, however deep it is. NULL when memory is out, or value is NULL. */
struct pose_value *value_copy(struct arena *arena, const struct pose_value *value);
/* The same of an object, without some of its members (as above). NULL when it is none or nothing is left. */
const struct pose_value *value_copy_object(struct arena *arena, const struct pose_value *object,
                                           const char *const *without);

/* Reading back, for encoders: the member as that kind (an int may stand for a float, and a whole float for an
 * int), else the fallback. */
int64_t value_get_int(const struct pose_value *object, const char *key, int64_t fallback);
float value_get_float(const struct pose_value *object, const char *key, float fallback);
bool value_get_bool(const struct pose_value *object, const char *key, bool fallback);
const char *value_get_string(const struct pose_value *object, const char *key, const char *fallback);
/* A number whatever its kind; false when it is none. */
bool value_number(const struct pose_value *value, float *number);
/* What value_put_float_bits put, or any number; false when it is neither. */
bool value_float_bits(const struct pose_value *value, uint32_t *bits);
uint32_t value_get_float_bits(const struct pose_value *object, const char *key, float fallback);
/* Up to count numbers of an array member; how many there were. */
size_t value_get_floats(const struct pose_value *object, const char *key, float *numbers, size_t count);
/* Bytes of a hex string member; -1 when it is none or there are more than capacity. */
int64_t value_get_hex(const struct pose_value *object, const char *key, uint8_t *bytes, size_t capacity);
size_t value_count(const struct pose_value *list);

#endif
