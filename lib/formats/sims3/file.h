/*
 * Shared by the readers of a Sims 3 clip's parts: the file, following offsets, reading texts, and names for
 * hashes.
 */
#ifndef POSE_FORMATS_SIMS3_FILE_H
#define POSE_FORMATS_SIMS3_FILE_H

#include "lib/formats/codec.h"
#include "lib/formats/sims3/known_names.h"

/* Without a NUL in that many bytes it is not a text. */
enum { SIMS3_TEXT_LIMIT = 4096 };

struct sims3_file {
    struct decode_job *job;
    struct reader reader;
    uint64_t end; /* end of the last block that was read */
    /* Candidate names for this file's hashes, sorted by hash. */
    struct sims3_key *names;
    uint32_t name_count, name_capacity;
};

void sims3_file_init(struct sims3_file *file, struct decode_job *job);

/* Reads a relative offset and returns its target, 0 if there is none. */
uint64_t sims3_follow(struct reader *reader, const char *field);
/* Moves to that file offset; fails with "bad_offset" outside the reader's part. */
bool sims3_go(struct reader *reader, uint64_t offset, const char *field);
/* Marks everything up to the reader's position as used by a block. */
void sims3_used(struct sims3_file *file, const struct reader *reader);

/*
 * A text of at most capacity bytes including its NUL, as UTF-8; the reader is then after the NUL. NULL on
 * failure ("unterminated_string"). Invalid UTF-8 causes a warning.
 */
const char *sims3_read_text(struct sims3_file *file, struct reader *reader, size_t capacity,
                            const char *field);

/* Remembers a name for sims3_name_hash. */
void sims3_know_name(struct sims3_file *file, const char *name);
/* Call once, after the last name. */
void sims3_sort_names(struct sims3_file *file);
/* The bone, actor or other known object whose name has that FNV-32, otherwise NULL. */
const char *sims3_name_hash(const struct sims3_file *file, uint32_t hash);

#endif
