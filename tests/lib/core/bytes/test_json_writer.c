/* JSON text: commas, nesting, numbers and strings as every part of the program writes them. */
#include "lib/core/bytes/json_writer.h"
#include "lib/core/bytes/base64.h"
#include "tests/support/allocators.h"
#include "tests/support/unit.h"

#include <math.h>

/* What was written, as text; the buffer is freed at the next call. */
static const char *text_of(struct pose_buffer *buffer)
{
    static char text[4096];
    ck_assert_uint_lt(buffer->size, sizeof text);
    memcpy(text, buffer->data, buffer->size);
    text[buffer->size] = 0;
    pose_buffer_free(buffer);
    return text;
}

TEST(commas_stand_between_members_and_items)
{
    struct pose_buffer out = {0};
    struct json_writer json;
    jsonw_init(&json, &out);
    jsonw_object(&json, NULL);
    jsonw_array(&json, "none");
    jsonw_end(&json);
    jsonw_array(&json, "some");
    jsonw_object(&json, NULL);
    jsonw_end(&json);
    jsonw_integer(&json, NULL, INT64_MIN);
    jsonw_unsigned(&json, NULL, UINT64_MAX);
    jsonw_integer(&json, NULL, 0);
    jsonw_bool(&json, NULL, true);
    jsonw_null(&json, NULL);
    jsonw_end(&json);
    jsonw_raw(&json, "raw", "[1]");
    jsonw_raw_members(&json, "");
    jsonw_raw_members(&json, "\"a\":1,\"b\":2");
    jsonw_object_value(&json, "extras", NULL);
    jsonw_value(&json, "value", NULL);
    jsonw_end(&json);
    ck_assert_str_eq(text_of(&out),
                     "{\"none\":[],\"some\":[{},-9223372036854775808,18446744073709551615,0,true,"
                     "null],\"raw\":[1],\"a\":1,\"b\":2,\"extras\":{},\"value\":null}");
}

TEST(members_of_an_object_that_others_opened)
{
    struct pose_buffer out = {0};
    struct json_writer json;
    jsonw_init_members(&json, &out);
    jsonw_integer(&json, "a", 1);
    jsonw_array(&json, "b");
    jsonw_end(&json);
    ck_assert_str_eq(text_of(&out), "\"a\":1,\"b\":[]");
}

TEST(what_is_not_finite_is_null_or_0)
{
    /* More than one block of numbers. */
    float values[70] = {1.5f, NAN, INFINITY, -0.0f};
    struct pose_buffer out = {0};
    struct json_writer json;
    jsonw_init(&json, &out);
    jsonw_object(&json, NULL);
    jsonw_floats(&json, "floats", values, 4);
    jsonw_finite_floats(&json, "finite", values, 4);
    jsonw_number(&json, "number", NAN);
    jsonw_finite_number(&json, "finite_number", NAN);
    jsonw_end(&json);
    ck_assert_str_eq(text_of(&out), "{\"floats\":[1.5,null,null,-0],\"finite\":[1.5,0,0,-0],\"number\":null,"
                                    "\"finite_number\":0}");
    jsonw_init(&json, &out);
    jsonw_floats(&json, NULL, values, 70);
    const char *text = text_of(&out);
    ck_assert_uint_eq(strlen(text), strlen("[1.5,null,null,-0]") + 66 * 2);
}

TEST(strings_are_escaped)
{
    static const char *const cases[][2] = {
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\b\n\r\t\x7f", "\"\\u0008\\n\\r\\t\\u007f\""},
        {"\xc3\xa4\xf0\x9f\x99\x82", "\"\xc3\xa4\xf0\x9f\x99\x82\""},
        {"\xff|\xc3", "\"\xef\xbf\xbd|\xef\xbf\xbd\""},
        {"\xc2\x85\xe2\x80\xae", "\"\\u0085\\u202e\""},
        {NULL, "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pose_buffer out = {0};
        struct json_writer json;
        jsonw_init(&json, &out);
        jsonw_string(&json, NULL, cases[i][0]);
        ck_assert_str_eq(text_of(&out), cases[i][1]);
    }
}

/* What stands for itself is looked for eight characters at a time. */
TEST(a_character_is_escaped_wherever_it_stands)
{
    static const struct {
        const char *character, *escaped;
    } cases[] = {{"\x01", "\\u0001"}, {"\"", "\\\""},           {"\\", "\\\\"},
                 {"\x7f", "\\u007f"}, {"\xc3\xa4", "\xc3\xa4"}, {"\xff", "\xef\xbf\xbd"}};
    static const char plain[] = "!Aa~ 0123456789#[]^z{}";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t at = 0; at < sizeof plain; at++) {
            char text[64], expected[64];
            struct pose_buffer out = {0};
            struct json_writer json;
            sprintf(text, "%.*s%s%s", (int)at, plain, cases[i].character, plain + at);
            sprintf(expected, "\"%.*s%s%s\"", (int)at, plain, cases[i].escaped, plain + at);
            jsonw_init(&json, &out);
            jsonw_string(&json, NULL, text);
            ck_assert_str_eq(text_of(&out), expected);
            for (size_t most = 3; most < sizeof plain; most++) {
                jsonw_init(&json, &out);
                jsonw_string_cut(&json, NULL, text, most);
                ck_assert_uint_le(out.size, most + strlen("\"\""));
                ck_assert_int_eq(memcmp(out.data, expected, out.size - strlen("…\"")), 0);
                pose_buffer_free(&out);
            }
        }
    }
}

TEST(long_strings_are_cut_with_an_ellipsis)
{
    struct pose_buffer out = {0};
    struct json_writer json;
    jsonw_init(&json, &out);
    jsonw_array(&json, NULL);
    jsonw_string_cut(&json, NULL, "abcdefgh", 8); /* three bytes of them are the ellipsis's */
    jsonw_string_cut(&json, NULL, "abcde", 8);
    jsonw_string_cut(&json, NULL, "abcd\n\n", 8);
    jsonw_end(&json);
    ck_assert_str_eq(text_of(&out), "[\"abcde…\",\"abcde\",\"abcd…\"]");
}

TEST(half_a_text_is_none)
{
    unsigned left;
    const struct pose_allocator allocator = allocator_of_some(&left);
    for (unsigned count = 0; count < 4; count++) {
        struct pose_buffer out = {.allocator = &allocator};
        struct json_writer json;
        left = count;
        jsonw_init(&json, &out);
        jsonw_array(&json, NULL);
        for (int i = 0; i < 1000; i++)
            jsonw_integer(&json, NULL, i);
        jsonw_end(&json);
        ck_assert(json.to.failed);
        ck_assert_uint_eq(out.size, 0);
    }
}

TEST(base64_there_and_back)
{
    static const char *const texts[] = {"", "AA==", "AAE=", "AAEC", "AAECAw=="};
    const uint8_t bytes[4] = {0, 1, 2, 3};
    for (size_t size = 0; size <= 4; size++) {
        char text[9] = "";
        uint8_t back[16];
        size_t bad;
        ck_assert_uint_eq(base64_length(size), strlen(texts[size]));
        base64_encode(bytes, size, text);
        ck_assert_str_eq(text, texts[size]);
        ck_assert_uint_eq(base64_decode(text, strlen(text), back, &bad), size);
        ck_assert_int_eq(memcmp(back, bytes, size), 0);
    }
}
