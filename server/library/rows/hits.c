#include "server/library/rows/hits.h"

#include "server/ops/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hits_add(struct listing_hits *hits, const struct listing_hit *hit)
{
    if (hits->count == hits->capacity) {
        const size_t capacity = hits->capacity ? hits->capacity * 2 : 64;
        struct listing_hit *larger = reallocarray(hits->items, capacity, sizeof *larger);
        if (!larger)
            return false;
        hits->items = larger;
        hits->capacity = capacity;
    }
    hits->items[hits->count++] = *hit;
    return true;
}

void hits_release(struct listing_hits *hits)
{
    for (size_t i = 0; i < hits->count; i++)
        free(hits->items[i].text);
    free(hits->items);
    *hits = (struct listing_hits){0};
}

void hits_release_texts(struct hit_texts *texts)
{
    free(texts->words);
    *texts = (struct hit_texts){0};
}

/* --------------------------------------------------------------------------------------------------- pages -- */

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

void hits_sort(struct listing_hits *hits, bool is_descending)
{
    if (hits->count)
        qsort(hits->items, hits->count, sizeof *hits->items,
              is_descending ? compare_hits_down : compare_hits);
}

void hits_take_page(const struct listing_hits *hits, struct listing *listing)
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
        if (listing->keys)
            listing->keys[listing->count - 1] = listing->last;
    }
    listing->has_more = hits->count - first > listing->count;
    listing->total = hits->count;
}

/* ------------------------------------------------------------------------------------------------- ranking -- */

/* For each word the best rank over the texts of a row so far. */
struct found {
    const struct search *search;
    uint8_t best[MAX_WORDS];
};

static void look_in(struct found *found, const char *folded, int where)
{
    for (unsigned i = 0; *folded && i < found->search->count; i++) {
        enum search_match match = search_match(&found->search->words[i], folded);
        int rank = (int)match * ROWS_WEIGHT_MATCH + where;
        if (match != MATCH_NONE && rank < found->best[i])
            found->best[i] = (uint8_t)rank;
    }
}

/* The rank of the worst word; ROWS_NO_RANK if one is missing. */
static int rank_of(const struct found *found)
{
    int worst = 0;
    for (unsigned i = 0; i < found->search->count; i++)
        worst = found->best[i] > worst ? found->best[i] : worst;
    return worst;
}

static const char *words_of(struct rows_link *link, int64_t content, struct hit_texts *texts)
{
    if (texts->words && texts->content == content)
        return texts->words;
    sqlite3_stmt *statement = link_statement(link, ROWS_GET_CONTENT);
    sqlite3_bind_int64(statement, 1, content);
    free(texts->words);
    texts->words =
        link_step(link, statement) ? strdup((const char *)sqlite3_column_text(statement, 0)) : NULL;
    texts->content = content;
    sqlite3_reset(statement);
    return texts->words ? texts->words : "";
}

int hits_rank(struct rows_link *link, const struct listing_filter *filter, const char *words, int64_t content,
              struct hit_texts *texts)
{
    enum { MAX_NAME = 1100 };
    struct found found = {.search = filter->search};
    char name[MAX_NAME];
    memset(found.best, ROWS_NO_RANK, sizeof found.best);
    const size_t length = strcspn(words, "\n");
    snprintf(name, sizeof name, "%.*s", (int)length, words);
    look_in(&found, name, ROWS_IN_NAME);
    if (rank_of(&found) != ROWS_IN_NAME && !filter->of_archives) {
        look_in(&found, words_of(link, content, texts), ROWS_IN_CONTENTS);
        look_in(&found, words[length] ? words + length + 1 : "", ROWS_IN_PATH);
    }
    return rank_of(&found) < ROWS_NO_RANK ? rank_of(&found) : -1;
}
