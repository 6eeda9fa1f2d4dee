#include "lib/formats/sl/layout.h"

#include "lib/formats/sl/constraint.h"
#include "lib/formats/sl/keys.h"
#include "lib/formats/sl/names.h"

static bool read_version(struct reader *reader, bool *is_old)
{
    uint16_t version = reader_u16le(reader, "version");
    uint16_t sub_version = reader_u16le(reader, "sub_version");
    *is_old = version == 0 && sub_version == 1;
    if (reader->failed || *is_old || (version == 1 && sub_version == 0))
        return !reader->failed;
    return reader_fail_at(reader, 0, "version", "bad_version", "version %u.%u is neither 1.0 nor 0.1",
                          version, sub_version);
}

static bool read_timing(struct reader *reader, struct sl_head *head)
{
    head->base_priority = reader_i32le(reader, "base_priority");
    if (head->base_priority < -1)
        return reader_fail(reader, "bad_priority", "%d is below -1", head->base_priority);
    head->duration = reader_finite_f32le(reader, "duration", "bad_duration");
    if (head->duration < 0)
        return reader_fail(reader, "bad_duration", "%g seconds", (double)head->duration);
    if (head->duration > SL_DURATION_LIMIT)
        return reader_fail(reader, "too_long", "%.9g seconds, more than %g", (double)head->duration,
                           (double)SL_DURATION_LIMIT);
    head->emote = reader_cstring(reader, &head->emote_length, "emote_name");
    head->emote_offset = reader_last_offset(reader);
    head->loop_in = reader_finite_f32le(reader, "loop_in", "not_finite");
    head->loop_out = reader_finite_f32le(reader, "loop_out", "not_finite");
    head->loop = reader_i32le(reader, "loop") != 0;
    head->ease_in = reader_finite_f32le(reader, "ease_in", "not_finite");
    head->ease_out = reader_finite_f32le(reader, "ease_out", "not_finite");
    return !reader->failed;
}

static bool read_head(struct reader *reader, const struct pose_limits *limits, struct sl_head *head)
{
    if (!read_version(reader, &head->is_old) || !read_timing(reader, head))
        return false;
    head->hand_pose = reader_u32le(reader, "hand_pose");
    if (head->hand_pose > SL_MAX_HAND_POSE)
        return reader_fail(reader, "bad_hand_pose", "%u is beyond %d", head->hand_pose, SL_MAX_HAND_POSE);
    head->joint_count = reader_u32le(reader, "num_joints");
    if (reader->failed)
        return false;
    if (head->joint_count == 0)
        return reader_fail(reader, "no_joints", "an animation without joints");
    if (head->joint_count > SL_TRACK_LIMIT)
        return reader_fail(reader, "too_many_joints", "%u joints, more than %d", head->joint_count,
                           SL_TRACK_LIMIT);
    if (head->joint_count > limits->joints)
        return error_limit(reader->error, "joints", "%u joints, more than the limit of %u", head->joint_count,
                           limits->joints);
    return true;
}

static bool read_keys(struct reader *reader, struct sl_layout *layout, struct sl_joint *joint, int kind)
{
    static const char *const fields[SL_KEY_KINDS] = {"rot_keys", "pos_keys"};
    uint32_t size = layout->head.is_old ? SL_OLD_KEY_SIZE : SL_KEY_SIZE;
    int32_t count = reader_i32le(reader, fields[kind]);
    if (count < 0)
        return reader_fail(reader, "bad_key_count", "%d keys", count);
    if (!reader_count(reader, (uint64_t)count, size, "keys", "truncated"))
        return false;
    joint->counts[kind] = (uint32_t)count;
    joint->key_offsets[kind] = reader_offset(reader);
    joint->keys[kind] = reader_bytes(reader, (uint64_t)count * size, fields[kind]);
    layout->key_counts[kind] += (uint32_t)count;
    if (reader->failed || !layout->head.is_old)
        return !reader->failed;
    uint64_t bad = sl_old_keys_find_bad(joint->keys[kind], joint->counts[kind]);
    if (bad < (uint64_t)count * 4)
        return reader_fail_at(reader, joint->key_offsets[kind] + bad * 4, fields[kind], "not_finite",
                              "key %llu holds NaN or infinity", (unsigned long long)(bad / 4));
    return true;
}

