/*
 * Everything that libpose can do with one file, through pose.h alone, with the promises of pose.h checked on the way:
 * a refusal says what and where, a result holds no NaN and no index out of range, nothing is kept after the release.
 * The damage run and the fuzz target both end here.
 */
#ifndef TESTS_SUPPORT_EXERCISE_H
#define TESTS_SUPPORT_EXERCISE_H

#include "pose.h"
#include "tests/support/exercise/watched_memory.h"

struct exercise {
    const char *name;   /* of the file; detection looks at its extension */
    const char *format; /* forces a codec or archive type, NULL: what detection finds */
    bool (*find)(void *user, const char *name, struct pose_bytes *bytes); /* companions; may be NULL */
    void *find_user;
    struct pose_limits limits;
    struct watched_memory *memory;
    /* Told about each broken promise. */
    void (*complain)(void *user, const char *message);
    void *user;
    struct pose_document *stand_ins[8]; /* from exercise_open: skeletons that clips are tried on */
    unsigned stand_in_count;
    const char *asking; /* the format that is being decoded */
    unsigned turn;      /* of the formats that clips are converted to */
};

enum exercise_outcome { EXERCISE_REFUSED, EXERCISE_READ };

/* Fills in the stand-ins and the limits; the other members are the caller's. */
void exercise_open(struct exercise *exercise);
void exercise_close(struct exercise *exercise);

/* The bytes are copied into a block of exactly their size, so that a sanitizer sees each read past their end. */
enum exercise_outcome exercise_bytes(struct exercise *exercise, struct pose_bytes bytes);

/* What the bytes are, and of which kind exactly where one archive type serves several formats; NULL: nothing known. */
const char *exact_format(const struct pose_source *source);
/* True when that format is one of archives. */
bool format_is_archive(const char *id);

void exercise_complain(struct exercise *exercise, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
