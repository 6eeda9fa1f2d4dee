/* Pages of lists. */
#include "server/library/rows/rows.h"

#include "lib/core/fold.h"
#include "server/library/rows/hits.h"
#include "server/ops/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void listing_release(struct listing *listing)
{
    free(listing->ids);
    free(listing->keys);
    hits_free(listing->hits);
    listing->ids = NULL;
    listing->keys = NULL;
    listing->hits = NULL;
}

/* The last row of the page is the next one of its keys. */
static void keep_key(struct listing *listing)
{
    if (listing->keys)
        listing->keys[listing->count - 1] = listing->last;
}

static void read_key(sqlite3_stmt *statement, int column, bool is_text, struct listing_key *key)
{
    key->is_text = is_text;
    key->text[0] = 0;
    key->value = 0;
    if (is_text)
        snprintf(key->text, sizeof key->text, "%s", (const char *)sqlite3_column_text(statement, column));
    else
        key->value = sqlite3_column_double(statement, column);
}

static bool take_id(sqlite3_stmt *statement, int column, struct asset_id *id)
{
    if (sqlite3_column_bytes(statement, column) != sizeof *id)
        return false;
    memcpy(id, sqlite3_column_blob(statement, column), sizeof *id);
    return true;
}

static const char *table_of(const struct listing_filter *filter)
{
    return filter->of_archives ? "archive" : "asset";
}

static bool is_text_key(enum listing_sort sort)
{
    return sort == SORT_NAME || sort == SORT_FORMAT;
}

/* A row that still exists is found at its present position. */
static void refresh_cursor(struct rows_link *link, const struct listing_filter *filter,
                           struct listing *listing)
{
    char text[160];
    sqlite3_stmt *statement = NULL;
    snprintf(text, sizeof text, "SELECT number FROM %s WHERE id = ?1 AND %s = ?2", table_of(filter),
             filter->of_archives ? "1" : "kind");
    if (sqlite3_prepare_v2(link->db, text, -1, &statement, NULL) != SQLITE_OK) {
        link->failed = true;
        return;
    }
    link_bind_blob(statement, 1, &listing->cursor_id, sizeof listing->cursor_id);
    sqlite3_bind_int(statement, 2, filter->of_archives ? 1 : (int)filter->kind);
    if (link_step(link, statement))
        listing->cursor.number = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
}

/* --------------------------------------------------------------------------------------------- in an order -- */

static int64_t tally_of(struct rows_link *link, int kind, int facet, const char *value)
{
    sqlite3_stmt *statement = link_statement(link, ROWS_GET_TALLY);
    int64_t count = 0;
    sqlite3_bind_int(statement, 1, kind);
    sqlite3_bind_int(statement, 2, facet);
    link_bind_blob(statement, 3, value, strlen(value));
    if (link_step(link, statement))
        count = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return count;
}

/* What is counted while rows are written, or else counted now. */
static int64_t count_all(struct rows_link *link, const struct listing_filter *filter,
                         const struct listing *listing)
{
    const int kind = filter->of_archives ? TALLY_KIND_ARCHIVES : (int)filter->kind;
    const bool is_other = filter->name || filter->archive || filter->has_joint || filter->has_duration ||
                          filter->has_loop || filter->event || filter->state != STATE_ANY;
    const bool is_plain = !is_other || (filter->of_archives && filter->state == STATE_ANY);
    if (is_plain && !filter->format && !filter->source)
        return tally_of(link, kind, TALLY_ALL, "");
    if (is_plain && filter->source && !filter->format)
        return tally_of(link, kind, TALLY_SOURCE, strcmp(filter->source, "path") ? "2" : "1") +
               tally_of(link, kind, TALLY_SOURCE, "3");
    if (!is_other && filter->format && !filter->source)
        return tally_of(link, kind, FACET_FORMAT, filter->format);
    struct query query = {.length = 0};
    query_add(&query, "SELECT count(*)");
    query_rows(link, &query, filter, listing, false, NULL);
    return query_count(link, &query);
}

static void add_page(struct query *query, const struct listing *listing, const char *key)
{
    const char *direction = listing->is_descending ? "<" : ">", *turn = listing->is_descending ? " DESC" : "";
    if (listing->has_cursor && key) {
        query_add(query, " AND (");
        query_add(query, key);
        query_add(query, ", a.number) ");
        query_add(query, direction);
        if (listing->cursor.is_text)
            query_text(query, " (?", listing->cursor.text, MAX_SORT_TEXT);
        else
            query_real(query, " (?", listing->cursor.value);
        query_integer(query, ", ?)", (int64_t)listing->cursor.number);
    } else if (listing->has_cursor) {
        query_add(query, " AND a.number ");
        query_add(query, direction);
        query_integer(query, " ?", (int64_t)listing->cursor.number);
    }
    query_add(query, " ORDER BY ");
    if (key) {
        query_add(query, key);
        query_add(query, turn);
        query_add(query, ", ");
    }
    query_add(query, "a.number");
    query_add(query, turn);
    query_integer(query, " LIMIT ?", (int64_t)listing->limit + 1);
    if (!listing->has_cursor)
        query_integer(query, " OFFSET ?", (int64_t)listing->offset);
}

