/*
 * libpose: decodes, samples, converts and encodes animation files held in memory.
 *
 * No file access, no threads, no mutable globals, no log. Decoded data is immutable once it is returned, so any
 * thread may read it. All text is NUL-terminated UTF-8; a pointer is NULL when there is nothing.
 *
 * Units: seconds, radians, the file's own unit of length. Rotations are [x, y, z, w]. Values are native, as the
 * file stores them once dequantised; samplers convert axes and units on request (enum pose_axes).
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
/* The decoder's revision: changes whenever any decoded or sampled value changes. Part of every ETag. */
POSE_API unsigned pose_revision(void);

/* ------------------------------------------------------------------------------------------------ errors -- */

enum pose_status {
    POSE_OK,
    POSE_BAD_DATA,       /* known format, but broken */
    POSE_UNKNOWN_FORMAT, /* not a known format */
    POSE_UNSUPPORTED,    /* known, but this variant is not supported: see code */
    POSE_OVER_LIMIT,     /* exceeds the limit named in limit */
    POSE_BAD_ARGUMENT,   /* invalid argument */
    POSE_NO_MEMORY,
    POSE_STOPPED, /* the caller's struct pose_stop asked to stop */
};

#define POSE_NO_OFFSET UINT64_MAX

/* Owned by the caller; only the first error is kept. Zero-initialise, or call pose_error_init. */
struct pose_error {
    enum pose_status status;
    uint64_t offset;  /* byte in the file, or in the companion named in field; POSE_NO_OFFSET: none */
    uint32_t line;    /* from 1; 0 when the format is not text */
    char code[40];    /* "truncated" */
    char field[120];  /* "joints[3].rot_keys", or a JSON pointer; "" when there is none */
    char limit[24];   /* name of the limit, "" when none was hit */
    char detail[320]; /* one human-readable line, with place and reason */
};

POSE_API void pose_error_init(struct pose_error *error);

/* ------------------------------------------------------------------------------------- memory and limits -- */

/* Where libpose gets memory from. alloc returns memory aligned for any type, or NULL. */
struct pose_allocator {
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *memory);
    void *user;
};

/* Checked before anything is allocated. 0 means the default, given in brackets. */
struct pose_limits {
    size_t memory;    /* bytes held by one document or archive [1 GiB] */
    uint32_t joints;  /* of one clip or skeleton [65536] */
    uint64_t keys;    /* of one document, all channels together [4 million] */
    uint32_t entries; /* of one archive [100000] */
    uint64_t
        unpacked;   /* bytes of one entry, or of an archive that unpacks as one stream (tar.gz) [256 MiB] */
    uint32_t ratio; /* unpacked to packed size of the same; not checked below 64 KiB unpacked [2000] */
    size_t output;  /* bytes of a written file [no bound] */
};

/*
 * Cancels work that takes too long or is no longer needed. The working thread calls ask between tracks, keys,
 * frames and blocks of output; when ask returns true, the call fails with POSE_STOPPED. ask is called often, with
 * at most a few milliseconds in between, so it should be cheap.
 */
struct pose_stop {
    bool (*ask)(void *user);
    void *user;
};

struct pose_bytes {
    const uint8_t *data;
    size_t size;
};

/*
 * Remembers broken pictures, so that the same bytes are not decoded again. has is called before a picture is decoded, add
 * after one proved broken; not after one that was stopped. Both run on the calling thread, and must be thread-safe if
 * several threads share this.
 */
struct pose_refusals {
    bool (*has)(void *user, struct pose_bytes picture);
    void (*add)(void *user, struct pose_bytes picture);
    void *user;
};

/* May be NULL everywhere: malloc and the default limits. */
struct pose_options {
    const struct pose_allocator *allocator;
    struct pose_limits limits;
    const struct pose_stop *stop; /* NULL: never stopped */
    bool is_common_only;          /* of other programs' archives only ZIP, TAR, 7z and RAR: no CAB and cpio */
    const struct pose_refusals *refusals; /* NULL: broken pictures are decoded each time */
};

/* Bytes allocated by the library; must be freed with pose_buffer_free. Zero-initialise. */
struct pose_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    const struct pose_allocator *allocator;
};

POSE_API void pose_buffer_free(struct pose_buffer *buffer);

/* ------------------------------------------------------------------------------------------------ values -- */

/* A tree of data that the common model has no field for. Members keep their order; keys may repeat. */
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
    const struct pose_value *next;  /* the next element or member of the parent */
};

/* The first member of that name; NULL when there is none, or when object is NULL or not an object. */
POSE_API const struct pose_value *pose_value_find(const struct pose_value *object, const char *key);

enum pose_severity {
    POSE_NOTE,    /* worth knowing */
    POSE_WARNING, /* something is wrong; when writing: something is lost */
};

struct pose_warning {
    const char *code; /* "trailing_bytes" */
    enum pose_severity severity;
    const char *message;
    uint64_t offset; /* in the file, or in the companion named in message; POSE_NO_OFFSET: none */
};

/* -------------------------------------------------------------------------------------------- the models -- */

/* The axes and units that values are stored in, or converted to. */
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
    POSE_RULES_SIMS,        /* key k is at k * duration / count; nlerp on the shorter arc; wraps to key 0 */
    POSE_RULES_SIMS3,       /* keyed; slerp on the shorter arc, nlerp above a dot product of 0.9995 */
    POSE_RULES_PRIME,       /* keyed; slerp without the shorter arc */
    POSE_RULES_PRIME_FRAMES /* a key on every frame; the same slerp; the last frame wraps to the first */
};

/* Keys of one part of a joint. times are strictly ascending within [0, duration]. count 0: not driven. */
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
    uint32_t node; /* 1 + the joint it moves in a skeleton of the clip's tree; 0: matched by name or id */
    struct pose_channel channels[POSE_PART_COUNT];
    const struct pose_value *extras; /* an object, NULL when empty */
};

struct pose_event {
    float time;
    const char *type;
    const struct pose_value *fields; /* an object: the remaining members, in order; NULL when none */
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
    uint64_t tree; /* tree of the skeleton that the tracks' nodes refer to; 0: tracks have no nodes */
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
    const char *companion;           /* the files needed to decode it, one per line; NULL when none */
    const char *game;                /* the layout that was found, "mp1"; or NULL */
    /* The format the clip had before it was converted to glTF, BVH or JSON: its extras, event fields and track
     * extras are those of that format. NULL: the document's own format. */
    const char *origin;
    uint32_t warning_count;
    const struct pose_warning *warnings; /* of this clip alone */
};

