#include "server/draw/motion.h"

#include "server/draw/png.h"

#include <math.h>
#include <webp/encode.h>
#include <webp/mux.h>

/* Viewers show no higher frame rate; the budget is for all frames together. */
static const double fastest = 25, pixel_budget = 24e6;
static const double longest_frame_ms = 10000;

static unsigned frame_count(unsigned width, unsigned height, double duration, double fps)
{
    double most = fmin(MAX_PICTURE_MOTION, pixel_budget / ((double)width * height));
    double wanted = ceil(duration * fmin(fps > 0 ? fps : fastest, fastest));
    return (unsigned)fmax(1, fmin(wanted, most));
}

/* WebP does not premultiply alpha, cairo does. */
static void take_pixels(cairo_surface_t *surface, WebPPicture *picture)
{
    const unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; y < picture->height; y++) {
        const uint32_t *from = (const uint32_t *)(const void *)(data + (ptrdiff_t)y * stride);
        uint32_t *to = picture->argb + (ptrdiff_t)y * picture->argb_stride;
        for (int x = 0; x < picture->width; x++)
            to[x] = pixel_plain(from[x]);
    }
}

static bool add_frame(WebPAnimEncoder *encoder, const WebPConfig *config, cairo_surface_t *surface,
                      motion_frame *draw, void *user, double t, int at_ms)
{
    WebPPicture picture;
    cairo_t *cairo = cairo_create(surface);
    cairo_save(cairo);
    cairo_set_operator(cairo, CAIRO_OPERATOR_CLEAR);
    cairo_paint(cairo);
    cairo_restore(cairo);
    draw(user, cairo, t);
    bool drawn = !cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
    if (!drawn || !WebPPictureInit(&picture))
        return false;
    picture.use_argb = 1;
    picture.width = cairo_image_surface_get_width(surface);
    picture.height = cairo_image_surface_get_height(surface);
    bool added = WebPPictureAlloc(&picture);
    if (added) {
        take_pixels(surface, &picture);
        added = WebPAnimEncoderAdd(encoder, &picture, at_ms, config);
    }
    WebPPictureFree(&picture);
    return added;
}

/* Sets the end of the last frame and assembles the file. */
static bool finish(WebPAnimEncoder *encoder, int end_ms, struct pose_buffer *out)
{
    WebPData file;
    WebPDataInit(&file);
    bool written = WebPAnimEncoderAdd(encoder, NULL, end_ms, NULL) &&
                   WebPAnimEncoderAssemble(encoder, &file) && pose_buffer_append(out, file.bytes, file.size);
    WebPDataClear(&file);
    return written;
}

bool motion_write(unsigned width, unsigned height, double duration, double fps, motion_frame *draw,
                  void *user, const struct pose_stop *stop, struct pose_buffer *out)
{
    WebPAnimEncoderOptions options;
    WebPConfig config;
    unsigned count = frame_count(width, height, duration, fps);
    double step_ms = fmin(fmax(duration * 1000 / count, 20), longest_frame_ms);
    if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&config))
        return false;
    config.quality = 75;
    config.method = 1; /* fast: several times the default speed for a few percent more size */
    config.alpha_quality = 90;
    options.minimize_size = 0;
    options.kmax = 0; /* encode each frame as a difference */
    WebPAnimEncoder *encoder = WebPAnimEncoderNew((int)width, (int)height, &options);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)width, (int)height);
    bool written = encoder && !cairo_surface_status(surface);
    for (unsigned i = 0; written && i < count; i++)
        written =
            !(stop && stop->ask(stop->user)) &&
            add_frame(encoder, &config, surface, draw, user, duration * i / count, (int)lround(step_ms * i));
    written = written && finish(encoder, (int)lround(step_ms * count), out);
    cairo_surface_destroy(surface);
    WebPAnimEncoderDelete(encoder);
    return written;
}
