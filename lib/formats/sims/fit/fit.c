#include "lib/formats/sims/fit/fit.h"

#include "lib/core/error.h"
#include "lib/model/match.h"
#include "lib/model/matrix.h"
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ONE = 32768 };

/* Copies further than this from each other in the bind pose were moved apart by someone who did not know of the
 * second one: real ones are up to 8 cm apart. */
static const float most_apart = 0.1f;

/* A vertex in the space of its bone, as it would be stored: equal ones are one vertex. */
struct corner {
    uint32_t bone, other; /* of the mesh's list; FIT_NO_BONE: not blended */
    int32_t weight;       /* of the other */
    float position[3], normal[3], second[3], second_normal[3], uv[2];
};

/* The place of a bone in the bind pose, without scale: from bone to model space, in glTF's axes. */
struct place {
    bool is_known;
    float turn[9]; /* unit columns */
    float origin[3];
};

struct fitting {
    struct fit_job *job;
    const struct pose_mesh *mesh;
    const struct pose_skin *skin; /* in glTF's axes */
    struct place *places;         /* [bone_count] */
    uint32_t fallback;            /* a bone for vertices without one */
    struct corner *corners;       /* [real_count] */
    uint32_t *order;              /* vertices by bone; then, in the same order, without repetitions */
    uint32_t *merged;             /* [real_count] the place of a vertex among the written ones */
    uint32_t written, blended;
    uint32_t crowded, unweighted, moved, flat;
    float lost; /* the greatest share that was dropped */
};

bool sims_fits_as_it_is(const struct fit_job *job)
{
    const struct pose_mesh *mesh = job->conversion->mesh;
    return mesh->space == POSE_SPACE_BONE && mesh->axes == POSE_AXES_SIMS;
}

/* --------------------------------------------------------------------------------------------------- places -- */

/* A bind matrix may scale, as in files in centimetres; the game's bones do not. */
static void take_place(const float bind[16], struct place *place)
{
    place->is_known = true;
    for (unsigned column = 0; column < 3; column++) {
        const float *from = bind + 4 * column;
        float length = sqrtf(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
        for (unsigned row = 0; row < 3; row++)
            place->turn[3 * column + row] = length > 0 ? from[row] / length : (float)(row == column);
        place->origin[column] = bind[12 + column];
    }
}

/* Where the bones are: as the mesh was bound, or in the rest pose of another skeleton than its own. */
static bool find_places(struct fitting *fitting)
{
    const struct pose_mesh *mesh = fitting->mesh;
    const struct pose_skeleton *skeleton = fitting->job->conversion->skeleton;
    struct arena *arena = fitting->job->arena;
    bool is_own = !skeleton || (mesh->tree && mesh->tree == skeleton->tree) || !mesh->inverse_binds;
    uint32_t joints = skeleton ? skeleton->joint_count : 0, lacking = 0, first_lacking = 0;
    float(*rest)[16] = arena_alloc(arena, joints, sizeof *rest), bind[16];
    fitting->places = ARENA_NEW(arena, struct place, mesh->bone_count);
    if (!rest || !fitting->places || (skeleton && !matrix_rest(skeleton, POSE_AXES_GLTF, arena, rest)))
        return false;
    fitting->fallback = FIT_NO_BONE;
    for (uint32_t i = mesh->bone_count; i-- > 0;) {
        int64_t joint = pose_skin_joint(fitting->skin, i);
        bool is_lacking = skeleton && joint < 0;
        if (!is_lacking && is_own && matrix_invert(pose_skin_inverse_binds(fitting->skin)[i], bind))
            take_place(bind, &fitting->places[i]);
        else if (!is_lacking && !is_own)
            take_place(rest[joint], &fitting->places[i]);
        if (fitting->places[i].is_known)
            fitting->fallback = i;
        lacking += is_lacking;
        first_lacking = is_lacking ? i : first_lacking;
    }
    char label[MESH_BONE_LABEL];
    if (lacking)
        fit_warn(fitting->job, "missing_bone",
                 "the skeleton lacks %u bones (%s); their vertices go to the others", lacking,
                 mesh_bone_label(mesh, first_lacking, label));
    return fitting->fallback != FIT_NO_BONE || error_set(fitting->job->error, POSE_BAD_DATA, "not_skinned",
                                                         "the skeleton has none of the mesh's bones");
}

/* From model space in metres to a bone's space in feet. */
static void to_bone(const struct place *place, const float from[3], bool is_point, float to[3])
{
    const struct axes_map map = axes_map_between(POSE_AXES_GLTF, POSE_AXES_SIMS);
    double local[3], in[3];
    for (unsigned i = 0; i < 3; i++)
        in[i] = (double)from[i] - (is_point ? (double)place->origin[i] : 0);
    for (unsigned i = 0; i < 3; i++)
        local[i] = (double)place->turn[3 * i] * in[0] + (double)place->turn[3 * i + 1] * in[1] +
                   (double)place->turn[3 * i + 2] * in[2];
    for (unsigned i = 0; i < 3; i++) {
        double value = (map.negate[i] ? -1 : 1) * local[map.source[i]] * (is_point ? map.unit : 1);
        to[i] = (float)value + 0.0f; /* -0 is 0, so that equal places are equal */
    }
}

/* -------------------------------------------------------------------------------------------------- corners -- */

/* The two greatest weights among known bones; bones[1] is FIT_NO_BONE if there is only one. */
struct pair {
    uint32_t bones[2];
    float weights[2];
};

static struct pair find_pair(struct fitting *fitting, uint32_t v)
{
    const struct pose_influences *influences = &fitting->skin->influences[v];
    struct pair pair = {{FIT_NO_BONE, FIT_NO_BONE}, {0, 0}};
    unsigned count = 0;
    float sum = 0;
    for (unsigned i = 0; i < POSE_WEIGHTS && influences->weights[i] > 0; i++) {
        bool is_known = fitting->places[influences->bones[i]].is_known;
        sum += is_known ? influences->weights[i] : 0;
        if (is_known && count < 2) {
            pair.bones[count] = influences->bones[i];
            pair.weights[count++] = influences->weights[i];
        }
    }
    if (!count) {
        pair.bones[0] = fitting->fallback;
        fitting->unweighted++;
    }
    float beyond = sum - pair.weights[0] - pair.weights[1];
    fitting->crowded += beyond > 0.1f * sum;
    fitting->lost = count ? fmaxf(fitting->lost, beyond / sum) : fitting->lost;
    return pair;
}

static float distance(const float a[3], const float b[3])
{
    return sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                 (a[2] - b[2]) * (a[2] - b[2]));
}

