/* JSON text: commas and nesting are kept here. key is NULL inside an array. */
#ifndef POSE_CORE_BYTES_JSON_WRITER_H
#define POSE_CORE_BYTES_JSON_WRITER_H

#include "lib/core/bytes/writer.h"

/* Copying one while it is open is fine: see pose_series.c, which writes the end of a text before its middle. */
struct json_writer {
    struct writer to; /* what fails there fails here */
    unsigned depth;
    uint64_t used;   /* bit d: something was written at depth d */
    uint64_t arrays; /* bit d: depth d is an array */
};

void jsonw_init(struct json_writer *json, struct pose_buffer *out);
/* Members of an object that is open in out already; the first one without a comma. */
void jsonw_init_members(struct json_writer *json, struct pose_buffer *out);

void jsonw_object(struct json_writer *json, const char *key);
void jsonw_array(struct json_writer *json, const char *key);
/* The end of the whole empties the buffer when memory ran out on the way: half a text is none. */
void jsonw_end(struct json_writer *json);

void jsonw_null(struct json_writer *json, const char *key);
void jsonw_bool(struct json_writer *json, const char *key, bool value);
void jsonw_integer(struct json_writer *json, const char *key, int64_t value);
void jsonw_unsigned(struct json_writer *json, const char *key, uint64_t value);
void jsonw_number(struct json_writer *json, const char *key, float value); /* not finite: null */
void jsonw_floats(struct json_writer *json, const char *key, const float *values, size_t count);
/* The same of keys, where 0 takes the place of what is not finite: a list of numbers holds no null. */
void jsonw_finite_number(struct json_writer *json, const char *key, float value);
void jsonw_finite_floats(struct json_writer *json, const char *key, const float *values, size_t count);
void jsonw_string(struct json_writer *json, const char *key, const char *text); /* NULL: null */
/* A string of at most that many bytes, escapes included; what is cut off shows as "…". */
void jsonw_string_cut(struct json_writer *json, const char *key, const char *text, size_t most);
/* A message, which may quote what a client or a file said: control characters become '?'; at most 511 bytes. */
void jsonw_line(struct json_writer *json, const char *key, const char *text);
void jsonw_value(struct json_writer *json, const char *key, const struct pose_value *value); /* NULL: null */
/* The members of an object, without its braces. */
void jsonw_members(struct json_writer *json, const struct pose_value *object);
/* An object; {} where there is none. */
void jsonw_object_value(struct json_writer *json, const char *key, const struct pose_value *object);
/* JSON text as it is: a value, or (jsonw_raw_members) members of the open object; "" adds nothing. */
void jsonw_raw(struct json_writer *json, const char *key, const char *text);
void jsonw_raw_members(struct json_writer *json, const char *text);
/* The comma and the key alone: the caller writes the value to json->to. */
void jsonw_key(struct json_writer *json, const char *key);

/* The members of a problem that an error gives (code, detail, offset …); status is not among them. */
void jsonw_error_members(struct json_writer *json, const struct pose_error *error);
/* Items of the open array. */
void jsonw_warnings(struct json_writer *json, const struct pose_warning *warnings, uint32_t count);

#endif
