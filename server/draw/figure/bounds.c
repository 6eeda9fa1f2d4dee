/* Where a figure is in all of its motion: the rectangle, the floor, and whether it is followed. */
#include "server/draw/figure/parts.h"

#include <math.h>

enum {
    MAX_TIMES = 48,      /* number of times at which the bounds are sampled */
    MAX_MESH_TIMES = 12, /* the same with meshes */
    MAX_TOPS = 4,        /* joints at the top that may be omitted */
    MAX_LOOKED_AT = 16,  /* joints at the top that are looked at for it, each in all poses */
};

/* Numbers that are worked on together: right and up as seen, the height in model space, nothing. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_masks __attribute__((vector_size(16)));

struct reach {
    four least, most;
};

static four chosen(four_masks mask, four a, four b)
{
    return (four)(((four_masks)a & mask) | ((four_masks)b & ~mask));
}

/* As view_turn sees them, all vertices of all moments. */
static void add_points(const struct view *view, const float (*points)[3], size_t count, struct reach *reach)
{
    const float(*axes)[3] = view->axes;
    const four x = {axes[0][0], axes[1][0], 0, 0}, y = {axes[0][1], axes[1][1], 1, 0},
               z = {axes[0][2], axes[1][2], 0, 0};
    const four_masks is_height = {0, 0, -1, -1};
    four least = reach->least, most = reach->most;
    for (size_t i = 0; i < count; i++) {
        four place = x * points[i][0] + y * points[i][1] + z * points[i][2];
        place = (four)((four_masks)place & ((place - place == 0) | is_height));
        least = chosen(place < least, place, least);
        most = chosen(place > most, place, most);
    }
    reach->least = least;
    reach->most = most;
}

static void add_pose(struct figure *figure, struct reach *reach)
{
    for (unsigned mesh = 0; mesh < figure->source.mesh_count; mesh++) {
        const float(*places)[3], (*normals)[3];
        figure_deform(figure, mesh, &places, &normals);
        add_points(&figure->view, places, figure->source.meshes[mesh]->real_count, reach);
    }
    for (uint32_t i = 0; !figure->source.mesh_count && i < figure->count; i++) {
        if (figure->shown[i])
            add_points(&figure->view, (const float(*)[3])figure->places + i, 1, reach);
    }
}

static struct view_box box_of(const struct reach *reach)
{
    if (!(reach->least[0] <= reach->most[0]))
        return (struct view_box){0};
    return (struct view_box){.least = {reach->least[0], reach->least[1]},
                             .most = {reach->most[0], reach->most[1]},
                             .is_filled = true};
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
    int count = time_count(figure), looked_at = 0;
    for (uint32_t top = 0; top < figure->count && looked_at < MAX_LOOKED_AT; top++) {
        if (!is_top(figure, top))
            continue;
        looked_at++;
        float largest = 0, farthest = 0, size, nearest;
        for (int i = 0; i < count; i++) {
            figure_sample(figure, time_of(figure, i, count));
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

/* The size of the meshes in the sampled pose. */
static float meshes_size(struct figure *figure)
{
    struct range range = no_range;
    for (unsigned mesh = 0; mesh < figure->source.mesh_count; mesh++) {
        const float(*places)[3], (*normals)[3];
        figure_deform(figure, mesh, &places, &normals);
        for (uint32_t v = 0; v < figure->source.meshes[mesh]->real_count; v++)
            range_add(&range, places[v]);
    }
    return range_size(&range);
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
        figure_sample(figure, time_of(figure, i, count));
        for (uint32_t joint = 0; joint < figure->count; joint++) {
            if (figure->shown[joint])
                range_add(&pose, figure->places[joint]);
        }
        size = fmaxf(size, range_size(&pose));
        figure_find_middle(figure, middle);
        range_add(&way, middle);
    }
    if (size == 0) /* one joint, which carries a body */
        size = meshes_size(figure);
    bool over_ground = fmaxf(way.most[0] - way.least[0], way.most[2] - way.least[2]) > 2 * size;
    figure->follows[0] = figure->follows[2] = over_ground;
    figure->follows[1] = way.most[1] - way.least[1] > 2 * size;
}

struct view_box figure_bounds(struct figure *figure)
{
    const four all = {HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF};
    struct reach reach = {all, -all};
    if (figure->weights)
        return figure_weights_bounds(figure);
    if (!figure->source.skeleton)
        return figure_cell_bounds(figure);
    for (int i = 0; i < MAX_TOPS && drop_far_top(figure); i++)
        continue;
    decide_to_follow(figure);
    int count = time_count(figure);
    for (int i = 0; i < count; i++) {
        figure_sample(figure, time_of(figure, i, count));
        add_pose(figure, &reach);
    }
    /* Game engines put figures on height 0; other figures stand on their lowest point. */
    const float lowest = reach.least[2], height = reach.most[2] - lowest;
    figure->has_floor = isfinite(height) && !figure->follows[1];
    figure->floor = fabsf(lowest) < 0.35f * height ? 0 : lowest;
    return box_of(&reach);
}

bool figure_floor(const struct figure *figure, float *height)
{
    *height = figure->floor;
    return figure->has_floor;
}
