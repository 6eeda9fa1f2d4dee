/* Who asks, when a proxy stands between. */
#ifndef POSED_API_PROTOCOL_FORWARDED_H
#define POSED_API_PROTOCOL_FORWARDED_H

#include "api/protocol/message.h"
#include "server/ops/addresses.h"

/*
 * The client's address as text: the peer's own, unless the peer is one of the trusted; then what X-Forwarded-For or
 * Forwarded (RFC 7239) say, from their end, as far as each hop is trusted. A header that is there twice or cannot be
 * read, and two that contradict each other, are not believed.
 */
void forwarded_client(const struct api_request *request, const struct address_list *trusted,
                      char client[API_CLIENT_CAPACITY]);

/*
 * "https://poses.example:8443", as which the client knows this server, without a slash at its end: Host, or what
 * X-Forwarded-Host and X-Forwarded-Proto of a trusted peer say. "" when that is no host: links then stay relative.
 */
enum { API_ORIGIN_CAPACITY = 272 };
void forwarded_origin(const struct api_request *request, const struct address_list *trusted,
                      char origin[API_ORIGIN_CAPACITY]);

#endif
