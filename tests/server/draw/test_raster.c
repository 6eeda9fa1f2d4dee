/* The rasteriser: how much it covers, what is in front, textures, alpha, and corners that no file should have. */
#include "server/draw/raster/raster.h"
#include "server/draw/raster/shadow.h"
#include "tests/support/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64 };

static uint32_t pixels[SIDE * SIDE];

static bool is_coarse;
static const struct raster_paint plain = {.color = {1, 1, 1, 1}};

struct triangle {
    struct raster_corner corners[3];
    struct raster_paint paint;
};

static struct raster_corner corner(double x, double y, float depth)
{
    return (struct raster_corner){.x = x, .y = y, .depth = depth, .light = 1};
}

/* As seen from the front: counter-clockwise, y down. */
static struct triangle front(double ax, double ay, double bx, double by, double cx, double cy, float depth)
{
    return (struct triangle){{corner(ax, ay, depth), corner(bx, by, depth), corner(cx, cy, depth)}, plain};
}

static void draw(const struct triangle *triangles, size_t count)
{
    const struct raster_target target = {pixels, SIDE, 0, 0, SIDE, SIDE, is_coarse};
    struct raster raster;
    memset(pixels, 0, sizeof pixels);
    ck_assert(raster_open(&raster, &target));
    while (raster_next(&raster)) {
        for (size_t i = 0; i < count; i++)
            raster_triangle(&raster, triangles[i].corners, &triangles[i].paint);
        raster_finish(&raster);
    }
    raster_release(&raster);
}

static double covered(void)
{
    double sum = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        sum += (pixels[i] >> 24) / 255.0;
    return sum;
}

static uint32_t color_at(int x, int y)
{
    return pixels[y * SIDE + x];
}

TEST_EACH(coverage_is_the_area, 2)
{
    struct triangle triangle = front(3.3, 5.1, 7.9, 60.2, 58.4, 33.7, 0);
    const struct raster_corner *c = triangle.corners;
    is_coarse = _i;
    double area = fabs((c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y)) / 2;
    draw(&triangle, 1);
    is_coarse = false;
    ck_assert_double_eq_tol(covered(), area, 0.01 * area);
    ck_assert_uint_eq(color_at(0, 0), 0);
    ck_assert_uint_eq(color_at(20, 33) >> 24, 255);
    bool soft = false;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        soft |= pixels[i] >> 24 && pixels[i] >> 24 < 255;
    ck_assert(soft);
}

/* A fan around a point: no gap and nothing drawn twice between neighbours, wherever their edges run. */
TEST_EACH(neighbours_meet, 2)
{
    enum { COUNT = 23 };
    struct triangle fan[COUNT];
    for (int i = 0; i < COUNT; i++) {
        double a = 2 * M_PI * i / COUNT, b = 2 * M_PI * (i + 1) / COUNT;
        fan[i] = front(31.7, 32.2, 31.7 + 29 * cos(a), 32.2 - 29 * sin(a), 31.7 + 29 * cos(b),
                       32.2 - 29 * sin(b), 0);
        fan[i].paint.alpha = POSE_BLEND;
        fan[i].paint.color[3] = 0.5f;
    }
    is_coarse = _i;
    draw(fan, COUNT);
    is_coarse = false;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            if (hypot(x + 0.5 - 31.7, y + 0.5 - 32.2) < 27)
                ck_assert_int_eq(color_at(x, y) >> 24, 128);
        }
    }
}

static void add_square(struct triangle *to, double left, double right, float depth, const float color[3])
{
    to[0] = front(left, 10, left, 50, right, 50, depth);
    to[1] = front(left, 10, right, 50, right, 10, depth);
    for (int i = 0; i < 2; i++)
        memcpy(to[i].paint.color, color, 3 * sizeof *color);
}

