/* Bytes as hex digits, as ids, hashes, escapes and colours are written. */
#ifndef POSE_CORE_HEX_H
#define POSE_CORE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 to 15, of either case; -1 for what is no hex digit. */
int hex_digit(char c);

/* 2 * size lowercase digits and a NUL. */
void hex_write(const uint8_t *bytes, size_t size, char *text);
/* False unless text is exactly 2 * size lowercase digits in length characters: what hex_write wrote, and nothing else. */
bool hex_parse(const char *text, size_t length, uint8_t *bytes, size_t size);

#endif
