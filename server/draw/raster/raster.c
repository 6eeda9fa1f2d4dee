#include "server/draw/raster/raster.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How bright a surface is: half-Lambert, so that what is turned away keeps its form. */
static const float dark = 0.5f, bright = 0.62f;

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

/* Source over, of premultiplied pixels. */
static uint32_t over(uint32_t above, uint32_t below)
{
    uint32_t rest = 255 - (above >> 24), out = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t channel = (above >> shift & 255) + ((below >> shift & 255) * rest + 127) / 255;
        out |= (channel < 255 ? channel : 255) << shift;
    }
    return out;
}

/* The mean of four premultiplied pixels, two channels at a time: sums of four stay within their 16 bits. */
static uint32_t mean(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t even = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff) + 0x20002;
    uint32_t odd =
        (a >> 8 & 0xff00ff) + (b >> 8 & 0xff00ff) + (c >> 8 & 0xff00ff) + (d >> 8 & 0xff00ff) + 0x20002;
    return (even >> 2 & 0xff00ff) | (odd >> 2 & 0xff00ff) << 8;
}

void raster_finish(struct raster *raster)
{
    size_t width = (size_t)raster->width, across = (size_t)raster->across;
    for (int y = raster->top; y < raster->bottom; y++) {
        const uint32_t *first = raster->colors + (size_t)(y - raster->top) * RASTER_FINE * width,
                       *second = first + width;
        uint32_t *to = raster->target.pixels + (size_t)y * raster->target.stride + raster->target.left;
        for (size_t x = 0; x < width; x += across, to++) {
            uint32_t a = first[x], b = first[x + across - 1], c = second[x], d = second[x + across - 1];
            if (a | b | c | d)
                *to = over(mean(a, b, c, d), *to);
        }
    }
}

/* ------------------------------------------------------------------------------------------------- triangles -- */

/* A value over the plane of a triangle: at the origin of samples, and its steps. */
struct slope {
    double base, dx, dy;
};

static double at(const struct slope *slope, double x, double y)
{
    return slope->base + slope->dx * x + slope->dy * y;
}

struct triangle {
    double x[3], y[3], area, share; /* samples of the band; 1 / area */
    struct slope depth, u, v, light;
    bool is_back;
    const struct raster_paint *paint;
    const struct texture_level *level;
};

static struct slope slope_of(const struct triangle *t, double a, double b, double c)
{
    struct slope slope;
    double ab = b - a, ac = c - a;
    slope.dx = (ab * (t->y[2] - t->y[0]) - ac * (t->y[1] - t->y[0])) * t->share;
    slope.dy = (ac * (t->x[1] - t->x[0]) - ab * (t->x[2] - t->x[0])) * t->share;
    slope.base = a - slope.dx * t->x[0] - slope.dy * t->y[0];
    return slope;
}

static double sane(float value)
{
    return isfinite(value) && fabsf(value) < 1e6f ? (double)value : 0;
}

/* How many pixels of the image lie between two samples, twice as many where a pixel has one in a row: what they would
 * leave out of the image flickers, and is up to a fifth of the colours in the file of a motion. */
static double step_of(const struct raster *raster, const struct triangle *t, const struct texture *texture)
{
    double width = texture->levels[0].width, height = texture->levels[0].height;
    double across = fabs(t->u.dx) * width + fabs(t->v.dx) * height,
           down = fabs(t->u.dy) * width + fabs(t->v.dy) * height;
    return (across > down ? across : down) * (raster->across > 1 ? 1 : 2);
}

