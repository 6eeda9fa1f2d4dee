/* THE TABLE: every codec and archive type. To add one, write its file and add its two lines to formats.c. */
#ifndef POSE_FORMATS_TABLE_H
#define POSE_FORMATS_TABLE_H

#include "lib/formats/archive.h"
#include "lib/formats/codec.h"

/* End with NULL. */
extern const struct codec *const codecs[];
extern const struct archive_type *const archive_types[];

const struct codec *codec_find(const char *id);
const struct archive_type *archive_type_find(const char *id);
/* The codec or archive type that the bytes are of, by the rules of detection; NULL when none. */
const struct codec *codec_detect(const struct pose_source *source, enum probe_result *result);
const struct archive_type *archive_detect(const struct pose_source *source);

#endif
