/* Second Life's skeletons: XML in and out, what may be wrong with it, and the real one when it is there. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REST "pos=\"0 0 1\" rot=\"0 0 0\" scale=\"1 1 1\""
#define BONE REST " pivot=\"0 0 1\""

static const char sample[] =
    "<?xml version=\"1.0\"?>\n"
    "<!-- avatar -->\n"
    "<linden_skeleton num_bones=\"3\" num_collision_volumes=\"2\" version=\"2.0\">\n"
    " <bone name=\"mPelvis\" aliases=\"hip  avatar_mPelvis\" pos=\"0 0 1.067\" rot=\"0 0 0\" scale=\"1 1 "
    "1\"\n"
    "   pivot=\"0 0 1.067015\" end=\"0 0 0.084\" group=\"Torso\" support=\"base\" connected=\"false\">\n"
    "  <collision_volume name=\"PELVIS\" pos=\"-0.01 0 -2e-2\" rot=\"10 20 30\" scale=\".12 .16 .17\"/>\n"
    "  <bone name=\"mTorso\" " BONE " connected=\"true\">\n"
    "   <collision_volume name=\"BELLY\" " REST "/>\n"
    "  </bone>\n"
    "  <bone name=\"m&amp;&lt;\" " BONE "/>\n"
    " </bone>\n"
    "</linden_skeleton>\n";

static struct pose_document *must_decode(const char *text)
{
    return codec_must_decode("sl-skeleton", text, strlen(text));
}

static struct pose_error must_fail(const char *text, const char *code)
{
    struct pose_error error = codec_must_fail("sl-skeleton", text, strlen(text), code);
    ck_assert_int_eq(error.status, POSE_BAD_DATA);
    return error;
}

static char *extras_of(const struct pose_value *extras)
{
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, extras) && pose_buffer_append(&text, "", 1));
    char *copy = strdup((char *)text.data);
    pose_buffer_free(&text);
    return copy;
}

static void check_vector(const float *vector, float x, float y, float z)
{
    ck_assert_float_eq_tol(vector[0], x, 1e-7f);
    ck_assert_float_eq_tol(vector[1], y, 1e-7f);
    ck_assert_float_eq_tol(vector[2], z, 1e-7f);
}

/* ------------------------------------------------------------------------------------------------- reading -- */

static void check_sample(const struct pose_skeleton *skeleton)
{
    static const struct {
        const char *name;
        int parent;
    } expected[] = {{"mPelvis", -1}, {"mTorso", 0}, {"m&<", 0}, {"PELVIS", 0}, {"BELLY", 1}};
    ck_assert_int_eq(skeleton->axes, POSE_AXES_SL);
    ck_assert_int_eq(skeleton->scaling, POSE_SCALE_OFFSETS);
    ck_assert_uint_eq(skeleton->joint_count, 5);
    ck_assert_int_eq(skeleton->root_joint, 0);
    ck_assert_ptr_null(skeleton->file_order);
    const struct pose_joint *joints = skeleton->joints;
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(joints[i].name, expected[i].name);
        ck_assert_int_eq(joints[i].parent, expected[i].parent);
    }
    ck_assert_str_eq(joints[0].aliases[0], "hip");
    ck_assert_str_eq(joints[0].aliases[1], "avatar_mPelvis");
    ck_assert_ptr_null(joints[0].aliases[2]);
    ck_assert_ptr_null(joints[1].aliases);
    check_vector(joints[0].translation, 0, 0, 1.067f);
    check_vector(joints[0].rotation, 0, 0, 0);
    ck_assert_float_eq(joints[0].rotation[3], 1);
    check_vector(joints[3].translation, -0.01f, 0, -0.02f);
    check_vector(joints[3].scale, 0.12f, 0.16f, 0.17f);
    char *text = extras_of(joints[0].extras);
    ck_assert_str_eq(text,
                     "{\"kind\":\"bone\",\"group\":\"Torso\",\"support\":\"base\",\"pivot\":[0,0,1.067015],"
                     "\"end\":[0,0,0.084],\"connected\":false}");
    free(text);
    text = extras_of(joints[4].extras);
    ck_assert_str_eq(text, "{\"kind\":\"collision_volume\"}");
    free(text);
    ck_assert_str_eq(value_get_string(skeleton->extras, "version", ""), "2.0");
}

