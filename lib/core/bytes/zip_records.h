/*
 * The records of ZIP files that posed writes (APPNOTE.TXT of PKWARE, 6.3), for uploads and archives: names in
 * UTF-8, no times, no owners, so that the same files give the same bytes.
 */
#ifndef POSE_CORE_BYTES_ZIP_RECORDS_H
#define POSE_CORE_BYTES_ZIP_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum zip_method { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

enum {
    ZIP_LOCAL_SIZE = 30, /* before the name and the data of a file */
    ZIP_AFTER_SIZE = 16, /* after the data, if is_streamed */
    ZIP_MAX_NAME = 0xffff,
};

/* The maximum size of each file and of the whole: the fields have 32 bits. */
#define ZIP_MAX_SIZE UINT64_C(0xfffffffe)

struct zip_file {
    const char *name;
    size_t name_length; /* at most ZIP_MAX_NAME */
    uint32_t method, crc, packed, size;
    uint32_t offset; /* of its local record */
    bool
        is_streamed; /* sum and sizes follow the data, and the local record has zeros for them (4.4.4, bit 3) */
};

/* A file that is not compressed; the sum of a streamed one is not known yet. */
struct zip_file zip_stored(const char *name, uint32_t crc, uint32_t size, uint32_t offset);

void zip_put_local(uint8_t record[ZIP_LOCAL_SIZE], const struct zip_file *file);
void zip_put_after(uint8_t record[ZIP_AFTER_SIZE], const struct zip_file *file);

/* Receives the bytes of a ZIP; false ends the writing. */
typedef bool zip_sink(void *user, const void *data, size_t size);

/* Writes the record of a file and its name; its data follow. */
bool zip_write_local(const struct zip_file *file, zip_sink *sink, void *user);

/* The directory: a row per file, then the end. Zero-initialise but for the sink. */
struct zip_directory {
    zip_sink *sink;
    void *user;
    uint32_t count;
    uint64_t size;
};
bool zip_directory_add(struct zip_directory *directory, const struct zip_file *file);
/* Writes the records that follow a directory that begins at that offset. If the number of files does not fit in 16
 * bits, this includes the zip64 records. */
bool zip_directory_end(const struct zip_directory *directory, uint64_t offset);

#endif
