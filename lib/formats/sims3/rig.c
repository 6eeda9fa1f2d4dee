/*
 * The Sims 3: rig (type id 0x8EAF13DE), EA's own layout, used by all patched games and user content.
 * Little-endian, unaligned.
 *
 *     u32 major (3, 4), minor (1, 2)   i32 bone_count
 *     bones: f32 position[3], orientation[4], scale[3]   i32 length, name   i32 opposite, parent   u32 hash, flags
 *     i32 length, skeleton name
 *     major 4: i32 chain_count, chains: i32 count, bones[count], info[11], pole, slot_info, slot_offset, root
 *
 * Facts: sims3-rig.md, checked there on ten rigs of the game and four of users, and on four here; major 3 is
 * only known from documents. A rig of unpatched games is a Granny file, plain or wrapped, which is recognised
 * and refused. Axes and units are glTF's. Chains are for inverse kinematics, which poses do not need; they are
 * kept in extras.
 */
#include "lib/core/hash.h"
#include "lib/formats/pages.h"
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/sims3/rig_write.h"

#include <stdlib.h>
#include <string.h>

enum {
    BONE_SIZE = 60, /* with an empty name */
    CHAIN_SIZE = 4 + 4 * (SIMS3_CHAIN_INFOS + 4),
    CHAIN_LIMIT = 256,
};

#define RIG_TYPE 0x8eaf13deu

/* One decoding. */
struct building {
    struct decode_job *job;
    struct reader reader;
    struct pose_joint *joints;
    uint64_t *offsets; /* start of each bone */
    uint64_t *parents; /* offset of each bone's parent index */
    uint32_t major, minor, count;
};

/* ------------------------------------------------------------------------------------------------- layouts -- */

enum layout { OTHER, CLEAR, WRAPPED_GRANNY, PLAIN_GRANNY };

static enum layout find_layout(struct pose_bytes bytes)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    uint32_t first = reader_u32le(&reader, NULL), second = reader_u32le(&reader, NULL);
    if (reader.failed)
        return OTHER;
    if (first == RIG_TYPE)
        return WRAPPED_GRANNY;
    if (first == 0xcab067b8u || first == 0xc06cde29u)
        return PLAIN_GRANNY;
    return (first == 3 || first == 4) && (second == 1 || second == 2) ? CLEAR : OTHER;
}

static bool refuse_granny(struct pose_error *error, enum layout layout)
{
    error_set(error, POSE_UNSUPPORTED, "granny_rig",
              "at byte 0: a rig of the unpatched game, %s Granny file, which is not supported",
              layout == WRAPPED_GRANNY ? "a wrapped" : "a plain");
    if (error)
        error->offset = 0;
    return false;
}

/* -------------------------------------------------------------------------------------------------- bones -- */

static const char *read_text(struct building *building, const char **bytes, size_t *length, const char *field)
{
    struct reader *reader = &building->reader;
    int32_t count = reader_i32le(reader, "name_length");
    uint64_t at = reader_offset(reader);
    bool is_utf8;
    *bytes = "";
    *length = 0;
    if (count < 0) {
        reader_fail(reader, "bad_length", "a name of %d bytes", count);
        return NULL;
    }
    const uint8_t *name = reader_bytes(reader, (uint64_t)count, field);
    if (!name)
        return NULL;
    *bytes = (const char *)name;
    *length = (size_t)count;
    const char *text = text_from_bytes(building->job->arena, *bytes, *length, &is_utf8);
    if (text && !is_utf8)
        warning_add(&building->job->warnings, POSE_WARNING, "name_not_utf8", at,
                    "the name \"%.40s\" is not UTF-8; it was read as Windows-1252", text);
    return text;
}

static void read_floats(struct reader *reader, float *values, int count, const char *field)
{
    for (int i = 0; i < count; i++)
        values[i] = reader_finite_f32le(reader, field, "not_finite");
}

static int32_t read_parent(struct building *building, uint32_t index)
{
    struct reader *reader = &building->reader;
    int32_t parent = reader_i32le(reader, "parent");
    if (!reader->failed && (parent < -1 || parent >= (int32_t)building->count || parent == (int32_t)index))
        reader_fail(reader, "bad_parent", "bone %d of %u cannot be the parent of bone %u", parent,
                    building->count, index);
    return parent;
}

static void check_opposite(struct building *building, int32_t opposite)
{
    if (!building->reader.failed && (opposite < 0 || opposite >= (int32_t)building->count))
        warning_add(&building->job->warnings, POSE_WARNING, "bad_opposite",
                    reader_last_offset(&building->reader), "bone %d, the opposite of another, does not exist",
                    opposite);
}