TEST(sample_is_read)
{
    struct pose_document *document = codec_must_decode(NULL, sample, sizeof sample - 1);
    ck_assert_str_eq(document->format, "sl-skeleton");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    check_sample(&document->skeletons[0]);
    pose_document_free(document);
}

/* Bones that came later do not count, nor do volumes; what says nothing does. */
TEST(pivots_of_the_original_bones_add_up)
{
    struct pose_document *document = must_decode(
        "<linden_skeleton num_bones=\"4\"><bone name=\"mPelvis\" support=\"base\" " REST " pivot=\"0.5 0 1\">"
        "<bone name=\"mSpine1\" support=\"extended\" " REST " pivot=\"7 7 7\"><bone name=\"mTorso\" " REST
        " pivot=\"0 .25 .5\"><collision_volume name=\"BELLY\" pivot=\"9 9 9\" support=\"extended\" " REST
        "/></bone></bone></bone><bone name=\"b\" " BONE "/></linden_skeleton>");
    const float wanted[5][3] = {
        {0.5f, 0, 1}, {0.5f, 0, 1}, {0.5f, 0.25f, 1.5f}, {0, 0, 1}, {0.5f, 0.25f, 1.5f}};
    for (int i = 0; i < 5; i++)
        check_vector(document->skeletons[0].pivots[i], wanted[i][0], wanted[i][1], wanted[i][2]);
    pose_document_free(document);
}

/* v turned about a fixed axis. */
static void turn(double v[3], int axis, double degrees)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double s = sin(degrees / 57.29577951308232), c = cos(degrees / 57.29577951308232);
    double x = v[a], y = v[b];
    v[a] = c * x - s * y;
    v[b] = s * x + c * y;
}

static void rotate(const float q[4], double v[3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3], u[3] = {v[0], v[1], v[2]};
    double t[3] = {2 * (y * u[2] - z * u[1]), 2 * (z * u[0] - x * u[2]), 2 * (x * u[1] - y * u[0])};
    v[0] = u[0] + w * t[0] + y * t[2] - z * t[1];
    v[1] = u[1] + w * t[1] + z * t[0] - x * t[2];
    v[2] = u[2] + w * t[2] + x * t[1] - y * t[0];
}

/* About the fixed axes X, then Y, then Z; each of the three tells the orders apart. */
TEST(rotations)
{
    struct pose_document *document = must_decode(sample);
    for (int i = 0; i < 3; i++) {
        double a[3] = {i == 0, i == 1, i == 2}, b[3] = {i == 0, i == 1, i == 2};
        turn(a, 0, 10);
        turn(a, 1, 20);
        turn(a, 2, 30);
        rotate(document->skeletons[0].joints[3].rotation, b);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(a[k], b[k], 1e-6);
    }
    pose_document_free(document);
}

TEST(odd_but_legal)
{
    struct pose_document *document =
        must_decode("<linden_skeleton num_bones=\"2\" num_collision_volumes=\"5\"><light><bone/></light>text"
                    "<bone name=\"a\" " BONE "><mesh/></bone><bone name=\"b\" " BONE "/></linden_skeleton>");
    ck_assert_uint_eq(codec_warnings(document, "unknown_element"), 2);
    ck_assert_uint_eq(codec_warnings(document, "bad_num_collision_volumes"), 1);
    ck_assert_uint_eq(codec_warnings(document, "several_roots"), 1);
    ck_assert_uint_eq(codec_warnings(document, "no_pelvis"), 1);
    ck_assert_int_eq(document->skeletons[0].root_joint, -1);
    ck_assert_ptr_null(document->skeletons[0].extras);
    pose_document_free(document);
}

