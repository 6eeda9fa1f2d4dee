/*
 * Entries of a container that is one compressed stream. Reading one entry would unpack everything before it, and
 * reading all one by one would take quadratic time. So the container is unpacked once, while it is listed, and
 * every entry is kept separately, deflated: this needs about as much memory as a ZIP of the same files.
 */
#include "lib/formats/zip/zip.h"

#include <libdeflate.h>
#include <string.h>

enum { KEEP_LEVEL = 1 }; /* fast: only kept in memory */

void zip_keeper_init(struct zip_keeper *keeper, struct pose_archive *archive)
{
    *keeper = (struct zip_keeper){.archive = archive};
}

void zip_keeper_release(struct zip_keeper *keeper)
{
    const struct pose_allocator *allocator = keeper->archive->allocator;
    if (keeper->deflater)
        libdeflate_free_compressor(keeper->deflater);
    if (keeper->bytes)
        allocator->free(allocator->user, keeper->bytes);
    keeper->deflater = NULL;
    keeper->bytes = NULL;
}

uint8_t *zip_keeper_reserve(struct zip_keeper *keeper, size_t size, struct pose_error *error)
{
    const struct pose_allocator *allocator = keeper->archive->allocator;
    if (keeper->bytes && size <= keeper->capacity)
        return keeper->bytes;
    if (keeper->bytes)
        allocator->free(allocator->user, keeper->bytes);
    keeper->capacity = size < 4096 ? 4096 : size;
    keeper->bytes =
        keeper->capacity <= SIZE_MAX / 2 ? allocator->alloc(allocator->user, 2 * keeper->capacity) : NULL;
    if (!keeper->bytes)
        error_no_memory(error);
    return keeper->bytes;
}

bool zip_keep(struct zip_keeper *keeper, size_t size, struct zip_row *row, struct pose_error *error)
{
    if (!keeper->deflater)
        keeper->deflater = libdeflate_alloc_compressor(KEEP_LEVEL);
    if (!keeper->deflater)
        return error_no_memory(error);
    uint8_t *packed = keeper->bytes + keeper->capacity;
    size_t packed_size =
        size ? libdeflate_deflate_compress(keeper->deflater, keeper->bytes, size, packed, size) : 0;
    bool plain = !packed_size; /* deflating would not make it smaller */
    uint8_t *kept = ARENA_NEW(&keeper->archive->arena, uint8_t, plain ? size : packed_size);
    if (!kept)
        return false;
    memcpy(kept, plain ? keeper->bytes : packed, plain ? size : packed_size);
    *row = (struct zip_row){
        .way = plain ? ZIP_KEPT_PLAIN : ZIP_KEPT, .kept = kept, .packed = plain ? size : packed_size};
    return true;
}

bool zip_inflate(const struct read_job *job, const uint8_t *packed, size_t packed_size, size_t size)
{
    uint8_t *out = read_reserve(job, size);
    struct libdeflate_decompressor *inflater = out ? libdeflate_alloc_decompressor() : NULL;
    if (!inflater)
        return error_no_memory(job->error);
    enum libdeflate_result result =
        libdeflate_deflate_decompress(inflater, packed, packed_size, out, size, NULL);
    libdeflate_free_decompressor(inflater);
    return result == LIBDEFLATE_SUCCESS;
}

bool zip_kept_read(struct read_job *job, const struct zip_row *row)
{
    size_t size = (size_t)job->archive->entries[job->index].size;
    if (row->way == ZIP_KEPT)
        return zip_inflate(job, row->kept, (size_t)row->packed, size);
    *job->out =
        (struct pose_buffer){.data = (uint8_t *)row->kept, .size = size, .allocator = job->out->allocator};
    return true;
}
