/* A glTF file being written: JSON text, binary buffer, and the lists of views and accessors. */
#ifndef POSE_FORMATS_GLTF_WRITE_FILE_H
#define POSE_FORMATS_GLTF_WRITE_FILE_H

#include "lib/core/bytes/json_writer.h"
#include "lib/formats/gltf/gltf.h"
#include "lib/formats/gltf/write/names.h"

enum gltf_component { GLTF_BYTES = 5121, GLTF_SHORTS = 5123, GLTF_INTS = 5125, GLTF_FLOATS = 5126 };
enum gltf_shape { GLTF_SCALAR, GLTF_VEC2, GLTF_VEC3, GLTF_VEC4, GLTF_MAT4 };
enum gltf_target { GLTF_NO_TARGET = 0, GLTF_VERTICES = 34962, GLTF_INDICES = 34963 };

struct gltf_view {
    size_t offset, size;
    enum gltf_target target;
};

struct gltf_accessor {
    uint32_t view, count;
    size_t offset; /* in the view */
    enum gltf_component component;
    enum gltf_shape shape;
    unsigned bounds; /* components with minimum and maximum; 0: none */
    float least[3], most[3];
    bool is_normalised;
    uint32_t sparse_count; /* if not 0: all zeros except for this many, */
    uint32_t places_view;  /* the view of their indices (ints); view has their values */
    bool is_sparse;        /* even without any: all zeros */
};

struct gltf_file {
    struct encode_job *job;
    struct pose_buffer json_bytes, bin_bytes;
    struct json_writer json;
    struct writer bin;
    struct gltf_view *views;
    uint32_t view_count, view_capacity;
    struct gltf_accessor *accessors;
    uint32_t accessor_count, accessor_capacity;
    struct gltf_names names; /* of nodes */
};

void gltf_file_init(struct gltf_file *file, struct encode_job *job);
void gltf_file_release(struct gltf_file *file);

/* Starts a view of everything written to bin until gltf_view_end; views do not nest. Returns its number. */
uint32_t gltf_view_begin(struct gltf_file *file, enum gltf_target target);
void gltf_view_end(struct gltf_file *file);

/* Adds an accessor of count elements, which the caller writes to bin right after this call. Returns its number. */
uint32_t gltf_accessor_add(struct gltf_file *file, enum gltf_component component, enum gltf_shape shape,
                           uint32_t count);
/* Writes numbers whose minimum and maximum glTF requires as an accessor of that shape (SCALAR or VEC3). */
uint32_t gltf_accessor_bounded(struct gltf_file *file, enum gltf_shape shape, const float *values,
                               uint32_t count);
/* A whole view with one accessor of floats, with minimum and maximum if bounded. */
uint32_t gltf_accessor_view(struct gltf_file *file, enum gltf_target target, enum gltf_shape shape,
                            const float *values, uint32_t count, bool bounded);

/* An accessor of count VEC3, all 0 except at the given indices, which ascend; uses views of its own. */
uint32_t gltf_accessor_sparse(struct gltf_file *file, uint32_t count, const uint32_t *places,
                              const float (*values)[3], uint32_t value_count, bool bounded);

/* Appends little-endian floats to bin. */
void gltf_bin_floats(struct gltf_file *file, const float *values, size_t count);

/*
 * Closes the JSON, whose top-level object is open, with accessors, views and the buffer, and writes the whole
 * file to the job's writer: a GLB, or JSON with the buffer as a data URI.
 */
bool gltf_file_finish(struct gltf_file *file, bool is_glb);

#endif
