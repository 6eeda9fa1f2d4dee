#include "lib/images/picture.h"

#include "lib/images/jpeg_survey.h"
#include "lib/packing/runs.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

/* What this thread decodes. stb_image's hooks for memory, for zlib and for blocks have no user pointer. */
struct decoding {
    struct pose_bytes left; /* of a JPEG */
    const struct pose_stop *stop;
    const char *buffer; /* stb_image's, which any number of bytes may be put into */
    void *jpeg;         /* stb_image's */
    void (*draw_block)(unsigned char *out, int stride, short *coefficients);
    uint32_t blocks; /* drawn */
    bool is_begun, is_stopped, lacks_memory;
};

static _Thread_local struct decoding decoding;

static bool is_stopped(void)
{
    const struct pose_stop *stop = decoding.stop;
    decoding.is_stopped |= stop && stop->ask(stop->user);
    return decoding.is_stopped;
}

/*
 * Debian's stb_image.h (public domain or MIT), limited to the formats of these games' textures, without files.
 * Its allocations are zeroed, so that parts missing in a damaged file are black instead of uninitialised.
 */
static void *cleared(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    decoding.lacks_memory |= !memory;
    return memory;
}

static void *resized(void *memory, size_t size)
{
    void *larger = realloc(memory, size);
    decoding.lacks_memory |= !larger;
    return larger;
}

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_BMP
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#ifndef __wasm__
#define STBI_NO_ZLIB /* that of PNG is below */
#endif
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_FAILURE_STRINGS
#define STBI_MAX_DIMENSIONS PICTURE_SIDE
#define STBI_MALLOC(size) cleared(size)
#define STBI_REALLOC(memory, size) resized(memory, size)
#define STBI_FREE(memory) free(memory)
#define STBI_ASSERT(condition) ((void)(condition))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#ifndef __wasm__
/* What stb_image calls for a PNG, which knows the size: no more is unpacked, of whatever bytes, than that and the
 * filters and ends of the rows of an interlaced one. It does not compare the sum at the end. */
char *stbi_zlib_decode_malloc_guesssize_headerflag(const char *packed, int size, int plain_size,
                                                   int *out_size, int has_header)
{
    enum { HEADER = 2 };
    const size_t skipped = has_header ? HEADER : 0, room = (size_t)plain_size * 3 + 64;
    size_t done = 0;
    if (plain_size < 0 || (size_t)size < skipped || is_stopped())
        return NULL;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    char *plain = malloc(room);
    decoding.lacks_memory |= !decompressor || !plain;
    const bool is_whole =
        decompressor && plain &&
        libdeflate_deflate_decompress(decompressor, packed + skipped, (size_t)size - skipped, plain, room,
                                      &done) == LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(decompressor);
    *out_size = (int)done;
    if (is_whole && !is_stopped())
        return plain;
    free(plain);
    return NULL;
}
#endif

/* ------------------------------------------------------------------------------------------------- reading -- */

/* Up to the next scan, so that stop is asked before each; what is not for the buffer must be as much as it says. */
static int give(void *user, char *to, int size)
{
    struct pose_bytes *left = &decoding.left;
    size_t count = (size_t)size < left->size ? (size_t)size : left->size;
    (void)user;
    if (is_stopped())
        return 0;
    if (!decoding.is_begun)
        decoding.buffer = to;
    else if (to == decoding.buffer) {
        for (size_t i = 1; i + 1 < count; i++)
            count = left->data[i] == 0xff && left->data[i + 1] == 0xda ? i : count;
    }
    decoding.is_begun = true;
    if (count)
        memcpy(to, left->data, count);
    *left = (struct pose_bytes){left->data + count, left->size - count};
    return (int)count;
}

static void skip(void *user, int count)
{
    struct pose_bytes *left = &decoding.left;
    size_t skipped = count < 0 ? 0 : (size_t)count < left->size ? (size_t)count : left->size;
    (void)user;
    *left = (struct pose_bytes){left->data + skipped, left->size - skipped};
}

static int is_at_end(void *user)
{
    (void)user;
    return decoding.left.size == 0 || decoding.is_stopped;
}

static const stbi_io_callbacks callbacks = {give, skip, is_at_end};

static bool is_jpeg(struct pose_bytes bytes)
{
    return bytes.size && bytes.data[0] == 0xff;
}

