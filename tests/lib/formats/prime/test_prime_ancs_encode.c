/* Writing EVNT and ANCS: bytes by hand from prime-skeleton.md, 3 and 4, and what is refused. */
#include "tests/lib/formats/prime/prime_encode.h"

#include "tests/samples/tree.h"

/* ------------------------------------------------------------------------------------------------- EVNT -- */

enum { EVENTS = 4 };

/* One of each kind, at 1/2, 1/4, 1 and 2 seconds. */
struct events {
    struct arena arena;
    struct pose_event items[EVENTS];
    struct value_list fields[EVENTS];
    struct value_list extras;
    struct pose_content content;
};

static void make_events(struct events *events, const char *game)
{
    static const char *const types[EVENTS] = {"loop", "user", "particle", "sound"};
    static const char *const kinds[EVENTS] = {"bool", "int32", "particle", "sound"};
    static const float times[EVENTS] = {0.5f, 0.25f, 1, 2};
    *events = (struct events){.content = {.event_count = EVENTS, .events = events->items}};
    arena_init(&events->arena, NULL, 0, NULL);
    for (int i = 0; i < EVENTS; i++) {
        struct value_list *fields = &events->fields[i];
        *fields = value_object(&events->arena);
        value_put_string(fields, "kind", kinds[i]);
        value_put_string(fields, "name", i ? "e" : "Loop");
        events->items[i] = (struct pose_event){times[i], types[i], fields->value};
    }
    value_put_int(&events->fields[0], "value", 1);
    value_put_int(&events->fields[1], "value", 12);
    value_put_string(&events->fields[1], "locator", "foot_LCTR");
    value_put_int(&events->fields[1], "character_index", 3);
    value_put_int(&events->fields[1], "flags", -1);
    value_put_int(&events->fields[1], "unique", 1);
    value_put_float(&events->fields[1], "weight", 0.5f);
    value_put_int(&events->fields[2], "duration_frames", 9);
    value_put_string(&events->fields[2], "effect_type", "PART");
    value_put_int(&events->fields[2], "effect_id", 0xdeadbeef);
    value_put_string(&events->fields[2], "locator", "hand_LCTR");
    value_put_int(&events->fields[2], "bone_id", 7);
    value_put_float(&events->fields[2], "scale", 2);
    value_put_int(&events->fields[2], "parented_mode", 1);
    value_put_int(&events->fields[3], "sound_id", 0x0102);
    value_put_float(&events->fields[3], "fall_off", 0.5f);
    value_put_float(&events->fields[3], "max_distance", 150);
    value_put_int(&events->fields[3], "unknown_12", 1);
    value_put_int(&events->fields[3], "unknown_16", 2);
    value_put_int(&events->fields[3], "unknown_18", 3);
    value_put_float(&events->fields[3], "unknown_20", 4);
    events->extras = value_object(&events->arena);
    value_put_string(&events->extras, "game", game);
    value_put_int(&events->extras, "version", 2);
    events->content.extras = events->extras.value;
}

/* The head that all kinds share; index 0, unique to flags as given. */
static void put_head(struct writer *to, unsigned first, const char *name, unsigned type, float time)
{
    writer_u16be(to, (uint16_t)first);
    put_name(to, name);
    writer_u16be(to, (uint16_t)type);
    writer_f32be(to, time);
    writer_u32be(to, 0);
    writer_u32be(to, 0);
}

static void put_tail(struct writer *to)
{
    writer_u8(to, 0);
    put_words(to, (const uint32_t[]){0x3f800000, UINT32_MAX, 0}, 3);
}

static void put_events(struct writer *to, unsigned first)
{
    writer_u32be(to, 2);
    writer_u32be(to, 1);
    put_head(to, first, "Loop", 0, 0.5f);
    put_tail(to);
    writer_u8(to, 1);
    writer_u32be(to, 1);
    put_head(to, first, "e", 6, 0.25f);
    writer_u8(to, 1);
    put_words(to, (const uint32_t[]){0x3f000000, 3, UINT32_MAX, 12}, 4);
    put_name(to, "foot_LCTR");
    writer_u32be(to, 1);
    put_head(to, first, "e", 5, 1);
    put_tail(to);
    writer_u32be(to, 9);
    writer_text(to, "PART");
    writer_u32be(to, 0xdeadbeef);
    if (first == 1)
        put_name(to, "hand_LCTR");
    else
        writer_u32be(to, 7);
    put_words(to, (const uint32_t[]){0x40000000, 1, 1}, 3);
    put_head(to, first, "e", 8, 2);
    put_tail(to);
    put_words(to, (const uint32_t[]){0x0102, 0x3f000000, 0x43160000}, 3);
    if (first == 2)
        put_words(to, (const uint32_t[]){1, 0x00020003, 0x40800000}, 3);
}

