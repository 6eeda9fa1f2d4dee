/*
 * Bodies: which are compressed.
 */
#include "api/protocol/coding.h"
#include "api/protocol/reply.h"
#include "server/ops/work/effort.h"

#include "tests/support/unit.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *accepts_gzip(const struct api_request *request, const char *name)
{
    (void)request;
    return strcmp(name, "Accept-Encoding") ? NULL : "gzip";
}

/* Answers with that many bytes of text, in time or not; whether it was compressed. */
static bool is_packed(size_t size, bool is_late)
{
    struct api_request request = {.header = accepts_gzip};
    struct api_response response;
    struct effort effort;
    struct api_call call = {.request = &request, .response = &response, .effort = &effort};
    struct pose_buffer body = {.data = malloc(size), .size = size, .capacity = size};

    ck_assert_ptr_nonnull(body.data);
    memset(body.data, ' ', size);
    effort_begin(&effort, 1000, NULL, NULL);
    effort.is_late = is_late;
    response_init(&response, 200);
    ck_assert_int_eq(reply_body(&call, "application/json", &body, true), API_DONE);
    const bool is_coded = response_find_header(&response, "Content-Encoding");
    ck_assert(is_coded ? response.size < size : response.size == size);
    response_release(&response);
    return is_coded;
}

enum { LIST = 70000, SERIES = 4 << 20 };

TEST(text_is_compressed_where_it_is_worth_it)
{
    ck_assert(!is_packed(100, false));
    ck_assert(is_packed(LIST, false));
    ck_assert(is_packed(SERIES, false));
}

TEST(a_list_that_took_long_is_compressed_and_only_large_bodies_are_not)
{
    ck_assert(is_packed(LIST, true));
    ck_assert(!is_packed(SERIES, true));
}

static const char *accepted;

static const char *accepts(const struct api_request *request, const char *name)
{
    (void)request;
    return strcmp(name, "Accept-Encoding") ? NULL : accepted;
}

TEST(brotli_is_chosen_where_it_is_kept_and_accepted)
{
    static const struct {
        const char *accepted;
        enum coding with, without;
    } cases[] = {{"gzip, deflate, br, zstd", CODING_BROTLI, CODING_GZIP},
                 {"br", CODING_BROTLI, CODING_IDENTITY},
                 {"gzip, br;q=0.5", CODING_GZIP, CODING_GZIP},
                 {"gzip, br;q=0", CODING_GZIP, CODING_GZIP},
                 {"zstd", CODING_ZSTD, CODING_ZSTD},
                 {"*", CODING_GZIP, CODING_GZIP},
                 {"brotli", CODING_IDENTITY, CODING_IDENTITY}};
    const struct api_request request = {.header = accepts};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        accepted = cases[i].accepted;
        ck_assert_msg(coding_choose_kept(&request, true) == cases[i].with, "%s", accepted);
        ck_assert_msg(coding_choose_kept(&request, false) == cases[i].without, "%s", accepted);
        ck_assert_msg(coding_choose(&request) != CODING_BROTLI, "%s", accepted);
    }
}
