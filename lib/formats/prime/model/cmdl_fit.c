/*
 * Meshes of other formats as CMDL: with a CSKR if bones move them, with a skeleton (CINF) and a character set (ANCS) if
 * theirs is not the game's, with their textures. Facts: prime-cmdl.md, 6; prime-skeleton.md, 1, 4 and 5.
 */
#include "lib/formats/fit.h"
#include "lib/formats/prime/model/model.h"

#include "lib/core/error.h"
#include "lib/core/hash.h"
#include "lib/core/setting.h"
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WEIGHTS = 3, MAX_PLACES = UINT16_MAX + 1, NO_SLOT = 0xffff };

/* What shares an index: with bones, places and normals are parallel, in the order of their groups. No padding. */
struct place {
    float position[3], normal[3];
    uint32_t bones[MAX_WEIGHTS];
    float weights[MAX_WEIGHTS];
};

struct corner {
    uint32_t place, slot;
    float uv[2];
};

struct fitting {
    struct fit_job *job;
    struct fit_body body;
    enum prime_game game;
    const char *stem;
    struct place *places; /* [vertex_count] */
    struct fit_weld weld; /* of places; rows are ordered by group once those are found */
    uint32_t *group_of;   /* [weld.count] */
    uint32_t group_count;
    uint32_t *group_place; /* [group_count] a vertex of it */
    uint32_t *group_sizes;
    uint32_t (*faces)[3]; /* of the mesh, those that are written, by material */
    uint32_t face_count, flat;
    uint32_t *slots; /* [3 * face_count] of the corners in banks; NULL: none */
    uint32_t bank_count, *banks;
    struct pose_primitive *primitives;
    uint32_t primitive_count, primitive_capacity;
    uint32_t ids[3]; /* of CMDL, CSKR, CINF */
};

enum { ID_CMDL, ID_CSKR, ID_CINF };

/* --------------------------------------------------------------------------------------------------- places -- */

static bool fill_places(struct fitting *fitting)
{
    const struct fit_body *body = &fitting->body;
    fitting->places = ARENA_NEW(fitting->job->arena, struct place, body->vertex_count);
    for (uint32_t v = 0; fitting->places && v < body->vertex_count; v++) {
        struct place *place = &fitting->places[v];
        for (unsigned i = 0; i < 3; i++) { /* -0 is 0, so that equal places are equal */
            place->position[i] = body->positions[v][i] + 0.0f;
            place->normal[i] = body->normals[v][i] + 0.0f;
        }
        for (unsigned i = 0; body->influences && i < MAX_WEIGHTS; i++) {
            place->weights[i] = body->influences[v].weights[i];
            place->bones[i] = place->weights[i] > 0 ? body->influences[v].bones[i] : 0;
        }
    }
    return fitting->places;
}

static bool weld_places(struct fitting *fitting)
{
    const struct fit_body *body = &fitting->body;
    struct arena *arena = fitting->job->arena;
    const bool *used = fit_used_vertices(arena, body->faces, body->mesh->face_count, body->vertex_count);
    if (!used || !fill_places(fitting) ||
        !fit_weld(arena, fitting->places, sizeof *fitting->places, body->vertex_count, used, &fitting->weld))
        return false;
    for (uint32_t i = 0; i < body->mesh->face_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            if (fitting->weld.merged[body->faces[i][k]] >= MAX_PLACES)
                return error_set(fitting->job->error, POSE_BAD_DATA, "too_many_vertices",
                                 "triangle %u needs vertex %u of %u; the format numbers %d", i,
                                 fitting->weld.merged[body->faces[i][k]], fitting->weld.count, MAX_PLACES);
        }
    }
    return true;
}

static int compare_groups(const void *a, const void *b, void *group_of)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t p = ((const uint32_t *)group_of)[x], q = ((const uint32_t *)group_of)[y];
    return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

