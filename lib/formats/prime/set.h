/* Inside the reader of Metroid Prime's character sets: fields that go straight into a tree, and the parts of a set. */
#ifndef POSE_FORMATS_PRIME_SET_H
#define POSE_FORMATS_PRIME_SET_H

#include "lib/core/value.h"
#include "lib/formats/prime/prime.h"

/* "PAS4", parameterised animation states: what a character begins with. */
#define PRIME_PAS_MAGIC 0x50415334u

/* A set that is being read. */
struct prime_set {
    struct decode_job *job;
    struct reader reader;
    enum prime_game game;
    struct value_list extras; /* of the document */
};

/* Reads a field and puts it under that name (list NULL: nowhere). */
uint32_t prime_take_u8(struct prime_set *set, struct value_list *list, const char *key);
uint32_t prime_take_u32(struct prime_set *set, struct value_list *list, const char *key);
void prime_take_float(struct prime_set *set, struct value_list *list, const char *key);
void prime_take_floats(struct prime_set *set, struct value_list *list, const char *key, unsigned count);
const char *prime_take_text(struct prime_set *set, struct value_list *list, const char *key);
/* Seconds, and what kind of time they are. */
void prime_take_time(struct prime_set *set, struct value_list *list, const char *key, const char *kind_key);
/* u32 count and so many ids. */
void prime_take_ids(struct prime_set *set, struct value_list *list, const char *key);

/* A list of things of at least that size, each of which `take` reads into an object of its own. False on failure. */
typedef void prime_take(struct prime_set *set, struct value_list *item);
bool prime_take_list(struct prime_set *set, struct value_list *list, const char *key, uint64_t least_size,
                     prime_take *take);

/* One character. */
bool prime_take_character(struct prime_set *set, struct pose_character *character);
/* A tree of animations, and a way from one to another. */
void prime_take_meta(struct prime_set *set, struct value_list *list, const char *key);
void prime_take_transition(struct prime_set *set, struct value_list *list, const char *key);

#endif
