/* What is known about a decoded thing from its own file alone, as members of a JSON object (no braces). */
#ifndef POSED_SERVER_LIBRARY_INDEX_DESCRIBE_H
#define POSED_SERVER_LIBRARY_INDEX_DESCRIBE_H

#include "lib/core/bytes/json_writer.h"

/* Members of a clip's JSON that the library writes. */
void describe_clip(struct json_writer *json, const struct pose_clip_json *what);
/* "duration" … "key_count" but for the joints. */
void describe_clip_timing(struct json_writer *json, const struct pose_clip *clip);
/* "joints": names, ids and channels. name is asked for what has an id, and from the file and the library no name. */
void describe_clip_joints(struct json_writer *json, const struct pose_clip *clip,
                          const char *(*name)(const void *user, const struct pose_track *track),
                          const void *user);
/* "warnings" of the file and of the clip, "extras". */
void describe_clip_notes(struct json_writer *json, const struct pose_document *document,
                         const struct pose_clip *clip);
/* "joints" of a skeleton, in the axes asked for. */
void describe_skeleton(struct json_writer *json, const struct pose_skeleton *skeleton, enum pose_axes axes);
/* An event as an object. */
void describe_event(struct json_writer *json, const struct pose_event *event);

#endif
