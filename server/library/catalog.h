/*
 * Everything that is served at one moment: a snapshot over the index, made aside and swapped. Look-ups take no lock.
 *
 * An upload is appended: the next snapshot shares the tables of the one before and counts further in them. So what a reader
 * finds in a table may belong to a later snapshot than its own, and is none of its business: a number beyond its own count.
 * Anything else (a file of a PATH, a deletion) makes new tables.
 */
#ifndef POSED_SERVER_LIBRARY_CATALOG_H
#define POSED_SERVER_LIBRARY_CATALOG_H

#include "server/library/catalog_names.h"
#include "server/library/index/index.h"

struct catalog_place {
    uint32_t archive, entry; /* indices in the snapshot and in the archive */
};

struct catalog_item;

/* Where an asset lies that lies in several places, the first included. */
struct catalog_places {
    uint32_t capacity;
    atomic_uint count;
    struct catalog_place *places; /* [capacity], by archive */
    struct catalog_item *others;  /* [capacity - 1] the same as at the further places, see catalog_item_at */
};

/* An asset, and every place where its bytes lie; the first one counts. */
struct catalog_item {
    const struct index_asset *asset;
    struct catalog_place place;
    _Atomic(struct catalog_places *) places; /* NULL: only there */
    _Atomic int64_t skeleton;                /* what auto resolves to, see choose.c */
    uint64_t number; /* in which order it came; it keeps it as long as it is somewhere */
};

struct catalog_list {
    uint32_t count;
    struct catalog_item *items; /* in the order of archives and entries */
    bool is_in_order;           /* which is that of their numbers */
    uint32_t slot_count;        /* a power of two */
    atomic_uint *slots;         /* open addressing by id: index + 1 */
};

/* A skeleton that the library ships. */
struct shipped_skeleton {
    struct index_asset asset;
    struct pose_document *document;
};

struct catalog {
    atomic_uint references;
    uint64_t generation;
    struct asset_id digest; /* of all that lists depend on: their ETag */
    uint64_t sums[2];       /* that it is made of */
    struct catalog_tables *tables;
    uint32_t archive_count;
    struct index_archive **archives; /* those of the command line first */
    uint64_t *archive_numbers;       /* as those of items */
    uint32_t archive_slot_count;     /* as those of a list */
    atomic_uint *archive_slots;
    uint64_t next_number;
    uint32_t path_count; /* how many are of the command line */
    bool has_morphs;     /* some archive names morphs, see index_morph_name */
    struct catalog_list lists[ASSET_KIND_COUNT];
    struct catalog_names names;             /* of clips */
    const struct shipped_skeleton *shipped; /* static for the life of the process */
    uint32_t shipped_count;
};

/* A snapshot over archives, which it refers to; NULL when there is no memory for it. before (NULL: none) is the one whose
 * place it will take: what was there keeps its number. */
struct catalog *catalog_new(struct index_archive *const *archives, uint32_t count, uint32_t path_count,
                            const struct catalog *before, const struct shipped_skeleton *shipped,
                            uint32_t shipped_count);
/* The snapshot with one more archive behind all others, for what is in it alone; a new one over all where the tables are
 * full. One thread at a time, and only of the latest snapshot. NULL: no memory. */
struct catalog *catalog_append(const struct catalog *catalog, struct index_archive *archive);
/* Gives back a snapshot that nobody else has seen, and with it the hold on what was appended, whose place in the tables
 * stays empty. By the thread that appends; NULL is fine. */
void catalog_give_up(struct catalog *draft);
void catalog_ref(struct catalog *catalog);
void catalog_unref(struct catalog *catalog);

/* NULL when there is none. */
struct catalog_item *catalog_find(const struct catalog *catalog, enum asset_kind kind,
                                  const struct asset_id *id);
const struct index_archive *catalog_find_archive(const struct catalog *catalog, const struct asset_id *id,
                                                 uint32_t *index);

/* The entry at a place. */
const struct index_entry *catalog_entry(const struct catalog *catalog, struct catalog_place place);

/* The places of an item that this snapshot knows. */
struct place_list {
    uint32_t count;
    const struct catalog_place *items;
};
struct place_list catalog_places(const struct catalog *catalog, const struct catalog_item *item);

/* A clip may be called by its name, by that of its entry, or by its id. */
bool catalog_is_called(const struct catalog *catalog, const struct catalog_item *item, const char *name,
                       size_t length);

/*
 * An item of a list as it is at one of its places: what it needs is looked for from there, and what is known of it is what
 * that archive says. NULL when it is not there.
 */
struct catalog_item *catalog_item_at(struct catalog_item *item, struct catalog_place place);
/* The same at its first place in that archive. */
struct catalog_item *catalog_item_in(struct catalog_item *item, uint32_t archive);

/* True when what lies at one place may serve what lies at another: it is in the same archive or of the command line. An
 * upload never reaches into another upload. */
bool catalog_reaches(const struct catalog *catalog, struct catalog_place from, struct catalog_place to);

/* The morph of that hash as the clip's own archive names it, else those of the command line; NULL when none does. */
const char *catalog_morph_name(const struct catalog *catalog, struct catalog_place clip, uint32_t hash);

/* A skeleton that a clip is put on: of an archive, or shipped. */
struct skeleton_choice {
    const struct index_asset *asset;     /* NULL: none */
    const struct catalog_item *item;     /* NULL when it is shipped */
    const struct pose_document *shipped; /* of a shipped one */
    bool elsewhere; /* taken from among several that its name does not tell apart and that rest differently */
};

/* One by id, shipped ones included. */
struct skeleton_choice catalog_find_skeleton(const struct catalog *catalog, const struct asset_id *id);

/* The skeletons that the library ships; for the life of the process. Stand-ins that cannot be made are left out. */
const struct shipped_skeleton *shipped_skeletons(uint32_t *count);

#endif
