#include "server/library/rows/own_rows.h"

#include "server/library/rows/link.h"
#include "server/library/rows/versions.h"

#include <stdlib.h>
#include <string.h>

/* What waits is numbered behind all others. */
static const uint64_t FIRST_NUMBER = UINT64_C(1) << 52;

struct own_rows {
    struct catalog *catalog; /* of what waits alone */
    struct rows_view *view;
    struct listing listing; /* all that fits the filter */
};

struct own_rows *own_rows_new(const struct catalog *view, struct rows *rows)
{
    struct own_rows *own = try_alloc(1, sizeof *own);
    struct index_archive **archives =
        try_alloc((size_t)view->archive_count + 1, sizeof(struct index_archive *));
    uint32_t count = 0;
    for (uint32_t i = view->path_count; archives && i < view->archive_count; i++) {
        if (tables_has_archive(view, i) && atomic_load(&view->archives[i]->is_waiting))
            archives[count++] = view->archives[i];
    }
    if (own && archives)
        own->catalog = catalog_new(archives, count, 0, NULL, view->shipped, view->shipped_count);
    free(archives);
    if (own && own->catalog && rows_change(rows, NULL, own->catalog) &&
        rows_view_open(rows, own->catalog, &own->view) == ROWS_READY)
        return own;
    own_rows_free(own);
    return NULL;
}

void own_rows_free(struct own_rows *own)
{
    if (!own)
        return;
    rows_view_close(own->view);
    listing_release(&own->listing);
    catalog_unref(own->catalog);
    free(own);
}

static int compare(const struct listing_key *a, const struct listing_key *b, bool is_descending)
{
    int order = a->is_text && b->is_text ? strcmp(a->text, b->text) : 0;
    if (!order && (a->value < b->value || a->value > b->value))
        order = a->value < b->value ? -1 : 1;
    if (!order && a->number != b->number)
        order = a->number < b->number ? -1 : 1;
    return is_descending ? -order : order;
}

/* All that waits and fits, but what is published as well, numbered behind the others. */
static bool list_waiting(struct own_rows *own, struct rows_view *published,
                         const struct listing_filter *filter, const struct listing *asked)
{
    struct listing *listing = &own->listing;
    uint32_t kept = 0;
    *listing = (struct listing){
        .sort = asked->sort, .is_descending = asked->is_descending, .limit = MAX_WAITING, .has_keys = true};
    if (!listing_run(own->view, filter, listing))
        return false;
    for (uint32_t i = 0; i < listing->count; i++) {
        if (!filter->of_archives && !filter->archive && rows_has(published, filter->kind, &listing->ids[i]))
            continue;
        listing->ids[kept] = listing->ids[i];
        listing->keys[kept] = listing->keys[i];
        listing->keys[kept++].number += FIRST_NUMBER;
    }
    listing->count = kept;
    return true;
}

struct merging {
    struct asset_id *ids;
    uint64_t skipped; /* so many are left out first */
    struct listing *into;
};

/* Puts a row behind the others of the page; false: there is no room. */
static bool put(struct merging *merging, const struct asset_id *id, const struct listing_key *key)
{
    struct listing *into = merging->into;
    if (merging->skipped) {
        merging->skipped--;
        return true;
    }
    if (into->count == into->limit)
        return false;
    merging->ids[into->count++] = *id;
    into->last = *key;
    return true;
}

/* Merges the page of the published ones with what waits behind the cursor. */
static void merge(const struct listing *page, const struct listing *waiting, struct merging *merging)
{
    struct listing *into = merging->into;
    uint32_t a = 0, b = 0;
    while (b < waiting->count && into->has_cursor &&
           compare(&waiting->keys[b], &into->cursor, into->is_descending) <= 0)
        b++;
    bool has_room = true;
    while (has_room && (a < page->count || b < waiting->count)) {
        const bool is_published =
            b == waiting->count ||
            (a < page->count && compare(&page->keys[a], &waiting->keys[b], into->is_descending) < 0);
        has_room = is_published ? put(merging, &page->ids[a], &page->keys[a])
                                : put(merging, &waiting->ids[b], &waiting->keys[b]);
        a += is_published && has_room;
        b += !is_published && has_room;
        /* Beyond its last row the page may go on before what waits. */
        if (a == page->count && page->has_more && has_room)
            break;
    }
    into->has_more = a < page->count || b < waiting->count || page->has_more;
}

bool own_rows_run(struct own_rows *own, struct rows_view *published, const struct listing_filter *filter,
                  struct listing *listing)
{
    struct listing page = *listing;
    page.has_keys = true;
    page.offset = 0;
    page.limit = (uint32_t)(listing->offset < MAX_OFFSET ? listing->offset : MAX_OFFSET) + listing->limit;
    struct merging merging = {.skipped = listing->offset, .into = listing};
    if (!listing_run(published, filter, &page) || !list_waiting(own, published, filter, listing)) {
        listing_release(&page);
        return false;
    }
    merging.ids = try_alloc((size_t)listing->limit + 1, sizeof *merging.ids);
    if (!merging.ids) {
        listing_release(&page);
        return false;
    }
    listing->count = 0;
    listing->total = page.total + own->listing.count;
    merge(&page, &own->listing, &merging);
    free(page.ids);
    free(page.keys);
    listing->ids = merging.ids;
    listing->is_estimate = page.is_estimate;
    return true;
}

/* Those that wait, but what is published as well. */
static uint32_t count_waiting_versions(struct own_rows *own, struct rows_view *published, int64_t shape)
{
    struct asset_id ids[MAX_VERSIONS];
    const uint32_t listed = versions_list(own->view, shape, ids);
    uint32_t count = 0;
    for (uint32_t i = 0; i < listed; i++)
        count += !rows_has(published, ASSET_CLIP, &ids[i]);
    return count;
}

bool own_rows_versions(struct own_rows *own, struct rows_view *published, const struct asset_id *ids,
                       uint32_t count, uint32_t *versions)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t shape;
        versions[i] = 0;
        if (!versions_shape(published, &ids[i], &shape) && !versions_shape(own->view, &ids[i], &shape))
            continue;
        versions[i] = versions_count(published, shape) + count_waiting_versions(own, published, shape);
        versions[i] = versions[i] < MAX_VERSIONS ? versions[i] : MAX_VERSIONS;
    }
    return !published->link->failed && !own->view->link->failed;
}

static int compare_values(const void *a, const void *b)
{
    const struct facet_value *x = a, *y = b;
    return x->count > y->count ? -1 : x->count < y->count;
}

bool own_rows_count(struct own_rows *own, const struct listing_filter *filter, enum listing_facet facet,
                    struct facet_value values[MAX_FACET_VALUES], uint32_t *count)
{
    struct facet_value more[MAX_FACET_VALUES];
    uint32_t more_count = 0;
    if (!listing_count(own->view, filter, facet, more, &more_count))
        return false;
    for (uint32_t i = 0; i < more_count; i++) {
        uint32_t at = 0;
        while (at < *count && (values[at].length != more[i].length ||
                               memcmp(values[at].text, more[i].text, more[i].length) != 0))
            at++;
        if (at < *count) {
            values[at].count += more[i].count;
            free(more[i].text);
        } else if (at < MAX_FACET_VALUES) {
            values[(*count)++] = more[i];
        } else {
            free(more[i].text);
        }
    }
    qsort(values, *count, sizeof *values, compare_values);
    return true;
}
