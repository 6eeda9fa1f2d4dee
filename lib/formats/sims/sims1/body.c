#include "lib/formats/sims/sims1/body.h"

/* The minimum size of each record: bytes in binary, lines in text. */
enum {
    SKELETON_BYTES = 5,
    SKELETON_LINES = 2,
    BONE_BYTES = 54,
    BONE_LINES = 10,
    SUIT_BYTES = 13,
    SUIT_LINES = 4,
    SKIN_BYTES = 10,
    SKIN_LINES = 4,
    SKILL_BYTES = 26,
    SKILL_LINES = 8,
    MOTION_BYTES = 33,
    MOTION_LINES = 9,
    MOMENTS_BYTES = 4,
    MOMENTS_LINES = 1,
    MOMENT_BYTES = 8,
    MOMENT_LINES = 2,
};

/* A count of items stored elsewhere, not after it. */
static void visit_far_count(struct sims_stream *s, const char *field, uint32_t *count)
{
    sims_unsigned(s, field, count);
    if (!sims_is_writing(s) && !sims_failed(s) && *count > INT32_MAX)
        reader_fail(&s->reader, "count_too_large", "invalid count %d", (int32_t)*count);
}

/* --------------------------------------------------------------------------------------------- skeletons -- */

static void visit_bone(struct sims_stream *s, struct sims_bone *bone)
{
    bone->place = sims_place_of(s);
    sims_text(s, "name", &bone->name);
    sims_text(s, "parent", &bone->parent);
    sims_visit_props(s, "props", &bone->props);
    bone->has_props = bone->props.count > 0;
    sims_visit_bone_rest(s, bone);
}

static void visit_skeleton(struct sims_stream *s, struct sims_bones *skeleton)
{
    sims_text(s, "name", &skeleton->name);
    if (!sims_count(s, "bone_count", &skeleton->count, BONE_BYTES, BONE_LINES))
        return;
    skeleton->bones = sims_items(s, skeleton->bones, skeleton->count, sizeof *skeleton->bones);
    for (uint32_t i = 0; sims_more(s, i, skeleton->count); i++) {
        struct sims_bone scratch = {0}, *bone = skeleton->bones ? &skeleton->bones[i] : &scratch;
        sims_enter(s, "bones", i);
        visit_bone(s, bone);
        sims_leave(s);
    }
}

/* ------------------------------------------------------------------------------------------------- suits -- */

static void visit_skin(struct sims_stream *s, struct sims1_skin *skin)
{
    sims_text(s, "bone", &skin->bone);
    sims_text(s, "mesh", &skin->mesh);
    sims_integer(s, "flags", &skin->flags);
    sims_visit_props(s, "props", &skin->props);
}

static void visit_suit(struct sims_stream *s, struct sims1_suit *suit)
{
    sims_text(s, "name", &suit->name);
    sims_integer(s, "type", &suit->type);
    sims_visit_props(s, "props", &suit->props);
    if (!sims_count(s, "skin_count", &suit->skin_count, SKIN_BYTES, SKIN_LINES))
        return;
    suit->skins = sims_items(s, suit->skins, suit->skin_count, sizeof *suit->skins);
    for (uint32_t i = 0; sims_more(s, i, suit->skin_count); i++) {
        struct sims1_skin scratch = {0}, *skin = suit->skins ? &suit->skins[i] : &scratch;
        sims_enter(s, "skins", i);
        visit_skin(s, skin);
        sims_leave(s);
    }
}

/* ------------------------------------------------------------------------------------------------ skills -- */

/* A moment with its one prop. */
static void visit_moment(struct sims_stream *s, struct sims_moment *moment)
{
    struct sims_prop single = {0};
    int64_t time_ms = moment->time_ms;
    int32_t time = time_ms < INT32_MIN ? INT32_MIN : time_ms > INT32_MAX ? INT32_MAX : (int32_t)time_ms;
    sims_integer(s, "time", &time);
    moment->time_ms = time;
    moment->props.count = 1;
    moment->props.items = sims_items(s, moment->props.items, 1, sizeof *moment->props.items);
    sims_visit_prop(s, moment->props.items ? moment->props.items : &single);
}

static void visit_moments(struct sims_stream *s, struct sims_moments *moments)
{
    if (!sims_count(s, "time_prop_count", &moments->count, MOMENT_BYTES, MOMENT_LINES))
        return;
    moments->items = sims_items(s, moments->items, moments->count, sizeof *moments->items);
    for (uint32_t i = 0; sims_more(s, i, moments->count); i++) {
        struct sims_moment scratch = {0}, *moment = moments->items ? &moments->items[i] : &scratch;
        sims_enter(s, "time_props", i);
        visit_moment(s, moment);
        sims_leave(s);
    }
}

