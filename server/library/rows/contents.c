#include "server/library/rows/contents.h"

#include <stdlib.h>
#include <string.h>

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
    sqlite3_stmt *statement = writing_statement(work, ROWS_ADD_CONTENT);
    link_bind_blob(statement, 1, digest, sizeof *digest);
    link_bind_text(statement, 2, asset->events ? asset->events : "", SIZE_MAX >> 1);
    link_bind_text(statement, 3, words, SIZE_MAX >> 1);
    writing_finish(work, statement);
    const int64_t number = sqlite3_last_insert_rowid(work->link->db);
    writing_words(work, ROWS_ADD_CONTENT_WORDS, number, words);
    for (uint32_t i = 0; asset->kind == ASSET_CLIP && i < asset->known_count; i++) {
        statement = writing_statement(work, ROWS_ADD_JOINT);
        sqlite3_bind_int64(statement, 1, (int64_t)asset->known[i]);
        sqlite3_bind_int(statement, 2, (int)asset->axes);
        sqlite3_bind_int64(statement, 3, number);
        writing_finish(work, statement);
    }
    size_t length;
    for (const char *at = asset->events; at && *at; at += length + (at[length] == '\n')) {
        length = strcspn(at, "\n");
        statement = writing_statement(work, ROWS_ADD_EVENT);
        link_bind_blob(statement, 1, at, length);
        sqlite3_bind_int64(statement, 2, number);
        writing_finish(work, statement);
    }
    return number;
}

int64_t content_find(struct writing *work, const struct index_asset *asset)
{
    const struct asset_id digest = content_digest(asset);
    sqlite3_stmt *statement;
    int64_t number = work->contents[asset->kind].number;
    if (number && id_equal(&work->contents[asset->kind].digest, &digest))
        return number;
    number = 0;
    statement = writing_statement(work, ROWS_FIND_CONTENT);
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
    writing_words(work, ROWS_DROP_CONTENT_WORDS, number, words);
    static const enum rows_statement drops[] = {ROWS_DROP_JOINTS, ROWS_DROP_EVENTS, ROWS_DROP_CONTENT};
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        sqlite3_stmt *statement = writing_statement(work, drops[i]);
        sqlite3_bind_int64(statement, 1, number);
        writing_finish(work, statement);
    }
}

void content_use(struct writing *work, int kind, int64_t number, int by)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_USE_CONTENT);
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int(statement, 2, by);
    writing_finish(work, statement);
    statement = writing_statement(work, ROWS_GET_CONTENT);
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
        writing_tally(work, kind, FACET_EVENTS, at, length, by);
    }
    if (is_unused && words)
        drop_content(work, number, words);
    free(words);
    free(events);
}
