/* Which uploads hold what, and names that may be meant. */
#include "server/library/rows/link.h"
#include "server/ops/region.h"

#include <stdio.h>
#include <string.h>

/* The link of who writes, which nobody else uses meanwhile; in memory readers use it too. */
static struct rows_link *begin(struct rows *rows)
{
    if (!rows->path)
        pthread_mutex_lock(&rows->memory_lock);
    return rows->writer;
}

/* What fails here says nothing of a change. */
static void end(struct rows *rows, bool had_failed)
{
    rows->is_unread |= rows->writer->failed;
    rows->writer->failed = had_failed;
    if (!rows->path)
        pthread_mutex_unlock(&rows->memory_lock);
}

static uint32_t take_ids(struct rows_link *link, sqlite3_stmt *statement, struct asset_id *ids, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && link_step(link, statement))
        count += link_column_id(statement, 0, &ids[count]);
    sqlite3_reset(statement);
    return count;
}

bool rows_take_failure(struct rows *rows)
{
    const bool is_unread = rows->is_unread;
    rows->is_unread = false;
    return is_unread;
}

bool rows_get_state(struct rows *rows, struct rows_state *state)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    sqlite3_stmt *statement = link_statement(link, ROWS_GET_STATE);
    *state = (struct rows_state){.version = 0};
    const bool done = link_step(link, statement) && link_column_id(statement, 1, &state->epoch) &&
                      link_column_id(statement, 3, &state->paths);
    state->version = done ? (uint64_t)sqlite3_column_int64(statement, 2) : 0;
    sqlite3_reset(statement);
    end(rows, had_failed);
    return done;
}

uint32_t rows_holders(struct rows *rows, enum asset_kind kind, const struct asset_id *id,
                      struct asset_id *ids, uint32_t most)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    sqlite3_stmt *statement = link_statement(link, ROWS_HOLDERS);
    sqlite3_bind_int(statement, 1, (int)kind);
    link_bind_blob(statement, 2, id, sizeof *id);
    sqlite3_bind_int64(statement, 3, most);
    const uint32_t count = take_ids(link, statement, ids, most);
    end(rows, had_failed);
    return count;
}

uint32_t rows_named(struct rows *rows, const char *archive, const char *clip, struct asset_id *ids,
                    uint32_t most)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    struct asset_id id = {{0}};
    const bool is_id = id_parse(archive, strlen(archive), &id);
    sqlite3_stmt *statement = link_statement(link, clip ? ROWS_NAMED : ROWS_ARCHIVES_NAMED);
    link_bind_blob(statement, 2, &id, is_id ? sizeof id : 0);
    if (clip) {
        sqlite3_bind_int64(statement, 1, link_name_number(archive, clip));
        sqlite3_bind_int64(statement, 3, most);
    } else {
        link_bind_text(statement, 1, archive, MAX_SORT_TEXT);
    }
    const uint32_t count = take_ids(link, statement, ids, most);
    end(rows, had_failed);
    return count;
}

uint32_t rows_lacking(struct rows *rows, const struct asset_id *after, struct asset_id *ids, uint32_t most)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    sqlite3_stmt *statement = link_statement(link, ROWS_LACKING);
    link_bind_blob(statement, 1, after, after ? sizeof *after : 0);
    sqlite3_bind_int64(statement, 2, most);
    const uint32_t count = take_ids(link, statement, ids, most);
    end(rows, had_failed);
    return count;
}

bool rows_lack(struct rows *rows, const struct asset_id *id)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    sqlite3_stmt *statement = link_statement(link, ROWS_LACK);
    link_bind_blob(statement, 1, id, sizeof *id);
    link_finish(link, statement);
    const bool done = !link->failed;
    end(rows, had_failed);
    return done;
}

bool rows_has_archive(struct rows *rows, const struct asset_id *id)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    sqlite3_stmt *statement = link_statement(link, ROWS_FIND_ARCHIVE);
    link_bind_blob(statement, 1, id, sizeof *id);
    const bool has_row = link_step(link, statement);
    sqlite3_reset(statement);
    end(rows, had_failed);
    return has_row;
}

static void visit_keys(struct rows_link *link, sqlite3_stmt *statement, rows_visit *visit, void *user)
{
    while (link_step(link, statement)) {
        struct catalog_key key;
        const int kind = sqlite3_column_int(statement, 0);
        if (kind < 0 || kind >= ASSET_KIND_COUNT || !link_column_id(statement, 1, &key.id))
            continue;
        key.kind = (enum asset_kind)kind;
        visit(user, &key);
    }
}

void rows_each_alone(struct rows *rows, const struct asset_id *upload, rows_visit *visit, void *user)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    sqlite3_stmt *statement = link_statement(link, ROWS_ALONE);
    link_bind_blob(statement, 1, upload, sizeof *upload);
    visit_keys(link, statement, visit, user);
    sqlite3_reset(statement);
    end(rows, had_failed);
}