static void read_page(struct rows_link *link, const struct listing_filter *filter, struct listing *listing)
{
    struct query query = {.length = 0};
    const char *key = query_key(filter, listing->sort);
    query_add(&query, "SELECT a.number, a.id, ");
    query_add(&query, key ? key : "0");
    query_rows(link, &query, filter, listing, true, NULL);
    add_page(&query, listing, key);
    sqlite3_stmt *statement = query_prepare(link, &query);
    while (link_step(link, statement)) {
        listing->has_more = listing->count == listing->limit;
        if (listing->has_more)
            break;
        if (!take_id(statement, 1, &listing->ids[listing->count]))
            continue;
        listing->count++;
        listing->last.number = (uint64_t)sqlite3_column_int64(statement, 0);
        read_key(statement, 2, is_text_key(listing->sort), &listing->last);
        listing->last.number = (uint64_t)sqlite3_column_int64(statement, 0);
        keep_key(listing);
    }
    sqlite3_finalize(statement);
    listing->total = (uint64_t)count_all(link, filter, listing);
}

/* ------------------------------------------------------------------------------------------------ searches -- */

static int compare_hit(const struct listing_hit *hit, const char *text, double value, uint64_t number)
{
    int order = 0;
    if (hit->text && text)
        order = strcmp(hit->text, text);
    else if (hit->value < value || hit->value > value)
        order = hit->value < value ? -1 : 1;
    return order ? order : hit->number < number ? -1 : hit->number > number;
}

static int compare_hits(const void *a, const void *b)
{
    const struct listing_hit *y = b;
    return compare_hit(a, y->text, y->value, y->number);
}

static int compare_hits_down(const void *a, const void *b)
{
    return compare_hits(b, a);
}

static void take_page(const struct listing_hits *hits, struct listing *listing)
{
    size_t first = listing->offset < hits->count ? (size_t)listing->offset : hits->count;
    if (listing->has_cursor) {
        size_t high = hits->count;
        first = 0;
        while (first < high) {
            const size_t middle = first + (high - first) / 2;
            const struct listing_key *key = &listing->cursor;
            const int order =
                compare_hit(&hits->items[middle], key->is_text ? key->text : NULL, key->value, key->number);
            if ((listing->is_descending ? -order : order) <= 0)
                first = middle + 1;
            else
                high = middle;
        }
    }
    for (size_t i = first; i < hits->count && listing->count < listing->limit; i++) {
        const struct listing_hit *hit = &hits->items[i];
        listing->ids[listing->count++] = hit->id;
        listing->last =
            (struct listing_key){.is_text = hit->text, .value = hit->value, .number = hit->number};
        if (hit->text)
            snprintf(listing->last.text, sizeof listing->last.text, "%s", hit->text);
        keep_key(listing);
    }
    listing->has_more = hits->count - first > listing->count;
    listing->total = hits->count;
}

static void search(struct rows_link *link, const struct listing_filter *filter, struct listing *listing)
{
    const char *key = query_key(filter, listing->sort);
    struct query query = {.length = 0};
    struct hit_texts texts = {0};
    query_add(&query, "SELECT a.number, a.id, ");
    query_add(&query, key ? key : "0");
    query_add(&query, filter->of_archives ? ", a.words, 0" : ", a.words, a.content");
    hits_find(link, &query, filter, listing, &texts);
    sqlite3_stmt *statement = query_prepare(link, &query);
    struct listing_hits *hits = listing->hits = try_alloc(1, sizeof *hits);
    link->failed |= !hits;
    while (!link->failed && link_step(link, statement)) {
        struct listing_hit hit = {.number = (uint64_t)sqlite3_column_int64(statement, 0), .value = 0};
        const int rank = hits_rank(link, filter, (const char *)sqlite3_column_text(statement, 3),
                                   sqlite3_column_int64(statement, 4), &texts);
        if (rank < 0 || !take_id(statement, 1, &hit.id))
            continue;
        if (is_text_key(listing->sort))
            hit.text = strdup((const char *)sqlite3_column_text(statement, 2));
        else
            hit.value = listing->sort == SORT_MATCH ? rank : sqlite3_column_double(statement, 2);
        link->failed |= (is_text_key(listing->sort) && !hit.text) || !hits_add(hits, &hit);
    }
    sqlite3_finalize(statement);
    hits_release_texts(&texts);
    if (link->failed)
        return;
    if (hits->count)
        qsort(hits->items, hits->count, sizeof *hits->items,
              listing->is_descending ? compare_hits_down : compare_hits);
    take_page(hits, listing);
}

bool listing_run(struct rows_view *view, const struct listing_filter *filter, struct listing *listing)
{
    struct rows_link *link = view->link;
    listing->count = 0;
    listing->total = 0;
    listing->has_more = false;
    listing->hits = NULL;
    listing->ids = try_alloc((size_t)listing->limit + 1, sizeof *listing->ids);
    listing->keys = listing->has_keys ? try_alloc((size_t)listing->limit + 1, sizeof *listing->keys) : NULL;
    link->failed |= !listing->ids || (listing->has_keys && !listing->keys);
    if (listing->has_cursor && !link->failed)
        refresh_cursor(link, filter, listing);
    if (filter->search && !link->failed)
        search(link, filter, listing);
    else if (!link->failed)
        read_page(link, filter, listing);
    return !link->failed;
}
