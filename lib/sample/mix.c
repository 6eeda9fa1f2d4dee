/* Blending poses of one skeleton. */
#include "lib/sample/sampler.h"

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

static double dot(const float *a, const float *b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2] +
           (double)a[3] * (double)b[3];
}

/* Adds share of a row to sums, with its rotation in the hemisphere of side. */
static void add_share(const float *from, const float *side, double share, double sums[ROW_FLOATS])
{
    const float *rotation = from + ROTATION_PLACE;
    double turned = dot(rotation, side) < 0 ? -share : share;
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
