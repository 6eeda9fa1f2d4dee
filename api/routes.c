/* THE ROUTE TABLE. To add an endpoint: its row here, its handler in the file of its subject, its description in
 * openapi.json. */
#include "api/handlers.h"

#define LIST_PARAMETERS "limit", "offset"
#define POSE_PARAMETERS "space", "axes", "skeleton", "wrap", "joints", "root", "as", "v"

static const char *const list_parameters[] = {LIST_PARAMETERS, NULL};
static const char *const entries_parameters[] = {LIST_PARAMETERS, "name", NULL};
static const char *const clips_parameters[] = {
    LIST_PARAMETERS, "q", "name", "format", "archive", "joint", "min_duration", "max_duration", "sort", NULL};
static const char *const assets_parameters[] = {LIST_PARAMETERS, "q", "name", "format", "archive", NULL};
static const char *const hash_parameters[] = {"name", NULL};
static const char *const resolve_parameters[] = {"name", "id", NULL};
static const char *const mesh_parameters[] = {"axes", "v", NULL};
static const char *const vertices_parameters[] = {"clip", "t", "skeleton", "axes", "wrap", "as", "v", NULL};
static const char *const version_parameter[] = {"v", NULL};
static const char *const pose_parameters[] = {POSE_PARAMETERS, "t", NULL};
static const char *const poses_parameters[] = {POSE_PARAMETERS, "t", "fps", "from", "to", "end", NULL};
static const char *const events_parameters[] = {"from", "to", NULL};
static const char *const skeleton_parameters[] = {"axes", "v", NULL};
static const char *const inspect_parameters[] = {"name", "format", "game", NULL};

const struct route routes[] = {
    {"GET", "/v1/clips/{id}/pose", pose_parameters, handle_pose, false},
    {"GET", "/v1/clips/{id}/poses", poses_parameters, handle_poses, false},
    {"GET", "/v1/clips/{id}/keys", version_parameter, handle_clip_keys, false},
    {"GET", "/v1/clips/{id}/events", events_parameters, handle_clip_events, false},
    {"GET", "/v1/clips/{id}.{ext}", version_parameter, handle_clip_convert, false},
    {"GET", "/v1/clips/{id}", NULL, handle_clip, false},
    {"GET", "/v1/clips", clips_parameters, handle_clips, false},
    {"GET", "/v1/named/{archive}/{clip}/pose", pose_parameters, handle_named_pose, false},
    {"GET", "/v1/named/{archive}/{clip}/poses", poses_parameters, handle_named_poses, false},
    {"GET", "/v1/named/{archive}/{clip}/keys", version_parameter, handle_named_keys, false},
    {"GET", "/v1/named/{archive}/{clip}/events", events_parameters, handle_named_events, false},
    {"GET", "/v1/named/{archive}/{clip}.{ext}", version_parameter, handle_named_convert, false},
    {"GET", "/v1/named/{archive}/{clip}", NULL, handle_named, false},
    {"GET", "/v1/skeletons/{id}.{ext}", skeleton_parameters, handle_skeleton_convert, false},
    {"GET", "/v1/skeletons/{id}", skeleton_parameters, handle_skeleton, false},
    {"GET", "/v1/skeletons", assets_parameters, handle_skeletons, false},
    {"GET", "/v1/meshes/{id}/vertices", vertices_parameters, handle_mesh_vertices, false},
    {"GET", "/v1/meshes/{id}", mesh_parameters, handle_mesh, false},
    {"GET", "/v1/meshes", assets_parameters, handle_meshes, false},
    {"GET", "/v1/characters/{id}", NULL, handle_character, false},
    {"GET", "/v1/characters", assets_parameters, handle_characters, false},
    {"GET", "/v1/archives/{id}/entries/{index}", NULL, handle_entry_bytes, false},
    {"GET", "/v1/archives/{id}/entries", entries_parameters, handle_entries, false},
    {"GET", "/v1/archives/{id}", NULL, handle_archive, false},
    {"GET", "/v1/archives", list_parameters, handle_archives, false},
    {"GET", "/v1/hash", hash_parameters, handle_hash, false},
    {"GET", "/v1/resolve", resolve_parameters, handle_resolve, false},
    {"GET", "/v1/formats", NULL, handle_formats, false},
    {"POST", "/v1/inspect", inspect_parameters, handle_inspect, true},
    {"GET", "/healthz", NULL, handle_health, false},
    {"GET", "/readyz", NULL, handle_ready, false},
    {"GET", "/metrics", NULL, handle_metrics, false},
    {"GET", "/openapi.json", NULL, handle_openapi, false},
};

const size_t route_count = sizeof routes / sizeof routes[0];
