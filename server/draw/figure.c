#include "server/draw/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW = 10,
    MATRIX = 16,
    MAX_TIMES = 48,      /* number of times at which the bounds are sampled */
    MAX_MESH_TIMES = 12, /* the same with meshes */
    MAX_TOPS = 4,        /* joints at the top that may be omitted */
    NAMED_WEIGHTS = 12,  /* weights named in the picture of a clip that animates nothing else */
};

static const struct scene_color driven_color = {0.36f, 0.62f, 1.0f};
static const struct scene_color resting_color = {0.66f, 0.69f, 0.74f};
static const struct scene_color axis_colors[3] = {
    {0.93f, 0.36f, 0.36f}, {0.36f, 0.75f, 0.36f}, {0.36f, 0.55f, 0.98f}};

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
    float floor;
    bool has_floor;
    uint32_t weights; /* number of morph weights, if the clip animates nothing else */
    char says[60];    /* their text; labels keep no copies */
    char ids[NAMED_WEIGHTS][12];
    bool follows[3]; /* axes of model space along which the camera follows the figure */
};

/* ------------------------------------------------------------------------------------------------ which bones -- */

/*
 * Skeletons have many joints that a clip does not touch (faces, fingers, wings, volumes). Shown are the joints
 * that it animates, their parents, and one more joint at the end of each chain, so that feet and hands have a
 * direction. If it animates none, all are shown.
 */
static void choose_joints(struct figure *figure)
{
    bool any = false;
    for (uint32_t i = figure->count; i-- > 0;) {
        const struct pose_row *row = &figure->rows[i];
        figure->shown[i] |= row->driven;
        any |= row->driven;
        if (figure->shown[i] && row->parent >= 0)
            figure->shown[row->parent] = true;
    }
    for (uint32_t i = 0; i < figure->count; i++) {
        figure->ends[i] = figure->shown[i];
        if (!any)
            figure->shown[i] = figure->ends[i] = true;
    }
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        if (parent >= 0 && figure->shown[i])
            figure->ends[parent] = false;
    }
}

/* Words in the names of joints that are not part of the figure: IK targets, controls, prop slots. */
static bool is_control(const char *name)
{
    static const char *const words[] = {"iktarget",   "ik_target", "ikhandle",   "ik_handle",   "ikpole",
                                        "ik_pole",    "ik_goal",   "poletarget", "pole_target", "poleVector",
                                        "exportpole", "slot",      "ctrl",       "control",     "_target"};
    size_t length = name ? strlen(name) : 0;
    if (!length)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasestr(name, words[i]))
            return true;
    }
    return !strncasecmp(name, "ik_", 3) || (length > 3 && !strcasecmp(name + length - 3, "_ik"));
}

static void mark_ends(struct figure *figure)
{
    for (uint32_t i = 0; i < figure->count; i++)
        figure->ends[i] = figure->shown[i];
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        if (parent >= 0 && figure->shown[i])
            figure->ends[parent] = false;
    }
}

/* Whether the file's skins say which joints the figure consists of. They do not where most of what moves is in none,
 * as with a robot of rigid parts and a single cable. */
static bool has_skins(const struct figure *figure, const bool *skinned)
{
    uint32_t shown = 0, of_skins = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        shown += figure->shown[i] && !is_control(figure->rows[i].name);
        of_skins += figure->shown[i] && skinned[i];
    }
    return of_skins && of_skins >= shown / 2;
}

/* What is in no skin, or where skins do not say, controls, are not drawn as bones without a part of the figure below
 * them. A skeleton of controls only is shown as it is. The page's viewer does the same. */
static void hide_controls(struct figure *figure, bool *body)
{
    const struct pose_skeleton *skeleton = figure->source.skeleton;
    bool any = false;
    if (skeleton && pose_skinned_joints(skeleton, body) && has_skins(figure, body)) {
        for (uint32_t i = 0; i < figure->count; i++)
            figure->shown[i] &= body[i];
        mark_ends(figure);
        return;
    }
    memset(body, 0, figure->count * sizeof *body);
    for (uint32_t i = figure->count; i-- > 0;) {
        int32_t parent = figure->rows[i].parent;
        body[i] |= figure->shown[i] && !is_control(figure->rows[i].name);
        any |= body[i];
        if (body[i] && parent >= 0)
            body[parent] |= figure->shown[parent];
    }
    for (uint32_t i = 0; i < figure->count && any; i++)
        figure->shown[i] &= body[i];
    mark_ends(figure);
}

