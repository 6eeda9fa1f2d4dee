/* Makes rows what a snapshot says. */
#include "server/library/rows/write.h"

#include "lib/core/fold.h"
#include "server/library/index/folder.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FOLDED = 1024, MAX_PLACES = 16, MAX_OPENED = 2 * MAX_PLACES };

struct writing {
    struct rows_link *link;
    const struct catalog *after;
    bool is_many; /* indices, words and tallies are made at the end */
    /* The content that an asset of each kind had last; 0: none. */
    struct {
        struct asset_id digest;
        int64_t number;
    } contents[ASSET_KIND_COUNT];
    /* The archive whose assets are being written: its row, and its index in the snapshot (-1: it is gone), or the upload
     * itself (NULL: the snapshot has it). */
    int64_t number, index;
    struct asset_id archive;
    struct index_archive *upload;
    struct pose_buffer words;
    struct index_archive *opened[MAX_OPENED]; /* uploads that were needed last, referenced */
    unsigned next_opened;
};

static const struct rows_uploads *uploads_of(const struct writing *work)
{
    return &work->link->rows->uploads;
}

static bool is_partial(const struct writing *work)
{
    return work->link->rows && uploads_of(work)->open;
}

/* An upload that is not in the snapshot; NULL if it cannot be read. Borrowed until the work is released. */
static struct index_archive *open_upload(struct writing *work, const struct asset_id *id)
{
    if (work->upload && id_equal(&work->upload->id, id))
        return work->upload;
    for (unsigned i = 0; i < MAX_OPENED; i++) {
        if (work->opened[i] && id_equal(&work->opened[i]->id, id))
            return work->opened[i];
    }
    struct index_archive *opened = uploads_of(work)->open(uploads_of(work)->user, id);
    struct index_archive **slot = &work->opened[work->next_opened++ % MAX_OPENED];
    if (!opened)
        return NULL;
    index_archive_unref(*slot);
    *slot = opened;
    return opened;
}

static void release(struct writing *work)
{
    for (unsigned i = 0; i < MAX_OPENED; i++)
        index_archive_unref(work->opened[i]);
    pose_buffer_free(&work->words);
}

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

/* Where an asset is. */
struct sighting {
    const struct index_asset *asset;
    const struct index_entry *entry;
    const struct index_archive *archive;
    bool is_path;
};

struct sightings {
    unsigned count;
    int source;
    struct sighting all[MAX_PLACES];
};

static void see(struct sightings *seen, const struct index_archive *archive, uint32_t entry,
                const struct index_asset *asset, bool is_path)
{
    seen->source |= is_path ? ROWS_OF_PATH : ROWS_OF_UPLOAD;
    if (seen->count < MAX_PLACES)
        seen->all[seen->count++] = (struct sighting){asset, archive->entries[entry], archive, is_path};
}

static void see_in(struct sightings *seen, const struct index_archive *archive, int kind,
                   const struct asset_id *id)
{
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if ((int)entry->assets[i].kind == kind && id_equal(&entry->assets[i].id, id)) {
                see(seen, archive, e, &entry->assets[i], false);
                break; /* what is twice in an entry counts once */
            }
        }
    }
}

/* Where the snapshot has it: those of PATHs come first. */
static void see_at_hand(struct writing *work, int kind, const struct asset_id *id, struct sightings *seen)
{
    const struct catalog *catalog = work->after;
    struct catalog_item *item = catalog_at_hand(catalog, (enum asset_kind)kind, id);
    struct place_walk walk = {0};
    while (item && catalog_next_place(catalog, item, &walk)) {
        const bool is_path = walk.place.archive < catalog->path_count;
        const struct catalog_item *there = catalog_item_at(item, walk.place);
        if (!is_path && is_partial(work))
            break;
        if (there)
            see(seen, catalog->archives[walk.place.archive], walk.place.entry, there->asset, is_path);
        if (seen->count == MAX_PLACES && seen->source & ROWS_OF_UPLOAD)
            break;
    }
}