/* Two copies that need not meet: which of the two bones has the second one, and where both are. False: there is no
 * second one, or it does not fit. */
static bool split(struct fitting *fitting, uint32_t v, struct pair *pair, float first[3], float second[3])
{
    const struct pose_second *from = fitting->mesh->seconds ? &fitting->mesh->seconds[v] : NULL;
    if (!from || from->bone == FIT_NO_BONE || (from->bone != pair->bones[0] && from->bone != pair->bones[1]))
        return false;
    struct pair turned = *pair;
    if (from->bone == pair->bones[0])
        turned = (struct pair){{pair->bones[1], pair->bones[0]}, {pair->weights[1], pair->weights[0]}};
    float weight = turned.weights[1] / (turned.weights[0] + turned.weights[1]);
    for (unsigned i = 0; i < 3; i++) {
        float whole = fitting->skin->positions[v][i];
        second[i] = from->position[i];
        first[i] = (whole - weight * second[i]) / (1 - weight);
    }
    if (distance(first, second) <= most_apart) {
        *pair = turned;
        return true;
    }
    fitting->moved++;
    return false;
}

static void make_corner(struct fitting *fitting, uint32_t v)
{
    const struct pose_skin *skin = fitting->skin;
    struct corner *to = &fitting->corners[v];
    struct pair pair = find_pair(fitting, v);
    float first[3], second[3];
    bool is_split = pair.bones[1] != FIT_NO_BONE && split(fitting, v, &pair, first, second);
    float sum = pair.weights[0] + pair.weights[1];
    to->bone = pair.bones[0];
    to->weight = sum > 0 ? (int32_t)lrintf(pair.weights[1] / sum * ONE) : 0;
    to->other = to->weight > 0 ? pair.bones[1] : FIT_NO_BONE;
    to_bone(&fitting->places[to->bone], is_split ? first : skin->positions[v], true, to->position);
    to_bone(&fitting->places[to->bone], skin->normals[v], false, to->normal);
    if (to->other != FIT_NO_BONE) {
        to_bone(&fitting->places[to->other], is_split ? second : skin->positions[v], true, to->second);
        to_bone(&fitting->places[to->other], skin->normals[v], false, to->second_normal);
    }
    for (unsigned i = 0; fitting->mesh->uvs && i < 2; i++)
        to->uv[i] = fitting->mesh->uvs[v][i] + 0.0f;
}

static bool check_finite(const struct fitting *fitting, uint32_t v)
{
    const struct corner *corner = &fitting->corners[v];
    bool is_finite = isfinite(corner->uv[0]) && isfinite(corner->uv[1]);
    for (unsigned i = 0; i < 3; i++)
        is_finite &=
            isfinite(corner->position[i]) && isfinite(corner->normal[i]) && isfinite(corner->second[i]);
    return is_finite || error_set(fitting->job->error, POSE_BAD_DATA, "not_finite",
                                  "vertex %u has a number that is not finite", v);
}

