/* Channels of a Sims 3 clip as tracks: those of one key make one track; a morph's is a track of its own. */
#ifndef POSE_FORMATS_SIMS3_CLIP_TRACKS_H
#define POSE_FORMATS_SIMS3_CLIP_TRACKS_H

#include "lib/formats/sims3/clip/section.h"

struct sims3_tracks {
    struct pose_track *items; /* in the order of their first channel */
    uint32_t count;
    uint64_t odd_flags; /* keys with flags that mean nothing here */
};

/* False on a broken key, and over the limit of joints. */
bool sims3_tracks_build(struct sims3_file *file, const struct sims3_section *section,
                        struct sims3_tracks *tracks);

#endif
