/* Conversions as they are asked for: the target, its parameters, and what takes part. */
#ifndef POSED_API_CONVERSION_CONVERSION_H
#define POSED_API_CONVERSION_CONVERSION_H

#include "api/conversion/retargeting.h"
#include "api/protocol/params.h"
#include "server/convert/convert.h"
#include "server/convert/ingredients.h"

enum { CONVERSION_SETTINGS = 8, CONVERSION_MESHES = 16 };

struct conversion {
    const struct pose_target *target;
    float fps; /* 0: the keys as they are */
    bool strict;
    enum up up; /* of BVH */
    struct retargeting retargeting;
    uint32_t rename_count;
    struct pose_rename *renames; /* from malloc */
    void *map;                   /* what keeps their texts */
    unsigned setting_count;
    struct pose_value settings[CONVERSION_SETTINGS + 1]; /* an object, then its members */
};

/* What takes part. */
struct conversion_parts {
    uint32_t clip_count;
    const struct ingredient *clips;      /* borrowed */
    struct ingredient_skeleton skeleton; /* choice.asset NULL: none */
    bool automatic;                      /* skeleton=auto */
    unsigned mesh_count;
    struct ingredient meshes[CONVERSION_MESHES];
};

/* Each false (or NULL) with error when the parameters will not do. */

/* The target that `to` says. */
const struct pose_target *conversion_target_of_to(const struct params *params, struct param_error *error);
/* The target that files of that extension (one of some target) are, of several the clip's own format, or the one that
 * `to` says. */
const struct pose_target *conversion_target(const struct params *params, const char *extension,
                                            const char *format, struct param_error *error);

/* The parameters that the target takes. game_is_source: game= may be said of what is read. To be released in either case. */
bool conversion_read(const struct params *params, const struct pose_target *target, bool game_is_source,
                     struct conversion *conversion, struct param_error *error);
void conversion_release(struct conversion *conversion);
struct asset_id conversion_digest(struct asset_id digest, const struct conversion *conversion);

/*
 * skeleton= and mesh=, with the clips (or else the first mesh) filled in. own: the catalogue of a request's own bytes,
 * looked through first; NULL: none.
 */
bool conversion_parts_read(const struct params *params, const struct catalog *common,
                           const struct catalog *own, struct conversion_parts *parts,
                           struct param_error *error);
/* Gives parts without clips a skeleton (choice.asset NULL: none) when auto found none. */
void conversion_parts_offer_skeleton(struct conversion_parts *parts,
                                     const struct ingredient_skeleton *skeleton);
/* Whether fps would make no more frames of the clips than max-frames allows. */
bool conversion_frames_fit(const struct conversion *conversion, const struct conversion_parts *parts,
                           uint64_t max_frames, struct param_error *error);
/* What the answer depends on beyond the clips: the skeleton, the meshes, and which pictures lie beside those. */
struct asset_id conversion_parts_digest(const struct conversion_parts *parts);

#endif
