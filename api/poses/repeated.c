#include "api/poses/repeated.h"

#include "api/protocol/coding.h"
#include "server/ops/clock.h"

#include <stdlib.h>
#include <string.h>

enum { HEADERS = 512 }; /* bytes of those that are kept */

struct repeated {
    struct cache_object object;
    void *body; /* from malloc */
    size_t size;
    uint16_t header_size, header_count;
    char headers[HEADERS];
};

bool seen_before(struct seen_poses *seen, const struct asset_id *digest)
{
    uint32_t mark;
    memcpy(&mark, digest->bytes, sizeof mark);
    const unsigned set = digest->bytes[sizeof mark] % (sizeof seen->sets / sizeof *seen->sets);
    uint32_t *const marks = seen->sets[set].marks;
    for (unsigned i = 0; i < 4; i++) {
        if (marks[i] == mark)
            return true;
    }
    marks[seen->sets[set].next++ % 4] = mark;
    return false;
}

static struct cache_key key_of(const struct api_call *call, const struct asset_id *digest, bool is_text)
{
    struct cache_key key = {{'T', is_text ? (uint8_t)coding_choose(call->request) : CODING_IDENTITY}};
    memcpy(key.bytes + 2, digest->bytes, sizeof digest->bytes);
    return key;
}

static void free_repeated(struct cache_object *object)
{
    free(((struct repeated *)object)->body);
    free(object);
}

static void let_go(void *repeated)
{
    cache_unref(&((struct repeated *)repeated)->object);
}

bool repeated_answer(struct api_call *call, const struct asset_id *digest, bool is_text)
{
    const struct cache_key key = key_of(call, digest, is_text);
    enum cache_outcome outcome;
    struct repeated *kept = (struct repeated *)cache_get(call->service->replies, &key, false, clock_ms(),
                                                         NULL, NULL, &outcome, NULL);
    if (!kept)
        return false;
    response_header_block(call->response, kept->headers, kept->header_size, kept->header_count);
    response_borrow(call->response, NULL, kept->body, kept->size, let_go, kept);
    call->response->cache = "hit";
    return true;
}

struct repeated_mark repeated_begin(const struct api_call *call)
{
    return (struct repeated_mark){call->response->header_size, call->response->header_count};
}

void repeated_keep(struct api_call *call, const struct repeated_mark *mark, const struct asset_id *digest,
                   bool is_text)
{
    struct api_response *response = call->response;
    const size_t headers = (size_t)(response->header_size - mark->header_size);
    if (response->status != 200 || response->release != free || !response->size || headers > HEADERS)
        return;
    struct repeated *kept = malloc(sizeof *kept);
    /* There was room for the longest numbers. */
    void *const body = kept ? realloc(response->owner, response->size) : NULL;
    if (!body) {
        free(kept);
        return;
    }
    response->data = body;
    atomic_init(&kept->object.references, 1);
    kept->object.weight = sizeof *kept + response->size;
    kept->object.free = free_repeated;
    kept->body = body;
    kept->size = response->size;
    kept->header_size = (uint16_t)headers;
    kept->header_count = (uint16_t)(response->header_count - mark->header_count);
    memcpy(kept->headers, response->headers + mark->header_size, headers);
    response->owner = kept;
    response->release = let_go;
    const struct cache_key key = key_of(call, digest, is_text);
    cache_put(call->service->replies, &key, &kept->object);
}
