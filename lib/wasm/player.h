/* A clip and the skeleton that it plays on. */
#ifndef POSE_WASM_PLAYER_H
#define POSE_WASM_PLAYER_H

#include "lib/wasm/bundle.h"

struct player {
    struct pose_document *document, *other; /* of the clip; of a skeleton that is not in it, NULL */
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton; /* NULL: none */
    bool is_stand_in;
    struct pose_sampler *sampler;
    float *rows, *series, *matrices; /* the last ones handed out */
};

/* Loads a clip of the list and its skeleton: an index of the list, LOCAL_AUTO or LOCAL_NONE. */
bool player_load(struct player *player, struct bundle *bundle, uint32_t clip, int32_t skeleton,
                 struct pose_error *error);
/* Makes it ready to be sampled. */
bool player_compile(struct player *player, enum pose_axes axes, struct pose_error *error);
void player_describe(const struct player *player, struct pose_buffer *out);
bool player_glb(const struct player *player, struct pose_buffer *out, struct pose_error *error);
void player_free(struct player *player);

#endif
