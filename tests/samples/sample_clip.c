#include "tests/samples/sample_clip.h"

#include "tests/samples/tree.h"

#include <math.h>
#include <string.h>

static const double FPS = 30, METRES_PER_FOOT = 0.3048;

/* Neighbouring keys lie in one hemisphere, as every tool writes them. */
static void put_rotation(float (*keys)[4], uint32_t key, struct quat q)
{
    float *to = keys[key];
    to[0] = (float)q.x, to[1] = (float)q.y, to[2] = (float)q.z, to[3] = (float)q.w;
    const float *before = keys[key ? key - 1 : 0];
    float dot = to[0] * before[0] + to[1] * before[1] + to[2] * before[2] + to[3] * before[3];
    for (int i = 0; i < 4 && dot < 0; i++)
        to[i] = -to[i];
}

static void put_key(struct sample_clip *sample, struct figure *figure, const struct stance *stance,
                    uint32_t key, struct vec origin)
{
    struct figure_pose pose;
    figure_take(figure, stance, &pose);
    for (int part = 0; part < PART_COUNT; part++)
        put_rotation(sample->rotations[part], key, pose.local[part]);
    struct vec place = vec_sub(pose.pelvis, origin);
    float *to = sample->translations[key];
    to[0] = (float)place.x, to[1] = (float)place.y, to[2] = (float)place.z;
}

/* Tracks of the parts, the pelvis first; values go to the family's axes. */
static void put_tracks(struct sample_clip *sample, const struct figure *figure, uint32_t count,
                       enum pose_axes axes)
{
    struct pose_clip *clip = &sample->clip;
    for (int part = 0; part < PART_COUNT; part++) {
        float *values = sample->rotations[part][0];
        pose_convert_axes(POSE_ROTATION, values, count, POSE_AXES_GLTF, axes);
        sample->tracks[part] = (struct pose_track){
            .name = figure->skeleton->joints[figure->joint_of[part]].name,
            .channels[POSE_ROTATION] = {.count = count, .times = sample->times, .values = values}};
    }
    float *values = sample->translations[0];
    pose_convert_axes(POSE_TRANSLATION, values, count, POSE_AXES_GLTF, axes);
    sample->tracks[PELVIS].channels[POSE_TRANSLATION] =
        (struct pose_channel){.count = count, .times = sample->times, .values = values};
    clip->tracks = sample->tracks;
    clip->track_count = PART_COUNT;
    clip->key_count = (uint64_t)count * (PART_COUNT + 1);
    clip->axes = axes;
}

/* count keys from the motion, the last one `end` of the whole. */
static void put_keys(struct sample_clip *sample, struct figure *figure, const struct motion *motion,
                     uint32_t count, double end, struct vec origin)
{
    for (uint32_t key = 0; key < count; key++) {
        double phase = count > 1 ? end * key / (count - 1) : 0;
        struct stance stance = motion->at(phase == 1 ? 0 : phase, figure->foot);
        sample->times[key] = (float)(phase * motion->duration);
        put_key(sample, figure, &stance, key, origin);
    }
}

static struct vec rest_of_pelvis(const struct figure *figure)
{
    float rest[10];
    pose_joint_rest(figure->skeleton, (uint32_t)figure->joint_of[PELVIS], POSE_AXES_GLTF, rest);
    return (struct vec){rest[0], rest[1], rest[2]};
}

void sample_clip_sl(struct sample_clip *sample, struct figure *figure, const struct motion *motion)
{
    float duration = (float)motion->duration;
    uint32_t count = (uint32_t)lround(motion->duration * FPS) + 1;
    struct pose_value members[] = {tree_int("base_priority", 3), tree_string("emote", ""),
                                   tree_float("ease_in", 0.3), tree_float("ease_out", 0.3),
                                   tree_int("hand_pose", 1)};
    unsigned member_count = sizeof members / sizeof *members;
    memset(sample, 0, sizeof *sample);
    sample->clip = (struct pose_clip){
        .rules = POSE_RULES_SL, .duration = duration, .loop = POSE_LOOP_YES, .loop_out = duration};
    memcpy(sample->extras + 1, members, sizeof members);
    sample->extras[0] = tree_of(POSE_OBJECT, NULL, sample->extras + 1, member_count);
    sample->clip.extras = sample->extras;
    put_keys(sample, figure, motion, count, 1, rest_of_pelvis(figure));
    sample->times[count - 1] = duration;
    put_tracks(sample, figure, count, POSE_AXES_SL);
}

