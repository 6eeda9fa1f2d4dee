#include "tests/samples/creature/set.h"

#include "tests/samples/creature/model.h"

#include <stdlib.h>

struct pose_value creature_list(struct creature *creature, enum pose_value_kind kind, const char *key,
                                const struct pose_value *items, unsigned count)
{
    struct pose_value *kept = &creature->trees[creature->tree_count];
    creature->tree_count += count;
    if (creature->tree_count > CREATURE_TREES)
        abort();
    for (unsigned i = 0; i < count; i++)
        kept[i] = items[i];
    return tree_of(kind, key, kept, count);
}

const struct pose_value *creature_keep(struct creature *creature, struct pose_value value)
{
    return creature_list(creature, POSE_ARRAY, NULL, &value, 1).first;
}

uint32_t creature_bone_id(const struct creature *creature, int bone)
{
    return (uint32_t)bone + (creature->is_mp2 ? 0 : 3);
}

/* An array without items. */
static struct pose_value nothing(const char *key)
{
    return (struct pose_value){.kind = POSE_ARRAY, .key = key};
}

/* ------------------------------------------------------------------------------------------------ events -- */

static struct pose_event *add_event(struct creature_animation *animation, double time, const char *type)
{
    struct pose_event *event = &animation->events[animation->event_count++];
    *event = (struct pose_event){.time = (float)time, .type = type};
    return event;
}

static void add_loop(struct creature *creature, struct creature_animation *animation)
{
    struct pose_event *event = add_event(animation, 0, "loop");
    event->fields =
        creature_keep(creature, CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("kind", "bool"),
                                              tree_string("name", "Loop"), tree_int("event_type", 0),
                                              tree_int("value", 1)));
}

static void add_action(struct creature *creature, struct creature_animation *animation, double time,
                       const char *name, int64_t value)
{
    struct pose_event *event = add_event(animation, time, "user");
    event->fields =
        creature_keep(creature, CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("kind", "int32"),
                                              tree_string("name", name), tree_int("event_type", 6),
                                              tree_int("value", value), tree_string("locator", "Body")));
}

static void add_dust(struct creature *creature, struct creature_animation *animation, double time, int bone)
{
    struct pose_event *event = add_event(animation, time, "particle");
    struct pose_value holder = creature->is_mp2 ? tree_int("bone_id", creature_bone_id(creature, bone))
                                                : tree_string("locator", creature_bones[bone].name);
    event->fields = creature_keep(
        creature,
        CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("kind", "particle"),
                      tree_string("name", "Dust"), tree_int("event_type", 5), tree_int("duration_frames", 10),
                      tree_string("effect_type", "PART"), tree_int("effect_id", 0x0c0d0031), holder,
                      tree_float("scale", 0.5), tree_int("parented_mode", 0)));
}

static void add_step(struct creature *creature, struct creature_animation *animation, double time)
{
    struct pose_event *event = add_event(animation, time, "sound");
    event->fields =
        creature_keep(creature, CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("kind", "sound"),
                                              tree_string("name", "Step"), tree_int("event_type", 8),
                                              tree_int("sound_id", 0x105), tree_float("fall_off", 0.2),
                                              tree_float("max_distance", 40)));
}

/* In the order in which they come, sorted by time. */
void creature_make_events(struct creature *creature)
{
    struct creature_animation *walk = &creature->animations[CREATURE_WALK],
                              *jump = &creature->animations[CREATURE_JUMP];
    add_loop(creature, walk);
    add_step(creature, walk, 0.25 * 0.8);
    add_dust(creature, walk, 0.6, CREATURE_FRONT_FOOT);
    add_step(creature, walk, 0.75 * 0.8 + 0.01);
    add_action(creature, jump, 0.27, "TakeOff", 13);
    add_action(creature, jump, 0.675, "Landing", 12);
    add_dust(creature, jump, 0.7, CREATURE_HIND_FOOT);
    add_loop(creature, &creature->animations[CREATURE_IDLE]);
}

/* -------------------------------------------------------------------------------------------------- skin -- */

static struct pose_value weight_of(struct creature *creature, int bone, double weight)
{
    return CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("bone_id", creature_bone_id(creature, bone)),
                         tree_float("weight", weight));
}