/* Which uploads have a row of it. */
static uint32_t list_holders(struct writing *work, int kind, const struct asset_id *id,
                             struct asset_id holders[MAX_PLACES])
{
    sqlite3_stmt *statement = statement_of(work, ROWS_HOLDERS);
    uint32_t count = 0;
    sqlite3_bind_int(statement, 1, kind);
    link_bind_blob(statement, 2, id, sizeof *id);
    sqlite3_bind_int(statement, 3, MAX_PLACES);
    while (count < MAX_PLACES && link_step(work->link, statement)) {
        if (sqlite3_column_bytes(statement, 0) == sizeof *holders)
            memcpy(&holders[count++], sqlite3_column_blob(statement, 0), sizeof *holders);
    }
    sqlite3_reset(statement);
    return count;
}

static void gather(struct writing *work, int kind, const struct asset_id *id, struct sightings *seen)
{
    struct asset_id holders[MAX_PLACES];
    *seen = (struct sightings){.count = 0};
    see_at_hand(work, kind, id, seen);
    if (!is_partial(work))
        return;
    const uint32_t count = list_holders(work, kind, id, holders);
    for (uint32_t i = 0; i < count; i++) {
        const struct index_archive *archive = open_upload(work, &holders[i]);
        seen->source |= ROWS_OF_UPLOAD;
        if (archive)
            see_in(seen, archive, kind, id);
    }
}

static void append_place(struct writing *work, const struct sighting *place)
{
    append_folded(work, place->entry->name);
    append_folded(work, place->archive->name);
}

/* Its name, and in the next line where it is; a clip may be in many archives, under many names. */
static const char *collect_words(struct writing *work, const struct sightings *seen)
{
    work->words.size = 0;
    append_folded(work, seen->all[0].asset->name);
    work->link->failed |= !pose_buffer_append(&work->words, "\n", 1);
    for (unsigned i = 0; i < seen->count; i++)
        append_place(work, &seen->all[i]);
    work->link->failed |= !pose_buffer_append(&work->words, "", 1);
    return work->link->failed ? "" : (const char *)work->words.data;
}

static int64_t created_of(const struct sighting *place)
{
    const struct file_stamp *stamp = &place->entry->stamp;
    return stamp->modified_ns && place->is_path ? stamp->modified_ns / 1000000 : place->archive->created_ms;
}

