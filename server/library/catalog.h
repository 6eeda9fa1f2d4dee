/*
 * Everything that is served at one moment: an immutable snapshot over the index, built separately and then swapped
 * in. Look-ups are lock-free.
 *
 * An upload is appended: the next snapshot shares the previous one's tables and extends them. A reader may
 * therefore find entries of a later snapshot and must ignore numbers beyond its own count. A deletion marks what it
 * takes away with the generation from which on it is gone; what is gone is skipped, and nothing that it points to may
 * be read. Any change of a PATH builds new tables.
 *
 * The contents of an upload may leave memory (rest.c). Whoever asks for an archive, an item or a place through the
 * functions below gets them back first; they then stay as long as the snapshot is referenced. What only its sketch is
 * needed for (its id, its names) does not fetch them.
 */
#ifndef POSED_SERVER_LIBRARY_CATALOG_H
#define POSED_SERVER_LIBRARY_CATALOG_H

#include "server/library/snapshot/catalog_names.h"
#include "server/library/snapshot/sketch.h"

#include <pthread.h>

struct catalog_place {
    uint32_t archive, entry; /* indices in the snapshot and in the archive */
};

struct catalog_item;

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
    struct asset_id id;              /* that of the asset, which may be gone */
    const struct index_asset *asset; /* not to be read while the archive of the place is at rest */
    struct catalog_place place;
    _Atomic(struct catalog_places *) places; /* NULL: only the first */
    _Atomic int64_t skeleton;                /* result of skeleton=auto, see choose.c */
    _Atomic uint64_t gone; /* the generation from which on no place is left; 0: it is there */
    uint64_t number;       /* sequence number, kept as long as the asset exists anywhere */
};

/* An archive whose contents may leave memory. */
struct catalog_rest {
    _Atomic uint64_t since;      /* the generation from which on they are not in memory; 0: they are */
    struct index_sketch *sketch; /* NULL: they always are */
    atomic_bool is_used;         /* since it was last looked at, see catalog_put_to_rest */
    uint32_t weight;             /* of the contents that are in memory; guarded by the lock of the tables */
};

/* Makes the contents of a sketched upload again; NULL if that is not possible. Called by any thread, by one at a time. */
struct catalog_loader {
    pthread_mutex_t lock; /* so that nothing is loaded twice */
    struct index_archive *(*load)(void *user, struct index_sketch *sketch);
    void *user;
    atomic_uint_fast64_t loaded, rested; /* how many came back, and left, for the metrics */
};

struct catalog_list {
    uint32_t count; /* of items, among them those that are gone: see catalog_listed */
    uint32_t present;
    struct catalog_item *items; /* in the order of archives and entries */
    bool is_in_order;           /* which is also the order of their numbers */
    uint32_t slot_count;        /* a power of two */
    atomic_uint *slots;         /* open addressing by id: index + 1 */
};

/* A built-in skeleton. */
struct shipped_skeleton {
    struct index_asset asset;
    struct pose_document *document;
};

