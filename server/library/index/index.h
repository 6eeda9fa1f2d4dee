/*
 * From a PATH to what is in it: archives, their entries, and the assets that the entries decode to. Everything here is
 * immutable once it is built and shared by counted references, so that a changed folder reuses what stayed the same.
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

/* One clip, skeleton, mesh, character or image of a file. The JSON texts are members of an object, without its braces. */
struct index_asset {
    struct asset_id id;
    enum asset_kind kind;
    uint32_t inner; /* its place in the document: clips[inner] */
    const char *name;
    const char *summary; /* what a list shows of it: "duration" … of a clip, "joint_count" of a skeleton */
    const char *notes;   /* "warnings", "extras" of a clip; "" otherwise */
    enum pose_axes axes;
    float duration, fps; /* fps 0: none */
    uint32_t joint_count, event_count;
    /* Names (or ids) of a clip's tracks and of a mesh's bones (0: it has neither); of a skeleton's joints and aliases,
     * sorted, each once. joint_count counts the same things. */
    uint32_t known_count;
    const uint64_t *known;
    uint32_t
        moving_count; /* how many of the first of a clip's are of tracks that move joints; of a mesh's: all */
    uint64_t rest;    /* of a skeleton: its rest pose, hashed */
    const char *actor; /* that a clip says it is of, see struct pose_naming; NULL */
    /* What it is found by, of texts.h; NULL or "": nothing. */
    const char *words;  /* folded (fold.h): names of joints, and of events */
    const char *events; /* of a clip: the types of its events, each with a line feed after it */
    int8_t loop;        /* of a clip: 1, 0, or -1 where the format has no flag */
    /* By what lies in the same archive (link.h). */
    const char *own_name;            /* its name without that, NULL: the same */
    const struct asset_id *skeleton; /* of its character, NULL: not known */
    int64_t events_entry,
        event_set;      /* where its events are: an entry (-1: nowhere), and which set of it (-1: all) */
    int64_t skin_entry; /* of a mesh that is whole with another one only, see body.h; -1: it is by itself */
};

struct index_entry {
    atomic_uint references;
    struct region region;
    const char *name; /* inside the archive */
    uint64_t size;
    const char *kind;               /* "clip" … "other" */
    const char *format;             /* NULL: none that is known */
    const char *game;               /* forced by the archive, NULL */
    const struct pose_error *error; /* why it could not be read, NULL */
    struct file_stamp stamp;        /* of a file of a folder */
    struct asset_id content;        /* of all that the document depends on: the key of the decoded document */
    bool is_copy;                   /* of an entry before it, which is the one that is decoded */
    bool wants_companions;          /* it asked for companion files: to be read again when others change */
    struct asset_id beside;         /* of the stamps of those that lie beside a loose file, zeros: none */
    uint32_t asset_count;
    struct index_asset *assets;
    struct pose_bytes facts; /* that linking needs, see pose_facts */
};

/* An entry that others call by a number, see pose_resource_id. */
struct index_resource {
    const char *format;
    uint64_t id;
    uint32_t entry;
};

/* A name, and the id by which clips call the morph, see pose_archive_morph. */
struct index_morph {
    uint32_t id;
    const char *name;
};

struct index_archive {
    atomic_uint references;
    struct region region;
    struct asset_id id;
    const char *name;
    const char *format;                      /* "folder", "file", or of the library */
    const char *path;                        /* on the machine */
    const char *root;                        /* the PATH that it came from */
    const char *source;                      /* "path" or "upload" */
    const char *forced_format, *forced_game; /* of an upload, as the client said; NULL */
    uint64_t bytes;
    uint64_t wanted_bytes;   /* of a container: what its entries that are decoded unpack to */
    struct file_stamp stamp; /* of a file */
    struct file_bytes map;   /* of a container */
    struct blob *blob;       /* of an upload: owned, and what map lends */
    int64_t created_ms; /* since 1970: of an upload when it came, else when its files were last written to */
    struct asset_id digest; /* of all that lists show of it, see archive_seal; zeros: not yet */
    struct pose_archive *archive;
    const struct pose_error *error; /* a container that could not be opened */
    uint32_t entry_count, entry_capacity;
    struct index_entry **entries; /* its own, then those of the containers in it */
    uint32_t nested_count;
    struct index_nested **nested;
    uint32_t morph_count;
    const struct index_morph *morphs; /* what its name maps may call morphs, sorted by id */
    bool linked;                      /* index_link was here */
    uint32_t resource_count;
    const struct index_resource *resources; /* sorted by format, id and entry */
    struct pose_document *
        *kept;               /* entry_count, or NULL: what index_upload_kept decoded and index_decode lends */
    struct name_slot *names; /* entry_count slots sorted by the hash of the base name in lower case */
};

