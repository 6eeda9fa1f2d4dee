/* Hex digits of ids, hashes, escapes and colours. */
#ifndef POSE_CORE_HEX_H
#define POSE_CORE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a hex digit in either case, 0 to 15; -1 if it is not one. */
int hex_digit(char c);

/* Writes 2 * size lowercase digits and a NUL. */
void hex_write(const uint8_t *bytes, size_t size, char *text);
/* Parses the output of hex_write only: returns false unless text is exactly 2 * size lowercase digits. */
bool hex_parse(const char *text, size_t length, uint8_t *bytes, size_t size);

#endif
