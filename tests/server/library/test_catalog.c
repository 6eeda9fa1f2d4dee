/* Snapshots that share their tables: each sees what was there when it was made, and nothing that came later. */
#include "server/library/catalog.h"
#include "server/library/index/upload.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 300 };

static const struct index_options options = {.threads = 1};

/* A BVH whose bytes are its own; the archive lends them. */
static struct index_archive *new_archive(char text[400], const char *name, unsigned number)
{
    snprintf(
        text, 400,
        "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n"
        "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n%u.5 0 0\n",
        number);
    struct upload_source source = {.name = name, .bytes = {(const uint8_t *)text, strlen(text)}};
    struct index_archive *archive = index_upload(&source, NULL, &options);
    ck_assert(archive->entry_count == 1 && archive->entries[0]->asset_count == 2);
    return archive;
}

static struct catalog *empty(void)
{
    struct catalog *before = catalog_new(NULL, 0, 0, NULL, NULL, 0);
    ck_assert_ptr_nonnull(before);
    struct catalog *catalog = catalog_new(NULL, 0, 0, before, NULL, 0);
    ck_assert_ptr_nonnull(catalog);
    catalog_unref(before);
    return catalog;
}

static const struct asset_id *clip_of(const struct index_archive *archive)
{
    return &archive->entries[0]->assets[0].id;
}

START_TEST(a_snapshot_does_not_see_what_comes_after_it)
{
    static char texts[MANY][400];
    struct catalog *snapshots[MANY + 1] = {empty()};
    struct index_archive *archives[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        archives[i] = new_archive(texts[i], "a.bvh", i);
        snapshots[i + 1] = catalog_append(snapshots[i], archives[i]);
        ck_assert_ptr_nonnull(snapshots[i + 1]);
    }
    for (unsigned i = 0; i <= MANY; i++) {
        const struct catalog *catalog = snapshots[i];
        uint32_t named = 0;
        ck_assert_uint_eq(catalog->archive_count, i);
        ck_assert_uint_eq(catalog->lists[ASSET_CLIP].count, i);
        ck_assert(catalog->lists[ASSET_CLIP].is_in_order);
        for (unsigned k = 0; k < MANY; k++) {
            ck_assert_int_eq(catalog_find(catalog, ASSET_CLIP, clip_of(archives[k])) != NULL, k < i);
            ck_assert_int_eq(catalog_find_archive(catalog, &archives[k]->id, NULL) != NULL, k < i);
        }
        for (const struct catalog_named *found = catalog_names_first(&catalog->names, "a"); found;
             found = catalog_names_next(&catalog->names, found))
            named++;
        ck_assert_uint_eq(named, i);
        ck_assert(!i || !id_equal(&catalog->digest, &snapshots[i - 1]->digest));
    }
    for (unsigned i = 0; i < MANY; i++)
        index_archive_unref(archives[i]);
    for (unsigned i = 0; i <= MANY; i++)
        catalog_unref(snapshots[i]);
}
END_TEST

/* The same bytes in many archives: one clip of many places. */
START_TEST(places_grow_with_the_snapshots)
{
    char text[400];
    struct catalog *snapshots[MANY + 1] = {empty()};
    for (unsigned i = 0; i < MANY; i++) {
        struct index_archive *archive = new_archive(text, "a.bvh", 1);
        memcpy(archive->id.bytes, &(uint32_t){i + 1}, sizeof(uint32_t));
        snapshots[i + 1] = catalog_append(snapshots[i], archive);
        ck_assert_ptr_nonnull(snapshots[i + 1]);
        index_archive_unref(archive);
    }
    const struct asset_id id = *clip_of(snapshots[1]->archives[0]);
    for (unsigned i = 1; i <= MANY; i++) {
        struct catalog_item *item = catalog_find(snapshots[i], ASSET_CLIP, &id);
        const struct place_list places = catalog_places(snapshots[i], item);
        ck_assert_uint_eq(places.count, i);
        for (uint32_t k = 0; k < places.count; k++) {
            ck_assert_uint_eq(places.items[k].archive, k);
            const struct catalog_item *there = catalog_item_at(item, places.items[k]);
            ck_assert_ptr_eq(there, catalog_item_in(item, k));
            ck_assert_uint_eq(there->place.archive, k);
            ck_assert_uint_eq(catalog_places(snapshots[i], there).count, i);
            ck_assert_uint_eq(there->number, item->number);
        }
        ck_assert_ptr_null(catalog_item_in(item, MANY));
    }
    for (unsigned i = 0; i <= MANY; i++)
        catalog_unref(snapshots[i]);
}
END_TEST

