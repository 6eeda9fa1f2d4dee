/* GLB of what is no clip. */
#ifndef POSED_API_HANDLERS_MODELS_H
#define POSED_API_HANDLERS_MODELS_H

#include "api/protocol/reply.h"

/* A skeleton: its joints and a small mesh to see them by. */
enum api_outcome skeleton_model_reply(struct api_call *call, const struct skeleton_choice *choice);

#endif
