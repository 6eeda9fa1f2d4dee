/* The head of a Sims 3 clip, shared by reader and writer. */
#ifndef POSE_FORMATS_SIMS3_CLIP_LAYOUT_H
#define POSE_FORMATS_SIMS3_CLIP_LAYOUT_H

#define SIMS3_CLIP_TYPE 0x6b20c4f3u

enum {
    SIMS3_AT_SECTION_SIZE = 0x08,
    SIMS3_AT_SECTION = 0x0c,
    SIMS3_AT_IK = 0x10,
    SIMS3_AT_ACTOR = 0x14,
    SIMS3_AT_EVENTS = 0x18,
    SIMS3_AT_UNKNOWN_28 = 0x1c,
    SIMS3_AT_UNKNOWN_32 = 0x20,
    SIMS3_AT_END = 0x24,
    SIMS3_HEAD = 56,
    SIMS3_GAP = 0x7e,         /* padding to a multiple of 4 between blocks */
    SIMS4_VERSION_LAST = 255, /* The Sims 4's wrapper begins with its version, 14 today */
};

#endif
