/*
 * What is drawn of a clip: its skeleton's bones, meshes on it, or, without a hierarchy, a grid of its joints with
 * their names. Yields a scene for any time.
 */
#ifndef POSED_SERVER_DRAW_FIGURE_FIGURE_H
#define POSED_SERVER_DRAW_FIGURE_FIGURE_H

#include "pose.h"
#include "server/draw/scene.h"
#include "server/draw/view.h"

enum { FIGURE_MESHES = 64 };

/* The clip to draw. sampler has axes gltf; all pointers must outlive the figure. */
struct figure_source {
    const struct pose_clip *clip;
    const struct pose_sampler *sampler;
    const struct pose_skeleton *skeleton; /* the sampler's; NULL: none */
    enum pose_wrap wrap;
    unsigned mesh_count; /* if there are any, they are drawn instead of bones */
    const struct pose_mesh *meshes[FIGURE_MESHES];
    const struct pose_skin *skins[FIGURE_MESHES]; /* on the sampler's skeleton, axes gltf */
    uint32_t image_count;
    const struct pose_image *images; /* with pixels, named as the meshes' materials name them */
};

struct figure;

/* NULL if out of memory. */
struct figure *figure_new(const struct figure_source *source, const struct view *view);
void figure_free(struct figure *figure);

/* The rectangle that contains the whole motion, sampled over the clip. */
struct view_box figure_bounds(struct figure *figure);
/* The height of the floor in model space; false if nothing can stand on one. */
bool figure_floor(const struct figure *figure, float *height);
/* The pose at t, in view space. shadow (may be NULL): its triangles on the floor, in view space, unlit. Not for
 * figures with meshes. */
void figure_draw(struct figure *figure, double t, struct scene *scene, struct scene *shadow);

/* The bones as lines in view space, the same ones at all times: how many there are (0: the clip has no hierarchy), which of
 * them the clip moves by their own joint, [count], and their ends at t, [count]. */
uint32_t figure_line_count(const struct figure *figure);
void figure_lines_driven(const struct figure *figure, bool *driven);
void figure_lines(struct figure *figure, double t, float (*ends)[2][3]);

/* Whether meshes are drawn; then these, in model space, instead of figure_draw: */
bool figure_is_solid(const struct figure *figure);
/* What it draws, with those meshes only that have faces. */
const struct figure_source *figure_source_of(const struct figure *figure);
void figure_pose(struct figure *figure, double t);
/* The vertices of a mesh in that pose, [real_count] each, borrowed until the next call. */
void figure_deform(struct figure *figure, unsigned mesh, const float (**places)[3],
                   const float (**normals)[3]);

#endif
