/* Sims 3 clips: the spec's worked example, every packing, the rule of key sizes, tracks, and what is warned of. */
#include "lib/core/value.h"
#include "lib/formats/table.h"
#include "tests/support/codecs.h"
#include "tests/support/sims3/clip_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

static const char FORMAT[] = "sims3-clip";

static const uint32_t HEAD = 0x0f97b21b, ROOT = 0xfeae6981, PELVIS = 0x556b181a;

static void check_values(const struct pose_channel *channel, uint32_t key, unsigned components,
                         const float *expected)
{
    ck_assert_uint_lt(key, channel->count);
    for (unsigned c = 0; c < components; c++) {
        float value = channel->values[(size_t)key * components + c];
        ck_assert_msg(fabsf(value - expected[c]) < 1e-6f, "key %u, component %u: %.9g, not %.9g", key, c,
                      (double)value, (double)expected[c]);
    }
}

static void check_json(const struct pose_value *value, const char *expected)
{
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, value));
    ck_assert(pose_buffer_append(&text, "", 1));
    ck_assert_str_eq((const char *)text.data, expected);
    pose_buffer_free(&text);
}

/* ------------------------------------------------------------------------------------- the worked example -- */

TEST(the_example_is_read)
{
    struct little_file made;
    sims3_make_example(&made);
    struct pose_document *document = codec_must_decode(NULL, made.bytes.data, made.bytes.size);
    const struct pose_clip *clip = document->clips;
    ck_assert_str_eq(document->format, FORMAT);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_str_eq(clip->name, "a_demo_x");
    ck_assert(clip->axes == POSE_AXES_GLTF && clip->rules == POSE_RULES_SIMS3);
    ck_assert(clip->loop == POSE_LOOP_UNKNOWN && clip->loop_in == 0 && clip->loop_out == clip->duration);
    ck_assert(clip->duration == 1 / 30.0f && clip->fps == 30);
    ck_assert_uint_eq(clip->frame_count, 2);
    ck_assert_uint_eq(clip->track_count, 3);
    ck_assert_uint_eq(clip->key_count, 6);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST(the_example_has_its_values)
{
    struct little_file made;
    sims3_make_example(&made);
    struct pose_document *document = sims3_decode(&made);
    static const char *const names[] = {"b__Head__", "b__ROOT__", "b__Pelvis__"};
    const uint32_t ids[] = {HEAD, ROOT, PELVIS};
    const struct pose_track *tracks = document->clips->tracks;
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(tracks[i].name, names[i]);
        ck_assert(tracks[i].has_id && tracks[i].id == ids[i]);
        ck_assert_uint_eq(tracks[i].channels[POSE_SCALE].count + tracks[i].channels[POSE_MORPH].count, 0);
    }
    check_values(&tracks[0].channels[POSE_TRANSLATION], 0, 3, (float[]){0.75f, 0.4166667f, 0.6251222f});
    check_values(&tracks[0].channels[POSE_ROTATION], 0, 4, (float[]){0, 0, -0.7071068f, 0.7071068f});
    check_values(&tracks[0].channels[POSE_ROTATION], 1, 4, (float[]){0, 0, 0, 1});
    ck_assert(tracks[0].channels[POSE_ROTATION].times[1] == 1 / 30.0f);
    check_values(&tracks[1].channels[POSE_TRANSLATION], 0, 3, (float[]){-0.25f, 0, 1.5f});
    check_values(&tracks[1].channels[POSE_TRANSLATION], 1, 3, (float[]){1.5f, 0, 0.25f});
    check_values(&tracks[2].channels[POSE_TRANSLATION], 0, 3, (float[]){0, 0, 0});
    ck_assert_uint_eq(tracks[2].channels[POSE_TRANSLATION].count, 1);
    pose_document_free(document);
}

TEST(the_example_has_its_extras)
{
    struct little_file made;
    sims3_make_example(&made);
    struct pose_document *document = sims3_decode(&made);
    const struct pose_clip *clip = document->clips;
    check_json(clip->extras,
               "{\"source_name\":\"demo.ma\",\"version\":2,\"flags\":0,\"frame_duration\":0.033333335,"
               "\"palette\":[0.25,0,1.5],\"flagged_keys\":0,\"actor\":\"x\",\"ik_chains\":null,"
               "\"end\":[0,0,0,1],\"unknown_28\":0,\"unknown_32\":1}");
    check_json(clip->tracks[0].extras,
               "{\"channels\":[{\"type\":18,\"sub_type\":1,\"offset\":0.5,\"scale\":0.25},"
               "{\"type\":20,\"sub_type\":2,\"offset\":0,\"scale\":1}]}");
    ck_assert_uint_eq(clip->event_count, 1);
    ck_assert(clip->events->time == 0);
    ck_assert_str_eq(clip->events->type, "script");
    check_json(clip->events->fields,
               "{\"id\":101,\"unknown_12\":-1,\"unknown_16\":-1,\"unknown_20\":7,\"name\":\"go\"}");
    pose_document_free(document);
}

