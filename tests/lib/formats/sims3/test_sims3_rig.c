/* Sims 3 rigs: values, order of bones, chains, what is refused and warned of, and the way back; the corpus. */
#include "lib/core/hash.h"
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/sims3/clip_files.h"
#include "tests/support/unit.h"

#include <string.h>

static const char FORMAT[] = "sims3-rig";

/* Offsets in the made rig: three bones with names of one letter, 61 bytes each. */
enum {
    AT_MAJOR = 0,
    AT_MINOR = 4,
    AT_COUNT = 8,
    AT_BONES = 12,
    BONE = 61,
    IN_ORIENTATION = 12,
    IN_NAME_LENGTH = 40,
    IN_OPPOSITE = 45,
    IN_PARENT = 49,
    IN_HASH = 53,
    IN_FLAGS = 57,
    AT_NAME = AT_BONES + 3 * BONE,
    AT_CHAINS = AT_NAME + 7,
    AT_CHAIN = AT_CHAINS + 4,
    SIZE = AT_CHAIN + 4 + 8 + 44 + 16,
};

static void put_bone(struct little_file *made, const char *name, int32_t parent, float x)
{
    const float rest[10] = {x, 2, 3, 0, 0.6f, 0, 0.8f, 1, 1, 1};
    for (int i = 0; i < 10; i++)
        little_put_f32(made, rest[i]);
    little_put_u32(made, 1);
    little_put(made, name, 1);
    little_put_u32(made, (uint32_t)(name[0] - 'a'));
    little_put_u32(made, (uint32_t)parent);
    little_put_u32(made, hash_fnv32(name, 1));
    little_put_u32(made, 0x5a);
}

/* The root stands last: a child may come before its parent. */
static void make_rig(struct little_file *made)
{
    *made = (struct little_file){0};
    little_put_u32(made, 4);
    little_put_u32(made, 2);
    little_put_u32(made, 3);
    put_bone(made, "a", 1, 10);
    put_bone(made, "b", 2, 11);
    put_bone(made, "c", -1, 12);
    little_put_u32(made, 3);
    little_put(made, "rig", 3);
    little_put_u32(made, 1);
    little_put_u32(made, 2);
    for (int i = 0; i < 2 + 11 + 4; i++)
        little_put_u32(made, i < 13 ? (uint32_t)(i % 3) : UINT32_MAX);
    ck_assert_uint_eq(made->bytes.size, SIZE);
}

static struct pose_document *decode(const struct little_file *made)
{
    return codec_must_decode(FORMAT, made->bytes.data, made->bytes.size);
}

static void check_comes_back(const char *name, const void *data, size_t size)
{
    struct pose_document *document = codec_must_decode(FORMAT, data, size);
    struct pose_content content = document_content(document);
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    codec_check_bytes(name, out.data, out.size, data, size);
    pose_buffer_free(&out);
    pose_document_free(document);
}

TEST(bones_are_read_parents_first)
{
    struct little_file made;
    make_rig(&made);
    struct pose_document *document = codec_must_decode(NULL, made.bytes.data, made.bytes.size);
    const struct pose_skeleton *skeleton = document->skeletons;
    static const char *const names[] = {"c", "b", "a"};
    ck_assert_str_eq(document->format, FORMAT);
    ck_assert_str_eq(skeleton->name, "rig");
    ck_assert(skeleton->axes == POSE_AXES_GLTF && skeleton->scaling == POSE_SCALE_INHERITED);
    ck_assert_int_eq(skeleton->root_joint, -1);
    ck_assert_uint_eq(skeleton->joint_count, 3);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    for (int i = 0; i < 3; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        ck_assert_str_eq(joint->name, names[i]);
        ck_assert(joint->has_id && joint->id == hash_fnv32(names[i], 1));
        ck_assert_int_eq(joint->parent, i - 1);
        ck_assert(joint->translation[0] == (float)(12 - i) && joint->translation[2] == 3);
        ck_assert(joint->rotation[1] == 0.6f && joint->rotation[3] == 0.8f && joint->scale[2] == 1);
        ck_assert_uint_eq(skeleton->file_order[i], (uint32_t)(2 - i));
        ck_assert_int_eq(value_get_int(joint->extras, "opposite", -1), 2 - i);
        ck_assert_int_eq(value_get_int(joint->extras, "flags", -1), 0x5a);
    }
    pose_document_free(document);
    check_comes_back("made", made.bytes.data, made.bytes.size);
    pose_buffer_free(&made.bytes);
}

