/* Shared by reading and writing paks of Metroid Prime. */
#ifndef POSE_FORMATS_PRIME_PAK_H
#define POSE_FORMATS_PRIME_PAK_H

#include "lib/formats/archive.h"

enum {
    PRIME_VERSION = 0x00030005,
    PRIME_ALIGNMENT = 32,
    PRIME_ROW = 20,         /* bytes of a resource in the table */
    PRIME_SEGMENT = 0x4000, /* unpacked size of a Metroid Prime 2 segment */
    PRIME_ID = 8,           /* hex digits of an id or type in a name */
};

/* Four characters, as big-endian numbers. */
#define PRIME_TYPE(a, b, c, d)                                                                               \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/*
 * Writes a pak. The setting "game" is "mp1" (the default, zlib) or "mp2" (segments of LZO1X); "compress" is
 * "default", which compresses the types that the games' own paks do if that saves space, or "none".
 *
 * Names are "IIIIIIII.TYPE" or "IIIIIIII_NAME.TYPE", like entry names; the latter are named resources. A type
 * may be given as 8 hex digits. Any other "NAME.TYPE" is also a named resource, with the CRC-32 of the name in
 * lower case as its id.
 */
bool prime_pak_pack(struct pack_job *job);

#endif
