#include "server/draw/solid.h"

#include "lib/core/text.h"
#include "server/draw/raster/shadow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many samples, and how many triangles, are drawn before asking whether to stop. */
enum { SAMPLES_BETWEEN = 1 << 20, TRIANGLES_BETWEEN = 4096 };

static const float skin_color[4] = {0.93f, 0.80f, 0.70f, 1};
/* From above, left, behind the viewer. */
static const float light[3] = {-0.42f, 0.70f, 0.58f};

/* A range of faces with one material. */
struct part {
    const struct pose_mesh *mesh;
    const uint32_t (*faces)[3];
    uint32_t face_first, face_count;
    size_t first_vertex; /* of the mesh, among all */
    const float (*uvs)[2];
    struct raster_paint paint;
};

/* A face that is blended with what is behind it. */
struct veil {
    const struct part *part;
    uint32_t face;
    float depth;
};

struct solid {
    struct figure *figure;
    const struct figure_source *source;
    size_t vertex_count;
    float (*places)[3];            /* [vertex_count] in model space, then where they cast a shadow */
    struct raster_corner *corners; /* [vertex_count] without u and v */
    uint32_t part_count;
    struct part *parts;
    size_t veil_count;
    struct veil *veils;       /* [all faces that are blended] */
    struct texture *textures; /* [image_count] */
    bool has_shadow;
    struct shadow shadow;
};

/* ------------------------------------------------------------------------------------------------ the materials -- */

static struct texture *texture_of(const struct solid *solid, const char *name)
{
    for (uint32_t i = 0; name && i < solid->source->image_count; i++) {
        const char *own = solid->source->images[i].name;
        if (solid->textures[i].count && own && text_same_stem(own, name))
            return &solid->textures[i];
    }
    return NULL;
}

static const float (*uvs_of(const struct pose_mesh *mesh, uint32_t set))[2]
{
    return !set ? mesh->uvs : set <= mesh->further_uv_count ? mesh->further_uvs[set - 1] : NULL;
}

static void dress(const struct solid *solid, const struct pose_material *material, struct part *part)
{
    struct raster_paint *paint = &part->paint;
    part->uvs = uvs_of(part->mesh, material ? material->image_uv : 0);
    if (part->uvs)
        paint->texture = texture_of(solid, material ? material->image : part->mesh->texture);
    paint->cutoff = 0.5f;
    if (!material) {
        for (int k = 0; k < 4; k++)
            paint->color[k] = paint->texture ? 1 : skin_color[k];
        paint->alpha = paint->texture ? POSE_MASK : POSE_OPAQUE;
        return;
    }
    memcpy(paint->color, material->base_color, sizeof paint->color);
    paint->covers = material->covers ? material : NULL;
    for (int k = 0; paint->covers && !paint->texture && k < 3; k++)
        paint->color[k] *= material->ground[k];
    memcpy(paint->glow, material->emissive, sizeof paint->glow);
    if (material->emissive_image) /* it would light up all of the material */
        memset(paint->glow, 0, sizeof paint->glow);
    paint->alpha = material->alpha;
    paint->cutoff = material->cutoff;
    paint->two_sided = material->two_sided;
}

static void add_part(struct solid *solid, unsigned mesh, size_t first_vertex,
                     const struct pose_primitive *primitive)
{
    struct part *part = &solid->parts[solid->part_count++];
    const struct pose_mesh *own = solid->source->meshes[mesh];
    *part = (struct part){.mesh = own,
                          .faces = pose_skin_faces(solid->source->skins[mesh]),
                          .face_first = primitive ? primitive->face_first : 0,
                          .face_count = primitive ? primitive->face_count : own->face_count,
                          .first_vertex = first_vertex};
    uint32_t material = primitive ? primitive->material : 0;
    dress(solid, material < own->material_count ? &own->materials[material] : NULL, part);
}

/* --------------------------------------------------------------------------------------------------- the life -- */

static bool allocate(struct solid *solid)
{
    const struct figure_source *source = solid->source;
    size_t parts = 0;
    for (unsigned i = 0; i < source->mesh_count; i++) {
        solid->vertex_count += source->meshes[i]->real_count;
        parts += source->meshes[i]->primitive_count ? source->meshes[i]->primitive_count : 1;
    }
    solid->places = calloc(solid->vertex_count + 1, sizeof *solid->places);
    solid->corners = calloc(solid->vertex_count + 1, sizeof *solid->corners);
    solid->parts = calloc(parts + 1, sizeof *solid->parts);
    solid->textures = calloc((size_t)source->image_count + 1, sizeof *solid->textures);
    return solid->places && solid->corners && solid->parts && solid->textures;
}

/* Room for all faces that are blended. */
static bool allocate_veils(struct solid *solid)
{
    size_t count = 1;
    for (uint32_t i = 0; i < solid->part_count; i++)
        count += solid->parts[i].paint.alpha == POSE_BLEND ? solid->parts[i].face_count : 0;
    solid->veils = calloc(count, sizeof *solid->veils);
    return solid->veils;
}

