#include "server/library/rows/places.h"

#include "server/library/index/folder.h"
#include "server/library/rows/asset_rows.h"

#include <stdlib.h>
#include <string.h>

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
    sqlite3_stmt *statement = writing_statement(work, is_there ? ROWS_ADD_PLACE : ROWS_DROP_PLACE);
    sqlite3_bind_int64(statement, 1, work->number);
    sqlite3_bind_int(statement, 2, kind);
    sqlite3_bind_int64(statement, 3, asset);
    if (is_there)
        sqlite3_bind_int64(statement, 4, number);
    writing_finish(work, statement);
    const bool is_changed = sqlite3_changes(work->link->db);
    if (!work->is_many && is_changed)
        writing_tally(work, kind, FACET_ARCHIVE, work->archive.bytes, sizeof work->archive.bytes,
                      is_there ? 1 : -1);
    if (is_there && !is_changed && number) { /* twice in the archive, maybe by another name */
        statement = writing_statement(work, ROWS_ADD_ALIAS);
        sqlite3_bind_int64(statement, 1, work->number);
        sqlite3_bind_int64(statement, 2, number);
        writing_finish(work, statement);
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
    sqlite3_stmt *statement = writing_statement(work, ROWS_COUNT_PLACES);
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
    asset_row_append_place(work, place);
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
    sqlite3_stmt *statement = asset_row_find(work, kind, id, &kept);
    if (!statement) {
        row = asset_row_of(work, &alone);
        change_place(work, kind, asset_row_replace(work, kind, id, &row, &kept, NULL), place->asset->name,
                     true);
        return;
    }
    row = with_place(work, &kept, place);
    if (change_place(work, kind, kept.number, place->asset->name, true) && kept.source & ROWS_OF_UPLOAD)
        hold(work, kind, id);
    if (asset_row_is_same(&row, &kept)) {
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
        asset_row_replace(work, kind, id, &row, &kept, statement);
    }
    sqlite3_reset(statement);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

static bool has_place(struct writing *work, const struct index_asset *asset)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_FIND_PLACE);
    sqlite3_bind_int64(statement, 1, work->number);
    sqlite3_bind_int(statement, 2, (int)asset->kind);
    link_bind_blob(statement, 3, &asset->id, sizeof asset->id);
    const bool has_row = link_step(work->link, statement);
    sqlite3_reset(statement);
    return has_row;
}

void places_join(struct writing *work, bool is_new)
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
        sightings_see_in(&seen, work->upload, kind, id);
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
        sqlite3_stmt *statement = asset_row_find(work, kind, id, &kept);
        sqlite3_reset(statement);
        if (kept.number)
            change_place(work, kind, kept.number, there ? there->name : NULL, there);
    }
    const int64_t number = asset_row_sync(work, kind, id);
    if (there && number)
        change_place(work, kind, number, there->name, true);
}

static void touch_entry(struct writing *work, const struct index_entry *entry)
{
    for (uint32_t i = 0; i < entry->asset_count; i++)
        touch(work, (int)entry->assets[i].kind, &entry->assets[i].id);
}

/* Whether an asset of the snapshot is at another entry of the archive first, where it is touched with all its places: of
 * very many copies each would look at all others. */
static bool is_repeated(const struct writing *work, const struct index_asset *asset, uint32_t entry)
{
    struct catalog_item *item =
        work->index >= 0 ? catalog_at_hand(work->after, (enum asset_kind)asset->kind, &asset->id) : NULL;
    const struct catalog_item *first = item ? catalog_item_in(item, (uint32_t)work->index) : NULL;
    return first && first->place.entry != entry;
}

void places_touch_all(struct writing *work, const struct index_archive *archive)
{
    for (uint32_t e = 0; e < archive->entry_count && !work->link->failed; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count; i++) {
            if (!is_repeated(work, &entry->assets[i], e))
                touch(work, (int)entry->assets[i].kind, &entry->assets[i].id);
        }
    }
}

void places_touch_changes(struct writing *work, const struct index_archive *before,
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

void places_touch_kept(struct writing *work)
{
    struct key {
        int kind;
        struct asset_id id;
    } key = {0};
    struct pose_buffer keys = {0};
    sqlite3_stmt *statement = writing_statement(work, ROWS_ASSETS_OF);
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