static void visit_moments_lists(struct sims_stream *s, struct sims_motion *motion)
{
    if (!sims_count(s, "time_props_list_count", &motion->moments_count, MOMENTS_BYTES, MOMENTS_LINES))
        return;
    motion->has_moments = motion->moments_count > 0;
    motion->moments = sims_items(s, motion->moments, motion->moments_count, sizeof *motion->moments);
    for (uint32_t i = 0; sims_more(s, i, motion->moments_count); i++) {
        struct sims_moments scratch = {0}, *moments = motion->moments ? &motion->moments[i] : &scratch;
        sims_enter(s, "time_props_lists", i);
        visit_moments(s, moments);
        sims_leave(s);
    }
}

static void visit_motion(struct sims_stream *s, struct sims_motion *motion)
{
    motion->place = sims_place_of(s);
    sims_text(s, "bone", &motion->bone);
    visit_far_count(s, "frame_count", &motion->frame_count);
    sims_number(s, "duration", &motion->duration_ms);
    sims_unsigned(s, "has_translation", &motion->has[POSE_TRANSLATION]);
    sims_unsigned(s, "has_rotation", &motion->has[POSE_ROTATION]);
    sims_integer(s, "first_translation", &motion->first[POSE_TRANSLATION]);
    sims_integer(s, "first_rotation", &motion->first[POSE_ROTATION]);
    sims_visit_single_props(s, "props", &motion->props, &motion->props_count);
    motion->has_props = motion->props_count > 0;
    visit_moments_lists(s, motion);
}

static void visit_skill(struct sims_stream *s, struct sims_skill *skill)
{
    sims_text(s, "name", &skill->name);
    sims_text(s, "file", &skill->file);
    sims_number(s, "duration", &skill->duration_ms);
    sims_number(s, "distance", &skill->distance);
    sims_unsigned(s, "is_moving", &skill->is_moving);
    visit_far_count(s, "translation_count", &skill->pools[POSE_TRANSLATION].count);
    visit_far_count(s, "rotation_count", &skill->pools[POSE_ROTATION].count);
    if (!sims_count(s, "motion_count", &skill->motion_count, MOTION_BYTES, MOTION_LINES))
        return;
    skill->motions = sims_items(s, skill->motions, skill->motion_count, sizeof *skill->motions);
    for (uint32_t i = 0; sims_more(s, i, skill->motion_count); i++) {
        struct sims_motion scratch = {0}, *motion = skill->motions ? &skill->motions[i] : &scratch;
        sims_enter(s, "motions", i);
        visit_motion(s, motion);
        sims_leave(s);
    }
}

/* ---------------------------------------------------------------------------------------------- the body -- */

static void visit_skeletons(struct sims_stream *s, struct sims1_body *body)
{
    if (!sims_count(s, "skeleton_count", &body->skeleton_count, SKELETON_BYTES, SKELETON_LINES))
        return;
    body->skeletons = sims_items(s, body->skeletons, body->skeleton_count, sizeof *body->skeletons);
    for (uint32_t i = 0; sims_more(s, i, body->skeleton_count); i++) {
        struct sims_bones scratch = {0}, *skeleton = body->skeletons ? &body->skeletons[i] : &scratch;
        sims_enter(s, "skeletons", i);
        visit_skeleton(s, skeleton);
        sims_leave(s);
    }
}

static void visit_suits(struct sims_stream *s, struct sims1_body *body)
{
    if (!sims_count(s, "suit_count", &body->suit_count, SUIT_BYTES, SUIT_LINES))
        return;
    body->suits = sims_items(s, body->suits, body->suit_count, sizeof *body->suits);
    for (uint32_t i = 0; sims_more(s, i, body->suit_count); i++) {
        struct sims1_suit scratch = {0}, *suit = body->suits ? &body->suits[i] : &scratch;
        sims_enter(s, "suits", i);
        visit_suit(s, suit);
        sims_leave(s);
    }
}

static void visit_skills(struct sims_stream *s, struct sims1_body *body)
{
    if (!sims_count(s, "skill_count", &body->skill_count, SKILL_BYTES, SKILL_LINES))
        return;
    body->skills = sims_items(s, body->skills, body->skill_count, sizeof *body->skills);
    for (uint32_t i = 0; sims_more(s, i, body->skill_count); i++) {
        struct sims_skill scratch = {0}, *skill = body->skills ? &body->skills[i] : &scratch;
        sims_enter(s, "skills", i);
        visit_skill(s, skill);
        sims_leave(s);
    }
}

void sims1_visit_body(struct sims_stream *s, struct sims1_body *body)
{
    visit_skeletons(s, body);
    visit_suits(s, body);
    visit_skills(s, body);
}
