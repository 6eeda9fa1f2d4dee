/* Counts the values of the rows of a list. */
#include "server/library/rows/search.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

/* A hash table of values by text, at most half full. Texts are copies, with a length: ids have any bytes. */
struct counts {
    struct rows_link *link;
    struct region region;
    size_t slot_count, used;
    struct facet_value *slots;
    struct pose_buffer events; /* of the content that was looked at last */
    int64_t content;
};

static struct facet_value *find_slot(const struct facet_value *slots, size_t slot_count, const char *text,
                                     size_t length)
{
    struct asset_id hash = id_quick(NULL, text, length);
    size_t slot;
    memcpy(&slot, hash.bytes, sizeof slot);
    for (slot &= slot_count - 1;; slot = (slot + 1) & (slot_count - 1)) {
        const struct facet_value *value = &slots[slot];
        if (!value->text || (value->length == length && !memcmp(value->text, text, length)))
            return (struct facet_value *)(uintptr_t)value;
    }
}

static bool grow(struct counts *counts)
{
    const size_t slot_count = counts->slot_count ? counts->slot_count * 2 : 64;
    struct facet_value *larger = try_alloc(slot_count, sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < counts->slot_count; i++) {
        const struct facet_value *value = &counts->slots[i];
        if (value->text)
            *find_slot(larger, slot_count, value->text, value->length) = *value;
    }
    free(counts->slots);
    counts->slots = larger;
    counts->slot_count = slot_count;
    return true;
}

static void count_text(struct counts *counts, const char *text, size_t length)
{
    if (counts->used * 2 >= counts->slot_count && !grow(counts)) {
        counts->link->failed = true;
        return;
    }
    struct facet_value *value = find_slot(counts->slots, counts->slot_count, text, length);
    if (!value->text) {
        value->text = (char *)(uintptr_t)region_text_sized(&counts->region, text, length);
        value->length = length;
        counts->used++;
        counts->link->failed |= !value->text;
    }
    value->count++;
}

static void count_events(struct counts *counts, int64_t content)
{
    if (counts->content != content) {
        sqlite3_stmt *statement = link_statement(counts->link, ROWS_GET_CONTENT);
        counts->events.size = 0;
        counts->content = content;
        sqlite3_bind_int64(statement, 1, content);
        if (link_step(counts->link, statement))
            counts->link->failed |= !pose_buffer_append(&counts->events, sqlite3_column_text(statement, 1),
                                                        (size_t)sqlite3_column_bytes(statement, 1));
        sqlite3_reset(statement);
    }
    const char *at = (const char *)counts->events.data, *end = at + counts->events.size;
    while (counts->events.size && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        count_text(counts, at, length);
        at += length + 1;
    }
}

/* Every archive that contains it. */
static void count_archives(struct counts *counts, int64_t asset)
{
    sqlite3_stmt *statement = link_statement(counts->link, ROWS_ARCHIVES_OF);
    sqlite3_bind_int64(statement, 1, asset);
    while (link_step(counts->link, statement))
        count_text(counts, sqlite3_column_blob(statement, 0), (size_t)sqlite3_column_bytes(statement, 0));
}

/* A row: its number; content, format and loop from a column on. */
static void count_row(struct counts *counts, sqlite3_stmt *row, int64_t number, int column,
                      enum listing_facet facet)
{
    static const char *const loops[] = {"null", "false", "true"};
    if (facet == FACET_ARCHIVE) {
        count_archives(counts, number);
    } else if (facet == FACET_EVENTS) {
        count_events(counts, sqlite3_column_int64(row, column));
    } else if (facet == FACET_FORMAT) {
        count_text(counts, (const char *)sqlite3_column_text(row, column + 1),
                   (size_t)sqlite3_column_bytes(row, column + 1));
    } else {
        const int loop = sqlite3_column_int(row, column + 2);
        const char *text = loops[loop < -1 || loop > 1 ? 0 : loop + 1];
        count_text(counts, text, strlen(text));
    }
}

static int compare_values(const void *a, const void *b)
{
    const struct facet_value *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    size_t length = x->length < y->length ? x->length : y->length;
    int order = length ? memcmp(x->text, y->text, length) : 0;
    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

/* Who counts which of its values. */
struct counting {
    struct counts *counts;
    enum listing_facet facet;
};

static void count_hit(void *user, sqlite3_stmt *row)
{
    const struct counting *counting = user;
    count_row(counting->counts, row, sqlite3_column_int64(row, 0), 3, counting->facet);
}

static void count_list(struct counts *counts, const struct listing_filter *filter, enum listing_facet facet)
{
    struct query query = {.length = 0};
    query_add(&query, "SELECT a.number, a.content, a.format, a.loop");
    query_rows(counts->link, &query, filter, SORT_ARRIVAL, false, NULL);
    sqlite3_stmt *statement = query_prepare(counts->link, &query);
    while (!counts->link->failed && link_step(counts->link, statement))
        count_row(counts, statement, sqlite3_column_int64(statement, 0), 1, facet);
    sqlite3_finalize(statement);
}

static void take_value(struct rows_link *link, struct facet_value *values, uint32_t *count, const void *text,
                       size_t length, uint64_t times)
{
    char *copy = try_alloc(length + 1, 1);
    link->failed |= !copy;
    if (!copy)
        return;
    if (length)
        memcpy(copy, text, length);
    values[(*count)++] = (struct facet_value){copy, length, times};
}

/* What is counted while rows are written. */
static void take_tallies(struct rows_link *link, const struct listing_filter *filter,
                         enum listing_facet facet, struct facet_value *values, uint32_t *count)
{
    sqlite3_stmt *statement = link_statement(link, ROWS_GET_TALLIES);
    sqlite3_bind_int(statement, 1, (int)filter->kind);
    sqlite3_bind_int(statement, 2, (int)facet);
    sqlite3_bind_int(statement, 3, MAX_FACET_VALUES);
    while (link_step(link, statement))
        take_value(link, values, count, sqlite3_column_blob(statement, 0),
                   (size_t)sqlite3_column_bytes(statement, 0), (uint64_t)sqlite3_column_int64(statement, 1));
}

bool listing_count(struct rows_view *view, const struct listing_filter *filter, enum listing_facet facet,
                   struct facet_value values[MAX_FACET_VALUES], uint32_t *count)
{
    struct counts counts = {.link = view->link, .content = -1};
    *count = 0;
    if (!filter->search && !filter->name && !filter->format && !filter->source && !filter->archive &&
        !filter->has_joint && !filter->has_duration && !filter->has_loop && !filter->event) {
        take_tallies(view->link, filter, facet, values, count);
        return !view->link->failed;
    }
    counts.region.may_fail = true;
    if (filter->search)
        search_each(view->link, filter, count_hit, &(struct counting){&counts, facet});
    else
        count_list(&counts, filter, facet);
    if (counts.slot_count)
        qsort(counts.slots, counts.slot_count, sizeof *counts.slots, compare_values);
    for (size_t i = 0; i < counts.used && i < MAX_FACET_VALUES; i++)
        take_value(view->link, values, count, counts.slots[i].text, counts.slots[i].length,
                   counts.slots[i].count);
    free(counts.slots);
    region_release(&counts.region);
    pose_buffer_free(&counts.events);
    return !view->link->failed;
}
