/* Writing DBPF packages: header, data, index at the end (dbpf.md). */
#include "lib/formats/sims3/dbpf.h"

#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/formats/sims3/names.h"
#include "lib/packing/refpack.h"

#include <libdeflate.h>
#include <string.h>

enum {
    MAX_SIZE = 0x7fffffff, /* bit 31 of the stored size is a flag */
    MAX_SHORT = 0xffffff,  /* larger RefPack sizes take 4 bytes */
    ZLIB_LEVEL = 6,
    CONSTANT_FIELDS = 3, /* type, group and instance (high) may be constant in the index */
};

struct item {
    uint32_t fields[4]; /* type, group, instance high and low */
    struct pose_bytes bytes;
    const char *label;
    size_t label_length;
    uint32_t offset, stored;
    uint16_t compression;
};

struct package {
    struct pack_job *job;
    struct writer *writer;
    struct item *items;
    uint32_t count;
    enum dbpf_compression compression;
    struct refpack_encoder *refpack;
    struct libdeflate_compressor *deflate;
};

/* ---------------------------------------------------------------------------------------------- the key -- */

/* Parses the key in a name; the rest is the resource's own name. */
static bool parse_key(const char *name, struct item *item)
{
    struct pose_sims3_key key;
    if (!pose_sims3_key(name, &key))
        return false;
    item->fields[0] = key.type;
    item->fields[1] = key.group;
    item->fields[2] = (uint32_t)(key.instance >> 32);
    item->fields[3] = (uint32_t)key.instance;
    item->label = key.name;
    item->label_length = key.name_length;
    return true;
}

/* The key under which the game would look up that name. */
static bool make_key(const char *name, struct item *item)
{
    size_t length = text_stem_length(name);
    bool clip = text_has_extension(name, ".clip .animation"), rig = text_has_extension(name, ".rig");
    if (!length || (!clip && !rig))
        return false;
    uint64_t instance = clip ? sims3_clip_instance(name, length) : hash_fnv64(name, length);
    item->fields[0] = clip ? DBPF_CLIP : DBPF_RIG;
    item->fields[1] = clip ? sims3_clip_group(name, length) : 0;
    item->fields[2] = (uint32_t)(instance >> 32);
    item->fields[3] = (uint32_t)instance;
    item->label = name;
    item->label_length = length;
    return true;
}

