#include "lib/formats/sl/body/xml.h"

#include <stdio.h>
#include <string.h>

struct xml_place xml_place_now(XML_Parser parser)
{
    return (struct xml_place){xml_line(parser), xml_byte(parser)};
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
    error_set(error, POSE_BAD_DATA, code, "%s%sat line %llu: %s", field, *field ? " " : "",
              (unsigned long long)place.line, reason);
    error->line = (uint32_t)place.line;
    error->offset = place.offset < 0 ? 0 : (uint64_t)place.offset;
    snprintf(error->field, sizeof error->field, "%s", field);
    return false;
}

bool xml_feed(XML_Parser parser, struct pose_bytes bytes, struct decode_job *job)
{
    if (bytes.size > MAX_XML)
        return error_limit(job->error, "bytes", "%zu bytes of XML; at most %d", bytes.size, MAX_XML);
    enum XML_Error code = xml_parse(parser, bytes, job->arena);
    if (code == XML_ERROR_NONE)
        return true;
    if (code == XML_ERROR_NO_MEMORY)
        return error_no_memory(job->error);
    if (job->arena->failed)
        return false;
    return xml_fail(job->error, xml_place_now(parser), "bad_xml", "", XML_ErrorString(code));
}
