#include "tests/samples/sample_set.h"

#include "tests/samples/output.h"
#include "tests/samples/tree.h"

#include <stdio.h>
#include <stdlib.h>

enum { TYPE_MESH = 9, TYPE_BINDING = 11, TYPE_APPEARANCE = 12 };

/* The stand-in whose joints are called as that body's parts. */
static bool open_family(struct sample_family *family, const struct body *body, const char *name)
{
    for (unsigned i = 0; pose_stand_in_name(i); i++) {
        family->stand_in = pose_stand_in(i, NULL, NULL);
        if (family->stand_in && figure_bind(&family->figure, &family->stand_in->skeletons[0], body)) {
            family->skeleton = family->stand_in->skeletons[0];
            family->skeleton.name = name;
            return true;
        }
        pose_document_free(family->stand_in);
        family->stand_in = NULL;
    }
    return fail(body->parts[PELVIS], "no stand-in skeleton has such a joint");
}

static bool check_reach(const struct figure *figure, const char *name)
{
    if (figure->worst_reach <= 0)
        return true;
    fprintf(stderr, "posed-samples: %s: a foot is %.3f m out of reach\n", name, figure->worst_reach);
    return false;
}

static bool open_sims3(struct sample_set *set)
{
    struct sample_family *family = &set->sims3;
    if (!sample_rig(&set->rig, &set->sims.stand_in->skeletons[0], "sampleRig") ||
        !figure_bind(&family->figure, &set->rig.skeleton, &sims3_body))
        return fail("sampleRig", "a joint of the figure has no bone");
    family->skeleton = set->rig.skeleton;
    return true;
}

static bool make_clips(struct sample_set *set)
{
    static const char *const sims_names[MOTIONS] = {"a2o-walk", "a2o-wave", "a2o-idle"};
    static const char *const sims3_names[MOTIONS] = {"a_walk_loop_x", "c_wave_x", "a_idle_loop_x"};
    bool done = true;
    for (int i = 0; done && i < MOTIONS; i++) {
        sample_clip_sl(&set->second_life.clips[i], &set->second_life.figure, &motions[i]);
        sample_clip_sims(&set->sims.clips[i], &set->sims.figure, &motions[i], sims_names[i]);
        sample_clip_sims3(&set->sims3.clips[i], &set->sims3.figure, &motions[i], sims3_names[i]);
        done = check_reach(&set->second_life.figure, motions[i].name) &&
               check_reach(&set->sims.figure, sims_names[i]) &&
               check_reach(&set->sims3.figure, sims3_names[i]);
    }
    return done;
}

/* -------------------------------------------------------------------------------------------- characters -- */

static struct pose_value *take(struct sample_set *set, unsigned count)
{
    struct pose_value *values = &set->trees[set->tree_count];
    set->tree_count += count;
    return values;
}

/* A reference to a resource; the group only where the format stores one. */
static struct pose_value key_tree(struct sample_set *set, const char *key, uint32_t file, uint32_t type,
                                  bool with_group)
{
    struct pose_value *members = take(set, 3);
    members[0] = tree_int("group", 0);
    members[1] = tree_int("file", file);
    members[2] = tree_int("type", type);
    return tree_of(POSE_OBJECT, key, members + !with_group, with_group ? 3 : 2);
}

static void put_character(struct sample_set *set, unsigned index, const char *type,
                          struct pose_value *members, unsigned count)
{
    struct pose_value *extras = take(set, 1);
    *extras = tree_of(POSE_OBJECT, NULL, members, count);
    set->characters[index] = (struct pose_character){.type = type, .extras = extras};
}

static void make_characters(struct sample_set *set)
{
    struct pose_value *binding = take(set, 2), *appearance = take(set, 2), *outfit = take(set, 7);
    binding[0] = tree_string("bone", "PELVIS");
    binding[1] = key_tree(set, "mesh", SAMPLE_MESH, TYPE_MESH, true);
    put_character(set, 0, "binding", binding, 2);

    struct pose_value *bindings = take(set, 1);
    bindings[0] = key_tree(set, NULL, SAMPLE_BINDING, TYPE_BINDING, false);
    appearance[0] = key_tree(set, "thumbnail", 0, 0, false);
    appearance[1] = tree_of(POSE_ARRAY, "bindings", bindings, 1);
    put_character(set, 1, "appearance", appearance, 2);

    static const char *const colours[] = {"light", "medium", "dark"};
    outfit[0] = tree_int("version", 1);
    outfit[1] = tree_int("unknown_4", 0);
    for (int i = 0; i < 3; i++)
        outfit[2 + i] = key_tree(set, colours[i], SAMPLE_APPEARANCE, TYPE_APPEARANCE, false);
    outfit[5] = tree_int("hand_group", 0);
    outfit[6] = tree_int("region", 0);
    put_character(set, 2, "outfit", outfit, 7);
}

struct sample_set *sample_set_new(void)
{
    struct sample_set *set = calloc(1, sizeof *set);
    if (set && open_family(&set->second_life, &sl_body, "avatar") &&
        open_family(&set->sims, &sims_body, "adult") && open_sims3(set) && make_clips(set)) {
        sample_body(&set->body, &set->sims.figure);
        make_characters(set);
        return set;
    }
    sample_set_free(set);
    return NULL;
}

void sample_set_free(struct sample_set *set)
{
    if (!set)
        return;
    pose_document_free(set->second_life.stand_in);
    pose_document_free(set->sims.stand_in);
    free(set);
}
