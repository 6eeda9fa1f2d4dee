#include "server/library/entry/tighten.h"

#include "server/library/texts.h"

#include <string.h>

void entry_drop_shared(const struct index_asset *asset)
{
    text_drop(asset->notes);
    bytes_drop(asset->known);
    if (asset->kind != ASSET_CLIP) /* a clip's has its duration */
        text_drop(asset->summary);
}

/* Shares what clips of one rig and one program have alike. */
static bool share(struct index_asset *asset)
{
    const struct index_asset own = *asset;
    asset->notes = text_hold(own.notes, strlen(own.notes));
    asset->known = bytes_hold(own.known, own.known_count * sizeof *own.known);
    if (own.kind != ASSET_CLIP)
        asset->summary = text_hold(own.summary, strlen(own.summary));
    if (!*asset->notes == !*own.notes && !*asset->summary == !*own.summary &&
        (asset->known || !own.known_count))
        return true;
    entry_drop_shared(asset);
    *asset = own;
    return false;
}

/* What goes into the block, one after the other. */
struct block {
    char *at; /* NULL: it is only measured */
    size_t size;
};

static void *place(struct block *block, const void *bytes, size_t size, size_t alignment)
{
    block->size = (block->size + alignment - 1) & ~(alignment - 1);
    char *copy = block->at ? block->at + block->size : NULL;
    block->size += size;
    return copy && size ? memcpy(copy, bytes, size) : copy;
}

static const char *place_text(struct block *block, const char *text)
{
    const char *copy = text && *text ? place(block, text, strlen(text) + 1, 1) : NULL;
    return copy ? copy : text && !*text ? "" : NULL;
}

/* The same text in static storage; NULL: there is none. */
static const char *constant(const char *text)
{
    static const char *const kinds[] = {"clip",      "skeleton", "mesh",  "events",
                                        "character", "image",    "other", "archive"};
    for (size_t i = 0; text && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!strcmp(text, kinds[i]))
            return kinds[i];
    }
    const struct pose_format *format = text ? pose_format_find(text) : NULL;
    return format ? format->id : NULL;
}

static const char *place_constant(struct block *block, const char *text)
{
    const char *known = constant(text);
    return known ? known : place_text(block, text);
}

/* Places everything but what assets share. */
static struct index_entry *place_entry(struct block *block, const struct index_entry *from)
{
    struct index_entry *entry = place(block, from, sizeof *from, 1);
    struct index_asset *assets =
        place(block, from->assets, from->asset_count * sizeof *assets, _Alignof(struct index_asset));
    const struct pose_error *error =
        from->error ? place(block, from->error, sizeof *error, _Alignof(struct pose_error)) : NULL;
    const uint8_t *facts = place(block, from->facts.data, from->facts.size, 1);
    const char *name = place_text(block, from->name), *game = place_text(block, from->game);
    const char *kind = place_constant(block, from->kind), *format = place_constant(block, from->format);
    for (uint32_t i = 0; i < from->asset_count; i++) {
        const struct index_asset *asset = &from->assets[i];
        const bool is_same = i && !strcmp(asset->name, asset[-1].name);
        const char *own = is_same ? NULL : place_text(block, asset->name);
        const char *actor = place_text(block, asset->actor);
        const char *summary = asset->kind == ASSET_CLIP ? place_text(block, asset->summary) : NULL;
        if (!assets)
            continue;
        assets[i].name = is_same ? assets[i - 1].name : own;
        assets[i].actor = actor;
        assets[i].summary = summary ? summary : asset->summary;
    }
    if (!entry)
        return NULL;
    entry->assets = assets;
    entry->error = error;
    entry->facts.data = from->facts.size ? facts : NULL;
    entry->kind = kind;
    entry->format = format;
    entry->name = name;
    entry->game = game;
    return entry;
}

/* Where links have put something, or will, it stays. */
static bool may_be_linked(const struct index_entry *entry)
{
    const struct pose_format *format = entry->format ? pose_format_find(entry->format) : NULL;
    bool is_linked = format && format->is_linked;
    for (uint32_t i = 0; i < entry->asset_count; i++)
        is_linked |= entry->assets[i].own_name || entry->assets[i].skeleton;
    return is_linked;
}

struct index_entry *index_entry_tighten(struct index_entry *entry, bool spills)
{
    struct block block = {0};
    if (entry->is_tight || entry->region.failed || may_be_linked(entry))
        return entry;
    place_entry(&block, entry);
    struct region region;
    region_init(&region);
    region.may_fail = true;
    region.spills = spills;
    region_reserve(&region, region_room(block.size));
    block.at = region_alloc(&region, 1, block.size);
    block.size = 0;
    if (!block.at)
        return entry;
    struct index_entry *tight = place_entry(&block, entry);
    uint32_t shared = 0;
    while (shared < tight->asset_count && share(&tight->assets[shared]))
        shared++;
    if (shared < tight->asset_count) {
        while (shared--)
            entry_drop_shared(&tight->assets[shared]);
        region_release(&region);
        return entry;
    }
    tight->region = region;
    tight->is_tight = true;
    /* Search texts have moved over. */
    struct region old = entry->region;
    region_release(&old);
    return tight;
}
