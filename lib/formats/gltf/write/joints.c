#include "lib/formats/gltf/write/joints.h"

#include "lib/formats/gltf/write/curve.h"
#include "lib/model/matrix.h"

#include <stdio.h>
#include <string.h>

static const uint32_t no_joint = UINT32_MAX;

/* --------------------------------------------------------------------------------------------- rows of clips -- */

static bool init_clip(struct gltf_clip *to, const struct pose_clip *clip,
                      const struct pose_skeleton *skeleton, struct encode_job *job)
{
    *to = (struct gltf_clip){.clip = clip,
                             .sampler = {.clip = clip, .skeleton = skeleton, .axes = POSE_AXES_GLTF}};
    arena_init(&to->sampler.arena, job->arena->allocator, job->arena->limit, job->error);
    to->drivers = sampler_make_rows(&to->sampler, job->arena);
    if (!to->drivers)
        return false;
    to->motion_row = sampler_motion_row(&to->sampler);
    return true;
}

/* Without a skeleton the rest pose is the clip's first keys. */
static bool start_at_first_keys(struct gltf_clip *clip, struct arena *arena)
{
    struct pose_sampler *sampler = &clip->sampler;
    for (uint32_t row = 0; row < sampler->row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = clip->drivers[row].channels[part];
            if (!channel)
                continue;
            const struct pose_channel first = {1, channel->times, channel->values};
            const struct key_source source = {.channel = &first, .part = part, .row = row};
            float *value = sampler->still + (size_t)row * ROW_FLOATS + part_place(part);
            key_source_values(sampler, &source, value);
        }
    }
    return !arena->failed;
}

/* --------------------------------------------------------------------------------- joining rows without a tree -- */

/* Joints by name and id, with equal ones in a chain: the n-th of one clip corresponds to the n-th of another. */
struct meeting {
    struct gltf_joints *joints;
    uint32_t *table; /* [mask + 1], the first of a chain */
    uint32_t *last;  /* [mask + 1], the last one used by the current clip */
    uint32_t *clip;  /* [mask + 1], number of that clip + 1 */
    uint32_t mask, capacity;
};

