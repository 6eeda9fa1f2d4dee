/* Names for the keys of The Sims 3's clips that ship with the library. */
#ifndef POSE_FORMATS_SIMS3_KNOWN_NAMES_H
#define POSE_FORMATS_SIMS3_KNOWN_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct sims3_key {
    uint32_t key;
    const char *name;
};

/* The bone whose name has that FNV-32, NULL if it is unknown. */
const char *sims3_bone_name(uint32_t key);
/* The morph whose name's FNV-64 ends with these 32 bits, NULL if it is unknown. */
const char *sims3_morph_name(uint32_t key);

#endif