TEST(test_event_bytes)
{
    for (unsigned first = 1; first <= 2; first++) {
        struct events events;
        struct expected expected;
        make_events(&events, first == 2 ? "mp2" : "mp1");
        struct pose_buffer found = must_encode(prime_evnt_encode, &events.content, NULL);
        put_events(expect_begin(&expected), first);
        expect_end(&expected, &found, "prime-evnt");
        arena_release(&events.arena);
    }
}

TEST(test_first_version)
{
    /* Version 1 ends after the effects; a sound makes it version 2. */
    struct events events;
    make_events(&events, "mp1");
    struct pose_value version = tree_int("version", 1);
    events.content.extras = &(struct pose_value){.kind = POSE_OBJECT, .first = &version};
    struct pose_buffer found = must_encode(prime_evnt_encode, &events.content, NULL);
    ck_assert_uint_eq(found.data[3], 2);
    pose_buffer_free(&found);
    events.content.event_count = 0;
    found = must_encode(prime_evnt_encode, &events.content, NULL);
    codec_check_bytes("empty", found.data, found.size, (const uint8_t[16]){0, 0, 0, 1}, 16);
    pose_buffer_free(&found);
    arena_release(&events.arena);
}

TEST(test_events_of_a_clip)
{
    /* Those without a kind lie where their type does by custom; what is no event of the game's is told. */
    static const struct pose_value number = {.kind = POSE_INT, .key = "value", .as.integer = 5},
                                   fields = {.kind = POSE_OBJECT, .first = &number};
    static const struct pose_event items[] = {
        {0, "footstep", NULL}, {1, "user", &fields}, {2, "loop", &fields}, {3, "random_rate", &fields}};
    const struct pose_clip clip = {.event_count = 4, .events = items};
    const struct pose_content content = {.clip_count = 1, .clips = &clip};
    struct codec_losses losses;
    struct expected expected;
    struct pose_buffer found = must_encode(prime_evnt_encode, &content, &losses);
    ck_assert_str_eq(losses.codes, "events_dropped ");
    struct writer *to = expect_begin(&expected);
    put_words(to, (const uint32_t[]){2, 1}, 2);
    put_head(to, 1, "", 0, 2);
    put_tail(to);
    writer_u8(to, 5);
    writer_u32be(to, 2);
    for (int i = 0; i < 2; i++) {
        put_head(to, 1, "", i ? 7 : 6, i ? 3 : 1);
        put_tail(to);
        writer_u32be(to, 5);
        put_name(to, "");
    }
    put_words(to, (const uint32_t[]){0, 0}, 2);
    expect_end(&expected, &found, "prime-evnt");
}

TEST(test_events_refused)
{
    struct pose_value bad[] = {tree_int("unique", 256), tree_int("head", 65536),
                               tree_int("event_type", 65536), tree_string("effect_type", "?"),
                               tree_int("index", INT64_C(1) << 32)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pose_value kind = tree_string("kind", "particle");
        kind.next = &bad[i];
        const struct pose_value fields = {.kind = POSE_OBJECT, .first = &kind};
        const struct pose_event event = {0, NULL, &fields};
        const struct pose_content content = {.event_count = 1, .events = &event};
        must_refuse(prime_evnt_encode, &content, "bad_value");
    }
}

/* ------------------------------------------------------------------------------------------------- ANCS -- */

struct set {
    struct arena arena;
    struct value_list character, extras;
    struct pose_character item;
    struct pose_content content;
};

static struct value_list meta_play(struct arena *arena, int64_t anim, const char *name)
{
    struct value_list meta = value_object(arena);
    value_put_string(&meta, "type", "play");
    value_put_int(&meta, "anim", anim);
    value_put_int(&meta, "primitive_index", 4);
    value_put_string(&meta, "name", name);
    value_put_float(&meta, "start_time", 0.5f);
    value_put_int(&meta, "start_time_kind", 1);
    return meta;
}

