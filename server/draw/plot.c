#include "server/draw/plot.h"

#include "server/draw/label.h"
#include "server/draw/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, POINTS = 400, MAX_MARKS = 200, MAX_PANELS = 3, TEXT_CAPACITY = 96 };

static const double left = 56, right = 14, top = 30, bottom = 30, gap = 22, font_size = 11;
static const double ink[3] = {0.42, 0.46, 0.52};
/* Distinguishable for colour-blind people too (Okabe and Ito). */
static const double curve_colors[4][3] = {
    {0.835, 0.369, 0.000}, {0.000, 0.620, 0.451}, {0.000, 0.447, 0.698}, {0.800, 0.475, 0.655}};

/* The contents of one panel: one component of the joint, as columns of the sampled rows. */
struct panel {
    const char *title;
    unsigned first, count;
    bool is_length;
    double least, most;
};

struct plot {
    const struct plot_source *source;
    double width, height, duration;
    unsigned panel_count;
    struct panel panels[MAX_PANELS];
    float (*samples)[ROW]; /* [POINTS] rows of the joint */
    cairo_t *cairo;
};

/* ------------------------------------------------------------------------------------------------------ sampling -- */

static double time_of(const struct plot *plot, int point)
{
    return plot->duration * point / (POINTS - 1);
}

/* q and -q are the same rotation: choose the one nearer to the last, to avoid false jumps. */
static void keep_hemisphere(const float last[ROW], float row[ROW])
{
    float dot = 0;
    for (int c = 3; c < 7; c++)
        dot += last[c] * row[c];
    for (int c = 3; c < 7 && dot < 0; c++)
        row[c] = -row[c];
}

static bool sample(struct plot *plot)
{
    const struct pose_sampler *sampler = plot->source->sampler;
    float *rows = malloc((size_t)pose_sampler_row_count(sampler) * ROW * sizeof *rows);
    for (int i = 0; rows && i < POINTS; i++) {
        pose_sample(sampler, time_of(plot, i), POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
        memcpy(plot->samples[i], rows + (size_t)plot->source->row * ROW, sizeof *plot->samples);
        if (i)
            keep_hemisphere(plot->samples[i - 1], plot->samples[i]);
    }
    free(rows);
    return rows != NULL;
}

/* Chooses the components that move or, if none does, those that exist. */
static void choose_panels(struct plot *plot)
{
    static const struct panel parts[MAX_PANELS] = {{.title = "translation", .count = 3, .is_length = true},
                                                   {.title = "rotation (quaternion)", .first = 3, .count = 4},
                                                   {.title = "scale", .first = 7, .count = 3}};
    const struct pose_row *row = &pose_sampler_rows(plot->source->sampler)[plot->source->row];
    bool any = row->moves[0] || row->moves[1] || row->moves[2];
    for (int i = 0; i < MAX_PANELS; i++) {
        if (any ? row->moves[i] : row->has[i])
            plot->panels[plot->panel_count++] = parts[i];
    }
}

static void find_range(const struct plot *plot, struct panel *panel)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < POINTS; i++) {
        for (unsigned c = 0; c < panel->count; c++) {
            double value = (double)plot->samples[i][panel->first + c];
            if (isfinite(value)) {
                least = fmin(least, value);
                most = fmax(most, value);
            }
        }
    }
    if (!(least <= most))
        least = most = 0;
    double space = fmax((most - least) * 0.06, fmax(fabs(most) * 1e-3, 1e-4));
    panel->least = least - space;
    panel->most = most + space;
}

/* ------------------------------------------------------------------------------------------------------- drawing -- */

