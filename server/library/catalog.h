/*
 * Everything that is served at one moment: an immutable snapshot over the index, built separately and then swapped
 * in. Look-ups are lock-free.
 *
 * An upload is appended: the next snapshot shares the previous one's tables and extends them. A reader may
 * therefore find entries of a later snapshot and must ignore numbers beyond its own count. A deletion marks what it
 * takes away with the generation from which on it is gone; what is gone is skipped, and nothing that it points to may
 * be read. A change of a PATH is as much: the archives that changed are replaced, in an array of archives of their own for
 * this snapshot and those that follow it, and what they held before or hold now gets a new item. Tables are built anew when
 * they are full, and when containers come.
 *
 * A partial snapshot holds all archives of the PATHs, and of the uploads only those that are at hand: others are in the
 * database, and join when somebody asks for them. What is asked for by an id and is not surely there as a whole is a
 * miss (misses.h). An item is whole when all uploads that hold it are at hand in their order of arrival, or as many of
 * them as are ever looked at.
 */
#ifndef POSED_SERVER_LIBRARY_CATALOG_H
#define POSED_SERVER_LIBRARY_CATALOG_H

#include "server/library/index/index.h"
#include "server/library/snapshot/catalog_names.h"
#include "server/library/snapshot/misses.h"

#include <pthread.h>

struct catalog_place {
    uint32_t archive, entry; /* indices in the snapshot and in the archive */
};

struct catalog_item;

/* Of an asset in more uploads than that only the first are looked at, and loaded: the others know it by archive=. */
enum { CATALOG_MOST_UPLOADS = 16 };

/* The places of an asset that is at several, including the first. */
struct catalog_places {
    uint32_t capacity;
    atomic_uint count;
    struct catalog_place *places; /* [capacity], by archive */
    struct catalog_item *first;   /* the item at the first */
    struct catalog_item *others;  /* [capacity - 1] the items at the further places, see catalog_item_at */
    struct catalog_places *older; /* the block that it replaced, which readers may still use; NULL: none */
};

/* An asset and every place where its bytes are; the first place is the main one. */
struct catalog_item {
    struct asset_id id; /* that of the asset, which may be gone */
    const struct index_asset *asset;
    struct catalog_place place;
    _Atomic(struct catalog_places *) places; /* NULL: only the first */
    _Atomic int64_t skeleton;                /* result of skeleton=auto, see choose.c */
    _Atomic uint64_t gone; /* the generation from which on no place is left; 0: it is there */
    _Atomic uint64_t
        whole; /* of a partial snapshot: the generation from which on it is whole; 0: it is not known to be */
    uint64_t number; /* sequence number, in memory only */
    uint32_t older;  /* the number of the item that it replaces, which earlier snapshots have; 0: none */
};

/* Items as they lie in the tables, where nobody but who builds snapshots looks (tables.h): of what is gone nothing that an
 * item points to may be read. */
struct catalog_items;

/* Whether an upload may leave. */
struct catalog_use {
    atomic_bool is_used; /* since it was last looked at, see catalog_leave */
    uint32_t weight;     /* what it counts for catalog_held */
};

struct catalog_list {
    uint32_t count; /* of items, among them those that are gone */
    uint32_t present;
    struct catalog_items *items; /* in the order of archives and entries; see catalog_next */
    bool is_in_order;            /* which is also the order of their numbers */
    uint32_t of_paths_count;     /* not for clips: the items whose first place is of a PATH, by index */
    uint32_t *of_paths;
    uint32_t slot_count; /* a power of two */
    atomic_uint *slots;  /* open addressing by id: index + 1 */
};

/* A built-in skeleton. */
struct shipped_skeleton {
    struct index_asset asset;
    struct pose_document *document;
};

struct catalog {
    atomic_uint references;
    uint64_t generation;
    struct asset_id digest; /* of everything that lists depend on: their ETag */
    struct asset_id
        shown; /* the digest that rows of lists name; that of the published one beside which this is a view */
    uint64_t sums[2];      /* the sums it is computed from, unless catalog_set_version was called */
    struct asset_id epoch; /* of the store's list of uploads, and its version that this shows */
    uint64_t version;
    struct asset_id context; /* of the PATHs, see struct index_result */
    struct asset_id paths;   /* digest of the archives of the command line */
    struct catalog_tables *tables;
    struct catalog *older, *newer;   /* that share the tables */
    struct catalog_retired *removed; /* a draft's */
    uint32_t path_changes;           /* how often skeletons of PATHs have changed, see choose.c */
    uint64_t path_sums[2];           /* the sums `paths` is computed from */
    struct catalog_block *block;     /* shared with snapshots in which no PATH differs: */
    struct catalog_memo *memo;       /* of a partial snapshot; NULL: everything is there */
    uint32_t archive_count;          /* among them those that are gone: see catalog_archive */
    uint32_t archives_present;
    struct index_archive **archives; /* those of the command line first */
    struct asset_id *archive_ids;
    struct catalog_use *uses;        /* [archive_count] */
    _Atomic uint64_t *archives_gone; /* like those of items */
    uint64_t *archive_numbers;       /* like those of items */
    uint32_t archive_slot_count;     /* like that of a list */
    atomic_uint *archive_slots;
    uint64_t next_number;
    uint32_t path_count; /* how many are from the command line */
    bool has_morphs;     /* some archive has morph names, see index_morph_name */
    struct catalog_list lists[ASSET_KIND_COUNT];
    struct catalog_names names;             /* of clips */
    const struct shipped_skeleton *shipped; /* static storage */
    uint32_t shipped_count;
};

