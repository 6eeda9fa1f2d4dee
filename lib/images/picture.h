/* Converts untrusted images (BMP, PNG, JPEG, TGA) to PNG. */
#ifndef POSE_IMAGES_PICTURE_H
#define POSE_IMAGES_PICTURE_H

#include "lib/core/error.h"

#include "pose.h"

/* The largest image that is read: pixels per side, and in total. */
enum { PICTURE_SIDE = 8192, PICTURE_PIXELS = 1 << 24 };
/* Of a JPEG: scans, and scans times pixels. Each scan visits every pixel, however few bytes it has. */
enum { PICTURE_SCANS = 200, PICTURE_SCAN_PIXELS = 400000000 };

/* Pixels, in rows from the top, 4 bytes each: red, green, blue, alpha. */
struct picture {
    uint32_t width, height;
    uint8_t *pixels;
    bool see_through; /* alpha is below 255 somewhere */
};

/* What the head of a picture says. */
struct picture_facts {
    uint32_t width, height;
    bool has_alpha; /* it has an alpha channel */
};

/* Reads the head alone, and counts the scans of a JPEG: the same refusals as picture_read, except that broken pixels are
 * not noticed. stop: asked while reading, may be NULL; then the error is POSE_STOPPED. */
bool picture_survey(struct pose_bytes bytes, const struct pose_stop *stop, struct picture_facts *facts,
                    struct pose_error *error);

/* Returns false, with error, if the bytes are not such an image, it is too large, stop says so, or refusals has it; tells
 * refusals if the pixels are broken. Both may be NULL. Must be freed with picture_free. */
bool picture_read(struct pose_bytes bytes, const struct pose_stop *stop, const struct pose_refusals *refusals,
                  struct picture *picture, struct pose_error *error);
void picture_free(struct picture *picture);

/* Pixels of the image of a material that covers, laid on its ground; from and to may be the same (cover.c). */
void picture_cover(const struct pose_material *material, const uint8_t (*from)[4], size_t count,
                   uint8_t (*to)[4]);

/* How hard a PNG is packed. */
enum picture_effort {
    PICTURE_QUICK, /* for what is drawn: runs of one colour, and what differs between neighbours */
    PICTURE_SMALL,
};

/* Appends a PNG. Returns false if out of memory. */
bool picture_write_png(const struct picture *picture, enum picture_effort effort, struct pose_buffer *out);
/* Appends a BMP of 256 colours, without alpha (bmp.c). Returns false if out of memory. */
bool picture_write_bmp(const struct picture *picture, struct pose_buffer *out);

#endif
