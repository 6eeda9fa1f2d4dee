/* Writing CINF and CSKR: bytes by hand from prime-skeleton.md, 1 and 5, foreign skeletons, and what is refused. */
#include "tests/lib/formats/prime/prime_encode.h"

#include "tests/samples/tree.h"

/* Root at (0, 0, 1), a child 2 above it, a grandchild 3 ahead of that; the file lists the child last. */
struct figure {
    struct pose_joint joints[3];
    struct pose_skeleton skeleton;
    struct pose_content content;
    struct pose_value settings[2];
};

static const uint32_t figure_order[3] = {0, 2, 1};

static void make(struct figure *figure, const char *game, uint32_t first)
{
    *figure = (struct figure){.joints = {{.name = "Skeleton_Root", .parent = -1, .translation = {0, 0, 1}},
                                         {.name = "Spine", .parent = 0, .translation = {0, 0, 2}},
                                         {.parent = 1, .translation = {0, 3, 0}}}};
    for (uint32_t i = 0; i < 3; i++) {
        struct pose_joint *joint = &figure->joints[i];
        joint->has_id = true;
        joint->id = first + i;
        joint->rotation[3] = 1;
        joint->scale[0] = joint->scale[1] = joint->scale[2] = 1;
    }
    figure->skeleton = (struct pose_skeleton){.axes = POSE_AXES_PRIME,
                                              .joint_count = 3,
                                              .joints = figure->joints,
                                              .file_order = figure_order,
                                              .root_joint = -1};
    figure->settings[1] = tree_string("game", game);
    figure->settings[0] = tree_of(POSE_OBJECT, NULL, figure->settings + 1, 1);
    figure->content = (struct pose_content){
        .skeleton_count = 1, .skeletons = &figure->skeleton, .settings = figure->settings};
}

static void put_bone(struct writer *to, bool is_mp2, uint32_t id, uint32_t parent, float y, float z)
{
    writer_u32be(to, id);
    writer_u32be(to, parent);
    writer_f32be(to, 0);
    writer_f32be(to, y);
    writer_f32be(to, z);
    for (int i = 0; is_mp2 && i < 8; i++)
        writer_f32be(to, i % 4 == 0); /* W X Y Z of the identity, twice */
}

static void put_figure(struct writer *to, bool is_mp2, uint32_t first, uint32_t nobody)
{
    writer_u32be(to, 3);
    put_bone(to, is_mp2, first, nobody, 0, 1);
    put_words(to, (const uint32_t[]){2, nobody, first + 1}, 3);
    put_bone(to, is_mp2, first + 2, first + 1, 3, 3);
    put_words(to, (const uint32_t[]){1, first + 1}, 2);
    put_bone(to, is_mp2, first + 1, first, 0, 3);
    put_words(to, (const uint32_t[]){2, first, first + 2}, 3);
    put_words(to, (const uint32_t[]){3, first, first + 1, first + 2}, 4);
    writer_u32be(to, 2);
    put_name(to, "Skeleton_Root");
    writer_u32be(to, first);
    put_name(to, "Spine");
    writer_u32be(to, first + 1);
    while (to->out->size % 32)
        writer_u8(to, 0xff);
}

TEST(test_bytes)
{
    for (int is_mp2 = 0; is_mp2 < 2; is_mp2++) {
        struct figure figure;
        struct expected expected;
        struct codec_losses losses;
        make(&figure, is_mp2 ? "mp2" : "mp1", is_mp2 ? 0 : 3);
        struct pose_buffer found = must_encode(prime_cinf_encode, &figure.content, &losses);
        ck_assert_str_eq(losses.codes, "");
        put_figure(expect_begin(&expected), is_mp2, is_mp2 ? 0 : 3, is_mp2 ? 97 : 2);
        expect_end(&expected, &found, "prime-cinf");
    }
}

TEST(test_foreign)
{
    /* glTF's axes, hashes for ids, a rest that is turned: (x, y, z) becomes (-x, z, y), and ids are given. */
    struct figure figure;
    struct expected expected;
    struct codec_losses losses;
    make(&figure, "mp1", 0x12345678);
    figure.skeleton.axes = POSE_AXES_GLTF;
    static const float places[3][3] = {{0, 1, 0}, {0, 2, 0}, {0, 0, 3}};
    for (int i = 0; i < 3; i++)
        memcpy(figure.joints[i].translation, places[i], sizeof places[i]);
    /* A half turn of the spine about the axis that its child lies on. */
    figure.joints[1].rotation[2] = 1;
    figure.joints[1].rotation[3] = 0;
    figure.joints[2].scale[1] = 2;
    struct pose_buffer found = must_encode(prime_cinf_encode, &figure.content, &losses);
    ck_assert_str_eq(losses.codes, "ids_assigned rest_rotation_dropped rest_scale_dropped ");
    ck_assert_str_eq(losses.notes, "ids_assigned ");
    put_figure(expect_begin(&expected), false, 3, 2);
    expect_end(&expected, &found, "prime-cinf");
}

