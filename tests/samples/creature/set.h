/* Trees of the creature's set, events and skin, for creature.c. */
#ifndef TESTS_SAMPLES_CREATURE_SET_H
#define TESTS_SAMPLES_CREATURE_SET_H

#include "tests/samples/creature/creature.h"
#include "tests/samples/tree.h"

/* An array or object of those items, which are copied. */
struct pose_value creature_list(struct creature *creature, enum pose_value_kind kind, const char *key,
                                const struct pose_value *items, unsigned count);
#define CREATURE_LIST(creature, kind, key, ...)                                                              \
    creature_list((creature), (kind), (key), (const struct pose_value[]){__VA_ARGS__},                       \
                  sizeof((const struct pose_value[]){__VA_ARGS__}) / sizeof(struct pose_value))
/* The list itself, kept. */
const struct pose_value *creature_keep(struct creature *creature, struct pose_value value);

uint32_t creature_bone_id(const struct creature *creature, int bone);
void creature_make_events(struct creature *creature);
void creature_make_skin(struct creature *creature);
void creature_make_set(struct creature *creature);

#endif
