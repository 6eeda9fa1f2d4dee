/* The operations on objects; what the module exports. */
#include "server/store/s3/multipart.h"
#include "server/store/s3/request.h"
#include "server/store/s3/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_SIZE = 64 << 20, MAX_PAGES = 1 << 20 };

static bool get(struct s3 *s3, const char *key, uint64_t most, s3_sink *sink, void *user,
                struct s3_failure *failure)
{
    const struct s3_request request = {.method = "GET", .key = key, .sink = sink, .user = user, .most = most};
    struct s3_answer answer;
    return s3_ask(s3, &request, &answer, failure);
}

static bool put(struct s3 *s3, const char *key, const void *bytes, size_t size, const uint8_t hash[S3_HASH],
                struct s3_failure *failure)
{
    const uint64_t wanted = s3_place_of(s3)->part_size;
    const size_t part_size = wanted ? (size_t)wanted : PART_SIZE;
    const struct s3_request request = {
        .method = "PUT", .key = key, .body = bytes, .size = size, .hash = hash};
    struct s3_answer answer;
    if (size > part_size)
        return s3_put_parts(s3, key, bytes, size, part_size, failure);
    return s3_ask(s3, &request, &answer, failure);
}

static bool remove_object(struct s3 *s3, const char *key, struct s3_failure *failure)
{
    const struct s3_request request = {.method = "DELETE", .key = key};
    struct s3_answer answer;
    return s3_ask(s3, &request, &answer, failure) || failure->outcome == S3_MISSING;
}

static bool head(struct s3 *s3, const char *key, struct s3_object *found, struct s3_failure *failure)
{
    const struct s3_request request = {.method = "HEAD", .key = key};
    struct s3_answer answer;
    bool done = s3_ask(s3, &request, &answer, failure);
    *found =
        (struct s3_object){.size = answer.length, .modified_s = answer.modified_s, .now_s = answer.now_s};
    return done;
}

static bool reach(struct s3 *s3, struct s3_failure *failure)
{
    const struct s3_request request = {.method = "HEAD"};
    struct s3_answer answer;
    return s3_ask(s3, &request, &answer, failure);
}

/* --------------------------------------------------------------------------------------------------- lists -- */

struct text {
    char *bytes;
    size_t size, capacity;
};

static bool take_text(void *user, const void *bytes, size_t size)
{
    struct text *text = user;
    if (size > text->capacity - text->size) {
        size_t capacity = (text->size + size) * 2;
        char *larger = realloc(text->bytes, capacity);
        if (!larger)
            return false;
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return true;
}

/* Where a list goes on: behind the page that had this token and this last key; empty texts at its beginning. */
struct list_place {
    char token[S3_TEXT], key[S3_TEXT];
};

/* Parameters are in order of their names, as they are signed. curl 8.14 signs a "+" as if it were a blank, so a token
 * that has one is not used: the list goes on behind the last key, which comes to the same. */
static bool list_query(char *query, size_t capacity, const char *prefix, const struct list_place *place)
{
    const bool by_token = *place->token && !strchr(place->token, '+');
    bool fits = true;
    *query = 0;
    if (by_token) {
        strcpy(query, "continuation-token=");
        fits = s3_encode(query, capacity, place->token);
        strcat(query, "&");
    }
    strcat(query, "list-type=2&prefix=");
    fits = fits && s3_encode(query, capacity, prefix);
    if (fits && *place->key && !by_token) {
        strcat(query, "&start-after=");
        fits = s3_encode(query, capacity, place->key);
    }
    return fits;
}

static bool list_page(struct s3 *s3, const char *prefix, const struct list_place *place, struct s3_page *page,
                      struct s3_answer *answer, struct s3_failure *failure)
{
    char query[8 * S3_TEXT];
    struct text text = {0};
    if (!list_query(query, sizeof query - 64, prefix, place))
        return s3_fail(failure, S3_REFUSED, "the prefix is too long");
    const struct s3_request request = {
        .method = "GET", .query = query, .sink = take_text, .user = &text, .most = S3_MAX_XML};
    bool done = s3_ask(s3, &request, answer, failure);
    if (done)
        done = s3_parse_list(text.bytes, text.size, page) ||
               s3_fail(failure, S3_AWAY, "the list of objects cannot be read");
    free(text.bytes);
    return done;
}

/* False if the next page would be one that was there: of a token, or (keys are in order) behind a key. */
static bool go_on(struct list_place *place, const struct s3_page *page)
{
    const char *last = page->count ? page->objects[page->count - 1].key : "";
    const bool is_by_key = strchr(page->next, '+');
    if (is_by_key ? strcmp(last, place->key) <= 0 : !strcmp(page->next, place->token))
        return false;
    memcpy(place->token, page->next, sizeof place->token);
    return !*last || (size_t)snprintf(place->key, sizeof place->key, "%s", last) < sizeof place->key;
}

static bool list(struct s3 *s3, const char *prefix, s3_visit *visit, void *user, struct s3_failure *failure)
{
    struct list_place place = {0};
    bool going = true;
    for (unsigned pages = 0; going && pages < MAX_PAGES; pages++) {
        struct s3_page page = {0};
        struct s3_answer answer;
        if (!list_page(s3, prefix, &place, &page, &answer, failure))
            return false;
        for (size_t i = 0; i < page.count && going; i++) {
            page.objects[i].now_s = answer.now_s;
            if (!strncmp(page.objects[i].key, prefix, strlen(prefix)))
                going = visit(user, &page.objects[i]);
        }
        going = going && page.is_truncated;
        const bool goes_on = !going || go_on(&place, &page);
        s3_page_release(&page);
        if (!goes_on)
            return s3_fail(failure, S3_AWAY, "the list of objects goes round in a circle");
    }
    return !going || s3_fail(failure, S3_AWAY, "the list of objects has no end");
}

extern const struct s3_module s3_module;
__attribute__((visibility("default"))) const struct s3_module s3_module = {
    .open = s3_open,
    .close = s3_close,
    .get = get,
    .put = put,
    .remove = remove_object,
    .head = head,
    .list = list,
    .reach = reach,
};
