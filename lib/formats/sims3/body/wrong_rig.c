/*
 * Whether a mesh lies on the bones that move it (sims3-geom.md, section 5): people of all ages have the same bones, so a
 * mesh finds them in a rig of another age as well, elsewhere. Real meshes are 0.08 to 0.15 m from the bones of their own rig
 * and 0.38 m or more from those of the next.
 */
#include "lib/formats/sims3/lint.h"
#include "lib/model/skin.h"

#include <math.h>

/* Metres. */
static const double too_far = 0.3;

/* A vertex in a bone's space is as far from the origin as it is from the bone, since rigs have no scales. */
static double distance(const float *inverse_bind, const float place[3])
{
    double square = 0;
    for (unsigned i = 0; i < 3; i++) {
        const double along = (double)inverse_bind[i] * (double)place[0] +
                             (double)inverse_bind[4 + i] * (double)place[1] +
                             (double)inverse_bind[8 + i] * (double)place[2] + (double)inverse_bind[12 + i];
        square += along * along;
    }
    return sqrt(square);
}

/* The mean over all influences on bones that the rig has, by weight. */
static double mean_distance(const struct pose_skin *skin)
{
    double sum = 0, weights = 0;
    for (uint32_t v = 0; v < skin->mesh->real_count; v++) {
        const struct pose_influences *shares = &skin->influences[v];
        for (unsigned i = 0; i < POSE_WEIGHTS && shares->weights[i] > 0; i++) {
            const uint32_t bone = shares->bones[i];
            if (skin->joints[bone] == SKIN_NO_JOINT)
                continue;
            sum += (double)shares->weights[i] * distance(skin->inverse_binds[bone], skin->positions[v]);
            weights += (double)shares->weights[i];
        }
    }
    return weights > 0 ? sum / weights : 0;
}

/* Other families have other axes, or tell where their bones were. */
static bool is_of_sims3(const struct pose_mesh *mesh)
{
    return mesh->bone_ids && mesh->axes == POSE_AXES_GLTF && !mesh->inverse_binds;
}

void sims3_lint_skin(const struct lint *lint, const struct pose_skin *skin)
{
    if (!skin->positions || !is_of_sims3(skin->mesh))
        return;
    const double mean = mean_distance(skin);
    if (mean > too_far)
        lint_report(
            lint, POSE_WARNING, "wrong_rig",
            "its vertices are %.2f m from the bones that move them, on average, and on its own rig 0.08 to "
            "0.15 m: this one is of another age or shape",
            mean);
}
