/* Runs a function for many items on several threads; returns when all are done. */
#ifndef POSED_SERVER_OPS_PARALLEL_H
#define POSED_SERVER_OPS_PARALLEL_H

#include <stddef.h>

typedef void parallel_work(void *user, size_t item);

void parallel_for(size_t count, unsigned threads, parallel_work *work, void *user);

#endif
