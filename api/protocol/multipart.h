/* multipart/form-data (RFC 7578): the parts of a body that lies in memory or is mapped. Nothing is copied but names. */
#ifndef POSED_API_PROTOCOL_MULTIPART_H
#define POSED_API_PROTOCOL_MULTIPART_H

#include "server/uploads/parts.h"

/* Whether a Content-Type (may be NULL) says that the body is one. */
bool multipart_is(const char *content_type);

/*
 * The files of a body, in its order; their bytes point into it. A part is called by its filename, else by its field;
 * names are made such that they stay inside of a folder (name_stay_inside). Parts without a name and without bytes,
 * as a form sends for a field where no file was chosen, are left out. At most `most` files. False with error: status
 * POSE_BAD_ARGUMENT with the byte where the body breaks off, or POSE_OVER_LIMIT.
 */
bool multipart_parse(const char *content_type, struct pose_bytes body, uint32_t most, struct parts *parts,
                     struct pose_error *error);

#endif
