/* Names of written nodes: unique, also as three.js spells them, and the same again when they are read. */
#include "lib/core/json.h"
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* As PropertyBinding.sanitizeNodeName of three.js. */
static void spell(const char *name, char *key)
{
    static const char *const blanks[] = {" ",  "\t",       "\n",           "\v",          "\f",
                                         "\r", "\xC2\xA0", "\xE2\x80\x83", "\xE3\x80\x80"};
    while (*name) {
        size_t length = 0;
        for (size_t i = 0; i < COUNT(blanks) && !length; i++)
            length = strncmp(name, blanks[i], strlen(blanks[i])) ? 0 : strlen(blanks[i]);
        if (length)
            *key++ = '_';
        else if (!strchr("[].:/", *name))
            *key++ = *name;
        name += length ? length : 1;
    }
    *key = '\0';
}

static void check_unique(const struct pose_buffer *glb)
{
    struct arena arena;
    struct json json;
    struct pose_error error;
    static char keys[MOST * 4][1200];
    uint32_t count = 0;
    const size_t size = (size_t)glb->data[12] | (size_t)glb->data[13] << 8 | (size_t)glb->data[14] << 16;
    arena_init(&arena, NULL, (size_t)1 << 28, &error);
    ck_assert(json_open(&json, (struct pose_bytes){glb->data + 20, size}, 0, &arena, &error));
    const struct pose_value *nodes = pose_value_find(json.root, "nodes");
    for (const struct pose_value *node = nodes->first; node; node = node->next) {
        ck_assert_uint_lt(count, COUNT(keys));
        spell(value_get_string(node, "name", ""), keys[count]);
        ck_assert_msg(keys[count][0] != '\0', "a node is called nothing");
        for (uint32_t i = 0; i < count; i++)
            ck_assert_msg(strcmp(keys[i], keys[count]) != 0, "two nodes are called %s", keys[i]);
        count++;
    }
    json_close(&json);
    arena_release(&arena);
}

static char long_name[1001]; /* of letters of two bytes */

/* Each row is a skeleton's joints, the first is the parent of all others. */
static const char *const skeletons[][10] = {
    {"Hips", "Hips", "Hips", "Hips_1", "Hips_1"},
    {"Hips", "Hips.L", "HipsL", "Hips:L", "Hips/L", "[Hips]L", "HipsL_1"},
    {"left arm", "left_arm", "left\tarm",
     "left\xC2\xA0"
     "arm",
     "left\xE3\x80\x80"
     "arm"},
    {"...", "::", "/", "_1", "", "[]"},
    {"figure", "figure", "body", "body", "body_1", "bones", "bones"},
    {"a", "a.scale", "ascale", "a_scale", "a.scale"},
    {"joint_3", "joint_3", NULL},
    {"toString", "__proto__", "constructor", "constructor"},
};

static struct pose_skeleton make(const char *const *names, struct pose_joint *joints)
{
    uint32_t count = 0;
    for (; count < 10 && (names[count] || count == 2); count++)
        joints[count] = (struct pose_joint){.name = names[count],
                                            .parent = count ? 0 : -1,
                                            .translation = {0, (float)count, 0},
                                            .rotation = {0, 0, 0, 1},
                                            .scale = {1, 1, 1}};
    /* With a child, a scale that it must not inherit has a node of its own. */
    joints[0].scale[0] = 2;
    return (struct pose_skeleton){.name = "figure",
                                  .scaling = POSE_SCALE_OFFSETS,
                                  .joint_count = count,
                                  .joints = joints,
                                  .root_joint = -1};
}

static void there_and_back(const struct pose_skeleton *skeleton, const struct pose_mesh *meshes,
                           uint32_t mesh_count)
{
    const struct pose_content content = {
        .skeleton_count = 1, .skeletons = skeleton, .mesh_count = mesh_count, .meshes = meshes};
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    check_unique(&glb);
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    const struct pose_skeleton *read = document->skeletons;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const char *wanted = skeleton->joints[i].name;
        uint32_t found = 0;
        while (found < read->joint_count && read->joints[found].translation[1] != (float)i)
            found++;
        ck_assert_uint_lt(found, read->joint_count);
        /* What looks like our name of an unnamed joint is one; an empty name is none. */
        if (wanted && *wanted && strncmp(wanted, "joint_", 6) != 0)
            ck_assert_pstr_eq(read->joints[found].name, wanted);
    }
    ck_assert_uint_eq(document->mesh_count, mesh_count);
    for (uint32_t i = 0; i < mesh_count; i++)
        ck_assert_str_eq(document->meshes[i].name, meshes[i].name);
    pose_document_free(document);
    pose_buffer_free(&glb);
}

