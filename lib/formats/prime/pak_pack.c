/* Writing paks of Metroid Prime 1 and 2: names, table, zeros to 32, data padded with 0xFF to 32 (prime-pak.md). */
#include "lib/formats/prime/pak.h"

#include "lib/core/text.h"
#include "lib/core/setting.h"
#include "lib/packing/lzo1x.h"

#include <libdeflate.h>
#include <string.h>

enum { ZLIB_LEVEL = 9 };

struct item {
    uint32_t type, id;
    const char *label;
    size_t label_length;
    struct pose_bytes bytes;
    size_t row_at; /* of its row in the output */
};

struct pak {
    struct pack_job *job;
    struct writer *writer;
    struct item *items;
    bool compress;
    bool segments; /* Metroid Prime 2 */
    struct lzo1x_encoder *lzo;
    struct libdeflate_compressor *deflate;
    struct pose_buffer packed; /* the current resource */
};

/* ------------------------------------------------------------------------------------------------ names -- */

static bool parse_hex(const char *text, uint32_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < PRIME_ID; i++) {
        char c = text_lower(text[i]);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        *value = *value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* Four characters, in upper case like the games' own; or 8 hex digits. */
static bool parse_type(const char *text, uint32_t *type)
{
    size_t length = strlen(text);
    if (length == PRIME_ID)
        return parse_hex(text, type);
    *type = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text_lower(text[i]);
        *type = *type << 8 | (unsigned char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return length == 4;
}

static uint32_t hash_label(const char *label, size_t length)
{
    uint32_t crc = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text_lower(label[i]);
        crc = libdeflate_crc32(crc, &c, 1);
    }
    return crc;
}

static bool parse_name(const char *name, struct item *item)
{
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name || !parse_type(dot + 1, &item->type))
        return false;
    size_t length = (size_t)(dot - name);
    bool has_id =
        length >= PRIME_ID && (length == PRIME_ID || name[PRIME_ID] == '_') && parse_hex(name, &item->id);
    if (has_id && length == PRIME_ID)
        return true;
    size_t skipped = has_id ? PRIME_ID + 1 : 0;
    item->label = name + skipped;
    item->label_length = length - skipped;
    if (!has_id)
        item->id = hash_label(item->label, item->label_length);
    return true;
}