static void put_play(struct writer *to, uint32_t anim, const char *name)
{
    put_words(to, (const uint32_t[]){0, anim, 4}, 3);
    put_name(to, name);
    put_words(to, (const uint32_t[]){0x3f000000, 1}, 2);
}

/* A list of one object with those whole numbers. */
static void put_row(struct arena *arena, struct value_list *to, const char *key, const char *a, int64_t x,
                    const char *b, int64_t y)
{
    struct value_list list = value_array(arena), row = value_object(arena);
    value_put_int(&row, a, x);
    value_put_int(&row, b, y);
    value_put_list(&list, NULL, &row);
    value_put_list(to, key, &list);
}

/* random of a sequence of one, and a blend of two. */
static struct value_list make_tree(struct arena *arena)
{
    struct value_list all = value_object(arena), in_all = value_array(arena), odds = value_array(arena),
                      sequence = value_object(arena), in_sequence = value_array(arena),
                      blend = value_object(arena), in_blend = value_array(arena);
    struct value_list a = meta_play(arena, 0xa, "a"), b = meta_play(arena, 0xb, "b"),
                      c = meta_play(arena, 0xc, "c");
    value_put_list(&in_sequence, NULL, &a);
    value_put_string(&sequence, "type", "sequence");
    value_put_list(&sequence, "animations", &in_sequence);
    value_put_list(&in_blend, NULL, &b);
    value_put_list(&in_blend, NULL, &c);
    value_put_string(&blend, "type", "phase_blend");
    value_put_list(&blend, "animations", &in_blend);
    value_put_float(&blend, "weight", 0.25f);
    value_put_int(&blend, "unknown", 1);
    value_put_list(&in_all, NULL, &sequence);
    value_put_list(&in_all, NULL, &blend);
    value_put_int(&odds, NULL, 30);
    value_put_int(&odds, NULL, 100);
    value_put_string(&all, "type", "random");
    value_put_list(&all, "animations", &in_all);
    value_put_list(&all, "probabilities", &odds);
    return all;
}

static void put_tree(struct writer *to)
{
    put_words(to, (const uint32_t[]){3, 2, 4, 1}, 4);
    put_play(to, 0xa, "a");
    put_words(to, (const uint32_t[]){30, 2}, 2);
    put_play(to, 0xb, "b");
    put_play(to, 0xc, "c");
    writer_u32be(to, 0x3e800000);
    writer_u8(to, 1);
    writer_u32be(to, 100);
}

static void make_pas(struct arena *arena, struct value_list *character)
{
    struct value_list pas = value_object(arena), states = value_array(arena), state = value_object(arena),
                      parameters = value_array(arena), animations = value_array(arena),
                      animation = value_object(arena), values = value_array(arena);
    for (int64_t type = 2; type <= 3; type++) {
        struct value_list parameter = value_object(arena);
        value_put_int(&parameter, "type", type);
        value_put_int(&parameter, "weight_function", 1);
        value_put_float(&parameter, "weight", 0.5f);
        if (type == 2) {
            value_put_float(&parameter, "min", -1);
            value_put_float(&parameter, "max", 1);
            value_put_float(&values, NULL, 2);
        } else {
            value_put_int(&parameter, "min", 0);
            value_put_int(&parameter, "max", 1);
            value_put_int(&values, NULL, 1);
        }
        value_put_list(&parameters, NULL, &parameter);
    }
    value_put_int(&animation, "index", 9);
    value_put_list(&animation, "values", &values);
    value_put_list(&animations, NULL, &animation);
    value_put_int(&state, "type", 5);
    value_put_list(&state, "parameters", &parameters);
    value_put_list(&state, "animations", &animations);
    value_put_list(&states, NULL, &state);
    value_put_int(&pas, "default_state", 2);
    value_put_list(&pas, "states", &states);
    value_put_list(character, "pas", &pas);
}

static void put_pas(struct writer *to)
{
    writer_text(to, "PAS4");
    put_words(to, (const uint32_t[]){1, 2, 5, 2, 1}, 5);
    put_words(to, (const uint32_t[]){2, 1, 0x3f000000, 0xbf800000, 0x3f800000}, 5);
    put_words(to, (const uint32_t[]){3, 1, 0x3f000000}, 3);
    writer_u16be(to, 0x0001);
    put_words(to, (const uint32_t[]){9, 0x40000000}, 2);
    writer_u8(to, 1);
}

