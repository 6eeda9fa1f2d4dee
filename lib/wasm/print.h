/* snprintf of messages, in a quarter of the room that a C library's takes. */
#ifndef POSE_WASM_PRINT_H
#define POSE_WASM_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * As vsnprintf for %d %i %u %x %X %c %s %f %g and %%, with lengths, the flag 0, widths and precisions. A number of %f and %g
 * is right to 14 digits; of %f at 1e15 and beyond it is written as %g writes it.
 */
int local_vsnprintf(char *room, size_t size, const char *format, va_list arguments);

#endif
