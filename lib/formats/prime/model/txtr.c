/*
 * Metroid Prime 1 and 2: a texture (TXTR). Big-endian:
 *
 *     u32 format, u16 width, height, u32 levels
 *     formats 4 to 6: u32 palette format, u16 width, height, u16 each: the palette
 *     levels, the largest first: tiles of 32 bytes (RGBA8: 64), row by row
 *     padding
 *
 * There is no magic number. Only level 0 is decoded, which is all that an exporter needs. Rows stay in stored
 * order, the first is v = 0; images are stored bottom row first. Facts: prime-txtr.md.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/core/value.h"
#include "lib/formats/prime/model/model.h"
#include "lib/model/mesh.h"

#include <string.h>

#define EXTENSIONS ".txtr"

enum {
    MAX_SIDE = 4096,
    HARDWARE_SIDE = 1024,
    MAX_LEVELS = 13,
    MAX_PALETTE = 16384,
    TILE_TEXELS = 64,
    FORMAT_COUNT = 11,
    RGBA8 = 9,
};

static const char *const format_names[FORMAT_COUNT] = {"I4",    "I8",     "IA4",    "IA8",   "C4",  "C8",
                                                       "C14X2", "RGB565", "RGB5A3", "RGBA8", "CMPR"};
static const char *const palette_names[] = {"IA8", "RGB565", "RGB5A3"};

struct texel {
    uint8_t r, g, b, a;
};

/* ------------------------------------------------------------------------------------------------- texels -- */

static unsigned e3(unsigned v)
{
    return v << 5 | v << 2 | v >> 1;
}

static unsigned e4(unsigned v)
{
    return v << 4 | v;
}

static unsigned e5(unsigned v)
{
    return v << 3 | v >> 2;
}

static unsigned e6(unsigned v)
{
    return v << 2 | v >> 4;
}

static struct texel make(unsigned r, unsigned g, unsigned b, unsigned a)
{
    return (struct texel){(uint8_t)r, (uint8_t)g, (uint8_t)b, (uint8_t)a};
}

static struct texel from_ia8(unsigned u)
{
    return make(u & 255, u & 255, u & 255, u >> 8);
}

static struct texel from_rgb565(unsigned u)
{
    return make(e5(u >> 11), e6(u >> 5 & 63), e5(u & 31), 255);
}

static struct texel from_rgb5a3(unsigned u)
{
    if (u & 0x8000)
        return make(e5(u >> 10 & 31), e5(u >> 5 & 31), e5(u & 31), 255);
    return make(e4(u >> 8 & 15), e4(u >> 4 & 15), e4(u & 15), e3(u >> 12 & 7));
}

static unsigned word(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

/* -------------------------------------------------------------------------------------------------- tiles -- */

static void tile_i4(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 64; i++) {
        unsigned v = e4(i & 1 ? from[i / 2] & 15u : from[i / 2] >> 4);
        to[i] = make(v, v, v, v);
    }
}

static void tile_i8(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 32; i++)
        to[i] = make(from[i], from[i], from[i], from[i]);
}

static void tile_ia4(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 32; i++) {
        unsigned v = e4(from[i] & 15u);
        to[i] = make(v, v, v, e4((unsigned)from[i] >> 4));
    }
}

static void tile_ia8(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 16; i++)
        to[i] = from_ia8(word(from + 2 * i));
}

static void tile_rgb565(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 16; i++)
        to[i] = from_rgb565(word(from + 2 * i));
}

static void tile_rgb5a3(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 16; i++)
        to[i] = from_rgb5a3(word(from + 2 * i));
}

static void tile_rgba8(const uint8_t *from, struct texel *to)
{
    for (unsigned i = 0; i < 16; i++)
        to[i] = make(from[2 * i + 1], from[32 + 2 * i], from[33 + 2 * i], from[2 * i]);
}

