/*
 * The answer that handlers fill in: what a header may hold, and that a body is released exactly once.
 */
#include "api/protocol/message.h"

#include "tests/support/unit.h"

#include <check.h>
#include <string.h>

static unsigned released;

static void count_release(void *owner)
{
    ck_assert_ptr_eq(owner, &released);
    released++;
}

TEST(drops_every_header_of_a_name)
{
    struct api_response response;

    response_init(&response, 200);
    response_header(&response, "ETag", "\"a\"");
    response_header(&response, "Vary", "Accept");
    response_header(&response, "etag", "\"b\"");
    response_header(&response, "Allow", "GET");
    response_drop_header(&response, "ETag");
    response_drop_header(&response, "Link");
    ck_assert_uint_eq(response.header_count, 2);
    ck_assert_ptr_null(response_find_header(&response, "ETag"));
    ck_assert_str_eq(response_find_header(&response, "Vary"), "Accept");
    ck_assert_str_eq(response_find_header(&response, "Allow"), "GET");
    response_header(&response, "ETag", "\"c\"");
    ck_assert_str_eq(response_find_header(&response, "ETag"), "\"c\"");
    response_release(&response);
}

TEST(headers_are_kept_in_order_and_found_without_case)
{
    struct api_response response;

    response_init(&response, 200);
    response_header(&response, "ETag", "\"one\"");
    response_header(&response, "Link", "</a>");
    response_header(&response, "Link", "</b>");
    ck_assert_uint_eq(response.header_count, 3);
    ck_assert_str_eq(response_find_header(&response, "etag"), "\"one\"");
    ck_assert_str_eq(response_find_header(&response, "LINK"), "</a>");
    ck_assert_ptr_null(response_find_header(&response, "Lin"));
    ck_assert_int_eq(memcmp(response.headers, "ETag\0\"one\"\0Link\0</a>\0Link\0</b>", 31), 0);
    ck_assert_uint_eq(response.header_size, 31);
}

TEST(a_value_is_cut_at_a_control_character)
{
    struct api_response response;

    response_init(&response, 200);
    response_header(&response, "X-Name", "walk\r\nSet-Cookie: a=b");
    response_header(&response, "X-Bell", "ring\a");
    response_header(&response, "X-Rubbed", "out\x7fleft");
    response_header(&response, "X-Umlaut", "l\xc3\xa4uft");
    response_header(&response, "X-Nothing", "\n");
    ck_assert_str_eq(response_find_header(&response, "X-Name"), "walk");
    ck_assert_str_eq(response_find_header(&response, "X-Bell"), "ring");
    ck_assert_str_eq(response_find_header(&response, "X-Rubbed"), "out");
    ck_assert_str_eq(response_find_header(&response, "X-Umlaut"), "l\xc3\xa4uft");
    ck_assert_ptr_null(response_find_header(&response, "X-Nothing"));
    ck_assert_ptr_null(response_find_header(&response, "Set-Cookie"));
}

/* Text is looked through eight bytes at a time. */
TEST(a_control_character_is_found_wherever_it_stands)
{
    static const char controls[] = {0x01, '\r', 0x1f, 0x7f};
    for (size_t i = 1; i < 4 * 20; i++) {
        struct api_response response;
        char value[] = "caf\xc3\xa9 ~ a value of 24", name[] = "X";
        value[i / 4] = controls[i % 4];
        response_init(&response, 200);
        response_header(&response, name, value);
        const char *kept = response_find_header(&response, name);
        ck_assert_uint_eq(kept ? strlen(kept) : 0, i / 4);
        ck_assert(!kept || !memcmp(kept, value, i / 4));
        response_release(&response);
    }
}

TEST(a_header_that_does_not_fit_is_left_out)
{
    struct api_response response;
    char longest[API_HEADER_CAPACITY - 2]; /* with "A", two terminators and itself exactly the capacity */

    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';

    response_init(&response, 200);
    response_header(&response, "AB", longest);
    ck_assert_uint_eq(response.header_count, 0);
    response_header(&response, "A", longest);
    ck_assert_uint_eq(response.header_count, 1);
    ck_assert_uint_eq(response.header_size, API_HEADER_CAPACITY);
    ck_assert_str_eq(response_find_header(&response, "A"), longest);
    response_header(&response, "B", "1");
    ck_assert_uint_eq(response.header_count, 1);

    response_init(&response, 200);
    response_header(&response, "Small", "1");
    ck_assert_str_eq(response_find_header(&response, "Small"), "1");
}

TEST(a_body_is_released_once)
{
    struct api_response response;

    released = 0;
    response_init(&response, 200);
    response_borrow(&response, "text/plain", "body", 4, count_release, &released);
    ck_assert_str_eq(response_find_header(&response, "Content-Type"), "text/plain");
    ck_assert_uint_eq(response.size, 4);
    response_release(&response);
    response_release(&response);
    ck_assert_uint_eq(released, 1);
    ck_assert_ptr_null(response.data);
    ck_assert_uint_eq(response.size, 0);
    ck_assert_ptr_null(response_find_header(&response, "Content-Type"));
}

TEST(a_new_body_releases_the_one_before)
{
    struct api_response response;

    released = 0;
    response_init(&response, 200);
    response_borrow(&response, NULL, "first", 5, count_release, &released);
    response_static(&response, NULL, "second", 6);
    ck_assert_uint_eq(released, 1);
    ck_assert_int_eq(memcmp(response.data, "second", 6), 0);
    response_release(&response);
    ck_assert_uint_eq(released, 1);
}

TEST(copied_and_taken_bodies_own_their_memory)
{
    struct api_response response;
    char text[] = "hello";
    char *taken = strdup(text);

    response_init(&response, 200);
    ck_assert(response_copy(&response, NULL, text, 5));
    text[0] = 'j';
    ck_assert_int_eq(memcmp(response.data, "hello", 5), 0);
    response_take(&response, NULL, taken, 5);
    ck_assert_ptr_eq(response.data, taken);
    ck_assert(response_copy(&response, NULL, "", 0));
    ck_assert_uint_eq(response.size, 0);
    response_release(&response);
}

static ssize_t end_at_once(void *owner, uint8_t *buffer, size_t capacity)
{
    (void)owner;
    (void)buffer;
    (void)capacity;
    return 0;
}

TEST(a_stream_replaces_bytes_and_the_other_way_round)
{
    struct api_response response;

    released = 0;
    response_init(&response, 200);
    response_static(&response, NULL, "bytes", 5);
    response_stream(&response, NULL, API_UNKNOWN_SIZE, end_at_once, count_release, &released);
    ck_assert_ptr_null(response.data);
    ck_assert(response.size == API_UNKNOWN_SIZE);
    ck_assert(response.read == end_at_once);
    response_static(&response, NULL, "bytes", 5);
    ck_assert_uint_eq(released, 1);
    ck_assert(response.read == NULL);
    response_release(&response);
}

TEST(a_host_is_what_stands_before_its_port)
{
    ck_assert_uint_eq(host_length("example.org:8080"), 11);
    ck_assert_uint_eq(host_length("example.org"), 11);
    ck_assert_uint_eq(host_length("[::1]:8080"), 5);
    ck_assert_uint_eq(host_length("[::1]"), 5);
    ck_assert_uint_eq(host_length("[a.example.org:80"), 17);
    ck_assert_uint_eq(host_length(""), 0);
}
