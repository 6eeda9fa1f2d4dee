#include "server/convert/convert.h"

#include "lib/core/error.h"
#include "lib/core/text.h"
#include "server/library/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------- targets -- */

bool convert_target_has_extension(const struct pose_target *target, const char *extension)
{
    size_t length = strlen(extension);
    for (const char *at = target->extensions; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length + 1 && !strncasecmp(at + 1, extension, length))
            return true;
        at += here;
    }
    return false;
}

void convert_target_extension(const struct pose_target *target, char extension[16])
{
    const char *first = target->extensions + 1;
    snprintf(extension, 16, "%.*s", (int)strcspn(first, " "), first);
}

const struct pose_target *convert_target_of(const char *extension, const char *format, unsigned *count)
{
    const struct pose_target *only = NULL, *own = NULL;
    *count = 0;
    for (const struct pose_target *target = pose_targets(); target->word; target++) {
        if (!convert_target_has_extension(target, extension))
            continue;
        if (format && !strcmp(target->format, format))
            own = target;
        only = target;
        ++*count;
    }
    return own ? own : *count == 1 ? only : NULL;
}

const struct pose_target *convert_mesh_target_of(const char *extension)
{
    for (const struct pose_target *target = pose_mesh_targets(); target->word; target++) {
        if (convert_target_has_extension(target, extension))
            return target;
    }
    return NULL;
}

void convert_target_words(const char *extension, char words[CONVERT_WORDS])
{
    *words = '\0';
    for (const struct pose_target *target = pose_targets(); target->word; target++) {
        if (!extension || convert_target_has_extension(target, extension))
            name_list_add(words, CONVERT_WORDS, target->word);
    }
    for (const struct pose_target *target = pose_mesh_targets(); !extension && target->word; target++)
        name_list_add(words, CONVERT_WORDS, target->word);
}

bool convert_target_takes(const struct pose_target *target, const char *option)
{
    return text_lists(target->options, option);
}

/* ------------------------------------------------------------------------------------------------ warnings -- */

void convert_warnings_init(struct convert_warnings *warnings)
{
    region_init(&warnings->region);
    warnings->count = 0;
    warnings->is_full = false;
}

void convert_warn_text(struct convert_warnings *warnings, const char *code, enum pose_severity severity,
                       const char *message)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (!strcmp(warnings->items[i].code, code) && !strcmp(warnings->items[i].message, message))
            return;
    }
    if (warnings->count == CONVERT_WARNINGS) {
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

void convert_warn(void *user, const struct pose_warning *warning)
{
    convert_warn_text(user, warning->code, warning->severity, warning->message ? warning->message : "");
}

void convert_warnings_release(struct convert_warnings *warnings)
{
    region_release(&warnings->region);
    *warnings = (struct convert_warnings){0};
}

const struct pose_warning *convert_warnings_serious(const struct convert_warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (warnings->items[i].severity == POSE_WARNING)
            return &warnings->items[i];
    }
    return NULL;
}

void convert_warnings_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES])
{
    *codes = '\0';
    for (uint32_t i = 0; i < warnings->count; i++)
        code_list_add(codes, WARNING_CODES - strlen(", more"), warnings->items[i].code);
    if (warnings->is_full)
        code_list_add(codes, WARNING_CODES, "more");
}

void convert_warnings_explain(const struct convert_warnings *warnings, char *text, size_t capacity)
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

/* ------------------------------------------------------------------------------------------------ file names -- */

const char *convert_file_name(char *text)
{
    for (char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == 0x7f || strchr("/\\:*?\"<>|", c))
            *at = '_';
    }
    size_t length = strlen(text);
    while (length && (text[length - 1] == '.' || text[length - 1] == ' '))
        text[--length] = '\0';
    while (*text == '.' || *text == ' ')
        text++;
    return *text ? text : "clip";
}

/* From malloc, sanitized; NULL if out of memory. */
static char *file_name(const char *stem, const char *extension)
{
    char *text;
    if (asprintf(&text, "%s.%s", stem, extension) < 0)
        return NULL;
    char *name = strdup(convert_file_name(text));
    free(text);
    return name;
}

char *convert_second_name(const struct pose_target *target, const char *name)
{
    char stem[POSE_SECOND_NAME];
    const struct pose_format *format = pose_format_find(target->second);
    snprintf(stem, sizeof stem, "%s", name);
    return file_name(convert_file_name(stem), format->extensions + 1);
}

bool convert_zip_pair(const struct pose_target *target, const char *name, const struct pose_buffer *first,
                      const struct pose_second_file *second, const struct pose_options *options,
                      struct pose_buffer *out, struct pose_error *error)
{
    char extension[16];
    convert_target_extension(target, extension);
    char *names[2] = {file_name(name, extension), convert_second_name(target, second->name)};
    const struct pose_pack_item items[2] = {{names[0], {first->data, first->size}},
                                            {names[1], {second->bytes.data, second->bytes.size}}};
    *out = (struct pose_buffer){0};
    bool done = names[0] && names[1] && pose_pack("zip", items, 2, NULL, options, out, error);
    if (!names[0] || !names[1]) {
        pose_error_init(error);
        error_no_memory(error);
    }
    free(names[0]);
    free(names[1]);
    return done;
}
