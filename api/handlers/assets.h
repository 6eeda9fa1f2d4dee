/*
 * The common frame of every answer about one asset: finds it by the path's id as archive= has it, checks its ETag,
 * decodes it on the loop or the pool, and writes head, members, warnings and extras.
 */
#ifndef POSED_API_HANDLERS_ASSETS_H
#define POSED_API_HANDLERS_ASSETS_H

#include "api/protocol/reply.h"

/* An asset of the catalogue, or a built-in skeleton (item NULL). The document is set after asset_open
 * succeeded. */
struct found_asset {
    struct catalog_item *item;
    const struct index_asset *asset; /* NULL: not found, and the response has the error */
    const struct pose_document *document;
    struct decoded *decoded;
    uint32_t inner; /* its index among its kind in the document */
};

/* What each kind adds to the frame. */
struct asset_frame {
    enum asset_kind kind;
    bool has_axes;         /* accepts axes= and reports it */
    bool on_loop;          /* cheap once the document is decoded */
    const char *file_name; /* offered as a file, with this name if it has none; NULL: not a file */
    /* Writes the members between head and warnings; is_native: axes=native. False with error. */
    bool (*put)(struct api_call *call, struct json_writer *json, const struct found_asset *found,
                bool is_native, struct pose_error *error);
};

struct found_asset asset_find(struct api_call *call, enum asset_kind kind);
/* Decodes the asset; false with the return value in outcome. Call asset_close unless it failed. */
bool asset_open(struct api_call *call, struct found_asset *found, enum api_outcome *outcome);
void asset_close(struct found_asset *found);
/* The complete answer. */
enum api_outcome reply_asset(struct api_call *call, const struct asset_frame *frame);

#endif
