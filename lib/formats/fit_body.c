/* Vertices in model space made fit: where the rest pose has them, with as many weights as a game takes. */
#include "lib/formats/fit.h"

#include "lib/core/error.h"
#include "lib/model/matrix.h"
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bind pose that differs from the rest pose by no more is the same. */
static const float same_place = 1e-5f;
/* Of a vertex's weight; more that is dropped is worth a warning. */
static const float much = 0.1f;

/* ----------------------------------------------------------------------------------------------------- rest -- */

/* Whether each bone's bind matrix undoes its rest matrix. */
static bool is_bound_at_rest(const struct fit_body *body, const float (*rest)[16])
{
    for (uint32_t i = 0; i < body->mesh->bone_count; i++) {
        int64_t joint = pose_skin_joint(body->skin, i);
        float whole[16];
        if (joint < 0)
            continue;
        matrix_multiply(rest[joint], pose_skin_inverse_binds(body->skin)[i], whole);
        for (unsigned k = 0; k < 16; k++) {
            if (!(fabsf(whole[k] - matrix_identity[k]) <= same_place))
                return false;
        }
    }
    return true;
}

/* Games have no bind pose beside the rest pose of their skeletons: a mesh that was bound elsewhere is moved. */
static bool move_to_rest(struct fit_body *body, enum pose_axes axes)
{
    const struct pose_skeleton *skeleton = body->job->conversion->skeleton;
    struct arena *arena = body->job->arena;
    if (!skeleton || !body->mesh->inverse_binds || body->mesh->tree != skeleton->tree || !body->mesh->tree)
        return true;
    float(*rest)[16] = arena_alloc(arena, skeleton->joint_count, sizeof *rest);
    if (!rest || !matrix_rest(skeleton, axes, arena, rest))
        return false;
    if (is_bound_at_rest(body, (const float(*)[16])rest))
        return true;
    float(*positions)[3] = arena_alloc(arena, body->vertex_count, sizeof *positions),
    (*normals)[3] = arena_alloc(arena, body->vertex_count, sizeof *normals);
    void *scratch = arena_alloc(arena, pose_deform_scratch(body->skin), 1);
    if (!positions || !normals || !scratch)
        return false;
    pose_deform(body->skin, rest[0], positions, normals, scratch);
    body->positions = (const float(*)[3])positions;
    body->normals = (const float(*)[3])normals;
    return true;
}

/* -------------------------------------------------------------------------------------------------- weights -- */

struct weighing {
    unsigned most;
    uint32_t fallback; /* a bone for vertices without one */
    uint32_t crowded, unweighted, lacking, first_lacking;
    float lost; /* the greatest share that was dropped */
};

/* Bones that the skeleton has, and the one nearest to its root. */
static bool *find_known(const struct fit_body *body, struct weighing *weighing)
{
    const struct pose_mesh *mesh = body->mesh;
    bool *known = ARENA_NEW(body->job->arena, bool, mesh->bone_count);
    int64_t nearest = INT64_MAX;
    weighing->fallback = FIT_NO_BONE;
    for (uint32_t i = 0; known && i < mesh->bone_count; i++) {
        int64_t joint = pose_skin_joint(body->skin, i);
        known[i] = joint >= 0 || !body->job->conversion->skeleton;
        if (!known[i]) {
            weighing->first_lacking = weighing->lacking++ ? weighing->first_lacking : i;
        } else if (joint < nearest) {
            nearest = joint;
            weighing->fallback = i;
        }
    }
    return known;
}

static void weigh(struct weighing *weighing, const bool *known, const struct pose_influences *from,
                  struct pose_influences *to)
{
    unsigned count = 0;
    float sum = 0, kept = 0;
    for (unsigned i = 0; i < POSE_WEIGHTS && from->weights[i] > 0; i++) {
        if (!known[from->bones[i]])
            continue;
        sum += from->weights[i];
        if (count == weighing->most)
            continue;
        kept += from->weights[i];
        to->bones[count] = from->bones[i];
        to->weights[count++] = from->weights[i];
    }
    if (!count) {
        *to = (struct pose_influences){.bones = {weighing->fallback}, .weights = {1}};
        weighing->unweighted++;
        return;
    }
    for (unsigned i = 0; i < count && kept != 1; i++)
        to->weights[i] /= kept;
    weighing->crowded += sum - kept > much * sum;
    weighing->lost = fmaxf(weighing->lost, (sum - kept) / sum);
}

static void warn_weights(struct fit_body *body, const struct weighing *weighing)
{
    struct fit_job *job = body->job;
    char label[MESH_BONE_LABEL];
    if (weighing->lacking)
        fit_warn(job, "missing_bone", "the skeleton lacks %u bones (%s); their vertices go to the others",
                 weighing->lacking, mesh_bone_label(body->mesh, weighing->first_lacking, label));
    if (weighing->crowded)
        fit_warn(job, "weights_dropped",
                 "%u vertices have more than 10 %% of their weight beyond %u bones; at most %.3f is lost",
                 weighing->crowded, weighing->most, (double)weighing->lost);
    if (weighing->unweighted)
        fit_warn(job, "unweighted_vertices", "%u vertices have no bone; they go to %s", weighing->unweighted,
                 mesh_bone_label(body->mesh, weighing->fallback, label));
}

