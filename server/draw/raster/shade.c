#include "server/draw/raster/shade.h"

#include <math.h>

uint32_t shade_over(uint32_t above, uint32_t below)
{
    uint32_t rest = 255 - (above >> 24), out = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t channel = (above >> shift & 255) + ((below >> shift & 255) * rest + 127) / 255;
        out |= (channel < 255 ? channel : 255) << shift;
    }
    return out;
}

static uint32_t channel(float value)
{
    return value > 0 ? value < 255 ? (uint32_t)(value + 0.5f) : 255 : 0;
}

static float near_zero(float place)
{
    return place > -TEXTURE_FAR && place < TEXTURE_FAR ? place : 0;
}

static float within(float value, float least, float most)
{
    return value > least ? value < most ? value : most : least;
}

/* Lays cloth on its ground. */
static texture_four lay(const struct pose_material *material, texture_four texel)
{
    float share = texel[3] / 255;
    for (int k = 0; k < 3; k++) {
        float above = within(material->gain * texel[k], 0, 255);
        texel[k] = truncf(within(above * share + 255 * material->ground[k] * (1 - share) + 0.5f, 0, 255));
    }
    texel[3] = 255;
    return texel;
}

/* Red, green and blue as lit, each within 0 and 255. */
static texture_four lit_color(const struct raster_paint *paint, texture_four texel, float light)
{
    const texture_four color = {paint->color[0], paint->color[1], paint->color[2], 0},
                       glow = {paint->glow[0], paint->glow[1], paint->glow[2], 0},
                       most = {255, 255, 255, 255};
    float half = 0.5f + 0.5f * within(light, -1, 1), lit = SHADE_DARK + SHADE_BRIGHT * half * half;
    texture_four value = texel * color * lit + 255 * glow;
    /* What is not above 0 becomes 0, then what is not below 255 becomes that. */
    texture_whole bits = (texture_whole)value & (value > 0);
    texture_whole low = (texture_four)bits < most;
    return (texture_four)((bits & low) | ((texture_whole)most & ~low));
}

/* The channels of a pixel, of values within 0 and 255. */
static uint32_t pixel_of(texture_four color, uint32_t alpha)
{
    const texture_whole whole = __builtin_convertvector(color + 0.5f, texture_whole);
    return alpha << 24 | (uint32_t)whole[0] << 16 | (uint32_t)whole[1] << 8 | (uint32_t)whole[2];
}

bool shade_is_solid(const struct raster_paint *paint)
{
    if (paint->alpha != POSE_MASK)
        return paint->alpha == POSE_OPAQUE;
    const bool is_opaque =
        !paint->texture || !paint->texture->count || paint->covers || texture_is_opaque(paint->texture);
    return is_opaque && paint->color[3] * 255 / 255 >= paint->cutoff;
}

bool shade_one(const struct raster_paint *paint, const struct texture_level *level, texture_four values,
               uint32_t *color)
{
    const float light = values[SHADE_LIGHT];
    texture_four texel = {255, 255, 255, 255};
    if (level)
        texel = texture_sample(level, paint->texture->clamps, near_zero(values[SHADE_U]),
                               near_zero(values[SHADE_V]));
    if (level && paint->covers)
        texel = lay(paint->covers, texel);
    if (paint->alpha == POSE_OPAQUE) {
        *color = pixel_of(lit_color(paint, texel, light), 255);
        return true;
    }
    float alpha = paint->color[3] * texel[3] / 255;
    if (paint->alpha == POSE_MASK) {
        if (!(alpha >= paint->cutoff))
            return false;
        *color = pixel_of(lit_color(paint, texel, light), 255);
        return true;
    }
    if (!(alpha > 0.002f))
        return false;
    alpha = alpha < 1 ? alpha : 1;
    uint32_t own = pixel_of(alpha * lit_color(paint, texel, light), channel(255 * alpha));
    *color = own >> 24 == 255 ? own : shade_over(own, *color);
    return true;
}

void shade_all(const struct raster_paint *paint, const struct texture_level *level,
               const struct shade_batch *batch, uint32_t colors[SHADE_BATCH])
{
    for (unsigned i = shade_all_avx2(paint, level, batch, colors); i < batch->count; i++)
        shade_one(paint, level, batch->values[i], &colors[i]);
}
