/*
 * The table of actors and slots that inverse kinematics chains may be pinned to. Each chain belongs to the rig's
 * chain of the same number.
 *
 *     u32 chain_count   u32 offset[chain_count], from the byte after the count
 *     a chain: u32 0x7e7e7e7e, u32 target_count   u32 offset[target_count], from their own start
 *     a target: u32 index, 512 bytes of actor, 512 bytes of slot; each text ends with a NUL, '#' fills the rest
 *
 * In extras: "ik_chains", a list of {"targets": [{"index", "actor", "slot"}]}; null in a clip without a table.
 */
#ifndef POSE_FORMATS_SIMS3_CLIP_IK_H
#define POSE_FORMATS_SIMS3_CLIP_IK_H

#include "lib/core/value.h"
#include "lib/formats/sims3/file.h"

/* at 0: no table. Remembers names. False on the first error. */
bool sims3_ik_read(struct sims3_file *file, uint64_t at, struct value_list *extras);
/* Writes the table in the extras. False if a text is too long. */
bool sims3_ik_write(struct encode_job *job, const struct pose_value *chains);

#endif
