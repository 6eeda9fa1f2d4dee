#include "lib/formats/table.h"

#include "lib/core/text.h"

#include <string.h>

extern const struct family family_bvh;
extern const struct family family_clip_json;
extern const struct family family_gltf;
extern const struct family family_pictures;
extern const struct family family_prime;
extern const struct family family_sims;
extern const struct family family_sims3;
extern const struct family family_sl;
extern const struct family family_zip;

/* One line each, to avoid merge conflicts. If several codecs are equally sure of a file, the first one gets it. */
/* clang-format off */
const struct family *const families[] = {
    &family_sims,
    &family_sl,
    &family_sims3,
    &family_prime,
    &family_gltf,
    &family_bvh,
    &family_clip_json,
    &family_pictures,
    &family_zip,
    NULL,
};
/* clang-format on */

/* Collected from the families when the library is loaded, since a constant expression cannot read constants of
 * other files; read-only afterwards. */
enum { CAPACITY = 96, MESH_CAPACITY = 16 };
static const struct codec *all_codecs[CAPACITY + 1];
static const struct archive_type *all_archives[CAPACITY + 1];
static struct pose_format all_formats[CAPACITY + 1];
static struct pose_target all_targets[CAPACITY + 1], all_mesh_targets[MESH_CAPACITY];
static const struct humanoid_names *all_people[CAPACITY + 1];

const struct codec *const *const codecs = all_codecs;
const struct humanoid_names *const *const people_names = all_people;
const struct archive_type *const *const archive_types = all_archives;

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

enum probe_result codec_probe(const struct codec *codec, const struct pose_source *source)
{
    enum probe_result result = codec->probe ? codec->probe(source) : PROBE_BY_NAME;
    if (result != PROBE_BY_NAME)
        return result;
    bool is_named = source->name && text_has_extension(source->name, codec->format.extensions);
    return is_named ? PROBE_NAME : PROBE_NO;
}

