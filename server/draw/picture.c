#include "server/draw/picture.h"

#include "server/draw/motion.h"
#include "server/draw/moving_svg.h"
#include "server/draw/paint.h"
#include "server/draw/png.h"
#include "server/draw/solid.h"
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
    struct solid *solid; /* NULL: the figure has no meshes */
    bool out_of_memory;
    bool has_floor;  /* and the figure a shadow */
    bool is_cut_out; /* a motion over an unknown background */
    const struct pose_stop *stop;
    struct view view;
    struct view_box box;
    struct paint_floor floor;
    struct scene scene, shadow;
};

static bool open_stage(struct stage *stage, const struct figure_source *source,
                       const struct picture_options *options)
{
    /* Over an unknown background a motion has no half transparent parts: they would be most of the file. */
    const bool is_cut_out = options->type == PICTURE_WEBP && !(options->background.a > 0);
    *stage = (struct stage){.stop = options->stop, .has_floor = !is_cut_out, .is_cut_out = is_cut_out};
    view_init(&stage->view, options->angle);
    stage->figure = figure_new(source, &stage->view);
    if (!stage->figure)
        return false;
    if (figure_is_solid(stage->figure)) {
        stage->solid = solid_new(stage->figure);
        if (!stage->solid)
            return false;
        if (!stage->has_floor)
            solid_drop_shadow(stage->solid);
    }
    stage->box = figure_bounds(stage->figure);
    stage->floor.is_there = stage->has_floor && figure_floor(stage->figure, &stage->floor.height);
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
    solid_free(stage->solid);
    figure_free(stage->figure);
    scene_release(&stage->scene);
    scene_release(&stage->shadow);
}

/* What is drawn on: by cairo, and meshes as pixels. */
struct canvas {
    cairo_t *cairo;
    cairo_surface_t *pixels; /* for meshes; the same as cairo's where that has pixels */
    double zoom;             /* pixels for one of the picture's */
};

/* A rectangle of the picture. */
struct cell {
    double left, top, width, height;
};

static void draw_solid(struct stage *stage, const struct canvas *canvas, double t, const struct cell *cell,
                       const struct view_frame *frame)
{
    double zoom = canvas->zoom, right = cell->left + cell->width, bottom = cell->top + cell->height;
    int width = cairo_image_surface_get_width(canvas->pixels),
        height = cairo_image_surface_get_height(canvas->pixels);
    cairo_surface_flush(canvas->pixels);
    struct raster_target target = {.pixels = (uint32_t *)(void *)cairo_image_surface_get_data(canvas->pixels),
                                   .stride = (size_t)cairo_image_surface_get_stride(canvas->pixels) /
                                             sizeof(uint32_t),
                                   .left = (int)(cell->left * zoom),
                                   .top = (int)(cell->top * zoom),
                                   .right = (int)fmin(ceil(right * zoom), width),
                                   .bottom = (int)fmin(ceil(bottom * zoom), height),
                                   .is_coarse = stage->is_cut_out};
    struct view_frame zoomed = {frame->scale * zoom, (frame->origin_x + cell->left) * zoom,
                                (frame->origin_y + cell->top) * zoom};
    if (!target.pixels || !solid_draw(stage->solid, t, &stage->view, &zoomed, &target, stage->stop))
        stage->out_of_memory = true;
    cairo_surface_mark_dirty(canvas->pixels);
}

/* Draws one moment into a rectangle of the picture; the floor may be there already. */
static void draw_moment(struct stage *stage, const struct canvas *canvas, double t, const struct cell *cell,
                        bool has_floor)
{
    cairo_t *cairo = canvas->cairo;
    struct view_frame frame = view_fit(&stage->box, cell->width, cell->height, margin);
    cairo_save(cairo);
    cairo_translate(cairo, cell->left, cell->top);
    cairo_rectangle(cairo, 0, 0, cell->width, cell->height);
    cairo_clip(cairo);
    if (!has_floor)
        paint_floor(cairo, &stage->view, &frame, &stage->floor);
    if (stage->solid) {
        draw_solid(stage, canvas, t, cell, &frame);
    } else {
        scene_clear(&stage->scene);
        scene_clear(&stage->shadow);
        figure_draw(stage->figure, t, &stage->scene, &stage->shadow);
        if (stage->has_floor)
            paint_shadow(cairo, &frame, &stage->shadow, stage->stop);
        paint_scene(cairo, &frame, &stage->scene, fmin(cell->width, cell->height) / PICTURE_SIZE,
                    stage->stop);
    }
    cairo_restore(cairo);
}

static bool is_stopped(const struct picture_options *options)
{
    return options->stop && options->stop->ask(options->stop->user);
}

/* Draws moments in a row, or in a grid with cells as large as the picture allows. */
static void draw_sheet(struct stage *stage, const struct canvas *canvas,
                       const struct picture_options *options, double duration)
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
    if (options->strip)
        best = options->frames;
    unsigned rows = (options->frames + best - 1) / best;
    double width = (double)options->width / best, height = (double)options->height / rows;
    for (unsigned i = 0; i < options->frames && !is_stopped(options); i++) {
        const struct cell cell = {width * (i % best), height * (i / best), width, height};
        draw_moment(stage, canvas, duration * i / (options->frames - 1), &cell, false);
    }
}

static void draw_still(struct stage *stage, const struct canvas *canvas,
                       const struct picture_options *options, double duration)
{
    const struct cell whole = {0, 0, options->width, options->height};
    paint_background(canvas->cairo, options->background, options->width, options->height);
    if (options->frames > 1)
        draw_sheet(stage, canvas, options, duration);
    else
        draw_moment(stage, canvas, options->t, &whole, false);
}

