/* Parts of The Sims 3's bodies: the worked examples of the specification, and a list of meshes. */
#ifndef TESTS_SUPPORT_SIMS3_GEOM_FILES_H
#define TESTS_SUPPORT_SIMS3_GEOM_FILES_H

#include "tests/support/little_file.h"

/* sims3-geom.md, 9: three vertices on two bones, one texture. Offsets of its fields: */
extern const uint8_t geom_example[400];
enum {
    GEOM_AT_EXTERNALS = 12,
    GEOM_AT_CHUNKS = 16,
    GEOM_AT_POSITION = 0x24,
    GEOM_AT_TAG = 0x2c,
    GEOM_AT_VERSION = 0x30,
    GEOM_AT_TABLE = 0x34,
    GEOM_AT_MATERIAL_SIZE = 0x40,
    GEOM_AT_MATERIAL = 0x44,
    GEOM_AT_VERTEX_COUNT = 0x7c,
    GEOM_AT_ELEMENT_COUNT = 0x80,
    GEOM_AT_ELEMENTS = 0x84, /* 9 bytes each: position, normal, uv, assignment, weights */
    GEOM_AT_VERTICES = 0xb1, /* 52 bytes each */
    GEOM_AT_WEIGHTS = GEOM_AT_VERTICES + 36,
    GEOM_AT_GROUPS = 0x14d,
    GEOM_AT_INDEX_SIZE = GEOM_AT_GROUPS + 4,
    GEOM_AT_INDEX_COUNT = GEOM_AT_INDEX_SIZE + 1,
    GEOM_AT_INDICES = GEOM_AT_INDEX_COUNT + 4,
    GEOM_AT_CONTROLLER = GEOM_AT_INDICES + 6,
    GEOM_AT_BONE_COUNT = GEOM_AT_CONTROLLER + 4,
    GEOM_AT_KEYS = 0x16c,
};

/* A top for women, its list of meshes 736884F1-00000001-00000000008C9DFC. */
extern const uint8_t casp_example[130];
enum {
    CASP_AT_TABLE = 4,
    CASP_AT_PRESETS = 8,
    CASP_AT_PRESET_LENGTH = 12,
    CASP_AT_NAME = 28,
    CASP_AT_CLOTHING = 44,
};

/* Two meshes at level 1, one at level 2: GEOMs a1, a2, a3 of group 8C9DFC. */
void vpxy_put_sample(struct little_file *file);

#endif