/* Of what was seen, which is something. */
static struct asset_row row_of(struct writing *work, const struct sightings *seen)
{
    const struct sighting *first = &seen->all[0];
    const struct index_asset *asset = first->asset;
    return (struct asset_row){.name = asset->name,
                              .long_name = strlen(asset->name) > MAX_SORT_TEXT ? asset->name : NULL,
                              .format = first->entry->format ? first->entry->format : "",
                              .duration = (double)asset->duration,
                              .loop = asset->loop,
                              .source = seen->source,
                              .created = created_of(first),
                              .content = find_content(work, asset),
                              .words = collect_words(work, seen)};
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

/* Replaces a kept row (its statement, NULL: none) by another one, and counts it. */
static int64_t replace_asset(struct writing *work, int kind, const struct asset_id *id, struct asset_row *row,
                             const struct asset_row *kept, sqlite3_stmt *statement)
{
    row->number = kept->number;
    /* First, so that what both have is not dropped between. */
    tally_asset(work, kind, row, 1);
    if (statement)
        discount(work, kind, kept);
    sqlite3_reset(statement);
    write_asset(work, kind, id, row);
    return row->number;
}

static void drop_asset(struct writing *work, int kind, const struct asset_row *kept, sqlite3_stmt *statement)
{
    discount(work, kind, kept);
    sqlite3_reset(statement);
    statement = statement_of(work, ROWS_DROP_ASSET);
    sqlite3_bind_int64(statement, 1, kept->number);
    finish(work, statement);
}

/* Makes its row what it is to be. Its number in the rows, 0 if it is gone. */
static int64_t sync_asset(struct writing *work, int kind, const struct asset_id *id)
{
    struct asset_row kept, row = {0};
    struct sightings seen;
    gather(work, kind, id, &seen);
    /* Only in uploads that cannot be read now: its row stays as it is. */
    const bool is_unread = !seen.count && seen.source;
    if (seen.count)
        row = row_of(work, &seen);
    sqlite3_stmt *statement = find_kept(work, kind, id, &kept);
    if (is_unread || (!statement && !seen.count) || (statement && seen.count && is_same(&row, &kept))) {
        sqlite3_reset(statement);
        return kept.number;
    }
    if (seen.count)
        return replace_asset(work, kind, id, &row, &kept, statement);
    drop_asset(work, kind, &kept, statement);
    return 0;
}

/* -------------------------------------------------------------------------------------------------- places -- */

/* What the archive that is being written is called if it is an upload; NULL: it is of a PATH, or gone. */
static const char *upload_name(const struct writing *work)
{
    if (work->upload)
        return work->upload->name;
    return work->index >= (int64_t)work->after->path_count ? work->after->archives[work->index]->name : NULL;
}

static bool change_place(struct writing *work, int kind, int64_t asset, const char *name, bool is_there)
{
    const char *archive = kind == ASSET_CLIP && name ? upload_name(work) : NULL;
    const int64_t number = archive ? link_name_number(archive, name) : 0;
    sqlite3_stmt *statement = statement_of(work, is_there ? ROWS_ADD_PLACE : ROWS_DROP_PLACE);
    sqlite3_bind_int64(statement, 1, work->number);
    sqlite3_bind_int(statement, 2, kind);
    sqlite3_bind_int64(statement, 3, asset);
    if (is_there)
        sqlite3_bind_int64(statement, 4, number);
    finish(work, statement);
    const bool is_changed = sqlite3_changes(work->link->db);
    if (!work->is_many && is_changed)
        tally(work, kind, FACET_ARCHIVE, work->archive.bytes, sizeof work->archive.bytes, is_there ? 1 : -1);
    if (is_there && !is_changed && number) { /* twice in the archive, maybe by another name */
        statement = statement_of(work, ROWS_ADD_ALIAS);
        sqlite3_bind_int64(statement, 1, work->number);
        sqlite3_bind_int64(statement, 2, number);
        finish(work, statement);
    }
    return is_changed;
}

static void hold(struct writing *work, int kind, const struct asset_id *id)
{
    const struct catalog_key key = {.kind = (enum asset_kind)kind, .id = *id};
    work->link->failed |= !pose_buffer_append(&work->link->rows->held, &key, sizeof key);
}

static unsigned count_places(struct writing *work, int64_t asset)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_COUNT_PLACES);
    sqlite3_bind_int64(statement, 1, asset);
    sqlite3_bind_int(statement, 2, MAX_PLACES);
    const unsigned count = link_step(work->link, statement) ? (unsigned)sqlite3_column_int(statement, 0) : 0;
    sqlite3_reset(statement);
    return count;
}

/* The kept row with one more place at its end. The words are copied. */
static struct asset_row with_place(struct writing *work, const struct asset_row *kept,
                                   const struct sighting *place)
{
    struct asset_row row = *kept;
    row.source |= ROWS_OF_UPLOAD;
    if (count_places(work, kept->number) >= MAX_PLACES)
        return row;
    work->words.size = 0;
    work->link->failed |= !pose_buffer_append(&work->words, kept->words, strlen(kept->words));
    append_place(work, place);
    work->link->failed |= !pose_buffer_append(&work->words, "", 1);
    row.words = work->link->failed ? "" : (const char *)work->words.data;
    return row;
}

