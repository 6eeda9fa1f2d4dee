/* The creature's body: a model and its textures, one of each format that there is. */
#ifndef TESTS_SAMPLES_CREATURE_MODEL_H
#define TESTS_SAMPLES_CREATURE_MODEL_H

#include "tests/samples/creature/creature.h"
#include "tests/support/prime/models.h"

enum {
    CREATURE_RING = 6,                    /* vertices about each bone but the root: a group of the skin */
    CREATURE_GROUPS = CREATURE_BONES - 1, /* bone k + 1 has group k */
    CREATURE_TUBES = CREATURE_BONES - 2,  /* from a bone's ring to its parent's; all but the first have one */
    CREATURE_TEXTURES = 11,               /* by the number of their format */
};

/* The tube of that number ends at this bone. Its matrices are those of the parent's group and of its own. */
int creature_tube_bone(int tube);

void creature_put_model(const struct creature *creature, struct prime_made *made);
void creature_put_texture(unsigned format, struct prime_made *made);

#endif