/* Two samples a pixel, left above and right below: an edge has one step between nothing and all, both ways. */
TEST(two_samples_make_one_step)
{
    struct triangle triangles[2];
    add_square(triangles, 8.5, 40, 0, (const float[]){1, 1, 1});
    is_coarse = true;
    draw(triangles, 2);
    is_coarse = false;
    for (int y = 10; y < 50; y++) {
        ck_assert_uint_eq(color_at(7, y) >> 24, 0);
        ck_assert_uint_eq(color_at(8, y) >> 24, 128);
        ck_assert_uint_eq(color_at(9, y) >> 24, 255);
    }
}

TEST(the_nearer_hides_the_farther)
{
    static const float red[3] = {1, 0, 0}, green[3] = {0, 1, 0};
    for (int order = 0; order < 2; order++) {
        struct triangle squares[4];
        add_square(squares + 2 * order, 5, 40, 1, red);
        add_square(squares + 2 - 2 * order, 20, 60, -1, green);
        draw(squares, 4);
        ck_assert_uint_eq(color_at(30, 30), 0xffff0000);
        ck_assert_uint_eq(color_at(50, 30), 0xff00ff00);
    }
}

/* Two that run through each other: each is in front where it is nearer. */
TEST(depth_is_of_the_pixel)
{
    static const float red[3] = {1, 0, 0}, green[3] = {0, 1, 0};
    struct triangle squares[4];
    add_square(squares, 10, 50, 0, red);
    add_square(squares + 2, 10, 50, 0, green);
    for (int i = 2; i < 4; i++) {
        for (int k = 0; k < 3; k++)
            squares[i].corners[k].depth = (float)(squares[i].corners[k].x - 30);
    }
    draw(squares, 4);
    ck_assert_uint_eq(color_at(20, 30), 0xffff0000);
    ck_assert_uint_eq(color_at(40, 30), 0xff00ff00);
}

TEST(backs_are_drawn_only_of_what_has_two_sides)
{
    struct triangle back = front(10, 10, 50, 50, 10, 50, 0);
    back.corners[0].light = back.corners[1].light = back.corners[2].light = -1;
    draw(&back, 1);
    ck_assert_double_eq(covered(), 0);
    back.paint.two_sided = true;
    draw(&back, 1);
    ck_assert_double_gt(covered(), 700);
    ck_assert_uint_eq(color_at(20, 40), 0xffffffff); /* lit as its own front would be */
}

/* ------------------------------------------------------------------------------------------------- textures -- */

static const uint8_t four[4][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 0}};

static void draw_four(enum pose_alpha alpha, bool clamps)
{
    const struct pose_image image = {.width = 2, .height = 2, .pixels = four, .clamps = clamps};
    struct texture texture;
    struct triangle squares[2];
    texture_init(&texture, &image);
    add_square(squares, 10, 50, 0, (float[3]){0.8f, 0.8f, 0.8f});
    for (int i = 0; i < 2; i++) {
        squares[i].paint.texture = &texture;
        squares[i].paint.alpha = alpha;
        squares[i].paint.cutoff = 0.5f;
        for (int k = 0; k < 3; k++) {
            squares[i].corners[k].u = (float)(squares[i].corners[k].x - 10) / 40;
            squares[i].corners[k].v = (float)(squares[i].corners[k].y - 10) / 40;
        }
    }
    draw(squares, 2);
    texture_release(&texture);
}

static int channel(uint32_t color, int shift)
{
    return (int)(color >> shift & 255);
}

/* The first row of the image is above. */
TEST(a_texture_shows_its_colours)
{
    draw_four(POSE_OPAQUE, true);
    uint32_t a = color_at(15, 15), b = color_at(45, 15), c = color_at(15, 45), d = color_at(45, 45);
    ck_assert(channel(a, 16) > 180 && channel(a, 8) < 30 && channel(a, 0) < 30);
    ck_assert(channel(b, 8) > 180 && channel(b, 16) < 30);
    ck_assert(channel(c, 0) > 180 && channel(c, 16) < 30);
    ck_assert(channel(d, 0) > 180 && channel(d, 8) > 180 && channel(d, 16) > 180 && channel(d, 24) == 255);
}

