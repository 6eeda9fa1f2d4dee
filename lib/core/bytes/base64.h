/* Base64 (RFC 4648, section 4) of data URIs. */
#ifndef POSE_CORE_BYTES_BASE64_H
#define POSE_CORE_BYTES_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Characters of that many bytes, the padding included. */
size_t base64_length(size_t size);
/* Writes so many, without a NUL. */
void base64_encode(const uint8_t *bytes, size_t size, char *text);

/* Bytes that a text of that length holds at most. */
size_t base64_room(size_t length);
/* Decodes into that much room. Padding may be left out. SIZE_MAX when a character is none of base64's, or the text ends
 * in the middle of a byte: *bad is then its index. */
size_t base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *bad);

#endif
