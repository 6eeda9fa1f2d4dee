/* Nodes, skins, and the skeleton they form (sections 3.5, 3.7.3). */
#include "lib/formats/gltf/read.h"

#include "lib/model/match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ matrices -- */

/* The rotation with these unit columns (m[column][row]) as a quaternion, computed from its largest component. */
static void quaternion_of(const double m[3][3], float q[4])
{
    double x = m[0][0], y = m[1][1], z = m[2][2],
           squares[4] = {1 + x - y - z, 1 - x + y - z, 1 - x - y + z, 1 + x + y + z};
    unsigned largest = 0;
    for (unsigned i = 1; i < 4; i++)
        largest = squares[i] > squares[largest] ? i : largest;
    double root = sqrt(squares[largest]) * 2; /* 4 times the component */
    double differences[3] = {m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]};
    for (unsigned i = 0; i < 3; i++) {
        if (largest == 3)
            q[i] = (float)(differences[i] / root);
        else
            q[i] = (float)(i == largest ? root / 4 : (m[i][largest] + m[largest][i]) / root);
    }
    q[3] = (float)(largest == 3 ? root / 4 : differences[largest] / root);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A mirroring matrix gets a negative x scale. */
static void decompose(struct gltf *g, uint32_t index, const float matrix[16], float rest[10])
{
    double columns[3][3];
    for (unsigned c = 0; c < 3; c++) {
        rest[c] = matrix[12 + c];
        for (unsigned r = 0; r < 3; r++)
            columns[c][r] = (double)matrix[4 * c + r];
    }
    double cross[3] = {columns[1][1] * columns[2][2] - columns[1][2] * columns[2][1],
                       columns[1][2] * columns[2][0] - columns[1][0] * columns[2][2],
                       columns[1][0] * columns[2][1] - columns[1][1] * columns[2][0]};
    bool mirrors = dot(columns[0], cross) < 0, flat = false;
    for (unsigned c = 0; c < 3; c++) {
        double length = sqrt(dot(columns[c], columns[c]));
        double scale = c == 0 && mirrors ? -length : length;
        flat |= !(length > 1e-20);
        rest[7 + c] = (float)scale;
        for (unsigned r = 0; r < 3; r++)
            columns[c][r] /= scale;
    }
    memcpy(rest + 3, (float[4]){0, 0, 0, 1}, 4 * sizeof *rest);
    if (flat)
        return; /* with a scale of 0 the rotation is unknown */
    quaternion_of((const double(*)[3])columns, rest + 3);
    if (fabs(dot(columns[0], columns[1])) > 1e-4 || fabs(dot(columns[0], columns[2])) > 1e-4 ||
        fabs(dot(columns[1], columns[2])) > 1e-4)
        warning_add(&g->job->warnings, POSE_WARNING, "sheared_matrix", POSE_NO_OFFSET,
                    "/nodes/%u/matrix shears, which joints cannot; the nearest rotation and scale are used",
                    index);
}

