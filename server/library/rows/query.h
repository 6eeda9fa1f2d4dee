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
void query_blob(struct query *query, const char *text, const char *value);
/* NULL (the link has failed) if it cannot be prepared. Must be finalised. */
sqlite3_stmt *query_prepare(struct rows_link *link, const struct query *query);
/* The integer of its only row; 0 if there is none. */
int64_t query_count(struct rows_link *link, const struct query *query);

/* Appends "FROM … WHERE …" over the rows a that pass the filter, searching aside. in_order: from the index of that
 * order, unless a condition leaves few rows; else from the condition that leaves the fewest. phrase (NULL: none): those in which the index of words finds it. */
void query_rows(struct rows_link *link, struct query *query, const struct listing_filter *filter,
                const struct listing *listing, bool in_order, const char *phrase);
/* The column that an order sorts by. */
const char *query_key(const struct listing_filter *filter, enum listing_sort sort);

#endif