TEST(chains_are_kept)
{
    struct little_file made;
    struct pose_buffer text = {0};
    make_rig(&made);
    struct pose_document *document = decode(&made);
    ck_assert(pose_json_value(&text, document->skeletons->extras));
    static const char expected[] = "{\"major\":4,\"minor\":2,\"chains\":[{\"bones\":[0,1],"
                                   "\"info\":[2,0,1,2,0,1,2,0,1,2,0],\"pole\":-1,\"slot_info\":-1,"
                                   "\"slot_offset\":-1,\"root\":-1}]}";
    codec_check_bytes("extras", text.data, text.size, expected, sizeof expected - 1);
    pose_buffer_free(&text);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(major_3_has_no_chains)
{
    struct little_file made;
    make_rig(&made);
    little_set_u32(&made, AT_MAJOR, 3);
    little_set_u32(&made, AT_MINOR, 1);
    little_set_u32(&made, AT_NAME, 0);
    made.bytes.size = AT_NAME + 4;
    struct pose_document *document = codec_must_decode(NULL, made.bytes.data, made.bytes.size);
    ck_assert_ptr_null(document->skeletons->name);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
    check_comes_back("major 3", made.bytes.data, made.bytes.size);
    pose_buffer_free(&made.bytes);
}

static const struct {
    size_t offset;
    uint32_t value;
    const char *code;
    const char *field;
} refusals[] = {
    {AT_MAJOR, 5, "bad_version", "major"},
    {AT_MINOR, 3, "bad_version", "minor"},
    {AT_COUNT, UINT32_MAX, "count_too_large", "bone_count"},
    {AT_COUNT, 4097, "count_too_large", "bone_count"},
    {AT_COUNT, 4096, "count_too_large", "bone_count"},
    {AT_BONES, 0x7f800000, "not_finite", "bones[0].position"},
    {AT_BONES + BONE + IN_ORIENTATION, 0x7fc00000, "not_finite", "bones[1].orientation"},
    {AT_BONES + IN_NAME_LENGTH, UINT32_MAX, "bad_length", "bones[0].name_length"},
    {AT_BONES + IN_NAME_LENGTH, INT32_MAX, "truncated", "bones[0].name"},
    {AT_BONES + IN_PARENT, (uint32_t)-2, "bad_parent", "bones[0].parent"},
    {AT_BONES + IN_PARENT, 3, "bad_parent", "bones[0].parent"},
    {AT_BONES + IN_PARENT, 0, "bad_parent", "bones[0].parent"},
    {AT_BONES + BONE + IN_PARENT, 0, "bone_cycle", "bones[0].parent"},
    {AT_NAME, UINT32_MAX, "bad_length", "name_length"},
    {AT_CHAINS, 257, "count_too_large", "chain_count"},
    {AT_CHAINS, UINT32_MAX, "count_too_large", "chain_count"},
    {AT_CHAINS, 2, "count_too_large", "chain_count"},
    {AT_CHAIN, UINT32_MAX, "bad_count", "chains[0].bone_count"},
    {AT_CHAIN, INT32_MAX, "count_too_large", "chains[0].bone_count"},
    {AT_CHAIN + 4, 3, "bad_index", "chains[0].bones"},
    {AT_CHAIN + 12, (uint32_t)-2, "bad_index", "chains[0].info"},
    {SIZE - 4, 3, "bad_index", "chains[0].root"},
};

TEST_EACH(what_is_broken_is_refused, COUNT(refusals))
{
    struct little_file made;
    make_rig(&made);
    little_set_u32(&made, refusals[_i].offset, refusals[_i].value);
    struct pose_error error = codec_must_fail(FORMAT, made.bytes.data, made.bytes.size, refusals[_i].code);
    ck_assert_str_eq(error.field, refusals[_i].field);
    if (!strcmp(refusals[_i].code, "bone_cycle"))
        ck_assert_uint_eq(error.offset, AT_BONES + IN_PARENT);
    else if (strcmp(refusals[_i].code, "truncated") != 0)
        ck_assert_uint_eq(error.offset, refusals[_i].offset);
    pose_buffer_free(&made.bytes);
}

TEST(every_truncation_is_told)
{
    struct little_file made;
    make_rig(&made);
    for (size_t size = 0; size < made.bytes.size; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode(FORMAT, made.bytes.data, size, &error));
        ck_assert_msg(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"), "%zu: %s",
                      size, error.detail);
        ck_assert_uint_le(error.offset, size);
    }
    pose_buffer_free(&made.bytes);
}

TEST(granny_is_refused_by_name)
{
    static const uint8_t heads[][8] = {{0xde, 0x13, 0xaf, 0x8e, 0, 0, 0, 0},
                                       {0xb8, 0x67, 0xb0, 0xca, 1, 2, 3, 4},
                                       {0x29, 0xde, 0x6c, 0xc0, 1, 2, 3, 4}};
    for (int i = 0; i < 3; i++) {
        struct pose_error error = codec_must_fail(FORMAT, heads[i], sizeof heads[i], "granny_rig");
        ck_assert(error.status == POSE_UNSUPPORTED && error.offset == 0);
        struct pose_source source = {.name = "auRig.rig", .bytes = {heads[i], sizeof heads[i]}};
        ck_assert_str_eq(pose_detect(&source), FORMAT);
    }
}

static void check_warning_of(const struct little_file *made, const char *code)
{
    struct pose_document *document = decode(made);
    ck_assert_msg(codec_warnings(document, code) == 1 && codec_warnings(document, NULL) == 1, "%s", code);
    pose_document_free(document);
}