/* The matrices that each surface is drawn with: ten groups a bank, of which two are used. */
static struct pose_value banks_of(struct creature *creature)
{
    enum { BANK = 10, UNUSED = 0xffff };
    struct pose_value banks[CREATURE_TUBES * BANK];
    for (int i = 0; i < CREATURE_TUBES * BANK; i++) {
        int bone = creature_tube_bone(i / BANK);
        banks[i] = tree_int(NULL, i % BANK == 0   ? creature_bones[bone].parent - 1
                                  : i % BANK == 1 ? bone - 1
                                                  : UNUSED);
    }
    return creature_list(creature, POSE_ARRAY, "matrix_banks", banks, CREATURE_TUBES * BANK);
}

/* A ring of vertices about each bone but the root, half on the bone before it. */
void creature_make_skin(struct creature *creature)
{
    enum { RING = CREATURE_RING, GROUPS = CREATURE_GROUPS };
    static const char digits[] = "0123456789abcdef";
    static char footer[2 * GROUPS * RING + 1]; /* a byte a position: its group */
    struct pose_value groups[GROUPS];
    for (int i = 0; i < GROUPS; i++) {
        int bone = i + 1, parent = creature_bones[bone].parent;
        struct pose_value weights =
            parent == CREATURE_ROOT
                ? CREATURE_LIST(creature, POSE_ARRAY, "weights", weight_of(creature, bone, 1))
                : CREATURE_LIST(creature, POSE_ARRAY, "weights", weight_of(creature, bone, 0.5),
                                weight_of(creature, parent, 0.5));
        groups[i] = CREATURE_LIST(creature, POSE_OBJECT, NULL, weights, tree_int("vertex_count", RING));
        for (int k = 0; k < RING; k++) {
            footer[2 * (i * RING + k)] = digits[i >> 4];
            footer[2 * (i * RING + k) + 1] = digits[i & 15];
        }
    }
    struct pose_value list = creature_list(creature, POSE_ARRAY, "groups", groups, GROUPS),
                      game = tree_string("game", creature->game);
    struct pose_value extras =
        creature->is_mp2
            ? CREATURE_LIST(creature, POSE_OBJECT, NULL, game, list, banks_of(creature),
                            tree_string("footer", footer))
            : CREATURE_LIST(creature, POSE_OBJECT, NULL, game, list, tree_int("vertex_count", GROUPS * RING),
                            tree_int("normal_count", GROUPS * RING));
    creature->skin = (struct pose_mesh){.axes = POSE_AXES_PRIME, .extras = creature_keep(creature, extras)};
}

/* --------------------------------------------------------------------------------------------- character -- */

static struct pose_value box_of(struct creature *creature)
{
    return CREATURE_LIST(creature, POSE_ARRAY, "box", tree_float(NULL, -0.3), tree_float(NULL, -0.5),
                         tree_float(NULL, 0), tree_float(NULL, 0.3), tree_float(NULL, 0.6),
                         tree_float(NULL, 0.8));
}

/* Locomotion, chosen by speed, and a parameter of each other type that a byte or word may have. */
static struct pose_value pas_of(struct creature *creature)
{
    struct pose_value speed = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("type", 2),
                                            tree_int("weight_function", 1), tree_float("weight", 1),
                                            tree_float("min", 0), tree_float("max", 10)),
                      alert = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("type", 3),
                                            tree_int("weight_function", 0), tree_float("weight", 0.5),
                                            tree_int("min", 0), tree_int("max", 1));
    struct pose_value rows[2];
    for (int i = 0; i < 2; i++)
        rows[i] = CREATURE_LIST(
            creature, POSE_OBJECT, NULL, tree_int("index", i ? CREATURE_IDLE : CREATURE_WALK),
            CREATURE_LIST(creature, POSE_ARRAY, "values", tree_float(NULL, i ? 0 : 1), tree_int(NULL, i)));
    struct pose_value state = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("type", 5),
                                            CREATURE_LIST(creature, POSE_ARRAY, "parameters", speed, alert),
                                            creature_list(creature, POSE_ARRAY, "animations", rows, 2));
    return CREATURE_LIST(creature, POSE_OBJECT, "pas", tree_int("default_state", 5),
                         CREATURE_LIST(creature, POSE_ARRAY, "states", state));
}

