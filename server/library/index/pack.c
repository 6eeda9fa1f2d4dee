#include "server/library/index/pack.h"

#include "server/library/entry/tighten.h"
#include "server/library/index/nested.h"
#include "server/library/texts.h"

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

static void put_wide(struct packing *out, int32_t value)
{
    const int64_t wide = value;
    put(out, &wide, sizeof wide);
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
    put_u32(out, asset->is_person);
    put_text(out, asset->actor);
    put_text(out, asset->words);
    put_text(out, asset->events);
    put(out, &asset->loop, sizeof asset->loop);
    put_text(out, asset->own_name);
    put_u32(out, asset->skeleton != NULL);
    if (asset->skeleton)
        put(out, asset->skeleton, sizeof *asset->skeleton);
    put_wide(out, asset->events_entry);
    put_wide(out, asset->event_set);
    put_wide(out, asset->skin_entry);
}

static bool is_linked(const struct index_entry *entry)
{
    const struct pose_format *format = entry->format ? pose_format_find(entry->format) : NULL;
    return format && format->is_linked;
}

/* Another daemon, or this one with other limits, may be able to read it. */
static bool may_change(const struct index_entry *entry)
{
    return entry->error &&
           (entry->error->status == POSE_OVER_LIMIT || entry->error->status == POSE_NO_MEMORY ||
            entry->error->status == POSE_BAD_ARGUMENT);
}

static void put_entry(struct packing *out, const struct index_entry *entry)
{
    put_text(out, entry->name);
    put(out, &entry->size, sizeof entry->size);
    put_text(out, entry->kind);
    put_text(out, entry->format);
    put_text(out, entry->game);
    put_u32(out, entry->error != NULL);
    if (entry->error)
        put(out, entry->error, sizeof *entry->error);
    put_u32(out, entry->is_copy);
    put_u32(out, entry->wants_companions);
    put(out, &entry->content, sizeof entry->content);
    put_u32(out, (uint32_t)entry->facts.size);
    put(out, entry->facts.data, entry->facts.size);
    put_u32(out, entry->asset_count);
    for (uint32_t i = 0; i < entry->asset_count; i++)
        put_asset(out, &entry->assets[i]);
}

bool index_pack(const struct index_entry *entry, struct pose_buffer *buffer)
{
    struct packing packing = {.buffer = buffer};
    if (entry->facts.size || is_linked(entry) || may_change(entry))
        return false;
    put_entry(&packing, entry);
    return !packing.failed;
}

uint32_t index_pack_revision(void)
{
    return pose_revision() % 1000000 * 100 + INDEX_PACK_VERSION;
}

bool index_pack_archive(const struct index_archive *archive, struct pose_buffer *buffer)
{
    struct packing packing = {.buffer = buffer}, *out = &packing;
    if (archive->error)
        return false;
    put_u32(out, archive->archive != NULL);
    put_u32(out, nested_own_count(archive));
    put_u32(out, archive->nested_count);
    for (uint32_t i = 0; i < archive->nested_count; i++) {
        put_u32(out, archive->nested[i]->entry);
        put_u32(out, archive->nested[i]->count);
    }
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (may_change(archive->entries[i]))
            return false;
        put_entry(out, archive->entries[i]);
    }
    if (packing.failed)
        return false;
    const struct asset_id digest = id_quick(NULL, buffer->data, buffer->size);
    put(out, &digest, sizeof digest);
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

/* Numbers of entries, which fit. */
static int32_t take_wide(struct cursor *cursor)
{
    int64_t wide;
    take(cursor, &wide, sizeof wide);
    cursor->broken |= wide < INT32_MIN || wide > INT32_MAX;
    return (int32_t)wide;
}

static void take_links(struct cursor *cursor, struct index_asset *asset)
{
    asset->own_name = take_text(cursor);
    if (take_u32(cursor)) {
        struct asset_id *skeleton = REGION_NEW(cursor->region, struct asset_id, 1);
        cursor->broken |= !skeleton;
        if (!skeleton)
            return;
        take(cursor, skeleton, sizeof *skeleton);
        asset->skeleton = skeleton;
    }
    asset->events_entry = take_wide(cursor);
    asset->event_set = take_wide(cursor);
    asset->skin_entry = take_wide(cursor);
}

static void take_asset(struct cursor *cursor, struct index_asset *asset)
{
    take(cursor, &asset->id, sizeof asset->id);
    const uint32_t kind = take_u32(cursor);
    asset->kind = kind < ASSET_KIND_COUNT ? (uint8_t)kind : 0;
    asset->inner = take_u32(cursor);
    asset->name = need_text(cursor);
    asset->summary = need_text(cursor);
    asset->notes = need_text(cursor);
    asset->axes = (uint8_t)take_u32(cursor);
    take(cursor, &asset->duration, sizeof asset->duration);
    take(cursor, &asset->fps, sizeof asset->fps);
    asset->joint_count = take_u32(cursor);
    asset->event_count = take_u32(cursor);
    uint32_t count = take_u32(cursor);
    cursor->broken |= count > cursor->left / sizeof *asset->known || kind >= ASSET_KIND_COUNT;
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
    asset->is_person = take_u32(cursor);
    asset->actor = take_text(cursor);
    asset->words = take_shared(cursor);
    asset->events = take_shared(cursor);
    take(cursor, &asset->loop, sizeof asset->loop);
    cursor->broken |= asset->moving_count > count;
    take_links(cursor, asset);
}

