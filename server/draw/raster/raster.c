#include "server/draw/raster/raster.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- the buffers -- */

bool raster_open(struct raster *raster, const struct raster_target *target)
{
    *raster = (struct raster){
        .target = *target, .bottom = target->top, .across = target->is_coarse ? 1 : RASTER_FINE};
    if (target->right <= target->left || target->bottom <= target->top)
        return true;
    raster->width = (target->right - target->left) * raster->across;
    int rows = target->bottom - target->top, most = RASTER_SAMPLES / (raster->width * RASTER_FINE);
    rows = rows > most ? (most > 0 ? most : 1) : rows;
    size_t samples = (size_t)raster->width * (size_t)rows * RASTER_FINE;
    raster->colors = malloc(samples * sizeof *raster->colors);
    raster->depths = malloc(samples * sizeof *raster->depths);
    return raster->colors && raster->depths;
}

void raster_release(struct raster *raster)
{
    free(raster->colors);
    free(raster->depths);
    *raster = (struct raster){0};
}

bool raster_next(struct raster *raster)
{
    raster->top = raster->bottom;
    if (!raster->width || raster->top >= raster->target.bottom)
        return false;
    int rows = RASTER_SAMPLES / (raster->width * RASTER_FINE);
    raster->bottom = raster->top + (rows > 0 ? rows : 1);
    if (raster->bottom > raster->target.bottom)
        raster->bottom = raster->target.bottom;
    size_t samples = (size_t)raster->width * (size_t)(raster->bottom - raster->top) * RASTER_FINE;
    memset(raster->colors, 0, samples * sizeof *raster->colors);
    for (size_t i = 0; i < samples; i++)
        raster->depths[i] = -FLT_MAX;
    return true;
}

/* ------------------------------------------------------------------------------------------------- samples -- */

/* Colours the samples that wait, but for those that something nearer has been drawn over since. */
static void flush(struct raster *raster, unsigned level)
{
    struct shade_batch *batch = &raster->batches[level];
    uint32_t colors[SHADE_BATCH];
    shade_all(&raster->paint, raster->levels[level], batch, colors);
    for (unsigned i = 0; i < batch->count; i++) {
        if (raster->depths[batch->at[i]] == batch->values[i][SHADE_DEPTH])
            raster->colors[batch->at[i]] = colors[i];
    }
    batch->count = 0;
}

static void flush_all(struct raster *raster)
{
    for (unsigned level = 0; level < TEXTURE_LEVELS; level++) {
        if (raster->batches[level].count)
            flush(raster, level);
    }
}

static void take_paint(struct raster *raster, const struct raster_paint *paint)
{
    if (raster->has_paint && !memcmp(&raster->paint, paint, sizeof *paint))
        return;
    flush_all(raster);
    raster->paint = *paint;
    raster->has_paint = true;
    raster->is_solid = shade_is_solid(paint);
}

/* ------------------------------------------------------------------------------------------------- triangles -- */

typedef double two __attribute__((vector_size(16)));
typedef float two_floats __attribute__((vector_size(8)));

/* Two values over the plane of a triangle: at the origin of samples, and their steps. */
struct slopes {
    two base, dx, dy;
};

struct triangle {
    double x[3], y[3], share;     /* samples of the band; 1 / area */
    struct slopes surface, place; /* depth and light; u and v */
    unsigned number;              /* of the level of the texture */
    const struct texture_level *level;
    texture_four step; /* from sample to sample, in the order of SHADE_VALUES */
};

static struct slopes slopes_of(const struct triangle *t, two a, two b, two c)
{
    struct slopes slopes;
    const two ab = b - a, ac = c - a;
    slopes.dx = (ab * (t->y[2] - t->y[0]) - ac * (t->y[1] - t->y[0])) * t->share;
    slopes.dy = (ac * (t->x[1] - t->x[0]) - ab * (t->x[2] - t->x[0])) * t->share;
    slopes.base = a - slopes.dx * t->x[0] - slopes.dy * t->y[0];
    return slopes;
}

