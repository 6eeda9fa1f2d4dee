/* Makes rows what a snapshot says. */
#include "server/library/rows/write.h"

#include "lib/core/fold.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FOLDED = 1024, MAX_PLACES = 16 };

struct writing {
    struct rows_link *link;
    const struct catalog *after;
    bool is_many; /* indices, words and tallies are made at the end */
    /* The content that an asset of each kind had last; 0: none. */
    struct {
        struct asset_id digest;
        int64_t number;
    } contents[ASSET_KIND_COUNT];
    /* The archive whose assets are being written: its row, and its index in the snapshot (-1: it is gone). */
    int64_t number, index;
    struct asset_id archive;
    struct pose_buffer words;
};

static sqlite3_stmt *statement_of(struct writing *work, enum rows_statement statement)
{
    return link_statement(work->link, statement);
}

static void finish(struct writing *work, sqlite3_stmt *statement)
{
    link_finish(work->link, statement);
}

static void change_words(struct writing *work, enum rows_statement which, int64_t number, const char *words)
{
    sqlite3_stmt *statement = statement_of(work, which);
    sqlite3_bind_int64(statement, 1, number);
    link_bind_text(statement, 2, words, SIZE_MAX >> 1);
    finish(work, statement);
}

static void tally(struct writing *work, int kind, int facet, const void *value, size_t size, int by)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_TALLY);
    sqlite3_bind_int(statement, 1, kind);
    sqlite3_bind_int(statement, 2, facet);
    link_bind_blob(statement, 3, value, size);
    sqlite3_bind_int(statement, 4, by);
    finish(work, statement);
    if (by > 0)
        return;
    statement = statement_of(work, ROWS_DROP_TALLY);
    sqlite3_bind_int(statement, 1, kind);
    sqlite3_bind_int(statement, 2, facet);
    link_bind_blob(statement, 3, value, size);
    finish(work, statement);
}

static void tally_text(struct writing *work, int kind, int facet, const char *text, int by)
{
    tally(work, kind, facet, text, strlen(text), by);
}

/* ------------------------------------------------------------------------------------------------ contents -- */

static struct asset_id content_digest(const struct index_asset *asset)
{
    struct id_hash *hash = id_begin();
    const uint32_t kinds[] = {asset->kind, asset->axes};
    id_part(hash, kinds, sizeof kinds);
    id_text_part(hash, asset->words ? asset->words : "");
    id_text_part(hash, asset->events ? asset->events : "");
    if (asset->kind == ASSET_CLIP)
        id_part(hash, asset->known, asset->known_count * sizeof *asset->known);
    return id_end(hash);
}

static int64_t add_content(struct writing *work, const struct index_asset *asset,
                           const struct asset_id *digest)
{
    const char *words = asset->words ? asset->words : "";
    sqlite3_stmt *statement = statement_of(work, ROWS_ADD_CONTENT);
    link_bind_blob(statement, 1, digest, sizeof *digest);
    link_bind_text(statement, 2, asset->events ? asset->events : "", SIZE_MAX >> 1);
    link_bind_text(statement, 3, words, SIZE_MAX >> 1);
    finish(work, statement);
    const int64_t number = sqlite3_last_insert_rowid(work->link->db);
    change_words(work, ROWS_ADD_CONTENT_WORDS, number, words);
    for (uint32_t i = 0; asset->kind == ASSET_CLIP && i < asset->known_count; i++) {
        statement = statement_of(work, ROWS_ADD_JOINT);
        sqlite3_bind_int64(statement, 1, (int64_t)asset->known[i]);
        sqlite3_bind_int(statement, 2, (int)asset->axes);
        sqlite3_bind_int64(statement, 3, number);
        finish(work, statement);
    }
    size_t length;
    for (const char *at = asset->events; at && *at; at += length + (at[length] == '\n')) {
        length = strcspn(at, "\n");
        statement = statement_of(work, ROWS_ADD_EVENT);
        link_bind_blob(statement, 1, at, length);
        sqlite3_bind_int64(statement, 2, number);
        finish(work, statement);
    }
    return number;
}

