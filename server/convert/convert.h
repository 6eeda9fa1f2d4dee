/* What the API and the command line share of conversions: targets by extension, warnings, the names of files. */
#ifndef POSED_SERVER_CONVERT_CONVERT_H
#define POSED_SERVER_CONVERT_CONVERT_H

#include "pose.h"
#include "server/ops/region.h"

/* ------------------------------------------------------------------------------------------------- targets -- */

/* Whether files of it are called so (without the dot, case does not matter). */
bool convert_target_has_extension(const struct pose_target *target, const char *extension);
/* What a file of it is called by, without the dot. */
void convert_target_extension(const struct pose_target *target, char extension[16]);
/*
 * The target of files of that extension; of several the clip's own format (NULL: not known). NULL when that is not clear:
 * count says how many there are.
 */
const struct pose_target *convert_target_of(const char *extension, const char *format, unsigned *count);
/* The words of the targets of an extension (NULL: of all), comma-separated. */
enum { CONVERT_WORDS = 256 };
void convert_target_words(const char *extension, char words[CONVERT_WORDS]);
bool convert_target_takes(const struct pose_target *target, const char *option);

/* ------------------------------------------------------------------------------------------------ warnings -- */

enum { CONVERT_WARNINGS = 100 };

/* What was said meanwhile, each once. Zero-initialise. */
struct convert_warnings {
    struct region region;
    uint32_t count;
    struct pose_warning items[CONVERT_WARNINGS];
    bool is_full; /* there were more */
};

/* For pose_warn, with the warnings as user. */
void convert_warn(void *warnings, const struct pose_warning *warning);
void convert_warn_text(struct convert_warnings *warnings, const char *code, enum pose_severity severity,
                       const char *message);
void convert_warnings_release(struct convert_warnings *warnings);
/* The first that is more than a note; NULL. */
const struct pose_warning *convert_warnings_serious(const struct convert_warnings *warnings);

/* ---------------------------------------------------------------------------------------------- file names -- */

/* Both files of a pair as a ZIP; the first is called by that name. False with error. */
bool convert_zip_pair(const struct pose_target *target, const char *name, const struct pose_buffer *first,
                      const struct pose_second_file *second, const struct pose_options *options,
                      struct pose_buffer *out, struct pose_error *error);
/* "xskill-a.cfp": what the second file of a pair is called, made harmless, from malloc. */
char *convert_second_name(const struct pose_target *target, const char *name);

/* A name that any file system takes, in place: no separators, controls, or what Windows forbids; never empty, "." or
 * "..". UTF-8 stays UTF-8. The result is text, or a constant. */
const char *convert_file_name(char *text);

#endif
