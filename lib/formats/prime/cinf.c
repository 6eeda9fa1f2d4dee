/*
 * Metroid Prime 1 and 2: a skeleton (CINF). Big-endian:
 *
 *     u32 count, bones: u32 id, parent's id   f32 origin[3]   [mp2: f32 rotation[4], local rotation[4], w first]
 *                       u32 count, ids of linked bones
 *     u32 count, ids: the order in which the game builds them
 *     u32 count, names: text with its NUL, u32 bone id      padding
 *
 * Origins are in model space; a bone's rest is its origin minus its parent's, without rotation. The quaternions
 * of the second game are kept but unused, as in every known viewer. Facts: prime-skeleton.md, 1 and 2; no file
 * of the games is public. The file does not name its game: either the caller does, or it is the second game's if
 * it can be read as such to its end and all its quaternions have unit length.
 */
#include "lib/formats/prime/prime.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#include <math.h>
#include <string.h>

enum { BONE_SIZE = 24, BONE_SIZE_MP2 = 56 }; /* without links */

/* One decoding; without a job a walk, which stores nothing. */
struct building {
    struct decode_job *job;
    struct reader reader;
    enum prime_game game;
    uint32_t count;
    struct pose_joint joints[PRIME_BONE_LIMIT];
    float origins[PRIME_BONE_LIMIT][3];
    uint64_t offsets[PRIME_BONE_LIMIT];
    int index_of[PRIME_BONE_LIMIT]; /* by id, -1: none */
    bool has_unit_rotations;
};

/* -------------------------------------------------------------------------------------------------- lists -- */

/* Adds to list unless it is NULL. */
static bool read_ids(struct reader *reader, struct value_list *list, const char *field)
{
    uint32_t count = reader_u32be(reader, field);
    if (!reader_count(reader, count, 4, "ids", "count_too_large"))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = reader_u32be(reader, field);
        if (list)
            value_put_int(list, NULL, id);
    }
    return !reader->failed;
}

static bool read_id_list(struct building *building, struct value_list *extras, const char *key)
{
    if (!building->job)
        return read_ids(&building->reader, NULL, key);
    struct value_list list = value_array(building->job->arena);
    bool done = read_ids(&building->reader, &list, key);
    value_put_list(extras, key, &list);
    return done;
}

/* -------------------------------------------------------------------------------------------------- bones -- */

static void read_floats(struct reader *reader, float *values, int count, const char *field)
{
    for (int i = 0; i < count; i++)
        values[i] = reader_finite_f32be(reader, field, "not_finite");
}

/* The file has w first. */
static void read_rotation(struct building *building, struct value_list *extras, const char *field)
{
    float w, q[4];
    read_floats(&building->reader, &w, 1, field);
    read_floats(&building->reader, q, 3, field);
    q[3] = w;
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    building->has_unit_rotations &= fabs(square - 1) < 0.02;
    if (building->job)
        value_put_floats(extras, field, q, 4);
}

static bool check_id(struct building *building, uint32_t index)
{
    struct reader *reader = &building->reader;
    uint32_t id = building->joints[index].id;
    if (reader->failed)
        return false;
    if (id >= PRIME_BONE_LIMIT)
        return reader_fail(reader, "bad_bone_id", "bone %u; ids end at %d", id, PRIME_BONE_LIMIT - 1);
    if (building->index_of[id] >= 0)
        return reader_fail(reader, "duplicate_bone", "bone %u occurs twice", id);
    building->index_of[id] = (int)index;
    return true;
}

