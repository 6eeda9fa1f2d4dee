#include "server/draw/raster/shadow.h"

#include <math.h>
#include <string.h>

static const float darkest = 0.5f; /* share of black where something touches the floor */
static const float reach = 0.35f;  /* metres above the floor at which it is a third of that */
static const double around = 0.16; /* share of the square's side that is left free for blurring */

bool shadow_open(struct shadow *shadow, float floor, const float least[3], const float most[3])
{
    double width = fmax((double)most[0] - (double)least[0], (double)most[2] - (double)least[2]);
    if (!(width > 1e-4) || !(width < 1e6))
        return false;
    double side = width / (1 - 2 * around);
    shadow->floor = floor;
    shadow->side = side;
    shadow->scale = SHADOW_CELLS / side;
    for (int i = 0; i < 2; i++) {
        double middle = ((double)least[2 * i] + (double)most[2 * i]) / 2;
        shadow->least[i] = middle - side / 2;
    }
    memset(shadow->cells, 0, sizeof shadow->cells);
    return true;
}

/* fmin and the like are calls, and each triangle comes here. */
static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static float greater(float a, float b)
{
    return a > b ? a : b;
}

static int held(float place)
{
    return (int)lesser(greater(place, 0), SHADOW_CELLS - 1);
}

/* The first cell whose middle is not before that place. */
static int first_after(float place)
{
    const int cell = held(place - 0.5f);
    return cell < SHADOW_CELLS - 1 && (float)cell < place - 0.5f ? cell + 1 : cell;
}

static void darken(float *cell, float strength)
{
    *cell = *cell > strength ? *cell : strength;
}

void shadow_place(const struct shadow *shadow, const float (*from)[3], size_t count, float (*to)[3])
{
    const float scale = (float)shadow->scale;
    for (size_t i = 0; i < count; i++) {
        to[i][0] = (float)((double)from[i][0] - shadow->least[0]) * scale;
        to[i][1] = from[i][1] - shadow->floor;
        to[i][2] = (float)((double)from[i][2] - shadow->least[1]) * scale;
    }
}

static bool is_near(const float place[3])
{
    return fabsf(place[0]) < 1e9f && fabsf(place[1]) < 1e30f && fabsf(place[2]) < 1e9f;
}

static float strength_of(float height)
{
    const float over = (height > 0 ? height : 0) / reach;
    return darkest / (1 + 2 * over * over);
}

void shadow_add(struct shadow *shadow, const float a[3], const float b[3], const float c[3])
{
    const float *corners[3] = {a, b, c};
    if (!is_near(a) || !is_near(b) || !is_near(c))
        return;
    const float strength = strength_of((a[1] + b[1] + c[1]) / 3);
    darken(&shadow->cells[held((a[2] + b[2] + c[2]) / 3)][held((a[0] + b[0] + c[0]) / 3)], strength);
    const int top = first_after(lesser(lesser(a[2], b[2]), c[2])),
              bottom = held(greater(greater(a[2], b[2]), c[2]) - 0.5f);
    for (int row = top; row <= bottom; row++) {
        const float at = (float)row + 0.5f;
        float least = HUGE_VALF, most = -HUGE_VALF;
        for (int i = 0; i < 3; i++) {
            const float *from = corners[i], *to = corners[(i + 1) % 3];
            if ((from[2] <= at) == (to[2] <= at))
                continue;
            const float meets = from[0] + (at - from[2]) * (to[0] - from[0]) / (to[2] - from[2]);
            least = lesser(least, meets);
            most = greater(most, meets);
        }
        if (!(least <= most))
            continue;
        for (int cell = first_after(least); cell <= held(most - 0.5f); cell++)
            darken(&shadow->cells[row][cell], strength);
    }
}

/* The mean of the five cells around each, along rows, written as columns: twice is both ways. */
static void blur_across(const float (*from)[SHADOW_CELLS], float (*to)[SHADOW_CELLS])
{
    for (int row = 0; row < SHADOW_CELLS; row++) {
        for (int cell = 0; cell < SHADOW_CELLS; cell++) {
            const float *at = from[row] + cell;
            float sum = 0;
            if (cell >= 2 && cell < SHADOW_CELLS - 2)
                sum = at[-2] + at[-1] + at[0] + at[1] + at[2];
            else
                for (int k = cell - 2; k <= cell + 2; k++)
                    sum += k >= 0 && k < SHADOW_CELLS ? from[row][k] : 0;
            to[cell][row] = sum / 5;
        }
    }
}

