/* Facet counts of a list, and suggestions for a search without results. */
#include "server/library/search/listing.h"
#include "lib/core/fold.h"
#include "lib/core/nearest.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- facets -- */

/* A hash table of values by text, at most half full. Texts are borrowed from the catalogue and have a
 * length (an event ends with a line feed). */
struct value {
    const char *text;
    size_t length;
    uint64_t count;
};

struct counts {
    size_t slot_count, used;
    struct value *slots;
    bool failed;
};

static struct value *find_slot(const struct counts *counts, const char *text, size_t length)
{
    struct asset_id hash = id_quick(NULL, text, length);
    size_t slot;
    memcpy(&slot, hash.bytes, sizeof slot);
    for (slot &= counts->slot_count - 1;; slot = (slot + 1) & (counts->slot_count - 1)) {
        struct value *value = &counts->slots[slot];
        if (!value->text || (value->length == length && !memcmp(value->text, text, length)))
            return value;
    }
}

static bool grow(struct counts *counts)
{
    struct counts larger = {.slot_count = counts->slot_count ? counts->slot_count * 2 : 64,
                            .used = counts->used};
    larger.slots = try_alloc(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < counts->slot_count; i++) {
        if (counts->slots[i].text)
            *find_slot(&larger, counts->slots[i].text, counts->slots[i].length) = counts->slots[i];
    }
    free(counts->slots);
    *counts = larger;
    return true;
}

static void count_text(struct counts *counts, const char *text, size_t length)
{
    if (counts->failed)
        return;
    if (counts->used * 2 >= counts->slot_count && !grow(counts)) {
        counts->failed = true;
        return;
    }
    struct value *value = find_slot(counts, text, length);
    counts->used += !value->text;
    value->text = text;
    value->length = length;
    value->count++;
}

static void count_events(struct counts *counts, const char *events)
{
    for (size_t length; events && *events; events += length + 1) {
        length = strcspn(events, "\n");
        count_text(counts, events, length);
    }
}

/* Counts every archive that contains an item. */
static void count_archives(struct counts *counts, const struct catalog *catalog,
                           const struct catalog_item *item)
{
    const struct place_list places = catalog_places(catalog, item);
    for (uint32_t i = 0; i < places.count; i++) {
        const struct asset_id *id = &catalog->archives[places.items[i].archive]->id;
        if (!i || places.items[i - 1].archive != places.items[i].archive)
            count_text(counts, (const char *)id->bytes, sizeof id->bytes);
    }
}

static void count_item(struct counts *counts, const struct catalog *catalog, const struct catalog_item *item,
                       enum listing_facet facet)
{
    static const char *const loops[] = {"null", "false", "true"};
    if (facet == FACET_ARCHIVE) {
        count_archives(counts, catalog, item);
    } else if (facet == FACET_EVENTS) {
        count_events(counts, item->asset->events);
    } else {
        const char *text =
            facet == FACET_LOOP ? loops[item->asset->loop + 1] : catalog_entry(catalog, item->place)->format;
        count_text(counts, text, strlen(text));
    }
}

static int compare_values(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    size_t length = x->length < y->length ? x->length : y->length;
    int order = length ? memcmp(x->text, y->text, length) : 0;
    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

struct facet_value *listing_count(const struct catalog *catalog, enum asset_kind kind,
                                  const struct listing *listing, enum listing_facet facet, uint32_t *count)
{
    struct counts counts = {0};
    struct facet_value *values = try_alloc(MAX_FACET_VALUES, sizeof *values);
    for (uint32_t i = 0; i < listing->count; i++)
        count_item(&counts, catalog, &catalog->lists[kind].items[listing_row_at(listing, i).index], facet);
    *count = 0;
    if (!values || counts.failed) {
        free(values);
        free(counts.slots);
        return NULL;
    }
    if (counts.slot_count)
        qsort(counts.slots, counts.slot_count, sizeof *counts.slots, compare_values);
    for (size_t i = 0; i < counts.used && i < MAX_FACET_VALUES; i++) {
        struct facet_value *value = &values[(*count)++];
        *value = (struct facet_value){counts.slots[i].text, counts.slots[i].length, counts.slots[i].count};
    }
    free(counts.slots);
    return values;
}

/* -------------------------------------------------------------------------------------------- suggestions -- */

enum { MAX_LOOKED_AT = 50000, MAX_DISTANCE = 3, MAX_NEAR = 32 /* bytes of a word */, FAR = 1000 };

/* Up to a third of the letters may differ. */
static unsigned most_wrong(size_t length)
{
    return length < 3 ? 1 : length < MAX_DISTANCE * 3 ? (unsigned)length / 3 : MAX_DISTANCE;
}

/* The distance of the nearest word in a folded text. */
static unsigned nearest_word(const struct search_word *word, const char *folded)
{
    unsigned most = most_wrong(word->length), best = most + 1;
    for (const char *at = folded + 1; *at && best;) {
        size_t length = strcspn(at, " ");
        unsigned distance =
            length > MAX_NEAR ? most + 1 : nearest_distance(word->text, word->length, at, length, most);
        best = distance < best ? distance : best;
        at += length + (at[length] == ' ');
    }
    return best <= most ? best : FAR;
}

/* The distance of a name from q; FAR if no word is near. */
static unsigned distance_of(const struct search *search, const char *name)
{
    char folded[256];
    unsigned sum = 0, near = 0;
    fold_text(name, folded, sizeof folded);
    for (unsigned i = 0; i < search->count; i++) {
        unsigned distance = nearest_word(&search->words[i], folded);
        near += distance < FAR;
        sum += distance < FAR ? distance : MAX_DISTANCE + 1;
    }
    return near ? sum : FAR;
}

struct suggestion {
    const char *name;
    unsigned distance;
};

static bool is_among(const struct suggestion *best, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(best[i].name, name))
            return true;
    }
    return false;
}

/* Keeps the nearest names in order; equal ones in order of arrival. */
static unsigned keep_nearest(struct suggestion *best, unsigned count, struct suggestion candidate)
{
    unsigned at = count;
    if (candidate.distance == FAR || is_among(best, count, candidate.name))
        return count;
    while (at && best[at - 1].distance > candidate.distance)
        at--;
    if (at == MAX_SUGGESTIONS)
        return count;
    unsigned kept = count < MAX_SUGGESTIONS ? count : MAX_SUGGESTIONS - 1;
    memmove(best + at + 1, best + at, (kept - at) * sizeof *best);
    best[at] = candidate;
    return kept + 1;
}

unsigned listing_suggest(const struct catalog *catalog, enum asset_kind kind, const struct search *search,
                         const char *names[MAX_SUGGESTIONS])
{
    const struct catalog_list *list = &catalog->lists[kind];
    struct suggestion best[MAX_SUGGESTIONS];
    unsigned count = 0;
    for (uint32_t i = 0; i < list->count && i < MAX_LOOKED_AT; i++) {
        const char *name = list->items[i].asset->name;
        count = keep_nearest(best, count, (struct suggestion){name, distance_of(search, name)});
    }
    for (unsigned i = 0; i < count; i++)
        names[i] = best[i].name;
    return count;
}
