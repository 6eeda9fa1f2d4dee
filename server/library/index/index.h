/*
 * From PATHs to their contents: archives, their entries, and the assets decoded from these. Everything here is
 * immutable once built and reference-counted, so that reindexing a changed folder reuses what is unchanged.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_INDEX_H
#define POSED_SERVER_LIBRARY_INDEX_INDEX_H

#include "pose.h"
#include "server/store/blobs.h"
#include "server/ops/files.h"
#include "server/store/ids.h"
#include "server/ops/region.h"

#include <stdatomic.h>

enum asset_kind { ASSET_CLIP, ASSET_SKELETON, ASSET_MESH, ASSET_CHARACTER, ASSET_IMAGE, ASSET_KIND_COUNT };

/* One clip, skeleton, mesh, character or image of a file. The JSON texts are members of an object, without its braces.
 * There are as many as files of PATHs: the order of the members leaves no gaps. */
struct index_asset {
    struct asset_id id;
    const char *name;
    const char *summary; /* members shown in lists: "duration" … for a clip, "joint_count" for a skeleton */
    const char *notes;   /* "warnings", "extras" of a clip; "" otherwise */
    /* Hashes of the names (or ids) of a clip's tracks or a mesh's bones (0: it has neither), or of a
     * skeleton's joints and aliases; sorted, without duplicates. joint_count counts the same things. */
    const uint64_t *known;
    const char *actor; /* the actor that a clip names, see struct pose_naming; NULL */
    /* Search texts, held by texts.h; NULL or "": none. */
    const char *words;  /* folded (fold.h): names of joints, and of events */
    const char *events; /* for a clip: the types of its events, each followed by a line feed */
    uint64_t rest;      /* for a skeleton: hash of its rest pose */
    /* Found by linking with the same archive (link.h). */
    const char *own_name;            /* its name without linking; NULL: the same */
    const struct asset_id *skeleton; /* of its character; NULL: unknown */
    int32_t events_entry,
        event_set;       /* where its events are: an entry (-1: none), and which set in it (-1: all) */
    int32_t skin_entry;  /* for a mesh that needs another one's weights, see body.h; -1: none */
    uint32_t inner;      /* its index in the document: clips[inner] */
    float duration, fps; /* fps 0: none */
    uint32_t joint_count, event_count, known_count;
    uint32_t moving_count; /* how many of the first are tracks that move joints; for a mesh: all */
    uint8_t kind;          /* enum asset_kind */
    uint8_t axes;          /* enum pose_axes */
    bool is_person;        /* of a skeleton: clips can be retargeted to it */
    int8_t loop;           /* for a clip: 1, 0, or -1 if the format has no flag */
};

struct index_entry {
    atomic_uint references;
    struct region region;
    const char *name; /* inside the archive */
    uint64_t size;
    const char *kind;               /* "clip" … "other" */
    const char *format;             /* NULL: unknown */
    const char *game;               /* forced by the archive; NULL: none */
    const struct pose_error *error; /* why it could not be read; NULL: no error */
    struct file_stamp stamp;        /* for a file of a folder */
    struct asset_id content;        /* digest of everything that the document depends on: its cache key */
    bool is_copy;                   /* of an earlier entry, which is decoded instead */
    bool wants_companions;          /* it asked for companion files: reread when others change */
    bool is_tight;                  /* see index_entry_tighten */
    struct asset_id beside;         /* digest of the stamps of files beside a loose file; zeros: none */
    uint32_t asset_count;
    struct index_asset *assets;
    struct pose_bytes facts; /* for linking, see pose_facts */
};

/* An entry that others refer to by number, see pose_resource_id. */
struct index_resource {
    const char *format;
    uint64_t id;
    uint32_t entry;
};

/* A name, and the id by which clips refer to the morph, see pose_archive_morph. */
struct index_morph {
    uint32_t id;
    const char *name;
};

