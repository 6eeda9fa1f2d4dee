/* Skins and weights (section 3.7.3), and the places of meshes without a skin. */
#include "lib/formats/gltf/meshes.h"
#include "lib/formats/gltf/normal.h"

#include "lib/model/matrix.h"

#include <math.h>
#include <string.h>

enum { MAX_SHARES = 8 }; /* JOINTS_0 and JOINTS_1 */

/* ----------------------------------------------------------------------------------------------- the places -- */

static void compose(const float rest[ROW_FLOATS], float m[16])
{
    double q[4], length = 0;
    for (unsigned i = 0; i < 4; i++)
        length += (double)rest[3 + i] * (double)rest[3 + i];
    for (unsigned i = 0; i < 4; i++)
        q[i] = (double)rest[3 + i] / sqrt(length);
    const double turn[9] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]), 2 * (q[0] * q[1] + q[3] * q[2]),
                            2 * (q[0] * q[2] - q[3] * q[1]),     2 * (q[0] * q[1] - q[3] * q[2]),
                            1 - 2 * (q[0] * q[0] + q[2] * q[2]), 2 * (q[1] * q[2] + q[3] * q[0]),
                            2 * (q[0] * q[2] + q[3] * q[1]),     2 * (q[1] * q[2] - q[3] * q[0]),
                            1 - 2 * (q[0] * q[0] + q[1] * q[1])};
    memcpy(m, matrix_identity, sizeof matrix_identity);
    for (unsigned column = 0; column < 3; column++) {
        for (unsigned row = 0; row < 3; row++)
            m[4 * column + row] = (float)(turn[3 * column + row] * (double)rest[7 + column]);
        m[12 + column] = rest[column];
    }
}

/* From the node's space to the model's. */
static void find_place(const struct gltf *g, uint32_t node, float place[16])
{
    compose(g->node[node].rest, place);
    for (node = g->node[node].parent; node != GLTF_NONE; node = g->node[node].parent) {
        float above[16], below[16];
        memcpy(below, place, sizeof below);
        compose(g->node[node].rest, above);
        matrix_multiply(above, below, place);
    }
}

static void turn_row(const float m[16], bool is_point, float row[3])
{
    const float from[3] = {row[0], row[1], row[2]};
    for (unsigned i = 0; i < 3; i++)
        row[i] = m[i] * from[0] + m[4 + i] * from[1] + m[8 + i] * from[2] + (is_point ? m[12 + i] : 0);
}

/* Normals turn by the cofactors of the matrix; returns its determinant. */
static float cofactors(const float m[16], float cofactor[16])
{
    memcpy(cofactor, matrix_identity, sizeof matrix_identity);
    for (unsigned c = 0; c < 3; c++) {
        const float *a = m + 4 * ((c + 1) % 3), *b = m + 4 * ((c + 2) % 3);
        for (unsigned r = 0; r < 3; r++)
            cofactor[4 * c + r] = a[(r + 1) % 3] * b[(r + 2) % 3] - a[(r + 2) % 3] * b[(r + 1) % 3];
    }
    return m[0] * cofactor[0] + m[1] * cofactor[1] + m[2] * cofactor[2];
}

static void move_morphs(struct gltf_body *body, const float place[16])
{
    for (uint32_t i = 0; i < body->to->morph_count; i++) {
        const struct pose_morph_target *morph = &body->to->morphs[i];
        for (uint32_t k = 0; k < morph->count; k++)
            turn_row(place, false, (float *)(uintptr_t)morph->positions[k]);
        for (uint32_t k = 0; morph->normals && k < morph->count; k++)
            turn_row(place, false, (float *)(uintptr_t)morph->normals[k]);
    }
}

/* A mirroring node turns the faces round. */
static void turn_faces(struct gltf_body *body)
{
    for (uint64_t i = 0; i < body->face_count; i++) {
        uint32_t corner = body->faces[i][1];
        body->faces[i][1] = body->faces[i][2];
        body->faces[i][2] = corner;
    }
}

