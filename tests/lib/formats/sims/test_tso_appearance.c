/* What The Sims Online dresses its people with: bindings, appearances, outfits. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static const uint8_t binding[] = {0, 0, 0, 1,    4,    'H',  'E',  'A',  'D',  0, 0, 0, 8,   0,
                                  0, 0, 0, 0x88, 0x32, 9,    0xd3, 0,    0,    0, 9, 0, 0,   0,
                                  8, 0, 0, 0,    2,    0xa0, 0xcc, 0xab, 0x8e, 0, 0, 0, 0x14};
static const uint8_t bare_binding[] = {0, 0, 0, 1, 1, 'A', 0, 0, 0, 8, 0, 0, 0,
                                       0, 0, 0, 0, 7, 0,   0, 0, 9, 0, 0, 0, 0};
static const uint8_t appearance[] = {0, 0,   0, 1, 0xde, 0xad, 0xbe, 0xef, 0,    0,  0,
                                     1, 0,   0, 0, 2,    0x20, 0x57, 0x43, 0x38, 0,  0,
                                     0, 0xb, 0, 0, 0,    5,    0,    0,    0,    0xb};
static const uint8_t outfit[] = {0, 0, 0, 1,   0, 0, 0, 0,    0, 0, 0, 0x10, 0, 0, 0, 0xc,  0, 0, 0, 0x11,
                                 0, 0, 0, 0xc, 0, 0, 0, 0x12, 0, 0, 0, 0xc,  0, 0, 0, 0x18, 0, 0, 0, 0x12};

/* The extras are given as JSON, which shows order and types at once. */
static const struct {
    const char *format, *type;
    const uint8_t *bytes;
    size_t size;
    const char *extras;
} samples[] = {
    {"tso-bnd", "binding", binding, sizeof binding,
     "{\"bone\":\"HEAD\","
     "\"mesh\":{\"group\":0,\"file\":2284980691,\"type\":9,\"key\":\"883209d300000009\"},"
     "\"texture\":{\"group\":2,\"file\":2697767822,\"type\":20,\"key\":\"a0ccab8e00000014\"}}"},
    {"tso-bnd", "binding", bare_binding, sizeof bare_binding,
     "{\"bone\":\"A\",\"mesh\":{\"group\":0,\"file\":7,\"type\":9,\"key\":\"0000000700000009\"}}"},
    {"tso-apr", "appearance", appearance, sizeof appearance,
     "{\"thumbnail\":{\"file\":3735928559,\"type\":1,\"key\":\"deadbeef00000001\"},\"bindings\":["
     "{\"file\":542589752,\"type\":11,\"key\":\"205743380000000b\"},"
     "{\"file\":5,\"type\":11,\"key\":\"000000050000000b\"}]}"},
    {"tso-oft", "outfit", outfit, sizeof outfit,
     "{\"version\":1,\"unknown_4\":0,\"light\":{\"file\":16,\"type\":12,\"key\":\"000000100000000c\"},"
     "\"medium\":{\"file\":17,\"type\":12,\"key\":\"000000110000000c\"},"
     "\"dark\":{\"file\":18,\"type\":12,\"key\":\"000000120000000c\"},\"hand_group\":24,\"region\":18}"},
};

/* Written again the character gives the same bytes. */
static void check_round_trip(const struct pose_character *character, const char *format, const uint8_t *bytes,
                             size_t size)
{
    struct pose_content content = {.character_count = 1, .characters = character};
    struct pose_buffer out = codec_must_encode(format, &content, NULL);
    codec_check_bytes(format, out.data, out.size, bytes, size);
    pose_buffer_free(&out);
}

TEST_EACH(samples_decode_and_go_round, COUNT(samples))
{
    struct pose_document *document = codec_must_decode(NULL, samples[_i].bytes, samples[_i].size);
    const struct pose_character *character = document->characters;
    ck_assert_str_eq(document->format, samples[_i].format);
    ck_assert_uint_eq(document->character_count, 1);
    ck_assert_str_eq(character->type, samples[_i].type);
    ck_assert_ptr_null(character->name);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    struct pose_buffer json = {0};
    ck_assert(pose_json_value(&json, character->extras) && pose_buffer_append(&json, "", 1));
    ck_assert_str_eq((const char *)json.data, samples[_i].extras);
    pose_buffer_free(&json);
    check_round_trip(character, samples[_i].format, samples[_i].bytes, samples[_i].size);
    pose_document_free(document);
}

/* A key may also come as hex alone, as a person would write it. */
TEST(keys_may_be_hex_alone)
{
    const struct pose_value key = {.kind = POSE_STRING, .key = "key", .as.string = "0000000700000009"};
    const struct pose_value mesh = {.kind = POSE_OBJECT, .key = "mesh", .first = &key};
    const struct pose_value bone = {.kind = POSE_STRING, .key = "bone", .as.string = "A", .next = &mesh};
    const struct pose_value extras = {.kind = POSE_OBJECT, .first = &bone};
    const struct pose_character character = {.type = "binding", .extras = &extras};
    check_round_trip(&character, "tso-bnd", bare_binding, sizeof bare_binding);
}

