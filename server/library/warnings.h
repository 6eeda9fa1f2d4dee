/* The warnings of one answer: about a conversion, a pose, a picture. */
#ifndef POSED_SERVER_LIBRARY_WARNINGS_H
#define POSED_SERVER_LIBRARY_WARNINGS_H

#include "pose.h"
#include "server/ops/region.h"

enum { MAX_WARNINGS = 100 };

/* Without duplicates. Zero-initialise, or begin with warnings_init. */
struct warnings {
    struct region region;
    uint32_t count;
    struct pose_warning items[MAX_WARNINGS];
    bool is_full; /* more were dropped */
};

/* Leaves the items alone, which are large: poses with warnings are made often. */
void warnings_init(struct warnings *warnings);
/* For pose_warn, with the warnings as user. */
void warnings_take(void *warnings, const struct pose_warning *warning);
void warnings_add(struct warnings *warnings, const char *code, enum pose_severity severity,
                  const char *message);
void warnings_release(struct warnings *warnings);
/* The first warning that is more than a note, or NULL. */
const struct pose_warning *warnings_serious(const struct warnings *warnings);
/* All that are more than notes, "code: message; …", truncated to fit; "" if there are none. */
void warnings_explain(const struct warnings *warnings, char *text, size_t capacity);
/* Comma-separated codes of all warnings for the header Posed-Warning; "" if there are none. */
enum { WARNING_CODES = 1024 };
void warnings_codes(const struct warnings *warnings, char codes[WARNING_CODES]);
/* Appends what a report says of a file that was made, as a JSON object: its name, its size, and its warnings
 * (NULL: none). */
void warnings_describe(struct pose_buffer *text, const char *file, size_t size,
                       const struct warnings *warnings);

#endif
