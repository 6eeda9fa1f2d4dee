#include "api/protocol/params.h"

#include "lib/core/eight.h"
#include "lib/core/hex.h"
#include "lib/core/text.h"
#include "pose.h"
#include "server/library/names.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool param_fail(struct param_error *error, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(error->name, sizeof error->name, "%s", name);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    va_end(arguments);
    error->limit[0] = error->code[0] = error->pointer[0] = 0;
    error->nearest.count = 0;
    return false;
}

bool param_unknown(struct param_error *error, const char *name, const char *what,
                   const struct nearest *nearest)
{
    char hint[NEAREST_HINT];
    nearest_hint(nearest, hint);
    param_fail(error, name, "%s%s", what, hint);
    error->nearest = *nearest;
    return false;
}

bool param_unknown_format(struct param_error *error, const char *name, const char *format)
{
    char what[96];
    struct nearest nearest;
    nearest_begin(&nearest, format, strlen(format));
    for (const struct pose_format *row = pose_formats(); row->id; row++)
        nearest_offer(&nearest, row->id);
    snprintf(what, sizeof what, "unknown format \"%.40s\"%s", format,
             nearest.count ? "" : "; /v1/formats lists them");
    return param_unknown(error, name, what, &nearest);
}

bool is_utf8(const char *text)
{
    return text_is_utf8(text, strlen(text));
}

/* Copies from the beginning, eight at once, what stands for itself: most of an id. Returns how many. */
static size_t copy_plain(const char *from, size_t length, char *text)
{
    size_t copied = 0;
    uint64_t eight;
    for (; copied + sizeof eight <= length; copied += sizeof eight) {
        eight = eight_at(from + copied);
        if (eight_has_top(eight) || eight_has(eight, '%') || eight_has(eight, '+') || eight_has(eight, '\0'))
            break;
        memcpy(text + copied, &eight, sizeof eight);
    }
    return copied;
}

bool percent_decode(const char *from, size_t length, bool plus_is_blank, char *text)
{
    size_t used = copy_plain(from, length, text);
    unsigned char seen = 0;
    for (size_t i = used; i < length; i++) {
        char c = from[i];
        if (c == '+' && plus_is_blank)
            c = ' ';
        if (from[i] == '%') {
            int high = i + 2 < length ? hex_digit(from[i + 1]) : -1;
            int low = i + 2 < length ? hex_digit(from[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (!c)
            return false;
        seen |= (unsigned char)c;
        text[used++] = c;
    }
    text[used] = 0;
    return seen < 0x80 || is_utf8(text);
}

char *percent_encode(const char *text, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
            c == '.' || c == '_' || c == '~') {
            *out++ = (char)c;
        } else {
            *out++ = '%';
            *out++ = digits[c >> 4];
            *out++ = digits[c & 15];
        }
    }
    *out = 0;
    return out;
}

static bool parse_one(struct params *params, const char *text, size_t length, char **storage,
                      struct param_error *error)
{
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals ? (size_t)(equals - text) : length;
    char *name = *storage, *value = name + name_length + 1;
    if (!percent_decode(text, name_length, true, name))
        return param_fail(error, "", "a parameter's name is not percent-encoded UTF-8");
    size_t value_length = equals ? length - name_length - 1 : 0;
    if (!percent_decode(equals ? equals + 1 : "", value_length, true, value))
        return param_fail(error, name, "the value is not percent-encoded UTF-8");
    if (params->count == MAX_PARAMS)
        return param_fail(error, name, "more than %d parameters", MAX_PARAMS);
    params->items[params->count++] = (struct param){name, value};
    *storage = value + value_length + 1;
    return true;
}

bool params_parse(struct params *params, const char *query, struct param_error *error)
{
    params->count = 0;
    params->storage = NULL;
    if (!*query)
        return true;
    /* Every part needs at most its own length and two more bytes. */
    params->storage = malloc(strlen(query) * 2 + 4);
    char *storage = params->storage;
    if (!storage)
        return param_no_memory(error, "");
    for (const char *at = query; *at;) {
        size_t length = strcspn(at, "&");
        if (length && !parse_one(params, at, length, &storage, error))
            return false;
        at += length + (at[length] == '&');
    }
    return true;
}

void params_release(struct params *params)
{
    free(params->storage);
    params->storage = NULL;
}

static bool unknown_parameter(struct param_error *error, const char *name, const char *const *allowed)
{
    struct nearest nearest;
    nearest_begin(&nearest, name, strlen(name));
    nearest_offer_all(&nearest, allowed);
    if (nearest.count || !allowed || !*allowed)
        return param_unknown(error, name, "unknown parameter", &nearest);
    char list[360] = "";
    while (*allowed && name_list_add(list, sizeof list, *allowed))
        allowed++;
    return param_fail(error, name, "unknown parameter; allowed: %s", list);
}

/* Most names differ in the first letter, which is cheaper to see than by a call. */
static bool is_name(const char *a, const char *b)
{
    return *a == *b && !strcmp(a, b);
}

bool params_check(const struct params *params, const char *const *allowed, struct param_error *error)
{
    for (unsigned i = 0; i < params->count; i++) {
        const char *name = params->items[i].name;
        bool known = false;
        for (const char *const *word = allowed; word && *word && !known; word++)
            known = is_name(*word, name);
        if (!known)
            return unknown_parameter(error, name, allowed);
        for (unsigned k = 0; k < i; k++) {
            if (is_name(params->items[k].name, name))
                return param_fail(error, name, "given twice");
        }
    }
    return true;
}

const char *params_get(const struct params *params, const char *name)
{
    for (unsigned i = 0; i < params->count; i++) {
        if (is_name(params->items[i].name, name))
            return params->items[i].value;
    }
    return NULL;
}

/* Few digits and no exponent: digits and power of ten are exact as doubles, so that their quotient is rounded once, as
 * strtod does at many times the cost. */
static double few_digits(const char *text)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t whole = 0;
    unsigned places = 0;
    bool is_behind = false;
    for (const char *at = text + (*text == '-' || *text == '+'); *at; at++) {
        if (*at == '.') {
            is_behind = true;
            continue;
        }
        whole = whole * 10 + (uint64_t)(*at - '0');
        places += is_behind;
    }
    double size = (double)whole / powers[places];
    return *text == '-' ? -size : size;
}