TEST(detection)
{
    static const struct {
        const char *text;
        bool is_ours;
    } cases[] = {
        {"<linden_skeleton", true},  {"\xef\xbb\xbf \n<?xml version='1.0'?><linden_skeleton>", true},
        {"<linden_skeletal", false}, {"x<linden_skeleton", false},
        {"<avatar>", false},         {"", false},
        {"\xef\xbb\xbf", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pose_source source = {.name = "a.xml",
                                     .bytes = {(const uint8_t *)cases[i].text, strlen(cases[i].text)}};
        const char *format = pose_detect(&source);
        ck_assert_int_eq(format && !strcmp(format, "sl-skeleton"), cases[i].is_ours);
    }
}

/* -------------------------------------------------------------------------------------------------- errors -- */

#define ROOT(count, inside) "<linden_skeleton num_bones=\"" count "\">\n" inside "</linden_skeleton>"

static const struct {
    const char *text, *code, *field;
    uint32_t line;
} broken[] = {
    {"", "bad_xml", "", 1},
    {"<linden_skeleton num_bones=\"1\">\n\n<bone>", "missing_attribute", "bones[0].name", 3},
    {"<linden_skeleton num_bones=\"1\">\n\n", "bad_xml", "", 3},
    {"<linden_skeleton num_bones=\"1\">\n</bone>", "bad_xml", "", 2},
    {"<linden_skeleton num_bones=\"1\">\n<bone name=\"\xff\"/>", "bad_xml", "", 2},
    {"\n<avatar/>", "bad_root", "", 2},
    {"<linden_skeleton/>", "missing_attribute", "num_bones", 1},
    {"<linden_skeleton num_bones=\"-1\"/>", "missing_attribute", "num_bones", 1},
    {ROOT("0", ""), "no_joints", "", 1},
    {ROOT("2", "<bone name=\"a\" " BONE "/>"), "bad_num_bones", "num_bones", 1},
    {ROOT("1", "<bone name=\"\" " BONE "/>"), "missing_attribute", "bones[0].name", 2},
    {ROOT("1", "<bone name=\"a\" rot=\"0 0 0\" scale=\"1 1 1\" pivot=\"0 0 0\"/>"), "missing_attribute",
     "bones[0].pos", 2},
    {ROOT("1", "<bone name=\"a\" pos=\"0 0 0\" scale=\"1 1 1\" pivot=\"0 0 0\"/>"), "missing_attribute",
     "bones[0].rot", 2},
    {ROOT("1", "<bone name=\"a\" pos=\"0 0 0\" rot=\"1 1 1\" pivot=\"0 0 0\"/>"), "missing_attribute",
     "bones[0].scale", 2},
    {ROOT("1", "<bone name=\"a\" " REST "/>"), "missing_attribute", "bones[0].pivot", 2},
    {ROOT("1", "<bone name=\"a\" " BONE ">\n<collision_volume name=\"A\"/></bone>"), "missing_attribute",
     "collision_volumes[0].pos", 3},
    {ROOT("1", "<bone name=\"a\" pos=\"0 0\" rot=\"1 1 1\" scale=\"1 1 1\" pivot=\"0 0 0\"/>"), "bad_vector",
     "bones[0].pos", 2},
    {ROOT("1", "<bone name=\"a\" pos=\"0 0 0 0\" rot=\"1 1 1\" scale=\"1 1 1\" pivot=\"0 0 0\"/>"),
     "bad_vector", "bones[0].pos", 2},
    {ROOT("1", "<bone name=\"a\" pos=\"0 x 0\" rot=\"1 1 1\" scale=\"1 1 1\" pivot=\"0 0 0\"/>"),
     "bad_vector", "bones[0].pos", 2},
    {ROOT("1", "<bone name=\"a\" pos=\"0 0 0\" rot=\"nan 1 1\" scale=\"1 1 1\" pivot=\"0 0 0\"/>"),
     "not_finite", "bones[0].rot", 2},
    {ROOT("1", "<bone name=\"a\" pos=\"0 0 0\" rot=\"1 1 1\" scale=\"1 1 1e99\" pivot=\"0 0 0\"/>"),
     "not_finite", "bones[0].scale", 2},
    {ROOT("1", "<bone name=\"a\" " BONE " end=\"1\"/>"), "bad_vector", "bones[0].end", 2},
    {ROOT("2", "<bone name=\"a\" " BONE ">\n<bone name=\"a\" " BONE "/></bone>"), "duplicate_name",
     "bones[1].name", 3},
    {ROOT("1", "<bone name=\"a\" " BONE ">\n\n<collision_volume name=\"a\" " REST "/></bone>"),
     "duplicate_name", "collision_volumes[0].name", 4},
    {ROOT("0", "<collision_volume name=\"a\" " REST "/>"), "misplaced_element", "", 2},
    {ROOT("1", "<bone name=\"a\" " BONE "><collision_volume name=\"b\" " REST
               ">\n<bone/></collision_volume></bone>"),
     "misplaced_element", "", 3},
    {"<!DOCTYPE linden_skeleton [\n<!ENTITY a \"b\">]>\n" ROOT("1", "<bone name=\"&a;\" " BONE "/>"),
     "entity", "", 2},
    {"<!DOCTYPE linden_skeleton [\n<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" ROOT("0", "&a;"), "entity",
     "", 2},
};

TEST_EACH(each_error_has_its_line, COUNT(broken))
{
    struct pose_error error = must_fail(broken[_i].text, broken[_i].code);
    ck_assert_str_eq(error.field, broken[_i].field);
    ck_assert_uint_eq(error.line, broken[_i].line);
    ck_assert_ptr_nonnull(strstr(error.detail, "at line "));
    ck_assert(error.offset <= strlen(broken[_i].text));
}

TEST(sentences)
{
    struct pose_error error = must_fail(ROOT("1", "<bone name=\"a\" " REST "/>"), "missing_attribute");
    ck_assert_str_eq(error.detail, "bones[0].pivot at line 2: missing");
    error = must_fail(ROOT("7", "<bone name=\"a\" " BONE "/>"), "bad_num_bones");
    ck_assert_str_eq(error.detail, "num_bones at line 1: 7 are declared, but 1 are present");
}

/* ------------------------------------------------------------------------------------------------- hostile -- */

static char *nested(unsigned depth)
{
    static const char open[] = "<bone name=\"b%u\" " BONE ">";
    char *text = malloc(depth * (sizeof open + 32) + 256), *to = text;
    to += sprintf(to, "<linden_skeleton num_bones=\"%u\">", depth);
    for (unsigned i = 0; i < depth; i++)
        to += sprintf(to, open, i);
    for (unsigned i = 0; i < depth; i++)
        to += sprintf(to, "</bone>");
    sprintf(to, "</linden_skeleton>");
    return text;
}

TEST(depth_is_bounded)
{
    char *text = nested(255);
    struct pose_document *document = must_decode(text);
    ck_assert_int_eq(document->skeletons[0].joints[254].parent, 253);
    pose_document_free(document);
    free(text);
    text = nested(100000);
    must_fail(text, "too_deep");
    free(text);
}

/* Twenty thousand bones in a row: not quadratic, and within the limit of joints. */
TEST(many_bones)
{
    enum { COUNT = 20000 };
    char *text = malloc(COUNT * 128), *to = text;
    to += sprintf(to, "<linden_skeleton num_bones=\"%d\">", COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        to += sprintf(to, "<bone name=\"%u\" " BONE "/>", i);
    sprintf(to, "</linden_skeleton>");
    struct pose_document *document = must_decode(text);
    ck_assert_uint_eq(document->skeletons[0].joint_count, COUNT);
    pose_document_free(document);
    struct pose_source source = {.bytes = {(const uint8_t *)text, strlen(text)}};
    struct pose_error error;
    ck_assert_ptr_null(pose_decode(&source, &(struct pose_options){.limits.joints = COUNT - 1}, &error));
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_str_eq(error.limit, "joints");
    ck_assert_ptr_null(pose_decode(&source, &(struct pose_options){.limits.memory = 100000}, &error));
    ck_assert_str_eq(error.limit, "memory");
    free(text);
}

TEST(truncated_at_every_byte)
{
    for (size_t size = 0; size + 1 < sizeof sample - 1; size++) {
        char *copy = malloc(size ? size : 1);
        memcpy(copy, sample, size);
        struct pose_error error = codec_must_fail("sl-skeleton", copy, size, "bad_xml");
        ck_assert_uint_ge(error.line, 1);
        free(copy);
    }
}

/* ------------------------------------------------------------------------------------------------- writing -- */

static struct pose_document *write_and_read(const struct pose_skeleton *skeleton)
{
    struct pose_content content = {.skeleton_count = 1, .skeletons = skeleton};
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode("sl-skeleton", &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    struct pose_document *document = codec_must_decode("sl-skeleton", out.data, out.size);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_buffer_free(&out);
    return document;
}

static void check_same(const struct pose_skeleton *a, const struct pose_skeleton *b)
{
    ck_assert_uint_eq(a->joint_count, b->joint_count);
    for (uint32_t i = 0; i < a->joint_count; i++) {
        const struct pose_joint *x = &a->joints[i], *y = &b->joints[i];
        ck_assert_str_eq(x->name, y->name);
        ck_assert_int_eq(x->parent, y->parent);
        ck_assert_int_eq(memcmp(x->translation, y->translation, sizeof x->translation), 0);
        ck_assert_int_eq(memcmp(x->scale, y->scale, sizeof x->scale), 0);
        for (int k = 0; k < 4; k++)
            ck_assert_float_eq_tol(x->rotation[k], y->rotation[k], 1e-6f);
        ck_assert_int_eq(x->aliases == NULL, y->aliases == NULL);
        for (int k = 0; x->aliases && x->aliases[k]; k++)
            ck_assert_str_eq(x->aliases[k], y->aliases[k]);
        char *p = extras_of(x->extras), *q = extras_of(y->extras);
        ck_assert_str_eq(p, q);
        free(p);
        free(q);
    }
}

TEST(sample_comes_back)
{
    struct pose_document *from = must_decode(sample), *to = write_and_read(&from->skeletons[0]);
    check_sample(&to->skeletons[0]);
    check_same(&from->skeletons[0], &to->skeletons[0]);
    pose_document_free(from);
    pose_document_free(to);
}

TEST(stand_in_comes_back)
{
    struct pose_document *from = pose_stand_in(0, NULL, NULL);
    ck_assert_str_eq(from->format, "sl-skeleton");
    struct pose_document *to = write_and_read(&from->skeletons[0]);
    const struct pose_skeleton *a = &from->skeletons[0], *b = &to->skeletons[0];
    ck_assert_uint_eq(b->joint_count, 159);
    for (uint32_t i = 0; i < 159; i++) {
        ck_assert_str_eq(a->joints[i].name, b->joints[i].name);
        ck_assert_int_eq(a->joints[i].parent, b->joints[i].parent);
        ck_assert_int_eq(memcmp(a->joints[i].translation, b->joints[i].translation, 12), 0);
    }
    pose_document_free(from);
    pose_document_free(to);
}

/* Turned by a right angle about Y, where two of the three angles mean the same. */
TEST(locked_angles)
{
    static const float turns[][4] = {
        {0, 0.70710678f, 0, 0.70710678f}, {0.5f, 0.5f, -0.5f, 0.5f}, {0.5f, -0.5f, 0.5f, 0.5f}, {0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct pose_joint joint = {.name = "mPelvis", .parent = -1, .scale = {1, 1, 1}};
        memcpy(joint.rotation, turns[i], sizeof joint.rotation);
        struct pose_skeleton skeleton = {.axes = POSE_AXES_SL, .joint_count = 1, .joints = &joint};
        struct pose_document *document = write_and_read(&skeleton);
        const float *q = document->skeletons[0].joints[0].rotation;
        float dot = 0;
        for (int k = 0; k < 4; k++)
            dot += q[k] * turns[i][k];
        ck_assert_float_eq_tol(fabsf(dot), 1, 1e-6f);
        pose_document_free(document);
    }
}

TEST(what_cannot_be_held)
{
    struct pose_joint joints[2] = {
        {.name = "mPelvis", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        {.name = "b", .parent = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    struct pose_skeleton skeleton = {.axes = POSE_AXES_SL, .joint_count = 2, .joints = joints};
    struct pose_content content = {.skeleton_count = 1, .skeletons = &skeleton};
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode("sl-skeleton", &content, &losses);
    ck_assert_str_eq(losses.codes, "several_roots ");
    ck_assert_str_eq(losses.notes, "several_roots ");
    pose_buffer_free(&out);
    struct pose_error error;
    joints[1].name = NULL;
    ck_assert(!pose_encode("sl-skeleton", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "unnamed_joint");
    skeleton.joint_count = 0;
    ck_assert(!pose_encode("sl-skeleton", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, "no_joints");
    content.skeleton_count = 0;
    ck_assert(!pose_encode("sl-skeleton", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
}

/* -------------------------------------------------------------------------------------------------- corpus -- */

static int32_t find(const struct pose_skeleton *skeleton, const char *name)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (!strcmp(skeleton->joints[i].name, name))
            return (int32_t)i;
    }
    ck_abort_msg("no %s", name);
    return -1;
}

/* All bones have scale 1 and rest unturned. */
static void check_rest(const struct pose_skeleton *skeleton, const char *name, float x, float y, float z)
{
    float place[3] = {0, 0, 0};
    for (int32_t i = find(skeleton, name); i >= 0; i = skeleton->joints[i].parent) {
        for (int k = 0; k < 3; k++)
            place[k] += skeleton->joints[i].translation[k];
    }
    ck_assert_float_eq_tol(place[0], x, 1e-6f);
    ck_assert_float_eq_tol(place[1], y, 1e-6f);
    ck_assert_float_eq_tol(place[2], z, 1e-6f);
}

TEST(the_real_one)
{
    struct test_file file;
    if (!corpus_read("sl/avatar_skeleton.xml", &file))
        return;
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    const struct pose_skeleton *skeleton = &document->skeletons[0];
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(skeleton->joint_count, 133 + 26);
    ck_assert_int_eq(skeleton->root_joint, 0);
    check_rest(skeleton, "mHead", -0.025f, 0, 1.683f);
    check_rest(skeleton, "mWristLeft", -0.036f, 0.617f, 1.521f);
    check_rest(skeleton, "mFootLeft", 0.116f, 0.082f, 0.006f);
    unsigned base = 0, extended = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_value *extras = skeleton->joints[i].extras;
        bool is_bone = !strcmp(value_get_string(extras, "kind", ""), "bone");
        ck_assert_int_eq(is_bone, i < 133);
        base += is_bone && !strcmp(value_get_string(extras, "support", ""), "base");
        extended += !strcmp(value_get_string(extras, "support", ""), "extended");
        ck_assert(!is_bone || pose_value_find(extras, "pivot"));
    }
    ck_assert_uint_eq(base, 26);
    ck_assert_uint_eq(extended, 107);
    /* Our stand-in has the same joints in the same order, under the same aliases; only the numbers differ. */
    struct pose_document *stand_in = pose_stand_in(0, NULL, NULL);
    unsigned same_place = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *real = &skeleton->joints[i], *ours = &stand_in->skeletons[0].joints[i];
        ck_assert_str_eq(real->name, ours->name);
        ck_assert_int_eq(real->parent, ours->parent);
        ck_assert_int_eq(real->aliases == NULL, ours->aliases == NULL);
        for (int k = 0; real->aliases && (real->aliases[k] || ours->aliases[k]); k++)
            ck_assert_str_eq(real->aliases[k], ours->aliases[k]);
        same_place += !memcmp(real->translation, ours->translation, sizeof real->translation);
    }
    ck_assert_uint_eq(same_place, 0);
    pose_document_free(stand_in);
    struct pose_document *again = write_and_read(skeleton);
    check_same(skeleton, &again->skeletons[0]);
    pose_document_free(again);
    pose_document_free(document);
    test_file_free(&file);
}
