/*
 * The keys that sign URLs (--url-key), from a file with one per line: the first signs, all verify, so that a new one can be put
 * before an old one. Thread-safe.
 */
#ifndef POSED_SERVER_ACCESS_URL_KEYS_H
#define POSED_SERVER_ACCESS_URL_KEYS_H

#include <stdbool.h>
#include <stddef.h>

enum { URL_SIGNATURE = 44 }; /* base64url of HMAC-SHA256 without padding, and a NUL */

struct url_keys;

/* NULL with one line in error if the file cannot be read or has no key. Empty lines and "#" comments are skipped. */
struct url_keys *url_keys_open(const char *path, char *error, size_t error_size);
void url_keys_close(struct url_keys *keys);
/* Whether none is shorter than 16 characters, which a program could find by trying. */
bool url_keys_are_safe(struct url_keys *keys);
/* Rereads the file. On failure returns false with one line in error and keeps the old keys. */
bool url_keys_reload(struct url_keys *keys, char *error, size_t error_size);

/* The signature of a text. */
void url_keys_sign(struct url_keys *keys, const char *text, char signature[URL_SIGNATURE]);
/* Whether one of the keys has made the signature; compares all of them in constant time. */
bool url_keys_verify(struct url_keys *keys, const char *text, const char *signature);

#endif