struct index_cache;

struct index_options {
    /* Takes over the document of an entry once its row is made; called by many threads at once. NULL: it is freed. */
    void (*keep)(void *user, const struct index_entry *entry, struct pose_document *document);
    void *keep_user;
    struct pose_options pose;
    struct index_cache *cache; /* for index_paths: of earlier runs, NULL: none */
    unsigned threads;
    uint32_t max_entries;      /* of an upload */
    uint32_t max_path_entries; /* of a PATH, and of a container there; 0: no bound */
    double deadline;           /* by clock_seconds, for index_bytes: over it is limit "max-time"; 0: none */
};

/* What a PATH, or all of them, gave. */
struct index_result {
    uint32_t count;
    struct index_archive **archives; /* referenced */
    uint32_t directory_count;
    char **directories;  /* to be watched, full paths */
    uint32_t over_count; /* PATHs with more files than max_path_entries: what was listed is */
    uint32_t lost_count; /* PATHs of an earlier index that are not there any more */
    bool unsettled;      /* files that may still be written were passed over: index again soon */
};

enum { INDEX_SETTLE_MS = 300 };

/*
 * Indexes PATHs in the order given: a folder, then the containers below it. before (may be NULL) lends what did not
 * change; with it, files that were written to within the last INDEX_SETTLE_MS are left for the next time. Of a folder with
 * more files than there may be, those are listed that were (without before: that were found first). False with error when
 * (without before) a PATH is not there, or memory is out.
 */
bool index_paths(const char *const *paths, size_t count, const struct index_options *options,
                 const struct index_result *before, struct index_result *result, struct pose_error *error);
void index_release(struct index_result *result);

/* Archives in which one file finds its companions. */
struct index_neighbours {
    struct index_archive *const *archives;
    uint32_t count;
};

/*
 * An archive of bytes that are in memory (and outlive it): a container with the containers in it, or one file as format
 * "file". format and game (NULL: found out) force those of a file; neighbours (NULL: none) have companions that are
 * not in it. error of the archive is set when it cannot be opened or is over a limit.
 */
struct index_archive *index_bytes(const char *name, struct pose_bytes bytes, const char *format,
                                  const char *game, const struct index_neighbours *neighbours,
                                  const struct index_options *options);

/* The morph of that id by the name maps of archives; NULL when none names it. */
const char *index_morph_name(struct index_archive *const *archives, uint32_t count, uint32_t id);

void index_archive_ref(struct index_archive *archive);
void index_archive_unref(struct index_archive *archive);

/* The raw bytes of an entry. False with error ("changed" when the file on disk is no longer the one indexed). */
bool index_read(const struct index_archive *archive, uint32_t entry, struct pose_buffer *out,
                struct pose_error *error);

/* The size of an archive's file, or of all files of a folder. */
uint64_t index_bytes_of(const struct index_archive *archive);

/* When an upload came; before others see it. */
void index_set_created(struct index_archive *archive, int64_t created_ms);

/* Looks for companions: in the archive of an entry (its folder first), beside a loose file, then in others. A name with
 * slashes is a path below the folder of the entry, and found nowhere else. */
struct companion_finder {
    const struct index_archive *own;
    uint32_t entry; /* who asks; never found itself */
    struct index_archive *const *others;
    uint32_t other_count;
    uint32_t found_count; /* what was found, freed by finder_release */
    struct pose_buffer *found;
    char **found_names;
    struct asset_id beside; /* of the stamps of what was found beside a loose file, zeros: nothing */
    bool asked;
    bool no_memory; /* something was not found for want of it */
};

/* For struct pose_source.find, with the finder as user. */
bool finder_find(void *finder, const char *name, struct pose_bytes *bytes);
void finder_release(struct companion_finder *finder);

/* The bytes and the companions of an entry, decoded, or what was kept of its first decoding. For index_document_free. */
struct pose_document *index_decode(const struct index_archive *archive, uint32_t entry,
                                   struct index_archive *const *others, uint32_t other_count,
                                   const struct pose_options *options, struct pose_error *error);

/* Frees a document of index_decode, unless the archive keeps it. */
void index_document_free(const struct index_archive *archive, uint32_t entry, struct pose_document *document);
/* How often a file was decoded since the start. */
uint64_t index_decodes(void);

/* How a track's or joint's name is hashed in known: without case for The Sims, ids where there are any. */
uint64_t known_name(enum pose_axes axes, const char *name);
uint64_t known_id(uint32_t id);
/* How many of the clip's tracks that move joints, or of the mesh's bones, the skeleton knows. */
uint32_t known_matches(const struct index_asset *skeleton, const struct index_asset *clip);

#endif
