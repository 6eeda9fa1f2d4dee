/* Reads an encoder's settings: members of an object, which may be NULL. A missing setting leaves the value
 * unchanged. */
#ifndef POSE_CORE_SETTING_H
#define POSE_CORE_SETTING_H

#include "lib/core/error.h"

/* Reports "bad_setting" with the name as field: "fps: not a number from 1 to 1000". Always returns false. */
bool setting_refuse(struct pose_error *error, const char *name, const char *format, ...) POSE_PRINTF(3, 4);
/* One of count words. */
bool setting_word(const struct pose_value *settings, const char *name, const char *const *words,
                  unsigned count, unsigned *choice, struct pose_error *error);
/* True or false; 0 and 1 are accepted as well. */
bool setting_flag(const struct pose_value *settings, const char *name, bool *flag, struct pose_error *error);

#endif
