/* Indexes an upload as an archive, and decides whether it may be kept. */
#ifndef POSED_SERVER_LIBRARY_INDEX_UPLOAD_H
#define POSED_SERVER_LIBRARY_INDEX_UPLOAD_H

#include "server/library/index/index.h"

struct upload_source {
    const char *name;
    struct pose_bytes bytes;   /* must outlive the archive */
    const char *format, *game; /* forced; NULL: detected */
    bool has_parts;            /* the bytes are a ZIP of the parts of a multipart upload */
    struct asset_id id;        /* of the parts; for index_upload_recall: of the archive */
};

/* Never NULL; index_verdict reports what is wrong with it. */
struct index_archive *index_upload(const struct upload_source *source,
                                   const struct index_neighbours *neighbours,
                                   const struct index_options *options);

/*
 * The same from what index_pack_archive has made of it: nothing is decoded, and of the bytes only the directory of a
 * container is read. NULL if it is damaged or does not fit: the upload has then to be indexed.
 */
struct index_archive *index_upload_recall(const struct upload_source *source, struct pose_bytes packed,
                                          const struct index_options *options);

/* The same for one request: up to MAX_KEPT bytes of decoded documents stay with the archive, so that later
 * steps do not decode them again. options->keep is not called. */
enum { MAX_KEPT = 64 << 20 };
struct index_archive *index_upload_kept(const struct upload_source *source,
                                        const struct index_neighbours *neighbours,
                                        const struct index_options *options);

/* Why an archive is refused: a container that cannot be opened or is over a limit; a loose file (or every
 * one of several parts) that is broken or of an unknown format. */
struct index_refusal {
    struct pose_error error;
    const char *format; /* NULL: not detected */
    const char *entry;  /* the part, or NULL */
};

/* Whether it is sound enough to be kept or described. */
bool index_verdict(const struct index_archive *archive, struct index_refusal *refusal);
/* The same, but also false if all its entries are over a limit. */
bool index_keepable(const struct index_archive *archive, struct index_refusal *refusal);

#endif