/* False if there is nothing to draw. */
static bool set_up(const struct raster *raster, const struct raster_corner corners[3],
                   const struct raster_paint *paint, struct triangle *t)
{
    t->paint = paint;
    for (int i = 0; i < 3; i++) {
        t->x[i] = (corners[i].x - raster->target.left) * raster->across;
        t->y[i] = (corners[i].y - raster->top) * RASTER_FINE;
        if (!(fabs(t->x[i]) < 1e12) || !(fabs(t->y[i]) < 1e12) || !isfinite(corners[i].depth))
            return false;
    }
    t->area = (t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) - (t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
    t->is_back = t->area > 0; /* y points down */
    if (!(fabs(t->area) > 1e-9) || (t->is_back && !paint->two_sided))
        return false;
    t->share = 1 / t->area;
    t->depth = slope_of(t, (double)corners[0].depth, (double)corners[1].depth, (double)corners[2].depth);
    double sign = t->is_back ? -1 : 1;
    t->light = slope_of(t, sign * sane(corners[0].light), sign * sane(corners[1].light),
                        sign * sane(corners[2].light));
    t->level = NULL;
    if (!paint->texture || !paint->texture->count)
        return true;
    t->u = slope_of(t, sane(corners[0].u), sane(corners[1].u), sane(corners[2].u));
    t->v = slope_of(t, sane(corners[0].v), sane(corners[1].v), sane(corners[2].v));
    t->level = texture_level_for(paint->texture, step_of(raster, t, paint->texture));
    return true;
}

static uint32_t channel(float value)
{
    return value > 0 ? value < 255 ? (uint32_t)(value + 0.5f) : 255 : 0;
}

static float near_zero(float place)
{
    return place > -TEXTURE_FAR && place < TEXTURE_FAR ? place : 0;
}

static float within(float value, float least, float most)
{
    return value > least ? value < most ? value : most : least;
}

/* Lays cloth on its ground. */
static texture_four lay(const struct pose_material *material, texture_four texel)
{
    float share = texel[3] / 255;
    for (int k = 0; k < 3; k++) {
        float above = within(material->gain * texel[k], 0, 255);
        texel[k] = truncf(within(above * share + 255 * material->ground[k] * (1 - share) + 0.5f, 0, 255));
    }
    texel[3] = 255;
    return texel;
}

/* Red, green and blue as lit, each within 0 and 255. */
static texture_four lit_color(const struct raster_paint *paint, texture_four texel, float light)
{
    const texture_four color = {paint->color[0], paint->color[1], paint->color[2], 0},
                       glow = {paint->glow[0], paint->glow[1], paint->glow[2], 0},
                       most = {255, 255, 255, 255};
    float half = 0.5f + 0.5f * within(light, -1, 1), lit = dark + bright * half * half;
    texture_four value = texel * color * lit + 255 * glow;
    /* What is not above 0 becomes 0, then what is not below 255 becomes that. */
    texture_whole bits = (texture_whole)value & (value > 0);
    texture_whole low = (texture_four)bits < most;
    return (texture_four)((bits & low) | ((texture_whole)most & ~low));
}

/* The channels of a pixel, of values within 0 and 255. */
static uint32_t pixel_of(texture_four color, uint32_t alpha)
{
    const texture_whole whole = __builtin_convertvector(color + 0.5f, texture_whole);
    return alpha << 24 | (uint32_t)whole[0] << 16 | (uint32_t)whole[1] << 8 | (uint32_t)whole[2];
}

/* Puts one sample; false if its alpha leaves it out. */
static bool shade(const struct triangle *t, float u, float v, float light, uint32_t *color)
{
    const struct raster_paint *paint = t->paint;
    texture_four texel = {255, 255, 255, 255};
    if (t->level)
        texel = texture_sample(t->level, paint->texture->clamps, near_zero(u), near_zero(v));
    if (t->level && paint->covers)
        texel = lay(paint->covers, texel);
    if (paint->alpha == POSE_OPAQUE) {
        *color = pixel_of(lit_color(paint, texel, light), 255);
        return true;
    }
    float alpha = paint->color[3] * texel[3] / 255;
    if (paint->alpha == POSE_MASK) {
        if (!(alpha >= paint->cutoff))
            return false;
        *color = pixel_of(lit_color(paint, texel, light), 255);
        return true;
    }
    if (!(alpha > 0.002f))
        return false;
    alpha = alpha < 1 ? alpha : 1;
    uint32_t own = pixel_of(alpha * lit_color(paint, texel, light), channel(255 * alpha));
    *color = own >> 24 == 255 ? own : over(own, *color);
    return true;
}

/* Where in its width the samples of a row lie: two a pixel lie across it. */
static double centre_of(const struct raster *raster, int y)
{
    return raster->across > 1 ? 0.5 : y & 1 ? 0.75 : 0.25;
}

static void fill_row(struct raster *raster, const struct triangle *t, int y, int left, int right)
{
    size_t row = (size_t)y * (size_t)raster->width;
    double x0 = left + centre_of(raster, y), y0 = y + 0.5;
    float depth = (float)at(&t->depth, x0, y0), depth_step = (float)t->depth.dx;
    float light = (float)at(&t->light, x0, y0), light_step = (float)t->light.dx;
    float u = 0, v = 0, u_step = 0, v_step = 0;
    if (t->level) {
        u = (float)at(&t->u, x0, y0);
        v = (float)at(&t->v, x0, y0);
        u_step = (float)t->u.dx;
        v_step = (float)t->v.dx;
    }
    bool is_solid = t->paint->alpha != POSE_BLEND;
    for (int x = left; x < right; x++) {
        float k = (float)(x - left), here = depth + k * depth_step;
        size_t sample = row + (size_t)x;
        if (!(here > raster->depths[sample]))
            continue;
        if (shade(t, u + k * u_step, v + k * v_step, light + k * light_step, &raster->colors[sample]) &&
            is_solid)
            raster->depths[sample] = here;
    }
}

/* An edge from its upper to its lower end, so that neighbours agree. */
struct edge {
    double x, top, bottom, slope; /* the slope of a level edge is not used */
};

static struct edge edge_of(const struct triangle *t, int a, int b)
{
    if (t->y[a] > t->y[b] || (t->y[a] == t->y[b] && t->x[a] > t->x[b])) {
        int swapped = a;
        a = b;
        b = swapped;
    }
    return (struct edge){t->x[a], t->y[a], t->y[b], (t->x[b] - t->x[a]) / (t->y[b] - t->y[a])};
}

/* Where a row of samples meets an edge. */
static void cross_edge(const struct edge *edge, double y, double *least, double *most)
{
    if (!(edge->top <= y && y < edge->bottom))
        return;
    double x = edge->x + (y - edge->top) * edge->slope;
    *least = x < *least ? x : *least;
    *most = x > *most ? x : *most;
}

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

static double least_of(const double y[3])
{
    double least = y[0] < y[1] ? y[0] : y[1];
    return y[2] < least ? y[2] : least;
}

static double most_of(const double y[3])
{
    double most = y[0] > y[1] ? y[0] : y[1];
    return y[2] > most ? y[2] : most;
}

void raster_triangle(struct raster *raster, const struct raster_corner corners[3],
                     const struct raster_paint *paint)
{
    struct triangle t;
    if (!set_up(raster, corners, paint, &t))
        return;
    const struct edge edges[3] = {edge_of(&t, 0, 1), edge_of(&t, 1, 2), edge_of(&t, 2, 0)};
    int rows = (raster->bottom - raster->top) * RASTER_FINE;
    int top = first_after(least_of(t.y), 0.5, rows), bottom = first_after(most_of(t.y), 0.5, rows);
    for (int y = top; y < bottom; y++) {
        double least = HUGE_VAL, most = -HUGE_VAL, centre = centre_of(raster, y);
        for (int i = 0; i < 3; i++)
            cross_edge(&edges[i], y + 0.5, &least, &most);
        int left = first_after(least, centre, raster->width),
            right = first_after(most, centre, raster->width);
        if (left < right) {
            raster->work += (uint64_t)(right - left);
            fill_row(raster, &t, y, left, right);
        }
    }
}
