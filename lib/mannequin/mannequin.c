#include "lib/mannequin/mannequin.h"

#include "lib/mannequin/fit.h"
#include "lib/model/document.h"
#include "lib/model/matrix.h"

#include <string.h>

/* What is being built. */
struct building {
    struct arena *arena;
    struct fit fit;
    uint32_t bone_count;
    int bone_of[SLOT_COUNT]; /* in the mesh; -1: none */
    const char **names;
    uint32_t *joints; /* counted from 1: names need not be unique */
    float (*inverse_binds)[16];
    struct pose_mesh mesh;
};

/* ------------------------------------------------------------------------------------------------------- bones -- */

/* The matrix of a joint in the modelled pose, in glTF's axes; its scale is that of its rest. */
static void bind_of(const struct building *building, int slot, const float rest[16], float bind[16])
{
    const struct pose_humanoid *humanoid = building->fit.humanoid;
    const struct figure *figure = &humanoid->figure;
    struct turn turn = turn_mul(
        figure->body, turn_mul(building->fit.turned[slot],
                               turn_mul(figure->unbody, humanoid->references[humanoid->joint[slot]].turn)));
    struct vec place = turn_point(figure->body, vec_add(building->fit.place[slot], figure->origin));
    const struct vec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        struct vec scaled = {(double)rest[4 * i], (double)rest[4 * i + 1], (double)rest[4 * i + 2]},
                   column = vec_scale(turn_point(turn, axes[i]), vec_length(scaled));
        memcpy(&bind[4 * i], (float[4]){(float)column.x, (float)column.y, (float)column.z, 0},
               4 * sizeof(float));
    }
    memcpy(&bind[12], (float[4]){(float)place.x, (float)place.y, (float)place.z, 1}, 4 * sizeof(float));
}

/* Every slot that moves something becomes a bone of the mesh. */
static bool add_bones(struct building *building, struct arena *scratch, struct pose_error *error)
{
    const struct pose_humanoid *humanoid = building->fit.humanoid;
    const struct pose_skeleton *skeleton = humanoid->skeleton;
    float(*rest)[16] = arena_alloc(scratch, skeleton->joint_count, sizeof *rest);
    building->names = ARENA_NEW(building->arena, const char *, SLOT_COUNT);
    building->joints = ARENA_NEW(building->arena, uint32_t, SLOT_COUNT);
    building->inverse_binds = arena_alloc(building->arena, SLOT_COUNT, sizeof *building->inverse_binds);
    if (!rest || !building->names || !building->joints || !building->inverse_binds ||
        !matrix_rest(skeleton, POSE_AXES_GLTF, scratch, rest))
        return false;
    for (int slot = 0; slot < SLOT_COUNT; slot++)
        building->bone_of[slot] = -1;
    for (int bone = 0; bone < MANNEQUIN_BONES; bone++) {
        for (int k = 0; k < 2; k++) {
            int slot = building->fit.movers[bone].slots[k];
            float bind[16];
            if (building->bone_of[slot] >= 0)
                continue;
            bind_of(building, slot, rest[humanoid->joint[slot]], bind);
            if (!matrix_invert(bind, building->inverse_binds[building->bone_count]))
                return error_set(error, POSE_BAD_DATA, "not_humanoid", "a joint of the skeleton has no size");
            const char *name = skeleton->joints[humanoid->joint[slot]].name;
            building->names[building->bone_count] = arena_copy_text(building->arena, name ? name : "");
            building->joints[building->bone_count] = (uint32_t)humanoid->joint[slot] + 1;
            building->bone_of[slot] = (int)building->bone_count++;
        }
    }
    return !building->arena->failed;
}

/* ---------------------------------------------------------------------------------------------------- vertices -- */

