/*
 * Constraints of Second Life's animations: they pin a point of a collision volume to another one, or to the ground.
 * They are read, kept in the clip's extras and written back, never solved.
 *
 *     u8 chain_length   u8 type   char[16] source_volume   f32[3] source_offset
 *     char[16] target_volume   f32[3] target_offset   f32[3] target_dir
 *     f32 ease_in_start   f32 ease_in_stop   f32 ease_out_start   f32 ease_out_stop
 */
#ifndef POSE_FORMATS_SL_CONSTRAINT_H
#define POSE_FORMATS_SL_CONSTRAINT_H

#include "lib/core/value.h"
#include "lib/formats/codec.h"
#include "lib/formats/sl/names.h"

enum {
    SL_CONSTRAINT_SIZE = 86,
    SL_CONSTRAINTS_USED = 10, /* if there are more, the viewer ignores all */
};

/* Which tracks move which joints, for the viewer's checks. */
struct sl_drivers {
    uint32_t track_count;
    int16_t tracks[SL_JOINT_COUNT]; /* the first track of each joint, -1: none */
    int16_t first_unknown;          /* the first track whose name the viewer does not know, -1: none */
};

void sl_drivers_init(struct sl_drivers *drivers, uint32_t track_count);
/* Adds the next track with the number of its joint, -1 if the name is unknown. */
void sl_drivers_add(struct sl_drivers *drivers, uint32_t track, int number);

/*
 * Reads num_constraints and the constraints into the list. A list that the viewer ignores is read if it is
 * complete and valid; otherwise the reader stays after the count. Constraints that the viewer would refuse on
 * its own skeleton get the warnings unknown_source_volume, unknown_target_volume and undriven_chain.
 */
bool sl_constraints_read(struct reader *reader, const struct sl_drivers *drivers, struct value_list *list,
                         struct warning_list *warnings);

/* Writes count and constraints from such a list (NULL: none). False if an element is not a valid constraint. */
bool sl_constraints_write(const struct pose_value *list, uint32_t track_count, struct encode_job *job);

#endif