static int64_t find_content(struct writing *work, const struct index_asset *asset)
{
    const struct asset_id digest = content_digest(asset);
    sqlite3_stmt *statement;
    int64_t number = work->contents[asset->kind].number;
    if (number && id_equal(&work->contents[asset->kind].digest, &digest))
        return number;
    number = 0;
    statement = statement_of(work, ROWS_FIND_CONTENT);
    link_bind_blob(statement, 1, &digest, sizeof digest);
    if (link_step(work->link, statement))
        number = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    number = number ? number : add_content(work, asset, &digest);
    /* Only while none is dropped. */
    if (work->is_many) {
        work->contents[asset->kind].digest = digest;
        work->contents[asset->kind].number = number;
    }
    return number;
}

static void drop_content(struct writing *work, int64_t number, const char *words)
{
    change_words(work, ROWS_DROP_CONTENT_WORDS, number, words);
    static const enum rows_statement drops[] = {ROWS_DROP_JOINTS, ROWS_DROP_EVENTS, ROWS_DROP_CONTENT};
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        sqlite3_stmt *statement = statement_of(work, drops[i]);
        sqlite3_bind_int64(statement, 1, number);
        finish(work, statement);
    }
}

/* Counts a use of it, or one less, and the events of the asset that uses it. */
static void use_content(struct writing *work, int kind, int64_t number, int by)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_USE_CONTENT);
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int(statement, 2, by);
    finish(work, statement);
    statement = statement_of(work, ROWS_GET_CONTENT);
    sqlite3_bind_int64(statement, 1, number);
    if (!link_step(work->link, statement))
        return;
    char *words = strdup((const char *)sqlite3_column_text(statement, 0));
    char *events = strdup((const char *)sqlite3_column_text(statement, 1));
    const bool is_unused = sqlite3_column_int64(statement, 2) <= 0;
    sqlite3_reset(statement);
    work->link->failed |= !words || !events;
    size_t length;
    for (const char *at = events; at && *at; at += length + (at[length] == '\n')) {
        length = strcspn(at, "\n");
        tally(work, kind, FACET_EVENTS, at, length, by);
    }
    if (is_unused && words)
        drop_content(work, number, words);
    free(words);
    free(events);
}

/* -------------------------------------------------------------------------------------------------- assets -- */

/* An asset's row; texts are borrowed. */
struct asset_row {
    int64_t number; /* 0: none */
    const char *name, *long_name, *format, *words;
    double duration;
    int loop, source;
    int64_t created, content;
};

static void append_folded(struct writing *work, const char *text)
{
    char folded[MAX_FOLDED];
    const size_t length = fold_text(text, folded, sizeof folded);
    work->link->failed |= !pose_buffer_append(&work->words, folded, length);
}

/* Its name, and in the next line where it is; a clip may be in many archives, under many names. */
static const char *collect_words(struct writing *work, const struct catalog_item *item)
{
    const struct catalog *catalog = work->after;
    struct place_walk walk = {0};
    work->words.size = 0;
    append_folded(work, item->asset->name);
    work->link->failed |= !pose_buffer_append(&work->words, "\n", 1);
    for (int i = 0; i < MAX_PLACES && catalog_next_place(catalog, item, &walk); i++) {
        append_folded(work, catalog_entry(catalog, walk.place)->name);
        append_folded(work, catalog->archives[walk.place.archive]->name);
    }
    work->link->failed |= !pose_buffer_append(&work->words, "", 1);
    return work->link->failed ? "" : (const char *)work->words.data;
}

/* Those of PATHs come first. */
static int source_of(const struct catalog *catalog, const struct catalog_item *item)
{
    int source = 0;
    struct place_walk walk = {0};
    while (!(source & ROWS_OF_UPLOAD) && catalog_next_place(catalog, item, &walk))
        source |= walk.place.archive < catalog->path_count ? ROWS_OF_PATH : ROWS_OF_UPLOAD;
    return source;
}

static struct asset_row row_of(struct writing *work, const struct catalog_item *item)
{
    const struct index_asset *asset = item->asset;
    const char *format = catalog_entry(work->after, item->place)->format;
    return (struct asset_row){.name = asset->name,
                              .long_name = strlen(asset->name) > MAX_SORT_TEXT ? asset->name : NULL,
                              .format = format ? format : "",
                              .duration = (double)asset->duration,
                              .loop = asset->loop,
                              .source = source_of(work->after, item),
                              .created = catalog_created(work->after, item),
                              .content = find_content(work, asset),
                              .words = collect_words(work, item)};
}