TEST(test_turned_rest)
{
    /* A quarter turn of the spine about x turns its child's way from ahead (y) up (z): 3 above 3. */
    struct figure figure;
    make(&figure, "mp1", 3);
    figure.joints[1].rotation[0] = figure.joints[1].rotation[3] = 0.70710678f;
    struct pose_buffer found = must_encode(prime_cinf_encode, &figure.content, NULL);
    struct expected expected;
    struct writer *to = expect_begin(&expected);
    writer_f32be(to, 6);
    ck_assert_mem_eq(found.data + 4 + 32 + 16, expected.bytes.data, 4);
    pose_buffer_free(&expected.bytes);
    pose_buffer_free(&found);
}

TEST(test_own_lists)
{
    /* What the file had is written as it was: null id, links, order, names, rotations; and the very origin. */
    struct figure figure;
    struct expected expected;
    struct arena arena;
    arena_init(&arena, NULL, 0, NULL);
    make(&figure, "mp2", 0);
    figure.skeleton.joint_count = 1;
    figure.skeleton.file_order = NULL;
    struct value_list extras = value_object(&arena), order = value_array(&arena), names = value_array(&arena),
                      name = value_object(&arena), twin = value_object(&arena), joint = value_object(&arena),
                      links = value_array(&arena);
    value_put_int(&order, NULL, 0);
    value_put_string(&name, "name", "Skeleton_Root");
    value_put_int(&name, "bone_id", 0);
    value_put_string(&twin, "name", "Other");
    value_put_int(&twin, "bone_id", 70);
    value_put_list(&names, NULL, &name);
    value_put_list(&names, NULL, &twin);
    value_put_list(&extras, "build_order", &order);
    value_put_list(&extras, "names", &names);
    value_put_int(&links, NULL, 98);
    value_put_int(&joint, "parent_id", 98);
    value_put_floats(&joint, "origin", (const float[]){0, 0, 1.00001f}, 3);
    value_put_floats(&joint, "rotation", (const float[]){1, 2, 3, 4}, 4);
    value_put_floats(&joint, "local_rotation", (const float[]){5, 6, 7, 8}, 4);
    value_put_list(&joint, "linked_bones", &links);
    figure.joints[0].extras = value_done(&joint);
    figure.skeleton.extras = value_done(&extras);
    struct pose_buffer found = must_encode(prime_cinf_encode, &figure.content, NULL);
    struct writer *to = expect_begin(&expected);
    put_words(to, (const uint32_t[]){1, 0, 98, 0, 0}, 5);
    writer_f32be(to, 1.00001f);
    static const float quaternions[] = {4, 1, 2, 3, 8, 5, 6, 7};
    for (int i = 0; i < 8; i++)
        writer_f32be(to, quaternions[i]);
    put_words(to, (const uint32_t[]){1, 98, 1, 0, 2}, 5);
    put_name(to, "Skeleton_Root");
    writer_u32be(to, 0);
    put_name(to, "Other");
    writer_u32be(to, 70);
    while (to->out->size % 32)
        writer_u8(to, 0xff);
    expect_end(&expected, &found, "prime-cinf");
    /* A joint that was renamed or moved is not what the file had any more. */
    figure.joints[0].name = "Root";
    figure.joints[0].translation[2] = 5;
    found = must_encode(prime_cinf_encode, &figure.content, NULL);
    ck_assert_mem_eq(found.data + 20, ((const uint8_t[]){0x40, 0xa0, 0, 0}), 4);
    ck_assert_mem_eq(found.data + 4 + 20 + 32 + 8 + 8, ((const uint8_t[]){0, 0, 0, 1, 'R', 'o', 'o', 't'}),
                     8);
    pose_buffer_free(&found);
    arena_release(&arena);
}