static const float six[6] = {1, 2, 3, 4, 5, 6};

static void make_character(struct set *set, bool is_mp2)
{
    struct arena *arena = &set->arena;
    struct value_list *character = &set->character, list = value_array(arena), row = value_object(arena);
    *character = value_object(arena);
    value_put_int(character, "id", 1);
    value_put_int(character, "version", is_mp2 ? 10 : 6);
    value_put_int(character, "cmdl", 0x11);
    value_put_int(character, "cskr", 0x12);
    value_put_int(character, "cinf", 0x13);
    value_put_int(&row, "index", 0);
    value_put_string(&row, "string", "s");
    value_put_string(&row, "name", "walk");
    value_put_list(&list, NULL, &row);
    value_put_list(character, "animations", &list);
    make_pas(arena, character);
    static const char *const particles[] = {"part", "swhc", "elsc", "spsc"};
    for (int i = 0; i < 4; i++) {
        struct value_list ids = value_array(arena);
        value_put_int(&ids, NULL, 0x20 + i);
        value_put_list(character, particles[i], &ids);
    }
    value_put_int(character, "unknown_particles", 0x24);
    value_put_int(character, "unknown_1", 0x25);
    value_put_int(character, "unknown_2", 0x26);
    struct value_list boxes = value_array(arena), box = value_object(arena);
    value_put_string(&box, "name", "box");
    value_put_floats(&box, "box", six, 6);
    value_put_list(&boxes, NULL, &box);
    value_put_list(character, "boxes", &boxes);
    struct value_list effects = value_array(arena), effect = value_object(arena),
                      components = value_array(arena), component = value_object(arena);
    value_put_string(&component, "name", "c");
    value_put_string(&component, "type", "50415254");
    value_put_int(&component, "id", 0x27);
    if (is_mp2)
        value_put_int(&component, "bone", 3);
    else
        value_put_string(&component, "bone", "b");
    value_put_float(&component, "scale", 2);
    value_put_int(&component, "mode", 1);
    value_put_int(&component, "flags", 2);
    value_put_list(&components, NULL, &component);
    value_put_string(&effect, "name", "e");
    value_put_list(&effect, "components", &components);
    value_put_list(&effects, NULL, &effect);
    value_put_list(character, "effects", &effects);
    value_put_int(character, "frozen_cmdl", 0x28);
    value_put_int(character, "frozen_cskr", 0x29);
    struct value_list map = value_array(arena);
    value_put_int(&map, NULL, 5);
    value_put_int(&map, NULL, 6);
    value_put_list(character, "animation_map", &map);
    value_put_int(character, "cspp", 0x2a);
    value_put_int(character, "unknown_3", 7);
    struct value_list indexed = value_array(arena), indexed_box = value_object(arena);
    value_put_int(&indexed_box, "id", 8);
    value_put_floats(&indexed_box, "box", six, 6);
    value_put_list(&indexed, NULL, &indexed_box);
    value_put_list(character, "indexed_boxes", &indexed);
}

static void put_six(struct writer *to)
{
    for (int i = 0; i < 6; i++)
        writer_f32be(to, six[i]);
}

static void put_character(struct writer *to, bool is_mp2)
{
    writer_u32be(to, 1);
    writer_u16be(to, is_mp2 ? 10 : 6);
    put_name(to, "Creature");
    put_words(to, (const uint32_t[]){0x11, 0x12, 0x13, 1, 0}, 5);
    if (!is_mp2)
        put_name(to, "s");
    put_name(to, "walk");
    put_pas(to);
    put_words(to, (const uint32_t[]){1, 0x20, 1, 0x21, 0x24, 1, 0x22}, 7);
    if (is_mp2)
        put_words(to, (const uint32_t[]){1, 0x23, 0x25, 0x26}, 4);
    else
        writer_u32be(to, 0x25);
    writer_u32be(to, 1);
    put_name(to, "box");
    put_six(to);
    writer_u32be(to, 1);
    put_name(to, "e");
    writer_u32be(to, 1);
    put_name(to, "c");
    writer_text(to, "PART");
    writer_u32be(to, 0x27);
    if (is_mp2)
        writer_u32be(to, 3);
    else
        put_name(to, "b");
    put_words(to, (const uint32_t[]){0x40000000, 1, 2, 0x28, 0x29, 2, 5, 6}, 8);
    if (!is_mp2)
        return;
    writer_u32be(to, 0x2a);
    writer_u8(to, 7);
    put_words(to, (const uint32_t[]){1, 8}, 2);
    put_six(to);
}

