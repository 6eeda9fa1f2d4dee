/* What the handlers of /v1/clips/{id} and of /v1/named share: they differ in how the clip is found. */
#ifndef POSED_API_HANDLERS_CLIPS_H
#define POSED_API_HANDLERS_CLIPS_H

#include "api/protocol/reply.h"

/* The clip of the path's id; NULL and the 404 in the response. */
struct catalog_item *clip_of_path(struct api_call *call);

enum api_outcome clip_reply(struct api_call *call, struct catalog_item *item);
enum api_outcome clip_keys_reply(struct api_call *call, struct catalog_item *item, enum freshness freshness);
enum api_outcome clip_events_reply(struct api_call *call, struct catalog_item *item);
enum api_outcome clip_convert_reply(struct api_call *call, struct catalog_item *item, const char *extension,
                                    bool by_name);
/* explicit_target: the path that names the clip by its id, for Content-Location, or NULL. */
enum api_outcome clip_pose_reply(struct api_call *call, struct catalog_item *item, bool by_name);
enum api_outcome clip_poses_reply(struct api_call *call, struct catalog_item *item, bool by_name);

#endif
