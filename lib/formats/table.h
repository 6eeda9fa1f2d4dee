/* THE TABLE: every family, and through it every codec and archive type. To add a family, write its folder and
 * add its two lines to table.c. */
#ifndef POSE_FORMATS_TABLE_H
#define POSE_FORMATS_TABLE_H

#include "lib/formats/family.h"

/* Each ends with NULL. The last three are concatenated from the families' rows. */
extern const struct family *const families[];
extern const struct codec *const *const codecs;
extern const struct archive_type *const *const archive_types;
extern const struct humanoid_names *const *const people_names;

const struct codec *codec_find(const char *id);
const struct archive_type *archive_type_find(const char *id);
/* The family of a file or archive format; NULL if the format is unknown or NULL. */
const struct family *family_find(const char *format);
/* What the codec says about the bytes, considering their name. */
enum probe_result codec_probe(const struct codec *codec, const struct pose_source *source);
/* The codec or archive type of the bytes, by the rules of detection; NULL if there is none. */
const struct codec *codec_detect(const struct pose_source *source, enum probe_result *result);
const struct archive_type *archive_detect(const struct pose_source *source);

#endif
