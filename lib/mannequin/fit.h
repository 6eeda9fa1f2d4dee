/* The mannequin's bones beside those of a skeleton: which joints move them, and where they lie. */
#ifndef POSE_MANNEQUIN_FIT_H
#define POSE_MANNEQUIN_FIT_H

#include "lib/mannequin/bones.h"
#include "lib/retarget/humanoid.h"

/* The slots of a humanoid that move one of the mannequin's bones, with their shares. */
struct fit_movers {
    int slots[2];
    double shares[2]; /* sum 1 */
};

/* From the mannequin's form to the skeleton's: what lies along a bone, and around it. */
struct fit_bone {
    struct vec from, to; /* where it begins, in the form and in the figure */
    struct vec along;    /* its direction in the form */
    struct turn turn;
    double length, girth; /* factors */
};

struct fit {
    const struct pose_humanoid *humanoid;
    struct mannequin_segment segments[MANNEQUIN_BONES];
    struct vec place[SLOT_COUNT];   /* of joints, in the modelled pose and body axes, over the origin */
    struct turn turned[SLOT_COUNT]; /* from the reference pose to the modelled one, in body axes */
    double size;                    /* of the figure, 1: as modelled */
    struct vec low[2], high[2];     /* middles of hips and shoulders: of the form, of the figure */
    double width[2];                /* factors there */
    struct fit_bone bones[MANNEQUIN_BONES];
    struct fit_movers movers[MANNEQUIN_BONES];
};

void fit_init(struct fit *fit, const struct pose_humanoid *humanoid);
/* A point of the form that belongs to that bone, in body axes over the origin. */
struct vec fit_point(const struct fit *fit, int bone, struct vec point);

#endif
