/* Which clip a path means: by its id, or (call->by_name) by the names of archive and clip. */
#ifndef POSED_API_PROTOCOL_NAMED_H
#define POSED_API_PROTOCOL_NAMED_H

#include "api/protocol/call.h"

/* Fills in call->clip; false with the 404 or 409 in the response. */
bool clip_of_path(struct api_call *call);
/* Whether "{clip}.{ext}" is as a whole the name of a clip, which may hold a dot itself; then it is the first value. */
bool clip_has_dotted_name(struct api_call *call);

#endif
