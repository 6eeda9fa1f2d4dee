/* Textures of Metroid Prime: every format by its texels, and the hostile ones of prime-txtr.md 5 by their names there. */
#include "tests/support/codecs.h"
#include "tests/support/prime/models.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "prime-txtr";
enum { I4, I8, IA4, IA8, C4, C8, C14X2, RGB565, RGB5A3, RGBA8, CMPR, FORMATS };

static struct pose_document *must_decode(const struct prime_made *made)
{
    return codec_must_decode(FORMAT, made->bytes.data, made->bytes.size);
}

static void expect_pixel(const struct pose_image *image, unsigned x, unsigned y, unsigned r, unsigned g,
                         unsigned b, unsigned a)
{
    const uint8_t wanted[4] = {(uint8_t)r, (uint8_t)g, (uint8_t)b, (uint8_t)a};
    ck_assert_mem_eq(image->pixels[y * image->width + x], wanted, 4);
}

/* A header, and one tile of words. */
static struct pose_document *decode_words(unsigned format, unsigned width, unsigned height,
                                          const char *palette, const uint8_t *words, size_t size)
{
    struct prime_made made = {0};
    uint8_t tile[64] = {0};
    made_put_u32(&made, format);
    made_put_u16(&made, width);
    made_put_u16(&made, height);
    made_put_u32(&made, 1);
    if (palette) {
        made_put_u32(&made, (uint32_t)palette[0]);
        made_put_u16(&made, 1);
        made_put_u16(&made, 2);
        made_put(&made, palette + 1, 4);
    }
    memcpy(tile, words, size);
    made_put(&made, tile, format == RGBA8 ? 64 : 32);
    struct pose_document *document = must_decode(&made);
    pose_buffer_free(&made.bytes);
    return document;
}