struct catalog {
    atomic_uint references;
    uint64_t generation;
    struct asset_id digest;  /* of everything that lists depend on: their ETag */
    uint64_t sums[2];        /* the sums it is computed from */
    struct asset_id context; /* of the PATHs, see struct index_result */
    struct asset_id paths;   /* digest of the archives of the command line */
    struct catalog_tables *tables;
    struct catalog *older, *newer;   /* that share the tables */
    struct catalog_retired *removed; /* a draft's */
    struct catalog_loader *loader;   /* NULL: nothing is at rest */
    uint32_t archive_count;          /* among them those that are gone: see catalog_archive */
    uint32_t archives_present;
    struct index_archive **archives; /* those of the command line first */
    struct catalog_rest *rests;      /* [archive_count] */
    struct asset_id *archive_ids;
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

/* An archive to be in a snapshot. */
struct catalog_part {
    struct index_archive *archive; /* NULL: its contents are at rest */
    struct index_sketch *sketch;   /* for an upload whose contents may be; NULL */
};

/* A snapshot over archives, which it references; NULL if out of memory. before (NULL: none) is the
 * snapshot that it replaces: assets that were in it keep their numbers. */
struct catalog *catalog_new(struct index_archive *const *archives, uint32_t count, uint32_t path_count,
                            const struct catalog *before, const struct shipped_skeleton *shipped,
                            uint32_t shipped_count);
/* The same over parts; none is at rest unless before has a loader. */
struct catalog *catalog_of_parts(const struct catalog_part *parts, uint32_t count, uint32_t path_count,
                                 const struct catalog *before, const struct shipped_skeleton *shipped,
                                 uint32_t shipped_count);
/* The archives that are there, as parts in their order, from malloc; NULL if out of memory. */
struct catalog_part *catalog_parts(const struct catalog *catalog, uint32_t *count);
/* The snapshot with one more archive at the end, at a cost proportional to that archive; all tables are
 * rebuilt when they are full. Only for the latest snapshot, and one thread at a time. NULL if out of
 * memory. */
struct catalog *catalog_append(const struct catalog *catalog, struct index_archive *archive);
/* The snapshot without that archive, which must not be one of the command line, at a cost proportional to it; all tables
 * are rebuilt when half of them is gone. Like catalog_append otherwise. */
struct catalog *catalog_remove(const struct catalog *catalog, uint32_t archive);
/* Releases a snapshot that was never published. The place of an appended archive in the tables stays empty; what was
 * removed is there again. Only for the thread that made it; NULL is allowed. */
void catalog_give_up(struct catalog *draft);
/* Call it before others see the draft. */
void catalog_publish(struct catalog *draft);
void catalog_ref(struct catalog *catalog);
void catalog_unref(struct catalog *catalog);

/* The archive of that index, NULL if it is gone. */
const struct index_archive *catalog_archive(const struct catalog *catalog, uint32_t index);
/* What is known of it without its contents; it must not be gone. */
const char *catalog_archive_name(const struct catalog *catalog, uint32_t index);
int64_t catalog_archive_expires(const struct catalog *catalog,
                                uint32_t index); /* as in struct index_archive */
/* All archives whose contents are in memory, from malloc; NULL if out of memory. */
struct index_archive **catalog_list_archives(const struct catalog *catalog, uint32_t *count);
/* A digest of what lists show of an archive and, for one of the command line, of its place. */
struct asset_id catalog_archive_digest(const struct catalog *catalog, uint32_t index);
/* The time of an item: of its upload, or of its file's last modification. Milliseconds since 1970. */
int64_t catalog_created(const struct catalog *catalog, const struct catalog_item *item);
/* The item of that index in its list as seen at its first place, NULL if it is gone. */
struct catalog_item *catalog_listed(const struct catalog *catalog, enum asset_kind kind, uint32_t index);

/* Its id and its name, without its contents; NULL if it is gone. */
const struct asset_id *catalog_listed_id(const struct catalog *catalog, enum asset_kind kind, uint32_t index);
const char *catalog_listed_name(const struct catalog *catalog, enum asset_kind kind, uint32_t index);
/* Whether it is there and needs not be fetched. What is not at hand is of an upload that no item at hand is in. */
bool catalog_is_at_hand(const struct catalog *catalog, enum asset_kind kind, uint32_t index);

/* The same by its id, with its index if that is not NULL. */
struct catalog_item *catalog_find_index(const struct catalog *catalog, enum asset_kind kind,
                                        const struct asset_id *id, uint32_t *index);
/* NULL if there is none. */
struct catalog_item *catalog_find(const struct catalog *catalog, enum asset_kind kind,
                                  const struct asset_id *id);
/* Whether it is in any archive of this snapshot, be it that its contents cannot be read at the moment. */
bool catalog_has(const struct catalog *catalog, enum asset_kind kind, const struct asset_id *id);
const struct index_archive *catalog_find_archive(const struct catalog *catalog, const struct asset_id *id,
                                                 uint32_t *index);

/* Whether there is an archive of that id; with its index. */
bool catalog_has_archive(const struct catalog *catalog, const struct asset_id *id, uint32_t *index);
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

/* ------------------------------------------------------------------------------------ contents at rest -- */

/*
 * A thread that must not wait gets NULL instead of what would have to be fetched, as if it were not there, and
 * catalog_turn_end says so: what it has done is to be done again by one that may. That also says whether something could
 * not be fetched. Without catalog_turn_begin a thread may wait.
 */
void catalog_turn_begin(bool may_wait);
bool catalog_turn_end(void);
/* Whether something was missed since then (or ever): what follows from it must not be kept. */
bool catalog_turn_missed(void);

/* Bytes of the contents in memory that may leave it. */
uint64_t catalog_held(const struct catalog *catalog);
/*
 * The next snapshot, in which so many bytes of them are left, without those that were not used for longest, roughly. NULL
 * if there is nothing to do, or out of memory. As catalog_remove otherwise.
 */
struct catalog *catalog_put_to_rest(const struct catalog *catalog, uint64_t most);
void catalog_loader_init(struct catalog_loader *loader,
                         struct index_archive *(*load)(void *user, struct index_sketch *sketch), void *user);

/* ------------------------------------------------------------------------- for those who build snapshots -- */

struct catalog_tables;
/* An archive that snapshots of an earlier generation still have. */
struct catalog_retired {
    uint32_t index;
    uint64_t gone;                 /* the generation from which on they do not */
    bool is_at_rest;               /* it is there, but its contents are not in memory */
    struct index_archive *archive; /* once it is taken out of the tables */
    struct catalog_retired *next;
};

/* Shared by consecutive snapshots: all arrays, and references to the archives. */
struct catalog_tables {
    atomic_uint references;
    /* Guards the snapshots that use them, what is to be released when the older are gone, and which contents are in
     * memory. */
    pthread_mutex_t lock;
    struct catalog *oldest, *latest;
    struct catalog_retired *first_retired, *last_retired;
    struct region region;
    uint32_t archive_count, archive_capacity; /* of the latest snapshot */
    uint32_t capacities[ASSET_KIND_COUNT], name_capacity;
    atomic_uint_fast64_t held; /* see catalog_held */
    uint32_t hand;             /* where catalog_put_to_rest goes on */
};

/* Counts the contents of an archive for catalog_held, or not any more. With the lock of the tables held. */
void tables_count_held(const struct catalog *catalog, uint32_t index);
void tables_discount_held(const struct catalog *catalog, uint32_t index);
/* Whether the contents of an archive of this snapshot are not in memory. */
bool tables_is_at_rest(const struct catalog *catalog, uint32_t index);
/* Gets them if they are not; false if that is not possible. */
bool tables_fetch(const struct catalog *catalog, uint32_t index);
/* A draft of the next snapshot that shares the tables; NULL if out of memory. */
struct catalog *tables_share(const struct catalog *catalog);
/* The item as at its first place in this snapshot, which is not fetched; NULL if it has none. */
struct catalog_item *tables_raw_first_of(const struct catalog *catalog, struct catalog_item *item);

uint32_t tables_slot_of(const struct asset_id *id, uint32_t slot_count);
/* The slot of that id, or the empty slot for it. */
atomic_uint *tables_slot(const struct catalog *catalog, const struct catalog_list *list,
                         const struct asset_id *id);
atomic_uint *tables_archive_slot(const struct catalog *catalog, const struct asset_id *id);
/* Whether the archive of that index is in this snapshot. */
bool tables_has_archive(const struct catalog *catalog, uint32_t index);
struct catalog_places *tables_places_of(const struct catalog_item *item);
/* The item as seen at its first place in this snapshot; NULL if it has none. */
struct catalog_item *tables_first_of(const struct catalog *catalog, struct catalog_item *item);

/* -------------------------------------------------------------------------------------------- built-in -- */

/* The built-in skeletons, in static storage. Stand-ins that cannot be built are left out. */
const struct shipped_skeleton *shipped_skeletons(uint32_t *count);

#endif
