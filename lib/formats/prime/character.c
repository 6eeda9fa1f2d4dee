/*
 * One character of a Metroid Prime character set; v is its version, 5 or 6 in the first game, 10 in the second.
 * Texts end with a NUL; a list is u32 count followed by its items.
 *
 *     u32 id, u16 v, name, u32 CMDL, CSKR, CINF
 *     list of animations: u32 index, [v < 10: text], name
 *     "PAS4", u32 states, u32 default, states: u32 type, u32 parameters, u32 animations,
 *         parameters: u32 type, u32 function, f32 weight, minimum and maximum value;  animations: u32 index, values
 *         (a value is a byte in parameters of type 3, else 4; those of type 2 are floats)
 *     lists of ids PART, SWHC; [v >= 6: u32]; lists of ids ELSC, [v >= 10: SPSC]
 *     u32, [v >= 10: u32]
 *     v >= 2: list of boxes: text, f32[6]; list of effects: text, list of components: text, char[4], u32 id,
 *         [v < 10: text, else u32] bone, f32 scale, u32 mode, u32 flags
 *     v >= 4: u32 frozen CMDL, CSKR     v >= 5: list of u32
 *     v >= 10: u32 CSPP, u8, list of boxes: u32, f32[6]
 *
 * Facts: prime-skeleton.md, 4.
 */
#include "lib/formats/prime/set.h"

enum { VERSION_MP1_LAST = 6, VERSION_MP2 = 10, PAS_REAL = 2, PAS_BOOL = 3, PAS_TYPES = 5 };

/* --------------------------------------------------------------------------------------- animation states -- */

static void take_value(struct prime_set *set, struct value_list *list, const char *key, uint32_t type)
{
    if (type == PAS_BOOL)
        value_put_int(list, key, reader_u8(&set->reader, key));
    else if (type == PAS_REAL)
        value_put_float(list, key, reader_finite_f32be(&set->reader, key, "not_finite"));
    else if (type == 0)
        value_put_int(list, key, reader_i32be(&set->reader, key));
    else
        value_put_int(list, key, reader_u32be(&set->reader, key));
}

static void take_parameters(struct prime_set *set, struct value_list *state, uint32_t count)
{
    struct value_list parameters = value_array(state->arena);
    for (uint32_t i = 0; i < count && !set->reader.failed && !state->arena->failed; i++) {
        struct value_list parameter = value_object(state->arena);
        uint32_t type = prime_take_u32(set, &parameter, "type");
        if (!set->reader.failed && type >= PAS_TYPES)
            reader_fail(&set->reader, "bad_type", "a parameter of type %u, the largest known is %d", type,
                        PAS_TYPES - 1);
        prime_take_u32(set, &parameter, "weight_function");
        prime_take_float(set, &parameter, "weight");
        take_value(set, &parameter, "min", type);
        take_value(set, &parameter, "max", type);
        value_put_list(&parameters, NULL, &parameter);
    }
    value_put_list(state, "parameters", &parameters);
}

static void take_states_animations(struct prime_set *set, struct value_list *state, uint32_t count)
{
    struct value_list animations = value_array(state->arena);
    const struct pose_value *parameters = pose_value_find(state->value, "parameters");
    for (uint32_t i = 0; i < count && !set->reader.failed && !state->arena->failed; i++) {
        struct value_list animation = value_object(state->arena), values = value_array(state->arena);
        const struct pose_value *parameter = parameters ? parameters->first : NULL;
        prime_take_u32(set, &animation, "index");
        for (; parameter && !set->reader.failed; parameter = parameter->next)
            take_value(set, &values, NULL, (uint32_t)value_get_int(parameter, "type", 0));
        value_put_list(&animation, "values", &values);
        value_put_list(&animations, NULL, &animation);
    }
    value_put_list(state, "animations", &animations);
}

static void take_state(struct prime_set *set, struct value_list *state)
{
    prime_take_u32(set, state, "type");
    uint32_t parameters = prime_take_u32(set, NULL, "parameter_count");
    reader_count(&set->reader, parameters, 14, "parameters", "count_too_large");
    uint32_t animations = prime_take_u32(set, NULL, "animation_count");
    reader_count(&set->reader, animations, 4, "animations", "count_too_large");
    take_parameters(set, state, parameters);
    take_states_animations(set, state, animations);
}