/* The extent of the joints that are shown. */
static float reach_of(const struct figure *figure)
{
    float least[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, most[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    float reach = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        for (int k = 0; k < 3 && figure->shown[i]; k++) {
            least[k] = fminf(least[k], figure->places[i][k]);
            most[k] = fmaxf(most[k], figure->places[i][k]);
        }
    }
    for (int k = 0; k < 3; k++)
        reach = fmaxf(reach, most[k] - least[k]);
    return reach;
}

/*
 * Exporters put the figure below a chain of scene nodes at the origin, on the floor, with the hips on the last
 * one, far above. These nodes are not bones: a root at the origin with a single child that is either at the origin
 * too or farther away than a fifth of the figure.
 */
static void hide_scene_roots(struct figure *figure)
{
    float reach = reach_of(figure);
    uint32_t only = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        bool is_top = figure->shown[i] && (parent < 0 || !figure->shown[parent]);
        const float *place = figure->places[i];
        if (!is_top || figure->ends[i] || hypotf(hypotf(place[0], place[1]), place[2]) > 1e-3f)
            continue;
        uint32_t children = 0;
        for (uint32_t k = i + 1; k < figure->count; k++) {
            if (figure->shown[k] && figure->rows[k].parent == (int32_t)i) {
                children++;
                only = k;
            }
        }
        const float *to = figure->places[only];
        float distance = hypotf(hypotf(to[0], to[1]), to[2]);
        if (children == 1 && !figure->ends[only] && (distance < 1e-3f || distance > reach / 5)) {
            figure->shown[i] = false;
        }
    }
}

/* Adds the first bone beyond the end of a chain, a foot or a hand, unless it is too small or too long. */
static void extend_chains(struct figure *figure)
{
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        if (figure->shown[i] || parent < 0 || !figure->ends[parent] || !figure->rows[parent].driven)
            continue;
        const float *from = figure->places[parent], *to = figure->places[i];
        float length = hypotf(hypotf(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
        if (length > 0.02f && length < 0.3f) {
            figure->shown[i] = figure->ends[i] = true;
            figure->ends[parent] = false;
        }
    }
}

/* --------------------------------------------------------------------------------------------------- sampling -- */

/* The centre of what is shown, in model space. */
static void find_middle(const struct figure *figure, float middle[3])
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
    find_middle(figure, middle);
    for (uint32_t i = 0; i < figure->count; i++) {
        for (int k = 0; k < 3; k++) {
            if (!figure->follows[k])
                continue;
            figure->places[i][k] -= middle[k];
            figure->matrices[(size_t)i * MATRIX + 12 + (size_t)k] -= middle[k];
        }
    }
}

static void sample(struct figure *figure, double t)
{
    const struct figure_source *source = &figure->source;
    pose_sample(source->sampler, t, source->wrap, POSE_IN_PLACE, figure->local, NULL);
    if (!source->skeleton)
        return;
    pose_model(source->sampler, figure->local, figure->matrices);
    for (uint32_t i = 0; i < figure->count; i++)
        memcpy(figure->places[i], &figure->matrices[(size_t)i * MATRIX + 12], sizeof figure->places[i]);
    if (figure->follows[0] || figure->follows[1])
        hold(figure);
}

static void deform(struct figure *figure, unsigned mesh)
{
    pose_deform(figure->source.skins[mesh], figure->matrices, figure->vertices, figure->normals,
                figure->scratch);
}

/* --------------------------------------------------------------------------------------------------- the life -- */

static bool allocate(struct figure *figure)
{
    size_t vertices = 1, scratch = 1, count = figure->count ? figure->count : 1;
    for (unsigned i = 0; i < figure->source.mesh_count; i++) {
        size_t real = figure->source.meshes[i]->real_count,
               needed = pose_deform_scratch(figure->source.skins[i]);
        vertices = real > vertices ? real : vertices;
        scratch = needed > scratch ? needed : scratch;
    }
    figure->shown = calloc(count, sizeof *figure->shown);
    figure->ends = calloc(count, sizeof *figure->ends);
    figure->body = calloc(count, sizeof *figure->body);
    figure->local = calloc(count, ROW * sizeof *figure->local);
    figure->matrices = calloc(count, MATRIX * sizeof *figure->matrices);
    figure->places = calloc(count, sizeof *figure->places);
    figure->vertices = calloc(vertices, sizeof *figure->vertices);
    figure->normals = calloc(vertices, sizeof *figure->normals);
    figure->scratch = malloc(scratch);
    return figure->shown && figure->ends && figure->body && figure->local && figure->matrices &&
           figure->places && figure->vertices && figure->normals && figure->scratch;
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

/* The number of weights that the clip animates if it animates no joint; otherwise 0. */
static uint32_t count_weights(const struct pose_clip *clip)
{
    uint32_t count = 0;
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
    figure->weights = count_weights(source->clip);
    if (source->skeleton && !figure->weights) {
        sample(figure, 0);
        choose_joints(figure);
        hide_controls(figure, figure->body);
        hide_scene_roots(figure);
        extend_chains(figure);
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
                           figure->rows[parent].driven ? driven_color : resting_color);
            radius =
                0.05f * hypotf(hypotf(places[i][0] - places[parent][0], places[i][1] - places[parent][1]),
                               places[i][2] - places[parent][2]);
        }
        if (figure->ends[i])
            scene_add_ball(scene, places[i], fminf(radius, 0.02f),
                           figure->rows[i].driven ? driven_color : resting_color);
    }
}

