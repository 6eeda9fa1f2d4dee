/* The note of an upload: its row as JSON, beside its bytes. */
#ifndef POSED_SERVER_STORE_NOTE_H
#define POSED_SERVER_STORE_NOTE_H

#include "server/ops/region.h"
#include "server/store/catalog.h"

enum note_state {
    NOTE_WHOLE,
    NOTE_BROKEN,  /* cut short, or no note at all */
    NOTE_FOREIGN, /* not for this posed to judge: of a newer one */
};

/* False when memory is out. */
bool note_write(const struct upload_row *row, struct pose_buffer *text);
/* Texts of the row go to the region. */
enum note_state note_read(const char *text, size_t size, struct region *region, struct upload_row *row);
/* Writes the note of a row under its id. */
bool note_keep(struct blobs *blobs, const struct upload_row *row, struct store_error *error);

#endif