static bool find_weights(struct fit_body *body, unsigned most_weights, const bool *used)
{
    const struct pose_mesh *mesh = body->mesh;
    struct arena *arena = body->job->arena;
    struct weighing weighing = {.most = most_weights};
    if (!mesh->influences || !mesh->bone_count)
        return true;
    const bool *known = find_known(body, &weighing);
    body->influences = ARENA_NEW(arena, struct pose_influences, body->vertex_count);
    if (!known || !body->influences)
        return false;
    if (weighing.fallback == FIT_NO_BONE)
        return error_set(body->job->error, POSE_BAD_DATA, "not_skinned",
                         "the skeleton has none of the mesh's bones");
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        if (used[v])
            weigh(&weighing, known, &body->skin->influences[v], &body->influences[v]);
    }
    warn_weights(body, &weighing);
    return true;
}

static bool find_bones(struct fit_body *body, const bool *used)
{
    uint32_t count = body->influences ? body->mesh->bone_count : 0;
    body->used = ARENA_NEW(body->job->arena, uint32_t, count);
    body->numbers = ARENA_NEW(body->job->arena, uint32_t, count);
    if (!body->used || !body->numbers)
        return false;
    for (uint32_t v = 0; count && v < body->vertex_count; v++) {
        const struct pose_influences *influences = &body->influences[v];
        for (unsigned i = 0; used[v] && i < POSE_WEIGHTS && influences->weights[i] > 0; i++)
            body->numbers[influences->bones[i]] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_used = body->numbers[i];
        body->numbers[i] = is_used ? body->used_count : FIT_NO_BONE;
        if (is_used)
            body->used[body->used_count++] = i;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- the body -- */

static bool check_finite(const struct fit_body *body, const bool *used)
{
    const struct pose_mesh *mesh = body->mesh;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        bool is_finite = !mesh->uvs || (isfinite(mesh->uvs[v][0]) && isfinite(mesh->uvs[v][1]));
        for (unsigned i = 0; i < 3; i++)
            is_finite &= isfinite(body->positions[v][i]) && isfinite(body->normals[v][i]);
        if (used[v] && !is_finite)
            return error_set(body->job->error, POSE_BAD_DATA, "not_finite",
                             "vertex %u has a number that is not finite", v);
    }
    return true;
}

bool fit_body_open(struct fit_body *body, struct fit_job *job, enum pose_axes axes, unsigned most_weights)
{
    const struct pose_mesh *mesh = job->conversion->mesh;
    *body = (struct fit_body){.job = job, .mesh = mesh, .vertex_count = mesh->real_count};
    if (mesh->space != POSE_SPACE_BIND)
        return error_set(
            job->error, POSE_BAD_DATA, "bone_space",
            "its vertices are in the space of their bones; write it as GLB with its skeleton first");
    if (!mesh->face_count)
        return error_set(job->error, POSE_BAD_DATA, "nothing_to_write", "the mesh has no triangles");
    if (!mesh_check(mesh, 0, job->error))
        return false;
    const struct pose_options options = {.allocator = job->arena->allocator,
                                         .limits.memory = job->arena->limit};
    body->skin = pose_skin_new(mesh, job->conversion->skeleton, axes, &options, job->error);
    if (!body->skin)
        return false;
    body->positions = (const float(*)[3])body->skin->positions;
    body->normals = (const float(*)[3])body->skin->normals;
    body->faces = pose_skin_faces(body->skin);
    const bool *used = fit_used_vertices(job->arena, body->faces, mesh->face_count, body->vertex_count);
    return used && move_to_rest(body, axes) && check_finite(body, used) &&
           find_weights(body, most_weights, used) && find_bones(body, used);
}

void fit_body_close(struct fit_body *body)
{
    pose_skin_free(body->skin);
    body->skin = NULL;
}

/* -------------------------------------------------------------------------------------------------- welding -- */

bool *fit_used_vertices(struct arena *arena, const uint32_t (*faces)[3], uint32_t face_count,
                        uint32_t vertex_count)
{
    bool *used = ARENA_NEW(arena, bool, vertex_count);
    for (uint32_t i = 0; used && i < face_count; i++) {
        for (unsigned corner = 0; corner < 3; corner++)
            used[faces[i][corner]] = true;
    }
    return used;
}

/* Equal rows are next to each other, the first of them first. Sorted, not hashed: nobody can choose rows that cost
 * more than others. */
struct sorting {
    const char *rows;
    size_t size;
};

static int compare_rows(const void *a, const void *b, void *user)
{
    const struct sorting *sorting = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = memcmp(sorting->rows + x * sorting->size, sorting->rows + y * sorting->size, sorting->size);
    return order ? order : x < y ? -1 : x > y;
}

bool fit_weld(struct arena *arena, const void *rows, size_t size, uint32_t count, const bool *used,
              struct fit_weld *weld)
{
    struct sorting sorting = {rows, size};
    uint32_t *order = ARENA_NEW(arena, uint32_t, count), *first = ARENA_NEW(arena, uint32_t, count), kept = 0;
    *weld = (struct fit_weld){.rows = ARENA_NEW(arena, uint32_t, count),
                              .merged = ARENA_NEW(arena, uint32_t, count),
                              .first = first};
    if (!order || !first || !weld->rows || !weld->merged)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!used || used[i])
            order[kept++] = i;
    }
    qsort_r(order, kept, sizeof *order, compare_rows, &sorting);
    for (uint32_t i = 0; i < kept; i++) {
        bool is_new =
            !i || memcmp(sorting.rows + order[i] * size, sorting.rows + order[i - 1] * size, size) != 0;
        first[order[i]] = is_new ? order[i] : first[order[i - 1]];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (used && !used[i])
            continue;
        if (first[i] == i)
            weld->rows[weld->count++] = i;
        weld->merged[i] = first[i] == i ? weld->count - 1 : weld->merged[first[i]];
    }
    return true;
}
