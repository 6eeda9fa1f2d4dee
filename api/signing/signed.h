/*
 * Signed URLs: with --url-key strangers get what is expensive only at addresses that somebody with the key has signed, or on
 * the pages of this server. `sig` is the HMAC-SHA256 (base64url) of the path, without --base-path, and the other parameters,
 * decoded, sorted by name and encoded again: "/v1/clips/ID.glb?exp=1795464000&fps=30".
 */
#ifndef POSED_API_SIGNING_SIGNED_H
#define POSED_API_SIGNING_SIGNED_H

#include "api/protocol/call.h"
#include "server/access/url_keys.h"

enum { SIGNED_TARGET = 4096 };

/*
 * Takes sig and exp out of the parameters of a route that is to be signed. False, with the refusal in the response, if there are
 * keys and the client has neither a signature that holds, nor a token, nor the pass of a page.
 */
bool signed_admit(struct api_call *call);
/* Lets the browser that shows a page of ours ask for what the page shows, for some hours: a cookie. Nothing without keys. */
void signed_set_pass(struct api_call *call);

/* Signs a target, "/path?query", valid until exp (seconds since 1970; 0: never expires). False if it is not a target or is too long. */
bool signed_make(struct url_keys *keys, const char *target, int64_t exp, char out[SIGNED_TARGET]);
/* The same for a link of our own, which holds for some weeks and stays the same for a day; a copy if there are no keys. */
void signed_link(const struct api_call *call, const char *target, char out[SIGNED_TARGET]);

#endif