TEST(test_refused)
{
    struct figure figure;
    static struct pose_joint many[101];
    make(&figure, "mp1", 3);
    figure.content.skeleton_count = 0;
    must_refuse(prime_cinf_encode, &figure.content, "one_skeleton");
    make(&figure, "mp1", 3);
    figure.skeleton.joint_count = 0;
    must_refuse(prime_cinf_encode, &figure.content, "one_skeleton");
    make(&figure, "mp3", 3);
    must_refuse(prime_cinf_encode, &figure.content, "bad_setting");
    make(&figure, "mp1", 3);
    figure.joints[2].translation[1] = 3e38f;
    figure.joints[1].translation[1] = 3e38f;
    must_refuse(prime_cinf_encode, &figure.content, "not_finite");
    make(&figure, "mp1", 3);
    for (int i = 0; i < 101; i++)
        many[i] = (struct pose_joint){.parent = i - 1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    figure.skeleton.joints = many;
    figure.skeleton.file_order = NULL;
    figure.skeleton.joint_count = 98;
    must_refuse(prime_cinf_encode, &figure.content, "too_many_joints");
    make(&figure, "mp2", 0);
    figure.skeleton.joints = many;
    figure.skeleton.file_order = NULL;
    figure.skeleton.joint_count = 101;
    must_refuse(prime_cinf_encode, &figure.content, "too_many_joints");
}

/* ------------------------------------------------------------------------------------------------- CSKR -- */

/* Two groups: 3 vertices on bones 4 and 5, 1 vertex on bone 4. */
static void make_skin(struct arena *arena, struct value_list *extras)
{
    struct value_list groups = value_array(arena);
    for (int g = 0; g < 2; g++) {
        struct value_list group = value_object(arena), weights = value_array(arena);
        for (int w = 0; w < 2 - g; w++) {
            struct value_list weight = value_object(arena);
            value_put_int(&weight, "bone_id", 4 + w);
            value_put_float(&weight, "weight", g ? 1 : w ? 0.25f : 0.75f);
            value_put_list(&weights, NULL, &weight);
        }
        value_put_list(&group, "weights", &weights);
        value_put_int(&group, "vertex_count", g ? 1 : 3);
        value_put_list(&groups, NULL, &group);
    }
    *extras = value_object(arena);
    value_put_list(extras, "groups", &groups);
}

static const uint32_t skin_words[] = {2, 2, 4, 0x3f400000, 5, 0x3e800000, 3, 1, 4, 0x3f800000, 1};

static struct pose_buffer encode_skin(const struct value_list *extras)
{
    const struct pose_mesh mesh = {.extras = value_done(extras)};
    const struct pose_content content = {.mesh_count = 1, .meshes = &mesh};
    return must_encode(prime_cskr_encode, &content, NULL);
}

TEST(test_skin_bytes)
{
    struct arena arena;
    struct value_list extras;
    struct expected expected;
    arena_init(&arena, NULL, 0, NULL);
    make_skin(&arena, &extras);
    struct pose_buffer found = encode_skin(&extras);
    struct writer *to = expect_begin(&expected);
    put_words(to, skin_words, 11);
    put_words(to, (const uint32_t[]){UINT32_MAX, 4, UINT32_MAX, 4}, 4);
    expect_end(&expected, &found, "prime-cskr");

    make_skin(&arena, &extras);
    value_put_int(&extras, "vertex_count", 1);
    value_put_string(&extras, "vertices", "000102030405060708090a0b");
    value_put_int(&extras, "normal_count", 7);
    found = encode_skin(&extras);
    to = expect_begin(&expected);
    put_words(to, skin_words, 11);
    put_words(to, (const uint32_t[]){1, 0x00010203, 0x04050607, 0x08090a0b, UINT32_MAX, 7}, 6);
    expect_end(&expected, &found, "prime-cskr");

    make_skin(&arena, &extras);
    struct value_list map = value_array(&arena);
    for (int i = 0; i < 4; i++)
        value_put_int(&map, NULL, i == 3);
    value_put_string(&extras, "game", "mp2");
    value_put_list(&extras, "matrix_banks", &map);
    value_put_string(&extras, "footer", "abcd");
    found = encode_skin(&extras);
    to = expect_begin(&expected);
    put_words(to, skin_words, 11);
    put_words(to, (const uint32_t[]){4, 0, 1, 2}, 4);
    writer_u16be(to, 0xabcd);
    expect_end(&expected, &found, "prime-cskr");
    arena_release(&arena);
}

TEST(test_skin_refused)
{
    struct arena arena;
    struct value_list extras;
    arena_init(&arena, NULL, 0, NULL);
    make_skin(&arena, &extras);
    value_put_int(&extras, "vertex_count", 2);
    value_put_string(&extras, "vertices", "000102030405060708090a0b");
    struct pose_mesh mesh = {.extras = value_done(&extras)};
    struct pose_content content = {.mesh_count = 1, .meshes = &mesh};
    must_refuse(prime_cskr_encode, &content, "bad_value");
    make_skin(&arena, &extras);
    value_put_string(&extras, "game", "mp2");
    value_put_string(&extras, "footer", "xy");
    mesh.extras = value_done(&extras);
    must_refuse(prime_cskr_encode, &content, "bad_value");
    mesh.extras = NULL;
    must_refuse(prime_cskr_encode, &content, "no_groups");
    content.mesh_count = 0;
    must_refuse(prime_cskr_encode, &content, "one_mesh");
    arena_release(&arena);
}
