/*
 * Pictures kept on the local disk, so that they need not be drawn again after a restart: DIR/picture-cache/HASH, named by
 * what they were made from. The least recently used ones make room. Nothing in there is trusted: a file begins with the
 * hash of the rest, which repeats its name; the folder may be emptied at any time.
 */
#ifndef POSED_SERVER_STORE_PICTURES_H
#define POSED_SERVER_STORE_PICTURES_H

#include "pose.h"
#include "server/ops/metrics/pictures.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct picture_files;

/* Of DIR; limit: bytes of disk space, at least 1. The disk is not touched before the first use. metrics must outlive it. */
struct picture_files *picture_files_open(const char *folder, uint64_t limit, struct picture_metrics *metrics);
/* NULL is allowed. */
void picture_files_close(struct picture_files *files);

/* The following are thread-safe and may wait for the disk. key: everything that the picture depends on. */

/* Appends what was kept to out, which must be empty. False if it is not there, is damaged (then it is removed), or there
 * is no memory; out is empty then. */
bool picture_files_find(struct picture_files *files, const void *key, size_t key_size,
                        struct pose_buffer *out);
/* Keeps it if it can: a full disk only costs another drawing. */
void picture_files_keep(struct picture_files *files, const void *key, size_t key_size, const void *data,
                        size_t size);

#endif