/* Only a JPEG takes long for its size: what the other formats take is bounded by their pixels. */
static void begin(struct pose_bytes bytes, const struct pose_stop *stop, stbi__context *context)
{
    decoding = (struct decoding){.left = bytes, .stop = stop};
    if (is_jpeg(bytes))
        stbi__start_callbacks(context, (stbi_io_callbacks *)(uintptr_t)&callbacks, NULL);
    else
        stbi__start_mem(context, bytes.data, (int)bytes.size);
}

/* Decoding a block may need no bytes: those that a scan lacks are zeros, which are decoded as dearly as any others. So
 * stop is asked between blocks as well; then no code of the tables is known, and the next block ends the scan. */
static void draw_block(unsigned char *out, int stride, short *coefficients)
{
    enum { BLOCKS_A_LOOK = 512 };
    if (++decoding.blocks % BLOCKS_A_LOOK == 0 && is_stopped()) {
        stbi__jpeg *jpeg = decoding.jpeg;
        for (int i = 0; i < 4; i++) {
            memset(jpeg->huff_dc[i].fast, 0, sizeof jpeg->huff_dc[i].fast);
            memset(jpeg->huff_dc[i].size, 255, sizeof jpeg->huff_dc[i].size); /* longer than what is left */
        }
    }
    if (!decoding.is_stopped)
        decoding.draw_block(out, stride, coefficients);
}

/* As stbi__jpeg_load, with looks. */
static uint8_t *load_jpeg(stbi__context *context)
{
    int width, height, channels;
    stbi__jpeg *jpeg = cleared(sizeof *jpeg);
    if (!jpeg)
        return NULL;
    jpeg->s = context;
    stbi__setup_jpeg(jpeg);
    decoding.jpeg = jpeg;
    decoding.draw_block = jpeg->idct_block_kernel;
    jpeg->idct_block_kernel = draw_block;
    uint8_t *pixels = load_jpeg_image(jpeg, &width, &height, &channels, 4);
    free(jpeg);
    return pixels;
}

/* Two bytes a channel take twice the time. */
static bool has_deep_pixels(struct pose_bytes bytes)
{
    stbi__context context;
    stbi__start_mem(&context, bytes.data, (int)bytes.size);
    return stbi__png_is16(&context);
}

static bool check_size(const struct picture_facts *facts, uint32_t scans, struct pose_error *error)
{
    uint64_t pixels = (uint64_t)facts->width * facts->height;
    if (facts->width > PICTURE_SIDE || facts->height > PICTURE_SIDE || pixels > PICTURE_PIXELS)
        return error_set(error, POSE_OVER_LIMIT, "picture_too_large",
                         "%u by %u pixels; at most %d a side and %d in all are read", facts->width,
                         facts->height, PICTURE_SIDE, PICTURE_PIXELS);
    if (scans > PICTURE_SCANS || scans * pixels > PICTURE_SCAN_PIXELS)
        return error_set(
            error, POSE_OVER_LIMIT, "picture_too_large",
            "a JPEG of %u scans over %u by %u pixels; at most %d scans and %d pixels in all scans "
            "together are read; save it as baseline JPEG or PNG",
            scans, facts->width, facts->height, PICTURE_SCANS, PICTURE_SCAN_PIXELS);
    return true;
}

bool picture_survey(struct pose_bytes bytes, const struct pose_stop *stop, struct picture_facts *facts,
                    struct pose_error *error)
{
    stbi__context context;
    int width = 0, height = 0, channels = 0;
    uint32_t scans = 0;
    bool done = bytes.size && bytes.size < INT32_MAX;
    *facts = (struct picture_facts){0};
    if (done && is_jpeg(bytes))
        done = bytes.size > 2 && bytes.data[1] == 0xd8 && jpeg_survey(bytes, &scans);
    if (done) {
        begin(bytes, stop, &context);
        done = stbi__info_main(&context, &width, &height, &channels) && width > 0 && height > 0;
        if (decoding.is_stopped)
            return error_stopped(error);
    }
    if (!done)
        return error_set(error, POSE_BAD_DATA, "bad_picture", "not a readable BMP, PNG, JPEG or TGA");
    *facts = (struct picture_facts){(uint32_t)width, (uint32_t)height, channels == 2 || channels == 4};
    if (has_deep_pixels(bytes) && (uint64_t)width * (uint32_t)height > PICTURE_PIXELS / 2)
        return error_set(
            error, POSE_OVER_LIMIT, "picture_too_large",
            "%d by %d pixels of 16 bits a channel; at most %d of these are read; save it with 8 bits", width,
            height, PICTURE_PIXELS / 2);
    return check_size(facts, scans, error);
}

