/* The client's identity behind a proxy. */
#ifndef POSED_API_PROTOCOL_FORWARDED_H
#define POSED_API_PROTOCOL_FORWARDED_H

#include "api/protocol/message.h"
#include "server/ops/addresses.h"
#include "server/ops/base_path.h"

/*
 * The client's address as text. This is the peer's address, unless the peer is trusted; then X-Forwarded-For or
 * Forwarded (RFC 7239) are read from the end for as long as each hop is trusted. A header that occurs twice or is
 * malformed is ignored, and so are two headers that contradict each other.
 */
void forwarded_client(const struct api_request *request, const struct address_list *trusted,
                      char client[API_CLIENT_CAPACITY]);

/* X-Forwarded-Host of a trusted peer, if sent exactly once, unchecked; else NULL. */
const char *forwarded_host(const struct api_request *request, const struct address_list *trusted);

/*
 * What links begin with: the server's origin as the client sees it and --base-path, "https://example.org:8443/poses",
 * without a trailing slash. The origin is from Host, or from X-Forwarded-Host and X-Forwarded-Proto of a trusted peer; it is
 * left out if that is not a valid host, and links then stay relative.
 */
enum { API_ORIGIN_CAPACITY = 272 + BASE_PATH_CAPACITY };
void forwarded_origin(const struct api_request *request, const struct address_list *trusted,
                      char origin[API_ORIGIN_CAPACITY]);

#endif