/* A step of 1, 2 or 5 times a power of ten that gives about the wanted number of steps. */
static double tick_step(double range, double wanted)
{
    double step = pow(10, floor(log10(range / wanted))), ratio = range / wanted / step;
    return step * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

static void set_ink(cairo_t *cairo, double alpha)
{
    cairo_set_source_rgba(cairo, ink[0], ink[1], ink[2], alpha);
}

/* align: 0 is left of x, 0.5 centred, 1 right. */
static void put_text(cairo_t *cairo, double x, double y, double align, const char *text)
{
    cairo_text_extents_t extents;
    char *label = label_text(text);
    if (!label)
        return;
    cairo_text_extents(cairo, label, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, label);
    free(label);
}

static void put_line(cairo_t *cairo, double x1, double y1, double x2, double y2)
{
    cairo_move_to(cairo, x1, y1);
    cairo_line_to(cairo, x2, y2);
    cairo_stroke(cairo);
}

struct area {
    double x, y, width, height;
};

static double x_of(const struct plot *plot, const struct area *area, double t)
{
    return area->x + (plot->duration > 0 ? t / plot->duration : 0) * area->width;
}

static double y_of(const struct panel *panel, const struct area *area, double value)
{
    return area->y + (panel->most - value) / (panel->most - panel->least) * area->height;
}

static void draw_value_axis(const struct plot *plot, const struct panel *panel, const struct area *area)
{
    double step = tick_step(panel->most - panel->least, fmax(2, area->height / 36));
    char text[TEXT_CAPACITY];
    for (double value = ceil(panel->least / step) * step; value <= panel->most; value += step) {
        double y = y_of(panel, area, value);
        set_ink(plot->cairo, 0.22);
        put_line(plot->cairo, area->x, y, area->x + area->width, y);
        set_ink(plot->cairo, 1);
        snprintf(text, sizeof text, "%.6g", fabs(value) < step * 1e-6 ? 0 : value);
        put_text(plot->cairo, area->x - 6, y + font_size * 0.35, 1, text);
    }
}

static void draw_time_axis(const struct plot *plot, const struct area *area, bool is_last)
{
    double step = plot->duration > 0 ? tick_step(plot->duration, fmax(2, area->width / 80)) : 1;
    char text[TEXT_CAPACITY];
    for (int i = 0; i * step <= plot->duration * (1 + 1e-9); i++) {
        double x = x_of(plot, area, i * step);
        set_ink(plot->cairo, 0.22);
        put_line(plot->cairo, x, area->y, x, area->y + area->height);
        if (!is_last)
            continue;
        set_ink(plot->cairo, 1);
        snprintf(text, sizeof text, "%.6g s", i * step);
        put_text(plot->cairo, x, area->y + area->height + font_size * 1.4, 0.5, text);
    }
    set_ink(plot->cairo, 0.7);
    put_line(plot->cairo, area->x, area->y + area->height, area->x + area->width, area->y + area->height);
}

static void draw_curves(const struct plot *plot, const struct panel *panel, const struct area *area)
{
    cairo_set_line_width(plot->cairo, 1.6);
    for (unsigned c = 0; c < panel->count; c++) {
        const double *color = curve_colors[c];
        cairo_set_source_rgb(plot->cairo, color[0], color[1], color[2]);
        cairo_new_path(plot->cairo);
        for (int i = 0; i < POINTS; i++) {
            double value = (double)plot->samples[i][panel->first + c];
            if (isfinite(value))
                cairo_line_to(plot->cairo, x_of(plot, area, time_of(plot, i)), y_of(panel, area, value));
        }
        cairo_stroke(plot->cairo);
    }
    cairo_set_line_width(plot->cairo, 1);
}

/* The panel's title with its unit on the left, the letters of its curves on the right. */
static void draw_legend(const struct plot *plot, const struct panel *panel, const struct area *area)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    char text[TEXT_CAPACITY];
    const char *unit = panel->is_length ? plot->source->length_unit : NULL;
    snprintf(text, sizeof text, "%s%s%s%s", panel->title, unit ? " [" : "", unit ? unit : "",
             unit ? "]" : "");
    set_ink(plot->cairo, 1);
    put_text(plot->cairo, area->x, area->y - 6, 0, text);
    for (unsigned c = 0; c < panel->count; c++) {
        double x = area->x + area->width - 30 * (panel->count - c);
        cairo_set_source_rgb(plot->cairo, curve_colors[c][0], curve_colors[c][1], curve_colors[c][2]);
        cairo_rectangle(plot->cairo, x, area->y - 11, 10, 4);
        cairo_fill(plot->cairo);
        set_ink(plot->cairo, 1);
        put_text(plot->cairo, x + 14, area->y - 6, 0, letters[c]);
    }
}

