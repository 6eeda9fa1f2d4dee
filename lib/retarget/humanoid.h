/*
 * A person: which joint of a skeleton is which bone (find.c, words.c), and what is computed of it once (figure.c). Names
 * of bones are those of VRM 1.0. Spine and neck are chains, from below, of any number of joints.
 */
#ifndef POSE_RETARGET_HUMANOID_H
#define POSE_RETARGET_HUMANOID_H

#include "lib/core/error.h"
#include "lib/core/names.h"
#include "lib/retarget/names.h"
#include "lib/retarget/turn.h"

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

/* A slot holds one joint: the bones that there is one of, both sides, and the members of the chains. */
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
    /* Joints deeper than that belong to no person; so walks upwards are short. */
    MAX_DEPTH = 256,
    NO_JOINT = -1,
};

/* side 0 is the left. */
static inline int slot_of(int side, int bone)
{
    return SLOT_SIDES + side * SIDE_COUNT + bone;
}

/* A joint's rest, and where it stands in the reference pose, in glTF's axes and metres. */
struct reference {
    struct vec offset, scale;
    struct turn local;
    struct turn turn;   /* in the world, as it was bound */
    struct turn rest;   /* likewise, as it rests */
    struct vec place;   /* likewise */
    struct vec stretch; /* what multiplies the offsets of its children */
};

/* Of one side, over the origin, in body axes, legs as in a T-pose. */
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

/* As pose_humanoid_new, with the tables of names of the games, a list that ends with NULL and is asked before the common
 * ones. */
struct pose_humanoid *humanoid_new(const struct pose_skeleton *skeleton,
                                   const struct humanoid_names *const *games, const struct pose_bone_map *map,
                                   uint32_t map_count, const struct pose_options *options,
                                   struct pose_error *error);

/* "leftUpperArm"; of chains by how long they are. text holds 32 characters. */
void slot_name(const struct pose_humanoid *humanoid, int slot, char *text);
/* The slot of a bone that is no member of a chain, -1 when there is none of that name. */
int slot_find(const char *name);

/* Puts joints where they were bound, of a skeleton that says so; they rest where its references say (binds.c). */
void humanoid_bind(struct pose_humanoid *humanoid);
/* The rotation with those columns, which are at right angles. */
struct turn turn_of_axes(struct vec x, struct vec y, struct vec z);

bool joint_is_below(const struct pose_humanoid *humanoid, int32_t joint, int32_t above);

/* Finds out which joint is which bone. False when memory is out or the map is wrong; what was not found is NO_JOINT. */
bool humanoid_find(struct pose_humanoid *humanoid, const struct humanoid_names *const *games,
                   const struct pose_bone_map *map, uint32_t map_count, struct arena *scratch,
                   struct pose_error *error);

/* Joints that are free to be found, [joint_count]. */
struct finding {
    struct pose_humanoid *humanoid;
    bool *taken; /* a bone already, or said to be none */
    struct arena *scratch;
};
void finding_put(struct finding *finding, int slot, int32_t joint, enum pose_bone_how how);
/* Fills in what is missing by the words of names and by where joints hang. False when memory is out. */
bool humanoid_find_words(struct finding *finding);

/* False with "not_humanoid". */
bool humanoid_check(const struct pose_humanoid *humanoid, struct pose_error *error);
bool humanoid_measure(struct pose_humanoid *humanoid, struct pose_error *error);

#endif
