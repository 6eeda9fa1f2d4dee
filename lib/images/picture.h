/* Pictures that strangers made (BMP, PNG, JPEG, TGA) as PNG. */
#ifndef POSE_IMAGES_PICTURE_H
#define POSE_IMAGES_PICTURE_H

#include "lib/core/error.h"

/* The largest picture that is read: pixels a side, and in all. */
enum { PICTURE_SIDE = 8192, PICTURE_PIXELS = 1 << 24 };

/* Pixels, row after row from the top, 4 bytes each: red, green, blue, alpha. */
struct picture {
    uint32_t width, height;
    uint8_t *pixels;
    bool see_through; /* alpha is below 255 somewhere */
};

/* False, with error, when the bytes are no such picture or a larger one. Free with picture_free. */
bool picture_read(struct pose_bytes bytes, struct picture *picture, struct pose_error *error);
void picture_free(struct picture *picture);

/* Appends a PNG; false when memory is out. */
bool picture_write_png(const struct picture *picture, struct pose_buffer *out);

#endif