static void tally_asset(struct writing *work, int kind, const struct asset_row *row, int by)
{
    static const char *const loops[] = {"null", "false", "true"};
    const char source = (char)('0' + row->source);
    if (work->is_many)
        return;
    tally_text(work, kind, FACET_FORMAT, row->format, by);
    tally_text(work, kind, FACET_LOOP, loops[row->loop + 1], by);
    tally(work, kind, TALLY_SOURCE, &source, 1, by);
    tally_text(work, kind, TALLY_ALL, "", by);
    use_content(work, kind, row->content, by);
}

/* The row as it is kept; what it borrows is valid until the statement is reset. */
static sqlite3_stmt *find_kept(struct writing *work, int kind, const struct asset_id *id,
                               struct asset_row *row)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_FIND_ASSET);
    *row = (struct asset_row){0};
    sqlite3_bind_int(statement, 1, kind);
    link_bind_blob(statement, 2, id, sizeof *id);
    if (!link_step(work->link, statement))
        return NULL;
    row->number = sqlite3_column_int64(statement, 0);
    row->name = (const char *)sqlite3_column_text(statement, 1);
    row->long_name = (const char *)sqlite3_column_text(statement, 2);
    row->format = (const char *)sqlite3_column_text(statement, 3);
    row->duration = sqlite3_column_double(statement, 4);
    row->loop = sqlite3_column_int(statement, 5);
    row->created = sqlite3_column_int64(statement, 6);
    row->source = sqlite3_column_int(statement, 7);
    row->content = sqlite3_column_int64(statement, 8);
    row->words = (const char *)sqlite3_column_text(statement, 9);
    if (row->name && row->format && row->words)
        return statement;
    work->link->failed = true;
    sqlite3_reset(statement);
    row->number = 0;
    return NULL;
}

static bool is_same(const struct asset_row *a, const struct asset_row *b)
{
    return !strncmp(a->name, b->name, MAX_SORT_TEXT) && !a->long_name == !b->long_name &&
           (!a->long_name || !strcmp(a->long_name, b->long_name)) && !strcmp(a->format, b->format) &&
           !strcmp(a->words, b->words) && !(a->duration < b->duration) && !(a->duration > b->duration) &&
           a->loop == b->loop && a->source == b->source && a->created == b->created &&
           a->content == b->content;
}

static void write_asset(struct writing *work, int kind, const struct asset_id *id, struct asset_row *row)
{
    sqlite3_stmt *statement = statement_of(work, row->number ? ROWS_SET_ASSET : ROWS_ADD_ASSET);
    sqlite3_bind_int(statement, 1, kind);
    link_bind_blob(statement, 2, id, sizeof *id);
    link_bind_text(statement, 3, row->name, MAX_SORT_TEXT);
    link_bind_text(statement, 4, row->long_name, SIZE_MAX >> 1);
    link_bind_text(statement, 5, row->format, SIZE_MAX >> 1);
    sqlite3_bind_double(statement, 6, row->duration);
    sqlite3_bind_int(statement, 7, row->loop);
    sqlite3_bind_int64(statement, 8, row->created);
    sqlite3_bind_int(statement, 9, row->source);
    sqlite3_bind_int64(statement, 10, row->content);
    link_bind_text(statement, 11, row->words, SIZE_MAX >> 1);
    finish(work, statement);
    if (!row->number)
        row->number = sqlite3_last_insert_rowid(work->link->db);
    if (!work->is_many)
        change_words(work, ROWS_ADD_WORDS, row->number, row->words);
}

/* Takes away what is counted of a kept row, but not the row. */
static void discount(struct writing *work, int kind, const struct asset_row *kept)
{
    /* While many are written no asset of an earlier time is there. */
    if (!work->is_many)
        change_words(work, ROWS_DROP_WORDS, kept->number, kept->words);
    tally_asset(work, kind, kept, -1);
}

/* Its number in the rows, 0 if it is gone. */
static int64_t sync_asset(struct writing *work, int kind, const struct asset_id *id)
{
    const struct catalog_item *item = catalog_find(work->after, (enum asset_kind)kind, id);
    struct asset_row kept, row = {0};
    if (item)
        row = row_of(work, item);
    sqlite3_stmt *statement = find_kept(work, kind, id, &kept);
    row.number = kept.number;
    if (statement && item && is_same(&row, &kept)) {
        sqlite3_reset(statement);
        return row.number;
    }
    /* First, so that what both have is not dropped between. */
    if (item)
        tally_asset(work, kind, &row, 1);
    if (statement)
        discount(work, kind, &kept);
    sqlite3_reset(statement);
    if (item) {
        write_asset(work, kind, id, &row);
        return row.number;
    }
    if (kept.number) {
        statement = statement_of(work, ROWS_DROP_ASSET);
        sqlite3_bind_int64(statement, 1, kept.number);
        finish(work, statement);
    }
    return 0;
}

