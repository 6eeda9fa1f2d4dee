#include "tests/samples/sample_body.h"

#include <math.h>
#include <string.h>

enum { SIDES = 6, NOWHERE = -1 };

/* A tube from one part's joint to another's; from a last joint it goes on by `beyond` metres in `way`. Radii in metres;
 * where `bends` the end ring is half the other part's. */
struct limb {
    int from, to;
    double first_radius, last_radius;
    bool bends;
    struct vec beyond;
};

static const struct limb limbs[] = {
    {PELVIS, SPINE, 0.15, 0.13, false, {0, 0, 0}},       {SPINE, CHEST, 0.13, 0.16, false, {0, 0, 0}},
    {CHEST, NECK, 0.17, 0.08, false, {0, 0, 0}},         {NECK, HEAD, 0.05, 0.05, false, {0, 0, 0}},
    {HEAD, NOWHERE, 0.09, 0.08, false, {0, 0.24, 0.01}}, {UPPER_ARM, FOREARM, 0.055, 0.045, true, {0, 0, 0}},
    {FOREARM, HAND, 0.045, 0.032, false, {0, 0, 0}},     {HAND, NOWHERE, 0.035, 0.03, false, {0, -0.14, 0}},
    {THIGH, SHIN, 0.085, 0.06, true, {0, 0, 0}},         {SHIN, FOOT, 0.06, 0.042, false, {0, 0, 0}},
    {FOOT, TOES, 0.045, 0.04, false, {0, 0, 0}},         {TOES, NOWHERE, 0.038, 0.025, false, {0, 0, 0.08}},
};

/* One limb's vertices in model space, and around which bone they go. */
struct tube {
    int from, to;
    struct vec start, end;
    struct vec side[SIDES]; /* unit, around the axis */
    double first_radius, last_radius;
};

static const struct figure_joint *joint_of(const struct figure *figure, int part)
{
    return &figure->joints[figure->joint_of[part]];
}

static struct tube shape(const struct figure *figure, const struct limb *limb, int side)
{
    int from = limb->from + side, to = limb->to == NOWHERE ? NOWHERE : limb->to + side;
    struct tube tube = {.from = from,
                        .to = to,
                        .start = joint_of(figure, from)->place,
                        .first_radius = limb->first_radius,
                        .last_radius = limb->last_radius};
    tube.end = to == NOWHERE ? vec_add(tube.start, limb->beyond) : joint_of(figure, to)->place;
    struct vec axis = vec_unit(vec_sub(tube.end, tube.start));
    struct vec any = fabs(axis.y) < 0.7 ? (struct vec){0, 1, 0} : (struct vec){0, 0, 1};
    struct vec first = vec_unit(vec_cross(any, axis));
    for (int i = 0; i < SIDES; i++)
        tube.side[i] = quat_turn(quat_about(axis, 360.0 * i / SIDES), first);
    return tube;
}

/* Model space and the figure's axes to a bone's space and the axes of The Sims. */
static void put_vertex(struct sample_body *sample, uint32_t index, const struct figure *figure, int part,
                       struct vec place, struct vec normal)
{
    const struct figure_joint *bone = joint_of(figure, part);
    struct quat back = quat_inverse(bone->turn);
    struct vec p = quat_turn(back, vec_sub(place, bone->place)), n = quat_turn(back, normal);
    float *position = sample->positions[index], *direction = sample->normals[index];
    position[0] = (float)p.x, position[1] = (float)p.y, position[2] = (float)p.z;
    pose_convert_axes(POSE_TRANSLATION, position, 1, POSE_AXES_GLTF, POSE_AXES_SIMS);
    /* The mirror of The Sims without its unit. */
    direction[0] = (float)-n.x, direction[1] = (float)n.y, direction[2] = (float)n.z;
}

static void put_face(struct sample_body *sample, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *face = sample->faces[sample->mesh.face_count++];
    face[0] = a, face[1] = c,
    face[2] = b; /* given counter-clockwise in glTF's axes, stored the other way round */
}

