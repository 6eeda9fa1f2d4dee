/*
 * Interface between a format and the rest of the library: one constant at the end of the format's file, listed
 * in its family (family.c). A codec never includes another one.
 */
#ifndef POSE_FORMATS_CODEC_H
#define POSE_FORMATS_CODEC_H

#include "lib/bake/target.h"
#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"
#include "lib/core/bytes/writer.h"
#include "lib/model/build.h"

/* How sure a codec is that the bytes are in its format. */
enum probe_result {
    PROBE_NO,
    PROBE_NAME,   /* the extension fits, and so does the first word */
    PROBE_MARKED, /* the same, plus constants that no other format has in these places: the file is damaged */
    PROBE_SURE,   /* a magic number, or a structural walk that ends exactly at the end of the file */
    PROBE_BY_NAME, /* returned by a codec: PROBE_NAME if the name has an extension of its row, else PROBE_NO */
};

/* One decoding. The codec allocates from the arena, fills in the document and reports through error. */
struct decode_job {
    const struct pose_source *source;
    const struct pose_limits *limits; /* defaults filled in */
    struct arena *arena;
    struct pose_error *error;
    struct pose_document *document; /* zeroed; format, size and the file's warnings are set by the caller */
    struct warning_list
        warnings; /* about the whole file; a codec whose files hold one clip may use it for the clip */
};

/* One encoding. Warnings tell what the format cannot hold. */
struct encode_job {
    const struct pose_content *content;
    const struct pose_value *settings; /* an object or NULL */
    struct writer *writer;
    struct arena *arena; /* for temporary memory */
    struct pose_error *error;
    pose_warn *warn;
    void *user;
};

/* Warns about data the target cannot hold, a loss. code is static. */
void encode_warn(struct encode_job *job, const char *code, const char *format, ...) POSE_PRINTF(3, 4);
/* Reports something worth knowing that is not a loss: the file holds all of the clip, including its extras. */
void encode_note(struct encode_job *job, const char *code, const char *format, ...) POSE_PRINTF(3, 4);

/* A file beside a mesh: bytes, or what is to be encoded. */
struct fit_file {
    char name[POSE_MESH_FILE_NAME];
    struct pose_buffer bytes;
    const char *format; /* NULL: bytes */
    struct pose_content content;
};

/* Making a mesh of any format fit for another one. Warnings tell what is lost. */
struct fit_job {
    const struct pose_mesh_conversion *conversion;
    const char *name; /* of the files, without extension */
    struct arena *arena;
    struct pose_error *error;
    pose_warn *warn;
    void *user;
    /* To be filled in: what the codec's encoder takes, the name of its file, and the files beside it. */
    struct pose_mesh fitted;
    char file[POSE_MESH_FILE_NAME];
    uint32_t beside_count;
    struct fit_file beside[POSE_MESH_FILES - 1];
};

struct codec {
    struct pose_format format; /* can_read and can_write follow from decode and encode */
    /* Must not allocate; its work is bounded by the size of the file. NULL: PROBE_BY_NAME. */
    enum probe_result (*probe)(const struct pose_source *source);
    bool (*decode)(struct decode_job *job);
    bool (*encode)(struct encode_job *job); /* NULL: cannot be written */
    bool (*fit)(struct fit_job *job);       /* NULL: only meshes of its own family can be written */
    const char *const
        *fit_games;              /* values of a mesh's option "game", NULL-terminated; NULL: no such option */
    bool named_after_file;       /* the inner name should be the file's, without extension */
    const struct target *target; /* what clips are converted to for this format; NULL: they are not */
};

#endif