/* Groups are of equal bones and weights; places are put in their order. */
static bool find_groups(struct fitting *fitting)
{
    struct arena *arena = fitting->job->arena;
    uint32_t count = fitting->weld.count;
    enum { NUMBERS = 2 * MAX_WEIGHTS };
    uint32_t(*rows)[NUMBERS] = arena_alloc(arena, count, sizeof *rows);
    uint32_t *order = ARENA_NEW(arena, uint32_t, count), *moved = ARENA_NEW(arena, uint32_t, count),
             *sorted = ARENA_NEW(arena, uint32_t, count), *groups = ARENA_NEW(arena, uint32_t, count);
    struct fit_weld same;
    if (!rows || !order || !moved || !sorted || !groups)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct place *place = &fitting->places[fitting->weld.rows[i]];
        memcpy(rows[i], place->bones, sizeof place->bones);
        memcpy(rows[i] + MAX_WEIGHTS, place->weights, sizeof place->weights);
        order[i] = i;
    }
    if (!fit_weld(arena, rows, sizeof *rows, count, NULL, &same))
        return false;
    qsort_r(order, count, sizeof *order, compare_groups, same.merged);
    fitting->group_count = same.count;
    if (same.count >= NO_SLOT && fitting->game == PRIME_MP2)
        return error_set(fitting->job->error, POSE_BAD_DATA, "too_many_groups",
                         "vertex %u begins the group of weights after the %d that a skin numbers",
                         fitting->weld.rows[same.rows[NO_SLOT - 1]], NO_SLOT - 1);
    fitting->group_sizes = ARENA_NEW(arena, uint32_t, same.count);
    fitting->group_place = ARENA_NEW(arena, uint32_t, same.count);
    if (!fitting->group_sizes || !fitting->group_place)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = same.merged[order[i]];
        moved[order[i]] = i;
        sorted[i] = fitting->weld.rows[order[i]];
        groups[i] = group;
        fitting->group_place[group] = sorted[i];
        fitting->group_sizes[group]++;
    }
    for (uint32_t v = 0; v < fitting->body.vertex_count; v++) {
        if (fitting->weld.merged[v] < count)
            fitting->weld.merged[v] = moved[fitting->weld.merged[v]];
    }
    fitting->weld.rows = sorted;
    fitting->group_of = groups;
    return true;
}

/* ---------------------------------------------------------------------------------------------------- faces -- */

static bool add_primitive(struct fitting *fitting, uint32_t material, uint32_t first)
{
    struct pose_primitive *list =
        arena_grow(fitting->job->arena, fitting->primitives, fitting->primitive_count,
                   &fitting->primitive_capacity, sizeof *list);
    if (!list)
        return false;
    fitting->primitives = list;
    if (fitting->primitive_count == CMDL_MAX_SURFACES)
        return error_set(fitting->job->error, POSE_BAD_DATA, "too_many_surfaces",
                         "triangle %u begins the surface after the %d that a model has: too many weights",
                         first, CMDL_MAX_SURFACES);
    list[fitting->primitive_count++] = (struct pose_primitive){.material = material, .face_first = first};
    return true;
}

/* The places of a face's groups in a bank, with those that are missing added; false if they do not fit. */
static bool take_slots(const struct fitting *fitting, const uint32_t face[3], uint32_t *bank,
                       uint32_t slots[3])
{
    uint32_t grown[PRIME_BANK_SIZE];
    memcpy(grown, bank, sizeof grown);
    for (unsigned k = 0; k < 3; k++) {
        uint32_t group = fitting->group_of[fitting->weld.merged[face[k]]], at = 0;
        while (at < PRIME_BANK_SIZE && grown[at] != NO_SLOT && grown[at] != group)
            at++;
        if (at == PRIME_BANK_SIZE)
            return false;
        grown[at] = group;
        slots[k] = at;
    }
    memcpy(bank, grown, sizeof grown);
    return true;
}

static void clear_bank(uint32_t *bank)
{
    for (unsigned i = 0; i < PRIME_BANK_SIZE; i++)
        bank[i] = NO_SLOT;
}

