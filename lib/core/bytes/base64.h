/* Base64 (RFC 4648, section 4) of data URIs. */
#ifndef POSE_CORE_BYTES_BASE64_H
#define POSE_CORE_BYTES_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* The encoded length of that many bytes, including padding. */
size_t base64_length(size_t size);
/* Writes base64_length(size) characters, without a NUL. */
void base64_encode(const uint8_t *bytes, size_t size, char *text);

/* The maximum number of bytes in a text of that length. */
size_t base64_room(size_t length);
/* Decodes into bytes, which must have base64_room(length) bytes. Padding is optional. Returns SIZE_MAX, with
 * *bad set to the index, for an invalid character or a text that ends in the middle of a byte. */
size_t base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *bad);

#endif