/* What comes after it has none. */
TEST(a_texture_is_of_its_own_paint_only)
{
    const struct pose_image image = {.width = 2, .height = 2, .pixels = four, .clamps = true};
    struct texture texture;
    struct triangle squares[4];
    texture_init(&texture, &image);
    add_square(squares, 4, 30, 0, (float[3]){1, 1, 1});
    squares[0].paint.texture = squares[1].paint.texture = &texture;
    add_square(squares + 2, 34, 60, 0, (float[3]){1, 1, 1});
    draw(squares, 4);
    texture_release(&texture);
    ck_assert_int_lt(channel(color_at(10, 30), 8), 100);
    ck_assert_uint_eq(color_at(45, 30), 0xffffffff);
}

TEST(alpha_is_cut_or_blended)
{
    draw_four(POSE_MASK, true);
    ck_assert_uint_eq(color_at(45, 45), 0);
    ck_assert_int_eq(channel(color_at(15, 15), 24), 255);
    draw_four(POSE_BLEND, true);
    ck_assert_uint_eq(color_at(45, 45), 0);
    int between = channel(color_at(30, 45), 24);
    ck_assert(between > 60 && between < 200);
}

static void sample(const struct texture_level *level, bool clamps, float u, float v, int out[4])
{
    const texture_four color = texture_sample(level, clamps, u, v);
    for (int i = 0; i < 4; i++)
        out[i] = (int)color[i];
}

TEST(it_repeats_or_ends)
{
    const struct pose_image image = {.width = 2, .height = 2, .pixels = four};
    struct texture texture;
    int color[4], again[4];
    texture_init(&texture, &image);
    const struct texture_level *level = texture_level_for(&texture, 1);
    sample(level, false, 0.2f, 0.3f, color);
    sample(level, false, 7.2f, -2.7f, again);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(color[i], again[i]);
    sample(level, true, -9000, -9000, color);
    ck_assert(color[0] == 255 && color[1] == 0 && color[2] == 0);
    sample(level, true, 9000, -9000, color);
    ck_assert(color[0] == 0 && color[1] == 255);
    texture_release(&texture);
}

/* Four channels at a time are what each is by itself. */
TEST(between_pixels_it_is_bilinear)
{
    enum { ACROSS = 5, PLACES = 4096 };
    static uint8_t many[ACROSS * ACROSS][4];
    for (int i = 0; i < ACROSS * ACROSS; i++)
        memcpy(many[i],
               (uint8_t[4]){(uint8_t)(i * 73), (uint8_t)(255 - i * 41), (uint8_t)(i % 2 * 255),
                            (uint8_t)(i * 97)},
               4);
    const struct texture_level level = {ACROSS, ACROSS, (const uint8_t(*)[4])(const void *)many};
    for (int i = 0; i < PLACES; i++) {
        float u = (float)(i % 61) / 59 - 0.01f, v = (float)(i % 127) / 131;
        float across = u * ACROSS - 0.5f, along = v * ACROSS - 0.5f;
        uint32_t x[2], y[2];
        int found[4], first[2] = {(int)floorf(across), (int)floorf(along)};
        int right = (int)((across - (float)first[0]) * 256), down = (int)((along - (float)first[1]) * 256);
        texture_neighbours(first[0], ACROSS, i % 2, x);
        texture_neighbours(first[1], ACROSS, i % 2, y);
        sample(&level, i % 2, u, v, found);
        for (int k = 0; k < 4; k++) {
            int above = many[y[0] * ACROSS + x[0]][k] * (256 - right) + many[y[0] * ACROSS + x[1]][k] * right;
            int below = many[y[1] * ACROSS + x[0]][k] * (256 - right) + many[y[1] * ACROSS + x[1]][k] * right;
            ck_assert_int_eq(found[k], (above * (256 - down) + below * down + 32768) >> 16);
        }
    }
}

