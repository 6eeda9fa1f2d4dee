/* Conversion requests: the target, its parameters, and the assets that take part. */
#ifndef POSED_API_CONVERSION_CONVERSION_H
#define POSED_API_CONVERSION_CONVERSION_H

#include "api/choices/body.h"
#include "api/choices/retargeting.h"

enum { CONVERSION_SETTINGS = 8, CONVERSION_MESHES = 16 };

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
    struct conversion_parts parts;
};

/* Where a conversion is made. */
struct conversion_place {
    struct service *service;
    struct choice_place from;    /* where what a request names is found */
    struct pose_options options; /* limits, and cancellation */
    uint64_t max_frames;         /* of a conversion at fps; 0: any number */
};

/* ------------------------------------------------------------------------------------------------- targets -- */

/* The extension of its files, without the dot. */
void target_extension(const struct pose_target *target, char extension[16]);
/*
 * The target for that extension (without the dot; case-insensitive); if there are several, the clip's own format
 * (NULL: unknown). NULL if it is ambiguous: count is the number of candidates.
 */
const struct pose_target *target_of_extension(const char *extension, const char *format, unsigned *count);
/* The target of meshes with that extension; NULL: there is none. */
const struct pose_target *mesh_target_of_extension(const char *extension);
/* The target of clips or else of meshes with that name; NULL: there is none. */
const struct pose_target *target_of_word(const char *word);
/* The words of the targets with that extension (NULL: of all targets), comma-separated. */
enum { TARGET_WORDS = 256 };
void target_words(const char *extension, char words[TARGET_WORDS]);
bool target_takes(const struct pose_target *target, const char *option);

/* On failure each of those that follow returns false (or NULL) with error set for a bad parameter. */

/* The target named by `to`. */
const struct pose_target *target_of_to(const struct params *params, struct param_error *error);
/* The same, which must be one of clips. */
const struct pose_target *clip_target_of_to(const struct params *params, struct param_error *error);
/* The target for files with that extension, which must be one that some target has. If there are several,
 * the clip's own format or the one named by `to`. */
const struct pose_target *target_of_path(const struct params *params, const char *extension,
                                         const char *format, struct param_error *error);

/* ---------------------------------------------------------------------------------------------- parameters -- */

/* Reads the parameters that the target takes, without the parts. game_is_source: game= may concern the source. Must be
 * released in either case. */
bool conversion_read(const struct params *params, const struct pose_target *target, bool game_is_source,
                     struct conversion *conversion, struct param_error *error);
void conversion_release(struct conversion *conversion);
/* Digest of the parameters, and, if it is retargeted, of onto what. */
struct asset_id conversion_digest(struct asset_id digest, const struct conversion *conversion);

/* Reads skeleton=, mesh=, character= and with=, with the clips (or else the first mesh) already filled in. */
bool conversion_parts_read(const struct conversion_place *place, struct conversion_parts *parts,
                           struct param_error *error);
/* Reads only skeleton=. */
bool conversion_skeleton_read(const struct conversion_place *place, struct conversion_parts *parts,
                              struct param_error *error);
/* The same as conversion_parts_read, and retarget=, with everything that the parts must be for this conversion. */
bool conversion_complete(const struct conversion_place *place, struct conversion *conversion,
                         struct param_error *error);
/* Whether converting the clips at fps stays within max-frames. */
bool conversion_frames_fit(const struct conversion_place *place, const struct conversion *conversion,
                           struct param_error *error);
/* A skeleton to use for parts without clips (choice.asset NULL: none) if auto found none. */
void conversion_parts_offer_skeleton(struct conversion_parts *parts,
                                     const struct ingredient_skeleton *skeleton);

/* What the clips are shown as in a file of the target: auto if it is not said, none if it holds no meshes. */
enum body_kind conversion_body(const struct conversion *conversion);
/* For what the body is wanted. */
struct body_stage conversion_stage(struct service *service, const struct catalog *common,
                                   const struct conversion *conversion);
/* Digest of everything the answer depends on besides the clips: the skeleton, the meshes, and the pictures
 * beside them. */
struct asset_id conversion_parts_digest(const struct catalog *common, const struct conversion *conversion);

#endif