TEST(what_is_odd_is_warned_of)
{
    struct little_file made;
    make_rig(&made);
    little_set_u32(&made, AT_BONES + IN_OPPOSITE, 3);
    check_warning_of(&made, "bad_opposite");
    check_comes_back("opposite", made.bytes.data, made.bytes.size);
    little_set_u32(&made, AT_BONES + IN_OPPOSITE, 0);
    little_set_u32(&made, AT_BONES + IN_HASH, 5);
    check_warning_of(&made, "hash_differs");
    little_set_u32(&made, AT_BONES + IN_HASH, hash_fnv32("a", 1));
    little_put(&made, "more", 4);
    check_warning_of(&made, "trailing_bytes");
    made.bytes.size -= 4;
    made.bytes.data[AT_BONES + IN_NAME_LENGTH + 4] = 'b';
    little_set_u32(&made, AT_BONES + IN_HASH, hash_fnv32("b", 1));
    check_warning_of(&made, "duplicate_bone");
    pose_buffer_free(&made.bytes);
}

TEST(hashes_are_made_anew)
{
    struct little_file made;
    make_rig(&made);
    little_set_u32(&made, AT_BONES + IN_HASH, 5);
    struct pose_document *document = decode(&made);
    struct pose_content content = document_content(document);
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, &losses);
    ck_assert_str_eq(losses.codes, "hash_changed ");
    little_set_u32(&made, AT_BONES + IN_HASH, hash_fnv32("a", 1));
    codec_check_bytes("hash", out.data, out.size, made.bytes.data, made.bytes.size);
    pose_buffer_free(&out);
    pose_buffer_free(&made.bytes);
    pose_document_free(document);
}

/* A skeleton of other axes, without what only rigs have. */
TEST(other_skeletons_are_converted)
{
    const struct pose_joint joint = {.name = "b__ROOT__",
                                     .parent = -1,
                                     .translation = {1, 0, 0},
                                     .rotation = {0, 0, 0, 2},
                                     .scale = {1, 1, 1}};
    const struct pose_skeleton skeleton = {
        .axes = POSE_AXES_SL, .joint_count = 1, .joints = &joint, .root_joint = -1};
    const struct pose_content content = {.skeleton_count = 1, .skeletons = &skeleton};
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, &losses);
    struct pose_document *document = codec_must_decode(NULL, out.data, out.size);
    const struct pose_joint *made = document->skeletons->joints;
    ck_assert_str_eq(losses.codes, "");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert(made->translation[2] == 1 && made->rotation[3] == 1 && made->id == 0xfeae6981u);
    ck_assert_int_eq(value_get_int(made->extras, "opposite", -1), 0);
    pose_document_free(document);
    pose_buffer_free(&out);
}

/* ------------------------------------------------------------------------------------------------- corpus -- */

/* One of the rigs has a bone whose opposite is out of range; nothing else is odd. */
static unsigned check_rig(const char *name, const void *data, size_t size)
{
    struct pose_document *document = codec_must_decode(NULL, data, size);
    ck_assert_str_eq(document->format, FORMAT);
    unsigned odd = codec_warnings(document, "bad_opposite");
    ck_assert_uint_eq(codec_warnings(document, NULL), odd);
    pose_document_free(document);
    check_comes_back(name, data, size);
    return odd;
}

static unsigned check_package(const char *path, unsigned *odd)
{
    struct test_file file;
    unsigned rigs = 0;
    ck_assert(test_file_read(path, &file));
    struct pose_source source = {.name = path, .bytes = {file.data, file.size}};
    struct pose_archive *archive = pose_archive_open(&source, NULL, NULL);
    for (uint32_t i = 0; archive && i < pose_archive_count(archive); i++) {
        const struct pose_entry *entry = pose_archive_entry(archive, i);
        struct pose_buffer bytes = {0};
        if (!entry->format || strcmp(entry->format, FORMAT) != 0)
            continue;
        ck_assert(pose_archive_read(archive, i, &bytes, NULL));
        *odd += check_rig(entry->name, bytes.data, bytes.size);
        pose_buffer_free(&bytes);
        rigs++;
    }
    pose_archive_close(archive);
    test_file_free(&file);
    return rigs;
}

TEST(every_rig_comes_back)
{
    struct test_paths rigs, packages;
    unsigned odd = 0, odd_packed = 0, packed = 0;
    if (!corpus_list("sims3/rigs", ".rig", &rigs) || !corpus_list("sims3/packages", ".package", &packages))
        return;
    for (size_t i = 0; i < rigs.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(rigs.items[i], &file));
        odd += check_rig(rigs.items[i], file.data, file.size);
        test_file_free(&file);
    }
    for (size_t i = 0; i < packages.count; i++)
        packed += check_package(packages.items[i], &odd_packed);
    ck_assert_uint_eq(rigs.count, 4);
    ck_assert_uint_eq(packed, 4);
    ck_assert_uint_eq(odd, odd_packed);
    ck_assert_uint_ge(odd, 1);
    test_paths_free(&rigs);
    test_paths_free(&packages);
}
