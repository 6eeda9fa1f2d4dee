#include "server/draw/svg.h"

#include <cairo-svg.h>
#include <string.h>

cairo_status_t surface_append(void *out, const unsigned char *data, unsigned length)
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