static bool read_rest(struct gltf *g, uint32_t index, const struct pose_value *object, float rest[10])
{
    static const float identity[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    float matrix[16];
    bool has_matrix, found, has_rotation;
    memcpy(rest, identity, sizeof identity);
    if (!gltf_numbers(g, object, "matrix", 16, matrix, &has_matrix))
        return false;
    if (has_matrix) {
        decompose(g, index, matrix, rest);
        for (unsigned i = 0; i < 10; i++) {
            if (!isfinite(rest[i]))
                return gltf_refuse(g, "bad_number", "/matrix", "the numbers are too large");
        }
        return true;
    }
    if (!gltf_numbers(g, object, "translation", 3, rest, &found) ||
        !gltf_numbers(g, object, "rotation", 4, rest + 3, &has_rotation) ||
        !gltf_numbers(g, object, "scale", 3, rest + 7, &found))
        return false;
    double square = 0;
    for (unsigned i = 3; i < 7; i++)
        square += (double)rest[i] * (double)rest[i];
    return square >= 1e-12 || gltf_refuse(g, "zero_quaternion", "/rotation", "a rotation of length 0");
}

/* --------------------------------------------------------------------------------------------------- nodes -- */

static bool read_children(struct gltf *g, uint32_t index, const struct pose_value *object)
{
    const struct pose_value *children = pose_value_find(object, "children");
    if (!children)
        return true;
    if (children->kind != POSE_ARRAY)
        return gltf_refuse(g, "bad_member", "/children", "must be an array");
    uint32_t place = 0;
    for (const struct pose_value *item = children->first; item; item = item->next, place++) {
        char member[40];
        snprintf(member, sizeof member, "/children/%u", place);
        if (item->kind != POSE_INT || item->as.integer < 0 || item->as.integer >= g->nodes.count)
            return gltf_refuse(g, "bad_index", member, "must be the index of one of %u nodes",
                               g->nodes.count);
        struct gltf_node *child = &g->node[item->as.integer];
        if (child->parent != GLTF_NONE)
            return gltf_refuse(g, "two_parents", member, "node %lld is already a child of node %u",
                               (long long)item->as.integer, child->parent);
        child->parent = index;
    }
    return true;
}

/* Visits each node once: a walk ends at a node of an earlier walk, or at one of its own. */
static bool check_cycles(struct gltf *g)
{
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        uint32_t at = i;
        for (; at != GLTF_NONE && !g->node[at].stamp; at = g->node[at].parent)
            g->node[at].stamp = i + 1;
        if (at != GLTF_NONE && g->node[at].stamp == i + 1) {
            gltf_at(g, "/nodes/%u", at);
            return gltf_refuse(g, "node_cycle", "/children", "node %u is among its own descendants", at);
        }
    }
    for (uint32_t i = 0; i < g->nodes.count; i++)
        g->node[i].stamp = 0;
    return true;
}

/* The name in the pose, which our writer may have had to change (gltf.h). */
static const char *read_name(struct gltf *g, const struct pose_value *object)
{
    const char *name = gltf_text(g, object, "name");
    const struct pose_value *posed = pose_value_find(pose_value_find(object, "extras"), "posed");
    const char *called = value_get_string(posed, "called", NULL);
    return name && called && !strcmp(name, called) ? gltf_text(g, posed, "name") : name;
}

/* Cameras, lights and meshes are no joints unless something moves them. */
static bool is_thing(const struct pose_value *object)
{
    return pose_value_find(object, "mesh") || pose_value_find(object, "camera") ||
           pose_value_find(pose_value_find(object, "extensions"), "KHR_lights_punctual");
}

/* The node above several roots (gltf.h), unless it has been moved. */
static bool is_frame(const struct pose_value *object, const float rest[10])
{
    static const float identity[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    const struct pose_value *posed = pose_value_find(pose_value_find(object, "extras"), "posed");
    const struct pose_value *frame = pose_value_find(posed, "frame");
    return frame && frame->kind == POSE_BOOL && frame->as.boolean && !memcmp(rest, identity, sizeof identity);
}

bool gltf_read_nodes(struct gltf *g)
{
    g->node = json_alloc(&g->json, g->nodes.count, sizeof *g->node);
    if (!g->node || !name_index_init(&g->names, &g->json.arena, g->nodes.count))
        return false;
    for (uint32_t i = 0; i < g->nodes.count; i++)
        g->node[i].parent = GLTF_NONE;
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        const struct pose_value *object = gltf_object(g, "/nodes", &g->nodes, i);
        struct gltf_node *node = &g->node[i];
        if (!object || !read_rest(g, i, object, node->rest) ||
            !gltf_index(g, object, "mesh", g->meshes.count, false, &node->mesh) ||
            !gltf_index(g, object, "skin", g->skins.count, false, &node->skin) ||
            !read_children(g, i, object))
            return false;
        node->name = read_name(g, object);
        node->is_thing = is_thing(object);
        node->is_frame = is_frame(object, node->rest);
        name_index_add(&g->names, node->name, i);
    }
    name_index_sort(&g->names);
    return check_cycles(g);
}

