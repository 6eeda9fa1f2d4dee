/* Cloth on its ground. */
#include "lib/images/picture.h"

static uint8_t mixed(float ground, float gain, uint8_t own, uint8_t alpha)
{
    float above = gain * (float)own, share = (float)alpha / 255;
    above = above > 0 ? above < 255 ? above : 255 : 0;
    float out = above * share + 255 * ground * (1 - share) + 0.5f;
    return (uint8_t)(out > 0 ? out < 255 ? out : 255 : 0);
}

void picture_cover(const struct pose_material *material, const uint8_t (*from)[4], size_t count,
                   uint8_t (*to)[4])
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t alpha = from[i][3];
        for (int k = 0; k < 3; k++)
            to[i][k] = mixed(material->ground[k], material->gain, from[i][k], alpha);
        to[i][3] = 255;
    }
}