/* An asset of an upload that comes last: what is known of it already stays, and nothing has to be opened. */
static void join(struct writing *work, const struct sighting *place)
{
    const int kind = (int)place->asset->kind;
    const struct asset_id *id = &place->asset->id;
    struct sightings alone = {.count = 1, .source = ROWS_OF_UPLOAD, .all = {*place}};
    struct asset_row kept, row;
    sqlite3_stmt *statement = find_kept(work, kind, id, &kept);
    if (!statement) {
        row = row_of(work, &alone);
        change_place(work, kind, replace_asset(work, kind, id, &row, &kept, NULL), place->asset->name, true);
        return;
    }
    row = with_place(work, &kept, place);
    if (change_place(work, kind, kept.number, place->asset->name, true) && kept.source & ROWS_OF_UPLOAD)
        hold(work, kind, id);
    if (is_same(&row, &kept)) {
        sqlite3_reset(statement);
        return;
    }
    /* The row is changed while its statement has it. */
    char *texts[] = {strdup(kept.name), kept.long_name ? strdup(kept.long_name) : NULL, strdup(kept.format),
                     strdup(row.words)};
    work->link->failed |= !texts[0] || !texts[2] || !texts[3];
    if (!work->link->failed) {
        row.name = texts[0];
        row.long_name = texts[1];
        row.format = texts[2];
        row.words = texts[3];
        replace_asset(work, kind, id, &row, &kept, statement);
    }
    sqlite3_reset(statement);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

static bool has_place(struct writing *work, const struct index_asset *asset)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_FIND_PLACE);
    sqlite3_bind_int64(statement, 1, work->number);
    sqlite3_bind_int(statement, 2, (int)asset->kind);
    link_bind_blob(statement, 3, &asset->id, sizeof asset->id);
    const bool has_row = link_step(work->link, statement);
    sqlite3_reset(statement);
    return has_row;
}

/* All assets of an upload, or those that it did not have before. */
static void join_all(struct writing *work, bool is_new)
{
    const struct index_archive *archive = work->upload;
    for (uint32_t e = 0; e < archive->entry_count && !work->link->failed; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (is_new || !has_place(work, &entry->assets[i]))
                join(work, &(struct sighting){&entry->assets[i], entry, archive, false});
        }
    }
}

/* The asset as the archive that is being written has it; NULL: it does not. */
static const struct index_asset *asset_there(struct writing *work, int kind, const struct asset_id *id)
{
    if (work->upload) {
        struct sightings seen = {.count = 0};
        see_in(&seen, work->upload, kind, id);
        return seen.count ? seen.all[0].asset : NULL;
    }
    struct catalog_item *item =
        work->index >= 0 ? catalog_at_hand(work->after, (enum asset_kind)kind, id) : NULL;
    const struct catalog_item *there = item ? catalog_item_in(item, (uint32_t)work->index) : NULL;
    return there ? there->asset : NULL;
}

/* The row of an asset, and whether it is in the archive that is being written. */
static void touch(struct writing *work, int kind, const struct asset_id *id)
{
    const struct index_asset *there = asset_there(work, kind, id);
    struct asset_row kept;
    if (!there || work->upload) {
        sqlite3_stmt *statement = find_kept(work, kind, id, &kept);
        sqlite3_reset(statement);
        if (kept.number)
            change_place(work, kind, kept.number, there ? there->name : NULL, there);
    }
    const int64_t number = sync_asset(work, kind, id);
    if (there && number)
        change_place(work, kind, number, there->name, true);
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

/* What differs between two versions of a folder. */
static void touch_changes(struct writing *work, const struct index_archive *before,
                          const struct index_archive *after)
{
    const uint32_t count =
        before->entry_count > after->entry_count ? before->entry_count : after->entry_count;
    for (uint32_t slot = 0; slot < count && !work->link->failed; slot++) {
        if (folder_same_slot(before, after, slot))
            continue;
        if (slot < before->entry_count)
            touch_entry(work, before->entries[slot]);
        if (slot < after->entry_count)
            touch_entry(work, after->entries[slot]);
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

static void put_archive(struct writing *work, const struct index_archive *archive,
                        const struct asset_id *digest, bool is_upload)
{
    const bool is_known = find_archive(work, &archive->id);
    char folded[MAX_FOLDED];
    fold_text(archive->name, folded, sizeof folded);
    sqlite3_stmt *statement = statement_of(work, ROWS_ADD_ARCHIVE);
    link_bind_blob(statement, 1, &archive->id, sizeof archive->id);
    link_bind_blob(statement, 2, digest, sizeof *digest);
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
    touch_all(&work, after->archives[index]);
    release(&work);
}

static void drop_aliases(struct writing *work)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_DROP_ALIASES);
    sqlite3_bind_int64(statement, 1, work->number);
    finish(work, statement);
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
        touch_kept(&work);
    join_all(&work, !is_known);
    release(&work);
}

static void remove_archive(struct writing *work, const struct asset_id *id, bool is_upload)
{
    work->index = -1;
    work->upload = NULL;
    if (!find_archive(work, id))
        return;
    touch_kept(work);
    drop_aliases(work);
    sqlite3_stmt *statement = statement_of(work, ROWS_DROP_ARCHIVE);
    sqlite3_bind_int64(statement, 1, work->number);
    finish(work, statement);
    tally_archive(work, is_upload, -1);
}

void write_removed(struct rows_link *link, const struct catalog *after, const struct asset_id *id)
{
    struct writing work = {.link = link, .after = after};
    lack_not(link, id);
    if (!is_of_path(after, id))
        remove_archive(&work, id, true);
    release(&work);
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
    const char *text = is_partial(work)
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
        is_partial(work) ? uploads_of(work)->open(uploads_of(work)->user, id) : NULL;
    if (!upload)
        return;
    /* What waits is not listed before it is published. */
    if (!atomic_load(&upload->is_waiting)) {
        write_upload(work, upload);
        join_all(work, true);
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
            touch_changes(work, earlier, archive);
        } else {
            touch_kept(work);
            touch_all(work, archive);
        }
    }
    pose_buffer_free(&list);
}

