/*
 * What the parts of a Sims 3 clip are read with: the file, how its offsets are followed, how its texts are read, and
 * what its hashes may stand for.
 */
#ifndef POSE_FORMATS_SIMS3_FILE_H
#define POSE_FORMATS_SIMS3_FILE_H

#include "lib/formats/codec.h"
#include "lib/formats/sims3/known_names.h"

/* No NUL within so many bytes: no text. */
enum { SIMS3_TEXT_LIMIT = 4096 };

struct sims3_file {
    struct decode_job *job;
    struct reader reader;
    uint64_t end; /* where the furthest block that was read ends */
    /* Names that hashes of this file may be of, sorted by hash. */
    struct sims3_key *names;
    uint32_t name_count, name_capacity;
};

void sims3_file_init(struct sims3_file *file, struct decode_job *job);

/* Reads a relative offset: where it leads to, 0 when there is nothing. */
uint64_t sims3_follow(struct reader *reader, const char *field);
/* Stands at that offset of the file; fails as "bad_offset" outside of the reader's part. */
bool sims3_go(struct reader *reader, uint64_t offset, const char *field);
/* All up to where the reader stands belongs to a block. */
void sims3_used(struct sims3_file *file, const struct reader *reader);

/*
 * A text of at most capacity bytes, its NUL included, as UTF-8; the reader then stands behind the NUL. NULL on failure
 * ("unterminated_string"). Bytes that are not UTF-8 are a warning.
 */
const char *sims3_read_text(struct sims3_file *file, struct reader *reader, size_t capacity,
                            const char *field);

/* Remembers a name for sims3_name_hash. */
void sims3_know_name(struct sims3_file *file, const char *name);
/* To be called once, after the last name. */
void sims3_sort_names(struct sims3_file *file);
/* The bone, actor or other known thing whose name has that FNV-32, else NULL. */
const char *sims3_name_hash(const struct sims3_file *file, uint32_t hash);

#endif
