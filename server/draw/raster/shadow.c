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
static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static int held(double place)
{
    return (int)lesser(greater(place, 0), SHADOW_CELLS - 1);
}

/* The first cell whose middle is not before that place. */
static int first_after(double place)
{
    const int cell = held(place - 0.5);
    return cell < SHADOW_CELLS - 1 && cell < place - 0.5 ? cell + 1 : cell;
}

static void darken(float *cell, float strength)
{
    *cell = *cell > strength ? *cell : strength;
}

void shadow_add(struct shadow *shadow, const float a[3], const float b[3], const float c[3])
{
    const float *corners[3] = {a, b, c};
    double x[3], z[3], height = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = ((double)corners[i][0] - shadow->least[0]) * shadow->scale;
        z[i] = ((double)corners[i][2] - shadow->least[1]) * shadow->scale;
        height += (double)(corners[i][1] - shadow->floor) / 3;
        if (!(fabs(x[i]) < 1e9) || !(fabs(z[i]) < 1e9) || !isfinite(height))
            return;
    }
    float over = (height > 0 ? (float)height : 0) / reach, strength = darkest / (1 + 2 * over * over);
    darken(&shadow->cells[held((z[0] + z[1] + z[2]) / 3)][held((x[0] + x[1] + x[2]) / 3)], strength);
    int top = first_after(lesser(lesser(z[0], z[1]), z[2])),
        bottom = held(greater(greater(z[0], z[1]), z[2]) - 0.5);
    for (int row = top; row <= bottom; row++) {
        double least = HUGE_VAL, most = -HUGE_VAL, at = row + 0.5;
        for (int i = 0; i < 3; i++) {
            int k = (i + 1) % 3;
            if ((z[i] <= at) == (z[k] <= at))
                continue;
            double meets = x[i] + (at - z[i]) * (x[k] - x[i]) / (z[k] - z[i]);
            least = lesser(least, meets);
            most = greater(most, meets);
        }
        if (!(least <= most))
            continue;
        for (int cell = first_after(least); cell <= held(most - 0.5); cell++)
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
    range[0] = (int)greater(range[0], lesser(floor(lesser(first, last)), range[1]));
    range[1] = (int)lesser(range[1], greater(ceil(greater(first, last)) + 1, range[0]));
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