static bool read_bone(struct building *building, uint32_t index)
{
    struct reader *reader = &building->reader;
    struct pose_joint *joint = &building->joints[index];
    struct value_list extras = value_object(building->job->arena);
    const char *bytes;
    size_t length;
    building->offsets[index] = reader_offset(reader);
    read_floats(reader, joint->translation, 3, "position");
    read_floats(reader, joint->rotation, 4, "orientation");
    read_floats(reader, joint->scale, 3, "scale");
    joint->name = read_text(building, &bytes, &length, "name");
    int32_t opposite = reader_i32le(reader, "opposite");
    check_opposite(building, opposite);
    joint->parent = read_parent(building, index);
    building->parents[index] = reader_last_offset(reader);
    joint->has_id = true;
    joint->id = reader_u32le(reader, "hash");
    if (!reader->failed && joint->id != hash_fnv32(bytes, length))
        warning_add(&building->job->warnings, POSE_WARNING, "hash_differs", reader_last_offset(reader),
                    "0x%08X is not the hash of \"%.40s\"", joint->id, joint->name);
    value_put_int(&extras, "opposite", opposite);
    value_put_int(&extras, "flags", reader_u32le(reader, "flags"));
    joint->extras = value_done(&extras);
    return !reader->failed;
}

static bool read_bones(struct building *building)
{
    struct arena *arena = building->job->arena;
    building->joints = ARENA_NEW(arena, struct pose_joint, building->count);
    building->offsets = ARENA_NEW(arena, uint64_t, building->count);
    building->parents = ARENA_NEW(arena, uint64_t, building->count);
    if (!building->joints || !building->offsets || !building->parents)
        return false;
    for (uint32_t i = 0; i < building->count; i++) {
        reader_enter(&building->reader, "bones", i);
        if (!read_bone(building, i))
            return false;
        reader_leave(&building->reader);
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Clips refer to bones by hash: of several with the same hash only the first is animated. */
static bool find_duplicates(struct building *building)
{
    struct arena *arena = building->job->arena;
    uint64_t *hashes = ARENA_NEW(arena, uint64_t, building->count);
    if (!hashes)
        return false;
    for (uint32_t i = 0; i < building->count; i++)
        hashes[i] = (uint64_t)building->joints[i].id << 32 | i;
    if (building->count)
        qsort(hashes, building->count, sizeof *hashes, compare_numbers);
    for (uint32_t i = 1; i < building->count; i++) {
        uint32_t bone = (uint32_t)hashes[i];
        if (hashes[i] >> 32 == hashes[i - 1] >> 32)
            warning_add(&building->job->warnings, POSE_WARNING, "duplicate_bone", building->offsets[bone],
                        "bone %u \"%.40s\" has the hash of bone %u, which clips use instead", bone,
                        building->joints[bone].name, (uint32_t)hashes[i - 1]);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- chains -- */

static int32_t read_index(struct building *building, const char *field)
{
    struct reader *reader = &building->reader;
    int32_t index = reader_i32le(reader, field);
    if (!reader->failed && (index < -1 || index >= (int32_t)building->count))
        reader_fail(reader, "bad_index", "bone %d of %u", index, building->count);
    return index;
}

static void put_indices(struct building *building, struct value_list *chain, const char *key, uint32_t count)
{
    struct value_list list = value_array(building->job->arena);
    for (uint32_t i = 0; i < count && !building->reader.failed; i++)
        value_put_int(&list, NULL, read_index(building, key));
    value_put_list(chain, key, &list);
}

static bool read_chain(struct building *building, struct value_list *chains)
{
    static const char *const keys[] = {"pole", "slot_info", "slot_offset", "root"};
    struct reader *reader = &building->reader;
    struct value_list chain = value_object(building->job->arena);
    int32_t count = reader_i32le(reader, "bone_count");
    if (count < 0)
        return reader_fail(reader, "bad_count", "a chain of %d bones", count);
    if (!reader_count(reader, (uint64_t)count, 4, "bones", "count_too_large"))
        return false;
    put_indices(building, &chain, "bones", (uint32_t)count);
    put_indices(building, &chain, "info", SIMS3_CHAIN_INFOS);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        value_put_int(&chain, keys[i], read_index(building, keys[i]));
    value_put_list(chains, NULL, &chain);
    return !reader->failed;
}

static bool read_chains(struct building *building, struct value_list *extras)
{
    struct reader *reader = &building->reader;
    struct value_list chains = value_array(building->job->arena);
    int32_t count = reader_i32le(reader, "chain_count");
    if (count < 0 || count > CHAIN_LIMIT)
        return reader_fail(reader, "count_too_large", "%d chains; at most %d", count, CHAIN_LIMIT);
    if (!reader_count(reader, (uint64_t)count, CHAIN_SIZE, "chains", "count_too_large"))
        return false;
    for (int32_t i = 0; i < count; i++) {
        reader_enter(reader, "chains", (uint64_t)i);
        if (!read_chain(building, &chains))
            return false;
        reader_leave(reader);
    }
    value_put_list(extras, "chains", &chains);
    return true;
}

/* --------------------------------------------------------------------------------------------------- rig -- */

static bool read_head(struct building *building)
{
    struct reader *reader = &building->reader;
    building->major = reader_u32le(reader, "major");
    if (!reader->failed && building->major != 3 && building->major != 4)
        return reader_fail(reader, "bad_version", "version %u, only 3 and 4 are supported", building->major);
    building->minor = reader_u32le(reader, "minor");
    if (!reader->failed && building->minor != 1 && building->minor != 2)
        return reader_fail(reader, "bad_version", "minor version %u, only 1 and 2 are supported",
                           building->minor);
    int32_t count = reader_i32le(reader, "bone_count");
    if (count < 0 || count > SIMS3_RIG_BONE_LIMIT)
        return reader_fail(reader, "count_too_large", "%d bones; at most %d", count, SIMS3_RIG_BONE_LIMIT);
    building->count = (uint32_t)count;
    if (!reader_count(reader, building->count, BONE_SIZE, "bones", "count_too_large"))
        return false;
    if (building->count > building->job->limits->joints)
        return reader_limit_at(reader, reader_last_offset(reader), "bone_count", "joints",
                               "%u bones, more than the limit of %u joints", building->count,
                               building->job->limits->joints);
    return true;
}

static bool order_bones(struct building *building, struct pose_skeleton *skeleton)
{
    int32_t cycle;
    if (skeleton_order_joints(building->job->arena, skeleton, building->joints, &cycle))
        return true;
    if (cycle < 0)
        return false;
    reader_enter(&building->reader, "bones", (uint64_t)cycle);
    return reader_fail_at(&building->reader, building->parents[cycle], "parent", "bone_cycle",
                          "the bone is an ancestor of itself, or below one");
}

static bool build_skeleton(struct building *building, struct pose_skeleton *skeleton)
{
    struct decode_job *job = building->job;
    struct value_list extras = value_object(job->arena);
    const char *bytes;
    size_t length;
    value_put_int(&extras, "major", building->major);
    value_put_int(&extras, "minor", building->minor);
    const char *name = read_text(building, &bytes, &length, "skeleton_name");
    if (!name || (building->major >= 4 && !read_chains(building, &extras)))
        return false;
    if (reader_left(&building->reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&building->reader),
                    "%zu bytes follow the end of the rig", reader_left(&building->reader));
    *skeleton = (struct pose_skeleton){.name = *name ? name : NULL,
                                       .axes = POSE_AXES_GLTF,
                                       .scaling = POSE_SCALE_INHERITED,
                                       .joint_count = building->count,
                                       .root_joint = -1,
                                       .extras = value_done(&extras)};
    return find_duplicates(building) && order_bones(building, skeleton) && !job->arena->failed;
}

static bool decode(struct decode_job *job)
{
    struct building building = {.job = job};
    enum layout layout = find_layout(job->source->bytes);
    if (layout == WRAPPED_GRANNY || layout == PLAIN_GRANNY)
        return refuse_granny(job->error, layout);
    reader_init(&building.reader, job->source->bytes, job->error);
    struct pose_skeleton *skeleton = ARENA_NEW(job->arena, struct pose_skeleton, 1);
    if (!skeleton || !read_head(&building) || !read_bones(&building) || !build_skeleton(&building, skeleton))
        return false;
    job->document->skeletons = skeleton;
    job->document->skeleton_count = 1;
    return true;
}

/* ----------------------------------------------------------------------------------------------- the codec -- */

static void skip_text(struct reader *reader)
{
    int32_t length = reader_i32le(reader, NULL);
    reader_skip(reader, length < 0 ? UINT64_MAX : (uint64_t)length, NULL);
}

/* True if bones, name and chains end exactly at the end of the file. */
static bool walk_is_exact(struct pose_bytes bytes)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    uint32_t major = reader_u32le(&reader, NULL);
    reader_skip(&reader, 4, NULL);
    int32_t bones = reader_i32le(&reader, NULL);
    for (int32_t i = 0; i < bones && !reader.failed; i++) {
        reader_skip(&reader, 40, NULL);
        skip_text(&reader);
        reader_skip(&reader, 16, NULL);
    }
    skip_text(&reader);
    int32_t chains = major >= 4 ? reader_i32le(&reader, NULL) : 0;
    for (int32_t i = 0; i < chains && !reader.failed; i++) {
        uint32_t count = reader_u32le(&reader, NULL);
        reader_skip(&reader, 4 * (uint64_t)count + CHAIN_SIZE - 4, NULL);
    }
    return !reader.failed && bones > 0 && chains >= 0 && !reader_left(&reader);
}

static enum probe_result probe(const struct pose_source *source)
{
    enum layout layout = find_layout(source->bytes);
    if (layout == WRAPPED_GRANNY || (layout == CLEAR && walk_is_exact(source->bytes)))
        return PROBE_SURE;
    struct pose_sims3_key key;
    if (source->name && pose_sims3_key(source->name, &key) && key.type == RIG_TYPE)
        return PROBE_NAME;
    return PROBE_BY_NAME;
}

const struct codec codec_sims3_rig = {
    .format = {.id = "sims3-rig",
               .title = "The Sims 3 rig",
               .extensions = ".rig .grannyrig",
               .media_type = "application/x-sims3-rig",
               .kinds = "skeleton"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(sims3_rig_encode),
};
