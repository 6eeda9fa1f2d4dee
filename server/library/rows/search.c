#include "server/library/rows/search.h"

#include "server/library/rows/plan.h"
#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

/* So many hits are sorted at most: in their rank, or in another order. */
enum { MOST_RANKED = 2000, MOST_SORTED = LISTING_COUNTED };

struct finder {
    struct rows_link *link;
    const struct listing_filter *filter;
    struct listing *listing;
    struct plan *plan;
    struct hit_texts texts;
};

bool search_has_text_key(enum listing_sort sort)
{
    return sort == SORT_NAME || sort == SORT_FORMAT;
}

/* The rows that may be hits, along their numbers: number, id, words, content, and further columns. */
static sqlite3_stmt *candidates(struct finder *finder, const struct query_words *words, int64_t after,
                                const char *columns)
{
    struct query query = {.length = 0};
    query_add(&query, finder->filter->of_archives ? "SELECT a.number, a.id, a.words, 0"
                                                  : "SELECT a.number, a.id, a.words, a.content");
    query_add(&query, columns);
    query_rows(finder->link, &query, finder->filter, SORT_ARRIVAL, true, words);
    if (!words)
        query_integer(&query, " AND a.number > ?", after);
    query_add(&query, words && !words->is_along ? " ORDER BY w.number" : " ORDER BY a.number");
    return query_prepare(finder->link, &query);
}

static int rank_of(struct finder *finder, sqlite3_stmt *row)
{
    return hits_rank(finder->link, finder->filter, (const char *)sqlite3_column_text(row, 2),
                     sqlite3_column_int64(row, 3), &finder->texts);
}

/* --------------------------------------------------------------------------------------------- few of them -- */

static void rank_all(struct finder *finder)
{
    struct listing *listing = finder->listing;
    const bool is_text = search_has_text_key(listing->sort);
    const char *key = query_key(finder->filter, listing->sort);
    struct listing_hits hits = {0};
    char columns[40] = ", 0";
    if (key) {
        columns[1] = ' ';
        strncpy(columns + 2, key, sizeof columns - 3);
    }
    sqlite3_stmt *row = candidates(finder, plan_all(finder->plan), 0, columns);
    while (!finder->link->failed && link_step(finder->link, row)) {
        struct listing_hit hit = {.number = (uint64_t)sqlite3_column_int64(row, 0)};
        const int rank = rank_of(finder, row);
        if (rank < 0 || !link_column_id(row, 1, &hit.id))
            continue;
        if (is_text)
            hit.text = strdup((const char *)sqlite3_column_text(row, 4));
        else
            hit.value = listing->sort == SORT_MATCH ? rank : sqlite3_column_double(row, 4);
        finder->link->failed |= (is_text && !hit.text) || !hits_add(&hits, &hit);
    }
    sqlite3_finalize(row);
    if (!finder->link->failed) {
        hits_sort(&hits, listing->is_descending);
        hits_take_page(&hits, listing);
    }
    hits_release(&hits);
}

/* -------------------------------------------------------------------------------------------- many of them -- */

/* Whether anything but words says what belongs to the list. */
static bool is_filtered(const struct listing_filter *filter)
{
    return filter->name || filter->format || filter->source || filter->archive || filter->has_joint ||
           filter->has_duration || filter->has_loop || filter->event || filter->state != STATE_ANY;
}

static int64_t newest_number(struct finder *finder)
{
    struct query query = {.length = 0};
    if (finder->filter->of_archives)
        query_add(&query, "SELECT max(number) FROM archive");
    else
        query_integer(&query, "SELECT max(number) FROM asset INDEXED BY asset_kind WHERE kind = ?",
                      finder->filter->kind);
    return query_count(finder->link, &query);
}

/* As many as up to the last one that was counted, everywhere. */
static void estimate(struct finder *finder, int64_t count, int64_t last)
{
    const double share = last > 0 ? (double)newest_number(finder) / (double)last : 1;
    finder->listing->is_estimate = true;
    finder->listing->total = (uint64_t)((double)count * (share > 1 ? share : 1));
}

