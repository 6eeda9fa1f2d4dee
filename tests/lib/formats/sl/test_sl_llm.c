/* Parts of the avatar's body: made ones, damaged ones, and those of the viewer where they are at hand. */
#include "lib/formats/sl/body/palette.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/llm_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct little_file body;

static void make_body(void)
{
    body = (struct little_file){0};
    llm_put_body(&body);
}

static void free_body(void)
{
    pose_buffer_free(&body.bytes);
}

static struct pose_document *decode_body(void)
{
    return codec_must_decode("sl-llm", body.bytes.data, body.bytes.size);
}

/* ------------------------------------------------------------------------------------------------ made files -- */

FIXTURE(make_body, free_body);

TEST(a_made_arm)
{
    struct pose_document *document = decode_body();
    const struct pose_mesh *mesh = document->meshes;
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(mesh->real_count, LLM_VERTICES);
    ck_assert_uint_eq(mesh->face_count, LLM_FACES);
    ck_assert_float_eq(mesh->positions[3][1], 0.35f);
    ck_assert_float_eq(mesh->uvs[0][1], 0.75f); /* rows are counted from below in the file */
    /* The order of names does not matter: the path is collar, shoulder, elbow. */
    ck_assert_uint_eq(mesh->bone_count, 3);
    ck_assert_str_eq(mesh->bones[0], "mCollarLeft");
    ck_assert_str_eq(mesh->bones[1], "mShoulderLeft");
    ck_assert_str_eq(mesh->bones[2], "mElbowLeft");
    ck_assert_uint_eq(mesh->influences[0].bones[0], 1);
    ck_assert_float_eq(mesh->influences[0].weights[0], 1);
    ck_assert_float_eq(mesh->influences[0].weights[1], 0);
    ck_assert_uint_eq(mesh->influences[4].bones[1], 2);
    ck_assert_float_eq(mesh->influences[4].weights[1], 0.5f);
    ck_assert_uint_eq(mesh->morph_count, 1);
    ck_assert_str_eq(mesh->morphs[0].name, "Fat");
    ck_assert_uint_eq(mesh->morphs[0].vertices[0], 0);
    ck_assert_uint_eq(mesh->morphs[0].vertices[1], 3);
    ck_assert_float_eq(mesh->morphs[0].positions[1][2], 0.02f);
    ck_assert_float_eq(mesh->morphs[0].normals[0][0], 0.65f);
    pose_document_free(document);
}

TEST(a_level_of_detail_borrows_its_vertices)
{
    struct little_file lod = {0};
    struct pose_error error;
    llm_put_lod(&lod);
    struct codec_companion companions[] = {{"sample.llm", {body.bytes.data, body.bytes.size}},
                                           {NULL, {NULL, 0}}};
    const struct pose_source source = {.name = "sample_1.llm",
                                       .bytes = {lod.bytes.data, lod.bytes.size},
                                       .find = codec_find_companion,
                                       .user = companions};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    ck_assert_msg(document != NULL, "%s", error.detail);
    ck_assert_uint_eq(document->meshes->face_count, 2);
    ck_assert_uint_eq(document->meshes->real_count, LLM_VERTICES);
    pose_document_free(document);
    codec_must_fail("sl-llm", lod.bytes.data, lod.bytes.size, "no_reference");
    /* One whose reference is a level of detail itself. */
    companions[0].bytes = (struct pose_bytes){lod.bytes.data, lod.bytes.size};
    pose_error_init(&error);
    ck_assert_ptr_null(pose_decode(&source, NULL, &error));
    ck_assert_str_eq(error.code, "no_reference");
    pose_buffer_free(&lod.bytes);
}

/* ------------------------------------------------------------------------------------------------- refusals -- */