/* The caller has surveyed them. NULL with error. */
static uint8_t *decode(struct pose_bytes bytes, const struct pose_stop *stop,
                       const struct pose_refusals *refusals, struct pose_error *error)
{
    stbi__context context;
    int width, height, channels;
    begin(bytes, stop, &context);
    uint8_t *pixels = NULL;
    if (!is_stopped())
        pixels = is_jpeg(bytes) ? load_jpeg(&context)
                                : stbi__load_and_postprocess_8bit(&context, &width, &height, &channels, 4);
    if (pixels && !decoding.is_stopped)
        return pixels;
    stbi_image_free(pixels);
    if (decoding.is_stopped)
        error_stopped(error);
    else if (decoding.lacks_memory)
        error_no_memory(error);
    else {
        if (refusals)
            refusals->add(refusals->user, bytes);
        error_set(error, POSE_BAD_DATA, "bad_picture", "the picture is broken");
    }
    return NULL;
}

bool picture_read(struct pose_bytes bytes, const struct pose_stop *stop, const struct pose_refusals *refusals,
                  struct picture *picture, struct pose_error *error)
{
    struct picture_facts facts;
    *picture = (struct picture){0};
    if (!picture_survey(bytes, stop, &facts, error))
        return false;
    if (refusals && refusals->has(refusals->user, bytes))
        return error_set(error, POSE_BAD_DATA, "bad_picture", "the picture is broken");
    picture->pixels = decode(bytes, stop, refusals, error);
    if (!picture->pixels)
        return false;
    picture->width = facts.width;
    picture->height = facts.height;
    const size_t count = (size_t)facts.width * facts.height;
    for (size_t i = 0; i < count && !picture->see_through; i++)
        picture->see_through = picture->pixels[4 * i + 3] < 255;
    return true;
}

void picture_free(struct picture *picture)
{
    stbi_image_free(picture->pixels);
    picture->pixels = NULL;
}

/* ------------------------------------------------------------------------------------------------------ PNG -- */

/* The size is known later. */
static size_t begin_chunk(struct writer *writer, const char *type)
{
    writer_u32be(writer, 0);
    writer_bytes(writer, type, 4);
    return writer->out->size - 4;
}

static void end_chunk(struct writer *writer, size_t start)
{
    if (writer->failed)
        return;
    const size_t size = writer->out->size - start;
    writer_patch_u32be(writer, start - 4, (uint32_t)size - 4);
    writer_u32be(writer, libdeflate_crc32(0, writer->out->data + start, size));
}

/* The needed bytes of a row, each as the difference to that of the pixel to its left (filter 1). */
static void filter(const uint8_t *row, uint32_t width, unsigned depth, uint8_t *to)
{
    const size_t size = (size_t)width * 4;
    *to++ = 1;
    memcpy(to, row, depth);
    to += depth;
    if (depth == 4) {
        for (size_t i = 4; i < size; i++)
            to[i - 4] = (uint8_t)(row[i] - row[i - 4]);
        return;
    }
    for (size_t i = 4; i < size; i += 4) {
        for (unsigned k = 0; k < depth; k++)
            *to++ = (uint8_t)(row[i + k] - row[i + k - 4]);
    }
}

/* A row of the file follows its filter. */
static size_t row_size(const struct picture *picture, unsigned depth)
{
    return (size_t)picture->width * depth + 1;
}

static bool pack_small(const struct picture *picture, unsigned depth, struct writer *writer)
{
    const size_t size = row_size(picture, depth), plain_size = size * picture->height;
    uint8_t *plain = malloc(plain_size), *packed = NULL;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    const size_t bound = compressor ? libdeflate_zlib_compress_bound(compressor, plain_size) : 0;
    if (plain && compressor && (packed = malloc(bound))) {
        for (uint32_t y = 0; y < picture->height; y++)
            filter(picture->pixels + (size_t)y * picture->width * 4, picture->width, depth, plain + y * size);
        writer_bytes(writer, packed, libdeflate_zlib_compress(compressor, plain, plain_size, packed, bound));
    }
    const bool done = packed;
    free(packed);
    free(plain);
    if (compressor)
        libdeflate_free_compressor(compressor);
    return done;
}

enum { AT_ONCE = 16 };

typedef uint8_t bytes16 __attribute__((vector_size(AT_ONCE)));

