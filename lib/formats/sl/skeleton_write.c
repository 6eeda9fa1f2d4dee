#include "lib/formats/sl/skeleton_write.h"

#include "lib/core/value.h"

#include <math.h>
#include <string.h>

struct writing {
    struct encode_job *job;
    const struct pose_skeleton *skeleton;
    int32_t *first_child, *next_sibling; /* [joint_count], -1: none; the volumes of a bone come first */
};

static bool is_volume(const struct pose_joint *joint)
{
    return !strcmp(value_get_string(joint->extras, "kind", "bone"), "collision_volume");
}

/* --------------------------------------------------------------------------------------------- attributes -- */

static void write_escaped(struct writer *writer, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\t' || c == '\n' || c == '\r')
            writer_format(writer, "&#%u;", c);
        else
            writer_u8(writer, c < 0x20 ? '?' : c); /* XML cannot represent the others */
    }
}

static void write_text(struct writer *writer, const char *name, const char *text)
{
    writer_format(writer, " %s=\"", name);
    write_escaped(writer, text);
    writer_u8(writer, '"');
}

static void write_vector(struct writer *writer, const char *name, const float vector[3])
{
    writer_format(writer, " %s=\"", name);
    for (int i = 0; i < 3; i++) {
        if (i)
            writer_u8(writer, ' ');
        writer_float(writer, vector[i]);
    }
    writer_u8(writer, '"');
}

static void write_aliases(struct writer *writer, const char *const *aliases)
{
    writer_text(writer, " aliases=\"");
    for (const char *const *alias = aliases; *alias; alias++) {
        if (alias != aliases)
            writer_u8(writer, ' ');
        write_escaped(writer, *alias);
    }
    writer_u8(writer, '"');
}

/* About the fixed axes X, then Y, then Z; rounded to 0.0001 degrees to hide the noise of single precision. */
static void degrees_from_quat(const float q[4], float degrees[3])
{
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    double forward = 1 - 2 * (y * y + z * z), left = 2 * (x * y + w * z); /* direction of the X axis */
    double up = 2 * (x * z - w * y), level = hypot(forward, left), angles[3];
    angles[1] = atan2(-up, level);
    if (level > 1e-6) {
        angles[0] = atan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y));
        angles[2] = atan2(left, forward);
    } else { /* X and Z rotate about the same line: X gets all of it */
        angles[0] = atan2(2 * (w * x - y * z), 1 - 2 * (x * x + z * z));
        angles[2] = 0;
    }
    for (int i = 0; i < 3; i++)
        degrees[i] = (float)(rint(angles[i] * (180 / 3.14159265358979323846) * 1e4) / 1e4 + 0.0); /* no -0 */
}

static void write_extras(struct writer *writer, const struct pose_joint *joint, const float translation[3])
{
    float vector[3];
    const char *group = value_get_string(joint->extras, "group", NULL),
               *support = value_get_string(joint->extras, "support", NULL);
    if (value_get_floats(joint->extras, "pivot", vector, 3) == 3)
        write_vector(writer, "pivot", vector);
    else if (!is_volume(joint))
        write_vector(writer, "pivot", translation);
    if (value_get_floats(joint->extras, "end", vector, 3) == 3)
        write_vector(writer, "end", vector);
    if (group)
        write_text(writer, "group", group);
    if (support)
        write_text(writer, "support", support);
    if (pose_value_find(joint->extras, "connected"))
        write_text(writer, "connected", value_get_bool(joint->extras, "connected", false) ? "true" : "false");
}

/* ------------------------------------------------------------------------------------------------ the tree -- */

static void indent(struct writer *writer, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        writer_text(writer, "   ");
}

static void write_joint(struct writing *writing, uint32_t index, uint32_t depth)
{
    struct writer *writer = writing->job->writer;
    const struct pose_joint *joint = &writing->skeleton->joints[index];
    float rest[10], degrees[3];
    pose_joint_rest(writing->skeleton, index, POSE_AXES_SL, rest);
    degrees_from_quat(rest + 3, degrees);
    indent(writer, depth);
    writer_text(writer, is_volume(joint) ? "<collision_volume" : "<bone");
    write_text(writer, "name", joint->name);
    if (joint->aliases)
        write_aliases(writer, joint->aliases);
    write_vector(writer, "pos", rest);
    write_vector(writer, "rot", degrees);
    write_vector(writer, "scale", rest + 7);
    write_extras(writer, joint, rest);
    writer_text(writer, writing->first_child[index] < 0 ? "/>\n" : ">\n");
}

