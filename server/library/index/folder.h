/*
 * A folder of a PATH, version by version. An entry keeps its slot in `entries` as long as it is there, and the next version
 * shares with the one before all that has not changed: entries in groups, names and order if no file came or went. What is
 * left of an entry that is gone is an empty slot, which the next new file takes. So a change costs what changed, and
 * copies of a few arrays of numbers.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_FOLDER_H
#define POSED_SERVER_LIBRARY_INDEX_FOLDER_H

#include "server/library/index/index.h"

struct folder_group;
struct folder_order;

struct index_folder {
    uint64_t line;    /* versions of one line have the same entries in the same slots, but for what changed */
    uint32_t present; /* entries, without empty slots */
    uint32_t group_count;
    struct folder_group **groups; /* which own the entries; NULL: the archive is being made */
    struct folder_order *order;
    /* While it is made: the version before, whose entries it borrows, and the slots that are its own. */
    struct index_archive *parent;
    uint32_t touched_count;
    uint32_t *touched;
    /* Of what was listed below the folder, containers included, and of what lists show; the order does not matter. */
    uint64_t listing[2], content[2];
    uint64_t bytes;
    int64_t newest_ns;
    uint32_t wanting; /* entries that want companions */
};

/* A file that came, went (no stamp) or changed. */
struct folder_change {
    char *name; /* below the folder */
    bool is_gone;
    struct file_stamp stamp;
    int64_t slot; /* -1: a new one, then where it went */
};

/* Makes a new archive for a folder one that has versions; false if out of memory. */
bool folder_begin(struct index_archive *archive);
/* The version after one that is sealed, with a plain entry for each change; NULL if out of memory. */
struct index_archive *folder_next(struct index_archive *parent, struct folder_change *changes,
                                  uint32_t count);
/* What is NULL among the slots that are its own is an empty slot from now on. */
void folder_settle(struct index_archive *archive);
/* The last step of making a version; false if out of memory. */
bool folder_seal(struct index_archive *archive);
/* How many entries were freed with it. */
uint32_t folder_release(struct index_archive *archive);

/* Sorts the names of all entries. */
bool folder_sort_names(struct index_archive *archive);

/* The slot of the file of that name; -1: there is none. */
int64_t folder_find(const struct index_archive *archive, const char *name);
/* The position, in the order of names, of the first one that is not less. */
uint32_t folder_lower_bound(const struct index_archive *archive, const char *name);

/* Adds a file to what was listed, or takes it away. */
void folder_count_listed(struct index_archive *archive, const char *name, const struct file_stamp *stamp,
                         bool is_added);

/* Whether both have the same entry in that slot. */
bool folder_same_slot(const struct index_archive *a, const struct index_archive *b, uint32_t slot);
/* Whether slots of both mean the same. */
bool folder_same_line(const struct index_archive *a, const struct index_archive *b);

#endif
