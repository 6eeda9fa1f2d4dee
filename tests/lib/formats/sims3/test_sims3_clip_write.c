/* Sims 3 clips written: events of every kind, chains, palettes, quantisation, clips of other rules, what is lost. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/sims3/clip_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char FORMAT[] = "sims3-clip";
static const uint32_t HEAD = 0x0f97b21b;

static struct pose_document *write_and_read(const struct pose_clip *clip, const char *losses_expected)
{
    const struct pose_content content = {.clip_count = 1, .clips = clip};
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, &losses);
    ck_assert_str_eq(losses.codes, losses_expected);
    struct pose_document *again = codec_must_decode(NULL, out.data, out.size);
    ck_assert_uint_eq(codec_warnings(again, NULL), 0);
    pose_buffer_free(&out);
    return again;
}

static void check_same(const struct pose_value *a, const struct pose_value *b)
{
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, a) && pose_buffer_append(&text, "", 1));
    codec_check_json(b, (const char *)text.data);
    pose_buffer_free(&text);
}

/* ------------------------------------------------------------------------------------------------- events -- */

static const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 2, 3, 1};

static void put_hashes(struct little_file *made)
{
    sims3_put_event(made, 1, 0.5f, "");
    little_put_u32(made, 0x11111111);
    little_put_u32(made, 0x050c5d67); /* x */
    little_put_u32(made, 0xfeae6981); /* b__ROOT__ */
    little_put_u32(made, 4);
    for (int i = 0; i < 16; i++)
        little_put_f32(made, matrix[i]);
    sims3_put_event(made, 2, 0.25f, "");
    little_put_u32(made, 0x050c5d67);
    sims3_put_event(made, 9, 1, "");
    little_put_u32(made, 0x22222222);
}

static void put_effects(struct little_file *made)
{
    char sound[128] = "dog_bark";
    memset(sound + 9, 0xcc, sizeof sound - 9);
    sims3_put_event(made, 5, 0.75f, "ep5CatScratchSim");
    little_put_u32(made, 0x3034ff0e); /* the low word first */
    little_put_u32(made, 0xa8dee7b7);
    little_put_u32(made, 0xd8e29cce); /* the event's own name */
    little_put_u32(made, 0x050c5d67);
    little_put_u32(made, 0x33333333);
    little_put_u32(made, 0);
    sims3_put_event(made, 10, 1, "end");
    little_put_u32(made, 0x44444444);
    little_put_u32(made, 6);
    sims3_put_event(made, 6, 1, "abc");
    little_put_f32(made, 0.5f);
    sims3_put_event(made, 3, -1, "sound");
    little_put(made, sound, sizeof sound);
}

static const struct {
    float time;
    const char *type;
    const char *fields;
} expected_events[] = {
    {-1, "sound", "\"name\":\"sound\",\"sound\":\"dog_bark\"}"},
    {0.25f, "unparent", "\"name\":\"\",\"object\":\"0x050C5D67\",\"object_name\":\"x\"}"},
    {0.5f, "attach_object",
     "\"name\":\"\",\"prop\":\"0x11111111\",\"object\":\"0x050C5D67\",\"object_name\":\"x\","
     "\"slot\":\"0xFEAE6981\",\"slot_name\":\"b__ROOT__\",\"payload_12\":4,"
     "\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0.5,2,3,1]}"},
    {0.75f, "effect_start",
     "\"name\":\"ep5CatScratchSim\",\"effect\":\"0xA8DEE7B73034FF0E\",\"effect_name\":\"ep5CatScratchSim\","
     "\"instance\":\"0xD8E29CCE\",\"instance_name\":\"ep5CatScratchSim\",\"actor\":\"0x050C5D67\","
     "\"actor_name\":\"x\",\"slot\":\"0x33333333\",\"payload_20\":0}"},
    {1, "destroy_prop", "\"name\":\"\",\"prop\":\"0x22222222\"}"},
    {1, "effect_stop", "\"name\":\"end\",\"instance\":\"0x44444444\",\"payload_4\":6}"},
    {1, "visibility", "\"name\":\"abc\",\"visibility\":0.5}"},
    {2, "type_7", "\"name\":\"odd\",\"payload\":\"010000000200\"}"},
};

static void check_events(const struct pose_clip *clip, uint32_t count)
{
    ck_assert_uint_eq(clip->event_count, count);
    for (uint32_t i = 0; i < count; i++) {
        char text[600];
        snprintf(text, sizeof text, "{\"id\":7,\"unknown_12\":-1,\"unknown_16\":-1,\"unknown_20\":3,%s",
                 expected_events[i].fields);
        ck_assert(clip->events[i].time == expected_events[i].time);
        ck_assert_str_eq(clip->events[i].type, expected_events[i].type);
        codec_check_json(clip->events[i].fields, text);
    }
}

