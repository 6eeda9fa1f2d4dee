/*
 * The Sims 3: textures (type 0x00B2D882), which are Microsoft's DDS files as they are, little-endian:
 *
 *     u8[4] "DDS "  u32 124, flags, height, width, size, depth, levels  u32[11]
 *     u32 32, pixel flags  u8[4] code  u32 bits, red, green, blue, alpha masks  u32 caps, caps 2, ...   128 bytes
 *     levels, each half as wide and high: blocks of 4 x 4 pixels (DXT) or rows of pixels
 *
 * Decodes the first level, and the first face of a cube map. Facts: dds.md, whose results other readers share.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/core/value.h"
#include "lib/formats/codec.h"
#include "lib/model/mesh.h"

#include <string.h>

#define EXTENSIONS ".dds"

enum {
    HEADER_SIZE = 128,
    STATED_HEADER_SIZE = 124,
    MAX_SIDE = 16384,
    MAX_PIXELS = 1 << 26,
    MAX_LEVELS = 15,
    BLOCK_SIDE = 4,
    ROW_PIXELS = 16384, /* between looks at the clock */
    FLAG_ALPHA_ONLY = 2,
    FLAG_CODE = 4,
    FLAG_RGB = 0x40,
    FLAG_LUMINANCE = 0x20000,
    CAPS_CUBE = 0x200,
    CAPS_VOLUME = 0x200000,
};

enum packing { DXT1, DXT3, DXT5, MASKED };

struct surface {
    uint32_t width, height, levels;
    uint32_t flags, bits, caps;
    char code[5];
    uint32_t masks[4]; /* red, green, blue, alpha */
    enum packing packing;
};

typedef uint8_t pixel[4];

/* ------------------------------------------------------------------------------------------------ header -- */

/* Determines the packing from the four-letter code, whatever the flags. False if the code is not supported. */
static bool find_packing(struct decode_job *job, struct reader *reader, struct surface *surface)
{
    static const struct {
        const char *code;
        enum packing packing;
        bool premultiplied;
    } known[] = {{"DXT1", DXT1, false},
                 {"DXT2", DXT3, true},
                 {"DXT3", DXT3, false},
                 {"DXT4", DXT5, true},
                 {"DXT5", DXT5, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(surface->code, known[i].code) != 0)
            continue;
        surface->packing = known[i].packing;
        if (!(surface->flags & FLAG_CODE))
            warning_add(&job->warnings, POSE_WARNING, "dds_flags", 80, "%s without its flag", surface->code);
        if (known[i].premultiplied)
            warning_add(&job->warnings, POSE_WARNING, "premultiplied", 84,
                        "colours are premultiplied with alpha; they are kept so");
        return true;
    }
    if (*surface->code && (surface->flags & FLAG_CODE))
        return reader_fail_at(reader, 84, "code", "unsupported", "the compression \"%s\" is not supported",
                              surface->code);
    surface->packing = MASKED;
    uint32_t any = surface->masks[0] | surface->masks[1] | surface->masks[2] | surface->masks[3];
    bool is_known = surface->bits == 8 || surface->bits == 16 || surface->bits == 24 || surface->bits == 32;
    if (is_known && (any || (surface->flags & (FLAG_RGB | FLAG_LUMINANCE | FLAG_ALPHA_ONLY))))
        return true;
    return reader_fail_at(reader, 88, "bits", "unsupported", "%u bits per pixel, masks %08x", surface->bits,
                          any);
}

static uint32_t word_at(struct reader *reader, uint64_t offset, const char *field)
{
    return reader_seek(reader, offset, field) ? reader_u32le(reader, field) : 0;
}

static bool read_sides(struct reader *reader, struct surface *surface)
{
    surface->height = word_at(reader, 12, "height");
    surface->width = reader_u32le(reader, "width");
    if (reader->failed)
        return false;
    if (!surface->width || !surface->height || surface->width > MAX_SIDE || surface->height > MAX_SIDE ||
        (uint64_t)surface->width * surface->height > MAX_PIXELS)
        return reader_fail_at(reader, 12, "height", "bad_count",
                              "%u x %u pixels; at most %d a side and %d in all", surface->width,
                              surface->height, MAX_SIDE, MAX_PIXELS);
    surface->levels = word_at(reader, 28, "levels");
    if (surface->levels > MAX_LEVELS)
        return reader_fail_at(reader, 28, "levels", "bad_count", "%u levels; at most %d", surface->levels,
                              MAX_LEVELS);
    if (!surface->levels)
        surface->levels = 1;
    return !reader->failed;
}