static double sane(float value)
{
    return isfinite(value) && fabsf(value) < 1e6f ? (double)value : 0;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* How many pixels of the image lie between two samples, twice as many where a pixel has one in a row: what they would
 * leave out of the image flickers, and is up to a fifth of the colours in the file of a motion. */
static double step_of(const struct raster *raster, const struct slopes *place, const struct texture *texture)
{
    const double width = texture->levels[0].width, height = texture->levels[0].height;
    const double across = fabs(place->dx[0]) * width + fabs(place->dx[1]) * height,
                 down = fabs(place->dy[0]) * width + fabs(place->dy[1]) * height;
    return greater(across, down) * (raster->across > 1 ? 1 : 2);
}

/* False if it has no area, or shows its back. */
static bool set_up(const struct raster *raster, const struct raster_corner corners[3], struct triangle *t,
                   bool *is_back)
{
    for (int i = 0; i < 3; i++) {
        t->x[i] = (corners[i].x - raster->target.left) * raster->across;
        t->y[i] = (corners[i].y - raster->top) * RASTER_FINE;
        if (!(fabs(t->x[i]) < 1e12) || !(fabs(t->y[i]) < 1e12) || !isfinite(corners[i].depth))
            return false;
    }
    const double area = (t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) - (t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
    *is_back = area > 0; /* y points down */
    if (!(fabs(area) > 1e-9) || (*is_back && !raster->paint.two_sided))
        return false;
    t->share = 1 / area;
    return true;
}

/* In the order of SHADE_VALUES. */
static texture_four both(two surface, two place)
{
    const two_floats first = __builtin_convertvector(surface, two_floats),
                     last = __builtin_convertvector(place, two_floats);
    return (texture_four){first[0], first[1], last[0], last[1]};
}

/* What its samples will be coloured by. */
static void set_surface(struct raster *raster, const struct raster_corner c[3], bool is_back,
                        struct triangle *t)
{
    const double sign = is_back ? -1 : 1;
    struct texture *texture = raster->paint.texture;
    t->surface = slopes_of(t, (two){(double)c[0].depth, sign * sane(c[0].light)},
                           (two){(double)c[1].depth, sign * sane(c[1].light)},
                           (two){(double)c[2].depth, sign * sane(c[2].light)});
    t->place = (struct slopes){0};
    t->level = NULL;
    t->number = 0;
    if (texture && texture->count) {
        t->place = slopes_of(t, (two){sane(c[0].u), sane(c[0].v)}, (two){sane(c[1].u), sane(c[1].v)},
                             (two){sane(c[2].u), sane(c[2].v)});
        t->level = texture_level_for(texture, step_of(raster, &t->place, texture));
        t->number = (unsigned)(t->level - texture->levels);
    }
    raster->levels[t->number] =
        t->level; /* none, where there is no texture: that of the paint before is not its */
    t->step = both(t->surface.dx, t->place.dx);
}

/* Where in its width the samples of a row lie: two a pixel lie across it. */
static double centre_of(const struct raster *raster, int y)
{
    return raster->across > 1 ? 0.5 : y & 1 ? 0.75 : 0.25;
}

/* Samples of what is solid are coloured later, many at a time. */
static void put_solid(struct raster *raster, const struct triangle *t, uint32_t sample, texture_four values)
{
    struct shade_batch *batch = &raster->batches[t->number];
    raster->depths[sample] = values[SHADE_DEPTH];
    batch->values[batch->count] = values;
    batch->at[batch->count] = sample;
    if (++batch->count == SHADE_BATCH)
        flush(raster, t->number);
}

static void fill_row(struct raster *raster, const struct triangle *t, int y, int left, int right)
{
    const double x0 = left + centre_of(raster, y), y0 = y + 0.5;
    const texture_four start = both(t->surface.base + t->surface.dx * x0 + t->surface.dy * y0,
                                    t->place.base + t->place.dx * x0 + t->place.dy * y0),
                       step = t->step;
    const uint32_t first = (uint32_t)y * (uint32_t)raster->width + (uint32_t)left;
    for (uint32_t k = 0; k < (uint32_t)(right - left); k++) {
        const texture_four values = start + (float)k * step;
        const uint32_t sample = first + k;
        if (!(values[SHADE_DEPTH] > raster->depths[sample]))
            continue;
        if (raster->is_solid)
            put_solid(raster, t, sample, values);
        else if (shade_one(&raster->paint, t->level, values, &raster->colors[sample]) &&
                 raster->paint.alpha != POSE_BLEND)
            raster->depths[sample] = values[SHADE_DEPTH];
    }
}

/* An edge from its upper to its lower end, so that neighbours agree. */
struct edge {
    double x, top, slope; /* the slope of a level edge is not used */
};

static struct edge edge_of(const struct triangle *t, int upper, int lower)
{
    return (struct edge){t->x[upper], t->y[upper], (t->x[lower] - t->x[upper]) / (t->y[lower] - t->y[upper])};
}

/* Two of them. */
struct edges {
    two x, top, slope;
};

/* The first sample whose centre (within the sample) is not before that place, within 0 and end. */
static int first_after(double place, double centre, int end)
{
    if (!(place > centre))
        return 0;
    if (!(place < end))
        return end;
    int whole = (int)(place - centre);
    return whole + (whole < place - centre);
}

/* The corners from above, those of one height from the left. */
static void sort_corners(const struct triangle *t, int order[3])
{
    for (int i = 0; i < 3; i++) {
        int k = i;
        for (; k > 0; k--) {
            const int before = order[k - 1];
            if (t->y[before] < t->y[i] || (t->y[before] == t->y[i] && t->x[before] <= t->x[i]))
                break;
            order[k] = before;
        }
        order[k] = i;
    }
}

/* Two numbers, not negative and below 2^31, without what is behind the point: adding 2^52 leaves it no room, and the whole
 * number in the lowest bits. */
typedef int64_t two_wholes __attribute__((vector_size(16)));

static const double no_fraction = 0x1p52;

/* Where a row enters and leaves the triangle: the first samples that are not before its edges, within the width. */
static void find_span(const struct raster *raster, const struct edges *edges, int y, int span[2])
{
    const double end = raster->width;
    two place = edges->x + (y + 0.5 - edges->top) * edges->slope - centre_of(raster, y);
    place = (two)((two_wholes)place & (place > 0));
    const two_wholes is_within = place < end;
    place = (two)(((two_wholes)place & is_within) | ((two_wholes)(two){end, end} & ~is_within));
    two whole = (place + no_fraction) - no_fraction;
    whole += (two)((two_wholes)(two){1, 1} & (whole < place));
    const two_wholes bits = (two_wholes)(whole + no_fraction);
    const int a = (int32_t)bits[0], b = (int32_t)bits[1];
    span[0] = a < b ? a : b;
    span[1] = a < b ? b : a;
}

/* Rows between two edges. */
static void fill_rows(struct raster *raster, const struct triangle *t, struct edge first, struct edge second,
                      int top, int bottom)
{
    const struct edges edges = {{first.x, second.x}, {first.top, second.top}, {first.slope, second.slope}};
    for (int y = top; y < bottom; y++) {
        int span[2];
        find_span(raster, &edges, y, span);
        if (span[0] < span[1]) {
            raster->work += (uint64_t)(span[1] - span[0]);
            fill_row(raster, t, y, span[0], span[1]);
        }
    }
}

/* Each row meets the edge between the highest and the lowest corner, and one of the others. */
static void fill(struct raster *raster, const struct triangle *t, const int order[3], int top, int bottom)
{
    const struct edge far = edge_of(t, order[0], order[2]);
    const int middle = first_after(t->y[order[1]], 0.5, bottom);
    if (top < middle)
        fill_rows(raster, t, far, edge_of(t, order[0], order[1]), top, middle);
    if (middle < bottom)
        fill_rows(raster, t, far, edge_of(t, order[1], order[2]), middle > top ? middle : top, bottom);
}

void raster_triangle(struct raster *raster, const struct raster_corner corners[3],
                     const struct raster_paint *paint)
{
    struct triangle t;
    bool is_back;
    int order[3];
    take_paint(raster, paint);
    if (!set_up(raster, corners, &t, &is_back))
        return;
    const int rows = (raster->bottom - raster->top) * RASTER_FINE;
    sort_corners(&t, order);
    const int top = first_after(t.y[order[0]], 0.5, rows), bottom = first_after(t.y[order[2]], 0.5, rows);
    if (top >= bottom)
        return;
    set_surface(raster, corners, is_back, &t);
    fill(raster, &t, order, top, bottom);
}

/* ------------------------------------------------------------------------------------------------- the picture -- */

/* The mean of four premultiplied pixels, two channels at a time: sums of four stay within their 16 bits. */
static uint32_t mean(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t even = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff) + 0x20002;
    uint32_t odd =
        (a >> 8 & 0xff00ff) + (b >> 8 & 0xff00ff) + (c >> 8 & 0xff00ff) + (d >> 8 & 0xff00ff) + 0x20002;
    return (even >> 2 & 0xff00ff) | (odd >> 2 & 0xff00ff) << 8;
}

static uint32_t put_over(uint32_t above, uint32_t below)
{
    return above >> 24 == 255 ? above : shade_over(above, below);
}

/* Two samples of two rows. */
static bool is_empty(const uint32_t *first, const uint32_t *second)
{
    uint64_t above, below;
    memcpy(&above, first, sizeof above);
    memcpy(&below, second, sizeof below);
    return !(above | below);
}

void raster_finish(struct raster *raster)
{
    flush_all(raster);
    const size_t width = (size_t)raster->width, across = (size_t)raster->across;
    for (int y = raster->top; y < raster->bottom; y++) {
        const uint32_t *first = raster->colors + (size_t)(y - raster->top) * RASTER_FINE * width,
                       *second = first + width;
        uint32_t *to = raster->target.pixels + (size_t)y * raster->target.stride + raster->target.left;
        for (size_t x = 0; x < width; x += across, to++) {
            if (across > 1 && is_empty(first + x, second + x)) /* most of them */
                continue;
            uint32_t a = first[x], b = first[x + across - 1], c = second[x], d = second[x + across - 1];
            if (a | b | c | d)
                *to = put_over(mean(a, b, c, d), *to);
        }
    }
}
