/*
 * libpose for a page: files that lie in memory, looked at, sampled and drawn without a server. One set of files at a time;
 * what they are and how a clip moves is told as JSON and floats. The WebAssembly module exports these functions; a native
 * program may link them, too.
 *
 * Functions that may fail return false; local_text then is the error as JSON: code, detail, and where they apply offset,
 * line, field, limit. Everything a function hands out is valid until the next call of another one.
 */
#ifndef POSE_WASM_LOCAL_H
#define POSE_WASM_LOCAL_H

#include "lib/wasm/host.h"

#ifdef __wasm__
#define LOCAL_API(name) __attribute__((used, visibility("default"), export_name(#name)))
#else
#define LOCAL_API(name)
#endif

/* Room for bytes to be passed on; NULL if there is none. */
LOCAL_API(local_alloc) void *local_alloc(size_t size);

/* Adds a file; takes both over, which come from local_alloc. name: NUL-terminated. */
LOCAL_API(local_add) bool local_add(char *name, uint8_t *bytes, size_t size);

/*
 * Decodes what was added, and archives and what they hold. local_text: {"format", "kind", "clips": [{"name", "format",
 * "entry", "duration" …}], "skeletons", "meshes", "characters", "images", "rejected": [{"entry", "error"}], "warnings",
 * "verdict"}, as POST /v1/inspect has them, without ids. False if nothing of it can be read.
 */
LOCAL_API(local_open) bool local_open(void);

/* Compiles a clip for a skeleton (an index of the list, or the above). local_text: {"skeleton", "joints": [{"name", "id",
 * "parent"}], "morphs": [{"name", "id"}], "duration", "unmatched"}. */
LOCAL_API(local_play) bool local_play(uint32_t clip, int32_t skeleton, enum pose_axes axes);

/* Of the clip that plays: how many there are in a pose. */
LOCAL_API(local_row_count) uint32_t local_row_count(void);
LOCAL_API(local_morph_count) uint32_t local_morph_count(void);
/* Of a pose: [row_count][10], and the morphs' weights behind it; as pose_sample. NULL: nothing plays. */
LOCAL_API(local_sample) const float *local_sample(double t, enum pose_wrap wrap, unsigned flags);
/* Poses at start, start + step … one after another, without morphs. NULL if there is no room. */
LOCAL_API(local_series)
const float *local_series(double start, double step, uint32_t count, enum pose_wrap wrap, unsigned flags);
/* The last pose in model space: [row_count][16]. NULL without a skeleton. */
LOCAL_API(local_model) const float *local_model(void);

/* A clip as GLB: on its own file's meshes, else on bones; the mannequin alone is a tenth of all that may be sent. In local_text. */
LOCAL_API(local_glb) bool local_glb(uint32_t clip, int32_t skeleton);

LOCAL_API(local_text) const uint8_t *local_text(void);
LOCAL_API(local_text_size) size_t local_text_size(void);

/* Frees all of it. */
LOCAL_API(local_close) void local_close(void);

#endif
