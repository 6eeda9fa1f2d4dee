/*
 * The archive type "zip": all containers commonly used for mods. Magic numbers tell which one it is; plain text
 * and raw streams are never accepted.
 */
#include "lib/formats/zip/zip.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"

#include <string.h>

static const struct pose_format formats[] = {
    ARCHIVE_FORMAT("zip", "ZIP, TAR, 7z and RAR archives", ".zip .tar .tgz .gz .bz2 .xz .zst .7z .rar",
                   "application/zip"),
    {.id = NULL},
};

static const struct zip_magic containers[] = {
    {0, 4, "PK\3\4"},     {0, 4, "PK\5\6"},     {0, 6, "7z\xbc\xaf\x27\x1c"},
    {0, 6, "Rar!\x1a\7"}, {0, 8, "MSCF\0\0\0"}, {0, 6, "070701"},
    {0, 6, "070702"},     {0, 6, "070707"},     {257, 5, "ustar"},
};

bool zip_has_magic(struct pose_bytes bytes, const struct zip_magic *magic)
{
    return bytes.size >= magic->offset + magic->size &&
           !memcmp(bytes.data + magic->offset, magic->bytes, magic->size);
}

/* Those that are read only of uploads from before, and where options do not forbid it. */
static bool is_uncommon(struct pose_bytes bytes)
{
    static const struct zip_magic uncommon[] = {{0, 8, "MSCF\0\0\0"}, {0, 4, "0707"}};
    for (size_t i = 0; i < sizeof uncommon / sizeof *uncommon; i++) {
        if (zip_has_magic(bytes, &uncommon[i]))
            return true;
    }
    return false;
}

/* The only extension that is unambiguous: such a file is refused as a ZIP, with the byte. */
static bool is_called_zip(const struct pose_source *source)
{
    return source->name && text_has_extension(source->name, ".zip");
}

static enum probe_result zip_probe(const struct pose_source *source)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        if (zip_has_magic(source->bytes, &containers[i]))
            return PROBE_SURE;
    }
    if (zip_is_filtered(source->bytes))
        return PROBE_SURE;
    return is_called_zip(source) ? PROBE_NAME : PROBE_NO;
}

static bool refuse_magic(const struct pose_source *source, struct pose_error *error)
{
    struct reader reader;
    pose_error_init(error);
    reader_init(&reader, source->bytes, error);
    return reader_fail_at(&reader, 0, "magic", "bad_magic", "a ZIP begins with PK");
}

static bool zip_open(struct pose_archive *archive, const struct pose_source *source, struct pose_error *error)
{
    struct pose_error of_directory;
    pose_error_init(&of_directory);
    if (archive->is_common_only && is_uncommon(source->bytes))
        return error_set(error, POSE_UNSUPPORTED, "unsupported_container",
                         "CAB and cpio archives are not read; send a ZIP, TAR, 7z or RAR");
    bool is_zip = source->bytes.size >= 2 && !memcmp(source->bytes.data, "PK", 2);
    if (is_zip && zip_directory_open(archive, &of_directory)) {
        archive_warn_duplicates(archive);
        return true;
    }
    if (of_directory.status == POSE_OVER_LIMIT || archive->arena.failed) {
        *error = of_directory;
        return false;
    }
    archive->entry_count = 0;
    archive->is_stream = !is_zip;
    bool listed = zip_stream_open(archive, error);
    if (is_zip && !archive->entry_count && (listed || error->status == POSE_BAD_DATA)) {
        *error = of_directory; /* has the exact position */
        return false;
    }
    if (!is_zip && !archive->entry_count && is_called_zip(source) &&
        (listed || error->status == POSE_UNKNOWN_FORMAT || error->status == POSE_BAD_DATA))
        return refuse_magic(source, error);
    if (!listed)
        return false;
    if (is_zip)
        archive_warn_error(archive, &of_directory);
    archive_warn_duplicates(archive);
    return true;
}

static bool zip_read(struct read_job *job)
{
    const struct zip_row *row = &((const struct zip_row *)job->archive->rows)[job->index];
    switch (row->way) {
    case ZIP_DIRECT:
        return zip_directory_read(job, row);
    case ZIP_STREAM:
        return zip_stream_read(job, row);
    default:
        return zip_kept_read(job, row);
    }
}

const struct archive_type zip_archive = {
    .formats = formats,
    .probe = zip_probe,
    .open = zip_open,
    .read = zip_read,
    .pack = NOT_IN_PAGES(zip_pack),
};
