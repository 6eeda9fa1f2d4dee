#include "server/store/s3/multipart.h"

#include "server/store/s3/request.h"
#include "server/store/s3/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 10000, TRIES = 3, MAX_ANSWER = 64 << 10, MAX_QUERY = 4 * S3_TEXT, PART_TEXT = 300 };

struct text {
    char bytes[MAX_ANSWER];
    size_t size;
};

struct parts {
    struct s3 *s3;
    const char *key;
    char upload[MAX_QUERY]; /* "uploadId=…", as it is signed */
    char *list;             /* the document that completes it */
    size_t used, room;
    struct text answer;
    struct s3_failure *failure;
};

static bool take_text(void *user, const void *bytes, size_t size)
{
    struct text *text = user;
    if (size > sizeof text->bytes - text->size)
        return false;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return true;
}

static bool begin(struct parts *parts)
{
    const struct s3_request request = {.method = "POST",
                                       .key = parts->key,
                                       .query = "uploads=",
                                       .sink = take_text,
                                       .user = &parts->answer,
                                       .most = MAX_ANSWER};
    struct s3_answer answer;
    char id[S3_TEXT];
    if (!s3_ask(parts->s3, &request, &answer, parts->failure))
        return false;
    strcpy(parts->upload, "uploadId=");
    return (s3_parse_text(parts->answer.bytes, parts->answer.size, "InitiateMultipartUploadResult",
                          "UploadId", id) &&
            *id && s3_encode(parts->upload, sizeof parts->upload, id)) ||
           s3_fail(parts->failure, S3_AWAY, "an upload in parts got no id");
}

/* ETags are quoted; what else XML would take amiss is refused. */
static bool add_to_list(struct parts *parts, unsigned number, const char *etag)
{
    if (!*etag || strpbrk(etag, "<>&"))
        return s3_fail(parts->failure, S3_AWAY, "a part got no ETag");
    int length = snprintf(parts->list + parts->used, parts->room - parts->used,
                          "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>", number, etag);
    parts->used += (size_t)length;
    return true;
}

static bool put_part(struct parts *parts, unsigned number, const uint8_t *bytes, size_t size)
{
    char query[MAX_QUERY + 40];
    uint8_t hash[S3_HASH];
    struct s3_answer answer;
    snprintf(query, sizeof query, "partNumber=%u&%s", number, parts->upload);
    s3_place_of(parts->s3)->sha256(bytes, size, hash);
    const struct s3_request request = {
        .method = "PUT", .key = parts->key, .query = query, .body = bytes, .size = size, .hash = hash};
    bool done = false;
    for (int i = 0; i < TRIES && !done; i++) {
        done = s3_ask(parts->s3, &request, &answer, parts->failure);
        if (!done && parts->failure->outcome != S3_AWAY)
            return false;
    }
    return done && add_to_list(parts, number, answer.etag);
}

/* The store may find out only after it has begun its answer, which is a 200 then. */
static bool complete(struct parts *parts)
{
    static const char end[] = "</CompleteMultipartUpload>";
    char etag[S3_TEXT];
    uint8_t hash[S3_HASH];
    struct s3_answer answer;
    memcpy(parts->list + parts->used, end, sizeof end);
    const size_t size = parts->used + sizeof end - 1;
    s3_place_of(parts->s3)->sha256(parts->list, size, hash);
    const struct s3_request request = {.method = "POST",
                                       .key = parts->key,
                                       .query = parts->upload,
                                       .body = (const uint8_t *)parts->list,
                                       .size = size,
                                       .hash = hash,
                                       .sink = take_text,
                                       .user = &parts->answer,
                                       .most = MAX_ANSWER};
    parts->answer.size = 0;
    if (!s3_ask(parts->s3, &request, &answer, parts->failure))
        return false;
    return s3_parse_text(parts->answer.bytes, parts->answer.size, "CompleteMultipartUploadResult", "ETag",
                         etag) ||
           s3_fail(parts->failure, S3_AWAY, "an upload in parts was not completed");
}

static void give_up(struct parts *parts)
{
    const struct s3_request request = {.method = "DELETE", .key = parts->key, .query = parts->upload};
    struct s3_failure ignored;
    struct s3_answer answer;
    if (*parts->upload)
        s3_ask(parts->s3, &request, &answer, &ignored);
}

static bool put_all(struct parts *parts, const uint8_t *bytes, size_t size, size_t part_size)
{
    unsigned number = 1;
    if (!begin(parts))
        return false;
    for (size_t at = 0; at < size; at += part_size, number++) {
        if (!put_part(parts, number, bytes + at, size - at < part_size ? size - at : part_size))
            return false;
    }
    return complete(parts);
}

bool s3_put_parts(struct s3 *s3, const char *key, const uint8_t *bytes, size_t size, size_t part_size,
                  struct s3_failure *failure)
{
    static const char start[] = "<CompleteMultipartUpload>";
    if (size / part_size >= MAX_PARTS)
        part_size = size / MAX_PARTS + 1;
    struct parts *parts = calloc(1, sizeof *parts);
    const size_t room = (size / part_size + 2) * PART_TEXT + sizeof start + 64;
    char *list = malloc(room);
    bool done = parts && list;
    if (done) {
        memcpy(list, start, sizeof start);
        *parts = (struct parts){
            .s3 = s3, .key = key, .list = list, .used = sizeof start - 1, .room = room, .failure = failure};
        done = put_all(parts, bytes, size, part_size);
        if (!done)
            give_up(parts);
    } else {
        s3_fail(failure, S3_AWAY, "out of memory");
    }
    free(list);
    free(parts);
    return done;
}
