/* The note of an upload: its row as JSON, beside its bytes. */
#ifndef POSED_SERVER_STORE_NOTE_H
#define POSED_SERVER_STORE_NOTE_H

#include "server/ops/region.h"
#include "server/store/catalog.h"

void note_write(const struct upload_row *row, struct pose_buffer *text);
/* Texts of the row go to the region. False when it is no note. */
bool note_read(const char *text, size_t size, struct region *region, struct upload_row *row);

#endif