TEST(texels_of_every_format)
{
    static const struct {
        unsigned format, width;
        const char *palette;
        uint8_t words[4];
        uint8_t first[4], second[4];
    } rows[] = {
        {I4, 8, NULL, {0x3f}, {0x33, 0x33, 0x33, 0x33}, {255, 255, 255, 255}},
        {I8, 8, NULL, {0x12, 0x34}, {0x12, 0x12, 0x12, 0x12}, {0x34, 0x34, 0x34, 0x34}},
        {IA4, 8, NULL, {0x4a, 0xf0}, {0xaa, 0xaa, 0xaa, 0x44}, {0, 0, 0, 255}},
        {IA8, 4, NULL, {0x80, 0x10, 0xff, 0x20}, {16, 16, 16, 128}, {32, 32, 32, 255}},
        {C4, 8, "\0\x80\x10\xff\x20", {0x10}, {32, 32, 32, 255}, {16, 16, 16, 128}},
        {C8, 8, "\1\xf8\x00\x00\x1f", {1, 0}, {0, 0, 255, 255}, {255, 0, 0, 255}},
        {C14X2, 4, "\2\xfc\x00\x70\x0f", {0xc0, 1, 0, 0}, {0, 0, 255, 255}, {255, 0, 0, 255}},
        {RGB565, 4, NULL, {0x08, 0x20, 0xff, 0xff}, {8, 4, 0, 255}, {255, 255, 255, 255}},
        {RGB5A3, 4, NULL, {0xfc, 0x00, 0x1f, 0x08}, {255, 0, 0, 255}, {255, 0, 136, 36}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pose_document *document =
            decode_words(rows[i].format, rows[i].width, 4, rows[i].palette, rows[i].words, 4);
        const uint8_t *first = rows[i].first, *second = rows[i].second;
        expect_pixel(document->images, 0, 0, first[0], first[1], first[2], first[3]);
        expect_pixel(document->images, 1, 0, second[0], second[1], second[2], second[3]);
        pose_document_free(document);
    }
}

TEST(rgba8_comes_in_halves)
{
    uint8_t tile[64] = {0};
    for (int i = 0; i < 64; i++)
        tile[i] = (uint8_t)i;
    struct pose_document *document = decode_words(RGBA8, 4, 4, NULL, tile, 64);
    expect_pixel(document->images, 0, 0, 1, 32, 33, 0);
    expect_pixel(document->images, 3, 3, 31, 62, 63, 30);
    pose_document_free(document);
}

/* The worked block of prime-txtr.md 2.1, in the four corners of a tile in turn. */
TEST(cmpr_is_the_hardware_s)
{
    static const uint8_t opaque[8] = {0xf8, 0, 0, 0x1f, 0x1b, 0x1b, 0x1b, 0x1b},
                         clear[8] = {0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint8_t tile[32];
    memcpy(tile, opaque, 8);
    memcpy(tile + 8, clear, 8);
    memcpy(tile + 16, clear, 8);
    memcpy(tile + 24, opaque, 8);
    struct pose_document *document = decode_words(CMPR, 8, 8, NULL, tile, 32);
    const struct pose_image *image = document->images;
    expect_pixel(image, 0, 0, 255, 0, 0, 255);
    expect_pixel(image, 1, 3, 0, 0, 255, 255);
    expect_pixel(image, 2, 0, 159, 0, 95, 255);
    expect_pixel(image, 3, 0, 95, 0, 159, 255);
    expect_pixel(image, 4, 0, 127, 127, 127, 0);
    expect_pixel(image, 0, 7, 127, 127, 127, 0);
    expect_pixel(image, 6, 5, 159, 0, 95, 255);
    ck_assert(image->has_alpha);
    pose_document_free(document);
}

/* Tiles stand where they should: the colours run over the whole picture. */
TEST(tiles_are_in_their_places)
{
    static const unsigned sizes[][2] = {{64, 32}, {20, 12}, {5, 3}, {1, 1}};
    for (unsigned format = 0; format < FORMATS; format++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            unsigned width = sizes[k][0], height = sizes[k][1];
            struct prime_made made;
            prime_make_texture(&made, format, width, height, k ? 1 : 5, NULL);
            struct pose_document *document = codec_must_decode(NULL, made.bytes.data, made.bytes.size);
            const struct pose_image *image = document->images;
            ck_assert_str_eq(document->format, FORMAT);
            ck_assert_uint_eq(codec_warnings(document, NULL), 0);
            ck_assert_uint_eq(image->width, width);
            ck_assert_uint_eq(image->height, height);
            ck_assert_int_eq(image->clamps, k == 1 || k == 2);
            for (unsigned y = 0; y < height && format >= RGB565 && format <= RGBA8; y++) {
                for (unsigned x = 0; x < width; x++) {
                    int red = image->pixels[y * width + x][0], wanted = (int)(40 + 200 * x / width);
                    ck_assert_int_lt(abs(red - wanted), 17);
                }
            }
            pose_document_free(document);
            pose_buffer_free(&made.bytes);
        }
    }
}

TEST(short_and_odd_levels)
{
    struct prime_made made;
    /* 4 by 4 of an 8-wide format: the game counts 16 bytes, a tile has 32. */
    prime_make_texture(&made, I8, 4, 4, 1, NULL);
    made.bytes.size -= 16;
    struct pose_document *document = must_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "short_level"), 1);
    pose_document_free(document);
    made.bytes.size -= 1;
    codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, "truncated");
    pose_buffer_free(&made.bytes);
    static const struct {
        unsigned levels;
        int cut, added;
        uint32_t stored;
        const char *warning;
    } rows[] = {{3, 8, 0, 3, "missing_levels"},
                {1, 0, 0, 0, "no_levels"},
                {4, 0, 0, 4, "too_many_levels"},
                {1, 0, 70, 1, "trailing_bytes"},
                {1, 0, 1, 1, "trailing_bytes"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct made_change changes[] = {{"levels", rows[i].stored}, {NULL, 0}};
        prime_make_texture(&made, RGB565, i == 2 ? 4 : 16, i == 2 ? 4 : 16, rows[i].levels, changes);
        made.bytes.size -= (size_t)rows[i].cut;
        for (int k = 0; k < rows[i].added; k++)
            made_put_u8(&made, 7);
        document = must_decode(&made);
        ck_assert_msg(codec_warnings(document, rows[i].warning) == 1, "%s", rows[i].warning);
        pose_document_free(document);
        pose_buffer_free(&made.bytes);
    }
}

