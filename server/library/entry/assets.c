#include "server/library/entry/assets.h"

#include "server/library/entry/keywords.h"
#include "server/library/entry/summary.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>

static const char *stem_of(struct region *region, const char *path)
{
    const char *base = name_base(path);
    return region_text_sized(region, base, name_stem(base));
}

static const char *inner_name(const struct pose_document *document, enum asset_kind kind, uint32_t inner)
{
    switch (kind) {
    case ASSET_CLIP:
        return document->clips[inner].name;
    case ASSET_SKELETON:
        return document->skeletons[inner].name;
    case ASSET_MESH:
        return document->meshes[inner].name;
    case ASSET_IMAGE:
        return document->images[inner].name;
    default:
        return document->characters[inner].name;
    }
}

/* The part of an id that all assets of a file share: format and bytes. */
static struct id_hash *file_hash(const char *game, const char *format, struct pose_bytes bytes)
{
    struct id_hash *hash = id_begin();
    char text[96];
    size_t length = strlen(format) < 40 ? strlen(format) : 40;
    memcpy(text, format, length);
    text[length] = 0;
    if (game) {
        text[length++] = ':';
        strncpy(text + length, game, sizeof text - length - 1);
        text[sizeof text - 1] = 0;
    }
    id_text_part(hash, text);
    id_part(hash, bytes.data, bytes.size);
    return hash;
}

/* Whether the name is a line of that text. */
static bool has_line(const char *lines, const char *name)
{
    size_t length = strlen(name);
    while (lines && (strncmp(lines, name, length) != 0 || (lines[length] && lines[length] != '\n'))) {
        lines = strchr(lines, '\n');
        lines += lines != NULL;
    }
    return lines;
}

/* names: one per line; NULL: none. */
static void companion_part(struct id_hash *hash, const struct companion_finder *finder, const char *names)
{
    for (uint32_t i = 0; i < finder->found_count; i++) {
        if (has_line(names, finder->found_names[i]))
            id_part(hash, finder->found[i].data, finder->found[i].size);
    }
}

static uint32_t document_assets(const struct pose_document *document)
{
    return document->clip_count + document->skeleton_count + document->mesh_count +
           document->character_count + document->image_count;
}

static void add_asset(struct index_entry *entry, const struct pose_document *document, enum asset_kind kind,
                      uint32_t inner)
{
    struct index_asset *asset = &entry->assets[entry->asset_count++];
    const char *name = inner_name(document, kind, inner);
    asset->kind = (uint8_t)kind;
    asset->inner = inner;
    asset->name = name && *name ? region_text(&entry->region, name) : stem_of(&entry->region, entry->name);
    asset->notes = "";
    asset->events_entry = asset->event_set = asset->skin_entry = -1;
    if (kind == ASSET_CLIP)
        index_summarise_clip(&entry->region, document, asset);
    else if (kind == ASSET_SKELETON)
        index_summarise_skeleton(&entry->region, &document->skeletons[inner], asset);
    else if (kind == ASSET_MESH)
        index_summarise_mesh(&entry->region, &document->meshes[inner], asset);
    else if (kind == ASSET_IMAGE)
        index_summarise_image(&entry->region, &document->images[inner], asset);
    else
        index_summarise_character(&entry->region, document->format, &document->characters[inner], asset);
    index_keywords(document, asset);
}

void index_add_assets(struct index_entry *entry, const struct pose_document *document)
{
    const uint32_t counts[ASSET_KIND_COUNT] = {document->clip_count, document->skeleton_count,
                                               document->mesh_count, document->character_count,
                                               document->image_count};
    entry->assets = REGION_NEW(&entry->region, struct index_asset, document_assets(document));
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        for (uint32_t inner = 0; !entry->region.failed && inner < counts[kind]; inner++)
            add_asset(entry, document, (enum asset_kind)kind, inner);
    }
}

/* What distinguishes an asset from the others in its file: its name there, "" if none. */
struct inner {
    enum asset_kind kind;
    const char *name;
};

static int compare_inner(const void *a, const void *b, void *inners)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct inner *first = (const struct inner *)inners + x, *second = (const struct inner *)inners + y;
    if (first->kind != second->kind)
        return first->kind < second->kind ? -1 : 1;
    int order = strcmp(first->name, second->name);
    return order ? order : x < y ? -1 : x > y;
}

/* For each asset of a file, how many before it have the same kind and name; from malloc, NULL if out of
 * memory. */
static uint32_t *count_repeats(struct inner *inners, uint32_t count)
{
    uint32_t *repeats = try_alloc(count, sizeof *repeats), *order = try_alloc(count, sizeof *order);
    if (!repeats || !order) {
        free(repeats);
        free(order);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_inner, inners);
    for (uint32_t i = 1; i < count; i++) {
        const struct inner *before = &inners[order[i - 1]], *inner = &inners[order[i]];
        if (before->kind == inner->kind && !strcmp(before->name, inner->name))
            repeats[order[i]] = repeats[order[i - 1]] + 1;
    }
    free(order);
    return repeats;
}

static struct inner *list_inners(const struct index_entry *entry, const struct pose_document *document)
{
    struct inner *inners = try_alloc(entry->asset_count, sizeof *inners);
    for (uint32_t i = 0; inners && i < entry->asset_count; i++) {
        const struct index_asset *asset = &entry->assets[i];
        const char *name = inner_name(document, asset->kind, asset->inner);
        inners[i] = (struct inner){asset->kind, name ? name : ""};
    }
    return inners;
}

/* Names that repeat within a file get a number, so that ids differ. */
static const char *distinct_inner(struct index_entry *entry, const char *name, uint32_t before)
{
    if (!before)
        return name;
    size_t length = strlen(name);
    char *text = region_alloc(&entry->region, length + 16, 1);
    if (!text)
        return "";
    memcpy(text, name, length);
    text[length++] = '#';
    for (uint32_t value = before + 1, digits = 1000000000; digits; digits /= 10) {
        if (value >= digits)
            text[length++] = (char)('0' + value / digits % 10);
    }
    return text;
}

bool index_give_ids(struct index_entry *entry, const char *game, const struct pose_document *document,
                    struct pose_bytes bytes, const struct companion_finder *finder)
{
    struct id_hash *file = file_hash(game, document->format, bytes), *content = id_fork(file);
    for (uint32_t i = 0; i < finder->found_count; i++)
        id_part(content, finder->found[i].data, finder->found[i].size);
    entry->content = id_end(content);
    struct inner *inners = list_inners(entry, document);
    uint32_t *repeats = inners ? count_repeats(inners, entry->asset_count) : NULL;
    bool done = repeats;
    for (uint32_t i = 0; done && i < entry->asset_count; i++) {
        struct index_asset *asset = &entry->assets[i];
        asset->id = entry->content;
        if (entry->asset_count == 1)
            continue;
        struct id_hash *hash = id_fork(file);
        if (asset->kind == ASSET_CLIP)
            companion_part(hash, finder, document->clips[asset->inner].companion);
        const char *name = distinct_inner(entry, inners[i].name, repeats[i]);
        if (*name)
            id_text_part(hash, name);
        asset->id = id_end(hash);
    }
    id_end(file);
    free(repeats);
    free(inners);
    return done;
}
