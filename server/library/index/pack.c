#include "server/library/index/pack.h"

#include "server/library/texts.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ packing -- */

struct packing {
    struct pose_buffer *buffer;
    bool failed;
};

static void put(struct packing *out, const void *bytes, size_t size)
{
    out->failed = out->failed || (size && !pose_buffer_append(out->buffer, bytes, size));
}

static void put_u32(struct packing *out, uint32_t value)
{
    put(out, &value, sizeof value);
}

/* Writes the length, UINT32_MAX for NULL, and the characters. */
static void put_text(struct packing *out, const char *text)
{
    uint32_t length = text ? (uint32_t)strlen(text) : UINT32_MAX;
    put_u32(out, length);
    if (text)
        put(out, text, length);
}

static void put_asset(struct packing *out, const struct index_asset *asset)
{
    put(out, &asset->id, sizeof asset->id);
    put_u32(out, asset->kind);
    put_u32(out, asset->inner);
    put_text(out, asset->name);
    put_text(out, asset->summary);
    put_text(out, asset->notes);
    put_u32(out, asset->axes);
    put(out, &asset->duration, sizeof asset->duration);
    put(out, &asset->fps, sizeof asset->fps);
    put_u32(out, asset->joint_count);
    put_u32(out, asset->event_count);
    put_u32(out, asset->known_count);
    put(out, asset->known, asset->known_count * sizeof *asset->known);
    put_u32(out, asset->moving_count);
    put(out, &asset->rest, sizeof asset->rest);
    put_text(out, asset->actor);
    put_text(out, asset->words);
    put_text(out, asset->events);
    put(out, &asset->loop, sizeof asset->loop);
}

static bool is_linked(const struct index_entry *entry)
{
    const struct pose_format *format = entry->format ? pose_format_find(entry->format) : NULL;
    return format && format->is_linked;
}

bool index_pack(const struct index_entry *entry, struct pose_buffer *buffer)
{
    struct packing packing = {.buffer = buffer}, *out = &packing;
    if (entry->facts.size || is_linked(entry) ||
        (entry->error && (entry->error->status == POSE_OVER_LIMIT || entry->error->status == POSE_NO_MEMORY ||
                          entry->error->status == POSE_BAD_ARGUMENT)))
        return false;
    put_text(out, entry->name);
    put(out, &entry->size, sizeof entry->size);
    put_text(out, entry->kind);
    put_text(out, entry->format);
    put_text(out, entry->game);
    put_u32(out, entry->error != NULL);
    if (entry->error)
        put(out, entry->error, sizeof *entry->error);
    put_u32(out, entry->wants_companions);
    put(out, &entry->content, sizeof entry->content);
    put_u32(out, entry->asset_count);
    for (uint32_t i = 0; i < entry->asset_count; i++)
        put_asset(out, &entry->assets[i]);
    return !packing.failed;
}

/* ---------------------------------------------------------------------------------------------- unpacking -- */

/* The remaining bytes; broken is set once a read goes beyond them. */
struct cursor {
    const uint8_t *at;
    size_t left;
    bool broken;
    struct region *region;
};

static void take(struct cursor *cursor, void *to, size_t size)
{
    if (cursor->broken || cursor->left < size) {
        cursor->broken = true;
        memset(to, 0, size);
        return;
    }
    memcpy(to, cursor->at, size);
    cursor->at += size;
    cursor->left -= size;
}

static uint32_t take_u32(struct cursor *cursor)
{
    uint32_t value;
    take(cursor, &value, sizeof value);
    return value;
}

/* The bytes of the next text, in place, and their count; NULL for a text that is NULL, and if it is broken. */
static const char *take_characters(struct cursor *cursor, uint32_t *length)
{
    *length = take_u32(cursor);
    if (cursor->broken || *length == UINT32_MAX)
        return NULL;
    if (*length > cursor->left) {
        cursor->broken = true;
        return NULL;
    }
    const char *characters = (const char *)cursor->at;
    cursor->at += *length;
    cursor->left -= *length;
    return characters;
}

