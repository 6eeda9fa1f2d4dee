/* Where the made files go, and what is said when one cannot be made. */
#ifndef TESTS_SAMPLES_OUTPUT_H
#define TESTS_SAMPLES_OUTPUT_H

#include "pose.h"

/* A file that was made, not yet written. */
struct made {
    char name[64];
    struct pose_buffer bytes;
};

/* One line on standard error. Always false. */
bool fail(const char *what, const char *why);

bool make_folder(const char *path);
/* root/folder/name; the folder is made. */
bool write_made(const char *root, const char *folder, const struct made *files, unsigned count);
void free_made(struct made *files, unsigned count);

/* The file is named by the caller. A warning is a failure: nothing that is made up should be more than its own format
 * can hold. */
bool encode_made(const char *format, const struct pose_content *content, struct made *file);
/* An archive of those files. */
bool pack_made(const char *format, const struct made *files, unsigned count, struct made *archive);

#endif
