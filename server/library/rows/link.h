/* A connection to the rows' database, and its statements. */
#ifndef POSED_SERVER_LIBRARY_ROWS_LINK_H
#define POSED_SERVER_LIBRARY_ROWS_LINK_H

#include "server/library/rows/rows.h"

#include <pthread.h>
#include <sqlite3.h>

enum rows_statement {
    ROWS_FIND_ARCHIVE,
    ROWS_ADD_ARCHIVE,
    ROWS_DROP_ARCHIVE,
    ROWS_ADD_ARCHIVE_WORDS,
    ROWS_DROP_ARCHIVE_WORDS,
    ROWS_ASSETS_OF,
    ROWS_FIND_ASSET,
    ROWS_ADD_ASSET,
    ROWS_SET_ASSET,
    ROWS_DROP_ASSET,
    ROWS_SHAPE,
    ROWS_SHAPED,
    ROWS_COUNT_SHAPED,
    ROWS_COUNT_VERSIONS,
    ROWS_ADD_WORDS,
    ROWS_DROP_WORDS,
    ROWS_ADD_PLACE,
    ROWS_DROP_PLACE,
    ROWS_TALLY,
    ROWS_DROP_TALLY,
    ROWS_FIND_CONTENT,
    ROWS_ADD_CONTENT,
    ROWS_USE_CONTENT,
    ROWS_GET_CONTENT,
    ROWS_DROP_CONTENT,
    ROWS_ADD_CONTENT_WORDS,
    ROWS_DROP_CONTENT_WORDS,
    ROWS_ADD_JOINT,
    ROWS_ADD_EVENT,
    ROWS_DROP_JOINTS,
    ROWS_DROP_EVENTS,
    ROWS_SET_STATE,
    ROWS_GET_STATE,
    ROWS_GET_TALLY,
    ROWS_GET_TALLIES,
    ROWS_ARCHIVES_OF,
    ROWS_COUNT_PLACES,
    ROWS_FIND_PLACE,
    ROWS_ADD_ALIAS,
    ROWS_DROP_ALIASES,
    ROWS_HOLDERS,
    ROWS_NAMED,
    ROWS_ARCHIVES_NAMED,
    ROWS_ALONE,
    ROWS_LACK,
    ROWS_LACK_NOT,
    ROWS_LACKING,
    ROWS_STATEMENT_COUNT
};

/* Tallies besides those of enum listing_facet; of archives there are these only. */
enum { TALLY_SOURCE = FACET_COUNT, TALLY_ALL, TALLY_KIND_ARCHIVES = 100 };

/* An asset's number holds its kind in these bits. */
enum { ROWS_KIND_BITS = 7 };
_Static_assert(ASSET_KIND_COUNT <= ROWS_KIND_BITS + 1, "a kind fits into the bits");

/* Bits of the column source. */
enum { ROWS_OF_PATH = 1, ROWS_OF_UPLOAD = 2 };

struct rows_link {
    sqlite3 *db;
    sqlite3_stmt *statements[ROWS_STATEMENT_COUNT];
    bool failed;       /* since the transaction began */
    bool is_damaged;   /* the file is no database any more, or a broken one */
    struct rows *rows; /* of the writer */
    unsigned generation;
    struct rows_link *next;
};

/* NULL if it cannot be opened. path NULL: in memory. */
struct rows_link *link_open(const char *path, bool is_new);
void link_close(struct rows_link *link);
/* Creates the tables if they are missing, and drops those of another version; false if that fails. */
bool link_prepare_tables(struct rows_link *link);
/* Drops or creates what makes writing many rows slow. */
void link_before_many(struct rows_link *link);
void link_after_many(struct rows_link *link);
/* Empties all tables. */
void link_clear(struct rows_link *link);

/* A statement to be bound and run; NULL (failed is set) if it cannot be prepared. */
sqlite3_stmt *link_statement(struct rows_link *link, enum rows_statement statement);
void link_run(struct rows_link *link, const char *sql);
/* Runs a statement that has no rows, and resets it. */
void link_finish(struct rows_link *link, sqlite3_stmt *statement);
/* The next row; at the end, or if that fails, the statement is reset. */
bool link_step(struct rows_link *link, sqlite3_stmt *statement);
void link_bind_text(sqlite3_stmt *statement, int index, const char *text, size_t most);
void link_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t size);
/* False if the column holds no id. */
bool link_column_id(sqlite3_stmt *statement, int column, struct asset_id *id);

/* The number that stands for the names of an upload and of a clip in it; never 0. */
int64_t link_name_number(const char *archive, const char *clip);

struct rows {
    struct rows_uploads uploads; /* see rows_be_partial; NULLs: they are in the snapshot */
    struct pose_buffer held;     /* struct catalog_key, see rows_held */
    _Atomic uint64_t tallies[ROWS_TALLY_COUNT];
    pthread_mutex_t lock;        /* guards idle, generation, path */
    pthread_mutex_t memory_lock; /* in memory: held while the one link is used */
    char *path;                  /* NULL: in memory */
    struct rows_link *writer, *idle;
    unsigned generation;
    bool is_unread; /* see rows_take_failure */
    bool is_behind; /* a change could not be written: the next one writes all that differs */
};

struct rows_view {
    struct rows *rows;
    struct rows_link *link;
    bool in_memory;
};

#endif
