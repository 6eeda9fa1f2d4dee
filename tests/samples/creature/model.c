#include "tests/samples/creature/model.h"

#include "tests/samples/vec.h"

#include <math.h>
#include <string.h>

static const double TAU = 6.283185307179586;

enum { TUBE_CORNERS = CREATURE_RING * 6, CAP = CREATURE_RING, TUBE_UVS = 2 * (CREATURE_RING + 1) };

static const double radii[CREATURE_BONES] = {0,    0.13, 0.12, 0.09, 0.05, 0.02, 0.05,
                                             0.05, 0.04, 0.04, 0.06, 0.06, 0.04, 0.04};

/* Everything that a made_model points to. */
struct body {
    float positions[CREATURE_GROUPS * CREATURE_RING][3], normals[CREATURE_GROUPS * CREATURE_RING][3];
    float uvs[TUBE_UVS + CREATURE_RING][2];
    uint32_t textures[CREATURE_TEXTURES];
    struct made_material materials[CREATURE_TEXTURES];
    struct made_corner corners[CREATURE_TUBES][TUBE_CORNERS + CAP];
    struct made_primitive primitives[CREATURE_TUBES][CREATURE_RING + 1];
    struct made_surface surfaces[CREATURE_TUBES];
};

int creature_tube_bone(int tube)
{
    return tube + 2;
}

/* ------------------------------------------------------------------------------------------------- vertices -- */

static struct vec place_of(int bone)
{
    struct vec place = creature_bones[bone].offset;
    for (int parent = creature_bones[bone].parent; parent >= 0; parent = creature_bones[parent].parent)
        place = vec_add(place, creature_bones[parent].offset);
    return place;
}

static void put_ring(struct body *body, int bone)
{
    struct vec ahead = {0, 1, 0}, aside = {1, 0, 0};
    struct vec along =
        creature_bones[bone].parent == CREATURE_ROOT ? ahead : vec_unit(creature_bones[bone].offset);
    if (fabs(vec_dot(along, aside)) > 0.9)
        aside = ahead;
    struct vec side = vec_unit(vec_cross(along, aside)), other = vec_cross(along, side);
    for (int k = 0; k < CREATURE_RING; k++) {
        double angle = TAU * k / CREATURE_RING;
        struct vec out = vec_add(vec_scale(side, cos(angle)), vec_scale(other, sin(angle)));
        struct vec at = vec_add(place_of(bone), vec_scale(out, radii[bone]));
        int v = (bone - 1) * CREATURE_RING + k;
        body->positions[v][0] = (float)at.x, body->positions[v][1] = (float)at.y,
        body->positions[v][2] = (float)at.z;
        body->normals[v][0] = (float)out.x, body->normals[v][1] = (float)out.y,
        body->normals[v][2] = (float)out.z;
    }
}

static struct vec at(const struct body *body, int v)
{
    return (struct vec){(double)body->positions[v][0], (double)body->positions[v][1],
                        (double)body->positions[v][2]};
}

/* ---------------------------------------------------------------------------------------------------- tubes -- */

/* How a tube's rings lie to each other. */
struct tube {
    int from, to;   /* the first vertex of each ring */
    int step;       /* 1 or -1: the way round the first ring that is the second one's */
    int shift;      /* where it begins */
    bool is_turned; /* faces look inwards as they come */
};

static int around(const struct tube *tube, int k)
{
    return ((tube->shift + tube->step * k) % CREATURE_RING + CREATURE_RING) % CREATURE_RING;
}

/* The rings of neighbours twist little: their vertices together are nearest. */
static void match_rings(const struct body *body, struct tube *tube)
{
    double best = 1e9;
    struct tube found = *tube;
    for (int way = 0; way < 2 * CREATURE_RING; way++) {
        double sum = 0;
        tube->step = way < CREATURE_RING ? 1 : -1;
        tube->shift = way % CREATURE_RING;
        for (int k = 0; k < CREATURE_RING; k++)
            sum += vec_length(vec_sub(at(body, tube->from + around(tube, k)), at(body, tube->to + k)));
        if (sum < best) {
            best = sum;
            found = *tube;
        }
    }
    *tube = found;
    double outside = 0;
    for (int k = 0; k < CREATURE_RING; k++) {
        struct vec a = at(body, tube->from + around(tube, k)), b = at(body, tube->to + k),
                   c = at(body, tube->to + (k + 1) % CREATURE_RING);
        const float *n = body->normals[tube->to + k];
        struct vec face = vec_cross(vec_sub(b, a), vec_sub(c, a));
        outside += vec_dot(face, (struct vec){(double)n[0], (double)n[1], (double)n[2]});
    }
    tube->is_turned = outside < 0;
}

/* Of the first ring (end 0) or the second. */
static struct made_corner corner(const struct tube *tube, int end, int k)
{
    int v = end ? tube->to + k % CREATURE_RING : tube->from + around(tube, k);
    return (struct made_corner){(uint16_t)v, (uint16_t)v, (uint16_t)(2 * k + end), 0, end ? 3 : 0};
}

