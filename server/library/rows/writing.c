#include "server/library/rows/writing.h"

#include <string.h>

const struct rows_uploads *writing_uploads(const struct writing *work)
{
    return &work->link->rows->uploads;
}

bool writing_is_partial(const struct writing *work)
{
    return work->link->rows && writing_uploads(work)->open;
}

struct index_archive *writing_open(struct writing *work, const struct asset_id *id)
{
    if (work->upload && id_equal(&work->upload->id, id))
        return work->upload;
    for (unsigned i = 0; i < MAX_OPENED; i++) {
        if (work->opened[i] && id_equal(&work->opened[i]->id, id))
            return work->opened[i];
    }
    struct index_archive *opened = writing_uploads(work)->open(writing_uploads(work)->user, id);
    struct index_archive **slot = &work->opened[work->next_opened++ % MAX_OPENED];
    if (!opened)
        return NULL;
    index_archive_unref(*slot);
    *slot = opened;
    return opened;
}

void writing_release(struct writing *work)
{
    for (unsigned i = 0; i < MAX_OPENED; i++)
        index_archive_unref(work->opened[i]);
    pose_buffer_free(&work->words);
}

sqlite3_stmt *writing_statement(struct writing *work, enum rows_statement statement)
{
    return link_statement(work->link, statement);
}

void writing_finish(struct writing *work, sqlite3_stmt *statement)
{
    link_finish(work->link, statement);
}

void writing_words(struct writing *work, enum rows_statement which, int64_t number, const char *words)
{
    sqlite3_stmt *statement = writing_statement(work, which);
    sqlite3_bind_int64(statement, 1, number);
    link_bind_text(statement, 2, words, SIZE_MAX >> 1);
    writing_finish(work, statement);
}

void writing_tally(struct writing *work, int kind, int facet, const void *value, size_t size, int by)
{
    sqlite3_stmt *statement = writing_statement(work, ROWS_TALLY);
    sqlite3_bind_int(statement, 1, kind);
    sqlite3_bind_int(statement, 2, facet);
    link_bind_blob(statement, 3, value, size);
    sqlite3_bind_int(statement, 4, by);
    writing_finish(work, statement);
    if (by > 0)
        return;
    statement = writing_statement(work, ROWS_DROP_TALLY);
    sqlite3_bind_int(statement, 1, kind);
    sqlite3_bind_int(statement, 2, facet);
    link_bind_blob(statement, 3, value, size);
    writing_finish(work, statement);
}

void writing_tally_text(struct writing *work, int kind, int facet, const char *text, int by)
{
    writing_tally(work, kind, facet, text, strlen(text), by);
}
