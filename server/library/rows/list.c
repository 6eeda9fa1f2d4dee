/* Pages of lists. */
#include "server/library/rows/rows.h"

#include "lib/core/fold.h"
#include "server/library/rows/search.h"
#include "server/ops/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void listing_release(struct listing *listing)
{
    free(listing->ids);
    free(listing->keys);
    free(listing->versions);
    listing->ids = NULL;
    listing->keys = NULL;
    listing->versions = NULL;
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

static const char *table_of(const struct listing_filter *filter)
{
    return filter->of_archives ? "archive" : "asset";
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

/* The least of what is counted of conditions one by one: no more rows fulfil all of them. */
static uint64_t count_at_most(struct rows_link *link, const struct listing_filter *filter)
{
    const int kind = (int)filter->kind;
    static const char *const loops[] = {"null", "false", "true"};
    int64_t least = tally_of(link, kind, TALLY_ALL, "");
    const int64_t counts[] = {
        filter->format ? tally_of(link, kind, FACET_FORMAT, filter->format) : least,
        filter->has_loop ? tally_of(link, kind, FACET_LOOP, loops[filter->loop + 1]) : least,
        filter->event ? tally_of(link, kind, FACET_EVENTS, filter->event) : least,
        filter->source ? tally_of(link, kind, TALLY_SOURCE, strcmp(filter->source, "path") ? "2" : "1") +
                             tally_of(link, kind, TALLY_SOURCE, "3")
                       : least,
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        least = counts[i] < least ? counts[i] : least;
    return (uint64_t)least;
}

/* What is counted while rows are written, or else counted now: exactly as long as it is not too many. */
static void count_all(struct rows_link *link, const struct listing_filter *filter, struct listing *listing)
{
    const int kind = filter->of_archives ? TALLY_KIND_ARCHIVES : (int)filter->kind;
    const bool is_other = filter->name || filter->archive || filter->has_joint || filter->has_duration ||
                          filter->has_loop || filter->event || filter->state != STATE_ANY;
    const bool is_plain = !is_other || (filter->of_archives && filter->state == STATE_ANY);
    if (is_plain && !filter->format && !filter->source) {
        listing->total = (uint64_t)tally_of(link, kind, TALLY_ALL, "");
    } else if (is_plain && filter->source && !filter->format) {
        listing->total =
            (uint64_t)(tally_of(link, kind, TALLY_SOURCE, strcmp(filter->source, "path") ? "2" : "1") +
                       tally_of(link, kind, TALLY_SOURCE, "3"));
    } else if (!is_other && filter->format && !filter->source) {
        listing->total = (uint64_t)tally_of(link, kind, FACET_FORMAT, filter->format);
    } else {
        struct query query = {.length = 0};
        query_add(&query, "SELECT count(*) FROM (SELECT 1");
        query_rows(link, &query, filter, listing->sort, false, NULL);
        query_integer(&query, " LIMIT ?)", LISTING_COUNTED + 1);
        listing->total = (uint64_t)query_count(link, &query);
        listing->is_estimate = listing->total > LISTING_COUNTED && !filter->of_archives;
        const uint64_t most = listing->is_estimate ? count_at_most(link, filter) : 0;
        listing->total = most > listing->total ? most : listing->total;
    }
}

/* The rows of a page behind the cursor: those of its key and a greater number, and then those of a greater key. So both
 * are found by the index of the key, which ends with the number; one comparison of (key, number) would only use the key. */
enum part { PART_SAME_KEY, PART_BEHIND };

static void add_cursor(struct query *query, const struct listing *listing, const char *key, enum part part)
{
    const char *direction = listing->is_descending ? " < ?" : " > ?";
    if (key) {
        query_add(query, " AND ");
        query_add(query, key);
        const char *comparison = part == PART_SAME_KEY ? " = ?" : direction;
        if (listing->cursor.is_text)
            query_text(query, comparison, listing->cursor.text, MAX_SORT_TEXT);
        else
            query_real(query, comparison, listing->cursor.value);
    }
    if (!key || part == PART_SAME_KEY) {
        query_add(query, " AND a.number");
        query_integer(query, direction, (int64_t)listing->cursor.number);
    }
}

static void add_order(struct query *query, const struct listing *listing, const char *key)
{
    const char *turn = listing->is_descending ? " DESC" : "";
    query_add(query, " ORDER BY ");
    if (key) {
        query_add(query, key);
        query_add(query, turn);
        query_add(query, ", ");
    }
    query_add(query, "a.number");
    query_add(query, turn);
}

/* Takes rows until the page is full; those of a search are looked at one by one. */
static void take_rows(struct rows_link *link, const struct listing_filter *filter, struct listing *listing,
                      sqlite3_stmt *row, struct hit_texts *texts)
{
    uint64_t skipped = filter->search && !listing->has_cursor ? listing->offset : 0;
    while (!listing->has_more && !link->failed && link_step(link, row)) {
        if (filter->search && hits_rank(link, filter, (const char *)sqlite3_column_text(row, 3),
                                        sqlite3_column_int64(row, 4), texts) < 0)
            continue;
        if (skipped) {
            skipped--;
            continue;
        }
        listing->has_more = listing->count == listing->limit;
        if (listing->has_more || !link_column_id(row, 1, &listing->ids[listing->count]))
            continue;
        listing->count++;
        read_key(row, 2, search_has_text_key(listing->sort), &listing->last);
        listing->last.number = (uint64_t)sqlite3_column_int64(row, 0);
        keep_key(listing);
    }
    sqlite3_finalize(row);
}

static void read_part(struct rows_link *link, const struct listing_filter *filter, struct listing *listing,
                      enum part part)
{
    struct query query = {.length = 0};
    struct hit_texts texts = {0};
    const char *key = query_key(filter, listing->sort);
    query_add(&query, "SELECT a.number, a.id, ");
    query_add(&query, key ? key : "0");
    if (filter->search)
        query_add(&query, filter->of_archives ? ", a.words, 0" : ", a.words, a.content");
    query_rows(link, &query, filter, listing->sort, true, NULL);
    if (listing->has_cursor)
        add_cursor(&query, listing, key, part);
    add_order(&query, listing, key);
    if (!filter->search) {
        query_integer(&query, " LIMIT ?", (int64_t)listing->limit - listing->count + 1);
        if (!listing->has_cursor)
            query_integer(&query, " OFFSET ?", (int64_t)listing->offset);
    }
    take_rows(link, filter, listing, query_prepare(link, &query), &texts);
    hits_release_texts(&texts);
}

static void read_page(struct rows_link *link, const struct listing_filter *filter, struct listing *listing)
{
    if (listing->has_cursor && query_key(filter, listing->sort))
        read_part(link, filter, listing, PART_SAME_KEY);
    if (!listing->has_more)
        read_part(link, filter, listing, PART_BEHIND);
}

bool listing_run(struct rows_view *view, const struct listing_filter *filter, struct listing *listing)
{
    struct rows_link *link = view->link;
    listing->count = 0;
    listing->total = 0;
    listing->has_more = listing->is_estimate = false;
    listing->ids = try_alloc((size_t)listing->limit + 1, sizeof *listing->ids);
    listing->keys = listing->has_keys ? try_alloc((size_t)listing->limit + 1, sizeof *listing->keys) : NULL;
    link->failed |= !listing->ids || (listing->has_keys && !listing->keys);
    if (listing->has_cursor && !link->failed)
        refresh_cursor(link, filter, listing);
    const bool is_taken = filter->search && !link->failed && search_page(link, filter, listing);
    if (!filter->search && !link->failed)
        count_all(link, filter, listing);
    if (!is_taken && !link->failed)
        read_page(link, filter, listing);
    return !link->failed;
}
