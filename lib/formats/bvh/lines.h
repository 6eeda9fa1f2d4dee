/*
 * Where the lines of frames end. Other readers take a line per frame and ignore what else is on it. Here the lines
 * decide where there is a line for each frame and each is long enough; otherwise the numbers are one stream, which ends
 * where a line does. If it does not, a frame was cut short, and the file is refused.
 */
#ifndef POSE_FORMATS_BVH_LINES_H
#define POSE_FORMATS_BVH_LINES_H

#include "lib/core/warn.h"
#include "lib/formats/bvh/layout.h"
#include "lib/model/build.h"

struct bvh_lines {
    enum { BVH_LINES_UNDECIDED, BVH_LINES_DECIDE, BVH_LINES_STREAM } how;
    uint32_t numbers;     /* per frame, > 0 */
    uint32_t first_line;  /* with words beyond those */
    uint64_t first_count; /* all words of that line */
    uint32_t line_count;  /* lines like that */
};

/* Before the first frame: skips what else is on the line of the frame time, unless frames begin there. */
void bvh_lines_start(struct bvh_layout *layout, struct bvh_words *words);

/* After the numbers of a frame that bvh_frame_start began, counted from 0: skips what else is on the line if lines
 * decide. False, with the error set, if a line lacks numbers. */
bool bvh_lines_end_frame(struct bvh_lines *lines, struct bvh_words *words, uint32_t frame,
                         uint32_t frame_count);

/* Warns about ignored words, and about anything after the last frame. */
void bvh_lines_warn(const struct bvh_lines *lines, struct bvh_words *words, const struct bvh_layout *layout,
                    struct warning_list *warnings);

#endif
