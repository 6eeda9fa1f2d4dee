/*
 * The simple material derived from the game's colour pipeline: the base colour image, the emissive image, and
 * the colour without an image. A heuristic, prime-cmdl.md 4.
 */
#include "lib/formats/prime/model/model.h"

enum {
    INPUT_TEXEL = 8,
    INPUT_TEXEL_ALPHA = 9,
    INPUT_ONE = 12,
    INPUT_KONST = 14,
    INPUT_ZERO = 15,
    ALPHA_TEXEL = 4,
    ALPHA_KONST = 6,
    FIRST_KONST_COLOR = 0x0c, /* selectors of K0 ... K3 */
    FIRST_KONST_ALPHA = 0x1c,
    FIRST_TEX_SOURCE = 4, /* of coordinates: TEX0 */
    NO_STAGE = 16,
};

static unsigned color_input(const struct cmdl_stage *stage, unsigned place)
{
    return stage->color_inputs >> 5 * place & 31;
}

static unsigned alpha_input(const struct cmdl_stage *stage, unsigned place)
{
    return stage->alpha_inputs >> 5 * place & 31;
}

static bool has_color(const struct cmdl_stage *stage, unsigned input)
{
    return color_input(stage, 0) == input || color_input(stage, 1) == input ||
           color_input(stage, 2) == input || color_input(stage, 3) == input;
}

static bool has_alpha(const struct cmdl_stage *stage, unsigned input)
{
    return alpha_input(stage, 0) == input || alpha_input(stage, 1) == input ||
           alpha_input(stage, 2) == input || alpha_input(stage, 3) == input;
}

/* Which of TEX0 ... TEX6 a stage's image uses; -1: none, or a reflection. */
static int uv_set(const struct cmdl_pipeline *pipeline, const struct cmdl_stage *stage)
{
    if (stage->slot == 0xff || stage->coordinate == 0xff)
        return -1;
    int set = (int)(pipeline->coordinates[stage->coordinate] >> 4 & 31) - FIRST_TEX_SOURCE;
    if (set < 0 || set >= CMDL_UV_SETS)
        return -1;
    return pipeline->attributes >> 2 * (CMDL_TEX0 + set) & 3 ? set : -1;
}

static bool uses_alpha_alone(const struct cmdl_stage *stage)
{
    return has_color(stage, INPUT_TEXEL_ALPHA) || has_alpha(stage, ALPHA_TEXEL);
}

/* The k-th stage in search order: a lightmap in the first stage comes last. */
static uint32_t stage_at(const struct cmdl_pipeline *pipeline, uint32_t k)
{
    bool is_lightmap = pipeline->stage_count > 1 &&
                       ((pipeline->stages[0].color_op >> 9 & 3) == 1 || pipeline->flags & CMDL_LIGHTMAP);
    return is_lightmap ? (k + 1) % pipeline->stage_count : k;
}

static uint32_t find_base(const struct cmdl_pipeline *pipeline, bool *is_alpha)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < pipeline->stage_count; k++) {
            uint32_t i = stage_at(pipeline, k);
            const struct cmdl_stage *stage = &pipeline->stages[i];
            *is_alpha = pass;
            if (uv_set(pipeline, stage) >= 0 &&
                (pass ? uses_alpha_alone(stage) : has_color(stage, INPUT_TEXEL)))
                return i;
        }
    }
    return NO_STAGE;
}

/* Previous + texel. */
static uint32_t find_emissive(const struct cmdl_pipeline *pipeline, uint32_t base)
{
    for (uint32_t i = base == NO_STAGE ? 0 : base + 1; i < pipeline->stage_count; i++) {
        const struct cmdl_stage *stage = &pipeline->stages[i];
        if (uv_set(pipeline, stage) >= 0 && color_input(stage, 0) == INPUT_ZERO &&
            color_input(stage, 1) == INPUT_TEXEL && color_input(stage, 2) == INPUT_ONE &&
            color_input(stage, 3) == 0)
            return i;
    }
    return NO_STAGE;
}

static const char *picture_of(const struct cmdl_pipeline *pipeline, uint32_t stage, struct arena *arena)
{
    uint32_t id = pipeline->textures[pipeline->stages[stage].slot];
    return id == PRIME_NO_ID || id == PRIME_NO_ID_EITHER ? NULL : arena_format(arena, "%08X", id);
}

static void take_konst_color(const struct cmdl_pipeline *pipeline, float color[4])
{
    for (uint32_t i = 0; i < pipeline->stage_count; i++) {
        const struct cmdl_stage *stage = &pipeline->stages[i];
        unsigned which = stage->color_konst - (unsigned)FIRST_KONST_COLOR;
        if (!has_color(stage, INPUT_KONST) || which >= pipeline->konst_count)
            continue;
        for (unsigned k = 0; k < 3; k++)
            color[k] = (float)pipeline->konst[which][k] / 255;
        return;
    }
}

static void take_konst_alpha(const struct cmdl_pipeline *pipeline, float *alpha)
{
    if (!pipeline->stage_count)
        return;
    const struct cmdl_stage *last = &pipeline->stages[pipeline->stage_count - 1];
    unsigned which = last->alpha_konst - (unsigned)FIRST_KONST_ALPHA;
    if (alpha_input(last, 3) == ALPHA_KONST && which < pipeline->konst_count)
        *alpha = (float)pipeline->konst[which][3] / 255;
}

void cmdl_interpret(const struct cmdl_pipeline *pipeline, struct arena *arena, struct cmdl_material *material)
{
    struct pose_material *view = &material->view;
    bool is_alpha = false;
    for (int i = 0; i < 4; i++)
        view->base_color[i] = 1;
    uint32_t base = find_base(pipeline, &is_alpha), emissive = find_emissive(pipeline, base);
    if (base != NO_STAGE) {
        material->base_set = (unsigned)uv_set(pipeline, &pipeline->stages[base]);
        view->image = picture_of(pipeline, base, arena);
    }
    if (base == NO_STAGE || is_alpha)
        take_konst_color(pipeline, view->base_color);
    take_konst_alpha(pipeline, &view->base_color[3]);
    material->emissive_set = material->base_set;
    if (emissive == NO_STAGE)
        return;
    view->emissive_image = picture_of(pipeline, emissive, arena);
    if (!view->emissive_image)
        return;
    material->emissive_set = (unsigned)uv_set(pipeline, &pipeline->stages[emissive]);
    view->emissive_uv = material->emissive_set != material->base_set;
    view->emissive[0] = view->emissive[1] = view->emissive[2] = 1;
}