static bool read_header(struct decode_job *job, struct reader *reader, struct surface *surface)
{
    const uint8_t *magic = reader_bytes(reader, 4, "magic");
    if (!magic)
        return false;
    if (memcmp(magic, "DDS ", 4) != 0)
        return reader_fail_at(reader, 0, "magic", "bad_magic", "not \"DDS \"");
    if (reader->end - reader->start < HEADER_SIZE)
        return reader_bytes(reader, HEADER_SIZE - 4, "header") != NULL;
    if (reader_u32le(reader, "size") != STATED_HEADER_SIZE)
        warning_add(&job->warnings, POSE_WARNING, "dds_header_size", 4, "the header's size is not %d",
                    STATED_HEADER_SIZE);
    if (!read_sides(reader, surface))
        return false;
    surface->flags = word_at(reader, 80, "pixel_flags");
    memcpy(surface->code, reader_bytes(reader, 4, "code"), 4);
    text_make_line(surface->code);
    surface->bits = reader_u32le(reader, "bits");
    for (int i = 0; i < 4; i++)
        surface->masks[i] = reader_u32le(reader, "masks");
    surface->caps = word_at(reader, 112, "caps2");
    if (surface->caps & CAPS_VOLUME)
        return reader_fail_at(reader, 112, "caps2", "unsupported", "a volume texture");
    if (surface->caps & CAPS_CUBE)
        warning_add(&job->warnings, POSE_WARNING, "cube_map", 112,
                    "only the first face of the cube map is shown");
    return reader_seek(reader, HEADER_SIZE, "levels") && find_packing(job, reader, surface);
}

/* Bytes of a level; sides are at most MAX_SIDE. */
static uint64_t level_size(const struct surface *surface, uint32_t level)
{
    uint64_t width = surface->width >> level, height = surface->height >> level;
    width = width ? width : 1;
    height = height ? height : 1;
    if (surface->packing == MASKED)
        return width * height * surface->bits / 8;
    return ((width + 3) / BLOCK_SIDE) * ((height + 3) / BLOCK_SIDE) * (surface->packing == DXT1 ? 8 : 16);
}

static void check_levels(struct decode_job *job, const struct surface *surface, uint64_t left)
{
    uint32_t level = 0, sides = surface->width | surface->height;
    for (; level < surface->levels && left >= level_size(surface, level); level++)
        left -= level_size(surface, level);
    if (level < surface->levels)
        warning_add(&job->warnings, POSE_WARNING, "dds_missing_levels", POSE_NO_OFFSET,
                    "only %u of %u levels are present", level, surface->levels);
    else if (left && !(surface->caps & CAPS_CUBE))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", job->source->bytes.size - left,
                    "%llu bytes after the last level", (unsigned long long)left);
    if (surface->levels > 1 && !(sides >> (surface->levels - 1)))
        warning_add(&job->warnings, POSE_WARNING, "dds_too_many_levels", 28,
                    "%u levels, more than the size allows", surface->levels);
}

/* ------------------------------------------------------------------------------------------------ blocks -- */

static uint32_t word16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static void expand(uint32_t color, uint8_t *to)
{
    uint32_t red = color >> 11, green = color >> 5 & 63, blue = color & 31;
    to[0] = (uint8_t)(red << 3 | red >> 2);
    to[1] = (uint8_t)(green << 2 | green >> 4);
    to[2] = (uint8_t)(blue << 3 | blue >> 2);
    to[3] = 255;
}

/* Eight bytes: two colours, with interpolated ones between them. In DXT1 the second may mean that the block has
 * transparent pixels. */
static void read_colors(const uint8_t *block, bool may_have_holes, pixel *to)
{
    uint32_t first = word16(block), second = word16(block + 2);
    bool has_holes = may_have_holes && first <= second;
    pixel colors[4];
    expand(first, colors[0]);
    expand(second, colors[1]);
    for (int i = 0; i < 4; i++) {
        int a = colors[0][i], b = colors[1][i];
        colors[2][i] = (uint8_t)(has_holes ? (a + b) / 2 : (2 * a + b) / 3);
        colors[3][i] = (uint8_t)(has_holes ? 0 : (a + 2 * b) / 3);
    }
    for (int i = 0; i < 16; i++)
        memcpy(to[i], colors[block[4 + i / 4] >> (i % 4 * 2) & 3], sizeof(pixel));
}

