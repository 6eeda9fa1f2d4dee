/* What a JPEG may cost: scans are counted before decoding, looks are taken between them, and broken ones cost once. */
#include "lib/images/picture.h"
#include "tests/support/unit.h"

#include <string.h>

static uint8_t file[1 << 20];
static size_t size;

static void put(const void *bytes, size_t count)
{
    memcpy(file + size, bytes, count);
    size += count;
}

#define PUT(...) put((uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

/* Tables of one code each, and the head of a progressive picture in grey. */
static void begin(uint16_t side)
{
    static const uint8_t ones[64] = {1};
    size = 0;
    PUT(0xff, 0xd8, 0xff, 0xdb, 0, 67, 0);
    put(ones, sizeof ones);
    PUT(0xff, 0xc2, 0, 11, 8, (uint8_t)(side >> 8), (uint8_t)side, (uint8_t)(side >> 8), (uint8_t)side, 1, 1,
        0x11, 0);
    for (uint8_t kind = 0; kind <= 0x10; kind += 0x10)
        PUT(0xff, 0xc4, 0, 20, kind, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    PUT(0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
}

static struct pose_bytes scans(uint16_t side, uint32_t count)
{
    begin(side);
    for (uint32_t i = 1; i < count; i++)
        PUT(0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0, 0, 0, 0);
    PUT(0xff, 0xd9);
    return (struct pose_bytes){file, size};
}

struct count {
    unsigned asked, most;
};

static bool ask(void *user)
{
    struct count *count = user;
    return ++count->asked > count->most;
}

static void check(struct pose_bytes bytes, const char *code)
{
    struct picture picture;
    struct pose_error error;
    pose_error_init(&error);
    const bool done = picture_read(bytes, NULL, NULL, &picture, &error);
    ck_assert_str_eq(error.code, code ? code : "");
    ck_assert(done == !code);
    picture_free(&picture);
}

TEST(too_many_scans_are_refused_by_the_head)
{
    struct picture_facts facts;
    struct pose_error error;
    check(scans(64, PICTURE_SCANS), NULL);
    check(scans(64, PICTURE_SCANS + 1), "picture_too_large");
    check(scans(4000, 26), "picture_too_large");
    pose_error_init(&error);
    ck_assert(!picture_survey(scans(4000, 20000), NULL, &facts, &error));
    ck_assert(strstr(error.detail, "20000 scans over 4000 by 4000 pixels"));
    ck_assert(error.status == POSE_OVER_LIMIT);
}

/* A sequential picture without any of its data: each coefficient is a code of one bit and 15 more, all zero.
 * scan_components: of each scan; 0: all. */
static struct pose_bytes sequential(uint16_t side, uint8_t components, uint8_t scan_components)
{
    static const uint8_t ones[64] = {1};
    size = 0;
    PUT(0xff, 0xd8, 0xff, 0xdb, 0, 67, 0);
    put(ones, sizeof ones);
    PUT(0xff, 0xc0, 0, (uint8_t)(8 + 3 * components), 8, (uint8_t)(side >> 8), (uint8_t)side,
        (uint8_t)(side >> 8), (uint8_t)side, components);
    for (uint8_t i = 0; i < components; i++)
        PUT(i, 0x11, 0);
    for (uint8_t kind = 0; kind <= 0x10; kind += 0x10)
        PUT(0xff, 0xc4, 0, 20, kind, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kind ? 0x0f : 11);
    const uint8_t step = scan_components ? scan_components : components;
    for (uint8_t first = 0; first < components; first += step) {
        PUT(0xff, 0xda, 0, (uint8_t)(6 + 2 * step), step);
        for (uint8_t i = 0; i < step; i++)
            PUT((uint8_t)(first + i), 0);
        PUT(0, 63, 0);
    }
    PUT(0xff, 0xd9);
    return (struct pose_bytes){file, size};
}

/* Blocks without bytes are looked at as well, in each kind of colour; a stop there is the last question. */
TEST(it_is_stopped_within_a_scan)
{
    static const uint8_t counts[] = {1, 3, 4};
    for (int i = 0; i < 3; i++) {
        const uint8_t components = counts[i];
        struct count all = {.most = UINT32_MAX};
        struct picture picture;
        struct pose_error error;
        pose_error_init(&error);
        const struct pose_bytes bytes = sequential(512, components, 0);
        ck_assert(picture_read(bytes, &(struct pose_stop){ask, &all}, NULL, &picture, &error));
        picture_free(&picture);
        ck_assert_uint_ge(all.asked, components * 64 * 64 / 1024);
        for (unsigned most = 0; most < all.asked; most++) {
            struct count count = {.most = most};
            pose_error_init(&error);
            ck_assert(!picture_read(bytes, &(struct pose_stop){ask, &count}, NULL, &picture, &error));
            ck_assert(error.status == POSE_STOPPED && !picture.pixels);
            ck_assert_uint_le(count.asked, most + 4);
        }
    }
}

/* What follows the last scan of a progressive picture, too. */
TEST(it_is_stopped_behind_the_scans)
{
    struct count count = {.most = UINT32_MAX};
    struct picture picture;
    ck_assert(picture_read(scans(2048, 2), &(struct pose_stop){ask, &count}, NULL, &picture, NULL));
    picture_free(&picture);
    ck_assert_uint_ge(count.asked, 256 * 256 / 1024);
}

TEST(a_sequential_component_has_one_scan)
{
    check(sequential(64, 3, 1), NULL);
    check(sequential(64, 4, 2), NULL);
    sequential(64, 3, 0);
    size -= 2;
    PUT(0xff, 0xda, 0, 8, 1, 2, 0, 0, 63, 0, 0xff, 0xd9);
    check((struct pose_bytes){file, size}, "bad_picture");
    sequential(64, 3, 1);
    size -= 2;
    for (int i = 0; i < 20; i++)
        PUT(0xff, 0xda, 0, 8, 1, 2, 0, 0, 63, 0);
    PUT(0xff, 0xd9);
    check((struct pose_bytes){file, size}, "bad_picture");
}

/* Two bytes a channel count twice. */
TEST(deep_pixels_are_half_as_many)
{
    static const struct {
        uint32_t width, height;
        uint8_t depth;
        bool is_read;
    } heads[] = {{4096, 4096, 8, true},  {4096, 2048, 16, true},  {4096, 2049, 16, false},
                 {8192, 1024, 16, true}, {4096, 4096, 16, false}, {8192, 8192, 16, false}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const uint32_t width = heads[i].width, height = heads[i].height;
        struct picture_facts facts;
        struct pose_error error;
        pose_error_init(&error);
        size = 0;
        PUT(0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0,
            (uint8_t)(width >> 8), (uint8_t)width, 0, 0, (uint8_t)(height >> 8), (uint8_t)height,
            heads[i].depth, 6, 0, 0, 0, 0, 0, 0, 0);
        ck_assert(picture_survey((struct pose_bytes){file, size}, NULL, &facts, &error) == heads[i].is_read);
        ck_assert_str_eq(error.code, heads[i].is_read ? "" : "picture_too_large");
    }
}

/* A scan in a comment or after the end of the image does not count; one after fill bytes does. */
TEST(only_scans_of_the_picture_count)
{
    scans(64, PICTURE_SCANS);
    for (int i = 0; i < 100; i++)
        PUT(0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0);
    check((struct pose_bytes){file, size}, NULL);
    begin(64);
    PUT(0xff, 0xfe, 0, 12, 0xff, 0xda, 0, 8, 0xff, 0xda, 0xff, 0xda, 0xff, 0xda);
    for (int i = 1; i < PICTURE_SCANS; i++)
        PUT(0xff, 0xff, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0, 0);
    PUT(0xff, 0xd9);
    check((struct pose_bytes){file, size}, NULL);
    size -= 2;
    PUT(0xff, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0, 0xff, 0xd9);
    check((struct pose_bytes){file, size}, "picture_too_large");
}

TEST(it_is_stopped_between_scans)
{
    struct picture picture;
    struct pose_error error;
    for (unsigned most = 0; most < 20; most++) {
        struct count count = {.most = most};
        const struct pose_stop stop = {ask, &count};
        pose_error_init(&error);
        ck_assert(!picture_read(scans(640, 150), &stop, NULL, &picture, &error));
        ck_assert(error.status == POSE_STOPPED);
        ck_assert(!picture.pixels);
    }
    struct count count = {.most = 100000};
    const struct pose_stop stop = {ask, &count};
    pose_error_init(&error);
    ck_assert(picture_read(scans(640, 150), &stop, NULL, &picture, &error));
    ck_assert_uint_ge(count.asked, 150);
    picture_free(&picture);
}

struct memory {
    unsigned asked, told;
    bool has;
};

static bool has(void *user, struct pose_bytes picture)
{
    struct memory *memory = user;
    memory->asked++;
    ck_assert(picture.data == file && picture.size == size);
    return memory->has;
}

static void add(void *user, struct pose_bytes picture)
{
    struct memory *memory = user;
    memory->told++;
    memory->has = picture.data == file && picture.size == size;
}

/* What was stopped is read the next time; what is broken is not decoded again. */
TEST(broken_ones_are_remembered)
{
    struct picture picture;
    struct pose_error error;
    struct memory memory = {0};
    const struct pose_refusals refusals = {has, add, &memory};
    struct count few = {.most = 3}, many = {.most = 100000}, again = {.most = 100000};
    scans(640, 40);
    size -= 2;
    PUT(0xff, 0xda, 0, 8, 1, 9, 0, 1, 63, 0, 0xff, 0xd9); /* of a component that there is not */
    struct count *counts[] = {&few, &many, &again};
    for (unsigned i = 0; i < 3; i++) {
        const struct pose_stop stop = {ask, counts[i]};
        pose_error_init(&error);
        ck_assert(!picture_read((struct pose_bytes){file, size}, &stop, &refusals, &picture, &error));
        ck_assert(error.status == (i ? POSE_BAD_DATA : POSE_STOPPED));
        ck_assert(memory.asked == i + 1 && memory.told == (i > 0));
    }
    ck_assert_uint_ge(many.asked, 40);
    ck_assert_uint_lt(again.asked, 20);
}

/* Pictures that fail while they are decoded are reported, from files and textures; good ones and bad heads are not. */
TEST(only_broken_pixels_are_told_of)
{
    struct memory memory = {0};
    const struct pose_refusals refusals = {has, add, &memory};
    const struct pose_options options = {.refusals = &refusals};
    struct picture picture;
    ck_assert(picture_read(scans(64, 3), NULL, &refusals, &picture, NULL));
    picture_free(&picture);
    ck_assert(!picture_read(scans(64, PICTURE_SCANS + 1), NULL, &refusals, &picture, NULL));
    ck_assert(memory.asked == 1 && !memory.told);
    scans(64, 3);
    size -= 2;
    PUT(0xff, 0xda, 0, 8, 1, 9, 0, 1, 63, 0, 0xff, 0xd9);
    const struct pose_source source = {.name = "a.jpg", .bytes = {file, size}};
    for (unsigned i = 0; i < 2; i++) {
        struct pose_error error;
        ck_assert_ptr_null(pose_decode(&source, &options, &error));
        ck_assert_str_eq(error.code, "bad_picture");
        ck_assert(memory.asked == i + 2 && memory.told == 1);
    }
}

/* A table of more codes than there is room for, cut off behind its counts. */
TEST(long_tables_are_refused)
{
    begin(64);
    const size_t head = size;
    PUT(0xff, 0xc4, 1, 0x14, 0);
    for (int i = 0; i < 16; i++)
        PUT(17);
    check((struct pose_bytes){file, size}, "bad_picture");
    size = head;
    PUT(0xff, 0xc4, 0xff, 0xff, 0);
    for (int i = 0; i < 16; i++)
        PUT(255);
    check((struct pose_bytes){file, size}, "bad_picture");
}