/* Looks at the candidates one by one, until there are enough of them. */
static void count_hits(struct finder *finder)
{
    enum { MANY_CONTENTS = 50000 };
    struct plan *plan = finder->plan;
    const bool is_dense = !plan->has_free && plan->most_contents > MANY_CONTENTS;
    sqlite3_stmt *row = candidates(finder, is_dense ? NULL : plan_all(plan), 0, "");
    int64_t count = 0, last = 0;
    while (count <= LISTING_COUNTED && !finder->link->failed && link_step(finder->link, row)) {
        last = sqlite3_column_int64(row, 0);
        count += rank_of(finder, row) >= 0;
    }
    sqlite3_finalize(row);
    if (count > LISTING_COUNTED)
        estimate(finder, count, last);
    else
        finder->listing->total = (uint64_t)count;
}

/* found: how many plan_all finds, counted up to one more than is counted exactly. */
static void set_total(struct finder *finder, int64_t found, int64_t last)
{
    const struct plan *plan = finder->plan;
    const bool is_single = finder->filter->search->count == 1 && !is_filtered(finder->filter);
    if (is_filtered(finder->filter) || !plan->is_all_free) {
        if (is_single && plan->most_contents > LISTING_COUNTED) {
            finder->listing->is_estimate = true;
            finder->listing->total = (uint64_t)plan->most_contents;
            return;
        }
        count_hits(finder);
    } else if (found > LISTING_COUNTED) {
        estimate(finder, found, last);
    } else {
        finder->listing->total = (uint64_t)found;
    }
}

/* Takes the rows of a rank; false: the page is full, and there is another one. */
static bool take_rank(struct finder *finder, int rank, int64_t after, uint64_t *skipped)
{
    struct listing *listing = finder->listing;
    bool is_empty;
    const struct query_words *words = plan_rank(finder->plan, rank, after, &is_empty);
    if (is_empty)
        return true;
    sqlite3_stmt *row = candidates(finder, words, after, "");
    while (!finder->link->failed && !listing->has_more && link_step(finder->link, row)) {
        if (rank_of(finder, row) != rank)
            continue;
        if (*skipped) {
            --*skipped;
            continue;
        }
        listing->has_more = listing->count == listing->limit;
        if (listing->has_more || !link_column_id(row, 1, &listing->ids[listing->count]))
            continue;
        listing->last = (struct listing_key){.value = rank, .number = (uint64_t)sqlite3_column_int64(row, 0)};
        if (listing->keys)
            listing->keys[listing->count] = listing->last;
        listing->count++;
    }
    sqlite3_finalize(row);
    return !listing->has_more;
}

static void take_ranks(struct finder *finder)
{
    const struct listing *listing = finder->listing;
    uint64_t skipped = listing->has_cursor ? 0 : listing->offset;
    const double value = listing->cursor.value;
    const bool is_inside = listing->has_cursor && value >= 0 && value < ROWS_NO_RANK;
    const int first = is_inside ? (int)value : listing->has_cursor && value >= 0 ? ROWS_NO_RANK : 0;
    for (int rank = first; rank < ROWS_NO_RANK; rank++) {
        const int64_t after = is_inside && rank == first ? (int64_t)listing->cursor.number : 0;
        if (!take_rank(finder, rank, after, &skipped))
            break;
    }
}

static bool begin(struct finder *finder)
{
    finder->plan = plan_new(finder->link, finder->filter);
    return finder->plan && !finder->link->failed;
}

static void end(struct finder *finder)
{
    free(finder->plan);
    hits_release_texts(&finder->texts);
}

bool search_page(struct rows_link *link, const struct listing_filter *filter, struct listing *listing)
{
    struct finder finder = {.link = link, .filter = filter, .listing = listing};
    bool is_taken = true;
    if (begin(&finder)) {
        int64_t last;
        const int64_t found = plan_count(link, finder.plan, LISTING_COUNTED + 1, &last);
        const bool by_match = listing->sort == SORT_MATCH;
        if (found <= (by_match ? MOST_RANKED : MOST_SORTED)) {
            rank_all(&finder);
        } else {
            set_total(&finder, found, last);
            is_taken = by_match;
            if (by_match)
                take_ranks(&finder);
        }
    }
    end(&finder);
    return is_taken;
}

void search_each(struct rows_link *link, const struct listing_filter *filter, search_visit *visit, void *user)
{
    struct finder finder = {.link = link, .filter = filter};
    if (begin(&finder)) {
        sqlite3_stmt *row = candidates(&finder, plan_all(finder.plan), 0, ", a.format, a.loop");
        while (!link->failed && link_step(link, row)) {
            if (rank_of(&finder, row) >= 0)
                visit(user, row);
        }
        sqlite3_finalize(row);
    }
    end(&finder);
}