/* A snapshot over archives, which it references; NULL if out of memory. before (NULL: none) is the
 * snapshot that it replaces: assets that were in it keep their numbers. */
struct catalog *catalog_new(struct index_archive *const *archives, uint32_t count, uint32_t path_count,
                            const struct catalog *before, const struct shipped_skeleton *shipped,
                            uint32_t shipped_count);
/* The same with further archives behind those of a snapshot, as seen beside it: with its generation. */
struct catalog *catalog_with(const struct catalog *catalog, struct index_archive *const *more,
                             uint32_t count);
/* The snapshot with one more archive at the end, at a cost proportional to that archive; all tables are
 * rebuilt when they are full. Only for the latest snapshot, and one thread at a time. NULL if out of
 * memory. */
struct catalog *catalog_append(const struct catalog *catalog, struct index_archive *archive);
/* The snapshot without those archives, in ascending order, none of which may be one of the command line, at a cost
 * proportional to them; all tables are rebuilt when half of them is gone. Like catalog_append otherwise. */
struct catalog *catalog_remove_all(const struct catalog *catalog, const uint32_t *archives, uint32_t count);
/* Releases a snapshot that was never published. The place of an appended archive in the tables stays empty; what was
 * removed is there again. Only for the thread that made it; NULL is allowed. */
void catalog_give_up(struct catalog *draft);
/* The snapshot with other archives of PATHs, at a cost proportional to what differs in them, but for copies of arrays of
 * archives. NULL if that cannot be done, or out of memory: they then have to be built anew. */
struct catalog *catalog_change_paths(const struct catalog *catalog, struct index_archive *const *paths,
                                     uint32_t count);
/* Whether they are the ones it has. */
bool catalog_has_paths(const struct catalog *catalog, struct index_archive *const *paths, uint32_t count);
/* Call it before others see the draft. */
void catalog_publish(struct catalog *draft);
void catalog_ref(struct catalog *catalog);
void catalog_unref(struct catalog *catalog);

/* Marks an archive as used, so that it does not leave soon: see catalog_leave. What finds an item does so itself. */
void catalog_use(const struct catalog *catalog, uint32_t archive);
/* The archive of that index, NULL if it is gone. */
const struct index_archive *catalog_archive(const struct catalog *catalog, uint32_t index);
/* All archives that are at hand, from malloc; NULL if out of memory. */
struct index_archive **catalog_list_archives(const struct catalog *catalog, uint32_t *count);
/* A digest of what lists show of an archive and, for one of the command line, of its place. */
struct asset_id catalog_archive_digest(const struct catalog *catalog, uint32_t index);
/* The time of an item: of its upload, or of its file's last modification. Milliseconds since 1970. */
int64_t catalog_created(const struct catalog *catalog, const struct catalog_item *item);
/* Walks the items of a kind (not of clips) whose first place is of a PATH; NULL at the end. Begin with 0. */
struct catalog_item *catalog_next_of_paths(const struct catalog *catalog, enum asset_kind kind,
                                           uint32_t *next);
/* Walks all items of a kind that are there and not missed, each as seen at its first place; NULL at the end. Begin with
 * 0. */
struct catalog_item *catalog_next(const struct catalog *catalog, enum asset_kind kind, uint32_t *next);
/* The first of them; NULL if there is none. */
struct catalog_item *catalog_first(const struct catalog *catalog, enum asset_kind kind);
/* The index of a skeleton in its list: of the item of the list itself, as catalog_next_of_paths has it. */
uint32_t catalog_skeleton_index(const struct catalog *catalog, const struct catalog_item *item);
/* The item of that index in its list as seen at its first place, NULL if it is gone. */
struct catalog_item *catalog_listed(const struct catalog *catalog, enum asset_kind kind, uint32_t index);
/* The same by its id, with its index if that is not NULL. */
struct catalog_item *catalog_find_index(const struct catalog *catalog, enum asset_kind kind,
                                        const struct asset_id *id, uint32_t *index);
/* NULL if there is none, or it was missed. */
struct catalog_item *catalog_find(const struct catalog *catalog, enum asset_kind kind,
                                  const struct asset_id *id);
/* The item as far as it is at hand; NULL if it is not. For those who build snapshots and what follows from them. */
struct catalog_item *catalog_at_hand(const struct catalog *catalog, enum asset_kind kind,
                                     const struct asset_id *id);
const struct index_archive *catalog_find_archive(const struct catalog *catalog, const struct asset_id *id,
                                                 uint32_t *index);

