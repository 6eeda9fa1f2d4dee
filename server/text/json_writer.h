/* Writing small JSON straight into a buffer: commas and nesting are kept here. key is NULL inside of an array. */
#ifndef POSED_SERVER_TEXT_JSON_WRITER_H
#define POSED_SERVER_TEXT_JSON_WRITER_H

#include "pose.h"

struct json_writer {
    struct pose_buffer *out;
    unsigned depth;
    uint64_t used;   /* bit d: something was written at depth d */
    uint64_t arrays; /* bit d: depth d is an array */
    bool failed;
};

void jsonw_init(struct json_writer *json, struct pose_buffer *out);

void jsonw_object(struct json_writer *json, const char *key);
void jsonw_array(struct json_writer *json, const char *key);
/* The end of the whole empties the buffer when memory ran out on the way: half a text is none. */
void jsonw_end(struct json_writer *json);

void jsonw_null(struct json_writer *json, const char *key);
void jsonw_bool(struct json_writer *json, const char *key, bool value);
void jsonw_integer(struct json_writer *json, const char *key, int64_t value);
void jsonw_number(struct json_writer *json, const char *key, float value);      /* not finite: null */
void jsonw_string(struct json_writer *json, const char *key, const char *text); /* NULL: null */
/* A message, which may quote what a client or a file said: control characters become '?'; at most 511 bytes. */
void jsonw_line(struct json_writer *json, const char *key, const char *text);
void jsonw_value(struct json_writer *json, const char *key, const struct pose_value *value);
/* The members of an object, without its braces. */
void jsonw_members(struct json_writer *json, const struct pose_value *object);
/* JSON text as it is: a value, or (jsonw_raw_members) members of the open object; "" adds nothing. */
void jsonw_raw(struct json_writer *json, const char *key, const char *text);
void jsonw_raw_members(struct json_writer *json, const char *text);
/* Members of a clip's JSON, into an open object. */
void jsonw_clip(struct json_writer *json, const struct pose_clip_json *what);
void jsonw_floats(struct json_writer *json, const char *key, const float *values, size_t count);

/* The members of a problem that an error gives (code, detail, offset …); status is not among them. */
void jsonw_error_members(struct json_writer *json, const struct pose_error *error);
/* Items of the open array. */
void jsonw_warnings(struct json_writer *json, const struct pose_warning *warnings, uint32_t count);

#endif
