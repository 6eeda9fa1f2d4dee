/* Indexes one entry: decodes it once, keeps what lists and look-ups need, and frees the document. */
#ifndef POSED_SERVER_LIBRARY_ENTRY_ENTRY_H
#define POSED_SERVER_LIBRARY_ENTRY_ENTRY_H

#include "server/library/index/index.h"

/* What is known about an entry before its bytes are read. */
struct entry_facts {
    const char *name;
    uint64_t size;
    const char *kind, *format, *game, *skipped;
    bool is_copy; /* of an earlier entry */
    const struct pose_error *error;
    struct file_stamp stamp;
};

/* The facts from a container's directory. */
struct entry_facts entry_facts_of(const struct pose_archive *container, uint32_t index);

/* An entry that is not decoded: skipped, a copy, broken in the directory, or of a kind that the archive
 * names. */
struct index_entry *index_entry_plain(const struct entry_facts *facts);
/* An entry decoded from its bytes. finder searches its companions. */
struct index_entry *index_entry_decode(const struct entry_facts *facts, struct pose_bytes bytes,
                                       struct companion_finder *finder, const struct index_options *options);
void index_entry_ref(struct index_entry *entry);
void index_entry_unref(struct index_entry *entry);

/* pose_decode with a counter. */
struct pose_document *index_pose_decode(const struct pose_source *source, const struct pose_options *options,
                                        struct pose_error *error);

#endif
