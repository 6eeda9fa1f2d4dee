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

void hits_free(struct listing_hits *hits)
{
    for (size_t i = 0; hits && i < hits->count; i++)
        free(hits->items[i].text);
    if (hits)
        free(hits->items);
    free(hits);
}

void hits_release_texts(struct hit_texts *texts)
{
    free(texts->phrase);
    free(texts->words);
    *texts = (struct hit_texts){0};
}

/* ------------------------------------------------------------------------------------------------- finding -- */

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* The longest word that the index of words, which knows runs of three characters, can find; NULL: none. */
static const struct search_word *longest_word(const struct search *search)
{
    enum { LEAST = 3 };
    const struct search_word *best = NULL;
    for (unsigned i = 0; i < search->count; i++) {
        const struct search_word *word = &search->words[i];
        if (count_characters(word->text) >= LEAST && (!best || word->length > best->length))
            best = word;
    }
    return best;
}

void hits_find(struct rows_link *link, struct query *query, const struct listing_filter *filter,
               const struct listing *listing, struct hit_texts *texts)
{
    const struct search_word *word = longest_word(filter->search);
    if (word && asprintf(&texts->phrase, "\"%s\"", word->text) < 0) {
        texts->phrase = NULL;
        link->failed = true;
    }
    query_rows(link, query, filter, listing, false, texts->phrase);
}

/* ------------------------------------------------------------------------------------------------- ranking -- */

/*
 * How well a row matches, for each word the best over its texts so far. A name counts more than a path, and a path more
 * than joints and events; but a whole word anywhere counts more than a prefix.
 */
enum { IN_NAME, IN_PATH, IN_CONTENTS, WEIGHT_MATCH = 4, NOT_FOUND = MATCH_NONE * WEIGHT_MATCH };

struct found {
    const struct search *search;
    uint8_t best[MAX_WORDS];
};

static void look_in(struct found *found, const char *folded, int where)
{
    for (unsigned i = 0; *folded && i < found->search->count; i++) {
        enum search_match match = search_match(&found->search->words[i], folded);
        int rank = (int)match * WEIGHT_MATCH + where;
        if (match != MATCH_NONE && rank < found->best[i])
            found->best[i] = (uint8_t)rank;
    }
}

/* The rank of the worst word; NOT_FOUND if one is missing. */
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
    memset(found.best, NOT_FOUND, sizeof found.best);
    const size_t length = strcspn(words, "\n");
    snprintf(name, sizeof name, "%.*s", (int)length, words);
    look_in(&found, name, IN_NAME);
    if (rank_of(&found) != IN_NAME && !filter->of_archives) {
        look_in(&found, words_of(link, content, texts), IN_CONTENTS);
        look_in(&found, words[length] ? words + length + 1 : "", IN_PATH);
    }
    return rank_of(&found) < NOT_FOUND ? rank_of(&found) : -1;
}