static bool set_keys(struct package *package)
{
    struct pack_job *job = package->job;
    for (uint32_t i = 0; i < job->count; i++) {
        struct item *item = &package->items[i];
        const char *name = text_base_name(job->items[i].name);
        item->bytes = job->items[i].bytes;
        if (!parse_key(name, item) && !make_key(name, item))
            return error_set(job->error, POSE_BAD_ARGUMENT, "bad_name",
                             "items[%u]: \"%.100s\" is not TYPE-GROUP-INSTANCE in hex, .clip or .rig", i,
                             name);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ the name map -- */

/* Adds a name map as another item, unless no item has a name or one is already a name map. */
static bool add_name_map(struct package *package, struct pose_buffer *map)
{
    struct writer writer;
    uint32_t labels = 0;
    for (uint32_t i = 0; i < package->count; i++) {
        if (package->items[i].fields[0] == DBPF_NAME_MAP)
            return true;
        labels += package->items[i].label != NULL;
    }
    if (!labels)
        return true;
    writer_init(&writer, map, package->job->error);
    writer_u32le(&writer, 1);
    writer_u32le(&writer, labels);
    for (uint32_t i = 0; i < package->count; i++) {
        const struct item *item = &package->items[i];
        if (!item->label)
            continue;
        writer_u32le(&writer, item->fields[3]);
        writer_u32le(&writer, item->fields[2]);
        writer_u32le(&writer, (uint32_t)item->label_length);
        writer_bytes(&writer, item->label, item->label_length);
    }
    if (!writer_finish(&writer))
        return false;
    package->items[package->count++] =
        (struct item){.fields = {DBPF_NAME_MAP, 0, 0, 0}, .bytes = {map->data, map->size}};
    return true;
}

/* --------------------------------------------------------------------------------------------- the data -- */

static void put_refpack(struct package *package, struct pose_bytes bytes)
{
    struct writer *writer = package->writer;
    bool large = bytes.size > MAX_SHORT;
    writer_u8(writer, large ? 0x90 : 0x10);
    writer_u8(writer, 0xfb);
    if (large)
        writer_u8(writer, (uint8_t)(bytes.size >> 24));
    writer_u8(writer, (uint8_t)(bytes.size >> 16));
    writer_u16be(writer, (uint16_t)bytes.size);
    refpack_encode(package->refpack, bytes, writer);
}

static void put_zlib(struct package *package, struct pose_bytes bytes)
{
    size_t bound = libdeflate_zlib_compress_bound(package->deflate, bytes.size);
    uint8_t *to = writer_reserve(package->writer, bound);
    if (to)
        writer_commit(package->writer,
                      libdeflate_zlib_compress(package->deflate, bytes.data, bytes.size, to, bound));
}

/* The data of an item, compressed if that makes it smaller. */
static bool write_data(struct package *package, struct item *item)
{
    struct writer *writer = package->writer;
    size_t start = writer->out->size, size = item->bytes.size;
    if (start > UINT32_MAX || size > MAX_SIZE)
        return error_set(package->job->error, POSE_BAD_ARGUMENT, "too_large",
                         "a package holds at most 4 GiB, and a resource at most 2 GiB");
    item->offset = (uint32_t)start;
    item->compression = (uint16_t)package->compression;
    if (package->compression == DBPF_REFPACK && size)
        put_refpack(package, item->bytes);
    else if (package->compression == DBPF_ZLIB && size)
        put_zlib(package, item->bytes);
    if (writer->failed)
        return false;
    size_t packed = writer->out->size - start;
    if (!packed || packed >= size) {
        writer->out->size = start;
        writer_bytes(writer, item->bytes.data, size);
        packed = size;
        item->compression = DBPF_STORED;
    }
    item->stored = (uint32_t)packed;
    return !writer->failed;
}

/* -------------------------------------------------------------------------------------------- the index -- */

/* The fields that all items share. */
static uint32_t constant_flags(const struct package *package)
{
    uint32_t flags = 0;
    for (unsigned field = 0; field < CONSTANT_FIELDS; field++) {
        bool constant = package->count > 0;
        for (uint32_t i = 1; i < package->count; i++)
            constant &= package->items[i].fields[field] == package->items[0].fields[field];
        flags |= (uint32_t)constant << field;
    }
    return flags;
}

static void write_index(struct package *package)
{
    struct writer *writer = package->writer;
    uint32_t flags = constant_flags(package);
    writer_u32le(writer, flags);
    for (unsigned field = 0; field < CONSTANT_FIELDS; field++) {
        if (flags >> field & 1)
            writer_u32le(writer, package->items[0].fields[field]);
    }
    for (uint32_t i = 0; i < package->count; i++) {
        const struct item *item = &package->items[i];
        for (unsigned field = 0; field < 4; field++) {
            if (!(flags >> field & 1))
                writer_u32le(writer, item->fields[field]);
        }
        writer_u32le(writer, item->offset);
        writer_u32le(writer, item->stored | 0x80000000u);
        writer_u32le(writer, (uint32_t)item->bytes.size);
        writer_u16le(writer, item->compression);
        writer_u16le(writer, 1);
    }
}

static bool write_package(struct package *package)
{
    struct writer *writer = package->writer;
    writer_bytes(writer, "DBPF", 4);
    writer_u32le(writer, 2);
    writer_u32le(writer, package->compression == DBPF_ZLIB);
    writer_zeros(writer, DBPF_HEADER - 12);
    for (uint32_t i = 0; i < package->count; i++) {
        if (!write_data(package, &package->items[i]))
            return false;
    }
    size_t index_at = writer->out->size;
    write_index(package);
    if (writer->failed)
        return false;
    if (writer->out->size > UINT32_MAX)
        return error_set(package->job->error, POSE_BAD_ARGUMENT, "too_large",
                         "a package holds at most 4 GiB");
    writer_patch_u32le(writer, 36, package->count);
    writer_patch_u32le(writer, 44, (uint32_t)(writer->out->size - index_at));
    writer_patch_u32le(writer, 60, 3);
    writer_patch_u32le(writer, 64, (uint32_t)index_at);
    return true;
}

static bool set_compression(struct package *package)
{
    static const char *const names[] = {"refpack", "zlib", "none", NULL};
    static const enum dbpf_compression compressions[] = {DBPF_REFPACK, DBPF_ZLIB, DBPF_STORED};
    struct pack_job *job = package->job;
    unsigned choice;
    if (!pack_compression(job, names, &choice))
        return false;
    package->compression = compressions[choice];
    if (package->compression == DBPF_REFPACK) {
        package->refpack = refpack_encoder_new(job->arena);
        return package->refpack != NULL;
    }
    if (package->compression == DBPF_ZLIB) {
        package->deflate = libdeflate_alloc_compressor(ZLIB_LEVEL);
        return package->deflate || error_no_memory(job->error);
    }
    return true;
}

bool dbpf_pack(struct pack_job *job)
{
    struct package package = {.job = job, .writer = job->writer, .count = job->count};
    struct pose_buffer map = {.allocator = job->arena->allocator};
    package.items = ARENA_NEW(job->arena, struct item, (size_t)job->count + 1);
    bool done = package.items && set_compression(&package) && set_keys(&package) &&
                add_name_map(&package, &map) && write_package(&package);
    if (package.deflate)
        libdeflate_free_compressor(package.deflate);
    pose_buffer_free(&map);
    return done;
}
