/*
 * A clip of one humanoid for another, compiled (compile.c) and sampled (motion.c, feet.c). Only joints that are
 * bones, above bones, or part of a foot are processed in both skeletons.
 *
 * A bone's attitude F is its rotation in the world relative to a T-pose, in body axes. The target's bones take over
 * the attitudes of the source's, each relative to the nearest bone above that both have.
 */
#ifndef POSE_RETARGET_MOTION_H
#define POSE_RETARGET_MOTION_H

#include "lib/retarget/humanoid.h"
#include "lib/sample/sampler.h"

enum {
    NO_NODE = -1,
    MAX_PAIRS = 256,
    MAX_LOW = 64, /* joints of a foot that are checked for its lowest point */
    NODE_LIMIT = 512,
};

struct source_node {
    int32_t parent;
    bool has_place;     /* is wanted */
    struct vec stretch; /* of the parent */
};

/* The source of a target joint: an attitude, interpolated between two source joints. */
struct attitude {
    int32_t a, b; /* source nodes; b NO_NODE: only a */
    double fraction;
    struct turn align_a, align_b;
};

/* The bone above that both have. */
struct link {
    int32_t source, target; /* nodes; target NO_NODE: none */
    struct turn between;    /* from its A to that of the target's */
};

struct target_node {
    uint32_t joint;
    int32_t parent;
    bool is_driven;
    bool holds; /* left alone by the clip, it stays as it was bound, since its node rests elsewhere */
    bool
        is_direct; /* R' = before * R * after, since all above is where it is in the source; see driven_turn */
    bool has_place;
    struct turn local; /* rest, or if it holds, as bound */
    struct vec offset, stretch;
    struct attitude attitude;
    struct link link;
    bool has_attitude;   /* the carrier and bent legs may be driven without one */
    struct turn unalign; /* the inverse of A' */
    struct turn after;
};

struct foot_motion {
    int32_t source_foot, source_ball; /* the latter NO_NODE when one of the two has none */
    int32_t upper, lower, foot, ball; /* target nodes */
    uint32_t source_low_count, low_count;
    int32_t source_low[MAX_LOW], low[MAX_LOW];
    struct turn knee_align; /* A' of the upper leg */
    double width, ball_width, ball_ahead;
};

struct pose_retarget {
    struct arena arena; /* holds all of it except the samplers, itself included */
    const struct pose_clip *clip;
    const struct pose_humanoid *source, *target;
    unsigned flags;
    enum pose_axes axes;
    double scale;

    /* The source: its clip and skeleton, reduced to what is needed. */
    struct pose_clip source_clip;
    struct pose_skeleton source_skeleton;
    struct pose_sampler *sampler;
    uint32_t source_count;
    struct source_node *source_nodes;
    int32_t *source_node_of;    /* [joint_count] NO_NODE */
    bool *rotates, *translates; /* [joint_count] by the clip */
    bool *strays, *turns;       /* [joint_count] moved, turned off the joint's rest, at some key */

    struct pose_clip target_clip; /* only marks what is driven */
    struct pose_sampler *rows;
    struct axes_map *to_rows;
    uint32_t target_count;
    struct target_node *nodes; /* parents and link targets first */
    int32_t *target_node_of;   /* [joint_count] NO_NODE */

    struct turn turn_body;    /* from the source's world to body axes, heading included */
    struct turn before;       /* from the source's world to the target's */
    bool is_same_world;       /* before is the identity */
    bool is_body_world;       /* turn_body is the identity */
    struct vec turned_origin; /* of the source, heading included */
    struct vec origin;        /* of the source, in its body axes */
    struct vec target_origin; /* likewise of the target */
    struct vec travel;        /* from the first to the last moment, likewise, in place */
    struct vec root_travel;   /* what POSE_MOTION adds to that */

    bool moves;             /* the clip moves the figure */
    int32_t source_legs[2]; /* the thighs */
    int32_t target_legs[2];
    int32_t carrier;              /* target node */
    struct turn carrier_unturn;   /* from the world to the carrier's parent */
    struct vec carrier_unstretch; /* likewise */
    bool has_carrier_turn;        /* the carrier is above the hips and driven: */
    struct attitude carrier_attitude;
    struct turn carrier_after;

    bool has_feet;
    struct foot_motion feet[2];
    struct pose_retarget_report report;
};

/* A sampled moment, in the caller's scratch memory. */
struct moment {
    float *rows;             /* of the source */
    struct turn *from_turns; /* in the source's world */
    struct vec *from_places;
    struct turn *turns, *locals; /* of the target's nodes */
    struct vec *places;          /* without the carrier's motion */
    struct vec gone;             /* of the source's travel so far, if that is removed; in body axes */
    struct vec shift;            /* the carrier's motion, in the target's world */
    double weights[2],
        missed[2]; /* of the feet: how much they are planted, how far they stay off their goal */
};

/* Implements a sampler's carry. */
void retarget_carry(const void *retarget, double t, enum pose_wrap wrap, unsigned flags, float *rows);

size_t moment_size(const struct pose_retarget *retarget);
struct moment moment_in(const struct pose_retarget *retarget, void *scratch);
/* Fills in a moment. */
void moment_at(const struct pose_retarget *retarget, double t, enum pose_wrap wrap, unsigned flags,
               struct moment *moment);
/* Fills in the source only. */
void moment_source(const struct pose_retarget *retarget, double t, enum pose_wrap wrap, unsigned flags,
                   struct moment *moment);
/* A position relative to the source's origin, in body axes; likewise for the target. */
struct vec source_over(const struct pose_retarget *retarget, const struct moment *moment, int32_t node);
struct vec target_over(const struct pose_retarget *retarget, struct vec place);
struct turn source_attitude(const struct pose_retarget *retarget, const struct moment *moment,
                            const struct attitude *attitude);
/* The middle of the thighs in the source, relative to its origin. */
struct vec source_middle(const struct pose_retarget *retarget, const struct moment *moment);
void retarget_row(const struct pose_retarget *retarget, const struct moment *moment, uint32_t node,
                  float *row);

/* Bends the legs to keep feet planted. */
void feet_stand(const struct pose_retarget *retarget, struct moment *moment);
/* The lowest of some positions along the body's up axis, relative to the origin. */
double source_lowest(const struct pose_retarget *retarget, const struct moment *moment, int side);
/* Whether a foot of the source with that lowest point stands. */
bool foot_is_planted(const struct pose_retarget *retarget, double low);

/* Finds the source joints that the clip drives, and reduces clip and skeleton to those needed. */
bool drives_read(struct pose_retarget *retarget, struct arena *scratch);
bool drives_cut(struct pose_retarget *retarget, const bool *wanted, struct arena *scratch,
                const struct pose_options *options, struct pose_error *error);
/* Whether the clip rotates a joint relative to one above it. above NO_JOINT: in the world. */
bool drives_turn(const struct pose_retarget *retarget, int32_t joint, int32_t above);

/* Fills in the report. */
bool retarget_tell(struct pose_retarget *retarget, const struct pose_retarget_options *wishes,
                   struct arena *scratch, bool ground_is_guessed);

/*
 * Finds the samples of a channel that must be kept so that the kernels reproduce the others within the tolerance.
 * Returns their number. Always keeps the first and the last.
 */
uint32_t reduce_keys(const struct sample_kernels *kernels, enum pose_part part, const float *times,
                     const float *values, uint32_t count, double tolerance, bool *kept);

#endif
