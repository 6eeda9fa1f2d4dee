/*
 * What is drawn of a clip: its skeleton's bones, meshes on it, or, where there is no hierarchy, a row of its joints with
 * their names. Turned into a scene for any time.
 */
#ifndef POSED_SERVER_DRAW_FIGURE_H
#define POSED_SERVER_DRAW_FIGURE_H

#include "pose.h"
#include "server/draw/scene.h"
#include "server/draw/view.h"

enum { FIGURE_MESHES = 16 };

/* A clip to be drawn. sampler has axes gltf; everything outlives the figure. */
struct figure_source {
    const struct pose_clip *clip;
    const struct pose_sampler *sampler;
    bool has_skeleton;
    enum pose_wrap wrap;
    unsigned mesh_count; /* drawn in place of bones, when there are any */
    const struct pose_mesh *meshes[FIGURE_MESHES];
    const struct pose_skin *skins[FIGURE_MESHES]; /* on the sampler's skeleton, axes gltf */
};

struct figure;

/* NULL when memory is out. */
struct figure *figure_new(const struct figure_source *source, const struct view *view);
void figure_free(struct figure *figure);

/* The rectangle that holds the whole motion, sampled all over the clip. */
struct view_box figure_bounds(struct figure *figure);
/* The height of the floor in model space; false: there is nothing that could stand on one. */
bool figure_floor(const struct figure *figure, float *height);
/* The pose at t, in view space. shadow (may be NULL): its triangles on the floor, in view space, unlit. */
void figure_draw(struct figure *figure, double t, struct scene *scene, struct scene *shadow);

#endif
