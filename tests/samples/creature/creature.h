/* The creature as files of Metroid Prime 1 or 2: skeleton, skin, clips, their events, and the set that they belong to. */
#ifndef TESTS_SAMPLES_CREATURE_H
#define TESTS_SAMPLES_CREATURE_H

#include "pose.h"
#include "tests/samples/creature/motion.h"

enum {
    CREATURE_KEYS = 64,
    CREATURE_EVENTS = 4,
    CREATURE_TREES = 1024,
    /* Of the resources. */
    CREATURE_ANIM = 0x0c0d0001, /* and on, a clip each */
    CREATURE_EVNT = 0x0c0d0011,
    CREATURE_CINF = 0x0c0d0021,
    CREATURE_CSKR = 0x0c0d0022,
    CREATURE_ANCS = 0x0c0d0023,
    CREATURE_CMDL = 0x0c0d0030,
    CREATURE_TXTR = 0x0c0d0040, /* and on, one of each format */
};

/* Memory of one clip; the struct must stay where it is. */
struct creature_animation {
    struct pose_clip clip;
    struct pose_track tracks[CREATURE_BONES];
    float times[CREATURE_KEYS];
    float rotations[CREATURE_BONES][CREATURE_KEYS][4];
    float translations[2][CREATURE_KEYS][3]; /* of root and body */
    float scales[CREATURE_KEYS][3];          /* of the chest */
    struct pose_event events[CREATURE_EVENTS];
    unsigned event_count;
};

struct creature {
    bool is_mp2;
    const char *game; /* "mp1", "mp2" */
    struct pose_joint joints[CREATURE_BONES];
    struct pose_skeleton skeleton;
    struct pose_mesh skin;
    struct creature_animation animations[CREATURE_CLIPS];
    struct pose_character character;
    const struct pose_value *set; /* extras of the ANCS */
    struct pose_value trees[CREATURE_TREES];
    unsigned tree_count;
};

/* On the heap, as it is large; NULL when memory is out. Free with free. */
struct creature *creature_new(bool is_mp2);
/* What the files hold. */
struct pose_content creature_clip_content(const struct creature *creature, enum creature_clip clip);
struct pose_content creature_events_content(struct creature *creature, enum creature_clip clip);
struct pose_content creature_skeleton_content(const struct creature *creature);
struct pose_content creature_skin_content(const struct creature *creature);
struct pose_content creature_set_content(const struct creature *creature);

#endif