/* -------------------------------------------------------------------------------------------------- places -- */

static void change_place(struct writing *work, int kind, int64_t asset, bool is_there)
{
    sqlite3_stmt *statement = statement_of(work, is_there ? ROWS_ADD_PLACE : ROWS_DROP_PLACE);
    sqlite3_bind_int64(statement, 1, work->number);
    sqlite3_bind_int(statement, 2, kind);
    sqlite3_bind_int64(statement, 3, asset);
    finish(work, statement);
    if (!work->is_many && sqlite3_changes(work->link->db))
        tally(work, kind, FACET_ARCHIVE, work->archive.bytes, sizeof work->archive.bytes, is_there ? 1 : -1);
}

/* The row of an asset, and whether it is in the archive that is being written. */
static void touch(struct writing *work, int kind, const struct asset_id *id)
{
    struct catalog_item *item = catalog_find(work->after, (enum asset_kind)kind, id);
    const bool is_unread = !item && catalog_has(work->after, (enum asset_kind)kind, id);
    const bool is_there = item && work->index >= 0 && catalog_item_in(item, (uint32_t)work->index);
    struct asset_row kept;
    if (!is_there) {
        sqlite3_stmt *statement = find_kept(work, kind, id, &kept);
        sqlite3_reset(statement);
        if (kept.number)
            change_place(work, kind, kept.number, false);
    }
    if (is_unread) /* only in uploads that cannot be read now: its row stays as it is */
        return;
    const int64_t number = sync_asset(work, kind, id);
    if (is_there && number)
        change_place(work, kind, number, true);
}

static void touch_entry(struct writing *work, const struct index_entry *entry)
{
    for (uint32_t i = 0; i < entry->asset_count; i++)
        touch(work, (int)entry->assets[i].kind, &entry->assets[i].id);
}

static void touch_all(struct writing *work, const struct index_archive *archive)
{
    for (uint32_t i = 0; i < archive->entry_count && !work->link->failed; i++)
        touch_entry(work, archive->entries[i]);
}

/* What differs between two states of a folder, whose entries are sorted by name and shared while they are unchanged. */
static void touch_changes(struct writing *work, const struct index_archive *before,
                          const struct index_archive *after)
{
    uint32_t a = 0, b = 0;
    while (!work->link->failed && (a < before->entry_count || b < after->entry_count)) {
        const struct index_entry *old = a < before->entry_count ? before->entries[a] : NULL;
        const struct index_entry *new = b < after->entry_count ? after->entries[b] : NULL;
        const int order = !old ? 1 : !new ? -1 : strcmp(old->name, new->name);
        if (old != new &&order <= 0)
            touch_entry(work, old);
        if (old != new &&order >= 0)
            touch_entry(work, new);
        a += order <= 0;
        b += order >= 0;
    }
}

/* What the rows have in the archive. */
static void touch_kept(struct writing *work)
{
    struct key {
        int kind;
        struct asset_id id;
    } key = {0};
    struct pose_buffer keys = {0};
    sqlite3_stmt *statement = statement_of(work, ROWS_ASSETS_OF);
    sqlite3_bind_int64(statement, 1, work->number);
    while (link_step(work->link, statement)) {
        key.kind = sqlite3_column_int(statement, 0);
        if (key.kind < 0 || key.kind >= ASSET_KIND_COUNT ||
            sqlite3_column_bytes(statement, 1) != sizeof key.id)
            continue;
        memcpy(&key.id, sqlite3_column_blob(statement, 1), sizeof key.id);
        work->link->failed |= !pose_buffer_append(&keys, &key, sizeof key);
    }
    for (size_t at = 0; at + sizeof key <= keys.size && !work->link->failed; at += sizeof key) {
        memcpy(&key, keys.data + at, sizeof key);
        touch(work, key.kind, &key.id);
    }
    pose_buffer_free(&keys);
}

/* ------------------------------------------------------------------------------------------------ archives -- */

