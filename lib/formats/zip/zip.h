/*
 * The containers of the archive id "zip": ZIP, TAR, 7z, RAR; of uploads from before also CAB and cpio.
 *
 *     directory.c   a ZIP with a valid central directory: random access to entries, with libdeflate
 *     stream.c      everything else, with libarchive
 *     keep.c        keeps the entries of a container that is one stream
 *     pack.c        writing a ZIP
 */
#ifndef POSE_FORMATS_ZIP_ZIP_H
#define POSE_FORMATS_ZIP_ZIP_H

#include "lib/formats/archive.h"

/* How an entry is read. */
enum zip_way {
    ZIP_DIRECT,    /* zip_directory_read */
    ZIP_STREAM,    /* zip_stream_read, starting at its own header */
    ZIP_KEPT,      /* zip_kept_read: deflated */
    ZIP_KEPT_PLAIN /* the same, uncompressed */
};

struct zip_row {
    enum zip_way way;
    uint64_t start; /* direct, stream: file offset of its header */
    uint64_t packed;
    const uint8_t *kept; /* kept: packed bytes */
    uint16_t method;     /* direct: 0 stored, 8 deflate */
    uint32_t crc;        /* direct */
};

/* Lists a ZIP by its central directory. False if that is invalid; the contents of the archive are then
 * undefined. */
bool zip_directory_open(struct pose_archive *archive, struct pose_error *error);
bool zip_directory_read(struct read_job *job, const struct zip_row *row);

/* Lists a container by walking its headers. */
bool zip_stream_open(struct pose_archive *archive, struct pose_error *error);
bool zip_stream_read(struct read_job *job, const struct zip_row *row);

/* A reusable buffer for one entry and its packed form. */
struct zip_keeper {
    struct pose_archive *archive;
    struct libdeflate_compressor *deflater;
    uint8_t *bytes; /* capacity bytes for the entry, followed by as many for its packed form */
    size_t capacity;
};

void zip_keeper_init(struct zip_keeper *keeper, struct pose_archive *archive);
void zip_keeper_release(struct zip_keeper *keeper);
/* A buffer for an entry of that size, already checked against the limits; NULL (reported) if out of memory. */
uint8_t *zip_keeper_reserve(struct zip_keeper *keeper, size_t size, struct pose_error *error);
/* Packs what was read into that buffer into the archive's arena, and fills in the row. */
bool zip_keep(struct zip_keeper *keeper, size_t size, struct zip_row *row, struct pose_error *error);
bool zip_kept_read(struct read_job *job, const struct zip_row *row);
/* Unpacks a deflate stream into the entry; false if it does not have that size (an error is set only if out of
 * memory). */
bool zip_inflate(const struct read_job *job, const uint8_t *packed, size_t packed_size, size_t size);

/* Whether the bytes are a stream for one of libarchive's filters: gzip, bzip2, xz, zstd. */
bool zip_is_filtered(struct pose_bytes bytes);

/* Bytes that identify a format, and their position. */
struct zip_magic {
    unsigned offset, size;
    const char *bytes;
};
bool zip_has_magic(struct pose_bytes bytes, const struct zip_magic *magic);

/*
 * Names an entry. One whose name is absolute or contains ".." cannot be read: error "unsafe_name", at that file
 * offset.
 */
void zip_set_name(struct pose_archive *archive, uint32_t index, char *name, uint64_t offset);
/* Marks an entry as unreadable. */
void zip_reject(struct pose_archive *archive, uint32_t index, enum pose_status status, const char *code,
                uint64_t offset, const char *reason);

/* Writes a ZIP without times; the setting "compress" is "deflate" (the default) or "none". */
bool zip_pack(struct pack_job *job);

#endif