START_TEST(a_draft_that_is_given_up_leaves_nothing)
{
    char texts[3][400];
    struct catalog *before = empty();
    struct index_archive *archives[3];
    for (unsigned i = 0; i < 3; i++)
        archives[i] = new_archive(texts[i], "a.bvh", i);
    struct catalog *one = catalog_append(before, archives[0]), *draft = catalog_append(one, archives[1]);
    ck_assert_ptr_eq(draft->tables, one->tables);
    const uint64_t number = catalog_find(one, ASSET_CLIP, clip_of(archives[0]))->number;
    ck_assert_uint_eq(atomic_load(&archives[1]->references), 2);
    catalog_give_up(draft);
    ck_assert_uint_eq(atomic_load(&archives[1]->references), 1);
    struct catalog *two = catalog_append(one, archives[2]);
    ck_assert_ptr_ne(two->tables, one->tables);
    ck_assert_uint_eq(two->archive_count, 2);
    catalog_give_up(catalog_append(two, archives[1])); /* into tables of its own or of others */
    ck_assert_ptr_null(catalog_find(two, ASSET_CLIP, clip_of(archives[1])));
    ck_assert_ptr_null(catalog_find(one, ASSET_CLIP, clip_of(archives[1])));
    ck_assert_ptr_nonnull(catalog_find(two, ASSET_CLIP, clip_of(archives[2])));
    ck_assert_uint_eq(catalog_find(two, ASSET_CLIP, clip_of(archives[0]))->number, number);
    for (unsigned i = 0; i < 3; i++)
        index_archive_unref(archives[i]);
    catalog_unref(before);
    catalog_unref(one);
    catalog_unref(two);
}
END_TEST

/* ------------------------------------------------------------------------------------- readers beside a writer -- */

struct shared {
    pthread_mutex_t lock;
    struct catalog *current;
    struct asset_id first;
    atomic_bool done;
};

static struct catalog *hold(struct shared *shared)
{
    pthread_mutex_lock(&shared->lock);
    struct catalog *catalog = shared->current;
    catalog_ref(catalog);
    pthread_mutex_unlock(&shared->lock);
    return catalog;
}

/* Everything in a snapshot is found in it, and its numbers agree with each other. */
static void look_at(const struct catalog *catalog, const struct asset_id *first)
{
    const struct catalog_list *clips = &catalog->lists[ASSET_CLIP];
    uint32_t named = 0;
    for (uint32_t i = 0; i < clips->count; i++)
        ck_assert_ptr_eq(catalog_find(catalog, ASSET_CLIP, &clips->items[i].asset->id), &clips->items[i]);
    for (const struct catalog_named *found = catalog_names_first(&catalog->names, "a"); found;
         found = catalog_names_next(&catalog->names, found))
        named++;
    ck_assert_uint_eq(named, catalog->archive_count);
    struct catalog_item *item = catalog_find(catalog, ASSET_CLIP, first);
    const struct place_list places = catalog_places(catalog, item);
    for (uint32_t i = 0; i < places.count; i++)
        ck_assert_ptr_nonnull(catalog_entry(catalog, catalog_item_at(item, places.items[i])->place));
}

static void *read_on(void *user)
{
    struct shared *shared = user;
    while (!atomic_load(&shared->done)) {
        struct catalog *catalog = hold(shared);
        look_at(catalog, &shared->first);
        catalog_unref(catalog);
    }
    return NULL;
}

static void publish(struct shared *shared, struct catalog *next)
{
    pthread_mutex_lock(&shared->lock);
    struct catalog *old = shared->current;
    shared->current = next;
    pthread_mutex_unlock(&shared->lock);
    catalog_unref(old);
}

/* Every third upload has the bytes of the first, so that places grow under the readers as well. */
START_TEST(readers_beside_a_writer)
{
    enum { READERS = 2 };
    static char texts[MANY][400];
    struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t readers[READERS];
    struct catalog *none = empty();
    for (uint32_t i = 0; i < MANY; i++) {
        struct index_archive *archive = new_archive(texts[i], "a.bvh", i % 3 ? i : 0);
        memcpy(archive->id.bytes, &i, sizeof i);
        if (!i) {
            shared.first = *clip_of(archive);
            shared.current = catalog_append(none, archive);
            for (int k = 0; k < READERS; k++)
                ck_assert_int_eq(pthread_create(&readers[k], NULL, read_on, &shared), 0);
        } else {
            publish(&shared, catalog_append(shared.current, archive));
        }
        index_archive_unref(archive);
    }
    atomic_store(&shared.done, true);
    for (int k = 0; k < READERS; k++)
        pthread_join(readers[k], NULL);
    ck_assert_uint_eq(shared.current->archive_count, MANY);
    catalog_unref(shared.current);
    catalog_unref(none);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("catalog");
    tcase_add_test(tests, a_snapshot_does_not_see_what_comes_after_it);
    tcase_add_test(tests, places_grow_with_the_snapshots);
    tcase_add_test(tests, a_draft_that_is_given_up_leaves_nothing);
    tcase_add_test(tests, readers_beside_a_writer);
    return unit_run("catalog", tests, NULL);
}
