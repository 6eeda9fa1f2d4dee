/*
 * What does not move is drawn once. Of each further frame only the rectangle is stored in which it differs from the one
 * before, as it is: it replaces the pixels.
 */
#include "server/draw/motion.h"

#include "server/draw/png.h"
#include "server/draw/yuv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

/* The quality of WebP; what a rich texture costs beyond the budget is taken from it, until it would be seen. */
enum { QUALITY = 20, LEAST_QUALITY = 10, QUALITY_STEP = 2 };

/* What is aimed at, 24 KB for two seconds of 192 x 192: edges alone have half of it, so that some files are larger. */
static const double bytes_per_pixel_and_second = 12000.0 / (192 * 192);

/* The budget is for all frames together. */
static const double pixel_budget = 24e6;
static const double shortest_frame_ms = 20, longest_frame_ms = 10000;

struct motion {
    int width, height;
    cairo_surface_t *ground, *frame;
    uint32_t *shown; /* [height][width]: the last frame, as stored */
    uint32_t *plain; /* the same of this frame */
    uint8_t *planes; /* of what is stored of it */
    WebPConfig config;
    WebPMux *mux;
    const struct pose_stop *stop;
    size_t bytes; /* of the frames so far */
};

/* A part of the picture. */
struct window {
    int left, top, right, bottom;
};

static unsigned frame_count(unsigned width, unsigned height, double duration, double fps)
{
    double most = fmin(MAX_PICTURE_MOTION, pixel_budget / ((double)width * height));
    return (unsigned)fmax(1, fmin(round(duration * fps), most));
}

/* ------------------------------------------------------------------------------------------------- pixels -- */

/* Of a figure cut out of an unknown background one step at the edges is enough: finer ones are half of the file. */
static uint32_t cut_out(uint32_t pixel)
{
    const uint32_t alpha = pixel >> 24;
    return alpha < 64 ? 0 : (alpha < 192 ? 0x80000000 : 0xff000000) | (pixel & 0xffffff);
}

/* WebP does not premultiply alpha, cairo does. */
static void take_pixels(struct motion *motion, bool is_cut_out)
{
    const unsigned char *data = cairo_image_surface_get_data(motion->frame);
    const int stride = cairo_image_surface_get_stride(motion->frame);
    for (int y = 0; y < motion->height; y++) {
        const uint32_t *from = (const uint32_t *)(const void *)(data + (ptrdiff_t)y * stride);
        uint32_t *to = motion->plain + (ptrdiff_t)y * motion->width;
        for (int x = 0; x < motion->width; x++) {
            const uint32_t plain = from[x] ? pixel_plain(from[x]) : 0;
            to[x] = is_cut_out ? cut_out(plain) : plain;
        }
    }
}

static bool row_differs(const struct motion *motion, int y)
{
    const size_t row = (size_t)y * (size_t)motion->width;
    return memcmp(motion->plain + row, motion->shown + row, (size_t)motion->width * sizeof *motion->plain) !=
           0;
}

static bool column_differs(const struct motion *motion, int x, int top, int bottom)
{
    for (int y = top; y < bottom; y++) {
        const size_t at = (size_t)y * (size_t)motion->width + (size_t)x;
        if (motion->plain[at] != motion->shown[at])
            return true;
    }
    return false;
}

/* The smallest window with all differences, from even places as the format wants it; at least a few pixels. */
static struct window find_window(const struct motion *motion)
{
    struct window window = {0, 0, motion->width, motion->height};
    while (window.top + 1 < window.bottom && !row_differs(motion, window.top))
        window.top++;
    while (window.top + 1 < window.bottom && !row_differs(motion, window.bottom - 1))
        window.bottom--;
    while (window.left + 1 < window.right && !column_differs(motion, window.left, window.top, window.bottom))
        window.left++;
    while (window.left + 1 < window.right &&
           !column_differs(motion, window.right - 1, window.top, window.bottom))
        window.right--;
    window.left &= ~1;
    window.top &= ~1;
    return window;
}

/* ------------------------------------------------------------------------------------------------- frames -- */

/* A frame takes milliseconds. */
static int ask(int percent, const WebPPicture *picture)
{
    const struct pose_stop *stop = picture->user_data;
    (void)percent;
    return !stop || !stop->ask(stop->user);
}

static bool encode(const struct motion *motion, const struct window *window, WebPMemoryWriter *writer)
{
    WebPPicture picture;
    if (!WebPPictureInit(&picture))
        return false;
    picture.width = window->right - window->left;
    picture.height = window->bottom - window->top;
    const struct yuv_planes planes = yuv_lay(motion->planes, picture.width, picture.height);
    yuv_take(motion->plain + (ptrdiff_t)window->top * motion->width + window->left, (size_t)motion->width,
             picture.width, picture.height, &planes);
    picture.colorspace = WEBP_YUV420A;
    picture.y = planes.y;
    picture.u = planes.u;
    picture.v = planes.v;
    picture.a = planes.a;
    picture.y_stride = picture.a_stride = picture.width;
    picture.uv_stride = (picture.width + 1) / 2;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = writer;
    picture.progress_hook = ask;
    picture.user_data = (void *)(uintptr_t)motion->stop;
    const bool done = WebPEncode(&motion->config, &picture);
    WebPPictureFree(&picture);
    return done;
}

