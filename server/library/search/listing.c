#include "server/library/search/listing.h"

#include "lib/core/fold.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------- order -- */

static int compare_keys(const struct listing_key *a, const struct listing_key *b, bool is_descending)
{
    int order = 0;
    if (a->text && b->text)
        order = strncmp(a->text, b->text, MAX_SORT_TEXT);
    else if (a->value != b->value)
        order = a->value < b->value ? -1 : 1;
    if (order)
        return is_descending ? -order : order;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_rows(const void *a, const void *b, void *descending)
{
    const struct listing_row *x = a, *y = b;
    return compare_keys(&x->key, &y->key, descending != NULL);
}

static void sort_rows(struct listing *listing)
{
    static char yes;
    bool is_sorted = true;
    for (uint32_t i = 1; i < listing->count && is_sorted; i++)
        is_sorted =
            compare_keys(&listing->rows[i - 1].key, &listing->rows[i].key, listing->is_descending) < 0;
    if (!is_sorted)
        qsort_r(listing->rows, listing->count, sizeof *listing->rows, compare_rows,
                listing->is_descending ? &yes : NULL);
}

struct listing_row listing_row_at(const struct listing *listing, uint32_t row)
{
    return listing->rows
               ? listing->rows[row]
               : (struct listing_row){.key.number = listing->plain->items[row].number, .index = row};
}

uint32_t listing_after(const struct listing *listing, const struct listing_key *key)
{
    uint32_t low = 0, high = listing->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct listing_row row = listing_row_at(listing, middle);
        if (compare_keys(&row.key, key, listing->is_descending) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void listing_release(struct listing *listing)
{
    free(listing->rows);
    listing->rows = NULL;
}

/* -------------------------------------------------------------------------------------------------- words -- */

enum { MAX_FOLDED = 1024 };

/*
 * How well an asset matches, for each word the best over its texts so far. A name counts more than a path, and a
 * path more than joints and events; but a whole word anywhere counts more than a prefix.
 */
enum { IN_NAME, IN_PATH, IN_CONTENTS, WEIGHT_MATCH = 4, NOT_FOUND = MATCH_NONE * WEIGHT_MATCH };

struct found {
    const struct search *search;
    uint8_t best[MAX_WORDS];
};

static void look_in_folded(struct found *found, const char *folded, int where)
{
    for (unsigned i = 0; folded && *folded && i < found->search->count; i++) {
        enum search_match match = search_match(&found->search->words[i], folded);
        int rank = (int)match * WEIGHT_MATCH + where;
        if (match != MATCH_NONE && rank < found->best[i])
            found->best[i] = (uint8_t)rank;
    }
}

static void look_in(struct found *found, const char *text, int where)
{
    char folded[MAX_FOLDED];
    fold_text(text, folded, sizeof folded);
    look_in_folded(found, folded, where);
}

/* The rank of the worst word; NOT_FOUND if one is missing. */
static int rank_of(const struct found *found)
{
    int worst = 0;
    for (unsigned i = 0; i < found->search->count; i++)
        worst = found->best[i] > worst ? found->best[i] : worst;
    return worst;
}

static bool is_best(const struct found *found)
{
    return rank_of(found) == IN_NAME;
}

/* A clip may be in many archives, under many names. */
static int rank_item(const struct catalog *catalog, const struct catalog_item *item,
                     const struct search *search)
{
    enum { MAX_PLACES = 16 };
    struct found found = {.search = search};
    memset(found.best, NOT_FOUND, sizeof found.best);
    look_in(&found, item->asset->name, IN_NAME);
    if (is_best(&found))
        return IN_NAME;
    look_in_folded(&found, item->asset->words, IN_CONTENTS);
    const struct place_list places = catalog_places(catalog, item);
    for (uint32_t i = 0; i < places.count && i < MAX_PLACES && !is_best(&found); i++) {
        look_in(&found, catalog_entry(catalog, places.items[i])->name, IN_PATH);
        look_in(&found, catalog->archives[places.items[i].archive]->name, IN_PATH);
    }
    return rank_of(&found);
}

/* ------------------------------------------------------------------------------------------------- assets -- */

int64_t item_created(const struct catalog *catalog, const struct catalog_item *item)
{
    const struct index_archive *archive = catalog->archives[item->place.archive];
    const struct file_stamp *stamp = &catalog_entry(catalog, item->place)->stamp;
    return stamp->modified_ns && item->place.archive < catalog->path_count ? stamp->modified_ns / 1000000
                                                                           : archive->created_ms;
}

static bool lies_in(const struct catalog *catalog, const struct catalog_item *item,
                    const struct listing_filter *filter)
{
    const struct place_list places = catalog_places(catalog, item);
    for (uint32_t i = 0; i < places.count; i++) {
        const uint32_t archive = places.items[i].archive;
        if ((filter->archive < 0 || archive == filter->archive) &&
            (!filter->source || !strcmp(catalog->archives[archive]->source, filter->source)))
            return true;
    }
    return false;
}

static bool passes(const struct catalog *catalog, const struct catalog_item *item,
                   const struct listing_filter *filter)
{
    if (filter->passes && !filter->passes(filter->user, item))
        return false;
    if (filter->name && strcmp(item->asset->name, filter->name) != 0)
        return false;
    if (filter->format && strcmp(catalog_entry(catalog, item->place)->format, filter->format) != 0)
        return false;
    return (filter->archive < 0 && !filter->source) || lies_in(catalog, item, filter);
}

static struct listing_key key_of(const struct catalog *catalog, const struct catalog_item *item,
                                 enum listing_sort sort, int rank)
{
    struct listing_key key = {.number = item->number};
    switch (sort) {
    case SORT_NAME:
        key.text = item->asset->name;
        break;
    case SORT_FORMAT:
        key.text = catalog_entry(catalog, item->place)->format;
        break;
    case SORT_DURATION:
        key.value = (double)item->asset->duration;
        break;
    case SORT_NEWEST:
        key.value = (double)item_created(catalog, item);
        break;
    case SORT_MATCH:
        key.value = rank;
        break;
    default:
        break;
    }
    return key;
}

bool listing_is_plain(const struct catalog_list *list, const struct listing_filter *filter,
                      const struct listing *listing)
{
    return list->is_in_order && listing->sort == SORT_ARRIVAL && !filter->search && !filter->name &&
           !filter->format && !filter->source && filter->archive < 0 && !filter->passes;
}

bool listing_assets(const struct catalog *catalog, const struct listing_filter *filter,
                    struct listing *listing)
{
    const struct catalog_list *list = &catalog->lists[filter->kind];
    const struct search *search = filter->search;
    listing->count = 0;
    listing->rows = NULL;
    listing->plain = list;
    if (listing_is_plain(list, filter, listing)) {
        listing->count = list->count;
        return true;
    }
    listing->rows = try_alloc(list->count, sizeof *listing->rows);
    if (!listing->rows)
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct catalog_item *item = &list->items[i];
        if (!passes(catalog, item, filter))
            continue;
        int rank = search ? rank_item(catalog, item, search) : 0;
        if (rank < NOT_FOUND)
            listing->rows[listing->count++] =
                (struct listing_row){key_of(catalog, item, listing->sort, rank), i};
    }
    sort_rows(listing);
    return true;
}

/* ----------------------------------------------------------------------------------------------- archives -- */

static int rank_archive(const struct index_archive *archive, const struct search *search)
{
    struct found found = {.search = search};
    memset(found.best, NOT_FOUND, sizeof found.best);
    look_in(&found, archive->name, IN_NAME);
    return rank_of(&found);
}

static struct listing_key archive_key(const struct catalog *catalog, uint32_t index, enum listing_sort sort,
                                      int rank)
{
    const struct index_archive *archive = catalog->archives[index];
    struct listing_key key = {.number = catalog->archive_numbers[index]};
    if (sort == SORT_NAME)
        key.text = archive->name;
    else if (sort == SORT_NEWEST)
        key.value = (double)archive->created_ms;
    else if (sort == SORT_BYTES)
        key.value = (double)index_bytes_of(archive);
    else if (sort == SORT_MATCH)
        key.value = rank;
    return key;
}

bool listing_archives(const struct catalog *catalog, const struct listing_filter *filter,
                      struct listing *listing)
{
    const struct search *search = filter->search;
    listing->count = 0;
    listing->rows = try_alloc(catalog->archive_count, sizeof *listing->rows);
    if (!listing->rows)
        return false;
    for (uint32_t i = 0; i < catalog->archive_count; i++) {
        const struct index_archive *archive = catalog->archives[i];
        if (filter->source && strcmp(archive->source, filter->source) != 0)
            continue;
        int rank = search ? rank_archive(archive, search) : 0;
        if (rank < NOT_FOUND)
            listing->rows[listing->count++] =
                (struct listing_row){archive_key(catalog, i, listing->sort, rank), i};
    }
    sort_rows(listing);
    return true;
}
