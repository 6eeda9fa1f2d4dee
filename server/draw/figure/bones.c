/* The life of a figure, its poses, and its bones as they are drawn. */
#include "server/draw/figure/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct scene_color figure_driven_color = {0.36f, 0.62f, 1.0f};
const struct scene_color figure_resting_color = {0.66f, 0.69f, 0.74f};

/* --------------------------------------------------------------------------------------------------- sampling -- */

void figure_find_middle(const struct figure *figure, float middle[3])
{
    double sums[3] = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        if (!figure->shown[i])
            continue;
        for (int k = 0; k < 3; k++)
            sums[k] += (double)figure->places[i][k];
        count++;
    }
    for (int k = 0; k < 3; k++)
        middle[k] = count ? (float)(sums[k] / count) : 0;
}

/* Keeps the figure in place along the directions in which it is followed. */
static void hold(struct figure *figure)
{
    float middle[3];
    figure_find_middle(figure, middle);
    for (uint32_t i = 0; i < figure->count; i++) {
        for (int k = 0; k < 3; k++) {
            if (!figure->follows[k])
                continue;
            figure->places[i][k] -= middle[k];
            figure->matrices[(size_t)i * FIGURE_MATRIX + 12 + (size_t)k] -= middle[k];
        }
    }
}

void figure_sample(struct figure *figure, double t)
{
    const struct figure_source *source = &figure->source;
    pose_sample(source->sampler, t, source->wrap, POSE_IN_PLACE, figure->local, figure->morphs);
    if (!source->skeleton)
        return;
    pose_model(source->sampler, figure->local, figure->matrices);
    for (uint32_t i = 0; i < figure->count; i++)
        memcpy(figure->places[i], &figure->matrices[(size_t)i * FIGURE_MATRIX + 12],
               sizeof figure->places[i]);
    if (figure->follows[0] || figure->follows[1])
        hold(figure);
}

/* --------------------------------------------------------------------------------------------------- the life -- */

static bool allocate(struct figure *figure)
{
    size_t vertices = 1, scratch = 1, targets = 1, count = figure->count ? figure->count : 1;
    for (unsigned i = 0; i < figure->source.mesh_count; i++) {
        size_t real = figure->source.meshes[i]->real_count,
               needed = pose_deform_scratch(figure->source.skins[i]);
        vertices = real > vertices ? real : vertices;
        scratch = needed > scratch ? needed : scratch;
        targets =
            figure->source.meshes[i]->morph_count > targets ? figure->source.meshes[i]->morph_count : targets;
    }
    figure->shown = calloc(count, sizeof *figure->shown);
    figure->ends = calloc(count, sizeof *figure->ends);
    figure->body = calloc(count, sizeof *figure->body);
    figure->local = calloc(count, FIGURE_ROW * sizeof *figure->local);
    figure->matrices = calloc(count, FIGURE_MATRIX * sizeof *figure->matrices);
    figure->places = calloc(count, sizeof *figure->places);
    figure->vertices = calloc(vertices, sizeof *figure->vertices);
    figure->normals = calloc(vertices, sizeof *figure->normals);
    figure->scratch = malloc(scratch);
    figure->morphs =
        calloc((size_t)pose_sampler_morph_count(figure->source.sampler) + 1, sizeof *figure->morphs);
    figure->targets = calloc(targets, sizeof *figure->targets);
    return figure->morphs && figure->targets && figure->shown && figure->ends && figure->body &&
           figure->local && figure->matrices && figure->places && figure->vertices && figure->normals &&
           figure->scratch;
}

/* For skins without faces (Metroid Prime's have only weights) the bones are drawn. */
static void take_meshes(struct figure *figure)
{
    struct figure_source *source = &figure->source;
    unsigned count = 0;
    for (unsigned i = 0; i < source->mesh_count; i++) {
        if (!source->meshes[i]->face_count)
            continue;
        source->meshes[count] = source->meshes[i];
        source->skins[count++] = source->skins[i];
    }
    source->mesh_count = count;
}

/* The number of weights that the clip animates if it animates no joint and no mesh shows them; otherwise 0. */
static uint32_t count_weights(const struct figure_source *source)
{
    const struct pose_clip *clip = source->clip;
    uint32_t count = 0;
    for (unsigned i = 0; source->skeleton && i < source->mesh_count; i++) {
        if (source->meshes[i]->morph_count)
            return 0;
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_channel *channels = clip->tracks[i].channels;
        if (channels[POSE_TRANSLATION].count || channels[POSE_ROTATION].count || channels[POSE_SCALE].count)
            return 0;
        count += channels[POSE_MORPH].count > 0;
    }
    return count;
}

struct figure *figure_new(const struct figure_source *source, const struct view *view)
{
    struct figure *figure = calloc(1, sizeof *figure);
    if (!figure)
        return NULL;
    figure->source = *source;
    take_meshes(figure);
    figure->view = *view;
    figure->count = pose_sampler_row_count(source->sampler);
    figure->rows = pose_sampler_rows(source->sampler);
    if (!allocate(figure)) {
        figure_free(figure);
        return NULL;
    }
    figure->weights = count_weights(&figure->source);
    if (source->skeleton && !figure->weights) {
        figure_sample(figure, 0);
        figure_choose_joints(figure);
    }
    return figure;
}