static inline bytes16 load16(const uint8_t *from)
{
    bytes16 bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

static inline bytes16 chosen(bytes16 mask, bytes16 a, bytes16 b)
{
    return (a & mask) | (b & ~mask);
}

/* Filter 4 (Paeth) of many bytes: the differences of a shaded surface need little else. Its third distance, |a + b - 2 c|,
 * is the sum of the other two where both neighbours lie on one side of the corner, and then never the least. */
static void predict16(const uint8_t *row, const uint8_t *up, unsigned depth, uint8_t *to)
{
    const bytes16 a = load16(row - depth), b = load16(up), c = load16(up - depth);
    const bytes16 b_over = (bytes16)(b > c), a_over = (bytes16)(a > c);
    const bytes16 left = chosen(b_over, b - c, c - b), above = chosen(a_over, a - c, c - a);
    const bytes16 is_nearer = (bytes16)(left <= above);
    const bytes16 both = chosen(is_nearer, above - left, left - above) | ~(b_over ^ a_over);
    const bytes16 is_left = is_nearer & (bytes16)(left <= both), is_above = (bytes16)(above <= both);
    const bytes16 out = load16(row) - chosen(is_left, a, chosen(is_above, b, c));
    memcpy(to, &out, sizeof out);
}

static uint8_t predicted(int a, int b, int c)
{
    const int left = abs(b - c), above = abs(a - c), both = abs(a + b - 2 * c);
    return (uint8_t)(left <= above && left <= both ? a : above <= both ? b : c);
}

static void filter_paeth(const uint8_t *row, const uint8_t *up, size_t size, unsigned depth, uint8_t *to)
{
    size_t i = 0;
    *to++ = 4;
    for (; i < depth; i++)
        to[i] = (uint8_t)(row[i] - up[i]);
    for (; i + AT_ONCE <= size; i += AT_ONCE)
        predict16(row + i, up + i, depth, to + i);
    for (; i < size; i++)
        to[i] = (uint8_t)(row[i] - predicted(row[i - depth], up[i], up[i - depth]));
}

/* The needed bytes of a row, in the picture or in room for them. */
static const uint8_t *row_of(const struct picture *picture, uint32_t y, unsigned depth, uint8_t *room)
{
    const uint8_t *row = picture->pixels + (size_t)y * picture->width * 4;
    for (uint32_t x = 0; depth < 4 && x < picture->width; x++)
        memcpy(room + (size_t)x * depth, row + (size_t)x * 4, depth);
    return depth < 4 ? room : row;
}

static bool pack_quick(const struct picture *picture, unsigned depth, struct writer *writer)
{
    const size_t size = row_size(picture, depth);
    uint8_t *rows = calloc(3, size); /* two of the picture and one of the file */
    struct runs *runs = malloc(sizeof *runs);
    const bool done = rows && runs;
    const uint8_t *up = rows;
    if (done)
        runs_begin(runs, writer);
    for (uint32_t y = 0; done && y < picture->height; y++) {
        const uint8_t *row = row_of(picture, y, depth, rows + (y % 2 ? 0 : size));
        filter_paeth(row, up, size - 1, depth, rows + 2 * size);
        runs_add(runs, rows + 2 * size, size);
        up = row;
    }
    if (done)
        runs_end(runs);
    free(rows);
    free(runs);
    return done;
}

static void put_head(struct writer *writer, const struct picture *picture, unsigned depth)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    writer_bytes(writer, signature, sizeof signature);
    const size_t start = begin_chunk(writer, "IHDR");
    writer_u32be(writer, picture->width);
    writer_u32be(writer, picture->height);
    writer_bytes(writer, (uint8_t[]){8, depth == 4 ? 6 : 2, 0, 0, 0}, 5);
    end_chunk(writer, start);
}

bool picture_write_png(const struct picture *picture, enum picture_effort effort, struct pose_buffer *out)
{
    const unsigned depth = picture->see_through ? 4 : 3;
    const size_t before = out->size;
    struct writer writer;
    writer_init(&writer, out, NULL);
    put_head(&writer, picture, depth);
    const size_t start = begin_chunk(&writer, "IDAT");
    const bool done = (effort == PICTURE_QUICK ? pack_quick : pack_small)(picture, depth, &writer);
    end_chunk(&writer, start);
    end_chunk(&writer, begin_chunk(&writer, "IEND"));
    if (!done || writer.failed)
        out->size = before;
    return done && !writer.failed;
}
