/*
 * The events that wait to be sent, as files: DIR/NUMBER.json, the number in 16 hex digits. A file is whole or not there: it is
 * written beside its name, synced and renamed.
 */
#ifndef POSED_SERVER_EVENTS_QUEUE_FILES_H
#define POSED_SERVER_EVENTS_QUEUE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUEUE_MAX_BODY = 16 << 10 };

/* Creates the folder if it is not there; false with errno. */
bool queue_files_open(const char *folder);
/* False with errno. */
bool queue_files_keep(const char *folder, uint64_t number, const void *body, size_t size);
void queue_files_drop(const char *folder, uint64_t number);
/* The numbers in ascending order, at most that many and the greatest of them, from malloc; what was not whole is removed. */
uint64_t *queue_files_list(const char *folder, size_t most, size_t *count);
/* From malloc; NULL if it cannot be read or is larger than QUEUE_MAX_BODY. */
char *queue_files_read(const char *folder, uint64_t number, size_t *size);

#endif