/* From far away an image is its mean; what is not seen of it has no colour. */
TEST(small_copies_are_means)
{
    enum { WIDTH = 40, HEIGHT = 7 };
    static uint8_t many[WIDTH * HEIGHT][4];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        memcpy(many[i], i % 2 ? (uint8_t[4]){200, 100, 0, 255} : (uint8_t[4]){0, 0, 0, 0}, 4);
    const struct pose_image image = {
        .width = WIDTH, .height = HEIGHT, .pixels = (const uint8_t(*)[4])(const void *)many};
    struct texture texture;
    int color[4];
    texture_init(&texture, &image);
    const struct texture_level *last = texture_level_for(&texture, 1e9);
    ck_assert(last->width == 1 && last->height == 1);
    sample(last, false, 0.4f, 0.4f, color);
    ck_assert_int_eq(color[0], 200);
    ck_assert_int_eq(color[1], 100);
    ck_assert_int_eq(color[3], 128);
    ck_assert_uint_eq(texture_level_for(&texture, 1)->width, WIDTH);
    ck_assert_uint_eq(texture_level_for(&texture, 3)->width, WIDTH / 2);
    texture_release(&texture);
    texture_init(&texture, &(struct pose_image){.width = 3, .height = 3});
    ck_assert_uint_eq(texture.count, 0);
}

enum { GRAIN_SIDE = 37 };

static void make_grain(uint8_t (*grain)[4])
{
    for (int i = 0; i < GRAIN_SIDE * GRAIN_SIDE; i++)
        memcpy(grain[i], (uint8_t[4]){(uint8_t)(i * 73), (uint8_t)(255 - i * 41), (uint8_t)(i * 29), 255}, 4);
}

/* Places inside and outside of the image, far away and nowhere; lights of all kinds. */
static texture_four odd_values(unsigned i)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -9999.5f, 9999.25f, 0, 1, -0.0f};
    const float u = i % 7 ? (float)(i % 61) / 47 - 0.1f : odd[i / 7 % 9],
                v = i % 11 ? (float)(i % 127) / 101 - 0.1f : odd[i / 11 % 9];
    return (texture_four){(float)i, i % 13 ? (float)(i % 33) / 15 - 1.1f : odd[i / 13 % 9], u, v};
}

/* The colours of many samples are those of each by itself, to the last bit. */
TEST_EACH(many_are_each_by_itself, 8)
{
    static uint8_t grain[GRAIN_SIDE * GRAIN_SIDE][4];
    const struct pose_material cloth = {.gain = 1.5f, .ground = {0.2f, 0.4f, 0.9f}};
    make_grain(grain);
    const struct pose_image image = {.width = GRAIN_SIDE,
                                     .height = GRAIN_SIDE,
                                     .pixels = (const uint8_t(*)[4])(const void *)grain,
                                     .clamps = _i & 1};
    struct texture texture;
    texture_init(&texture, &image);
    struct raster_paint paint = {.color = {0.9f, 1.2f, 0.35f, 1}, .glow = {0, 0.25f, 0.01f}};
    paint.texture = &texture;
    paint.covers = _i & 4 ? &cloth : NULL;
    const struct texture_level *level = _i & 2 ? NULL : texture_level_for(&texture, 3);
    for (unsigned turn = 0; turn < 200; turn++) {
        struct shade_batch batch = {.count = turn % SHADE_BATCH + 1};
        uint32_t colors[SHADE_BATCH], color = 0;
        for (unsigned i = 0; i < batch.count; i++)
            batch.values[i] = odd_values(turn * SHADE_BATCH + i);
        shade_all(&paint, level, &batch, colors);
        for (unsigned i = 0; i < batch.count; i++) {
            ck_assert(shade_one(&paint, level, batch.values[i], &color));
            ck_assert_uint_eq(colors[i], color);
        }
    }
    texture_release(&texture);
}