static void make_events(struct little_file *made, bool with_unknown)
{
    sims3_make(made, &(struct sims3_section_made){1 / 30.0f, 4, 0, 0, NULL, NULL});
    size_t at = sims3_begin_events(made, with_unknown ? 8 : 7);
    put_hashes(made);
    put_effects(made);
    if (with_unknown) {
        sims3_put_event(made, 7, 2, "odd");
        little_put(made, "\1\0\0\0\2\0", 6);
    }
    sims3_end_events(made, at);
}

TEST(events_have_typed_fields_and_come_back)
{
    struct little_file made;
    make_events(&made, false);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    check_events(document->clips, 7);
    struct pose_document *again = write_and_read(document->clips, "");
    check_events(again->clips, 7);
    pose_document_free(again);
    pose_document_free(document);
}

/* An unknown event reaches up to the next one that can be told, or to the end of the table. */
TEST(unknown_events_keep_their_bytes)
{
    struct little_file made;
    make_events(&made, true);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "unknown_event"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    check_events(document->clips, 8);
    const struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode(FORMAT, &content, NULL);
    struct pose_document *again = codec_must_decode(FORMAT, out.data, out.size);
    check_events(again->clips, 8);
    pose_buffer_free(&out);
    pose_document_free(again);
    pose_document_free(document);
}

TEST(the_event_after_an_unknown_one_is_found)
{
    struct little_file made;
    sims3_make(&made, &(struct sims3_section_made){1 / 30.0f, 4, 0, 0, NULL, NULL});
    size_t at = sims3_begin_events(&made, 3);
    sims3_put_event(&made, 63, 0, "a");
    little_put_u32(&made, 0xc1e40040); /* no event: its type would be 64 */
    sims3_put_event(&made, 4, 1, "b");
    sims3_put_event(&made, 8, 2, "c");
    sims3_end_events(&made, at);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, "unknown_event"), 2);
    ck_assert_uint_eq(document->clips->event_count, 3);
    ck_assert_str_eq(document->clips->events[1].type, "script");
    ck_assert_str_eq(value_get_string(document->clips->events[0].fields, "payload", ""), "4000e4c1");
    ck_assert_str_eq(value_get_string(document->clips->events[2].fields, "payload", "-"), "");
    pose_document_free(document);
}

/* What has no meaning may be anything: no number of JSON, a NaN that signals. It comes back bit by bit, also by way of
 * JSON and glTF. */
TEST(floats_of_no_meaning_keep_their_bits)
{
    static const char *const ways[] = {FORMAT, "json", "gltf"};
    static const uint32_t end[4] = {0x7fc00001, 0xff800000, 0x7f800001, 0x80000000};
    struct little_file made;
    sims3_make_example(&made);
    for (size_t i = 0; i < 4; i++)
        little_set_u32(&made, SIMS3_AT_END + 4 * i, end[i]);
    little_set_u32(&made, SIMS3_AT_EVENT + 12, 0xffc00000);
    little_set_u32(&made, SIMS3_AT_EVENT + 16, 0x7f800000);
    struct pose_document *document = sims3_decode(&made);
    for (int i = 0; i < 3; i++) {
        const struct pose_content content = document_content(document);
        struct pose_buffer out = codec_must_encode(ways[i], &content, NULL);
        struct pose_document *middle = codec_must_decode(ways[i], out.data, out.size);
        pose_buffer_free(&out);
        const struct pose_content again = document_content(middle);
        out = codec_must_encode(FORMAT, &again, NULL);
        ck_assert(!memcmp(out.data + out.size - sizeof end, end, sizeof end));
        struct pose_document *back = codec_must_decode(FORMAT, out.data, out.size);
        codec_check_json(pose_value_find(back->clips->extras, "end"),
                         "[\"0x7FC00001\",\"0xFF800000\",\"0x7F800001\",-0]");
        codec_check_json(back->clips->events->fields,
                         "{\"id\":101,\"unknown_12\":\"0xFFC00000\",\"unknown_16\":"
                         "\"0x7F800000\",\"unknown_20\":7,\"name\":\"go\"}");
        pose_buffer_free(&out);
        pose_document_free(back);
        pose_document_free(middle);
    }
    pose_document_free(document);
}

/* ------------------------------------------------------------------------------------------------- chains -- */

static void put_text(struct little_file *made, const char *text)
{
    char field[512];
    memset(field, '#', sizeof field);
    memcpy(field, text, strlen(text) + 1);
    little_put(made, field, sizeof field);
}

