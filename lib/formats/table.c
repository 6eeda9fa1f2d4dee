#include "lib/formats/table.h"

#include "lib/core/text.h"

#include <string.h>

extern const struct codec codec_prime_ancs;
extern const struct codec codec_prime_anim;
extern const struct codec codec_clip_json;
extern const struct codec codec_gltf;
extern const struct codec codec_prime_cinf;
extern const struct codec codec_prime_cskr;
extern const struct codec codec_prime_evnt;
extern const struct codec codec_bvh;
extern const struct codec codec_sims1_bcf;
extern const struct codec codec_sims1_bmf;
extern const struct codec codec_sims1_cfp;
extern const struct codec codec_sims1_cmx;
extern const struct codec codec_sims1_skn;
extern const struct codec codec_sims3_clip;
extern const struct codec codec_sims3_rig;
extern const struct codec codec_sl_anim;
extern const struct codec codec_sl_skeleton;
extern const struct codec codec_tso_anim;
extern const struct codec codec_tso_apr;
extern const struct codec codec_tso_bnd;
extern const struct codec codec_tso_mesh;
extern const struct codec codec_tso_oft;
extern const struct codec codec_tso_skel;

/* A line each, so that those who add one do not meet. */
/* clang-format off */
const struct codec *const codecs[] = {
    &codec_sims1_skn,
    &codec_sims1_bmf,
    &codec_tso_mesh,
    &codec_tso_bnd,
    &codec_tso_apr,
    &codec_tso_oft,
    &codec_tso_anim,
    &codec_tso_skel,
    &codec_sl_anim,
    &codec_sims1_cmx,
    &codec_sims1_bcf,
    &codec_sims1_cfp,
    &codec_sl_skeleton,
    &codec_sims3_clip,
    &codec_sims3_rig,
    &codec_prime_anim,
    &codec_gltf,
    &codec_prime_ancs,
    &codec_prime_cinf,
    &codec_prime_cskr,
    &codec_prime_evnt,
    &codec_bvh,
    &codec_clip_json,
    NULL,
};
/* clang-format on */

extern const struct archive_type dbpf_archive;
extern const struct archive_type far_archive;
extern const struct archive_type prime_pak_archive;
extern const struct archive_type zip_archive;

/* clang-format off */
const struct archive_type *const archive_types[] = {
    &dbpf_archive,
    &far_archive,
    &prime_pak_archive,
    &zip_archive,
    NULL,
};
/* clang-format on */

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

/* The public list: the rows of both tables one after the other. Filled in when the library is loaded, as no constant
 * expression can gather what lies in other files; nothing writes to it afterwards. */
enum { FORMAT_CAPACITY = 96 };
static struct pose_format all_formats[FORMAT_CAPACITY + 1];

__attribute__((constructor)) static void list_formats(void)
{
    size_t count = 0;
    for (const struct codec *const *codec = codecs; *codec && count < FORMAT_CAPACITY; codec++) {
        struct pose_format *row = &all_formats[count++];
        *row = (*codec)->format;
        row->can_read = (*codec)->decode;
        row->can_write = (*codec)->encode;
    }
    for (const struct archive_type *const *type = archive_types; *type; type++) {
        for (const struct pose_format *format = (*type)->formats; format->id && count < FORMAT_CAPACITY;
             format++)
            all_formats[count++] = *format;
    }
}

const struct pose_format *pose_formats(void)
{
    return all_formats;
}

const struct pose_format *pose_format_find(const char *id)
{
    for (const struct pose_format *format = all_formats; format->id; format++) {
        if (!strcmp(format->id, id))
            return format;
    }
    return NULL;
}
