/* multipart/form-data (RFC 7578): the parts of a body that is in memory or mapped. Only names are copied. */
#ifndef POSED_API_PROTOCOL_MULTIPART_H
#define POSED_API_PROTOCOL_MULTIPART_H

#include "server/uploads/parts.h"

/* Whether a Content-Type (may be NULL) is multipart/form-data. */
bool multipart_is(const char *content_type);

/*
 * The files of a body, in order; their bytes point into it. A part is named by its filename, else by its field;
 * names are sanitized to stay inside a folder (name_stay_inside). Parts with neither name nor bytes, which a form
 * sends for a field where no file was chosen, are left out. At most `most` files. False with error: status
 * POSE_BAD_ARGUMENT with the offset of the syntax error, or POSE_OVER_LIMIT.
 */
bool multipart_parse(const char *content_type, struct pose_bytes body, uint32_t most, struct parts *parts,
                     struct pose_error *error);

#endif