static void take_facts(struct cursor *cursor, struct index_entry *entry)
{
    const uint32_t size = take_u32(cursor);
    cursor->broken |= size > cursor->left;
    if (cursor->broken || !size)
        return;
    uint8_t *facts = REGION_NEW(cursor->region, uint8_t, size);
    cursor->broken |= !facts;
    if (!facts)
        return;
    take(cursor, facts, size);
    entry->facts = (struct pose_bytes){facts, size};
}

static void take_entry(struct cursor *cursor, struct index_entry *entry)
{
    enum { MIN_ASSET = 117 };
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
    entry->is_copy = take_u32(cursor) != 0;
    entry->wants_companions = take_u32(cursor) != 0;
    take(cursor, &entry->content, sizeof entry->content);
    take_facts(cursor, entry);
    uint32_t count = take_u32(cursor);
    cursor->broken |= count > cursor->left / MIN_ASSET;
    if (cursor->broken)
        return;
    entry->assets = REGION_NEW(cursor->region, struct index_asset, count);
    entry->asset_count = entry->assets ? count : 0;
    for (uint32_t i = 0; i < entry->asset_count; i++)
        take_asset(cursor, &entry->assets[i]);
}

/* Takes the next entry; NULL if it is broken. */
static struct index_entry *unpack_entry(struct cursor *cursor, const struct file_stamp *stamp)
{
    struct region region;
    region_init(&region);
    struct index_entry *entry = REGION_NEW(&region, struct index_entry, 1);
    atomic_init(&entry->references, 1);
    entry->stamp = *stamp;
    region.may_fail = true;
    cursor->region = &region;
    take_entry(cursor, entry);
    cursor->broken |= region.failed;
    entry->region = region;
    if (!cursor->broken)
        return entry;
    index_entry_unref(entry);
    return NULL;
}

struct index_entry *index_unpack(const void *bytes, size_t size, const struct file_stamp *stamp)
{
    struct cursor cursor = {.at = bytes, .left = size};
    struct index_entry *entry = unpack_entry(&cursor, stamp);
    if (!entry || !cursor.left)
        return entry ? index_entry_tighten(entry, true) : NULL;
    index_entry_unref(entry);
    return NULL;
}

/* ------------------------------------------------------------------------------------------ whole archives -- */

/* Nested containers stay closed. Sets the number of all entries. */
static void take_nested(struct cursor *cursor, struct index_archive *archive, uint32_t own, uint32_t *total)
{
    enum { NESTED = 8 };
    const uint32_t count = take_u32(cursor);
    *total = own;
    cursor->broken |= count > cursor->left / NESTED;
    if (cursor->broken || !count)
        return;
    archive->nested = try_alloc(count, sizeof *archive->nested);
    cursor->broken |= !archive->nested;
    for (uint32_t i = 0; !cursor->broken && i < count; i++) {
        struct index_nested *nested = must_alloc(1, sizeof *nested);
        archive->nested[archive->nested_count++] = nested;
        nested->entry = take_u32(cursor);
        nested->first = *total;
        nested->count = take_u32(cursor);
        cursor->broken |= nested->entry >= nested->first || nested_level(archive, nested->entry) > 1 ||
                          nested->count > cursor->left;
        *total += cursor->broken ? 0 : nested->count;
    }
}

/* Whether what links refer to is there. */
static bool links_fit(const struct index_archive *archive)
{
    const int64_t count = archive->entry_count;
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++) {
            const struct index_asset *asset = &archive->entries[e]->assets[i];
            if (asset->events_entry < -1 || asset->events_entry >= count || asset->skin_entry < -1 ||
                asset->skin_entry >= count)
                return false;
        }
    }
    return true;
}

static bool take_entries(struct cursor *cursor, struct index_archive *archive, uint32_t total)
{
    enum { MIN_ENTRY = 60 };
    static const struct file_stamp none;
    if (cursor->broken || total > cursor->left / MIN_ENTRY)
        return false;
    archive->entries = REGION_NEW(&archive->region, struct index_entry *, total);
    archive->entry_count = archive->entry_capacity = archive->entries ? total : 0;
    for (uint32_t i = 0; i < archive->entry_count && !cursor->broken; i++) {
        archive->entries[i] = unpack_entry(cursor, &none);
        if (archive->entries[i])
            archive->entries[i] = index_entry_tighten(archive->entries[i], false);
    }
    return archive->entries && !cursor->broken && !cursor->left && links_fit(archive);
}

bool index_packed_is_container(struct pose_bytes packed)
{
    uint32_t is_container = 0;
    if (packed.size >= sizeof is_container)
        memcpy(&is_container, packed.data, sizeof is_container);
    return is_container;
}

bool index_unpack_archive(struct pose_bytes packed, struct index_archive *archive)
{
    struct asset_id digest;
    if (packed.size < sizeof digest)
        return false;
    const size_t size = packed.size - sizeof digest;
    memcpy(&digest, packed.data + size, sizeof digest);
    const struct asset_id right = id_quick(NULL, packed.data, size);
    if (!id_equal(&digest, &right))
        return false;
    struct cursor cursor = {.at = packed.data, .left = size};
    const bool is_container = take_u32(&cursor) != 0;
    const uint32_t own = take_u32(&cursor);
    uint32_t total;
    if (cursor.broken || is_container != (archive->archive != NULL) || own != archive->entry_count)
        return false;
    take_nested(&cursor, archive, own, &total);
    return take_entries(&cursor, archive, total);
}