void figure_free(struct figure *figure)
{
    if (!figure)
        return;
    free(figure->shown);
    free(figure->ends);
    free(figure->body);
    free(figure->local);
    free(figure->matrices);
    free(figure->places);
    free(figure->vertices);
    free(figure->normals);
    free(figure->scratch);
    free(figure->morphs);
    free(figure->targets);
    free(figure);
}

/* --------------------------------------------------------------------------------------------------- skeletons -- */

/* Whether a bone ends at that joint. */
static bool has_bone(const struct figure *figure, uint32_t joint)
{
    int32_t parent = figure->rows[joint].parent;
    return parent >= 0 && figure->shown[joint] && figure->shown[parent];
}

/* A bone moves with the joint at its start. */
static void draw_bones(const struct figure *figure, float (*places)[3], struct scene *scene)
{
    for (uint32_t i = 0; i < figure->count; i++) {
        if (!figure->shown[i])
            continue;
        float radius = 0.012f;
        if (has_bone(figure, i)) {
            uint32_t parent = (uint32_t)figure->rows[i].parent;
            scene_add_bone(scene, places[parent], places[i],
                           figure->rows[parent].driven ? figure_driven_color : figure_resting_color);
            radius =
                0.05f * hypotf(hypotf(places[i][0] - places[parent][0], places[i][1] - places[parent][1]),
                               places[i][2] - places[parent][2]);
        }
        if (figure->ends[i])
            scene_add_ball(scene, places[i], fminf(radius, 0.02f),
                           figure->rows[i].driven ? figure_driven_color : figure_resting_color);
    }
}

/* ---------------------------------------------------------------------------------------------------- the whole -- */

/* Transforms all points to view space; those of a shadow are projected straight down first. */
static void turn_points(const struct figure *figure, float (*points)[3], size_t count, bool to_floor,
                        float (*out)[3])
{
    for (size_t i = 0; i < count; i++) {
        float point[3] = {points[i][0], to_floor ? figure->floor : points[i][1], points[i][2]};
        view_turn(&figure->view, point, out[i]);
    }
}

static void draw_figure(struct figure *figure, struct scene *scene, bool to_floor)
{
    float(*points)[3] = malloc((figure->count ? figure->count : 1) * sizeof *points);
    if (!points) {
        scene->out_of_memory = true;
        return;
    }
    turn_points(figure, figure->places, figure->count, to_floor, points);
    draw_bones(figure, points, scene);
    free(points);
}

void figure_draw(struct figure *figure, double t, struct scene *scene, struct scene *shadow)
{
    if (figure->weights) {
        figure_draw_weights(figure, scene);
        return;
    }
    figure_sample(figure, t);
    if (!figure->source.skeleton) {
        figure_draw_cells(figure, scene);
        return;
    }
    draw_figure(figure, scene, false);
    if (shadow && figure->has_floor)
        draw_figure(figure, shadow, true);
}

uint32_t figure_line_count(const struct figure *figure)
{
    uint32_t count = 0;
    for (uint32_t i = 0; figure->source.skeleton && !figure->weights && i < figure->count; i++)
        count += has_bone(figure, i);
    return count;
}

void figure_lines_driven(const struct figure *figure, bool *driven)
{
    for (uint32_t i = 0; i < figure->count; i++) {
        if (has_bone(figure, i))
            *driven++ = figure->rows[figure->rows[i].parent].driven;
    }
}

void figure_lines(struct figure *figure, double t, float (*ends)[2][3])
{
    figure_sample(figure, t);
    for (uint32_t i = 0; i < figure->count; i++) {
        if (!has_bone(figure, i))
            continue;
        view_turn(&figure->view, figure->places[figure->rows[i].parent], (*ends)[0]);
        view_turn(&figure->view, figure->places[i], (*ends)[1]);
        ends++;
    }
}

bool figure_is_solid(const struct figure *figure)
{
    return figure->source.mesh_count && figure->source.skeleton && !figure->weights;
}

const struct figure_source *figure_source_of(const struct figure *figure)
{
    return &figure->source;
}

void figure_pose(struct figure *figure, double t)
{
    figure_sample(figure, t);
}

void figure_deform(struct figure *figure, unsigned mesh, const float (**places)[3],
                   const float (**normals)[3])
{
    const struct figure_source *source = &figure->source;
    const struct pose_mesh *drawn = source->meshes[mesh];
    bool is_morphed = drawn->morph_count && pose_sampler_morph_count(source->sampler) &&
                      pose_mesh_weights(drawn, source->sampler, figure->morphs, figure->targets);
    pose_deform_morphed(source->skins[mesh], figure->matrices, is_morphed ? figure->targets : NULL,
                        figure->vertices, figure->normals, figure->scratch);
    *places = (const float(*)[3])figure->vertices;
    *normals = (const float(*)[3])figure->normals;
}
