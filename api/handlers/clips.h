/* Functions of clips.c that the clip conversions use. */
#ifndef POSED_API_HANDLERS_CLIPS_H
#define POSED_API_HANDLERS_CLIPS_H

#include "api/protocol/reply.h"

/* The clip JSON of call->clip. */
enum api_outcome clip_keys_reply(struct api_call *call, enum freshness freshness);

#endif
