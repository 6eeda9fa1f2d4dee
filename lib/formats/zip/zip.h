/*
 * The containers of the archive id "zip": ZIP, TAR, 7z, RAR, CAB, cpio.
 *
 *     zip_directory  a ZIP whose central directory is sound: any entry at once, by libdeflate
 *     zip_stream     everything else, by libarchive
 *     zip_keep       what unpacks as one stream is kept, entry by entry
 *     zip_pack       writing a ZIP
 */
#ifndef POSE_FORMATS_ZIP_ZIP_H
#define POSE_FORMATS_ZIP_ZIP_H

#include "lib/formats/archive.h"

/* How an entry is read. */
enum zip_way {
    ZIP_DIRECT,    /* zip_directory_read */
    ZIP_STREAM,    /* zip_stream_read, from its own header on */
    ZIP_KEPT,      /* zip_kept_read: deflated */
    ZIP_KEPT_PLAIN /* the same, as it is */
};

struct zip_row {
    enum zip_way way;
    uint64_t start; /* direct, stream: offset in the file of its header */
    uint64_t packed;
    const uint8_t *kept; /* kept: packed bytes */
    uint16_t method;     /* direct: 0 stored, 8 deflate */
    uint32_t crc;        /* direct */
};

/* Lists a ZIP by its central directory. False when that is not sound; what is in the archive is then of no use. */
bool zip_directory_open(struct pose_archive *archive, struct pose_error *error);
bool zip_directory_read(struct read_job *job, const struct zip_row *row);

/* Lists a container by walking its headers. */
bool zip_stream_open(struct pose_archive *archive, struct pose_error *error);
bool zip_stream_read(struct read_job *job, const struct zip_row *row);

/* Room for one entry, and for what it is packed to. */
struct zip_keeper {
    struct pose_archive *archive;
    struct libdeflate_compressor *deflater;
    uint8_t *bytes; /* capacity bytes for the entry, and as many for its packed form */
    size_t capacity;
};

void zip_keeper_init(struct zip_keeper *keeper, struct pose_archive *archive);
void zip_keeper_release(struct zip_keeper *keeper);
/* Room for an entry of that size, which the limits have allowed; NULL (reported) when memory is out. */
uint8_t *zip_keeper_reserve(struct zip_keeper *keeper, size_t size, struct pose_error *error);
/* Packs what was read into that room, into the archive's arena, and fills in the row. */
bool zip_keep(struct zip_keeper *keeper, size_t size, struct zip_row *row, struct pose_error *error);
bool zip_kept_read(struct read_job *job, const struct zip_row *row);
/* Unpacks a deflate stream into the entry; false, without a report unless memory is out, when it is not that size. */
bool zip_inflate(const struct read_job *job, const uint8_t *packed, size_t packed_size, size_t size);

/* Whether the bytes are a stream that one of libarchive's filters unpacks: gzip, bzip2, xz, zstd. */
bool zip_is_filtered(struct pose_bytes bytes);

/* Bytes that tell a format, and where they stand. */
struct zip_magic {
    unsigned offset, size;
    const char *bytes;
};
bool zip_has_magic(struct pose_bytes bytes, const struct zip_magic *magic);

/*
 * Names an entry. A name that is absolute or has a ".." part makes one that cannot be read: error "unsafe_name", at
 * that offset of the file.
 */
void zip_set_name(struct pose_archive *archive, uint32_t index, char *name, uint64_t offset);
/* Marks an entry as one that cannot be read. */
void zip_reject(struct pose_archive *archive, uint32_t index, enum pose_status status, const char *code,
                uint64_t offset, const char *reason);

/* Writes a ZIP without times; the setting "compress" is "deflate" (the default) or "none". */
bool zip_pack(struct pack_job *job);

#endif
