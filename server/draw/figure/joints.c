/* Which of a skeleton's joints are drawn. */
#include "server/draw/figure/parts.h"

#include <math.h>
#include <string.h>

/*
 * Skeletons have many joints that a clip does not touch (faces, fingers, wings, volumes). Shown are the joints
 * that it animates, their parents, and one more joint at the end of each chain, so that feet and hands have a
 * direction. If it animates none, all are shown.
 */
static void show_driven(struct figure *figure)
{
    bool any = false;
    for (uint32_t i = figure->count; i-- > 0;) {
        const struct pose_row *row = &figure->rows[i];
        figure->shown[i] |= row->driven;
        any |= row->driven;
        if (figure->shown[i] && row->parent >= 0)
            figure->shown[row->parent] = true;
    }
    for (uint32_t i = 0; i < figure->count; i++) {
        figure->ends[i] = figure->shown[i];
        if (!any)
            figure->shown[i] = figure->ends[i] = true;
    }
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        if (parent >= 0 && figure->shown[i])
            figure->ends[parent] = false;
    }
}

/* Words in the names of joints that are not part of the figure: IK targets, controls, prop slots. */
static bool is_control(const char *name)
{
    static const char *const words[] = {"iktarget",   "ik_target", "ikhandle",   "ik_handle",   "ikpole",
                                        "ik_pole",    "ik_goal",   "poletarget", "pole_target", "poleVector",
                                        "exportpole", "slot",      "ctrl",       "control",     "_target"};
    size_t length = name ? strlen(name) : 0;
    if (!length)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasestr(name, words[i]))
            return true;
    }
    return !strncasecmp(name, "ik_", 3) || (length > 3 && !strcasecmp(name + length - 3, "_ik"));
}

static void mark_ends(struct figure *figure)
{
    for (uint32_t i = 0; i < figure->count; i++)
        figure->ends[i] = figure->shown[i];
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        if (parent >= 0 && figure->shown[i])
            figure->ends[parent] = false;
    }
}

/* Whether the file's skins say which joints the figure consists of. They do not where most of what moves is in none,
 * as with a robot of rigid parts and a single cable. */
static bool has_skins(const struct figure *figure, const bool *skinned)
{
    uint32_t shown = 0, of_skins = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        shown += figure->shown[i] && !is_control(figure->rows[i].name);
        of_skins += figure->shown[i] && skinned[i];
    }
    return of_skins && of_skins >= shown / 2;
}

/* What is in no skin, or where skins do not say, controls, are not drawn as bones without a part of the figure below
 * them. A skeleton of controls only is shown as it is. The page's viewer does the same. */
static void hide_controls(struct figure *figure, bool *body)
{
    const struct pose_skeleton *skeleton = figure->source.skeleton;
    bool any = false;
    if (skeleton && pose_skinned_joints(skeleton, body) && has_skins(figure, body)) {
        for (uint32_t i = 0; i < figure->count; i++)
            figure->shown[i] &= body[i];
        mark_ends(figure);
        return;
    }
    memset(body, 0, figure->count * sizeof *body);
    for (uint32_t i = figure->count; i-- > 0;) {
        int32_t parent = figure->rows[i].parent;
        body[i] |= figure->shown[i] && !is_control(figure->rows[i].name);
        any |= body[i];
        if (body[i] && parent >= 0)
            body[parent] |= figure->shown[parent];
    }
    for (uint32_t i = 0; i < figure->count && any; i++)
        figure->shown[i] &= body[i];
    mark_ends(figure);
}

/* The extent of the joints that are shown. */
static float reach_of(const struct figure *figure)
{
    float least[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, most[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    float reach = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        for (int k = 0; k < 3 && figure->shown[i]; k++) {
            least[k] = fminf(least[k], figure->places[i][k]);
            most[k] = fmaxf(most[k], figure->places[i][k]);
        }
    }
    for (int k = 0; k < 3; k++)
        reach = fmaxf(reach, most[k] - least[k]);
    return reach;
}

/*
 * Exporters put the figure below a chain of scene nodes at the origin, on the floor, with the hips on the last
 * one, far above. These nodes are not bones: a root at the origin with a single child that is either at the origin
 * too or farther away than a fifth of the figure.
 */
static void hide_scene_roots(struct figure *figure)
{
    float reach = reach_of(figure);
    uint32_t only = 0;
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        bool is_top = figure->shown[i] && (parent < 0 || !figure->shown[parent]);
        const float *place = figure->places[i];
        if (!is_top || figure->ends[i] || hypotf(hypotf(place[0], place[1]), place[2]) > 1e-3f)
            continue;
        uint32_t children = 0;
        for (uint32_t k = i + 1; k < figure->count; k++) {
            if (figure->shown[k] && figure->rows[k].parent == (int32_t)i) {
                children++;
                only = k;
            }
        }
        const float *to = figure->places[only];
        float distance = hypotf(hypotf(to[0], to[1]), to[2]);
        if (children == 1 && !figure->ends[only] && (distance < 1e-3f || distance > reach / 5)) {
            figure->shown[i] = false;
        }
    }
}

/* Adds the first bone beyond the end of a chain, a foot or a hand, unless it is too small or too long. */
static void extend_chains(struct figure *figure)
{
    for (uint32_t i = 0; i < figure->count; i++) {
        int32_t parent = figure->rows[i].parent;
        if (figure->shown[i] || parent < 0 || !figure->ends[parent] || !figure->rows[parent].driven)
            continue;
        const float *from = figure->places[parent], *to = figure->places[i];
        float length = hypotf(hypotf(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
        if (length > 0.02f && length < 0.3f) {
            figure->shown[i] = figure->ends[i] = true;
            figure->ends[parent] = false;
        }
    }
}

void figure_choose_joints(struct figure *figure)
{
    show_driven(figure);
    hide_controls(figure, figure->body);
    hide_scene_roots(figure);
    extend_chains(figure);
}