static bool move(struct gltf_body *body, const float place[16])
{
    float cofactor[16], determinant = cofactors(place, cofactor);
    if (determinant < 0) {
        turn_faces(body);
        for (unsigned i = 0; i < 12; i++)
            cofactor[i] = -cofactor[i];
    }
    for (uint64_t v = 0; v < body->vertex_count; v++) {
        turn_row(place, true, body->positions[v]);
        turn_row(cofactor, false, body->normals[v]);
        if (body->tangents)
            turn_row(place, false, body->tangents[v]);
        gltf_unit_normal(body->normals[v]);
        for (unsigned i = 0; i < 3; i++) {
            gltf_at(body->g, "/nodes/%u", body->node);
            if (!isfinite(body->positions[v][i]))
                return gltf_refuse(body->g, "bad_number", "", "its mesh is moved too far");
        }
    }
    move_morphs(body, place);
    return true;
}

/* ------------------------------------------------------------------------------------------------------ bones -- */

static bool add_bones(struct gltf_body *body, const uint32_t *nodes, uint32_t count, const float (*binds)[16])
{
    struct gltf *g = body->g;
    struct arena *arena = g->job->arena;
    const char **names = ARENA_NEW(arena, const char *, count);
    uint32_t *joints = ARENA_NEW(arena, uint32_t, count);
    float(*inverse)[16] = arena_alloc(arena, count, sizeof *inverse);
    if (!names || !joints || !inverse)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = g->node[nodes[i]].name;
        joints[i] = (uint32_t)(g->node[nodes[i]].joint + 1);
        memcpy(inverse[i], binds ? binds[i] : matrix_identity, sizeof *inverse);
    }
    body->to->bone_count = count;
    body->to->bones = names;
    body->to->bone_joints = joints;
    body->to->inverse_binds = (const float(*)[16])inverse;
    body->to->tree = g->job->document->skeleton_count ? g->job->document->skeletons->tree : 0;
    return true;
}

/* A mesh without a skin moves with the first joint at or above its node. */
static bool hang(struct gltf_body *body)
{
    struct gltf *g = body->g;
    float place[16], inverse[16];
    find_place(g, body->node, place);
    if (!move(body, place))
        return false;
    uint32_t joint = body->node;
    while (joint != GLTF_NONE && g->node[joint].joint < 0)
        joint = g->node[joint].parent;
    if (joint == GLTF_NONE)
        return true;
    find_place(g, joint, place);
    if (!matrix_invert(place, inverse))
        return true; /* a joint of size 0: the mesh stays where it is */
    struct pose_influences *influences =
        ARENA_NEW(g->job->arena, struct pose_influences, (size_t)body->vertex_count);
    for (uint64_t v = 0; influences && v < body->vertex_count; v++)
        influences[v].weights[0] = 1;
    body->to->influences = influences;
    return influences && add_bones(body, &joint, 1, (const float(*)[16])inverse);
}

static bool read_skin(struct gltf_body *body)
{
    struct gltf *g = body->g;
    uint32_t skin = g->node[body->node].skin, accessor;
    const struct pose_value *object = gltf_object(g, "/skins", &g->skins, skin);
    struct json_list joints;
    uint64_t count;
    const float *binds = NULL;
    if (!object || !gltf_list(g, object, "joints", &joints))
        return false;
    if (joints.count > g->nodes.count)
        return gltf_refuse(g, "bad_skin", "/joints", "%u joints of %u nodes", joints.count, g->nodes.count);
    if (!gltf_index(g, object, "inverseBindMatrices", g->accessors.count, false, &accessor))
        return false;
    if (accessor != GLTF_NONE) {
        if (!gltf_accessor_count(g, accessor, 16, &count))
            return false;
        if (count < joints.count || count > g->nodes.count)
            return gltf_refuse(g, "count_mismatch", "/count", "%llu bind matrices for %u joints",
                               (unsigned long long)count, joints.count);
        binds = gltf_accessor_read(g, accessor, 16, false);
        if (!binds)
            return false;
    }
    uint32_t *nodes = json_alloc(&g->json, joints.count, sizeof *nodes);
    for (uint32_t i = 0; nodes && i < joints.count; i++)
        nodes[i] = (uint32_t)joints.items[i]->as.integer; /* checked by gltf_read_skins */
    return nodes && add_bones(body, nodes, joints.count, (const float(*)[16])binds);
}

/* ---------------------------------------------------------------------------------------------------- weights -- */