static bool make_corners(struct fitting *fitting)
{
    fitting->corners = ARENA_NEW(fitting->job->arena, struct corner, fitting->mesh->real_count);
    for (uint32_t v = 0; fitting->corners && v < fitting->mesh->real_count; v++) {
        make_corner(fitting, v);
        if (!check_finite(fitting, v))
            return false;
    }
    return fitting->corners;
}

/* --------------------------------------------------------------------------------------------------- merging -- */

static int compare_bones(const void *a, const void *b, void *corners)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t p = ((const struct corner *)corners)[x].bone, q = ((const struct corner *)corners)[y].bone;
    return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

/* Equal vertices become the first of them, ordered by bone. Those that no face uses are not written. */
static bool merge(struct fitting *fitting)
{
    struct arena *arena = fitting->job->arena;
    const struct pose_mesh *mesh = fitting->mesh;
    const bool *used = fit_used_vertices(arena, mesh->faces, mesh->face_count, mesh->real_count);
    struct fit_weld weld;
    if (!used || !fit_weld(arena, fitting->corners, sizeof *fitting->corners, mesh->real_count, used, &weld))
        return false;
    uint32_t *places = ARENA_NEW(arena, uint32_t, mesh->real_count);
    if (!places)
        return false;
    qsort_r(weld.rows, weld.count, sizeof *weld.rows, compare_bones, fitting->corners);
    for (uint32_t i = 0; i < weld.count; i++) {
        places[weld.rows[i]] = i;
        fitting->blended += fitting->corners[weld.rows[i]].other != FIT_NO_BONE;
    }
    fitting->order = weld.rows;
    fitting->merged = places;
    fitting->written = weld.count;
    for (uint32_t v = 0; v < mesh->real_count; v++)
        fitting->merged[v] = used[v] ? places[weld.first[v]] : 0;
    return true;
}

/* ------------------------------------------------------------------------------------------------- the result -- */

static bool put_faces(struct fitting *fitting)
{
    const uint32_t(*from)[3] = pose_skin_faces(fitting->skin);
    uint32_t count = 0,
             (*faces)[3] = arena_alloc(fitting->job->arena, fitting->mesh->face_count, sizeof *faces);
    for (uint32_t i = 0; faces && i < fitting->mesh->face_count; i++) {
        const uint32_t a = fitting->merged[from[i][0]], b = fitting->merged[from[i][2]],
                       c = fitting->merged[from[i][1]]; /* the axes are mirrored */
        if (a == b || b == c || c == a) {
            fitting->flat++;
            continue;
        }
        faces[count][0] = a;
        faces[count][1] = b;
        faces[count++][2] = c;
    }
    fitting->job->fitted.faces = (const uint32_t(*)[3])faces;
    fitting->job->fitted.face_count = count;
    if (faces && !count)
        return error_set(fitting->job->error, POSE_BAD_DATA, "nothing_to_write",
                         "the mesh has no triangle with an area");
    return faces;
}

/* The bones that are used, in the mesh's order; numbers: their new places. */
static bool put_bones(struct fitting *fitting, uint32_t *numbers)
{
    struct arena *arena = fitting->job->arena;
    const struct pose_mesh *mesh = fitting->mesh;
    const char **names = ARENA_NEW(arena, const char *, mesh->bone_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < fitting->written; i++) {
        const struct corner *corner = &fitting->corners[fitting->order[i]];
        numbers[corner->bone] = 1;
        if (corner->other != FIT_NO_BONE)
            numbers[corner->other] = 1;
    }
    for (uint32_t i = 0; names && i < mesh->bone_count; i++) {
        char label[MESH_BONE_LABEL];
        if (!numbers[i])
            continue;
        names[count] = arena_copy_text(arena, mesh_bone_label(mesh, i, label));
        numbers[i] = count++;
    }
    fitting->job->fitted.bone_count = count;
    fitting->job->fitted.bones = names;
    return names;
}

/* A vertex's own row, or that of its copy. */
struct rows {
    float (*positions)[3], (*normals)[3], (*uvs)[2];
    struct pose_blend *blends;
    struct pose_binding *bindings;
};

/* Blended vertices are ordered by the bone that carries them. */
static void put_blends(struct fitting *fitting, const uint32_t *starts, const uint32_t *numbers,
                       struct rows *to)
{
    uint32_t *next = (uint32_t *)(uintptr_t)starts;
    for (uint32_t i = 0; i < fitting->written; i++) {
        const struct corner *corner = &fitting->corners[fitting->order[i]];
        if (corner->other == FIT_NO_BONE)
            continue;
        uint32_t k = next[numbers[corner->other]]++;
        to->blends[k] = (struct pose_blend){i, corner->weight};
        memcpy(to->positions[fitting->written + k], corner->second, sizeof *to->positions);
        memcpy(to->normals[fitting->written + k], corner->second_normal, sizeof *to->normals);
    }
}

