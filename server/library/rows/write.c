/* Makes rows what a snapshot says. */
#include "server/library/rows/write.h"

#include "lib/core/fold.h"
#include "server/library/index/folder.h"
#include "server/library/rows/places.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ archives -- */

/* Finds the row of an archive, and forgets its words; false if there is none. */
static bool find_archive(struct writing *work, const struct asset_id *id)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_FIND_ARCHIVE);
    work->archive = *id;
    work->number = 0;
    link_bind_blob(statement, 1, id, sizeof *id);
    if (!link_step(work->link, statement))
        return false;
    work->number = sqlite3_column_int64(statement, 0);
    writing_words(work, ROWS_DROP_ARCHIVE_WORDS, work->number,
                  (const char *)sqlite3_column_text(statement, 1));
    sqlite3_reset(statement);
    return true;
}

static void tally_archive(struct writing *work, bool is_upload, int by)
{
    const char source = (char)('0' + (is_upload ? ROWS_OF_UPLOAD : ROWS_OF_PATH));
    writing_tally(work, TALLY_KIND_ARCHIVES, TALLY_SOURCE, &source, 1, by);
    writing_tally_text(work, TALLY_KIND_ARCHIVES, TALLY_ALL, "", by);
}

static void put_archive(struct writing *work, const struct index_archive *archive,
                        const struct asset_id *digest, bool is_upload)
{
    const bool is_known = find_archive(work, &archive->id);
    char folded[MAX_FOLDED];
    fold_text(archive->name, folded, sizeof folded);
    sqlite3_stmt *statement = writing_statement(work, ROWS_ADD_ARCHIVE);
    link_bind_blob(statement, 1, &archive->id, sizeof archive->id);
    link_bind_blob(statement, 2, digest, sizeof *digest);
    sqlite3_bind_int(statement, 3, is_upload ? ROWS_OF_UPLOAD : ROWS_OF_PATH);
    link_bind_text(statement, 4, archive->name, MAX_SORT_TEXT);
    sqlite3_bind_int64(statement, 5, (int64_t)index_bytes_of(archive));
    sqlite3_bind_int64(statement, 6, archive->created_ms);
    link_bind_text(statement, 7, folded, sizeof folded);
    sqlite3_bind_int(statement, 8, atomic_load(&archive->is_waiting));
    writing_finish(work, statement);
    if (!is_known) {
        work->number = sqlite3_last_insert_rowid(work->link->db);
        tally_archive(work, is_upload, 1);
    }
    writing_words(work, ROWS_ADD_ARCHIVE_WORDS, work->number, folded);
}

/* One of the snapshot. */
static void write_archive(struct writing *work, uint32_t index)
{
    const struct asset_id digest = catalog_archive_digest(work->after, index);
    put_archive(work, work->after->archives[index], &digest, index >= work->after->path_count);
    work->upload = NULL;
    work->index = index;
}

/* One that is in no snapshot. */
static void write_upload(struct writing *work, struct index_archive *upload)
{
    put_archive(work, upload, &upload->digest, true);
    work->upload = upload;
    work->index = -1;
}

void write_added(struct rows_link *link, const struct catalog *after, uint32_t index)
{
    struct writing work = {.link = link, .after = after};
    write_archive(&work, index);
    places_touch_all(&work, after->archives[index]);
    writing_release(&work);
}

static void drop_aliases(struct writing *work)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_DROP_ALIASES);
    sqlite3_bind_int64(statement, 1, work->number);
    writing_finish(work, statement);
}

/* What is under a PATH as well is listed as that. */
static bool is_of_path(const struct catalog *after, const struct asset_id *id)
{
    uint32_t index;
    return catalog_has_archive(after, id, &index) && index < after->path_count;
}

/* It is not left out any more. */
static void lack_not(struct rows_link *link, const struct asset_id *id)
{
    sqlite3_stmt *statement = link_statement(link, ROWS_LACK_NOT);
    link_bind_blob(statement, 1, id, sizeof *id);
    link_finish(link, statement);
}

void write_put(struct rows_link *link, const struct catalog *after, struct index_archive *upload)
{
    struct writing work = {.link = link, .after = after};
    lack_not(link, &upload->id);
    if (is_of_path(after, &upload->id))
        return;
    sqlite3_stmt *statement = link_statement(link, ROWS_FIND_ARCHIVE);
    link_bind_blob(statement, 1, &upload->id, sizeof upload->id);
    const bool is_known = link_step(link, statement);
    sqlite3_reset(statement);
    write_upload(&work, upload);
    if (is_known)
        places_touch_kept(&work);
    places_join(&work, !is_known);
    writing_release(&work);
}