/* The surest codec; the first in the table among equally sure ones. */
const struct codec *codec_detect(const struct pose_source *source, enum probe_result *result)
{
    const struct codec *best = NULL;
    *result = PROBE_NO;
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        enum probe_result found = codec_probe(*codec, source);
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

/* A codec's kinds of files, with their settings. Returns how many there are. */
static uint32_t list_targets(const struct codec *codec, struct pose_target *to)
{
    uint32_t count = 0;
    for (int i = 0; codec->target && i < TARGET_FILES && codec->target->files[i].options; i++) {
        struct pose_target *row = &to[count++];
        *row = codec->target->files[i];
        row->format = codec->format.id;
        row->is_game = codec->target->family != FAMILY_NONE;
        row->word = row->word ? row->word : codec->format.id;
        row->extensions = row->extensions ? row->extensions : codec->format.extensions;
        row->min_fps = row->min_fps > 0 ? row->min_fps : 0.1f;
        row->media_type = row->media_type ? row->media_type : codec->format.media_type;
    }
    return count;
}

/* Exchange formats first, then games', so that lists begin with what most people want. */
static void list_all_targets(void)
{
    size_t count = 0;
    for (int games = 0; games <= 1; games++) {
        for (struct pose_format *row = all_formats; row->id && count + TARGET_FILES <= CAPACITY; row++) {
            const struct codec *codec = codec_find(row->id);
            if (!codec || !codec->target || (codec->target->family != FAMILY_NONE) != games)
                continue;
            row->targets = &all_targets[count];
            row->target_count = list_targets(codec, &all_targets[count]);
            count += row->target_count;
        }
    }
}

/* A file type per format that meshes can be written in. */
static void list_mesh_targets(void)
{
    size_t count = 0;
    for (const struct codec *const *codec = all_codecs; *codec && count + 1 < MESH_CAPACITY; codec++) {
        const struct pose_format *format = &(*codec)->format;
        if ((*codec)->fit)
            all_mesh_targets[count++] =
                (struct pose_target){.word = format->id,
                                     .format = format->id,
                                     .extensions = format->extensions,
                                     .media_type = format->media_type,
                                     .options = (*codec)->fit_games ? "mesh game" : "mesh",
                                     .games = (*codec)->fit_games,
                                     .min_fps = 0.1f,
                                     .on_skeleton = true,
                                     .is_game = true,
                                     .is_mesh = true};
    }
}

/* The codecs' rows come first in the public list. */
__attribute__((constructor)) static void gather(void)
{
    size_t codec_count = 0, archive_count = 0, people_count = 0, count = 0;
    for (const struct family *const *family = families; *family; family++) {
        for (const struct codec *const *codec = (*family)->codecs; codec && *codec && count < CAPACITY;
             codec++) {
            struct pose_format *row = &all_formats[count++];
            *row = (*codec)->format;
            row->family = (*family)->id;
            row->can_read = (*codec)->decode;
            row->can_write = (*codec)->encode;
            row->fits_meshes = (*codec)->fit;
            all_codecs[codec_count++] = *codec;
        }
        for (const struct humanoid_names *const *names = (*family)->people;
             names && *names && people_count < CAPACITY; names++)
            all_people[people_count++] = *names;
    }
    for (const struct family *const *family = families; *family; family++) {
        for (const struct archive_type *const *type = (*family)->archives;
             type && *type && archive_count < CAPACITY; type++) {
            all_archives[archive_count++] = *type;
            for (const struct pose_format *row = (*type)->formats; row->id && count < CAPACITY; row++)
                all_formats[count++] = *row;
        }
    }
    list_all_targets();
    list_mesh_targets();
}

const struct pose_format *pose_formats(void)
{
    return all_formats;
}

const struct pose_target *pose_targets(void)
{
    return all_targets;
}

const struct pose_target *pose_target_find(const char *word)
{
    for (const struct pose_target *target = all_targets; target->word; target++) {
        if (!strcmp(target->word, word))
            return target;
    }
    return NULL;
}

const struct pose_target *pose_mesh_targets(void)
{
    return all_mesh_targets;
}

const struct pose_target *pose_mesh_target_find(const char *word)
{
    for (const struct pose_target *target = all_mesh_targets; target->word; target++) {
        if (!strcmp(target->word, word))
            return target;
    }
    return NULL;
}

const struct pose_format *pose_format_find(const char *id)
{
    for (const struct pose_format *format = all_formats; format->id; format++) {
        if (!strcmp(format->id, id))
            return format;
    }
    return NULL;
}

static bool holds(const struct family *family, const char *format)
{
    for (const struct codec *const *codec = family->codecs; codec && *codec; codec++) {
        if (!strcmp((*codec)->format.id, format))
            return true;
    }
    for (const struct archive_type *const *type = family->archives; type && *type; type++) {
        for (const struct pose_format *row = (*type)->formats; row->id; row++) {
            if (!strcmp(row->id, format))
                return true;
        }
    }
    return false;
}

const struct family *family_find(const char *format)
{
    for (const struct family *const *family = families; *family && format; family++) {
        if (holds(*family, format))
            return *family;
    }
    return NULL;
}

bool pose_made_for(const struct pose_naming *what, const char *skeleton)
{
    const struct family *own = family_find(what->format);
    if (!what->name || !skeleton)
        return false;
    if (own && own->made_for)
        return own->made_for(what, skeleton);
    for (const struct family *const *family = families; *family; family++) {
        if ((*family)->made_for && (*family)->made_for(what, skeleton))
            return true;
    }
    return false;
}

unsigned pose_adulthood(const char *skeleton)
{
    unsigned most = 0;
    for (const struct family *const *family = families; *family && skeleton; family++) {
        const unsigned found = (*family)->adulthood ? (*family)->adulthood(skeleton) : 0;
        most = found > most ? found : most;
    }
    return most;
}

const char *format_clip_prefix(const char *format, const char *name, const char *skeleton)
{
    const struct family *family = family_find(format);
    const struct pose_naming naming = {.format = format, .kind = "clip", .name = name};
    if (!family || !family->clip_prefix || !skeleton || pose_made_for(&naming, skeleton))
        return "";
    const char *prefix = family->clip_prefix(skeleton);
    return prefix ? prefix : "";
}

bool pose_wear_of(const struct pose_naming *what, struct pose_wear *part)
{
    const struct family *family = family_find(what->format);
    *part = (struct pose_wear){0};
    return what->name && family && family->wear_of && family->wear_of(what, part);
}

/* ------------------------------------------------------------------------------------------- rules and axes -- */

const struct rules_row *rules_row(enum pose_rules rules)
{
    for (const struct family *const *family = families; *family; family++) {
        for (const struct rules_row *row = (*family)->rules; row && row->name; row++) {
            if (row->rules == rules)
                return row;
        }
    }
    return NULL;
}

const struct rules_row *rules_find(const char *name)
{
    for (const struct family *const *family = families; *family; family++) {
        for (const struct rules_row *row = (*family)->rules; row && row->name; row++) {
            if (!strcmp(row->name, name))
                return row;
        }
    }
    return NULL;
}

enum pose_rules format_rules(const char *format)
{
    const struct codec *codec = format ? codec_find(format) : NULL;
    const struct family *family = codec && strstr(codec->format.kinds, "clip") ? family_find(format) : NULL;
    return family && family->rules ? family->rules->rules : POSE_RULES_PLAIN;
}

const char *axes_name(enum pose_axes axes)
{
    for (const struct family *const *family = families; *family; family++) {
        for (const struct axes_row *row = (*family)->axes; row && row->name; row++) {
            if (row->axes == axes)
                return row->name;
        }
    }
    return NULL;
}

int axes_find(const char *name)
{
    for (const struct family *const *family = families; *family; family++) {
        for (const struct axes_row *row = (*family)->axes; row && row->name; row++) {
            if (!strcmp(row->name, name))
                return (int)row->axes;
        }
    }
    return -1;
}

const struct bvh_dialect *bvh_dialect(unsigned index)
{
    for (const struct family *const *family = families; *family; family++) {
        if ((*family)->bvh && !index--)
            return (*family)->bvh;
    }
    return NULL;
}

/* -------------------------------------------------------------------------------------------- what games say -- */

void pose_verdicts(const struct pose_document *document, pose_judge *tell, void *user)
{
    struct arena arena;
    arena_init(&arena, NULL, 0, NULL);
    for (const struct family *const *family = families; *family; family++) {
        if ((*family)->judge)
            (*family)->judge(&arena, document, tell, user);
    }
    arena_release(&arena);
}

bool pose_archive_morph(const struct pose_archive *archive, uint32_t index, uint32_t *id)
{
    const struct family *family = family_find(archive->format);
    return family && family->morph_id && family->morph_id(&archive->names[index], id);
}

void pose_mesh_shares(const char *format, const struct pose_mesh *mesh, pose_share_visit *tell, void *user)
{
    const struct family *family = family_find(format);
    if (family && family->shares && mesh->weighted_count)
        family->shares(mesh, tell, user);
}

bool pose_is_filed(const char *format, const char *file)
{
    const struct family *family = family_find(format);
    return family && family->is_filed && family->is_filed(file);
}

bool pose_json_names(struct pose_buffer *buffer, const char *format, const char *name, const char *file)
{
    const struct family *family = family_find(format);
    struct json_writer json;
    size_t before = buffer->size;
    jsonw_init_members(&json, buffer);
    if (family && family->describe)
        family->describe(name, file, &json);
    if (json.to.failed)
        buffer->size = before;
    return !json.to.failed;
}
