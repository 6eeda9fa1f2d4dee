#include "server/library/index/link.h"

#include "server/library/index/archive.h"
#include "server/library/index/refusal.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- resources -- */

static int compare_resources(const void *a, const void *b)
{
    const struct index_resource *x = a, *y = b;
    int order = strcmp(x->format, y->format);
    if (order)
        return order;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

int64_t index_find_resource(const struct index_archive *archive, const char *format, uint64_t id)
{
    uint32_t low = 0, high = archive->resource_count;
    const struct index_resource wanted = {.format = format, .id = id};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_resources(&archive->resources[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < archive->resource_count && archive->resources[low].id == id &&
                   !strcmp(archive->resources[low].format, format)
               ? (int64_t)archive->resources[low].entry
               : -1;
}

static bool is_usable(const struct index_entry *entry)
{
    return !entry->error && !entry->is_copy && entry->format;
}

/* Lists readable resources; of duplicates only the first. */
static void list_resources(struct index_archive *archive)
{
    struct index_resource *resources =
        REGION_NEW(&archive->region, struct index_resource, archive->entry_count);
    if (!resources) {
        archive_no_memory(archive);
        return;
    }
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        uint64_t id;
        if (is_usable(entry) && pose_resource_id(entry->format, entry->name, &id))
            resources[archive->resource_count++] =
                (struct index_resource){.format = entry->format, .id = id, .entry = e};
    }
    if (archive->resource_count)
        qsort(resources, archive->resource_count, sizeof *resources, compare_resources);
    archive->resources = resources;
}

/* ------------------------------------------------------------------------------------------------- linking -- */

/* "extras" is the last member of the notes and a non-empty object: the names are appended to it. */
static void add_names(struct index_entry *entry, struct index_asset *clip, const struct pose_link *link)
{
    struct pose_buffer text = {0};
    const char *notes = NULL;
    size_t length = strlen(clip->notes);
    if (!length || clip->notes[length - 1] != '}' || !link->name_count)
        return;
    static const char key[] = ",\"names\":[";
    bool done =
        pose_buffer_append(&text, clip->notes, length - 1) && pose_buffer_append(&text, key, sizeof key - 1);
    for (uint32_t i = 0; done && i < link->name_count; i++)
        done = (!i || pose_buffer_append(&text, ",", 1)) && pose_json_string(&text, link->names[i]);
    if (done && pose_buffer_append(&text, "]}", 2))
        notes = region_text_sized(&entry->region, (const char *)text.data, text.size);
    clip->notes = notes ? notes : clip->notes;
    pose_buffer_free(&text);
}

static void apply(const struct index_archive *archive, struct index_entry *entry,
                  const struct pose_link *link)
{
    struct index_asset *asset = entry->asset_count ? &entry->assets[0] : NULL;
    if (!asset)
        return;
    if (asset->kind == ASSET_CLIP && link->name) {
        const char *name = region_text(&entry->region, link->name);
        asset->own_name = region_text(&entry->region, link->own_name);
        asset->name = name ? name : asset->name;
        add_names(entry, asset, link);
    }
    if (link->skeleton >= 0 && archive->entries[link->skeleton]->asset_count)
        asset->skeleton = &archive->entries[link->skeleton]->assets[0].id;
    asset->events_entry = (int32_t)link->events;
    asset->event_set = (int32_t)link->event_set;
    asset->skin_entry = (int32_t)link->skin;
}

static void link_members(struct index_archive *archive)
{
    struct pose_member *members = try_alloc(archive->entry_count, sizeof *members);
    struct pose_error error;
    if (!members) {
        archive_no_memory(archive);
        return;
    }
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        if (is_usable(entry))
            members[e] = (struct pose_member){entry->name, entry->format, entry->facts};
    }
    struct pose_links *links = pose_link(members, archive->entry_count, NULL, &error);
    for (uint32_t e = 0; links && e < archive->entry_count; e++) {
        const struct pose_link *link = pose_link_of(links, e);
        if (link)
            apply(archive, archive->entries[e], link);
        if (archive->entries[e]->region.failed)
            archive_no_memory(archive);
    }
    if (!links && error.status == POSE_NO_MEMORY)
        archive_no_memory(archive);
    pose_links_free(links);
    free(members);
}

static bool has_linked(const struct index_archive *archive)
{
    bool any = false;
    for (uint32_t e = 0; e < archive->entry_count && !any; e++) {
        const struct index_entry *entry = archive->entries[e];
        const struct pose_format *format = is_usable(entry) ? pose_format_find(entry->format) : NULL;
        any = format && format->is_linked;
    }
    return any;
}

void index_link(struct index_archive *archive)
{
    if (archive->linked || archive->error)
        return;
    archive->linked = true;
    if (!has_linked(archive))
        return;
    list_resources(archive);
    link_members(archive);
}

void index_linked_before(struct index_archive *archive)
{
    archive->linked = true;
    if (has_linked(archive))
        list_resources(archive);
}
