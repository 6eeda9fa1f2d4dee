/* What is drawn of a clip without a skeleton's hierarchy. */
#include "server/draw/figure/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct scene_color axis_colors[3] = {
    {0.93f, 0.36f, 0.36f}, {0.36f, 0.75f, 0.36f}, {0.36f, 0.55f, 0.98f}};

/* A roughly square grid of cells, row by row, each with a joint's axes and its name. */
enum { MAX_CELLS = 400 };
static const float cell_width = 1.7f, cell_height = 0.34f;

/* Draws a line that says so, and the names of the first weights. */
void figure_draw_weights(struct figure *figure, struct scene *scene)
{
    float place[3] = {0};
    snprintf(figure->says, sizeof figure->says, "%u morph weight%s, no joint moves", figure->weights,
             figure->weights == 1 ? "" : "s");
    scene_add_label(scene, place, figure->says);
    uint32_t named = 0;
    for (uint32_t i = 0; i < figure->source.clip->track_count && named < FIGURE_NAMED_WEIGHTS; i++) {
        const struct pose_track *track = &figure->source.clip->tracks[i];
        if (!track->channels[POSE_MORPH].count)
            continue;
        char *id = figure->ids[named++];
        snprintf(id, sizeof figure->ids[0], "#%u", track->id);
        place[0] = 0.16f;
        place[1] = -(float)named * cell_height;
        scene_add_label(scene, place, track->name ? track->name : id);
    }
}

struct view_box figure_weights_bounds(const struct figure *figure)
{
    struct view_box box = {0};
    uint32_t rows = figure->weights < FIGURE_NAMED_WEIGHTS ? figure->weights : FIGURE_NAMED_WEIGHTS;
    view_box_add(&box, (float[3]){-0.1f, 0.3f, 0});
    view_box_add(&box, (float[3]){3.2f, -(float)rows * cell_height - 0.2f, 0});
    return box;
}

static uint32_t cell_count(const struct figure *figure)
{
    return figure->count < MAX_CELLS ? figure->count : MAX_CELLS;
}

static unsigned column_count(const struct figure *figure)
{
    return (unsigned)fmaxf(1, roundf(sqrtf((float)cell_count(figure) * cell_height / cell_width)));
}

static void cell_place(const struct figure *figure, uint32_t cell, float place[3])
{
    unsigned columns = column_count(figure);
    place[0] = (float)(cell % columns) * cell_width;
    place[1] = -(float)(cell / columns) * cell_height;
    place[2] = 0;
}

/* The columns of the rotation of a unit quaternion. */
static void turn_axis(const float q[4], int axis, float out[3])
{
    float v[3] = {axis == 0, axis == 1, axis == 2}, t[3];
    t[0] = 2 * (q[1] * v[2] - q[2] * v[1]);
    t[1] = 2 * (q[2] * v[0] - q[0] * v[2]);
    t[2] = 2 * (q[0] * v[1] - q[1] * v[0]);
    out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

void figure_draw_cells(const struct figure *figure, struct scene *scene)
{
    for (uint32_t i = 0; i < cell_count(figure); i++) {
        float place[3], label[3], arm[3], seen[3], tip[3];
        cell_place(figure, i, place);
        memcpy(label, place, sizeof label);
        label[0] += 0.16f;
        scene_add_ball(scene, place, 0.035f,
                       figure->rows[i].driven ? figure_driven_color : figure_resting_color);
        for (int axis = 0; axis < 3; axis++) {
            turn_axis(&figure->local[(size_t)i * FIGURE_ROW + 3], axis, arm);
            view_turn(&figure->view, arm, seen);
            for (int k = 0; k < 3; k++)
                tip[k] = place[k] + 0.12f * seen[k];
            scene_add_line(scene, place, tip, axis_colors[axis], 1.4f);
        }
        scene_add_label(scene, label, figure->rows[i].name ? figure->rows[i].name : "(no name)");
    }
}

struct view_box figure_cell_bounds(const struct figure *figure)
{
    struct view_box box = {0};
    uint32_t count = cell_count(figure);
    float place[3];
    for (uint32_t i = 0; i < count; i++) {
        cell_place(figure, i, place);
        float corners[2][3] = {{place[0] - 0.14f, place[1] - 0.15f, 0},
                               {place[0] + cell_width - 0.2f, place[1] + 0.15f, 0}};
        view_box_add(&box, corners[0]);
        view_box_add(&box, corners[1]);
    }
    return box;
}
