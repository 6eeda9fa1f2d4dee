/* What the readers of Second Life's XML files share: attributes, errors with line and byte, and handing the bytes over. */
#ifndef POSE_FORMATS_SL_BODY_XML_H
#define POSE_FORMATS_SL_BODY_XML_H

#include "lib/formats/codec.h"

#include <expat.h>

struct xml_place {
    unsigned long line;
    XML_Index offset; /* -1: expat has read nothing yet */
};

struct xml_place xml_place_now(XML_Parser parser);

/* Of names and values in turn, as expat has them; NULL when there is none of that name. */
const char *xml_attribute(const char *const *attributes, const char *name);

/* The first error stays. field: "bones[3].pos", or "". Always false. */
bool xml_fail(struct pose_error *error, struct xml_place place, const char *code, const char *field,
              const char *reason);

/* Parses all bytes with the handlers that are set. False, with an error, when they are not XML or a handler stopped it. */
bool xml_feed(XML_Parser parser, struct pose_bytes bytes, struct decode_job *job);

#endif