static const struct refused {
    size_t at;
    uint32_t value;
    unsigned size; /* bytes of the value */
    const char *code;
} refused[] = {
    {0, 'X', 1, "bad_magic"},
    {LLM_AT_VERTEX_COUNT, 0, 2, "no_vertices"},
    {LLM_AT_VERTEX_COUNT, 65535, 2, "truncated"},
    {LLM_AT_VERTICES, 0x7fc00000, 4, "not_finite"},
    {LLM_AT_POSITION, 0x7f800000, 4, "not_finite"},
    {LLM_AT_WEIGHTS, 0xbf000000, 4, "bad_weight"}, /* -0.5 */
    {LLM_AT_WEIGHTS, 0x41700000, 4, "bad_weight"}, /* 15 */
    {LLM_AT_WEIGHTS, 0x7f61b1e6, 4, "bad_weight"}, /* 3e38 */
    {LLM_AT_FACE_COUNT, 65535, 2, "truncated"},
    {LLM_AT_FACES, LLM_VERTICES, 2, "bad_index"},
    {LLM_AT_JOINT_COUNT, 0, 2, "no_joints"},
    {LLM_AT_JOINT_COUNT, 16, 2, "too_many_joints"},
    {LLM_AT_MORPH_COUNT, 0x05555556, 4, "truncated"}, /* times 48 it wraps in 32 bits */
    {LLM_AT_MORPH_COUNT, 0x7fffffff, 4, "truncated"},
    {LLM_AT_MORPH_COUNT, 0xffffffff, 4, "bad_count"},
    {LLM_AT_MORPH_VERTEX, LLM_VERTICES, 4, "bad_index"},
    {LLM_AT_MORPH_VERTEX, 0xffffffff, 4, "bad_index"},
};

TEST_EACH(damage_is_refused_where_it_is, COUNT(refused))
{
    const struct refused *one = &refused[_i];
    for (unsigned i = 0; i < one->size; i++)
        body.bytes.data[one->at + i] = (uint8_t)(one->value >> 8 * i);
    struct pose_error error = codec_must_fail("sl-llm", body.bytes.data, body.bytes.size, one->code);
    ck_assert_uint_eq(error.offset, one->at);
}

TEST(every_truncation_is_told)
{
    for (size_t size = 0; size < body.bytes.size; size++) {
        struct pose_error error;
        struct pose_document *document = codec_decode("sl-llm", body.bytes.data, size, &error);
        /* Between two morphs the end is merely not marked. */
        bool is_between = size == LLM_AT_MORPH || size == LLM_AT_MORPH_VERTEX + 2 * 48;
        ck_assert_msg(!document == !is_between, "%zu bytes", size);
        if (document)
            ck_assert_uint_eq(codec_warnings(document, "no_end_mark"), 1);
        else
            ck_assert_str_eq(error.code,
                             size < LLM_AT_MORPH || strcmp(error.code, "bad_magic") ? "truncated" : "");
        pose_document_free(document);
    }
}

TEST(odd_things_are_warned_of)
{
    little_set_f32(&body, LLM_AT_WEIGHTS, 2.5f); /* the last entry has no next one */
    little_set_f32(&body, LLM_AT_WEIGHTS + 4, 9.5f);
    little_set_f32(&body, LLM_AT_WEIGHTS + 8, -0.0f);
    little_put(&body, "more", 4);
    body.bytes.data[25] = 1;
    struct pose_document *document = decode_body();
    const struct pose_influences *influences = document->meshes->influences;
    ck_assert_uint_eq(codec_warnings(document, "weight_beyond_palette"), 1);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(codec_warnings(document, "detail_coordinates"), 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(influences[i].bones[0], 2);
        ck_assert_float_eq(influences[i].weights[0], 1);
    }
    ck_assert_uint_eq(influences[2].bones[0], 0);
    pose_document_free(document);
}

TEST(names_that_are_no_joints_hold_nothing)
{
    static const char *const names[] = {"", "mRoot", "mSpine1", "PELVIS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct little_file file = {0};
        llm_put_name(&file, names[i]);
        memcpy(body.bytes.data + LLM_AT_JOINTS, file.bytes.data, 64);
        memcpy(body.bytes.data + LLM_AT_JOINTS + 64, file.bytes.data, 64);
        struct pose_document *document = decode_body();
        ck_assert_uint_eq(codec_warnings(document, "unknown_joint"), 2);
        ck_assert_ptr_null(document->meshes->influences);
        pose_document_free(document);
        pose_buffer_free(&file.bytes);
    }
    memset(body.bytes.data + LLM_AT_JOINTS, 'x', 64);
    struct pose_document *document = decode_body();
    ck_assert_uint_eq(codec_warnings(document, "unterminated_name"), 1);
    pose_document_free(document);
}

TEST(a_million_empty_morphs_are_a_limit)
{
    struct little_file file = {0};
    llm_put_arm(&file);
    for (int i = 0; i < 5000; i++) {
        char name[32];
        snprintf(name, sizeof name, "m%d", i);
        llm_put_name(&file, name);
        little_put_u32(&file, 0);
    }
    struct pose_error error;
    ck_assert_ptr_null(codec_decode("sl-llm", file.bytes.data, file.bytes.size, &error));
    ck_assert_str_eq(error.limit, "morphs");
    pose_buffer_free(&file.bytes);
}

