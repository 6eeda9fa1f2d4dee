#include "server/library/texts.h"

#include "lib/core/hash.h"
#include "server/ops/region.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text {
    struct text *next; /* in the same slot */
    uint64_t hash;
    uint32_t holders;
    size_t length;
    _Alignas(max_align_t) char characters[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct text **slots;
static size_t slot_count, text_count; /* slot_count: a power of two */

static struct text *text_of(const char *characters)
{
    union {
        const char *view;
        char *data;
    } at = {.view = characters - offsetof(struct text, characters)};
    return (struct text *)(void *)at.data;
}

static struct text **slot_of(uint64_t hash)
{
    return &slots[hash & (slot_count - 1)];
}

/* Keeps at least as many slots as texts; false if there is no memory for the first slots. */
static bool make_room(void)
{
    size_t larger = slot_count ? slot_count * 2 : 256;
    struct text **old = slots, **made = text_count < slot_count ? NULL : try_alloc(larger, sizeof *made);
    size_t old_count = slot_count;
    if (!made)
        return slots;
    slots = made;
    slot_count = larger;
    for (size_t i = 0; i < old_count; i++) {
        for (struct text *text = old[i], *next; text; text = next) {
            next = text->next;
            text->next = *slot_of(text->hash);
            *slot_of(text->hash) = text;
        }
    }
    free(old);
    return true;
}

static struct text *find(const char *characters, size_t length, uint64_t hash)
{
    for (struct text *text = *slot_of(hash); text; text = text->next) {
        if (text->hash == hash && text->length == length && !memcmp(text->characters, characters, length))
            return text;
    }
    return NULL;
}

static struct text *add(const char *characters, size_t length, uint64_t hash)
{
    struct text *text = malloc(sizeof *text + length + 1);
    if (!text)
        return NULL;
    *text = (struct text){.next = *slot_of(hash), .hash = hash, .length = length};
    memcpy(text->characters, characters, length);
    text->characters[length] = 0;
    *slot_of(hash) = text;
    text_count++;
    return text;
}

static struct text *hold(const char *characters, size_t length)
{
    uint64_t hash = hash_fnv1a(characters, length, false);
    struct text *text = NULL;
    pthread_mutex_lock(&lock);
    if (make_room()) {
        text = find(characters, length, hash);
        if (!text)
            text = add(characters, length, hash);
        if (text)
            text->holders++;
    }
    pthread_mutex_unlock(&lock);
    return text;
}

static void drop(struct text *text)
{
    struct text **at;
    pthread_mutex_lock(&lock);
    if (--text->holders) {
        text = NULL;
    } else {
        for (at = slot_of(text->hash); *at != text; at = &(*at)->next)
            ;
        *at = text->next;
        text_count--;
    }
    pthread_mutex_unlock(&lock);
    free(text);
}

const char *text_hold(const char *characters, size_t length)
{
    const struct text *text = length ? hold(characters, length) : NULL;
    return text ? text->characters : "";
}

void text_drop(const char *characters)
{
    if (characters && *characters)
        drop(text_of(characters));
}

const void *bytes_hold(const void *bytes, size_t size)
{
    const struct text *text = size ? hold(bytes, size) : NULL;
    return text ? text->characters : NULL;
}

void bytes_drop(const void *bytes)
{
    if (bytes)
        drop(text_of(bytes));
}
