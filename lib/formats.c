#include "lib/formats.h"

#include "lib/core/text.h"

#include <string.h>

extern const struct codec codec_sims1_bmf;
extern const struct codec codec_sims1_skn;
extern const struct codec codec_tso_mesh;

const struct codec *const codecs[] = {
    &codec_sims1_skn,
    &codec_sims1_bmf,
    &codec_tso_mesh,
    NULL,
};

extern const struct archive_type far_archive;

const struct archive_type *const archive_types[] = {
    &far_archive,
    NULL,
};

const struct codec *codec_find(const char *id)
{
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        if (!strcmp((*codec)->format.id, id))
            return *codec;
    }
    return NULL;
}

const struct archive_type *archive_type_find(const char *id)
{
    for (const struct archive_type *const *type = archive_types; *type; type++) {
        for (const struct pose_format *format = (*type)->formats; format->id; format++) {
            if (!strcmp(format->id, id))
                return *type;
        }
    }
    return NULL;
}

/* The surest codec; of equally sure ones the first in the table. */
const struct codec *codec_detect(const struct pose_source *source, enum probe_result *result)
{
    const struct codec *best = NULL;
    *result = PROBE_NO;
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        enum probe_result found = (*codec)->probe(source);
        if (found > *result) {
            *result = found;
            best = *codec;
        }
    }
    return best;
}

const struct archive_type *archive_detect(const struct pose_source *source)
{
    const struct archive_type *best = NULL;
    enum probe_result result = PROBE_NO;
    for (const struct archive_type *const *type = archive_types; *type; type++) {
        enum probe_result found = (*type)->probe(source);
        if (found > result) {
            result = found;
            best = *type;
        }
    }
    return best;
}