struct solid *solid_new(struct figure *figure)
{
    struct solid *solid = calloc(1, sizeof *solid);
    if (!solid)
        return NULL;
    solid->figure = figure;
    solid->has_shadow = true;
    solid->source = figure_source_of(figure);
    if (!allocate(solid)) {
        solid_free(solid);
        return NULL;
    }
    for (uint32_t i = 0; i < solid->source->image_count; i++)
        texture_init(&solid->textures[i], &solid->source->images[i]);
    size_t vertex = 0;
    for (unsigned i = 0; i < solid->source->mesh_count; i++) {
        const struct pose_mesh *mesh = solid->source->meshes[i];
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            add_part(solid, i, vertex, &mesh->primitives[k]);
        if (!mesh->primitive_count)
            add_part(solid, i, vertex, NULL);
        vertex += mesh->real_count;
    }
    if (!allocate_veils(solid)) {
        solid_free(solid);
        return NULL;
    }
    return solid;
}

void solid_drop_shadow(struct solid *solid)
{
    solid->has_shadow = false;
}

void solid_free(struct solid *solid)
{
    if (!solid)
        return;
    for (uint32_t i = 0; solid->textures && i < solid->source->image_count; i++)
        texture_release(&solid->textures[i]);
    free(solid->places);
    free(solid->corners);
    free(solid->parts);
    free(solid->veils);
    free(solid->textures);
    free(solid);
}

/* ------------------------------------------------------------------------------------------------- a moment -- */

/* The cosine between a normal in model space and the light. */
static float lit(const struct view *view, const float normal[3])
{
    float seen[3];
    view_turn(view, normal, seen);
    float size = sqrtf(seen[0] * seen[0] + seen[1] * seen[1] + seen[2] * seen[2]);
    return size > 1e-12f ? (seen[0] * light[0] + seen[1] * light[1] + seen[2] * light[2]) / size : 0;
}

static void place_vertices(struct solid *solid, double t, const struct view *view,
                           const struct view_frame *frame)
{
    size_t first = 0;
    figure_pose(solid->figure, t);
    for (unsigned i = 0; i < solid->source->mesh_count; i++) {
        uint32_t count = solid->source->meshes[i]->real_count;
        const float(*places)[3], (*normals)[3];
        figure_deform(solid->figure, i, &places, &normals);
        memcpy(solid->places + first, places, count * sizeof *places);
        for (uint32_t v = 0; v < count; v++) {
            float seen[3];
            view_turn(view, places[v], seen);
            solid->corners[first + v] =
                (struct raster_corner){.x = frame->origin_x + frame->scale * (double)seen[0],
                                       .y = frame->origin_y - frame->scale * (double)seen[1],
                                       .depth = seen[2],
                                       .light = lit(view, normals[v])};
        }
        first += count;
    }
}

