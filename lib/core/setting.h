/* What a caller asks of an encoder by name: members of an object that may be NULL. What is not asked for stays as it was. */
#ifndef POSE_CORE_SETTING_H
#define POSE_CORE_SETTING_H

#include "lib/core/error.h"

/* "bad_setting", its field is the name: "fps: not a number from 1 to 1000". Always false. */
bool setting_refuse(struct pose_error *error, const char *name, const char *format, ...) POSE_PRINTF(3, 4);
/* One of count words. */
bool setting_word(const struct pose_value *settings, const char *name, const char *const *words,
                  unsigned count, unsigned *choice, struct pose_error *error);
/* True or false; 0 and 1 will do. */
bool setting_flag(const struct pose_value *settings, const char *name, bool *flag, struct pose_error *error);

#endif