static struct pose_value effects_of(struct creature *creature)
{
    struct pose_value bone = creature->is_mp2 ? tree_int("bone", creature_bone_id(creature, CREATURE_HEAD))
                                              : tree_string("bone", creature_bones[CREATURE_HEAD].name);
    struct pose_value component = CREATURE_LIST(
        creature, POSE_OBJECT, NULL, tree_string("name", "Glow"), tree_string("type", "PART"),
        tree_int("id", 0x0c0d0031), bone, tree_float("scale", 1), tree_int("mode", 1), tree_int("flags", 0));
    struct pose_value effect = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("name", "Eyes"),
                                             CREATURE_LIST(creature, POSE_ARRAY, "components", component));
    return CREATURE_LIST(creature, POSE_ARRAY, "effects", effect);
}

static void make_character(struct creature *creature)
{
    static const char *const names[CREATURE_CLIPS] = {"hopper_walk", "hopper_jump", "hopper_idle",
                                                      "hopper_look"};
    struct pose_value animations[CREATURE_CLIPS], map[CREATURE_CLIPS];
    for (int i = 0; i < CREATURE_CLIPS; i++) {
        struct pose_value index = tree_int("index", i), name = tree_string("name", names[i]);
        animations[i] = creature->is_mp2 ? CREATURE_LIST(creature, POSE_OBJECT, NULL, index, name)
                                         : CREATURE_LIST(creature, POSE_OBJECT, NULL, index,
                                                         tree_string("string", ""), name);
        map[i] = tree_int(NULL, i);
    }
    struct pose_value first[] = {
        tree_int("id", 0),
        tree_int("version", creature->is_mp2 ? 10 : 6),
        tree_int("cmdl", CREATURE_CMDL),
        tree_int("cskr", CREATURE_CSKR),
        tree_int("cinf", CREATURE_CINF),
        creature_list(creature, POSE_ARRAY, "animations", animations, CREATURE_CLIPS),
        pas_of(creature),
        CREATURE_LIST(creature, POSE_ARRAY, "part", tree_int(NULL, 0x0c0d0031)),
        nothing("swhc"),
        tree_int("unknown_particles", 0),
        nothing("elsc"),
        nothing("spsc"),
        tree_int("unknown_1", 0),
        tree_int("unknown_2", 0),
        CREATURE_LIST(
            creature, POSE_ARRAY, "boxes",
            CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("name", "Walk"), box_of(creature))),
        effects_of(creature),
        tree_int("frozen_cmdl", 0),
        tree_int("frozen_cskr", 0),
        creature_list(creature, POSE_ARRAY, "animation_map", map, CREATURE_CLIPS),
        tree_int("cspp", 0),
        tree_int("unknown_3", 0),
        CREATURE_LIST(creature, POSE_ARRAY, "indexed_boxes",
                      CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("id", 0), box_of(creature))),
    };
    struct pose_value extras =
        creature_list(creature, POSE_OBJECT, NULL, first, sizeof first / sizeof *first);
    creature->character = (struct pose_character){
        .name = "Hopper", .type = "character_set", .extras = creature_keep(creature, extras)};
}

/* --------------------------------------------------------------------------------------------------- set -- */

static struct pose_value play(struct creature *creature, const char *key, enum creature_clip clip)
{
    return CREATURE_LIST(creature, POSE_OBJECT, key, tree_string("type", "play"),
                         tree_int("anim", CREATURE_ANIM + clip), tree_int("primitive_index", clip),
                         tree_string("name", creature_motions[clip].name), tree_float("start_time", 0),
                         tree_int("start_time_kind", 0));
}

/* Of two, so that every kind of node is there. */
static struct pose_value pair(struct creature *creature, const char *type, enum creature_clip a,
                              enum creature_clip b)
{
    struct pose_value both =
        CREATURE_LIST(creature, POSE_ARRAY, "animations", play(creature, NULL, a), play(creature, NULL, b));
    struct pose_value name = tree_string("type", type);
    if (type[0] == 'r')
        return CREATURE_LIST(
            creature, POSE_OBJECT, "animation", name, both,
            CREATURE_LIST(creature, POSE_ARRAY, "probabilities", tree_int(NULL, 80), tree_int(NULL, 100)));
    if (type[0] == 's')
        return CREATURE_LIST(creature, POSE_OBJECT, "animation", name, both);
    return CREATURE_LIST(creature, POSE_OBJECT, "animation", name, both, tree_float("weight", 0.25),
                         tree_int("unknown", 0));
}

