/*
 * Containers inside of a container, one level deep: their entries become entries of the outer archive, after its own,
 * called "OUTER/INNER". While an archive is indexed they are held open; afterwards only those that lie in it plainly,
 * and the others are unpacked again by whoever reads from them.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_NESTED_H
#define POSED_SERVER_LIBRARY_INDEX_NESTED_H

#include "server/library/index/entry.h"

struct index_nested {
    uint32_t entry;               /* of the outer archive: the container */
    uint32_t first, count;        /* its entries there */
    struct pose_buffer bytes;     /* while it is open */
    struct pose_archive *archive; /* NULL: closed */
};

/* Opens what an entry unpacked to, which is taken over (and emptied) when that works; from malloc, NULL with error. */
struct index_nested *nested_open(uint32_t entry, const char *name, struct pose_buffer *bytes,
                                 const struct pose_options *options, struct pose_error *error);
/* One that was not attached. */
void nested_free(struct index_nested *nested);
/* Gives its entries to the archive, undecoded, and takes nested over. False when there is no memory for them. */
bool nested_attach(struct index_archive *archive, struct index_nested *nested);

/* How many of the archive's entries are its own: the others are of nested ones. */
uint32_t nested_own_count(const struct index_archive *archive);
/* What the directory of the nested container says of an entry that is not the archive's own; it is open. */
struct entry_facts nested_facts(const struct index_archive *archive, uint32_t entry);
bool nested_read(const struct index_archive *archive, uint32_t entry, const struct pose_options *options,
                 struct pose_buffer *out, struct pose_error *error);

/* Closes those that hold memory of their own. */
void nested_close(struct index_archive *archive);
void nested_release(struct index_archive *archive);

#endif
