#include "lib/formats/bvh/up.h"

#include "lib/core/text.h"

#include <math.h>
#include <string.h>

struct place {
    double at[3];
    uint32_t root;
};

/* Positions of the joints at rest. */
static struct place *find_places(const struct bvh_layout *layout, struct arena *arena)
{
    struct place *places = ARENA_NEW(arena, struct place, layout->joint_count);
    for (uint32_t i = 0; places && i < layout->joint_count; i++) {
        const struct bvh_joint *joint = &layout->joints[i];
        const struct place *parent = joint->parent < 0 ? NULL : &places[joint->parent];
        places[i].root = parent ? parent->root : i;
        for (int k = 0; k < 3; k++)
            places[i].at[k] = (parent ? parent->at[k] : 0) + (double)joint->offset[k];
    }
    return places;
}

/* Mostly along +Z. A sideways deviation of half as much is a stoop; an animal with its head in front does not
 * count. */
static bool is_along_z(const double from[3], const double to[3])
{
    double x = fabs(to[0] - from[0]), y = fabs(to[1] - from[1]), z = to[2] - from[2];
    return z > 2 * x && z > 2 * y;
}

bool bvh_is_z_up(const struct bvh_layout *layout, struct arena *arena, bool *is_z_up)
{
    const struct place *places = find_places(layout, arena), *head = NULL;
    double feet[3] = {0, 0, 0};
    uint32_t foot_count = 0;
    *is_z_up = false;
    if (!places)
        return false;
    for (uint32_t i = 0; i < layout->joint_count; i++) {
        const char *name = layout->joints[i].name;
        if (!head && text_has_nocase(name, "head"))
            head = &places[i];
        if (!text_has_nocase(name, "foot") && !text_has_nocase(name, "ankle"))
            continue;
        foot_count++;
        for (int k = 0; k < 3; k++)
            feet[k] += (places[i].at[k] - feet[k]) / foot_count;
    }
    *is_z_up =
        head && is_along_z(places[head->root].at, head->at) && (!foot_count || is_along_z(feet, head->at));
    return true;
}
