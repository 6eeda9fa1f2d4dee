#include "server/library/rows/rows.h"

#include "server/library/rows/link.h"
#include "server/library/rows/write.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/ops/work/effort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void remove_file(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *name;
        if (asprintf(&name, "%s%s", path, endings[i]) < 0)
            return;
        unlink(name);
        free(name);
    }
}

/* NULL if it is unusable. */
static struct rows_link *open_writer(const char *path)
{
    struct rows_link *link = link_open(path, true);
    if (link && link_prepare_tables(link))
        return link;
    link_close(link);
    return NULL;
}

/* Called by who writes. */
static void read_tallies(struct rows_link *link)
{
    struct rows *rows = link->rows;
    for (int kind = 0; rows && kind < ROWS_TALLY_COUNT; kind++) {
        sqlite3_stmt *statement = link_statement(link, ROWS_GET_TALLY);
        sqlite3_bind_int(statement, 1, kind == ROWS_TALLY_ARCHIVES ? TALLY_KIND_ARCHIVES : kind);
        sqlite3_bind_int(statement, 2, TALLY_ALL);
        link_bind_blob(statement, 3, "", 0);
        const bool has_row = link_step(link, statement);
        atomic_store_explicit(&rows->tallies[kind],
                              has_row ? (uint64_t)sqlite3_column_int64(statement, 0) : 0,
                              memory_order_relaxed);
        sqlite3_reset(statement);
    }
}

struct rows *rows_open(const char *path)
{
    struct rows *rows = try_alloc(1, sizeof *rows);
    if (!rows)
        return NULL;
    pthread_mutex_init(&rows->lock, NULL);
    pthread_mutex_init(&rows->memory_lock, NULL);
    rows->path = path ? strdup(path) : NULL;
    rows->writer = rows->path ? open_writer(rows->path) : NULL;
    if (rows->path && !rows->writer) {
        remove_file(rows->path);
        rows->writer = open_writer(rows->path);
    }
    if (rows->path && !rows->writer) {
        log_message(LOG_WARNING, "%s cannot be used: lists are kept in memory, and made anew at each start",
                    path);
        free(rows->path);
        rows->path = NULL;
    }
    if (!rows->writer)
        rows->writer = open_writer(NULL);
    /* So that the first list opens nothing. */
    if (rows->path)
        rows->idle = link_open(rows->path, false);
    if (rows->writer) {
        rows->writer->rows = rows;
        read_tallies(rows->writer);
        rows->writer->failed = false;
        return rows;
    }
    rows_close(rows);
    return NULL;
}

void rows_be_partial(struct rows *rows, const struct rows_uploads *uploads)
{
    rows->uploads = *uploads;
}

uint64_t rows_tally(const struct rows *rows, int kind)
{
    return atomic_load_explicit(&rows->tallies[kind], memory_order_relaxed);
}

static void close_idle(struct rows *rows)
{
    while (rows->idle) {
        struct rows_link *link = rows->idle;
        rows->idle = link->next;
        link_close(link);
    }
}

void rows_close(struct rows *rows)
{
    if (!rows)
        return;
    close_idle(rows);
    link_close(rows->writer);
    pthread_mutex_destroy(&rows->lock);
    pthread_mutex_destroy(&rows->memory_lock);
    pose_buffer_free(&rows->held);
    free(rows->path);
    free(rows);
}

/* ------------------------------------------------------------------------------------------------ writing -- */

/* A change: all between two snapshots, or one archive that was added, put or removed, or none. */
struct change {
    const struct catalog *before, *after;
    const struct asset_id *removed;
    struct index_archive *put;
    int64_t added;        /* -1: none */
    bool is_none, is_all; /* is_all: made anew, of a partial snapshot and uploads that are opened */
};

static void bind_state(struct rows_link *link, const struct catalog *after)
{
    sqlite3_stmt *statement = link_statement(link, ROWS_SET_STATE);
    link_bind_blob(statement, 1, &after->shown, sizeof after->shown);
    link_bind_blob(statement, 2, &after->epoch, sizeof after->epoch);
    sqlite3_bind_int64(statement, 3, (int64_t)after->version);
    link_bind_blob(statement, 4, &after->paths, sizeof after->paths);
    link_finish(link, statement);
}