static struct pose_value named(struct creature *creature, const char *name, struct pose_value animation)
{
    return CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("name", name), animation);
}

static struct pose_value transition(struct creature *creature, const char *key, const char *type)
{
    return CREATURE_LIST(creature, POSE_OBJECT, key, tree_string("type", type), tree_float("duration", 0.2),
                         tree_int("duration_kind", 0), tree_int("unknown", 0), tree_int("run_outgoing", 1),
                         tree_int("flags", 0));
}

static struct pose_value transitions_of(struct creature *creature)
{
    static const char *const types[] = {"transition", "phase_transition", "snap"};
    struct pose_value rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("unknown_0", 0), tree_int("a", i),
                                tree_int("b", i + 1), transition(creature, "transition", types[i]));
    return creature_list(creature, POSE_ARRAY, "transitions", rows, 3);
}

/* A set for each animation: in Metroid Prime 2 in place of the files. */
static struct pose_value event_set(struct creature *creature, enum creature_clip clip)
{
    const struct creature_animation *animation = &creature->animations[clip];
    struct pose_value rows[CREATURE_EVENTS], first[16];
    for (unsigned i = 0; i < animation->event_count; i++) {
        unsigned count = 0;
        first[count++] = tree_float("time", (double)animation->events[i].time);
        first[count++] = tree_string("type", animation->events[i].type);
        for (const struct pose_value *field = animation->events[i].fields->first; field; field = field->next)
            first[count++] = *field;
        rows[i] = creature_list(creature, POSE_OBJECT, NULL, first, count);
    }
    struct pose_value list = animation->event_count
                                 ? creature_list(creature, POSE_ARRAY, "events", rows, animation->event_count)
                                 : nothing("events");
    return CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("version", 2), list);
}

static struct pose_value events_of(struct creature *creature)
{
    static const enum creature_clip first_leaves[] = {CREATURE_WALK, CREATURE_JUMP, CREATURE_IDLE,
                                                      CREATURE_LOOK, CREATURE_WALK, CREATURE_IDLE};
    struct pose_value rows[6];
    for (int i = 0; i < 6 && creature->is_mp2; i++)
        rows[i] = event_set(creature, first_leaves[i]);
    if (creature->is_mp2)
        return creature_list(creature, POSE_ARRAY, "event_sets", rows, 6);
    for (int i = 0; i < CREATURE_IDLE + 1; i++)
        rows[i] = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("anim", CREATURE_ANIM + i),
                                tree_int("evnt", CREATURE_EVNT + i));
    return creature_list(creature, POSE_ARRAY, "anim_events", rows, CREATURE_IDLE + 1);
}

void creature_make_set(struct creature *creature)
{
    make_character(creature);
    struct pose_value animations =
        CREATURE_LIST(creature, POSE_ARRAY, "animations",
                      named(creature, "Walk", play(creature, "animation", CREATURE_WALK)),
                      named(creature, "Jump", play(creature, "animation", CREATURE_JUMP)),
                      named(creature, "Idle", pair(creature, "random", CREATURE_IDLE, CREATURE_LOOK)),
                      named(creature, "Look", play(creature, "animation", CREATURE_LOOK)),
                      named(creature, "Walk_Looking", pair(creature, "blend", CREATURE_WALK, CREATURE_LOOK)),
                      named(creature, "Rest", pair(creature, "sequence", CREATURE_IDLE, CREATURE_LOOK)));
    struct pose_value additive = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("index", CREATURE_LOOK),
                                               tree_float("fade_in", 0.1), tree_float("fade_out", 0.2)),
                      half = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_int("index", CREATURE_JUMP),
                                           transition(creature, "transition", "transition"));
    struct pose_value extras = CREATURE_LIST(
        creature, POSE_OBJECT, NULL, tree_string("game", creature->game), tree_int("table_count", 4),
        animations, transitions_of(creature), transition(creature, "default_transition", "transition"),
        CREATURE_LIST(creature, POSE_ARRAY, "additives", additive), tree_float("default_fade_in", 0.5),
        tree_float("default_fade_out", 0.5), CREATURE_LIST(creature, POSE_ARRAY, "half_transitions", half),
        events_of(creature));
    creature->set = creature_keep(creature, extras);
}
