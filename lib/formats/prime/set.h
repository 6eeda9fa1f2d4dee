/* Internals of the Metroid Prime character set reader: fields stored directly in a tree, and the parts of a set. */
#ifndef POSE_FORMATS_PRIME_SET_H
#define POSE_FORMATS_PRIME_SET_H

#include "lib/core/value.h"
#include "lib/formats/prime/prime.h"

/* "PAS4", parameterised animation states: the beginning of a character. */
#define PRIME_PAS_MAGIC 0x50415334u

/* The set being read. */
struct prime_set {
    struct decode_job *job;
    struct reader reader;
    enum prime_game game;
    struct value_list extras; /* of the document */
};

/* Reads a field and stores it under that name (list NULL: nowhere). */
uint32_t prime_take_u8(struct prime_set *set, struct value_list *list, const char *key);
uint32_t prime_take_u32(struct prime_set *set, struct value_list *list, const char *key);
void prime_take_float(struct prime_set *set, struct value_list *list, const char *key);
void prime_take_floats(struct prime_set *set, struct value_list *list, const char *key, unsigned count);
const char *prime_take_text(struct prime_set *set, struct value_list *list, const char *key);
/* Seconds, and their kind. */
void prime_take_time(struct prime_set *set, struct value_list *list, const char *key, const char *kind_key);
/* u32 count, then that many ids. */
void prime_take_ids(struct prime_set *set, struct value_list *list, const char *key);

/* A list of items of at least that size, each read by `take` into its own object. False on failure. */
typedef void prime_take(struct prime_set *set, struct value_list *item);
bool prime_take_list(struct prime_set *set, struct value_list *list, const char *key, uint64_t least_size,
                     prime_take *take);

/* One character. */
bool prime_take_character(struct prime_set *set, struct pose_character *character);
/* A tree of animations, and a transition from one to another. */
void prime_take_meta(struct prime_set *set, struct value_list *list, const char *key);
void prime_take_transition(struct prime_set *set, struct value_list *list, const char *key);

#endif