static bool shows(struct rows_link *link, const struct catalog *catalog)
{
    sqlite3_stmt *statement = link_statement(link, ROWS_GET_STATE);
    const bool is_same = link_step(link, statement) &&
                         sqlite3_column_bytes(statement, 0) == sizeof catalog->shown &&
                         !memcmp(sqlite3_column_blob(statement, 0), &catalog->shown, sizeof catalog->shown);
    sqlite3_reset(statement);
    return is_same;
}

static bool write_change(struct rows_link *link, const struct change *change)
{
    link->failed = false;
    link_run(link, "BEGIN IMMEDIATE");
    if (link->failed)
        return false;
    if (change->is_all)
        write_all(link, change->after);
    else if (change->put)
        write_put(link, change->after, change->put);
    else if (change->added >= 0)
        write_added(link, change->after, (uint32_t)change->added);
    else if (change->removed)
        write_removed(link, change->after, change->removed);
    else if (!change->is_none && !shows(link, change->after))
        write_changes(link, change->before, change->after);
    bind_state(link, change->after);
    if (!link->failed)
        link_run(link, "COMMIT");
    if (link->failed)
        sqlite3_exec(link->db, "ROLLBACK", NULL, NULL, NULL);
    else
        read_tallies(link);
    return !link->failed;
}

/* From a file that cannot be written to memory. Readers go on with what the file has. */
static bool move_to_memory(struct rows *rows)
{
    struct rows_link *memory = open_writer(NULL);
    log_message(LOG_WARNING, "%s cannot be written: lists are kept in memory until the next start: %s",
                rows->path, sqlite3_errmsg(rows->writer->db));
    if (!memory)
        return false;
    memory->rows = rows;
    pthread_mutex_lock(&rows->lock);
    close_idle(rows);
    const bool is_damaged = rows->writer->is_damaged;
    link_close(rows->writer);
    if (is_damaged) /* the next start makes it anew */
        remove_file(rows->path);
    rows->writer = memory;
    rows->generation++;
    free(rows->path);
    rows->path = NULL;
    pthread_mutex_unlock(&rows->lock);
    return true;
}

/* Whether that is why all could not be written. */
static bool lacks_uploads(const struct rows *rows, const struct change *change)
{
    return change->is_all && rows->uploads.has_failed(rows->uploads.user);
}

static bool apply(struct rows *rows, const struct change *change)
{
    const struct change all = {.after = change->after, .added = -1, .is_all = rows->uploads.open};
    rows->held.size = 0;
    if (rows->is_behind)
        change = &all;
    rows->is_behind = true;
    if (rows->path) {
        if (write_change(rows->writer, change)) {
            rows->is_behind = false;
            return true;
        }
        if (lacks_uploads(rows, change) || !move_to_memory(rows))
            return false;
        change = &all;
    }
    pthread_mutex_lock(&rows->memory_lock);
    const bool done = write_change(rows->writer, change) || write_change(rows->writer, &all);
    pthread_mutex_unlock(&rows->memory_lock);
    rows->is_behind = !done;
    return done;
}

bool rows_change(struct rows *rows, const struct catalog *before, const struct catalog *after)
{
    return apply(rows, &(struct change){.before = before, .after = after, .added = -1});
}

bool rows_add(struct rows *rows, const struct catalog *after, uint32_t archive)
{
    return apply(rows, &(struct change){.after = after, .added = archive});
}

bool rows_put(struct rows *rows, const struct catalog *after, struct index_archive *upload)
{
    const bool done = apply(rows, &(struct change){.after = after, .put = upload, .added = -1});
    if (rows->held.size)
        qsort(rows->held.data, rows->held.size / sizeof(struct catalog_key), sizeof(struct catalog_key),
              rows_compare_keys);
    return done;
}