/* Finds the row of an archive, and forgets its words; false if there is none. */
static bool find_archive(struct writing *work, const struct asset_id *id)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_FIND_ARCHIVE);
    work->archive = *id;
    work->number = 0;
    link_bind_blob(statement, 1, id, sizeof *id);
    if (!link_step(work->link, statement))
        return false;
    work->number = sqlite3_column_int64(statement, 0);
    change_words(work, ROWS_DROP_ARCHIVE_WORDS, work->number,
                 (const char *)sqlite3_column_text(statement, 1));
    sqlite3_reset(statement);
    return true;
}

static void tally_archive(struct writing *work, bool is_upload, int by)
{
    const char source = (char)('0' + (is_upload ? ROWS_OF_UPLOAD : ROWS_OF_PATH));
    tally(work, TALLY_KIND_ARCHIVES, TALLY_SOURCE, &source, 1, by);
    tally_text(work, TALLY_KIND_ARCHIVES, TALLY_ALL, "", by);
}

static void write_archive(struct writing *work, uint32_t index)
{
    const struct index_archive *archive = work->after->archives[index];
    const struct asset_id digest = catalog_archive_digest(work->after, index);
    const bool is_known = find_archive(work, &archive->id), is_upload = index >= work->after->path_count;
    char folded[MAX_FOLDED];
    fold_text(archive->name, folded, sizeof folded);
    sqlite3_stmt *statement = statement_of(work, ROWS_ADD_ARCHIVE);
    link_bind_blob(statement, 1, &archive->id, sizeof archive->id);
    link_bind_blob(statement, 2, &digest, sizeof digest);
    sqlite3_bind_int(statement, 3, is_upload ? ROWS_OF_UPLOAD : ROWS_OF_PATH);
    link_bind_text(statement, 4, archive->name, MAX_SORT_TEXT);
    sqlite3_bind_int64(statement, 5, (int64_t)index_bytes_of(archive));
    sqlite3_bind_int64(statement, 6, archive->created_ms);
    link_bind_text(statement, 7, folded, sizeof folded);
    sqlite3_bind_int(statement, 8, atomic_load(&archive->is_waiting));
    finish(work, statement);
    if (!is_known) {
        work->number = sqlite3_last_insert_rowid(work->link->db);
        tally_archive(work, is_upload, 1);
    }
    change_words(work, ROWS_ADD_ARCHIVE_WORDS, work->number, folded);
    work->index = index;
}

void write_added(struct rows_link *link, const struct catalog *after, uint32_t index)
{
    struct writing work = {.link = link, .after = after};
    write_archive(&work, index);
    touch_all(&work, after->archives[index]);
    pose_buffer_free(&work.words);
}

static void remove_archive(struct writing *work, const struct asset_id *id, bool is_upload)
{
    work->index = -1;
    if (!find_archive(work, id))
        return;
    touch_kept(work);
    sqlite3_stmt *statement = statement_of(work, ROWS_DROP_ARCHIVE);
    sqlite3_bind_int64(statement, 1, work->number);
    finish(work, statement);
    tally_archive(work, is_upload, -1);
}

void write_removed(struct rows_link *link, const struct catalog *after, const struct asset_id *id)
{
    struct writing work = {.link = link, .after = after};
    remove_archive(&work, id, true);
    pose_buffer_free(&work.words);
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
    if (sqlite3_prepare_v2(work->link->db, "SELECT id, digest, source FROM archive", -1, &statement, NULL) !=
        SQLITE_OK)
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
        if (earlier && old == index && !strcmp(archive->format, "folder") && !archive->archive) {
            touch_changes(work, earlier, archive);
        } else {
            touch_kept(work);
            touch_all(work, archive);
        }
    }
    pose_buffer_free(&list);
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
            tally(work, sqlite3_column_int(statement, 0), FACET_EVENTS, at, length,
                  sqlite3_column_int(statement, 2));
        }
    }
    sqlite3_finalize(statement);
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
    for (uint32_t i = 0; i < after->archive_count && !link->failed; i++) {
        uint32_t first = i;
        if (is_same_archive[i] || !tables_has_archive(after, i) ||
            !catalog_has_archive(after, &after->archive_ids[i], &first) || first != i)
            continue;
        const struct index_archive *archive = catalog_archive(after, i);
        if (!archive)
            continue;
        write_archive(&work, i);
        touch_all(&work, archive);
    }
    if (work.is_many)
        tally_many(&work);
    free(is_same_archive);
    pose_buffer_free(&work.words);
}
