/* Game file -> GLB or JSON -> game file: every key, event and extra comes back, on a skeleton or without. */
#include "tests/lib/bake/bake_compare.h"
#include "tests/support/companions.h"
#include "tests/support/corpus_folder.h"
#include "tests/support/one_clip.h"
#include "tests/support/sims3/clip_files.h"
#include "tests/support/sl_files.h"
#include "tests/support/tso_files.h"
#include "tests/support/unit.h"

#include <stdio.h>

struct totals {
    uint32_t clips, same_bytes;
    uint64_t keys;
    double time, angle, length; /* the worst key */
};

static char failure[300];

static void differ(const char *what, const char *name)
{
    if (!*failure)
        snprintf(failure, sizeof failure, "%s: %s", name ? name : "?", what);
}

/* The fields as text; key order counts. */
static void expect_value(const char *what, const struct pose_value *a, const struct pose_value *b)
{
    struct pose_buffer x = {0}, y = {0};
    ck_assert(pose_json_value(&x, a) && pose_json_value(&y, b));
    if (x.size != y.size || memcmp(x.data, y.data, x.size) != 0) {
        fprintf(stderr, "%.*s\n%.*s\n", (int)(x.size < 300 ? x.size : 300), (const char *)x.data,
                (int)(y.size < 300 ? y.size : 300), (const char *)y.data);
        differ("other fields", what);
    }
    pose_buffer_free(&x);
    pose_buffer_free(&y);
}

static void compare_channel(enum pose_part part, const struct pose_track *a, const struct pose_track *b,
                            struct totals *totals)
{
    static const int components[POSE_PART_COUNT] = {3, 4, 3, 1};
    const struct pose_channel *x = &a->channels[part], *y = &b->channels[part];
    if (x->count != y->count) {
        differ("other number of keys", a->name);
        return;
    }
    totals->keys += x->count;
    for (uint32_t k = 0; k < x->count; k++) {
        const float *v = x->values + k * (uint32_t)components[part],
                    *w = y->values + k * (uint32_t)components[part];
        float p[4], q[4];
        totals->time = fmax(totals->time, fabs((double)x->times[k] - (double)y->times[k]));
        if (part == POSE_ROTATION) {
            double length[2] = {0, 0};
            for (int i = 0; i < 4; i++) {
                length[0] += (double)v[i] * (double)v[i];
                length[1] += (double)w[i] * (double)w[i];
            }
            for (int i = 0; i < 4; i++) {
                p[i] = (float)((double)v[i] / sqrt(length[0]));
                q[i] = (float)((double)w[i] / sqrt(length[1]));
            }
            if (length[0] > 0 && length[1] > 0)
                totals->angle = fmax(totals->angle, gap_of_rotations(p, q));
        } else {
            for (int i = 0; i < components[part]; i++)
                totals->length = fmax(totals->length, fabs((double)v[i] - (double)w[i]));
        }
    }
}

static void compare(const struct pose_clip *a, const struct pose_clip *b, struct totals *totals)
{
    if (a->track_count != b->track_count || a->event_count != b->event_count || a->loop != b->loop ||
        a->frame_count != b->frame_count || a->fps != b->fps || a->loop_in != b->loop_in ||
        a->loop_out != b->loop_out || a->duration != b->duration)
        differ("other counts, loop or times", a->name);
    for (uint32_t i = 0; i < a->track_count && i < b->track_count; i++) {
        const struct pose_track *x = &a->tracks[i], *y = &b->tracks[i];
        if ((x->name ? !y->name || strcmp(x->name, y->name) : y->name != NULL) || x->has_id != y->has_id ||
            x->id != y->id)
            differ("another joint", x->name);
        for (int part = 0; part < POSE_PART_COUNT; part++)
            compare_channel((enum pose_part)part, x, y, totals);
        expect_value("track", x->extras, y->extras);
    }
    for (uint32_t i = 0; i < a->event_count && i < b->event_count; i++) {
        if (strcmp(a->events[i].type, b->events[i].type) != 0 || a->events[i].time != b->events[i].time)
            differ("another event", a->events[i].type);
        expect_value("event", a->events[i].fields, b->events[i].fields);
    }
    expect_value("clip", a->extras, b->extras);
}

static void ignore(void *user, const struct pose_warning *warning)
{
    (void)user;
    (void)warning;
}

static struct pose_buffer write(const struct pose_clip *clip, const char *from, const char *to)
{
    static const struct pose_value lossless = {.kind = POSE_STRING, .key = "cfp", .as.string = "lossless"};
    static const struct pose_value settings = {.kind = POSE_OBJECT, .first = &lossless};
    struct pose_conversion conversion = {ONE_CLIP(clip, from), .to = to, .settings = &settings};
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_msg(pose_convert(&conversion, NULL, ignore, NULL, &out, NULL, &error), "%s %s: %s", clip->name,
                  error.code, error.detail);
    return out;
}

