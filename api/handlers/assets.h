/*
 * The frame of every answer about one asset: it is found by the path's id as archive= has it, its ETag is looked at, it is
 * decoded on the loop or the pool, and described between its head, its warnings and its extras.
 */
#ifndef POSED_API_HANDLERS_ASSETS_H
#define POSED_API_HANDLERS_ASSETS_H

#include "api/protocol/reply.h"

/* An asset of the catalogue, or a skeleton that is shipped (item NULL). The document is there once asset_open succeeded. */
struct found_asset {
    struct catalog_item *item;
    const struct index_asset *asset; /* NULL: there is none, and the answer is in the response */
    const struct pose_document *document;
    struct decoded *decoded;
    uint32_t inner; /* which of its kind in the document */
};

/* What a kind's frame leaves to it. */
struct asset_frame {
    enum asset_kind kind;
    bool has_axes; /* takes axes=, which is told */
    bool on_loop;  /* of a document that is decoded already it is quickly made */
    /* The members between head and warnings; is_native: axes=native. False with error. */
    bool (*put)(struct api_call *call, struct json_writer *json, const struct found_asset *found,
                bool is_native, struct pose_error *error);
};

struct found_asset asset_find(struct api_call *call, enum asset_kind kind);
/* Decodes it; false with what to return in outcome. asset_close in any case but then. */
bool asset_open(struct api_call *call, struct found_asset *found, enum api_outcome *outcome);
void asset_close(struct found_asset *found);
/* The whole answer. */
enum api_outcome reply_asset(struct api_call *call, const struct asset_frame *frame);

#endif
