/* Making small glTF files for tests: numbers into a buffer and accessors, the rest as JSON text. */
#ifndef TESTS_SUPPORT_GLTF_FILES_H
#define TESTS_SUPPORT_GLTF_FILES_H

#include "pose.h"

struct gltf_file {
    struct pose_buffer binary, accessors, views;
    unsigned count;           /* of accessors, and of views */
    struct pose_buffer bytes; /* the file, after gltf_write */
};

/* An accessor of floats in a view of its own; returns its index. components: 1 to 4. */
unsigned gltf_put_floats(struct gltf_file *file, unsigned components, unsigned count, const float *values);
/* Bytes as a view, without an accessor; returns the view's index. */
unsigned gltf_put_bytes(struct gltf_file *file, const void *bytes, size_t size);
/* An accessor as that JSON text. */
unsigned gltf_put_accessor(struct gltf_file *file, const char *json);

/* The file, of the members that are given as JSON text ("\"nodes\": [...]"), as .glb or as .gltf with a data URI. */
void gltf_write(struct gltf_file *file, bool binary, const char *members);
/* A GLB of those chunks; binary may be NULL. */
void gltf_wrap(struct pose_buffer *out, const char *json, const struct pose_buffer *binary);
void gltf_free(struct gltf_file *file);

#endif