/* The joints' weights for the form's bones, heaviest first. */
static void find_influences(const struct building *building, const struct mannequin_vertex *vertex,
                            struct pose_influences *out)
{
    enum { MAX_INFLUENCES = 2 * MANNEQUIN_WEIGHTS };
    int bones[MAX_INFLUENCES];
    double weights[MAX_INFLUENCES], sum = 0;
    int count = 0;
    for (int i = 0; i < MAX_INFLUENCES; i++) {
        const struct fit_movers *movers = &building->fit.movers[vertex->bones[i / 2]];
        double weight = (double)vertex->weights[i / 2] * movers->shares[i % 2];
        int bone = building->bone_of[movers->slots[i % 2]], at = 0;
        if (!(weight > 1e-4))
            continue;
        while (at < count && bones[at] != bone)
            at++;
        weight += at < count ? weights[at] : 0;
        count += at == count;
        for (; at > 0 && weights[at - 1] < weight; at--) {
            bones[at] = bones[at - 1];
            weights[at] = weights[at - 1];
        }
        bones[at] = bone;
        weights[at] = weight;
    }
    count = count < POSE_WEIGHTS ? count : POSE_WEIGHTS;
    for (int i = 0; i < count; i++)
        sum += weights[i];
    *out = (struct pose_influences){{0}, {0}};
    for (int i = 0; i < count; i++) {
        out->bones[i] = (uint32_t)bones[i];
        out->weights[i] = (float)(weights[i] / sum);
    }
}

static void place_vertex(const struct building *building, const struct mannequin_vertex *vertex, float out[3])
{
    const struct figure *figure = &building->fit.humanoid->figure;
    const struct vec point = {(double)vertex->place[0], (double)vertex->place[1], (double)vertex->place[2]};
    struct vec sum = {0, 0, 0};
    for (int i = 0; i < MANNEQUIN_WEIGHTS; i++) {
        if (vertex->weights[i] > 0)
            sum = vec_add(sum, vec_scale(fit_point(&building->fit, vertex->bones[i], point),
                                         (double)vertex->weights[i]));
    }
    sum = turn_point(figure->body, vec_add(sum, figure->origin));
    memcpy(out, (float[3]){(float)sum.x, (float)sum.y, (float)sum.z}, 3 * sizeof *out);
}

static bool fill_mesh(struct building *building)
{
    static const struct pose_material material = {
        .name = "mannequin", .base_color = {0.74f, 0.75f, 0.78f, 1}, .alpha = POSE_OPAQUE, .cutoff = 0.5f};
    struct pose_mesh *mesh = &building->mesh;
    float(*places)[3] = arena_alloc(building->arena, mannequin_vertex_count, sizeof *places);
    struct pose_influences *influences =
        ARENA_NEW(building->arena, struct pose_influences, mannequin_vertex_count);
    if (!places || !influences)
        return false;
    for (uint32_t v = 0; v < mannequin_vertex_count; v++) {
        place_vertex(building, &mannequin_vertices[v], places[v]);
        find_influences(building, &mannequin_vertices[v], &influences[v]);
    }
    *mesh = (struct pose_mesh){.name = "mannequin",
                               .axes = POSE_AXES_GLTF,
                               .space = POSE_SPACE_BIND,
                               .bone_count = building->bone_count,
                               .bones = building->names,
                               .bone_joints = building->joints,
                               .tree = building->fit.humanoid->skeleton->tree,
                               .face_count = mannequin_face_count,
                               .faces = mannequin_faces,
                               .real_count = mannequin_vertex_count,
                               .positions = (const float(*)[3])places,
                               .influences = influences,
                               .inverse_binds = (const float(*)[16])building->inverse_binds,
                               .material_count = 1,
                               .materials = &material};
    return true;
}

/* --------------------------------------------------------------------------------------------------- the whole -- */

struct pose_document *mannequin_new(const struct pose_humanoid *humanoid, const struct pose_options *options,
                                    struct pose_error *error)
{
    const struct pose_allocator *allocator = options ? options->allocator : NULL;
    struct pose_error local;
    struct arena arena, scratch;
    error = error ? error : &local;
    pose_error_init(error);
    arena_init(&arena, allocator, 0, error);
    arena_init(&scratch, allocator, 0, error);
    struct document *document = ARENA_NEW(&arena, struct document, 1);
    struct building *building = ARENA_NEW(&scratch, struct building, 1);
    struct pose_mesh *mesh = ARENA_NEW(&arena, struct pose_mesh, 1);
    bool done = document && building && mesh;
    if (done) {
        *building = (struct building){.arena = &arena};
        fit_init(&building->fit, humanoid);
        done = add_bones(building, &scratch, error) && fill_mesh(building);
    }
    if (done) {
        *mesh = building->mesh;
        *document = (struct document){.view = {.format = "mannequin", .mesh_count = 1, .meshes = mesh}};
        document->view.size = arena.held;
        arena.error = NULL;
        document->arena = arena;
    } else {
        if (error->status == POSE_OK)
            error_no_memory(error);
        arena_release(&arena);
        document = NULL;
    }
    arena_release(&scratch);
    return document ? &document->view : NULL;
}