static void remove_archive(struct writing *work, const struct asset_id *id, bool is_upload)
{
    work->index = -1;
    work->upload = NULL;
    if (!find_archive(work, id))
        return;
    places_touch_kept(work);
    drop_aliases(work);
    sqlite3_stmt *statement = writing_statement(work, ROWS_DROP_ARCHIVE);
    sqlite3_bind_int64(statement, 1, work->number);
    writing_finish(work, statement);
    tally_archive(work, is_upload, -1);
}

void write_removed(struct rows_link *link, const struct catalog *after, const struct asset_id *id)
{
    struct writing work = {.link = link, .after = after};
    lack_not(link, id);
    if (!is_of_path(after, id))
        remove_archive(&work, id, true);
    writing_release(&work);
}

/* ------------------------------------------------------------------------------------------------- changes -- */

/* An archive as the rows have it. */
struct kept_archive {
    struct asset_id id, digest;
    int64_t source;
};

static bool list_kept(struct writing *work, struct pose_buffer *list)
{
    sqlite3_stmt *statement = NULL;
    const char *text = writing_is_partial(work)
                           ? "SELECT id, digest, source FROM archive INDEXED BY archive_path WHERE source = 1"
                           : "SELECT id, digest, source FROM archive";
    if (sqlite3_prepare_v2(work->link->db, text, -1, &statement, NULL) != SQLITE_OK)
        work->link->failed = true;
    while (link_step(work->link, statement)) {
        struct kept_archive kept = {.source = sqlite3_column_int64(statement, 2)};
        if (sqlite3_column_bytes(statement, 0) != sizeof kept.id ||
            sqlite3_column_bytes(statement, 1) != sizeof kept.digest) {
            work->link->failed = true;
            break;
        }
        memcpy(&kept.id, sqlite3_column_blob(statement, 0), sizeof kept.id);
        memcpy(&kept.digest, sqlite3_column_blob(statement, 1), sizeof kept.digest);
        work->link->failed |= !pose_buffer_append(list, &kept, sizeof kept);
    }
    sqlite3_finalize(statement);
    return !work->link->failed;
}

/* What was found under a PATH may have been uploaded as well. */
static void give_back(struct writing *work, const struct asset_id *id)
{
    struct index_archive *upload =
        writing_is_partial(work) ? writing_uploads(work)->open(writing_uploads(work)->user, id) : NULL;
    if (!upload)
        return;
    /* What waits is not listed before it is published. */
    if (!atomic_load(&upload->is_waiting)) {
        write_upload(work, upload);
        places_join(work, true);
        work->upload = NULL;
    }
    index_archive_unref(upload);
}

/* Removes what is gone, and writes what is otherwise; is_same says which archives need nothing. */
static void compare_kept(struct writing *work, const struct catalog *before, bool *is_same_archive)
{
    const struct catalog *after = work->after;
    struct pose_buffer list = {0};
    if (!list_kept(work, &list)) {
        pose_buffer_free(&list);
        return;
    }
    for (size_t at = 0; at < list.size && !work->link->failed; at += sizeof(struct kept_archive)) {
        struct kept_archive kept;
        uint32_t index, old;
        memcpy(&kept, list.data + at, sizeof kept);
        const bool is_upload = kept.source == ROWS_OF_UPLOAD;
        const bool is_there = catalog_has_archive(after, &kept.id, &index);
        if (!is_there || (index >= after->path_count) != is_upload) {
            remove_archive(work, &kept.id, is_upload);
            give_back(work, &kept.id);
            continue;
        }
        const struct asset_id digest = catalog_archive_digest(after, index);
        is_same_archive[index] = true;
        if (id_equal(&digest, &kept.digest))
            continue;
        const struct index_archive *archive = catalog_archive(after, index);
        if (!archive)
            continue;
        const struct index_archive *earlier = before ? catalog_find_archive(before, &kept.id, &old) : NULL;
        write_archive(work, index);
        if (earlier && old == index && folder_same_line(earlier, archive)) {
            places_touch_changes(work, earlier, archive);
        } else {
            places_touch_kept(work);
            places_touch_all(work, archive);
        }
    }
    pose_buffer_free(&list);
}

