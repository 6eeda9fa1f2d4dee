/* JSON descriptions of decoded assets that depend on their own file alone, as members of an object
 * (without braces). */
#ifndef POSED_SERVER_LIBRARY_ENTRY_DESCRIBE_H
#define POSED_SERVER_LIBRARY_ENTRY_DESCRIBE_H

#include "lib/core/bytes/json_writer.h"

/* Writes the members of a clip's JSON. */
void describe_clip(struct json_writer *json, const struct pose_clip_json *what);
/* "duration" … "key_count", without the joints. */
void describe_clip_timing(struct json_writer *json, const struct pose_clip *clip);
/* "joints": names, ids and channels. name is called for ids that neither the file nor the library can
 * name. */
void describe_clip_joints(struct json_writer *json, const struct pose_clip *clip,
                          const char *(*name)(const void *user, const struct pose_track *track),
                          const void *user);
/* "warnings" of the file and of the clip, "extras". */
void describe_clip_notes(struct json_writer *json, const struct pose_document *document,
                         const struct pose_clip *clip);
/* "joints" of a skeleton, in the requested axes. */
void describe_skeleton(struct json_writer *json, const struct pose_skeleton *skeleton, enum pose_axes axes);
/* An event as an object. */
void describe_event(struct json_writer *json, const struct pose_event *event);

#endif
