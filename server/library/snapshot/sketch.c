#include "server/library/snapshot/sketch.h"

#include <stdlib.h>
#include <string.h>

static atomic_uint_fast64_t held_count, held_bytes;

struct index_contents index_contents_held(void)
{
    return (struct index_contents){atomic_load(&held_count), atomic_load(&held_bytes)};
}

/* A container's directory points into its bytes. Clips that refer to morphs are also found by hashes of their names, for
 * which all of them are looked through. */
static bool may_go(const struct index_archive *archive)
{
    if (!archive->blob || !archive->blob->rest || archive->archive || archive->error ||
        archive->nested_count || archive->morph_count || archive->entry_count != 1 ||
        index_wants_companions(archive))
        return false;
    const char *id = archive->entries[0]->format;
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format && !format->hashes_morphs;
}

static size_t weight_of(const struct index_archive *archive)
{
    size_t weight = sizeof *archive->blob + region_size(&archive->region);
    for (uint32_t e = 0; e < archive->entry_count; e++)
        weight += region_size(&archive->entries[e]->region);
    return weight;
}

/* Copies a text to the free memory, and moves on. */
static const char *copy_text(char **to, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(*to, text, size);
    *to += size;
    return copy;
}

void index_sketch_archive(struct index_archive *archive)
{
    if (archive->sketch || !may_go(archive))
        return;
    const struct index_entry *entry = archive->entries[0];
    size_t texts = strlen(archive->name) + 1;
    for (uint32_t i = 0; i < entry->asset_count; i++)
        texts += strlen(entry->assets[i].name) + 1;
    struct index_sketch *sketch =
        try_alloc(1, sizeof *sketch + entry->asset_count * sizeof *sketch->assets + texts);
    if (!sketch)
        return;
    char *at = (char *)&sketch->assets[entry->asset_count];
    atomic_init(&sketch->references, 1);
    atomic_init(&sketch->is_lost, false);
    sketch->id = archive->id;
    sketch->digest = archive->digest;
    sketch->expires_ms = archive->expires_ms;
    sketch->weight = weight_of(archive);
    sketch->name = copy_text(&at, archive->name);
    sketch->asset_count = entry->asset_count;
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        const struct index_asset *asset = &entry->assets[i];
        sketch->assets[i] = (struct index_sketch_asset){
            .id = asset->id, .kind = asset->kind, .name = copy_text(&at, asset->name)};
    }
    archive->sketch = sketch;
    atomic_fetch_add(&held_count, 1);
    atomic_fetch_add(&held_bytes, sketch->weight);
}

void index_sketch_ref(struct index_sketch *sketch)
{
    atomic_fetch_add_explicit(&sketch->references, 1, memory_order_relaxed);
}

void index_sketch_unref(struct index_sketch *sketch)
{
    if (sketch && atomic_fetch_sub_explicit(&sketch->references, 1, memory_order_acq_rel) == 1)
        free(sketch);
}

void index_sketch_release(struct index_archive *archive)
{
    if (!archive->sketch)
        return;
    atomic_fetch_sub(&held_count, 1);
    atomic_fetch_sub(&held_bytes, archive->sketch->weight);
    index_sketch_unref(archive->sketch);
}
