/* Pictures of a clip, however the clip was found. */
#ifndef POSED_API_HANDLERS_PICTURES_H
#define POSED_API_HANDLERS_PICTURES_H

#include "api/protocol/call.h"

enum api_outcome clip_preview_reply(struct api_call *call, struct catalog_item *item, bool by_name);
enum api_outcome clip_plot_reply(struct api_call *call, struct catalog_item *item, bool by_name);

#endif