void shadow_blur(struct shadow *shadow)
{
    for (int i = 0; i < 3; i++) {
        blur_across((const float(*)[SHADOW_CELLS])shadow->cells, shadow->rows);
        blur_across((const float(*)[SHADOW_CELLS])shadow->rows, shadow->cells);
    }
}

/* Bilinear, between the middles of cells; 0 outside. */
static float strength_at(const struct shadow *shadow, double x, double z)
{
    if (!(x >= 0 && z >= 0 && x < SHADOW_CELLS - 1 && z < SHADOW_CELLS - 1))
        return 0;
    int left = (int)x, top = (int)z;
    float right = (float)(x - left), down = (float)(z - top);
    const float *above = &shadow->cells[top][left], *below = &shadow->cells[top + 1][left];
    return (above[0] * (1 - right) + above[1] * right) * (1 - down) +
           (below[0] * (1 - right) + below[1] * right) * down;
}

/* Black of that strength over a premultiplied pixel. */
static uint32_t shaded(uint32_t below, float strength)
{
    uint32_t share = (uint32_t)(strength * 256), rest = 256 - share, out = 0;
    for (int shift = 0; shift < 24; shift += 8)
        out |= ((below >> shift & 255) * rest >> 8) << shift;
    return out | (share * 255 / 256 + ((below >> 24) * rest >> 8)) << 24;
}

/* The rows of pixels that the square may reach. */
static void find_rows(const struct shadow *shadow, const struct view *view, const struct view_frame *frame,
                      const struct raster_target *target, int rows[2])
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        float corner[3] = {(float)(shadow->least[0] + (i & 1) * shadow->side), shadow->floor,
                           (float)(shadow->least[1] + (i >> 1) * shadow->side)},
              seen[3];
        view_turn(view, corner, seen);
        double y = frame->origin_y - frame->scale * (double)seen[1];
        least = fmin(least, y);
        most = fmax(most, y);
    }
    rows[0] = (int)fmin(fmax(floor(least), target->top), target->bottom);
    rows[1] = (int)fmin(fmax(ceil(most), target->top), target->bottom);
}

/* Leaves of a row's pixels those where a value that grows from pixel to pixel may lie between two cells. */
static void narrow(double base, double step, int range[2])
{
    const double first = (0 - base) / step, last = (SHADOW_CELLS - 1 - base) / step;
    if (!(fabs(step) > 1e-9))
        return;
    range[0] = (int)fmax(range[0], fmin(floor(fmin(first, last)), range[1]));
    range[1] = (int)fmin(range[1], fmax(ceil(fmax(first, last)) + 1, range[0]));
}

void shadow_paint(const struct shadow *shadow, const struct view *view, const struct view_frame *frame,
                  const struct raster_target *target)
{
    const float(*axes)[3] = view->axes;
    const double a = (double)axes[0][0], b = (double)axes[0][2], c = (double)axes[1][0],
                 d = (double)axes[1][2], area = a * d - b * c, cells = shadow->scale / area;
    int rows[2];
    if (!(fabs(area) > 1e-4))
        return; /* the floor is seen edge-on */
    find_rows(shadow, view, frame, target, rows);
    const double across = (target->left + 0.5 - frame->origin_x) / frame->scale -
                          (double)(axes[0][1] * shadow->floor),
                 step_x = d * cells / frame->scale, step_z = -c * cells / frame->scale;
    for (int y = rows[0]; y < rows[1]; y++) {
        uint32_t *row = target->pixels + (size_t)y * target->stride + target->left;
        const double up = (frame->origin_y - (y + 0.5)) / frame->scale - (double)(axes[1][1] * shadow->floor);
        const double x = (across * d - up * b) * cells - shadow->least[0] * shadow->scale - 0.5,
                     z = (up * a - across * c) * cells - shadow->least[1] * shadow->scale - 0.5;
        int range[2] = {0, target->right - target->left};
        narrow(x, step_x, range);
        narrow(z, step_z, range);
        for (int i = range[0]; i < range[1]; i++) {
            const float strength = strength_at(shadow, x + i * step_x, z + i * step_z);
            if (strength > 0.004f)
                row[i] = shaded(row[i], strength);
        }
    }
}
