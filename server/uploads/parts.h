/*
 * The files of one multipart upload. They form one archive, which is stored as a ZIP of stored entries sorted by
 * name: one blob, whose bytes depend only on names and contents, and which other programs can open.
 */
#ifndef POSED_SERVER_UPLOADS_PARTS_H
#define POSED_SERVER_UPLOADS_PARTS_H

#include "pose.h"
#include "server/store/ids.h"
#include "server/ops/region.h"

struct part {
    const char *name;
    struct pose_bytes bytes; /* borrowed */
};

/* Zero-initialise. */
struct parts {
    uint32_t count, capacity;
    struct part *items;
    struct region names;
};

/* Copies the name. False if out of memory. */
bool parts_add(struct parts *parts, const char *name, struct pose_bytes bytes);
void parts_release(struct parts *parts);
/* By name, then by content. */
void parts_sort(struct parts *parts);
/* The id of the archive: a hash over the sorted names and bytes. */
struct asset_id parts_id(const struct parts *parts);
uint64_t parts_bytes(const struct parts *parts);

/* Receives the bytes; false aborts the writing. */
typedef bool parts_sink(void *user, const void *data, size_t size);
/* Writes the ZIP of sorted parts; false if the sink returns false, or if out of memory. Parts and names
 * are limited so that no field of it overflows: see PARTS_MOST_BYTES. */
bool parts_write(const struct parts *parts, parts_sink *sink, void *user);

/* Limit for all parts together: what fits into a ZIP without 64-bit fields, names included. */
#define PARTS_MOST_BYTES UINT64_C(0xf0000000)

#endif