static const struct hostile {
    const char *name;
    unsigned format, width, height;
    struct made_change changes[3];
    int keep; /* bytes, 0: all */
    const char *code;
} hostile[] = {
    {"header_cut", RGBA8, 8, 8, {{0}}, 11, "truncated"},
    {"format_11", RGBA8, 8, 8, {{"format", 11}}, 0, "bad_texture_format"},
    {"width_0", RGBA8, 8, 8, {{"width", 0}}, 0, "bad_size"},
    {"height_0", RGBA8, 8, 8, {{"height", 0}}, 0, "bad_size"},
    {"width_65535", RGBA8, 8, 8, {{"width", 65535}}, 0, "bad_size"},
    {"side_4096_short_file", RGBA8, 8, 8, {{"width", 4096}, {"height", 4096}}, 0, "truncated"},
    {"mips_14", RGBA8, 8, 8, {{"levels", 14}}, 0, "bad_count"},
    {"mips_4g", RGBA8, 8, 8, {{"levels", 0xffffffff}}, 0, "bad_count"},
    {"level_0_cut", CMPR, 8, 8, {{0}}, 12 + 31, "truncated"},
    {"rgba8_cut_in_second_half", RGBA8, 4, 4, {{0}}, 12 + 40, "truncated"},
    {"palette_cut", C4, 8, 8, {{0}}, 12 + 8 + 31, "bad_count"},
    {"palette_header_cut", C4, 8, 8, {{0}}, 12 + 7, "truncated"},
    {"palette_format_3", C8, 8, 8, {{"palette_format", 3}}, 0, "bad_palette_format"},
    {"palette_0", C8, 8, 8, {{"palette_width", 0}}, 0, "bad_count"},
    {"palette_65535_squared",
     C8,
     8,
     8,
     {{"palette_width", 65535}, {"palette_height", 65535}},
     0,
     "bad_count"},
    {"palette_16384_short_file", C8, 8, 8, {{"palette_width", 16384}}, 0, "bad_count"},
    {"palette_index", C4, 8, 8, {{"palette_width", 2}}, 0, "bad_index"},
    {"c14x2_index", C14X2, 8, 8, {{"texel", 0x3fff}}, 0, "bad_index"},
};

TEST_EACH(hostile_textures_are_refused, COUNT(hostile))
{
    const struct hostile *row = &hostile[_i];
    struct prime_made made;
    prime_make_texture(&made, row->format, row->width, row->height, 1, row->changes);
    size_t size = row->keep ? (size_t)row->keep : made.bytes.size;
    codec_must_fail(FORMAT, made.bytes.data, size, row->code);
    ck_assert_uint_lt(codec_memory(FORMAT, made.bytes.data, size), 1 << 18);
    pose_buffer_free(&made.bytes);
}

/* Codes of texels outside of the picture do not count. */
TEST(what_sticks_out_is_ignored)
{
    static const uint8_t codes[] = {0, 0, 9, 9};
    pose_document_free(decode_words(C8, 2, 1, "\0\1\2\3\4", codes, 4));
}

TEST(written_ones_are_rgba8)
{
    struct prime_made made;
    prime_make_texture(&made, CMPR, 20, 12, 1, NULL);
    struct pose_document *document = must_decode(&made);
    struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode(FORMAT, &content, NULL);
    struct pose_document *back = codec_must_decode(NULL, out.data, out.size);
    ck_assert_mem_eq(back->images->pixels, document->images->pixels, 20 * 12 * 4);
    pose_document_free(back);
    pose_document_free(document);
    pose_buffer_free(&out);
    pose_buffer_free(&made.bytes);
}

TEST(a_png_of_it)
{
    struct prime_made made;
    struct pose_buffer png = {0};
    struct pose_error error;
    prime_make_texture(&made, RGB5A3, 8, 8, 1, NULL);
    struct pose_document *document = must_decode(&made);
    ck_assert(pose_image_png(document->images, &png, &error));
    ck_assert_mem_eq(png.data, "\x89PNG", 4);
    pose_buffer_free(&png);
    pose_document_free(document);
    const struct pose_image whole = {.name = "a.txtr", .bytes = {made.bytes.data, made.bytes.size}};
    ck_assert(pose_image_png(&whole, &png, &error));
    pose_buffer_free(&png);
    pose_buffer_free(&made.bytes);
}