/* The second game draws a surface with ten groups at most: a bank of matrices. */
static bool put_in_bank(struct fitting *fitting, const uint32_t face[3], uint32_t material, uint32_t number)
{
    uint32_t slots[3], *bank = fitting->banks + (size_t)PRIME_BANK_SIZE * (fitting->bank_count - 1);
    if (!take_slots(fitting, face, bank, slots)) {
        bank += PRIME_BANK_SIZE;
        clear_bank(bank);
        fitting->bank_count++;
        if (!add_primitive(fitting, material, number) || !take_slots(fitting, face, bank, slots))
            return false;
    }
    for (unsigned k = 0; k < 3; k++)
        fitting->slots[3 * (size_t)number + k] = PRIME_BANK_SIZE * (fitting->bank_count - 1) + slots[k];
    return true;
}

/* Triangles of equal places are not drawn by the game. */
static bool is_flat(const struct fitting *fitting, const uint32_t face[3])
{
    const uint32_t *merged = fitting->weld.merged;
    return merged[face[0]] == merged[face[1]] || merged[face[1]] == merged[face[2]] ||
           merged[face[2]] == merged[face[0]];
}

static bool add_faces(struct fitting *fitting, const struct pose_primitive *from)
{
    uint32_t first = fitting->face_count;
    for (uint32_t i = from->face_first; i < from->face_first + from->face_count; i++) {
        const uint32_t *face = fitting->body.faces[i];
        if (is_flat(fitting, face)) {
            fitting->flat++;
            continue;
        }
        if (fitting->face_count == first) {
            if (!add_primitive(fitting, from->material, first))
                return false;
            if (fitting->slots)
                clear_bank(fitting->banks + (size_t)PRIME_BANK_SIZE * fitting->bank_count++);
        }
        if (fitting->slots && !put_in_bank(fitting, face, from->material, fitting->face_count))
            return false;
        memcpy(fitting->faces[fitting->face_count++], face, sizeof *fitting->faces);
        fitting->primitives[fitting->primitive_count - 1].face_count++;
    }
    return true;
}

static bool put_faces(struct fitting *fitting)
{
    const struct pose_mesh *mesh = fitting->body.mesh;
    struct arena *arena = fitting->job->arena;
    const struct pose_primitive whole = {.face_count = mesh->face_count};
    const struct pose_primitive *list = mesh->primitive_count ? mesh->primitives : &whole;
    uint32_t count = mesh->primitive_count ? mesh->primitive_count : 1;
    bool in_banks = fitting->body.influences && fitting->game == PRIME_MP2;
    fitting->faces = arena_alloc(arena, mesh->face_count, sizeof *fitting->faces);
    if (in_banks) {
        fitting->slots = ARENA_NEW(arena, uint32_t, 3 * (size_t)mesh->face_count);
        fitting->banks =
            ARENA_NEW(arena, uint32_t, (size_t)PRIME_BANK_SIZE * ((size_t)CMDL_MAX_SURFACES + count + 1));
    }
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!add_faces(fitting, &list[i]))
            return false;
    }
    return fitting->face_count || error_set(fitting->job->error, POSE_BAD_DATA, "nothing_to_write",
                                            "the mesh has no triangle with an area");
}

/* ------------------------------------------------------------------------------------------------ new vertices -- */

static bool weld_corners(struct fitting *fitting, struct fit_weld *weld, struct corner **corners)
{
    const struct pose_mesh *mesh = fitting->body.mesh;
    uint32_t count = 3 * fitting->face_count;
    *corners = ARENA_NEW(fitting->job->arena, struct corner, count);
    for (uint32_t i = 0; *corners && i < count; i++) {
        uint32_t v = fitting->faces[i / 3][i % 3];
        struct corner *corner = &(*corners)[i];
        corner->place = fitting->weld.merged[v];
        corner->slot = fitting->slots ? fitting->slots[i] : 0;
        for (unsigned k = 0; mesh->uvs && k < 2; k++)
            corner->uv[k] = mesh->uvs[v][k] + 0.0f;
    }
    return *corners && fit_weld(fitting->job->arena, *corners, sizeof **corners, count, NULL, weld);
}

