/*
 * The Sims Online: an outfit (.oft), one appearance per skin colour. 40 bytes, big-endian:
 *
 *     u32 version · u32 unknown, 0 · light, medium, dark appearance, each u32 file, type
 *     u32 hand group · u32 region
 *
 * No real file was available: the layout is from public documents and entirely unchecked.
 */
#include "lib/formats/sims/tso/key.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"

enum { VERSION = 1, COLOURS = 3 };

struct outfit {
    uint32_t version, unknown_4;
    struct tso_key appearances[COLOURS];
    uint32_t hand_group, region;
};

static const char *const colours[COLOURS] = {"light", "medium", "dark"};

static void visit_outfit(struct sims_stream *s, struct outfit *outfit)
{
    sims_unsigned(s, "version", &outfit->version);
    sims_unsigned(s, "unknown_4", &outfit->unknown_4);
    for (unsigned i = 0; i < COLOURS; i++)
        tso_visit_named_key(s, colours[i], &outfit->appearances[i]);
    sims_unsigned(s, "hand_group", &outfit->hand_group);
    sims_unsigned(s, "region", &outfit->region);
}

/* Forty bytes are weak evidence, so the types of the referenced files must be right. */
static bool names_appearances(const struct outfit *outfit)
{
    for (unsigned i = 0; i < COLOURS; i++) {
        if (outfit->appearances[i].type != TSO_APPEARANCE)
            return false;
    }
    return outfit->version == VERSION;
}

static enum probe_result probe(const struct pose_source *source)
{
    struct sims_stream s;
    struct outfit outfit = {0};
    sims_stream_walk(&s, &tso_encoding, source->bytes);
    visit_outfit(&s, &outfit);
    if (!sims_failed(&s) && !reader_left(&s.reader) && names_appearances(&outfit))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct outfit outfit = {0};
    sims_stream_read(&s, &tso_encoding, job->source->bytes, job->arena, job->error);
    visit_outfit(&s, &outfit);
    if (sims_failed(&s))
        return false;
    struct value_list extras = value_object(job->arena);
    value_put_int(&extras, "version", outfit.version);
    value_put_int(&extras, "unknown_4", outfit.unknown_4);
    for (unsigned i = 0; i < COLOURS; i++)
        tso_put_key(&extras, colours[i], &outfit.appearances[i], false);
    value_put_int(&extras, "hand_group", outfit.hand_group);
    value_put_int(&extras, "region", outfit.region);
    tso_warn_trailing(job, &s);
    return tso_character_new(job, "outfit", &extras);
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    const struct pose_character *character = tso_character_to_encode(job, "outfit");
    if (!character)
        return false;
    const struct pose_value *extras = character->extras;
    struct outfit outfit = {.version = (uint32_t)value_get_int(extras, "version", VERSION),
                            .unknown_4 = (uint32_t)value_get_int(extras, "unknown_4", 0),
                            .hand_group = (uint32_t)value_get_int(extras, "hand_group", 0),
                            .region = (uint32_t)value_get_int(extras, "region", 0)};
    for (unsigned i = 0; i < COLOURS; i++)
        tso_get_key(pose_value_find(extras, colours[i]), &outfit.appearances[i]);
    sims_stream_write(&s, &tso_encoding, job);
    visit_outfit(&s, &outfit);
    return !sims_failed(&s);
}

const struct codec codec_tso_oft = {
    .format = {.id = "tso-oft",
               .title = "The Sims Online outfit",
               .extensions = ".oft",
               .media_type = "application/x-tso-oft",
               .kinds = "character"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
};
