/* Writing small JSON straight into a buffer: commas and nesting are kept here. key is NULL inside of an array. */
#ifndef POSED_SERVER_JSON_H
#define POSED_SERVER_JSON_H

#include "pose.h"

struct json {
    struct pose_buffer *out;
    unsigned depth;
    uint64_t used;   /* bit d: something was written at depth d */
    uint64_t arrays; /* bit d: depth d is an array */
    bool failed;
};

void json_init(struct json *json, struct pose_buffer *out);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json);

void json_null(struct json *json, const char *key);
void json_bool(struct json *json, const char *key, bool value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_number(struct json *json, const char *key, float value);      /* not finite: null */
void json_string(struct json *json, const char *key, const char *text); /* NULL: null */
void json_value(struct json *json, const char *key, const struct pose_value *value);
/* The members of an object, without its braces. */
void json_members(struct json *json, const struct pose_value *object);
/* JSON text as it is: a value, or (json_raw_members) members of the open object; "" adds nothing. */
void json_raw(struct json *json, const char *key, const char *text);
void json_raw_members(struct json *json, const char *text);
void json_floats(struct json *json, const char *key, const float *values, size_t count);

/* The members of a problem that an error gives (code, detail, offset …); status is not among them. */
void json_error_members(struct json *json, const struct pose_error *error);
/* Items of the open array. */
void json_warnings(struct json *json, const struct pose_warning *warnings, uint32_t count);

#endif
