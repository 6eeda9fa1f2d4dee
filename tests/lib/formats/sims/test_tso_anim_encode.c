/* Writing .anim: layouts that come back byte for byte, changed clips, clips of other origin, and what is refused. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/tso_files.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

static const char FORMAT[] = "tso-anim";

static struct pose_buffer encode(const struct pose_clip *clip, struct codec_losses *losses)
{
    struct pose_content content = {.clip_count = 1, .clips = clip};
    return codec_must_encode(FORMAT, &content, losses);
}

static struct pose_document *decode(const struct pose_buffer *bytes)
{
    return codec_must_decode(FORMAT, bytes->data, bytes->size);
}

/* Decodes, encodes, and expects the same bytes. */
static void check_comes_back(const struct tso_file *file, const char *what)
{
    struct pose_document *document = codec_must_decode(FORMAT, file->data, file->size);
    struct codec_losses losses;
    struct pose_buffer out = encode(document->clips, &losses);
    ck_assert_str_eq(losses.codes, "");
    codec_check_bytes(what, out.data, out.size, file->data, file->size);
    pose_buffer_free(&out);
    pose_document_free(document);
}

static const struct pose_value *pool_of(const struct pose_document *document, const char *name)
{
    return pose_value_find(document->clips->extras, name);
}

/* ------------------------------------------------------------------------------------------ the same bytes -- */

TEST(the_plain_layout_comes_back)
{
    struct tso_file file;
    tso_make_anim(&file);
    check_comes_back(&file, "plain");
    tso_set_f32(&file, "duration", 2.277778f);
    check_comes_back(&file, "seconds");
    tso_set_f32(&file, "duration", -1);
    tso_set_f32(&file, "motions[0].duration", 5);
    check_comes_back(&file, "durations that differ");
    tso_set_u32(&file, "motions[1].unknown", 0);
    check_comes_back(&file, "unknown");
    tso_set_u8(&file, "is_moving", 0);
    check_comes_back(&file, "not moving");
    tso_set_f32(&file, "distance", -0.0f);
    check_comes_back(&file, "minus zero");
}

TEST(keys_in_another_order_come_back)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[0].first_rotation", 3);
    tso_set_u32(&file, "motions[1].first_rotation", 0);
    check_comes_back(&file, "swapped");
}

TEST(shared_and_unused_keys_come_back)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[1].first_rotation", 0);
    tso_set_f32(&file, "rotations", 0.25f);
    struct pose_document *document = codec_must_decode(FORMAT, file.data, file.size);
    const struct pose_value *pool = pool_of(document, "rotation_pool");
    ck_assert_int_eq(value_get_int(pool, "count", 0), 6);
    const struct pose_value *run = pose_value_find(pool, "unused")->first;
    ck_assert_int_eq(value_get_int(run, "first", 0), 3);
    ck_assert_uint_eq(value_count(pose_value_find(run, "values")), 12);
    ck_assert_ptr_null(pool_of(document, "translation_pool"));
    pose_document_free(document);
    check_comes_back(&file, "shared, with unused ones after them");
    tso_set_u32(&file, "motions[1].first_rotation", 2);
    check_comes_back(&file, "overlapping");
    tso_set_u32(&file, "motions[0].first_rotation", 2);
    tso_set_u32(&file, "motions[0].has_translation", 0x00010000);
    check_comes_back(&file, "unused ones on both sides, and a motion without keys that it names");
}

