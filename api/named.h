/* Finds the clip of a path: by its id, or (call->by_name) by the names of archive and clip. */
#ifndef POSED_API_NAMED_H
#define POSED_API_NAMED_H

#include "api/protocol/call.h"

/* Fills in call->clip; false with the 404 or 409 in the response. */
bool clip_of_path(struct api_call *call);
/* Whether "{clip}.{ext}" as a whole is the name of a clip, since names may contain dots; then it becomes
 * the first value. */
bool clip_has_dotted_name(struct api_call *call);

#endif