struct index_archive {
    atomic_uint references;
    struct region region;
    struct asset_id id;
    const char *name;
    const char *format;                      /* "folder", "file", or a format of the library */
    const char *path;                        /* in the file system */
    const char *root;                        /* the PATH under which it was found */
    const char *source;                      /* "path" or "upload" */
    const char *forced_format, *forced_game; /* for an upload, as given by the client; NULL */
    uint64_t bytes;
    uint64_t wanted_bytes;   /* for a container: total unpacked size of the entries to decode */
    struct file_stamp stamp; /* for a file */
    struct file_bytes map;   /* for a container */
    struct blob *blob;       /* for an upload: owned; map points into it, unless it is at rest */
    size_t blob_offset;      /* at rest: where map's bytes are in it */
    int64_t
        created_ms; /* milliseconds since 1970: time of the upload, otherwise of the files' last modification */
    const char *uploader;   /* for an upload: the name of its token; NULL: none */
    int64_t expires_ms;     /* for an upload: like created_ms; 0: never */
    atomic_bool is_waiting; /* for an upload: not published yet */
    size_t weight; /* of an upload in the catalogue: bytes that it keeps in memory, see index_weigh */
    struct asset_id digest; /* of everything lists show, see archive_seal; zeros: not set yet */
    struct pose_archive *archive;
    const struct pose_error *error; /* a container that could not be opened */
    uint32_t entry_count, entry_capacity;
    struct index_entry **entries; /* its own, then those of nested containers */
    uint32_t nested_count;
    struct index_nested **nested;
    uint32_t morph_count;
    const struct index_morph *morphs; /* names for morphs, sorted by id */
    bool linked;                      /* index_link has run */
    uint32_t resource_count;
    const struct index_resource *resources; /* sorted by format, id and entry */
    struct pose_document *
        *kept; /* entry_count documents decoded by index_upload_kept and borrowed by index_decode; or NULL */
    uint32_t name_count;
    struct name_slot *names; /* sorted by the hash of the base name in lower case */
    uint32_t ordinal;        /* which of the PATHs it is of */
    bool has_wanting;        /* once it is sealed: an entry wants companions */
    struct index_folder
        *folder; /* of a folder of a PATH, whose entries have slots, see folder.h; NULL: none */
};

/* In a folder that has changed entries are not in the order of their names: how many there are, which comes at a position
 * in that order, and at which position one comes. Elsewhere these are all entries in their order. */
uint32_t index_present(const struct index_archive *archive);
uint32_t index_slot(const struct index_archive *archive, uint32_t position);
uint32_t index_position(const struct index_archive *archive, uint32_t slot);

struct effort;
struct index_cache;

struct index_options {
    /* Takes over the document of an entry after it was described. Called by many threads at once. NULL: it
     * is freed. */
    void (*keep)(void *user, const struct index_entry *entry, struct pose_document *document);
    void *keep_user;
    struct pose_options pose;
    struct index_cache *cache; /* for index_paths: results of earlier runs; NULL: none */
    unsigned threads;
    bool spills;               /* entries may lie in the spill (spill.h): those of PATHs */
    uint32_t max_entries;      /* of an upload */
    uint32_t max_path_entries; /* in a PATH or a container below it; 0: unlimited */
    struct effort *effort;     /* for index_bytes: the request's, which pose.stop asks as well; NULL: none */
};

/* Paths of files and folders that have changed: below PATHs that are folders. */
struct index_changes {
    size_t count;
    char **paths;
};
bool index_changes_add(struct index_changes *changes, const char *path);
void index_changes_release(struct index_changes *changes);

/* Full paths of folders to watch, sorted; shared by results that have the same. */
struct index_directories {
    atomic_uint references;
    uint32_t count;
    char **paths;
};
void index_directories_unref(struct index_directories *directories);

/* The result of indexing one or all PATHs. */
struct index_result {
    uint32_t count;
    struct index_archive **archives; /* referenced */
    struct index_directories *directories;
    uint32_t
        over_count; /* number of PATHs with more files than max_path_entries, whose further files are not listed */
    uint32_t lost_count;            /* number of PATHs of an earlier index that have disappeared */
    struct index_changes unsettled; /* skipped files that may still be being written: index again soon */
    struct asset_id context;        /* digest of what was listed, see recall_context; zeros without a cache */
};

enum { INDEX_SETTLE_MS = 300 };

/*
 * Indexes PATHs in the given order: each folder, then the containers below it. before (may be NULL) is an earlier
 * index whose unchanged parts are reused; with it, files modified within the last INDEX_SETTLE_MS are left for the
 * next time. In a folder with too many files, those already listed are kept (without before: those found first).
 * False with error if (without before) a PATH does not exist, or if out of memory.
 */
bool index_paths(const char *const *paths, size_t count, const struct index_options *options,
                 const struct index_result *before, struct index_result *result, struct pose_error *error);
/* The same if nothing but that has changed since the earlier index, whose unsettled files are looked at as well: then only
 * that is looked at. changes NULL: anything may have. */
bool index_paths_changed(const char *const *paths, size_t count, const struct index_options *options,
                         const struct index_result *before, const struct index_changes *changes,
                         struct index_result *result, struct pose_error *error);
void index_release(struct index_result *result);

