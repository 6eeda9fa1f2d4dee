/* Conversion requests: the target, its parameters, and the assets that take part. */
#ifndef POSED_API_CONVERSION_CONVERSION_H
#define POSED_API_CONVERSION_CONVERSION_H

#include "api/conversion/body.h"
#include "api/conversion/retargeting.h"
#include "api/protocol/params.h"
#include "server/convert/convert.h"
#include "server/convert/ingredients.h"

enum { CONVERSION_SETTINGS = 8, CONVERSION_MESHES = 16 };

struct conversion {
    const struct pose_target *target;
    float fps; /* 0: keep the original keys */
    bool strict;
    enum up up; /* of BVH */
    struct retargeting retargeting;
    uint32_t rename_count;
    struct pose_rename *renames; /* from malloc */
    void *map;                   /* storage for their texts */
    unsigned setting_count;
    struct pose_value settings[CONVERSION_SETTINGS + 1]; /* an object, then its members */
};

/* The assets that take part. */
struct conversion_parts {
    uint32_t clip_count;
    const struct ingredient *clips;      /* borrowed */
    struct ingredient_skeleton skeleton; /* choice.asset NULL: none */
    bool automatic;                      /* skeleton=auto */
    bool is_mixed;                       /* a clip that is made of others, which is not among the clips */
    struct body_choice body;
    unsigned mesh_count;
    struct ingredient meshes[CONVERSION_MESHES];
};

/* On failure each returns false (or NULL) with error set for a bad parameter. */

/* The target named by `to`. */
const struct pose_target *conversion_target_of_to(const struct params *params, struct param_error *error);
/* The target for files with that extension, which must be one that some target has. If there are several,
 * the clip's own format or the one named by `to`. */
const struct pose_target *conversion_target(const struct params *params, const char *extension,
                                            const char *format, struct param_error *error);

/* Reads up=, which is a property of the clip and not of a target. */
bool conversion_read_up(const struct params *params, enum up *up, struct param_error *error);
/* Reads the parameters that the target takes. game_is_source: game= may concern the source. Must be
 * released in either case. */
bool conversion_read(const struct params *params, const struct pose_target *target, bool game_is_source,
                     struct conversion *conversion, struct param_error *error);
void conversion_release(struct conversion *conversion);
struct asset_id conversion_digest(struct asset_id digest, const struct conversion *conversion);

/* Where what a request names is found, and what it may ask for. */
struct conversion_place {
    const struct params *params;
    const struct catalog *common; /* the service's */
    const struct catalog *own;    /* of the request's own bytes, searched first; NULL: none */
    uint64_t max_frames;          /* of a conversion at fps; 0: any number */
};

/* Reads skeleton=, mesh=, character= and with=, with the clips (or else the first mesh) already filled in. */
bool conversion_parts_read(const struct conversion_place *place, struct conversion_parts *parts,
                           struct param_error *error);
/* The same, and retarget=, with everything that the parts must be for this conversion. */
bool conversion_complete(const struct conversion_place *place, struct conversion *conversion,
                         struct conversion_parts *parts, struct param_error *error);
/* Reads only skeleton=. */
bool conversion_skeleton_read(const struct conversion_place *place, struct conversion_parts *parts,
                              struct param_error *error);
/* Whether converting the clips at fps stays within max-frames. */
bool conversion_frames_fit(const struct conversion_place *place, const struct conversion *conversion,
                           const struct conversion_parts *parts, struct param_error *error);
/* A skeleton to use for parts without clips (choice.asset NULL: none) if auto found none. */
void conversion_parts_offer_skeleton(struct conversion_parts *parts,
                                     const struct ingredient_skeleton *skeleton);
/* What the clips are shown as in a file of that target: auto if it is not said, none if it holds no meshes. */
enum body_kind conversion_body(const struct conversion *conversion, const struct conversion_parts *parts);
/* For what the body is wanted. */
struct body_stage conversion_stage(struct service *service, const struct catalog *common,
                                   const struct conversion *conversion, const struct conversion_parts *parts);
/* Digest of everything the answer depends on besides the clips: the skeleton, the meshes, and the pictures
 * beside them. */
struct asset_id conversion_parts_digest(const struct catalog *common, const struct conversion *conversion,
                                        const struct conversion_parts *parts);

#endif
