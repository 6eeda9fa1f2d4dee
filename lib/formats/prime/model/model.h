/*
 * Internals of the Metroid Prime model (CMDL) reader: its sections, materials and display lists. Facts:
 * prime-cmdl.md.
 *
 * prime-cmdl: one mesh in model space, axes POSE_AXES_PRIME, without bones: those are in a CSKR, which nothing
 * here refers
 *     to. vertex_ids are indices into the position array, which CSKR's groups divide; vertex_slots indices into
 *     MP2's table of matrix banks. One vertex per distinct tuple; UV set 0 is the one used by a material's base
 *     image (TEX0 if it has none), set 1 that of its emissive image if it differs.
 *     One primitive per surface that is drawn; materials are those of set 0.
 *     image names: the id of the TXTR, 8 hex digits.
 *     mesh extras: game, version, flags, box: [6], material_sets: [[image or null, ...]] if there are several: the
 *         base image of each material in each set
 *     material extras: flags, textures: [ids], konst: [[r, g, b, a]], blend_source, blend_destination, additive,
 *         lit, uv_animations: [{type, values}]
 */
#ifndef POSE_FORMATS_PRIME_MODEL_MODEL_H
#define POSE_FORMATS_PRIME_MODEL_MODEL_H

#include "lib/core/value.h"
#include "lib/formats/family.h"
#include "lib/formats/prime/prime.h"

enum {
    CMDL_MAX_SETS = 64,
    CMDL_MAX_MATERIALS = 4096,
    CMDL_MAX_SURFACES = 16384,
    CMDL_MAX_CORNERS = 4 << 20,
    CMDL_MAX_TEXTURES = 8, /* per material; also its texture coordinates */
    CMDL_UV_SETS = 7,      /* TEX0 ... TEX6 */
};

enum cmdl_flag { CMDL_SKINNED = 1, CMDL_SHORT_NORMALS = 2, CMDL_SHORT_UVS = 4 };

enum cmdl_material_flag {
    CMDL_KONST = 0x8,
    CMDL_MASKED = 0x20,
    CMDL_OCCLUDER = 0x200,
    CMDL_INDIRECT = 0x400,
    CMDL_LIGHTMAP = 0x800,
    CMDL_SHORT_TEX0 = 0x2000,
};

/* Positions in the attribute flags: two bits each. */
enum cmdl_attribute { CMDL_POS, CMDL_NRM, CMDL_CLR0, CMDL_CLR1, CMDL_TEX0, CMDL_ATTRIBUTES = 11 };

enum { CMDL_MATRIX_BYTES = 8, CMDL_FIRST_MATRIX = 24 };

struct cmdl_material {
    uint32_t flags, attributes;
    struct pose_material view;
    unsigned base_set, emissive_set; /* of TEX0 ...; 0 without an image */
};

struct cmdl_array {
    const uint8_t *data;
    uint64_t offset; /* in the file */
    size_t size;
};

enum { CMDL_POSITIONS, CMDL_NORMALS, CMDL_COLORS, CMDL_UVS, CMDL_SHORT_UV_ARRAY, CMDL_ARRAYS };

struct cmdl {
    struct decode_job *job;
    struct reader reader; /* of the whole file */
    struct arena scratch; /* released after decoding */
    uint32_t version, flags;
    bool is_mp2; /* versions 3 and 4 */
    float box[6];
    uint32_t section_count, set_count;
    const uint64_t *sections; /* [section_count + 1] offsets */
    struct cmdl_array arrays[CMDL_ARRAYS];
    uint32_t material_count;
    struct cmdl_material *materials; /* of set 0 */
    uint32_t first_surface, surface_count;
};

/* The number of elements of that size in an array. */
static inline uint32_t cmdl_array_count(const struct cmdl_array *array, size_t size)
{
    return (uint32_t)(array->size / size);
}

/* Opens a reader of section k, whose path names it. */
bool cmdl_section(struct cmdl *model, uint32_t k, struct reader *part, const char *name, uint64_t index);

/* Reads all material sets, and what is needed to draw with the first (material.c). */
bool cmdl_read_sets(struct cmdl *model, struct value_list *extras);

/* A stage of the colour pipeline. */
struct cmdl_stage {
    uint32_t color_inputs, alpha_inputs, color_op;
    uint8_t alpha_konst, color_konst, slot, coordinate;
};

struct cmdl_pipeline {
    uint32_t flags, attributes;
    uint32_t texture_count, konst_count, stage_count, coordinate_count;
    uint32_t textures[CMDL_MAX_TEXTURES]; /* TXTR ids */
    uint8_t konst[4][4];
    struct cmdl_stage stages[16];
    uint32_t coordinates[CMDL_MAX_TEXTURES];
};

/* Base colour, emission and alpha, as far as a simple material can represent them (tev.c). */
void cmdl_interpret(const struct cmdl_pipeline *pipeline, struct arena *arena,
                    struct cmdl_material *material);

/* Reads the surfaces as vertices, faces and primitives of the mesh (surface.c). */
bool cmdl_read_surfaces(struct cmdl *model, struct pose_mesh *mesh);

/* A corner of a display list: indices into the arrays; CMDL_NONE: none. */
#define CMDL_NONE UINT32_MAX
struct cmdl_corner {
    uint32_t position, normal, color, uvs[2]; /* of the short array: + CMDL_SHORT */
    uint32_t slot;                            /* in MP2's table of banks */
};
#define CMDL_SHORT 0x10000u

/* Deduplicates corners into the mesh's vertices (vertices.c). */
struct cmdl_vertices {
    struct cmdl *model;
    uint32_t count, capacity; /* capacity: the total number of corners */
    struct cmdl_corner *corners;
    uint32_t mask;
    uint32_t *slots; /* open addressing: index + 1 */
};

bool cmdl_vertices_init(struct cmdl_vertices *vertices, struct cmdl *model, uint32_t corner_count);
/* Adds a corner; returns the number of its vertex. */
uint32_t cmdl_vertices_add(struct cmdl_vertices *vertices, const struct cmdl_corner *corner);
/* Fills in the mesh's attributes from the arrays. */
bool cmdl_vertices_finish(const struct cmdl_vertices *vertices, struct pose_mesh *mesh);

/* Writes a mesh (cmdl_encode.c); makes one of another format fit for it (cmdl_fit.c). For struct codec. */
bool prime_cmdl_encode(struct encode_job *job);
bool prime_cmdl_fit(struct fit_job *job);

/* The mesh of a model with the weights of a skin; for struct family (join.c). */
bool prime_join(struct body_job *job);
/* See pose_mesh_shares. */
void prime_shares(const struct pose_mesh *mesh, pose_share_visit *tell, void *user);

#endif
