/* Converts between the records of a Sims 1 character file and the document. */
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/sims/sims1/body.h"
#include "lib/formats/sims/sims1/keys.h"
#include "lib/formats/sims/clip.h"
#include "lib/formats/sims/props.h"
#include "lib/formats/sims/skeleton.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------- decoding -- */

static bool build_skeletons(struct decode_job *job, struct sims_stream *s, const struct sims1_body *body)
{
    struct pose_skeleton *skeletons = ARENA_NEW(job->arena, struct pose_skeleton, body->skeleton_count);
    for (uint32_t i = 0; skeletons && i < body->skeleton_count; i++) {
        struct warning_list warnings;
        warning_list_init(&warnings, job->arena);
        sims_enter(s, "skeletons", i);
        if (!sims_skeleton_build(job, s, &body->skeletons[i], false, &warnings, &skeletons[i]))
            return false;
        sims_leave(s);
        skeletons[i].warnings = warnings.items;
        skeletons[i].warning_count = warnings.count;
    }
    job->document->skeletons = skeletons;
    job->document->skeleton_count = body->skeleton_count;
    return skeletons != NULL;
}

/* {"type": 0, "props": […], "skins": [{"bone": …, "mesh": …, "flags": 0, "props": […]}, …]}; props only if there
 * are any. */
static const struct pose_value *suit_extras(struct arena *arena, const struct sims1_suit *suit)
{
    struct value_list extras = value_object(arena), skins = value_array(arena);
    value_put_int(&extras, "type", suit->type);
    if (suit->props.count)
        sims_put_props(&extras, "props", &suit->props);
    for (uint32_t i = 0; i < suit->skin_count; i++) {
        const struct sims1_skin *skin = &suit->skins[i];
        struct value_list object = value_object(arena);
        value_put_string(&object, "bone", skin->bone);
        value_put_string(&object, "mesh", skin->mesh);
        value_put_int(&object, "flags", skin->flags);
        if (skin->props.count)
            sims_put_props(&object, "props", &skin->props);
        value_put_list(&skins, NULL, &object);
    }
    value_put_list(&extras, "skins", &skins);
    return value_done(&extras);
}

static bool build_suits(struct decode_job *job, const struct sims1_body *body)
{
    struct pose_character *suits = ARENA_NEW(job->arena, struct pose_character, body->suit_count);
    for (uint32_t i = 0; suits && i < body->suit_count; i++)
        suits[i] = (struct pose_character){
            .name = body->suits[i].name, .type = "suit", .extras = suit_extras(job->arena, &body->suits[i])};
    job->document->characters = suits;
    job->document->character_count = body->suit_count;
    return suits != NULL;
}

/* keys: total of the document so far. */
static bool check_keys(struct decode_job *job, const struct sims_skill *skill, uint64_t *keys)
{
    *keys += (uint64_t)skill->pools[POSE_TRANSLATION].count + skill->pools[POSE_ROTATION].count;
    if (*keys <= job->limits->keys)
        return true;
    return error_limit(job->error, "keys", "%llu keys, more than the limit of %llu",
                       (unsigned long long)*keys, (unsigned long long)job->limits->keys);
}

/* Reads the keys from the companion file. */
static bool read_keys(struct decode_job *job, const char *name, struct pose_bytes bytes,
                      struct warning_list *warnings, struct sims_skill *skill, uint64_t *keys)
{
    struct reader reader;
    reader_init(&reader, bytes, job->error);
    reader_enter(&reader, name, READER_NO_INDEX);
    if (!sims1_keys_check(&reader, skill->pools) || !check_keys(job, skill, keys) ||
        !sims1_keys_decode(&reader, job->arena, warnings, skill->pools))
        return false;
    if (reader_left(&reader))
        warning_add(warnings, POSE_WARNING, "trailing_bytes", reader_offset(&reader),
                    "%zu bytes of %s belong to no key", reader_left(&reader), name);
    return true;
}

/* Finds the keys of a skill; a missing file is not an error. */
static bool load_keys(struct decode_job *job, struct warning_list *warnings, struct sims_skill *skill,
                      const char **companion, uint64_t *keys)
{
    const struct pose_source *source = job->source;
    struct pose_bytes bytes;
    if (!skill->pools[POSE_TRANSLATION].count && !skill->pools[POSE_ROTATION].count)
        return true;
    bool has_extension = text_ends_with_nocase(skill->file, ".cfp");
    *companion = arena_format(job->arena, has_extension ? "%s" : "%s.cfp", skill->file);
    if (!*companion)
        return false;
    if (source->find && source->find(source->user, text_base_name(*companion), &bytes))
        return read_keys(job, *companion, bytes, warnings, skill, keys);
    warning_add(warnings, POSE_WARNING, "no_cfp", POSE_NO_OFFSET, "%s is missing: the clip has no keys",
                *companion);
    return true;
}

/* Nests the pairs of a list individually, as The Sims Online does: [[{"a": "1"}, {"b": "2"}]] is one list of
 * two. */
static void part_props(struct arena *arena, struct sims_motion *motion)
{
    for (uint32_t i = 0; i < motion->props_count; i++) {
        const struct sims_prop *all = motion->props[i].items;
        struct sims_prop *parts = all ? ARENA_NEW(arena, struct sims_prop, all->count) : NULL;
        for (uint32_t k = 0; parts && k < all->count; k++)
            parts[k] = (struct sims_prop){.count = 1, .pairs = &all->pairs[k]};
        motion->props[i] = (struct sims_props){.count = parts ? all->count : 0, .items = parts};
    }
}

