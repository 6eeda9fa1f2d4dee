/* THE ROUTE TABLE. To add an endpoint, add its row here, its handler in the file of its subject, and its
 * description in openapi.json. */
#include "api/handlers/handlers.h"

#define LIST_PARAMETERS "limit", "offset"
#define RETARGET_PARAMETERS "retarget", "onto", "map_onto", "ik", "travel", "heading", "tolerance"
#define POSE_PARAMETERS                                                                                      \
    "space", "axes", "skeleton", "wrap", "joints", "root", "as", "map", "strict", RETARGET_PARAMETERS, "v"

static const char *const list_parameters[] = {LIST_PARAMETERS, NULL};
static const char *const archives_parameters[] = {LIST_PARAMETERS, "cursor", "q", "source",
                                                  "state",         "sort",   NULL};
static const char *const entries_parameters[] = {LIST_PARAMETERS, "name", NULL};
static const char *const clips_parameters[] = {
    LIST_PARAMETERS, "cursor", "q",     "name",   "format", "archive", "joint", "min_duration",
    "max_duration",  "loop",   "event", "source", "sort",   "facets",  NULL};
static const char *const assets_parameters[] = {LIST_PARAMETERS, "cursor", "q",      "name", "format",
                                                "archive",       "source", "facets", NULL};
static const char *const hash_parameters[] = {"name", NULL};
static const char *const resolve_parameters[] = {"name", "id", NULL};
static const char *const mesh_parameters[] = {"archive", "axes", "v", NULL};
static const char *const vertices_parameters[] = {"archive", "clip", "t", "skeleton", "axes",
                                                  "wrap",    "as",   "v", NULL};
static const char *const keys_parameters[] = {"axes", "v", "archive", NULL};
static const char *const pose_parameters[] = {POSE_PARAMETERS, "t", "up", "archive", NULL};
static const char *const poses_parameters[] = {POSE_PARAMETERS, "t",       "up", "fps", "from", "to",
                                               "end",           "archive", NULL};
static const char *const scope_parameters[] = {"archive", NULL};
static const char *const events_parameters[] = {"from", "to", "archive", NULL};
#define CONVERT_PARAMETERS                                                                                   \
    "to", "skeleton", "mesh", "character", "with", "bones", "fps", "axes", "map", "strict", "priority",      \
        "loop", "ease_in", "ease_out", "game", "unit", "up", RETARGET_PARAMETERS
static const char *const convert_parameters[] = {CONVERT_PARAMETERS, "v", "archive", NULL};
#define PREVIEW_PARAMETERS                                                                                   \
    "width", "height", "angle", "background", "skeleton", "mesh", "character", "with", "map", "strict",      \
        RETARGET_PARAMETERS, "up", "v"
static const char *const preview_parameters[] = {PREVIEW_PARAMETERS, "t",       "wrap", "frames",
                                                 "layout",           "archive", NULL};
static const char *const svg_parameters[] = {PREVIEW_PARAMETERS, "t",   "wrap",    "frames",  "layout",
                                             "motion",           "fps", "seconds", "archive", NULL};
static const char *const moving_parameters[] = {PREVIEW_PARAMETERS, "fps", "seconds", "archive", NULL};
static const char *const plot_parameters[] = {"joint", "width",   "height", "skeleton",
                                              "axes",  "map",     "strict", RETARGET_PARAMETERS,
                                              "v",     "archive", NULL};
static const char *const diff_parameters[] = {"with", "fps", "skeleton", "as", "archive", "v", NULL};
static const char *const humanoid_parameters[] = {"archive", "v", NULL};
static const char *const fit_parameters[] = {"skeleton", "onto",    "map",     "map_onto", "ik",
                                             "travel",   "heading", "archive", "v",        NULL};
static const char *const skeleton_parameters[] = {"archive", "axes", "v", NULL};
static const char *const convert_body_parameters[] = {CONVERT_PARAMETERS, "as", "clip", "name",
                                                      "format",           NULL};
