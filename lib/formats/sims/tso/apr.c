/*
 * The Sims Online: an appearance (.apr), the bindings that make up a head, a body or an accessory. Big-endian:
 *
 *     u32 version 1 · thumbnail u32 file, type · u32 count · bindings, each u32 file, type
 *
 * Checked on 22 real files, all made by FreeSO's importer and with one binding.
 */
#include "lib/formats/sims/tso/key.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"

enum { VERSION = 1, KEY_SIZE = 8 };

struct appearance {
    struct tso_key thumbnail;
    uint32_t count;
    struct tso_key *bindings; /* NULL while walking */
    bool all_bindings;        /* all keys are of the binding type */
};

static void visit_appearance(struct sims_stream *s, struct appearance *appearance)
{
    if (!tso_version(s, VERSION))
        return;
    tso_visit_named_key(s, "thumbnail", &appearance->thumbnail);
    if (!sims_count(s, "binding_count", &appearance->count, KEY_SIZE, 0))
        return;
    appearance->bindings =
        sims_items(s, appearance->bindings, appearance->count, sizeof *appearance->bindings);
    appearance->all_bindings = true;
    for (uint32_t i = 0; sims_more(s, i, appearance->count); i++) {
        struct tso_key scratch = {0}, *key = appearance->bindings ? &appearance->bindings[i] : &scratch;
        sims_enter(s, "bindings", i);
        tso_visit_key(s, key);
        sims_leave(s);
        appearance->all_bindings &= key->type == TSO_BINDING;
    }
}

static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    struct appearance appearance = {0};
    sims_stream_walk(&s, &tso_encoding, source->bytes);
    visit_appearance(&s, &appearance);
    if (!sims_failed(&s) && !reader_left(&s.reader) && appearance.count && appearance.all_bindings)
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct appearance appearance = {0};
    sims_stream_read(&s, &tso_encoding, job->source->bytes, job->arena, job->error);
    visit_appearance(&s, &appearance);
    if (sims_failed(&s))
        return false;
    struct value_list extras = value_object(job->arena), bindings = value_array(job->arena);
    tso_put_key(&extras, "thumbnail", &appearance.thumbnail, false);
    for (uint32_t i = 0; i < appearance.count; i++)
        tso_put_key(&bindings, NULL, &appearance.bindings[i], false);
    value_put_list(&extras, "bindings", &bindings);
    tso_warn_trailing(job, &s);
    return tso_character_new(job, "appearance", &extras);
}

static bool get_bindings(struct encode_job *job, const struct pose_value *list, struct appearance *appearance)
{
    size_t count = value_count(list);
    if (count > INT32_MAX)
        return error_set(job->error, POSE_BAD_ARGUMENT, "too_many", "more bindings than a file can count");
    appearance->bindings = ARENA_NEW(job->arena, struct tso_key, count);
    if (!appearance->bindings)
        return false;
    for (const struct pose_value *item = count ? list->first : NULL; item; item = item->next)
        tso_get_key(item, &appearance->bindings[appearance->count++]);
    return true;
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    struct appearance appearance = {0};
    const struct pose_character *character = tso_character_to_encode(job, "appearance");
    if (!character || !get_bindings(job, pose_value_find(character->extras, "bindings"), &appearance))
        return false;
    tso_get_key(pose_value_find(character->extras, "thumbnail"), &appearance.thumbnail);
    sims_stream_write(&s, &tso_encoding, job);
    visit_appearance(&s, &appearance);
    return !sims_failed(&s);
}

const struct codec codec_tso_apr = {
    .format = {.id = "tso-apr",
               .title = "The Sims Online appearance",
               .extensions = ".apr",
               .media_type = "application/x-tso-apr",
               .kinds = "character"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
};
