/*
 * Pictures of common kinds that accompany meshes: BMP (The Sims' textures), PNG, JPEG, TGA (README.md). One image each,
 * with its pixels as stored. Decoded by lib/images, which determines what of these formats is read.
 */
#include "lib/core/text.h"
#include "lib/formats/codec.h"
#include "lib/images/picture.h"

#include <string.h>

/* The decoder does not say where a picture is broken, nor that the limit is one. */
static void place_error(struct pose_error *error)
{
    if (error && error->offset == POSE_NO_OFFSET)
        error->offset = 0;
    if (error && error->status == POSE_OVER_LIMIT)
        strcpy(error->limit, "pixels");
}

static bool decode(struct decode_job *job)
{
    struct picture picture;
    struct pose_image *image = ARENA_NEW(job->arena, struct pose_image, 1);
    if (!image)
        return false;
    if (!picture_read(job->source->bytes, job->arena->stop, job->arena->refusals, &picture, job->error)) {
        place_error(job->error);
        return false;
    }
    size_t count = (size_t)picture.width * picture.height;
    uint8_t(*pixels)[4] = arena_alloc(job->arena, count, sizeof *pixels);
    if (pixels)
        memcpy(pixels, picture.pixels, count * sizeof *pixels);
    *image = (struct pose_image){.width = picture.width,
                                 .height = picture.height,
                                 .pixels = (const uint8_t(*)[4])pixels,
                                 .has_alpha = picture.see_through};
    picture_free(&picture);
    job->document->images = image;
    job->document->image_count = 1;
    return pixels != NULL;
}

static bool begins_with(const struct pose_source *source, const void *mark, size_t size)
{
    return source->bytes.size >= size && !memcmp(source->bytes.data, mark, size);
}

static enum probe_result by_name(const struct pose_source *source, const char *extensions)
{
    return source->name && text_has_extension(source->name, extensions) ? PROBE_NAME : PROBE_NO;
}

#define BMP_EXTENSIONS ".bmp"
#define PNG_EXTENSIONS ".png"
#define JPEG_EXTENSIONS ".jpg .jpeg"
#define TGA_EXTENSIONS ".tga"

/* The size of the header after the magic number, in any version. */
static enum probe_result probe_bmp(const struct pose_source *source)
{
    static const uint8_t sizes[] = {12, 40, 52, 56, 64, 108, 124};
    const uint8_t *data = source->bytes.data;
    if (begins_with(source, "BM", 2) && source->bytes.size > 26 && !data[15] && !data[16] && !data[17] &&
        memchr(sizes, data[14], sizeof sizes))
        return PROBE_SURE;
    return by_name(source, BMP_EXTENSIONS);
}

static enum probe_result probe_png(const struct pose_source *source)
{
    return begins_with(source, "\x89PNG\r\n\x1a\n", 8) ? PROBE_SURE : by_name(source, PNG_EXTENSIONS);
}

static enum probe_result probe_jpeg(const struct pose_source *source)
{
    return begins_with(source, "\xff\xd8\xff", 3) ? PROBE_SURE : by_name(source, JPEG_EXTENSIONS);
}

/* There is no magic number; only the name counts. */
static enum probe_result probe_tga(const struct pose_source *source)
{
    return by_name(source, TGA_EXTENSIONS);
}

const struct codec codec_bmp = {
    .format = {.id = "bmp",
               .title = "BMP picture",
               .extensions = BMP_EXTENSIONS,
               .media_type = "image/bmp",
               .kinds = "image"},
    .probe = probe_bmp,
    .decode = decode,
};

const struct codec codec_png = {
    .format = {.id = "png",
               .title = "PNG picture",
               .extensions = PNG_EXTENSIONS,
               .media_type = "image/png",
               .kinds = "image"},
    .probe = probe_png,
    .decode = decode,
};

const struct codec codec_jpeg = {
    .format = {.id = "jpeg",
               .title = "JPEG picture",
               .extensions = JPEG_EXTENSIONS,
               .media_type = "image/jpeg",
               .kinds = "image"},
    .probe = probe_jpeg,
    .decode = decode,
};

const struct codec codec_tga = {
    .format = {.id = "tga",
               .title = "TGA picture",
               .extensions = TGA_EXTENSIONS,
               .media_type = "image/x-tga",
               .kinds = "image"},
    .probe = probe_tga,
    .decode = decode,
};