/* What was uploaded and is now under a PATH as well. */
static void remove_upload(struct writing *work, const struct asset_id *id)
{
    sqlite3_stmt *statement = statement_of(work, ROWS_FIND_ARCHIVE);
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
            tally(work, sqlite3_column_int(statement, 0), FACET_EVENTS, at, length,
                  sqlite3_column_int(statement, 2));
        }
    }
    sqlite3_finalize(statement);
}

/* The archives of the snapshot (of a partial one: of its PATHs) but those that need nothing. */
static void write_snapshot(struct writing *work, const bool *is_same_archive)
{
    const struct catalog *after = work->after;
    const uint32_t count = is_partial(work) ? after->path_count : after->archive_count;
    for (uint32_t i = 0; i < count && !work->link->failed; i++) {
        uint32_t first = i;
        if ((is_same_archive && is_same_archive[i]) || !tables_has_archive(after, i) ||
            !catalog_has_archive(after, &after->archive_ids[i], &first) || first != i)
            continue;
        if (is_partial(work))
            remove_upload(work, &after->archive_ids[i]);
        write_archive(work, i);
        touch_all(work, after->archives[i]);
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
    release(&work);
}

void write_all(struct rows_link *link, const struct catalog *after)
{
    enum { BATCH = 2000 };
    struct writing work = {.link = link, .after = after, .is_many = true};
    link_clear(link);
    link_before_many(link);
    write_snapshot(&work, NULL);
    uint64_t count = 0;
    struct index_archive *upload = uploads_of(&work)->first(uploads_of(&work)->user);
    for (; upload && !link->failed; upload = uploads_of(&work)->next(uploads_of(&work)->user)) {
        if (!is_of_path(after, &upload->id)) {
            write_upload(&work, upload);
            join_all(&work, true);
        }
        work.upload = NULL;
        index_archive_unref(upload);
        /* Without a state they count as nothing until the end. */
        if (++count % BATCH == 0)
            link_run(link, "COMMIT; BEGIN IMMEDIATE");
    }
    index_archive_unref(link->failed ? upload : NULL);
    link->failed |= uploads_of(&work)->has_failed(uploads_of(&work)->user);
    size_t lacking;
    const struct asset_id *ids = uploads_of(&work)->left_out(uploads_of(&work)->user, &lacking);
    for (size_t i = 0; i < lacking && !link->failed; i++) {
        sqlite3_stmt *statement = link_statement(link, ROWS_LACK);
        link_bind_blob(statement, 1, &ids[i], sizeof ids[i]);
        link_finish(link, statement);
    }
    link->rows->held.size = 0;
    tally_many(&work);
    release(&work);
}
