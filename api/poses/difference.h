/* How far two clips are apart on one skeleton: per joint, and over time. */
#ifndef POSED_API_POSES_DIFFERENCE_H
#define POSED_API_POSES_DIFFERENCE_H

#include "lib/core/bytes/json_writer.h"
#include "server/library/player.h"
#include "server/ops/work/effort.h"

enum { DIFFERENCE_COLUMNS = 120 }; /* of a picture, each as many frames as there must be */

struct joint_difference {
    double turn_sum, distance_sum;
    float turn_max, distance_max; /* degrees against the parent; metres in model space */
};

struct difference {
    const struct pose_sampler *sampler; /* of the first clip; its rows are the joints */
    double fps;
    size_t frames; /* at k / fps from 0 */
    struct joint_difference *joints;
    size_t columns;
    float *turns;                       /* [row][columns]: the greatest turn within each column */
    float *mean_turns, *mean_distances; /* [frames], over all joints */
};

/* Two players on the same skeleton, with axes gltf. The shorter clip rests on its last pose. False with error. */
bool difference_make(const struct player *const players[2], double fps, size_t frames, struct effort *effort,
                     struct difference *difference, struct pose_error *error);
void difference_free(struct difference *difference);

/* "joints", "times", "rotation_deg", "distance_m" into an open object. */
void difference_json(const struct difference *difference, struct json_writer *json);
/* The joints that differ most, a row each, over time. names: of both clips. */
void difference_svg(const struct difference *difference, const char *const names[2], struct pose_buffer *out);

#endif