static bool push(struct motion *motion, const struct window *window, int duration_ms)
{
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    WebPMuxFrameInfo info = {.x_offset = window->left,
                             .y_offset = window->top,
                             .duration = duration_ms,
                             .id = WEBP_CHUNK_ANMF,
                             .dispose_method = WEBP_MUX_DISPOSE_NONE,
                             .blend_method = WEBP_MUX_NO_BLEND};
    bool done = encode(motion, window, &writer);
    info.bitstream = (WebPData){writer.mem, writer.size};
    done = done && WebPMuxPushFrame(motion->mux, &info, 1) == WEBP_MUX_OK;
    motion->bytes += writer.size;
    WebPMemoryWriterClear(&writer);
    return done;
}

/* Little by little, so that no frame stands out. */
static void keep_budget(struct motion *motion, int end_ms)
{
    const double pixels = (double)motion->width * motion->height;
    const double budget = bytes_per_pixel_and_second * pixels * end_ms / 1000;
    const float step = (double)motion->bytes > budget ? -QUALITY_STEP : QUALITY_STEP;
    motion->config.quality = fminf(fmaxf(motion->config.quality + step, LEAST_QUALITY), QUALITY);
}

/* The ground, and what the frame shows on it. */
static bool draw_frame(struct motion *motion, const struct motion_drawing *drawing, double t)
{
    cairo_surface_flush(motion->frame);
    memcpy(cairo_image_surface_get_data(motion->frame), cairo_image_surface_get_data(motion->ground),
           (size_t)cairo_image_surface_get_stride(motion->ground) * (size_t)motion->height);
    cairo_surface_mark_dirty(motion->frame);
    cairo_t *cairo = cairo_create(motion->frame);
    drawing->moment(drawing->user, cairo, t);
    const bool drawn = !cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(motion->frame);
    return drawn;
}

static bool add_frame(struct motion *motion, const struct motion_drawing *drawing, double t, bool is_first,
                      int duration_ms)
{
    struct window window = {0, 0, motion->width, motion->height};
    if (!draw_frame(motion, drawing, t))
        return false;
    take_pixels(motion, drawing->is_cut_out);
    if (!is_first)
        window = find_window(motion);
    const bool pushed = push(motion, &window, duration_ms);
    uint32_t *shown = motion->shown;
    motion->shown = motion->plain;
    motion->plain = shown;
    return pushed;
}

/* ------------------------------------------------------------------------------------------------ the file -- */

static bool open_motion(struct motion *motion, unsigned width, unsigned height,
                        const struct motion_drawing *drawing)
{
    const size_t pixels = (size_t)width * height;
    *motion = (struct motion){.width = (int)width, .height = (int)height};
    if (!WebPConfigInit(&motion->config))
        return false;
    /* The fastest; a frame is seen for a tenth of a second. */
    motion->config.quality = QUALITY;
    motion->config.method = 0;
    motion->config.segments = 1;
    motion->config.sns_strength = 0;
    motion->config.filter_strength = 0;
    motion->config.alpha_filtering = 0;
    motion->mux = WebPMuxNew();
    motion->shown = malloc(pixels * sizeof *motion->shown);
    motion->plain = malloc(pixels * sizeof *motion->plain);
    motion->planes = malloc(yuv_size(motion->width, motion->height));
    motion->ground = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, motion->width, motion->height);
    motion->frame = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, motion->width, motion->height);
    if (!motion->mux || !motion->shown || !motion->plain || !motion->planes ||
        cairo_surface_status(motion->ground) || cairo_surface_status(motion->frame))
        return false;
    cairo_t *cairo = cairo_create(motion->ground);
    drawing->ground(drawing->user, cairo);
    const bool drawn = !cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(motion->ground);
    return drawn;
}

static void close_motion(struct motion *motion)
{
    WebPMuxDelete(motion->mux);
    free(motion->shown);
    free(motion->plain);
    free(motion->planes);
    cairo_surface_destroy(motion->ground);
    cairo_surface_destroy(motion->frame);
}

static bool assemble(struct motion *motion, struct pose_buffer *out)
{
    const WebPMuxAnimParams endless = {.bgcolor = 0, .loop_count = 0};
    WebPData file;
    WebPDataInit(&file);
    const bool done = WebPMuxSetAnimationParams(motion->mux, &endless) == WEBP_MUX_OK &&
                      WebPMuxSetCanvasSize(motion->mux, motion->width, motion->height) == WEBP_MUX_OK &&
                      WebPMuxAssemble(motion->mux, &file) == WEBP_MUX_OK &&
                      pose_buffer_append(out, file.bytes, file.size);
    WebPDataClear(&file);
    return done;
}

bool motion_write(unsigned width, unsigned height, double duration, double fps,
                  const struct motion_drawing *drawing, const struct pose_stop *stop, struct pose_buffer *out)
{
    struct motion motion;
    const unsigned count = frame_count(width, height, duration, fps);
    const double step_ms = fmin(fmax(duration * 1000 / count, shortest_frame_ms), longest_frame_ms);
    bool written = open_motion(&motion, width, height, drawing);
    motion.stop = stop;
    for (unsigned i = 0; written && i < count; i++) {
        const int begin_ms = (int)lround(step_ms * i), end_ms = (int)lround(step_ms * (i + 1));
        written = !(stop && stop->ask(stop->user)) &&
                  add_frame(&motion, drawing, duration * i / count, i == 0, end_ms - begin_ms);
        keep_budget(&motion, end_ms);
    }
    written = written && assemble(&motion, out);
    close_motion(&motion);
    return written;
}
