/*
 * Memory that lies in a file of a folder on a disk: for what is kept of very many things and rarely looked at. The kernel
 * reads pages when they are touched and writes them back, so they need not stay in memory. The file has no name: nothing of
 * it is left when the process ends, however it ends. All of it is thread-safe.
 */
#ifndef POSED_SERVER_OPS_SPILL_H
#define POSED_SERVER_OPS_SPILL_H

#include <stdbool.h>
#include <stddef.h>

/* Call it once. False if no such file can be made there, or nothing would be gained by it: spill_alloc then never has
 * anything. */
bool spill_open(const char *folder);

/* Zeroed, aligned for any type. NULL if there is no room: the caller then takes memory from elsewhere. */
void *spill_alloc(size_t size);
/* With the size that was asked for. */
void spill_free(void *memory, size_t size);

/* Lets go of all pages, and tries again from now on to make room if there was none. */
void spill_rest(void);

/* The bytes that the file takes of its disk. */
size_t spill_size(void);

#endif