/* The hardware's weights are eighths; transparent texels keep the mean as their colour. */
static void block_colors(unsigned c0, unsigned c1, struct texel colors[4])
{
    struct texel a = from_rgb565(c0), b = from_rgb565(c1);
    colors[0] = a;
    colors[1] = b;
    if (c0 > c1) {
        colors[2] =
            make((5u * a.r + 3u * b.r) >> 3, (5u * a.g + 3u * b.g) >> 3, (5u * a.b + 3u * b.b) >> 3, 255);
        colors[3] =
            make((3u * a.r + 5u * b.r) >> 3, (3u * a.g + 5u * b.g) >> 3, (3u * a.b + 5u * b.b) >> 3, 255);
        return;
    }
    colors[2] = make(((unsigned)a.r + b.r) >> 1, ((unsigned)a.g + b.g) >> 1, ((unsigned)a.b + b.b) >> 1, 255);
    colors[3] = colors[2];
    colors[3].a = 0;
}

static void tile_cmpr(const uint8_t *from, struct texel *to)
{
    for (unsigned block = 0; block < 4; block++, from += 8) {
        struct texel colors[4], *corner = to + (block >> 1) * 32 + (block & 1) * 4;
        block_colors(word(from), word(from + 2), colors);
        for (unsigned i = 0; i < 16; i++)
            corner[i / 4 * 8 + i % 4] = colors[from[4 + i / 4] >> (6 - 2 * (i % 4)) & 3];
    }
}

/* Palette codes of two bytes each. */
static void tile_c4(const uint8_t *from, uint16_t *to)
{
    for (unsigned i = 0; i < 64; i++)
        to[i] = i & 1 ? from[i / 2] & 15u : from[i / 2] >> 4;
}

static void tile_c8(const uint8_t *from, uint16_t *to)
{
    for (unsigned i = 0; i < 32; i++)
        to[i] = from[i];
}

static void tile_c14(const uint8_t *from, uint16_t *to)
{
    for (unsigned i = 0; i < 16; i++)
        to[i] = word(from + 2 * i) & 0x3fff;
}

static const struct tile_form {
    unsigned bits, width, height, size;
    void (*texels)(const uint8_t *from, struct texel *to);
    void (*codes)(const uint8_t *from, uint16_t *to);
} forms[FORMAT_COUNT] = {
    {4, 8, 8, 32, tile_i4, NULL},     {8, 8, 4, 32, tile_i8, NULL},      {8, 8, 4, 32, tile_ia4, NULL},
    {16, 4, 4, 32, tile_ia8, NULL},   {4, 8, 8, 32, NULL, tile_c4},      {8, 8, 4, 32, NULL, tile_c8},
    {16, 4, 4, 32, NULL, tile_c14},   {16, 4, 4, 32, tile_rgb565, NULL}, {16, 4, 4, 32, tile_rgb5a3, NULL},
    {32, 4, 4, 64, tile_rgba8, NULL}, {4, 8, 8, 32, tile_cmpr, NULL},
};

/* ------------------------------------------------------------------------------------------------- header -- */

struct texture {
    struct reader reader;
    uint32_t format, width, height, levels, stored_levels;
    uint32_t palette_format, palette_count;
    const uint8_t *palette;
};

static bool has_palette(const struct texture *texture)
{
    return forms[texture->format].codes;
}

static bool read_palette(struct texture *texture)
{
    struct reader *reader = &texture->reader;
    texture->palette_format = reader_u32be(reader, "palette_format");
    if (!reader->failed && texture->palette_format > 2)
        return reader_fail(reader, "bad_palette_format", "%u; IA8, RGB565 and RGB5A3 are 0 to 2",
                           texture->palette_format);
    unsigned width = reader_u16be(reader, "palette_width"), height = reader_u16be(reader, "palette_height");
    texture->palette_count = (uint32_t)width * height;
    if (!reader->failed && (!texture->palette_count || texture->palette_count > MAX_PALETTE))
        return reader_fail(reader, "bad_count", "a palette of %u by %u; there are 1 to %d entries", width,
                           height, MAX_PALETTE);
    if (!reader->failed && reader_left(reader) < 2 * (size_t)texture->palette_count)
        return reader_fail(reader, "bad_count", "%u entries of the palette promised, %zu bytes left",
                           texture->palette_count, reader_left(reader));
    texture->palette = reader_bytes(reader, 2 * (uint64_t)texture->palette_count, "palette");
    return !reader->failed;
}

