/* Keys of Sims 3 clips: u16 tick, u16 flags (bit c is the sign of component c), payload by the channel's packing. */
#ifndef POSE_FORMATS_SIMS3_CLIP_KEYS_H
#define POSE_FORMATS_SIMS3_CLIP_KEYS_H

#include "lib/formats/sims3/clip/section.h"

/*
 * Decodes a channel of a known packing, whose components are those of the part, into a canonical one. *odd_flags grows
 * by the number of keys with flags that mean nothing here. A channel without keys gives one of count 0. False when a
 * value is no number or a palette index has no value.
 */
bool sims3_keys_decode(struct sims3_file *file, const struct sims3_section *section, uint32_t index,
                       enum pose_part part, struct pose_channel *decoded, uint64_t *odd_flags);

/* Brings a rotation to unit length as the decoder does; one without length becomes the identity. */
void sims3_normalise(double q[4]);

#endif