static void read_alpha3(const uint8_t *block, pixel *to)
{
    for (int i = 0; i < 16; i++)
        to[i][3] = (uint8_t)((block[i / 2] >> (i % 2 * 4) & 15) * 17);
}

static void read_alpha5(const uint8_t *block, pixel *to)
{
    int values[8] = {block[0], block[1]}, a = block[0], b = block[1];
    uint64_t indices = 0;
    for (int i = 0; i < 6; i++)
        indices |= (uint64_t)block[2 + i] << 8 * i;
    int steps = a > b ? 7 : 5;
    for (int k = 1; k < steps; k++)
        values[k + 1] = ((steps - k) * a + k * b) / steps;
    if (a <= b) {
        values[6] = 0;
        values[7] = 255;
    }
    for (int i = 0; i < 16; i++)
        to[i][3] = (uint8_t)values[indices >> 3 * i & 7];
}

static void read_block(enum packing packing, const uint8_t *block, pixel *to)
{
    read_colors(packing == DXT1 ? block : block + 8, packing == DXT1, to);
    if (packing == DXT3)
        read_alpha3(block, to);
    else if (packing == DXT5)
        read_alpha5(block, to);
}

static void read_blocks(struct arena *arena, const struct surface *surface, const uint8_t *at, pixel *pixels)
{
    size_t size = surface->packing == DXT1 ? 8 : 16;
    for (uint32_t y = 0; y < surface->height && arena_step(arena); y += BLOCK_SIDE) {
        uint32_t rows = surface->height - y < BLOCK_SIDE ? surface->height - y : BLOCK_SIDE;
        for (uint32_t x = 0; x < surface->width; x += BLOCK_SIDE, at += size) {
            pixel block[16];
            uint32_t columns = surface->width - x < BLOCK_SIDE ? surface->width - x : BLOCK_SIDE;
            read_block(surface->packing, at, block);
            for (uint32_t row = 0; row < rows; row++)
                memcpy(pixels[(size_t)(y + row) * surface->width + x], block[4 * row],
                       columns * sizeof(pixel));
        }
    }
}

/* ------------------------------------------------------------------------------------------------- masks -- */

/* A channel of a pixel, scaled from any number of bits to 0 to 255. */
static uint8_t channel(uint32_t value, uint32_t mask)
{
    unsigned shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
    return mask ? (uint8_t)((uint64_t)((value & mask) >> shift) * 255 / (mask >> shift)) : 0;
}

static void read_masked(struct arena *arena, const struct surface *surface, const uint8_t *at, pixel *pixels)
{
    const uint32_t *masks = surface->masks;
    size_t count = (size_t)surface->width * surface->height, bytes = surface->bits / 8;
    bool is_grey = (surface->flags & FLAG_LUMINANCE) || (masks[0] && !masks[1] && !masks[2]);
    for (size_t i = 0; i < count && (i % ROW_PIXELS || arena_step(arena)); i++, at += bytes) {
        uint32_t value = 0;
        for (size_t k = 0; k < bytes; k++)
            value |= (uint32_t)at[k] << 8 * k;
        for (int k = 0; k < 3; k++)
            pixels[i][k] = channel(value, masks[is_grey ? 0 : k]);
        pixels[i][3] = masks[3] ? channel(value, masks[3]) : 255;
    }
}

/* --------------------------------------------------------------------------------------------- the codec -- */

