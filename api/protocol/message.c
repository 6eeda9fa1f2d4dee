/*
 * The response that a handler fills in: headers as text in one buffer, and a body with its owner.
 */
#include "api/protocol/message.h"

#include "lib/core/eight.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t host_length(const char *host)
{
    if (*host != '[')
        return strcspn(host, ":");
    const char *end = strchr(host, ']');
    return end ? (size_t)(end + 1 - host) : strlen(host);
}

void response_init(struct api_response *response, unsigned status)
{
    /* Not the whole struct: the header buffer is most of it and this runs for every request. */
    response->status = status;
    response->header_count = 0;
    response->header_size = 0;
    response->data = NULL;
    response->size = 0;
    response->read = NULL;
    response->release = NULL;
    response->owner = NULL;
    response->is_ready = NULL;
    response->is_dear = false;
    response->is_light = false;
    response->held = 0;
    response->route = "";
    response->cache = NULL;
    response->request_id[0] = '\0';
    response->token[0] = '\0';
    response->client[0] = '\0';
    response->detail[0] = '\0';
}

static void release_body(struct api_response *response)
{
    void (*release)(void *owner) = response->release;
    void *owner = response->owner;
    response->data = NULL;
    response->size = 0;
    response->read = NULL;
    response->release = NULL;
    response->owner = NULL;
    if (release)
        release(owner);
}

void response_release(struct api_response *response)
{
    release_body(response);
    response->header_count = 0;
    response->header_size = 0;
}

/* Whether one of eight is a control character: 0x00 to 0x1f, or 0x7f. */
static bool has_control(uint64_t eight)
{
    return eight_has_below(eight, 0x20) || eight_has(eight, 0x7f);
}

/* The length of the prefix of value that is safe in a header: up to the first control character. */
static size_t printable_length(const char *value)
{
    const size_t whole = strlen(value);
    size_t length = 0;
    while (length + sizeof(uint64_t) <= whole && !has_control(eight_at(value + length)))
        length += sizeof(uint64_t);
    while ((unsigned char)value[length] >= 0x20 && value[length] != 0x7f)
        length++;
    return length;
}

void response_header(struct api_response *response, const char *name, const char *value)
{
    const size_t name_length = strlen(name);
    const size_t value_length = printable_length(value);
    char *at = response->headers + response->header_size;
    if (name_length == 0 || value_length == 0 ||
        name_length + value_length + 2 > (size_t)API_HEADER_CAPACITY - response->header_size)
        return;
    memcpy(at, name, name_length + 1);
    memcpy(at + name_length + 1, value, value_length);
    at[name_length + 1 + value_length] = '\0';
    response->header_size = (uint16_t)(response->header_size + name_length + value_length + 2);
    response->header_count++;
}

void response_header_number(struct api_response *response, const char *name, uint64_t value)
{
    char text[24], *at = text + sizeof text - 1;
    *at = '\0';
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    response_header(response, name, at);
}

void response_drop_header(struct api_response *response, const char *name)
{
    size_t from = 0, to = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < response->header_count; i++) {
        char *at = response->headers + from;
        const size_t name_size = strlen(at) + 1;
        const size_t size = name_size + strlen(at + name_size) + 1;
        from += size;
        if (!strcasecmp(at, name))
            continue;
        memmove(response->headers + to, at, size);
        to += size;
        kept++;
    }
    response->header_size = (uint16_t)to;
    response->header_count = (uint16_t)kept;
}

void response_header_block(struct api_response *response, const char *block, size_t size, unsigned count)
{
    if (size > sizeof response->headers - response->header_size)
        return;
    memcpy(response->headers + response->header_size, block, size);
    response->header_size = (uint16_t)(response->header_size + size);
    response->header_count = (uint16_t)(response->header_count + count);
}

const char *response_find_header(const struct api_response *response, const char *name)
{
    const char *at = response->headers;
    for (unsigned i = 0; i < response->header_count; i++) {
        const char *value = at + strlen(at) + 1;
        if (!strcasecmp(at, name))
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

static void set_type(struct api_response *response, const char *content_type)
{
    if (content_type)
        response_header(response, "Content-Type", content_type);
}

void response_borrow(struct api_response *response, const char *content_type, const void *data, size_t size,
                     void (*release)(void *owner), void *owner)
{
    release_body(response);
    set_type(response, content_type);
    response->data = data;
    response->size = size;
    response->release = release;
    response->owner = owner;
}

void response_take(struct api_response *response, const char *content_type, void *data, size_t size)
{
    response_borrow(response, content_type, data, size, free, data);
}

void response_static(struct api_response *response, const char *content_type, const void *data, size_t size)
{
    response_borrow(response, content_type, data, size, NULL, NULL);
}

bool response_copy(struct api_response *response, const char *content_type, const void *data, size_t size)
{
    void *copy = NULL;
    if (size > 0) {
        copy = malloc(size);
        if (!copy)
            return false;
        memcpy(copy, data, size);
    }
    response_take(response, content_type, copy, size);
    return true;
}

void response_stream(struct api_response *response, const char *content_type, size_t size,
                     ssize_t (*read)(void *owner, uint8_t *buffer, size_t capacity),
                     void (*release)(void *owner), void *owner)
{
    response_borrow(response, content_type, NULL, size, release, owner);
    response->read = read;
}