/* The joints and weights of a primitive; a set that it lacks is NULL. */
struct shares {
    uint32_t *joints[2];
    float *weights[2];
};

/* What a mesh's weights had to be changed for. */
struct weighing {
    uint32_t crowded, unweighted;
    float lost; /* the largest sum of dropped weights */
};

static bool read_set(struct gltf_body *body, const struct gltf_primitive *primitive, unsigned set,
                     struct shares *shares)
{
    static const char *const joint_names[] = {"JOINTS_0", "JOINTS_1"}, *const weight_names[] = {"WEIGHTS_0",
                                                                                                "WEIGHTS_1"};
    struct gltf *g = body->g;
    uint32_t joints, weights;
    gltf_body_at(body, primitive, "/attributes");
    if (!gltf_index(g, primitive->attributes, joint_names[set], g->accessors.count, false, &joints) ||
        !gltf_index(g, primitive->attributes, weight_names[set], g->accessors.count, joints != GLTF_NONE,
                    &weights))
        return false;
    if (joints == GLTF_NONE)
        return true;
    shares->joints[set] = json_alloc(&g->json, (size_t)primitive->count * 4, sizeof **shares->joints);
    shares->weights[set] = json_alloc(&g->json, (size_t)primitive->count * 4, sizeof **shares->weights);
    return shares->joints[set] && shares->weights[set] &&
           gltf_accessor_integers(g, joints, 4, primitive->count, shares->joints[set]) &&
           gltf_accessor_fill(g, weights, 4, primitive->count, shares->weights[set]);
}

/* Takes a share in the order of weight; the lightest of more than four is lost. */
static void take_share(struct pose_influences *to, unsigned *count, uint32_t bone, float weight, float *lost)
{
    unsigned place = *count;
    if (place == POSE_WEIGHTS && weight <= to->weights[POSE_WEIGHTS - 1]) {
        *lost += weight;
        return;
    }
    if (place == POSE_WEIGHTS)
        *lost += to->weights[--place];
    else
        ++*count;
    for (; place > 0 && to->weights[place - 1] < weight; place--) {
        to->bones[place] = to->bones[place - 1];
        to->weights[place] = to->weights[place - 1];
    }
    to->bones[place] = bone;
    to->weights[place] = weight;
}

static bool take_vertex(struct gltf_body *body, const struct gltf_primitive *primitive, uint32_t v,
                        const struct shares *shares, struct pose_influences *to, struct weighing *weighing)
{
    float lost = 0, kept = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < MAX_SHARES; i++) {
        unsigned set = i / 4;
        size_t at = (size_t)v * 4 + i % 4;
        if (!shares->joints[set] || shares->weights[set][at] == 0)
            continue;
        uint32_t bone = shares->joints[set][at];
        float weight = shares->weights[set][at];
        if (weight < 0 || bone >= body->to->bone_count) {
            gltf_body_at(body, primitive, set ? "/attributes/JOINTS_1" : "/attributes/JOINTS_0");
            return weight < 0 ? gltf_refuse(body->g, "bad_weight", "", "vertex %u has a weight of %g", v,
                                            (double)weight)
                              : gltf_refuse(body->g, "bad_joint", "", "vertex %u: joint %u of %u", v, bone,
                                            body->to->bone_count);
        }
        take_share(to, &count, bone, weight, &lost);
    }
    for (unsigned i = 0; i < count; i++)
        kept += to->weights[i];
    for (unsigned i = 0; lost > 0 && i < count; i++)
        to->weights[i] *= (kept + lost) / kept;
    weighing->crowded += lost > 0;
    weighing->unweighted += count == 0;
    weighing->lost = lost > weighing->lost ? lost : weighing->lost;
    return true;
}

static bool read_weights(struct gltf_body *body, const struct gltf_primitive *primitive,
                         struct pose_influences *influences, struct weighing *weighing)
{
    struct shares shares = {0};
    if (!read_set(body, primitive, 0, &shares) || !read_set(body, primitive, 1, &shares))
        return false;
    for (uint32_t v = 0; v < primitive->count; v++) {
        if (!take_vertex(body, primitive, v, &shares, &influences[primitive->first + v], weighing))
            return false;
    }
    return true;
}

