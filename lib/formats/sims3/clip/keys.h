/* Keys of Sims 3 clips: u16 tick, u16 flags (bit c is the sign of component c), packed payload. */
#ifndef POSE_FORMATS_SIMS3_CLIP_KEYS_H
#define POSE_FORMATS_SIMS3_CLIP_KEYS_H

#include "lib/formats/sims3/clip/section.h"

/*
 * Decodes a channel of known packing, whose components match the part, into a canonical one. Adds to *odd_flags
 * the number of keys with meaningless flags. A channel without keys yields count 0. False if a value is not a
 * number or a palette index has no value.
 */
bool sims3_keys_decode(struct sims3_file *file, const struct sims3_section *section, uint32_t index,
                       enum pose_part part, struct pose_channel *decoded, uint64_t *odd_flags);

/* Normalises a rotation as the decoder does; one of length 0 becomes the identity. */
void sims3_normalise(double q[4]);

#endif
