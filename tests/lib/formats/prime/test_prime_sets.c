/* Skeletons, events, character sets and skins of Metroid Prime: values, what is refused and where, hostile files. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/prime/files.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };
typedef void maker(struct prime_made *made);

static void expect_refused(const char *format, const struct prime_made *made, const char *code,
                           uint64_t offset)
{
    struct pose_error error = codec_must_fail(format, made->bytes.data, made->bytes.size, code);
    ck_assert_uint_ne(error.offset, POSE_NO_OFFSET);
    ck_assert_msg(offset == POSE_NO_OFFSET || error.offset == offset, "%s: at byte %llu, not %llu: %s", code,
                  (unsigned long long)error.offset, (unsigned long long)offset, error.detail);
    ck_assert_uint_lt(codec_memory(format, made->bytes.data, made->bytes.size), 64 * MIB);
}

static void expect_word_refused(const char *format, maker *make, size_t offset, uint32_t word,
                                const char *code, uint64_t at)
{
    struct prime_made made;
    make(&made);
    made_set_u32(&made, offset, word);
    expect_refused(format, &made, code, at);
    pose_buffer_free(&made.bytes);
}

/* A file ends where it ends: cut anywhere before, it is refused. */
static const struct {
    const char *format;
    maker *make;
} files[] = {
    {"prime-cinf", prime_make_cinf_mp1}, {"prime-cinf", prime_make_cinf_mp2},
    {"prime-evnt", prime_make_evnt_mp1}, {"prime-evnt", prime_make_evnt_mp2},
    {"prime-ancs", prime_make_ancs_mp1}, {"prime-ancs", prime_make_ancs_mp2},
    {"prime-cskr", prime_make_cskr_mp1}, {"prime-cskr", prime_make_cskr_mp2},
};

TEST_EACH(every_cut_is_refused, COUNT(files))
{
    struct prime_made made;
    files[_i].make(&made);
    size_t end = made.bytes.size;
    while (made.bytes.data[end - 1] == 0xff)
        end--;
    for (size_t size = 0; size < end; size++) {
        struct pose_error error;
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, made.bytes.data, size);
        struct pose_document *document = codec_decode(files[_i].format, copy, size, &error);
        ck_assert_msg(!document, "%s read with %zu bytes of %zu", files[_i].format, size, end);
        ck_assert_uint_le(error.offset, size);
        free(copy);
    }
    pose_buffer_free(&made.bytes);
}

TEST_EACH(padding_alone_may_follow, COUNT(files))
{
    struct prime_made made;
    files[_i].make(&made);
    size_t end = made.bytes.size;
    made_put_u8(&made, 0);
    pose_document_free(codec_must_decode(files[_i].format, made.bytes.data, made.bytes.size));
    made_set_u8(&made, end, 7);
    expect_refused(files[_i].format, &made, "trailing_bytes", end);
    made_set_u8(&made, end, 0);
    for (int i = 0; i < 64; i++)
        made_put_u8(&made, 0);
    if (files[_i].make !=
        prime_make_cskr_mp2) /* which as one of the first game has 36 bytes of vertices there */
        expect_refused(files[_i].format, &made, "trailing_bytes", POSE_NO_OFFSET);
    pose_buffer_free(&made.bytes);
}

/* ----------------------------------------------------------------------------------------------- skeletons -- */