/* Whether an archive of that id is at hand; with its index. */
bool catalog_has_archive(const struct catalog *catalog, const struct asset_id *id, uint32_t *index);
/* Whether the archive of that index is in this snapshot. */
bool tables_has_archive(const struct catalog *catalog, uint32_t index);
/* The item at that place, which is in an archive of this snapshot; NULL if it is not there. */
struct catalog_item *catalog_find_at(const struct catalog *catalog, enum asset_kind kind,
                                     const struct asset_id *id, struct catalog_place place);

/* Digest of all that an asset of that archive may use: the archive (UINT32_MAX: none), and the command line. */
struct asset_id catalog_reach(const struct catalog *catalog, uint32_t archive);

/* The entry at a place. */
const struct index_entry *catalog_entry(const struct catalog *catalog, struct catalog_place place);

/* Walks the places of an item that are in this snapshot; false at the end. Begin with an empty walk. */
struct place_walk {
    uint32_t next;
    struct catalog_place place;
    const struct catalog_item *item; /* at that place */
};
bool catalog_next_place(const struct catalog *catalog, const struct catalog_item *item,
                        struct place_walk *walk);

/* Walks the clips of a name, at each of their places; begin with NULL. */
const struct catalog_named *catalog_next_named(const struct catalog *catalog, const char *name,
                                               const struct catalog_named *before);

/* Whether that is the clip's name, its entry's name, or its id. */
bool catalog_is_called(const struct catalog *catalog, const struct catalog_item *item, const char *name,
                       size_t length);

/*
 * An item of a list as seen at one of its places: related assets are searched from there, and its metadata is that
 * of the archive there. NULL if it is not at that place.
 */
struct catalog_item *catalog_item_at(struct catalog_item *item, struct catalog_place place);
/* The same at its first place in that archive, which is in this snapshot. */
struct catalog_item *catalog_item_in(struct catalog_item *item, uint32_t archive);

/* Whether an asset at one place may be used for one at another: the first is in the same archive or from
 * the command line. Uploads never use assets of other uploads. */
bool catalog_reaches(const struct catalog *catalog, struct catalog_place from, struct catalog_place to);

/* The name of the morph with that hash, from the clip's own archive, else from the command line; NULL if
 * unknown. */
const char *catalog_morph_name(const struct catalog *catalog, struct catalog_place clip, uint32_t hash);

/* The skeleton that a clip is played on: from an archive, or built-in. */
struct skeleton_choice {
    const struct index_asset *asset;     /* NULL: none */
    const struct catalog_item *item;     /* NULL for a built-in one */
    const struct pose_document *shipped; /* for a built-in one */
    bool elsewhere; /* chosen from several with equally good names and different rest poses */
};

/* Finds a skeleton by id, including built-in ones. */
struct skeleton_choice catalog_find_skeleton(const struct catalog *catalog, const struct asset_id *id);

/* ------------------------------------------------------------------------------------ partial snapshots -- */

/* What the store's list of uploads was when this was made: from now on the digest is made of it and of the PATHs. */
void catalog_set_version(struct catalog *draft, const struct asset_id *epoch, uint64_t version);
/* Makes a snapshot, and those that follow it, a partial one. */
void catalog_be_partial(struct catalog *draft, struct catalog_memo *memo);
/* Says that an item is whole from this snapshot on. */
void catalog_set_whole(const struct catalog *catalog, struct catalog_item *item);
/* Whether it is in this snapshot. */
bool catalog_is_whole(const struct catalog *catalog, const struct catalog_item *item);
/* What is remembered of what this archive is part of does not hold any more: the next snapshot does not have it. A reader
 * who has it will look for what it has, and find it. */
void catalog_forget(const struct catalog *catalog, uint32_t archive);
/* Says so of all items of PATHs but those that uploads hold as well: of these, what the snapshot before knew. */
struct catalog_key {
    enum asset_kind kind;
    struct asset_id id;
};
void catalog_set_paths_whole(struct catalog *draft, const struct catalog *before,
                             const struct catalog_key *held, size_t count);
/* The same of the items that a draft of catalog_change_paths has and the snapshot before has not: all, and which of them
 * is not. */
void catalog_set_new_whole(struct catalog *draft, const struct catalog *before,
                           bool (*is_held)(void *user, const struct catalog_key *key), void *user);

/* Bytes of the uploads at hand. */
uint64_t catalog_held(const struct catalog *catalog);
/* The uploads that have to leave so that so many bytes are left, in ascending order, from malloc: those that were not used
 * for longest, roughly. NULL if there are none, or out of memory. One thread at a time. */
uint32_t *catalog_leave(const struct catalog *catalog, uint64_t most, uint32_t *count);

/* ------------------------------------------------------------------------- for those who build snapshots -- */

/* -------------------------------------------------------------------------------------------- built-in -- */

/* The built-in skeletons, in static storage. Stand-ins that cannot be built are left out. */
const struct shipped_skeleton *shipped_skeletons(uint32_t *count);

#endif
