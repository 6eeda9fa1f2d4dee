#include "server/library/catalog.h"

#include "server/library/index/describe.h"
#include "server/library/index/entry.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- by id -------- */

static uint32_t slot_of(const struct asset_id *id, uint32_t slot_count)
{
    uint32_t hash;
    memcpy(&hash, id->bytes, sizeof hash);
    return hash & (slot_count - 1);
}

/* A power of two, so many that at most half of them are taken. */
static uint32_t slots_for(uint32_t most)
{
    uint32_t count = 16;
    while (count < most * 2 && count < UINT32_MAX / 4)
        count *= 2;
    return count;
}

/* Room for so many; false when there is no memory for it. */
static bool make_lists(struct catalog *catalog, const uint32_t counts[ASSET_KIND_COUNT])
{
    struct region *region = &catalog->region;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        catalog->lists[kind].items = REGION_NEW(region, struct catalog_item, counts[kind]);
        catalog->lists[kind].slot_count = slots_for(counts[kind]);
        catalog->lists[kind].slots = REGION_NEW(region, uint32_t, catalog->lists[kind].slot_count);
    }
    catalog_names_init(&catalog->names, region, counts[ASSET_CLIP]);
    catalog->archive_slot_count = slots_for(catalog->archive_count);
    catalog->archive_slots = REGION_NEW(region, uint32_t, catalog->archive_slot_count);
    catalog->archive_numbers = REGION_NEW(region, uint64_t, catalog->archive_count);
    return !region->failed;
}

/* The slot of that id, or the empty one where it belongs. */
static uint32_t *find_slot(const struct catalog_list *list, const struct asset_id *id)
{
    uint32_t slot = slot_of(id, list->slot_count);
    while (list->slots[slot] && !id_equal(&list->items[list->slots[slot] - 1].asset->id, id))
        slot = (slot + 1) & (list->slot_count - 1);
    return &list->slots[slot];
}

struct catalog_item *catalog_find(const struct catalog *catalog, enum asset_kind kind,
                                  const struct asset_id *id)
{
    const struct catalog_list *list = &catalog->lists[kind];
    uint32_t found = *find_slot(list, id);
    return found ? &list->items[found - 1] : NULL;
}

const struct index_entry *catalog_entry(const struct catalog *catalog, struct catalog_place place)
{
    return catalog->archives[place.archive]->entries[place.entry];
}

bool catalog_is_called(const struct catalog *catalog, const struct catalog_item *item, const char *name,
                       size_t length)
{
    char id[ID_TEXT];
    const char *names[] = {item->asset->name, catalog_entry(catalog, item->place)->name, id};
    id_write(&item->asset->id, id);
    for (int i = 0; i < 3; i++) {
        if (strlen(names[i]) == length && !memcmp(names[i], name, length))
            return true;
    }
    return false;
}

bool catalog_reaches(const struct catalog *catalog, struct catalog_place from, struct catalog_place to)
{
    return to.archive == from.archive || to.archive < catalog->path_count;
}

struct catalog_item *catalog_item_at(struct catalog_item *item, struct catalog_place place)
{
    for (uint32_t i = 0; i < item->place_count; i++) {
        if (item->places[i].archive == place.archive && item->places[i].entry == place.entry)
            return i ? &item->others[i - 1] : item;
    }
    return NULL;
}

struct catalog_item *catalog_item_in(struct catalog_item *item, uint32_t archive)
{
    for (uint32_t i = 0; i < item->place_count; i++) {
        if (item->places[i].archive == archive)
            return i ? &item->others[i - 1] : item;
    }
    return NULL;
}

const char *catalog_morph_name(const struct catalog *catalog, struct catalog_place clip, uint32_t hash)
{
    const char *own = index_morph_name(catalog->archives + clip.archive, 1, hash);
    return own ? own : index_morph_name(catalog->archives, catalog->path_count, hash);
}

/* The slot of that archive, or the empty one where it belongs. */
static uint32_t *find_archive_slot(const struct catalog *catalog, const struct asset_id *id)
{
    uint32_t slot = slot_of(id, catalog->archive_slot_count);
    while (catalog->archive_slots[slot] &&
           !id_equal(&catalog->archives[catalog->archive_slots[slot] - 1]->id, id))
        slot = (slot + 1) & (catalog->archive_slot_count - 1);
    return &catalog->archive_slots[slot];
}

const struct index_archive *catalog_find_archive(const struct catalog *catalog, const struct asset_id *id,
                                                 uint32_t *index)
{
    uint32_t found = *find_archive_slot(catalog, id);
    if (found && index)
        *index = found - 1;
    return found ? catalog->archives[found - 1] : NULL;
}

/* --------------------------------------------------------------------------------------------- building -- */