TEST_EACH(bones_stand_where_their_origins_are, 2)
{
    struct prime_made made;
    _i ? prime_make_cinf_mp2(&made) : prime_make_cinf_mp1(&made);
    struct pose_document *document = codec_must_decode("prime-cinf", made.bytes.data, made.bytes.size);
    const struct pose_skeleton *skeleton = document->skeletons;
    uint32_t first = _i ? 0 : 3;
    static const char *const names[3] = {"Skeleton_Root", "Spine", "Hand_LCTR"};
    static const float offsets[3][3] = {{0, 0.25f, 0}, {0, 0, 1}, {0.5f, -0.25f, 0.5f}};
    ck_assert_uint_eq(skeleton->joint_count, 3);
    ck_assert_int_eq(skeleton->axes, POSE_AXES_PRIME);
    ck_assert_int_eq(skeleton->scaling, POSE_SCALE_OFFSETS);
    ck_assert_int_eq(skeleton->root_joint, -1);
    ck_assert_str_eq(value_get_string(skeleton->extras, "game", ""), _i ? "mp2" : "mp1");
    for (uint32_t i = 0; i < 3; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        ck_assert_uint_eq(joint->id, first + i);
        ck_assert_str_eq(joint->name, names[i]);
        ck_assert_int_eq(joint->parent, (int)i - 1);
        for (int k = 0; k < 3; k++) {
            ck_assert_float_eq(joint->translation[k], offsets[i][k]);
            ck_assert_float_eq(joint->scale[k], 1);
            ck_assert_float_eq(joint->rotation[k], 0); /* what the second game stores is kept, not used */
        }
    }
    /* the last bone comes first in the file */
    ck_assert_ptr_nonnull(skeleton->file_order);
    ck_assert_uint_eq(skeleton->file_order[0], 2);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST_EACH(skeletons_are_refused, 2)
{
    static const struct {
        maker *make;
        size_t bone;
    } games[2] = {{prime_make_cinf_mp1, PRIME_BONE_MP1}, {prime_make_cinf_mp2, PRIME_BONE_MP2}};
    const char *f = "prime-cinf";
    maker *make = games[_i].make;
    size_t bone = games[_i].bone;
    uint32_t first = _i ? 0 : 3;
    struct prime_made made;
    expect_word_refused(f, make, 0, 0xffffffff, "count_too_large", 0);
    expect_word_refused(f, make, 4, 100, "bad_bone_id", 4);
    expect_word_refused(f, make, 4 + bone, first + 2, "duplicate_bone", 4 + bone);
    expect_word_refused(f, make, 4 + 8, 0x7fc00000, "not_finite", 4 + 8);
    expect_word_refused(f, make, 4 + bone - 8, 0x8000, "count_too_large", 4 + bone - 8);
    /* the root below the middle bone: nothing is left to begin with; and a bone that is its own parent */
    make(&made);
    made_set_u32(&made, 4 + bone + 4, first + 1);
    expect_refused(f, &made, "bone_cycle", POSE_NO_OFFSET);
    made_set_u32(&made, 4 + bone + 4, first);
    expect_refused(f, &made, "bone_cycle", POSE_NO_OFFSET);
    pose_buffer_free(&made.bytes);
    expect_word_refused(f, make, 4 + 3 * bone + 16, 0xfffffff, "count_too_large", 4 + 3 * bone + 16);
}

TEST(odd_skeletons_are_told)
{
    struct prime_made made;
    prime_make_cinf_mp1(&made);
    made_set_u32(&made, 4 + 2 * PRIME_BONE_MP1 + 4, 77);       /* the parent of the middle bone */
    made_set_u32(&made, 4 + 3 * PRIME_BONE_MP1 + 4, 3);        /* the build order */
    made_set_u32(&made, 4 + 3 * PRIME_BONE_MP1 + 20 + 14, 99); /* whose name it is */
    struct pose_document *document = codec_must_decode("prime-cinf", made.bytes.data, made.bytes.size);
    ck_assert_uint_eq(codec_warnings(document, "several_roots"), 1);
    ck_assert_uint_eq(codec_warnings(document, "bad_build_order"), 1);
    ck_assert_uint_eq(codec_warnings(document, "name_of_no_bone"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 3);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

/* -------------------------------------------------------------------------------------------------- events -- */

TEST_EACH(events_of_all_kinds, 2)
{
    struct prime_made made;
    _i ? prime_make_evnt_mp2(&made) : prime_make_evnt_mp1(&made);
    struct pose_document *document = codec_must_decode("prime-evnt", made.bytes.data, made.bytes.size);
    static const char *const types[5] = {"user", "particle", "int32", "sound", "loop"};
    static const float times[5] = {0, 0.03125f, 0.0625f, 0.0625f, 0.09375f};
    ck_assert_uint_eq(document->event_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(document->events[i].type, types[i]);
        ck_assert_float_eq(document->events[i].time, times[i]);
        ck_assert_int_eq(value_get_int(document->events[i].fields, "character_index", 0), -1);
    }
    const struct pose_value *land = document->events[0].fields, *dust = document->events[1].fields,
                            *sound = document->events[3].fields;
    ck_assert_str_eq(value_get_string(land, "action", ""), "landing");
    ck_assert_str_eq(value_get_string(land, "locator", ""), "Hand_LCTR");
    ck_assert_int_eq(value_get_int(dust, "effect_id", 0), 0xdeadbeef);
    ck_assert_int_eq(pose_value_find(dust, _i ? "bone_id" : "locator") != NULL, 1);
    ck_assert_int_eq(value_get_int(sound, "unknown_12", -1), _i ? 1 : -1);
    ck_assert_float_eq(value_get_float(sound, "max_distance", 0), 40);
    ck_assert_str_eq(value_get_string(document->extras, "game", ""), _i ? "mp2" : "mp1");
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(events_are_refused)
{
    const char *f = "prime-evnt";
    expect_word_refused(f, prime_make_evnt_mp1, 0, 3, "bad_version", 0);
    expect_word_refused(f, prime_make_evnt_mp1, 4, 0x8000000, "count_too_large", 4);
    /* the time of the first: version, count, head, "Loop", type */
    expect_word_refused(f, prime_make_evnt_mp1, 8 + 2 + 5 + 2, 0x7fc00000, "not_finite", 8 + 2 + 5 + 2);
}

/* ------------------------------------------------------------------------------------------ character sets -- */

TEST(sets_are_refused)
{
    const char *f = "prime-ancs";
    for (int i = 0; i < 2; i++) {
        maker *make = i ? prime_make_ancs_mp2 : prime_make_ancs_mp1;
        expect_word_refused(f, make, 0, 0x00020001, "bad_version", 0);
        expect_word_refused(f, make, 0, 0x00010002, "bad_version", 2);
        expect_word_refused(f, make, 4, 0xffffffff, "count_too_large", 4);
        /* a character of version 7, which nobody knows */
        struct prime_made made;
        make(&made);
        made_set_u16(&made, 12, 7);
        expect_refused(f, &made, "bad_version", 12);
        pose_buffer_free(&made.bytes);
    }
    /* animations: id, version, "Figure", three ids */
    expect_word_refused(f, prime_make_ancs_mp1, 14 + 7 + 12, 0x10000000, "count_too_large", 14 + 7 + 12);
    /* two of them, "A_" and a name of four letters: then PAS4 */
    size_t pas = 14 + 7 + 12 + 4 + 2 * (4 + 3 + 5);
    expect_word_refused(f, prime_make_ancs_mp1, pas, 0x50415335, "bad_magic", pas);
    expect_word_refused(f, prime_make_ancs_mp1, pas + 4, 0x7fffffff, "count_too_large", pas + 4);
    expect_word_refused(f, prime_make_ancs_mp1, pas + 16, 0x7fffffff, "count_too_large", pas + 16);
    expect_word_refused(f, prime_make_ancs_mp1, pas + 20, 0x7fffffff, "count_too_large", pas + 20);
    expect_word_refused(f, prime_make_ancs_mp1, pas + 24, 5, "bad_type", pas + 24);
}

/* A set of no characters with one animation. */
static void begin_set(struct prime_made *made)
{
    *made = (struct prime_made){0};
    made_put_empty_set(made);
    made_put_u16(made, 1);
    made_put_u32(made, 1);
    made_put_text(made, "deep");
}

static void end_set(struct prime_made *made)
{
    made_put_u32(made, 0);
    made_put_u32(made, 3);
}

/* Sequences of one, in each other. */
static void put_nested(struct prime_made *made, unsigned depth)
{
    begin_set(made);
    for (unsigned i = 0; i < depth; i++) {
        made_put_u32(made, 4);
        made_put_u32(made, 1);
    }
    made_put_play(made, 1, "leaf");
    end_set(made);
}

TEST(animations_are_nested_32_deep_at_most)
{
    struct prime_made made;
    put_nested(&made, 31);
    struct pose_document *document = codec_must_decode("prime-ancs", made.bytes.data, made.bytes.size);
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, document->extras) && pose_buffer_append(&text, "", 1));
    ck_assert_ptr_nonnull(strstr((const char *)text.data, "\"leaf\""));
    pose_buffer_free(&text);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
    static const unsigned depths[] = {32, 100, 100000};
    for (int i = 0; i < 3; i++) {
        put_nested(&made, depths[i]);
        expect_refused("prime-ancs", &made, "too_deep", 8 + 6 + 5 + 32 * 8);
        ck_assert_uint_lt(codec_memory("prime-ancs", made.bytes.data, made.bytes.size), MIB);
        pose_buffer_free(&made.bytes);
    }
}

TEST(animations_are_refused)
{
    struct prime_made made;
    begin_set(&made);
    made_put_u32(&made, 5);
    expect_refused("prime-ancs", &made, "bad_type", 19);
    made_set_u32(&made, 19, 3);
    made_put_u32(&made, 0x20000000);
    expect_refused("prime-ancs", &made, "count_too_large", 23);
    pose_buffer_free(&made.bytes);
    *(&made) = (struct prime_made){0};
    made_put_empty_set(&made);
    made_put_u16(&made, 1);
    made_put_u32(&made, 0);
    made_put_u32(&made, 0);
    made_put_u32(&made, 4);
    expect_refused("prime-ancs", &made, "bad_type", 18);
    pose_buffer_free(&made.bytes);
}

/* --------------------------------------------------------------------------------------------------- skins -- */

TEST(skins_are_refused)
{
    const char *f = "prime-cskr";
    for (int i = 0; i < 2; i++) {
        maker *make = i ? prime_make_cskr_mp2 : prime_make_cskr_mp1;
        expect_word_refused(f, make, 0, 0xffffffff, "count_too_large", 0);
        expect_word_refused(f, make, 4, 0xffffffff, "count_too_large", 4);
        expect_word_refused(f, make, 8, 100, "bad_bone_id", 8);
        expect_word_refused(f, make, 12, 0x7f800000, "not_finite", 12);
    }
    struct prime_made made;
    prime_make_cskr_mp1(&made);
    made_set_f32(&made, 12, 0.5f);
    struct pose_document *document = codec_must_decode(f, made.bytes.data, made.bytes.size);
    ck_assert_uint_eq(codec_warnings(document, "weights_not_one"), 1);
    ck_assert_uint_eq(document->meshes->real_count, 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
    prime_make_cskr_mp1(&made);
    made_set_u32(&made, 24, 5); /* vertices of the first group */
    document = codec_must_decode(f, made.bytes.data, made.bytes.size);
    ck_assert_uint_eq(codec_warnings(document, "vertex_counts_differ"), 1);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
    /* The second game's table has its own length, whatever the groups are. */
    prime_make_cskr_mp2(&made);
    made_set_u32(&made, 24, 5);
    document = codec_must_decode(f, made.bytes.data, made.bytes.size);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}
