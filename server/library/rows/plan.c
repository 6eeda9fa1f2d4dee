#include "server/library/rows/plan.h"

#include "server/ops/region.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Many rows share few contents: from so many on they are met along all rows. */
enum { MANY_ROWS = 10000 };

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* --------------------------------------------------------------------------------------------- expressions -- */

struct expression {
    char *text;
    size_t used;
    bool failed;
};

static struct expression begin(char *text)
{
    *text = 0;
    return (struct expression){text, 0, false};
}

__attribute__((format(printf, 2, 3))) static void put(struct expression *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(to->text + to->used, MAX_EXPRESSION - to->used, format, values);
    va_end(values);
    to->failed |= length < 0 || (size_t)length >= MAX_EXPRESSION - to->used;
    to->used += to->failed ? 0 : (size_t)length;
}

/* Whether the index of runs knows the word with the blanks that such a match has around it. */
static bool is_told(const struct search_word *word, int match)
{
    enum { LEAST = 3 };
    const int blanks = match == MATCH_WHOLE ? 2 : match == MATCH_BEGINNING;
    return count_characters(word->text) + (size_t)blanks >= LEAST;
}

static int match_of(const struct search_word *word, int rank)
{
    return word->is_phrase ? MATCH_WHOLE : rank / ROWS_WEIGHT_MATCH;
}

/* Texts in which it is as such a match, or as a better one. blank: what is around words there. */
static void put_match(struct expression *to, const struct search_word *word, int match, char blank)
{
    put(to, "\"");
    if (match != MATCH_PART)
        put(to, "%c", blank);
    for (size_t i = 0; i < word->length; i++)
        put(to, "%c", word->text[i] == ' ' ? blank : word->text[i]);
    if (match == MATCH_WHOLE)
        put(to, "%c", blank);
    put(to, "\"");
}

enum { BLANK = ' ', BLANK_OF_PLACES = '\n' };

/* Rows whose own words have it as such a match, or as a better one. */
static void put_anywhere(struct expression *to, const struct plan *plan, const struct search_word *word,
                         int match)
{
    put_match(to, word, match, BLANK);
    if (match == MATCH_PART || plan->filter->of_archives)
        return;
    put(to, " OR ");
    put_match(to, word, match, BLANK_OF_PLACES);
}

/* Rows whose own words have it with that rank or a better one; false: the index cannot tell. */
static bool put_reached(struct expression *to, const struct plan *plan, const struct search_word *word,
                        int rank)
{
    const int match = match_of(word, rank);
    const bool is_name = !plan->filter->of_archives && rank == match * ROWS_WEIGHT_MATCH + ROWS_IN_NAME;
    if (!is_told(word, match))
        return false;
    put(to, "(");
    if (!is_name) {
        put_anywhere(to, plan, word, match);
    } else {
        put(to, match == MATCH_PART ? "name : " : "");
        put_match(to, word, match, BLANK);
    }
    if (is_name && match > MATCH_WHOLE) {
        put(to, " OR ");
        put_anywhere(to, plan, word, match - 1);
    }
    put(to, ")");
    return true;
}

/* Rows in which all free words have that rank or a better one. */
static bool put_all_reached(struct expression *to, const struct plan *plan, int rank)
{
    bool done = true, is_first = true;
    for (unsigned i = 0; i < plan->filter->search->count && done; i++) {
        if (!plan->words[i].is_free)
            continue;
        put(to, is_first ? "(" : " AND ");
        done = put_reached(to, plan, &plan->filter->search->words[i], rank);
        is_first = false;
    }
    put(to, ")");
    return done;
}

/* Rows in which some word has just that rank by the row's own words. */
static bool put_some_with(struct expression *to, const struct plan *plan, int rank)
{
    bool done = true;
    for (unsigned i = 0; i < plan->filter->search->count && done; i++) {
        const struct search_word *word = &plan->filter->search->words[i];
        put(to, i ? " OR (" : "(");
        done = put_reached(to, plan, word, rank);
        if (done && rank) {
            put(to, " NOT ");
            done = put_reached(to, plan, word, rank - 1);
        }
        put(to, ")");
    }
    return done;
}

