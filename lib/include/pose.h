/*
 * libpose: bytes of animation files in, values out.
 *
 * No files, no threads, no globals, no log. Everything that is decoded is immutable once it is returned, so any
 * thread may read it. All text is UTF-8 and ends with a NUL; a pointer is NULL where there is nothing.
 *
 * Units: seconds, radians, the file's own length. Rotations are [x, y, z, w]. Values are native, as the file stores
 * them after its own dequantisation; samplers change axes and units when asked to (enum pose_axes).
 */
#ifndef POSE_H
#define POSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define POSE_API __attribute__((visibility("default")))
#else
#define POSE_API
#endif

/* The version of the library, "0.1.0". */
POSE_API const char *pose_version(void);
/* The decoder's revision: another number whenever any decoded or sampled value changes. Part of every ETag. */
POSE_API unsigned pose_revision(void);

/* ------------------------------------------------------------------------------------------------ errors -- */

enum pose_status {
    POSE_OK,
    POSE_BAD_DATA,       /* of a known format, and broken */
    POSE_UNKNOWN_FORMAT, /* of no known format */
    POSE_UNSUPPORTED,    /* known and refused by kind: code says which */
    POSE_OVER_LIMIT,     /* over a limit: limit names it */
    POSE_BAD_ARGUMENT,   /* the caller asked for what cannot be */
    POSE_NO_MEMORY,
    POSE_STOPPED, /* the caller's struct pose_stop wanted no more of it */
};

#define POSE_NO_OFFSET UINT64_MAX

/* Owned by the caller; the first error wins. Zero-initialise, or call pose_error_init. */
struct pose_error {
    enum pose_status status;
    uint64_t offset;  /* byte in the file, or in the companion that field names; POSE_NO_OFFSET: none */
    uint32_t line;    /* 1 …, 0 when the format is not text */
    char code[40];    /* "truncated" */
    char field[120];  /* "joints[3].rot_keys", or a JSON pointer; "" when there is none */
    char limit[24];   /* name of the limit, "" when none was hit */
    char detail[320]; /* one line for a person, with place and reason */
};

POSE_API void pose_error_init(struct pose_error *error);

/* ------------------------------------------------------------------------------------- memory and limits -- */

/* Where libpose gets memory from. alloc returns memory aligned for any type, or NULL. */
struct pose_allocator {
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *memory);
    void *user;
};

/* Checked before anything is allocated. Zero means the default in brackets. */
struct pose_limits {
    size_t memory;    /* bytes that one document or archive may hold [1 GiB] */
    uint32_t joints;  /* of one clip or skeleton [65536] */
    uint64_t keys;    /* of one document, over all channels [4 million] */
    uint32_t entries; /* of one archive [100000] */
    uint64_t
        unpacked;   /* bytes of one entry, or of an archive that unpacks as one stream (tar.gz) [256 MiB] */
    uint32_t ratio; /* unpacked to packed bytes of the same; what unpacks to under 64 KiB is free [2000] */
    size_t output;  /* bytes of a file that is written [no bound] */
};

/*
 * Ends work that takes too long, or that nobody wants any more. ask is called by the thread that works, between tracks,
 * keys, frames and blocks of what is written, and says whether to stop; the call then fails with POSE_STOPPED. It is asked
 * every few milliseconds at most, and often: it should be cheap.
 */
struct pose_stop {
    bool (*ask)(void *user);
    void *user;
};

/* May be NULL wherever it is asked for: malloc and the default limits. */
struct pose_options {
    const struct pose_allocator *allocator;
    struct pose_limits limits;
    const struct pose_stop *stop; /* NULL: nothing stops it */
};

struct pose_bytes {
    const uint8_t *data;
    size_t size;
};

/* Bytes made by the library; release with pose_buffer_free. Zero-initialise. */
struct pose_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    const struct pose_allocator *allocator;
};

POSE_API void pose_buffer_free(struct pose_buffer *buffer);

/* ------------------------------------------------------------------------------------------------ values -- */

/* A tree of what the common model has no place for. Members keep their order; keys may repeat. */
enum pose_value_kind {
    POSE_NULL,
    POSE_BOOL,
    POSE_INT,
    POSE_FLOAT, /* a 32-bit float: printed as the shortest decimal that reads back */
    POSE_STRING,
    POSE_ARRAY,
    POSE_OBJECT,
};

struct pose_value {
    enum pose_value_kind kind;
    const char *key; /* inside an object, else NULL */
    union {
        bool boolean;
        int64_t integer;
        float number;
        const char *string;
    } as;
    const struct pose_value *first; /* of an array or object */
    const struct pose_value *next;  /* in the array or object that holds this one */
};

/* The first member of that name, NULL when there is none or value is no object (or NULL). */
POSE_API const struct pose_value *pose_value_find(const struct pose_value *object, const char *key);

enum pose_severity {
    POSE_NOTE,    /* worth knowing */
    POSE_WARNING, /* something is off; of what is written: lost */
};

struct pose_warning {
    const char *code; /* "trailing_bytes" */
    enum pose_severity severity;
    const char *message;
    uint64_t offset; /* in the file, or in the companion that message names; POSE_NO_OFFSET: none */
};

/* -------------------------------------------------------------------------------------------- the models -- */

/* The axes and units in which values are stored, and those that may be asked for. */
enum pose_axes {
    POSE_AXES_GLTF,   /* right-handed, +Y up, +Z forward, metres */
    POSE_AXES_SL,     /* right-handed, +Z up, +X forward, metres */
    POSE_AXES_SIMS,   /* left-handed, +Y up, +Z forward, feet; rotations act as their conjugate */
    POSE_AXES_PRIME,  /* right-handed, +Z up, +Y forward */
    POSE_AXES_INCHES, /* right-handed, +Y up, +Z forward, inches: BVH made for Second Life */
    POSE_AXES_Z_UP,   /* right-handed, +Z up, -Y forward, metres: BVH of Blender, 3ds Max and the like */
};

/* The rules by which an engine plays its clips: key clock, interpolation, loop, order of tracks. */
enum pose_rules {
    POSE_RULES_PLAIN,       /* keyed; linear, slerp on the shorter arc */
    POSE_RULES_SL,          /* keyed; nlerp, slerp where the dot product is negative; intro and loop range */
    POSE_RULES_SIMS,        /* key k at k * duration / count; nlerp on the shorter arc; wraps to key 0 */
    POSE_RULES_SIMS3,       /* keyed; slerp on the shorter arc, nlerp above a dot product of 0.9995 */
    POSE_RULES_PRIME,       /* keyed; slerp without the shorter arc */
    POSE_RULES_PRIME_FRAMES /* every frame a key; the same slerp; the last frame wraps to the first */
};

/* Keys of one part of a joint. times ascend strictly within [0, duration]. count 0: not driven. */
struct pose_channel {
    uint32_t count;
    const float *times;  /* [count], seconds */
    const float *values; /* [count][3 | 4 | 3 | 1] */
};

enum pose_part {
    POSE_TRANSLATION, /* 3 */
    POSE_ROTATION,    /* 4: x, y, z, w */
    POSE_SCALE,       /* 3 */
    POSE_MORPH,       /* 1 */
    POSE_PART_COUNT,
};

struct pose_track {
    const char *name; /* as stored; NULL when the format has none */
    bool has_id;
    uint32_t id;   /* bone id or name hash */
    uint32_t node; /* 1 + the joint that it moves in a skeleton of the clip's tree; 0: names and ids tell */
    struct pose_channel channels[POSE_PART_COUNT];
    const struct pose_value *extras; /* an object, NULL when empty */
};

struct pose_event {
    float time;
    const char *type;
    const struct pose_value *fields; /* an object: the further members, in order; NULL when none */
};

enum pose_loop {
    POSE_LOOP_UNKNOWN, /* the format has no flag */
    POSE_LOOP_NO,
    POSE_LOOP_YES,
};

