#include "tests/samples/creature/set.h"

#include <stdlib.h>

static const double FPS = 30;

static void make_skeleton(struct creature *creature)
{
    for (int i = 0; i < CREATURE_BONES; i++) {
        const struct creature_bone_row *row = &creature_bones[i];
        creature->joints[i] = (struct pose_joint){
            .name = row->name,
            .has_id = true,
            .id = creature_bone_id(creature, i),
            .parent = row->parent,
            .translation = {(float)row->offset.x, (float)row->offset.y, (float)row->offset.z},
            .rotation = {0, 0, 0, 1},
            .scale = {1, 1, 1},
        };
    }
    struct pose_value extras =
        CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("game", creature->game));
    creature->skeleton = (struct pose_skeleton){.axes = POSE_AXES_PRIME,
                                                .scaling = POSE_SCALE_OFFSETS,
                                                .joint_count = CREATURE_BONES,
                                                .joints = creature->joints,
                                                .root_joint = -1,
                                                .extras = creature_keep(creature, extras)};
}

/* ------------------------------------------------------------------------------------------------- clips -- */

static void put_vector(float to[3], struct vec v)
{
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

static void put_key(struct creature_animation *animation, unsigned key, const struct creature_pose *pose)
{
    for (int i = 0; i < CREATURE_BONES; i++) {
        const struct quat *turn = &pose->turns[i];
        float *to = animation->rotations[i][key];
        to[0] = (float)turn->x, to[1] = (float)turn->y, to[2] = (float)turn->z, to[3] = (float)turn->w;
    }
    put_vector(animation->translations[0][key], pose->root);
    put_vector(animation->translations[1][key], vec_add(creature_bones[CREATURE_BODY].offset, pose->body));
    for (int i = 0; i < 3; i++)
        animation->scales[key][i] = (float)pose->chest_scale;
}

static struct pose_channel channel_of(const struct creature_animation *animation, unsigned count,
                                      const float *values)
{
    return (struct pose_channel){.count = count, .times = animation->times, .values = values};
}

/* What an uncompressed clip leaves out, the skeleton's rest stands for. */
static void put_tracks(struct creature *creature, struct creature_animation *animation,
                       const struct creature_motion *motion, unsigned count)
{
    for (int i = 0; i < CREATURE_BONES; i++) {
        bool is_used = motion->version == 2 || i == CREATURE_CHEST || i == CREATURE_HEAD;
        if (!is_used)
            continue;
        struct pose_track *track = &animation->tracks[animation->clip.track_count++];
        *track = (struct pose_track){.has_id = true, .id = creature_bone_id(creature, i)};
        track->channels[POSE_ROTATION] = channel_of(animation, count, animation->rotations[i][0]);
        if (i == CREATURE_BODY || (i == CREATURE_ROOT && motion->travels))
            track->channels[POSE_TRANSLATION] =
                channel_of(animation, count, animation->translations[i == CREATURE_BODY][0]);
        if (i == CREATURE_CHEST && creature->is_mp2 && motion->stride > 1)
            track->channels[POSE_SCALE] = channel_of(animation, count, animation->scales[0]);
    }
    animation->clip.tracks = animation->tracks;
}

static void make_clip(struct creature *creature, enum creature_clip index)
{
    const struct creature_motion *motion = &creature_motions[index];
    struct creature_animation *animation = &creature->animations[index];
    float interval = (float)(1 / FPS);
    unsigned count = 0;
    for (unsigned frame = 0; frame <= motion->frames; frame += motion->stride) {
        struct creature_pose pose;
        creature_rest(&pose);
        motion->at((double)frame / motion->frames, &pose);
        animation->times[count] = (float)(frame * (double)interval);
        put_key(animation, count++, &pose);
    }
    int64_t evnt = creature->is_mp2 || motion->version == 0 ? 0 : CREATURE_EVNT + (int64_t)index;
    struct pose_value extras =
        CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("game", creature->game),
                      tree_int("version", motion->version), tree_float("interval", (double)interval),
                      tree_int("evnt", evnt));
    animation->clip = (struct pose_clip){
        .name = motion->name,
        .axes = POSE_AXES_PRIME,
        .rules = motion->version ? POSE_RULES_PRIME : POSE_RULES_PRIME_FRAMES,
        .duration = (float)(motion->frames * (double)interval),
        .fps = (float)FPS,
        .frame_count = motion->frames + 1,
        .loop = !motion->version ? POSE_LOOP_UNKNOWN
                : motion->loops  ? POSE_LOOP_YES
                                 : POSE_LOOP_NO,
        .extras = creature_keep(creature, extras),
    };
    put_tracks(creature, animation, motion, count);
}

/* ---------------------------------------------------------------------------------------------- contents -- */

struct pose_content creature_clip_content(const struct creature *creature, enum creature_clip clip)
{
    return (struct pose_content){.clip_count = 1, .clips = &creature->animations[clip].clip};
}

struct pose_content creature_events_content(struct creature *creature, enum creature_clip clip)
{
    const struct creature_animation *animation = &creature->animations[clip];
    struct pose_value extras = CREATURE_LIST(creature, POSE_OBJECT, NULL, tree_string("game", creature->game),
                                             tree_int("version", 2));
    return (struct pose_content){.event_count = animation->event_count,
                                 .events = animation->events,
                                 .extras = creature_keep(creature, extras)};
}

struct pose_content creature_skeleton_content(const struct creature *creature)
{
    return (struct pose_content){.skeleton_count = 1, .skeletons = &creature->skeleton};
}

struct pose_content creature_skin_content(const struct creature *creature)
{
    return (struct pose_content){.mesh_count = 1, .meshes = &creature->skin};
}

struct pose_content creature_set_content(const struct creature *creature)
{
    return (struct pose_content){
        .character_count = 1, .characters = &creature->character, .extras = creature->set};
}

struct creature *creature_new(bool is_mp2)
{
    struct creature *creature = calloc(1, sizeof *creature);
    if (!creature)
        return NULL;
    creature->is_mp2 = is_mp2;
    creature->game = is_mp2 ? "mp2" : "mp1";
    make_skeleton(creature);
    for (int i = 0; i < CREATURE_CLIPS; i++)
        make_clip(creature, (enum creature_clip)i);
    creature_make_events(creature);
    creature_make_skin(creature);
    creature_make_set(creature);
    return creature;
}
