#include "lib/core/setting.h"

#include "lib/core/value.h"

#include <stdio.h>
#include <string.h>

bool setting_refuse(struct pose_error *error, const char *name, const char *format, ...)
{
    char what[240];
    if (!error || error_is_set(error))
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(error, POSE_BAD_ARGUMENT, "bad_setting", "%s: %s", name, what);
    snprintf(error->field, sizeof error->field, "%s", name);
    return false;
}

/* neither "a" nor "b" nor "c" */
static bool refuse_word(struct pose_error *error, const char *name, const char *const *words, unsigned count)
{
    char what[160] = "";
    for (unsigned i = 0, used = 0; i < count && used < sizeof what; i++)
        used += (unsigned)snprintf(what + used, sizeof what - used, "%s \"%s\"", i ? " nor" : "neither",
                                   words[i]);
    return setting_refuse(error, name, "%s", what);
}

bool setting_word(const struct pose_value *settings, const char *name, const char *const *words,
                  unsigned count, unsigned *choice, struct pose_error *error)
{
    if (!pose_value_find(settings, name))
        return true;
    const char *asked = value_get_string(settings, name, "");
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(asked, words[i])) {
            *choice = i;
            return true;
        }
    }
    return refuse_word(error, name, words, count);
}

bool setting_flag(const struct pose_value *settings, const char *name, bool *flag, struct pose_error *error)
{
    const struct pose_value *asked = pose_value_find(settings, name);
    if (!asked)
        return true;
    if (asked->kind != POSE_BOOL && asked->kind != POSE_INT)
        return setting_refuse(error, name, "neither true nor false");
    *flag = value_get_bool(settings, name, false);
    return true;
}
