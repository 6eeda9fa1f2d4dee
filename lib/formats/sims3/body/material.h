/* Materials of bodies and objects (MTNF): parameters by the hash of their names. Facts: sims3-geom.md, 2.2. */
#ifndef POSE_FORMATS_SIMS3_BODY_MATERIAL_H
#define POSE_FORMATS_SIMS3_BODY_MATERIAL_H

#include "lib/formats/sims3/body/rcol.h"

enum sims3_shader_id {
    SHADER_SKIN = 0x548394b9,
    SHADER_EYELASHES = (int)0x9d9da161,
    SHADER_HAIR = (int)0x84fd7152,
    SHADER_DROP_SHADOW = (int)0xc09c7582,
    SHADER_SHADOW_MAP = 0x21fe207d,
};

/* The block of a material, and how to resolve its references. */
struct mtnf {
    uint32_t shader;
    struct pose_bytes block;
    uint64_t offset; /* of the block, in the file */
    const struct sims3_resource *keys;
    uint32_t key_count;
    bool is_geom;       /* references are key numbers, not references into the container */
    float uv_scales[4]; /* by which objects multiply texture coordinates; 0: not given */
};

/* The material as rendered. If the block is damaged, reports the warning "bad_material" and uses none of it. */
void sims3_read_material(struct mtnf *mtnf, struct arena *arena, struct warning_list *warnings,
                         struct pose_material *material);

#endif
