/* What linking a pak needs of its documents: of a clip the id of its events, of a character set which clips each
 * character plays. */
#include "lib/core/value.h"
#include "lib/formats/prime/join.h"

#include <stdlib.h>
#include <string.h>

/* Trees of animations are at most 32 levels deep, with a list between any two. */
enum { MAX_DEPTH = 80 };

static const struct pose_value *items_of(const struct pose_value *object, const char *key)
{
    const struct pose_value *list = pose_value_find(object, key);
    return list && (list->kind == POSE_ARRAY || list->kind == POSE_OBJECT) ? list->first : NULL;
}

static uint32_t number_of(const struct pose_value *object, const char *key)
{
    return (uint32_t)value_get_int(object, key, 0);
}

static uint32_t count_items(const struct pose_value *first)
{
    uint32_t count = 0;
    for (; first; first = first->next)
        count++;
    return count;
}

/* --------------------------------------------------------------------------------------- from the document -- */

struct leaf_list {
    struct arena *arena;
    uint32_t count, capacity;
    struct prime_leaf *items;
};

static void add_leaf(struct leaf_list *list, struct prime_leaf leaf)
{
    struct prime_leaf *items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *items);
    if (!items)
        return;
    list->items = items;
    items[list->count++] = leaf;
}

/* Adds all clips below a meta-animation, in order. */
static void add_leaves(struct leaf_list *list, const struct pose_value *meta, uint32_t animation,
                       const char *name)
{
    const struct pose_value *stack[MAX_DEPTH];
    unsigned depth = 0;
    stack[depth++] = meta;
    while (depth) {
        const struct pose_value *at = stack[depth - 1], *first = items_of(at, "animations");
        if (pose_value_find(at, "anim"))
            add_leaf(list, (struct prime_leaf){number_of(at, "anim"), animation, name});
        stack[depth - 1] = depth > 1 ? at->next : NULL; /* siblings of the root do not belong to it */
        if (first && depth < MAX_DEPTH)
            stack[depth++] = first;
        while (depth && !stack[depth - 1])
            depth--;
    }
}