static enum probe_result probe(const struct pose_source *source)
{
    if (source->bytes.size >= 4 && !memcmp(source->bytes.data, "DDS ", 4))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

static bool decode(struct decode_job *job)
{
    struct surface surface = {0};
    struct reader reader;
    reader_init(&reader, job->source->bytes, job->error);
    if (!read_header(job, &reader, &surface))
        return false;
    size_t left = reader_left(&reader);
    const uint8_t *level = reader_bytes(&reader, level_size(&surface, 0), "levels[0]");
    if (!level)
        return false;
    check_levels(job, &surface, left);
    size_t count = (size_t)surface.width * surface.height;
    pixel *pixels = arena_alloc(job->arena, count, sizeof *pixels);
    struct pose_image *image = ARENA_NEW(job->arena, struct pose_image, 1);
    if (!pixels || !image)
        return false;
    (surface.packing == MASKED ? read_masked : read_blocks)(job->arena, &surface, level, pixels);
    struct value_list extras = value_object(job->arena);
    value_put_string(&extras, "packing",
                     surface.packing == MASKED ? "masks" : arena_copy_text(job->arena, surface.code));
    value_put_int(&extras, "levels", surface.levels);
    *image = (struct pose_image){.width = surface.width,
                                 .height = surface.height,
                                 .pixels = (const uint8_t(*)[4])pixels,
                                 .has_alpha = image_has_alpha((const uint8_t(*)[4])pixels, count),
                                 .extras = value_done(&extras)};
    job->document->images = image;
    job->document->image_count = 1;
    return !job->arena->failed;
}

/* ----------------------------------------------------------------------------------------------- writing -- */

static void write_header(struct writer *writer, const struct pose_image *image, uint32_t levels)
{
    enum { FLAGS = 0x2100f, FLAG_ALPHA = 1, BITS = 32, CAPS = 0x401008 };
    static const uint32_t masks[4] = {0xff0000, 0xff00, 0xff, 0xff000000};
    writer_bytes(writer, "DDS ", 4);
    writer_u32le(writer, STATED_HEADER_SIZE);
    writer_u32le(writer, FLAGS);
    writer_u32le(writer, image->height);
    writer_u32le(writer, image->width);
    writer_u32le(writer, 4 * image->width);
    writer_u32le(writer, 1);
    writer_u32le(writer, levels);
    writer_zeros(writer, 44);
    writer_u32le(writer, 32);
    writer_u32le(writer, FLAG_RGB | FLAG_ALPHA);
    writer_zeros(writer, 4);
    writer_u32le(writer, BITS);
    for (unsigned i = 0; i < 4; i++)
        writer_u32le(writer, masks[i]);
    writer_u32le(writer, CAPS);
    writer_zeros(writer, 16);
}

/* The next level: each pixel is the mean of the four, two or one that it covers; an odd last row counts alone. */
static void halve(pixel *pixels, uint32_t *width, uint32_t *height)
{
    const uint32_t wide = *width > 1 ? *width / 2 : 1, high = *height > 1 ? *height / 2 : 1;
    for (uint32_t y = 0; y < high; y++) {
        const uint32_t below = *height > 1 ? 2 * y + 1 : 0;
        for (uint32_t x = 0; x < wide; x++) {
            const uint32_t right = *width > 1 ? 2 * x + 1 : 0;
            const size_t at[4] = {(size_t)(*height > 1 ? 2 * y : 0) * *width + 2 * x * (*width > 1),
                                  (size_t)(*height > 1 ? 2 * y : 0) * *width + right,
                                  (size_t)below * *width + 2 * x * (*width > 1),
                                  (size_t)below * *width + right};
            for (unsigned c = 0; c < 4; c++)
                pixels[(size_t)y * wide + x][c] = (uint8_t)((pixels[at[0]][c] + pixels[at[1]][c] +
                                                             pixels[at[2]][c] + pixels[at[3]][c] + 2) /
                                                            4);
        }
    }
    *width = wide;
    *height = high;
}

/* All levels, uncompressed: A8R8G8B8 loses nothing, and the game has such files. */
static bool encode(struct encode_job *job)
{
    const struct pose_image *image = job->content->images;
    if (job->content->image_count != 1 || !image->pixels)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_image", "the file holds one image, not %u",
                         job->content->image_count);
    if (!image->width || !image->height || image->width > MAX_SIDE || image->height > MAX_SIDE ||
        (uint64_t)image->width * image->height > MAX_PIXELS)
        return error_set(job->error, POSE_BAD_ARGUMENT, "bad_size", "%u by %u; a side is 1 to %d",
                         image->width, image->height, MAX_SIDE);
    uint32_t levels = 1, width = image->width, height = image->height;
    while (width >> levels || height >> levels)
        levels++;
    pixel *pixels = arena_alloc(job->arena, (size_t)width * height, sizeof *pixels);
    if (!pixels)
        return false;
    memcpy(pixels, image->pixels, (size_t)width * height * sizeof *pixels);
    write_header(job->writer, image, levels);
    for (uint32_t level = 0; level < levels; level++) {
        for (size_t i = 0; i < (size_t)width * height; i++) {
            const uint8_t row[4] = {pixels[i][2], pixels[i][1], pixels[i][0], pixels[i][3]};
            writer_bytes(job->writer, row, sizeof row);
        }
        halve(pixels, &width, &height);
    }
    return !job->writer->failed;
}

const struct codec codec_sims3_dds = {
    .format = {.id = "sims3-dds",
               .title = "DDS texture",
               .extensions = EXTENSIONS,
               .media_type = "image/vnd-ms.dds",
               .kinds = "image"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
};
