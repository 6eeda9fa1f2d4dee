/* The files beside a file, for decoders that need them: the find callback of struct pose_source. */
#ifndef TESTS_SUPPORT_COMPANIONS_H
#define TESTS_SUPPORT_COMPANIONS_H

#include "pose.h"
#include "tests/support/corpus.h"

enum { MAX_COMPANIONS = 8 };

/* Set path, zero the rest; release with companions_free. */
struct companions {
    const char *path; /* of the file that they lie beside */
    bool frozen;      /* only what was found before is found again: no look at the disk */
    unsigned count;
    struct test_file files[MAX_COMPANIONS];
};

/* user: the struct. By base name, without regard to case. */
bool companions_find(void *user, const char *name, struct pose_bytes *bytes);
void companions_free(struct companions *companions);

/* The part of a path after its last '/'. */
const char *test_base_name(const char *path);

#endif
