#include "server/draw/paint.h"

#include "server/draw/label.h"

#include <math.h>
#include <stdlib.h>

static double pixel_x(const struct view_frame *frame, const float point[3])
{
    return frame->origin_x + frame->scale * (double)point[0];
}

static double pixel_y(const struct view_frame *frame, const float point[3])
{
    return frame->origin_y - frame->scale * (double)point[1];
}

void paint_background(cairo_t *cairo, struct color color, double width, double height)
{
    if (!(color.a > 0))
        return;
    cairo_set_source_rgba(cairo, color.r, color.g, color.b, color.a);
    cairo_rectangle(cairo, 0, 0, width, height);
    cairo_fill(cairo);
}

/* The floor's plane is affine in view space, so a circle on it is a circle under a matrix. */
void paint_floor(cairo_t *cairo, const struct view *view, const struct view_frame *frame,
                 const struct paint_floor *floor)
{
    static const float x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};
    float middle[3] = {floor->middle[0], floor->height, floor->middle[2]}, at[3], x[3], z[3];
    if (!floor->is_there || !(floor->radius > 0))
        return;
    view_turn(view, middle, at);
    view_turn(view, x_axis, x);
    view_turn(view, z_axis, z);
    cairo_matrix_t plane;
    cairo_matrix_init(&plane, frame->scale * (double)x[0], -frame->scale * (double)x[1],
                      frame->scale * (double)z[0], -frame->scale * (double)z[1], pixel_x(frame, at),
                      pixel_y(frame, at));
    if (fabs(plane.xx * plane.yy - plane.xy * plane.yx) < 1e-6)
        return; /* edge-on */
    cairo_save(cairo);
    cairo_matrix_t straight;
    cairo_get_matrix(cairo, &straight);
    cairo_transform(cairo, &plane);
    cairo_pattern_t *fading = cairo_pattern_create_radial(0, 0, 0, 0, 0, (double)floor->radius);
    cairo_pattern_add_color_stop_rgba(fading, 0, 0.5, 0.53, 0.58, 0.28);
    cairo_pattern_add_color_stop_rgba(fading, 0.6, 0.5, 0.53, 0.58, 0.14);
    cairo_pattern_add_color_stop_rgba(fading, 1, 0.5, 0.53, 0.58, 0);
    cairo_set_source(cairo, fading);
    cairo_set_matrix(cairo, &straight);
    /* Around the circle, whose edge cannot be seen: whole pixels are filled sooner than a shape. */
    const double right = (double)floor->radius * hypot(plane.xx, plane.xy),
                 down = (double)floor->radius * hypot(plane.yx, plane.yy);
    cairo_rectangle(cairo, round(plane.x0 - right), round(plane.y0 - down), round(2 * right),
                    round(2 * down));
    cairo_fill(cairo);
    cairo_pattern_destroy(fading);
    cairo_restore(cairo);
}

static void trace(cairo_t *cairo, const struct view_frame *frame, const struct scene_triangle *triangle)
{
    cairo_move_to(cairo, pixel_x(frame, triangle->corners[0]), pixel_y(frame, triangle->corners[0]));
    cairo_line_to(cairo, pixel_x(frame, triangle->corners[1]), pixel_y(frame, triangle->corners[1]));
    cairo_line_to(cairo, pixel_x(frame, triangle->corners[2]), pixel_y(frame, triangle->corners[2]));
    cairo_close_path(cairo);
}

/* How many triangles are filled at a time: a fill costs the product of those that overlap and the rows that they cover. */
enum { TRIANGLES_AT_ONCE = 1024 };

static bool is_stopped(const struct pose_stop *stop)
{
    return stop && stop->ask(stop->user);
}

/* Fills triangles from first on, as one shape; returns the end of those that it filled. */
static size_t fill_some(cairo_t *cairo, const struct view_frame *frame, const struct scene *shadow,
                        size_t first)
{
    size_t end = shadow->triangle_count;
    end = end - first < TRIANGLES_AT_ONCE ? end : first + TRIANGLES_AT_ONCE;
    for (size_t i = first; i < end; i++)
        trace(cairo, frame, &shadow->triangles[i]);
    cairo_fill(cairo);
    return end;
}

void paint_shadow(cairo_t *cairo, const struct view_frame *frame, const struct scene *shadow,
                  const struct pose_stop *stop)
{
    const bool is_large = shadow->triangle_count > TRIANGLES_AT_ONCE;
    if (!shadow->triangle_count)
        return;
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING);
    if (is_large) /* shapes over each other, then all of them together half transparent */
        cairo_push_group_with_content(cairo, CAIRO_CONTENT_ALPHA);
    cairo_set_source_rgba(cairo, 0.1, 0.12, 0.16, is_large ? 1 : 0.28);
    for (size_t i = 0; i < shadow->triangle_count && !is_stopped(stop);)
        i = fill_some(cairo, frame, shadow, i);
    if (!is_large)
        return;
    cairo_pattern_t *mask = cairo_pop_group(cairo);
    cairo_set_source_rgba(cairo, 0.1, 0.12, 0.16, 0.28);
    cairo_mask(cairo, mask);
    cairo_pattern_destroy(mask);
}

static void paint_triangle(cairo_t *cairo, const struct view_frame *frame,
                           const struct scene_triangle *triangle)
{
    cairo_set_source_rgb(cairo, (double)triangle->color.r, (double)triangle->color.g,
                         (double)triangle->color.b);
    trace(cairo, frame, triangle);
    cairo_fill(cairo);
}

static void paint_line(cairo_t *cairo, const struct view_frame *frame, const struct scene_line *line,
                       double unit)
{
    cairo_set_source_rgb(cairo, (double)line->color.r, (double)line->color.g, (double)line->color.b);
    cairo_set_line_width(cairo, (double)line->width * unit);
    cairo_move_to(cairo, pixel_x(frame, line->ends[0]), pixel_y(frame, line->ends[0]));
    cairo_line_to(cairo, pixel_x(frame, line->ends[1]), pixel_y(frame, line->ends[1]));
    cairo_stroke(cairo);
}

/* Readable on any background: grey, left-aligned, vertically centred. */
static void paint_label(cairo_t *cairo, const struct view_frame *frame, const struct scene_label *label)
{
    char *text = label_text(label->text);
    if (!text)
        return;
    cairo_set_source_rgb(cairo, 0.45, 0.49, 0.55);
    cairo_move_to(cairo, pixel_x(frame, label->at), pixel_y(frame, label->at) + 0.035 * frame->scale);
    cairo_show_text(cairo, text);
    free(text);
}

void paint_scene(cairo_t *cairo, const struct view_frame *frame, struct scene *scene, double unit,
                 const struct pose_stop *stop)
{
    scene_sort(scene);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(cairo, 0.7);
    for (size_t i = 0; i < scene->triangle_count && (i % TRIANGLES_AT_ONCE || !is_stopped(stop)); i++)
        paint_triangle(cairo, frame, &scene->triangles[i]);
    for (size_t i = 0; i < scene->line_count; i++)
        paint_line(cairo, frame, &scene->lines[i], unit);
    if (scene->label_count) {
        cairo_select_font_face(cairo, "sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(cairo, 0.1 * frame->scale);
    }
    for (size_t i = 0; i < scene->label_count; i++)
        paint_label(cairo, frame, &scene->labels[i]);
}
