/*
 * What a request for one pose comes to, whatever its time. Each loop keeps the last ones: a front-end asks for the same
 * clip at one time after another, and reading the parameters costs more than the pose.
 */
#ifndef POSED_API_POSES_PLAN_H
#define POSED_API_POSES_PLAN_H

#include "api/poses/pose_request.h"
#include "api/poses/repeated.h"

/* What stands in the JSON before the time, between it and the joints, and after these; the same at any time. */
struct pose_texts {
    bool are_known;
    uint16_t before, between, after; /* bytes of each, which follow each other */
    char text[768];
};

struct pose_plan {
    struct pose_request request; /* not open */
    struct asset_id digest;      /* of everything but the time and the form */
    enum lifetime lifetime;
    int form; /* of as=; -1: Accept decides */
    struct pose_texts texts;
    struct seen_poses seen;
};

/*
 * The plan that the loop kept for the target of the request with another t, in the same catalogue; sets Content-Location
 * and *t, as they would be without it. NULL: there is none. Valid during the call; its texts
 * may be filled in.
 */
struct pose_plan *plan_recall(struct api_call *call, double *t);
/* Keeps a plan if the loop can; after Content-Location, if there is one, has been set. */
void plan_keep(struct api_call *call, const struct pose_plan *plan);

#endif