static uint32_t hash_row(const struct pose_row *row)
{
    uint32_t hash = row->has_id ? row->id * 0x9e3779b1 + 1 : 0;
    for (const char *c = row->name ? row->name : ""; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 0x01000193;
    return hash ^ hash >> 15;
}

static bool is_alike(const struct gltf_joint *joint, const struct pose_row *row)
{
    if (joint->has_id != row->has_id || (row->has_id && joint->id != row->id) || !joint->name != !row->name)
        return false;
    return !row->name || !strcmp(joint->name, row->name);
}

static uint32_t add_joint(struct gltf_joints *joints, const struct pose_row *row, const float *rest)
{
    struct gltf_joint *joint = &joints->joints[joints->count];
    *joint = (struct gltf_joint){.name = row->name,
                                 .has_id = row->has_id,
                                 .id = row->id,
                                 .parent = row->parent,
                                 .next_alike = no_joint};
    memcpy(joint->rest, rest, sizeof joint->rest);
    gltf_make_unit(joint->rest + ROTATION_PLACE);
    return joints->count++;
}

static uint32_t meet(struct meeting *meeting, uint32_t clip, const struct pose_row *row, const float *rest)
{
    struct gltf_joints *joints = meeting->joints;
    uint32_t slot = hash_row(row) & meeting->mask;
    while (meeting->table[slot] != no_joint && !is_alike(&joints->joints[meeting->table[slot]], row))
        slot = (slot + 1) & meeting->mask;
    uint32_t found;
    if (meeting->table[slot] == no_joint) {
        found = meeting->table[slot] = add_joint(joints, row, rest);
    } else if (meeting->clip[slot] != clip + 1) {
        found = meeting->table[slot];
    } else {
        uint32_t *next = &joints->joints[meeting->last[slot]].next_alike;
        if (*next == no_joint) {
            uint32_t added = add_joint(joints, row, rest);
            *next = added;
        }
        found = *next;
    }
    meeting->last[slot] = found;
    meeting->clip[slot] = clip + 1;
    return found;
}

static bool meet_all(struct gltf_joints *joints, struct encode_job *job)
{
    size_t rows = 0, size = 16;
    for (uint32_t i = 0; i < joints->clip_count; i++)
        rows += joints->clips[i].sampler.row_count;
    while (size < rows * 2)
        size *= 2;
    if (size > UINT32_MAX / 2)
        return error_set(job->error, POSE_OVER_LIMIT, "too_large", "%zu tracks in one file", rows);
    struct meeting meeting = {.joints = joints, .mask = (uint32_t)(size - 1)};
    joints->joints = ARENA_NEW(job->arena, struct gltf_joint, rows);
    meeting.table = ARENA_NEW(job->arena, uint32_t, size);
    meeting.last = ARENA_NEW(job->arena, uint32_t, size);
    meeting.clip = ARENA_NEW(job->arena, uint32_t, size);
    if (!joints->joints || !meeting.table || !meeting.last || !meeting.clip)
        return false;
    memset(meeting.table, 0xff, size * sizeof *meeting.table);
    for (uint32_t i = 0; i < joints->clip_count; i++) {
        struct gltf_clip *clip = &joints->clips[i];
        uint32_t *places = ARENA_NEW(job->arena, uint32_t, clip->sampler.row_count);
        for (uint32_t row = 0; places && row < clip->sampler.row_count; row++)
            places[row] =
                meet(&meeting, i, &clip->sampler.rows[row], clip->sampler.still + (size_t)row * ROW_FLOATS);
        clip->joints = places;
    }
    return !job->arena->failed;
}

/* With a skeleton every clip has its joints as rows. */
static bool take_skeleton(struct gltf_joints *joints, struct encode_job *job)
{
    static const struct pose_clip nothing = {.axes = POSE_AXES_GLTF};
    struct gltf_clip rest;
    uint32_t count = joints->skeleton->joint_count;
    uint32_t *same = ARENA_NEW(job->arena, uint32_t, count);
    joints->joints = ARENA_NEW(job->arena, struct gltf_joint, count);
    bool done =
        same && joints->joints && init_clip(&rest, &nothing, joints->skeleton, job); /* init_clip last */
    for (uint32_t i = 0; done && i < count; i++)
        same[add_joint(joints, &rest.sampler.rows[i], rest.sampler.still + (size_t)i * ROW_FLOATS)] = i;
    if (same && joints->joints)
        arena_release(&rest.sampler.arena);
    for (uint32_t i = 0; i < joints->clip_count; i++)
        joints->clips[i].joints = same;
    return done;
}

/* ------------------------------------------------------------------------------------------------- numbering -- */

static bool is_one(const float scale[3])
{
    return scale[0] == 1 && scale[1] == 1 && scale[2] == 1;
}

/* Notes joints to which some clip gives a scale other than 1. */
static void note_scales(const struct gltf_clip *clip, bool *scaled)
{
    for (uint32_t row = 0; row < clip->sampler.row_count; row++) {
        const struct pose_channel *channel = clip->drivers[row].channels[POSE_SCALE];
        for (uint32_t k = 0; channel && k < channel->count; k++) {
            if (!is_one(channel->values + 3 * (size_t)k))
                scaled[clip->joints[row]] = true;
        }
    }
}

/* Numbers the nodes: the joints in order, then the scale holders, then the frame. */
static bool number_nodes(struct gltf_joints *joints, struct arena *arena, bool needs_frame)
{
    bool *scaled = ARENA_NEW(arena, bool, joints->count), *is_parent = ARENA_NEW(arena, bool, joints->count);
    uint32_t roots = 0;
    if (!scaled || !is_parent)
        return false;
    for (uint32_t i = 0; i < joints->count; i++) {
        const struct gltf_joint *joint = &joints->joints[i];
        scaled[i] = !is_one(joint->rest + SCALE_PLACE);
        roots += joint->parent < 0;
        if (joint->parent >= 0)
            is_parent[joint->parent] = true;
    }
    for (uint32_t i = 0; i < joints->clip_count; i++)
        note_scales(&joints->clips[i], scaled);
    joints->node_count = joints->count;
    for (uint32_t i = 0; i < joints->count; i++) {
        bool split = joints->scales_offsets && scaled[i] && is_parent[i];
        joints->joints[i].node = i;
        joints->joints[i].holder = split ? joints->node_count++ : i;
    }
    joints->has_frame = needs_frame || roots != 1;
    if (joints->has_frame)
        joints->frame_node = joints->node_count++;
    return true;
}

/* Computes the rest pose in model space, by the sampler's rules. */
static bool place_rest(struct gltf_joints *joints, struct arena *arena)
{
    size_t count = joints->count;
    float *rest = ARENA_NEW(arena, float, count *ROW_FLOATS), *matrices = ARENA_NEW(arena, float, count * 16);
    struct pose_row *rows = ARENA_NEW(arena, struct pose_row, count);
    if (!rest || !matrices || !rows)
        return false;
    for (size_t i = 0; i < count; i++) {
        memcpy(rest + i * ROW_FLOATS, joints->joints[i].rest, sizeof joints->joints[i].rest);
        rows[i].parent = joints->joints[i].parent;
    }
    const struct pose_sampler sampler = {
        .skeleton = joints->skeleton, .axes = POSE_AXES_GLTF, .row_count = joints->count, .rows = rows};
    pose_model(&sampler, rest, matrices);
    for (size_t i = 0; i < count; i++)
        memcpy(joints->joints[i].matrix, matrices + i * 16, sizeof joints->joints[i].matrix);
    return true;
}

bool gltf_joints_init(struct gltf_joints *joints, struct encode_job *job, bool needs_frame)
{
    const struct pose_content *content = job->content;
    *joints = (struct gltf_joints){
        .skeleton = content->skeleton_count ? content->skeletons : NULL,
        .clips = ARENA_NEW(job->arena, struct gltf_clip, content->clip_count),
    };
    joints->scales_offsets = joints->skeleton && joints->skeleton->scaling == POSE_SCALE_OFFSETS;
    for (uint32_t i = 0; joints->clips && i < content->clip_count; i++) {
        joints->clip_count++;
        if (!init_clip(&joints->clips[i], &content->clips[i], joints->skeleton, job) ||
            (!joints->skeleton && !start_at_first_keys(&joints->clips[i], job->arena)))
            return false;
    }
    return joints->clips && (joints->skeleton ? take_skeleton(joints, job) : meet_all(joints, job)) &&
           number_nodes(joints, job->arena, needs_frame) && place_rest(joints, job->arena);
}

void gltf_joints_release(struct gltf_joints *joints)
{
    for (uint32_t i = 0; i < joints->clip_count; i++)
        arena_release(&joints->clips[i].sampler.arena);
}

/* ------------------------------------------------------------------------------------------------------ nodes -- */

/* The name that the joint's node is to have. */
static const char *wanted_name(const struct gltf_joint *joint, uint32_t index, struct arena *arena)
{
    if (joint->name)
        return joint->name;
    const char *name = arena_format(arena, "joint_%u", joint->has_id ? joint->id : index);
    return name ? name : "";
}

/* Writes "name", and "extras" with what the name does not say. figure 0: none. */
static void put_name(struct gltf_file *file, const char *wanted, uint32_t figure, bool in_skin)
{
    const char *name = gltf_names_take(&file->names, wanted);
    jsonw_string(&file->json, "name", name);
    if (!figure && !in_skin && !strcmp(name, wanted))
        return;
    jsonw_object(&file->json, "extras");
    jsonw_object(&file->json, "posed");
    gltf_names_put_wanted(&file->json, name, wanted);
    if (figure)
        jsonw_integer(&file->json, "figure", figure);
    if (in_skin)
        jsonw_bool(&file->json, "in_skin", true);
    jsonw_end(&file->json);
    jsonw_end(&file->json);
}

static void put_part(struct json_writer *json, const char *key, const float *value, const float *usual,
                     unsigned components)
{
    if (!memcmp(value, usual, components * sizeof *value))
        return;
    jsonw_finite_floats(json, key, value, components);
}

/* The translation of a joint's node: if the parent's scale is held elsewhere, its effect is included in the
 * offset. */
static void put_place(const struct gltf_joints *joints, const struct gltf_joint *joint,
                      struct json_writer *json)
{
    static const float identity[ROW_FLOATS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    const struct gltf_joint *parent = joint->parent < 0 ? NULL : &joints->joints[joint->parent];
    float offset[3];
    memcpy(offset, joint->rest, sizeof offset);
    for (unsigned i = 0; parent && gltf_joint_is_split(parent) && i < 3; i++)
        offset[i] *= parent->rest[SCALE_PLACE + i];
    put_part(json, "translation", offset, identity, 3);
    put_part(json, "rotation", joint->rest + ROTATION_PLACE, identity + ROTATION_PLACE, 4);
    if (!gltf_joint_is_split(joint))
        put_part(json, "scale", joint->rest + SCALE_PLACE, identity + SCALE_PLACE, 3);
}

/* The first child and the next sibling of every joint, in order. */
struct family {
    int32_t *child, *sibling;
};

static bool find_families(const struct gltf_joints *joints, struct arena *arena, struct family *family)
{
    family->child = ARENA_NEW(arena, int32_t, joints->count);
    family->sibling = ARENA_NEW(arena, int32_t, joints->count);
    if (!family->child || !family->sibling)
        return false;
    for (uint32_t i = 0; i < joints->count; i++)
        family->child[i] = family->sibling[i] = -1;
    for (uint32_t i = joints->count; i-- > 0;) {
        int32_t parent = joints->joints[i].parent;
        if (parent < 0)
            continue;
        family->sibling[i] = family->child[parent];
        family->child[parent] = (int32_t)i;
    }
    return true;
}

static void put_children(const struct gltf_joint *joint, const struct family *family, int32_t first,
                         struct json_writer *json)
{
    if (first < 0 && !gltf_joint_is_split(joint))
        return;
    jsonw_array(json, "children");
    for (int32_t child = first; child >= 0; child = family->sibling[child])
        jsonw_integer(json, NULL, child);
    if (gltf_joint_is_split(joint))
        jsonw_integer(json, NULL, joint->holder);
    jsonw_end(json);
}

static void put_holder(const struct gltf_joint *joint, uint32_t index, struct gltf_file *file)
{
    static const float one[3] = {1, 1, 1};
    static const char ending[] = ".scale";
    const char *of = wanted_name(joint, index, file->job->arena);
    const size_t length = strlen(of);
    char *name = ARENA_NEW(file->job->arena, char, length + sizeof ending);
    if (!name)
        return;
    memcpy(name, of, length);
    memcpy(name + length, ending, sizeof ending);
    jsonw_object(&file->json, NULL);
    put_name(file, name, 0, false);
    put_part(&file->json, "scale", joint->rest + SCALE_PLACE, one, 3);
    jsonw_end(&file->json);
}

static const char *frame_name(const struct gltf_joints *joints)
{
    if (joints->skeleton && joints->skeleton->name)
        return joints->skeleton->name;
    if (joints->clip_count == 1 && joints->clips->clip->name)
        return joints->clips->clip->name;
    return "posed";
}

static void put_root_joints(const struct gltf_joints *joints, struct json_writer *json)
{
    for (uint32_t i = 0; i < joints->count; i++) {
        if (joints->joints[i].parent < 0)
            jsonw_integer(json, NULL, i);
    }
}

static void put_frame(const struct gltf_joints *joints, struct gltf_file *file)
{
    struct json_writer *json = &file->json;
    jsonw_object(json, NULL);
    jsonw_string(json, "name", gltf_names_take(&file->names, frame_name(joints)));
    jsonw_raw(json, "extras", "{\"posed\":{\"frame\":true}}");
    if (joints->count) {
        jsonw_array(json, "children");
        put_root_joints(joints, json);
        jsonw_end(json);
    }
    jsonw_end(json);
}

void gltf_joints_put_nodes(const struct gltf_joints *joints, struct gltf_file *file)
{
    struct family family;
    struct json_writer *json = &file->json;
    const struct pose_skeleton *skeleton = joints->skeleton;
    const uint32_t *figures = skeleton ? skeleton->figures : NULL;
    if (!find_families(joints, file->job->arena, &family))
        return;
    for (uint32_t i = 0; i < joints->count; i++) {
        jsonw_object(json, NULL);
        put_name(file, wanted_name(&joints->joints[i], i, file->job->arena), figures ? figures[i] : 0,
                 skeleton && skeleton->joints[i].in_skin);
        put_place(joints, &joints->joints[i], json);
        put_children(&joints->joints[i], &family, family.child[i], json);
        jsonw_end(json);
    }
    for (uint32_t i = 0; i < joints->count; i++) {
        if (gltf_joint_is_split(&joints->joints[i]))
            put_holder(&joints->joints[i], i, file);
    }
    if (joints->has_frame)
        put_frame(joints, file);
}

void gltf_joints_put_roots(const struct gltf_joints *joints, struct gltf_file *file)
{
    if (joints->has_frame)
        jsonw_integer(&file->json, NULL, joints->frame_node);
    else
        put_root_joints(joints, &file->json);
}

/* ------------------------------------------------------------------------------------------------------- skin -- */

void gltf_joints_put_skin(const struct gltf_joints *joints, struct gltf_file *file, bool with_frame)
{
    uint32_t count = joints->count + with_frame;
    gltf_view_begin(file, GLTF_NO_TARGET);
    uint32_t accessor = gltf_accessor_add(file, GLTF_FLOATS, GLTF_MAT4, count);
    for (uint32_t i = 0; i < count; i++) {
        float inverse[16];
        bool done = i < joints->count && matrix_invert(joints->joints[i].matrix, inverse);
        gltf_bin_floats(file, done ? inverse : matrix_identity, 16);
    }
    gltf_view_end(file);
    struct json_writer *json = &file->json;
    jsonw_array(json, "skins");
    jsonw_object(json, NULL);
    if (joints->skeleton && joints->skeleton->name)
        jsonw_string(json, "name", joints->skeleton->name);
    jsonw_integer(json, "inverseBindMatrices", accessor);
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < joints->count; i++)
        jsonw_integer(json, NULL, joints->joints[i].holder);
    if (with_frame)
        jsonw_integer(json, NULL, joints->frame_node);
    jsonw_end(json);
    if (joints->has_frame)
        jsonw_integer(json, "skeleton", joints->frame_node);
    jsonw_end(json);
}
