/* A glTF file that is being written: JSON text, binary buffer, and the lists that say what lies where in it. */
#ifndef POSE_FORMATS_GLTF_WRITE_FILE_H
#define POSE_FORMATS_GLTF_WRITE_FILE_H

#include "lib/core/bytes/json_writer.h"
#include "lib/formats/gltf/gltf.h"

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
    unsigned bounds; /* numbers of least and most that are to be told; 0: none */
    float least[3], most[3];
    bool is_normalised;
    uint32_t sparse_count; /* not 0: zeros but for so many, */
    uint32_t places_view;  /* which these are (ints); view has what is there */
    bool is_sparse;        /* also without any: all zeros */
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
};

void gltf_file_init(struct gltf_file *file, struct encode_job *job);
void gltf_file_release(struct gltf_file *file);

/* A view of what is written to bin from here on, up to gltf_view_end; views do not nest. Returns its number. */
uint32_t gltf_view_begin(struct gltf_file *file, enum gltf_target target);
void gltf_view_end(struct gltf_file *file);

/* An accessor of count things, to be written to bin right after this call. Returns its number. */
uint32_t gltf_accessor_add(struct gltf_file *file, enum gltf_component component, enum gltf_shape shape,
                           uint32_t count);
/* Numbers that glTF wants the least and most of: writes them as the accessor of that shape (SCALAR or VEC3). */
uint32_t gltf_accessor_bounded(struct gltf_file *file, enum gltf_shape shape, const float *values,
                               uint32_t count);
/* A whole view of one accessor of floats; bounded ones tell least and most. */
uint32_t gltf_accessor_view(struct gltf_file *file, enum gltf_target target, enum gltf_shape shape,
                            const float *values, uint32_t count, bool bounded);

/* An accessor of count VEC3 that are all 0 but for those at so many places, which ascend; in views of its own. */
uint32_t gltf_accessor_sparse(struct gltf_file *file, uint32_t count, const uint32_t *places,
                              const float (*values)[3], uint32_t value_count, bool bounded);

/* Little-endian floats to bin. */
void gltf_bin_floats(struct gltf_file *file, const float *values, size_t count);

/*
 * Ends the JSON, whose top-level object is open, with accessors, views and the buffer, and writes the whole file to the
 * job's writer: a GLB, or JSON with the buffer as a data URI.
 */
bool gltf_file_finish(struct gltf_file *file, bool is_glb);

#endif