static void count_assets(const struct catalog *catalog, uint32_t counts[ASSET_KIND_COUNT])
{
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        const struct index_archive *archive = catalog->archives[a];
        for (uint32_t e = 0; e < archive->entry_count; e++) {
            for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++)
                counts[archive->entries[e]->assets[i].kind]++;
        }
    }
}

static void add_place(struct region *region, struct catalog_item *item, struct catalog_place place)
{
    /* Copies double, so that the places of one item cost no more than twice their number. */
    uint32_t count = item->place_count;
    if (count && !(count & (count - 1))) {
        struct catalog_place *larger = REGION_NEW(region, struct catalog_place, (size_t)count * 2);
        if (!larger)
            return;
        memcpy(larger, item->places, count * sizeof *larger);
        item->places = larger;
    } else if (!count) {
        item->places = REGION_NEW(region, struct catalog_place, 1);
    }
    if (!item->places)
        return;
    item->places[count] = place;
    item->place_count = count + 1;
}

static void add_item(struct catalog *catalog, const struct index_asset *asset, struct catalog_place place)
{
    struct catalog_list *list = &catalog->lists[asset->kind];
    uint32_t *slot = find_slot(list, &asset->id);
    if (!*slot) {
        struct catalog_item *item = &list->items[list->count++];
        item->asset = asset;
        item->place = place;
        atomic_init(&item->skeleton, INT64_MIN);
        *slot = list->count;
    }
    add_place(&catalog->region, &list->items[*slot - 1], place);
}

/* The asset as an entry has it: of Metroid Prime its name, skeleton and events are those of its archive. */
static const struct index_asset *asset_at(const struct catalog *catalog, struct catalog_place place,
                                          const struct index_asset *asset)
{
    const struct index_entry *entry = catalog_entry(catalog, place);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        if (entry->assets[i].kind == asset->kind && id_equal(&entry->assets[i].id, &asset->id))
            return &entry->assets[i];
    }
    return asset;
}

/* What lies at several places is an item at each. */
static void add_others(struct catalog *catalog, struct catalog_item *item)
{
    if (item->place_count < 2)
        return;
    item->others = REGION_NEW(&catalog->region, struct catalog_item, item->place_count - 1);
    for (uint32_t i = 1; item->others && i < item->place_count; i++) {
        struct catalog_item *other = &item->others[i - 1];
        other->asset = asset_at(catalog, item->places[i], item->asset);
        other->place = item->places[i];
        other->place_count = item->place_count;
        other->places = item->places;
        atomic_init(&other->skeleton, INT64_MIN);
    }
}

/* Sums of what each archive says of itself: what did not change is not looked at. Which PATH comes first counts. */
static struct asset_id digest_of(const struct catalog *catalog)
{
    uint64_t sums[2] = {0};
    struct asset_id digest;
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        uint64_t parts[2];
        digest = catalog->archives[a]->digest;
        if (a < catalog->path_count)
            digest = id_quick(&digest, &a, sizeof a);
        memcpy(parts, digest.bytes, sizeof parts);
        sums[0] += parts[0];
        sums[1] += parts[1];
    }
    return id_quick(NULL, sums, sizeof sums);
}

/* ----------------------------------------------------------------------------------------------- numbers -- */

static void number_items(struct catalog *catalog, enum asset_kind kind, const struct catalog *before)
{
    struct catalog_list *list = &catalog->lists[kind];
    list->is_in_order = true;
    for (uint32_t i = 0; i < list->count; i++) {
        struct catalog_item *item = &list->items[i];
        const struct catalog_item *old = before ? catalog_find(before, kind, &item->asset->id) : NULL;
        item->number = old ? old->number : catalog->next_number++;
        for (uint32_t k = 0; item->others && k + 1 < item->place_count; k++)
            item->others[k].number = item->number;
        list->is_in_order &= !i || list->items[i - 1].number < item->number;
    }
}

/* The same archive may be there twice: then it has one number. */
static void number_archives(struct catalog *catalog, const struct catalog *before)
{
    for (uint32_t i = 0; i < catalog->archive_count; i++) {
        const struct asset_id *id = &catalog->archives[i]->id;
        uint32_t old, *slot = find_archive_slot(catalog, id);
        if (*slot) {
            catalog->archive_numbers[i] = catalog->archive_numbers[*slot - 1];
            continue;
        }
        *slot = i + 1;
        bool is_old = before && catalog_find_archive(before, id, &old);
        catalog->archive_numbers[i] = is_old ? before->archive_numbers[old] : catalog->next_number++;
    }
}

