/* Models and textures of Metroid Prime, put together field by field; any field can be made another one. */
#ifndef TESTS_SUPPORT_PRIME_MODELS_H
#define TESTS_SUPPORT_PRIME_MODELS_H

#include "tests/support/prime/files.h"

/* A field that gets another value, in the first place where it comes; the list ends with a NULL name. */
struct made_change {
    const char *field;
    uint32_t value;
};

struct made_stage {
    unsigned color[4], alpha[4];
    unsigned output; /* 1: into C0 */
    unsigned alpha_konst, color_konst, slot, coordinate;
};

struct made_material {
    uint32_t flags;
    uint32_t texture_count, textures[2]; /* indices into the set's list */
    uint32_t attributes;
    unsigned blend_destination, blend_source;
    uint32_t konst; /* with flag 8 */
    uint32_t stage_count;
    struct made_stage stages[3];
    uint32_t coordinate_count, coordinates[2];
    uint32_t animation_count;
};

/* The same number for every attribute but those that are said apart. */
struct made_corner {
    uint16_t position, normal, uv, second_uv;
    uint8_t matrix;
};

struct made_primitive {
    unsigned opcode; /* with the vertex format */
    unsigned count;
    const struct made_corner *corners;
};

struct made_surface {
    uint32_t material;
    int bank;
    unsigned primitive_count;
    const struct made_primitive *primitives;
};

struct made_model {
    uint32_t version, flags;
    uint32_t set_count, texture_count;
    const uint32_t *textures; /* [set_count][texture_count] ids */
    uint32_t material_count;
    const struct made_material *materials;
    uint32_t position_count;
    const float (*positions)[3];
    const float (*normals)[3]; /* [position_count]; written as shorts with flag 2 */
    uint32_t color_count;
    const uint8_t (*colors)[4];
    uint32_t uv_count, short_uv_count;
    const float (*uvs)[2];
    const uint16_t (*short_uvs)[2];
    uint32_t surface_count;
    const struct made_surface *surfaces;
};

/* made is empty before; changes may be NULL. */
void made_put_model(struct prime_made *made, const struct made_model *model,
                    const struct made_change *changes);
/* Two triangles with two materials and two sets, of MP1 (version 2) or MP2 (4). */
void prime_make_model(struct prime_made *made, uint32_t version, const struct made_change *changes);

/* A texture of that format (0 ... 10) in which colours run over the picture, all levels that it has. */
void prime_make_texture(struct prime_made *made, unsigned format, unsigned width, unsigned height,
                        unsigned levels, const struct made_change *changes);

#endif