/* Two rings and a point at each end, all bound to one bone. */
static void put_tube(struct sample_body *sample, const struct figure *figure, const struct tube *tube)
{
    struct pose_mesh *mesh = &sample->mesh;
    uint32_t first = mesh->real_count, last = first + SIDES, start = last + SIDES, end = start + 1;
    struct vec axis = vec_unit(vec_sub(tube->end, tube->start));
    for (uint32_t i = 0; i < SIDES; i++) {
        struct vec low = vec_add(tube->start, vec_scale(tube->side[i], tube->first_radius));
        struct vec high = vec_add(tube->end, vec_scale(tube->side[i], tube->last_radius));
        uint32_t next = (i + 1) % SIDES;
        put_vertex(sample, first + i, figure, tube->from, low, tube->side[i]);
        put_vertex(sample, last + i, figure, tube->from, high, tube->side[i]);
        sample->uvs[first + i][0] = sample->uvs[last + i][0] = (float)i / SIDES;
        sample->uvs[first + i][1] = 0.25f, sample->uvs[last + i][1] = 0.75f;
        put_face(sample, first + i, first + next, last + i);
        put_face(sample, last + i, first + next, last + next);
        put_face(sample, start, first + next, first + i);
        put_face(sample, end, last + i, last + next);
    }
    put_vertex(sample, start, figure, tube->from,
               vec_sub(tube->start, vec_scale(axis, tube->first_radius / 2)), vec_scale(axis, -1));
    put_vertex(sample, end, figure, tube->from, vec_add(tube->end, vec_scale(axis, tube->last_radius / 2)),
               axis);
    sample->uvs[start][0] = sample->uvs[end][0] = 0.5f;
    sample->uvs[start][1] = 0, sample->uvs[end][1] = 1;
    sample->bindings[mesh->binding_count] =
        (struct pose_binding){.bone = mesh->bone_count, .first = first, .count = 2 * SIDES + 2};
    sample->bones[mesh->bone_count++] = figure->skeleton->joints[figure->joint_of[tube->from]].name;
    mesh->binding_count++;
    mesh->real_count += 2 * SIDES + 2;
}

static struct pose_binding *binding_of(struct sample_body *sample, const struct figure *figure, int part)
{
    const char *name = figure->skeleton->joints[figure->joint_of[part]].name;
    for (uint32_t i = 0; i < sample->mesh.binding_count; i++) {
        if (!strcmp(sample->bones[sample->bindings[i].bone], name))
            return &sample->bindings[i];
    }
    return NULL;
}

/* The end ring of a limb that bends moves half with the next bone. real_count is final by now. */
static void blend_ring(struct sample_body *sample, const struct figure *figure, const struct tube *tube)
{
    struct pose_mesh *mesh = &sample->mesh;
    struct pose_binding *own = binding_of(sample, figure, tube->from),
                        *next = binding_of(sample, figure, tube->to);
    next->blend_first = mesh->blend_count;
    next->blend_count = SIDES;
    for (uint32_t i = 0; i < SIDES; i++) {
        struct vec place = vec_add(tube->end, vec_scale(tube->side[i], tube->last_radius));
        put_vertex(sample, mesh->real_count + mesh->blend_count, figure, tube->to, place, tube->side[i]);
        sample->blends[mesh->blend_count++] =
            (struct pose_blend){.vertex = own->first + SIDES + i, .weight = 16384};
    }
}

void sample_body(struct sample_body *sample, const struct figure *figure)
{
    memset(sample, 0, sizeof *sample);
    struct pose_mesh *mesh = &sample->mesh;
    *mesh = (struct pose_mesh){.axes = POSE_AXES_SIMS,
                               .bones = sample->bones,
                               .faces = (const uint32_t(*)[3])sample->faces,
                               .uvs = (const float(*)[2])sample->uvs,
                               .blends = sample->blends,
                               .positions = (const float(*)[3])sample->positions,
                               .normals = (const float(*)[3])sample->normals,
                               .bindings = sample->bindings};
    struct tube tubes[BODY_LIMBS];
    bool bends[BODY_LIMBS];
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof limbs / sizeof *limbs; i++) {
        for (int side = LEFT; side <= (limbs[i].from < CLAVICLE ? LEFT : RIGHT); side++) {
            bends[count] = limbs[i].bends;
            tubes[count++] = shape(figure, &limbs[i], side);
        }
    }
    for (unsigned i = 0; i < count; i++)
        put_tube(sample, figure, &tubes[i]);
    for (unsigned i = 0; i < count; i++) {
        if (bends[i])
            blend_ring(sample, figure, &tubes[i]);
    }
}