static bool put_vertices(struct fitting *fitting)
{
    struct arena *arena = fitting->job->arena;
    struct pose_mesh *fitted = &fitting->job->fitted;
    struct fit_weld weld;
    struct corner *corners;
    if (!weld_corners(fitting, &weld, &corners))
        return false;
    float(*positions)[3] = arena_alloc(arena, weld.count, sizeof *positions),
    (*normals)[3] = arena_alloc(arena, weld.count, sizeof *normals),
    (*uvs)[2] = arena_alloc(arena, weld.count, sizeof *uvs);
    uint32_t *ids = ARENA_NEW(arena, uint32_t, weld.count), *slots = ARENA_NEW(arena, uint32_t, weld.count);
    if (!positions || !normals || !uvs || !ids || !slots)
        return false;
    for (uint32_t i = 0; i < weld.count; i++) {
        const struct corner *corner = &corners[weld.rows[i]];
        const struct place *place = &fitting->places[fitting->weld.rows[corner->place]];
        memcpy(positions[i], place->position, sizeof place->position);
        memcpy(normals[i], place->normal, sizeof place->normal);
        memcpy(uvs[i], corner->uv, sizeof corner->uv);
        ids[i] = corner->place;
        slots[i] = corner->slot;
    }
    for (uint32_t i = 0; i < 3 * fitting->face_count; i++)
        fitting->faces[i / 3][i % 3] = weld.merged[i];
    fitted->real_count = weld.count;
    fitted->positions = (const float(*)[3])positions;
    fitted->normals = (const float(*)[3])normals;
    fitted->uvs = (const float(*)[2])uvs;
    fitted->vertex_ids = fitting->body.influences ? ids : NULL;
    fitted->vertex_slots = fitting->slots ? slots : NULL;
    fitted->faces = (const uint32_t(*)[3])fitting->faces;
    fitted->face_count = fitting->face_count;
    fitted->primitives = fitting->primitives;
    fitted->primitive_count = fitting->primitive_count;
    return true;
}

/* ------------------------------------------------------------------------------------------------- materials -- */

/* An id of our own, the same for the same name. */
static uint32_t id_of(struct fitting *fitting, const char *name, const char *extension)
{
    const char *text = arena_format(fitting->job->arena, "%s.%s", name, extension);
    uint32_t id = text ? hash_fnv32(text, strlen(text)) : 0;
    return id && id != UINT32_MAX ? id : 1;
}

/* The texture's id as materials name it; its file is added once. NULL: there is none. */
static const char *put_image(struct fitting *fitting, const char *name, uint32_t *left_out)
{
    struct fit_job *job = fitting->job;
    const struct pose_image *image = fit_find_image(job, name);
    const char *stem = name ? fit_stem(job, name) : NULL;
    if (!image || !stem)
        return NULL;
    const char *id = arena_format(job->arena, "%08X", id_of(fitting, stem, "txtr"));
    char file[POSE_MESH_FILE_NAME];
    snprintf(file, sizeof file, "%s.txtr", id ? id : "");
    for (uint32_t i = 0; i < job->beside_count; i++) {
        if (!strcmp(job->beside[i].name, file))
            return id;
    }
    enum { OTHERS = 4 }; /* room for CSKR, CINF, ANCS */
    if (job->beside_count + OTHERS >= POSE_MESH_FILES - 1) {
        ++*left_out;
        return NULL;
    }
    return fit_put_image(job, image, "prime-txtr", file) ? id : NULL;
}

static bool put_materials(struct fitting *fitting)
{
    struct fit_job *job = fitting->job;
    const struct pose_mesh *mesh = fitting->body.mesh;
    struct pose_material *materials = ARENA_NEW(job->arena, struct pose_material, mesh->material_count);
    uint32_t two_sided = 0, left_out = 0;
    if (!materials)
        return false;
    if (mesh->material_count > CMDL_MAX_MATERIALS)
        return error_set(job->error, POSE_BAD_DATA, "too_many_materials",
                         "%u materials; a model has at most %d", mesh->material_count, CMDL_MAX_MATERIALS);
    for (uint32_t i = 0; i < mesh->material_count; i++) {
        const struct pose_material *from = &mesh->materials[i];
        materials[i] = (struct pose_material){.alpha = from->alpha};
        memcpy(materials[i].base_color, from->base_color, sizeof from->base_color);
        materials[i].image = put_image(fitting, from->image, &left_out);
        two_sided += from->two_sided;
        if (error_is_set(job->error))
            return false;
    }
    if (two_sided)
        fit_warn(job, "two_sided_dropped", "%u materials have two sides; the game draws the front",
                 two_sided);
    if (left_out)
        fit_warn(job, "several_textures", "%u textures are left out: a model takes at most %d here", left_out,
                 POSE_MESH_FILES - 5);
    job->fitted.materials = materials;
    job->fitted.material_count = mesh->material_count;
    return true;
}

