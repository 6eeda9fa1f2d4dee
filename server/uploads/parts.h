/*
 * The files of one multipart upload. They form one archive, which is stored as a ZIP of stored entries with a sorted
 * directory: one blob, which other programs can open. A form too large for memory is written as such a ZIP while it
 * arrives (parts_spool.h), also if it has one file only; that ZIP then stands for the file in it.
 */
#ifndef POSED_SERVER_UPLOADS_PARTS_H
#define POSED_SERVER_UPLOADS_PARTS_H

#include "pose.h"
#include "lib/core/bytes/zip_records.h"
#include "server/store/ids.h"
#include "server/ops/region.h"

struct part {
    const char *name;
    struct pose_bytes bytes; /* borrowed */
    uint32_t offset, crc;    /* of its record in the ZIP, and the sum of its bytes, once written */
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

/* Writes the ZIP of sorted parts, and where they are in it; false if the sink returns false, or if out of memory. Parts and names
 * are limited so that no field of it overflows: see PARTS_MOST_BYTES. */
bool parts_write(struct parts *parts, zip_sink *sink, void *user);
/* The rest of a ZIP, whose parts end at `at`. */
bool parts_write_directory(const struct parts *parts, uint64_t at, bool is_streamed, zip_sink *sink,
                           void *user);
/* The record of a part in the ZIP. */
struct zip_file part_record(const struct part *part, bool is_streamed);
/* If the ZIP has one part only: its bytes, and true. */
bool parts_only(struct pose_bytes zip, struct pose_bytes *file);

/* Limit for all parts together: what fits into a ZIP without 64-bit fields, names included. */
#define PARTS_MOST_BYTES UINT64_C(0xf0000000)

#endif