static bool make_rows(struct fitting *fitting, struct rows *rows)
{
    struct arena *arena = fitting->job->arena;
    size_t all = (size_t)fitting->written + fitting->blended;
    *rows = (struct rows){
        .positions = arena_alloc(arena, all, sizeof *rows->positions),
        .normals = arena_alloc(arena, all, sizeof *rows->normals),
        .uvs = arena_alloc(arena, fitting->written, sizeof *rows->uvs),
        .blends = ARENA_NEW(arena, struct pose_blend, fitting->blended),
        .bindings = ARENA_NEW(arena, struct pose_binding, fitting->job->fitted.bone_count),
    };
    return !arena->failed;
}

static bool put_vertices(struct fitting *fitting, const uint32_t *numbers)
{
    struct pose_mesh *fitted = &fitting->job->fitted;
    uint32_t *starts = ARENA_NEW(fitting->job->arena, uint32_t, fitted->bone_count);
    struct rows to;
    if (!starts || !make_rows(fitting, &to))
        return false;
    for (uint32_t i = 0; i < fitting->written; i++) {
        const struct corner *corner = &fitting->corners[fitting->order[i]];
        struct pose_binding *binding = &to.bindings[numbers[corner->bone]];
        binding->first = binding->count++ ? binding->first : i;
        if (corner->other != FIT_NO_BONE)
            to.bindings[numbers[corner->other]].blend_count++;
        memcpy(to.positions[i], corner->position, sizeof *to.positions);
        memcpy(to.normals[i], corner->normal, sizeof *to.normals);
        memcpy(to.uvs[i], corner->uv, sizeof *to.uvs);
    }
    for (uint32_t b = 0, first = 0; b < fitted->bone_count; b++) {
        to.bindings[b].bone = b;
        to.bindings[b].blend_first = to.bindings[b].blend_count ? first : 0;
        starts[b] = first;
        first += to.bindings[b].blend_count;
    }
    put_blends(fitting, starts, numbers, &to);
    fitted->real_count = fitting->written;
    fitted->blend_count = fitting->blended;
    fitted->binding_count = fitted->bone_count;
    fitted->positions = (const float(*)[3])to.positions;
    fitted->normals = (const float(*)[3])to.normals;
    fitted->uvs = (const float(*)[2])to.uvs;
    fitted->blends = to.blends;
    fitted->bindings = to.bindings;
    return true;
}

static void warn(const struct fitting *fitting)
{
    struct fit_job *job = fitting->job;
    if (fitting->crowded)
        fit_warn(job, "weights_dropped",
                 "%u vertices have more than 10 %% of their weight beyond 2 bones; at most %.3f is lost",
                 fitting->crowded, (double)fitting->lost);
    if (fitting->unweighted)
        fit_warn(job, "unweighted_vertices", "%u vertices have no bone; they go to %s", fitting->unweighted,
                 fitting->mesh->bones && fitting->mesh->bones[fitting->fallback]
                     ? fitting->mesh->bones[fitting->fallback]
                     : "the first one");
    if (fitting->moved)
        fit_warn(job, "second_position_moved",
                 "%u blended vertices were moved; their second bone has them where the first one has",
                 fitting->moved);
    fit_warn_flat(job, fitting->flat);
    fit_warn_attributes(job);
}

static bool fit(struct fitting *fitting)
{
    uint32_t *numbers = ARENA_NEW(fitting->job->arena, uint32_t, fitting->mesh->bone_count);
    if (!numbers || !find_places(fitting) || !make_corners(fitting) || !merge(fitting) ||
        !put_faces(fitting) || !put_bones(fitting, numbers) || !put_vertices(fitting, numbers))
        return false;
    warn(fitting);
    return true;
}

bool sims_fit_mesh(struct fit_job *job)
{
    const struct pose_mesh *mesh = job->conversion->mesh;
    if (mesh->space != POSE_SPACE_BIND || !mesh->bone_count || !mesh->influences)
        return error_set(job->error, POSE_BAD_DATA, "not_skinned", "the mesh has no bones that move it");
    if (!mesh_check(mesh, 0, job->error))
        return false;
    const struct pose_options options = {.allocator = job->arena->allocator,
                                         .limits.memory = job->arena->limit};
    struct pose_skin *skin =
        pose_skin_new(mesh, job->conversion->skeleton, POSE_AXES_GLTF, &options, job->error);
    if (!skin)
        return false;
    struct fitting fitting = {.job = job, .mesh = mesh, .skin = skin};
    job->fitted = (struct pose_mesh){.axes = POSE_AXES_SIMS, .space = POSE_SPACE_BONE};
    bool done = fit(&fitting);
    pose_skin_free(skin);
    return done;
}