/* Other archives in which a file's companions are searched. */
struct index_neighbours {
    struct index_archive *const *archives;
    uint32_t count;
};

/*
 * An archive of bytes in memory, which must outlive it: a container with its nested containers, or one file with
 * format "file". format and game (NULL: detected) are forced for a file; neighbours (NULL: none) have companions
 * that are not in it. The archive's error is set if it cannot be opened or is over a limit.
 */
struct index_archive *index_bytes(const char *name, struct pose_bytes bytes, const char *format,
                                  const char *game, const struct index_neighbours *neighbours,
                                  const struct index_options *options);

/* Whether it is an error of the moment: memory was out. */
bool index_is_passing(const struct pose_error *error);

/* The name of the morph of that id from the name maps of archives; NULL if unknown. */
const char *index_morph_name(struct index_archive *const *archives, uint32_t count, uint32_t id);

void index_archive_ref(struct index_archive *archive);
void index_archive_unref(struct index_archive *archive);

/* The raw bytes of an entry. False with error ("changed" if the file on disk was modified since indexing). */
bool index_read(const struct index_archive *archive, uint32_t entry, struct pose_buffer *out,
                struct pose_error *error);
/* The same; stop, which may be NULL, is asked while the entry is unpacked. */
bool index_read_until(const struct index_archive *archive, uint32_t entry, const struct pose_stop *stop,
                      struct pose_buffer *out, struct pose_error *error);

/* An upload of one file lets go of its bytes, which index_read gets from its blob from now on. Call it before the
 * archive is shared. */
void index_rest(struct index_archive *archive);

/* What an archive takes in memory, roughly, without the bytes that it was made of. */
size_t index_memory(const struct index_archive *archive);
/* Counts an upload, before it is shared, for what the catalogue keeps in memory. */
void index_weigh(struct index_archive *archive);
/* All that are counted and not freed yet. */
struct index_weights {
    uint64_t count, bytes;
};
struct index_weights index_weights(void);

/* The size of an archive's file, or of all files of a folder. */
uint64_t index_bytes_of(const struct index_archive *archive);

/* Whether an entry asked for companions, so that it may change with the PATHs. */
bool index_wants_companions(const struct index_archive *archive);

/* Sets when and by whom an upload was brought. Must be called before the archive is shared. */
struct index_standing {
    int64_t created_ms, expires_ms;
    const char *uploader; /* copied */
    bool is_waiting;
};
void index_set_standing(struct index_archive *archive, const struct index_standing *standing);
struct index_standing index_standing_of(const struct index_archive *archive);

/* Searches companions: in the archive of an entry (its folder first), beside a loose file, then in other
 * archives. A name with slashes is a path below the folder of the entry, and is only searched there. */
struct companion_finder {
    const struct index_archive *own;
    uint32_t entry; /* the requesting entry; never returned itself */
    struct index_archive *const *others;
    uint32_t other_count;
    uint32_t found_count; /* what was found; freed by finder_release */
    struct pose_buffer *found;
    char **found_names;
    struct asset_id beside; /* digest of the stamps of files found beside a loose file; zeros: none */
    bool asked;
    bool no_memory; /* something was not found because memory ran out */
};

/* For struct pose_source.find, with the finder as user. */
bool finder_find(void *finder, const char *name, struct pose_bytes *bytes);
void finder_release(struct companion_finder *finder);

/* Decodes an entry with its companions, or returns the document kept from its first decoding. Must be
 * freed with index_document_free. */
struct pose_document *index_decode(const struct index_archive *archive, uint32_t entry,
                                   struct index_archive *const *others, uint32_t other_count,
                                   const struct pose_options *options, struct pose_error *error);
/* The same, but never the one that the archive keeps: it belongs to the caller, and may outlive the archive. */
struct pose_document *index_decode_anew(const struct index_archive *archive, uint32_t entry,
                                        struct index_archive *const *others, uint32_t other_count,
                                        const struct pose_options *options, struct pose_error *error);

/* Frees a document of index_decode, unless the archive keeps it. */
void index_document_free(const struct index_archive *archive, uint32_t entry, struct pose_document *document);
/* The number of decoded files since the start. */
uint64_t index_decodes(void);

/* The hash used in `known` for the name of a track or joint: case-insensitive for The Sims, the id where
 * there is one. */
uint64_t known_name(enum pose_axes axes, const char *name);
uint64_t known_id(uint32_t id);
/* How many of the clip's tracks that move joints, or of the mesh's bones, the skeleton has. */
uint32_t known_matches(const struct index_asset *skeleton, const struct index_asset *clip);

#endif