/* ----------------------------------------------------------------------------------------------- packings -- */

static const float palette[] = {0.25f, 0, 1.5f, -2};

/* A clip of these channels, 4 ticks of 1/30 s and the palette above. */
static void make(struct little_file *made, const struct sims3_channel_made *channels, size_t count)
{
    sims3_make(made, &(struct sims3_section_made){1 / 30.0f, 4, count, 4, channels, palette});
}

/* One key at tick 1 of each packing; offset 1, scale -2 (so a sign bit takes 2 * raw / max away from 1 or adds it). */
static const struct packing_case {
    uint16_t kind;
    uint8_t flags;
    uint8_t payload[8];
    size_t payload_size;
    enum pose_part part;
    unsigned components;
    float expected[4];
} packings[] = {
    {0x103, 4, {0, 0, 1, 0, 2, 0}, 6, POSE_TRANSLATION, 3, {0.5f, 1, 4}},
    {0x303, 0, {3, 0, 3, 0, 3, 0}, 6, POSE_SCALE, 3, {5, 5, 5}},
    {0x701, 1, {2, 0}, 2, POSE_MORPH, 1, {4}},
    {0x204,
     0,
     {0, 0, 1, 0, 1, 0, 1, 0},
     8,
     POSE_ROTATION,
     4,
     {0.27735010f, 0.55470020f, 0.55470020f, 0.55470020f}},
    {0x705, 0, {0xff, 0xff}, 2, POSE_MORPH, 1, {-1}},
    {0x705, 1, {0xff, 0x7f}, 2, POSE_MORPH, 1, {1.99998474f}},
    {0x112, 0, {0xff, 0x03, 0, 0}, 4, POSE_TRANSLATION, 3, {-1, 1, 1}},
    {0x112, 2, {0, 0xfc, 0x0f, 0}, 4, POSE_TRANSLATION, 3, {1, 3, 1}},
    {0x312, 0, {0, 0, 0xf0, 0x3f}, 4, POSE_SCALE, 3, {1, 1, -1}},
    {0x112, 0, {0, 0, 0, 0xc0}, 4, POSE_TRANSLATION, 3, {1, 1, 1}}, /* the top two bits mean nothing */
    {0x214,
     1,
     {0xff, 0x0f, 0, 0, 0, 0, 0, 0},
     8,
     POSE_ROTATION,
     4,
     {0.86602540f, 0.28867513f, 0.28867513f, 0.28867513f}},
    {0x214,
     8,
     {0, 0, 0, 0, 0, 0, 0xff, 0xff},
     8,
     POSE_ROTATION,
     4,
     {0.28867513f, 0.28867513f, 0.28867513f, 0.86602540f}},
};

TEST_EACH(every_packing_is_unpacked, COUNT(packings))
{
    const struct packing_case *packing = &packings[_i];
    uint8_t key[12] = {1, 0, packing->flags, 0};
    struct little_file made;
    memcpy(key + 4, packing->payload, packing->payload_size);
    make(&made, &(struct sims3_channel_made){HEAD, packing->kind, 1, 1, -2, key, 4 + packing->payload_size},
         1);
    struct pose_document *document = sims3_decode(&made);
    const struct pose_channel *channel = &document->clips->tracks->channels[packing->part];
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(channel->count, 1);
    ck_assert(channel->times[0] == 1 / 30.0f);
    check_values(channel, 0, packing->components, packing->expected);
    pose_document_free(document);
}

static const struct {
    uint16_t kind;
    enum pose_part part;
    unsigned components;
    float expected[4];
} constants[] = {
    {0x10b, POSE_TRANSLATION, 3, {0, 0, 0}},
    {0x30b, POSE_SCALE, 3, {0, 0, 0}},
    {0x709, POSE_MORPH, 1, {0}},
    {0x20c, POSE_ROTATION, 4, {0, 0, 0, 1}},
    {0x10f, POSE_TRANSLATION, 3, {1, 1, 1}},
    {0x30f, POSE_SCALE, 3, {1, 1, 1}},
    {0x70d, POSE_MORPH, 1, {1}},
    {0x210, POSE_ROTATION, 4, {0.5f, 0.5f, 0.5f, 0.5f}},
    {0x211, POSE_ROTATION, 4, {0, 0, 0, 1}},
};

