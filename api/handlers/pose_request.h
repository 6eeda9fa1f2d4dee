/* The parameters that every pose has, read once: space, axes, skeleton, wrap, joints, root, and the clip's player. */
#ifndef POSED_API_HANDLERS_POSE_REQUEST_H
#define POSED_API_HANDLERS_POSE_REQUEST_H

#include "api/conversion/converted.h"
#include "api/conversion/retargeting.h"
#include "api/protocol/reply.h"
#include "server/library/player.h"

struct pose_request {
    const struct catalog_item *clip;
    bool model; /* space=model */
    bool gltf;  /* axes=gltf */
    enum pose_wrap wrap;
    unsigned flags; /* POSE_MOTION */
    bool automatic; /* skeleton=auto */
    bool inside;    /* of archive=, which is all that the choice depends on; else on what else is loaded */
    bool strict;    /* of a retargeting: a warning is an error */
    bool by_name;   /* which clip it is depends on what else is loaded */
    struct skeleton_choice skeleton;
    struct retargeting retargeting;
    const char *joints;           /* as given, NULL: all */
    const char *joints_parameter; /* its name */
    struct player *player;
    char **morph_names; /* that other archives give, NULL for those they do not; NULL: none */
    uint32_t *selected; /* rows, in the order of the skeleton; NULL: all */
    uint32_t row_count;
};

/* What is known before anything is decoded. False and the answer in call. */
bool pose_request_read(struct api_call *call, struct catalog_item *clip, struct pose_request *request);
/* The digest of all of it. */
struct asset_id pose_request_digest(const struct api_call *call, const struct pose_request *request);
/* Sets Content-Location of the twin with an explicit skeleton (and the clip's id). */
void pose_request_twin(struct api_call *call, const struct pose_request *request, const char *rest);
/* Gets the player and the rows. False with *outcome: wait, or the answer. */
bool pose_request_open(struct api_call *call, struct pose_request *request, enum api_outcome *outcome);
void pose_request_close(struct pose_request *request);
enum freshness pose_request_freshness(const struct pose_request *request);

/* All that is to be said of a player: of its skeletons, and of how well the one was carried over to the other. Points into
 * it. */
void pose_request_warnings(const struct pose_request *request, const struct player *player,
                           struct convert_warnings *warnings);

/* "clip" … "skeleton" of an answer, into an open object. */
void pose_request_head(struct json_writer *json, const struct pose_request *request);
/* "unmatched" and "warnings", when there are any. */
void pose_request_tail(struct json_writer *json, const struct pose_request *request);

/* "#123" as ids are written: without sign and leading zeros. */
bool joint_id_read(const char *word, size_t length, uint32_t *id);
/* What a morph of the player's sampler is called: its name, or "#ID" in room. */
const char *pose_request_morph(const struct pose_request *request, uint32_t index, char room[16]);

/* Rounds t to 1e-6 and holds it in the clip when it is clamped; the printed duration is its end. */
double pose_time(const struct pose_request *request, double t);
/* The same for a clip of that duration. */
double pose_time_within(enum pose_wrap wrap, double duration, double t);

#endif