bool number_parse(const char *text, double *value)
{
    enum { FEW = 15 };
    const char *at = text + (*text == '-' || *text == '+');
    size_t digits = strspn(at, "0123456789");
    at += digits;
    if (*at == '.') {
        size_t more = strspn(++at, "0123456789");
        digits += more;
        at += more;
    }
    if (!digits)
        return false;
    if (!*at && digits <= FEW) {
        *value = few_digits(text);
        return true;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = strspn(at, "0123456789");
        if (!exponent)
            return false;
        at += exponent;
    }
    if (*at)
        return false;
    /* The daemon never leaves the C locale, so strtod parses exactly what was checked above. */
    *value = strtod(text, NULL);
    return isfinite(*value);
}

bool params_number(const struct params *params, const char *name, double least, double most, double *value,
                   struct param_error *error)
{
    const char *text = params_get(params, name);
    double number;
    if (!text)
        return true;
    if (!number_parse(text, &number))
        return param_fail(error, name, "\"%.60s\" is not a finite number", text);
    if (number < least || number > most)
        return param_fail(error, name, "%.60s is not between %.9g and %.9g", text, least, most);
    *value = number;
    return true;
}

bool params_bound(const struct params *params, const char *name, double least, double most, double *value,
                  struct param_error *error)
{
    if (!params_number(params, name, least, most, value, error))
        return false;
    *value = (double)(float)*value;
    return true;
}

bool params_integer(const struct params *params, const char *name, int64_t least, int64_t most,
                    int64_t *value, struct param_error *error)
{
    const char *text = params_get(params, name);
    if (!text)
        return true;
    size_t length = strspn(text, "0123456789");
    if (!length || text[length] || length > 18)
        return param_fail(error, name, "\"%.60s\" is not a whole number", text);
    int64_t number = strtoll(text, NULL, 10);
    if (number < least || number > most)
        return param_fail(error, name, "%.60s is not between %lld and %lld", text, (long long)least,
                          (long long)most);
    *value = number;
    return true;
}

bool param_no_memory(struct param_error *error, const char *name)
{
    param_fail(error, name, "out of memory");
    strcpy(error->code, PARAM_NO_MEMORY);
    return false;
}

bool params_choice(const struct params *params, const char *name, const char *const *words, int *value,
                   struct param_error *error)
{
    const char *text = params_get(params, name);
    if (!text)
        return true;
    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], text)) {
            *value = i;
            return true;
        }
    }
    char list[128] = "";
    for (int i = 0; words[i]; i++) {
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, words[i], sizeof list - strlen(list) - 1);
    }
    return param_fail(error, name, "\"%.40s\" is not one of %s", text, list);
}
