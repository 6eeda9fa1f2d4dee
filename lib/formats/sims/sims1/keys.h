/*
 * The keys of a Sims 1 skill as stored in a .cfp (sims1-character.md, section 2): no header, and the numbers
 * component by component, first x, y and z of all translations, then x, y, z and w of all rotations, as one
 * sequence of differences, runs and literals. Only the skill stores how many there are.
 */
#ifndef POSE_FORMATS_SIMS_SIMS1_KEYS_H
#define POSE_FORMATS_SIMS_SIMS1_KEYS_H

#include "lib/formats/sims/records.h"

/*
 * Fills in the values of both pools (pools[SIMS_PARTS], here and below), whose counts are set. r names errors:
 * "truncated" (found before any large allocation), "reserved_code", "run_too_long", "non_finite". Data left in r
 * belongs to no key. Warning "run_crosses_component".
 */
bool sims1_keys_decode(struct reader *r, struct arena *arena, struct warning_list *warnings,
                       struct sims_pool *pools);

/*
 * False, with "truncated", if the bytes cannot hold as many keys as the pools' counts say. A few bytes may
 * declare millions of values, so call this before trusting the counts.
 */
bool sims1_keys_check(struct reader *r, const struct sims_pool *pools);

/* The number of values in the bytes, regardless of pools; fails as above on a bad code. */
uint64_t sims1_keys_count(struct reader *r);

enum sims1_keys_mode {
    SIMS1_KEYS_COMPACT,  /* like the game's own tool, within 5e-4 of each value */
    SIMS1_KEYS_LOSSLESS, /* literals and runs of equal values */
};

void sims1_keys_encode(struct writer *writer, const struct sims_pool *pools, enum sims1_keys_mode mode);

#endif
