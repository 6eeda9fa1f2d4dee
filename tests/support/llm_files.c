#include "tests/support/llm_files.h"

#include <string.h>

void llm_put_name(struct little_file *file, const char *name)
{
    char field[64] = {0};
    memcpy(field, name, strlen(name) < sizeof field ? strlen(name) : sizeof field);
    little_put(file, field, sizeof field);
}

void llm_put_head(struct little_file *file, bool has_weights)
{
    static const float rows[3][3] = {{0, 9, 0}, {0, 0, 0}, {1, 1, 1}};
    little_put(file, "Linden Binary Mesh 1.0\0", 24);
    little_put_u8(file, has_weights);
    little_put_u8(file, 0);
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 3; i++)
            little_put_f32(file, rows[row][i]);
        if (row == 1)
            little_put_u8(file, 0); /* the order of rotations */
    }
}

/* Two triangles across the arm: at the shoulder and at the elbow. */
static void put_vertex_rows(struct little_file *file)
{
    static const float corners[3][2] = {{0, 0.05f}, {-0.04f, -0.03f}, {0.04f, -0.03f}};
    for (int i = 0; i < LLM_VERTICES; i++) {
        little_put_f32(file, corners[i % 3][0]);
        little_put_f32(file, i < 3 ? 0.1f : 0.35f);
        little_put_f32(file, 1.45f + corners[i % 3][1]);
    }
    for (int i = 0; i < LLM_VERTICES; i++) {
        little_put_f32(file, i % 3 == 1 ? -0.8f : i % 3 == 2 ? 0.8f : 0);
        little_put_f32(file, 0);
        little_put_f32(file, i % 3 == 0 ? 1 : -0.6f);
    }
    for (int i = 0; i < LLM_VERTICES * 3; i++)
        little_put_f32(file, i % 3 == 1); /* binormals */
    for (int i = 0; i < LLM_VERTICES; i++) {
        little_put_f32(file, (float)(i % 3) / 2);
        little_put_f32(file, i < 3 ? 0.25f : 0.75f);
    }
    for (int i = 0; i < LLM_VERTICES; i++)
        little_put_f32(file, i < 3 ? 1 : 1.5f);
}

void llm_put_arm(struct little_file *file)
{
    static const unsigned faces[LLM_FACES][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                                 {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
    llm_put_head(file, true);
    little_put_u16(file, LLM_VERTICES);
    put_vertex_rows(file);
    little_put_u16(file, LLM_FACES);
    for (int i = 0; i < LLM_FACES * 3; i++)
        little_put_u16(file, faces[i / 3][i % 3]);
    little_put_u16(file, 2);
    llm_put_name(file, "mElbowLeft");
    llm_put_name(file, "mShoulderLeft");
}

void llm_put_tail(struct little_file *file)
{
    llm_put_name(file, "Fat");
    little_put_u32(file, 2);
    for (unsigned i = 0; i < 2; i++) {
        little_put_u32(file, i ? 0 : 3);
        for (int k = 0; k < 3; k++)
            little_put_f32(file, k == 2 ? 0.02f : 0);
        for (int k = 0; k < 3; k++)
            little_put_f32(file, k == 0 ? 1 : 0);
        for (int k = 0; k < 5; k++)
            little_put_f32(file, 0);
    }
    llm_put_name(file, "End Morphs");
    little_put_u32(file, 1);
    little_put_u32(file, 0);
    little_put_u32(file, 3);
}

void llm_put_body(struct little_file *file)
{
    llm_put_arm(file);
    llm_put_tail(file);
}

void llm_put_lod(struct little_file *file)
{
    static const unsigned faces[2][3] = {{0, 1, 4}, {0, 4, 3}};
    llm_put_head(file, true);
    little_put_u16(file, 2);
    for (int i = 0; i < 6; i++)
        little_put_u16(file, faces[i / 3][i % 3]);
    little_put_u16(file, 0);
    llm_put_name(file, "End Morphs");
    little_put_u32(file, 0);
}