struct pose_clip {
    const char *name; /* the inner name; NULL when the format has none */
    enum pose_axes axes;
    enum pose_rules rules;
    uint64_t tree; /* that of the skeleton whose joints the tracks' nodes are; 0: they have none */
    float duration;
    float fps;            /* 0 when the format has none */
    uint32_t frame_count; /* 0 when the format has none */
    enum pose_loop loop;
    float loop_in, loop_out; /* 0 and duration when the format has none */
    uint32_t track_count;
    const struct pose_track *tracks; /* in file order; a joint may occur twice */
    uint32_t event_count;
    const struct pose_event *events; /* sorted by time, stable */
    uint64_t key_count;
    const struct pose_value *extras; /* an object, NULL when empty */
    const char *companion;           /* the files without which it cannot be decoded, one per line; NULL */
    const char *game;                /* NULL, or which layout was found, "mp1" */
    /* The format that the clip was before it became glTF, BVH or JSON: extras, events' fields and track extras are
     * that format's. NULL: the document's own format. */
    const char *origin;
    uint32_t warning_count;
    const struct pose_warning *warnings; /* of this clip alone */
};

/* How a parent's scale reaches its children. */
enum pose_scaling {
    POSE_SCALE_OFFSETS,   /* stretches the offsets of direct children, is not inherited further */
    POSE_SCALE_INHERITED, /* glTF: the whole matrix is inherited */
};

struct pose_joint {
    const char *name; /* NULL when the format has none */
    bool has_id;
    uint32_t id;
    int32_t parent; /* index, -1 for a root; parents always precede children */
    float translation[3];
    float rotation[4];
    float scale[3];
    const char *const *aliases; /* ends with NULL; NULL when there are none */
    const struct pose_value *extras;
};