static void put_footsteps(struct sample_clip *sample, const struct figure *figure,
                          const struct motion *motion)
{
    for (unsigned i = 0; i < motion->footstep_count; i++) {
        const struct footstep *step = &motion->footsteps[i];
        int foot = figure->joint_of[FOOT + step->side];
        struct pose_value *fields = sample->event_fields[i];
        fields[1] = tree_string("value", step->side == LEFT ? "-1" : "1");
        fields[2] = tree_string("joint", figure->skeleton->joints[foot].name);
        fields[0] = tree_of(POSE_OBJECT, NULL, fields + 1, 2);
        sample->events[i] =
            (struct pose_event){.time = (float)(round(step->at * motion->duration * 1000) / 1000),
                                .type = "footstep",
                                .fields = fields};
    }
    sample->clip.events = sample->events;
    sample->clip.event_count = motion->footstep_count;
}

void sample_clip_sims(struct sample_clip *sample, struct figure *figure, const struct motion *motion,
                      const char *name)
{
    double duration_ms = round(motion->duration * 1000);
    float duration = (float)(duration_ms / 1000);
    uint32_t count = (uint32_t)lround(motion->duration * FPS);
    memset(sample, 0, sizeof *sample);
    sample->clip = (struct pose_clip){.name = name,
                                      .rules = POSE_RULES_SIMS,
                                      .duration = duration,
                                      .fps = (float)(1000 * count / duration_ms),
                                      .frame_count = count,
                                      .loop_out = duration};
    struct pose_value members[] = {tree_float("duration_ms", duration_ms),
                                   tree_float("distance", motion->travel * figure->leg / METRES_PER_FOOT),
                                   tree_bool("is_moving", motion->travel > 0)};
    memcpy(sample->extras + 1, members, sizeof members);
    sample->extras[0] = tree_of(POSE_OBJECT, NULL, sample->extras + 1, 3);
    sample->clip.extras = sample->extras;
    put_keys(sample, figure, motion, count, (count - 1.0) / count, (struct vec){0, 0, 0});
    for (uint32_t key = 0; key < count; key++)
        sample->times[key] = (float)(key * (double)duration / count);
    put_footsteps(sample, figure, motion);
    put_tracks(sample, figure, count, POSE_AXES_SIMS);
}

static void put_steps_to_hear(struct sample_clip *sample, const struct motion *motion)
{
    for (unsigned i = 0; i < motion->footstep_count; i++) {
        struct pose_value *fields = sample->event_fields[i];
        fields[1] = tree_string("name", "foot_step");
        fields[2] = tree_string("sound", "foot_step");
        fields[0] = tree_of(POSE_OBJECT, NULL, fields + 1, 2);
        sample->events[i] = (struct pose_event){
            .time = (float)(motion->footsteps[i].at * motion->duration), .type = "sound", .fields = fields};
    }
    sample->clip.events = sample->events;
    sample->clip.event_count = motion->footstep_count;
}

/* Bones are known by the hash of their name. */
static void hash_names(struct sample_clip *sample)
{
    for (int part = 0; part < PART_COUNT; part++) {
        struct pose_sims3_name hashes;
        pose_sims3_hash(sample->tracks[part].name, &hashes);
        sample->tracks[part].has_id = true;
        sample->tracks[part].id = hashes.fnv32;
    }
}

void sample_clip_sims3(struct sample_clip *sample, struct figure *figure, const struct motion *motion,
                       const char *name)
{
    uint32_t count = (uint32_t)lround(motion->duration * FPS) + 1;
    float duration = (float)((count - 1) / FPS);
    memset(sample, 0, sizeof *sample);
    sample->clip = (struct pose_clip){.name = name,
                                      .rules = POSE_RULES_SIMS3,
                                      .duration = duration,
                                      .fps = (float)FPS,
                                      .frame_count = count,
                                      .loop_out = duration};
    struct pose_value members[] = {tree_string("source_name", "posed-samples"), tree_string("actor", "x")};
    memcpy(sample->extras + 1, members, sizeof members);
    sample->extras[0] = tree_of(POSE_OBJECT, NULL, sample->extras + 1, 2);
    sample->clip.extras = sample->extras;
    put_keys(sample, figure, motion, count, 1, (struct vec){0, 0, 0});
    for (uint32_t key = 0; key < count; key++)
        sample->times[key] = (float)(key / FPS);
    put_steps_to_hear(sample, motion);
    put_tracks(sample, figure, count, POSE_AXES_GLTF);
    hash_names(sample);
}