TEST(chains_come_back)
{
    struct little_file made;
    sims3_make(&made, &(struct sims3_section_made){1 / 30.0f, 4, 0, 0, NULL, NULL});
    size_t start = sims3_begin_block(&made, SIMS3_AT_IK_TABLE);
    const uint32_t words[] = {2, 8, 16 + 2 * 1032, 0x7e7e7e7e, 2, 8, 8 + 1028};
    little_put(&made, words, sizeof words);
    for (uint32_t i = 0; i < 2; i++) {
        little_put_u32(&made, i + 5);
        put_text(&made, i ? "baby" : "x");
        put_text(&made, i ? "IKtarget_baby" : "L_footWorld");
    }
    little_put(&made, (uint32_t[]){0x7e7e7e7e, 0}, 8);
    size_t end = made.bytes.size;
    uint8_t *table = malloc(end - start);
    memcpy(table, made.bytes.data + start, end - start);
    struct pose_document *document = sims3_decode(&made);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    codec_check_json(pose_value_find(document->clips->extras, "ik_chains"),
                     "[{\"targets\":[{\"index\":5,\"actor\":\"x\",\"slot\":\"L_footWorld\"},"
                     "{\"index\":6,\"actor\":\"baby\",\"slot\":\"IKtarget_baby\"}]},{\"targets\":[]}]");
    const struct pose_content content = document_content(document);
    struct pose_buffer out = codec_must_encode(FORMAT, &content, NULL);
    codec_check_bytes("table", out.data + start, end - start, table, end - start);
    free(table);
    pose_buffer_free(&out);
    pose_document_free(document);
}

/* --------------------------------------------------------------------------------------------------- keys -- */

TEST(the_example_comes_back)
{
    struct pose_document *document = codec_must_decode(FORMAT, sims3_example, sizeof sims3_example);
    struct pose_document *again = write_and_read(document->clips, "");
    const struct pose_clip *a = document->clips, *b = again->clips;
    check_same(a->extras, b->extras);
    check_same(a->events->fields, b->events->fields);
    ck_assert_str_eq(b->name, "a_demo_x");
    ck_assert_uint_eq(b->track_count, 3);
    for (int i = 0; i < 3; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *from = &a->tracks[i].channels[part],
                                      *to = &b->tracks[i].channels[part];
            ck_assert_uint_eq(from->count, to->count);
            for (uint32_t k = 0; k < from->count * (part == POSE_ROTATION ? 4 : 3); k++)
                ck_assert(fabsf(from->values[k] - to->values[k]) <= (part == POSE_ROTATION ? 2.5e-4f : 0));
        }
    }
    /* The palette took what came from it, so that its values are exact. */
    codec_check_json(pose_value_find(b->tracks[1].extras, "channels"),
                     "[{\"type\":3,\"sub_type\":1,\"offset\":0,\"scale\":1}]");
    pose_document_free(again);
    pose_document_free(document);
}

/* A track of four keys at whole ticks. */
static const float times[] = {0, 1 / 30.0f, 2 / 30.0f, 3 / 30.0f};

static struct pose_clip clip_of(const struct pose_track *track)
{
    return (struct pose_clip){.axes = POSE_AXES_GLTF,
                              .rules = POSE_RULES_PLAIN,
                              .duration = 0.1f,
                              .fps = 30,
                              .track_count = 1,
                              .tracks = track};
}

/* By rounding no component is off by more than half a step. */
TEST(values_are_rounded)
{
    static const float values[] = {-3, 0.1f, 7, 2.7f, 1.23456f, -2.9f, 0.5f, 6.99f, 3, 2, 2.00391f, 5};
    struct pose_track track = {.name = "b__Head__", .channels[POSE_TRANSLATION] = {4, times, values}};
    struct pose_clip clip = clip_of(&track);
    struct pose_document *document = write_and_read(&clip, "");
    const struct pose_channel *channel = &document->clips->tracks->channels[POSE_TRANSLATION];
    codec_check_json(document->clips->tracks->extras,
                     "{\"channels\":[{\"type\":18,\"sub_type\":1,\"offset\":2,\"scale\":5}]}");
    ck_assert_uint_eq(document->clips->tracks->id, HEAD);
    ck_assert_uint_eq(document->clips->frame_count, 4);
    for (int i = 0; i < 12; i++)
        ck_assert_msg(fabsf(channel->values[i] - values[i]) <= 5 / 1023.0f / 2 + 1e-6f, "value %d: %g", i,
                      (double)channel->values[i]);
    for (int k = 0; k < 4; k++)
        ck_assert(fabsf(channel->times[k] - times[k]) < 1e-6f);
    pose_document_free(document);
}