/* Our own writer attaches what no joint moves to the frame, the last joint of a skin. */
static void drop_frame(struct gltf_body *body, struct pose_influences *influences)
{
    struct pose_mesh *to = body->to;
    uint32_t frame = to->bone_count - 1, users = 0;
    if (!to->bone_count || to->bone_joints[frame])
        return;
    for (uint64_t v = 0; v < body->vertex_count; v++) {
        bool is_alone = influences[v].bones[0] == frame && !(influences[v].weights[1] > 0);
        if (is_alone)
            influences[v].weights[0] = 0;
        for (unsigned i = 0; i < POSE_WEIGHTS; i++)
            users += influences[v].weights[i] > 0 && influences[v].bones[i] == frame;
    }
    to->bone_count -= users == 0;
}

/* _POSITION_2, which our own writer adds for The Sims: where the copy of a vertex lies that another bone carries, and
 * its joint, -1 if there is none. */
static bool read_second(struct gltf_body *body, const struct gltf_primitive *primitive,
                        struct pose_second *seconds)
{
    struct gltf *g = body->g;
    uint32_t accessor;
    gltf_body_at(body, primitive, "/attributes");
    if (!gltf_index(g, primitive->attributes, "_POSITION_2", g->accessors.count, false, &accessor))
        return false;
    float *rows = json_alloc(&g->json, (size_t)primitive->count * 4, sizeof *rows);
    if (!rows || (accessor != GLTF_NONE && !gltf_accessor_fill(g, accessor, 4, primitive->count, rows)))
        return false;
    for (uint32_t v = 0; v < primitive->count; v++) {
        float joint = accessor == GLTF_NONE ? -1 : rows[4 * (size_t)v + 3];
        memcpy(seconds[v].position, rows + 4 * (size_t)v, sizeof seconds[v].position);
        bool is_there = joint >= 0 && joint < (float)body->to->bone_count;
        seconds[v].bone = is_there ? (uint32_t)joint : UINT32_MAX;
    }
    return true;
}

static bool read_seconds(struct gltf_body *body)
{
    bool any = false;
    for (uint32_t i = 0; i < body->primitive_count; i++)
        any |= pose_value_find(body->primitives[i].attributes, "_POSITION_2") != NULL;
    if (!any)
        return true;
    struct pose_second *seconds =
        ARENA_NEW(body->g->job->arena, struct pose_second, (size_t)body->vertex_count);
    for (uint32_t i = 0; seconds && i < body->primitive_count; i++) {
        const struct gltf_primitive *primitive = &body->primitives[i];
        if (!primitive->shares && !read_second(body, primitive, seconds + primitive->first))
            return false;
    }
    body->to->seconds = seconds;
    return seconds;
}

static void warn(struct gltf_body *body, const struct weighing *weighing)
{
    struct warning_list *warnings = &body->g->job->warnings;
    if (weighing->crowded)
        warning_add(
            warnings, POSE_WARNING, "weights_dropped", POSE_NO_OFFSET,
            "/meshes/%u: %u vertices have more than %d weights; the heaviest are kept, at most %.3f is "
            "lost",
            body->mesh, weighing->crowded, POSE_WEIGHTS, (double)weighing->lost);
    if (weighing->unweighted && !body->g->is_ours)
        warning_add(warnings, POSE_WARNING, "unweighted_vertices", POSE_NO_OFFSET,
                    "/meshes/%u: %u vertices have no weight; no joint moves them", body->mesh,
                    weighing->unweighted);
}

bool gltf_body_bind(struct gltf_body *body)
{
    struct gltf *g = body->g;
    if (!body->is_skinned)
        return hang(body);
    struct weighing weighing = {0};
    struct pose_influences *influences =
        ARENA_NEW(g->job->arena, struct pose_influences, (size_t)body->vertex_count);
    if (!influences || !read_skin(body))
        return false;
    for (uint32_t i = 0; i < body->primitive_count; i++) {
        if (!body->primitives[i].shares && !read_weights(body, &body->primitives[i], influences, &weighing))
            return false;
    }
    if (g->is_ours)
        drop_frame(body, influences);
    if (!read_seconds(body))
        return false;
    warn(body, &weighing);
    body->to->influences = influences;
    return true;
}