/* The clip in its own format, and read again. keys: what a skill of The Sims 1 keeps beside it. */
static struct pose_document *read_back(const struct pose_clip *clip, const char *companion, const char *from,
                                       const char *format, struct pose_buffer *file, struct pose_buffer *keys)
{
    struct pose_error error;
    *file = write(clip, from, format);
    *keys = strcmp(format, "sims1-cmx") ? (struct pose_buffer){0} : write(clip, from, "sims1-cfp");
    struct codec_companion companions[] = {{companion ? companion : "", {keys->data, keys->size}},
                                           {NULL, {NULL, 0}}};
    struct pose_document *document = codec_decode_with(format, file->data, file->size, companions, &error);
    ck_assert_msg(document != NULL, "%s: %s", error.code, error.detail);
    return document;
}

static const char *exchange = "gltf";

static bool can_exchange(void)
{
    const struct pose_format *format = pose_format_find(exchange);
    return format && format->can_read && format->can_write;
}

static void round_trip(const struct pose_clip *clip, const char *format, const struct pose_skeleton *skeleton,
                       struct totals *totals)
{
    struct pose_content content = {
        .clip_count = 1, .clips = clip, .skeleton_count = skeleton ? 1 : 0, .skeletons = skeleton};
    struct pose_buffer glb = codec_must_encode(exchange, &content, NULL), files[4];
    struct pose_document *exchanged = codec_must_decode(exchange, glb.data, glb.size);
    ck_assert_uint_eq(exchanged->clip_count, 1);
    struct pose_document *plain = read_back(clip, clip->companion, format, format, &files[0], &files[1]);
    struct pose_document *back =
        read_back(exchanged->clips, clip->companion, exchange, format, &files[2], &files[3]);
    compare(plain->clips, back->clips, totals);
    totals->clips++;
    totals->same_bytes += files[0].size == files[2].size &&
                          !memcmp(files[0].data, files[2].data, files[0].size) &&
                          files[1].size == files[3].size &&
                          (!files[1].size || !memcmp(files[1].data, files[3].data, files[1].size));
    for (int i = 0; i < 4; i++)
        pose_buffer_free(&files[i]);
    pose_document_free(back);
    pose_document_free(plain);
    pose_document_free(exchanged);
    pose_buffer_free(&glb);
}

/* ------------------------------------------------------------------------------------------------ the corpus -- */

static const struct {
    const char *folder, *suffix, *format, *skeleton, *skeleton_format;
    double time, angle, length; /* what a key may be off: of steps of the format */
} sources[] = {
    {"sl/viewer", ".animatn", "sl-anim", "sl/avatar_skeleton.xml", "sl-skeleton", 0, 1e-5, 1e-6},
    {"sl/ruth2", ".anim", "sl-anim", "sl/avatar_skeleton.xml", "sl-skeleton", 0, 1e-5, 1e-6},
    {"sl/bento", ".anim", "sl-anim", "sl/avatar_skeleton.xml", "sl-skeleton", 0, 1e-5, 1e-6},
    {"sims/tso/anim", ".anim", "tso-anim", "sims/sims1/adult-skeleton.cmx", "sims1-cmx", 0, 1e-6, 5e-6},
    {"sims/sims1", ".cmx", "sims1-cmx", "sims/sims1/adult-skeleton.cmx", "sims1-cmx", 0, 1e-6, 5e-6},
    {"sims3/clips", ".clip", "sims3-clip", NULL, NULL, 0, 1e-5, 1e-6},
};

enum { SOURCES = sizeof sources / sizeof *sources };

static void run(size_t which, const struct corpus_folder *folder, const struct pose_skeleton *skeleton)
{
    struct totals totals = {0};
    const char *format = sources[which].format;
    failure[0] = 0;
    for (size_t i = 0; i < folder->paths.count; i++) {
        const char *path = folder->paths.items[i];
        size_t length = strlen(path), end = strlen(sources[which].suffix);
        struct pose_error error;
        if (length < end || strcmp(path + length - end, sources[which].suffix) != 0)
            continue;
        struct pose_document *document = codec_decode_with(sources[which].format, folder->files[i].data,
                                                           folder->files[i].size, folder->companions, &error);
        ck_assert_msg(document != NULL, "%s", error.detail);
        for (uint32_t c = 0; c < document->clip_count; c++) {
            if (document->clips[c].key_count)
                round_trip(&document->clips[c], format, skeleton, &totals);
        }
        pose_document_free(document);
        ck_assert_msg(!*failure, "%s: %s", test_base_name(path), failure);
    }
    printf("%s through %s%s: %u clips, %u byte for byte, %llu keys; off by up to %.2g s, %.2g rad, %.2g\n",
           sources[which].folder, exchange, skeleton ? " on a skeleton" : "", totals.clips, totals.same_bytes,
           (unsigned long long)totals.keys, totals.time, totals.angle, totals.length);
    ck_assert_double_le(totals.time, sources[which].time);
    ck_assert_double_le(totals.angle, sources[which].angle);
    ck_assert_double_le(totals.length, sources[which].length);
}

TIMEOUT(100);

