#include "lib/core/value.h"

#include "lib/core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct value_list new_list(struct arena *arena, enum pose_value_kind kind)
{
    struct value_list list = {.arena = arena, .value = ARENA_NEW(arena, struct pose_value, 1)};
    if (list.value)
        list.value->kind = kind;
    return list;
}

struct value_list value_object(struct arena *arena)
{
    return new_list(arena, POSE_OBJECT);
}

struct value_list value_array(struct arena *arena)
{
    return new_list(arena, POSE_ARRAY);
}

static void append(struct value_list *list, struct pose_value *value)
{
    if (!list->value || !value)
        return;
    if (list->last)
        list->last->next = value;
    else
        list->value->first = value;
    list->last = value;
}

static struct pose_value *put(struct value_list *list, const char *key, enum pose_value_kind kind)
{
    struct pose_value *value = ARENA_NEW(list->arena, struct pose_value, 1);
    if (!value)
        return NULL;
    value->kind = kind;
    value->key = key;
    append(list, value);
    return value;
}

void value_put_null(struct value_list *list, const char *key)
{
    put(list, key, POSE_NULL);
}

void value_put_bool(struct value_list *list, const char *key, bool boolean)
{
    struct pose_value *value = put(list, key, POSE_BOOL);
    if (value)
        value->as.boolean = boolean;
}

void value_put_int(struct value_list *list, const char *key, int64_t integer)
{
    struct pose_value *value = put(list, key, POSE_INT);
    if (value)
        value->as.integer = integer;
}

void value_put_float(struct value_list *list, const char *key, float number)
{
    struct pose_value *value = put(list, key, isfinite(number) ? POSE_FLOAT : POSE_NULL);
    if (value && value->kind == POSE_FLOAT)
        value->as.number = number;
}

void value_put_floats(struct value_list *list, const char *key, const float *numbers, size_t count)
{
    struct value_list array = value_array(list->arena);
    for (size_t i = 0; i < count; i++)
        value_put_float(&array, NULL, numbers[i]);
    value_put_list(list, key, &array);
}

void value_put_float_bits(struct value_list *list, const char *key, uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    if (isfinite(number))
        value_put_float(list, key, number);
    else
        value_put_string(list, key, arena_format(list->arena, "0x%08X", bits));
}

void value_put_string(struct value_list *list, const char *key, const char *text)
{
    struct pose_value *value = put(list, key, text ? POSE_STRING : POSE_NULL);
    if (value && text)
        value->as.string = text;
}

void value_put_hex(struct value_list *list, const char *key, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(list->arena, size * 2 + 1, 1);
    if (!text)
        return;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    value_put_string(list, key, text);
}

void value_put_list(struct value_list *list, const char *key, const struct value_list *child)
{
    if (!child->value)
        return;
    child->value->key = key;
    append(list, child->value);
}

const struct pose_value *value_done(const struct value_list *list)
{
    if (!list->value || (list->value->kind == POSE_OBJECT && !list->value->first))
        return NULL;
    return list->value;
}

/* ------------------------------------------------------------------------------------------------- copies -- */

/* Avoids recursion: waiting holds copied lists whose members are still those of the original. */
struct copier {
    struct arena *arena;
    struct pose_value **waiting;
    uint32_t count, capacity;
};

static struct pose_value *copy_one(struct copier *copier, const struct pose_value *from)
{
    struct pose_value *to = ARENA_NEW(copier->arena, struct pose_value, 1);
    if (!to)
        return NULL;
    *to = *from;
    to->key = arena_copy_text(copier->arena, from->key);
    to->next = NULL;
    if (from->kind == POSE_STRING)
        to->as.string = arena_copy_text(copier->arena, from->as.string);
    if (from->kind != POSE_ARRAY && from->kind != POSE_OBJECT)
        return to;
    struct pose_value **waiting =
        arena_grow(copier->arena, copier->waiting, copier->count, &copier->capacity, sizeof(void *));
    if (!waiting)
        return NULL;
    copier->waiting = waiting;
    waiting[copier->count++] = to;
    return to;
}

static void copy_members(struct copier *copier, struct value_list *to, const struct pose_value *first,
                         const char *const *without)
{
    for (const struct pose_value *from = first; from && !copier->arena->failed; from = from->next) {
        if (!text_is_among(from->key, without))
            append(to, copy_one(copier, from));
    }
}

static void copy_waiting(struct copier *copier)
{
    while (copier->count) {
        struct pose_value *list = copier->waiting[--copier->count];
        struct value_list to = {.arena = copier->arena, .value = list};
        const struct pose_value *first = list->first;
        list->first = NULL;
        copy_members(copier, &to, first, NULL);
    }
}

void value_put_members(struct value_list *list, const struct pose_value *object, const char *const *without)
{
    struct copier copier = {.arena = list->arena};
    if (!object || object->kind != POSE_OBJECT)
        return;
    copy_members(&copier, list, object->first, without);
    copy_waiting(&copier);
}

