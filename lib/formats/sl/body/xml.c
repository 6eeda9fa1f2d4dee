#include "lib/formats/sl/body/xml.h"

#include <stdio.h>
#include <string.h>

enum { PIECE_SIZE = 1 << 20 }; /* expat takes an int */

struct xml_place xml_place_now(XML_Parser parser)
{
    return (struct xml_place){XML_GetCurrentLineNumber(parser), XML_GetCurrentByteIndex(parser)};
}

const char *xml_attribute(const char *const *attributes, const char *name)
{
    for (; attributes[0]; attributes += 2) {
        if (!strcmp(attributes[0], name))
            return attributes[1];
    }
    return NULL;
}

bool xml_fail(struct pose_error *error, struct xml_place place, const char *code, const char *field,
              const char *reason)
{
    if (error_is_set(error))
        return false;
    error_set(error, POSE_BAD_DATA, code, "%s%sat line %lu: %s", field, *field ? " " : "", place.line,
              reason);
    error->line = (uint32_t)place.line;
    error->offset = place.offset < 0 ? 0 : (uint64_t)place.offset;
    snprintf(error->field, sizeof error->field, "%s", field);
    return false;
}

bool xml_feed(XML_Parser parser, struct pose_bytes bytes, struct decode_job *job)
{
    size_t at = 0;
    for (;;) {
        size_t piece = bytes.size - at < PIECE_SIZE ? bytes.size - at : PIECE_SIZE;
        bool is_last = at + piece == bytes.size;
        const char *text = piece ? (const char *)bytes.data + at : "";
        if (XML_Parse(parser, text, (int)piece, is_last) != XML_STATUS_OK)
            break;
        if (is_last)
            return true;
        at += piece;
    }
    enum XML_Error code = XML_GetErrorCode(parser);
    if (code == XML_ERROR_NO_MEMORY)
        return error_no_memory(job->error);
    if (job->arena->failed)
        return false;
    return xml_fail(job->error, xml_place_now(parser), "bad_xml", "", XML_ErrorString(code));
}