TEST_EACH(keys_come_back, 2 * SOURCES)
{
    struct corpus_folder folder;
    struct test_file file;
    exchange = _i < SOURCES ? "gltf" : "json";
    _i %= SOURCES;
    if (!can_exchange() || !corpus_folder_open(&folder, sources[_i].folder))
        return;
    run((size_t)_i, &folder, NULL);
    if (sources[_i].skeleton && corpus_read(sources[_i].skeleton, &file)) {
        struct pose_document *skeleton = codec_must_decode(sources[_i].skeleton_format, file.data, file.size);
        run((size_t)_i, &folder, &skeleton->skeletons[0]);
        pose_document_free(skeleton);
        test_file_free(&file);
    }
    corpus_folder_close(&folder);
}

/* ------------------------------------------------------------------------------------------ clips by hand -- */

static void round_trips(const char *format, struct pose_bytes bytes)
{
    static const char *const exchanges[] = {"gltf", "json"};
    struct pose_document *document = codec_must_decode(format, bytes.data, bytes.size);
    struct totals totals = {0};
    for (int i = 0; i < 2; i++) {
        exchange = exchanges[i];
        failure[0] = 0;
        if (can_exchange())
            round_trip(document->clips, format, NULL, &totals);
        ck_assert_msg(!*failure, "%s through %s: %s", format, exchange, failure);
    }
    ck_assert_double_le(totals.time, 1e-6);
    ck_assert_double_le(totals.angle, 1e-5);
    ck_assert_double_le(totals.length, 1e-5);
    pose_document_free(document);
}

TEST(made_clips_come_back)
{
    struct little_file sl = {0};
    struct tso_file tso = {.size = 0};
    struct little_file sims3 = {0};
    sl_put_example(&sl, true);
    tso_make_anim(&tso);
    sims3_make_example(&sims3);
    round_trips("sl-anim", (struct pose_bytes){sl.bytes.data, sl.bytes.size});
    round_trips("tso-anim", (struct pose_bytes){tso.data, tso.size});
    round_trips("sims3-clip", (struct pose_bytes){sims3.bytes.data, sims3.bytes.size});
    pose_buffer_free(&sl.bytes);
    pose_buffer_free(&sims3.bytes);
}

enum { PRIME_TRACKS = 3, PRIME_KEYS = 9 };

/* A clip of Prime, of that game and version: three bones, one of them turned once around. */
static struct pose_buffer make_prime(const char *game, int version)
{
    static float times[PRIME_KEYS], turns[PRIME_TRACKS][PRIME_KEYS][4], places[PRIME_KEYS][3];
    struct pose_track tracks[PRIME_TRACKS] = {{.name = "joint_3"}, {.name = "joint_4"}, {.name = "joint_9"}};
    for (int k = 0; k < PRIME_KEYS; k++) {
        times[k] = (float)(k * k) / 30;
        for (int i = 0; i < 3; i++)
            places[k][i] = (float)sin(k + i);
        for (int t = 0; t < PRIME_TRACKS; t++) {
            double half = (t + 1) * 2 * 3.14159265358979 * k / (PRIME_KEYS - 1) / (t == 2 ? 1 : 6);
            turns[t][k][t] = (float)sin(half);
            turns[t][k][3] = (float)cos(half);
        }
    }
    for (int t = 0; t < PRIME_TRACKS; t++)
        tracks[t].channels[POSE_ROTATION] = (struct pose_channel){PRIME_KEYS, times, turns[t][0]};
    tracks[1].channels[POSE_TRANSLATION] = (struct pose_channel){PRIME_KEYS, times, places[0]};
    struct pose_clip clip = {.name = "made",
                             .axes = POSE_AXES_GLTF,
                             .duration = times[PRIME_KEYS - 1],
                             .loop = POSE_LOOP_YES,
                             .track_count = PRIME_TRACKS,
                             .tracks = tracks};
    struct pose_value number = {.kind = POSE_INT, .key = "version", .as.integer = version};
    struct pose_value word = {.kind = POSE_STRING, .key = "game", .as.string = game, .next = &number};
    struct pose_value settings = {.kind = POSE_OBJECT, .first = &word};
    struct pose_conversion conversion = {ONE_CLIP(&clip, NULL), .to = "prime-anim", .settings = &settings};
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_msg(pose_convert(&conversion, NULL, ignore, NULL, &out, NULL, &error), "%s", error.detail);
    struct pose_document *document = codec_must_decode("prime-anim", out.data, out.size);
    struct gap gap = gap_between(&clip, document->clips, NULL, NULL, 203);
    ck_assert_uint_eq(gap.joints, 3);
    ck_assert_double_le(gap.angle, 0.006); /* arcsines of 16 bits, at half turns */
    ck_assert_double_le(gap.length, 4e-4);
    pose_document_free(document);
    return out;
}

TEST_EACH(prime_comes_back, 4)
{
    struct pose_buffer file = make_prime(_i % 2 ? "mp2" : "mp1", _i / 2 ? 0 : 2);
    round_trips("prime-anim", (struct pose_bytes){file.data, file.size});
    pose_buffer_free(&file);
}
