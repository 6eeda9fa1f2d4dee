/*
 * The keys of a skill of The Sims 1, as a .cfp holds them (sims1-character.md, section 2): no header, and the numbers
 * component after component, first x, y and z of all translations, then x, y, z and w of all rotations, as one
 * sequence of differences, runs and literals. How many there are is said by the skill alone.
 */
#ifndef POSE_FORMATS_SIMS_SIMS1_KEYS_H
#define POSE_FORMATS_SIMS_SIMS1_KEYS_H

#include "lib/formats/sims/records.h"

/*
 * Fills in the values of both pools (pools[SIMS_PARTS], here and below), whose counts are set. r names errors:
 * "truncated" (found before anything large is allocated), "reserved_code", "run_too_long", "non_finite". What is left
 * of r is not for any key. Warning "run_crosses_component".
 */
bool sims1_keys_decode(struct reader *r, struct arena *arena, struct warning_list *warnings,
                       struct sims_pool *pools);

/*
 * False, with "truncated", when the bytes cannot hold as many keys as the counts of the pools say. A few bytes may
 * promise millions of values; to be asked before the counts are believed.
 */
bool sims1_keys_check(struct reader *r, const struct sims_pool *pools);

/* How many values the bytes hold, whosever they are; fails as above where a code is broken. */
uint64_t sims1_keys_count(struct reader *r);

enum sims1_keys_mode {
    SIMS1_KEYS_COMPACT,  /* as the game's own tool, within 5e-4 of each value */
    SIMS1_KEYS_LOSSLESS, /* literals and runs of equal values */
};

void sims1_keys_encode(struct writer *writer, const struct sims_pool *pools, enum sims1_keys_mode mode);

#endif
