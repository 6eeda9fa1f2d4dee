/* A statement that is put together: its text, and its values in order. */
#ifndef POSED_SERVER_LIBRARY_ROWS_QUERY_H
#define POSED_SERVER_LIBRARY_ROWS_QUERY_H

#include "server/library/rows/link.h"

enum { MAX_SQL = 3000, MAX_VALUES = 64, MAX_VALUE = 1 << 20 };

struct query {
    char text[MAX_SQL];
    size_t length;
    unsigned count;
    struct query_value {
        enum { VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BLOB } kind;
        int64_t integer; /* of a text: its length */
        double real;
        const char *text; /* borrowed */
    } values[MAX_VALUES];
};

void query_add(struct query *query, const char *text);
void query_integer(struct query *query, const char *text, int64_t value);
void query_real(struct query *query, const char *text, double value);
/* Its first bytes, at most that many. */
void query_text(struct query *query, const char *text, const char *value, size_t most);
/* NULL (the link has failed) if it cannot be prepared. Must be finalised. */
sqlite3_stmt *query_prepare(struct rows_link *link, const struct query *query);
/* The integer of its only row; 0 if there is none. */
int64_t query_count(struct rows_link *link, const struct query *query);

/* What the indices of words find: by the words of rows themselves (their name, and where they are), by those of their
 * contents, or by either; behind a number. */
struct query_words {
    const char *own, *contents; /* expressions; NULL: not by these */
    bool is_along;              /* many rows have such contents: they are met along the rows of the kind */
    int64_t after;
};

/* Appends "FROM … WHERE …" over the rows a that pass the filter, searching aside. in_order: from the index of that
 * order, unless a condition leaves few rows; else from the condition that leaves the fewest. words (NULL: any): only those
 * that they find. */
void query_rows(struct rows_link *link, struct query *query, const struct listing_filter *filter,
                enum listing_sort sort, bool in_order, const struct query_words *words);
/* The column that an order sorts by. */
const char *query_key(const struct listing_filter *filter, enum listing_sort sort);

#endif
