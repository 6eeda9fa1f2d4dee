/* Writes JSON text; takes care of commas and nesting. key is NULL inside an array. */
#ifndef POSE_CORE_BYTES_JSON_WRITER_H
#define POSE_CORE_BYTES_JSON_WRITER_H

#include "lib/core/bytes/writer.h"

/* May be copied while it is open: pose_series.c does so to write the end of a text before its middle. */
struct json_writer {
    struct writer to; /* holds the error state */
    unsigned depth;
    uint64_t used;   /* bit d: something was written at depth d */
    uint64_t arrays; /* bit d: depth d is an array */
};

void jsonw_init(struct json_writer *json, struct pose_buffer *out);
/* Writes members of an object already open in out; the first one without a comma. */
void jsonw_init_members(struct json_writer *json, struct pose_buffer *out);

void jsonw_object(struct json_writer *json, const char *key);
void jsonw_array(struct json_writer *json, const char *key);
/* The last end empties the buffer if memory ran out, so that no partial text is left. */
void jsonw_end(struct json_writer *json);

void jsonw_null(struct json_writer *json, const char *key);
void jsonw_bool(struct json_writer *json, const char *key, bool value);
void jsonw_integer(struct json_writer *json, const char *key, int64_t value);
void jsonw_unsigned(struct json_writer *json, const char *key, uint64_t value);
void jsonw_number(struct json_writer *json, const char *key, float value); /* not finite: null */
void jsonw_floats(struct json_writer *json, const char *key, const float *values, size_t count);
/* The same for keys: 0 instead of a number that is not finite, as such a list has no nulls. */
void jsonw_finite_number(struct json_writer *json, const char *key, float value);
void jsonw_finite_floats(struct json_writer *json, const char *key, const float *values, size_t count);
void jsonw_string(struct json_writer *json, const char *key, const char *text); /* NULL: null */
/* A string of at most that many bytes, including escapes; "…" marks where it is cut. */
void jsonw_string_cut(struct json_writer *json, const char *key, const char *text, size_t most);
/* A message that may quote a client or a file: control characters become '?'; at most 511 bytes. */
void jsonw_line(struct json_writer *json, const char *key, const char *text);
/* "0x…" with that many digits, upper case. */
void jsonw_hex(struct json_writer *json, const char *key, uint64_t value, int digits);
void jsonw_value(struct json_writer *json, const char *key, const struct pose_value *value); /* NULL: null */
/* The members of an object, without its braces. */
void jsonw_members(struct json_writer *json, const struct pose_value *object);
/* An object; {} if it is NULL. */
void jsonw_object_value(struct json_writer *json, const char *key, const struct pose_value *object);
/* JSON text copied unchanged: a value, or (jsonw_raw_members) members of the open object; "" adds nothing. */
void jsonw_raw(struct json_writer *json, const char *key, const char *text);
void jsonw_raw_members(struct json_writer *json, const char *text);
/* Only the comma and the key: the caller writes the value to json->to. */
void jsonw_key(struct json_writer *json, const char *key);

/* The members of a problem that come from an error (code, detail, offset …), without status. */
void jsonw_error_members(struct json_writer *json, const struct pose_error *error);
/* Items of the open array. */
void jsonw_warnings(struct json_writer *json, const struct pose_warning *warnings, uint32_t count);

#endif
