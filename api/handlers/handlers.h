/* Every handler of the route table, with the file that defines it. */
#ifndef POSED_API_HANDLERS_HANDLERS_H
#define POSED_API_HANDLERS_HANDLERS_H

#include "api/protocol/call.h"

/* api/handlers/system.c */
api_handler handle_health, handle_ready, handle_metrics, handle_openapi, handle_formats;
/* api/handlers/archives.c */
api_handler handle_archives, handle_archive, handle_entries, handle_entry_bytes;
/* api/handlers/uploads.c */
api_handler handle_upload, handle_delete, handle_publish;
/* api/handlers/clips.c */
api_handler handle_clips, handle_clip, handle_clip_keys, handle_clip_events;
/* api/handlers/poses.c */
api_handler handle_pose, handle_poses;
/* Answers a request that differs from an earlier one in its time only, before its path and parameters are read. False: it
 * is another one. */
bool recall_pose(struct api_call *call, enum api_outcome *outcome);
/* api/handlers/diff.c */
api_handler handle_clip_diff;
/* api/handlers/batch.c */
api_handler handle_batch;
/* api/handlers/assets.c */
api_handler handle_images, handle_image, handle_image_png;
api_handler handle_skeletons, handle_skeleton, handle_skeleton_file;
/* api/handlers/people.c */
api_handler handle_skeleton_humanoid, handle_clip_retarget, handle_people;
/* api/handlers/meshes.c */
api_handler handle_meshes, handle_mesh, handle_mesh_vertices;
/* api/handlers/characters.c */
api_handler handle_characters, handle_character;
/* api/handlers/exports.c */
api_handler handle_clip_convert, handle_skeleton_model, handle_mesh_model, handle_character_model,
    handle_archive_zip;
/* api/handlers/sims3.c */
api_handler handle_changes;
api_handler handle_hash, handle_resolve;
/* api/pages/files.c */
api_handler handle_page, handle_embed, handle_docs, handle_moderation, handle_client, handle_element,
    handle_asset, handle_icon;
/* api/pages/documents.c */
api_handler handle_clip_page, handle_archive_page, handle_character_page, handle_skeleton_page;
/* api/pages/oembed.c */
api_handler handle_oembed;
/* api/pages/crawlers.c */
api_handler handle_robots, handle_sitemap;
/* api/handlers/pictures.c */
api_handler handle_preview;
/* api/handlers/plots.c */
api_handler handle_plot;
/* api/handlers/convert.c */
api_handler handle_convert;
/* api/handlers/mixed_conversion.c, for handle_convert: whether the body is an item of POST /v1/poses rather than a file,
 * and its conversion, with what was read of the query. */
struct conversion;
bool body_is_mixture(const struct api_call *call);
enum api_outcome convert_mixture(struct api_call *call, struct conversion *conversion);
/* api/handlers/inspect.c */
api_handler handle_inspect;

#endif
