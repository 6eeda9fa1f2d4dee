/* Blending poses of one skeleton. */
#include "lib/sample/sampler.h"
#include "lib/model/axes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double weight_of(const struct pose_layer *layer, uint32_t row)
{
    double factor = layer->factors ? (double)layer->factors[row] : 1;
    return (double)layer->weight * factor;
}

/* The layer with the largest weight on the row (the first among equals), and the sum of all weights. */
static const struct pose_layer *weigh_row(const struct pose_layer *layers, uint32_t count, uint32_t row,
                                          double *sum)
{
    const struct pose_layer *heaviest = NULL;
    double most = 0;
    *sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double weight = weight_of(&layers[i], row);
        *sum += weight;
        if (weight > most) {
            most = weight;
            heaviest = &layers[i];
        }
    }
    return heaviest;
}

/* Adds share of a row to sums, with its rotation in the hemisphere of side. */
static void add_share(const float *from, const float *side, double share, double sums[ROW_FLOATS])
{
    const float *rotation = from + ROTATION_PLACE;
    double turned = quat_dot(rotation, side) < 0 ? -share : share;
    for (unsigned i = 0; i < 3; i++) {
        sums[i] += share * (double)from[i];
        sums[SCALE_PLACE + i] += share * (double)from[SCALE_PLACE + i];
    }
    for (unsigned i = 0; i < 4; i++)
        sums[ROTATION_PLACE + i] += turned * (double)rotation[i];
}

static void write_row(double sums[ROW_FLOATS], float *row)
{
    double square = 0;
    for (unsigned i = 0; i < 4; i++)
        square += sums[ROTATION_PLACE + i] * sums[ROTATION_PLACE + i];
    /* All are in the hemisphere of the heaviest, so the sum is at least its share. */
    double scale = 1 / sqrt(square);
    for (unsigned i = 0; i < 4; i++)
        sums[ROTATION_PLACE + i] *= scale;
    for (unsigned i = 0; i < ROW_FLOATS; i++)
        row[i] = (float)sums[i];
}

void pose_mix(const struct pose_layer *layers, uint32_t layer_count, uint32_t row_count, float *rows)
{
    for (uint32_t row = 0; row < row_count; row++) {
        double sum, sums[ROW_FLOATS] = {0};
        size_t place = (size_t)row * ROW_FLOATS;
        const struct pose_layer *heaviest = weigh_row(layers, layer_count, row, &sum);
        if (!heaviest)
            continue;
        const float *side = heaviest->rows + place + ROTATION_PLACE;
        for (uint32_t i = 0; i < layer_count; i++)
            add_share(layers[i].rows + place, side, weight_of(&layers[i], row) / sum, sums);
        write_row(sums, rows + place);
    }
}

/* ---------------------------------------------------------------------------------------------- additive -- */

static void multiply(const double a[4], const double b[4], double to[4])
{
    to[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    to[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    to[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    to[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* The rotation that many times, on the shorter arc. */
static void turn_times(double q[4], double times)
{
    double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    double sign = q[3] < 0 ? -1 : 1;
    double angle = atan2(sine, sign * q[3]) * times;
    double scale = sine > 0 ? sign * sin(angle) / sine : 0;
    for (unsigned i = 0; i < 3; i++)
        q[i] *= scale;
    q[3] = cos(angle);
}

/* acts: 1, or -1 where a stored rotation acts as its conjugate. */
static void add_rotation(const float *from, const float *to, double weight, double acts, float *rotation)
{
    double back[4], now[4], difference[4], value[4], sum[4], square = 0;
    for (unsigned i = 0; i < 4; i++) {
        double sign = i < 3 ? acts : 1;
        back[i] = i < 3 ? -sign * (double)from[i] : (double)from[i];
        now[i] = sign * (double)to[i];
        value[i] = sign * (double)rotation[i];
    }
    multiply(back, now, difference);
    turn_times(difference, weight);
    multiply(value, difference, sum);
    for (unsigned i = 0; i < 4; i++)
        square += sum[i] * sum[i];
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (unsigned i = 0; i < 4 && scale > 0; i++)
        rotation[i] = (float)((i < 3 ? acts : 1) * sum[i] * scale);
}

/* The nearest float. */
static float to_float(double value)
{
    return (float)fmin(fmax(value, (double)-FLT_MAX), (double)FLT_MAX);
}

void pose_add(const struct pose_layer *layer, const float *reference, enum pose_axes axes, uint32_t row_count,
              float *rows)
{
    double acts = axes == POSE_AXES_SIMS ? -1 : 1;
    for (uint32_t row = 0; row < row_count; row++) {
        double weight = weight_of(layer, row);
        const float *from = reference + (size_t)row * ROW_FLOATS,
                    *to = layer->rows + (size_t)row * ROW_FLOATS;
        float *sum = rows + (size_t)row * ROW_FLOATS;
        if (!(weight > 0))
            continue;
        add_rotation(from + ROTATION_PLACE, to + ROTATION_PLACE, weight, acts, sum + ROTATION_PLACE);
        for (unsigned i = 0; i < 3; i++) {
            double before = (double)from[SCALE_PLACE + i], after = (double)to[SCALE_PLACE + i];
            double ratio = before != 0 ? after / before : 1;
            sum[i] = to_float((double)sum[i] + weight * ((double)to[i] - (double)from[i]));
            sum[SCALE_PLACE + i] = to_float((double)sum[SCALE_PLACE + i] * (1 + weight * (ratio - 1)));
        }
    }
}
