/* Whoever gives bytes to a library's parser is asked within the call whether to stop, not only after it. */
#include "lib/core/arena.h"
#include "lib/packing/meshopt.h"
#include "tests/support/unit.h"

#include "pose.h"

#include <stdlib.h>
#include <string.h>

struct count {
    unsigned asked, most;
};

static bool ask(void *user)
{
    struct count *count = user;
    return ++count->asked > count->most;
}

enum { LARGE = 4 << 20 };

static char *text;
static size_t size;

static void put(const char *part)
{
    memcpy(text + size, part, strlen(part));
    size += strlen(part);
}

/* A text of 4 MB of the same thing between its begin and its end, which is not as it should be: what is asked before it
 * is found comes from within the parser. */
static void make(const char *begin, const char *part, const char *end)
{
    text = malloc(LARGE + 4096);
    size = 0;
    put(begin);
    while (size < LARGE)
        put(part);
    put(end);
}

static void open_text(const char *name, bool is_archive, struct count *count, struct pose_error *error)
{
    const struct pose_stop stop = {ask, count};
    const struct pose_options options = {.stop = &stop};
    const struct pose_source source = {.name = name, .bytes = {(const uint8_t *)text, size}};
    if (is_archive)
        ck_assert_ptr_null(pose_archive_open(&source, &options, error));
    else
        ck_assert_ptr_null(pose_decode(&source, &options, error));
}

static void check(const char *name, bool is_archive, const char *code, unsigned least)
{
    struct count all = {.most = UINT32_MAX};
    struct pose_error error;
    open_text(name, is_archive, &all, &error);
    ck_assert_str_eq(error.code, code);
    ck_assert_uint_ge(all.asked, least);
    for (unsigned most = 0; most < least; most += 4) {
        struct count count = {.most = most};
        open_text(name, is_archive, &count, &error);
        ck_assert(error.status == POSE_STOPPED);
        ck_assert_uint_eq(count.asked, most + 1);
    }
    free(text);
}

TEST(json)
{
    make("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}", ",{                                   }", "");
    check("a.gltf", false, "bad_json", 12);
    make("{\"asset\":{\"version\":\"2.0\"},\"extras\":\"", "abc\\u00e4", "\n\"}");
    check("a.gltf", false, "bad_json", 12);
    make("{\"asset\":{\"version\":\"2.0\"},\"extras\":[1.5", ",                      -2.5e3", "]]}");
    check("a.gltf", false, "bad_json", 12);
}

/* A skin that names a joint again and again, and at its end one that is not there. */
TEST(skins)
{
    make("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"skins\":[{\"joints\":[0",
         ",0                                   ", ",9]}]}");
    check("a.gltf", false, "bad_index", 40);
}

TEST(xml)
{
    make("<linden_skeleton num_bones=\"0\" num_collision_volumes=\"0\">", "<!-- bones -->", "</linden>");
    check("avatar_skeleton.xml", false, "bad_xml", 4);
    make("<linden_avatar version=\"2.0\">", "<!-- a -->", "</linden>");
    check("avatar_lad.xml", false, "bad_xml", 4);
}

/* More XML than any file has is refused before it is parsed. */
TEST(long_xml)
{
    static const char *const names[] = {"avatar_skeleton.xml", "avatar_lad.xml"};
    for (int i = 0; i < 2; i++) {
        struct count count = {.most = UINT32_MAX};
        struct pose_error error;
        make(i ? "<linden_avatar version=\"2.0\" a=\"" : "<linden_skeleton num_bones=\"0\" a=\"", "x ", "");
        text = realloc(text, 4 * LARGE);
        memset(text + size, ' ', 4 * LARGE - size);
        size = 4 * LARGE;
        open_text(names[i], false, &count, &error);
        ck_assert_str_eq(error.limit, "bytes");
        ck_assert_uint_lt(count.asked, 4);
        free(text);
    }
}

TEST(a_manifest)
{
    make("\x07"
         "xxxTS3Pack\x01\x01"
         "aaaa<Sims3Package>",
         "<a>b</a>", "</Sims>");
    const uint32_t length = (uint32_t)size - 17;
    memcpy(text, "\x07\0\0\0TS3Pack\x01\x01", 13);
    for (int i = 0; i < 4; i++)
        text[13 + i] = (char)(length >> 8 * i);
    check("a.sims3pack", true, "bad_xml", 4);
}

TEST(meshopt)
{
    enum { STRIDE = 4, COUNT = 16 << 20 };
    const size_t packed_size = (size_t)meshopt_least(COUNT, STRIDE);
    uint8_t *packed = calloc(1, packed_size), *out = malloc((size_t)COUNT * STRIDE);
    packed[0] = 0xa0;
    const struct pose_bytes bytes = {packed, packed_size};
    struct count all = {.most = UINT32_MAX}, few = {.most = 7};
    struct arena arena = {.stop = &(struct pose_stop){ask, &all}};
    ck_assert_ptr_null(meshopt_unpack(bytes, COUNT, STRIDE, out, &arena));
    ck_assert_uint_ge(all.asked, 100);
    arena = (struct arena){.stop = &(struct pose_stop){ask, &few}};
    ck_assert_str_eq(meshopt_unpack(bytes, COUNT, STRIDE, out, &arena), "stopped");
    ck_assert(arena.failed && few.asked == 8);
    free(packed);
    free(out);
}