/* ------------------------------------------------------------------------------------------------------- writing -- */

static bool fail(struct pose_error *error, const char *why)
{
    pose_error_init(error);
    error->status = POSE_NO_MEMORY;
    snprintf(error->detail, sizeof error->detail, "the picture cannot be drawn: %s", why);
    return false;
}

/* Meshes in an SVG are an image, twice as fine if that is not too large. */
static cairo_surface_t *open_overlay(const struct picture_options *options, double *zoom)
{
    enum { FINE_PIXELS = 1 << 20 };
    *zoom = options->width * options->height <= FINE_PIXELS ? 2 : 1;
    return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)(options->width * *zoom),
                                      (int)(options->height * *zoom));
}

static bool write_svg(struct stage *stage, const struct picture_options *options, double duration,
                      struct pose_buffer *out, struct pose_error *error)
{
    cairo_surface_t *surface = svg_open(options->width, options->height, out);
    struct canvas canvas = {.cairo = cairo_create(surface)};
    if (stage->solid)
        canvas.pixels = open_overlay(options, &canvas.zoom);
    draw_still(stage, &canvas, options, duration);
    cairo_status_t status = cairo_status(canvas.cairo);
    cairo_destroy(canvas.cairo);
    cairo_status_t closed = svg_close(surface, out);
    status = status ? status : closed;
    bool done = status ? fail(error, cairo_status_to_string(status)) : true;
    if (done && stage->solid)
        done = svg_add_image(canvas.pixels, options->width, options->height, out, error);
    cairo_surface_destroy(canvas.pixels);
    return done;
}

static bool write_png(struct stage *stage, const struct picture_options *options, double duration,
                      struct pose_buffer *out, struct pose_error *error)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)options->width, (int)options->height);
    const struct canvas canvas = {cairo_create(surface), surface, 1};
    draw_still(stage, &canvas, options, duration);
    cairo_status_t status = cairo_status(canvas.cairo);
    cairo_destroy(canvas.cairo);
    bool done = status ? fail(error, cairo_status_to_string(status)) : png_write(surface, out, error);
    cairo_surface_destroy(surface);
    return done;
}

struct moving {
    struct stage *stage;
    const struct picture_options *options;
};

static void draw_ground(void *user, cairo_t *cairo)
{
    const struct moving *moving = user;
    const struct picture_options *options = moving->options;
    const struct view_frame frame = view_fit(&moving->stage->box, options->width, options->height, margin);
    paint_background(cairo, options->background, options->width, options->height);
    paint_floor(cairo, &moving->stage->view, &frame, &moving->stage->floor);
}

static void draw_figure(void *user, cairo_t *cairo, double t)
{
    struct moving *moving = user;
    const struct picture_options *options = moving->options;
    const struct canvas canvas = {cairo, cairo_get_target(cairo), 1};
    const struct cell whole = {0, 0, options->width, options->height};
    draw_moment(moving->stage, &canvas, t, &whole, true);
}

static double motion_seconds(const struct picture_options *options, const struct pose_clip *clip)
{
    return fmin((double)clip->duration, options->seconds > 0 ? options->seconds : PICTURE_SECONDS);
}

static double motion_fps(const struct picture_options *options, const struct pose_clip *clip)
{
    if (options->fps > 0)
        return options->fps;
    return clip->fps > 0 ? fmin((double)clip->fps, PICTURE_FPS) : PICTURE_FPS;
}

static bool write_moving_svg(struct stage *stage, const struct picture_options *options,
                             const struct pose_clip *clip, struct pose_buffer *out, struct pose_error *error)
{
    const struct moving_svg moving = {
        .figure = stage->figure,
        .frame = view_fit(&stage->box, options->width, options->height, margin),
        .width = options->width,
        .height = options->height,
        .background = options->background,
        .seconds = motion_seconds(options, clip),
        .fps = motion_fps(options, clip),
        .title = options->title,
    };
    return moving_svg_write(&moving, options->stop, out) || fail(error, "out of memory");
}

/* The beginning of the clip, at a rate that suits it. */
static bool write_motion(struct stage *stage, const struct picture_options *options,
                         const struct pose_clip *clip, struct pose_buffer *out, struct pose_error *error)
{
    struct moving moving = {stage, options};
    const struct motion_drawing drawing = {&moving, draw_ground, draw_figure, stage->is_cut_out};
    return motion_write(options->width, options->height, motion_seconds(options, clip),
                        motion_fps(options, clip), &drawing, options->stop, out) ||
           fail(error, "the animation cannot be written");
}

bool picture_draw(const struct figure_source *source, const struct picture_options *options,
                  struct pose_buffer *out, struct pose_error *error)
{
    struct stage stage;
    double duration = (double)source->clip->duration;
    if (!open_stage(&stage, source, options)) {
        close_stage(&stage);
        return fail(error, "out of memory");
    }
    bool drawn;
    if (options->type == PICTURE_WEBP) {
        drawn = write_motion(&stage, options, source->clip, out, error);
    } else if (options->type == PICTURE_SVG && options->is_moving && figure_line_count(stage.figure)) {
        drawn = write_moving_svg(&stage, options, source->clip, out, error);
    } else if (options->type == PICTURE_SVG) {
        drawn = write_svg(&stage, options, duration, out, error);
    } else {
        drawn = write_png(&stage, options, duration, out, error);
    }
    if (is_stopped(options)) {
        error->status = POSE_STOPPED;
        drawn = false;
    }
    if (drawn && (stage.out_of_memory || stage.scene.out_of_memory || stage.shadow.out_of_memory))
        drawn = fail(error, "out of memory");
    close_stage(&stage);
    if (!drawn)
        pose_buffer_free(out);
    return drawn;
}