/* ----------------------------------------------------------------------------------------------------- skin -- */

/* Whether the skeleton is one of the games', whose files exist. */
static bool is_games(const struct pose_skeleton *skeleton)
{
    return skeleton && skeleton->axes == POSE_AXES_PRIME;
}

static const char *game_word(struct fitting *fitting)
{
    return prime_games[fitting->game];
}

static void put_file_name(struct fitting *fitting, struct fit_file *file, uint32_t id, const char *extension)
{
    snprintf(file->name, sizeof file->name, "%08X_%s.%s", id, fitting->stem, extension);
}

static void put_groups(struct fitting *fitting, struct value_list *extras, const uint32_t *bone_ids)
{
    struct arena *arena = fitting->job->arena;
    struct value_list groups = value_array(arena);
    for (uint32_t i = 0; i < fitting->group_count; i++) {
        const struct place *place = &fitting->places[fitting->group_place[i]];
        struct value_list group = value_object(arena), weights = value_array(arena);
        for (unsigned k = 0; k < MAX_WEIGHTS && place->weights[k] > 0; k++) {
            int64_t joint = pose_skin_joint(fitting->body.skin, place->bones[k]);
            struct value_list weight = value_object(arena);
            value_put_int(&weight, "bone_id", bone_ids[joint < 0 ? 0 : joint]);
            value_put_float(&weight, "weight", place->weights[k]);
            value_put_list(&weights, NULL, &weight);
        }
        value_put_list(&group, "weights", &weights);
        value_put_int(&group, "vertex_count", fitting->group_sizes[i]);
        value_put_list(&groups, NULL, &group);
    }
    value_put_list(extras, "groups", &groups);
}

/* The banks, and the group of each vertex in a byte, as far as a byte holds it. */
static void put_banks(struct fitting *fitting, struct value_list *extras)
{
    struct arena *arena = fitting->job->arena;
    struct value_list banks = value_array(arena);
    for (uint32_t i = 0; i < PRIME_BANK_SIZE * fitting->bank_count; i++)
        value_put_int(&banks, NULL, fitting->banks[i]);
    value_put_list(extras, "matrix_banks", &banks);
    uint32_t count = fitting->group_count <= UINT8_MAX + 1 ? fitting->weld.count : 0;
    uint8_t *bytes = ARENA_NEW(arena, uint8_t, (size_t)count + 1);
    for (uint32_t i = 0; bytes && i < count; i++)
        bytes[i] = (uint8_t)fitting->group_of[i];
    if (bytes)
        value_put_hex(extras, "footer", bytes, count);
}

static bool put_skin(struct fitting *fitting, const uint32_t *bone_ids)
{
    struct fit_job *job = fitting->job;
    struct value_list extras = value_object(job->arena);
    struct pose_mesh *skin = ARENA_NEW(job->arena, struct pose_mesh, 1);
    struct fit_file *file = skin ? fit_beside(job) : NULL;
    if (!file)
        return false;
    value_put_string(&extras, "game", game_word(fitting));
    put_groups(fitting, &extras, bone_ids);
    if (fitting->slots)
        put_banks(fitting, &extras);
    *skin =
        (struct pose_mesh){.axes = POSE_AXES_PRIME, .space = POSE_SPACE_BIND, .extras = value_done(&extras)};
    file->format = "prime-cskr";
    file->content = (struct pose_content){.mesh_count = 1, .meshes = skin};
    put_file_name(fitting, file, fitting->ids[ID_CSKR], "cskr");
    return !job->arena->failed;
}

