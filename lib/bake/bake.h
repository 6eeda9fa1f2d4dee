/*
 * Inside of pose_bake: one clip on its way to what a target can hold. In this order: which way it goes
 * (bake.c), which tracks go along and what they are called (bake_tracks.c), the target's clock (bake_clock.c), keys
 * on it (bake_keys.c), events and extras (bake_extras.c).
 */
#ifndef POSE_BAKE_BAKE_H
#define POSE_BAKE_BAKE_H

#include "lib/bake/target.h"
#include "lib/core/error.h"
#include "lib/core/names.h"

/* The table of new names, by what it renames, and which rows were of use. */
struct bake_renames {
    const struct pose_rename *rows;
    uint32_t count;
    struct name_index index;
    bool *used; /* [count] */
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
    const char *format;             /* the target's id */
    struct target target;           /* its rules and what it holds may depend on settings */
    struct arena *arena;            /* of the document */
    struct arena *scratch;          /* for what is needed meanwhile */
    struct pose_clip clip;          /* what is baked: the caller's, its rules corrected */
    enum target_family family;      /* whose extras the clip has */
    const char *origin;             /* the format of that, NULL when it is none's; static */
    bool keeps_extras;              /* they are the target's */
    bool keeps_keys;                /* so are the keys */
    const struct target_game *game; /* NULL: the target has one */
    uint64_t key_limit;
    pose_warn *warn;
    void *user;
    struct pose_error *error;

    struct bake_renames *renames;

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

/* Bakes clip into out. Everything but arena, scratch, out and what follows renames is filled in; origin may be NULL. */
bool bake_clip(struct baking *b);

/* Makes the table of names ready; false when memory is out. */
bool bake_renames_init(struct bake_renames *renames, struct arena *arena,
                       const struct pose_conversion *conversion);
/* Says which names nothing is called by: no track, nor bones of meshes, nor joints of the skeleton (NULL: none). */
void bake_renames_tell(struct bake_renames *renames, const struct pose_conversion *conversion,
                       const struct pose_skeleton *skeleton, pose_warn *warn, void *user);
/* Copies that share everything but names; the same pointers when there is nothing to be renamed. NULL when memory is
 * out. */
const struct pose_skeleton *bake_rename_skeleton(struct arena *arena, struct bake_renames *renames,
                                                 const struct pose_skeleton *skeleton);
const struct pose_mesh *bake_rename_meshes(struct arena *arena, struct bake_renames *renames,
                                           const struct pose_mesh *meshes, uint32_t count);
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