static void take_leaves(const struct pose_document *document, struct arena *arena, struct prime_facts *facts)
{
    struct leaf_list list = {.arena = arena};
    uint32_t number = 0;
    for (const struct pose_value *item = items_of(document->extras, "animations"); item; item = item->next) {
        const struct pose_value *meta = pose_value_find(item, "animation");
        if (meta)
            add_leaves(&list, meta, number, value_get_string(item, "name", ""));
        number++;
    }
    facts->leaf_count = list.count;
    facts->leaves = list.items;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void take_wearer(struct arena *arena, const struct pose_character *character,
                        struct prime_wearer *wearer)
{
    const struct pose_value *first = items_of(character->extras, "animations");
    uint32_t *animations = ARENA_NEW(arena, uint32_t, count_items(first));
    wearer->cinf = number_of(character->extras, "cinf");
    wearer->cskr = number_of(character->extras, "cskr");
    wearer->cmdl = number_of(character->extras, "cmdl");
    for (const struct pose_value *item = animations ? first : NULL; item; item = item->next)
        animations[wearer->count++] = number_of(item, "index");
    if (wearer->count)
        qsort(animations, wearer->count, sizeof *animations, compare_numbers);
    wearer->animations = animations;
}

static void take_events(const struct pose_document *document, struct arena *arena, struct prime_facts *facts)
{
    const struct pose_value *first = items_of(document->extras, "anim_events");
    struct prime_events_of *events = ARENA_NEW(arena, struct prime_events_of, count_items(first));
    for (const struct pose_value *item = events ? first : NULL; item; item = item->next)
        events[facts->events_count++] =
            (struct prime_events_of){number_of(item, "anim"), number_of(item, "evnt")};
    facts->events = events;
    facts->event_set_count = count_items(items_of(document->extras, "event_sets"));
}

static bool prime_take_facts(const struct pose_document *document, struct arena *arena,
                             struct prime_facts *facts)
{
    struct prime_wearer *wearers = ARENA_NEW(arena, struct prime_wearer, document->character_count);
    *facts = (struct prime_facts){.wearers = wearers};
    take_leaves(document, arena, facts);
    for (uint32_t i = 0; wearers && i < document->character_count; i++)
        take_wearer(arena, &document->characters[i], &wearers[facts->wearer_count++]);
    take_events(document, arena, facts);
    return !arena->failed;
}

/* -------------------------------------------------------------------------------------------- to and from bytes -- */

static void write_set(const struct prime_facts *facts, struct writer *writer)
{
    writer_u32le(writer, facts->leaf_count);
    for (uint32_t i = 0; i < facts->leaf_count; i++) {
        const struct prime_leaf *leaf = &facts->leaves[i];
        writer_u32le(writer, leaf->anim);
        writer_u32le(writer, leaf->animation);
        writer_u32le(writer, (uint32_t)strlen(leaf->name) + 1);
        writer_bytes(writer, leaf->name, strlen(leaf->name) + 1);
    }
    writer_u32le(writer, facts->wearer_count);
    for (uint32_t i = 0; i < facts->wearer_count; i++) {
        const struct prime_wearer *wearer = &facts->wearers[i];
        writer_u32le(writer, wearer->cinf);
        writer_u32le(writer, wearer->cskr);
        writer_u32le(writer, wearer->cmdl);
        writer_u32le(writer, wearer->count);
        for (uint32_t k = 0; k < wearer->count; k++)
            writer_u32le(writer, wearer->animations[k]);
    }
    writer_u32le(writer, facts->events_count);
    for (uint32_t i = 0; i < facts->events_count; i++) {
        writer_u32le(writer, facts->events[i].anim);
        writer_u32le(writer, facts->events[i].evnt);
    }
    writer_u32le(writer, facts->event_set_count);
}

void prime_write_facts(const struct pose_document *document, struct arena *arena, struct writer *writer)
{
    struct prime_facts facts;
    if (document->character_count && prime_take_facts(document, arena, &facts))
        write_set(&facts, writer);
    uint32_t evnt = document->clip_count ? number_of(document->clips->extras, "evnt") : 0;
    if (evnt)
        writer_u32le(writer, evnt);
}

static void read_leaves(struct reader *reader, struct arena *arena, struct prime_facts *facts)
{
    uint32_t count = reader_u32le(reader, "leaf_count");
    struct prime_leaf *leaves = reader_count(reader, count, 13, "leaves", "truncated")
                                    ? ARENA_NEW(arena, struct prime_leaf, count)
                                    : NULL;
    facts->leaves = leaves;
    for (uint32_t i = 0; leaves && i < count && !reader->failed; i++) {
        leaves[i].anim = reader_u32le(reader, "anim");
        leaves[i].animation = reader_u32le(reader, "animation");
        uint32_t length = reader_u32le(reader, "name_length");
        const uint8_t *name = reader_bytes(reader, length, "name");
        leaves[i].name = name && length && !name[length - 1] ? (const char *)name : "";
        facts->leaf_count++;
    }
}

static void read_wearers(struct reader *reader, struct arena *arena, struct prime_facts *facts)
{
    uint32_t count = reader_u32le(reader, "wearer_count");
    struct prime_wearer *wearers = reader_count(reader, count, 16, "wearers", "truncated")
                                       ? ARENA_NEW(arena, struct prime_wearer, count)
                                       : NULL;
    facts->wearers = wearers;
    for (uint32_t i = 0; wearers && i < count && !reader->failed; i++) {
        wearers[i].cinf = reader_u32le(reader, "cinf");
        wearers[i].cskr = reader_u32le(reader, "cskr");
        wearers[i].cmdl = reader_u32le(reader, "cmdl");
        uint32_t numbers = reader_u32le(reader, "animation_count");
        uint32_t *animations = reader_count(reader, numbers, 4, "animations", "truncated")
                                   ? ARENA_NEW(arena, uint32_t, numbers)
                                   : NULL;
        wearers[i].animations = animations;
        for (uint32_t k = 0; animations && k < numbers; k++)
            animations[wearers[i].count++] = reader_u32le(reader, "animation");
        facts->wearer_count++;
    }
}

bool prime_read_facts(struct pose_bytes bytes, struct arena *arena, struct prime_facts *facts)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    *facts = (struct prime_facts){.leaf_count = 0};
    read_leaves(&reader, arena, facts);
    read_wearers(&reader, arena, facts);
    uint32_t count = reader_u32le(&reader, "events_count");
    struct prime_events_of *events = reader_count(&reader, count, 8, "events", "truncated")
                                         ? ARENA_NEW(arena, struct prime_events_of, count)
                                         : NULL;
    facts->events = events;
    for (uint32_t i = 0; events && i < count; i++) {
        events[i].anim = reader_u32le(&reader, "anim");
        events[i].evnt = reader_u32le(&reader, "evnt");
        facts->events_count++;
    }
    facts->event_set_count = reader_u32le(&reader, "event_set_count");
    return !reader.failed && !arena->failed;
}

uint32_t prime_first_leaf(const struct prime_facts *facts, uint32_t animation)
{
    uint32_t low = 0, high = facts->leaf_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (facts->leaves[middle].animation < animation)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
