/* Indexing one entry: decode it once, keep what lists and look-ups need, let the document go. */
#ifndef POSED_SERVER_LIBRARY_INDEX_ENTRY_H
#define POSED_SERVER_LIBRARY_INDEX_ENTRY_H

#include "server/library/index/index.h"

/* What is known of an entry before its bytes are looked at. */
struct entry_facts {
    const char *name;
    uint64_t size;
    const char *kind, *format, *game, *skipped;
    bool is_copy; /* of an entry before it */
    const struct pose_error *error;
    struct file_stamp stamp;
};

/* Those that the directory of a container says. */
struct entry_facts entry_facts_of(const struct pose_archive *container, uint32_t index);

/* An entry whose bytes are not to be decoded: skipped, a copy, broken in the directory, or of a kind that the archive
 * names. */
struct index_entry *index_entry_plain(const struct entry_facts *facts);
/* An entry decoded from its bytes. finder is where its companions are looked for. */
struct index_entry *index_entry_decode(const struct entry_facts *facts, struct pose_bytes bytes,
                                       struct companion_finder *finder, const struct index_options *options);
/* What a list and skeleton=auto need to know of a skeleton; asset is zeroed or has its name. */
void index_summarise_skeleton(struct region *region, const struct pose_skeleton *skeleton,
                              struct index_asset *asset);
void index_entry_ref(struct index_entry *entry);
void index_entry_unref(struct index_entry *entry);

/* pose_decode, and counts it. */
struct pose_document *index_pose_decode(const struct pose_source *source, const struct pose_options *options,
                                        struct pose_error *error);

#endif