static bool set_names(struct pak *pak)
{
    struct pack_job *job = pak->job;
    for (uint32_t i = 0; i < job->count; i++) {
        const char *name = text_base_name(job->items[i].name);
        pak->items[i].bytes = job->items[i].bytes;
        if (!parse_name(name, &pak->items[i]))
            return error_set(job->error, POSE_BAD_ARGUMENT, "bad_name",
                             "items[%u]: \"%.100s\" is not of the form ID.TYPE or NAME.TYPE", i, name);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ compression -- */

/* The types that the games' own paks compress. */
static bool is_compressed_type(uint32_t type)
{
    return type == PRIME_TYPE('A', 'N', 'I', 'M') || type == PRIME_TYPE('A', 'N', 'C', 'S') ||
           type == PRIME_TYPE('C', 'M', 'D', 'L') || type == PRIME_TYPE('C', 'S', 'K', 'R') ||
           type == PRIME_TYPE('T', 'X', 'T', 'R') || type == PRIME_TYPE('F', 'O', 'N', 'T');
}

static void put_zlib(struct pak *pak, struct writer *writer, struct pose_bytes bytes)
{
    size_t bound = libdeflate_zlib_compress_bound(pak->deflate, bytes.size);
    uint8_t *to = writer_reserve(writer, bound);
    if (to)
        writer_commit(writer, libdeflate_zlib_compress(pak->deflate, bytes.data, bytes.size, to, bound));
}

/* LZO1X after its length, or plain bytes after a negative length if that is shorter. */
static void put_segment(struct pak *pak, struct writer *writer, struct pose_bytes bytes)
{
    size_t start = writer->out->size;
    writer_u16be(writer, 0);
    lzo1x_encode(pak->lzo, bytes, writer);
    if (writer->failed)
        return;
    size_t length = writer->out->size - start - 2;
    if (length < bytes.size) {
        writer->out->data[start] = (uint8_t)(length >> 8);
        writer->out->data[start + 1] = (uint8_t)length;
        return;
    }
    writer->out->size = start;
    writer_u16be(writer, (uint16_t)(0x10000 - bytes.size));
    writer_bytes(writer, bytes.data, bytes.size);
}

static void put_segments(struct pak *pak, struct writer *writer, struct pose_bytes bytes)
{
    for (size_t at = 0; at < bytes.size; at += PRIME_SEGMENT) {
        size_t left = bytes.size - at;
        put_segment(pak, writer,
                    (struct pose_bytes){bytes.data + at, left < PRIME_SEGMENT ? left : PRIME_SEGMENT});
    }
}

static size_t padded(size_t size)
{
    return (size + PRIME_ALIGNMENT - 1) / PRIME_ALIGNMENT * PRIME_ALIGNMENT;
}

/* Compresses an item into pak->packed; false if that saves nothing, or if out of memory. */
static bool pack_item(struct pak *pak, const struct item *item)
{
    struct writer writer;
    pak->packed.size = 0;
    writer_init(&writer, &pak->packed, pak->job->error);
    writer_u32be(&writer, (uint32_t)item->bytes.size);
    if (pak->segments)
        put_segments(pak, &writer, item->bytes);
    else
        put_zlib(pak, &writer, item->bytes);
    return writer_finish(&writer) && padded(pak->packed.size) < padded(item->bytes.size);
}

/* -------------------------------------------------------------------------------------------- the parts -- */

static void write_names(struct pak *pak)
{
    struct writer *writer = pak->writer;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pak->job->count; i++)
        count += pak->items[i].label != NULL;
    writer_u32be(writer, count);
    for (uint32_t i = 0; i < pak->job->count; i++) {
        const struct item *item = &pak->items[i];
        if (!item->label)
            continue;
        writer_u32be(writer, item->type);
        writer_u32be(writer, item->id);
        writer_u32be(writer, (uint32_t)item->label_length);
        writer_bytes(writer, item->label, item->label_length);
    }
}

/* Writes the rows with type and id; the rest is filled in with the data. */
static void write_rows(struct pak *pak)
{
    struct writer *writer = pak->writer;
    writer_u32be(writer, pak->job->count);
    for (uint32_t i = 0; i < pak->job->count; i++) {
        pak->items[i].row_at = writer->out->size;
        writer_u32be(writer, 0);
        writer_u32be(writer, pak->items[i].type);
        writer_u32be(writer, pak->items[i].id);
        writer_zeros(writer, 8);
    }
    writer_zeros(writer, padded(writer->out->size) - writer->out->size);
}

static bool write_data(struct pak *pak, struct item *item)
{
    struct writer *writer = pak->writer;
    if (item->bytes.size > INT32_MAX || writer->out->size > UINT32_MAX - padded(item->bytes.size))
        return error_set(pak->job->error, POSE_BAD_ARGUMENT, "too_large", "a pak holds at most 4 GiB");
    size_t start = writer->out->size;
    bool compressed = pak->compress && is_compressed_type(item->type) && pack_item(pak, item);
    if (compressed)
        writer_bytes(writer, pak->packed.data, pak->packed.size);
    else
        writer_bytes(writer, item->bytes.data, item->bytes.size);
    size_t padding = padded(writer->out->size) - writer->out->size;
    uint8_t *to = writer_reserve(writer, padding);
    if (to)
        memset(to, 0xff, padding);
    writer_commit(writer, padding);
    writer_patch_u32be(writer, item->row_at, compressed);
    writer_patch_u32be(writer, item->row_at + 12, (uint32_t)(writer->out->size - start));
    writer_patch_u32be(writer, item->row_at + 16, (uint32_t)start);
    return !writer->failed;
}

static bool set_method(struct pak *pak)
{
    static const char *const methods[] = {"default", "none", NULL}, *const games[] = {"mp1", "mp2"};
    struct pack_job *job = pak->job;
    unsigned method;
    unsigned game = 0;
    if (!setting_word(job->settings, "game", games, 2, &game, job->error) ||
        !pack_compression(job, methods, &method))
        return false;
    pak->segments = game == 1;
    pak->compress = method == 0;
    pak->packed.allocator = job->arena->allocator;
    if (pak->segments)
        pak->lzo = lzo1x_encoder_new(job->arena);
    else
        pak->deflate = libdeflate_alloc_compressor(ZLIB_LEVEL);
    return pak->lzo || pak->deflate || error_no_memory(job->error);
}

bool prime_pak_pack(struct pack_job *job)
{
    struct pak pak = {.job = job, .writer = job->writer};
    pak.items = ARENA_NEW(job->arena, struct item, job->count);
    bool done = pak.items && set_method(&pak) && set_names(&pak);
    if (done) {
        writer_u32be(job->writer, PRIME_VERSION);
        writer_u32be(job->writer, 0);
        write_names(&pak);
        write_rows(&pak);
    }
    for (uint32_t i = 0; done && i < job->count; i++)
        done = write_data(&pak, &pak.items[i]);
    if (pak.deflate)
        libdeflate_free_compressor(pak.deflate);
    pose_buffer_free(&pak.packed);
    return done;
}