TEST_EACH(no_two_nodes_share_a_name, COUNT(skeletons))
{
    struct pose_joint joints[10];
    struct pose_skeleton skeleton = make(skeletons[_i], joints);
    there_and_back(&skeleton, NULL, 0);
}

/* Meshes come last: joints keep their names. */
TEST(meshes_make_way_for_joints)
{
    static const float positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                       normals[3][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const uint32_t face[1][3] = {{0, 1, 2}};
    static const char *const names[] = {"Hips", "body", "body", "bo.dy"};
    struct pose_joint joints[10];
    struct pose_mesh meshes[4];
    struct pose_skeleton skeleton = make(skeletons[0], joints);
    for (uint32_t i = 0; i < 4; i++)
        meshes[i] = (struct pose_mesh){.name = names[i],
                                       .axes = POSE_AXES_GLTF,
                                       .space = POSE_SPACE_BIND,
                                       .face_count = 1,
                                       .faces = face,
                                       .real_count = 3,
                                       .positions = positions,
                                       .normals = normals};
    there_and_back(&skeleton, meshes, 4);
}

/* Names are not cut, so not within a letter either. */
TEST(long_names_stay_whole)
{
    for (size_t i = 0; i + 1 < sizeof long_name; i += 2)
        memcpy(long_name + i, "\xC3\xA9", 2);
    static const char *const names[10] = {long_name, long_name, long_name};
    struct pose_joint joints[10];
    struct pose_skeleton skeleton = make(names, joints);
    there_and_back(&skeleton, NULL, 0);
}

/* A joint that was renamed since keeps its new name. */
TEST(what_was_renamed_stays_so)
{
    static const char *const names[10] = {"Hips", "Hips", "Head"};
    struct pose_joint joints[10];
    struct pose_skeleton skeleton = make(names, joints);
    const struct pose_content content = {.skeleton_count = 1, .skeletons = &skeleton};
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    char *found = memmem(glb.data, glb.size, "{\"name\":\"Hips_1\"", 16);
    ck_assert_ptr_nonnull(found);
    memcpy(found + 9, "Tail_1", 6);
    struct pose_document *document = codec_must_decode("gltf", glb.data, glb.size);
    bool has_tail = false;
    for (uint32_t i = 0; i < document->skeletons->joint_count; i++)
        has_tail |= !strcmp(document->skeletons->joints[i].name, "Tail_1");
    ck_assert(has_tail);
    pose_document_free(document);
    pose_buffer_free(&glb);
}

/* Many equal names, also those that three.js spells as nothing: no search from the beginning for each. */
TEST(crowds_of_equal_names)
{
    enum { COUNT_OF_ALL = 60000 };
    struct pose_joint *joints = calloc(COUNT_OF_ALL, sizeof *joints);
    for (uint32_t i = 0; i < COUNT_OF_ALL; i++)
        joints[i] = (struct pose_joint){
            .name = i % 2 ? "bone" : ":", .parent = i ? 0 : -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    const struct pose_skeleton skeleton = {.joint_count = COUNT_OF_ALL, .joints = joints, .root_joint = -1};
    struct pose_value none = {.kind = POSE_STRING, .key = "bones", .as.string = "none"};
    const struct pose_value settings = {.kind = POSE_OBJECT, .first = &none};
    const struct pose_content content = {.skeleton_count = 1, .skeletons = &skeleton, .settings = &settings};
    struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
    ck_assert_ptr_nonnull(memmem(glb.data, glb.size, "\"bone_29999\"", 12));
    pose_buffer_free(&glb);
    free(joints);
}