/* Contents in which some word is as a match of that rank, or as a better one. */
static bool put_contents(struct expression *to, const struct plan *plan, int rank)
{
    for (unsigned i = 0; i < plan->filter->search->count; i++) {
        const struct search_word *word = &plan->filter->search->words[i];
        const int match = match_of(word, rank);
        if (!is_told(word, match))
            return false;
        put(to, i ? " OR " : "");
        put_match(to, word, match, BLANK);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- looking -- */

static bool has_any(struct rows_link *link, const char *table, const char *expression)
{
    struct query query = {.length = 0};
    query_add(&query, "SELECT count(*) FROM (SELECT 1 FROM ");
    query_add(&query, table);
    query_add(&query, " WHERE ");
    query_add(&query, table);
    query_text(&query, " MATCH ? LIMIT 1)", expression, MAX_VALUE);
    return query_count(link, &query) > 0;
}

/* What the indices know of a word: where it is, and how well it matches at best. */
static void look_up(struct rows_link *link, struct plan *plan, unsigned index)
{
    const struct search_word *word = &plan->filter->search->words[index];
    const bool of_archives = plan->filter->of_archives;
    struct plan_word *known = &plan->words[index];
    *known = (struct plan_word){.best = ROWS_NO_RANK, .is_folded = is_told(word, MATCH_PART)};
    known->is_free = known->is_folded;
    if (!known->is_folded) { /* it may be anywhere */
        known->best = 0;
        return;
    }
    for (int rank = 0; rank < ROWS_NO_RANK && known->best == ROWS_NO_RANK; rank++) {
        const int where = rank % ROWS_WEIGHT_MATCH;
        struct expression own = begin(plan->own), contents = begin(plan->contents);
        if (where == ROWS_IN_CONTENTS && !of_archives) {
            put_match(&contents, word, match_of(word, rank), BLANK);
            known->best = has_any(link, "content_words", plan->contents) ? rank : ROWS_NO_RANK;
        } else if (where < ROWS_IN_CONTENTS) {
            put_reached(&own, plan, word, rank);
            known->best =
                has_any(link, of_archives ? "archive_words" : "asset_words", plan->own) ? rank : ROWS_NO_RANK;
        }
    }
    struct expression contents = begin(plan->contents);
    put_match(&contents, word, word->is_phrase ? MATCH_WHOLE : MATCH_PART, BLANK);
    known->is_free = of_archives || !has_any(link, "content_words", plan->contents);
}

static int longest_match(const struct plan *plan)
{
    return match_of(plan->longest, ROWS_NO_RANK - 1);
}

/* How many rows have contents in which the longest word is. */
static int64_t count_in_contents(struct rows_link *link, struct plan *plan)
{
    struct query query = {.length = 0};
    struct expression contents = begin(plan->contents);
    put_match(&contents, plan->longest, longest_match(plan), BLANK);
    query_text(&query,
               "SELECT coalesce(sum(uses), 0) FROM (SELECT c.uses FROM content_words w CROSS JOIN content c"
               " ON c.number = w.rowid WHERE content_words MATCH ?",
               plan->contents, MAX_VALUE);
    query_integer(&query, " AND EXISTS (SELECT 1 FROM asset a WHERE a.kind = ?", plan->filter->kind);
    query_integer(&query, " AND a.content = c.number) LIMIT ?)", MANY_ROWS + 1);
    return query_count(link, &query);
}

struct plan *plan_new(struct rows_link *link, const struct listing_filter *filter)
{
    struct plan *plan = try_alloc(1, sizeof *plan);
    if (!plan) {
        link->failed = true;
        return NULL;
    }
    plan->filter = filter;
    plan->is_all_free = true;
    for (unsigned i = 0; i < filter->search->count; i++) {
        const struct search_word *word = &filter->search->words[i];
        const struct plan_word *known = &plan->words[i];
        look_up(link, plan, i);
        plan->has_free |= known->is_free;
        plan->is_all_free &= known->is_free;
        plan->first = known->best > plan->first ? known->best : plan->first;
        if (known->is_folded && (!plan->longest || word->length > plan->longest->length))
            plan->longest = word;
    }
    if (plan->longest && !plan->has_free)
        plan->most_contents = count_in_contents(link, plan);
    return plan;
}

const struct query_words *plan_all(struct plan *plan)
{
    struct expression own = begin(plan->own), contents = begin(plan->contents);
    plan->found = (struct query_words){.own = plan->own};
    if (plan->has_free) {
        put_all_reached(&own, plan, ROWS_NO_RANK - 1);
        return &plan->found;
    }
    if (!plan->longest)
        return NULL;
    put_reached(&own, plan, plan->longest, ROWS_NO_RANK - 1);
    put_match(&contents, plan->longest, longest_match(plan), BLANK);
    plan->found.contents = plan->contents;
    return &plan->found;
}

const struct query_words *plan_rank(struct plan *plan, int rank, int64_t after, bool *is_empty)
{
    const int where = rank % ROWS_WEIGHT_MATCH;
    struct expression own = begin(plan->own), contents = begin(plan->contents);
    plan->found = (struct query_words){.after = after};
    *is_empty = rank < plan->first || where > ROWS_IN_CONTENTS ||
                (where > ROWS_IN_NAME && plan->filter->of_archives) ||
                (where == ROWS_IN_CONTENTS && plan->is_all_free);
    if (*is_empty)
        return NULL;
    bool is_told = true;
    if (plan->has_free) {
        plan->found.own = plan->own;
        is_told = put_all_reached(&own, plan, rank);
        if (is_told && plan->is_all_free && rank > plan->first) {
            put(&own, " NOT ");
            put_all_reached(&own, plan, rank - 1);
        }
    } else if (where == ROWS_IN_CONTENTS) {
        plan->found.contents = plan->contents;
        plan->found.is_along = plan->most_contents > MANY_ROWS || plan->filter->search->count > 1;
        is_told = put_contents(&contents, plan, rank);
    } else {
        plan->found.own = plan->own;
        is_told = put_some_with(&own, plan, rank);
    }
    return is_told ? &plan->found : NULL;
}

int64_t plan_count(struct rows_link *link, struct plan *plan, int64_t most, int64_t *last)
{
    const struct query_words *words = plan_all(plan);
    struct query query = {.length = 0};
    *last = 0;
    if (words) {
        const bool of_archives = plan->filter->of_archives;
        query_add(&query, "SELECT count(*), max(number) FROM (SELECT rowid AS number FROM ");
        query_add(&query,
                  of_archives ? "archive_words WHERE archive_words" : "asset_words WHERE asset_words");
        query_text(&query, " MATCH ?", words->own, MAX_VALUE);
        if (!of_archives) {
            query_integer(&query, " AND rowid & ?", ROWS_KIND_BITS);
            query_integer(&query, " = ?", plan->filter->kind);
        }
        query_integer(&query, " LIMIT ?)", most);
    } else if (plan->filter->of_archives) {
        query_integer(
            &query, "SELECT count(*), max(number) FROM (SELECT number FROM archive ORDER BY number LIMIT ?)",
            most);
    } else {
        query_integer(&query,
                      "SELECT count(*), max(number) FROM (SELECT number FROM asset INDEXED BY asset_kind"
                      " WHERE kind = ?",
                      plan->filter->kind);
        query_integer(&query, " ORDER BY number LIMIT ?)", most);
    }
    sqlite3_stmt *statement = query_prepare(link, &query);
    int64_t count = 0;
    if (link_step(link, statement)) {
        count = sqlite3_column_int64(statement, 0);
        *last = sqlite3_column_int64(statement, 1);
    }
    sqlite3_finalize(statement);
    return count + (words && words->contents ? plan->most_contents : 0);
}