/* ------------------------------------------------------------------------------------------------- palettes -- */

static const struct worked_palette {
    const char *joints; /* as the file may name them */
    const char *palette;
} palettes[] = {
    {"mHead mNeck", "mChest mNeck mHead"},
    {"mHead", "mNeck mHead"},
    {"mAnkleLeft mHipLeft mKneeLeft mAnkleRight mHipRight mKneeRight mPelvis",
     "mRoot mPelvis mHipRight mKneeRight mAnkleRight mPelvis mHipLeft mKneeLeft mAnkleLeft"},
    {"mHipLeft mHipRight mKneeLeft mKneeRight mPelvis mTorso",
     "mRoot mPelvis mTorso mPelvis mHipRight mKneeRight mPelvis mHipLeft mKneeLeft"},
    {"mChest mCollarLeft mCollarRight mElbowLeft mElbowRight mNeck mPelvis mShoulderLeft mShoulderRight "
     "mTorso "
     "mWristLeft mWristRight",
     "mRoot mPelvis mTorso mChest mNeck mChest mCollarLeft mShoulderLeft mElbowLeft mWristLeft mChest "
     "mCollarRight mShoulderRight mElbowRight mWristRight"},
};

FIXTURE(NULL, NULL);

TEST_EACH(worked_palettes, COUNT(palettes))
{
    bool named[AVATAR_JOINTS] = {false};
    char names[400], text[400] = "";
    struct sl_palette palette;
    snprintf(names, sizeof names, "%s", palettes[_i].joints);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        named[sl_avatar_joint_find(name)] = true;
    sl_palette_make(named, &palette);
    for (uint32_t i = 0; i < palette.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 sl_avatar_joint(palette.joints[i]));
    ck_assert_str_eq(text, palettes[_i].palette);
    ck_assert(!palette.is_cut);
}

/* ----------------------------------------------------------------------------------------------- real files -- */

static const struct real {
    const char *file;
    uint32_t vertices, faces, morphs;
} reals[] = {
    {"avatar_head", 1132, 1844, 95},      {"avatar_hair", 627, 1020, 47},
    {"avatar_eyelashes", 48, 46, 34},     {"avatar_upper_body", 2211, 3688, 30},
    {"avatar_lower_body", 977, 1654, 24}, {"avatar_skirt", 182, 294, 13},
    {"avatar_eye", 145, 272, 2},          {"avatar_eye_1", 54, 70, 1},
};

TEST_EACH(the_viewers_body, COUNT(reals))
{
    char path[128];
    struct test_file file;
    snprintf(path, sizeof path, "sl/character/%s.llm", reals[_i].file);
    if (!corpus_read(path, &file))
        return;
    struct pose_document *document = codec_must_decode("sl-llm", file.data, file.size);
    ck_assert_uint_eq(document->meshes->real_count, reals[_i].vertices);
    ck_assert_uint_eq(document->meshes->face_count, reals[_i].faces);
    ck_assert_uint_eq(document->meshes->morph_count, reals[_i].morphs);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
    test_file_free(&file);
}

TEST(worked_vertices)
{
    struct test_file file;
    if (!corpus_read("sl/character/avatar_upper_body.llm", &file))
        return;
    struct pose_document *document = codec_must_decode("sl-llm", file.data, file.size);
    const struct pose_mesh *mesh = document->meshes;
    static const struct {
        uint32_t vertex;
        float position[3];
        const char *bone;
    } worked[] = {{0, {-0.073454f, -0.060321f, 1.14456f}, "mPelvis"},
                  {700, {0.079495f, -0.106578f, 1.256136f}, "mTorso"},
                  {2210, {-0.072875f, -0.811291f, 1.516148f}, "mWristRight"}};
    for (size_t i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            ck_assert_float_eq_tol(mesh->positions[worked[i].vertex][k], worked[i].position[k], 6e-7f);
        ck_assert_str_eq(mesh->bones[mesh->influences[worked[i].vertex].bones[0]], worked[i].bone);
    }
    ck_assert_float_eq_tol(mesh->normals[2210][2], 0.889828f, 6e-7f);
    ck_assert_float_eq_tol(mesh->uvs[2210][1], 1 - 0.246f, 6e-4f);
    pose_document_free(document);
    test_file_free(&file);
}