static void draw_events(const struct plot *plot, const struct area *area, bool is_first)
{
    static const double dashes[] = {3, 3};
    const struct pose_clip *clip = plot->source->clip;
    cairo_set_dash(plot->cairo, dashes, 2, 0);
    for (uint32_t i = 0; i < clip->event_count && i < MAX_MARKS; i++) {
        double x = x_of(plot, area, (double)clip->events[i].time);
        if (!(x >= area->x && x <= area->x + area->width))
            continue;
        set_ink(plot->cairo, 0.7);
        put_line(plot->cairo, x, area->y, x, area->y + area->height);
    }
    cairo_set_dash(plot->cairo, NULL, 0, 0);
    if (is_first && clip->event_count) {
        char text[TEXT_CAPACITY];
        snprintf(text, sizeof text, "%u event%s (dashed)", clip->event_count,
                 clip->event_count == 1 ? "" : "s");
        set_ink(plot->cairo, 1);
        put_text(plot->cairo, plot->width - right, font_size + 3, 1, text);
    }
}

/* The name of the joint, cut where it would overlap the text on the right. */
static void draw_heading(const struct plot *plot)
{
    const struct pose_row *row = &pose_sampler_rows(plot->source->sampler)[plot->source->row];
    char id[24], name[TEXT_CAPACITY];
    snprintf(id, sizeof id, "#%u", row->id);
    const char *text = row->name ? row->name : id;
    size_t length = strlen(text) < 60 ? strlen(text) : 60;
    while (length && text[length] && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    set_ink(plot->cairo, 1);
    cairo_set_font_size(plot->cairo, font_size + 2);
    put_text(plot->cairo, 10, font_size + 3, 0, name);
    cairo_set_font_size(plot->cairo, font_size);
}

static void draw(struct plot *plot)
{
    cairo_t *cairo = plot->cairo;
    cairo_select_font_face(cairo, "sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font_size);
    cairo_set_line_width(cairo, 1);
    draw_heading(plot);
    unsigned count = plot->panel_count ? plot->panel_count : 1;
    double height = (plot->height - top - bottom - gap * count) / count;
    for (unsigned i = 0; i < plot->panel_count; i++) {
        struct panel *panel = &plot->panels[i];
        struct area area = {left, top + gap * (i + 1) + height * i - 6, plot->width - left - right,
                            fmax(height, 8)};
        find_range(plot, panel);
        draw_value_axis(plot, panel, &area);
        draw_time_axis(plot, &area, i + 1 == plot->panel_count);
        draw_events(plot, &area, i == 0);
        draw_curves(plot, panel, &area);
        draw_legend(plot, panel, &area);
    }
}

/* ------------------------------------------------------------------------------------------------------- writing -- */

static cairo_status_t write(struct plot *plot, struct pose_buffer *out)
{
    cairo_surface_t *surface = svg_open(plot->width, plot->height, out);
    plot->cairo = cairo_create(surface);
    draw(plot);
    cairo_status_t status = cairo_status(plot->cairo);
    cairo_destroy(plot->cairo);
    cairo_status_t closed = svg_close(surface, out);
    return status ? status : closed;
}

bool plot_draw(const struct plot_source *source, unsigned width, unsigned height, struct pose_buffer *out,
               struct pose_error *error)
{
    struct plot plot = {.source = source,
                        .width = width,
                        .height = height,
                        .duration = (double)source->clip->duration,
                        .samples = calloc(POINTS, sizeof *plot.samples)};
    cairo_status_t status = CAIRO_STATUS_NO_MEMORY;
    if (plot.samples && sample(&plot)) {
        choose_panels(&plot);
        status = write(&plot, out);
    }
    free(plot.samples);
    if (!status)
        return true;
    pose_buffer_free(out);
    pose_error_init(error);
    error->status = POSE_NO_MEMORY;
    snprintf(error->detail, sizeof error->detail, "the plot cannot be drawn: %s",
             cairo_status_to_string(status));
    return false;
}
