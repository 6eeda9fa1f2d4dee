#include "server/text/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void jsonw_init(struct json_writer *json, struct pose_buffer *out)
{
    *json = (struct json_writer){.out = out};
}

static void put(struct json_writer *json, const char *text, size_t size)
{
    if (!pose_buffer_append(json->out, text, size))
        json->failed = true;
}

static void put_string(struct json_writer *json, const char *text)
{
    if (!pose_json_string(json->out, text))
        json->failed = true;
}

/* The comma before a member or item, and the member's key. */
static void lead(struct json_writer *json, const char *key)
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

static void open_list(struct json_writer *json, const char *key, bool is_array)
{
    lead(json, key);
    put(json, is_array ? "[" : "{", 1);
    json->depth++;
    uint64_t bit = (uint64_t)1 << (json->depth & 63);
    json->used &= ~bit;
    json->arrays = is_array ? json->arrays | bit : json->arrays & ~bit;
}

void jsonw_object(struct json_writer *json, const char *key)
{
    open_list(json, key, false);
}

void jsonw_array(struct json_writer *json, const char *key)
{
    open_list(json, key, true);
}

void jsonw_end(struct json_writer *json)
{
    put(json, json->arrays >> (json->depth & 63) & 1 ? "]" : "}", 1);
    json->depth--;
    if (json->failed && !json->depth)
        pose_buffer_free(json->out);
}

void jsonw_null(struct json_writer *json, const char *key)
{
    jsonw_raw(json, key, "null");
}

void jsonw_bool(struct json_writer *json, const char *key, bool value)
{
    jsonw_raw(json, key, value ? "true" : "false");
}

void jsonw_integer(struct json_writer *json, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    jsonw_raw(json, key, text);
}

void jsonw_number(struct json_writer *json, const char *key, float value)
{
    if (!isfinite(value)) {
        jsonw_null(json, key);
        return;
    }
    char text[POSE_FLOAT_TEXT + 1];
    text[pose_float_text(value, text)] = 0;
    jsonw_raw(json, key, text);
}

void jsonw_string(struct json_writer *json, const char *key, const char *text)
{
    lead(json, key);
    put_string(json, text);
}

void jsonw_line(struct json_writer *json, const char *key, const char *text)
{
    char line[512];
    size_t length = 0;
    for (; text[length] && length + 1 < sizeof line; length++)
        line[length] = (unsigned char)text[length] < ' ' || text[length] == 0x7f ? '?' : text[length];
    line[length] = 0;
    jsonw_string(json, key, line);
}

void jsonw_value(struct json_writer *json, const char *key, const struct pose_value *value)
{
    lead(json, key);
    if (!pose_json_value(json->out, value))
        json->failed = true;
}

void jsonw_members(struct json_writer *json, const struct pose_value *object)
{
    if (!object || object->kind != POSE_OBJECT)
        return;
    for (const struct pose_value *member = object->first; member; member = member->next)
        jsonw_value(json, member->key, member);
}

void jsonw_raw(struct json_writer *json, const char *key, const char *text)
{
    lead(json, key);
    put(json, text, strlen(text));
}

void jsonw_raw_members(struct json_writer *json, const char *text)
{
    if (*text)
        jsonw_raw(json, NULL, text);
}

void jsonw_clip(struct json_writer *json, const struct pose_clip_json *what)
{
    lead(json, NULL);
    if (!pose_json_clip(json->out, what))
        json->failed = true;
}

void jsonw_floats(struct json_writer *json, const char *key, const float *values, size_t count)
{
    jsonw_array(json, key);
    for (size_t i = 0; i < count; i++)
        jsonw_number(json, NULL, values[i]);
    jsonw_end(json);
}

void jsonw_error_members(struct json_writer *json, const struct pose_error *error)
{
    jsonw_line(json, "detail", error->detail[0] ? error->detail : "it cannot be read");
    if (error->code[0])
        jsonw_string(json, "code", error->code);
    if (error->field[0])
        jsonw_string(json, error->field[0] == '/' ? "pointer" : "field", error->field);
    if (error->offset != POSE_NO_OFFSET)
        jsonw_integer(json, "offset", (int64_t)error->offset);
    if (error->line)
        jsonw_integer(json, "line", error->line);
    if (error->limit[0])
        jsonw_string(json, "limit", error->limit);
}

void jsonw_warnings(struct json_writer *json, const struct pose_warning *warnings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        jsonw_object(json, NULL);
        jsonw_string(json, "code", warnings[i].code);
        jsonw_string(json, "severity", warnings[i].severity == POSE_WARNING ? "warning" : "note");
        jsonw_string(json, "message", warnings[i].message);
        if (warnings[i].offset != POSE_NO_OFFSET)
            jsonw_integer(json, "offset", (int64_t)warnings[i].offset);
        jsonw_end(json);
    }
}
