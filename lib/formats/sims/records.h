/*
 * Skills and skeletons of The Sims as stored in files: the intermediate form between the bytes of .anim, .skel,
 * .cmx and .bcf and the common model. Decoders fill in these records and pass them to clip.h or skeleton.h;
 * encoders get them from there. Everything is in the job's arena.
 *
 * A "prop" is a list of (key, value) texts that the authors attached to a bone, a motion or a moment; keys may
 * repeat and keep their order.
 */
#ifndef POSE_FORMATS_SIMS_RECORDS_H
#define POSE_FORMATS_SIMS_RECORDS_H

#include "lib/formats/sims/stream.h"

/* Where a record began, for errors and warnings about the whole record. */
struct sims_place {
    uint64_t offset;
    uint32_t line; /* 0 in binary files */
};

struct sims_pair {
    const char *key, *value;
};

struct sims_prop {
    uint32_t count;
    struct sims_pair *pairs;
};

/* A props list. */
struct sims_props {
    uint32_t count;
    struct sims_prop *items;
};

/* What happens at a certain time of a motion: a "time prop". */
struct sims_moment {
    int64_t time_ms; /* unsigned in files of TSO, signed in those of The Sims 1 */
    struct sims_props props;
};

/* A time props list. */
struct sims_moments {
    uint32_t count;
    struct sims_moment *items;
};

/* Keys are translations or rotations: arrays of two, indexed by enum pose_part. */
enum { SIMS_PARTS = 2 };

/* The keys of one part, shared by all motions: motion i's key k has index first[part] + k. */
struct sims_pool {
    uint32_t count;
    float *values; /* [count][3 | 4]; NULL if the keys are missing (a skill without its .cfp) */
};

struct sims_motion {
    struct sims_place place;
    uint32_t unknown; /* only TSO: 1 in game files, 0 in those of the FreeSO tool */
    const char *bone;
    uint32_t frame_count;
    float duration_ms;         /* equals the skill's; unused */
    uint32_t has[SIMS_PARTS];  /* any non-zero is true */
    int32_t first[SIMS_PARTS]; /* -1 if the part is missing */
    uint32_t has_props;        /* The Sims 1: whether props_count is not 0 */
    uint32_t props_count;
    struct sims_props *props; /* The Sims 1: each with one prop */
    uint32_t has_moments;     /* likewise */
    uint32_t moments_count;
    struct sims_moments *moments;
};

struct sims_skill {
    const char *name;
    const char *file; /* The Sims 1: the key file, without ".cfp" */
    float duration_ms;
    float distance;
    uint32_t is_moving;
    struct sims_pool pools[SIMS_PARTS];
    uint32_t motion_count;
    struct sims_motion *motions;
};

struct sims_bone {
    struct sims_place place;
    uint32_t unknown; /* only TSO: 1 */
    const char *name;
    const char *parent; /* "NULL" for the root */
    uint32_t has_props; /* The Sims 1: whether props.count is not 0 */
    struct sims_props props;
    float translation[3];
    float rotation[4];
    uint32_t can_translate, can_rotate, can_blend;
    float wiggle_value, wiggle_power;
};

struct sims_bones {
    const char *name;
    uint32_t count;
    struct sims_bone *bones;
};

struct sims_place sims_place_of(const struct sims_stream *s);

/* Fields common to all encodings. field names the list in errors. */
void sims_visit_prop(struct sims_stream *s, struct sims_prop *prop);
void sims_visit_props(struct sims_stream *s, const char *field, struct sims_props *props);
/* Lists with one prop each: a count, then the props. */
void sims_visit_single_props(struct sims_stream *s, const char *field, struct sims_props **lists,
                             uint32_t *count);
/* A bone's fields after its props. */
void sims_visit_bone_rest(struct sims_stream *s, struct sims_bone *bone);

#endif
