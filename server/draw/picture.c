#include "server/draw/picture.h"

#include "server/draw/motion.h"
#include "server/draw/paint.h"
#include "server/draw/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double margin = 0.06; /* share of a frame's smaller side, on each side */

/* ------------------------------------------------------------------------------------------------------ drawing -- */

/* State shared by all frames. */
struct stage {
    struct figure *figure;
    struct view view;
    struct view_box box;
    struct paint_floor floor;
    struct scene scene, shadow;
};

static bool open_stage(struct stage *stage, const struct figure_source *source, enum view_angle angle)
{
    *stage = (struct stage){0};
    view_init(&stage->view, angle);
    stage->figure = figure_new(source, &stage->view);
    if (!stage->figure)
        return false;
    stage->box = figure_bounds(stage->figure);
    stage->floor.is_there = figure_floor(stage->figure, &stage->floor.height);
    /* Centred below the visible motion, so that the disc hardly leaves the picture. */
    float across = (stage->box.least[0] + stage->box.most[0]) / 2;
    for (int i = 0; i < 3; i++)
        stage->floor.middle[i] = stage->view.axes[0][i] * across;
    stage->floor.radius = 0.75f * fmaxf(stage->box.most[0] - stage->box.least[0],
                                        0.5f * (stage->box.most[1] - stage->box.least[1]));
    return true;
}

static void close_stage(struct stage *stage)
{
    figure_free(stage->figure);
    scene_release(&stage->scene);
    scene_release(&stage->shadow);
}

/* Draws one moment into a rectangle of the picture. */
static void draw_moment(struct stage *stage, cairo_t *cairo, double t, double width, double height)
{
    struct view_frame frame = view_fit(&stage->box, width, height, margin);
    scene_clear(&stage->scene);
    scene_clear(&stage->shadow);
    figure_draw(stage->figure, t, &stage->scene, &stage->shadow);
    paint_floor(cairo, &stage->view, &frame, &stage->floor);
    paint_shadow(cairo, &frame, &stage->shadow);
    paint_scene(cairo, &frame, &stage->scene, fmin(width, height) / PICTURE_SIZE);
}

static bool is_stopped(const struct picture_options *options)
{
    return options->stop && options->stop->ask(options->stop->user);
}

/* Draws moments in a grid, as square as the picture allows. */
static void draw_sheet(struct stage *stage, cairo_t *cairo, const struct picture_options *options,
                       double duration)
{
    unsigned columns = 1, best = 1;
    double side = 0;
    for (; columns <= options->frames; columns++) {
        unsigned rows = (options->frames + columns - 1) / columns;
        double smaller = fmin((double)options->width / columns, (double)options->height / rows);
        if (smaller > side) {
            side = smaller;
            best = columns;
        }
    }
    unsigned rows = (options->frames + best - 1) / best;
    double width = (double)options->width / best, height = (double)options->height / rows;
    for (unsigned i = 0; i < options->frames && !is_stopped(options); i++) {
        cairo_save(cairo);
        cairo_translate(cairo, width * (i % best), height * (i / best));
        cairo_rectangle(cairo, 0, 0, width, height);
        cairo_clip(cairo);
        draw_moment(stage, cairo, duration * i / (options->frames - 1), width, height);
        cairo_restore(cairo);
    }
}

static void draw_still(struct stage *stage, cairo_t *cairo, const struct picture_options *options,
                       double duration)
{
    paint_background(cairo, options->background, options->width, options->height);
    if (options->frames > 1)
        draw_sheet(stage, cairo, options, duration);
    else
        draw_moment(stage, cairo, options->t, options->width, options->height);
}

/* ------------------------------------------------------------------------------------------------------- writing -- */

static bool fail(struct pose_error *error, const char *why)
{
    pose_error_init(error);
    error->status = POSE_NO_MEMORY;
    snprintf(error->detail, sizeof error->detail, "the picture cannot be drawn: %s", why);
    return false;
}

static bool write_svg(struct stage *stage, const struct picture_options *options, double duration,
                      struct pose_buffer *out, struct pose_error *error)
{
    cairo_surface_t *surface = svg_open(options->width, options->height, out);
    cairo_t *cairo = cairo_create(surface);
    draw_still(stage, cairo, options, duration);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_status_t closed = svg_close(surface, out);
    status = status ? status : closed;
    return status ? fail(error, cairo_status_to_string(status)) : true;
}

static bool write_png(struct stage *stage, const struct picture_options *options, double duration,
                      struct pose_buffer *out, struct pose_error *error)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)options->width, (int)options->height);
    cairo_t *cairo = cairo_create(surface);
    draw_still(stage, cairo, options, duration);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (!status)
        status = cairo_surface_write_to_png_stream(surface, surface_append, out);
    cairo_surface_destroy(surface);
    return status ? fail(error, cairo_status_to_string(status)) : true;
}

struct moving {
    struct stage *stage;
    const struct picture_options *options;
};

static void draw_frame(void *user, cairo_t *cairo, double t)
{
    struct moving *moving = user;
    paint_background(cairo, moving->options->background, moving->options->width, moving->options->height);
    draw_moment(moving->stage, cairo, t, moving->options->width, moving->options->height);
}

bool picture_draw(const struct figure_source *source, const struct picture_options *options,
                  struct pose_buffer *out, struct pose_error *error)
{
    struct stage stage;
    double duration = (double)source->clip->duration;
    if (!open_stage(&stage, source, options->angle)) {
        close_stage(&stage);
        return fail(error, "out of memory");
    }
    bool drawn;
    if (options->type == PICTURE_WEBP) {
        struct moving moving = {&stage, options};
        drawn = motion_write(options->width, options->height, duration, (double)source->clip->fps, draw_frame,
                             &moving, options->stop, out) ||
                fail(error, "the animation cannot be written");
    } else if (options->type == PICTURE_SVG) {
        drawn = write_svg(&stage, options, duration, out, error);
    } else {
        drawn = write_png(&stage, options, duration, out, error);
    }
    if (is_stopped(options)) {
        error->status = POSE_STOPPED;
        drawn = false;
    }
    if (drawn && (stage.scene.out_of_memory || stage.shadow.out_of_memory))
        drawn = fail(error, "out of memory");
    close_stage(&stage);
    if (!drawn)
        pose_buffer_free(out);
    return drawn;
}