bool rows_confirm(struct rows *rows, const struct catalog *after)
{
    return apply(rows, &(struct change){.after = after, .is_none = true, .added = -1});
}

bool rows_build(struct rows *rows, const struct catalog *after)
{
    return apply(rows, &(struct change){.after = after, .is_all = true, .added = -1});
}

int rows_compare_keys(const void *a, const void *b)
{
    const struct catalog_key *x = a, *y = b;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : memcmp(&x->id, &y->id, sizeof x->id);
}

const struct catalog_key *rows_held(const struct rows *rows, size_t *count)
{
    *count = rows->held.size / sizeof(struct catalog_key);
    return (const struct catalog_key *)(const void *)rows->held.data;
}

bool rows_remove(struct rows *rows, const struct catalog *after, const struct asset_id *archive)
{
    return apply(rows, &(struct change){.after = after, .removed = archive, .added = -1});
}

/* ------------------------------------------------------------------------------------------------- reading -- */

/* The one link of rows in memory, which is locked, or one of its own. NULL if there is none. */
static struct rows_link *take_link(struct rows *rows, bool *in_memory)
{
    pthread_mutex_lock(&rows->lock);
    *in_memory = !rows->path;
    struct rows_link *link = rows->idle;
    char *path = *in_memory || link ? NULL : strdup(rows->path);
    const unsigned generation = rows->generation;
    if (link)
        rows->idle = link->next;
    pthread_mutex_unlock(&rows->lock);
    if (*in_memory) {
        pthread_mutex_lock(&rows->memory_lock);
        rows->writer->failed = false;
        return rows->writer;
    }
    if (!link && path) {
        link = link_open(path, false);
        if (link)
            link->generation = generation;
    }
    free(path);
    return link;
}

static void give_link(struct rows *rows, struct rows_link *link, bool in_memory)
{
    if (in_memory) {
        pthread_mutex_unlock(&rows->memory_lock);
        return;
    }
    pthread_mutex_lock(&rows->lock);
    const bool is_good = !link->failed && link->generation == rows->generation;
    if (is_good) {
        link->next = rows->idle;
        rows->idle = link;
    }
    pthread_mutex_unlock(&rows->lock);
    if (!is_good)
        link_close(link);
}

/* A statement ends with the time of its request, or with its client. */
static int is_over(void *user)
{
    struct effort *effort = effort_here();
    (void)user;
    return effort && effort_is_over(effort);
}

static void begin_reading(struct rows_link *link)
{
    enum { LOOK_EVERY = 10000 }; /* instructions of SQLite, of 10 to 100 ns */
    sqlite3_progress_handler(link->db, LOOK_EVERY, is_over, NULL);
    link_run(link, "BEGIN");
}

enum rows_status rows_view_open(struct rows *rows, const struct catalog *catalog, struct rows_view **view)
{
    struct rows_view *made = try_alloc(1, sizeof *made);
    *view = NULL;
    if (!made)
        return ROWS_FAILED;
    made->rows = rows;
    made->link = take_link(rows, &made->in_memory);
    if (!made->link) {
        free(made);
        return ROWS_FAILED;
    }
    begin_reading(made->link);
    if (shows(made->link, catalog)) {
        *view = made;
        return ROWS_READY;
    }
    const bool failed = made->link->failed;
    rows_view_close(made);
    return failed ? ROWS_FAILED : ROWS_OTHER;
}

bool rows_view_any(struct rows *rows, struct rows_view **view)
{
    *view = try_alloc(1, sizeof **view);
    if (!*view)
        return false;
    (*view)->rows = rows;
    (*view)->link = take_link(rows, &(*view)->in_memory);
    if ((*view)->link) {
        begin_reading((*view)->link);
        return true;
    }
    free(*view);
    *view = NULL;
    return false;
}

void rows_view_close(struct rows_view *view)
{
    if (!view)
        return;
    sqlite3_progress_handler(view->link->db, 0, NULL, NULL);
    sqlite3_exec(view->link->db, "ROLLBACK", NULL, NULL, NULL);
    give_link(view->rows, view->link, view->in_memory);
    free(view);
}