void rows_each_shared(struct rows *rows, rows_visit *visit, void *user)
{
    struct rows_link *link = begin(rows);
    const bool had_failed = link->failed;
    link->failed = false;
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        sqlite3_stmt *statement = NULL;
        char text[120];
        snprintf(text, sizeof text,
                 "SELECT kind, id FROM asset INDEXED BY asset_source WHERE kind = %d AND source = %d", kind,
                 ROWS_OF_PATH | ROWS_OF_UPLOAD);
        if (sqlite3_prepare_v2(link->db, text, -1, &statement, NULL) == SQLITE_OK)
            visit_keys(link, statement, visit, user);
        sqlite3_finalize(statement);
    }
    end(rows, had_failed);
}

/* --------------------------------------------------------------------------------------------------- views -- */

bool rows_ids(struct rows_view *view, int kind, uint64_t first, uint32_t most, struct asset_id *ids,
              uint32_t *count)
{
    struct rows_link *link = view->link;
    sqlite3_stmt *statement = NULL;
    const bool of_archives = kind == ASSET_KIND_COUNT;
    /* Numbers that are in between are counted by their index. */
    const char *text = of_archives ? "SELECT id FROM archive ORDER BY number LIMIT ?1 OFFSET ?2"
                                   : "SELECT id FROM asset INDEXED BY asset_kind WHERE kind = ?3"
                                     " ORDER BY number LIMIT ?1 OFFSET ?2";
    *count = 0;
    if (sqlite3_prepare_v2(link->db, text, -1, &statement, NULL) != SQLITE_OK) {
        link->failed = true;
        return false;
    }
    sqlite3_bind_int64(statement, 1, most);
    sqlite3_bind_int64(statement, 2, (int64_t)first);
    if (!of_archives)
        sqlite3_bind_int(statement, 3, kind);
    *count = take_ids(link, statement, ids, most);
    sqlite3_finalize(statement);
    return !link->failed;
}

bool rows_has(struct rows_view *view, enum asset_kind kind, const struct asset_id *id)
{
    sqlite3_stmt *statement = link_statement(view->link, ROWS_FIND_ASSET);
    sqlite3_bind_int(statement, 1, (int)kind);
    link_bind_blob(statement, 2, id, sizeof *id);
    const bool has_row = link_step(view->link, statement);
    sqlite3_reset(statement);
    return has_row;
}

/* "abc" OR "bcd" …: the runs of three characters of all words; empty if there are none. */
static void put_runs(const struct search *search, char *text, size_t size)
{
    enum { RUN = 3 };
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < search->count; i++) {
        for (size_t at = 0; at + RUN <= search->words[i].length; at++) {
            const char *run = search->words[i].text + at;
            if (memchr(run, '"', RUN) || memchr(run, 0, RUN) || used + 16 > size)
                continue;
            used += (size_t)snprintf(text + used, size - used, "%s\"%.3s\"", used ? " OR " : "", run);
        }
    }
}

static bool copy_names(struct rows_link *link, sqlite3_stmt *statement, uint32_t most, char **names,
                       uint32_t *count)
{
    while (*count < most && link_step(link, statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        names[*count] = name ? strdup(name) : NULL;
        link->failed |= !names[*count];
        *count += names[*count] != NULL;
    }
    sqlite3_finalize(statement);
    return !link->failed;
}

bool rows_names(struct rows_view *view, int kind, const struct search *search, uint32_t most, char **names,
                uint32_t *count)
{
    struct rows_link *link = view->link;
    sqlite3_stmt *statement = NULL;
    char runs[4096] = "";
    *count = 0;
    if (search)
        put_runs(search, runs, sizeof runs);
    const char *text =
        kind == ASSET_KIND_COUNT ? "SELECT name FROM archive ORDER BY number LIMIT ?1"
        : *runs ? "SELECT coalesce(a.long_name, a.name) FROM (SELECT rowid AS number FROM asset_words"
                  " WHERE asset_words MATCH ?2 LIMIT ?1) w CROSS JOIN asset a ON a.number = w.number"
                  " WHERE a.kind = ?3"
                : "SELECT coalesce(long_name, name) FROM asset INDEXED BY asset_kind WHERE kind = ?3"
                  " ORDER BY number LIMIT ?1";
    if (sqlite3_prepare_v2(link->db, text, -1, &statement, NULL) != SQLITE_OK) {
        link->failed = true;
        return false;
    }
    sqlite3_bind_int64(statement, 1, most);
    if (*runs)
        sqlite3_bind_text(statement, 2, runs, -1, SQLITE_STATIC);
    if (kind != ASSET_KIND_COUNT)
        sqlite3_bind_int(statement, 3, kind);
    return copy_names(link, statement, most, names, count);
}
