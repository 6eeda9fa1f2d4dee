#include "lib/core/bytes/json_writer.h"

#include "lib/core/numbers/numbers.h"
#include "lib/core/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void jsonw_init(struct json_writer *json, struct pose_buffer *out)
{
    *json = (struct json_writer){.to.out = out};
}

void jsonw_init_members(struct json_writer *json, struct pose_buffer *out)
{
    *json = (struct json_writer){.to.out = out, .depth = 1};
}

static void put_string(struct writer *to, const char *text, size_t most)
{
    if (!text) {
        writer_text(to, "null");
        return;
    }
    writer_u8(to, '"');
    writer_escaped(to, ESCAPE_JSON, text, most);
    writer_u8(to, '"');
}

/* ------------------------------------------------------------------------------------------------ structure -- */

void jsonw_key(struct json_writer *json, const char *key)
{
    uint64_t bit = (uint64_t)1 << (json->depth & 63);
    if (json->depth && (json->used & bit))
        writer_u8(&json->to, ',');
    json->used |= bit;
    if (key) {
        put_string(&json->to, key, SIZE_MAX);
        writer_u8(&json->to, ':');
    }
}

static void open_list(struct json_writer *json, const char *key, bool is_array)
{
    jsonw_key(json, key);
    writer_u8(&json->to, is_array ? '[' : '{');
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
    writer_u8(&json->to, json->arrays >> (json->depth & 63) & 1 ? ']' : '}');
    json->depth--;
    if (!json->depth)
        writer_finish(&json->to);
}

/* -------------------------------------------------------------------------------------------------- scalars -- */

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
    jsonw_key(json, key);
    writer_integer(&json->to, value);
}

void jsonw_unsigned(struct json_writer *json, const char *key, uint64_t value)
{
    jsonw_key(json, key);
    writer_unsigned(&json->to, value);
}

void jsonw_number(struct json_writer *json, const char *key, float value)
{
    if (isfinite(value))
        jsonw_finite_number(json, key, value);
    else
        jsonw_null(json, key);
}

void jsonw_finite_number(struct json_writer *json, const char *key, float value)
{
    jsonw_key(json, key);
    writer_float(&json->to, value);
}

void jsonw_string(struct json_writer *json, const char *key, const char *text)
{
    jsonw_string_cut(json, key, text, SIZE_MAX);
}

void jsonw_string_cut(struct json_writer *json, const char *key, const char *text, size_t most)
{
    jsonw_key(json, key);
    put_string(&json->to, text, most);
}

void jsonw_line(struct json_writer *json, const char *key, const char *text)
{
    char line[512];
    size_t length = strnlen(text, sizeof line - 1);
    memcpy(line, text, length);
    line[length] = 0;
    text_make_line(line);
    jsonw_string(json, key, line);
}

void jsonw_raw(struct json_writer *json, const char *key, const char *text)
{
    jsonw_key(json, key);
    writer_text(&json->to, text);
}

void jsonw_raw_members(struct json_writer *json, const char *text)
{
    if (*text)
        jsonw_raw(json, NULL, text);
}

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return false;
    }
    return true;
}

/* Numbers, each with a comma behind it; what is not finite is null or 0. */
static size_t put_some(const float *values, size_t count, bool with_null, char *text)
{
    char *at = text;
    if (are_finite(values, count))
        return number_texts(values, count, text);
    for (size_t i = 0; i < count; i++) {
        const bool is_number = isfinite(values[i]);
        if (is_number || !with_null)
            at += pose_float_text(is_number ? values[i] : 0, at);
        else
            at = stpcpy(at, "null");
        *at++ = ',';
    }
    return (size_t)(at - text);
}

/* Reserves room for many at once, since most of a clip is numbers. */
static void put_floats(struct json_writer *json, const char *key, const float *values, size_t count,
                       bool with_null)
{
    enum { BLOCK = 64 };
    jsonw_array(json, key);
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        const size_t left = count - begin, some = left < BLOCK ? left : BLOCK;
        char *text = (char *)writer_reserve(&json->to, some * (POSE_FLOAT_TEXT + 1));
        if (!text)
            break;
        /* Without the comma behind the last one. */
        writer_commit(&json->to, put_some(values + begin, some, with_null, text) - (some == left));
    }
    jsonw_end(json);
}

