/* Every clip of the corpus, loose and in packages: read without a warning, and written so that nothing changes by more
 * than a step. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

/* Over all clips that were looked at. */
struct totals {
    unsigned clips, skeletons;
    uint64_t keys;
};

/* The largest difference of two channels' values at equal times. */
static float compare(const struct pose_channel *a, const struct pose_channel *b, unsigned components)
{
    float worst = 0;
    ck_assert_uint_eq(a->count, b->count);
    for (uint32_t k = 0; k < a->count; k++)
        ck_assert(a->times[k] == b->times[k]);
    for (size_t k = 0; k < a->count; k++) {
        float same = 0, other = 0;
        for (size_t c = 0; c < components; c++) {
            float x = a->values[k * components + c], y = b->values[k * components + c];
            same = fmaxf(same, fabsf(x - y));
            other = fmaxf(other, fabsf(x + y));
        }
        worst = fmaxf(worst, components == 4 ? fminf(same, other) : same); /* q and -q turn alike */
    }
    return worst;
}

/* Half a step of the packing that is written, and what rotations lose in being brought to unit length. */
static float tolerance_of(const struct pose_channel *channel, int part)
{
    static const unsigned components[] = {3, 4, 3, 1}, steps[] = {2046, 8190, 2046, 131070};
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < (size_t)channel->count * components[part]; i++) {
        least = fminf(least, channel->values[i]);
        most = fmaxf(most, channel->values[i]);
    }
    float range = part == POSE_ROTATION ? 2 : most - least;
    return range / (float)steps[part] + 1e-6f;
}

static void check_comes_back(const char *name, const struct pose_document *document)
{
    const struct pose_clip *clip = document->clips;
    struct pose_content content = document_content(document);
    struct codec_losses losses;
    struct pose_buffer out = codec_must_encode("sims3-clip", &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    struct pose_document *again = codec_must_decode(NULL, out.data, out.size);
    const struct pose_clip *copy = again->clips;
    ck_assert_uint_eq(codec_warnings(again, NULL), 0);
    ck_assert_str_eq(copy->name, clip->name);
    ck_assert(copy->duration == clip->duration && copy->frame_count == clip->frame_count);
    ck_assert_uint_eq(copy->track_count, clip->track_count);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        ck_assert_uint_eq(copy->tracks[i].id, clip->tracks[i].id);
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            static const unsigned components[] = {3, 4, 3, 1};
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (!channel->count)
                continue;
            /* A translation or morph that stays 0 is written as the one key that it is. */
            if (copy->tracks[i].channels[part].count == 1 && channel->count != 1)
                continue;
            float worst = compare(channel, &copy->tracks[i].channels[part], components[part]);
            ck_assert_msg(worst <= tolerance_of(channel, part), "%s: track %u: off by %g", name, i,
                          (double)worst);
        }
    }
    ck_assert_uint_eq(copy->event_count, clip->event_count);
    for (uint32_t i = 0; i < clip->event_count; i++) {
        struct pose_buffer a = {0}, b = {0};
        ck_assert(copy->events[i].time == clip->events[i].time);
        ck_assert_str_eq(copy->events[i].type, clip->events[i].type);
        ck_assert(pose_json_value(&a, clip->events[i].fields) && pose_json_value(&b, copy->events[i].fields));
        codec_check_bytes(name, b.data, b.size, a.data, a.size);
        pose_buffer_free(&a);
        pose_buffer_free(&b);
    }
    struct pose_buffer a = {0}, b = {0};
    ck_assert(pose_json_value(&a, clip->extras) && pose_json_value(&b, copy->extras));
    codec_check_bytes(name, b.data, b.size, a.data, a.size);
    pose_buffer_free(&a);
    pose_buffer_free(&b);
    pose_document_free(again);
    pose_buffer_free(&out);
}

static void check_clip(const char *name, const char *format, const void *data, size_t size,
                       struct totals *totals)
{
    struct pose_document *document = codec_must_decode(format, data, size);
    ck_assert_str_eq(document->format, "sims3-clip");
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    totals->clips++;
    totals->keys += document->clips->key_count;
    check_comes_back(name, document);
    pose_document_free(document);
}

static void check_package(const char *path, struct totals *totals)
{
    struct test_file file;
    ck_assert(test_file_read(path, &file));
    struct pose_source source = {.name = path, .bytes = {file.data, file.size}};
    struct pose_archive *archive = pose_archive_open(&source, NULL, NULL);
    for (uint32_t i = 0; archive && i < pose_archive_count(archive); i++) {
        const struct pose_entry *entry = pose_archive_entry(archive, i);
        struct pose_buffer bytes = {0};
        if (entry->skipped || !entry->format || strcmp(entry->format, "sims3-clip") != 0)
            continue;
        ck_assert(pose_archive_read(archive, i, &bytes, NULL));
        check_clip(entry->name, entry->format, bytes.data, bytes.size, totals);
        pose_buffer_free(&bytes);
    }
    pose_archive_close(archive);
    test_file_free(&file);
}

TEST(every_clip_is_read_and_comes_back)
{
    struct test_paths clips, packages;
    struct totals loose = {0}, packed = {0};
    if (!corpus_list("sims3/clips", ".clip", &clips) || !corpus_list("sims3/packages", ".package", &packages))
        return;
    for (size_t i = 0; i < clips.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(clips.items[i], &file));
        check_clip(clips.items[i], NULL, file.data, file.size, &loose);
        test_file_free(&file);
    }
    for (size_t i = 0; i < packages.count; i++)
        check_package(packages.items[i], &packed);
    ck_assert_uint_eq(loose.clips, 8);
    ck_assert_uint_eq(packed.clips, 15);
    ck_assert_uint_eq(loose.keys + packed.keys, 395566);
    test_paths_free(&clips);
    test_paths_free(&packages);
}
