#include "server/library/warnings.h"

#include "lib/core/bytes/json_writer.h"
#include "lib/core/text.h"
#include "server/library/names.h"

#include <stdio.h>
#include <string.h>

void warnings_init(struct warnings *warnings)
{
    region_init(&warnings->region);
    warnings->count = 0;
    warnings->is_full = false;
}

void warnings_add(struct warnings *warnings, const char *code, enum pose_severity severity,
                  const char *message)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (!strcmp(warnings->items[i].code, code) && !strcmp(warnings->items[i].message, message))
            return;
    }
    if (warnings->count == MAX_WARNINGS) {
        warnings->is_full = true;
        return;
    }
    warnings->region.may_fail = true;
    const char *own_code = region_text(&warnings->region, code);
    const char *own_message = region_text(&warnings->region, message);
    if (!own_code || !own_message)
        warnings->is_full = true;
    else
        warnings->items[warnings->count++] = (struct pose_warning){
            .code = own_code, .severity = severity, .message = own_message, .offset = POSE_NO_OFFSET};
}

void warnings_take(void *user, const struct pose_warning *warning)
{
    warnings_add(user, warning->code, warning->severity, warning->message ? warning->message : "");
}

void warnings_release(struct warnings *warnings)
{
    region_release(&warnings->region);
    *warnings = (struct warnings){0};
}

const struct pose_warning *warnings_serious(const struct warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (warnings->items[i].severity == POSE_WARNING)
            return &warnings->items[i];
    }
    return NULL;
}

void warnings_codes(const struct warnings *warnings, char codes[WARNING_CODES])
{
    *codes = '\0';
    for (uint32_t i = 0; i < warnings->count; i++)
        code_list_add(codes, WARNING_CODES - strlen(", more"), warnings->items[i].code);
    if (warnings->is_full)
        code_list_add(codes, WARNING_CODES, "more");
}

void warnings_explain(const struct warnings *warnings, char *text, size_t capacity)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < warnings->count && used < capacity; i++) {
        const struct pose_warning *warning = &warnings->items[i];
        if (warning->severity == POSE_WARNING)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s: %s", used ? "; " : "",
                                     warning->code, warning->message);
    }
    for (size_t length = strlen(text); !text_is_utf8(text, length); length--)
        text[length - 1] = '\0';
}

void warnings_describe(struct pose_buffer *text, const char *file, size_t size,
                       const struct warnings *warnings)
{
    struct json_writer json;
    jsonw_init(&json, text);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "file", file);
    jsonw_unsigned(&json, "bytes", size);
    jsonw_array(&json, "warnings");
    if (warnings)
        jsonw_warnings(&json, warnings->items, warnings->count);
    jsonw_end(&json);
    jsonw_end(&json);
}