static void take_states(struct prime_set *set, struct value_list *extras)
{
    struct reader *reader = &set->reader;
    struct value_list pas = value_object(extras->arena), states = value_array(extras->arena);
    uint32_t magic = prime_take_u32(set, NULL, "pas_magic");
    if (!reader->failed && magic != PRIME_PAS_MAGIC)
        reader_fail(reader, "bad_magic", "0x%08x instead of \"PAS4\"", magic);
    uint32_t count = prime_take_u32(set, NULL, "state_count");
    reader_count(reader, count, 12, "states", "count_too_large");
    prime_take_u32(set, &pas, "default_state");
    for (uint32_t i = 0; i < count && !reader->failed && !extras->arena->failed; i++) {
        struct value_list state = value_object(extras->arena);
        reader_enter(reader, "states", i);
        take_state(set, &state);
        reader_leave(reader);
        value_put_list(&states, NULL, &state);
    }
    value_put_list(&pas, "states", &states);
    value_put_list(extras, "pas", &pas);
}

/* ------------------------------------------------------------------------------------------------- details -- */

static void take_animation(struct prime_set *set, struct value_list *item)
{
    prime_take_u32(set, item, "index");
    if (set->game == PRIME_MP1)
        prime_take_text(set, item, "string");
    prime_take_text(set, item, "name");
}

static void take_box(struct prime_set *set, struct value_list *item)
{
    prime_take_text(set, item, "name");
    prime_take_floats(set, item, "box", 6);
}

static void take_indexed_box(struct prime_set *set, struct value_list *item)
{
    prime_take_u32(set, item, "id");
    prime_take_floats(set, item, "box", 6);
}

static void take_component(struct prime_set *set, struct value_list *item)
{
    prime_take_text(set, item, "name");
    value_put_string(item, "type", prime_read_type(&set->reader, item->arena, "type"));
    prime_take_u32(set, item, "id");
    if (set->game == PRIME_MP1)
        prime_take_text(set, item, "bone");
    else
        prime_take_u32(set, item, "bone");
    prime_take_float(set, item, "scale");
    prime_take_u32(set, item, "mode");
    prime_take_u32(set, item, "flags");
}

static void take_effect(struct prime_set *set, struct value_list *item)
{
    prime_take_text(set, item, "name");
    prime_take_list(set, item, "components", 25, take_component);
}

static void take_particles(struct prime_set *set, struct value_list *extras, unsigned version)
{
    prime_take_ids(set, extras, "part");
    prime_take_ids(set, extras, "swhc");
    if (version >= 6)
        prime_take_u32(set, extras, "unknown_particles");
    prime_take_ids(set, extras, "elsc");
    if (version >= VERSION_MP2)
        prime_take_ids(set, extras, "spsc");
    prime_take_u32(set, extras, "unknown_1");
    if (version >= VERSION_MP2)
        prime_take_u32(set, extras, "unknown_2");
}

static void take_details(struct prime_set *set, struct value_list *extras, unsigned version)
{
    if (version >= 2) {
        prime_take_list(set, extras, "boxes", 25, take_box);
        prime_take_list(set, extras, "effects", 5, take_effect);
    }
    if (version >= 4) {
        prime_take_u32(set, extras, "frozen_cmdl");
        prime_take_u32(set, extras, "frozen_cskr");
    }
    if (version >= 5)
        prime_take_ids(set, extras, "animation_map");
    if (version >= VERSION_MP2) {
        prime_take_u32(set, extras, "cspp");
        prime_take_u8(set, extras, "unknown_3");
        prime_take_list(set, extras, "indexed_boxes", 28, take_indexed_box);
    }
}

/* The version distinguishes the games; all characters of a set belong to one game. */
static unsigned take_version(struct prime_set *set, struct value_list *extras)
{
    struct reader *reader = &set->reader;
    unsigned version = reader_u16be(reader, "version");
    if (!reader->failed && version != VERSION_MP2 && (!version || version > VERSION_MP1_LAST))
        reader_fail(reader, "bad_version", "a character of version %u, known are up to %d, and %d", version,
                    VERSION_MP1_LAST, VERSION_MP2);
    if (!reader->failed && (version == VERSION_MP2) != (set->game == PRIME_MP2))
        reader_fail(reader, "bad_version", "a character of version %u in a set of %s", version,
                    prime_games[set->game]);
    value_put_int(extras, "version", version);
    return version;
}

bool prime_take_character(struct prime_set *set, struct pose_character *character)
{
    struct value_list extras = value_object(set->job->arena);
    prime_take_u32(set, &extras, "id");
    unsigned version = take_version(set, &extras);
    const char *name = prime_take_text(set, NULL, "name");
    prime_take_u32(set, &extras, "cmdl");
    prime_take_u32(set, &extras, "cskr");
    prime_take_u32(set, &extras, "cinf");
    prime_take_list(set, &extras, "animations", 5, take_animation);
    take_states(set, &extras);
    take_particles(set, &extras, version);
    take_details(set, &extras, version);
    *character =
        (struct pose_character){.name = name, .type = "character_set", .extras = value_done(&extras)};
    return !set->reader.failed && !set->job->arena->failed;
}