static bool read_joint(struct reader *reader, struct sl_layout *layout, struct sl_joint *joint)
{
    joint->name = reader_cstring(reader, &joint->name_length, "name");
    joint->name_offset = reader_last_offset(reader);
    if (joint->name && sl_joint_is_forbidden(joint->name, joint->name_length))
        return reader_fail(reader, "forbidden_joint", "\"%s\" must not be animated", joint->name);
    joint->priority = reader_i32le(reader, "priority");
    if (joint->priority < -1)
        return reader_fail(reader, "bad_joint_priority", "%d is below -1", joint->priority);
    return read_keys(reader, layout, joint, SL_ROTATION) && read_keys(reader, layout, joint, SL_POSITION);
}

static bool read_joints(struct reader *reader, const struct pose_limits *limits, struct sl_layout *layout)
{
    layout->key_counts[SL_ROTATION] = layout->key_counts[SL_POSITION] = 0;
    for (uint32_t i = 0; i < layout->head.joint_count; i++) {
        reader_enter(reader, "joints", i);
        if (!read_joint(reader, layout, &layout->joints[i]))
            return false;
        reader_leave(reader);
    }
    uint64_t keys = layout->key_counts[SL_ROTATION] + layout->key_counts[SL_POSITION];
    if (keys > limits->keys)
        return error_limit(reader->error, "keys", "%llu keys, more than the limit of %llu",
                           (unsigned long long)keys, (unsigned long long)limits->keys);
    return true;
}

bool sl_layout_read(struct reader *reader, const struct pose_limits *limits, struct sl_layout *layout)
{
    return read_head(reader, limits, &layout->head) && read_joints(reader, limits, layout);
}

/* ----------------------------------------------------------------------------------------------- probing -- */

/* Leaves the reader after the last joint. Expects it after the version. */
static bool walk_joints(struct reader *reader, bool is_old)
{
    size_t length;
    reader_skip(reader, 8, NULL);
    reader_cstring(reader, &length, NULL);
    reader_skip(reader, 24, NULL);
    uint32_t joints = reader_u32le(reader, NULL);
    if (joints == 0 || joints > SL_TRACK_LIMIT)
        return false;
    for (uint32_t i = 0; i < joints && !reader->failed; i++) {
        reader_cstring(reader, &length, NULL);
        reader_skip(reader, 4, NULL);
        for (int kind = 0; kind < SL_KEY_KINDS; kind++)
            reader_skip(reader,
                        (uint64_t)reader_u32le(reader, NULL) * (is_old ? SL_OLD_KEY_SIZE : SL_KEY_SIZE),
                        NULL);
    }
    return !reader->failed;
}

enum sl_layout_fit sl_layout_fit(struct pose_bytes bytes)
{
    struct reader reader;
    bool is_old;
    reader_init(&reader, bytes, NULL);
    bool is_known = read_version(&reader, &is_old);
    reader_init(&reader, bytes, NULL);
    reader_skip(&reader, 4, NULL);
    if (!walk_joints(&reader, is_old))
        return SL_LAYOUT_OTHER;
    int32_t constraints = reader_i32le(&reader, NULL);
    if (constraints > 0)
        reader_skip(&reader, (uint64_t)constraints * SL_CONSTRAINT_SIZE, NULL);
    if (reader.failed || reader_left(&reader))
        return SL_LAYOUT_OTHER;
    return is_known ? SL_LAYOUT_EXACT : SL_LAYOUT_UNKNOWN_VERSION;
}
