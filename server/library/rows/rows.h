/*
 * The rows of lists: what lists show, sort, filter, search and count, in SQLite, in order of arrival under numbers that are
 * never used again. They are made of snapshots (catalog.h) and can be made anew at any time. In a file they outlive the
 * daemon: each transaction names the digest of the snapshot that it shows, and rows_change brings what differs up to
 * date. All SQL of lists is in this folder; a database server would be another implementation of this header.
 */
#ifndef POSED_SERVER_LIBRARY_ROWS_ROWS_H
#define POSED_SERVER_LIBRARY_ROWS_ROWS_H

#include "server/library/catalog.h"
#include "server/library/search/words.h"

struct rows;

/* Rows in a file, made if missing, and anew if it is unusable; NULL, or one that cannot be written: in memory. */
struct rows *rows_open(const char *path);
void rows_close(struct rows *rows);

/* ------------------------------------------------------------------------------------------------ writing -- */

/* One thread at a time, before the snapshot is published. Without before (NULL) its archives are compared with those of
 * the rows. What cannot be written to a file is from then on kept in memory. False if that fails as well. */
bool rows_change(struct rows *rows, const struct catalog *before, const struct catalog *after);
/* The same for one archive, which is in the snapshot, or was in the one before. */
bool rows_add(struct rows *rows, const struct catalog *after, uint32_t archive);
bool rows_remove(struct rows *rows, const struct catalog *after, const struct asset_id *archive);

/* ------------------------------------------------------------------------------------------------- asking -- */

enum listing_sort {
    SORT_ARRIVAL,
    SORT_NAME,
    SORT_DURATION,
    SORT_FORMAT,
    SORT_NEWEST,
    SORT_BYTES,
    SORT_MATCH
};

/* Names are compared up to this length, so that they fit into a cursor. */
enum { MAX_SORT_TEXT = 200 };

/* The sort position of a row: by text or value, depending on the order, then by number. */
struct listing_key {
    bool is_text;
    char text[MAX_SORT_TEXT + 1];
    double value;
    uint64_t number;
};

enum listing_state { STATE_ANY, STATE_WAITING, STATE_PUBLISHED };

struct listing_filter {
    bool of_archives; /* for which only search, source and state count */
    enum listing_state state;
    enum asset_kind kind;
    const struct search *search;            /* NULL: all */
    const char *name, *format;              /* NULL: any */
    const char *source;                     /* "path", "upload", NULL: any */
    const struct asset_id *archive;         /* NULL: any */
    bool has_joint, has_duration, has_loop; /* for clips: */
    int loop;                               /* as of index_asset */
    const char *event;                      /* a type; NULL: any */
    const char *joint;                      /* its name; NULL: only the ids */
    uint64_t joint_ids[2];                  /* see known_id */
    double min_duration, max_duration;
};

struct listing {
    /* What is asked for. */
    enum listing_sort sort;
    bool is_descending;
    bool has_cursor;
    struct listing_key cursor; /* the last row of the page before */
    struct asset_id cursor_id;
    uint64_t offset;
    uint32_t limit;
    /* The answer. */
    uint64_t total;
    uint32_t count;
    struct asset_id *ids; /* [count], from malloc */
    bool has_more;
    struct listing_key last;
    struct listing_hits *hits; /* all rows of a search */
};

enum listing_facet { FACET_FORMAT, FACET_ARCHIVE, FACET_LOOP, FACET_EVENTS, FACET_COUNT };

/* The most frequent first. */
enum { MAX_FACET_VALUES = 100 };
struct facet_value {
    char *text; /* from malloc; the bytes of an archive's id */
    size_t length;
    uint64_t count;
};

/* Rows as they are at one moment. */
struct rows_view;

enum rows_status {
    ROWS_READY,
    ROWS_OTHER, /* they show another snapshot: an older or a newer one */
    ROWS_FAILED,
};
enum rows_status rows_view_open(struct rows *rows, const struct catalog *catalog, struct rows_view **view);
/* NULL is allowed. */
void rows_view_close(struct rows_view *view);

/* Fills in the answer; false if it cannot be read, or without memory. Must be freed with listing_release. */
bool listing_run(struct rows_view *view, const struct listing_filter *filter, struct listing *listing);
void listing_release(struct listing *listing);
/* How many of all its rows have each value; at most MAX_FACET_VALUES, each to be freed. False as above. */
bool listing_count(struct rows_view *view, const struct listing_filter *filter, const struct listing *listing,
                   enum listing_facet facet, struct facet_value values[MAX_FACET_VALUES], uint32_t *count);

#endif