static const char *take_text(struct cursor *cursor)
{
    uint32_t length;
    const char *characters = take_characters(cursor, &length);
    return characters ? region_text_sized(cursor->region, characters, length) : NULL;
}

/* A shared text; the entry holds a reference, and drops it if the rest is broken. */
static const char *take_shared(struct cursor *cursor)
{
    uint32_t length;
    const char *characters = take_characters(cursor, &length);
    return characters ? text_hold(characters, length) : NULL;
}

/* A text that must not be NULL. */
static const char *need_text(struct cursor *cursor)
{
    const char *text = take_text(cursor);
    cursor->broken |= !text;
    return text;
}

static void take_asset(struct cursor *cursor, struct index_asset *asset)
{
    take(cursor, &asset->id, sizeof asset->id);
    asset->kind = take_u32(cursor);
    asset->inner = take_u32(cursor);
    asset->name = need_text(cursor);
    asset->summary = need_text(cursor);
    asset->notes = need_text(cursor);
    asset->axes = take_u32(cursor);
    take(cursor, &asset->duration, sizeof asset->duration);
    take(cursor, &asset->fps, sizeof asset->fps);
    asset->joint_count = take_u32(cursor);
    asset->event_count = take_u32(cursor);
    uint32_t count = take_u32(cursor);
    cursor->broken |= count > cursor->left / sizeof *asset->known || asset->kind >= ASSET_KIND_COUNT;
    if (cursor->broken)
        return;
    uint64_t *known = REGION_NEW(cursor->region, uint64_t, count);
    if (!known) {
        cursor->broken = true;
        return;
    }
    take(cursor, known, count * sizeof *known);
    asset->known = known;
    asset->known_count = count;
    asset->moving_count = take_u32(cursor);
    take(cursor, &asset->rest, sizeof asset->rest);
    asset->actor = take_text(cursor);
    asset->words = take_shared(cursor);
    asset->events = take_shared(cursor);
    take(cursor, &asset->loop, sizeof asset->loop);
    cursor->broken |= asset->moving_count > count;
    asset->events_entry = asset->event_set = asset->skin_entry = -1;
}

static void take_entry(struct cursor *cursor, struct index_entry *entry)
{
    enum { MIN_ASSET = 85 };
    entry->name = need_text(cursor);
    take(cursor, &entry->size, sizeof entry->size);
    entry->kind = need_text(cursor);
    const char *format = take_text(cursor);
    const struct pose_format *known = format ? pose_format_find(format) : NULL;
    entry->format = known ? known->id : format;
    entry->game = take_text(cursor);
    if (take_u32(cursor)) {
        struct pose_error *error = REGION_NEW(cursor->region, struct pose_error, 1);
        if (!error) {
            cursor->broken = true;
            return;
        }
        take(cursor, error, sizeof *error);
        entry->error = error;
    }
    entry->wants_companions = take_u32(cursor) != 0;
    take(cursor, &entry->content, sizeof entry->content);
    uint32_t count = take_u32(cursor);
    cursor->broken |= count > cursor->left / MIN_ASSET;
    if (cursor->broken)
        return;
    entry->assets = REGION_NEW(cursor->region, struct index_asset, count);
    entry->asset_count = entry->assets ? count : 0;
    for (uint32_t i = 0; i < entry->asset_count; i++)
        take_asset(cursor, &entry->assets[i]);
}

struct index_entry *index_unpack(const void *bytes, size_t size, const struct file_stamp *stamp)
{
    struct region region;
    region_init(&region);
    struct index_entry *entry = REGION_NEW(&region, struct index_entry, 1);
    struct cursor cursor = {.at = bytes, .left = size, .region = &region};
    atomic_init(&entry->references, 1);
    entry->stamp = *stamp;
    region.may_fail = true;
    take_entry(&cursor, entry);
    bool is_broken = cursor.broken || region.failed || cursor.left;
    entry->region = region;
    if (!is_broken)
        return entry;
    index_entry_unref(entry);
    return NULL;
}