/* One key at tick 0, whatever the key count, offset and scale say. */
TEST_EACH(every_constant_is_one_key, COUNT(constants))
{
    struct little_file made;
    make(&made, &(struct sims3_channel_made){HEAD, constants[_i].kind, 65535, 7, 9, NULL, 0}, 1);
    struct pose_document *document = sims3_decode(&made);
    const struct pose_channel *channel = &document->clips->tracks->channels[constants[_i].part];
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(channel->count, 1);
    ck_assert(channel->times[0] == 0);
    check_values(channel, 0, constants[_i].components, constants[_i].expected);
    pose_document_free(document);
}

TEST(a_channel_without_keys_drives_nothing)
{
    struct little_file made;
    make(&made, &(struct sims3_channel_made){HEAD, 0x112, 0, 0, 1, NULL, 0}, 1);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(document->clips->track_count, 1);
    ck_assert_uint_eq(document->clips->key_count, 0);
    ck_assert(document->clips->duration == 3 * (1 / 30.0f));
    pose_document_free(document);
}

TEST(a_rotation_without_length_is_the_identity)
{
    static const uint8_t key[12] = {0};
    struct little_file made;
    make(&made, &(struct sims3_channel_made){HEAD, 0x214, 1, 0, 1, key, sizeof key}, 1);
    struct pose_document *document = sims3_decode(&made);
    check_values(&document->clips->tracks->channels[POSE_ROTATION], 0, 4, (float[]){0, 0, 0, 1});
    pose_document_free(document);
}

