/*
 * The internals of pose_bake: the conversion of one clip for a target. In this order: nodes that the target cannot
 * have are folded into bones (bake_above.c), the way it is done (bake.c),
 * the tracks that are kept and their names (bake_tracks.c), the target's clock (bake_clock.c), keys on it
 * (bake_keys.c), events and extras (bake_extras.c).
 */
#ifndef POSE_BAKE_BAKE_H
#define POSE_BAKE_BAKE_H

#include "lib/bake/target.h"
#include "lib/core/error.h"
#include "lib/core/names.h"

/* The table of new names, indexed by old name, and which rows were used. */
struct bake_renames {
    const struct pose_rename *rows;
    uint32_t count;
    struct name_index index;
    bool *used; /* [count] */
};

/* Where the target can have keys. */
enum bake_places {
    PLACES_ANY,    /* at any time */
    PLACES_FRAMES, /* on whole frames, each channel on its own */
    PLACES_COMMON, /* on whole frames, the same for all channels */
    PLACES_EVEN,   /* key k of a channel of n at k * duration / n */
};

/* A track that is kept, and the source of its keys. */
struct bake_track {
    const struct pose_track *from; /* NULL: a joint that the target requires although it is not driven */
    double offset[3];              /* added to translations, in the axes and units of the clip */
    bool wants_rotation;           /* the target requires a rotation */
    float rest_rotation[4];        /* used for it, in the axes of the clip */
};

struct baking {
    const struct pose_conversion *conversion;
    const char *format;             /* the target's id */
    struct target target;           /* its rules and what it holds may depend on settings */
    struct arena *arena;            /* of the document */
    struct arena *scratch;          /* for temporary data */
    struct pose_clip clip;          /* the clip to bake: the caller's, with corrected rules */
    enum target_family family;      /* of the clip's extras */
    const char *origin;             /* the format of the extras, NULL when there is none; static */
    bool keeps_extras;              /* the extras are of the target's family */
    bool keeps_keys;                /* the keys follow the target's rules */
    const struct target_game *game; /* NULL: the target has only one */
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
    bool loops;       /* it is played as a loop */
    bool goes_round;  /* its end equals its start, so the last pose need not be held */
    bool every_frame; /* keys on every frame: requested by a rate, or required by the target */
    double frame;     /* seconds per frame; 0: keys at any time */
    uint32_t last;    /* the last frame; for even keys, their count */
};

/* code is static. */
void bake_warn(const struct baking *b, const char *code, const char *format, ...) POSE_PRINTF(3, 4);

/* A conversion whose clip and skeleton have what stands above their bones folded into these. */
struct bake_folded {
    struct pose_conversion conversion;
    struct pose_conversion_clip clip;
    bool is_uneven;  /* some folded scale differs between axes, and was taken as its mean */
    bool is_growing; /* some folded scale changes with time, but lengths below it do not */
};

/* Fills in folded: a copy of the conversion, which points into it (and to its own clip and skeleton where nothing is folded).
 * Returns false if out of memory, stopped, or if it took more keys than the limit. */
bool bake_fold(const struct pose_conversion *conversion, const struct target *target, uint64_t key_limit,
               struct arena *arena, struct bake_folded *folded);

/* For a mesh on the skeleton of its own file with scaled joints: replaces both by ones of the same place and size without
 * scales (bake_mesh.c), the mesh by *mesh. Returns false on failure. */
bool bake_level(struct pose_mesh_conversion *conversion, struct arena *arena, struct pose_mesh *mesh,
                struct pose_error *error);

/* Bakes clip into out, and fills in the fields derived from clip and settings. origin may be NULL. */
bool bake_clip(struct baking *b);

/* Prepares the table of names. Returns false if out of memory. */
bool bake_renames_init(struct bake_renames *renames, struct arena *arena,
                       const struct pose_conversion *conversion);
/* Warns about names that no track, mesh bone or joint of the skeleton (NULL: none) has. */
void bake_renames_tell(struct bake_renames *renames, const struct pose_conversion *conversion,
                       const struct pose_skeleton *skeleton, pose_warn *warn, void *user);
/* Shallow copies with new names; the same pointers if nothing is renamed. NULL if out of memory. */
const struct pose_skeleton *bake_rename_skeleton(struct arena *arena, struct bake_renames *renames,
                                                 const struct pose_skeleton *skeleton);
const struct pose_mesh *bake_rename_meshes(struct arena *arena, struct bake_renames *renames,
                                           const struct pose_mesh *meshes, uint32_t count);
/* The new name of a joint; NULL: unchanged. */
const char *bake_new_name(const struct baking *b, const char *name);
/* The number in "joint_123"; -1 for other names. */
int64_t bake_joint_number(const char *name);
/* Fills in tracks and sources: names and ids, without keys. */
bool bake_tracks(struct baking *b);
/* Renames out's tracks and events by the table; keys are unchanged. */
bool bake_rename(struct baking *b);
/* Fields of an event with the joint's new name; may return the argument. */
const struct pose_value *bake_rename_fields(const struct baking *b, const struct pose_value *fields);

/* Fills in the clock, and the duration, frames and loop of out. */
bool bake_clock(struct baking *b);
/* True if every key k of a channel is at k * duration / count, the even clock of The Sims. */
bool bake_is_even(const struct pose_channel *channel, float duration, uint32_t count);

/* Fills in the channels of tracks, in the target's axes. */
bool bake_keys(struct baking *b);

/* Fills in events and extras of out and of its tracks. */
bool bake_extras(struct baking *b);

#endif
