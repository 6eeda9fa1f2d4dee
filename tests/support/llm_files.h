/* Parts of an avatar's body (.llm), put together field by field. */
#ifndef TESTS_SUPPORT_LLM_FILES_H
#define TESTS_SUPPORT_LLM_FILES_H

#include "tests/support/sl_files.h"

enum {
    LLM_VERTICES = 6, /* a prism along an arm, from mShoulderLeft to mElbowLeft */
    LLM_FACES = 8,
    LLM_AT_WEIGHTED = 24,
    LLM_AT_POSITION = 26,
    LLM_AT_VERTEX_COUNT = 63,
    LLM_AT_VERTICES = 65,
    LLM_AT_WEIGHTS = LLM_AT_VERTICES + LLM_VERTICES * 44,
    LLM_AT_FACE_COUNT = LLM_AT_WEIGHTS + LLM_VERTICES * 4,
    LLM_AT_FACES = LLM_AT_FACE_COUNT + 2,
    LLM_AT_JOINT_COUNT = LLM_AT_FACES + LLM_FACES * 6,
    LLM_AT_JOINTS = LLM_AT_JOINT_COUNT + 2,
    LLM_AT_MORPH = LLM_AT_JOINTS + 2 * 64,
    LLM_AT_MORPH_COUNT = LLM_AT_MORPH + 64,
    LLM_AT_MORPH_VERTEX = LLM_AT_MORPH_COUNT + 4,
};

void llm_put_name(struct little_file *file, const char *name);
/* Letters up to the counts. */
void llm_put_head(struct little_file *file, bool has_weights);
/* The whole part, up to its joints; the palette is mChest (0) mCollarLeft ... see llm_put_body. */
void llm_put_arm(struct little_file *file);
/* Morph "Fat", which moves two vertices, the end mark and one seam. */
void llm_put_tail(struct little_file *file);
/* Both. */
void llm_put_body(struct little_file *file);
/* A level of detail of two faces. */
void llm_put_lod(struct little_file *file);

#endif
