/* BT.601 in 16 to 235, with libwebp's own factors (of 65536); it spends more on the conversion, for the gamma of colours. */
#include "server/draw/yuv.h"

#include <string.h>

enum { BITS = 16, HALF = 1 << (BITS - 1) };

static const int black = 16, grey = 128;

/* Of four pixels, each weighted by what is seen of it. */
struct sums {
    uint32_t red, green, blue, weight;
};

static size_t half_of(int side)
{
    return ((size_t)side + 1) / 2;
}

size_t yuv_size(int width, int height)
{
    return 2 * (size_t)width * (size_t)height + 2 * half_of(width) * half_of(height);
}

struct yuv_planes yuv_lay(uint8_t *memory, int width, int height)
{
    const size_t all = (size_t)width * (size_t)height, quarter = half_of(width) * half_of(height);
    return (struct yuv_planes){memory, memory + 2 * all, memory + 2 * all + quarter, memory + all};
}

static uint8_t luminance(uint32_t pixel)
{
    const uint32_t sum = 16839 * (pixel >> 16 & 255) + 33059 * (pixel >> 8 & 255) + 6420 * (pixel & 255);
    return (uint8_t)((sum + HALF + ((uint32_t)black << BITS)) >> BITS);
}

static void add(struct sums *sums, uint32_t pixel)
{
    const uint32_t weight = pixel >> 24;
    sums->red += weight * (pixel >> 16 & 255);
    sums->green += weight * (pixel >> 8 & 255);
    sums->blue += weight * (pixel & 255);
    sums->weight += weight;
}

static uint8_t colour(const int factors[3], const int mean[3])
{
    const int sum = factors[0] * mean[0] + factors[1] * mean[1] + factors[2] * mean[2];
    return (uint8_t)((sum + HALF + (grey << BITS)) >> BITS);
}

static void put_colour(const struct sums *sums, uint8_t *u, uint8_t *v)
{
    static const int blueness[3] = {-9719, -19081, 28800}, redness[3] = {28800, -24116, -4684};
    const float share = 1 / (float)sums->weight;
    const int mean[3] = {(int)((float)sums->red * share + 0.5f), (int)((float)sums->green * share + 0.5f),
                         (int)((float)sums->blue * share + 0.5f)};
    *u = colour(blueness, mean);
    *v = colour(redness, mean);
}

struct place {
    int x, y;
};

static void put_four(const uint32_t four[4], const struct place places[4], int width,
                     const struct yuv_planes *to)
{
    struct sums sums = {0};
    const size_t at = (size_t)(places[0].y / 2) * half_of(width) + (size_t)(places[0].x / 2);
    for (int i = 0; i < 4; i++) {
        const size_t one = (size_t)places[i].y * (size_t)width + (size_t)places[i].x;
        to->y[one] = luminance(four[i]);
        to->a[one] = (uint8_t)(four[i] >> 24);
        add(&sums, four[i]);
    }
    if (sums.weight)
        put_colour(&sums, &to->u[at], &to->v[at]);
}

void yuv_take(const uint32_t *pixels, size_t stride, int width, int height, const struct yuv_planes *to)
{
    const size_t all = (size_t)width * (size_t)height, quarter = half_of(width) * half_of(height);
    memset(to->y, black, all);
    memset(to->a, 0, all);
    memset(to->u, grey, quarter);
    memset(to->v, grey, quarter);
    for (int row = 0; row < height; row += 2) {
        const int below = row + 1 < height ? row + 1 : row;
        for (int column = 0; column < width; column += 2) {
            const int right = column + 1 < width ? column + 1 : column;
            const struct place places[4] = {{column, row}, {right, row}, {column, below}, {right, below}};
            uint32_t four[4];
            for (int i = 0; i < 4; i++)
                four[i] = pixels[(size_t)places[i].y * stride + (size_t)places[i].x];
            if (four[0] | four[1] | four[2] | four[3]) /* few are */
                put_four(four, places, width, to);
        }
    }
}
