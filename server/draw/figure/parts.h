/* A figure's own parts, shared by the files of this folder. */
#ifndef POSED_SERVER_DRAW_FIGURE_PARTS_H
#define POSED_SERVER_DRAW_FIGURE_PARTS_H

#include "server/draw/figure/figure.h"

enum {
    FIGURE_ROW = 10,
    FIGURE_MATRIX = 16,
    FIGURE_NAMED_WEIGHTS = 12, /* weights named in the picture of a clip that animates nothing else */
};

extern const struct scene_color figure_driven_color, figure_resting_color;

struct figure {
    struct figure_source source;
    struct view view;
    uint32_t count; /* joints */
    const struct pose_row *rows;
    bool *shown;                         /* [count] joints that end a bone */
    bool *ends;                          /* [count] shown, and no bone starts there */
    bool *body;                          /* [count] neither a control nor a parent of controls only */
    float *local;                        /* [count][10] */
    float *matrices;                     /* [count][16] */
    float (*places)[3];                  /* [count] joints in model space */
    float (*vertices)[3], (*normals)[3]; /* for the largest mesh */
    void *scratch;
    float *morphs;  /* of the sampler, in the pose */
    float *targets; /* for the mesh with the most morph targets */
    float floor;
    bool has_floor;
    uint32_t weights; /* number of morph weights, if the clip animates nothing else */
    char says[60];    /* their text; labels keep no copies */
    char ids[FIGURE_NAMED_WEIGHTS][12];
    bool follows[3]; /* axes of model space along which the camera follows the figure */
};

/* Decides which joints are shown, from the pose that is sampled. */
void figure_choose_joints(struct figure *figure);

/* Samples a pose: local transforms, matrices and places. */
void figure_sample(struct figure *figure, double t);
/* The centre of what is shown, in model space. */
void figure_find_middle(const struct figure *figure, float middle[3]);

/* Without a hierarchy: a line and the names of the first weights, or a grid of joints with their names. */
void figure_draw_weights(struct figure *figure, struct scene *scene);
struct view_box figure_weights_bounds(const struct figure *figure);
void figure_draw_cells(const struct figure *figure, struct scene *scene);
struct view_box figure_cell_bounds(const struct figure *figure);

#endif
