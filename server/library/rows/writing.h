/* What those who write rows have in common: the snapshot that they follow, the archive that they are at, and its
 * statements. */
#ifndef POSED_SERVER_LIBRARY_ROWS_WRITING_H
#define POSED_SERVER_LIBRARY_ROWS_WRITING_H

#include "server/library/rows/link.h"

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

const struct rows_uploads *writing_uploads(const struct writing *work);
/* Whether uploads may be missing in the snapshot. */
bool writing_is_partial(const struct writing *work);
/* An upload that is not in the snapshot; NULL if it cannot be read. Borrowed until the work is released. */
struct index_archive *writing_open(struct writing *work, const struct asset_id *id);
void writing_release(struct writing *work);
sqlite3_stmt *writing_statement(struct writing *work, enum rows_statement statement);
void writing_finish(struct writing *work, sqlite3_stmt *statement);
/* Adds or drops search words. */
void writing_words(struct writing *work, enum rows_statement which, int64_t number, const char *words);
/* Counts one more or one less of a value. */
void writing_tally(struct writing *work, int kind, int facet, const void *value, size_t size, int by);
void writing_tally_text(struct writing *work, int kind, int facet, const char *text, int by);

#endif
