/*
 * Uploads that wait to be published. They are kept apart from the catalogue, so that nothing which reads it can show
 * them. Who may see some of them gets a view: a catalogue with these behind the published ones.
 */
#ifndef POSED_SERVER_LIBRARY_WAITING_H
#define POSED_SERVER_LIBRARY_WAITING_H

#include "server/library/catalog.h"

struct waiting;

struct waiting *waiting_new(void);
void waiting_free(struct waiting *waiting);
/* How many there are; cheap. */
uint32_t waiting_count(const struct waiting *waiting);

/* These are for the holder of the service's write lock. */

/* Makes room for one more; false if out of memory. */
bool waiting_reserve(struct waiting *waiting);
/* Adds one for which there is room. */
void waiting_add(struct waiting *waiting, struct index_archive *archive);
void waiting_remove(struct waiting *waiting, const struct index_archive *archive);
/* Borrowed; NULL if there is none. */
struct index_archive *waiting_find(const struct waiting *waiting, const struct asset_id *id);
/* The archives, in order of arrival; borrowed until the next change. */
struct index_archive **waiting_archives(struct waiting *waiting, uint32_t *count);
/* Replaces all of them, one by one; takes over the references. */
void waiting_replace(struct waiting *waiting, struct index_archive *const *archives);

enum waiting_answer { WAITING_VIEW, WAITING_NONE, WAITING_MUST_WAIT, WAITING_NO_MEMORY };

/*
 * The view of the uploader of that name, or (NULL) of somebody who sees everything, over the published catalogue. With
 * WAITING_VIEW it must be released by catalog_unref; WAITING_NONE: nothing of theirs waits. The last few views are kept
 * until something changes. may_build: on the pool; otherwise only a kept one is given.
 */
enum waiting_answer waiting_view(struct waiting *waiting, const struct catalog *published, const char *name,
                                 bool may_build, struct catalog **view);

#endif
