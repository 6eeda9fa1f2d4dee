#include "tests/support/prime/files.h"

#include <stdbool.h>

enum { NULL_BONE_MP1 = 2, NULL_BONE_MP2 = 97 };

/* ----------------------------------------------------------------------------------------------- skeletons -- */

static void put_bone(struct prime_made *made, bool mp2, uint32_t id, uint32_t parent, const float origin[3],
                     uint32_t linked)
{
    static const float turns[8] = {1, 0, 0, 0, 0.6f, 0, 0.8f, 0};
    made_put_u32(made, id);
    made_put_u32(made, parent);
    made_put_floats(made, origin, 3);
    if (mp2)
        made_put_floats(made, turns, 8);
    made_put_u32(made, 1);
    made_put_u32(made, linked);
}

static void make_cinf(struct prime_made *made, bool mp2)
{
    static const char *const names[3] = {"Skeleton_Root", "Spine", "Hand_LCTR"};
    uint32_t first = mp2 ? 0 : 3;
    *made = (struct prime_made){0};
    made_put_u32(made, 3);
    put_bone(made, mp2, first + 2, first + 1, (const float[]){0.5f, 0, 1.5f}, first + 1);
    put_bone(made, mp2, first, mp2 ? NULL_BONE_MP2 : NULL_BONE_MP1, (const float[]){0, 0.25f, 0}, first + 1);
    put_bone(made, mp2, first + 1, first, (const float[]){0, 0.25f, 1}, first);
    made_put_u32(made, 3);
    for (uint32_t i = 0; i < 3; i++)
        made_put_u32(made, first + 2 - i);
    made_put_u32(made, 3);
    for (uint32_t i = 0; i < 3; i++) {
        made_put_text(made, names[i]);
        made_put_u32(made, first + i);
    }
    made_pad(made);
}

void prime_make_cinf_mp1(struct prime_made *made)
{
    make_cinf(made, false);
}

void prime_make_cinf_mp2(struct prime_made *made)
{
    make_cinf(made, true);
}

/* -------------------------------------------------------------------------------------------------- events -- */

static void put_event(struct prime_made *made, bool mp2, const char *name, unsigned type, float time)
{
    made_put_u16(made, mp2 ? 2 : 1);
    made_put_text(made, name);
    made_put_u16(made, type);
    made_put_f32(made, time);
    made_put_u32(made, time > 0 ? 0 : 1);
    made_put_u32(made, 7);
    made_put_u8(made, 1);
    made_put_f32(made, 0.5f);
    made_put_u32(made, 0xffffffff);
    made_put_u32(made, 3);
}

static void put_particle(struct prime_made *made, bool mp2)
{
    put_event(made, mp2, "Dust", 5, 0.03125f);
    made_put_u32(made, 60);
    made_put(made, "PART", 4);
    made_put_u32(made, 0xdeadbeef);
    if (mp2)
        made_put_u32(made, 2);
    else
        made_put_text(made, "Hand_LCTR");
    made_put_f32(made, 1.5f);
    made_put_u32(made, 2);
}

static void put_sound(struct prime_made *made, bool mp2)
{
    put_event(made, mp2, "Foot", 8, 0.0625f);
    made_put_u32(made, 0x00120345);
    made_put_f32(made, 0.25f);
    made_put_f32(made, 40);
    if (mp2) {
        made_put_u32(made, 1);
        made_put_u16(made, 2);
        made_put_u16(made, 3);
        made_put_f32(made, 4);
    }
}

/* Five events, and none of a kind that the version lacks. */
static void put_events(struct prime_made *made, bool mp2)
{
    made_put_u32(made, 2);
    made_put_u32(made, 1);
    put_event(made, mp2, "Loop", 0, 0.09375f);
    made_put_u8(made, 1);
    made_put_u32(made, 2);
    put_event(made, mp2, "Land", 6, 0);
    made_put_u32(made, 12);
    made_put_text(made, "Hand_LCTR");
    put_event(made, mp2, "Rate", 2, 0.0625f);
    made_put_u32(made, 0xfffffffe);
    made_put_text(made, "");
    made_put_u32(made, 1);
    put_particle(made, mp2);
    made_put_u32(made, 1);
    put_sound(made, mp2);
}

void prime_make_evnt_mp1(struct prime_made *made)
{
    *made = (struct prime_made){0};
    put_events(made, false);
}