static bool read_header(struct texture *texture)
{
    struct reader *reader = &texture->reader;
    texture->format = reader_u32be(reader, "format");
    if (!reader->failed && texture->format >= FORMAT_COUNT)
        return reader_fail(reader, "bad_texture_format", "%u; formats end at %d", texture->format,
                           FORMAT_COUNT - 1);
    texture->width = reader_u16be(reader, "width");
    if (!reader->failed && (!texture->width || texture->width > MAX_SIDE))
        return reader_fail(reader, "bad_size", "%u; a side is 1 to %d", texture->width, MAX_SIDE);
    texture->height = reader_u16be(reader, "height");
    if (!reader->failed && (!texture->height || texture->height > MAX_SIDE))
        return reader_fail(reader, "bad_size", "%u; a side is 1 to %d", texture->height, MAX_SIDE);
    texture->stored_levels = reader_u32be(reader, "levels");
    if (!reader->failed && texture->stored_levels > MAX_LEVELS)
        return reader_fail(reader, "bad_count", "%u levels; there are at most %d", texture->stored_levels,
                           MAX_LEVELS);
    texture->levels = texture->stored_levels ? texture->stored_levels : 1;
    return !reader->failed && (!has_palette(texture) || read_palette(texture));
}

static uint32_t side_of(uint32_t side, uint32_t level)
{
    return side >> level ? side >> level : 1;
}

/* The size in whole tiles. */
static size_t tiled_size(const struct texture *texture, uint32_t level)
{
    const struct tile_form *form = &forms[texture->format];
    uint32_t width = side_of(texture->width, level), height = side_of(texture->height, level);
    return (size_t)((width + form->width - 1) / form->width) * ((height + form->height - 1) / form->height) *
           form->size;
}

/* The size as the game computes it: sides rounded up to 4. */
static size_t game_size(const struct texture *texture, uint32_t level)
{
    size_t width = (side_of(texture->width, level) + 3) & ~3u,
           height = (side_of(texture->height, level) + 3) & ~3u;
    return width * height * forms[texture->format].bits / 8;
}

/* The size of all levels after the first, by either computation. */
static size_t rest_size(const struct texture *texture, size_t (*count)(const struct texture *, uint32_t))
{
    size_t size = 0;
    for (uint32_t level = 1; level < texture->levels; level++)
        size += count(texture, level);
    return size;
}

static bool is_padding(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0 && bytes[i] != 0xff)
            return false;
    }
    return size <= PRIME_PADDING;
}

/* ------------------------------------------------------------------------------------------------- pixels -- */

/* Copies tiles, cropped to the image. */
struct painting {
    const struct texture *texture;
    const uint8_t *data;
    size_t size;
    struct texel *pixels;
    const struct texel *palette;
};

/* Looks up the texels of a tile; false if a code is outside the palette. */
static bool look_up(const struct painting *painting, const uint8_t *tile, unsigned width, unsigned height,
                    struct texel texels[TILE_TEXELS])
{
    const struct tile_form *form = &forms[painting->texture->format];
    uint16_t codes[TILE_TEXELS];
    form->codes(tile, codes);
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            unsigned code = codes[y * form->width + x];
            if (code >= painting->texture->palette_count)
                return false;
            texels[y * form->width + x] = painting->palette[code];
        }
    }
    return true;
}

/* The tile at a texel; after the end of the level tiles are zeros. */
static bool paint_tile(const struct painting *painting, size_t at, uint32_t left, uint32_t top)
{
    const struct texture *texture = painting->texture;
    const struct tile_form *form = &forms[texture->format];
    uint8_t cut[64] = {0};
    const uint8_t *tile = painting->data + at;
    struct texel texels[TILE_TEXELS];
    if (at + form->size > painting->size) {
        if (at < painting->size)
            memcpy(cut, painting->data + at, painting->size - at);
        tile = cut;
    }
    uint32_t width = texture->width - left, height = texture->height - top;
    width = width < form->width ? width : form->width;
    height = height < form->height ? height : form->height;
    if (form->codes && !look_up(painting, tile, width, height, texels))
        return false;
    if (!form->codes)
        form->texels(tile, texels);
    for (uint32_t y = 0; y < height; y++)
        memcpy(painting->pixels + (size_t)(top + y) * texture->width + left, texels + y * form->width,
               width * sizeof *texels);
    return true;
}

