/* Records of uploads: what is packed is what is unpacked, and no damage does worse than to be refused. */
#include "server/library/index/pack.h"
#include "server/library/index/upload.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const struct index_options options = {.threads = 1};

static const char bvh[] =
    "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n"
    "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n1.5 0 0\n";
static const uint8_t far[] = "FAR!byAZ\1\0\0\0\x12\0\0\0xy\1\0\0\0\2\0\0\0\2\0\0\0\x10\0\0\0\5\0\0\0a.txt";

static struct upload_source source_of(const char *name, const void *bytes, size_t size)
{
    return (struct upload_source){.name = name, .bytes = {bytes, size}};
}

static struct index_archive *make(struct upload_source *source, struct pose_buffer *record)
{
    struct index_archive *archive = index_upload(source, NULL, &options);
    ck_assert_ptr_null(archive->error);
    ck_assert(index_pack_archive(archive, record));
    source->id = archive->id;
    return archive;
}

static void compare(const struct index_archive *archive, struct upload_source *source,
                    const struct pose_buffer *record)
{
    struct pose_buffer again = {0};
    const uint64_t decodes = index_decodes();
    struct index_archive *recalled =
        index_upload_recall(source, (struct pose_bytes){record->data, record->size}, &options);
    ck_assert_ptr_nonnull(recalled);
    ck_assert_uint_eq(index_decodes(), decodes);
    ck_assert(id_equal(&recalled->digest, &archive->digest));
    ck_assert_str_eq(recalled->name, archive->name);
    ck_assert_str_eq(recalled->format, archive->format);
    ck_assert_str_eq(recalled->source, archive->source);
    ck_assert(index_pack_archive(recalled, &again));
    ck_assert_uint_eq(again.size, record->size);
    ck_assert_int_eq(memcmp(again.data, record->data, again.size), 0);
    pose_buffer_free(&again);
    index_archive_unref(recalled);
}

TEST(a_record_is_the_archive)
{
    struct upload_source sources[] = {source_of("a.bvh", bvh, sizeof bvh - 1),
                                      source_of("a.far", far, sizeof far - 1)};
    for (int i = 0; i < 2; i++) {
        struct pose_buffer record = {0};
        struct index_archive *archive = make(&sources[i], &record);
        ck_assert_int_eq(index_packed_is_container((struct pose_bytes){record.data, record.size}), i);
        compare(archive, &sources[i], &record);
        pose_buffer_free(&record);
        index_archive_unref(archive);
    }
}

/* Of a copy on the heap, so that reading behind its end is seen. */
static bool is_taken(const struct upload_source *source, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    if (size)
        memcpy(copy, bytes, size);
    struct index_archive *archive = index_upload_recall(source, (struct pose_bytes){copy, size}, &options);
    const bool taken = archive;
    index_archive_unref(archive);
    free(copy);
    return taken;
}

TEST(damage_is_refused)
{
    struct upload_source source = source_of("a.bvh", bvh, sizeof bvh - 1);
    struct pose_buffer record = {0};
    struct index_archive *archive = make(&source, &record);
    for (size_t size = 0; size < record.size; size++)
        ck_assert(!is_taken(&source, record.data, size));
    for (size_t i = 0; i < record.size; i++) {
        record.data[i] ^= 1;
        ck_assert(!is_taken(&source, record.data, record.size));
        record.data[i] ^= 1;
    }
    ck_assert(is_taken(&source, record.data, record.size));
    pose_buffer_free(&record);
    index_archive_unref(archive);
}

/* With a digest that fits, so that only the checks of what is read are left. */
TEST(nonsense_is_read_within_its_bounds)
{
    struct upload_source source = source_of("a.bvh", bvh, sizeof bvh - 1);
    struct pose_buffer record = {0};
    struct index_archive *archive = make(&source, &record);
    const size_t size = record.size - sizeof(struct asset_id);
    unsigned refused = 0;
    for (size_t i = 0; i < size; i++) {
        for (unsigned bit = 0; bit < 8; bit += 7) {
            record.data[i] ^= (uint8_t)(1u << bit);
            const struct asset_id digest = id_quick(NULL, record.data, size);
            memcpy(record.data + size, &digest, sizeof digest);
            refused += !is_taken(&source, record.data, record.size);
            record.data[i] ^= (uint8_t)(1u << bit);
        }
    }
    ck_assert_uint_gt(refused, 20);
    pose_buffer_free(&record);
    index_archive_unref(archive);
}

TEST(a_record_of_another_upload_is_refused)
{
    struct upload_source file = source_of("a.bvh", bvh, sizeof bvh - 1),
                         container = source_of("a.far", far, sizeof far - 1);
    struct pose_buffer of_file = {0}, of_container = {0};
    struct index_archive *archives[] = {make(&file, &of_file), make(&container, &of_container)};
    ck_assert(!is_taken(&file, of_container.data, of_container.size));
    pose_buffer_free(&of_file);
    pose_buffer_free(&of_container);
    index_archive_unref(archives[0]);
    index_archive_unref(archives[1]);
}

TEST(what_may_change_is_not_kept)
{
    struct upload_source source = source_of("a.bvh", bvh, sizeof bvh - 1);
    struct index_archive *archive = index_upload(&source, NULL, &options);
    struct pose_error error = {.status = POSE_OVER_LIMIT};
    struct pose_buffer record = {0};
    archive->entries[0]->error = &error;
    ck_assert(!index_pack_archive(archive, &record));
    archive->entries[0]->error = NULL;
    archive->error = &error;
    ck_assert(!index_pack_archive(archive, &record));
    archive->error = NULL;
    pose_buffer_free(&record);
    index_archive_unref(archive);
}
