/* expat on bytes of any size, as it takes at most an int of them. */
#ifndef POSE_CORE_XML_H
#define POSE_CORE_XML_H

#include "lib/core/arena.h"

#include <expat.h>
#include <stddef.h>
#include <stdint.h>

/* Where the parser is: line (from 1) and byte. Since 2.9 expat has other names for these and warns of the old ones. */
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
static inline uint64_t xml_line(XML_Parser parser)
{
    return XML_GetCurrentLineNumber64(parser);
}

static inline int64_t xml_byte(XML_Parser parser)
{
    return XML_GetCurrentByteIndex64(parser);
}
#else
static inline uint64_t xml_line(XML_Parser parser)
{
    return XML_GetCurrentLineNumber(parser);
}

static inline int64_t xml_byte(XML_Parser parser)
{
    return XML_GetCurrentByteIndex(parser);
}
#endif

/* No file that is read has more; expat's time for an attribute is the square of its size. */
enum { MAX_XML = 8 << 20 };

/* Parses all bytes, at most MAX_XML, with the handlers that are set. Returns what stopped it, or XML_ERROR_NONE;
 * XML_ERROR_ABORTED, with the arena failed, if its stop said so, which is asked before each piece. */
static inline enum XML_Error xml_parse(XML_Parser parser, struct pose_bytes bytes, struct arena *arena)
{
    const size_t most = 1 << 20;
    for (size_t at = 0;;) {
        size_t piece = bytes.size - at < most ? bytes.size - at : most;
        int is_last = at + piece == bytes.size;
        const char *text = piece ? (const char *)bytes.data + at : "";
        if (!arena_look(arena))
            return XML_ERROR_ABORTED;
        if (XML_Parse(parser, text, (int)piece, is_last) != XML_STATUS_OK)
            return XML_GetErrorCode(parser);
        if (is_last)
            return XML_ERROR_NONE;
        at += piece;
    }
}

#endif
