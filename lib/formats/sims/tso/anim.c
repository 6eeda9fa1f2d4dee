/*
 * The Sims Online: .anim (type id 7), a skill with its keys. Integers big-endian, floats little-endian.
 *
 *     u32 version = 2 · string16 name · f32 duration [ms] · f32 distance · u8 is_moving
 *     u32 count, translations x y z · u32 count, rotations x y z w
 *     u32 count, motions:
 *         u32 unknown · string8 bone · u32 frame_count · f32 duration · u8 has_translation · u8 has_rotation
 *         i32 first_translation · i32 first_rotation
 *         u8 has_props: u32 count, props lists: u32 count, props: u32 count, pairs of string8
 *         u8 has_time_props: u32 count, time props lists: u32 count of (u32 milliseconds, props list)
 *
 * From the wiki of the niotso project, libvitaboy and FreeSO's reader. Verified on 44 real files, all from
 * FreeSO's importer; "unknown" and the nesting of motion props in the game's own files are as reported by
 * others. One add-on nests motion props one level less: such a file is read if nothing else fits it.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/clip.h"
#include "lib/formats/sims/tso/stream.h"
#include "lib/formats/sims/verdict/verdict.h"

#include <string.h>

enum { VERSION = 2, MIN_MOTION = 25 };

/* What a visit learns besides the fields. */
struct layout {
    bool two_level_props; /* lists hold pairs, without props between them */
    bool has_motion_props;
};

static void visit_props_lists(struct sims_stream *s, struct sims_motion *motion)
{
    if (!sims_count(s, "props_list_count", &motion->props_count, 4, 0))
        return;
    motion->props = sims_items(s, motion->props, motion->props_count, sizeof *motion->props);
    for (uint32_t i = 0; sims_more(s, i, motion->props_count); i++) {
        struct sims_props scratch = {0}, *props = motion->props ? &motion->props[i] : &scratch;
        sims_enter(s, "props", i);
        sims_visit_props(s, "props", props);
        sims_leave(s);
    }
}

static void visit_time(struct sims_stream *s, int64_t *time_ms)
{
    uint32_t id = *time_ms < 0 ? 0 : *time_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)*time_ms;
    sims_unsigned(s, "id", &id);
    *time_ms = id;
}

static void visit_moments(struct sims_stream *s, struct sims_moments *moments)
{
    if (!sims_count(s, "time_prop_count", &moments->count, 8, 0))
        return;
    moments->items = sims_items(s, moments->items, moments->count, sizeof *moments->items);
    for (uint32_t i = 0; sims_more(s, i, moments->count); i++) {
        struct sims_moment scratch = {0}, *moment = moments->items ? &moments->items[i] : &scratch;
        sims_enter(s, "time_props", i);
        visit_time(s, &moment->time_ms);
        sims_visit_props(s, "props", &moment->props);
        sims_leave(s);
    }
}

static void visit_moments_lists(struct sims_stream *s, struct sims_motion *motion)
{
    if (!sims_count(s, "time_props_list_count", &motion->moments_count, 4, 0))
        return;
    motion->moments = sims_items(s, motion->moments, motion->moments_count, sizeof *motion->moments);
    for (uint32_t i = 0; sims_more(s, i, motion->moments_count); i++) {
        struct sims_moments scratch = {0}, *moments = motion->moments ? &motion->moments[i] : &scratch;
        sims_enter(s, "time_props_lists", i);
        visit_moments(s, moments);
        sims_leave(s);
    }
}

static void visit_motion(struct sims_stream *s, struct sims_motion *motion, struct layout *layout)
{
    motion->place = sims_place_of(s);
    sims_unsigned(s, "unknown", &motion->unknown);
    sims_text(s, "bone", &motion->bone);
    sims_unsigned(s, "frame_count", &motion->frame_count);
    sims_number(s, "duration", &motion->duration_ms);
    tso_flag(s, "has_translation", &motion->has[POSE_TRANSLATION]);
    tso_flag(s, "has_rotation", &motion->has[POSE_ROTATION]);
    sims_integer(s, "first_translation", &motion->first[POSE_TRANSLATION]);
    sims_integer(s, "first_rotation", &motion->first[POSE_ROTATION]);
    tso_flag(s, "has_props", &motion->has_props);
    if (motion->has_props && layout->two_level_props)
        sims_visit_single_props(s, "props", &motion->props, &motion->props_count);
    else if (motion->has_props)
        visit_props_lists(s, motion);
    layout->has_motion_props |= motion->has_props && motion->props_count;
    tso_flag(s, "has_time_props", &motion->has_moments);
    if (motion->has_moments)
        visit_moments_lists(s, motion);
}