struct pose_skeleton {
    const char *name; /* NULL when the format has none */
    enum pose_axes axes;
    enum pose_scaling scaling;
    uint32_t joint_count;
    const struct pose_joint *joints; /* parents first */
    uint64_t
        tree; /* names and parents of the joints, hashed, where the format's tracks say which joint is theirs; 0 */
    const uint32_t *file_order; /* [joint_count] joint index of the file's k-th joint; NULL: the same */
    int32_t root_joint; /* whose translation of a clip is added to the rest (SL's mPelvis), -1 when none */
    /* [joint_count][16], column-major, in the skeleton's axes: where each joint stood when the mesh was bound, of its own
     * space; the last number is 0 where that is not known. NULL: where it rests. */
    const float (*binds)[16];
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

struct pose_binding {
    uint32_t bone;
    uint32_t first, count;
    uint32_t blend_first, blend_count; /* blend_first is 0 when blend_count is 0 */
};

struct pose_blend {
    uint32_t vertex; /* the real vertex that is changed, < real_count */
    int32_t weight;  /* 32768 = 1 */
};

/* What a pixel's alpha does. */
enum pose_alpha {
    POSE_OPAQUE, /* nothing */
    POSE_MASK,   /* drawn where it is at least cutoff */
    POSE_BLEND,  /* mixed with what is behind */
};

/*
 * How a primitive looks. A picture is named by the reference that the format has, as text (the name of a file, a key
 * "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII", an id of 8 hex digits); whoever knows the archive finds it and hands it to the
 * encoders under that name. Colours are multiplied with the picture's, 1 each where the format says nothing.
 */
struct pose_material {
    const char *name;
    float base_color[4];
    const char *image; /* NULL: none */
    uint32_t image_uv; /* which UV set it is laid out by */
    enum pose_alpha alpha;
    float cutoff; /* of POSE_MASK */
    bool two_sided;
    float emissive[3];
    const char *emissive_image; /* NULL: none */
    uint32_t emissive_uv;
    const struct pose_value *extras;
};

/* Faces that are drawn with one material. */
struct pose_primitive {
    uint32_t material; /* < material_count */
    uint32_t face_first, face_count;
};

enum { POSE_WEIGHTS = 4 };

/* The bones that move a vertex. As stored: a weight of 0 may come with any bone, the sum may be off 1. */
struct pose_influences {
    uint32_t bones[POSE_WEIGHTS];
    float weights[POSE_WEIGHTS];
};

/* Another shape that a mesh can be mixed with: differences of the vertices that it moves. */
struct pose_morph_target {
    const char *name; /* NULL: known by id only */
    bool has_id;
    uint32_t id;
    float weight; /* without a clip that says otherwise, mostly 0 */
    uint32_t count;
    const uint32_t *vertices;    /* [count], each < real_count */
    const float (*positions)[3]; /* [count] */
    const float (*normals)[3];   /* [count]; NULL: none */
    const float (*uvs)[2];       /* [count], of the first UV set; NULL: none */
};

enum pose_mesh_space {
    POSE_SPACE_BONE, /* The Sims: a vertex is in the space of its bone; bindings and blends say which */
    POSE_SPACE_BIND, /* all others: in the space of the model, as it stands in the bind pose; influences say which */
};

/*
 * A skin bound to joints: real_count vertices, then, of a mesh in the space of its bones, blend_count more. Everything
 * that is optional is 0 or NULL. lib/model/mesh.h tells at length how a codec fills it in.
 */
struct pose_mesh {
    const char *name;
    const char *texture; /* name of the texture, NULL when none; of a mesh without materials */
    enum pose_axes axes;
    enum pose_mesh_space space;
    uint32_t bone_count;
    const char *const *bones; /* NULL: known by ids alone; else one may be NULL */
    const uint32_t
        *bone_ids; /* [bone_count] ids of bones, hashes of their names; NULL: known by names alone */
    uint32_t face_count;
    /* As stored. Seen from outside clockwise in the axes of The Sims, counter-clockwise in all others. */
    const uint32_t (*faces)[3];
    uint64_t
        weighted_count; /* vertices that weights are given for and that are in another file (Metroid Prime), 0 */
    uint32_t real_count, blend_count;
    const float (*uvs)[2]; /* [real_count]; v = 0 is the first row of the picture */
    const struct pose_blend *blends;
    const float (*positions)[3]; /* [real_count + blend_count] */
    const float (*normals)[3];   /* as many; NULL: none (in the space of the model only) */
    uint32_t binding_count;
    const struct pose_binding *bindings;
    /* In the space of the model: */
    const struct pose_influences *influences; /* [real_count]; NULL: nothing moves it */
    /* [bone_count][16], column-major, from the model to the bone, in the mesh's axes and units; NULL: the inverse of where
     * the skeleton's joint rests. */
    const float (*inverse_binds)[16];
    bool cofactor_normals; /* normals are turned by the inverse transpose of the blended matrix, else by it */
    uint32_t further_uv_count;            /* UV sets 1 ... */
    const float (*const *further_uvs)[2]; /* [further_uv_count][real_count] */
    const uint8_t (*colors)[4];           /* [real_count] red, green, blue, alpha */
    /* By which other files know the vertices: the morphs of a GEOM, the groups of a CSKR. */
    const uint32_t *vertex_ids;   /* [real_count] */
    const uint32_t *vertex_slots; /* [real_count] places in a CSKR's table of matrices, UINT32_MAX: none */
    uint32_t primitive_count;     /* 0: all faces with one material */
    const struct pose_primitive *primitives;
    uint32_t material_count;
    const struct pose_material *materials;
    uint32_t morph_count;
    const struct pose_morph_target *morphs;
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

/*
 * A picture. Decoded ones have pixels; those that are handed to an encoder may instead be the bytes of a BMP, PNG, JPEG or
 * TGA file as they were found.
 */
struct pose_image {
    const char *name; /* NULL: none. Handed to an encoder: what meshes call it, compared by base name, without
                         extension and case */
    struct pose_bytes bytes;
    uint32_t width, height;
    const uint8_t (
        *pixels)[4]; /* [height][width] red, green, blue, alpha, not multiplied; the first row is v = 0 */
    bool has_alpha;  /* some pixel is not opaque */
    bool clamps;     /* is not repeated beyond its edges */
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

/* What belongs together: a suit, an appearance, a character set. extras holds what its kind has, by name. */
struct pose_character {
    const char *name;
    const char
        *type; /* "suit", "appearance", "outfit", "binding", "character_set", "parts", "part", "avatar" */
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

/* What one file decodes to. One call frees it all; size is what it weighs in a cache. */
struct pose_document {
    const char *format; /* id of the codec */
    uint32_t clip_count, skeleton_count, mesh_count, character_count, image_count;
    const struct pose_clip *clips;
    const struct pose_skeleton *skeletons;
    const struct pose_mesh *meshes;
    const struct pose_character *characters;
    const struct pose_image *images;
    uint32_t event_count; /* of a file of events alone */
    const struct pose_event *events;
    const struct pose_value *extras; /* of the file as a whole: an object, NULL when empty */
    uint32_t warning_count;          /* of the file as a whole */
    const struct pose_warning *warnings;
    size_t size;
};

/* ---------------------------------------------------------------------------------------------- decoding -- */

/* One file to be read, and the way to its companions. Everything must outlive the call only. */
struct pose_source {
    const char *name; /* its name, may hold a path; NULL when unknown */
    struct pose_bytes bytes;
    const char *format; /* forces a codec; NULL: found out */
    const char *game;   /* forces a layout, "mp1"; NULL: found out */
    /* Finds a companion by base name without regard to case, or by its path below the folder of the file ("data/walk.bin",
     * of a glTF: never with a part that is "." or ".."); false when there is none. May be NULL. */
    bool (*find)(void *user, const char *name, struct pose_bytes *bytes);
    void *user;
};

/*
 * Decodes a file. NULL on failure, with error filled in (status POSE_UNKNOWN_FORMAT when no codec knows it).
 * Free the document with pose_document_free.
 */
POSE_API struct pose_document *pose_decode(const struct pose_source *source,
                                           const struct pose_options *options, struct pose_error *error);
POSE_API void pose_document_free(struct pose_document *document);

/* Which format the bytes are of: the id of a codec or archive type, NULL when none. Reads, never allocates much. Where
 * one archive type serves several formats it is the first of them; pose_archive_format of the open archive is exact. */
POSE_API const char *pose_detect(const struct pose_source *source);

/* A kind of file that clips can be converted to, see pose_convert. Most formats are one; glTF is two. */
struct pose_target {
    const char *word;       /* what it is asked for by: "glb", else the id of the format */
    const char *format;     /* id */
    const char *extensions; /* blank-separated, with the dot; the first is what a file of it is called by */
    const char *media_type;
    const char *options; /* blank-separated: the options and settings that it takes, "fps loop" */
    const char *second;  /* such a clip is two files: the format of the second one; else NULL */
    float min_fps;       /* the lowest rate that may be asked for */
    bool is_text;
    bool on_skeleton;         /* its files hold the skeleton, or are made on it */
    bool is_scene;            /* several clips or none go into a file, and meshes with their pictures */
    bool is_game;             /* a game's own format, else one of exchange */
    const char *const *games; /* what the option "game" may be, NULL at the end; NULL: it does not take it */
};

/* All of them, formats of exchange first; the last has a NULL word. */
POSE_API const struct pose_target *pose_targets(void);
/* By its word; NULL when there is none. */
POSE_API const struct pose_target *pose_target_find(const char *word);

/* What the library can do, a row a format; the last has a NULL id. */
struct pose_format {
    const char *id;
    const char *title;
    const char *extensions; /* blank-separated, with the dot: ".anim .animatn" */
    const char *media_type;
    const char *kinds;  /* blank-separated: "clip", "clip skeleton", "archive" */
    const char *family; /* of a codec: formats of one game have the same, "sims" */
    bool can_read, can_write;
    bool lacks_up;       /* its files do not say which way is up */
    bool has_companions; /* a file may need others beside it: only then does decoding ask source->find */
    bool is_linked;      /* others of its archive say what it is called and what it is on, see pose_link */
    uint32_t target_count;
    const struct pose_target *targets; /* the kinds of its files that clips can be converted to */
    bool
        hashes_morphs; /* its clips call morphs by ids that archives have names for, see pose_archive_morph */
    bool ignores_case; /* an archive in which the game finds names whatever their case */
    bool warns_late;   /* an archive of which reading an entry may tell more than opening it */
};

POSE_API const struct pose_format *pose_formats(void);
/* The row of that id, NULL when there is none. */
POSE_API const struct pose_format *pose_format_find(const char *id);

/* ---------------------------------------------------------------------------------------------- encoding -- */

/* What is to be written; the codec takes the parts that it can hold. */
struct pose_content {
    uint32_t clip_count, skeleton_count, mesh_count, character_count;
    const struct pose_clip *clips;
    const struct pose_skeleton *skeletons;
    const struct pose_mesh *meshes;
    const struct pose_character *characters;
    uint32_t event_count; /* of a file of events alone */
    const struct pose_event *events;
    const struct pose_value *extras; /* of the file as a whole, as in struct pose_document; may be NULL */
    uint32_t image_count;
    const struct pose_image *images;
    const struct pose_value *settings; /* an object of the target's own options; NULL: the defaults */
};

/*
 * Told what there is to know of a file that is written. POSE_WARNING: a loss, something that the target cannot hold or
 * that had to be changed or guessed for it. POSE_NOTE: a remark; all that was to be written is in the file and comes back
 * from it, if need be from its extras (glTF's "unmatched_tracks" and "morphs_not_played").
 */
typedef void pose_warn(void *user, const struct pose_warning *warning);

/* Writes a file of that format. False on failure; out is then empty. Who wants nothing to be lost takes a POSE_WARNING for
 * a failure, and a POSE_NOTE for none. */
POSE_API bool pose_encode(const char *format, const struct pose_content *content,
                          const struct pose_options *options, pose_warn *warn, void *user,
                          struct pose_buffer *out, struct pose_error *error);

/* ---------------------------------------------------------------------------------------------- archives -- */

struct pose_entry {
    const char *name; /* inside the archive, "/" between parts; may repeat; never to be used as a path */
    uint64_t size;    /* unpacked */
    const char *kind; /* by the archive's type id: "clip", "skeleton", "mesh", "events", "character", "image",
                           "other";
                           NULL: the contents decide */
    const char *format;             /* by the archive's type id, NULL: the contents decide */
    const char *game;               /* by the archive, NULL when it does not say */
    const char *skipped;            /* why it cannot be read though the archive is sound ("deleted"), NULL */
    const struct pose_error *error; /* what is wrong with its row, NULL */
    const char *label;              /* the name that a table of the archive gives to its id, NULL */
    bool is_copy; /* an entry before it has the same type and id: a pak repeats what several areas need */
    bool has_id;  /* the archive knows its entries by numbers: */
    uint32_t type, group; /* (as characters for Metroid Prime: 0x414e494d is "ANIM") */
    uint64_t id;
};

/* A name that an archive gives to an id. */
struct pose_name {
    uint64_t id;
    const char *text;
};

struct pose_archive;

/*
 * Opens the directory of an archive. Nothing is unpacked, unless the archive unpacks as one stream (tar.gz, 7z, RAR):
 * that is done once, and each entry kept by itself, packed. The bytes must outlive the archive. NULL on failure.
 * The archive itself is immutable: several threads may read entries at once.
 */
POSE_API struct pose_archive *pose_archive_open(const struct pose_source *source,
                                                const struct pose_options *options, struct pose_error *error);
POSE_API void pose_archive_close(struct pose_archive *archive);
/* The id of its format, "far1a". */
POSE_API const char *pose_archive_format(const struct pose_archive *archive);
POSE_API uint32_t pose_archive_count(const struct pose_archive *archive);
/* index < count. */
POSE_API const struct pose_entry *pose_archive_entry(const struct pose_archive *archive, uint32_t index);
POSE_API uint32_t pose_archive_warning_count(const struct pose_archive *archive);
POSE_API const struct pose_warning *pose_archive_warning(const struct pose_archive *archive, uint32_t index);
/* The names of all ids that the archive has names for, whether of its entries or not, sorted by id. */
POSE_API uint32_t pose_archive_name_count(const struct pose_archive *archive);
POSE_API const struct pose_name *pose_archive_names(const struct pose_archive *archive);
/* Whether the name of that index is that of a morph, and the id by which clips call it. */
POSE_API bool pose_archive_morph(const struct pose_archive *archive, uint32_t index, uint32_t *id);
/* Whether it unpacked as one stream, so that its being open costs the memory of its entries. */
POSE_API bool pose_archive_is_stream(const struct pose_archive *archive);
/*
 * The bytes of an entry, unpacked. Where they lie plainly in the archive, out->data points into it and capacity
 * is 0; pose_buffer_free is right for both. False on failure; out is then empty.
 */
POSE_API bool pose_archive_read(const struct pose_archive *archive, uint32_t index, struct pose_buffer *out,
                                struct pose_error *error);

/* The same, and tells what is off though the bytes could be had ("no_stop_code"). warn may be NULL. */
POSE_API bool pose_archive_read_warn(const struct pose_archive *archive, uint32_t index, pose_warn *warn,
                                     void *user, struct pose_buffer *out, struct pose_error *error);

/* A pass over an archive. */
struct pose_pass {
    /* Which entries are to be unpacked; NULL: all. */
    bool (*wants)(void *user, uint32_t index);
    /*
     * One wanted entry, in order. error is NULL, or says why there are no bytes (also for an entry that is skipped or
     * has an error). bytes are freed after the visit; to keep them take the buffer and set *bytes to zero. False
     * ends the pass.
     */
    bool (*visit)(void *user, uint32_t index, struct pose_buffer *bytes, const struct pose_error *error);
    pose_warn *warn; /* about the entry that is visited next; may be NULL */
    void *user;
};

/* Reads every wanted entry. False when a visit ended it. */
POSE_API bool pose_archive_each(const struct pose_archive *archive, const struct pose_pass *pass);

/* A file to be packed. */
struct pose_pack_item {
    const char *name;
    struct pose_bytes bytes;
};

/*
 * Writes an archive of that format ("far1a", "far1b", "far3", "dbpf", "prime-pak", "zip"); the same items give the
 * same bytes. Settings: "compress" is "none" or a method: far3 "refpack", dbpf "refpack" or "zlib", zip "deflate",
 * prime-pak "default"; what does not get smaller is stored as it is. "game" of a prime-pak is "mp1" or "mp2".
 * Ids come from the names where these hold them: far3 "name.FFFFFFFFTTTTTTTT.anim", dbpf
 * "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII_name", prime-pak "IIIIIIII_NAME.TYPE"; else they are made: "name.clip" and
 * "name.rig" of dbpf have the game's own. dbpf adds a map of the names.
 */
POSE_API bool pose_pack(const char *format, const struct pose_pack_item *items, uint32_t count,
                        const struct pose_value *settings, const struct pose_options *options,
                        struct pose_buffer *out, struct pose_error *error);

/* ---------------------------------------------------------------------------------------------- sampling -- */

/*
 * A clip compiled for fast sampling, on a skeleton or alone, in the axes asked for. It points into the clip and
 * the skeleton, which must outlive it. Immutable: any number of threads may sample at once.
 */
struct pose_sampler;

/* One row of a pose. Without a skeleton there is a row for each track that drives a transform. */
struct pose_row {
    const char *name;
    bool has_id;
    uint32_t id;
    int32_t parent; /* -1 for a root, and without a skeleton */
    bool driven;    /* by a track, also by one that only POSE_MOTION plays */
    bool has[3];    /* translation, rotation, scale: driven, or given by the skeleton */
    bool moves[3];  /* has more than one key: differs from time to time (root motion aside) */
};

struct pose_morph {
    const char *name; /* NULL: known by id only */
    bool has_id;
    uint32_t id;
};

/* skeleton NULL: tracks as they are. NULL on failure. */
POSE_API struct pose_sampler *pose_sampler_new(const struct pose_clip *clip,
                                               const struct pose_skeleton *skeleton, enum pose_axes axes,
                                               const struct pose_options *options, struct pose_error *error);
POSE_API void pose_sampler_free(struct pose_sampler *sampler);
POSE_API size_t pose_sampler_size(const struct pose_sampler *sampler);
POSE_API uint32_t pose_sampler_row_count(const struct pose_sampler *sampler);
POSE_API const struct pose_row *pose_sampler_rows(const struct pose_sampler *sampler);
POSE_API uint32_t pose_sampler_morph_count(const struct pose_sampler *sampler);
POSE_API const struct pose_morph *pose_sampler_morphs(const struct pose_sampler *sampler);
/* Tracks that the skeleton does not know: their indices in the clip. */
POSE_API uint32_t pose_sampler_unmatched_count(const struct pose_sampler *sampler);
POSE_API const uint32_t *pose_sampler_unmatched(const struct pose_sampler *sampler);

enum pose_wrap {
    POSE_CLAMP, /* t is held in [0, duration] */
    POSE_WRAP,  /* the engine's loop clock */
};

enum {
    POSE_IN_PLACE = 0,
    /* Adds the clip's root motion; acts on a skeleton only. Prime's root channel, or The Sims' distance, which with
     * POSE_WRAP goes on from run to run. */
    POSE_MOTION = 1,
};

/*
 * The local pose at t (seconds, finite): row_count rows of 10 floats, translation, rotation xyzw, scale, in the
 * sampler's axes; what nothing drives and no skeleton gives is the identity. morphs takes morph_count weights and
 * may be NULL. Allocates nothing. O(log n) in the keys.
 */
POSE_API void pose_sample(const struct pose_sampler *sampler, double t, enum pose_wrap wrap, unsigned flags,
                          float *rows, float *morphs);

/*
 * Local rows (10 floats each, as from pose_sample) to model space: row_count matrices of 16 floats, column-major,
 * of column vectors. Needs a sampler with a skeleton.
 */
POSE_API void pose_model(const struct pose_sampler *sampler, const float *rows, float *matrices);

/* Rows of one skeleton that take part in a blend. */
struct pose_layer {
    const float *rows;    /* [row_count][10], as from pose_sample */
    float weight;         /* >= 0, finite */
    const float *factors; /* [row_count], >= 0, finite: multiply weight; NULL: all are 1 */
};

/*
 * Blends layers row by row into rows (not one of the layers'). In each row the weights are divided by their sum;
 * translations and scales are averaged, rotations normalised sums on the shorter arc from the heaviest one. A row on
 * which no layer has weight is left as it was, so fill in the rest first. Allocates nothing.
 */
POSE_API void pose_mix(const struct pose_layer *layers, uint32_t layer_count, uint32_t row_count,
                       float *rows);

/* ------------------------------------------------------------------------------------ mixing of Second Life -- */

enum {
    POSE_SL_LAYERS = 16, /* of one mix, at most */
    POSE_SL_MORPHS = 24, /* that a moment has, at most */
    POSE_SL_STACK = 6,   /* layers that one joint takes, at most */
};

/* A clip with its commands, as an avatar is given them. Times are in the scene's seconds. */
struct pose_sl_layer {
    const struct pose_clip *clip; /* one of Second Life's; the same pointer is the same clip */
    double start, offset;         /* >= 0; offset: how far into the clip it starts */
    double stop;                  /* >= start; INFINITY: it is never told to stop */
    bool immediate;               /* the stop removes it at once, without its ease-out */
    bool additive;                /* adds to what is below it, as the viewer's own motions do */
    int priority;                 /* 0 to 6 for all of its joints; -1: the clip's own */
    const bool *joints;           /* [joint_count] of the skeleton, those that it may drive; NULL: all */
};

struct pose_sl_mix_options {
    bool
        avatar_base; /* an avatar's pelvis goes home beneath all layers; animated objects have no such thing */
    bool rest_undriven; /* what nothing drives goes back to rest at once; else it keeps its last value */
};

/*
 * What the viewer makes of the layers: instances, weights, stacks of priorities, hands and faces. It points into the
 * clips and the skeleton, which must outlive it. Immutable: any number of threads may sample at once. The viewer steps
 * from frame to frame; this is its limit for short frames. NULL on failure ("bad_layer", or memory is out).
 */
struct pose_sl_mix;

POSE_API struct pose_sl_mix *pose_sl_mix_new(const struct pose_sl_layer *layers, uint32_t count,
                                             const struct pose_skeleton *skeleton,
                                             const struct pose_sl_mix_options *how,
                                             const struct pose_options *options, struct pose_error *error);
POSE_API void pose_sl_mix_free(struct pose_sl_mix *mix);
/* The end of the last layer that ends; 0 when none does. */
POSE_API double pose_sl_mix_end(const struct pose_sl_mix *mix);
/* The times at which a weight begins to change or stops changing, ascending. */
POSE_API uint32_t pose_sl_mix_moments(const struct pose_sl_mix *mix, const double **moments);

/* Bytes that pose_sl_mix_sample needs meanwhile. */
POSE_API size_t pose_sl_mix_scratch(const struct pose_sl_mix *mix);
/* The local pose at t (seconds, finite, >= 0): joint_count rows of 10 floats in the skeleton's own axes. scratch holds
 * pose_sl_mix_scratch bytes, aligned for doubles. Allocates nothing. */
POSE_API void pose_sl_mix_sample(const struct pose_sl_mix *mix, double t, float *rows, void *scratch);

struct pose_sl_morph {
    const char *name; /* static */
    float weight;     /* 0 to 1 */
};

/* Hands and faces at t: how many of [POSE_SL_MORPHS] there are. */
POSE_API uint32_t pose_sl_mix_morphs(const struct pose_sl_mix *mix, double t, struct pose_sl_morph *morphs);

/* One playing of a layer's clip. */
struct pose_sl_playing {
    uint32_t layer;
    double weight, playhead; /* playhead: the clip's time, seconds */
};

/* What plays at t, the oldest first: how many of [POSE_SL_LAYERS] there are. */
POSE_API uint32_t pose_sl_mix_playing(const struct pose_sl_mix *mix, double t,
                                      struct pose_sl_playing *playing);

/* One of the states of a joint. */
struct pose_sl_share {
    int32_t layer; /* -1: the avatar's base */
    int32_t priority;
    double weight;
    double shares[2]; /* of the result's translation and rotation, 0 to 1; -1: it does not drive it */
};

/* Who makes a joint's value at t, best first: how many of [POSE_SL_STACK] there are. held tells of translation and
 * rotation whether they keep the value that they had when something drove them last. */
POSE_API uint32_t pose_sl_mix_explain(const struct pose_sl_mix *mix, double t, uint32_t joint,
                                      struct pose_sl_share *shares, bool held[2]);

/* How many of the clip's tracks the skeleton knows, by name, alias or id; 0 when memory is out. */
POSE_API uint32_t pose_skeleton_match(const struct pose_skeleton *skeleton, const struct pose_clip *clip);

/* A clip, mesh or character as the naming of its family knows it. */
struct pose_naming {
    const char *format; /* of its document, or the clip's origin; NULL: not known */
    const char *kind;   /* "clip", "mesh", "character" */
    const char *name;   /* NULL: it has none */
    const char *file;   /* its file's or entry's, which may hold the key of a package; NULL: not known */
    const char *actor;  /* that a clip says it is of, "x" (The Sims 3); NULL: it does not say */
};

/*
 * Whether the game's own naming makes it belong to the skeleton of that name: a clip of The Sims called "a2o-walk" to
 * "adult", clothes "b001uc" to "child", a clip of The Sims 3 called "c2o_sit_x" to "cuRig". Of formats that have no
 * naming of their own the naming of any game is believed. Either name may be NULL: false.
 */
POSE_API bool pose_made_for(const struct pose_naming *what, const char *skeleton);

/* A joint's rest in the axes asked for: 10 floats, the rotation at unit length. */
POSE_API void pose_joint_rest(const struct pose_skeleton *skeleton, uint32_t joint, enum pose_axes axes,
                              float rest[10]);
/* Stored values of a part (not a morph) from the axes of a file to others, in place: [count][3 | 4 | 3]. */
POSE_API void pose_convert_axes(enum pose_part part, float *values, size_t count, enum pose_axes from,
                                enum pose_axes to);

/* ------------------------------------------------------------------------------------------- deformation -- */

/*
 * A mesh resolved against a skeleton, in the axes asked for: which joint moves which vertices. It points into the
 * mesh, which must outlive it; the skeleton need not. Immutable: any number of threads may deform at once.
 */
struct pose_skin;

/*
 * Bones find their joint by name, case-sensitively first, then without case; Prime's and The Sims 3's by id first.
 * skeleton NULL: no bone is known, and all vertices stay as they are stored. Influences are cleaned: those of a weight of
 * at most 1e-6 or of no bone are dropped, equal ones are added up, and their sum made 1. NULL on failure.
 */
POSE_API struct pose_skin *pose_skin_new(const struct pose_mesh *mesh, const struct pose_skeleton *skeleton,
                                         enum pose_axes axes, const struct pose_options *options,
                                         struct pose_error *error);
POSE_API void pose_skin_free(struct pose_skin *skin);
POSE_API size_t pose_skin_size(const struct pose_skin *skin);
/* Bones that the skeleton lacks: their indices in the mesh. Their vertices stay as stored. */
POSE_API uint32_t pose_skin_missing_count(const struct pose_skin *skin);
POSE_API const uint32_t *pose_skin_missing(const struct pose_skin *skin);
/* [face_count], wound as the axes want it: as stored in the mesh's own, counter-clockwise seen from outside in
 * right-handed ones. */
POSE_API const uint32_t (*pose_skin_faces(const struct pose_skin *skin))[3];
/*
 * The joints that move each drawn vertex, for targets that know weights alone: [real_count][4] each, the heaviest
 * first, weights ending with zeros and summing up to 1 (to 0 where nothing moves it). In the space of bones an
 * approximation on any pose but the one whose deformed vertices it is used with, since a blended vertex has a place of its
 * own. In the space of the model exact; there a bone that the skeleton lacks is the joint number joint_count of the
 * skeleton, which never moves.
 */
POSE_API void pose_skin_weights(const struct pose_skin *skin, uint32_t (*joints)[4], float (*weights)[4]);

/*
 * Of a mesh in the space of the model: its vertices in the bind pose and the skin's axes, [real_count][3] each (a mesh
 * without normals has them across its faces), and the matrix of each bone that leads there from the joint's space
 * inverted, [bone_count][16]. NULL in the space of bones.
 */
POSE_API const float (*pose_skin_positions(const struct pose_skin *skin))[3];
POSE_API const float (*pose_skin_normals(const struct pose_skin *skin))[3];
POSE_API const float (*pose_skin_inverse_binds(const struct pose_skin *skin))[16];
/* The joint of a bone, -1 when the skeleton lacks it. */
POSE_API int64_t pose_skin_joint(const struct pose_skin *skin, uint32_t bone);

/* Bytes that pose_deform needs meanwhile. */
POSE_API size_t pose_deform_scratch(const struct pose_skin *skin);
/*
 * The drawn vertices on a pose: matrices as pose_model writes them, one a joint of the skin's skeleton, and in the skin's
 * axes. positions and normals: [real_count][3] in the same axes and units. In the space of bones a normal is unit length
 * where vertices were blended, elsewhere as long as it is stored (3 in FreeSO's meshes), and one shorter than 1e-6 becomes
 * (0, 1, 0); in that of the model all are unit length, and one too short to tell is as it is stored. scratch holds
 * pose_deform_scratch bytes, aligned for floats. Allocates nothing.
 */
POSE_API void pose_deform(const struct pose_skin *skin, const float *matrices, float (*positions)[3],
                          float (*normals)[3], void *scratch);
/* The same with morph targets mixed in first: morph_weights is [morph_count] of the mesh; NULL: their own weights. */
POSE_API void pose_deform_morphed(const struct pose_skin *skin, const float *matrices,
                                  const float *morph_weights, float (*positions)[3], float (*normals)[3],
                                  void *scratch);

/* ------------------------------------------------------------------------------------------------- images -- */

/* Decodes the bytes of a picture of any format that is read (pose_decode), or takes its pixels, and appends it as a PNG:
 * 8 bits, with an alpha channel where it has one. False on failure. */
POSE_API bool pose_image_png(const struct pose_image *image, struct pose_buffer *out,
                             struct pose_error *error);

/* ------------------------------------------------------------------------------------------------ people -- */

/*
 * Whether a skeleton is a person's, and which of its joints is which bone. Bones have the names of VRM 1.0 ("hips",
 * "leftUpperArm"); "root" is the joint above the hips that carries the figure. It points into the skeleton, which must
 * outlive it. Immutable: any number of threads may use it at once.
 */
struct pose_humanoid;

/* How a bone was found. */
enum pose_bone_how {
    POSE_BONE_TABLE, /* the table of a family of skeletons has the joint's name */
    POSE_BONE_WORD,  /* its name has the bone's word */
    POSE_BONE_TREE,  /* it hangs where the bone hangs */
    POSE_BONE_USER,  /* the caller says so */
};

struct pose_bone {
    const char *name;
    uint32_t joint;
    enum pose_bone_how how;
};

/* What the caller knows better: a joint's own name or alias, and its bone; bone NULL: it is none. */
struct pose_bone_map {
    const char *joint;
    const char *bone;
};

/* Lengths in metres, angles in degrees; the left side first. */
struct pose_humanoid_report {
    const char *family; /* whose names they are, "sims"; NULL: nobody's that is known */
    double quality;     /* 1 when every bone that is needed was found by table or caller */
    uint32_t required;  /* how many of the 15 bones that a person needs were found */
    uint32_t bone_count;
    const struct pose_bone *bones;
    uint32_t missing_count;
    const char *const *missing; /* of the bones that are needed */
    uint32_t carrier;           /* the joint that carries the figure */
    double hip_height, mean_ankle, ankle_height, ground;
    double arm_alignment[2]; /* how far the arms of the reference pose are off a T-pose */
    double leg_lean[2];      /* and the legs off the vertical */
    uint32_t spine_count, neck_count;
    const double *spine,
        *neck; /* where their joints lie along them, 0 to 1; the neck's with the head, neck_count + 1 */
};

/*
 * NULL on failure: "not_humanoid" (POSE_BAD_DATA) says why the skeleton is no person's; "unknown_joint", "unknown_bone",
 * "two_joints" (POSE_BAD_ARGUMENT) what is wrong with the map.
 */
POSE_API struct pose_humanoid *pose_humanoid_new(const struct pose_skeleton *skeleton,
                                                 const struct pose_bone_map *map, uint32_t map_count,
                                                 const struct pose_options *options,
                                                 struct pose_error *error);
POSE_API void pose_humanoid_free(struct pose_humanoid *humanoid);
POSE_API const struct pose_humanoid_report *pose_humanoid_report(const struct pose_humanoid *humanoid);
/* Whether there is a bone of that name. */
POSE_API bool pose_is_bone(const char *name);

/*
 * A clip of one person carried over to another: every bone of the target takes the attitude in space that it has in the
 * source; hips and feet are brought to the target's size. Points into the clip and both humanoids, which must outlive
 * it. Immutable.
 */
struct pose_retarget;

enum {
    POSE_RETARGET_FEET = 1, /* feet that stand in the source stand in the target: legs are bent for it */
    POSE_RETARGET_REMOVE_TRAVEL = 2, /* takes out the straight way from the first to the last moment */
    POSE_RETARGET_FACE_FORWARD = 4,  /* the figure faces forward at the first moment */
};

/* A joint of the source that moves one of the target, though neither is a bone: tails, wings. */
struct pose_joint_pair {
    const char *source, *target;
};

struct pose_retarget_options {
    unsigned flags;
    const struct pose_joint_pair *pairs;
    uint32_t pair_count;
    enum pose_axes axes; /* of the rows that are sampled */
};

/* NULL on failure: "unknown_joint", "two_joints" of the pairs. */
POSE_API struct pose_retarget *
pose_retarget_new(const struct pose_clip *clip, const struct pose_humanoid *source,
                  const struct pose_humanoid *target, const struct pose_retarget_options *wishes,
                  const struct pose_options *options, struct pose_error *error);
POSE_API void pose_retarget_free(struct pose_retarget *retarget);
POSE_API size_t pose_retarget_size(const struct pose_retarget *retarget);
/* A sampler of it, which lives as long as it does: pose_sample gives the target's pose, in the axes asked for, with the
 * source's clock. */
POSE_API const struct pose_sampler *pose_retarget_rows(const struct pose_retarget *retarget);
/* Bytes that pose_retarget_sample needs meanwhile. */
POSE_API size_t pose_retarget_scratch(const struct pose_retarget *retarget);
/*
 * The target's local pose at t: a row of 10 floats a joint of its skeleton, as pose_sample has them. What is not driven
 * keeps its rest. wrap and flags as in pose_sample, of the source. scratch: aligned for doubles. Allocates nothing.
 */
POSE_API void pose_retarget_sample(const struct pose_retarget *retarget, double t, enum pose_wrap wrap,
                                   unsigned flags, float *rows, void *scratch);

/* What is to be known of it without sampling. */
struct pose_retarget_report {
    double scale;   /* of ways in space, from source to target */
    double heading; /* of the hips at the first moment, radians; 0 when the clip does not turn them */
    uint32_t driven_count;
    const char *const *driven; /* bones of the target, or joints of pairs */
    uint32_t ignored_count;
    const char *const
        *ignored;     /* joints of the source that the clip turns and that are no bone that takes part */
    bool feet;        /* legs are bent for the feet */
    double travel[3]; /* what POSE_RETARGET_REMOVE_TRAVEL took out, in the target's metres, glTF's axes */
    uint32_t warning_count;
    const struct pose_warning *warnings;
};
POSE_API const struct pose_retarget_report *pose_retarget_report(const struct pose_retarget *retarget);

/* How well it fits, over at most that many moments of the clip. Degrees and metres. */
struct pose_retarget_measures {
    double limbs_mean, limbs_max;        /* upper and lower arms and legs against the source's, in space */
    double arms_max;                     /* of the arms alone */
    double head, hips;                   /* the worst */
    double lowest_source, lowest_target; /* lowest point of the feet over the ground; the source's scaled */
    double skate_mean, skate_max;        /* how far standing feet wander that stand in the source */
    double reach;                        /* the worst that a standing foot is off its place */
};
/* False when memory is out. */
POSE_API bool pose_retarget_measure(const struct pose_retarget *retarget, uint32_t moments,
                                    struct pose_retarget_measures *measures);

struct pose_retarget_baking {
    const char
        *to; /* the format that the clip is for: its engine's clock and interpolation; NULL: keyed, slerp */
    double fps; /* 0: the clip's own, else 30 */
    double
        tolerance; /* degrees; keys go that the engine gives back within it, and within a hundredth of it in metres */
    bool loops;     /* the end of a clip of The Sims is its start */
    unsigned flags; /* of pose_sample */
};
/* A clip of the target's joints, which every encoder takes: with the target's skeleton, fps 0, and a "format" of rules
 * that say how keys lie. Warnings as in pose_retarget_report and "retarget_reach". Freed with pose_document_free. */
POSE_API struct pose_document *pose_retarget_bake(const struct pose_retarget *retarget,
                                                  const struct pose_retarget_baking *baking,
                                                  const struct pose_options *options, pose_warn *warn,
                                                  void *user, struct pose_error *error);

/* ------------------------------------------------------------------------------------------- conversions -- */

/* A joint as the clip has it, and the name that it shall get. from may be "joint_ID" for one known by id alone. */
struct pose_rename {
    const char *from, *to;
};

/* A clip that takes part in a conversion. */
struct pose_conversion_clip {
    const struct pose_clip *clip;
    const char *from; /* format of the clip's document; NULL: as far as the clip itself tells */
    const char *name; /* for a clip without an inner name, may be NULL */
};

/* What is to become one file. Everything must outlive the call only. */
struct pose_conversion {
    const char *to; /* the target: its word, or the id of a format of clips that can be written */
    uint32_t clip_count;
    const struct pose_conversion_clip *clips;
    /* The skeleton that the clips play on, NULL: none. It says where Second Life's pelvis rests, which ids the joints of
     * Prime have, and how a joint rests of which the target wants more than the clip drives. */
    const struct pose_skeleton *skeleton;
    uint32_t mesh_count; /* for targets that are a scene, as the images that the meshes name */
    const struct pose_mesh *meshes;
    uint32_t image_count;
    const struct pose_image *images;
    float
        fps; /* keys on every frame of that rate; 0: the clip's own keys as far as the target can hold them */
    const struct pose_rename *renames; /* nothing is renamed that is not in here */
    uint32_t rename_count;
    const struct pose_value *settings; /* an object of the target's own options, below; NULL: the defaults */
    const char *
        second_name; /* what the second file of a pair is called, without extension; NULL: as the clip does */
};

/*
 * Makes of any clips what the target can hold: axes and units, names or ids, the engine's clock and interpolation, events
 * and extras. The document is of the format `to`, holds those clips, and is freed with pose_document_free; they are for
 * pose_encode with the same settings. Where the target's files hold them, the skeleton and the meshes are in it, too, under
 * their new names; they point into what was given. NULL on failure. Joints keep their local transforms: nothing is fitted
 * to other proportions.
 *
 * Extras and what belongs to them are kept when the clip is of the target's family (its origin, else `from`, else its
 * rules say), and dropped else. A clip whose rules are the target's keeps its keys untouched; of the same format and
 * without renames it is the same clip. Other keys are kept where the target has a place for them, and more are put
 * between them until the pose is off by no more than 1e-4 rad and 0.1 mm on every joint, as far as the target's frames
 * allow; what is left is said ("keys_off_frames").
 *
 *     gltf, bvh, json  the clip as it is; fps is left to the encoders of gltf and bvh. Settings of bvh: unit ["m"]
 *     sl-anim          keys at their own times; of foreign clips pose_convert drops what the viewer's interpolation
 *                      gives back within 0.05 degrees and 0.5 mm (setting reduce). mPelvis' translation is taken off its
 *                      rest. A clip of which nothing is left becomes one that moves nothing, with the warning "no_keys".
 *                      Settings: priority [the clip's, 2], loop [the clip's, false], ease_in, ease_out [the
 *                      clip's, 0.3 s], reduce. A clip that was read from BVH becomes what the viewer's upload of the
 *                      file would be, and is refused where the viewer would refuse it
 *     tso-anim, sims1-cmx, sims1-bcf, sims1-cfp
 *                      even frames, 30 a second or as many as the clip of The Sims had. A foreign clip that does not loop becomes a frame longer,
 *                      which holds its last pose. Settings: loop (whether the end leads to the start) [the clip's],
 *                      distance (in feet) [the clip's, 0]
 *     sims3-clip       keys on frames of 1/30 s (the clip's own, or 1 / fps); the duration becomes whole frames.
 *                      Settings: actor ["x"], source_name [""]
 *     prime-anim       keys of all joints on the same frames, of 1 / fps, the clip's interval or rate, else of a usual
 *                      rate that has all its keys on frames, else 1/30 s; without fps stretched so that the duration is
 *                      whole. Settings:
 *                      game "mp1", "mp2" or "mp2demo" [the clip's, "mp1"], version 0 or 2 [the clip's, 2], loop [the clip's,
 *                      false], root_bone_id [the clip's, 3 in mp1, else 0], evnt [the clip's, 0]
 *
 * Warnings: "scale_dropped", "morph_dropped", "events_dropped", "extras_dropped", "loop_dropped", "loop_range_dropped",
 * "unnamed_track", "unknown_bone", "joint_twice", "rename_unused", "pelvis_without_rest", "keys_off_frames",
 * "duration_changed", "rest_unknown". Errors: "unknown_format", "bad_setting", "bad_fps", "not_finite", "unsorted_keys",
 * "bad_duration", "too_long", the limits "keys" and memory.
 */
POSE_API struct pose_document *pose_bake(const struct pose_conversion *conversion,
                                         const struct pose_options *options, pose_warn *warn, void *user,
                                         struct pose_error *error);

/* Of a target that is a pair, pose_target.second, the second file and its name without extension, as the first one refers to
 * it: from the clip, so not to be used as a path as it is. */
enum { POSE_SECOND_NAME = 256 };
struct pose_second_file {
    struct pose_buffer bytes;
    char name[POSE_SECOND_NAME];
};

/*
 * pose_bake, then pose_encode. second is filled in when the target is a pair, and may be NULL when it is not. False on
 * failure; out (and the second file's bytes) are then empty. Errors beyond those of the two: "one_clip" when the target is
 * no scene and there are none or several.
 */
POSE_API bool pose_convert(const struct pose_conversion *conversion, const struct pose_options *options,
                           pose_warn *warn, void *user, struct pose_buffer *out,
                           struct pose_second_file *second, struct pose_error *error);
/* What the second file of a clip in a pair is called if nobody says otherwise. name: for a clip without an inner one. */
POSE_API void pose_second_name(const struct pose_target *target, const struct pose_clip *clip,
                               const char *name, char text[POSE_SECOND_NAME]);

/* ------------------------------------------------------------------------------------------------- lints -- */

/*
 * What a modder should know of a sound file beyond the warnings of decoding it, a finding of each code an asset at
 * most: "name_differs" (the inner name is not the file's, in formats that want it; without case, extension and key),
 * "rotation_not_unit" (keys or rest rotations more than 0.5 % off), "normal_not_unit", "id_differs" (a Sims 3 clip whose
 * file is named by its key, see pose_sims3_key, and whose instance id is the hash of neither the name there nor its
 * own; "name_differs" is said of both names), "empty_sound" (its events of sounds without a name), "late_end" (the last
 * key or event lies more than a second before its end, and in its first half). name is the file's, may hold a path, and
 * may be NULL.
 */
POSE_API void pose_lint(const struct pose_document *document, const char *name, pose_warn *warn, void *user);
/* The same for a mesh on a skeleton: "missing_bone". */
POSE_API void pose_lint_skin(const struct pose_skin *skin, pose_warn *warn, void *user);
/*
 * The same for a clip on a skeleton; at most 64 poses are looked at, and nothing is found when memory is out.
 * "foreign_tracks": the skeleton knows fewer than half of the tracks; then only the loop is looked at further.
 * "stretched_bone": on a key a joint is farther from its parent, or nearer to it, than at rest by more than a quarter
 * and 2 cm; not said of roots and The Sims 3's helpers. "below_floor": the lowest joint that it poses goes more than 5 cm below 0
 * though the rest does not. "loop_gap": a clip that loops, or is called "..._loop", and whose pose at the loop's end is
 * off that at its start by more than 2 degrees or 1 cm on a joint; not said of a root's way over the ground, nor of
 * engines that blend the end into the start. skeleton NULL: "loop_gap" alone, of rotations.
 */
POSE_API void pose_lint_clip(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                             pose_warn *warn, void *user);

/* What a game says of a file that is to be uploaded to it. */
struct pose_verdict {
    const char *target; /* "sl-viewer" */
    bool accepted;
    const struct pose_value
        *reasons; /* why not: objects with code and message, and where it is: offset or line */
};

typedef void pose_judge(void *user, const struct pose_verdict *verdict);

/* The verdict of each game that takes such files; texts and reasons last for the call. */
POSE_API void pose_verdicts(const struct pose_document *document, pose_judge *tell, void *user);

/* -------------------------------------------------------------------------------- what belongs together -- */

/*
 * What joins the entries of one archive: each game has ways of its own to say that a clip is an animation of some
 * character, and which skeleton and events go with it. The caller keeps the facts of each document beside its entry; once
 * all entries are known pose_link tells what they say of each other. Formats of which others say something have is_linked.
 */

/* What is to be remembered of a document, as bytes that only the same version of the library reads; none when there is
 * nothing. False when memory is out; facts is then empty. */
POSE_API bool pose_facts(const struct pose_document *document, struct pose_buffer *facts);

/* An entry that could be read and is no copy of one before it; else all is NULL. */
struct pose_member {
    const char *name;
    const char *format;
    struct pose_bytes facts;
};

/* What is known of the one clip or mesh of an entry; all texts live as long as the links. */
struct pose_link {
    const char *own_name; /* by the entry's name, NULL: it says nothing */
    const char *name;     /* by those that play it, else own_name; NULL: the inner name counts */
    uint32_t name_count;
    const char *const *names; /* by all that play it, each once, in their order */
    int64_t skeleton;         /* the member that holds its skeleton, -1 */
    int64_t events;           /* the member that holds its events, -1 */
    int64_t event_set;        /* which set of several there, -1: all */
    int64_t skin;             /* the member without which a mesh is not whole, see pose_join; -1 */
};

struct pose_links;

/* NULL when memory is out. The members need not outlive the call. */
POSE_API struct pose_links *pose_link(const struct pose_member *members, uint32_t count,
                                      const struct pose_options *options, struct pose_error *error);
/* NULL when nothing is said of that member. */
POSE_API const struct pose_link *pose_link_of(const struct pose_links *links, uint32_t member);
POSE_API void pose_links_free(struct pose_links *links);

/*
 * A mesh and the other one that it is whole with: a model of Metroid Prime and its skin. The document is of that format, holds
 * the one mesh, points into both, and is freed with pose_document_free before them. NULL on failure.
 */
POSE_API struct pose_document *pose_join(const char *format, const struct pose_mesh *mesh,
                                         const struct pose_mesh *other, const struct pose_options *options,
                                         struct pose_error *error);

/* Vertices of a mesh that go with a bone in part: count of them from the first on. */
struct pose_share {
    uint64_t first, count;
    int64_t bone_id;
    float weight;
};

typedef void pose_share_visit(void *user, const struct pose_share *share);

/* The weights of a mesh of that format which are given by ranges of the vertices of another file, weighted_count of them;
 * none are told of other meshes. */
POSE_API void pose_mesh_shares(const char *format, const struct pose_mesh *mesh, pose_share_visit *tell,
                               void *user);

/* The number by which other files of the format's family call an entry ("000000A1_walk.ANIM"); false when there is none,
 * or they have another way. */
POSE_API bool pose_resource_id(const char *format, const char *entry_name, uint64_t *id);

enum pose_relation_way {
    POSE_BY_STEM,     /* the entry's base name without its extension, whatever the case */
    POSE_BY_KEY,      /* see pose_has_key */
    POSE_BY_RESOURCE, /* the entry of format and id (see pose_resource_id) of the same archive */
    POSE_BY_PLACE,    /* the character's own file: its id-th mesh, or its skeleton */
    POSE_BY_FORMAT,   /* all clips of that format in the same archive */
};

/* Something that a character names. */
struct pose_relation {
    enum pose_relation_way way;
    const char *kind;   /* of the entry: "mesh", "skeleton", "clip"; "character": its relations are meant */
    const char *wanted; /* as text; NULL: it names nothing, and hangs on a bone */
    const char *format; /* by resource or format */
    uint64_t id;
    const char *texture; /* key of what a mesh is painted with, NULL */
    const char *bone;    /* that a mesh hangs on, NULL */
    enum pose_axes axes; /* of the skeleton that has the bone */
};

/* False: that is enough. */
typedef bool pose_relate(void *user, const struct pose_relation *relation);

/* Tells what a character of that format names, in order. facts: of its document, may be none. True when it names its
 * skeleton and clips too, if it has any. */
POSE_API bool pose_relations(const char *format, const struct pose_character *character,
                             struct pose_bytes facts, pose_relate *relate, void *user);
/* Whether an entry is the one of a key as characters of that format have them. row is its row in an archive of the format
 * container, NULL: there is none. */
POSE_API bool pose_has_key(const char *format, const char *key, const char *entry_name, const char *container,
                           const struct pose_entry *row);

/* ------------------------------------------------------------------------------------------ shipped data -- */

/* Self-made skeletons so that a lone clip moves: index 0 … until NULL. Free the document as any other. */
POSE_API const char *pose_stand_in_name(unsigned index);
POSE_API struct pose_document *pose_stand_in(unsigned index, const struct pose_options *options,
                                             struct pose_error *error);

/* -------------------------------------------------------------------------------------- names of The Sims 3 -- */

enum { POSE_SIMS3_NAME = 256 };

/* How The Sims 3 calls things by their names. */
struct pose_sims3_name {
    uint32_t fnv32;      /* FNV-1 of bones, slots, actors and props */
    uint64_t fnv64;      /* of effects and most resources; its low half of morphs */
    uint64_t clip_id;    /* instance id of a clip of that name, its actors' ages xored in */
    uint32_t clip_group; /* that such clips are in; advice only */
    char generic
        [POSE_SIMS3_NAME]; /* the clip that the game falls back to, the same name when it is one; cut */
};

/* name: any bytes; case of ASCII letters does not matter. */
POSE_API void pose_sims3_hash(const char *name, struct pose_sims3_name *hashes);

/* One that takes part in a clip. */
struct pose_sims3_actor {
    char code[3];        /* as in names: "a", "ad" */
    const char *age;     /* "adult", "kitten"; NULL of objects and of codes that nobody has explained */
    const char *species; /* "human", "little dog", "object"; NULL of the latter */
};

/*
 * Who the clip of that instance id is for, when it is the named one or another age's variant of it ("ad2c_hug_x" of
 * "a2a_hug_x"): how many actors, 1 or 2, and in variant the name that has the id. 0 when the id is of another clip, or
 * the name names no actors.
 */
POSE_API unsigned pose_sims3_actors(const char *name, uint64_t id, struct pose_sims3_actor actors[2],
                                    char variant[POSE_SIMS3_NAME]);

/* What the name of a file or entry says of the resource in it. */
struct pose_sims3_key {
    uint32_t type, group;
    uint64_t instance;
    const char *name; /* within what was given, without tags of tools; NULL: none */
    size_t name_length;
};

/* Reads names like "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII_name" and "S3_TTTTTTTT_GGGGGGGG_IIIIIIIIIIIIIIII_name%%+CLIP.animation"
 * (their base name); false when it is none. */
POSE_API bool pose_sims3_key(const char *file, struct pose_sims3_key *key);

/* A name of that id is looked for. Zero-initialise but for the id. */
struct pose_sims3_search {
    uint64_t id;                /* FNV-32, FNV-64 or a clip's instance id */
    char name[POSE_SIMS3_NAME]; /* what was found */
    char derived
        [POSE_SIMS3_NAME]; /* the first name tried of which it is another age's variant, with the ages put in */
};

/* Whether the name has the id: then it is kept. */
POSE_API bool pose_sims3_try(struct pose_sims3_search *search, const char *name);
/* The same of the name in a file's key; of the inner name of an asset of that format, unless it is another game's; and of
 * the names that an archive gives to ids: one may call a thing what it likes, and is believed for that very id. */
POSE_API bool pose_sims3_try_file(struct pose_sims3_search *search, const char *file);
POSE_API bool pose_sims3_try_asset(struct pose_sims3_search *search, const char *format, const char *name);
POSE_API bool pose_sims3_try_names(struct pose_sims3_search *search, const struct pose_archive *archive);
/* Whether a file is the clip of that id: by its key, else by the inner name of its clip (NULL: none). */
POSE_API bool pose_sims3_is_clip(const char *format, const char *file, const char *name, uint64_t id);

/* The known bone whose name has that FNV-32; NULL when it is none. */
POSE_API const char *pose_sims3_bone(uint32_t hash);
/* The known morph whose name's FNV-64 ends with these 32 bits. */
POSE_API const char *pose_sims3_morph(uint32_t hash);

/* ------------------------------------------------------------------------------------- numbers and JSON -- */

enum { POSE_FLOAT_TEXT = 16 };
/*
 * Writes the shortest decimal that reads back as the same 32-bit float (JSON syntax; -0 is "-0"), without a NUL;
 * returns its length, at most POSE_FLOAT_TEXT. value must be finite.
 */
POSE_API size_t pose_float_text(float value, char *text);

/* Appends to a buffer, growing it; false when memory is out (the buffer keeps what it had). */
POSE_API bool pose_buffer_append(struct pose_buffer *buffer, const void *bytes, size_t size);
/* A JSON string with its quotes; what is not UTF-8 becomes U+FFFD. NULL: null. */
POSE_API bool pose_json_string(struct pose_buffer *buffer, const char *text);
/* A tree as JSON. NULL: null. */
POSE_API bool pose_json_value(struct pose_buffer *buffer, const struct pose_value *value);

/* Parts of a clip JSON, in this order. */
enum {
    POSE_JSON_TIMING = 1, /* "duration" … "key_count" */
    POSE_JSON_NOTES = 2,  /* "warnings", "extras" */
    POSE_JSON_KEYS =
        4, /* "event_count", "axes", "rules", "joints" with every key, the own "skeleton", "events" */
    POSE_JSON_ALL = 7,
};

struct pose_clip_json {
    const struct pose_clip *clip;
    const struct pose_document
        *document; /* whose warnings are told as well, and the clip's skeleton; NULL: none */
    bool gltf;     /* keys in glTF's axes and metres; else as they are stored */
    unsigned parts;
};

/* Appends those members of a clip's JSON, without braces and without a comma before or behind; what pose_encode writes as
 * "json" is all of them behind "name" and "format". False when memory is out. */
POSE_API bool pose_json_clip(struct pose_buffer *buffer, const struct pose_clip_json *what);

/* Whether the name of a file or entry says where its game has filed a clip of that format. */
POSE_API bool pose_is_filed(const char *format, const char *file);
/*
 * Appends what the game knows of a clip of that format by its name and by the name of a file that it is filed under (NULL:
 * none), as members without braces; nothing where names say nothing. False when memory is out.
 */
POSE_API bool pose_json_names(struct pose_buffer *buffer, const char *format, const char *name,
                              const char *file);

#ifdef __cplusplus
}
#endif

#endif
