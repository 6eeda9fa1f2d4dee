/*
 * The files of one multipart upload. They form one archive, which is kept as a ZIP of stored entries in the order of
 * their names: one blob, whose bytes depend on names and contents alone, and which any other program can open.
 */
#ifndef POSED_SERVER_UPLOADS_PARTS_H
#define POSED_SERVER_UPLOADS_PARTS_H

#include "pose.h"
#include "server/store/ids.h"
#include "server/ops/region.h"

struct part {
    const char *name;
    struct pose_bytes bytes; /* not owned */
};

/* Zero-initialise. */
struct parts {
    uint32_t count, capacity;
    struct part *items;
    struct region names;
};

/* The name is copied. False when there is no memory. */
bool parts_add(struct parts *parts, const char *name, struct pose_bytes bytes);
void parts_release(struct parts *parts);
/* By name, then by content. */
void parts_sort(struct parts *parts);
/* The id of the archive: over the sorted names and bytes. */
struct asset_id parts_id(const struct parts *parts);
uint64_t parts_bytes(const struct parts *parts);

/* Where bytes go to; false ends the writing. */
typedef bool parts_sink(void *user, const void *data, size_t size);
/* Writes the ZIP of sorted parts; false when the sink says so, or there is no memory. Parts and names are bounded such that no field of it
 * overflows: see PARTS_MOST_BYTES. */
bool parts_write(const struct parts *parts, parts_sink *sink, void *user);

/* Of all parts together: what a ZIP without 64-bit fields holds, names included. */
#define PARTS_MOST_BYTES UINT64_C(0xf0000000)

#endif