TEST(flags_without_lists_come_back)
{
    struct tso_file file;
    tso_make_anim(&file);
    file.size = tso_at(&file, "motions[1].has_time_props");
    tso_put_u8(&file, NULL, 1);
    tso_put_u32(&file, NULL, 0);
    file.data[tso_at(&file, "motions[1].has_props")] = 0;
    check_comes_back(&file, "time props, no list");
    file.size -= 4;
    tso_put_u32(&file, NULL, 2);
    tso_put_u32(&file, NULL, 0);
    tso_put_u32(&file, NULL, 0);
    check_comes_back(&file, "time props, two empty lists");
    file.size = tso_at(&file, "motions[1].has_props");
    tso_put_u8(&file, NULL, 1);
    tso_put_u32(&file, NULL, 0);
    tso_put_u8(&file, NULL, 0);
    check_comes_back(&file, "props, no list");
    file.size -= 5;
    tso_put_u32(&file, NULL, 2);
    tso_put_u32(&file, NULL, 1);
    tso_put_u32(&file, NULL, 0);
    tso_put_u32(&file, NULL, 2);
    for (int i = 0; i < 2; i++) {
        tso_put_u32(&file, NULL, 2);
        for (int k = 0; k < 2; k++) {
            tso_put_text(&file, NULL, "same");
            tso_put_text(&file, NULL, k ? "two" : "");
        }
    }
    tso_put_u8(&file, NULL, 0);
    check_comes_back(&file, "props, two lists, keys that repeat");
}

TEST(moments_in_any_layout_come_back)
{
    struct tso_file file;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[1].id", 0xfffffff0);
    check_comes_back(&file, "a time that no float holds");
    tso_set_u32(&file, "motions[0].id", 900);
    check_comes_back(&file, "times that descend");
    tso_set_u32(&file, "motions[0].id", 500);
    check_comes_back(&file, "times that repeat");
    memcpy(file.data + tso_at(&file, "motions[1].bone") + 1, "ROOT", 4);
    check_comes_back(&file, "two motions of one bone");
    file.size = tso_at(&file, "motions[1].has_time_props");
    tso_put_u8(&file, NULL, 0);
    check_comes_back(&file, "two motions of one bone, the second without events");
}

/* ------------------------------------------------------------------------------------------ changed clips -- */

/* A clip that may be changed: copies of the parts that the tests touch. */
struct copy {
    struct pose_document *document;
    struct pose_clip clip;
    struct pose_track tracks[2];
    struct pose_event events[8];
};

static void copy_of(const struct tso_file *file, struct copy *copy)
{
    copy->document = codec_must_decode(FORMAT, file->data, file->size);
    copy->clip = *copy->document->clips;
    memcpy(copy->tracks, copy->clip.tracks, sizeof copy->tracks);
    memcpy(copy->events, copy->clip.events, copy->clip.event_count * sizeof *copy->events);
    copy->clip.tracks = copy->tracks;
    copy->clip.events = copy->events;
}

TEST(changed_events_win)
{
    struct tso_file file;
    struct copy copy;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[0].id", 900); /* descending, so that the layout is in the extras */
    copy_of(&file, &copy);
    ck_assert_ptr_nonnull(pose_value_find(copy.tracks[0].extras, "time_props"));
    copy.events[0].time = 0.25f;    /* HEAD's */
    copy.events[3].type = "anchor"; /* ROOT's at 0.9 */
    struct pose_buffer out = encode(&copy.clip, NULL);
    struct pose_document *again = decode(&out);
    const struct pose_event *events = again->clips->events;
    ck_assert_uint_eq(again->clips->event_count, 4);
    ck_assert(events[0].time == 0.25f && events[3].time == 0.9f);
    ck_assert_str_eq(value_get_string(events[0].fields, "joint", ""), "HEAD");
    ck_assert_str_eq(events[1].type, "xevt");
    ck_assert_str_eq(events[2].type, "sound");
    ck_assert_str_eq(events[3].type, "anchor");
    ck_assert_ptr_null(pose_value_find(again->clips->tracks[0].extras, "time_props"));
    pose_document_free(again);
    pose_buffer_free(&out);
    pose_document_free(copy.document);
}

