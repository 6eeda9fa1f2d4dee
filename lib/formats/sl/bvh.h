/*
 * BVH as Second Life's viewer takes it for an upload: what it would refuse, and the clip that it would make. Facts:
 * sl-anim.md, 7.
 *
 * Inches; frame 0 is a reference and not played. A joint that never differs from its frame 0 is left out. The pelvis'
 * position and rotation are taken relative to frame 0, those of other joints as they are.
 */
#ifndef POSE_FORMATS_SL_BVH_H
#define POSE_FORMATS_SL_BVH_H

#include "lib/core/value.h"
#include "lib/formats/codec.h"

/* A reason for which the viewer refuses a file. */
struct sl_bvh_reason {
    const char *code; /* static; NULL: none */
    uint32_t line;
    char message[160];
};

/* What the viewer's reader, which goes line by line, cannot read: the first such thing of a BVH file with that many
 * frames. True when it reads the file. */
bool sl_bvh_check_lines(struct pose_bytes bytes, uint32_t frame_count, struct sl_bvh_reason *reason);

/*
 * All reasons for which the viewer refuses a BVH clip that was read from those bytes, as values. The extras of its
 * tracks say line, its own frames_line.
 */
struct value_list sl_bvh_reasons(struct arena *arena, struct pose_bytes bytes, const struct pose_clip *clip);

/*
 * Makes the clip that the viewer would, with its defaults, of one for which clip_is_upload. Keys are dropped only where they follow from the others.
 * False, with the viewer's reason, when it would refuse the file; a joint of an unknown name alone is kept, and told.
 */
bool sl_bvh_convert(struct encode_job *job, const struct pose_clip *clip, struct pose_clip *to);

#endif