void jsonw_floats(struct json_writer *json, const char *key, const float *values, size_t count)
{
    put_floats(json, key, values, count, true);
}

void jsonw_finite_floats(struct json_writer *json, const char *key, const float *values, size_t count)
{
    put_floats(json, key, values, count, false);
}

/* --------------------------------------------------------------------------------------------------- trees -- */

static void put_scalar(struct writer *to, const struct pose_value *value)
{
    switch (value->kind) {
    case POSE_BOOL:
        writer_text(to, value->as.boolean ? "true" : "false");
        break;
    case POSE_INT:
        writer_integer(to, value->as.integer);
        break;
    case POSE_FLOAT:
        writer_float(to, value->as.number);
        break;
    case POSE_STRING:
        put_string(to, value->as.string, SIZE_MAX);
        break;
    default:
        writer_text(to, "null");
        break;
    }
}

/* Decoders limit the depth of their trees; deeper ones are cut off at this level. */
enum { MAX_DEPTH = 128 };

static void put_tree(struct writer *to, const struct pose_value *value)
{
    const struct pose_value *open[MAX_DEPTH];
    unsigned depth = 0;
    if (!value) {
        writer_text(to, "null");
        return;
    }
    for (;;) {
        if (value->key && depth) {
            put_string(to, value->key, SIZE_MAX);
            writer_u8(to, ':');
        }
        bool is_list = value->kind == POSE_ARRAY || value->kind == POSE_OBJECT;
        if (is_list && value->first && depth < MAX_DEPTH) {
            writer_u8(to, value->kind == POSE_ARRAY ? '[' : '{');
            open[depth++] = value;
            value = value->first;
            continue;
        }
        if (is_list)
            writer_text(to, value->kind == POSE_ARRAY ? "[]" : "{}");
        else
            put_scalar(to, value);
        while (depth && !value->next) {
            value = open[--depth];
            writer_u8(to, value->kind == POSE_ARRAY ? ']' : '}');
        }
        if (!depth)
            return;
        writer_u8(to, ',');
        value = value->next;
    }
}

void jsonw_hex(struct json_writer *json, const char *key, uint64_t value, int digits)
{
    char text[24];
    snprintf(text, sizeof text, "0x%0*llX", digits, (unsigned long long)value);
    jsonw_string(json, key, text);
}

void jsonw_value(struct json_writer *json, const char *key, const struct pose_value *value)
{
    jsonw_key(json, key);
    put_tree(&json->to, value);
}

void jsonw_object_value(struct json_writer *json, const char *key, const struct pose_value *object)
{
    static const struct pose_value empty = {.kind = POSE_OBJECT};
    jsonw_value(json, key, object ? object : &empty);
}

void jsonw_members(struct json_writer *json, const struct pose_value *object)
{
    if (!object || object->kind != POSE_OBJECT)
        return;
    for (const struct pose_value *member = object->first; member; member = member->next)
        jsonw_value(json, member->key, member);
}

/* ------------------------------------------------------------------------------------- errors and warnings -- */

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

/* ------------------------------------------------------------------------------------------------ in public -- */

/* Removes a partial text on failure. */
static bool append_done(struct pose_buffer *buffer, const struct json_writer *json, size_t before)
{
    if (json->to.failed)
        buffer->size = before;
    return !json->to.failed;
}

bool pose_json_string(struct pose_buffer *buffer, const char *text)
{
    struct json_writer json;
    size_t before = buffer->size;
    jsonw_init(&json, buffer);
    jsonw_string(&json, NULL, text);
    return append_done(buffer, &json, before);
}

bool pose_json_value(struct pose_buffer *buffer, const struct pose_value *value)
{
    struct json_writer json;
    size_t before = buffer->size;
    jsonw_init(&json, buffer);
    jsonw_value(&json, NULL, value);
    return append_done(buffer, &json, before);
}