static bool paint(struct texture *texture, const struct painting *painting, uint64_t offset)
{
    const struct tile_form *form = &forms[texture->format];
    size_t at = 0;
    for (uint32_t top = 0; top < texture->height; top += form->height) {
        for (uint32_t left = 0; left < texture->width; left += form->width, at += form->size) {
            if (!paint_tile(painting, at, left, top))
                return reader_fail_at(&texture->reader, offset + at, "levels[0]", "bad_index",
                                      "a texel's code is beyond the %u entries of the palette",
                                      texture->palette_count);
        }
    }
    return true;
}

static struct texel *read_colors(const struct texture *texture, struct arena *arena)
{
    static struct texel (*const readers[])(unsigned) = {from_ia8, from_rgb565, from_rgb5a3};
    struct texel *colors = ARENA_NEW(arena, struct texel, texture->palette_count);
    for (uint32_t i = 0; colors && i < texture->palette_count; i++)
        colors[i] = readers[texture->palette_format](word(texture->palette + 2 * (size_t)i));
    return colors;
}

/* ----------------------------------------------------------------------------------------------- the codec -- */

/* Levels after the first have the size that their writer computed. */
static void check_rest(struct decode_job *job, const struct texture *texture, size_t left)
{
    size_t tiled = rest_size(texture, tiled_size), counted = rest_size(texture, game_size);
    const uint8_t *end = texture->reader.end;
    uint64_t offset = reader_offset(&texture->reader);
    if (left < tiled && left < counted)
        warning_add(&job->warnings, POSE_WARNING, "missing_levels", offset,
                    "the file ends within its %u levels", texture->levels);
    else if (!(left >= tiled && is_padding(end - (left - tiled), left - tiled)) &&
             !(left >= counted && is_padding(end - (left - counted), left - counted)))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", offset + (tiled < left ? tiled : counted),
                    "the bytes after the last level are not padding");
}

static void check_header(struct decode_job *job, const struct texture *texture)
{
    uint32_t longer = texture->width > texture->height ? texture->width : texture->height, whole = 1;
    while (longer >> whole)
        whole++;
    if (!texture->stored_levels)
        warning_add(&job->warnings, POSE_WARNING, "no_levels", 8, "0 levels; treated as 1");
    if (texture->levels > whole)
        warning_add(&job->warnings, POSE_WARNING, "too_many_levels", 8, "%u levels, of which %u are enough",
                    texture->levels, whole);
    if (longer > HARDWARE_SIDE)
        warning_add(&job->warnings, POSE_WARNING, "large_texture", 4,
                    "%u by %u; the console's sides end at %d", texture->width, texture->height,
                    HARDWARE_SIDE);
}

static bool is_power_of_two(uint32_t side)
{
    return !(side & (side - 1));
}

static const struct pose_value *describe(const struct texture *texture, struct arena *arena)
{
    struct value_list extras = value_object(arena);
    value_put_string(&extras, "texture_format", format_names[texture->format]);
    value_put_int(&extras, "levels", texture->stored_levels);
    if (has_palette(texture)) {
        value_put_string(&extras, "palette_format", palette_names[texture->palette_format]);
        value_put_int(&extras, "palette_size", texture->palette_count);
    }
    return value_done(&extras);
}

static bool decode_level(struct decode_job *job, struct texture *texture, struct pose_image *image)
{
    struct reader *reader = &texture->reader;
    size_t left = reader_left(reader), tiled = tiled_size(texture, 0), needed = game_size(texture, 0);
    size_t size = left < tiled ? left : tiled, count = (size_t)texture->width * texture->height;
    uint64_t offset = reader_offset(reader);
    if (left < needed)
        return reader_bytes(reader, needed, "levels[0]") != NULL;
    if (left < tiled)
        warning_add(&job->warnings, POSE_WARNING, "short_level", offset,
                    "the last tiles of level 0 are cut off; the missing ones are treated as 0");
    struct texel *pixels = ARENA_NEW(job->arena, struct texel, count);
    struct texel *palette = read_colors(texture, job->arena);
    if (!pixels || !palette)
        return false;
    const struct painting painting = {texture, reader->at, size, pixels, palette};
    if (!paint(texture, &painting, offset))
        return false;
    reader_skip(reader, size, NULL);
    image->pixels = (const uint8_t(*)[4])pixels;
    image->has_alpha = image_has_alpha(image->pixels, count);
    return true;
}

