/* Conversion helpers that the API and the command line share: targets by extension, warnings, file names. */
#ifndef POSED_SERVER_CONVERT_CONVERT_H
#define POSED_SERVER_CONVERT_CONVERT_H

#include "pose.h"
#include "server/ops/region.h"

/* ------------------------------------------------------------------------------------------------- targets -- */

/* Whether its files have that extension (without the dot; case-insensitive). */
bool convert_target_has_extension(const struct pose_target *target, const char *extension);
/* The extension of its files, without the dot. */
void convert_target_extension(const struct pose_target *target, char extension[16]);
/*
 * The target for that extension; if there are several, the clip's own format (NULL: unknown). NULL if it is
 * ambiguous: count is the number of candidates.
 */
const struct pose_target *convert_target_of(const char *extension, const char *format, unsigned *count);
/* The target of meshes with that extension; NULL: there is none. */
const struct pose_target *convert_mesh_target_of(const char *extension);
/* The words of the targets with that extension (NULL: of all targets), comma-separated. */
enum { CONVERT_WORDS = 256 };
void convert_target_words(const char *extension, char words[CONVERT_WORDS]);
bool convert_target_takes(const struct pose_target *target, const char *option);

/* ------------------------------------------------------------------------------------------------ warnings -- */

enum { CONVERT_WARNINGS = 100 };

/* Warnings collected during a conversion, without duplicates. Zero-initialise, or begin with convert_warnings_init. */
struct convert_warnings {
    struct region region;
    uint32_t count;
    struct pose_warning items[CONVERT_WARNINGS];
    bool is_full; /* more were dropped */
};

/* Leaves the items alone, which are large: poses with warnings are made often. */
void convert_warnings_init(struct convert_warnings *warnings);
/* For pose_warn, with the warnings as user. */
void convert_warn(void *warnings, const struct pose_warning *warning);
void convert_warn_text(struct convert_warnings *warnings, const char *code, enum pose_severity severity,
                       const char *message);
void convert_warnings_release(struct convert_warnings *warnings);
/* The first warning that is more than a note, or NULL. */
const struct pose_warning *convert_warnings_serious(const struct convert_warnings *warnings);
/* All that are more than notes, "code: message; …", truncated to fit; "" if there are none. */
void convert_warnings_explain(const struct convert_warnings *warnings, char *text, size_t capacity);
/* Comma-separated codes of all warnings for the header Posed-Warning; "" if there are none. */
enum { WARNING_CODES = 1024 };
void convert_warnings_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES]);

/* ---------------------------------------------------------------------------------------------- file names -- */

/* Packs both files of a pair into a ZIP; the first gets that name. False with error. */
bool convert_zip_pair(const struct pose_target *target, const char *name, const struct pose_buffer *first,
                      const struct pose_second_file *second, const struct pose_options *options,
                      struct pose_buffer *out, struct pose_error *error);
/* The name of a pair's second file, such as "xskill-a.cfp"; sanitized, from malloc. */
char *convert_second_name(const struct pose_target *target, const char *name);

/* Makes a name valid on every file system, in place: no separators, control characters, or characters that
 * Windows forbids; never empty, "." or "..". UTF-8 is kept. Returns text, or a constant. */
const char *convert_file_name(char *text);

#endif
