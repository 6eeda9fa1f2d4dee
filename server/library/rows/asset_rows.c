#include "server/library/rows/asset_rows.h"

#include "lib/core/fold.h"
#include "server/library/entry/summary.h"
#include "server/library/rows/contents.h"

#include <math.h>
#include <string.h>

static void append_folded(struct writing *work, const char *text)
{
    char folded[MAX_FOLDED];
    const size_t length = fold_text(text, folded, sizeof folded);
    work->link->failed |= !pose_buffer_append(&work->words, folded, length);
}

static void see(struct sightings *seen, const struct index_archive *archive, uint32_t entry,
                const struct index_asset *asset, bool is_path)
{
    seen->source |= is_path ? ROWS_OF_PATH : ROWS_OF_UPLOAD;
    if (seen->count < MAX_PLACES)
        seen->all[seen->count++] = (struct sighting){asset, archive->entries[entry], archive, is_path};
}

void sightings_see_in(struct sightings *seen, const struct index_archive *archive, int kind,
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
        if (!is_path && writing_is_partial(work))
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
    sqlite3_stmt *statement = writing_statement(work, ROWS_HOLDERS);
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
    if (!writing_is_partial(work))
        return;
    const uint32_t count = list_holders(work, kind, id, holders);
    for (uint32_t i = 0; i < count; i++) {
        const struct index_archive *archive = writing_open(work, &holders[i]);
        seen->source |= ROWS_OF_UPLOAD;
        if (archive)
            sightings_see_in(seen, archive, kind, id);
    }
}

void asset_row_append_place(struct writing *work, const struct sighting *place)
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
        asset_row_append_place(work, &seen->all[i]);
    work->link->failed |= !pose_buffer_append(&work->words, "", 1);
    return work->link->failed ? "" : (const char *)work->words.data;
}

static int64_t created_of(const struct sighting *place)
{
    const struct file_stamp *stamp = &place->entry->stamp;
    return stamp->modified_ns && place->is_path ? stamp->modified_ns / 1000000 : place->archive->created_ms;
}

/* What versions of a clip have in common, as a number; durations are equal to the millisecond. */
static int64_t shape_of(const struct index_asset *asset, const char *format)
{
    const float ms = roundf(asset->duration * 1000);
    const uint32_t counts[] = {asset->joint_count, index_key_count(asset), asset->event_count};
    struct asset_id digest = id_quick(NULL, asset->name, strlen(asset->name));
    digest = id_quick(&digest, format, strlen(format));
    digest = id_quick(&digest, &ms, sizeof ms);
    digest = id_quick(&digest, counts, sizeof counts);
    int64_t number;
    memcpy(&number, digest.bytes, sizeof number);
    return number;
}

struct asset_row asset_row_of(struct writing *work, const struct sightings *seen)
{
    const struct sighting *first = &seen->all[0];
    const struct index_asset *asset = first->asset;
    const char *format = first->entry->format ? first->entry->format : "";
    return (struct asset_row){.name = asset->name,
                              .long_name = strlen(asset->name) > MAX_SORT_TEXT ? asset->name : NULL,
                              .format = format,
                              .duration = (double)asset->duration,
                              .loop = asset->loop,
                              .source = seen->source,
                              .created = created_of(first),
                              .content = content_find(work, asset),
                              .shape = asset->kind == ASSET_CLIP ? shape_of(asset, format) : 0,
                              .words = collect_words(work, seen)};
}

static void tally_asset(struct writing *work, int kind, const struct asset_row *row, int by)
{
    static const char *const loops[] = {"null", "false", "true"};
    const char source = (char)('0' + row->source);
    if (work->is_many)
        return;
    writing_tally_text(work, kind, FACET_FORMAT, row->format, by);
    writing_tally_text(work, kind, FACET_LOOP, loops[row->loop + 1], by);
    writing_tally(work, kind, TALLY_SOURCE, &source, 1, by);
    writing_tally_text(work, kind, TALLY_ALL, "", by);
    content_use(work, kind, row->content, by);
}

sqlite3_stmt *asset_row_find(struct writing *work, int kind, const struct asset_id *id, struct asset_row *row)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_FIND_ASSET);
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
    row->shape = sqlite3_column_int64(statement, 9);
    row->words = (const char *)sqlite3_column_text(statement, 10);
    if (row->name && row->format && row->words)
        return statement;
    work->link->failed = true;
    sqlite3_reset(statement);
    row->number = 0;
    return NULL;
}

bool asset_row_is_same(const struct asset_row *a, const struct asset_row *b)
{
    return !strncmp(a->name, b->name, MAX_SORT_TEXT) && !a->long_name == !b->long_name &&
           (!a->long_name || !strcmp(a->long_name, b->long_name)) && !strcmp(a->format, b->format) &&
           !strcmp(a->words, b->words) && !(a->duration < b->duration) && !(a->duration > b->duration) &&
           a->loop == b->loop && a->source == b->source && a->created == b->created &&
           a->content == b->content && a->shape == b->shape;
}

static void write_asset(struct writing *work, int kind, const struct asset_id *id, struct asset_row *row)
{
    sqlite3_stmt *statement = writing_statement(work, row->number ? ROWS_SET_ASSET : ROWS_ADD_ASSET);
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
    sqlite3_bind_int64(statement, 11, row->shape);
    link_bind_text(statement, 12, row->words, SIZE_MAX >> 1);
    writing_finish(work, statement);
    if (!row->number)
        row->number = sqlite3_last_insert_rowid(work->link->db);
    if (!work->is_many)
        writing_words(work, ROWS_ADD_WORDS, row->number, row->words);
}

/* Takes away what is counted of a kept row, but not the row. */
static void discount(struct writing *work, int kind, const struct asset_row *kept)
{
    /* While many are written no asset of an earlier time is there. */
    if (!work->is_many)
        writing_words(work, ROWS_DROP_WORDS, kept->number, kept->words);
    tally_asset(work, kind, kept, -1);
}

int64_t asset_row_replace(struct writing *work, int kind, const struct asset_id *id, struct asset_row *row,
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
    statement = writing_statement(work, ROWS_DROP_ASSET);
    sqlite3_bind_int64(statement, 1, kept->number);
    writing_finish(work, statement);
}

int64_t asset_row_sync(struct writing *work, int kind, const struct asset_id *id)
{
    struct asset_row kept, row = {0};
    struct sightings seen;
    gather(work, kind, id, &seen);
    /* Only in uploads that cannot be read now: its row stays as it is. */
    const bool is_unread = !seen.count && seen.source;
    if (seen.count)
        row = asset_row_of(work, &seen);
    sqlite3_stmt *statement = asset_row_find(work, kind, id, &kept);
    if (is_unread || (!statement && !seen.count) ||
        (statement && seen.count && asset_row_is_same(&row, &kept))) {
        sqlite3_reset(statement);
        return kept.number;
    }
    if (seen.count)
        return asset_row_replace(work, kind, id, &row, &kept, statement);
    drop_asset(work, kind, &kept, statement);
    return 0;
}