static bool read_bone(struct building *building, uint32_t index)
{
    struct reader *reader = &building->reader;
    struct pose_joint *joint = &building->joints[index];
    struct value_list extras = {0};
    *joint = (struct pose_joint){.has_id = true, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    building->offsets[index] = reader_offset(reader);
    joint->id = reader_u32be(reader, "id");
    if (!check_id(building, index))
        return false;
    uint32_t parent = reader_u32be(reader, "parent");
    joint->parent = parent < PRIME_BONE_LIMIT ? (int32_t)parent : -1; /* temporarily an id */
    read_floats(reader, building->origins[index], 3, "origin");
    if (building->job) {
        extras = value_object(building->job->arena);
        value_put_int(&extras, "parent_id", parent);
        value_put_floats(&extras, "origin", building->origins[index], 3);
    }
    if (building->game == PRIME_MP2) {
        read_rotation(building, &extras, "rotation");
        read_rotation(building, &extras, "local_rotation");
    }
    if (!read_id_list(building, &extras, "linked_bones"))
        return false;
    if (building->job)
        joint->extras = value_done(&extras);
    return true;
}

static bool read_bones(struct building *building)
{
    struct reader *reader = &building->reader;
    building->count = reader_u32be(reader, "bone_count");
    uint64_t size = building->game == PRIME_MP2 ? BONE_SIZE_MP2 : BONE_SIZE;
    if (!reader_count(reader, building->count, size, "bones", "count_too_large"))
        return false;
    if (building->count > PRIME_BONE_LIMIT)
        return reader_fail(reader, "count_too_large", "%u bones; at most %d", building->count,
                           PRIME_BONE_LIMIT);
    for (int id = 0; id < PRIME_BONE_LIMIT; id++)
        building->index_of[id] = -1;
    for (uint32_t i = 0; i < building->count; i++) {
        reader_enter(reader, "bones", i);
        if (!read_bone(building, i))
            return false;
        reader_leave(reader);
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- names -- */

/* A bone keeps its first name. */
static void name_bone(struct building *building, const char *name, uint32_t id)
{
    int index = id < PRIME_BONE_LIMIT ? building->index_of[id] : -1;
    if (index < 0)
        warning_add(&building->job->warnings, POSE_WARNING, "name_of_no_bone",
                    reader_last_offset(&building->reader),
                    "\"%.40s\" is the name of bone %u, which is missing", name ? name : "", id);
    else if (!building->joints[index].name)
        building->joints[index].name = name;
}

static bool read_names(struct building *building, struct value_list *names)
{
    struct reader *reader = &building->reader;
    uint32_t count = reader_u32be(reader, "name_count");
    if (!reader_count(reader, count, 5, "names", "count_too_large"))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(reader, "names", i);
        struct prime_text text = prime_read_text(reader, "name");
        uint32_t id = reader_u32be(reader, "bone_id");
        if (reader->failed)
            return false;
        if (building->job) {
            struct value_list item = value_object(building->job->arena);
            const char *name = prime_keep_text(building->job, &text);
            name_bone(building, name, id);
            value_put_string(&item, "name", name);
            value_put_int(&item, "bone_id", id);
            value_put_list(names, NULL, &item);
        }
        reader_leave(reader);
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------- the file -- */

/* True if the bytes are exactly a skeleton of that game. */
static bool walk(struct pose_bytes bytes, enum prime_game game)
{
    struct building building = {.game = game, .has_unit_rotations = true};
    reader_init(&building.reader, bytes, NULL);
    return read_bones(&building) && building.count && read_id_list(&building, NULL, "build_order") &&
           read_names(&building, NULL) && prime_check_end(&building.reader) && building.has_unit_rotations;
}

/* The second game if the walk succeeds or, if none does, if the w of a unit quaternion follows the first origin. */
static enum prime_game find_game(const struct pose_source *source)
{
    int forced = prime_forced_game(source, PRIME_MP2_DEMO);
    if (forced >= 0)
        return (enum prime_game)forced;
    if (walk(source->bytes, PRIME_MP2))
        return PRIME_MP2;
    if (walk(source->bytes, PRIME_MP1))
        return PRIME_MP1;
    struct reader reader;
    reader_init(&reader, source->bytes, NULL);
    reader_skip(&reader, 24, NULL);
    return reader_u32be(&reader, NULL) > 0xffff && !reader.failed ? PRIME_MP2 : PRIME_MP1;
}

static void check_build_order(struct building *building, const struct value_list *extras)
{
    const struct pose_value *order = pose_value_find(extras->value, "build_order");
    bool seen[PRIME_BONE_LIMIT] = {false};
    uint32_t found = 0, length = 0;
    for (const struct pose_value *id = order ? order->first : NULL; id; id = id->next) {
        int64_t bone = id->as.integer;
        length++;
        if (bone < PRIME_BONE_LIMIT && building->index_of[bone] >= 0 && !seen[bone]) {
            seen[bone] = true;
            found++;
        }
    }
    if (found != building->count || length != building->count)
        warning_add(&building->job->warnings, POSE_WARNING, "bad_build_order", POSE_NO_OFFSET,
                    "the build order lists %u of the %u bones in %u places", found, building->count, length);
}

/* Replaces ids by indices, and model space by the parent's. */
static void join_bones(struct building *building)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < building->count; i++) {
        struct pose_joint *joint = &building->joints[i];
        joint->parent = joint->parent < 0 ? -1 : building->index_of[joint->parent];
        roots += joint->parent < 0;
        for (int k = 0; k < 3; k++)
            joint->translation[k] =
                building->origins[i][k] - (joint->parent < 0 ? 0 : building->origins[joint->parent][k]);
    }
    if (building->count && roots > 1)
        warning_add(&building->job->warnings, POSE_WARNING, "several_roots", POSE_NO_OFFSET,
                    "%u bones have no parent", roots);
}

/* The difference of two finite floats may overflow. */
static bool check_offsets(struct building *building)
{
    for (uint32_t i = 0; i < building->count; i++) {
        for (int k = 0; k < 3; k++) {
            if (isfinite(building->joints[i].translation[k]))
                continue;
            reader_enter(&building->reader, "bones", i);
            return reader_fail_at(&building->reader, building->offsets[i] + 8, "origin", "not_finite",
                                  "too far from its parent for a float");
        }
    }
    return true;
}

static bool order_bones(struct building *building, struct pose_skeleton *skeleton)
{
    struct pose_joint *joints = ARENA_NEW(building->job->arena, struct pose_joint, building->count);
    int32_t cycle;
    if (!joints)
        return false;
    memcpy(joints, building->joints, building->count * sizeof *joints);
    if (skeleton_order_joints(building->job->arena, skeleton, joints, &cycle))
        return true;
    if (cycle < 0)
        return false;
    reader_enter(&building->reader, "bones", (uint64_t)cycle);
    return reader_fail_at(&building->reader, building->offsets[cycle] + 4, "parent", "bone_cycle",
                          "the bone is an ancestor of itself, or below one");
}

static bool decode(struct decode_job *job)
{
    struct building building = {.job = job, .game = find_game(job->source), .has_unit_rotations = true};
    struct value_list extras = value_object(job->arena), names = value_array(job->arena);
    struct pose_skeleton *skeleton = ARENA_NEW(job->arena, struct pose_skeleton, 1);
    reader_init(&building.reader, job->source->bytes, job->error);
    value_put_string(&extras, "game", prime_games[building.game]);
    if (!skeleton || !read_bones(&building) || !read_id_list(&building, &extras, "build_order") ||
        !read_names(&building, &names) || !prime_check_end(&building.reader))
        return false;
    value_put_list(&extras, "names", &names);
    if (!building.has_unit_rotations)
        warning_add(&job->warnings, POSE_WARNING, "rotation_not_unit", POSE_NO_OFFSET,
                    "rotations of bones are not of unit length");
    *skeleton = (struct pose_skeleton){.axes = POSE_AXES_PRIME,
                                       .scaling = POSE_SCALE_OFFSETS,
                                       .joint_count = building.count,
                                       .root_joint = -1,
                                       .extras = value_done(&extras)};
    check_build_order(&building, &extras);
    join_bones(&building);
    if (!check_offsets(&building) || !order_bones(&building, skeleton))
        return false;
    job->document->skeletons = skeleton;
    job->document->skeleton_count = 1;
    return !job->arena->failed;
}

static enum probe_result probe(const struct pose_source *source)
{
    if (walk(source->bytes, PRIME_MP2) || walk(source->bytes, PRIME_MP1))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

const struct codec codec_prime_cinf = {
    .format = {.id = "prime-cinf",
               .title = "Metroid Prime 1 and 2 skeleton",
               .extensions = ".cinf",
               .media_type = "application/x-prime-cinf",
               .kinds = "skeleton",
               .games = prime_released_games},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(prime_cinf_encode),
};
