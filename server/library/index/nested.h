/*
 * Containers inside a container, one level deep; two where the middle one is no ZIP, since packs of a game are posted
 * in ZIPs. Their entries follow the outer archive's own entries and are named "OUTER/INNER". All are open while
 * the archive is indexed; afterwards only those stored uncompressed stay open, and the others are unpacked again to be
 * read.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_NESTED_H
#define POSED_SERVER_LIBRARY_INDEX_NESTED_H

#include "server/library/entry/entry.h"

struct index_nested {
    uint32_t entry;        /* the container itself: the archive's own, or of another nested one before it */
    uint32_t first, count; /* the range of its entries there */
    struct pose_buffer bytes;     /* while it is open */
    struct pose_archive *archive; /* NULL: closed */
};

/* Opens the unpacked bytes of an entry, which are taken over (and emptied) on success; from malloc, NULL
 * with error. */
struct index_nested *nested_open(uint32_t entry, const char *name, struct pose_buffer *bytes,
                                 const struct pose_options *options, struct pose_error *error);
/* For a container that was not attached. */
void nested_free(struct index_nested *nested);
/* Adds its entries to the archive, undecoded, and takes over nested. False if out of memory. */
bool nested_attach(struct index_archive *archive, struct index_nested *nested);

/* The number of the archive's own entries: the others are in nested containers. */
uint32_t nested_own_count(const struct index_archive *archive);
/* How many nested containers an entry is in: 0 to 2. */
unsigned nested_level(const struct index_archive *archive, uint32_t entry);
/* Whether a container that is this entry may be opened: it is not nested too deep. Those around it must be open. */
bool nested_may_open(const struct index_archive *archive, uint32_t entry);
/* What the directory of the nested container says about an entry that is not the archive's own. It must be
 * open. */
struct entry_facts nested_facts(const struct index_archive *archive, uint32_t entry);
bool nested_read(const struct index_archive *archive, uint32_t entry, const struct pose_stop *stop,
                 struct pose_buffer *out, struct pose_error *error);

/* Closes those that own memory. */
void nested_close(struct index_archive *archive);
void nested_release(struct index_archive *archive);

#endif