void prime_make_evnt_mp2(struct prime_made *made)
{
    *made = (struct prime_made){0};
    put_events(made, true);
}

/* ------------------------------------------------------------------------------------------------ characters -- */

static void put_ids(struct prime_made *made, uint32_t count, uint32_t first)
{
    made_put_u32(made, count);
    for (uint32_t i = 0; i < count; i++)
        made_put_u32(made, first + i);
}

/* One parameter of each type, and an animation with a value of each. */
static void put_states(struct prime_made *made)
{
    made_put(made, "PAS4", 4);
    made_put_u32(made, 1);
    made_put_u32(made, 6);
    made_put_u32(made, 6);
    made_put_u32(made, 5);
    made_put_u32(made, 1);
    for (unsigned type = 0; type < 5; type++) {
        made_put_u32(made, type);
        made_put_u32(made, 4 - type);
        made_put_f32(made, 0.25f);
        for (int i = 0; i < 2; i++) {
            if (type == 3)
                made_put_u8(made, (unsigned)i);
            else if (type == 2)
                made_put_f32(made, (float)i);
            else
                made_put_u32(made, (uint32_t)(type == 0 && i == 0 ? -5 : i));
        }
    }
    made_put_u32(made, 1);
    made_put_u32(made, (uint32_t)-3);
    made_put_u32(made, 0xfffffffd);
    made_put_f32(made, 0.75f);
    made_put_u8(made, 1);
    made_put_u32(made, 2);
}

static void put_box(struct prime_made *made)
{
    made_put_floats(made, (const float[]){-1, -2, -3, 1, 2, 3}, 6);
}

static void put_effects(struct prime_made *made, bool mp2)
{
    made_put_u32(made, 1);
    made_put_text(made, "Glow");
    made_put_u32(made, 1);
    made_put_text(made, "GlowPart");
    made_put(made, "PA\x01T", 4);
    made_put_u32(made, 0x11);
    if (mp2)
        made_put_u32(made, 2);
    else
        made_put_text(made, "Hand_LCTR");
    made_put_f32(made, 2);
    made_put_u32(made, 1);
    made_put_u32(made, 4);
}

static void put_details(struct prime_made *made, bool mp2, unsigned version)
{
    put_ids(made, 2, 0x20);
    put_ids(made, 0, 0);
    if (version >= 6)
        made_put_u32(made, 0x66);
    put_ids(made, 1, 0x30);
    if (mp2)
        put_ids(made, 1, 0x40);
    made_put_u32(made, 0x77);
    if (mp2)
        made_put_u32(made, 0x78);
    made_put_u32(made, 1);
    made_put_text(made, "All");
    put_box(made);
    put_effects(made, mp2);
    made_put_u32(made, 0x51);
    made_put_u32(made, 0x52);
    put_ids(made, 2, 0);
    if (!mp2)
        return;
    made_put_u32(made, 0x61);
    made_put_u8(made, 9);
    made_put_u32(made, 1);
    made_put_u32(made, 2);
    put_box(made);
}

static void put_character(struct prime_made *made, uint32_t id, unsigned version, const char *name,
                          uint32_t animations)
{
    static const char *const names[2] = {"walk", "step"};
    bool mp2 = version == 10;
    made_put_u32(made, id);
    made_put_u16(made, version);
    made_put_text(made, name);
    made_put_u32(made, PRIME_CMDL);
    made_put_u32(made, PRIME_CSKR);
    made_put_u32(made, PRIME_CINF);
    made_put_u32(made, animations);
    for (uint32_t i = 0; i < animations; i++) {
        made_put_u32(made, i);
        if (!mp2)
            made_put_text(made, "A_");
        made_put_text(made, names[i]);
    }
    put_states(made);
    put_details(made, mp2, version);
}

void made_put_empty_set(struct prime_made *made)
{
    made_put_u16(made, 1);
    made_put_u16(made, 1);
    made_put_u32(made, 0);
}

/* ----------------------------------------------------------------------------------------------- animations -- */

void made_put_play(struct prime_made *made, uint32_t anim, const char *name)
{
    made_put_u32(made, 0);
    made_put_u32(made, anim);
    made_put_u32(made, 5);
    made_put_text(made, name);
    made_put_f32(made, 0.5f);
    made_put_u32(made, 0);
}

