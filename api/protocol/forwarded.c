#include "api/protocol/forwarded.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Strips surrounding blanks. */
static void trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
        --*length;
}

/* "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80". */
static bool parse_node(const char *text, size_t length, struct in6_addr *address)
{
    if (length && text[0] == '[') {
        const char *end = memchr(text, ']', length);
        return end && address_parse(text, (size_t)(end - text) + 1, address);
    }
    const char *colon = memchr(text, ':', length);
    if (colon && !memchr(colon + 1, ':', length - (size_t)(colon + 1 - text)))
        length = (size_t)(colon - text);
    return address_parse(text, length, address);
}

/* The value of for= in one element of Forwarded, quoted or not. */
static bool parse_element(const char *text, size_t length, struct in6_addr *address)
{
    while (length) {
        const char *end = memchr(text, ';', length);
        size_t size = end ? (size_t)(end - text) : length;
        const char *pair = text;
        size_t rest = size;
        trim(&pair, &rest);
        if (rest > 4 && !strncasecmp(pair, "for=", 4)) {
            pair += 4;
            rest -= 4;
            if (rest > 2 && pair[0] == '"' && pair[rest - 1] == '"') {
                pair++;
                rest -= 2;
            }
            return parse_node(pair, rest, address);
        }
        text += end ? size + 1 : size;
        length -= end ? size + 1 : size;
    }
    return false;
}

typedef bool parse_hop(const char *text, size_t length, struct in6_addr *address);

/* Walks from the last hop of a header to the first that is not trusted. False if the header is not
 * credible. */
static bool walk(const struct api_request *request, const char *name, parse_hop *parse,
                 const struct address_list *trusted, struct in6_addr *client)
{
    const char *value = request->header(request, name);
    if (!value || request->header_count(request, name) != 1)
        return false;
    size_t end = strlen(value);
    for (;;) {
        size_t begin = end;
        while (begin && value[begin - 1] != ',')
            begin--;
        const char *hop = value + begin;
        size_t length = end - begin;
        trim(&hop, &length);
        if (!parse(hop, length, client))
            return false;
        if (!begin || !address_list_holds(trusted, client))
            return true;
        end = begin - 1;
    }
}

static void print_address(const struct in6_addr *address, char text[API_CLIENT_CAPACITY])
{
    if (IN6_IS_ADDR_V4MAPPED(address))
        inet_ntop(AF_INET, &address->s6_addr[12], text, API_CLIENT_CAPACITY);
    else
        inet_ntop(AF_INET6, address, text, API_CLIENT_CAPACITY);
}

static bool peer_is_trusted(const struct api_request *request, const struct address_list *trusted)
{
    struct in6_addr peer;
    return trusted->count && address_parse(request->client, strlen(request->client), &peer) &&
           address_list_holds(trusted, &peer);
}

void forwarded_client(const struct api_request *request, const struct address_list *trusted,
                      char client[API_CLIENT_CAPACITY])
{
    struct in6_addr listed, element;
    snprintf(client, API_CLIENT_CAPACITY, "%s", request->client);
    if (!peer_is_trusted(request, trusted))
        return;
    bool has_list = walk(request, "X-Forwarded-For", parse_node, trusted, &listed);
    bool has_element = walk(request, "Forwarded", parse_element, trusted, &element);
    bool says_list = request->header(request, "X-Forwarded-For"),
         says_element = request->header(request, "Forwarded");
    if (has_list != says_list || has_element != says_element ||
        (has_list && has_element && memcmp(&listed, &element, sizeof listed) != 0))
        return;
    if (has_list || has_element)
        print_address(has_list ? &listed : &element, client);
}

/* Only letters, digits and the punctuation of a host and port: the value ends up in pages and feeds. */
static bool is_host(const char *text)
{
    size_t length = strlen(text);
    return length && length < API_ORIGIN_CAPACITY - BASE_PATH_CAPACITY - sizeof "https://" &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == length;
}

/* The value of a header that occurs exactly once; NULL otherwise. */
static const char *only_header(const struct api_request *request, const char *name)
{
    return request->header_count(request, name) == 1 ? request->header(request, name) : NULL;
}

const char *forwarded_host(const struct api_request *request, const struct address_list *trusted)
{
    return peer_is_trusted(request, trusted) ? only_header(request, "X-Forwarded-Host") : NULL;
}

void forwarded_origin(const struct api_request *request, const struct address_list *trusted,
                      char origin[API_ORIGIN_CAPACITY])
{
    const char *host = only_header(request, "Host"), *scheme = "http";
    if (peer_is_trusted(request, trusted)) {
        const char *forwarded = forwarded_host(request, trusted);
        const char *protocol = only_header(request, "X-Forwarded-Proto");
        host = forwarded ? forwarded : host;
        scheme = protocol && !strcasecmp(protocol, "https") ? "https" : scheme;
    }
    const bool is_known = host && is_host(host);
    snprintf(origin, API_ORIGIN_CAPACITY, "%s%s%s%s", is_known ? scheme : "", is_known ? "://" : "",
             is_known ? host : "", base_path());
}
