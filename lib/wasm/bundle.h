/* The files that were added, and what was found in them. Documents are decoded again when they are needed: an archive of
 * thousands of clips is not held as values. */
#ifndef POSE_WASM_BUNDLE_H
#define POSE_WASM_BUNDLE_H

#include "lib/core/bytes/json_writer.h"

struct bundle_file {
    char *name;
    struct pose_buffer bytes;
    struct pose_archive *archive; /* NULL: a single file */
    unsigned depth;               /* archives around it */
};

/* Where an asset is: in a file, or in an entry of its archive, and the index in the document. */
struct bundle_asset {
    uint32_t file;
    int64_t entry; /* -1: the file itself */
    uint32_t index;
};

enum bundle_kind { BUNDLE_CLIP, BUNDLE_SKELETON, BUNDLE_MESH, BUNDLE_CHARACTER, BUNDLE_IMAGE, BUNDLE_KINDS };

struct bundle_list {
    uint32_t count, capacity;
    struct bundle_asset *assets;
    struct pose_buffer text; /* of the JSON */
    struct json_writer json;
};

struct bundle {
    uint32_t file_count, file_capacity;
    struct bundle_file *files;
    struct bundle_list lists[BUNDLE_KINDS];
    struct pose_buffer rejected_text, warnings_text;
    struct json_writer rejected, warnings;
    uint32_t decoded; /* documents that could be read */
    const char *format;
    /* Companions that were unpacked for a document, until the next one. */
    uint32_t kept_count;
    struct pose_buffer kept[16];
};

extern const struct pose_options bundle_options;

/* Takes both over, also on failure. */
bool bundle_add(struct bundle *bundle, char *name, struct pose_buffer *bytes, unsigned depth,
                struct pose_error *error);
/* Looks at all files. False, with error, if nothing can be read. */
bool bundle_scan(struct bundle *bundle, struct pose_error *error);
void bundle_describe(struct bundle *bundle, struct pose_buffer *out);
/* The name of the file or entry. */
const char *bundle_name(const struct bundle *bundle, const struct bundle_asset *asset);
/* The document of an asset; NULL with error. */
struct pose_document *bundle_load(struct bundle *bundle, const struct bundle_asset *asset,
                                  struct pose_error *error);
void bundle_free(struct bundle *bundle);

/* Tells of one document: its assets, warnings. */
void describe_document(struct bundle *bundle, const struct pose_document *document,
                       const struct bundle_asset *place);
void describe_rejected(struct bundle *bundle, const char *name, const struct pose_error *error);

#endif
