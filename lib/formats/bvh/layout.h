/*
 * The contents of a BVH file: its hierarchy, and where its numbers begin. The text consists of words separated
 * by blanks and line ends; keywords ignore case; braces may touch other words. A joint's name is the rest of its
 * line, as is the name of an End Site, which is ignored.
 */
#ifndef POSE_FORMATS_BVH_LAYOUT_H
#define POSE_FORMATS_BVH_LAYOUT_H

#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"

enum { BVH_CHANNEL_LIMIT = 9 };

/* What a channel drives: position, rotation and scale, each x, y, z. */
enum bvh_channel { BVH_POSITION = 0, BVH_ROTATION = 3, BVH_SCALE = 6, BVH_CHANNEL_KINDS = 9 };

/* "Xposition" … */
extern const char *const bvh_channel_names[BVH_CHANNEL_KINDS];

struct bvh_joint {
    const char *name; /* UTF-8, as in the file */
    uint32_t line;
    uint64_t offset_in_file; /* of the name */
    bool is_utf8;
    int32_t parent; /* precedes its children; -1 for a root */
    float offset[3];
    uint32_t channel_count;
    uint8_t channels[BVH_CHANNEL_LIMIT]; /* enum bvh_channel; only rotations may repeat */
    uint32_t end_count, first_end;       /* End Sites, among those of the layout */
};

struct bvh_end {
    uint32_t joint;
    float offset[3];
};

struct bvh_layout {
    uint32_t joint_count, joint_capacity, end_count, end_capacity;
    struct bvh_joint *joints;
    struct bvh_end *ends;   /* grouped by joint */
    uint32_t number_count;  /* per frame */
    uint32_t frame_count;   /* the rest of the file has room for the numbers of all frames */
    uint32_t frames_line;   /* line of the frame count */
    const char *frame_time; /* as written in the file */
    float frame_seconds;    /* > 0, or 0 if there is at most one frame */
    uint32_t extra_line;    /* the first after whose numbers other text was left out; 0: none */
};

/* Splits the file into words. */
struct bvh_words {
    struct reader reader; /* stands after the word; its line is the word's */
    bool colons;          /* treat colons as blanks */
    bool ended_line;      /* a line ended since bvh_frame_start */
    const uint8_t *frame; /* where that was */
    uint32_t frame_line;  /* its line */
    const char *word;
    size_t length; /* 0 at the end of the file */
};

void bvh_words_init(struct bvh_words *words, struct pose_bytes bytes, struct pose_error *error);
/* True if the first word is that of a BVH file. */
bool bvh_starts(struct bvh_words *words);
/* Goes to the first number of a frame. */
void bvh_frame_start(struct bvh_words *words);
/* The next number; field names it. */
float bvh_number(struct bvh_words *words, const char *field);
/* True if only blanks follow; otherwise words->word is what follows. */
bool bvh_at_end(struct bvh_words *words);

/* Reads everything up to the first number of the first frame. */
bool bvh_layout_read(struct bvh_words *words, struct arena *arena, const struct pose_limits *limits,
                     struct bvh_layout *layout);

#endif