/* Channels of one key are one track, at the place of the first; a morph of the same key is another. */
TEST(channels_are_gathered_into_tracks)
{
    static const uint8_t key[8] = {0};
    const struct sims3_channel_made channels[] = {
        {HEAD, 0x112, 1, 3, 1, key, 8},  {0xf7f2bc99u, 0x709, 0, 0, 1, NULL, 0},
        {HEAD, 0x709, 0, 0, 1, NULL, 0}, {ROOT, 0x10b, 0, 0, 1, NULL, 0},
        {HEAD, 0x30f, 0, 0, 1, NULL, 0}, {12345, 0x211, 0, 0, 1, NULL, 0}};
    struct little_file made;
    make(&made, channels, 6);
    struct pose_document *document = sims3_decode(&made);
    const struct pose_track *tracks = document->clips->tracks;
    ck_assert_uint_eq(document->clips->track_count, 5);
    ck_assert(tracks[0].id == HEAD && tracks[0].channels[POSE_TRANSLATION].count == 1);
    ck_assert(tracks[0].channels[POSE_SCALE].count == 1 && tracks[0].channels[POSE_MORPH].count == 0);
    ck_assert_str_eq(tracks[1].name, "NoseCrinkleBack");
    ck_assert(tracks[2].id == HEAD && tracks[2].channels[POSE_MORPH].count == 1 && !tracks[2].name);
    ck_assert_str_eq(tracks[3].name, "b__ROOT__");
    ck_assert(tracks[4].id == 12345 && !tracks[4].name);
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------- sizes of keys -- */

/* Three keys of F3 whose bytes make sense in steps of `size` bytes; what lies between is all ones. */
static void put_keys(uint8_t *keys, size_t size, unsigned ticks)
{
    memset(keys, 0xff, 3 * size);
    for (unsigned k = 0; k < 3; k++) {
        uint8_t *key = keys + k * size;
        memset(key, 0, 10);
        key[0] = (uint8_t)(k * ticks);
        key[4] = 2; /* x = palette[2] */
    }
}

/* The rule of the spec's section 3: how long the keys are, how many bytes lie there, and what is chosen. */
static const struct {
    size_t key_size, total;
} sizes[] = {
    {10, 30}, /* span is n x small */
    {12, 36}, /* span is n x large */
    {10, 33}, /* less than n x large: small */
    {10, 40}, /* both fit: only small is plausible */
    {12, 40}, /* both fit: only large is plausible */
};

TEST_EACH(sizes_of_keys_follow_the_rule, COUNT(sizes))
{
    uint8_t keys[64] = {0};
    struct little_file made;
    put_keys(keys, sizes[_i].key_size, 1);
    make(&made, &(struct sims3_channel_made){HEAD, 0x103, 3, 0, 1, keys, sizes[_i].total}, 1);
    struct pose_document *document = sims3_decode(&made);
    const struct pose_channel *channel = &document->clips->tracks->channels[POSE_TRANSLATION];
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_uint_eq(channel->count, 3);
    ck_assert(channel->times[1] == 1 / 30.0f);
    check_values(channel, 1, 3, (float[]){1.5f, 0.25f, 0.25f});
    pose_document_free(document);
}

/* The span ends where the next keys begin, not at those of channels without any. */
TEST(the_next_channel_with_keys_ends_the_span)
{
    uint8_t wide[36], narrow[10] = {0};
    put_keys(wide, 12, 1);
    const struct sims3_channel_made channels[] = {{HEAD, 0x103, 3, 0, 1, wide, 36},
                                                  {PELVIS, 0x10b, 0, 0, 1, NULL, 0},
                                                  {ROOT, 0x103, 1, 0, 1, narrow, 10}};
    struct little_file made;
    make(&made, channels, 3);
    little_set_u32(&made, SIMS3_AT_CHANNEL + 20, 48 + 60 + 2 + 16 + 30); /* of a constant: within the keys */
    struct pose_document *document = sims3_decode(&made);
    const struct pose_channel *channel = &document->clips->tracks->channels[POSE_TRANSLATION];
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert(channel->times[1] == 1 / 30.0f && channel->times[2] == 2 * (1 / 30.0f));
    pose_document_free(document);
}

/* ---------------------------------------------------------------------------------------------- warnings -- */

TEST(ticks_are_sorted_and_the_last_of_each_stays)
{
    static const uint8_t keys[4][6] = {
        {2, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 2, 0}, {2, 0, 0, 0, 3, 0}, {1, 0, 0, 0, 4, 0}};
    struct little_file made;
    make(&made, &(struct sims3_channel_made){HEAD, 0x705, 4, 0, 65535, keys, sizeof keys}, 1);
    struct pose_document *document = sims3_decode(&made);
    const struct pose_channel *channel = &document->clips->tracks->channels[POSE_MORPH];
    ck_assert_uint_eq(codec_warnings(document, "unsorted_keys"), 1);
    ck_assert_uint_eq(codec_warnings(document, "equal_key_times"), 1);
    ck_assert_uint_eq(channel->count, 3);
    for (unsigned k = 0; k < 3; k++) {
        ck_assert(channel->times[k] == (float)(k * (double)(1 / 30.0f)));
        check_values(channel, k, 1, (float[]){k == 0 ? 2 : k == 1 ? 4 : 3});
    }
    pose_document_free(document);
}

TEST(unknown_channels_are_listed)
{
    const struct sims3_channel_made channels[] = {{HEAD, 0x106, 0, 1, 2, NULL, 0},
                                                  {HEAD, 0x213, 5, 1, 2, NULL, 0},
                                                  {HEAD, 0x0e05, 0, 1, 2, NULL, 0},
                                                  {HEAD, 0x105, 0, 1, 2, NULL, 0}};
    struct little_file made;
    make(&made, channels, 4);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "unknown_channel"), 3);
    ck_assert_uint_eq(codec_warnings(document, "component_count"), 1);
    ck_assert_uint_eq(document->clips->key_count, 0);
    check_json(document->clips->tracks->extras,
               "{\"other\":[{\"type\":6,\"sub_type\":1,\"offset\":1,\"scale\":2,\"key_count\":0},"
               "{\"type\":19,\"sub_type\":2,\"offset\":1,\"scale\":2,\"key_count\":5},"
               "{\"type\":5,\"sub_type\":14,\"offset\":1,\"scale\":2,\"key_count\":0},"
               "{\"type\":5,\"sub_type\":1,\"offset\":1,\"scale\":2,\"key_count\":0}]}");
    pose_document_free(document);
}

TEST(what_is_odd_is_warned_of)
{
    const struct sims3_channel_made twice[] = {{HEAD, 0x10f, 0, 0, 1, NULL, 0},
                                               {HEAD, 0x10b, 0, 0, 1, NULL, 0}};
    struct little_file made;
    make(&made, twice, 2);
    little_put(&made, "tail", 4);
    little_set_u32(&made, 4, 1);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "duplicate_channel"), 1);
    ck_assert_uint_eq(codec_warnings(document, "trailing_bytes"), 1);
    ck_assert_uint_eq(codec_warnings(document, "linked_clip"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 3);
    check_values(&document->clips->tracks->channels[POSE_TRANSLATION], 0, 3, (float[]){0, 0, 0});
    pose_document_free(document);
}

TEST(odd_flags_are_counted)
{
    static const uint8_t keys[3][6] = {{0, 0, 0x10, 0, 1, 0}, {1, 0, 1, 0, 1, 0}, {2, 0, 0x80, 0, 1, 0}};
    struct little_file made;
    make(&made, &(struct sims3_channel_made){HEAD, 0x705, 3, 0, 1, keys, sizeof keys}, 1);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_int_eq(value_get_int(document->clips->extras, "flagged_keys", -1), 2);
    pose_document_free(document);
}
