/* The contents of all samples, made once: clips, skeletons, a mesh and characters. */
#ifndef TESTS_SAMPLES_SAMPLE_SET_H
#define TESTS_SAMPLES_SAMPLE_SET_H

#include "tests/samples/sample_body.h"
#include "tests/samples/sample_clip.h"
#include "tests/samples/sample_rig.h"

enum { MOTIONS = 3, CHARACTERS = 3 };

/* One family: its stand-in skeleton (The Sims 3: the rig), and every motion on it. */
struct sample_family {
    struct pose_document *stand_in;
    struct pose_skeleton skeleton; /* a view of the document's, renamed */
    struct figure figure;
    struct sample_clip clips[MOTIONS];
};

struct sample_set {
    struct sample_family second_life, sims, sims3;
    struct sample_rig rig;
    struct sample_body body;
    /* What dresses the figure in the body: an outfit of one appearance of one binding of the mesh. */
    struct pose_character characters[CHARACTERS];
    struct pose_value trees[64];
    unsigned tree_count;
};

/* The resources' file ids; with the type id they make the 16 digits of a file name. */
enum {
    SAMPLE_MESH = 0x0b0d0001,
    SAMPLE_BINDING = 0x0b0d0002,
    SAMPLE_APPEARANCE = 0x0b0d0003,
    SAMPLE_OUTFIT = 0x0b0d0004,
};

/* On the heap, as it is large; NULL with a line on standard error. Free with sample_set_free. */
struct sample_set *sample_set_new(void);
void sample_set_free(struct sample_set *set);

#endif
