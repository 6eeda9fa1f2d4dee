/* Verdicts of games on files (pose_verdicts): a row per game, with the reasons against. For families. */
#ifndef POSE_FORMATS_VERDICT_H
#define POSE_FORMATS_VERDICT_H

#include "lib/core/error.h"
#include "lib/core/value.h"

struct verdict {
    struct value_list reasons;
    uint32_t count; /* those listed end at a limit */
};

struct verdict verdict_begin(struct arena *arena);
/* Adds a reason: joint NULL: none; offset POSE_NO_OFFSET: none. code is static. */
void verdict_refuse(struct verdict *verdict, const char *code, const char *joint, uint64_t offset,
                    const char *format, ...) POSE_PRINTF(5, 6);
/* Adds the warnings whose codes are listed (ending with NULL): what decoding mends and the game does not. */
void verdict_take(struct verdict *verdict, const struct pose_warning *warnings, uint32_t count,
                  const char *const *codes);
/* Adds a copy of a reason that was found on reading. */
void verdict_keep(struct verdict *verdict, const struct pose_value *reason);
/* A track's name, or "#ID" in the arena. */
const char *verdict_joint(const struct verdict *verdict, const struct pose_track *track);
void verdict_tell(const struct verdict *verdict, const char *target, pose_judge *tell, void *user);

#endif
