/* The parameters that all poses share, read once: space, axes, skeleton, wrap, joints, root, and the
 * clip's player. */
#ifndef POSED_API_POSES_POSE_REQUEST_H
#define POSED_API_POSES_POSE_REQUEST_H

#include "api/choices/retargeting.h"
#include "api/protocol/reply.h"
#include "server/library/player.h"
#include "server/library/warnings.h"

struct pose_request {
    const struct catalog_item *clip;
    bool model; /* space=model */
    bool gltf;  /* axes=gltf */
    enum up up; /* of a file that does not specify it */
    enum pose_wrap wrap;
    unsigned flags; /* POSE_MOTION */
    bool automatic; /* skeleton=auto */
    bool
        inside; /* the choice depends only on the archive of archive=; otherwise on everything that is loaded */
    bool strict;  /* of a retargeting: warnings are errors */
    bool by_name; /* the clip that the name selects depends on what else is loaded */
    struct skeleton_choice skeleton;
    struct retargeting retargeting;
    const char *joints;           /* as given; NULL: all */
    const char *joints_parameter; /* name of that parameter */
    struct player *player;
    char **morph_names; /* names found in other archives, NULL for each not found there; NULL: none */
    uint32_t *selected; /* row indices in the order of the skeleton; NULL: all */
    uint32_t row_count;
};

/* Reads everything that needs no decoding. False with the answer in call. */
bool pose_request_read(struct api_call *call, struct catalog_item *clip, struct pose_request *request);
/* The digest of the whole request. */
struct asset_id pose_request_digest(const struct api_call *call, const struct pose_request *request);
/* Sets Content-Location to the equivalent URL with an explicit skeleton (and the clip's id). */
void pose_request_twin(struct api_call *call, const struct pose_request *request, const char *rest);
/* Gets the player and the rows. False with *outcome: wait, or already answered. */
bool pose_request_open(struct api_call *call, struct pose_request *request, enum api_outcome *outcome);
void pose_request_close(struct pose_request *request);
/* Limits the rows of an open request to the named joints; NULL: all. False with the answer in call. */
bool pose_request_select(struct api_call *call, struct pose_request *request, const char *joints);
enum freshness pose_request_freshness(const struct pose_request *request);

/* All warnings of a player: about its skeletons, and about the quality of a retargeting. Borrowed from the
 * player. */
void pose_request_warnings(const struct pose_request *request, const struct player *player,
                           struct warnings *warnings);

/* Writes "clip" … "skeleton" of an answer into an open object. */
void pose_request_head(struct json_writer *json, const struct pose_request *request);
/* Writes "unmatched" and "warnings" if there are any; more: further ones. */
void pose_request_tail(struct json_writer *json, const struct pose_request *request,
                       const struct pose_warning *more, uint32_t more_count);

/* Parses "#123", an id without sign or leading zeros. */
bool joint_id_read(const char *word, size_t length, uint32_t *id);
/* The name of a morph of the player's sampler, or "#ID" written to room. */
const char *pose_request_morph(const struct pose_request *request, uint32_t index, char room[16]);

/* Rounds t to 1e-6 and clamps it to the clip where wrap says so; the clip ends at the printed duration. */
double pose_time(const struct pose_request *request, double t);
/* The same for a clip of that duration. */
double pose_time_within(enum pose_wrap wrap, double duration, double t);

#endif
