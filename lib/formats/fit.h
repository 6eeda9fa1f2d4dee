/*
 * What all families share that take meshes of other formats (struct codec, fit): fit.c has names, files and textures,
 * fit_body.c the vertices in model space, their weights and bones, and what is equal.
 */
#ifndef POSE_FORMATS_FIT_H
#define POSE_FORMATS_FIT_H

#include "lib/formats/codec.h"
#include "lib/images/picture.h"

struct pose_skin;

#define FIT_NO_BONE UINT32_MAX

void fit_warn(struct fit_job *job, const char *code, const char *format, ...) POSE_PRINTF(3, 4);

/* The next file beside the mesh; NULL if there are as many as there may be. */
struct fit_file *fit_beside(struct fit_job *job);
/* The next file: a character to be encoded. NULL on failure. */
struct fit_file *fit_put_character(struct fit_job *job, const char *format,
                                   const struct pose_character *character);
/* A name that files of a game can have: letters, digits, "_", "-" and ".". */
const char *fit_name(struct fit_job *job, const char *name);
/* The same without an extension. */
const char *fit_stem(struct fit_job *job, const char *name);

/* The image of the material that most triangles have; several: whether others have another one. */
const char *fit_main_image(const struct pose_mesh *mesh, bool *several);
/* The image that materials call so; NULL: there is none. */
const struct pose_image *fit_find_image(const struct fit_job *job, const char *name);
/* Its pixels, to be released with fit_close_image; false, with a warning, if it cannot be read. */
bool fit_open_image(struct fit_job *job, const struct pose_image *image, struct picture *picture);
void fit_close_image(const struct pose_image *image, struct picture *picture);
/* Adds a copy of the image as a file of that format beside the mesh; false if it cannot be read, or on failure. */
bool fit_put_image(struct fit_job *job, const struct pose_image *image, const char *format, const char *name);

/* Warns of what no family writes: further UV sets, morph targets; and of missing UVs. */
void fit_warn_attributes(struct fit_job *job);
/* Warns of triangles without an area, which are left out. */
void fit_warn_flat(struct fit_job *job, uint32_t count);

/* A mesh in model space: as the skeleton carries it in its rest pose, in the game's axes. */
struct fit_body {
    struct fit_job *job;
    const struct pose_mesh *mesh;
    struct pose_skin *skin;
    uint32_t vertex_count;
    const float (*positions)[3], (*normals)[3];
    const uint32_t (*faces)[3];
    struct pose_influences
        *influences; /* heaviest first, of the mesh's bones, sum 1; NULL: nothing moves it */
    uint32_t *used;  /* [used_count] bones that move a vertex, in the mesh's order */
    uint32_t used_count;
    uint32_t *numbers; /* [bone_count] places in used, FIT_NO_BONE */
};

/* Must be closed in either case. most_weights: of a vertex; the heaviest are kept. Warns of what is lost. */
bool fit_body_open(struct fit_body *body, struct fit_job *job, enum pose_axes axes, unsigned most_weights);
void fit_body_close(struct fit_body *body);

/* Equal rows become one: the first of them, in the order of the rows. */
struct fit_weld {
    uint32_t count;
    uint32_t *rows;   /* [count] where each was first */
    uint32_t *merged; /* [of all rows] their places in rows; undefined for those not used */
    uint32_t *first;  /* [of all rows] the first of those equal to it */
};

/* size is that of a row, which must have no padding; used: NULL: all are. */
bool fit_weld(struct arena *arena, const void *rows, size_t size, uint32_t count, const bool *used,
              struct fit_weld *weld);
/* Which vertices triangles use. */
bool *fit_used_vertices(struct arena *arena, const uint32_t (*faces)[3], uint32_t face_count,
                        uint32_t vertex_count);

#endif
