/* Channels of a Sims 3 clip as tracks: channels with the same key form one track; each morph is a separate
 * track. */
#ifndef POSE_FORMATS_SIMS3_CLIP_TRACKS_H
#define POSE_FORMATS_SIMS3_CLIP_TRACKS_H

#include "lib/formats/sims3/clip/section.h"

struct sims3_tracks {
    struct pose_track *items; /* in the order of their first channel */
    uint32_t count;
    uint64_t odd_flags; /* keys with meaningless flags */
};

/* False on an invalid key, and above the limit of joints. */
bool sims3_tracks_build(struct sims3_file *file, const struct sims3_section *section,
                        struct sims3_tracks *tracks);

#endif
