/*
 * The rows of lists: what lists show, sort, filter, search and count, in SQLite, in order of arrival under numbers that are
 * never used again. They can be made anew at any time: of a snapshot (catalog.h) that has everything, or of one that has
 * the PATHs and of the uploads, each of which is opened once (rows_build). In a file they outlive the daemon: each
 * transaction names the version of the store's list of uploads and the PATHs that the rows show. They also say which
 * uploads hold an asset or a name. All SQL of lists is in this folder; a database server would be another implementation
 * of this header.
 */
#ifndef POSED_SERVER_LIBRARY_ROWS_ROWS_H
#define POSED_SERVER_LIBRARY_ROWS_ROWS_H

#include "server/library/catalog.h"
#include "server/library/search/words.h"

struct rows;

/* Rows in a file, made if missing, and anew if it is unusable; NULL, or one that cannot be written: in memory. */
struct rows *rows_open(const char *path);
void rows_close(struct rows *rows);

/* Where uploads come from that are in no snapshot. */
struct rows_uploads {
    /* One of them, referenced; NULL: it cannot be read. */
    struct index_archive *(*open)(void *user, const struct asset_id *id);
    /* All of them in order of arrival: the first, or the next one. NULL at the end. */
    struct index_archive *(*first)(void *user), *(*next)(void *user);
    /* After the end: whether there may be more of them, which cannot be read at the moment. */
    bool (*has_failed)(void *user);
    /* After the end: those that could not be read, and were left out. */
    const struct asset_id *(*left_out)(void *user, size_t *count);
    void *user;
};
/* The snapshots that rows are made of are partial from now on. */
void rows_be_partial(struct rows *rows, const struct rows_uploads *uploads);

/* What the rows show; false if they show nothing. */
struct rows_state {
    struct asset_id epoch, paths;
    uint64_t version;
};
bool rows_get_state(struct rows *rows, struct rows_state *state);

/* How many there are of each kind, and archives; as of the last change. */
enum { ROWS_TALLY_ARCHIVES = ASSET_KIND_COUNT, ROWS_TALLY_COUNT };
uint64_t rows_tally(const struct rows *rows, int kind);

/* ------------------------------------------------------------------------------------------------ writing -- */

/* One thread at a time, before the snapshot is published. Without before (NULL) its archives are compared with those of
 * the rows. What cannot be written to a file is from then on kept in memory. False if that fails as well. */
bool rows_change(struct rows *rows, const struct catalog *before, const struct catalog *after);
/* The same for one archive, which is in the snapshot, or was in the one before. */
bool rows_add(struct rows *rows, const struct catalog *after, uint32_t archive);
/* An upload beside a partial snapshot, which may have it or not; one that the rows have is replaced. */
bool rows_put(struct rows *rows, const struct catalog *after, struct index_archive *upload);
/* Those assets of the one that was put or added last which other uploads hold as well, sorted. Valid until the next
 * change. */
int rows_compare_keys(const void *a, const void *b);
const struct catalog_key *rows_held(const struct rows *rows, size_t *count);
/* Only names what the rows show now. */
bool rows_confirm(struct rows *rows, const struct catalog *after);
/* Makes all rows anew, of the PATHs of a partial snapshot and of all uploads. False, and the rows show nothing or what
 * they showed before, if some cannot be read at the moment. */
bool rows_build(struct rows *rows, const struct catalog *after);
bool rows_remove(struct rows *rows, const struct catalog *after, const struct asset_id *archive);

/* -------------------------------------------------------------------------------- which uploads hold what -- */

/* By who writes, or with nothing being written. In order of arrival; how many, at most that many, or 0 if it cannot be
 * read. Those that hold an asset; */
uint32_t rows_holders(struct rows *rows, enum asset_kind kind, const struct asset_id *id,
                      struct asset_id *ids, uint32_t most);
/* those of a name or an id that have a clip of a name (and maybe some that do not; NULL: any). */
uint32_t rows_named(struct rows *rows, const char *archive, const char *clip, struct asset_id *ids,
                    uint32_t most);
/* The assets of an upload that are nowhere else; those of PATHs that uploads hold as well. */
typedef void rows_visit(void *user, const struct catalog_key *key);
void rows_each_alone(struct rows *rows, const struct asset_id *upload, rows_visit *visit, void *user);
void rows_each_shared(struct rows *rows, rows_visit *visit, void *user);
/* Uploads that rows leave out since their bytes could not be read, in the order of their ids, behind one (NULL: from the
 * first on). Another one; a change of rows that has it, or removes it, takes it away. */
uint32_t rows_lacking(struct rows *rows, const struct asset_id *after, struct asset_id *ids, uint32_t most);
bool rows_lack(struct rows *rows, const struct asset_id *id);
/* Whether rows have such an archive. */
bool rows_has_archive(struct rows *rows, const struct asset_id *id);
/* Whether one of these could not be read since this was asked last: then none and 0 say nothing. */
bool rows_take_failure(struct rows *rows);

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
    bool is_estimate; /* of more than LISTING_COUNTED, which were not all counted */
    uint32_t count;
    struct asset_id *ids;     /* [count], from malloc */
    struct listing_key *keys; /* [count], if has_keys */
    bool has_keys;            /* they are asked for */
    uint32_t *versions;       /* [count], from malloc; see rows_versions */
    bool has_more;
    struct listing_key last;
};

/* Totals are exact up to here. */
enum { LISTING_COUNTED = 10000 };

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
/* Whatever they show; false if they cannot be read. */
bool rows_view_any(struct rows *rows, struct rows_view **view);
/* NULL is allowed. */
void rows_view_close(struct rows_view *view);

/* The ids of a kind, or (ASSET_KIND_COUNT) of archives, from that place in the order of arrival on; false as below. */
bool rows_ids(struct rows_view *view, int kind, uint64_t first, uint32_t most, struct asset_id *ids,
              uint32_t *count);
/* Names of archives in order of arrival, or of assets that hold one of the runs of three letters of a search: some, the
 * texts from malloc. */
bool rows_names(struct rows_view *view, int kind, const struct search *search, uint32_t most, char **names,
                uint32_t *count);

/* Whether rows have an asset. */
bool rows_has(struct rows_view *view, enum asset_kind kind, const struct asset_id *id);

/* Fills in the answer; false if it cannot be read, or without memory. Must be freed with listing_release. */
bool listing_run(struct rows_view *view, const struct listing_filter *filter, struct listing *listing);
void listing_release(struct listing *listing);
/* How many clips have the name and the shape of each of these, itself included: format, length, numbers of joints, keys and
 * events. At most MAX_VERSIONS. False as above. */
enum { MAX_VERSIONS = 100 };
bool rows_versions(struct rows_view *view, const struct asset_id *ids, uint32_t count, uint32_t *versions);
/* How many of all its rows have each value; at most MAX_FACET_VALUES, each to be freed. False as above. */
bool listing_count(struct rows_view *view, const struct listing_filter *filter, enum listing_facet facet,
                   struct facet_value values[MAX_FACET_VALUES], uint32_t *count);

#endif