static struct value_list meta_transition(struct arena *arena, const char *type)
{
    struct value_list transition = value_object(arena);
    value_put_string(&transition, "type", type);
    value_put_float(&transition, "duration", 0.5f);
    value_put_int(&transition, "duration_kind", 2);
    value_put_int(&transition, "unknown", 1);
    value_put_int(&transition, "run_outgoing", 1);
    value_put_int(&transition, "flags", 8);
    return transition;
}

static void make_set(struct set *set, bool is_mp2, int64_t tables)
{
    *set = (struct set){.item = {.name = "Creature", .type = "character_set"}};
    struct arena *arena = &set->arena;
    arena_init(arena, NULL, 0, NULL);
    make_character(set, is_mp2);
    struct value_list *extras = &set->extras, animations = value_array(arena),
                      animation = value_object(arena), tree = make_tree(arena);
    *extras = value_object(arena);
    value_put_string(extras, "game", is_mp2 ? "mp2" : "mp1");
    value_put_int(extras, "table_count", tables);
    value_put_string(&animation, "name", "Walk");
    value_put_list(&animation, "animation", &tree);
    value_put_list(&animations, NULL, &animation);
    value_put_list(extras, "animations", &animations);
    struct value_list transitions = value_array(arena), row = value_object(arena),
                      phase = meta_transition(arena, "phase_transition"),
                      snap = meta_transition(arena, "snap");
    value_put_int(&row, "unknown_0", 1);
    value_put_int(&row, "a", 2);
    value_put_int(&row, "b", 3);
    value_put_list(&row, "transition", &phase);
    value_put_list(&transitions, NULL, &row);
    value_put_list(extras, "transitions", &transitions);
    value_put_list(extras, "default_transition", &snap);
    struct value_list additives = value_array(arena), additive = value_object(arena);
    value_put_int(&additive, "index", 4);
    value_put_float(&additive, "fade_in", 1);
    value_put_float(&additive, "fade_out", 2);
    value_put_list(&additives, NULL, &additive);
    value_put_list(extras, "additives", &additives);
    value_put_float(extras, "default_fade_in", 3);
    value_put_float(extras, "default_fade_out", 4);
    struct value_list halves = value_array(arena), half = value_object(arena), moving = value_object(arena),
                      play = meta_play(arena, 0xd, "d");
    value_put_string(&moving, "type", "animation");
    value_put_list(&moving, "animation", &play);
    value_put_int(&half, "index", 5);
    value_put_list(&half, "transition", &moving);
    value_put_list(&halves, NULL, &half);
    value_put_list(extras, "half_transitions", &halves);
    if (!is_mp2) {
        put_row(arena, extras, "anim_events", "anim", 0xa, "evnt", 0xe);
    } else {
        struct value_list sets = value_array(arena), one = value_object(arena), items = value_array(arena),
                          event = value_object(arena);
        value_put_float(&event, "time", 0.5f);
        value_put_string(&event, "type", "loop");
        value_put_string(&event, "kind", "bool");
        value_put_string(&event, "name", "Loop");
        value_put_list(&items, NULL, &event);
        value_put_int(&one, "version", 2);
        value_put_list(&one, "events", &items);
        value_put_list(&sets, NULL, &one);
        value_put_list(extras, "event_sets", &sets);
    }
    set->item.extras = value_done(&set->character);
    set->content =
        (struct pose_content){.character_count = 1, .characters = &set->item, .extras = value_done(extras)};
}

static void put_set(struct writer *to, bool is_mp2, unsigned tables)
{
    put_words(to, (const uint32_t[]){0x00010001, 1}, 2);
    put_character(to, is_mp2);
    writer_u16be(to, (uint16_t)tables);
    writer_u32be(to, 1);
    put_name(to, "Walk");
    put_tree(to);
    put_words(to, (const uint32_t[]){1, 1, 2, 3, 2, 0x3f000000, 2}, 7);
    writer_u16be(to, 0x0101);
    put_words(to, (const uint32_t[]){8, 3}, 2);
    if (tables >= 2)
        put_words(to, (const uint32_t[]){1, 4, 0x3f800000, 0x40000000, 0x40400000, 0x40800000}, 6);
    if (tables >= 3) {
        put_words(to, (const uint32_t[]){1, 5, 0}, 3);
        put_play(to, 0xd, "d");
    }
    if (tables < 4)
        return;
    if (!is_mp2) {
        put_words(to, (const uint32_t[]){1, 0xa, 0xe}, 3);
        return;
    }
    put_words(to, (const uint32_t[]){1, 2, 1}, 3);
    put_head(to, 2, "Loop", 0, 0.5f);
    put_tail(to);
    writer_u8(to, 0);
    put_words(to, (const uint32_t[]){0, 0, 0}, 3);
}

