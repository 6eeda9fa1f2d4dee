/* Writing a ZIP. No times or owners are stored: the same files give the same bytes. */
#include "lib/core/bytes/zip_records.h"
#include "lib/core/utf8.h"
#include "lib/formats/zip/zip.h"

#include <libdeflate.h>
#include <string.h>

enum { LEVEL = 6 };

struct zip_writing {
    struct pack_job *job;
    struct zip_file *files;
    struct libdeflate_compressor *deflater; /* NULL: files are stored */
};

static bool check_name(const struct pack_job *job, uint32_t index)
{
    const char *name = job->items[index].name;
    size_t length = strlen(name);
    return (length && length <= ZIP_MAX_NAME && name[length - 1] != '/' && text_is_utf8(name, length)) ||
           error_set(job->error, POSE_BAD_ARGUMENT, "bad_name", "items[%u]: \"%.100s\" is not a file name",
                     index, name);
}

static bool check_size(const struct pack_job *job)
{
    return job->writer->failed || job->writer->out->size <= ZIP_MAX_SIZE ||
           error_set(job->error, POSE_BAD_ARGUMENT, "too_large", "a ZIP of more than 4 GiB is not written");
}

/* Writes the data of a file after its record; deflated if that makes it smaller. */
static void write_data(const struct zip_writing *zip, struct zip_file *file, struct pose_bytes bytes)
{
    struct writer *writer = zip->job->writer;
    uint8_t *to = zip->deflater && bytes.size > 1 ? writer_reserve(writer, bytes.size - 1) : NULL;
    size_t packed =
        to ? libdeflate_deflate_compress(zip->deflater, bytes.data, bytes.size, to, bytes.size - 1) : 0;
    file->method = packed ? ZIP_DEFLATED : ZIP_STORED;
    file->packed = (uint32_t)(packed ? packed : bytes.size);
    if (packed)
        writer_commit(writer, packed);
    else
        writer_bytes(writer, bytes.data, bytes.size);
}

static bool write_file(const struct zip_writing *zip, uint32_t index)
{
    const struct pose_pack_item *item = &zip->job->items[index];
    struct zip_file *file = &zip->files[index];
    struct writer *writer = zip->job->writer;
    size_t start = writer->out->size;
    uint8_t record[ZIP_LOCAL_SIZE] = {0};
    if (item->bytes.size > ZIP_MAX_SIZE)
        return error_set(zip->job->error, POSE_BAD_ARGUMENT, "too_large", "items[%u]: %zu bytes are too many",
                         index, item->bytes.size);
    *file = (struct zip_file){.name = item->name,
                              .name_length = strlen(item->name),
                              .crc = libdeflate_crc32(0, item->bytes.data, item->bytes.size),
                              .size = (uint32_t)item->bytes.size,
                              .offset = (uint32_t)start};
    writer_bytes(writer, record, sizeof record);
    writer_text(writer, item->name);
    write_data(zip, file, item->bytes);
    if (!writer->failed)
        zip_put_local(writer->out->data + start, file);
    return !writer->failed && check_size(zip->job);
}

static bool put(void *writer, const void *data, size_t size)
{
    writer_bytes(writer, data, size);
    return !((struct writer *)writer)->failed;
}

static bool write_all(const struct zip_writing *zip)
{
    const struct pack_job *job = zip->job;
    for (uint32_t i = 0; i < job->count; i++) {
        if (!write_file(zip, i))
            return false;
    }
    struct zip_directory directory = {.sink = put, .user = job->writer};
    const size_t at = job->writer->out->size;
    bool done = true;
    for (uint32_t i = 0; done && i < job->count; i++)
        done = zip_directory_add(&directory, &zip->files[i]);
    return done && zip_directory_end(&directory, at) && check_size(job);
}

bool zip_pack(struct pack_job *job)
{
    static const char *const methods[] = {"deflate", "none", NULL};
    unsigned method;
    for (uint32_t i = 0; i < job->count; i++) {
        if (!check_name(job, i))
            return false;
    }
    if (!pack_compression(job, methods, &method))
        return false;
    struct zip_writing zip = {.job = job, .files = ARENA_NEW(job->arena, struct zip_file, job->count)};
    if (method == 0)
        zip.deflater = libdeflate_alloc_compressor(LEVEL);
    bool done = zip.files && (zip.deflater || method != 0) ? write_all(&zip) : error_no_memory(job->error);
    libdeflate_free_compressor(zip.deflater);
    return done;
}
