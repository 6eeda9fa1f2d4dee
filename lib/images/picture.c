#include "lib/images/picture.h"

#include "lib/core/bytes/writer.h"

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

static void put_chunk(struct writer *writer, const char *type, const uint8_t *data, size_t size)
{
    writer_u32be(writer, (uint32_t)size);
    size_t start = writer->out->size;
    writer_bytes(writer, type, 4);
    writer_bytes(writer, data, size);
    if (!writer->failed)
        writer_u32be(writer, libdeflate_crc32(0, writer->out->data + start, size + 4));
}

/* Rows with the needed bytes only, each as the difference to that of the pixel to its left (filter 1). */
static void filter(const struct picture *picture, unsigned depth, uint8_t *to)
{
    for (uint32_t y = 0; y < picture->height; y++) {
        const uint8_t *row = picture->pixels + (size_t)y * picture->width * 4;
        size_t size = (size_t)picture->width * 4;
        *to++ = 1;
        memcpy(to, row, depth);
        to += depth;
        if (depth == 4) {
            for (size_t i = 4; i < size; i++)
                to[i - 4] = (uint8_t)(row[i] - row[i - 4]);
            to += size - 4;
            continue;
        }
        for (size_t i = 4; i < size; i += 4) {
            for (unsigned k = 0; k < depth; k++)
                *to++ = (uint8_t)(row[i + k] - row[i + k - 4]);
        }
    }
}

/* The packed rows; NULL if out of memory. */
static uint8_t *pack(const struct picture *picture, unsigned depth, enum picture_effort effort, size_t *size)
{
    size_t plain_size = (size_t)picture->height * ((size_t)picture->width * depth + 1);
    uint8_t *plain = malloc(plain_size), *packed = NULL;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor((int)effort);
    size_t room = compressor ? libdeflate_zlib_compress_bound(compressor, plain_size) : 0;
    if (plain && compressor && (packed = malloc(room))) {
        filter(picture, depth, plain);
        *size = libdeflate_zlib_compress(compressor, plain, plain_size, packed, room);
    }
    free(plain);
    if (compressor)
        libdeflate_free_compressor(compressor);
    return packed;
}

bool picture_write_png(const struct picture *picture, enum picture_effort effort, struct pose_buffer *out)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned depth = picture->see_through ? 4 : 3;
    size_t size = 0, before = out->size;
    uint8_t *packed = pack(picture, depth, effort, &size);
    uint8_t head[13] = {(uint8_t)(picture->width >> 24),
                        (uint8_t)(picture->width >> 16),
                        (uint8_t)(picture->width >> 8),
                        (uint8_t)picture->width,
                        (uint8_t)(picture->height >> 24),
                        (uint8_t)(picture->height >> 16),
                        (uint8_t)(picture->height >> 8),
                        (uint8_t)picture->height,
                        8,
                        depth == 4 ? 6 : 2};
    struct writer writer;
    if (!packed)
        return false;
    writer_init(&writer, out, NULL);
    writer_bytes(&writer, signature, sizeof signature);
    put_chunk(&writer, "IHDR", head, sizeof head);
    put_chunk(&writer, "IDAT", packed, size);
    put_chunk(&writer, "IEND", NULL, 0);
    free(packed);
    if (writer.failed)
        out->size = before;
    return !writer.failed;
}
