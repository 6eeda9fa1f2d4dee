#include "lib/images/picture.h"

#include "lib/packing/runs.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

/*
 * Debian's stb_image.h (public domain or MIT), limited to the formats of these games' textures, from memory only.
 * Its allocations are zeroed, so that parts missing in a damaged file are black instead of uninitialised.
 */
static void *cleared(size_t size)
{
    return calloc(1, size ? size : 1);
}

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_BMP
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_FAILURE_STRINGS
#define STBI_MAX_DIMENSIONS PICTURE_SIDE
#define STBI_MALLOC(size) cleared(size)
#define STBI_REALLOC(memory, size) realloc(memory, size)
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

/*
 * Whether one of the Huffman tables of a JPEG has more than 256 codes: stb_image before 2.28 (Debian 12 has 2.27)
 * writes beyond the room for them. Looks at whatever may be taken for such a table: FF C4, its length, then tables of a
 * byte for its place, 16 counts, and a byte per code (ITU T.81, B.2.4.2).
 */
static bool has_long_table(struct pose_bytes bytes)
{
    enum { HEAD = 17, MAX_CODES = 256 };
    const uint8_t *end = bytes.data + bytes.size, *at = bytes.data;
    if (bytes.size < 4 || at[0] != 0xff) /* markers may begin with any number of FF */
        return false;
    while ((at = memchr(at, 0xff, (size_t)(end - at))) && end - at >= 4) {
        const uint8_t *table = at + 4;
        int left = (at[2] << 8 | at[3]) - 2;
        bool is_table = at[1] == 0xc4;
        at++;
        while (is_table && left > 0 && table < end && table[0] >> 4 <= 1 && (table[0] & 15) <= 3) {
            int codes = 0;
            for (int i = 1; i < HEAD && i < end - table; i++)
                codes += table[i];
            if (codes > MAX_CODES)
                return true;
            left -= HEAD + codes;
            table += end - table > HEAD + codes ? HEAD + codes : end - table;
        }
    }
    return false;
}

bool picture_survey(struct pose_bytes bytes, struct picture_facts *facts, struct pose_error *error)
{
    int width, height, channels, size = bytes.size < INT32_MAX ? (int)bytes.size : 0;
    *facts = (struct picture_facts){0};
    if (has_long_table(bytes) || !stbi_info_from_memory(bytes.data, size, &width, &height, &channels) ||
        width < 1 || height < 1)
        return error_set(error, POSE_BAD_DATA, "bad_picture", "not a readable BMP, PNG, JPEG or TGA");
    if (width > PICTURE_SIDE || height > PICTURE_SIDE || (int64_t)width * height > PICTURE_PIXELS)
        return error_set(error, POSE_OVER_LIMIT, "picture_too_large",
                         "%d by %d pixels; at most %d a side and %d in all are read", width, height,
                         PICTURE_SIDE, PICTURE_PIXELS);
    *facts = (struct picture_facts){(uint32_t)width, (uint32_t)height, channels == 2 || channels == 4};
    return true;
}

bool picture_read(struct pose_bytes bytes, struct picture *picture, struct pose_error *error)
{
    struct picture_facts facts;
    int width, height, channels, size = (int)bytes.size;
    *picture = (struct picture){0};
    if (!picture_survey(bytes, &facts, error))
        return false;
    picture->pixels = stbi_load_from_memory(bytes.data, size, &width, &height, &channels, 4);
    if (!picture->pixels)
        return error_set(error, POSE_BAD_DATA, "bad_picture", "the picture is broken");
    picture->width = (uint32_t)width;
    picture->height = (uint32_t)height;
    for (size_t i = 0; i < (size_t)width * (size_t)height && !picture->see_through; i++)
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
