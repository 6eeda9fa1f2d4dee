/*
 * BVH as Second Life's viewer reads it for an upload: what it would refuse, and the clip that it would make.
 * Facts: sl-anim.md, 7.
 *
 * Inches; frame 0 is a reference and not played. A joint that never differs from its frame 0 is left out. The
 * pelvis' position and rotation are relative to frame 0, those of other joints are used as they are.
 */
#ifndef POSE_FORMATS_SL_BVH_H
#define POSE_FORMATS_SL_BVH_H

#include "lib/core/value.h"
#include "lib/formats/codec.h"

/* Why the viewer refuses a file. */
struct sl_bvh_reason {
    const char *code; /* static; NULL: none */
    uint32_t line;
    char message[160];
};

/* Finds the first thing in a BVH file of that many frames that the viewer's line-based reader cannot read. True
 * if it can read the file. */
bool sl_bvh_check_lines(struct pose_bytes bytes, uint32_t frame_count, struct sl_bvh_reason *reason);

/*
 * All reasons for which the viewer refuses a BVH clip read from these bytes, as values. The extras of its tracks
 * hold line, those of the clip frames_line.
 */
struct value_list sl_bvh_reasons(struct arena *arena, struct pose_bytes bytes, const struct pose_clip *clip);

/*
 * Makes the clip that the viewer would make with its defaults; clip_is_upload must hold. Drops only keys that
 * follow from the others. False, with the viewer's reason, if it would refuse the file; joints with unknown
 * names are kept with a warning.
 */
bool sl_bvh_convert(struct encode_job *job, const struct pose_clip *clip, struct pose_clip *to);

#endif
