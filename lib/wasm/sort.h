/*
 * qsort and qsort_r as the GNU C library has them: stable, where memory allows. Included before every file of libpose that
 * becomes WebAssembly: its C library lacks the second, and its first leaves equal items in an order of its own.
 */
#ifndef POSE_WASM_SORT_H
#define POSE_WASM_SORT_H

#include <stdlib.h>

void local_qsort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));
void local_qsort_r(void *items, size_t count, size_t size,
                   int (*compare)(const void *a, const void *b, void *user), void *user);

#define qsort local_qsort
#define qsort_r local_qsort_r

#endif
