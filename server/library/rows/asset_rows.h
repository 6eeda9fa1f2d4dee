/* The row of an asset: made of the places where it is, found, and made what it is to be. */
#ifndef POSED_SERVER_LIBRARY_ROWS_ASSET_ROWS_H
#define POSED_SERVER_LIBRARY_ROWS_ASSET_ROWS_H

#include "server/library/rows/writing.h"

/* An asset's row; texts are borrowed. */
struct asset_row {
    int64_t number; /* 0: none */
    const char *name, *long_name, *format, *words;
    double duration;
    int loop, source;
    int64_t created, content, shape;
};

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

void sightings_see_in(struct sightings *seen, const struct index_archive *archive, int kind,
                      const struct asset_id *id);
/* Of what was seen, which is something. */
struct asset_row asset_row_of(struct writing *work, const struct sightings *seen);
/* Adds the names of a place to the words that are being collected. */
void asset_row_append_place(struct writing *work, const struct sighting *place);
/* The row as it is kept; what it borrows is valid until the statement is reset. NULL: there is none, and number is 0. */
sqlite3_stmt *asset_row_find(struct writing *work, int kind, const struct asset_id *id,
                             struct asset_row *row);
bool asset_row_is_same(const struct asset_row *a, const struct asset_row *b);
/* Replaces a kept row (its statement, NULL: none) by another one, and counts it. Its number. */
int64_t asset_row_replace(struct writing *work, int kind, const struct asset_id *id, struct asset_row *row,
                          const struct asset_row *kept, sqlite3_stmt *statement);
/* Makes its row what it is to be. Its number in the rows, 0 if it is gone. */
int64_t asset_row_sync(struct writing *work, int kind, const struct asset_id *id);

#endif