TEST(rotations_are_normalised_and_on_one_hemisphere)
{
    static const float values[] = {0, 0, 0, 2, 0, 0, -0.1f, -1, 0.6f, 0, 0, 0.8f, -0.6f, 0, 0, -0.8f};
    struct pose_track track = {.name = "b__Head__", .channels[POSE_ROTATION] = {4, times, values}};
    struct pose_clip clip = clip_of(&track);
    struct pose_document *document = write_and_read(&clip, "");
    const float *read = document->clips->tracks->channels[POSE_ROTATION].values;
    static const float expected[] = {0,    0, 0, 1,    0,    0, 0.0995037f, 0.9950372f,
                                     0.6f, 0, 0, 0.8f, 0.6f, 0, 0,          0.8f};
    for (int i = 0; i < 16; i++)
        ck_assert_msg(fabsf(read[i] - expected[i]) <= 1 / 4095.0f, "value %d: %g", i, (double)read[i]);
    pose_document_free(document);
}

TEST(what_stays_zero_is_a_constant)
{
    static const float zeros[12] = {0}, ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct pose_track track = {.name = "NoseCrinkleBack",
                               .channels[POSE_TRANSLATION] = {4, times, zeros},
                               .channels[POSE_SCALE] = {4, times, ones},
                               .channels[POSE_MORPH] = {4, times, zeros}};
    struct pose_clip clip = clip_of(&track);
    struct pose_document *document = write_and_read(&clip, "");
    const struct pose_track *tracks = document->clips->tracks;
    ck_assert_uint_eq(document->clips->track_count, 2);
    codec_check_json(tracks[0].extras, "{\"channels\":[{\"type\":11,\"sub_type\":1,\"offset\":0,\"scale\":1},"
                                       "{\"type\":18,\"sub_type\":3,\"offset\":1,\"scale\":1}]}");
    codec_check_json(tracks[1].extras,
                     "{\"channels\":[{\"type\":9,\"sub_type\":7,\"offset\":0,\"scale\":1}]}");
    ck_assert_uint_eq(tracks[0].id, 0xd50466b9u); /* FNV-32 */
    ck_assert_uint_eq(tracks[1].id, 0xf7f2bc99u); /* the low half of FNV-64 */
    ck_assert_str_eq(tracks[1].name, "NoseCrinkleBack");
    ck_assert_uint_eq(tracks[0].channels[POSE_SCALE].count, 4);
    ck_assert(tracks[0].channels[POSE_SCALE].values[11] == 1);
    pose_document_free(document);
}

TEST(what_is_lost_is_told)
{
    static const float near[] = {0, 0.001f, 0.05f, 0.1f}, values[] = {0.5f, 1, 0, 0.25f};
    struct pose_track tracks[] = {{.name = "smile", .channels[POSE_MORPH] = {4, near, values}},
                                  {.channels[POSE_MORPH] = {4, times, values}}};
    const struct pose_event event = {.time = 0, .type = "footstep"};
    struct pose_clip clip = clip_of(tracks);
    clip.track_count = 2;
    clip.loop = POSE_LOOP_YES;
    clip.events = &event;
    clip.event_count = 1;
    struct pose_document *document =
        write_and_read(&clip, "keys_merged unnamed_track loop_dropped events_dropped ");
    const struct pose_channel *channel = &document->clips->tracks->channels[POSE_MORPH];
    ck_assert_uint_eq(document->clips->track_count, 1);
    ck_assert_uint_eq(channel->count, 3);
    ck_assert(fabsf(channel->values[0] - 1) < 1e-5f && fabsf(channel->values[2] - 0.25f) < 1e-5f);
    ck_assert_uint_eq(document->clips->event_count, 0);
    pose_document_free(document);
}

static void check_refused(const struct pose_clip *clip, const char *code)
{
    const struct pose_content content = {.clip_count = 1, .clips = clip};
    struct pose_buffer out = {0};
    struct pose_error error;
    ck_assert(!pose_encode(FORMAT, &content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, code);
    ck_assert_ptr_null(out.data);
}

TEST(what_cannot_be_written_is_refused)
{
    static const float odd[] = {NAN, 0, 0, 0};
    static char name[5000];
    struct pose_track track = {.name = "a", .channels[POSE_MORPH] = {4, times, odd}};
    struct pose_clip clip = clip_of(&track);
    check_refused(&clip, "not_finite");
    clip.track_count = 0;
    clip.duration = 65536 / 30.0f;
    check_refused(&clip, "too_long");
    clip.duration = -1;
    check_refused(&clip, "bad_duration");
    clip.duration = 1;
    memset(name, 'a', sizeof name - 1);
    clip.name = name;
    check_refused(&clip, "text_too_long");
}