/* What was uploaded and is now under a PATH as well. */
static void remove_upload(struct writing *work, const struct asset_id *id)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_FIND_ARCHIVE);
    link_bind_blob(statement, 1, id, sizeof *id);
    const bool is_upload =
        link_step(work->link, statement) && sqlite3_column_int(statement, 2) == ROWS_OF_UPLOAD;
    sqlite3_reset(statement);
    if (is_upload)
        remove_archive(work, id, true);
}

/* What was left out while many rows were written. */
static void tally_many(struct writing *work)
{
    sqlite3_stmt *statement = NULL;
    link_after_many(work->link);
    if (sqlite3_prepare_v2(work->link->db,
                           "SELECT a.kind, c.events, count(*) FROM asset a CROSS JOIN content c"
                           " ON c.number = a.content GROUP BY a.kind, a.content",
                           -1, &statement, NULL) != SQLITE_OK)
        work->link->failed = true;
    while (link_step(work->link, statement)) {
        size_t length;
        for (const char *at = (const char *)sqlite3_column_text(statement, 1); at && *at;
             at += length + (at[length] == '\n')) {
            length = strcspn(at, "\n");
            writing_tally(work, sqlite3_column_int(statement, 0), FACET_EVENTS, at, length,
                          sqlite3_column_int(statement, 2));
        }
    }
    sqlite3_finalize(statement);
}

/* The archives of the snapshot (of a partial one: of its PATHs) but those that need nothing. */
static void write_snapshot(struct writing *work, const bool *is_same_archive)
{
    const struct catalog *after = work->after;
    const uint32_t count = writing_is_partial(work) ? after->path_count : after->archive_count;
    for (uint32_t i = 0; i < count && !work->link->failed; i++) {
        uint32_t first = i;
        if ((is_same_archive && is_same_archive[i]) || !tables_has_archive(after, i) ||
            !catalog_has_archive(after, &after->archive_ids[i], &first) || first != i)
            continue;
        if (writing_is_partial(work))
            remove_upload(work, &after->archive_ids[i]);
        write_archive(work, i);
        places_touch_all(work, after->archives[i]);
    }
}

void write_changes(struct rows_link *link, const struct catalog *before, const struct catalog *after)
{
    enum { MANY = 20 };
    struct writing work = {.link = link, .after = after};
    bool *is_same_archive = try_alloc((size_t)after->archive_count + 1, sizeof *is_same_archive);
    link->failed |= !is_same_archive;
    if (is_same_archive)
        compare_kept(&work, before, is_same_archive);
    /* Without any row, which are then all added. */
    sqlite3_stmt *statement = link_statement(link, ROWS_GET_STATE);
    work.is_many = !link_step(link, statement) && after->lists[ASSET_CLIP].present > MANY;
    sqlite3_reset(statement);
    if (work.is_many)
        link_before_many(link);
    write_snapshot(&work, is_same_archive);
    if (work.is_many)
        tally_many(&work);
    free(is_same_archive);
    writing_release(&work);
}

void write_all(struct rows_link *link, const struct catalog *after)
{
    enum { BATCH = 2000 };
    struct writing work = {.link = link, .after = after, .is_many = true};
    link_clear(link);
    link_before_many(link);
    write_snapshot(&work, NULL);
    uint64_t count = 0;
    struct index_archive *upload = writing_uploads(&work)->first(writing_uploads(&work)->user);
    for (; upload && !link->failed; upload = writing_uploads(&work)->next(writing_uploads(&work)->user)) {
        if (!is_of_path(after, &upload->id)) {
            write_upload(&work, upload);
            places_join(&work, true);
        }
        work.upload = NULL;
        index_archive_unref(upload);
        /* Without a state they count as nothing until the end. */
        if (++count % BATCH == 0)
            link_run(link, "COMMIT; BEGIN IMMEDIATE");
    }
    index_archive_unref(link->failed ? upload : NULL);
    link->failed |= writing_uploads(&work)->has_failed(writing_uploads(&work)->user);
    size_t lacking;
    const struct asset_id *ids = writing_uploads(&work)->left_out(writing_uploads(&work)->user, &lacking);
    for (size_t i = 0; i < lacking && !link->failed; i++) {
        sqlite3_stmt *statement = link_statement(link, ROWS_LACK);
        link_bind_blob(statement, 1, &ids[i], sizeof ids[i]);
        link_finish(link, statement);
    }
    link->rows->held.size = 0;
    tally_many(&work);
    writing_release(&work);
}