/* Samples are coloured some time after they are drawn: what is nearer stays, whichever level of the image each has. */
TEST(what_waits_does_not_come_in_front)
{
    static uint8_t grain[GRAIN_SIDE * GRAIN_SIDE][4];
    make_grain(grain);
    const struct pose_image image = {
        .width = GRAIN_SIDE, .height = GRAIN_SIDE, .pixels = (const uint8_t(*)[4])(const void *)grain};
    struct texture texture;
    struct triangle squares[5];
    static uint32_t once[SIDE * SIDE];
    texture_init(&texture, &image);
    add_square(squares, 10, 14, 0, (float[3]){1, 1, 1});
    add_square(squares + 2, 10, 14, 1, (float[3]){1, 1, 1});
    for (int i = 0; i < 4; i++) {
        squares[i].paint.texture = &texture;
        squares[i].paint.alpha = POSE_MASK;
        for (int k = 0; k < 3; k++) {
            squares[i].corners[k].u = (float)squares[i].corners[k].x * (i < 2 ? 0.01f : 0.2f);
            squares[i].corners[k].v = (float)squares[i].corners[k].y * (i < 2 ? 0.01f : 0.2f);
        }
    }
    draw(squares + 2, 2);
    memcpy(once, pixels, sizeof once);
    draw(squares, 4);
    ck_assert_mem_eq(pixels, once, sizeof once);
    /* What is half transparent lies over what waits. */
    squares[4] = front(0, 0, 0, 200, 200, 0, 2);
    squares[4].paint = (struct raster_paint){.color = {0, 0, 0, 0.5f}, .alpha = POSE_BLEND};
    draw(squares, 5);
    ck_assert_uint_eq(color_at(12, 30) >> 24, 255);
    ck_assert_int_le(abs(channel(color_at(12, 30), 8) * 2 - channel(once[30 * SIDE + 12], 8)), 2);
    texture_release(&texture);
}

/* -------------------------------------------------------------------------------------------------- extremes -- */

TEST(what_cannot_be_drawn_is_left_out)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e38};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct triangle triangle = front(odd[i], 10, 10, 50, 50, 50, 0);
        draw(&triangle, 1);
        ck_assert_double_eq(covered(), 0);
        triangle = front(10, 10, 10, odd[i], 50, 50, 0);
        draw(&triangle, 1);
        ck_assert_double_eq(covered(), 0);
    }
    struct triangle flat = front(10, 10, 30, 30, 50, 50, 0), point = front(9, 9, 9, 9, 9, 9, 0),
                    deep = front(10, 10, 10, 50, 50, 50, NAN);
    draw(&flat, 1);
    ck_assert_double_eq(covered(), 0);
    draw(&point, 1);
    ck_assert_double_eq(covered(), 0);
    draw(&deep, 1);
    ck_assert_double_eq(covered(), 0);
}

/* Only what lies in the picture costs anything. */
TEST(a_huge_triangle_fills_the_picture_once)
{
    const struct raster_target target = {pixels, SIDE, 0, 0, SIDE, SIDE, false};
    struct triangle huge = front(-1e9, -1e9, -1e9, 3e9, 3e9, -1e9, 0);
    struct raster raster;
    draw(&huge, 1);
    ck_assert_double_eq(covered(), SIDE * SIDE);
    ck_assert(raster_open(&raster, &target));
    ck_assert(raster_next(&raster));
    raster_triangle(&raster, huge.corners, &huge.paint);
    ck_assert_uint_eq(raster.work, SIDE * SIDE * RASTER_FINE * RASTER_FINE);
    raster_release(&raster);
}

TEST(odd_places_in_a_texture_are_harmless)
{
    static const float odd[] = {NAN, INFINITY, 1e30f, -1e30f, FLT_MAX};
    const struct pose_image image = {.width = 2, .height = 2, .pixels = four};
    struct texture texture;
    texture_init(&texture, &image);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct triangle triangle = front(10, 10, 10, 50, 50, 50, 0);
        triangle.paint.texture = &texture;
        triangle.corners[i % 3].u = triangle.corners[(i + 1) % 3].v = odd[i];
        triangle.corners[i % 3].light = odd[i];
        draw(&triangle, 1);
        ck_assert_double_gt(covered(), 700);
    }
    texture_release(&texture);
}