TEST_EACH(truncations_are_refused, COUNT(samples))
{
    for (size_t size = 0; size < samples[_i].size; size++) {
        struct pose_error error;
        ck_assert_ptr_null(codec_decode(samples[_i].format, samples[_i].bytes, size, &error));
        ck_assert(!strcmp(error.code, "truncated") || !strcmp(error.code, "count_too_large"));
        ck_assert_uint_le(error.offset, size);
    }
}

TEST_EACH(trailing_bytes_are_warned_of, COUNT(samples))
{
    uint8_t longer[64] = {0};
    memcpy(longer, samples[_i].bytes, samples[_i].size);
    struct pose_document *document = codec_must_decode(samples[_i].format, longer, samples[_i].size + 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(document->warnings[0].offset, samples[_i].size);
    pose_document_free(document);
}

static const struct {
    const char *format;
    const uint8_t *bytes;
    size_t size;
    unsigned offset;
    uint8_t word[4];
    const char *code, *field;
} broken[] = {
    {"tso-bnd", binding, sizeof binding, 0, {0, 0, 0, 2}, "bad_version", "version"},
    {"tso-apr", appearance, sizeof appearance, 0, {0, 0, 0, 2}, "bad_version", "version"},
    {"tso-apr", appearance, sizeof appearance, 12, {0, 0, 0, 3}, "count_too_large", "binding_count"},
    {"tso-apr", appearance, sizeof appearance, 12, {0x80, 0, 0, 0}, "count_too_large", "binding_count"},
    {"tso-bnd", binding, sizeof binding, 4, {0xff, 'A', 'A', 'A'}, "truncated", "bone"},
};

TEST_EACH(broken_files_say_where, COUNT(broken))
{
    uint8_t bytes[64];
    memcpy(bytes, broken[_i].bytes, broken[_i].size);
    memcpy(bytes + broken[_i].offset, broken[_i].word, 4);
    struct pose_error error = codec_must_fail(broken[_i].format, bytes, broken[_i].size, broken[_i].code);
    ck_assert_str_eq(error.field, broken[_i].field);
}

TEST(odd_sizes_of_references_are_warned_of)
{
    uint8_t bytes[sizeof binding];
    memcpy(bytes, binding, sizeof bytes);
    bytes[12] = 9;
    struct pose_document *document = codec_must_decode("tso-bnd", bytes, sizeof bytes);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    ck_assert_uint_eq(codec_warnings(document, "odd_flag"), 1);
    pose_document_free(document);
}

TEST(foreign_characters_are_refused)
{
    static const struct pose_character suit = {.type = "suit"};
    struct pose_content content = {.character_count = 1, .characters = &suit};
    struct pose_buffer out;
    struct pose_error error;
    ck_assert(!pose_encode("tso-bnd", &content, NULL, NULL, NULL, &out, &error));
    ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
}

/* ------------------------------------------------------------------------------------------------ corpus -- */

static const struct {
    const char *folder, *suffix, *format, *list; /* list: keys in the extras, NULL: the mesh */
    unsigned left_out; /* files that name one which the sample of the corpus lacks */
} folders[] = {
    {"sims/tso/bnd", ".bnd", "tso-bnd", NULL, 2},
    {"sims/tso/apr", ".apr", "tso-apr", "bindings", 0},
};

/* The first key of a real file, which is the one that its neighbour's name carries. */
static const char *first_key(const struct pose_character *character, const char *list)
{
    const struct pose_value *value = pose_value_find(character->extras, list ? list : "mesh");
    ck_assert_ptr_nonnull(value);
    const struct pose_value *key = pose_value_find(list ? value->first : value, "key");
    ck_assert_ptr_nonnull(key);
    return key->as.string;
}

/* Whether a file of the folder has "." key "." in its name. */
static bool is_named(const struct test_paths *paths, const char *key)
{
    char part[32];
    snprintf(part, sizeof part, ".%s.", key);
    for (size_t i = 0; i < paths->count; i++) {
        if (strstr(paths->items[i], part))
            return true;
    }
    return false;
}

TEST_EACH(real_files_decode_and_name_each_other, COUNT(folders))
{
    struct test_paths paths, targets;
    const char *target = folders[_i].list ? "sims/tso/bnd" : "sims/tso/mesh";
    if (!corpus_list(folders[_i].folder, folders[_i].suffix, &paths) || !corpus_list(target, "", &targets))
        return;
    unsigned left_out = 0;
    ck_assert_uint_eq(paths.count, 22);
    for (size_t i = 0; i < paths.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(paths.items[i], &file));
        struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
        const struct pose_character *character = document->characters;
        ck_assert_str_eq(document->format, folders[_i].format);
        ck_assert_uint_eq(codec_warnings(document, NULL), 0);
        check_round_trip(character, folders[_i].format, file.data, file.size);
        const char *key = first_key(character, folders[_i].list);
        left_out += !is_named(&targets, key);
        pose_document_free(document);
        test_file_free(&file);
    }
    ck_assert_uint_eq(left_out, folders[_i].left_out);
    test_paths_free(&paths);
    test_paths_free(&targets);
}
