/*
 * Inside pose_bake: one clip on its way to what a target can hold. In this order: the target and whose extras the clip
 * has (bake.c), which tracks go along and what they are called (bake_tracks.c), the target's clock (bake_clock.c), keys
 * on it (bake_keys.c), events and extras (bake_extras.c).
 */
#ifndef POSE_BAKE_BAKE_H
#define POSE_BAKE_BAKE_H

#include "lib/core/error.h"
#include "lib/core/names.h"

/* Formats that share extras, events and the names of joints. */
enum family { FAMILY_NONE, FAMILY_SL, FAMILY_SIMS, FAMILY_SIMS3, FAMILY_PRIME };

struct bake_target {
    const char *format;
    const char *title;
    enum family family; /* FAMILY_NONE: a format of exchange, which holds any clip */
    enum pose_axes axes;
    enum pose_rules rules;
    bool holds[POSE_PART_COUNT];
};

/* Where the target has places for keys. */
enum bake_places {
    PLACES_ANY,    /* at any time */
    PLACES_FRAMES, /* on whole frames, each channel on its own */
    PLACES_COMMON, /* on whole frames, the same ones for all channels */
    PLACES_EVEN,   /* key k of a channel of n at k * duration / n */
};

/* A track that goes along, and what its keys are made of. */
struct bake_track {
    const struct pose_track *from; /* NULL: a joint that the target wants though nothing drives it */
    double offset[3];              /* added to translations, in the axes and units of the clip */
    bool wants_rotation;           /* the target cannot have the track without */
    float rest_rotation[4];        /* for that, in the axes of the clip */
};

struct baking {
    const struct pose_conversion *conversion;
    struct bake_target target;
    struct arena *arena;   /* of the document */
    struct arena *scratch; /* for what is needed meanwhile */
    struct pose_clip clip; /* what is baked: the caller's, its rules corrected */
    enum family family;    /* whose extras the clip has */
    const char *origin;    /* the format of that, NULL when it is none's */
    bool keeps_extras;     /* they are the target's */
    bool keeps_keys;       /* so are the keys */
    const char *game;      /* of Prime */
    uint64_t key_limit;
    pose_warn *warn;
    void *user;
    struct pose_error *error;

    struct name_index renames; /* by what they rename */
    bool *renamed;             /* [rename_count] was of use */

    struct pose_clip *out;
    struct pose_track *tracks; /* of out */
    struct bake_track *sources;
    uint32_t track_count;

    enum bake_places places;
    bool loops;       /* it is to be played as a loop */
    bool goes_round;  /* and its end is its start, so that the last pose need not be held */
    bool every_frame; /* keys on every frame, since a rate was asked for or the target has nothing else */
    double frame;     /* seconds a frame; 0 for keys anywhere */
    uint32_t last;    /* the last frame; of even keys: how many there are */
};

/* code is static. */
void bake_warn(const struct baking *b, const char *code, const char *format, ...) POSE_PRINTF(3, 4);

/* Makes the table of names ready; and says at the end which of them nothing was called. */
bool bake_renames_init(struct baking *b);
void bake_renames_tell(const struct baking *b);
/* What a joint of that name is to be called, NULL: as it is. */
const char *bake_new_name(const struct baking *b, const char *name);
/* Fills in tracks and sources: names and ids, without keys. */
bool bake_tracks(struct baking *b);
/* Names of out's tracks and events become those of the table; keys are not touched. */
bool bake_rename(struct baking *b);
/* Fields of an event with the joint's new name; they may be the same. */
const struct pose_value *bake_rename_fields(const struct baking *b, const struct pose_value *fields);

/* Fills in the clock, and the duration, frames and loop of out. */
bool bake_clock(struct baking *b);
/* True when a track's keys lie on the even clock of The Sims, count of them or as many as there are. */
bool bake_is_even(const struct pose_channel *channel, float duration, uint32_t count);

/* Fills in the channels of tracks, in the target's axes. */
bool bake_keys(struct baking *b);

/* Fills in events and extras of out and of its tracks. */
bool bake_extras(struct baking *b);

#endif