static bool decode(struct decode_job *job)
{
    struct texture texture = {0};
    struct pose_image *image = ARENA_NEW(job->arena, struct pose_image, 1);
    reader_init(&texture.reader, job->source->bytes, job->error);
    if (!image || !read_header(&texture))
        return false;
    check_header(job, &texture);
    *image =
        (struct pose_image){.width = texture.width,
                            .height = texture.height,
                            .clamps = !is_power_of_two(texture.width) || !is_power_of_two(texture.height),
                            .extras = describe(&texture, job->arena)};
    if (!decode_level(job, &texture, image))
        return false;
    check_rest(job, &texture, reader_left(&texture.reader));
    job->document->images = image;
    job->document->image_count = 1;
    return !job->arena->failed;
}

/* Every byte of the file must be accounted for: there is nothing else to recognise it by. */
static bool walk(struct pose_bytes bytes)
{
    struct texture texture = {0};
    reader_init(&texture.reader, bytes, NULL);
    if (!read_header(&texture) || !texture.stored_levels)
        return false;
    size_t left = reader_left(&texture.reader), first = tiled_size(&texture, 0);
    if (left < first)
        return false;
    left -= first;
    size_t tiled = rest_size(&texture, tiled_size), counted = rest_size(&texture, game_size);
    return (left >= tiled && is_padding(texture.reader.end - (left - tiled), left - tiled)) ||
           (left >= counted && is_padding(texture.reader.end - (left - counted), left - counted));
}

static enum probe_result probe(const struct pose_source *source)
{
    if (walk(source->bytes))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

/* ------------------------------------------------------------------------------------------------ encoding -- */

static void put_rgba8_tile(struct writer *writer, const struct pose_image *image, uint32_t left, uint32_t top)
{
    uint8_t tile[64] = {0};
    for (unsigned i = 0; i < 16; i++) {
        uint32_t x = left + i % 4, y = top + i / 4;
        if (x >= image->width || y >= image->height)
            continue;
        const uint8_t *pixel = image->pixels[(size_t)y * image->width + x];
        tile[2 * i] = pixel[3];
        tile[2 * i + 1] = pixel[0];
        tile[32 + 2 * i] = pixel[1];
        tile[33 + 2 * i] = pixel[2];
    }
    writer_bytes(writer, tile, sizeof tile);
}

/* Writes one level of RGBA8, lossless. */
static bool encode(struct encode_job *job)
{
    const struct pose_image *image = job->content->images;
    if (job->content->image_count != 1 || !image->pixels)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_image", "the file holds one image, not %u",
                         job->content->image_count);
    if (!image->width || !image->height || image->width > MAX_SIDE || image->height > MAX_SIDE)
        return error_set(job->error, POSE_BAD_ARGUMENT, "bad_size", "%u by %u; a side is 1 to %d",
                         image->width, image->height, MAX_SIDE);
    writer_u32be(job->writer, RGBA8);
    writer_u16be(job->writer, (uint16_t)image->width);
    writer_u16be(job->writer, (uint16_t)image->height);
    writer_u32be(job->writer, 1);
    for (uint32_t top = 0; top < image->height; top += 4) {
        for (uint32_t left = 0; left < image->width; left += 4)
            put_rgba8_tile(job->writer, image, left, top);
    }
    return !job->writer->failed;
}

const struct codec codec_prime_txtr = {
    .format = {.id = "prime-txtr",
               .title = "Metroid Prime 1 and 2 texture",
               .extensions = EXTENSIONS,
               .media_type = "application/x-prime-txtr",
               .kinds = "image"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
};