static bool build_clips(struct decode_job *job, const struct sims1_body *body)
{
    struct pose_clip *clips = ARENA_NEW(job->arena, struct pose_clip, body->skill_count);
    uint64_t keys = 0;
    for (uint32_t i = 0; clips && i < body->skill_count; i++) {
        struct warning_list warnings;
        warning_list_init(&warnings, job->arena);
        for (uint32_t k = 0; k < body->skills[i].motion_count; k++)
            part_props(job->arena, &body->skills[i].motions[k]);
        if (!load_keys(job, &warnings, &body->skills[i], &clips[i].companion, &keys) ||
            !sims_clip_build(job, &body->skills[i], false, &warnings, &clips[i]))
            return false;
        clips[i].warnings = warnings.items;
        clips[i].warning_count = warnings.count;
    }
    job->document->clips = clips;
    job->document->clip_count = body->skill_count;
    return clips != NULL;
}

bool sims1_document_build(struct decode_job *job, struct sims_stream *s, const struct sims1_body *body)
{
    return !sims_failed(s) && build_skeletons(job, s, body) && build_suits(job, body) &&
           build_clips(job, body) && !job->arena->failed;
}

/* ---------------------------------------------------------------------------------------------- encoding -- */

static bool make_skeletons(struct encode_job *job, struct sims1_body *body)
{
    body->skeleton_count = job->content->skeleton_count;
    body->skeletons = ARENA_NEW(job->arena, struct sims_bones, body->skeleton_count);
    for (uint32_t i = 0; body->skeletons && i < body->skeleton_count; i++) {
        if (!sims_bones_build(job, &job->content->skeletons[i], &body->skeletons[i]))
            return false;
    }
    return body->skeletons != NULL;
}

static void make_skins(struct encode_job *job, const struct pose_value *array, struct sims1_suit *suit)
{
    if (!array || array->kind != POSE_ARRAY)
        return;
    suit->skins = ARENA_NEW(job->arena, struct sims1_skin, value_count(array));
    for (const struct pose_value *item = array->first; item && suit->skins; item = item->next)
        suit->skins[suit->skin_count++] =
            (struct sims1_skin){.bone = value_get_string(item, "bone", ""),
                                .mesh = value_get_string(item, "mesh", ""),
                                .flags = (int32_t)value_get_int(item, "flags", 0),
                                .props = sims_get_props(job->arena, pose_value_find(item, "props"))};
}

static bool make_suits(struct encode_job *job, struct sims1_body *body)
{
    const struct pose_content *content = job->content;
    uint32_t others = 0;
    body->suits = ARENA_NEW(job->arena, struct sims1_suit, content->character_count);
    for (uint32_t i = 0; body->suits && i < content->character_count; i++) {
        const struct pose_character *character = &content->characters[i];
        if (!character->type || strcmp(character->type, "suit")) {
            others++;
            continue;
        }
        struct sims1_suit *suit = &body->suits[body->suit_count++];
        suit->name = character->name ? character->name : "";
        suit->type = (int32_t)value_get_int(character->extras, "type", 0);
        suit->props = sims_get_props(job->arena, pose_value_find(character->extras, "props"));
        make_skins(job, pose_value_find(character->extras, "skins"), suit);
    }
    if (others)
        encode_warn(job, "character_lost", "%u characters were left out: the file can only hold suits",
                    others);
    if (content->mesh_count)
        encode_warn(job, "mesh_lost", "%u meshes were left out: they are separate files",
                    content->mesh_count);
    return body->suits != NULL;
}

/* Joins all pairs of the props into one, the depth that these files support. */
static void join_props(struct arena *arena, struct sims_props *props)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < props->count; i++)
        count += props->items[i].count;
    struct sims_prop *prop = ARENA_NEW(arena, struct sims_prop, 1);
    struct sims_pair *next = ARENA_NEW(arena, struct sims_pair, count);
    if (!prop || !next)
        return;
    *prop = (struct sims_prop){.count = count, .pairs = next};
    for (uint32_t i = 0; i < props->count; i++) {
        const struct sims_prop *part = &props->items[i];
        for (uint32_t k = 0; k < part->count; k++)
            *next++ = part->pairs[k];
    }
    *props = (struct sims_props){.count = 1, .items = prop};
}

static void flatten_skill(struct arena *arena, struct sims_skill *skill)
{
    for (uint32_t i = 0; i < skill->motion_count; i++) {
        struct sims_motion *motion = &skill->motions[i];
        for (uint32_t k = 0; k < motion->props_count; k++)
            join_props(arena, &motion->props[k]);
        for (uint32_t l = 0; l < motion->moments_count; l++) {
            for (uint32_t m = 0; m < motion->moments[l].count; m++)
                join_props(arena, &motion->moments[l].items[m].props);
        }
    }
}

static bool make_skills(struct encode_job *job, struct sims1_body *body)
{
    body->skill_count = job->content->clip_count;
    body->skills = ARENA_NEW(job->arena, struct sims_skill, body->skill_count);
    for (uint32_t i = 0; body->skills && i < body->skill_count; i++) {
        if (!sims_skill_build(job, &job->content->clips[i], false, &body->skills[i]))
            return false;
        flatten_skill(job->arena, &body->skills[i]);
    }
    return body->skills != NULL;
}

bool sims1_body_build(struct encode_job *job, struct sims1_body *body)
{
    *body = (struct sims1_body){0};
    return make_skeletons(job, body) && make_suits(job, body) && make_skills(job, body) &&
           !job->arena->failed;
}
