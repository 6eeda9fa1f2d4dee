/*
 * The containers of the archive id "zip": ZIP, TAR, 7z, RAR, CAB, cpio. Three ways to read them:
 *
 *     zip_directory  a ZIP whose central directory is sound: any entry at once, by libdeflate
 *     zip_stream     everything else, by libarchive: from the entry's own header where the container is not
 *                    compressed as a whole, else from its beginning
 *     zip_pack       writing a ZIP, by libarchive
 */
#ifndef POSE_ARCHIVES_ZIP_H
#define POSE_ARCHIVES_ZIP_H

#include "lib/archives/archive.h"

struct zip_row {
    uint64_t start;  /* offset in the file where reading begins: of the entry's header, or 0 */
    uint32_t skip;   /* headers to pass before the entry's own */
    bool direct;     /* the fields below are known and zip_directory_read can use them */
    uint16_t method; /* 0 stored, 8 deflate */
    uint32_t crc;
    uint64_t packed;
};

/* Lists a ZIP by its central directory. False when that is not sound; what is in the archive is then of no use. */
bool zip_directory_open(struct pose_archive *archive, struct pose_error *error);
bool zip_directory_read(struct read_job *job, const struct zip_row *row);

/* Lists a container by walking its headers. */
bool zip_stream_open(struct pose_archive *archive, struct pose_error *error);
bool zip_stream_read(struct read_job *job, const struct zip_row *row);
bool zip_stream_each(const struct pose_archive *archive, const struct pose_pass *pass);

/* Whether the bytes are a stream that one of libarchive's filters unpacks: gzip, bzip2, xz, zstd. */
bool zip_is_filtered(struct pose_bytes bytes);

/* Bytes that tell a format, and where they stand. */
struct zip_magic {
    unsigned offset, size;
    const char *bytes;
};
bool zip_has_magic(struct pose_bytes bytes, const struct zip_magic *magic);

/*
 * Turns a name into an entry of that name. A name that is absolute or has a ".." part makes an entry that cannot be
 * read: error "unsafe_name".
 */
void zip_set_name(struct pose_archive *archive, uint32_t index, char *name);

/* Writes a ZIP without times; the setting "compress" is "deflate" (the default) or "none". */
bool zip_pack(struct pack_job *job);

#endif