/* "joint_17" is the name of an unnamed joint in GLBs. */
static bool joint_number(const char *name, uint32_t *id)
{
    if (!name || strncmp(name, "joint_", 6) != 0 || !name[6] || strlen(name) > 16)
        return false;
    if (strspn(name + 6, "0123456789") != strlen(name + 6) || (name[6] == '0' && name[7]))
        return false;
    unsigned long long number = strtoull(name + 6, NULL, 10);
    *id = (uint32_t)number;
    return number <= UINT32_MAX;
}

struct gltf_name gltf_name_of(const struct gltf *g, uint32_t node)
{
    struct gltf_name name = {.name = g->node[node].name};
    name.has_id = joint_number(name.name, &name.id);
    if (name.has_id && g->is_ours)
        name.name = NULL; /* in other writers' files it may be a real name */
    return name;
}

/* -------------------------------------------------------------------------------------------------- joints -- */

void gltf_mark_joint(struct gltf *g, uint32_t node)
{
    for (; node != GLTF_NONE && !g->node[node].is_marked; node = g->node[node].parent) {
        g->node[node].is_marked = true;
        g->node[node].is_joint = !g->node[node].is_frame;
    }
}

bool gltf_read_skins(struct gltf *g)
{
    for (uint32_t i = 0; i < g->skins.count; i++) {
        const struct pose_value *object = gltf_object(g, "/skins", &g->skins, i);
        const struct pose_value *joints = pose_value_find(object, "joints");
        if (!object)
            return false;
        if (!joints || joints->kind != POSE_ARRAY)
            return gltf_refuse(g, "missing_member", "", "\"joints\" is missing");
        uint32_t place = 0;
        for (const struct pose_value *item = joints->first; item; item = item->next, place++) {
            if (item->kind != POSE_INT || item->as.integer < 0 || item->as.integer >= g->nodes.count) {
                gltf_at(g, "/skins/%u/joints/%u", i, place);
                return gltf_refuse(g, "bad_index", "", "must be the index of one of %u nodes",
                                   g->nodes.count);
            }
            gltf_mark_joint(g, (uint32_t)item->as.integer);
            if (!arena_step(g->job->arena))
                return false;
            g->node[item->as.integer].in_skin = true;
        }
    }
    return true;
}

/* Whether the node hangs below a joint by joints to be. path: room for all nodes; it and *length get the way up. */
static bool hangs_on_joint(const struct gltf *g, uint32_t node, const bool *barred, uint32_t *path,
                           uint32_t *length)
{
    for (*length = 0; node != GLTF_NONE && !g->node[node].is_joint; node = g->node[node].parent) {
        path[(*length)++] = node;
        if (barred[node] || g->node[node].is_thing)
            return false;
    }
    return node != GLTF_NONE;
}

/* Without a skin nothing else says which nodes are joints: all of a tree in which one is animated, but for what is
 * shown, lights and cameras, and what hangs on these. Not of our own files, and only if there is room for all. */
static bool mark_trees(struct gltf *g)
{
    uint32_t *path = json_alloc(&g->json, g->nodes.count, sizeof *path), length;
    bool *barred = json_alloc(&g->json, g->nodes.count, sizeof *barred);
    if (!path || !barred)
        return false;
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        bool hangs = hangs_on_joint(g, i, barred, path, &length);
        for (uint32_t k = 0; k < length; k++) {
            g->node[path[k]].is_joint = hangs;
            barred[path[k]] = !hangs;
        }
    }
    return true;
}

