/* Records that another version of the program has made: they are made anew once, by one of those who share the catalogue. */
#ifndef POSED_SERVER_UPLOADS_RENEWAL_H
#define POSED_SERVER_UPLOADS_RENEWAL_H

#include "server/store/store.h"

/* Returns when none of the rows has a record of an earlier version, or it is the caller's to make it anew: records that
 * others are making are waited for, and read into rows and buffers. Does nothing if the catalogue is not shared. */
void renewal_wait(struct store *store, struct upload_row *rows, size_t count, struct pose_buffer *buffers);

#endif