/* How a parent's scale reaches its children. */
enum pose_scaling {
    POSE_SCALE_OFFSETS,   /* stretches the offsets of direct children only */
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
    bool in_skin;               /* glTF: a skin of the file has it, and may move vertices with it */
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
        tree; /* hash of the joints' names and parents, for formats whose tracks name their joint; else 0 */
    const uint32_t *file_order; /* [joint_count] joint index of the file's k-th joint; NULL: same order */
    int32_t root_joint;         /* its clip translation is added to its rest (SL's mPelvis); -1 when none */
    /* [joint_count][16], column-major, in the skeleton's axes: the bind matrix of each joint, from the joint's
     * own space; its last element is 0 where it is not known. NULL: the rest pose is the bind pose. */
    const float (*binds)[16];
    /* [joint_count], model space, the skeleton's axes: where a mesh of these axes without matrices of its own hangs on
     * each joint, unturned, if that is not the rest pose (SL). NULL: the rest pose. */
    const float (*pivots)[3];
    /* [joint_count]: of several people, animals, things in one file the one that the joint is part of, counted from
     * 1; 0: of all of them or of none. NULL: there is only one. */
    const uint32_t *figures;
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

/* For each of joint_count joints, whether a skin of the file moves vertices with it or with one below it. Returns whether
 * it does with any: else the file says nothing of what the figure consists of. */
POSE_API bool pose_skinned_joints(const struct pose_skeleton *skeleton, bool *skinned);

struct pose_binding {
    uint32_t bone;
    uint32_t first, count;
    uint32_t blend_first, blend_count; /* blend_first is 0 when blend_count is 0 */
};

struct pose_blend {
    uint32_t vertex; /* the real vertex it changes, < real_count */
    int32_t weight;  /* 32768 = 1 */
};

/* How alpha is used. */
enum pose_alpha {
    POSE_OPAQUE, /* ignored */
    POSE_MASK,   /* a pixel is drawn where alpha is at least cutoff */
    POSE_BLEND,  /* blended with the background */
};

/*
 * How a primitive looks. An image is named as the format refers to it (a file name, a key
 * "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII", an id of 8 hex digits); the caller finds it in the archive and passes it to
 * the encoders under that name. Colours are multiplied with the image's; they are 1 where the format has none.
 */
struct pose_material {
    const char *name;
    float base_color[4];
    const char *image; /* NULL: none */
    uint32_t image_uv; /* index of its UV set */
    enum pose_alpha alpha;
    float cutoff; /* of POSE_MASK */
    bool two_sided;
    float emissive[3];
    const char *emissive_image; /* NULL: none */
    uint32_t emissive_uv;
    /* The image is cloth on something else: its red, green and blue are multiplied by gain, at most 1, and where it is
     * not opaque the ground shows. Drawn so it is opaque; without the image all is ground. */
    bool covers;
    float ground[3]; /* red, green, blue, 0 … 1, sRGB as an image's */
    float gain;
    const struct pose_value *extras;
};

/* Faces that are drawn with one material. */
struct pose_primitive {
    uint32_t material; /* < material_count */
    uint32_t face_first, face_count;
};

enum { POSE_WEIGHTS = 4 };

/* The bones that move a vertex, as stored: the bone of a zero weight is meaningless, and the sum need not be 1. */
struct pose_influences {
    uint32_t bones[POSE_WEIGHTS];
    float weights[POSE_WEIGHTS];
};

/* The copy of a vertex of The Sims that another bone carries: the two are blended by their weights, and need not meet
 * in the bind pose, where the copy is at position. */
struct pose_second {
    float position[3];
    uint32_t bone; /* UINT32_MAX: there is none */
};

/* A morph target: offsets of the vertices that it moves. */
struct pose_morph_target {
    const char *name; /* NULL: known by id only */
    bool has_id;
    uint32_t id;
    float weight; /* the default when no clip sets it, mostly 0 */
    uint32_t count;
    const uint32_t *vertices;    /* [count], each < real_count */
    const float (*positions)[3]; /* [count] */
    const float (*normals)[3];   /* [count]; NULL: none */
    const float (*uvs)[2];       /* [count], of the first UV set; NULL: none */
};

enum pose_mesh_space {
    POSE_SPACE_BONE, /* The Sims: a vertex is in the space of its bone, given by bindings and blends */
    POSE_SPACE_BIND, /* all others: in model space, in the bind pose; influences give the bones */
};

/*
 * A skinned mesh: real_count vertices, followed by blend_count more if its space is POSE_SPACE_BONE. Optional
 * fields are 0 or NULL when absent. See lib/model/mesh.h for how a codec fills it in.
 */
struct pose_mesh {
    const char *name;
    const char *texture; /* name of the texture of a mesh without materials; NULL when none */
    enum pose_axes axes;
    enum pose_mesh_space space;
    uint32_t bone_count;
    const char *const *bones; /* [bone_count], each may be NULL; NULL: bones have ids only */
    const uint32_t *bone_ids; /* [bone_count], hashes of the bones' names; NULL: bones have names only */
    uint32_t face_count;
    /* As stored. Seen from outside: clockwise in the axes of The Sims, counter-clockwise in all others. */
    const uint32_t (*faces)[3];
    uint64_t weighted_count; /* weighted vertices that are in another file (Metroid Prime); else 0 */
    uint32_t real_count, blend_count;
    const float (*uvs)[2]; /* [real_count]; v = 0 is the first row of the image */
    const struct pose_blend *blends;
    const float (*positions)[3]; /* [real_count + blend_count] */
    const float (*normals)[3];   /* same shape; NULL: none (model space only) */
    uint32_t binding_count;
    const struct pose_binding *bindings;
    /* In model space only: */
    const struct pose_influences *influences; /* [real_count]; NULL: not skinned */
    const struct pose_second *seconds; /* [real_count]; NULL: none. Only encoders of The Sims use them */
    /* [bone_count][16], column-major, from model to bone space, in the mesh's axes and units; NULL: the inverse
     * of the rest matrix of the skeleton's joint. */
    const float (*inverse_binds)[16];
    /* The joint of each bone in skeletons of that tree (struct pose_skeleton), plus 1; 0: found by name, as in all
     * other skeletons. NULL, and tree 0: all are. */
    uint64_t tree;
    const uint32_t *bone_joints; /* [bone_count] */
    const float (*tangents)[3];  /* [real_count], zero where unknown; NULL: none. Only GEOM holds them */
    bool cofactor_normals;     /* normals use the inverse transpose of the blended matrix, else the matrix */
    uint32_t further_uv_count; /* UV sets 1 ... */
    const float (*const *further_uvs)[2]; /* [further_uv_count][real_count] */
    const uint8_t (*colors)[4];           /* [real_count] red, green, blue, alpha */
    /* How other files refer to the vertices: the morphs of a GEOM, the groups of a CSKR. */
    const uint32_t *vertex_ids;   /* [real_count] */
    const uint32_t *vertex_slots; /* [real_count] indices into a CSKR's table of matrices, UINT32_MAX: none */
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
 * An image. Decoded images have pixels; an image passed to an encoder, and one inside of a glTF file, may instead
 * hold the bytes of a BMP, PNG, JPEG or TGA file.
 */
struct pose_image {
    const char
        *name; /* NULL: none. For an encoder: as meshes name it; compared by base name, ignoring extension and
                         case */
    struct pose_bytes bytes;
    uint32_t width, height;
    const uint8_t (
        *pixels)[4]; /* [height][width] red, green, blue, alpha, not premultiplied; the first row is v = 0 */
    bool has_alpha;  /* at least one pixel is not opaque; of bytes: the file has an alpha channel */
    bool clamps;     /* clamped at the edges instead of repeated */
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

/* Assets that belong together: a suit, an appearance, a character set. extras holds the members of its type, by
 * name. */
struct pose_character {
    const char *name;
    const char
        *type; /* "suit", "appearance", "outfit", "binding", "character_set", "parts", "part", "avatar" */
    const struct pose_value *extras;
    uint32_t warning_count;
    const struct pose_warning *warnings;
};

/* The contents of one file. Must be freed with pose_document_free, which frees all of it. */
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
    size_t size; /* bytes it takes in memory */
};

/* ---------------------------------------------------------------------------------------------- decoding -- */

/* A file to read, and how to find its companions. Need not outlive the call. */
struct pose_source {
    const char *name; /* file name, may include a path; NULL when unknown */
    struct pose_bytes bytes;
    const char *format; /* forces a codec; NULL: detected */
    const char *game;   /* forces a layout, one of pose_format.games; NULL: detected */
    /* Finds a companion by base name, ignoring case, or by its path relative to the folder of the file
     * ("data/walk.bin" of a glTF; never with a part "." or ".."); false when there is none. The bytes are
     * borrowed. May be NULL. */
    bool (*find)(void *user, const char *name, struct pose_bytes *bytes);
    void *user;
};

/*
 * Decodes a file. Returns NULL on failure, with error filled in (status POSE_UNKNOWN_FORMAT when no codec
 * recognises it). The document must be freed with pose_document_free.
 */
POSE_API struct pose_document *pose_decode(const struct pose_source *source,
                                           const struct pose_options *options, struct pose_error *error);
POSE_API void pose_document_free(struct pose_document *document);

/* Detects the format: the id of a codec or archive format, NULL when unknown. Allocates little. If one archive type
 * serves several formats, returns the first of them; pose_archive_format of the open archive is exact. */
POSE_API const char *pose_detect(const struct pose_source *source);

/* A file type that clips can be converted to, see pose_convert. Most formats have one; glTF has two. */
struct pose_target {
    const char *word;       /* its name in requests: "glb", or the id of the format */
    const char *format;     /* id */
    const char *extensions; /* blank-separated, with the dot; the first is used for new files */
    const char *media_type;
    const char *options; /* blank-separated: the options and settings it accepts, "fps loop" */
    const char *second;  /* for clips written as two files: the format of the second; else NULL */
    float min_fps;       /* the lowest rate accepted */
    bool is_text;
    bool on_skeleton;         /* its files contain the skeleton, or depend on it */
    bool is_scene;            /* a file holds any number of clips, and meshes with their images */
    bool is_game;             /* a game's own format, else an exchange format */
    bool is_mesh;             /* of meshes, see pose_mesh_targets */
    const char *const *games; /* values of the option "game", NULL-terminated; NULL: no such option */
};

/* All targets, exchange formats first; the last has a NULL word. */
POSE_API const struct pose_target *pose_targets(void);
/* The target of that word; NULL when there is none. */
POSE_API const struct pose_target *pose_target_find(const char *word);
/* The same for meshes, see pose_mesh_convert. */
POSE_API const struct pose_target *pose_mesh_targets(void);
POSE_API const struct pose_target *pose_mesh_target_find(const char *word);

/* A format that the library supports. */
struct pose_format {
    const char *id;
    const char *title;
    const char *extensions; /* blank-separated, with the dot: ".anim .animatn" */
    const char *media_type;
    const char *kinds;  /* blank-separated: "clip", "clip skeleton", "archive" */
    const char *family; /* of a codec: the same for all formats of a game, "sims" */
    bool can_read, can_write;
    bool lacks_up;       /* its files do not say which way is up */
    bool has_companions; /* a file may need companions: only then does decoding call source->find */
    bool is_linked;      /* other entries of its archive give its name and its skeleton, see pose_link */
    uint32_t target_count;
    const struct pose_target *targets; /* its file types that clips can be converted to */
    bool
        hashes_morphs; /* its clips refer to morphs by ids that archives have names for, see pose_archive_morph */
    bool ignores_case;        /* an archive whose names the game looks up case-insensitively */
    bool fits_meshes;         /* meshes of other formats can be written in it, see pose_mesh_convert */
    bool warns_late;          /* an archive: reading an entry may give warnings that opening it does not */
    const char *const *games; /* values of pose_source.game, NULL-terminated; NULL: it has one layout */
};

/* All formats; the last has a NULL id. */
POSE_API const struct pose_format *pose_formats(void);
/* The format of that id; NULL when there is none. */
POSE_API const struct pose_format *pose_format_find(const char *id);

/* ---------------------------------------------------------------------------------------------- encoding -- */

/* The contents of a file to write; the codec uses the parts that the format can hold. */
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
 * Called for each warning about a file being written. POSE_WARNING: a loss, something that the target cannot hold
 * or that had to be changed or guessed for it. POSE_NOTE: a remark; nothing is lost, everything can be read back
 * from the file, if need be from its extras (glTF's "unmatched_tracks" and "morphs_not_played").
 */
typedef void pose_warn(void *user, const struct pose_warning *warning);

/* Writes a file of that format. Returns false on failure; out is then empty. A caller that accepts no loss
 * treats every POSE_WARNING as a failure, and ignores every POSE_NOTE. */
POSE_API bool pose_encode(const char *format, const struct pose_content *content,
                          const struct pose_options *options, pose_warn *warn, void *user,
                          struct pose_buffer *out, struct pose_error *error);

/* ---------------------------------------------------------------------------------------------- archives -- */

struct pose_entry {
    const char *name; /* path inside the archive, with "/"; may repeat; untrusted, not to be used as a path */
    uint64_t size;    /* unpacked */
    const char *kind; /* by the archive's type id: "clip", "skeleton", "mesh", "events", "character", "image",
                           "other";
                           NULL: the contents decide */
    const char *format;  /* by the archive's type id, NULL: the contents decide */
    const char *game;    /* by the archive, NULL when it does not say */
    const char *skipped; /* why it cannot be read although the archive is valid ("deleted"); NULL */
    const struct pose_error *error; /* the error in its directory row; NULL */
    const char *label;              /* the name of its id in a table of the archive; NULL */
    bool is_copy; /* an earlier entry has the same type and id: a pak repeats what several areas need */
    bool has_id;  /* the archive identifies its entries by numbers: */
    uint32_t type, group; /* (four characters for Metroid Prime: 0x414e494d is "ANIM") */
    uint64_t id;
};

/* A name that an archive gives to an id. */
struct pose_name {
    uint64_t id;
    const char *text;
};

struct pose_archive;

/*
 * Opens the directory of an archive. Nothing is unpacked, unless the archive unpacks as one stream (tar.gz, 7z,
 * RAR): then it is unpacked once, and each entry is kept packed on its own. The bytes are borrowed and must outlive
 * the archive. Returns NULL on failure. The archive must be freed with pose_archive_close. It is immutable: several
 * threads may read entries at once.
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
/* All names that the archive gives to ids, of its own entries or of others, sorted by id. */
POSE_API uint32_t pose_archive_name_count(const struct pose_archive *archive);
POSE_API const struct pose_name *pose_archive_names(const struct pose_archive *archive);
/* Whether the name at that index is a morph's; id is then set to the id that clips refer to it by. */
POSE_API bool pose_archive_morph(const struct pose_archive *archive, uint32_t index, uint32_t *id);
/* Whether it was unpacked as one stream, and so holds all its entries in memory while it is open. */
POSE_API bool pose_archive_is_stream(const struct pose_archive *archive);
/*
 * The unpacked bytes of an entry. If it is stored uncompressed, out->data points into the archive's bytes and
 * capacity is 0; call pose_buffer_free in both cases. Returns false on failure; out is then empty.
 */
POSE_API bool pose_archive_read(const struct pose_archive *archive, uint32_t index, struct pose_buffer *out,
                                struct pose_error *error);

/* The same; stop, which may be NULL, is asked while it is unpacked. */
POSE_API bool pose_archive_read_until(const struct pose_archive *archive, uint32_t index,
                                      const struct pose_stop *stop, struct pose_buffer *out,
                                      struct pose_error *error);

/* The same, and warns of defects that did not prevent reading ("no_stop_code"). warn may be NULL. */
POSE_API bool pose_archive_read_warn(const struct pose_archive *archive, uint32_t index, pose_warn *warn,
                                     void *user, struct pose_buffer *out, struct pose_error *error);

/* A pass over an archive. */
struct pose_pass {
    /* Which entries to unpack; NULL: all. */
    bool (*wants)(void *user, uint32_t index);
    /*
     * Called for each wanted entry, in order. error is NULL, or says why there are no bytes (also for an entry that
     * is skipped or has an error). bytes are freed after the visit; to keep them, copy the struct and zero *bytes.
     * Return false to end the pass.
     */
    bool (*visit)(void *user, uint32_t index, struct pose_buffer *bytes, const struct pose_error *error);
    pose_warn *warn; /* called for the entry visited next; may be NULL */
    void *user;
};

/* Reads every wanted entry. Returns false if a visit ended the pass. */
POSE_API bool pose_archive_each(const struct pose_archive *archive, const struct pose_pass *pass);

/* A file to pack. */
struct pose_pack_item {
    const char *name;
    struct pose_bytes bytes;
};

/*
 * Writes an archive of that format ("far1a", "far1b", "far3", "dbpf", "prime-pak", "zip"); the same items give the
 * same bytes. Settings: "compress" is "none" or a method: far3 "refpack", dbpf "refpack" or "zlib", zip "deflate",
 * prime-pak "default"; files that do not get smaller are stored uncompressed. "game" of a prime-pak is "mp1" or
 * "mp2". Ids are taken from names that contain them: far3 "name.FFFFFFFFTTTTTTTT.anim", dbpf
 * "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII_name", prime-pak "IIIIIIII_NAME.TYPE"; otherwise they are generated: for
 * "name.clip" and "name.rig" of dbpf as the game does it. dbpf adds a map of the names. Returns false on failure.
 */
POSE_API bool pose_pack(const char *format, const struct pose_pack_item *items, uint32_t count,
                        const struct pose_value *settings, const struct pose_options *options,
                        struct pose_buffer *out, struct pose_error *error);

/* ---------------------------------------------------------------------------------------------- sampling -- */

/*
 * A clip compiled for fast sampling, on a skeleton or alone, in the requested axes. It points into the clip and
 * the skeleton, which must outlive it. Immutable, so thread-safe.
 */
struct pose_sampler;

/* One row of a pose. Without a skeleton there is one row per track that drives a transform. */
struct pose_row {
    const char *name;
    bool has_id;
    uint32_t id;
    int32_t parent; /* -1 for a root, and without a skeleton */
    bool driven;    /* by a track, even one that is played with POSE_MOTION only */
    bool has[3];    /* translation, rotation, scale: driven, or given by the skeleton */
    bool moves[3];  /* has more than one key, so changes over time (root motion aside) */
};

struct pose_morph {
    const char *name; /* NULL: known by id only */
    bool has_id;
    uint32_t id;
};

/* skeleton NULL: tracks as they are. Returns NULL on failure. Must be freed with pose_sampler_free. */
POSE_API struct pose_sampler *pose_sampler_new(const struct pose_clip *clip,
                                               const struct pose_skeleton *skeleton, enum pose_axes axes,
                                               const struct pose_options *options, struct pose_error *error);
POSE_API void pose_sampler_free(struct pose_sampler *sampler);
POSE_API size_t pose_sampler_size(const struct pose_sampler *sampler);
POSE_API uint32_t pose_sampler_row_count(const struct pose_sampler *sampler);
POSE_API const struct pose_row *pose_sampler_rows(const struct pose_sampler *sampler);
POSE_API uint32_t pose_sampler_morph_count(const struct pose_sampler *sampler);
POSE_API const struct pose_morph *pose_sampler_morphs(const struct pose_sampler *sampler);
/* Tracks without a joint in the skeleton: their indices in the clip. */
POSE_API uint32_t pose_sampler_unmatched_count(const struct pose_sampler *sampler);
POSE_API const uint32_t *pose_sampler_unmatched(const struct pose_sampler *sampler);

enum pose_wrap {
    POSE_CLAMP, /* t is clamped to [0, duration] */
    POSE_WRAP,  /* the engine's loop clock */
};

enum {
    POSE_IN_PLACE = 0,
    /* Adds the clip's root motion (needs a skeleton): Prime's root channel, or The Sims' distance, which
     * accumulates over the loops with POSE_WRAP. */
    POSE_MOTION = 1,
};

/*
 * The local pose at t (seconds, finite): row_count rows of 10 floats, translation, rotation xyzw, scale, in the
 * sampler's axes; parts that are neither driven nor given by a skeleton are the identity. morphs receives
 * morph_count weights and may be NULL. Allocates nothing. O(log n) in the keys.
 */
POSE_API void pose_sample(const struct pose_sampler *sampler, double t, enum pose_wrap wrap, unsigned flags,
                          float *rows, float *morphs);

/*
 * Converts local rows (10 floats each, as from pose_sample) to model space: row_count matrices of 16 floats,
 * column-major, for column vectors. Needs a sampler with a skeleton.
 */
POSE_API void pose_model(const struct pose_sampler *sampler, const float *rows, float *matrices);

/* A pose that takes part in a blend. */
struct pose_layer {
    const float *rows;    /* [row_count][10], as from pose_sample */
    float weight;         /* >= 0, finite */
    const float *factors; /* [row_count], >= 0, finite: multiply weight; NULL: all are 1 */
};

/*
 * Blends layers row by row into rows, which must not be a layer's own. In each row the weights are divided by their
 * sum; translations and scales are averaged, rotations are summed on the shorter arc from the heaviest one and
 * normalised. A row on which no layer has weight is left unchanged, so fill in the rest pose first. Allocates
 * nothing.
 */
POSE_API void pose_mix(const struct pose_layer *layers, uint32_t layer_count, uint32_t row_count,
                       float *rows);

/*
 * Adds weight times the difference of two poses to rows, where factors are above 0: rows turns by the rotation from
 * reference to layer->rows in the joint's own space, is shifted by the difference of the translations, and scaled by
 * the ratio of the scales. axes are those of all rows. Allocates nothing.
 */
POSE_API void pose_add(const struct pose_layer *layer, const float *reference, enum pose_axes axes,
                       uint32_t row_count, float *rows);

/* ------------------------------------------------------------------------------------ mixing of Second Life -- */

enum {
    POSE_SL_LAYERS = 16, /* of one mix, at most */
    POSE_SL_MORPHS = 32, /* of hands and face, at most */
    POSE_SL_STACK = 6,   /* layers that one joint takes, at most */
};

/* A clip and when it is started and stopped on an avatar. Times are in the scene's seconds. */
struct pose_sl_layer {
    const struct pose_clip *clip; /* a clip of Second Life; the same pointer means the same clip */
    double start, offset;         /* >= 0; offset: where in the clip it starts */
    double stop;                  /* >= start; INFINITY: never stopped */
    bool immediate;               /* stops at once, without its ease-out */
    bool additive;                /* adds to the layers below it, as the viewer's own motions do */
    int priority;                 /* 0 to 6 for all of its joints; -1: the clip's own */
    const bool *joints;           /* [joint_count] of the skeleton: the joints it may drive; NULL: all */
};

struct pose_sl_mix_options {
    enum pose_axes axes; /* of the rows: the clips' own, glTF's, or others that differ by a rotation */
    bool avatar_base;    /* below all layers the pelvis returns home: for avatars, not animated objects */
    bool rest_undriven;  /* undriven joints return to rest at once; else they keep their last value */
};

/*
 * Layers mixed as the viewer mixes them: instances, weights, stacks of priorities, hands and faces. It points into
 * the clips and the skeleton, which must outlive it. Immutable, so thread-safe. The viewer steps from frame to
 * frame; this is the limit for short frames. Returns NULL on failure ("bad_layer", or out of memory). Must be freed
 * with pose_sl_mix_free.
 */
struct pose_sl_mix;

POSE_API struct pose_sl_mix *pose_sl_mix_new(const struct pose_sl_layer *layers, uint32_t count,
                                             const struct pose_skeleton *skeleton,
                                             const struct pose_sl_mix_options *how,
                                             const struct pose_options *options, struct pose_error *error);
POSE_API void pose_sl_mix_free(struct pose_sl_mix *mix);
/* The time at which the last of the layers that end has ended; 0 when none ends. */
POSE_API double pose_sl_mix_end(const struct pose_sl_mix *mix);
/* The times at which a weight begins to change or stops changing, ascending. */
POSE_API uint32_t pose_sl_mix_moments(const struct pose_sl_mix *mix, const double **moments);

/* Size of the scratch memory for pose_sl_mix_sample, in bytes. */
POSE_API size_t pose_sl_mix_scratch(const struct pose_sl_mix *mix);
/* The local pose at t (seconds, finite, >= 0): joint_count rows of 10 floats in the axes of the options. scratch
 * has pose_sl_mix_scratch bytes, aligned for doubles. Allocates nothing. */
POSE_API void pose_sl_mix_sample(const struct pose_sl_mix *mix, double t, float *rows, void *scratch);

struct pose_sl_morph {
    const char *name; /* static */
    float weight;     /* 0 to 1 */
};

/* Names of all morphs that the mix has at any time: fills in names, at most POSE_SL_MORPHS static texts, and returns
 * their count. */
POSE_API uint32_t pose_sl_mix_morph_names(const struct pose_sl_mix *mix, const char **names);
/* Morphs of hands and face at t: fills in morphs, at most POSE_SL_MORPHS entries, whose names are pointers of
 * pose_sl_mix_morph_names, and returns their count. */
POSE_API uint32_t pose_sl_mix_morphs(const struct pose_sl_mix *mix, double t, struct pose_sl_morph *morphs);

/* A playing instance of a layer's clip. */
struct pose_sl_playing {
    uint32_t layer;
    double weight, playhead; /* playhead: the clip's time, seconds */
};

/* The clips playing at t, oldest first: fills in playing, at most POSE_SL_LAYERS entries, and returns their
 * count. */
POSE_API uint32_t pose_sl_mix_playing(const struct pose_sl_mix *mix, double t,
                                      struct pose_sl_playing *playing);

/* What a layer contributes to a joint. */
struct pose_sl_share {
    int32_t layer; /* -1: the avatar's base */
    int32_t priority;
    double weight;
    double shares[2]; /* of the resulting translation and rotation, 0 to 1; -1: not driven by it */
};

/* The instances that play at a time, oldest first, with their weights. */
struct pose_sl_moment {
    double t;
    uint32_t count;
    uint32_t instances[POSE_SL_LAYERS];
    double weights[POSE_SL_LAYERS];
};

POSE_API void pose_sl_mix_moment(const struct pose_sl_mix *mix, double t, struct pose_sl_moment *moment);

/* The layers that determine a joint's value at a moment, highest precedence first: fills in shares, at most
 * POSE_SL_STACK entries, and returns their count. held: whether translation and rotation keep their value from when
 * they were last driven. */
POSE_API uint32_t pose_sl_mix_explain(const struct pose_sl_mix *mix, const struct pose_sl_moment *moment,
                                      uint32_t joint, struct pose_sl_share *shares, bool held[2]);

/* Whether the viewer freezes the layer's clip once it has full weight, because none of its priorities is valid; the
 * mix plays on. */
POSE_API bool pose_sl_mix_freezes(const struct pose_sl_mix *mix, uint32_t layer);

/* How many of the clip's tracks have a joint in the skeleton, by name, alias or id; 0 when out of memory. */
POSE_API uint32_t pose_skeleton_match(const struct pose_skeleton *skeleton, const struct pose_clip *clip);

/* A clip, mesh or character, described for the naming rules of its game. */
struct pose_naming {
    const char *format; /* of its document, or the clip's origin; NULL: unknown */
    const char *kind;   /* "clip", "mesh", "character" */
    const char *name;   /* NULL: it has none */
    const char *file;   /* name of its file or entry, may contain a package's key; NULL: unknown */
    const char *actor;  /* the actor that a clip names, "x" (The Sims 3); NULL: none */
};

/*
 * Whether it belongs to the skeleton of that name by the game's naming rules: a clip of The Sims called "a2o-walk"
 * to "adult", clothes "b001uc" to "child", a clip of The Sims 3 called "c2o_sit_x" to "cuRig". For formats without
 * naming rules those of every game apply. Returns false if either name is NULL.
 */
POSE_API bool pose_made_for(const struct pose_naming *what, const char *skeleton);
/*
 * Whose skeleton it is by the games' naming rules: 2 a grown person's ("auRig", "adult"), 1 a grown animal's, 0 another's,
 * unknown, or skeleton is NULL. Things whose name does not say for whom they are made belong to the highest.
 */
POSE_API unsigned pose_adulthood(const char *skeleton);

enum pose_place { POSE_PLACE_BODY, POSE_PLACE_HEAD, POSE_PLACE_HANDS, POSE_PLACE_ACCESSORY, POSE_PLACES };

/* What the name of a mesh or of a character says of who wears it, and where. */
struct pose_wear {
    bool has_place;
    enum pose_place place;
    const char *age; /* "adult", "child" or others of the game; static; NULL: any, or the name does not say */
    char sex;        /* 'f' or 'm'; 0: any, or the name does not say */
    char side;       /* of a hand: 'l' or 'r'; else 0 */
    bool by_bones;   /* such names say nothing: a mesh belongs where its bones are; has_place is then false */
    const char *head, *hands[2]; /* by_bones: the bones of these places, of hands left and right; else NULL */
    bool is_coarse;              /* a mesh for the distance: another one shows the same in more detail */
};

/* Reads a name by the game's naming rules: "xskin-b001fafit_01-PELVIS-BODY" is the body of a woman. False if the
 * format has no such rules or the name does not follow them. */
POSE_API bool pose_wear_of(const struct pose_naming *what, struct pose_wear *part);

/* A joint's rest pose in the requested axes: 10 floats, the rotation normalised. */
POSE_API void pose_joint_rest(const struct pose_skeleton *skeleton, uint32_t joint, enum pose_axes axes,
                              float rest[10]);
/* Converts stored values of a part (not a morph) between axes, in place: [count][3 | 4 | 3]. */
POSE_API void pose_convert_axes(enum pose_part part, float *values, size_t count, enum pose_axes from,
                                enum pose_axes to);

/* ------------------------------------------------------------------------------------------- deformation -- */

/*
 * A mesh resolved against a skeleton, in the requested axes: which joint moves which vertices. It points into the
 * mesh, which must outlive it; the skeleton need not. Immutable, so thread-safe.
 */
struct pose_skin;

/*
 * Bones are matched to joints by name, case-sensitively first, then ignoring case; Prime's and The Sims 3's by id
 * first. skeleton NULL: no bone matches, and all vertices stay as stored. Influences are cleaned up: those with a
 * weight of at most 1e-6 or without a bone are dropped, those of the same bone are added up, and the sum is
 * normalised to 1. Returns NULL on failure. Must be freed with pose_skin_free.
 */
POSE_API struct pose_skin *pose_skin_new(const struct pose_mesh *mesh, const struct pose_skeleton *skeleton,
                                         enum pose_axes axes, const struct pose_options *options,
                                         struct pose_error *error);
POSE_API void pose_skin_free(struct pose_skin *skin);
POSE_API size_t pose_skin_size(const struct pose_skin *skin);
/* Bones that the skeleton lacks: their indices in the mesh. Their vertices stay as stored. */
POSE_API uint32_t pose_skin_missing_count(const struct pose_skin *skin);
POSE_API const uint32_t *pose_skin_missing(const struct pose_skin *skin);
/* [face_count], with the winding order of the axes: as stored in the mesh's own axes, counter-clockwise seen
 * from outside in right-handed ones. */
POSE_API const uint32_t (*pose_skin_faces(const struct pose_skin *skin))[3];
/*
 * The joints that move each drawn vertex, for targets that support weights only: [real_count][4] each, heaviest
 * first, padded with zero weights, which sum to 1 (to 0 for a vertex that is not skinned). Exact in model space;
 * there, bones that the skeleton lacks get the joint index joint_count, which never moves. In bone space exact only
 * for the pose whose deformed vertices it is used with, since a blended vertex has a position of its own.
 */
POSE_API void pose_skin_weights(const struct pose_skin *skin, uint32_t (*joints)[4], float (*weights)[4]);

/*
 * For a mesh in model space: its vertices in the bind pose and the skin's axes, [real_count][3] each (missing
 * normals are computed from the faces), and the inverse bind matrix of each bone, [bone_count][16]. NULL in bone
 * space.
 */
POSE_API const float (*pose_skin_positions(const struct pose_skin *skin))[3];
POSE_API const float (*pose_skin_normals(const struct pose_skin *skin))[3];
POSE_API const float (*pose_skin_inverse_binds(const struct pose_skin *skin))[16];
/* The joint of a bone, -1 when the skeleton lacks it. */
POSE_API int64_t pose_skin_joint(const struct pose_skin *skin, uint32_t bone);

/* Size of the scratch memory for pose_deform, in bytes. */
POSE_API size_t pose_deform_scratch(const struct pose_skin *skin);
/*
 * The drawn vertices in a pose. matrices are as from pose_model, one per joint of the skin's skeleton, in the
 * skin's axes. positions and normals: [real_count][3] in the same axes and units. In bone space a normal has unit
 * length where vertices were blended, elsewhere its stored length (3 in FreeSO's meshes), and one shorter than 1e-6
 * becomes (0, 1, 0). In model space all have unit length, except that one too short to normalise stays as stored.
 * scratch holds pose_deform_scratch bytes, aligned for floats. Allocates nothing.
 */
POSE_API void pose_deform(const struct pose_skin *skin, const float *matrices, float (*positions)[3],
                          float (*normals)[3], void *scratch);
/* The same with morph targets mixed in first: morph_weights is [morph_count] of the mesh; NULL: their own
 * weights. */
POSE_API void pose_deform_morphed(const struct pose_skin *skin, const float *matrices,
                                  const float *morph_weights, float (*positions)[3], float (*normals)[3],
                                  void *scratch);

/* The weights of the mesh's morph targets, [morph_count] of it, in a pose: those of the sampler's morphs of the same
 * name, else id, which morphs has as from pose_sample; the others keep their own. Returns false if out of memory. */
POSE_API bool pose_mesh_weights(const struct pose_mesh *mesh, const struct pose_sampler *sampler,
                                const float *morphs, float *weights);

/* ------------------------------------------------------------------------------------------------- images -- */

/* Appends an image as PNG, 8 bits per channel, with an alpha channel if it has one. Uses its pixels, or decodes
 * its bytes (BMP, PNG, JPEG, TGA, and any format that pose_decode reads). Returns false on failure. */
POSE_API bool pose_image_png(const struct pose_image *image, struct pose_buffer *out,
                             struct pose_error *error);
/* The same for a picture that is drawn and sent at once: packed in less time, a few percent larger. Of its pixels
 * only. */
POSE_API bool pose_image_png_quick(const struct pose_image *image, struct pose_buffer *out,
                                   struct pose_error *error);

/* ------------------------------------------------------------------------------------------------ people -- */

/*
 * A skeleton recognised as a human's, with a joint for each bone. Bones have the names of VRM 1.0 ("hips",
 * "leftUpperArm"); "root" is the joint above the hips that carries the figure. It points into the skeleton, which
 * must outlive it. Immutable, so thread-safe.
 */
struct pose_humanoid;

/* How a bone was found. */
enum pose_bone_how {
    POSE_BONE_TABLE, /* the joint's name is in the table of a family of skeletons */
    POSE_BONE_WORD,  /* the joint's name contains the bone's word */
    POSE_BONE_TREE,  /* the joint has the bone's place in the hierarchy */
    POSE_BONE_USER,  /* given by the caller */
};

struct pose_bone {
    const char *name;
    uint32_t joint;
    enum pose_bone_how how;
};

/* The caller's choice: a joint, by name or alias, and its bone; bone NULL: the joint is not a bone. */
struct pose_bone_map {
    const char *joint;
    const char *bone;
};

/* Lengths in metres, angles in degrees; the left side first. */
struct pose_humanoid_report {
    const char *family; /* the family whose names it uses, "sims"; NULL: unknown */
    double quality;     /* 1 when every required bone was found by table or given by the caller */
    uint32_t required;  /* how many of the 15 required bones were found */
    uint32_t bone_count;
    const struct pose_bone *bones;
    uint32_t missing_count;
    const char *const *missing; /* of the required bones */
    uint32_t carrier;           /* the joint that carries the figure */
    double hip_height, mean_ankle, ankle_height, ground;
    double arm_alignment[2]; /* deviation of the reference pose's arms from a T-pose */
    double leg_lean[2];      /* and of the legs from the vertical */
    uint32_t spine_count, neck_count;
    const double *spine,
        *neck;       /* positions of the joints along each, 0 to 1; neck includes the head, neck_count + 1 */
    uint32_t figure; /* of the skeleton's figures the one it is; 0: the skeleton is taken as one */
};

/*
 * Of a skeleton of several figures: the first of its first 16 that is a person. Returns NULL on failure: "not_humanoid"
 * (POSE_BAD_DATA), with the reason in detail, or, for an invalid map, "unknown_joint", "unknown_bone", "two_joints"
 * (POSE_BAD_ARGUMENT). Must be freed with pose_humanoid_free.
 */
POSE_API struct pose_humanoid *pose_humanoid_new(const struct pose_skeleton *skeleton,
                                                 const struct pose_bone_map *map, uint32_t map_count,
                                                 const struct pose_options *options,
                                                 struct pose_error *error);
/*
 * The same for the figure that the clip moves: the one with the most joints whose keys change; of equal ones that with
 * the most joints that have keys, then the first. If it moves none, as pose_humanoid_new; if what it moves is not a
 * person, "not_humanoid", whoever else there is.
 */
POSE_API struct pose_humanoid *pose_humanoid_of_clip(const struct pose_skeleton *skeleton,
                                                     const struct pose_clip *clip,
                                                     const struct pose_bone_map *map, uint32_t map_count,
                                                     const struct pose_options *options,
                                                     struct pose_error *error);
POSE_API void pose_humanoid_free(struct pose_humanoid *humanoid);
POSE_API const struct pose_humanoid_report *pose_humanoid_report(const struct pose_humanoid *humanoid);
/*
 * A neutral figure of our own, laid onto that person's skeleton: a document with one mesh, "mannequin", of about 3,000
 * triangles, in glTF's axes and metres, with a bone of each joint that moves it. It points into nothing. Returns NULL
 * on failure: out of memory, or "not_humanoid" where a joint has no size. Must be freed with pose_document_free.
 */
POSE_API struct pose_document *pose_mannequin(const struct pose_humanoid *humanoid,
                                              const struct pose_options *options, struct pose_error *error);
/* Whether there is a bone of that name. */
POSE_API bool pose_is_bone(const char *name);

/*
 * A clip of one humanoid transferred to another: every bone of the target gets the orientation in space that it has
 * in the source; hip and foot motion is scaled to the target's size. It points into the clip and both humanoids,
 * which must outlive it. Immutable, so thread-safe.
 */
struct pose_retarget;

enum {
    POSE_RETARGET_FEET = 1,          /* feet planted in the source stay planted: legs are bent (IK) */
    POSE_RETARGET_REMOVE_TRAVEL = 2, /* removes the straight travel from first to last moment */
    POSE_RETARGET_FACE_FORWARD = 4,  /* the figure faces forward at the first moment */
};

/* A source joint that drives a target joint although neither is a bone: tails, wings. */
struct pose_joint_pair {
    const char *source, *target;
};

struct pose_retarget_options {
    unsigned flags;
    const struct pose_joint_pair *pairs;
    uint32_t pair_count;
    enum pose_axes axes; /* of the rows that are sampled */
};

/* Returns NULL on failure ("unknown_joint" and "two_joints": invalid pairs). Must be freed with
 * pose_retarget_free. */
POSE_API struct pose_retarget *
pose_retarget_new(const struct pose_clip *clip, const struct pose_humanoid *source,
                  const struct pose_humanoid *target, const struct pose_retarget_options *wishes,
                  const struct pose_options *options, struct pose_error *error);
POSE_API void pose_retarget_free(struct pose_retarget *retarget);
POSE_API size_t pose_retarget_size(const struct pose_retarget *retarget);
/* Its sampler, owned by retarget: pose_sample gives the target's pose, in the requested axes, with the source's
 * clock. */
POSE_API const struct pose_sampler *pose_retarget_rows(const struct pose_retarget *retarget);
/* Size of the scratch memory for pose_retarget_sample, in bytes. */
POSE_API size_t pose_retarget_scratch(const struct pose_retarget *retarget);
/*
 * The target's local pose at t: one row of 10 floats per joint of its skeleton, as from pose_sample. Undriven
 * joints keep their rest pose. wrap and flags apply to the source, as in pose_sample. scratch is aligned for
 * doubles. Allocates nothing.
 */
POSE_API void pose_retarget_sample(const struct pose_retarget *retarget, double t, enum pose_wrap wrap,
                                   unsigned flags, float *rows, void *scratch);

/* What is known without sampling. */
struct pose_retarget_report {
    double scale;   /* of distances, from source to target */
    double heading; /* of the hips at the first moment, radians; 0 when the clip does not rotate them */
    uint32_t driven_count;
    const char *const *driven; /* bones of the target, or joints of pairs */
    uint32_t ignored_count;
    const char *const
        *ignored; /* source joints that the clip turns or moves and that are not retargeted so */
    bool feet;    /* legs are bent to keep feet planted */
    /* With POSE_RETARGET_REMOVE_TRAVEL: the whole travel, root motion included, in the target's metres, glTF's
     * axes. Poses sampled in place lose only what they have of it. */
    double travel[3];
    uint32_t warning_count;
    const struct pose_warning *warnings;
};
POSE_API const struct pose_retarget_report *pose_retarget_report(const struct pose_retarget *retarget);

/* How well it fits, measured at a number of moments of the clip. Degrees and metres. */
struct pose_retarget_measures {
    double limbs_mean, limbs_max;        /* upper and lower arms and legs, against the source's in space */
    double arms_max;                     /* of the arms alone */
    double head, hips;                   /* the worst */
    double lowest_source, lowest_target; /* height of the feet's lowest point; the source's scaled */
    double skate_mean, skate_max;        /* how far feet slide each time that the source's stand */
    uint32_t skate_stances;              /* how many times they do; 0: none of their points stands */
    double reach;                        /* how far at most a planted foot is off its place */
};
/* Measures at most that many moments. Returns false if out of memory. */
POSE_API bool pose_retarget_measure(const struct pose_retarget *retarget, uint32_t moments,
                                    struct pose_retarget_measures *measures);

struct pose_retarget_baking {
    const char *to; /* the clip's target format: its engine's clock and interpolation; NULL: keyed, slerp */
    double fps;     /* 0: the clip's own, else 30 */
    double
        tolerance; /* degrees; its 1/100 in metres: keys that interpolation reproduces within it are dropped */
    bool loops;    /* a clip of The Sims ends as it starts */
    unsigned flags;   /* of pose_sample */
    const char *name; /* of a clip that has none; NULL: none */
};
/* A clip of the target's joints that every encoder accepts: with the target's skeleton and fps 0; the document's
 * "format" has the rules by which its keys are placed. Warnings as in pose_retarget_report and "retarget_reach".
 * If the naming rules of that format say for whom a clip is, and its name does not mean the target's skeleton, the name
 * gets a prefix that does: "dance" on "auRig" becomes "a_dance". Returns NULL on failure. Must be freed with pose_document_free. */
POSE_API struct pose_document *pose_retarget_bake(const struct pose_retarget *retarget,
                                                  const struct pose_retarget_baking *baking,
                                                  const struct pose_options *options, pose_warn *warn,
                                                  void *user, struct pose_error *error);

/* ------------------------------------------------------------------------------------------- conversions -- */

/* The name of a joint in the clip, and its new name. from may be "joint_ID" for a joint without a name. */
struct pose_rename {
    const char *from, *to;
};

/* A clip that takes part in a conversion. */
struct pose_conversion_clip {
    const struct pose_clip *clip;
    const char *from; /* format of the clip's document; NULL: derived from the clip */
    const char *name; /* used for a clip without an inner name, may be NULL */
};

/* What to write to one file. Need not outlive the call. */
struct pose_conversion {
    const char *to; /* the target's word, or the id of a clip format that can be written */
    uint32_t clip_count;
    const struct pose_conversion_clip *clips;
    /* The skeleton that the clips play on, NULL: none. Gives the rest position of Second Life's pelvis, the
     * joint ids of Prime, and the rest of joints for which the target needs more parts than the clip drives. */
    const struct pose_skeleton *skeleton;
    uint32_t mesh_count; /* for scene targets only, like the images that the meshes name */
    const struct pose_mesh *meshes;
    uint32_t image_count;
    const struct pose_image *images;
    float
        fps; /* a key on every frame at that rate; 0: the clip's own keys, as far as the target can hold them */
    const struct pose_rename *renames; /* joints that are not listed keep their names */
    uint32_t rename_count;
    const struct pose_value *settings; /* an object of the target's own options, below; NULL: the defaults */
    const char *second_name; /* name of the second file of a pair, without extension; NULL: from the clip */
};

/*
 * Converts clips to what the target can hold: axes and units, names or ids, the engine's clock and interpolation,
 * events and extras. The document has the format `to` and holds those clips; pass them to pose_encode with the same
 * settings. If the target's files hold a skeleton and meshes, the document holds them, too, under their new names;
 * they point into the arguments. Must be freed with pose_document_free. Returns NULL on failure. Joints keep their
 * local transforms: nothing is fitted to other proportions. But nodes above the bones of a clip with its own skeleton,
 * moving or not, are folded into the first bone below them for games and BVH (place and turn as keys, scale into all
 * lengths): the bones are those that a skin has, for games also those with new names or names of some game. If a BVH
 * had several roots then, its nodes stay, and only scales are multiplied into lengths. A scale that differs between axes
 * counts as its mean, with the warning "uneven_scale"; if one changes, lengths stay as at rest ("scale_dropped"). glTF
 * has all nodes, and clip JSON with the setting axes "native"; with "gltf", which means metres, they are folded as for BVH,
 * and bones keep their own scales.
 *
 * Extras and what belongs to them are kept if the clip is of the target's family (according to its origin, else
 * `from`, else its rules), and dropped otherwise. A clip with the target's rules keeps its keys unchanged; if it
 * also has the same format and no renames, it is the same clip. Other keys are kept where the target can represent
 * them, and more are inserted until every joint is within 1e-4 rad and 0.1 mm, as far as the target's frames allow;
 * a larger deviation gives a warning ("keys_off_frames").
 *
 *     gltf, bvh, json  the clip as it is; fps is left to the encoders of gltf and bvh. BVH of a clip without a rate
 *                      has the first of 30, 24, 25, 20, 60 … frames per second that all keys lie on, else about 30 with
 *                      the last frame at the end. Settings of bvh: unit ["m"]
 *     sl-anim          keys at their own times; of foreign clips pose_convert drops keys that the viewer's
 *                      interpolation reproduces within 0.05 degrees and 0.5 mm (setting reduce). mPelvis' rest is
 *                      subtracted from its translation. A clip without remaining keys becomes one that moves
 *                      nothing, with the warning "no_keys". Settings: priority [the clip's, 2], loop [the clip's,
 *                      false], ease_in, ease_out [the clip's, 0.3 s], reduce. A clip read from BVH becomes what the
 *                      viewer would upload for that file, and is refused if the viewer would refuse it
 *     tso-anim, sims1-cmx, sims1-bcf, sims1-cfp
 *                      evenly spaced frames, 30 per second or as many as the clip of The Sims had. A foreign clip
 *                      that does not loop becomes one frame longer, which repeats its last pose, unless it ends
 *                      with a frame in which nothing moves. Settings: loop
 *                      (whether the end leads to the start) [the clip's], distance (in feet) [the clip's, 0]
 *     sims3-clip       keys on frames of 1/30 s (the clip's own, or 1 / fps); the duration becomes a whole
 *                      number of frames. Settings: actor ["x"], source_name [""]
 *     prime-anim       keys of all joints on the same frames, of 1 / fps, the clip's interval or rate, else a
 *                      common rate at which all its keys are on frames, else 1/30 s; without fps, frames are
 *                      stretched so that the duration is a whole number of them. Settings: game "mp1", "mp2" or
 *                      "mp2demo" [the clip's, "mp1"], version 0 or 2 [the clip's, 2], loop [the clip's, false],
 *                      root_bone_id [the clip's, 3 in mp1, else 0], evnt [the clip's, 0]
 *
 * Warnings: "scale_dropped", "morph_dropped", "events_dropped", "extras_dropped", "loop_dropped",
 * "loop_range_dropped", "unnamed_track", "unknown_bone", "joint_twice", "rename_unused", "pelvis_without_rest",
 * "keys_off_frames", "duration_changed", "rest_unknown". Errors: "unknown_format", "bad_setting", "bad_fps",
 * "not_finite", "unsorted_keys", "bad_duration", "too_long", the limits "keys" and memory.
 */
POSE_API struct pose_document *pose_bake(const struct pose_conversion *conversion,
                                         const struct pose_options *options, pose_warn *warn, void *user,
                                         struct pose_error *error);

/* The second file of a target that is a pair (pose_target.second), and its name without extension, as the first
 * file refers to it. The name may come from the clip: it is untrusted, not to be used as a path. */
enum { POSE_SECOND_NAME = 256 };
struct pose_second_file {
    struct pose_buffer bytes;
    char name[POSE_SECOND_NAME];
};

/*
 * pose_bake, then pose_encode. second is filled in if the target is a pair, and may be NULL otherwise. Returns
 * false on failure; out (and the second file's bytes) are then empty. Further error: "one_clip" when the target is
 * not a scene and clip_count is not 1.
 */
POSE_API bool pose_convert(const struct pose_conversion *conversion, const struct pose_options *options,
                           pose_warn *warn, void *user, struct pose_buffer *out,
                           struct pose_second_file *second, struct pose_error *error);
/* The default name of a pair's second file. name: used for a clip without an inner name. */
POSE_API void pose_second_name(const struct pose_target *target, const struct pose_clip *clip,
                               const char *name, char text[POSE_SECOND_NAME]);

/* ------------------------------------------------------------------------------------- meshes for games -- */

/* A mesh to write in the format of a game. Need not outlive the call. */
struct pose_mesh_conversion {
    const char *to; /* id of a format that fits meshes, see pose_format */
    const struct pose_mesh *mesh;
    /* That the mesh is written for: the one of its own file (with the same tree; then its own bind matrices count, and
     * scales of joints are multiplied into lengths), or the game's. NULL: its bind matrices count. */
    const struct pose_skeleton *skeleton;
    uint32_t image_count;
    const struct pose_image *images; /* that its materials name */
    const char *name;                /* of the files, without extension; NULL: the mesh's, else "mesh" */
    bool keeps_name; /* the mesh's own file has exactly that name, not one as the game makes them */
    const struct pose_value
        *settings; /* an object of the target's own options ("game"); NULL: the defaults */
};

/* The mesh, and what puts it on: its texture, a suit, a binding. */
enum { POSE_MESH_FILES = 24, POSE_MESH_FILE_NAME = 256 };
struct pose_mesh_file {
    char name[POSE_MESH_FILE_NAME]; /* untrusted, not to be used as a path */
    struct pose_buffer bytes;
};
struct pose_mesh_files {
    uint32_t count;
    struct pose_mesh_file files[POSE_MESH_FILES]; /* the mesh comes first */
};

/*
 * Makes a mesh fit for a game and writes it. A mesh of the same family is written as it is, alone. Must be released with
 * pose_mesh_files_free after success.
 *
 *     sims1-skn, sims1-bmf  in feet, vertices in the space of their bone, ordered by bone, the same ones merged; the two
 *                           greatest weights of a vertex, in 1/32768; a texture of 256 colours (.bmp) and a suit (.cmx,
 *                           .cmx.bcf)
 *     tso-mesh              the same, with a binding and an appearance
 *     sims3-geom            in metres, as the skeleton's rest pose has it, the same vertices merged; four weights as
 *                           they are, bones by the hash of their names, tangents (made from the UVs where there are
 *                           none), ids that are equal on both sides of a seam; a texture (.dds). At most 65536
 *                           vertices and 256 bones
 *     prime-cmdl            floats and weights as they are (only sums and axes round), the three greatest weights; a
 *                           CSKR if bones move it, a texture per image (.txtr, RGBA8), and, on another skeleton than
 *                           the game's, a CINF and an ANCS. Setting game ["mp1"]: mp2 is drawn with matrices in banks of
 *                           ten groups. At most 65536 places, 16384 surfaces, 97 joints (100 in mp2)
 *
 * Of UV sets, 0 is written. Warnings: "weights_dropped" (and how much at most), "unweighted_vertices", "missing_bone",
 * "second_position_moved", "no_uvs", "uv_sets_dropped", "degenerate_faces", "several_textures", "texture_unreadable",
 * "alpha_dropped", "morph_dropped", "unknown_bone" and "unbound_mesh" (GEOM), "two_sided_dropped" (CMDL). Errors: "unknown_format", "not_skinned",
 * "bone_space" (a mesh of The Sims for another family), "nothing_to_write", "not_finite", "too_many_joints",
 * and, with the triangle or vertex, "too_many_vertices", "too_many_bones", "too_many_surfaces".
 */
POSE_API bool pose_mesh_convert(const struct pose_mesh_conversion *conversion,
                                const struct pose_options *options, pose_warn *warn, void *user,
                                struct pose_mesh_files *files, struct pose_error *error);
POSE_API void pose_mesh_files_free(struct pose_mesh_files *files);

/* ------------------------------------------------------------------------------------------------- lints -- */

/*
 * Checks a valid document for likely mistakes, beyond the warnings of decoding. Reports each code at most once per
 * asset: "name_differs" (the inner name is not the file's, in formats that require it; ignoring case, extension and
 * key), "rotation_not_unit" (the length of keys or rest rotations is more than 0.5 % off), "normal_not_unit",
 * "id_differs" (a Sims 3 clip whose file name has a key, see pose_sims3_key, but whose instance id is the hash of
 * neither the name there nor its inner name; if the two names differ, that is "name_differs"), "empty_sound" (sound
 * events without a name), "late_end" (the last key or event is more than a second before the end, and in the first
 * half). name is the file's, may include a path, and may be NULL.
 */
POSE_API void pose_lint(const struct pose_document *document, const char *name, pose_warn *warn, void *user);
/* The same for a mesh on a skeleton: "missing_bone", "wrong_rig" (The Sims 3). */
POSE_API void pose_lint_skin(const struct pose_skin *skin, pose_warn *warn, void *user);
/*
 * The same for a clip on a skeleton; checks at most 64 poses, and reports nothing if out of memory.
 * "foreign_tracks": fewer than half of the tracks have a joint in the skeleton; then only the loop is checked
 * further. "stretched_bone": at a key, a joint's distance from its parent differs from the rest by more than a
 * quarter and 2 cm; not for roots and The Sims 3's helpers. "below_floor": the lowest joint that it poses goes more
 * than 5 cm below 0 although the rest pose does not. "loop_gap": a clip that loops, or is called "..._loop", whose
 * pose at the loop's end differs from that at its start by more than 2 degrees or 1 cm on a joint; a root's travel
 * over the ground does not count, nor do engines that blend the end into the start. skeleton NULL: only "loop_gap",
 * for rotations.
 */
POSE_API void pose_lint_clip(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                             pose_warn *warn, void *user);

/* Whether a game would take a file: accept it as an upload (Second Life), play or draw it (the others). */
struct pose_verdict {
    const char *target; /* "sl-viewer", "sims1", "tso", "sims3", "mp1", "mp2", "mp2demo" */
    bool accepted;
    /* Why not: objects with code, message, and where they apply offset or line, and joint. */
    const struct pose_value *reasons;
};

typedef void pose_judge(void *user, const struct pose_verdict *verdict);

/* The verdict of each game that has this format, of clips and meshes; texts and reasons are valid only during the
 * callback. A file that does not decode has none. */
POSE_API void pose_verdicts(const struct pose_document *document, pose_judge *tell, void *user);

/* -------------------------------------------------------------------------------- what belongs together -- */

/*
 * Links between the entries of one archive: each game has its own way to state which character a clip belongs to,
 * and which skeleton and events go with it. The caller stores the facts of each document with its entry; once all
 * entries are known, pose_link resolves them. Formats that other entries can refer to have is_linked set.
 */

/* The facts of a document that pose_link needs, as bytes for the same version of the library only; empty when
 * there are none. Returns false if out of memory; facts is then empty. */
POSE_API bool pose_facts(const struct pose_document *document, struct pose_buffer *facts);

/* An entry. All fields are NULL if it could not be read or is a copy of an earlier one. */
struct pose_member {
    const char *name;
    const char *format;
    struct pose_bytes facts;
};

/* What is known about the single clip or mesh of an entry; all texts live as long as the links. */
struct pose_link {
    const char *own_name; /* derived from the entry's name; NULL: none */
    const char *name;     /* given by entries that play it, else own_name; NULL: use the inner name */
    uint32_t name_count;
    const char *const *names; /* given by all entries that play it, in their order, without repeats */
    int64_t skeleton;         /* index of the member with its skeleton; -1: none */
    int64_t events;           /* index of the member with its events; -1: none */
    int64_t event_set;        /* index of its set of events there; -1: all */
    int64_t skin;             /* index of the member that completes a mesh, see pose_join; -1: none */
};

struct pose_links;

/* Returns NULL if out of memory. The members need not outlive the call. Must be freed with pose_links_free. */
POSE_API struct pose_links *pose_link(const struct pose_member *members, uint32_t count,
                                      const struct pose_options *options, struct pose_error *error);
/* The link of a member, owned by links; NULL when nothing is known about it. */
POSE_API const struct pose_link *pose_link_of(const struct pose_links *links, uint32_t member);
POSE_API void pose_links_free(struct pose_links *links);

/*
 * Joins a mesh with the one that completes it: a model of Metroid Prime and its skin. The document has that format,
 * holds the joined mesh and points into both, so it must be freed with pose_document_free before them. Returns NULL
 * on failure.
 */
POSE_API struct pose_document *pose_join(const char *format, const struct pose_mesh *mesh,
                                         const struct pose_mesh *other, const struct pose_options *options,
                                         struct pose_error *error);

/* The weight of a bone for count vertices, starting at first. */
struct pose_share {
    uint64_t first, count;
    int64_t bone_id;
    float weight;
};

typedef void pose_share_visit(void *user, const struct pose_share *share);

/* Visits the weights of a mesh of that format that are given for ranges of another file's vertices
 * (weighted_count in all). Other meshes have none. */
POSE_API void pose_mesh_shares(const char *format, const struct pose_mesh *mesh, pose_share_visit *tell,
                               void *user);

/* The id by which other files of the same game refer to an entry ("000000A1_walk.ANIM"); false when it has none,
 * or the game does not use ids. */
POSE_API bool pose_resource_id(const char *format, const char *entry_name, uint64_t *id);

enum pose_relation_way {
    POSE_BY_STEM,     /* the entry's base name without its extension, ignoring case */
    POSE_BY_KEY,      /* see pose_has_key */
    POSE_BY_RESOURCE, /* the entry with that format and id (see pose_resource_id) in the same archive */
    POSE_BY_PLACE,    /* in the character's own file: its id-th mesh, or its skeleton */
    POSE_BY_FORMAT,   /* all clips of that format in the same archive */
};

/* A reference of a character to another asset. */
struct pose_relation {
    enum pose_relation_way way;
    const char
        *kind; /* of the entry: "mesh", "skeleton", "clip"; "character": use the relations of that one */
    const char *wanted; /* as text; NULL: no name, only attached to a bone */
    const char *format; /* for POSE_BY_RESOURCE and POSE_BY_FORMAT */
    uint64_t id;
    const char *texture; /* key of a mesh's texture; NULL */
    const char *bone;    /* that a mesh is attached to; NULL */
    enum pose_axes axes; /* of the skeleton that has the bone */
    const char *variant; /* what sets it apart from others, of which one is worn ("dark"); NULL: it is */
};

/* Return false to stop. */
typedef bool pose_relate(void *user, const struct pose_relation *relation);

/* Visits the references of a character of that format, in order. facts: of its document, may be empty. Returns
 * true if these include its skeleton and clips, if it has any. */
POSE_API bool pose_relations(const char *format, const struct pose_character *character,
                             struct pose_bytes facts, pose_relate *relate, void *user);
/* Whether an entry has that key, as characters of that format write it. row is its row in an archive of the format
 * container; NULL: none. */
POSE_API bool pose_has_key(const char *format, const char *key, const char *entry_name, const char *container,
                           const struct pose_entry *row);

/* ------------------------------------------------------------------------------------------ shipped data -- */

/* Built-in skeletons, for clips without one: index from 0 until NULL. The document must be freed with
 * pose_document_free. */
POSE_API const char *pose_stand_in_name(unsigned index);
POSE_API struct pose_document *pose_stand_in(unsigned index, const struct pose_options *options,
                                             struct pose_error *error);

/* -------------------------------------------------------------------------------------- names of The Sims 3 -- */

enum { POSE_SIMS3_NAME = 256 };

/* The ids that The Sims 3 derives from a name. */
struct pose_sims3_name {
    uint32_t fnv32;                /* FNV-1 of bones, slots, actors and props */
    uint64_t fnv64;                /* of effects and most resources; of morphs, its low half */
    uint64_t clip_id;              /* instance id of a clip of that name, XORed with its actors' ages */
    uint32_t clip_group;           /* group of such clips; advice only */
    char generic[POSE_SIMS3_NAME]; /* the clip that the game falls back to, or the same name; truncated */
};

/* name: any bytes; ASCII letters are case-insensitive. */
POSE_API void pose_sims3_hash(const char *name, struct pose_sims3_name *hashes);

/* An actor of a clip. */
struct pose_sims3_actor {
    char code[3];        /* as in names: "a", "ad" */
    const char *age;     /* "adult", "kitten"; NULL for objects and unexplained codes */
    const char *species; /* "human", "little dog", "object"; NULL for unexplained codes */
};

/*
 * The actors of the clip with that instance id, if it is the named clip or its variant for another age
 * ("ad2c_hug_x" of "a2a_hug_x"). Returns the number of actors, 1 or 2, and in variant the name with that id; 0 if
 * the id belongs to another clip, or the name does not include actors.
 */
POSE_API unsigned pose_sims3_actors(const char *name, uint64_t id, struct pose_sims3_actor actors[2],
                                    char variant[POSE_SIMS3_NAME]);

/* The key of a resource, read from the name of its file or entry. */
struct pose_sims3_key {
    uint32_t type, group;
    uint64_t instance;
    const char *name; /* borrowed: points into the argument, without the tags that tools add; NULL: none */
    size_t name_length;
};

/* Parses base names like "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII_name" and
 * "S3_TTTTTTTT_GGGGGGGG_IIIIIIIIIIIIIIII_name%%+CLIP.animation"; returns false for others. */
POSE_API bool pose_sims3_key(const char *file, struct pose_sims3_key *key);

/* A search for the name of an id. Zero-initialise, then set the id. */
struct pose_sims3_search {
    uint64_t id;                /* FNV-32, FNV-64 or a clip's instance id */
    char name[POSE_SIMS3_NAME]; /* what was found */
    char derived
        [POSE_SIMS3_NAME]; /* the first name tried of which it is a variant, with the other ages put in */
};

/* Returns whether the name has the id; if so, it is kept. */
POSE_API bool pose_sims3_try(struct pose_sims3_search *search, const char *name);
/* The same for the name after the key in a file name; for the inner name of an asset, if its format is the
 * game's; and for an archive's table of names, where a name counts for the id it is listed under, whatever its
 * hash. */
POSE_API bool pose_sims3_try_file(struct pose_sims3_search *search, const char *file);
POSE_API bool pose_sims3_try_asset(struct pose_sims3_search *search, const char *format, const char *name);
POSE_API bool pose_sims3_try_names(struct pose_sims3_search *search, const struct pose_archive *archive);
/* Whether a file is the clip with that id: by its key, else by the clip's inner name (may be NULL). */
POSE_API bool pose_sims3_is_clip(const char *format, const char *file, const char *name, uint64_t id);

/* The known bone whose name has that FNV-32; NULL when there is none. */
POSE_API const char *pose_sims3_bone(uint32_t hash);
/* The known morph whose name has these 32 bits as the low half of its FNV-64; NULL when there is none. */
POSE_API const char *pose_sims3_morph(uint32_t hash);

/* ------------------------------------------------------------------------------------- numbers and JSON -- */

enum { POSE_FLOAT_TEXT = 16 };
/*
 * Writes the shortest decimal that reads back as the same 32-bit float (JSON syntax; -0 is "-0"), without a NUL;
 * returns its length, at most POSE_FLOAT_TEXT. value must be finite.
 */
POSE_API size_t pose_float_text(float value, char *text);

/* Appends to a buffer, growing it. Returns false if out of memory; the buffer is then unchanged. */
POSE_API bool pose_buffer_append(struct pose_buffer *buffer, const void *bytes, size_t size);
/* Appends a JSON string with its quotes; invalid UTF-8 becomes U+FFFD. NULL: null. */
POSE_API bool pose_json_string(struct pose_buffer *buffer, const char *text);
/* Appends a tree as JSON. NULL: null. */
POSE_API bool pose_json_value(struct pose_buffer *buffer, const struct pose_value *value);

/* Parts of a clip's JSON, in this order. */
enum {
    POSE_JSON_TIMING = 1, /* "duration" … "key_count" */
    POSE_JSON_NOTES = 2,  /* "warnings", "extras" */
    POSE_JSON_KEYS =
        4, /* "event_count", "axes", "rules", "joints" with every key, the clip's "skeleton", "events" */
    POSE_JSON_ALL = 7,
};

struct pose_clip_json {
    const struct pose_clip *clip;
    const struct pose_document *document; /* adds its warnings and the clip's skeleton; NULL: none */
    bool gltf;                            /* keys in glTF's axes and metres; else as stored */
    unsigned parts;
};

/* Appends those members of a clip's JSON, without braces and without a leading or trailing comma. pose_encode
 * writes "json" as "name" and "format", followed by all of them. Returns false if out of memory. */
POSE_API bool pose_json_clip(struct pose_buffer *buffer, const struct pose_clip_json *what);

/* Whether the name of a file or entry contains the key under which its game stores a clip of that format. */
POSE_API bool pose_is_filed(const char *format, const char *file);
/*
 * Appends what the game derives from the name of a clip of that format and from its file name (NULL: none), as
 * members without braces; nothing if the names contain no such information. Returns false if out of memory.
 */
POSE_API bool pose_json_names(struct pose_buffer *buffer, const char *format, const char *name,
                              const char *file);
/* Appends "actors": who plays a Sims 3 clip of that name (NULL: nobody is known) with that id, as pose_sims3_actors finds
 * them, as a member without braces. Returns false if out of memory. */
POSE_API bool pose_json_sims3_actors(struct pose_buffer *buffer, const char *name, uint64_t id);

#ifdef __cplusplus
}
#endif

#endif