TEST(events_may_go_and_come)
{
    struct tso_file file;
    struct copy copy;
    tso_make_anim(&file);
    copy_of(&file, &copy);
    copy.clip.event_count = 1;
    struct pose_value value = {.kind = POSE_INT, .key = "value", .as.integer = 42};
    struct pose_value fields = {.kind = POSE_OBJECT, .first = &value};
    copy.events[0] = (struct pose_event){.time = 0.7f, .type = "xevt", .fields = &fields};
    struct pose_buffer out = encode(&copy.clip, NULL);
    struct pose_document *again = decode(&out);
    /* On no joint: it goes to the first track. */
    ck_assert_uint_eq(again->clips->event_count, 1);
    ck_assert_str_eq(value_get_string(again->clips->events->fields, "value", ""), "42");
    ck_assert_str_eq(value_get_string(again->clips->events->fields, "joint", ""), "ROOT");
    ck_assert(again->clips->events->time == 0.7f);
    pose_document_free(again);
    pose_buffer_free(&out);
    pose_document_free(copy.document);
}

TEST(changed_keys_leave_a_layout_that_no_longer_fits)
{
    struct tso_file file;
    struct copy copy;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[1].first_rotation", 0);
    copy_of(&file, &copy);
    float values[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    copy.tracks[1].channels[POSE_ROTATION].values = values;
    struct pose_buffer out = encode(&copy.clip, NULL);
    struct pose_document *again = decode(&out);
    const struct pose_track *tracks = again->clips->tracks;
    ck_assert_uint_eq(again->clips->key_count, 9);
    ck_assert(tracks[0].channels[POSE_ROTATION].values[0] == 0);
    ck_assert(tracks[1].channels[POSE_ROTATION].values[0] == 1);
    ck_assert_ptr_null(pool_of(again, "rotation_pool"));
    ck_assert_ptr_null(pose_value_find(tracks[1].extras, "first_rotation"));
    pose_document_free(again);
    pose_buffer_free(&out);
    pose_document_free(copy.document);
}

TEST(keys_out_of_range_stay_out)
{
    /* A channel that was left out must not point at keys that a changed clip now has. */
    struct tso_file file;
    struct copy copy;
    tso_make_anim(&file);
    tso_set_u32(&file, "motions[1].first_rotation", 4);
    copy_of(&file, &copy);
    float times[30], values[120] = {0};
    for (int k = 0; k < 30; k++)
        times[k] = (float)(k / 30.0);
    copy.tracks[0].channels[POSE_ROTATION] = (struct pose_channel){30, times, values};
    copy.tracks[0].channels[POSE_TRANSLATION].count = 0;
    struct pose_buffer out = encode(&copy.clip, NULL);
    struct pose_document *again = decode(&out);
    ck_assert_uint_eq(again->clips->tracks[0].channels[POSE_ROTATION].count, 30);
    ck_assert_uint_eq(again->clips->tracks[1].channels[POSE_ROTATION].count, 0);
    ck_assert_uint_eq(codec_warnings(again, "index_without_channel"), 0);
    pose_document_free(again);
    pose_buffer_free(&out);
    pose_document_free(copy.document);
}

TEST(a_changed_duration_wins)
{
    struct tso_file file;
    struct copy copy;
    tso_make_anim(&file);
    copy_of(&file, &copy);
    copy.clip.duration = 2;
    float times[3] = {0, 2 / 3.f, 4 / 3.f};
    copy.tracks[0].channels[POSE_TRANSLATION].times = copy.tracks[0].channels[POSE_ROTATION].times = times;
    copy.tracks[1].channels[POSE_ROTATION].times = times;
    struct codec_losses losses;
    struct pose_buffer out = encode(&copy.clip, &losses);
    ck_assert_str_eq(losses.codes, "");
    struct pose_document *again = decode(&out);
    ck_assert(again->clips->duration == 2);
    ck_assert(value_get_float(again->clips->extras, "duration_ms", 0) == 2000);
    ck_assert_ptr_null(pose_value_find(again->clips->tracks[0].extras, "duration_ms"));
    pose_document_free(again);
    pose_buffer_free(&out);
    pose_document_free(copy.document);
}

/* --------------------------------------------------------------------------------------- clips from elsewhere -- */

/* A metre up in half a second, in glTF's axes, with keys where no clock of The Sims has them. */
static struct pose_document *convert_foreign(struct codec_losses *losses)
{
    static const float times[] = {0, 0.5f, 1}, metres[] = {1, 0, 0, 1, 1, 0, 1, 1, 0};
    static const float turns[] = {0, 0.6f, 0, 0.8f, 0, -0.6f, 0, -0.8f}, turn_times[] = {0, 1};
    static const float scale[] = {2, 2, 2}, morph[] = {1};
    static const struct pose_value odd = {.kind = POSE_INT, .key = "priority"};
    static const struct pose_value extras = {.kind = POSE_OBJECT, .first = &odd};
    static const struct pose_track tracks[] = {
        {.name = "hip",
         .channels = {{3, times, metres}, {2, turn_times, turns}, {1, times, scale}},
         .extras = &extras},
        {.has_id = true, .id = 77, .channels = {[POSE_MORPH] = {1, times, morph}}},
    };
    static const struct pose_clip clip = {.name = "jump",
                                          .axes = POSE_AXES_GLTF,
                                          .duration = 1,
                                          .frame_count = 4,
                                          .loop = POSE_LOOP_YES,
                                          .loop_out = 1,
                                          .track_count = 2,
                                          .tracks = tracks,
                                          .key_count = 5,
                                          .extras = &extras};
    struct pose_buffer out = encode(&clip, losses);
    struct pose_document *document = decode(&out);
    pose_buffer_free(&out);
    return document;
}

TEST(foreign_clips_are_brought_to_the_clock)
{
    struct codec_losses losses;
    struct pose_document *document = convert_foreign(&losses);
    const struct pose_clip *clip = document->clips;
    const struct pose_channel *translation = &clip->tracks[0].channels[POSE_TRANSLATION];
    const struct pose_channel *rotation = &clip->tracks[0].channels[POSE_ROTATION];
    ck_assert_str_eq(losses.codes, "scale_lost morph_lost loop_lost extras_lost extras_lost resampled ");
    ck_assert_uint_eq(translation->count, 4);
    ck_assert_uint_eq(rotation->count, 4);
    static const float heights[] = {0, 0.5f, 1, 1};
    for (int k = 0; k < 4; k++) {
        ck_assert_float_eq_tol(translation->values[3 * k], -1 / 0.3048f, 1e-5f);
        ck_assert_float_eq_tol(translation->values[3 * k + 1], heights[k] / 0.3048f, 1e-5f);
        /* The second key is the first one's negative: the same rotation all the way. */
        ck_assert_float_eq_tol(fabsf(rotation->values[4 * k + 1]), 0.6f, 1e-6f);
        ck_assert_float_eq_tol(fabsf(rotation->values[4 * k + 3]), 0.8f, 1e-6f);
    }
    ck_assert_str_eq(clip->tracks[1].name, "joint_77");
    ck_assert(clip->duration == 1);
    ck_assert_uint_eq(codec_warnings(document, "empty_motion"), 1);
    ck_assert_uint_eq(codec_warnings(document, NULL), 1);
    pose_document_free(document);
}

TEST(foreign_clips_are_plain)
{
    struct pose_document *document = convert_foreign(NULL);
    const struct pose_value *extras = document->clips->extras;
    ck_assert(value_get_float(extras, "duration_ms", 0) == 1000);
    ck_assert(!value_get_bool(extras, "is_moving", true));
    ck_assert_uint_eq(value_count(extras), 3);
    ck_assert_int_eq(value_get_int(document->clips->tracks[0].extras, "unknown", 0), 1);
    ck_assert_uint_eq(value_count(document->clips->tracks[0].extras), 1);
    pose_document_free(document);
}

TEST(a_still_pose_lasts_a_frame)
{
    static const float time = 0, turn[] = {0, 0, 0, 1};
    static const struct pose_track track = {.name = "HEAD", .channels = {[POSE_ROTATION] = {1, &time, turn}}};
    static const struct pose_clip clip = {
        .name = "pose", .axes = POSE_AXES_SIMS, .track_count = 1, .tracks = &track, .key_count = 1};
    struct pose_buffer out = encode(&clip, NULL);
    struct pose_document *document = decode(&out);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    ck_assert_float_eq_tol(document->clips->duration, 1 / 30.f, 1e-6f);
    pose_document_free(document);
    pose_buffer_free(&out);
}

/* ---------------------------------------------------------------------------------------------- refusals -- */

static void check_refused(const struct pose_content *content, const char *code, const char *field)
{
    struct pose_buffer out = {0};
    struct pose_error error;
    ck_assert(!pose_encode(FORMAT, content, NULL, NULL, NULL, &out, &error));
    ck_assert_str_eq(error.code, code);
    ck_assert_str_eq(error.field, field);
    ck_assert_uint_eq(out.size, 0);
    ck_assert_ptr_null(out.data);
}

TEST(what_no_file_holds_is_refused)
{
    char name[258];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct pose_track track = {.name = name};
    struct pose_clip clip = {.axes = POSE_AXES_SIMS, .track_count = 1, .tracks = &track};
    struct pose_content content = {.clip_count = 1, .clips = &clip};
    check_refused(&content, "bad_text", "bone");
    name[255] = 0;
    struct pose_buffer out = codec_must_encode(FORMAT, &content, NULL);
    pose_buffer_free(&out);
    track.name = "骨";
    check_refused(&content, "bad_text", "bone");
    content.clip_count = 0;
    check_refused(&content, "one_clip", "");
    content.clip_count = 2;
    check_refused(&content, "one_clip", "");
}

TEST(extras_from_anywhere_do_no_harm)
{
    /* Extras that no decoder made: wrong kinds, impossible numbers. */
    static const struct pose_value three = {.kind = POSE_INT, .key = "time_ms", .as.integer = -3};
    static const struct pose_value moment = {.kind = POSE_OBJECT, .first = &three};
    static const struct pose_value list = {.kind = POSE_ARRAY, .first = &moment};
    struct pose_value members[] = {
        {.kind = POSE_STRING, .key = "props", .as.string = "none"},
        {.kind = POSE_ARRAY, .key = "time_props", .first = &list},
        {.kind = POSE_INT, .key = "first_rotation", .as.integer = 1LL << 40},
        {.kind = POSE_INT, .key = "has_rotation", .as.integer = 300},
        {.kind = POSE_INT, .key = "frame_count", .as.integer = -1},
        {.kind = POSE_OBJECT, .key = "rotation_pool"},
        {.kind = POSE_FLOAT, .key = "duration_ms", .as.number = 1e30f},
    };
    struct pose_value count = {.kind = POSE_INT, .key = "count", .as.integer = INT64_MAX};
    members[5].first = &count;
    for (size_t i = 0; i + 1 < sizeof members / sizeof *members; i++)
        members[i].next = &members[i + 1];
    struct pose_value extras = {.kind = POSE_OBJECT, .first = members};
    static const float times[] = {0, 0.5f}, turns[] = {0, 0, 0, 1, 0, 0, 0, 1};
    struct pose_track track = {
        .name = "HEAD", .channels = {[POSE_ROTATION] = {2, times, turns}}, .extras = &extras};
    struct pose_clip clip = {.axes = POSE_AXES_SIMS,
                             .duration = 1,
                             .track_count = 1,
                             .tracks = &track,
                             .key_count = 2,
                             .extras = &extras};
    struct pose_buffer out = encode(&clip, NULL);
    struct pose_document *document = decode(&out);
    ck_assert_uint_eq(document->clips->key_count, 2);
    ck_assert_uint_eq(document->clips->event_count, 0);
    ck_assert(document->clips->duration == 1);
    pose_document_free(document);
    pose_buffer_free(&out);
}
