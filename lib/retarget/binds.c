/*
 * The pose in which a figure was bound to its mesh, if the file has it (glTF). Bones are measured in this pose, as
 * the nodes may be in any frame of an animation. Its units and orientation may differ from the scene's, as far as
 * the node above the joints accounts for it.
 */
#include "lib/retarget/humanoid.h"

#include <string.h>

static const double SAME_SCALE = 0.01; /* of one another */

static bool is_bound(const struct pose_humanoid *humanoid, int32_t joint)
{
    return joint >= 0 && joint_is_own(humanoid, (uint32_t)joint) && humanoid->skeleton->binds[joint][15] != 0;
}

static struct vec column(const float *matrix, int at)
{
    return (struct vec){(double)matrix[4 * at], (double)matrix[4 * at + 1], (double)matrix[4 * at + 2]};
}

static struct turn turn_of_matrix(const float *matrix)
{
    struct vec x = vec_unit(column(matrix, 0)), y = column(matrix, 1);
    y = vec_unit(vec_sub(y, vec_scale(x, vec_dot(x, y))));
    struct vec z = vec_cross(x, y);
    struct turn turn = turn_of_axes(x, y, z);
    return isfinite(turn_dot(turn, turn)) ? turn_unit(turn) : turn_none;
}

/* The ratio of bone lengths in the scene to those in the bind pose; 0 if unknown. */
static double find_ratio(const struct pose_humanoid *humanoid)
{
    const struct pose_skeleton *skeleton = humanoid->skeleton;
    double scene = 0, bound = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        int32_t parent = skeleton->joints[i].parent;
        if (!is_bound(humanoid, (int32_t)i) || !is_bound(humanoid, parent))
            continue;
        scene += vec_length(vec_sub(humanoid->references[i].place, humanoid->references[parent].place));
        bound += vec_length(vec_sub(column(skeleton->binds[i], 3), column(skeleton->binds[parent], 3)));
    }
    return bound > 1e-9 && isfinite(scene / bound) ? scene / bound : 0;
}

/* The rotation from the bind pose to the scene: that of the node above the joints, if it applies to both. */
static struct turn find_turn(const struct pose_humanoid *humanoid, double ratio)
{
    const struct pose_skeleton *skeleton = humanoid->skeleton;
    uint32_t top = 0;
    while (!is_bound(humanoid, (int32_t)top))
        top++;
    int32_t parent = skeleton->joints[top].parent;
    if (parent < 0)
        return turn_none;
    const struct reference *above = &humanoid->references[parent];
    double scale = fabs(above->stretch.x);
    if (!(fabs(ratio - scale) <= SAME_SCALE * scale))
        return turn_none;
    /* Ambiguous for a node without scale: choose what is nearer to the scene. */
    struct turn bound = turn_of_matrix(skeleton->binds[top]),
                scene = turn_inverse(humanoid->references[top].rest);
    bool scales = fabs(scale - 1) > SAME_SCALE;
    bool is_nearer =
        turn_angle(turn_mul(scene, turn_mul(above->rest, bound))) < turn_angle(turn_mul(scene, bound));
    return scales || is_nearer ? above->rest : turn_none;
}

void humanoid_bind(struct pose_humanoid *humanoid)
{
    const struct pose_skeleton *skeleton = humanoid->skeleton;
    if (!skeleton->binds || skeleton->axes != POSE_AXES_GLTF)
        return;
    double ratio = find_ratio(humanoid);
    if (!(ratio > 0))
        return;
    struct turn turn = find_turn(humanoid, ratio);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        struct reference *to = &humanoid->references[i];
        int32_t parent = skeleton->joints[i].parent;
        if (is_bound(humanoid, (int32_t)i)) {
            to->turn = turn_unit(turn_mul(turn, turn_of_matrix(skeleton->binds[i])));
            to->place = turn_point(turn, vec_scale(column(skeleton->binds[i], 3), ratio));
        } else if (parent >= 0) {
            const struct reference *above = &humanoid->references[parent];
            to->turn = turn_unit(turn_mul(above->turn, to->local));
            to->place = vec_add(above->place, turn_point(above->turn, vec_mul(above->stretch, to->offset)));
        }
    }
}