static void close_joint(struct writing *writing, uint32_t depth)
{
    indent(writing->job->writer, depth);
    writer_text(writing->job->writer, "</bone>\n");
}

/* Depth first without recursion: to a child, else to the next sibling, else up until there is one. */
static void write_tree(struct writing *writing, int32_t root)
{
    int32_t at = root;
    uint32_t depth = 1;
    while (at >= 0) {
        write_joint(writing, (uint32_t)at, depth);
        if (writing->first_child[at] >= 0) {
            at = writing->first_child[at];
            depth++;
            continue;
        }
        while (at != root && writing->next_sibling[at] < 0) {
            at = writing->skeleton->joints[at].parent;
            close_joint(writing, --depth);
        }
        at = at == root ? -1 : writing->next_sibling[at];
    }
}

/* Volumes are prepended last, so that they come first. */
static bool link_joints(struct writing *writing)
{
    const struct pose_skeleton *skeleton = writing->skeleton;
    uint32_t count = skeleton->joint_count;
    writing->first_child = ARENA_NEW(writing->job->arena, int32_t, count);
    writing->next_sibling = ARENA_NEW(writing->job->arena, int32_t, count);
    if (!writing->first_child || !writing->next_sibling)
        return false;
    for (uint32_t i = 0; i < count; i++)
        writing->first_child[i] = writing->next_sibling[i] = -1;
    for (int volumes = 0; volumes < 2; volumes++) {
        for (uint32_t i = count; i-- > 0;) {
            int32_t parent = skeleton->joints[i].parent;
            if (parent < 0 || is_volume(&skeleton->joints[i]) != volumes)
                continue;
            writing->next_sibling[i] = writing->first_child[parent];
            writing->first_child[parent] = (int32_t)i;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ the file -- */

static bool check_joints(const struct pose_skeleton *skeleton, uint32_t *bones, struct pose_error *error)
{
    *bones = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        if (!joint->name || !*joint->name)
            return error_set(error, POSE_BAD_DATA, "unnamed_joint", "joints[%u] has no name", i);
        if (joint->parent >= 0 ? is_volume(&skeleton->joints[joint->parent]) : is_volume(joint))
            return error_set(error, POSE_BAD_DATA, "misplaced_element",
                             "joints[%u]: a collision volume must have a bone as its parent and no children",
                             i);
        *bones += !is_volume(joint);
    }
    if (!*bones)
        return error_set(error, POSE_BAD_DATA, "no_joints", "a skeleton without bones");
    return true;
}

bool sl_skeleton_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (content->skeleton_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_skeleton",
                         "a Second Life skeleton file holds one skeleton, not %u", content->skeleton_count);
    struct writing writing = {.job = job, .skeleton = &content->skeletons[0]};
    uint32_t bones, roots = 0;
    if (!check_joints(writing.skeleton, &bones, job->error) || !link_joints(&writing))
        return false;
    struct writer *writer = job->writer;
    writer_format(writer, "<linden_skeleton num_bones=\"%u\" num_collision_volumes=\"%u\"", bones,
                  writing.skeleton->joint_count - bones);
    write_text(writer, "version", value_get_string(writing.skeleton->extras, "version", "2.0"));
    writer_text(writer, ">\n");
    for (uint32_t i = 0; i < writing.skeleton->joint_count; i++) {
        if (writing.skeleton->joints[i].parent >= 0)
            continue;
        write_tree(&writing, (int32_t)i);
        roots++;
    }
    writer_text(writer, "</linden_skeleton>\n");
    if (roots > 1)
        encode_note(job, "several_roots", "%u joints have no parent; the viewer requires a single root",
                    roots);
    return true;
}