/* A sequence of a clip, a blend, and one of two at random. */
static void put_step(struct prime_made *made)
{
    made_put_u32(made, 4);
    made_put_u32(made, 3);
    made_put_play(made, PRIME_ANIM_STEP, "step_a");
    made_put_u32(made, 2);
    made_put_play(made, PRIME_ANIM_WALK, "walk_a");
    made_put_play(made, PRIME_ANIM_STEP, "step_b");
    made_put_f32(made, 0.25f);
    made_put_u8(made, 1);
    made_put_u32(made, 3);
    made_put_u32(made, 2);
    made_put_play(made, PRIME_ANIM_WALK, "walk_b");
    made_put_u32(made, 40);
    made_put_u32(made, 1);
    made_put_play(made, PRIME_ANIM_STEP, "step_c");
    made_put_play(made, PRIME_ANIM_STEP, "step_d");
    made_put_f32(made, 1);
    made_put_u8(made, 0);
    made_put_u32(made, 100);
}

static void put_way(struct prime_made *made, unsigned type)
{
    made_put_u32(made, type);
    if (type == 0)
        made_put_play(made, PRIME_ANIM_WALK, "between");
    if (type != 1 && type != 2)
        return;
    made_put_f32(made, 0.125f);
    made_put_u32(made, 0);
    made_put_u8(made, 1);
    made_put_u8(made, 0);
    made_put_u32(made, 8);
}

static void put_animation_set(struct prime_made *made, bool mp2)
{
    made_put_u16(made, 4);
    made_put_u32(made, 2);
    made_put_text(made, "walk");
    made_put_play(made, PRIME_ANIM_WALK, "walk_c");
    made_put_text(made, "step");
    put_step(made);
    made_put_u32(made, 3);
    for (unsigned type = 0; type < 3; type++) {
        made_put_u32(made, 100 + type);
        made_put_u32(made, type);
        made_put_u32(made, 1);
        put_way(made, type);
    }
    put_way(made, 3);
    made_put_u32(made, 1);
    made_put_u32(made, 1);
    made_put_floats(made, (const float[]){0.1f, 0.2f, 0.3f, 0.4f}, 4);
    made_put_u32(made, 1);
    made_put_u32(made, 1);
    put_way(made, 1);
    if (!mp2) {
        made_put_u32(made, 1);
        made_put_u32(made, PRIME_ANIM_WALK);
        made_put_u32(made, PRIME_EVNT);
        return;
    }
    made_put_u32(made, 2);
    put_events(made, true);
    made_put_u32(made, 1);
    for (int i = 0; i < 3; i++)
        made_put_u32(made, 0);
}

static void make_ancs(struct prime_made *made, bool mp2)
{
    *made = (struct prime_made){0};
    made_put_u16(made, 1);
    made_put_u16(made, 1);
    made_put_u32(made, 2);
    put_character(made, 0, mp2 ? 10 : 6, "Figure", 2);
    put_character(made, 1, mp2 ? 10 : 5, "Shadow", 1);
    put_animation_set(made, mp2);
}

void prime_make_ancs_mp1(struct prime_made *made)
{
    make_ancs(made, false);
}

void prime_make_ancs_mp2(struct prime_made *made)
{
    make_ancs(made, true);
}

/* --------------------------------------------------------------------------------------------------- skins -- */

static void put_groups(struct prime_made *made, uint32_t first)
{
    made_put_u32(made, 2);
    made_put_u32(made, 2);
    made_put_u32(made, first + 1);
    made_put_f32(made, 0.75f);
    made_put_u32(made, first + 2);
    made_put_f32(made, 0.25f);
    made_put_u32(made, 2);
    made_put_u32(made, 1);
    made_put_u32(made, first);
    made_put_f32(made, 1);
    made_put_u32(made, 1);
}

void prime_make_cskr_mp1(struct prime_made *made)
{
    *made = (struct prime_made){0};
    put_groups(made, 3);
    made_put_u32(made, 0xffffffff);
    made_put_u32(made, 3);
    made_put_u32(made, 1);
    made_put_floats(made, (const float[]){0, 0, 1}, 3);
}

void prime_make_cskr_mp2(struct prime_made *made)
{
    *made = (struct prime_made){0};
    put_groups(made, 0);
    made_put_u32(made, 10);
    made_put_u16(made, 0);
    made_put_u16(made, 1);
    for (int i = 2; i < 10; i++)
        made_put_u16(made, 0xffff);
    made_put_u32(made, 5);
    made_put(made, "\x01\x02\x03\x04\x05", 5);
}