static const char *const bundle_parameters[] = {CONVERT_PARAMETERS, NULL};
static const char *const skeleton_model_parameters[] = {"archive", "bones", "map", "strict", "v", NULL};
static const char *const mesh_model_parameters[] = {"archive", "skeleton", "game", "map",
                                                    "strict",  "v",        NULL};
static const char *const character_model_parameters[] = {"archive", "clips", "with",   "skeleton", "bones",
                                                         "fps",     "map",   "strict", "v",        NULL};
static const char *const character_parameters[] = {"archive", "with", NULL};
static const char *const image_parameters[] = {"v", NULL};
static const char *const inspect_parameters[] = {"name", "format", "game", "skeleton", NULL};
static const char *const upload_parameters[] = {"name", "format", "game", NULL};

static const char *const oembed_parameters[] = {"url", "format", "maxwidth", "maxheight", NULL};
static const char *const sitemap_parameters[] = {"page", NULL};
static const char *const compare_parameters[] = {"archive", "with", NULL};
static const char *const embed_parameters[] = {"archive", "character", "onto", "background", NULL};
static const char *const page_parameters[] = {"q", "format", "archive", "loop", "event", "sort", "at", NULL};

/* Accept is ignored where the path determines the type (".glb", a page), and for the probes, where only
 * the status counts. */
