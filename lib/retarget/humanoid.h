/*
 * A humanoid: the joint of each bone (find.c, words.c), and properties that are computed once (figure.c). Bone
 * names are those of VRM 1.0. Spine and neck are chains of any number of joints, from the bottom.
 */
#ifndef POSE_RETARGET_HUMANOID_H
#define POSE_RETARGET_HUMANOID_H

#include "lib/core/error.h"
#include "lib/core/names.h"
#include "lib/model/figures.h"
#include "lib/model/turn.h"
#include "lib/retarget/names.h"

/* Of one side. */
enum side_bone {
    SIDE_EYE,
    SIDE_SHOULDER,
    SIDE_UPPER_ARM,
    SIDE_LOWER_ARM,
    SIDE_HAND,
    SIDE_UPPER_LEG,
    SIDE_LOWER_LEG,
    SIDE_FOOT,
    SIDE_TOES,
    SIDE_FINGERS, /* five of three */
    SIDE_COUNT = SIDE_FINGERS + 15,
};

/* A slot holds one joint: single bones, bones of both sides, and the members of the chains. */
enum {
    SLOT_HIPS,
    SLOT_HEAD,
    SLOT_JAW,
    SLOT_SIDES,
    SLOT_SPINE = SLOT_SIDES + 2 * SIDE_COUNT,
    MAX_SPINE = 16,
    SLOT_NECK = SLOT_SPINE + MAX_SPINE,
    MAX_NECK = 8,
    SLOT_COUNT = SLOT_NECK + MAX_NECK,
    /* Deeper joints are not considered, so walks to the root are short. */
    MAX_DEPTH = 256,
    NO_JOINT = -1,
};

/* side 0 is the left. */
static inline int slot_of(int side, int bone)
{
    return SLOT_SIDES + side * SIDE_COUNT + bone;
}

/* A joint's rest, and its place in the reference pose, in glTF's axes and metres. */
struct reference {
    struct vec offset, scale;
    struct turn local;
    struct turn turn;   /* in the world, as it was bound */
    struct turn rest;   /* likewise, as it rests */
    struct vec place;   /* likewise */
    struct vec stretch; /* multiplies the offsets of its children */
};

/* Of one side, relative to the origin, in body axes, legs as in a T-pose. */
struct leg_measures {
    struct vec ankle, ball; /* the latter only with has_ball */
    struct vec foot;        /* from ankle to ball */
    double ankle_height;
    double lean; /* degrees */
    bool has_ball;
};

struct figure {
    struct turn body;   /* from body axes to the world */
    struct turn unbody; /* and back */
    struct vec origin;  /* on the ground under the middle of the thighs, in body axes */
    double hip_height;  /* over the ground */
    double mean_ankle;  /* likewise */
    double ground;      /* in body axes */
    double arms[2];     /* degrees off a T-pose */
    struct leg_measures legs[2];
    double spine_u[MAX_SPINE], neck_u[MAX_NECK + 1]; /* the head's is the last */
    struct turn align[SLOT_COUNT];                   /* A: from a bone's attitude to its joint's own axes */
};

struct pose_humanoid {
    struct arena arena; /* holds all of it, itself included */
    const struct pose_skeleton *skeleton;
    uint32_t figure_number;    /* of the skeleton's the one whose joints are considered; 0: all are */
    const char *family;        /* NULL: none knew it */
    int32_t joint[SLOT_COUNT]; /* NO_JOINT where there is none */
    uint8_t how[SLOT_COUNT];   /* enum pose_bone_how */
    uint32_t spine_count, neck_count;
    int32_t named_root; /* by table or user, NO_JOINT */
    int32_t carrier;
    uint16_t *depth;              /* [joint_count], at most MAX_DEPTH + 1 */
    struct reference *references; /* [joint_count] */
    struct figure figure;
    struct pose_humanoid_report report;
};

/* As pose_humanoid_of_clip, with the tables of names of the games, a list that ends with NULL and is asked before
 * the common ones. clip NULL: as pose_humanoid_new. */
struct pose_humanoid *humanoid_new(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                                   const struct humanoid_names *const *games, const struct pose_bone_map *map,
                                   uint32_t map_count, const struct pose_options *options,
                                   struct pose_error *error);

/* "leftUpperArm"; names in chains depend on their length. text has room for 32 characters. */
void slot_name(const struct pose_humanoid *humanoid, int slot, char *text);

/* Moves joints to their bind pose, if the skeleton has one (binds.c). */
void humanoid_bind(struct pose_humanoid *humanoid);
/* The rotation with those columns, which are orthogonal. */
struct turn turn_of_axes(struct vec x, struct vec y, struct vec z);

/* Whether the joint may be a bone: it is part of the humanoid's figure. */
static inline bool joint_is_own(const struct pose_humanoid *humanoid, uint32_t joint)
{
    return figures_has(humanoid->skeleton, humanoid->figure_number, joint);
}

bool joint_is_below(const struct pose_humanoid *humanoid, int32_t joint, int32_t above);

/* Finds the joint of each bone, NO_JOINT if there is none. Returns false if out of memory or the map is invalid. */
bool humanoid_find(struct pose_humanoid *humanoid, const struct humanoid_names *const *games,
                   const struct pose_bone_map *map, uint32_t map_count, struct arena *scratch,
                   struct pose_error *error);

/* Joints that are still available, [joint_count]. */
struct finding {
    struct pose_humanoid *humanoid;
    bool *taken; /* already a bone, or excluded by the map */
    struct arena *scratch;
};
void finding_put(struct finding *finding, int slot, int32_t joint, enum pose_bone_how how);
/* Finds missing bones by words in names and by the hierarchy. Returns false if out of memory. */
bool humanoid_find_words(struct finding *finding);

/* Returns false with "not_humanoid" if the skeleton is not a humanoid's. */
bool humanoid_check(const struct pose_humanoid *humanoid, struct pose_error *error);
bool humanoid_measure(struct pose_humanoid *humanoid, struct pose_error *error);

#endif