/* The skin of our own files has all joints; they keep which of them a skin had before. */
static bool is_in_skin(const struct gltf *g, uint32_t node)
{
    return g->is_ours ? value_get_bool(gltf_posed(g->nodes.items[node]), "in_skin", false)
                      : g->node[node].in_skin;
}

static struct pose_joint make_joint(const struct gltf *g, uint32_t node, const int32_t *place)
{
    const struct gltf_node *from = &g->node[node];
    struct gltf_name name = gltf_name_of(g, node);
    struct pose_joint joint = {.name = name.name,
                               .has_id = name.has_id,
                               .id = name.id,
                               .in_skin = is_in_skin(g, node),
                               .parent = from->parent == GLTF_NONE ? -1 : place[from->parent]};
    memcpy(joint.translation, from->rest, sizeof joint.translation);
    memcpy(joint.rotation, from->rest + 3, sizeof joint.rotation);
    memcpy(joint.scale, from->rest + 7, sizeof joint.scale);
    return joint;
}

/* Replaces the file's node of each track by its joint; place maps one to the other. */
static void link_tracks(struct pose_document *document, struct pose_skeleton *skeleton, const int32_t *place)
{
    skeleton->tree = skeleton_tree(skeleton);
    for (uint32_t c = 0; c < document->clip_count; c++) {
        struct pose_clip *clip = (struct pose_clip *)(uintptr_t)&document->clips[c];
        clip->tree = skeleton->tree;
        for (uint32_t i = 0; i < clip->track_count; i++) {
            struct pose_track *track = (struct pose_track *)(uintptr_t)&clip->tracks[i];
            int32_t joint = track->node ? place[track->node - 1] : -1;
            if (joint >= 0 && skeleton->file_order)
                joint = (int32_t)skeleton->file_order[joint];
            track->node = (uint32_t)(joint + 1);
        }
    }
}

bool gltf_build_skeleton(struct gltf *g)
{
    struct decode_job *job = g->job;
    uint32_t count = 0;
    if (!g->skins.count && !g->is_ours && g->nodes.count <= job->limits->joints && !mark_trees(g))
        return false;
    int32_t cycle, *place = json_alloc(&g->json, g->nodes.count, sizeof *place);
    for (uint32_t i = 0; i < g->nodes.count && place; i++)
        place[i] = g->node[i].joint = g->node[i].is_joint ? (int32_t)count++ : -1;
    if (count > job->limits->joints)
        return error_limit(job->error, "joints", "%u joints, at most %u are read", count,
                           job->limits->joints);
    if (!count)
        return place;
    struct pose_skeleton *skeleton = ARENA_NEW(job->arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(job->arena, struct pose_joint, count);
    if (!place || !skeleton || !joints)
        return false;
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        if (place[i] >= 0)
            joints[place[i]] = make_joint(g, i, place);
    }
    *skeleton =
        (struct pose_skeleton){.axes = POSE_AXES_GLTF,
                               .scaling = POSE_SCALE_INHERITED,
                               .joint_count = count,
                               .extras = g->humanoid,
                               .name = g->skins.count ? gltf_text(g, g->skins.items[0], "name") : NULL};
    if (!skeleton_order_joints(job->arena, skeleton, joints, &cycle))
        return false;
    skeleton->root_joint = g->root == GLTF_NONE ? -1 : place[g->root];
    if (skeleton->root_joint >= 0 && skeleton->file_order)
        skeleton->root_joint = (int32_t)skeleton->file_order[skeleton->root_joint];
    for (uint32_t i = 0; i < g->nodes.count && skeleton->file_order; i++) {
        if (place[i] >= 0)
            g->node[i].joint = (int32_t)skeleton->file_order[place[i]];
    }
    if (!gltf_read_binds(g, skeleton, place) || !gltf_find_figures(g, skeleton))
        return false;
    link_tracks(job->document, skeleton, place);
    job->document->skeletons = skeleton;
    job->document->skeleton_count = 1;
    return true;
}