struct pose_value *value_copy(struct arena *arena, const struct pose_value *value)
{
    struct copier copier = {.arena = arena};
    struct pose_value *copy = value ? copy_one(&copier, value) : NULL;
    copy_waiting(&copier);
    return arena->failed ? NULL : copy;
}

const struct pose_value *value_copy_object(struct arena *arena, const struct pose_value *object,
                                           const char *const *without)
{
    if (!object || object->kind != POSE_OBJECT || !object->first)
        return NULL;
    struct value_list list = value_object(arena);
    value_put_members(&list, object, without);
    return value_done(&list);
}

const struct pose_value *pose_value_find(const struct pose_value *object, const char *key)
{
    if (!object || object->kind != POSE_OBJECT)
        return NULL;
    for (const struct pose_value *member = object->first; member; member = member->next) {
        if (member->key && !strcmp(member->key, key))
            return member;
    }
    return NULL;
}

bool value_number(const struct pose_value *value, float *number)
{
    if (!value)
        return false;
    if (value->kind == POSE_FLOAT)
        *number = value->as.number;
    else if (value->kind == POSE_INT)
        *number = (float)value->as.integer;
    else
        return false;
    return true;
}

int64_t value_get_int(const struct pose_value *object, const char *key, int64_t fallback)
{
    const struct pose_value *value = pose_value_find(object, key);
    if (value && value->kind == POSE_INT)
        return value->as.integer;
    if (value && value->kind == POSE_BOOL)
        return value->as.boolean;
    /* Accept a whole float: JSON does not distinguish 1 from 1.0. */
    if (value && value->kind == POSE_FLOAT && fabsf(value->as.number) < 9e18f &&
        value->as.number == truncf(value->as.number))
        return (int64_t)value->as.number;
    return fallback;
}

float value_get_float(const struct pose_value *object, const char *key, float fallback)
{
    float number = fallback;
    value_number(pose_value_find(object, key), &number);
    return number;
}

bool value_float_bits(const struct pose_value *value, uint32_t *bits)
{
    enum { DIGITS = 8 };
    float number;
    const char *text = value && value->kind == POSE_STRING ? value->as.string : "";
    if (!strncmp(text, "0x", 2) && strlen(text) == 2 + DIGITS &&
        strspn(text + 2, "0123456789abcdefABCDEF") == DIGITS) {
        *bits = (uint32_t)strtoul(text + 2, NULL, 16);
        return true;
    }
    if (!value_number(value, &number))
        return false;
    memcpy(bits, &number, sizeof *bits);
    return true;
}

uint32_t value_get_float_bits(const struct pose_value *object, const char *key, float fallback)
{
    uint32_t bits;
    memcpy(&bits, &fallback, sizeof bits);
    value_float_bits(pose_value_find(object, key), &bits);
    return bits;
}

bool value_get_bool(const struct pose_value *object, const char *key, bool fallback)
{
    const struct pose_value *value = pose_value_find(object, key);
    if (value && value->kind == POSE_BOOL)
        return value->as.boolean;
    if (value && value->kind == POSE_INT)
        return value->as.integer != 0;
    return fallback;
}

const char *value_get_string(const struct pose_value *object, const char *key, const char *fallback)
{
    const struct pose_value *value = pose_value_find(object, key);
    return value && value->kind == POSE_STRING ? value->as.string : fallback;
}

size_t value_get_floats(const struct pose_value *object, const char *key, float *numbers, size_t count)
{
    const struct pose_value *array = pose_value_find(object, key);
    size_t found = 0;
    if (!array || array->kind != POSE_ARRAY)
        return 0;
    for (const struct pose_value *item = array->first; item && found < count; item = item->next) {
        if (!value_number(item, &numbers[found]))
            break;
        found++;
    }
    return found;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int64_t value_get_hex(const struct pose_value *object, const char *key, uint8_t *bytes, size_t capacity)
{
    const char *text = value_get_string(object, key, NULL);
    if (!text)
        return -1;
    size_t size = 0;
    for (; text[0]; text += 2) {
        int high = hex_digit(text[0]), low = text[1] ? hex_digit(text[1]) : -1;
        if (high < 0 || low < 0 || size == capacity)
            return -1;
        bytes[size++] = (uint8_t)(high << 4 | low);
    }
    return (int64_t)size;
}

const struct pose_value *value_items(const struct pose_value *object, const char *key)
{
    const struct pose_value *list = pose_value_find(object, key);
    return list && list->kind == POSE_ARRAY ? list->first : NULL;
}

size_t value_count(const struct pose_value *list)
{
    size_t count = 0;
    if (list && (list->kind == POSE_ARRAY || list->kind == POSE_OBJECT)) {
        for (const struct pose_value *item = list->first; item; item = item->next)
            count++;
    }
    return count;
}