/* ------------------------------------------------------------------------------------------------------ meshes -- */

/* -------------------------------------------------------------------------------------------- without hierarchy -- */

/* A roughly square grid of cells, row by row, each with a joint's axes and its name. */
enum { MAX_CELLS = 400 };
static const float cell_width = 1.7f, cell_height = 0.34f;

/* Draws a line that says so, and the names of the first weights. */
static void draw_weights(struct figure *figure, struct scene *scene)
{
    float place[3] = {0};
    snprintf(figure->says, sizeof figure->says, "%u morph weight%s, no joint moves", figure->weights,
             figure->weights == 1 ? "" : "s");
    scene_add_label(scene, place, figure->says);
    uint32_t named = 0;
    for (uint32_t i = 0; i < figure->source.clip->track_count && named < NAMED_WEIGHTS; i++) {
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

static struct view_box weights_bounds(const struct figure *figure)
{
    struct view_box box = {0};
    uint32_t rows = figure->weights < NAMED_WEIGHTS ? figure->weights : NAMED_WEIGHTS;
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

static void draw_cells(const struct figure *figure, struct scene *scene)
{
    for (uint32_t i = 0; i < cell_count(figure); i++) {
        float place[3], label[3], arm[3], seen[3], tip[3];
        cell_place(figure, i, place);
        memcpy(label, place, sizeof label);
        label[0] += 0.16f;
        scene_add_ball(scene, place, 0.035f, figure->rows[i].driven ? driven_color : resting_color);
        for (int axis = 0; axis < 3; axis++) {
            turn_axis(&figure->local[(size_t)i * ROW + 3], axis, arm);
            view_turn(&figure->view, arm, seen);
            for (int k = 0; k < 3; k++)
                tip[k] = place[k] + 0.12f * seen[k];
            scene_add_line(scene, place, tip, axis_colors[axis], 1.4f);
        }
        scene_add_label(scene, label, figure->rows[i].name ? figure->rows[i].name : "(no name)");
    }
}

static struct view_box cell_bounds(const struct figure *figure)
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

/* ---------------------------------------------------------------------------------------------------- the whole -- */

static void add_point(struct figure *figure, const float point[3], struct view_box *box, float *lowest,
                      float *highest)
{
    float seen[3];
    view_turn(&figure->view, point, seen);
    view_box_add(box, seen);
    *lowest = fminf(*lowest, point[1]);
    *highest = fmaxf(*highest, point[1]);
}

static void add_pose(struct figure *figure, struct view_box *box, float *lowest, float *highest)
{
    for (unsigned mesh = 0; mesh < figure->source.mesh_count; mesh++) {
        deform(figure, mesh);
        for (uint32_t i = 0; i < figure->source.meshes[mesh]->real_count; i++)
            add_point(figure, figure->vertices[i], box, lowest, highest);
    }
    for (uint32_t i = 0; !figure->source.mesh_count && i < figure->count; i++) {
        if (figure->shown[i])
            add_point(figure, figure->places[i], box, lowest, highest);
    }
}

/* The number of times at which the bounds are sampled. */
static int time_count(const struct figure *figure)
{
    int most = figure->source.mesh_count ? MAX_MESH_TIMES : MAX_TIMES;
    return figure->source.clip->duration > 0 ? most : 1;
}

static double time_of(const struct figure *figure, int i, int count)
{
    return count > 1 ? (double)figure->source.clip->duration * i / (count - 1) : 0;
}

struct range {
    float least[3], most[3];
};

static void range_add(struct range *range, const float point[3])
{
    for (int k = 0; k < 3; k++) {
        range->least[k] = fminf(range->least[k], point[k]);
        range->most[k] = fmaxf(range->most[k], point[k]);
    }
}

static float range_size(const struct range *range)
{
    float size = 0;
    for (int k = 0; k < 3; k++)
        size = fmaxf(size, range->most[k] - range->least[k]);
    return size;
}

static const struct range no_range = {{HUGE_VALF, HUGE_VALF, HUGE_VALF},
                                      {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};

/* Whether bones start at a joint and none ends there. */
static bool is_top(const struct figure *figure, uint32_t joint)
{
    int32_t parent = figure->rows[joint].parent;
    return figure->shown[joint] && !figure->ends[joint] && (parent < 0 || !figure->shown[parent]);
}

/* For the sampled pose: the size of the figure without that joint, and the distance to the end of the
 * nearest bone. */
static void measure_top(const struct figure *figure, uint32_t top, float *size, float *nearest)
{
    struct range rest = no_range;
    *nearest = HUGE_VALF;
    for (uint32_t i = 0; i < figure->count; i++) {
        if (!figure->shown[i] || i == top)
            continue;
        const float *from = figure->places[top], *to = figure->places[i];
        range_add(&rest, to);
        if (figure->rows[i].parent == (int32_t)top)
            *nearest = fminf(*nearest, hypotf(hypotf(to[0] - from[0], to[1] - from[1]), to[2] - from[2]));
    }
    *size = range_size(&rest);
}

/*
 * The root of a skeleton may not be part of the body but far away at the scene's origin (Metroid Prime keeps it
 * there while the bones below it travel). A root farther away than the figure's size is omitted, otherwise the
 * figure would be tiny. True if there was one.
 */
static bool drop_far_top(struct figure *figure)
{
    int count = time_count(figure);
    for (uint32_t top = 0; top < figure->count; top++) {
        if (!is_top(figure, top))
            continue;
        float largest = 0, farthest = 0, size, nearest;
        for (int i = 0; i < count; i++) {
            sample(figure, time_of(figure, i, count));
            measure_top(figure, top, &size, &nearest);
            largest = fmaxf(largest, size);
            farthest = fmaxf(farthest, nearest);
        }
        if (largest > 0 && farthest > largest && isfinite(farthest)) {
            figure->shown[top] = false;
            return true;
        }
    }
    return false;
}

/* A figure that travels farther than twice its own size would look tiny, so the camera follows it over the
 * ground and, if it flies, upwards. */
static void decide_to_follow(struct figure *figure)
{
    struct range way = no_range;
    float size = 0, middle[3];
    int count = time_count(figure);
    for (int i = 0; i < count; i++) {
        struct range pose = no_range;
        sample(figure, time_of(figure, i, count));
        for (uint32_t joint = 0; joint < figure->count; joint++) {
            if (figure->shown[joint])
                range_add(&pose, figure->places[joint]);
        }
        size = fmaxf(size, range_size(&pose));
        find_middle(figure, middle);
        range_add(&way, middle);
    }
    bool over_ground = fmaxf(way.most[0] - way.least[0], way.most[2] - way.least[2]) > 2 * size;
    figure->follows[0] = figure->follows[2] = over_ground;
    figure->follows[1] = way.most[1] - way.least[1] > 2 * size;
}

struct view_box figure_bounds(struct figure *figure)
{
    struct view_box box = {0};
    float lowest = HUGE_VALF, highest = -HUGE_VALF;
    if (figure->weights)
        return weights_bounds(figure);
    if (!figure->source.skeleton)
        return cell_bounds(figure);
    for (int i = 0; i < MAX_TOPS && drop_far_top(figure); i++)
        continue;
    decide_to_follow(figure);
    int count = time_count(figure);
    for (int i = 0; i < count; i++) {
        sample(figure, time_of(figure, i, count));
        add_pose(figure, &box, &lowest, &highest);
    }
    /* Game engines put figures on height 0; other figures stand on their lowest point. */
    float height = highest - lowest;
    figure->has_floor = isfinite(height) && !figure->follows[1];
    figure->floor = fabsf(lowest) < 0.35f * height ? 0 : lowest;
    return box;
}

bool figure_floor(const struct figure *figure, float *height)
{
    *height = figure->floor;
    return figure->has_floor;
}

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
        draw_weights(figure, scene);
        return;
    }
    sample(figure, t);
    if (!figure->source.skeleton) {
        draw_cells(figure, scene);
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
    sample(figure, t);
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
    sample(figure, t);
}

void figure_deform(struct figure *figure, unsigned mesh, const float (**places)[3],
                   const float (**normals)[3])
{
    deform(figure, mesh);
    *places = (const float(*)[3])figure->vertices;
    *normals = (const float(*)[3])figure->normals;
}
