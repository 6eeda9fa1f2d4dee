/*
 * The Sims Online: a binding (.bnd), which attaches a mesh to a bone. Big-endian:
 *
 *     u32 version 1 · text bone · mesh · texture, each u32 8 and then u32 group, file, type; or u32 0 alone
 *
 * Checked on 22 real files, all made by FreeSO's importer.
 */
#include "lib/formats/sims/tso/key.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"

enum { VERSION = 1, PRESENT = 8 };

/* What a binding refers to: a key, if has is not 0. */
struct reference {
    uint32_t has;
    struct tso_key key;
};

struct binding {
    const char *bone;
    struct reference mesh, texture;
};

static void visit_reference(struct sims_stream *s, const char *field, struct reference *reference)
{
    sims_enter(s, field, READER_NO_INDEX);
    sims_unsigned(s, "has", &reference->has);
    if (reference->has) {
        sims_unsigned(s, "group", &reference->key.group);
        tso_visit_key(s, &reference->key);
    }
    sims_leave(s);
}

static void visit_binding(struct sims_stream *s, struct binding *binding)
{
    if (!tso_version(s, VERSION))
        return;
    sims_text(s, "bone", &binding->bone);
    visit_reference(s, "mesh", &binding->mesh);
    visit_reference(s, "texture", &binding->texture);
}

static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    struct binding binding = {0};
    sims_stream_walk(&s, &tso_encoding, source->bytes);
    visit_binding(&s, &binding);
    bool named_mesh = binding.mesh.has == PRESENT && binding.mesh.key.type == TSO_MESH;
    if (!sims_failed(&s) && !reader_left(&s.reader) && named_mesh)
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static void put_reference(struct decode_job *job, struct value_list *extras, const char *name,
                          const struct reference *reference)
{
    if (reference->has)
        tso_put_key(extras, name, &reference->key, true);
    if (reference->has && reference->has != PRESENT)
        warning_add(&job->warnings, POSE_WARNING, "odd_flag", POSE_NO_OFFSET,
                    "%s: %u, only %d and 0 are known", name, reference->has, PRESENT);
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct binding binding = {0};
    sims_stream_read(&s, &tso_encoding, job->source->bytes, job->arena, job->error);
    visit_binding(&s, &binding);
    if (sims_failed(&s))
        return false;
    struct value_list extras = value_object(job->arena);
    value_put_string(&extras, "bone", binding.bone);
    put_reference(job, &extras, "mesh", &binding.mesh);
    put_reference(job, &extras, "texture", &binding.texture);
    tso_warn_trailing(job, &s);
    return tso_character_new(job, "binding", &extras);
}

static struct reference get_reference(const struct pose_value *extras, const char *name)
{
    struct reference reference = {0};
    if (tso_get_key(pose_value_find(extras, name), &reference.key))
        reference.has = PRESENT;
    return reference;
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    const struct pose_character *character = tso_character_to_encode(job, "binding");
    if (!character)
        return false;
    struct binding binding = {.bone = value_get_string(character->extras, "bone", ""),
                              .mesh = get_reference(character->extras, "mesh"),
                              .texture = get_reference(character->extras, "texture")};
    sims_stream_write(&s, &tso_encoding, job);
    visit_binding(&s, &binding);
    return !sims_failed(&s);
}

const struct codec codec_tso_bnd = {
    .format = {.id = "tso-bnd",
               .title = "The Sims Online binding",
               .extensions = ".bnd",
               .media_type = "application/x-tso-bnd",
               .kinds = "character"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
};
