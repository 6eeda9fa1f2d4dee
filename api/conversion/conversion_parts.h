/* What takes part in a conversion: the clips, the skeleton, meshes; and how they become its ingredients. */
#ifndef POSED_API_CONVERSION_CONVERSION_PARTS_H
#define POSED_API_CONVERSION_CONVERSION_PARTS_H

#include "api/conversion/conversion.h"
#include "server/convert/ingredients.h"

enum { CONVERSION_MESHES = 16 };

struct conversion_parts {
    uint32_t clip_count;
    const struct ingredient *clips;      /* borrowed */
    struct ingredient_skeleton skeleton; /* choice.asset NULL: none */
    bool automatic;                      /* skeleton=auto */
    unsigned mesh_count;
    struct ingredient meshes[CONVERSION_MESHES];
};

/*
 * skeleton= and mesh=, with the clips (or else the first mesh) filled in. own: the catalogue of a request's own bytes,
 * looked through first; NULL: none. False and the problem in the response.
 */
bool conversion_parts_read(struct api_call *call, const struct catalog *own, struct conversion_parts *parts);
/* Gives parts without clips a skeleton (choice.asset NULL: none) when auto found none. */
void conversion_parts_offer_skeleton(struct conversion_parts *parts,
                                     const struct ingredient_skeleton *skeleton);
/* Whether fps would make more frames of the clips than max-frames allows: then false and the problem in the response. */
bool conversion_frames_fit(struct api_call *call, const struct conversion *conversion,
                           const struct conversion_parts *parts);

/* Fetches all of it, and warns of a skeleton that is not the game's when the target is made on it. False with error. */
bool conversion_parts_add(const struct conversion_parts *parts, const struct conversion *conversion,
                          struct ingredients *ingredients, struct convert_warnings *warnings,
                          struct pose_error *error);
/* What the answer depends on beyond the clips: the skeleton, the meshes, and which pictures lie beside those. */
struct asset_id conversion_parts_digest(const struct conversion_parts *parts);
/* The skeleton, with the warning of a stand-in: for those who add the rest themselves. */
bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error);

#endif
