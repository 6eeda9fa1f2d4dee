/* Weights for targets that do not support blended vertices. */
#include "lib/model/skin.h"

#include <string.h>

enum { INFLUENCES = 4 };

struct influence {
    uint32_t joint;
    float weight;
};

/* Gives the joint a share of the vertex; the others keep the rest. If there are more than INFLUENCES, drops the
 * lightest. */
static void share(struct influence list[INFLUENCES], uint32_t joint, float weight)
{
    unsigned place = INFLUENCES, lightest = 0;
    for (unsigned i = 0; i < INFLUENCES; i++) {
        list[i].weight *= 1 - weight;
        if (list[i].weight < list[lightest].weight)
            lightest = i;
        if (list[i].weight > 0 && list[i].joint == joint)
            place = i;
    }
    if (place < INFLUENCES)
        list[place].weight += weight;
    else if (weight > list[lightest].weight)
        list[lightest] = (struct influence){joint, weight};
}

/* Sorts by weight, heaviest first, and normalises the sum to 1. */
static void settle(struct influence list[INFLUENCES])
{
    float sum = 0;
    for (unsigned i = 0; i < INFLUENCES; i++) {
        sum += list[i].weight;
        for (unsigned k = i; k > 0 && list[k].weight > list[k - 1].weight; k--) {
            struct influence heavier = list[k];
            list[k] = list[k - 1];
            list[k - 1] = heavier;
        }
    }
    for (unsigned i = 0; i < INFLUENCES && sum > 0; i++)
        list[i].weight /= sum;
}

static void load(struct influence list[INFLUENCES], const uint32_t joints[4], const float weights[4])
{
    for (unsigned i = 0; i < INFLUENCES; i++)
        list[i] = (struct influence){joints[i], weights[i]};
}

/* Joints with zero weight are 0, as glTF requires. */
static void store(const struct influence list[INFLUENCES], uint32_t joints[4], float weights[4])
{
    for (unsigned i = 0; i < INFLUENCES; i++) {
        joints[i] = list[i].weight > 0 ? list[i].joint : 0;
        weights[i] = list[i].weight;
    }
}

static float clamp_weight(float weight)
{
    return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

void pose_skin_weights(const struct pose_skin *skin, uint32_t (*joints)[4], float (*weights)[4])
{
    uint32_t real_count = skin->mesh->real_count;
    if (skin->positions) {
        skin_bind_weights(skin, joints, weights);
        return;
    }
    memset(joints, 0, real_count * sizeof *joints);
    memset(weights, 0, real_count * sizeof *weights);
    struct influence list[INFLUENCES];
    for (uint32_t i = 0; i < skin->run_count; i++) {
        const struct skin_run *run = &skin->runs[i];
        for (uint32_t v = run->first; v < run->first + run->count && run->joint != SKIN_NO_JOINT; v++) {
            bool is_real = v < real_count;
            uint32_t vertex = is_real ? v : skin->blends[v - real_count].vertex;
            float weight = is_real ? 1 : clamp_weight(skin->blends[v - real_count].weight);
            load(list, joints[vertex], weights[vertex]);
            share(list, run->joint, weight);
            store(list, joints[vertex], weights[vertex]);
        }
    }
    for (uint32_t v = 0; v < real_count; v++) {
        load(list, joints[v], weights[v]);
        settle(list);
        store(list, joints[v], weights[v]);
    }
}