static void visit_pool(struct sims_stream *s, struct sims_skill *skill, int part)
{
    static const char *const counts[] = {"translation_count", "rotation_count"};
    static const char *const names[] = {"translations", "rotations"};
    struct sims_pool *pool = &skill->pools[part];
    unsigned components = part_components((enum pose_part)part);
    if (!sims_count(s, counts[part], &pool->count, 4 * components, 0))
        return;
    size_t floats = (size_t)pool->count * components;
    pool->values = sims_items(s, pool->values, pool->count, components * sizeof *pool->values);
    tso_floats(s, names[part], pool->values, floats, components);
}

static void visit_skill(struct sims_stream *s, struct sims_skill *skill, struct layout *layout)
{
    if (!tso_version(s, VERSION))
        return;
    tso_long_text(s, "name", &skill->name);
    sims_number(s, "duration", &skill->duration_ms);
    sims_number(s, "distance", &skill->distance);
    tso_flag(s, "is_moving", &skill->is_moving);
    visit_pool(s, skill, POSE_TRANSLATION);
    visit_pool(s, skill, POSE_ROTATION);
    if (!sims_count(s, "motion_count", &skill->motion_count, MIN_MOTION, 0))
        return;
    skill->motions = sims_items(s, skill->motions, skill->motion_count, sizeof *skill->motions);
    for (uint32_t i = 0; sims_more(s, i, skill->motion_count); i++) {
        struct sims_motion scratch = {0}, *motion = skill->motions ? &skill->motions[i] : &scratch;
        sims_enter(s, "motions", i);
        visit_motion(s, motion, layout);
        sims_leave(s);
    }
}

/* --------------------------------------------------------------------------------------------- the codec -- */

/* Whether the bytes are exactly such a file. */
static bool walk_ends_exactly(struct pose_bytes bytes, struct layout *layout)
{
    struct sims_stream s;
    struct sims_skill skill = {0};
    sims_stream_walk(&s, &tso_encoding, bytes);
    visit_skill(&s, &skill, layout);
    return !sims_failed(&s) && reader_left(&s.reader) == 0;
}

/* Three levels of motion props, unless only two levels fit the file and it has any props. */
static bool find_layout(struct pose_bytes bytes, struct layout *layout)
{
    *layout = (struct layout){.two_level_props = false};
    if (walk_ends_exactly(bytes, layout))
        return true;
    *layout = (struct layout){.two_level_props = true};
    if (walk_ends_exactly(bytes, layout) && layout->has_motion_props)
        return true;
    *layout = (struct layout){.two_level_props = false};
    return false;
}

static enum probe_result probe(const struct pose_source *source)
{
    static const uint8_t first_word[] = {0, 0, 0, VERSION};
    struct layout layout;
    if (source->bytes.size < sizeof first_word || memcmp(source->bytes.data, first_word, sizeof first_word))
        return PROBE_NO;
    if (find_layout(source->bytes, &layout))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct sims_stream s;
    struct sims_skill skill = {0};
    struct layout layout;
    find_layout(job->source->bytes, &layout);
    sims_stream_read(&s, &tso_encoding, job->source->bytes, job->arena, job->error);
    visit_skill(&s, &skill, &layout);
    struct pose_clip *clip = ARENA_NEW(job->arena, struct pose_clip, 1);
    if (sims_failed(&s) || !clip)
        return false;
    if (layout.two_level_props)
        warning_add(&job->warnings, POSE_WARNING, "two_level_props", POSE_NO_OFFSET,
                    "the properties of motions are nested two levels deep, not three");
    if (reader_left(&s.reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&s.reader),
                    "%zu bytes after the last motion", reader_left(&s.reader));
    job->document->clips = clip;
    job->document->clip_count = 1;
    return sims_clip_build(job, &skill, true, &job->warnings, clip);
}

static bool encode(struct encode_job *job)
{
    struct sims_stream s;
    struct sims_skill skill;
    struct layout layout = {.two_level_props = false};
    if (job->content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip", "a .anim holds one clip, not %u",
                         job->content->clip_count);
    if (!sims_skill_build(job, job->content->clips, true, &skill))
        return false;
    sims_stream_write(&s, &tso_encoding, job);
    visit_skill(&s, &skill, &layout);
    return !sims_failed(&s);
}

static const struct target target = {
    .title = "The Sims Online",
    .family = FAMILY_SIMS,
    .axes = POSE_AXES_SIMS,
    .rules = POSE_RULES_SIMS,
    .holds = {true, true, false, false},
    .own_settings = "loop distance",
    .files = {{.options = "fps loop"}},
    .has_bone = sims_has_bone,
};

const struct codec codec_tso_anim = {
    .format = {.id = "tso-anim",
               .title = "The Sims Online animation",
               .extensions = ".anim",
               .media_type = "application/x-tso-anim",
               .kinds = "clip"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .named_after_file = true,
    .target = &target,
};