/* A picture that is larger than the buffers is drawn in bands; the bands cannot be seen. */
TEST(bands_meet)
{
    enum { WIDTH = 2048, HEIGHT = 200 };
    uint32_t *large = calloc(WIDTH * HEIGHT, sizeof *large);
    const struct raster_target target = {large, WIDTH, 0, 0, WIDTH, HEIGHT, false};
    struct raster raster;
    struct triangle triangle = front(0, 0, 0, HEIGHT, WIDTH, HEIGHT, 0);
    unsigned bands = 0;
    double sum = 0;
    ck_assert(raster_open(&raster, &target));
    for (; raster_next(&raster); bands++) {
        raster_triangle(&raster, triangle.corners, &triangle.paint);
        raster_finish(&raster);
    }
    raster_release(&raster);
    ck_assert_uint_gt(bands, 3);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        sum += (large[i] >> 24) / 255.0;
    ck_assert_double_eq_tol(sum, WIDTH * HEIGHT / 2.0, 0.01 * WIDTH * HEIGHT / 2);
    free(large);
}

TEST(nothing_to_draw_on)
{
    const struct raster_target target = {pixels, SIDE, 30, 10, 30, 50, false};
    struct raster raster;
    ck_assert(raster_open(&raster, &target));
    ck_assert(!raster_next(&raster));
    raster_release(&raster);
}

/* --------------------------------------------------------------------------------------------------- shadows -- */

static void add_to(struct shadow *shadow, const float corners[3][3])
{
    float places[3][3];
    shadow_place(shadow, corners, 3, places);
    shadow_add(shadow, places[0], places[1], places[2]);
}

TEST(a_shadow_is_darkest_where_it_is_touched)
{
    static struct shadow low, high;
    const float least[3] = {-1, 0, -1}, most[3] = {1, 2, 1};
    struct shadow *shadows[2] = {&low, &high};
    for (int i = 0; i < 2; i++) {
        float y = i ? 1.5f : 0.0f;
        ck_assert(shadow_open(shadows[i], 0, least, most));
        add_to(shadows[i], (const float[3][3]){{-0.5f, y, -0.5f}, {0.5f, y, -0.5f}, {0, y, 0.5f}});
        add_to(shadows[i], (const float[3][3]){{NAN, y, -0.5f}, {0.5f, y, 1e30f}, {0, y, 0.5f}});
        shadow_blur(shadows[i]);
    }
    int middle = SHADOW_CELLS / 2;
    ck_assert_float_gt(low.cells[middle][middle], 3 * high.cells[middle][middle]);
    ck_assert_float_gt(high.cells[middle][middle], 0);
    ck_assert_float_eq(low.cells[0][0], 0);
    ck_assert(!shadow_open(&low, 0, most, least));
    ck_assert(!shadow_open(&low, 0, (float[3]){NAN, 0, 0}, most) || isfinite(low.side));
    ck_assert(!shadow_open(&low, 0, (float[3]){-1e30f, 0, 0}, most));
}

TEST(a_shadow_lies_below_the_figure)
{
    static struct shadow shadow;
    const struct raster_target target = {pixels, SIDE, 0, 0, SIDE, SIDE, false};
    const struct view_frame frame = {SIDE / 4.0, SIDE / 2.0, SIDE / 2.0};
    const float least[3] = {-0.5f, 0, -0.5f}, most[3] = {0.5f, 1, 0.5f};
    struct view view;
    memset(pixels, 0, sizeof pixels);
    ck_assert(shadow_open(&shadow, 0, least, most));
    add_to(&shadow, (const float[3][3]){{-0.5f, 0, -0.5f}, {0.5f, 0, -0.5f}, {0, 0, 0.5f}});
    shadow_blur(&shadow);
    view_init(&view, VIEW_TOP);
    shadow_paint(&shadow, &view, &frame, &target);
    ck_assert_uint_gt(color_at(SIDE / 2, SIDE / 2) >> 24, 60);
    ck_assert_uint_eq(color_at(SIDE / 2, SIDE / 2) & 0xffffff, 0);
    ck_assert_uint_eq(color_at(3, 3), 0);
}
