/* The joints of a file: rows of all its clips as one tree of nodes, with its skin. */
#ifndef POSE_FORMATS_GLTF_WRITE_JOINTS_H
#define POSE_FORMATS_GLTF_WRITE_JOINTS_H

#include "lib/formats/gltf/write/file.h"
#include "lib/sample/sampler_keys.h"

struct gltf_joint {
    const char *name; /* NULL: made up from the id */
    bool has_id;
    uint32_t id;
    int32_t parent;
    float rest[ROW_FLOATS]; /* in glTF's axes; without a skeleton the first value of the first clip */
    uint32_t node;
    uint32_t
        holder; /* the node that carries the scale and everything bound to the joint: node, or a child of it */
    float matrix[16];    /* of the rest pose in model space */
    uint32_t next_alike; /* while clips are merged: the next joint of the same name and id */
};

/* A clip on these joints. */
struct gltf_clip {
    const struct pose_clip *clip;
    struct pose_sampler sampler; /* only rows and rest */
    const struct row_drivers *drivers;
    const uint32_t *joints; /* [sampler.row_count] */
    int64_t motion_row;     /* not part of the pose; -1: none */
};

struct gltf_joints {
    const struct pose_skeleton *skeleton; /* NULL: none */
    bool scales_offsets;                  /* scale affects only the offsets of direct children */
    uint32_t count;
    struct gltf_joint *joints; /* parents first */
    uint32_t clip_count;
    struct gltf_clip *clips;
    bool has_frame;      /* there is a node above all joints, */
    uint32_t frame_node; /* this one, which never moves */
    uint32_t node_count;
};

/* Finds rows, joints and rest poses, and numbers the nodes. needs_frame: adds a node above all joints in any
 * case. */
bool gltf_joints_init(struct gltf_joints *joints, struct encode_job *job, bool needs_frame);
/* Must be called even after a failure. */
void gltf_joints_release(struct gltf_joints *joints);

/* True if the joint's scale is on its own node, so that the offsets of its children must include it. */
static inline bool gltf_joint_is_split(const struct gltf_joint *joint)
{
    return joint->holder != joint->node;
}

/* Writes the items of "nodes", without brackets. */
void gltf_joints_put_nodes(const struct gltf_joints *joints, struct gltf_file *file);
/* The joints' root nodes of the scene, "1,2". */
void gltf_joints_put_roots(const struct gltf_joints *joints, struct gltf_file *file);
/* Writes "skins":[ with one skin over all joints, the frame last if with_frame; writes a view. The array stays
 * open. */
void gltf_joints_put_skin(const struct gltf_joints *joints, struct gltf_file *file, bool with_frame);

#endif
