/* Writing a ZIP by libarchive. No times and no owners are stored: the same files give the same bytes. */
#include "lib/formats/zip/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

static la_ssize_t append(struct archive *archive, void *user, const void *bytes, size_t size)
{
    struct writer *writer = user;
    writer_bytes(writer, bytes, size);
    if (!writer->failed)
        return (la_ssize_t)size;
    archive_set_error(archive, ENOMEM, "out of memory");
    return -1;
}

static bool fail(struct pack_job *job, struct archive *archive)
{
    const char *reason = archive_error_string(archive);
    if (archive_errno(archive) == ENOMEM)
        return error_no_memory(job->error);
    return error_set(job->error, POSE_BAD_DATA, "zip", "the ZIP cannot be written: %s",
                     reason ? reason : "for no known reason");
}

static bool write_item(struct pack_job *job, struct archive *archive, struct archive_entry *entry,
                       const struct pose_pack_item *item)
{
    archive_entry_clear(entry);
    archive_entry_set_pathname_utf8(entry, item->name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)item->bytes.size);
    if (archive_write_header(archive, entry) != ARCHIVE_OK)
        return fail(job, archive);
    size_t done = 0;
    while (done < item->bytes.size) {
        la_ssize_t written = archive_write_data(archive, item->bytes.data + done, item->bytes.size - done);
        if (written <= 0)
            return fail(job, archive);
        done += (size_t)written;
    }
    return archive_write_finish_entry(archive) == ARCHIVE_OK || fail(job, archive);
}

static bool write_items(struct pack_job *job, struct archive *archive, struct archive_entry *entry)
{
    static const char *const methods[] = {"deflate", "none", NULL};
    unsigned method;
    if (!pack_compression(job, methods, &method))
        return false;
    bool ready = archive_write_set_format_zip(archive) == ARCHIVE_OK &&
                 (method == 0 ? archive_write_zip_set_compression_deflate(archive)
                              : archive_write_zip_set_compression_store(archive)) == ARCHIVE_OK &&
                 archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                 archive_write_open(archive, job->writer, NULL, append, NULL) == ARCHIVE_OK;
    for (uint32_t i = 0; ready && i < job->count; i++) {
        if (!write_item(job, archive, entry, &job->items[i]))
            return false;
    }
    return (ready && archive_write_close(archive) == ARCHIVE_OK) || fail(job, archive);
}

static bool check_name(const struct pack_job *job, uint32_t index)
{
    const char *name = job->items[index].name;
    size_t length = strlen(name);
    return (length && length <= UINT16_MAX && name[length - 1] != '/') ||
           error_set(job->error, POSE_BAD_ARGUMENT, "bad_name", "items[%u]: \"%.100s\" is not a file name",
                     index, name);
}

bool zip_pack(struct pack_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (!check_name(job, i))
            return false;
    }
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (locale)
        before = uselocale(locale); /* names are converted to it */
    bool done = archive && entry ? write_items(job, archive, entry) : error_no_memory(job->error);
    if (locale) {
        uselocale(before);
        freelocale(locale);
    }
    archive_entry_free(entry);
    if (archive)
        archive_write_free(archive);
    return done;
}