const struct route routes[] = {
    {"GET", "/v1/clips/{id}/pose", pose_parameters, handle_pose, ROUTE_CLIP},
    {"GET", "/v1/clips/{id}/poses", poses_parameters, handle_poses, ROUTE_CLIP | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}/retarget", fit_parameters, handle_clip_retarget,
     ROUTE_CLIP | ROUTE_JSON | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}/diff", diff_parameters, handle_clip_diff, ROUTE_CLIP | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}/keys", keys_parameters, handle_clip_keys, ROUTE_CLIP | ROUTE_JSON},
    {"GET", "/v1/clips/{id}/events", events_parameters, handle_clip_events, ROUTE_CLIP | ROUTE_JSON},
    {"GET", "/v1/clips/{id}/preview.svg", svg_parameters, handle_preview,
     ROUTE_CLIP | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}/preview.png", preview_parameters, handle_preview,
     ROUTE_CLIP | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}/preview.webp", moving_parameters, handle_preview,
     ROUTE_CLIP | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}/plot.svg", plot_parameters, handle_plot, ROUTE_CLIP | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}.{ext}", convert_parameters, handle_clip_convert,
     ROUTE_CLIP | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/clips/{id}", scope_parameters, handle_clip, ROUTE_CLIP | ROUTE_JSON},
    {"GET", "/v1/clips", clips_parameters, handle_clips, ROUTE_JSON},
    {"GET", "/v1/skeletons/{id}.json", skeleton_parameters, handle_skeleton_file, 0},
    {"GET", "/v1/skeletons/{id}.glb", skeleton_model_parameters, handle_skeleton_model,
     ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/skeletons/{id}/humanoid", humanoid_parameters, handle_skeleton_humanoid, ROUTE_JSON},
    {"GET", "/v1/people", NULL, handle_people, ROUTE_JSON},
    {"GET", "/v1/skeletons/{id}", skeleton_parameters, handle_skeleton, ROUTE_JSON},
    {"GET", "/v1/skeletons", assets_parameters, handle_skeletons, ROUTE_JSON},
    {"GET", "/v1/meshes/{id}/vertices", vertices_parameters, handle_mesh_vertices, ROUTE_SIGNED},
    {"GET", "/v1/meshes/{id}.{ext}", mesh_model_parameters, handle_mesh_model, ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/meshes/{id}", mesh_parameters, handle_mesh, ROUTE_JSON},
    {"GET", "/v1/meshes", assets_parameters, handle_meshes, ROUTE_JSON},
    {"GET", "/v1/images/{id}.png", image_parameters, handle_image_png, ROUTE_SIGNED},
    {"GET", "/v1/images/{id}", NULL, handle_image, ROUTE_JSON},
    {"GET", "/v1/images", assets_parameters, handle_images, ROUTE_JSON},
    {"GET", "/v1/characters/{id}.glb", character_model_parameters, handle_character_model,
     ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/v1/characters/{id}", character_parameters, handle_character, ROUTE_JSON},
    {"GET", "/v1/characters", assets_parameters, handle_characters, ROUTE_JSON},
    {"GET", "/v1/archives/{id}/entries/{index}", NULL, handle_entry_bytes, 0},
    {"GET", "/v1/archives/{id}/entries", entries_parameters, handle_entries, ROUTE_JSON},
    {"GET", "/v1/archives/{id}.zip", bundle_parameters, handle_archive_zip,
     ROUTE_DEAR | ROUTE_POOL | ROUTE_SIGNED},
    {"GET", "/v1/archives/{id}", NULL, handle_archive, ROUTE_JSON},
    {"GET", "/v1/archives", archives_parameters, handle_archives, ROUTE_JSON},
    {"POST", "/v1/archives", upload_parameters, handle_upload, ROUTE_BODY | ROUTE_POOL | ROUTE_UPLOADS},
    {"DELETE", "/v1/archives/{id}", NULL, handle_delete, ROUTE_BODY | ROUTE_DELETES},
    {"POST", "/v1/archives/{id}/publish", NULL, handle_publish, ROUTE_MODERATES},
    {"GET", "/v1/changes", NULL, handle_changes, 0},
    {"GET", "/v1/hash", hash_parameters, handle_hash, ROUTE_JSON},
    {"GET", "/v1/resolve", resolve_parameters, handle_resolve, ROUTE_JSON},
    {"GET", "/v1/formats", list_parameters, handle_formats, ROUTE_JSON},
    {"POST", "/v1/poses", NULL, handle_batch, ROUTE_BODY | ROUTE_POOL | ROUTE_SIGNED},
    {"POST", "/v1/convert", convert_body_parameters, handle_convert,
     ROUTE_BODY | ROUTE_POOL | ROUTE_DEAR | ROUTE_SIGNED},
    {"POST", "/v1/inspect", inspect_parameters, handle_inspect,
     ROUTE_BODY | ROUTE_POOL | ROUTE_JSON | ROUTE_DEAR | ROUTE_SIGNED},
    {"GET", "/", page_parameters, handle_page, 0},
    {"GET", "/clip/{id}", scope_parameters, handle_clip_page, 0},
    {"GET", "/archive/{id}", NULL, handle_archive_page, 0},
    {"GET", "/character/{id}", scope_parameters, handle_character_page, 0},
    {"GET", "/skeleton/{id}", scope_parameters, handle_skeleton_page, 0},
    {"GET", "/compare/{id}", compare_parameters, handle_page, 0},
    {"GET", "/embed/{id}", embed_parameters, handle_embed, 0},
    {"GET", "/docs", NULL, handle_docs, 0},
    {"GET", "/moderation", NULL, handle_moderation, 0},
    {"GET", "/client.js", NULL, handle_client, 0},
    {"GET", "/posed-clip.js", NULL, handle_element, 0},
    {"GET", "/assets/{file}", NULL, handle_asset, 0},
    {"GET", "/oembed", oembed_parameters, handle_oembed, ROUTE_JSON},
    {"GET", "/favicon.ico", NULL, handle_icon, 0},
    {"GET", "/robots.txt", NULL, handle_robots, 0},
    {"GET", "/sitemap.xml", sitemap_parameters, handle_sitemap, 0},
    {"GET", "/healthz", NULL, handle_health, 0},
    {"GET", "/readyz", NULL, handle_ready, 0},
    {"GET", "/metrics", NULL, handle_metrics, 0},
    {"GET", "/openapi.json", NULL, handle_openapi, 0},
};

const size_t route_count = sizeof routes / sizeof routes[0];
