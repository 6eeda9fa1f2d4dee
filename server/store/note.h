/* The note of an upload: its row as JSON, stored beside its bytes. */
#ifndef POSED_SERVER_STORE_NOTE_H
#define POSED_SERVER_STORE_NOTE_H

#include "server/ops/region.h"
#include "server/store/catalog.h"

enum note_state {
    NOTE_WHOLE,
    NOTE_BROKEN,  /* truncated, or not a note */
    NOTE_FOREIGN, /* from a newer version, left alone */
};

/* Texts of the row are allocated in the region. */
enum note_state note_read(const char *text, size_t size, struct region *region, struct upload_row *row);
/* Writes the note of a row under its id. */
bool note_keep(struct blobs *blobs, const struct upload_row *row, struct store_error *error);

#endif