static void cast_shadow(struct solid *solid, const struct view *view, const struct view_frame *frame,
                        const struct raster_target *target)
{
    float floor, least[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, most[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    if (!solid->has_shadow || !figure_floor(solid->figure, &floor))
        return;
    for (size_t v = 0; v < solid->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            const float place = solid->places[v][k];
            least[k] = place < least[k] ? place : least[k]; /* fminf is a call */
            most[k] = place > most[k] ? place : most[k];
        }
    }
    if (!shadow_open(&solid->shadow, floor, least, most))
        return;
    const float(*all)[3] = (const float(*)[3])solid->places;
    shadow_place(&solid->shadow, all, solid->vertex_count, solid->places);
    for (uint32_t i = 0; i < solid->part_count; i++) {
        const struct part *part = &solid->parts[i];
        const float(*places)[3] = all + part->first_vertex;
        for (uint32_t f = 0; f < part->face_count; f++) {
            const uint32_t *face = part->faces[part->face_first + f];
            shadow_add(&solid->shadow, places[face[0]], places[face[1]], places[face[2]]);
        }
    }
    shadow_blur(&solid->shadow);
    shadow_paint(&solid->shadow, view, frame, target);
}

/* Whether it lies above or below the band. */
static bool is_missed(const struct raster *raster, const struct raster_corner *a,
                      const struct raster_corner *b, const struct raster_corner *c)
{
    return (a->y < raster->top && b->y < raster->top && c->y < raster->top) ||
           (a->y > raster->bottom && b->y > raster->bottom && c->y > raster->bottom);
}

/* Whether its back is seen, of what has none. */
static bool is_turned(const struct raster_paint *paint, const struct raster_corner *a,
                      const struct raster_corner *b, const struct raster_corner *c)
{
    return !paint->two_sided && (b->x - a->x) * (c->y - a->y) - (c->x - a->x) * (b->y - a->y) > 0;
}

static void draw_face(const struct solid *solid, const struct part *part, uint32_t number,
                      struct raster *raster)
{
    const uint32_t *face = part->faces[number];
    const struct raster_corner *all = solid->corners + part->first_vertex;
    if (is_turned(&part->paint, &all[face[0]], &all[face[1]], &all[face[2]]) ||
        is_missed(raster, &all[face[0]], &all[face[1]], &all[face[2]]))
        return;
    struct raster_corner corners[3] = {all[face[0]], all[face[1]], all[face[2]]};
    for (int i = 0; part->paint.texture && i < 3; i++) {
        corners[i].u = part->uvs[face[i]][0];
        corners[i].v = part->uvs[face[i]][1];
    }
    if (!part->mesh->colors) {
        raster_triangle(raster, corners, &part->paint);
        return;
    }
    struct raster_paint paint = part->paint;
    const uint8_t(*colors)[4] = part->mesh->colors;
    for (int k = 0; k < 4; k++)
        paint.color[k] *= (float)(colors[face[0]][k] + colors[face[1]][k] + colors[face[2]][k]) / (3 * 255);
    raster_triangle(raster, corners, &paint);
}

static int by_depth(const void *a, const void *b)
{
    float first = ((const struct veil *)a)->depth, second = ((const struct veil *)b)->depth;
    return (first > second) - (first < second);
}

/* From back to front. */
static void sort_veils(struct solid *solid)
{
    solid->veil_count = 0;
    for (uint32_t i = 0; i < solid->part_count; i++) {
        const struct part *part = &solid->parts[i];
        const struct raster_corner *corners = solid->corners + part->first_vertex;
        for (uint32_t f = 0; part->paint.alpha == POSE_BLEND && f < part->face_count; f++) {
            const uint32_t *face = part->faces[part->face_first + f];
            solid->veils[solid->veil_count++] =
                (struct veil){part, part->face_first + f,
                              corners[face[0]].depth + corners[face[1]].depth + corners[face[2]].depth};
        }
    }
    if (solid->veil_count)
        qsort(solid->veils, solid->veil_count, sizeof *solid->veils, by_depth);
}

/* Counts the work, and asks now and then. */
struct pace {
    const struct pose_stop *stop;
    uint64_t asked_at;
    uint32_t triangles;
    bool stopped;
};

static bool goes_on(struct pace *pace, const struct raster *raster)
{
    if (++pace->triangles % TRIANGLES_BETWEEN && raster->work - pace->asked_at < SAMPLES_BETWEEN)
        return true;
    pace->asked_at = raster->work;
    pace->stopped |= pace->stop && pace->stop->ask(pace->stop->user);
    return !pace->stopped;
}

static void draw_band(const struct solid *solid, struct raster *raster, struct pace *pace)
{
    for (uint32_t i = 0; i < solid->part_count; i++) {
        const struct part *part = &solid->parts[i];
        for (uint32_t f = 0; part->paint.alpha != POSE_BLEND && f < part->face_count && goes_on(pace, raster);
             f++)
            draw_face(solid, part, part->face_first + f, raster);
    }
    for (size_t i = 0; i < solid->veil_count && goes_on(pace, raster); i++)
        draw_face(solid, solid->veils[i].part, solid->veils[i].face, raster);
}

static int held(double place, int least, int most)
{
    return place > least ? place < most ? (int)place : most : least;
}

/* The part of the target that the figure covers. */
static struct raster_target part_of(const struct solid *solid, const struct raster_target *target)
{
    double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {-HUGE_VAL, -HUGE_VAL};
    struct raster_target part = *target;
    for (size_t i = 0; i < solid->vertex_count; i++) {
        const double place[2] = {solid->corners[i].x, solid->corners[i].y};
        for (int k = 0; k < 2; k++) {
            least[k] = place[k] < least[k] ? place[k] : least[k];
            most[k] = place[k] > most[k] ? place[k] : most[k];
        }
    }
    part.left = held(least[0], target->left, target->right);
    part.right = held(most[0] + 1, target->left, target->right);
    part.top = held(least[1], target->top, target->bottom);
    part.bottom = held(most[1] + 1, target->top, target->bottom);
    return part;
}

bool solid_draw(struct solid *solid, double t, const struct view *view, const struct view_frame *frame,
                const struct raster_target *target, const struct pose_stop *stop)
{
    struct raster raster;
    struct pace pace = {.stop = stop};
    place_vertices(solid, t, view, frame);
    cast_shadow(solid, view, frame, target);
    sort_veils(solid);
    struct raster_target part = part_of(solid, target);
    if (!raster_open(&raster, &part)) {
        raster_release(&raster);
        return false;
    }
    while (!pace.stopped && raster_next(&raster)) {
        draw_band(solid, &raster, &pace);
        raster_finish(&raster);
    }
    raster_release(&raster);
    return true;
}
