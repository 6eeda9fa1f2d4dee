/* Shared by the readers of Second Life's XML files: attributes, errors with line and byte. */
#ifndef POSE_FORMATS_SL_BODY_XML_H
#define POSE_FORMATS_SL_BODY_XML_H

#include "lib/core/xml.h"
#include "lib/formats/codec.h"

struct xml_place {
    uint64_t line;
    int64_t offset; /* -1: expat has read nothing yet */
};

struct xml_place xml_place_now(XML_Parser parser);

/* attributes: names and values alternating, as expat passes them; NULL if the name is missing. */
const char *xml_attribute(const char *const *attributes, const char *name);

/* Only the first error is kept. field: "bones[3].pos", or "". Always false. */
bool xml_fail(struct pose_error *error, struct xml_place place, const char *code, const char *field,
              const char *reason);

/* Parses all bytes with the handlers that are set. False, with an error, if they are not XML or a handler
 * stopped the parser. */
bool xml_feed(XML_Parser parser, struct pose_bytes bytes, struct decode_job *job);

#endif
