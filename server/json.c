#include "server/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void json_init(struct json *json, struct pose_buffer *out)
{
    *json = (struct json){.out = out};
}

static void put(struct json *json, const char *text, size_t size)
{
    if (!pose_buffer_append(json->out, text, size))
        json->failed = true;
}

static void put_string(struct json *json, const char *text)
{
    if (!pose_json_string(json->out, text))
        json->failed = true;
}

/* The comma before a member or item, and the member's key. */
static void lead(struct json *json, const char *key)
{
    uint64_t bit = (uint64_t)1 << (json->depth & 63);
    if (json->depth && (json->used & bit))
        put(json, ",", 1);
    json->used |= bit;
    if (key) {
        put_string(json, key);
        put(json, ":", 1);
    }
}

static void open_list(struct json *json, const char *key, bool is_array)
{
    lead(json, key);
    put(json, is_array ? "[" : "{", 1);
    json->depth++;
    uint64_t bit = (uint64_t)1 << (json->depth & 63);
    json->used &= ~bit;
    json->arrays = is_array ? json->arrays | bit : json->arrays & ~bit;
}

void json_object(struct json *json, const char *key)
{
    open_list(json, key, false);
}

void json_array(struct json *json, const char *key)
{
    open_list(json, key, true);
}

void json_end(struct json *json)
{
    put(json, json->arrays >> (json->depth & 63) & 1 ? "]" : "}", 1);
    json->depth--;
}

void json_null(struct json *json, const char *key)
{
    json_raw(json, key, "null");
}

void json_bool(struct json *json, const char *key, bool value)
{
    json_raw(json, key, value ? "true" : "false");
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    json_raw(json, key, text);
}

void json_number(struct json *json, const char *key, float value)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    char text[POSE_FLOAT_TEXT + 1];
    text[pose_float_text(value, text)] = 0;
    json_raw(json, key, text);
}

void json_string(struct json *json, const char *key, const char *text)
{
    lead(json, key);
    put_string(json, text);
}

void json_value(struct json *json, const char *key, const struct pose_value *value)
{
    lead(json, key);
    if (!pose_json_value(json->out, value))
        json->failed = true;
}

void json_members(struct json *json, const struct pose_value *object)
{
    if (!object || object->kind != POSE_OBJECT)
        return;
    for (const struct pose_value *member = object->first; member; member = member->next)
        json_value(json, member->key, member);
}

void json_raw(struct json *json, const char *key, const char *text)
{
    lead(json, key);
    put(json, text, strlen(text));
}

void json_raw_members(struct json *json, const char *text)
{
    if (*text)
        json_raw(json, NULL, text);
}

void json_floats(struct json *json, const char *key, const float *values, size_t count)
{
    json_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_number(json, NULL, values[i]);
    json_end(json);
}

void json_error_members(struct json *json, const struct pose_error *error)
{
    json_string(json, "detail", error->detail[0] ? error->detail : "it cannot be read");
    if (error->code[0])
        json_string(json, "code", error->code);
    if (error->field[0])
        json_string(json, error->field[0] == '/' ? "pointer" : "field", error->field);
    if (error->offset != POSE_NO_OFFSET)
        json_integer(json, "offset", (int64_t)error->offset);
    if (error->line)
        json_integer(json, "line", error->line);
    if (error->limit[0])
        json_string(json, "limit", error->limit);
}

void json_warnings(struct json *json, const struct pose_warning *warnings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_string(json, "code", warnings[i].code);
        json_string(json, "severity", warnings[i].severity == POSE_WARNING ? "warning" : "note");
        json_string(json, "message", warnings[i].message);
        if (warnings[i].offset != POSE_NO_OFFSET)
            json_integer(json, "offset", (int64_t)warnings[i].offset);
        json_end(json);
    }
}
