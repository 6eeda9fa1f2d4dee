#include "server/draw/moving_svg.h"

#include "lib/core/bytes/markup.h"

#include <math.h>
#include <stdlib.h>

/* Coordinates are whole numbers, in quarters of a pixel. */
enum { FINE = 4, FARTHEST = 100000 };

/* Of all moments: a few megabytes of text. */
enum { LINES_IN_ALL = 1 << 18 };

/* Lines that move themselves, and those that only rest on others. */
static const char *const colors[2] = {"#5c9eff", "#a8b0bd"};

struct drawing {
    const struct moving_svg *moving;
    struct writer *writer;
    uint32_t line_count;
    bool *driven;        /* [line_count] */
    float (*ends)[2][3]; /* [moment][line_count] */
    unsigned moments;
};

static int quarter(double value)
{
    return (int)fmax(-FARTHEST, fmin(FARTHEST, round(value * FINE)));
}

static void put_number(struct writer *writer, int value, bool needs_blank)
{
    if (needs_blank && value >= 0)
        writer_u8(writer, ' ');
    writer_integer(writer, value);
}

/* "M12 34l5-6": from one end, and how far to the other. */
static void put_line(struct writer *writer, const struct view_frame *frame, const float ends[2][3])
{
    int at[2][2];
    for (int i = 0; i < 2; i++) {
        at[i][0] = quarter(frame->origin_x + frame->scale * (double)ends[i][0]);
        at[i][1] = quarter(frame->origin_y - frame->scale * (double)ends[i][1]);
    }
    writer_u8(writer, 'M');
    put_number(writer, at[0][0], false);
    put_number(writer, at[0][1], true);
    writer_u8(writer, 'l');
    put_number(writer, at[1][0] - at[0][0], false);
    put_number(writer, at[1][1] - at[0][1], true);
}

static void put_lines(const struct drawing *drawing, unsigned moment, bool driven)
{
    float(*const ends)[2][3] = drawing->ends + (size_t)moment * drawing->line_count;
    for (uint32_t i = 0; i < drawing->line_count; i++) {
        if (drawing->driven[i] == driven)
            put_line(drawing->writer, &drawing->moving->frame, (const float(*)[3])ends[i]);
    }
}

/* All lines of one kind, first where they are at the beginning, then everywhere. */
static void put_path(const struct drawing *drawing, bool driven)
{
    struct writer *writer = drawing->writer;
    bool any = false;
    for (uint32_t i = 0; i < drawing->line_count; i++)
        any |= drawing->driven[i] == driven;
    if (!any)
        return;
    writer_format(writer, "<path stroke=\"%s\" d=\"", colors[!driven]);
    put_lines(drawing, 0, driven);
    writer_text(writer, "\">");
    if (drawing->moments > 1) {
        writer_format(writer,
                      "<animate attributeName=\"d\" dur=\"%.3fs\" repeatCount=\"indefinite\" values=\"",
                      fmax(drawing->moving->seconds, 0.001));
        for (unsigned i = 0; i < drawing->moments; i++) {
            if (i)
                writer_u8(writer, ';');
            put_lines(drawing, i, driven);
        }
        writer_text(writer, "\"/>");
    }
    writer_text(writer, "</path>\n");
}

static void put_picture(const struct drawing *drawing)
{
    struct writer *writer = drawing->writer;
    const struct moving_svg *moving = drawing->moving;
    const unsigned width = moving->width * FINE, height = moving->height * FINE,
                   smaller = width < height ? width : height;
    writer_format(writer,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                  "viewBox=\"0 0 %u %u\">\n",
                  moving->width, moving->height, width, height);
    if (moving->title) {
        writer_text(writer, "<title>");
        markup_text(writer, moving->title);
        writer_text(writer, "</title>\n");
    }
    const struct color *color = &moving->background;
    if (color->a > 0)
        writer_format(writer, "<path fill=\"#%02x%02x%02x\" fill-opacity=\"%.3g\" d=\"M0 0h%uv%uH0z\"/>\n",
                      (unsigned)lround(color->r * 255), (unsigned)lround(color->g * 255),
                      (unsigned)lround(color->b * 255), color->a, width, height);
    writer_format(
        writer, "<g fill=\"none\" stroke-width=\"%u\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n",
        smaller / 64 + 1);
    put_path(drawing, false);
    put_path(drawing, true);
    writer_text(writer, "</g>\n</svg>\n");
}

static bool take_moments(struct drawing *drawing, const struct pose_stop *stop)
{
    const struct moving_svg *moving = drawing->moving;
    figure_lines_driven(moving->figure, drawing->driven);
    for (unsigned i = 0; i < drawing->moments; i++) {
        const double t = drawing->moments > 1 ? moving->seconds * i / (drawing->moments - 1) : 0;
        if (stop && stop->ask(stop->user))
            return false;
        figure_lines(moving->figure, t, drawing->ends + (size_t)i * drawing->line_count);
    }
    return true;
}

bool moving_svg_write(const struct moving_svg *moving, const struct pose_stop *stop, struct pose_buffer *out)
{
    struct writer writer;
    struct drawing drawing = {.moving = moving, .writer = &writer};
    drawing.line_count = figure_line_count(moving->figure);
    const double most = fmin(MAX_SVG_MOTION, (double)LINES_IN_ALL / (drawing.line_count + 1));
    const double steps = fmin(round(moving->seconds * moving->fps), most - 1);
    drawing.moments = moving->seconds > 0 ? (unsigned)fmax(steps, 1) + 1 : 1;
    drawing.driven = calloc((size_t)drawing.line_count + 1, sizeof *drawing.driven);
    drawing.ends = calloc((size_t)drawing.line_count * drawing.moments + 1, sizeof *drawing.ends);
    bool done = drawing.driven && drawing.ends && take_moments(&drawing, stop);
    writer_init(&writer, out, NULL);
    if (done)
        put_picture(&drawing);
    done = writer_finish(&writer) && done;
    free(drawing.driven);
    free(drawing.ends);
    return done;
}
