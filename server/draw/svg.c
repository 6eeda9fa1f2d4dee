#include "server/draw/svg.h"

#include "lib/core/bytes/base64.h"
#include "lib/core/error.h"
#include "server/draw/png.h"

#include <cairo-svg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cairo_write_func_t, for PNG as well: appends to out, a struct pose_buffer. */
static cairo_status_t surface_append(void *out, const unsigned char *data, unsigned length)
{
    return pose_buffer_append(out, data, length) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

cairo_surface_t *svg_open(double width, double height, struct pose_buffer *out)
{
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(surface_append, out, width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
}

/* Cairo numbers the surfaces of the process and writes the number into the drawing as id="surface17",
 * which nothing references. Removing it makes equal drawings byte-identical, as a strong ETag requires. */
static void drop_numbers(struct pose_buffer *out)
{
    static const char mark[] = "id=\"surface";
    const size_t length = sizeof mark - 1;
    char *at = (char *)out->data, *end = at + out->size, *found;
    while ((found = memmem(at, (size_t)(end - at), mark, length))) {
        char *digits = found + length, *rest = digits;
        while (rest < end && *rest >= '0' && *rest <= '9')
            rest++;
        memmove(digits, rest, (size_t)(end - rest));
        end -= rest - digits;
        at = digits;
    }
    out->size = (size_t)(end - (char *)out->data);
}

cairo_status_t svg_close(cairo_surface_t *surface, struct pose_buffer *out)
{
    cairo_surface_finish(surface);
    cairo_status_t status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!status)
        drop_numbers(out);
    return status;
}

/* Cairo would give the image a number of the process as well, so it is written here. */
static bool put_image(const struct pose_buffer *png, double width, double height, struct pose_buffer *out)
{
    static const char tail[] = "</svg>\n";
    char head[200];
    size_t length = base64_length(png->size);
    char *text = malloc(length);
    int written = snprintf(head, sizeof head,
                           "<image width=\"%.0f\" height=\"%.0f\" preserveAspectRatio=\"none\" "
                           "xlink:href=\"data:image/png;base64,",
                           width, height);
    const char *end = out->size ? memmem(out->data, out->size, "</svg>", 6) : NULL;
    if (text && end) {
        base64_encode(png->data, png->size, text);
        out->size = (size_t)(end - (const char *)out->data);
    }
    bool done = text && end && pose_buffer_append(out, head, (size_t)written) &&
                pose_buffer_append(out, text, length) && pose_buffer_append(out, "\"/>\n", 4) &&
                pose_buffer_append(out, tail, sizeof tail - 1);
    free(text);
    return done;
}

bool svg_add_image(cairo_surface_t *image, double width, double height, struct pose_buffer *out,
                   struct pose_error *error)
{
    struct pose_buffer png = {0};
    bool done =
        png_write(image, &png, error) && (put_image(&png, width, height, out) || error_no_memory(error));
    pose_buffer_free(&png);
    return done;
}