static void add_entry(struct catalog *catalog, struct catalog_place place)
{
    const struct index_entry *entry = catalog_entry(catalog, place);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        add_item(catalog, &entry->assets[i], place);
        if (entry->assets[i].kind == ASSET_CLIP)
            catalog_names_add(&catalog->names, &entry->assets[i], place.archive, place.entry);
    }
}

/* Everything that is in the archives; false when there is no memory for it. */
static bool fill(struct catalog *catalog, const struct catalog *before)
{
    uint32_t counts[ASSET_KIND_COUNT] = {0};
    count_assets(catalog, counts);
    if (!make_lists(catalog, counts))
        return false;
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        for (uint32_t e = 0; e < catalog->archives[a]->entry_count; e++)
            add_entry(catalog, (struct catalog_place){a, e});
    }
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < catalog->lists[kind].count; i++)
            add_others(catalog, &catalog->lists[kind].items[i]);
        number_items(catalog, (enum asset_kind)kind, before);
    }
    number_archives(catalog, before);
    catalog->digest = digest_of(catalog);
    return !catalog->region.failed;
}

struct catalog *catalog_new(struct index_archive *const *archives, uint32_t count, uint32_t path_count,
                            const struct catalog *before, const struct shipped_skeleton *shipped,
                            uint32_t shipped_count)
{
    struct region region = {.may_fail = true};
    struct catalog *catalog = REGION_NEW(&region, struct catalog, 1);
    if (!catalog)
        return NULL;
    atomic_init(&catalog->references, 1);
    catalog->generation = before ? before->generation + 1 : 0;
    catalog->next_number = before ? before->next_number : 0;
    catalog->path_count = path_count;
    catalog->archives = REGION_NEW(&region, struct index_archive *, count);
    if (!catalog->archives) {
        region_release(&region);
        return NULL;
    }
    catalog->archive_count = count;
    for (uint32_t i = 0; i < count; i++) {
        catalog->archives[i] = archives[i];
        index_archive_ref(archives[i]);
        catalog->has_morphs |= archives[i]->morph_count > 0;
    }
    catalog->shipped = shipped;
    catalog->shipped_count = shipped_count;
    catalog->region = region;
    if (!fill(catalog, before)) {
        catalog_unref(catalog);
        return NULL;
    }
    return catalog;
}

void catalog_ref(struct catalog *catalog)
{
    atomic_fetch_add_explicit(&catalog->references, 1, memory_order_relaxed);
}

void catalog_unref(struct catalog *catalog)
{
    if (!catalog || atomic_fetch_sub_explicit(&catalog->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < catalog->archive_count; i++)
        index_archive_unref(catalog->archives[i]);
    struct region region = catalog->region;
    region_release(&region);
}

/* --------------------------------------------------------------------------------------------- skeletons -- */

struct skeleton_choice catalog_find_skeleton(const struct catalog *catalog, const struct asset_id *id)
{
    const struct catalog_item *item = catalog_find(catalog, ASSET_SKELETON, id);
    if (item)
        return (struct skeleton_choice){.asset = item->asset, .item = item};
    for (uint32_t i = 0; i < catalog->shipped_count; i++) {
        if (id_equal(&catalog->shipped[i].asset.id, id))
            return (struct skeleton_choice){.asset = &catalog->shipped[i].asset,
                                            .shipped = catalog->shipped[i].document};
    }
    return (struct skeleton_choice){0};
}

/* ---------------------------------------------------------------------------------------------- shipped -- */

/* The id of a shipped skeleton: of its format and of what it says. */
static struct asset_id shipped_id(const struct pose_document *document)
{
    struct pose_buffer text = {0};
    struct json_writer json;
    jsonw_init(&json, &text);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "name", document->skeletons[0].name);
    describe_skeleton(&json, &document->skeletons[0], document->skeletons[0].axes);
    jsonw_end(&json);
    struct id_hash *hash = id_begin();
    id_text_part(hash, document->format);
    id_part(hash, text.data, text.size);
    pose_buffer_free(&text);
    return id_end(hash);
}

const struct shipped_skeleton *shipped_skeletons(uint32_t *count)
{
    enum { MAX_SHIPPED = 16 };
    static struct shipped_skeleton shipped[MAX_SHIPPED];
    static struct region region;
    static uint32_t made;
    static bool is_made;
    for (unsigned i = 0; !is_made && made < MAX_SHIPPED && pose_stand_in_name(i); i++) {
        struct pose_error error;
        struct pose_document *document = pose_stand_in(i, NULL, &error);
        if (!document)
            continue;
        shipped[made].document = document;
        shipped[made].asset.id = shipped_id(document);
        index_summarise_skeleton(&region, &document->skeletons[0], &shipped[made].asset);
        made++;
    }
    is_made = true;
    *count = made;
    return shipped;
}
