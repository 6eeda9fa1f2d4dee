/*
 * The mesh of The Sims family: one body, three encodings. The order of the body (after the header of its format):
 *
 *     bone names · faces (a b c) · bindings (bone first count blend_first blend_count) · uvs (u v)
 *     · blends (vertex and weight) · vertices (x y z nx ny nz), each with its count in front
 *
 * R uvs belong to the R real vertices, which come first; B blended vertices follow, one a blend. sims_mesh.c knows the
 * body and its rules; how numbers and texts are written down is an encoding (sims_mesh_text.c, sims_mesh_binary.c);
 * the codecs are sims1_skn.c, sims1_bmf.c and tso_mesh.c. Facts: The Sims 1 section 4, The Sims Online section 4 of
 * the format notes, all checked on real .skn and .mesh files; .bmf on another decoder's word.
 */
#ifndef POSE_FORMATS_SIMS_MESH_H
#define POSE_FORMATS_SIMS_MESH_H

#include "lib/core/lines.h"
#include "lib/formats/codec.h"

/* One of the five lists of the body: rows of equal columns, all integers or all floats. */
struct mesh_list {
    const char *name;       /* as errors name it: "faces" */
    const char *count_name; /* "face_count" */
    unsigned columns;
    const char *const *column_names;
};

/* Where a list's rows begin, so that an error about a row finds it again. */
struct mesh_place {
    const uint8_t *at;
    uint32_t line;
};

/* A body that is being read. */
struct mesh_source {
    const struct mesh_encoding *encoding;
    struct reader *reader;
    struct lines lines;  /* of the text encoding */
    struct arena *arena; /* NULL: a walk, which keeps nothing */
};

struct mesh_sink {
    const struct mesh_encoding *encoding;
    struct writer *writer;
    struct encode_job *job;
};

struct mesh_encoding {
    bool weight_first; /* in a blend */
    /* The least bytes of a row of so many columns. */
    unsigned (*row_size)(unsigned columns);
    /* A text; "" in a walk; NULL on failure. */
    const char *(*read_text)(struct mesh_source *source, const char *field);
    int32_t (*read_count)(struct mesh_source *source, const char *field);
    /* Rows whose bytes are there: all columns to out. A walk (out NULL) passes over them. */
    bool (*read_integers)(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                          uint32_t *out);
    /* The first width columns of each row to first, the others (if any) to second. */
    bool (*read_floats)(struct mesh_source *source, const struct mesh_list *list, uint32_t rows,
                        unsigned width, float *first, float *second);
    /* Offset in the file of a value that was read before; the reader's line becomes its line. */
    uint64_t (*seek)(struct mesh_source *source, const struct mesh_place *place, unsigned columns,
                     uint32_t row, unsigned column);

    /* A text in Windows-1252; false with an error when the encoding cannot hold it. */
    bool (*write_text)(struct mesh_sink *sink, const uint8_t *text, size_t size);
    void (*write_count)(struct mesh_sink *sink, uint32_t count);
    void (*write_integers)(struct mesh_sink *sink, const int32_t *row, unsigned columns);
    void (*write_floats)(struct mesh_sink *sink, const float *row, unsigned columns);
};

/* In .skn; in .bmf; in .mesh. */
extern const struct mesh_encoding mesh_encoding_text;
extern const struct mesh_encoding mesh_encoding_little_endian;
extern const struct mesh_encoding mesh_encoding_big_endian;

/* Begins a source at the reader's place. */
void mesh_source_init(struct mesh_source *source, const struct mesh_encoding *encoding, struct reader *reader,
                      struct arena *arena);
/* The name of the mesh and that of its texture, which .skn and .bmf have in front; the texture "x" is none. */
bool mesh_read_names(struct mesh_source *source, struct pose_mesh *mesh);
/* The body into the mesh, with all checks, and the mesh into the document. What follows it is the caller's. */
bool mesh_decode(struct decode_job *job, struct mesh_source *source, struct pose_mesh *mesh);
/* Warns of bytes after the last vertex of a binary file. */
void mesh_warn_trailing(struct decode_job *job, const struct reader *reader);
/* True when a body of at least one bone and one vertex lies at the source's place, whose arena is NULL. */
bool mesh_walk(struct mesh_source *source);

/* The one mesh of the content; NULL with an error when there is none. */
const struct pose_mesh *mesh_to_encode(struct encode_job *job);
bool mesh_write_names(struct mesh_sink *sink, const struct pose_mesh *mesh);
bool mesh_write_body(struct mesh_sink *sink, const struct pose_mesh *mesh);

#endif
