/* An upload as an archive, and whether it may be kept. */
#ifndef POSED_SERVER_LIBRARY_INDEX_UPLOAD_H
#define POSED_SERVER_LIBRARY_INDEX_UPLOAD_H

#include "server/library/index/index.h"

struct upload_source {
    const char *name;
    struct pose_bytes bytes;   /* outlive the archive */
    const char *format, *game; /* forced, NULL: found out */
    bool has_parts;            /* the bytes are a ZIP of the parts of a multipart upload, */
    struct asset_id id;        /* which have this id */
};

/* Never NULL; what is wrong with it, index_verdict tells. */
struct index_archive *index_upload(const struct upload_source *source,
                                   const struct index_neighbours *neighbours,
                                   const struct index_options *options);

/* The same for one request: what is decoded for it stays with the archive (up to MAX_KEPT bytes of it), so that whoever
 * looks further does not decode it again. options->keep is not asked. */
enum { MAX_KEPT = 64 << 20 };
struct index_archive *index_upload_kept(const struct upload_source *source,
                                        const struct index_neighbours *neighbours,
                                        const struct index_options *options);

/* Why an archive is refused: a container that cannot be opened or is over a limit; a loose file (or every part of
 * several) that is broken or of no known format. */
struct index_refusal {
    struct pose_error error;
    const char *format; /* NULL: none was found */
    const char *entry;  /* the part, NULL */
};

/* True when it is sound enough to be kept or described. */
bool index_verdict(const struct index_archive *archive, struct index_refusal *refusal);
/* The same, and false also when there is nothing in it but entries that are over a limit. */
bool index_keepable(const struct index_archive *archive, struct index_refusal *refusal);

#endif
