/*
 * Clip JSON, in two parts: clip_json.c (reading), clip_json_write.c.
 *
 *   {"name": TEXT | null, "format": ID, "duration": S, "fps": N | null, "frame_count": N | null, "loop": true |
 *    false | null, "loop_in": S, "loop_out": S, "interpolation": "nlerp" | "slerp", ..., "extras": {...},
 *    "axes": "native" | "gltf", "rules": RULES, "origin": ID, "game": TEXT,
 *    "joints": [{"name": TEXT | null, "id": N | null, "rotation": {"times": [S, ...], "values": [[x, y, z, w],
 *                ...]}, "translation", "scale", "morph", "joint": N, "extras": {...}}, ...],
 *    "skeleton": {"name", "scaling": "inherited" | "offsets", "root_joint": N,
 *                 "joints": [{"name", "id", "parent": N, "figure": N, "in_skin": true, "translation", "rotation",
 *                            "scale", "extras"}, ...]},
 *    "events": [{"time": S, "type": TEXT, FIELD...}, ...]}
 *
 * "native" are the axes of the game whose rules the clip has; for BVH, "unit": "inch" means glTF's axes in
 * inches, and "up": "z" metres with Z up. "origin" and "game" are present if the clip has them. "skeleton" is
 * that of the clip's original file if the tracks are bound to it (glTF, BVH), parents first; "joint" is then the
 * index of the track's joint in it, and "in_skin" marks those that a skin of that file has. Only duration and
 * joints are required; anything missing is null, and a clip with neither rules nor a known format is played like
 * glTF's. Other members (id, bytes, counts, warnings) are informative.
 */
#ifndef POSE_FORMATS_CLIP_JSON_CLIP_JSON_H
#define POSE_FORMATS_CLIP_JSON_CLIP_JSON_H

#include "lib/formats/codec.h"

/* Writes the one clip of the content. Settings: "axes": "native" (default) or "gltf". */
bool clip_json_encode(struct encode_job *job);

#endif
