/* Sims 3 clips: the spec's worked example, every packing, the rule of key sizes, events, and what is refused. */
#include "lib/core/value.h"
#include "lib/formats.h"
#include "tests/support/codecs.h"
#include "tests/support/sims3_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

static const char FORMAT[] = "sims3-clip";

static const uint32_t HEAD = 0x0f97b21b, ROOT = 0xfeae6981, PELVIS = 0x556b181a;

static struct pose_document *decode(struct sims3_made *made)
{
    struct pose_document *document = codec_must_decode(FORMAT, made->bytes.data, made->bytes.size);
    pose_buffer_free(&made->bytes);
    return document;
}

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

START_TEST(the_example_is_read)
{
    struct sims3_made made;
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
END_TEST

START_TEST(the_example_has_its_values)
{
    struct sims3_made made;
    sims3_make_example(&made);
    struct pose_document *document = decode(&made);
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
END_TEST

START_TEST(the_example_has_its_extras)
{
    struct sims3_made made;
    sims3_make_example(&made);
    struct pose_document *document = decode(&made);
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
END_TEST

int main(void)
{
    TCase *example = tcase_create("example");
    tcase_add_test(example, the_example_is_read);
    tcase_add_test(example, the_example_has_its_values);
    tcase_add_test(example, the_example_has_its_extras);
    return unit_run("sims3-clip", example, NULL);
}
