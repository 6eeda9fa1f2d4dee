/* DDS textures: worked blocks, packings, damage, and real ones where they are at hand. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/sims3/dds_files.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct pose_document *decode(struct little_file *file)
{
    struct pose_document *document = codec_must_decode("sims3-dds", file->bytes.data, file->bytes.size);
    pose_buffer_free(&file->bytes);
    return document;
}

static void expect_pixel(const struct pose_document *document, uint32_t x, uint32_t y,
                         const uint8_t wanted[4])
{
    const struct pose_image *image = document->images;
    const uint8_t *got = image->pixels[(size_t)y * image->width + x];
    ck_assert_msg(!memcmp(got, wanted, 4), "(%u,%u) is %u %u %u %u", x, y, got[0], got[1], got[2], got[3]);
}

TEST(worked_blocks)
{
    static const uint8_t plain[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4};
    static const uint8_t holes[8] = {0x1f, 0x00, 0x00, 0xf8, 0xe4, 0xe4, 0xe4, 0xe4};
    static const uint8_t rows[2][4][4] = {
        {{255, 0, 0, 255}, {0, 0, 255, 255}, {170, 0, 85, 255}, {85, 0, 170, 255}},
        {{0, 0, 255, 255}, {255, 0, 0, 255}, {127, 0, 127, 255}, {0, 0, 0, 0}}};
    for (int i = 0; i < 2; i++) {
        struct little_file file = {0};
        dds_put_head(&file, &(struct dds_head){.width = 4, .height = 4, .code = "DXT1", .flags = 4});
        little_put(&file, i ? holes : plain, 8);
        struct pose_document *document = decode(&file);
        for (uint32_t at = 0; at < 16; at++)
            expect_pixel(document, at % 4, at / 4, rows[i][at % 4]);
        ck_assert_int_eq(document->images->has_alpha, i);
        pose_document_free(document);
    }
    struct little_file file = {0};
    static const uint8_t alphas[8] = {255, 0, 218, 182, 145, 109, 72, 36};
    dds_put_sample(&file);
    struct pose_document *document = decode(&file);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    for (uint32_t i = 0; i < 16; i++)
        ck_assert_uint_eq(document->images->pixels[i / 4 * 8 + i % 4][3], alphas[i % 8]);
    pose_document_free(document);
}

static const struct masked {
    const char *name;
    uint32_t flags, bits, masks[4], value;
    uint8_t wanted[4];
} maskeds[] = {
    {"A8R8G8B8", 0x41, 32, {0xff0000, 0xff00, 0xff, 0xff000000}, 0x80102030, {16, 32, 48, 128}},
    {"X8R8G8B8", 0x40, 32, {0xff0000, 0xff00, 0xff, 0}, 0x80102030, {16, 32, 48, 255}},
    {"R8G8B8", 0x40, 24, {0xff0000, 0xff00, 0xff, 0}, 0x102030, {16, 32, 48, 255}},
    {"R5G6B5", 0x40, 16, {0xf800, 0x7e0, 0x1f, 0}, 0xf81f, {255, 0, 255, 255}},
    {"A1R5G5B5", 0x41, 16, {0x7c00, 0x3e0, 0x1f, 0x8000}, 0x03e0, {0, 255, 0, 0}},
    {"A8L8", 0x20001, 16, {0xff, 0, 0, 0xff00}, 0x4080, {128, 128, 128, 64}},
    {"L8", 0x20000, 8, {0xff, 0, 0, 0}, 0x77, {119, 119, 119, 255}},
    {"A8", 2, 8, {0, 0, 0, 0xff}, 0x77, {0, 0, 0, 119}},
};

TEST_EACH(pixels_by_masks, COUNT(maskeds))
{
    const struct masked *one = &maskeds[_i];
    struct little_file file = {0};
    struct dds_head head = {.width = 1, .height = 1, .flags = one->flags, .bits = one->bits};
    memcpy(head.masks, one->masks, sizeof head.masks);
    dds_put_head(&file, &head);
    little_put(&file, &one->value, one->bits / 8);
    struct pose_document *document = decode(&file);
    expect_pixel(document, 0, 0, one->wanted);
    pose_document_free(document);
}

static const struct refused {
    struct dds_head head;
    const char *code;
} refused[] = {
    {{.width = 0, .height = 4, .code = "DXT1", .flags = 4}, "bad_count"},
    {{.width = 65536, .height = 1, .code = "DXT1", .flags = 4}, "bad_count"},
    {{.width = 16384, .height = 16384, .code = "DXT1", .flags = 4}, "bad_count"},
    {{.width = 8192, .height = 8192, .code = "DXT1", .flags = 4}, "truncated"},
    {{.width = 4, .height = 4, .levels = UINT32_MAX, .code = "DXT1", .flags = 4}, "bad_count"},
    {{.width = 4, .height = 4, .code = "DX10", .flags = 4}, "unsupported"},
    {{.width = 4, .height = 4, .code = "ATI2", .flags = 4}, "unsupported"},
    {{.width = 4, .height = 4, .code = "DXT1", .flags = 4, .caps2 = 0x200000}, "unsupported"},
    {{.width = 4, .height = 4, .flags = 0x40, .bits = 7, .masks = {1}}, "unsupported"},
    {{.width = 4, .height = 4, .bits = 32}, "unsupported"},
};

TEST_EACH(broken_ones_are_refused, COUNT(refused))
{
    struct little_file file = {0};
    dds_put_head(&file, &refused[_i].head);
    little_put_u32(&file, 0);
    codec_must_fail("sims3-dds", file.bytes.data, file.bytes.size, refused[_i].code);
    pose_buffer_free(&file.bytes);
}

TEST(every_truncation_is_told)
{
    struct little_file file = {0};
    dds_put_sample(&file);
    for (size_t size = 0; size < file.bytes.size; size++)
        codec_must_fail("sims3-dds", file.bytes.data, size, "truncated");
    pose_buffer_free(&file.bytes);
}

TEST(odd_ones_are_warned_of)
{
    static const struct {
        struct dds_head head;
        size_t bytes;
        const char *warning;
    } odd[] = {
        {{.width = 4, .height = 4, .code = "DXT5"}, 16, "dds_flags"},
        {{.width = 4, .height = 4, .code = "DXT4", .flags = 4}, 16, "premultiplied"},
        {{.width = 4, .height = 4, .levels = 3, .code = "DXT1", .flags = 4}, 8, "dds_missing_levels"},
        {{.width = 4, .height = 4, .levels = 4, .code = "DXT1", .flags = 4}, 32, "dds_too_many_levels"},
        {{.width = 4, .height = 4, .code = "DXT1", .flags = 4}, 9, "trailing_bytes"},
        {{.width = 4, .height = 4, .code = "DXT1", .flags = 4, .caps2 = 0x200}, 48, "cube_map"},
    };
    static const uint8_t zeros[64];
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct little_file file = {0};
        dds_put_head(&file, &odd[i].head);
        little_put(&file, zeros, odd[i].bytes);
        struct pose_document *document = decode(&file);
        ck_assert_uint_eq(codec_warnings(document, odd[i].warning), 1);
        ck_assert_uint_eq(codec_warnings(document, NULL), 1);
        pose_document_free(document);
    }
}

static const struct real {
    const char *file;
    uint32_t width, height, x, y;
    uint8_t wanted[4];
} reals[] = {
    {"textures/emptyOverlay_0x75f8f21e0f143cac.dds", 32, 32, 0, 0, {255, 0, 0, 0}},
    {"textures/flatWhite_0x90de6db90e35feb7.dds", 32, 32, 0, 0, {255, 255, 255, 255}},
    {"textures/RChannelOnly_1_0x6f04c03483c744ec.dds", 256, 256, 0, 0, {255, 0, 0, 255}},
    {"textures/floralVine01_4_0x91ee022a58ad0367.dds", 256, 256, 85, 64, {255, 0, 82, 0}},
    {"textures/ChaosModPaintingDDS01.dds", 256, 256, 85, 64, {114, 185, 239, 255}},
    {"objects/00B2D882-88000000-998148C96DFB8EB9.dds", 128, 256, 42, 64, {132, 109, 57, 0}},
};

TEST_EACH(real_textures, COUNT(reals))
{
    char path[160];
    struct test_file file;
    snprintf(path, sizeof path, "sims3/meshes/%s", reals[_i].file);
    if (!corpus_read(path, &file))
        return;
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(document->images->width, reals[_i].width);
    ck_assert_uint_eq(document->images->height, reals[_i].height);
    expect_pixel(document, reals[_i].x, reals[_i].y, reals[_i].wanted);
    pose_document_free(document);
    test_file_free(&file);
}