TEST(test_set_bytes)
{
    for (unsigned tables = 1; tables <= 4; tables++) {
        for (int is_mp2 = 0; is_mp2 < 2; is_mp2++) {
            struct set set;
            struct expected expected;
            make_set(&set, is_mp2, tables);
            struct pose_buffer found = must_encode(prime_ancs_encode, &set.content, NULL);
            put_set(expect_begin(&expected), is_mp2, tables);
            expect_end(&expected, &found, "prime-ancs");
            arena_release(&set.arena);
        }
    }
}

TEST(test_empty_set)
{
    const struct pose_content content = {.clip_count = 0};
    struct expected expected;
    struct pose_buffer found = must_encode(prime_ancs_encode, &content, NULL);
    struct writer *to = expect_begin(&expected);
    put_words(to, (const uint32_t[]){0x00010001, 0}, 2);
    writer_u16be(to, 4);
    put_words(to, (const uint32_t[]){0, 0, 3 /* snap */, 0, 0, 0, 0, 0}, 8);
    expect_end(&expected, &found, "prime-ancs");
}

/* Sequences in each other, that many. */
static struct value_list make_deep(struct arena *arena, unsigned depth)
{
    struct value_list meta = meta_play(arena, 1, "");
    for (unsigned i = 1; i < depth; i++) {
        struct value_list outer = value_object(arena), list = value_array(arena);
        value_put_list(&list, NULL, &meta);
        value_put_string(&outer, "type", "sequence");
        value_put_list(&outer, "animations", &list);
        meta = outer;
    }
    return meta;
}

static bool try_animation(struct arena *arena, const struct value_list *meta, struct pose_error *error)
{
    struct value_list extras = value_object(arena), list = value_array(arena), row = value_object(arena);
    value_put_string(&row, "name", "x");
    if (meta)
        value_put_list(&row, "animation", meta);
    value_put_list(&list, NULL, &row);
    value_put_list(&extras, "animations", &list);
    const struct pose_content content = {.extras = value_done(&extras)};
    struct pose_buffer out;
    bool done = try_encode(prime_ancs_encode, &content, NULL, &out, error);
    pose_buffer_free(&out);
    return done;
}

TEST(test_set_refused)
{
    struct arena arena;
    struct pose_error error;
    arena_init(&arena, NULL, 0, NULL);
    struct value_list deep = make_deep(&arena, PRIME_META_DEPTH);
    ck_assert(try_animation(&arena, &deep, &error));
    static const unsigned depths[] = {PRIME_META_DEPTH + 1, 100000};
    for (int i = 0; i < 2; i++) {
        deep = make_deep(&arena, depths[i]);
        ck_assert(!try_animation(&arena, &deep, &error));
        ck_assert_str_eq(error.code, "bad_value");
        ck_assert_str_eq(error.field, "animation");
    }
    ck_assert(!try_animation(&arena, NULL, &error));
    ck_assert_str_eq(error.field, "animation");
    struct value_list blend = value_object(&arena);
    value_put_string(&blend, "type", "blend");
    ck_assert(!try_animation(&arena, &blend, &error));
    ck_assert_str_eq(error.field, "animations");
    struct value_list odds = make_tree(&arena), words = value_array(&arena), other = value_object(&arena);
    const struct pose_value *two = pose_value_find(odds.value, "animations");
    value_put_string(&words, NULL, "a");
    value_put_string(&words, NULL, "b");
    value_put_string(&other, "type", "random");
    struct value_list copy = {.arena = &arena, .value = (struct pose_value *)two};
    value_put_list(&other, "animations", &copy);
    value_put_list(&other, "probabilities", &words);
    ck_assert(!try_animation(&arena, &other, &error));
    ck_assert_str_eq(error.field, "probabilities");
    arena_release(&arena);
}