/* A tube by the primitive that its number has the turn of. */
static unsigned put_tube(const struct tube *tube, int number, struct made_corner *corners,
                         struct made_primitive *primitives)
{
    enum { QUADS, TRIANGLES, STRIP, FANS };
    static const unsigned opcodes[] = {0x80, 0x90, 0x98, 0xa0};
    unsigned kind = (unsigned)number % 4, count = 0;
    int first = tube->is_turned ? 1 : 0, second = 1 - first;
    for (int k = 0; kind == STRIP && k <= CREATURE_RING; k++) {
        corners[count++] = corner(tube, second, k);
        corners[count++] = corner(tube, first, k);
    }
    for (int k = 0; kind != STRIP && k < CREATURE_RING; k++) {
        struct made_corner a = corner(tube, first, k), b = corner(tube, second, k),
                           c = corner(tube, second, k + 1), d = corner(tube, first, k + 1);
        struct made_corner whole[] = {a, b, c, d}, halves[] = {a, b, c, a, c, d};
        memcpy(corners + count, kind == TRIANGLES ? halves : whole,
               kind == TRIANGLES ? sizeof halves : sizeof whole);
        if (kind == FANS)
            primitives[k] = (struct made_primitive){opcodes[kind], 4, corners + count};
        count += kind == TRIANGLES ? 6 : 4;
    }
    if (kind == FANS)
        return CREATURE_RING;
    primitives[0] = (struct made_primitive){opcodes[kind], count, corners};
    return 1;
}

static bool is_leaf(int bone)
{
    for (int i = 0; i < CREATURE_BONES; i++) {
        if (creature_bones[i].parent == bone)
            return false;
    }
    return true;
}

/* What ends here is closed by a fan. */
static struct made_primitive put_cap(const struct tube *tube, struct made_corner *corners)
{
    for (int k = 0; k < CREATURE_RING; k++) {
        int place = tube->is_turned ? CREATURE_RING - 1 - k : k, v = tube->to + place;
        corners[k] = (struct made_corner){(uint16_t)v, (uint16_t)v, (uint16_t)(TUBE_UVS + place), 0, 3};
    }
    return (struct made_primitive){0xa0, CREATURE_RING, corners};
}

static void put_surface(struct body *body, int number)
{
    int bone = creature_tube_bone(number);
    struct tube tube = {.from = (creature_bones[bone].parent - 1) * CREATURE_RING,
                        .to = (bone - 1) * CREATURE_RING};
    struct made_primitive *primitives = body->primitives[number];
    match_rings(body, &tube);
    unsigned count = put_tube(&tube, number, body->corners[number], primitives);
    if (is_leaf(bone))
        primitives[count++] = put_cap(&tube, body->corners[number] + TUBE_CORNERS);
    body->surfaces[number] =
        (struct made_surface){(uint32_t)number % CREATURE_TEXTURES, number, count, primitives};
}

/* ------------------------------------------------------------------------------------------------ the model -- */

/* Lit colour times texel. One is see-through and one has holes. */
static void put_material(struct body *body, unsigned format, bool is_mp2)
{
    enum { IA4 = 2, C4 = 4 };
    body->textures[format] = CREATURE_TXTR + format;
    body->materials[format] = (struct made_material){
        .flags = is_mp2 ? 0x4002 : 0x1003,
        .texture_count = 1,
        .textures = {format},
        .attributes = 0x30f | (is_mp2 ? 0x01000000u : 0),
        .blend_source = 1,
        .stage_count = 1,
        .stages = {{{15, 10, 8, 15}, {7, 7, 7, 4}, 0, 0, 0, 0, 0}},
        .coordinate_count = 1,
        .coordinates = {1 | 4 << 4 | 30 << 9},
    };
    if (format == IA4) {
        body->materials[format].blend_source = 4;
        body->materials[format].blend_destination = 5;
    } else if (format == C4) {
        body->materials[format].flags |= 0x20;
    }
}

void creature_put_model(const struct creature *creature, struct prime_made *made)
{
    static struct body body;
    memset(&body, 0, sizeof body);
    for (int bone = 1; bone < CREATURE_BONES; bone++)
        put_ring(&body, bone);
    for (int k = 0; k <= CREATURE_RING; k++) {
        for (int end = 0; end < 2; end++) {
            body.uvs[2 * k + end][0] = (float)k / CREATURE_RING;
            body.uvs[2 * k + end][1] = (float)end;
        }
    }
    for (int k = 0; k < CREATURE_RING; k++) {
        body.uvs[TUBE_UVS + k][0] = (float)(0.5 + 0.5 * cos(TAU * k / CREATURE_RING));
        body.uvs[TUBE_UVS + k][1] = (float)(0.5 + 0.5 * sin(TAU * k / CREATURE_RING));
    }
    for (unsigned format = 0; format < CREATURE_TEXTURES; format++)
        put_material(&body, format, creature->is_mp2);
    for (int tube = 0; tube < CREATURE_TUBES; tube++)
        put_surface(&body, tube);
    const struct made_model model = {.version = creature->is_mp2 ? 4 : 2,
                                     .flags = 1,
                                     .set_count = 1,
                                     .texture_count = CREATURE_TEXTURES,
                                     .textures = body.textures,
                                     .material_count = CREATURE_TEXTURES,
                                     .materials = body.materials,
                                     .position_count = CREATURE_GROUPS * CREATURE_RING,
                                     .positions = (const float(*)[3])body.positions,
                                     .normals = (const float(*)[3])body.normals,
                                     .uv_count = TUBE_UVS + CREATURE_RING,
                                     .uvs = (const float(*)[2])body.uvs,
                                     .surface_count = CREATURE_TUBES,
                                     .surfaces = body.surfaces};
    *made = (struct prime_made){0};
    made_put_model(made, &model, NULL);
}

void creature_put_texture(unsigned format, struct prime_made *made)
{
    prime_make_texture(made, format, 64, 32, format % 2 ? 1 : 3, NULL);
}