/* The game pairs a model with its skin and skeleton by a character set. */
static bool put_character(struct fitting *fitting)
{
    struct fit_job *job = fitting->job;
    struct value_list extras = value_object(job->arena), whole = value_object(job->arena);
    struct fit_file *file = fit_beside(job);
    if (!file)
        return false;
    file->format = "prime-cinf";
    file->content = (struct pose_content){.skeleton_count = 1, .skeletons = job->conversion->skeleton};
    put_file_name(fitting, file, fitting->ids[ID_CINF], "cinf");
    value_put_int(&extras, "version", fitting->game == PRIME_MP2 ? 10 : 6);
    value_put_int(&extras, "cmdl", fitting->ids[ID_CMDL]);
    value_put_int(&extras, "cskr", fitting->ids[ID_CSKR]);
    value_put_int(&extras, "cinf", fitting->ids[ID_CINF]);
    value_put_string(&whole, "game", game_word(fitting));
    const struct pose_character character = {
        .name = fitting->stem, .type = "character_set", .extras = value_done(&extras)};
    file = fit_put_character(job, "prime-ancs", &character);
    if (!file)
        return false;
    file->content.extras = value_done(&whole);
    put_file_name(fitting, file, id_of(fitting, fitting->stem, "ancs"), "ancs");
    return !job->arena->failed;
}

static bool put_bones(struct fitting *fitting)
{
    struct fit_job *job = fitting->job;
    const struct pose_skeleton *skeleton = job->conversion->skeleton;
    uint32_t *ids = ARENA_NEW(job->arena, uint32_t, (size_t)(skeleton ? skeleton->joint_count : 0) + 1);
    bool keeps;
    if (!ids || !fitting->body.influences)
        return ids;
    if (!skeleton)
        return error_set(job->error, POSE_BAD_DATA, "no_skeleton", "the mesh's bones need a skeleton");
    return prime_bone_ids(skeleton, fitting->game, ids, &keeps, job->error) && put_skin(fitting, ids) &&
           (is_games(skeleton) || put_character(fitting));
}

/* ---------------------------------------------------------------------------------------------------- entry -- */

/* The setting, else the game of the skeleton or mesh, else the first. */
static bool choose_game(struct fitting *fitting)
{
    const struct pose_mesh_conversion *conversion = fitting->job->conversion;
    const char *own = value_get_string(conversion->mesh->extras, "game", NULL);
    if (conversion->skeleton)
        own = value_get_string(conversion->skeleton->extras, "game", own);
    int found = prime_word_find(prime_games, PRIME_MP2 + 1, own);
    unsigned game = found < 0 ? PRIME_MP1 : (unsigned)found;
    if (!setting_word(conversion->settings, "game", prime_games, PRIME_MP2 + 1, &game, fitting->job->error))
        return false;
    fitting->game = (enum prime_game)game;
    return true;
}

static bool fit(struct fitting *fitting)
{
    struct fit_job *job = fitting->job;
    fitting->stem = fit_stem(job, job->name);
    if (!fitting->stem || !choose_game(fitting) ||
        !fit_body_open(&fitting->body, job, POSE_AXES_PRIME, MAX_WEIGHTS))
        return false;
    fitting->ids[ID_CMDL] = id_of(fitting, fitting->stem, "cmdl");
    fitting->ids[ID_CSKR] = id_of(fitting, fitting->stem, "cskr");
    fitting->ids[ID_CINF] = id_of(fitting, fitting->stem, "cinf");
    snprintf(job->file, sizeof job->file, "%08X_%s.cmdl", fitting->ids[ID_CMDL], fitting->stem);
    struct value_list extras = value_object(job->arena);
    value_put_string(&extras, "game", game_word(fitting));
    value_put_bool(&extras, "skinned", fitting->body.influences);
    job->fitted.extras = value_done(&extras);
    if (!weld_places(fitting) || (fitting->body.influences && !find_groups(fitting)) || !put_faces(fitting) ||
        !put_vertices(fitting) || !put_materials(fitting) || !put_bones(fitting))
        return false;
    fit_warn_flat(job, fitting->flat);
    fit_warn_attributes(job);
    return true;
}

bool prime_cmdl_fit(struct fit_job *job)
{
    struct fitting fitting = {.job = job};
    job->fitted = (struct pose_mesh){.axes = POSE_AXES_PRIME, .space = POSE_SPACE_BIND};
    bool done = fit(&fitting);
    fit_body_close(&fitting.body);
    return done;
}
