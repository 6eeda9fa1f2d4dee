/* Snapshots that share their tables: each sees what was there when it was made, and nothing that came later. */
#include "server/library/catalog.h"
#include "server/library/index/upload.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <sched.h>
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

static uint32_t count_places(const struct catalog *catalog, const struct catalog_item *item)
{
    struct place_walk walk = {0};
    uint32_t count = 0;
    while (catalog_next_place(catalog, item, &walk))
        count++;
    return count;
}

TIMEOUT(600);

TEST(a_snapshot_does_not_see_what_comes_after_it)
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
        for (const struct catalog_named *found = catalog_next_named(catalog, "a", NULL); found;
             found = catalog_next_named(catalog, "a", found))
            named++;
        ck_assert_uint_eq(named, i);
        ck_assert(!i || !id_equal(&catalog->digest, &snapshots[i - 1]->digest));
    }
    for (unsigned i = 0; i < MANY; i++)
        index_archive_unref(archives[i]);
    for (unsigned i = 0; i <= MANY; i++)
        catalog_unref(snapshots[i]);
}

/* The same bytes in many archives: one clip of many places. */
TEST(places_grow_with_the_snapshots)
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
        struct place_walk walk = {0};
        uint32_t k = 0;
        for (; catalog_next_place(snapshots[i], item, &walk); k++) {
            ck_assert_uint_eq(walk.place.archive, k);
            const struct catalog_item *there = catalog_item_at(item, walk.place);
            ck_assert_ptr_eq(there, catalog_item_in(item, k));
            ck_assert_uint_eq(there->place.archive, k);
            ck_assert_uint_eq(count_places(snapshots[i], there), i);
            ck_assert_uint_eq(there->number, item->number);
        }
        ck_assert_uint_eq(k, i);
        ck_assert_ptr_null(catalog_item_in(item, MANY));
    }
    for (unsigned i = 0; i <= MANY; i++)
        catalog_unref(snapshots[i]);
}

TEST(a_draft_that_is_given_up_leaves_nothing)
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

/* ------------------------------------------------------------------------------------------------- removing -- */

/* A snapshot, and which archives it was made of. */
struct made {
    struct catalog *catalog;
    bool has[MANY];
};

static void check(const struct made *made, struct index_archive *const archives[MANY])
{
    const struct catalog *catalog = made->catalog;
    uint32_t count = 0, index;
    for (unsigned i = 0; i < MANY; i++) {
        const struct asset_id *clip = clip_of(archives[i]);
        bool has_clip = false;
        count += made->has[i];
        ck_assert_int_eq(catalog_find_archive(catalog, &archives[i]->id, &index) != NULL, made->has[i]);
        ck_assert(!made->has[i] || catalog_archive(catalog, index) == archives[i]);
        for (unsigned k = i % 7; k < MANY; k += 7)
            has_clip |= made->has[k];
        const struct catalog_item *item = catalog_find(catalog, ASSET_CLIP, clip);
        ck_assert_int_eq(item != NULL, has_clip);
        ck_assert(!item ||
                  (id_equal(&item->asset->id, clip) && catalog_archive(catalog, item->place.archive)));
    }
    uint32_t listed, named = 0;
    struct index_archive **all = catalog_list_archives(catalog, &listed);
    free(all);
    for (const struct catalog_named *found = catalog_next_named(catalog, "a", NULL); found;
         found = catalog_next_named(catalog, "a", found))
        named++;
    ck_assert(listed == count && named == count && catalog->archives_present == count);
    ck_assert_uint_eq(catalog->lists[ASSET_SKELETON].present, catalog->lists[ASSET_CLIP].present);
}

/* Archives come and go in random order, seven clips among them; each snapshot that is kept goes on to be true. Some
 * drafts are given up. */
TEST(what_is_removed_is_gone_from_then_on)
{
    enum { STEPS = 1000, KEPT = 8 };
    static char texts[MANY][400];
    static struct made kept[KEPT], now;
    struct index_archive *archives[MANY];
    uint64_t state = 1;
    for (unsigned i = 0; i < MANY; i++) {
        archives[i] = new_archive(texts[i], "a.bvh", i % 7);
        memcpy(archives[i]->id.bytes, &(uint32_t){i}, sizeof(uint32_t));
        archives[i]->digest = archives[i]->id;
    }
    now = (struct made){.catalog = empty()};
    for (unsigned step = 0; step < STEPS; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const unsigned at = (unsigned)(state >> 33) % MANY, luck = (unsigned)(state >> 20) % 16;
        uint32_t index = 0;
        if (now.has[at])
            catalog_find_archive(now.catalog, &archives[at]->id, &index);
        struct catalog *next = now.has[at] ? catalog_remove_all(now.catalog, &index, 1)
                                           : catalog_append(now.catalog, archives[at]);
        ck_assert_ptr_nonnull(next);
        if (luck == 1) {
            catalog_give_up(next);
            check(&now, archives);
            continue;
        }
        struct made *old = &kept[step % KEPT];
        if (luck < 4) {
            if (old->catalog)
                check(old, archives);
            catalog_unref(old->catalog);
            *old = now;
        }
        catalog_publish(next);
        if (luck >= 4)
            catalog_unref(now.catalog);
        now.catalog = next;
        now.has[at] = !now.has[at];
        if (step % 50 == 0)
            check(&now, archives);
    }
    for (unsigned i = 0; i < KEPT; i++)
        catalog_unref(kept[i].catalog);
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t index;
        if (!now.has[i])
            ck_assert_uint_eq(atomic_load(&archives[i]->references), 1);
        if (!catalog_find_archive(now.catalog, &archives[i]->id, &index))
            continue;
        struct catalog *next = catalog_remove_all(now.catalog, &index, 1);
        catalog_publish(next);
        catalog_unref(now.catalog);
        now.catalog = next;
    }
    ck_assert(!now.catalog->sums[0] && !now.catalog->sums[1]);
    catalog_unref(now.catalog);
    for (unsigned i = 0; i < MANY; i++)
        index_archive_unref(archives[i]);
}

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
    uint32_t present = 0;
    for (uint32_t i = 0; i < clips->count; i++) {
        const struct catalog_item *item = catalog_listed(catalog, ASSET_CLIP, i);
        present += item != NULL;
        if (item)
            ck_assert(catalog_find(catalog, ASSET_CLIP, &item->asset->id)->number == item->number);
    }
    ck_assert_uint_eq(present, clips->present);
    for (const struct catalog_named *found = catalog_next_named(catalog, "a", NULL); found;
         found = catalog_next_named(catalog, "a", found))
        named++;
    ck_assert_uint_eq(named, catalog->archives_present);
    struct catalog_item *item = catalog_find(catalog, ASSET_CLIP, first);
    struct place_walk walk = {0};
    while (item && catalog_next_place(catalog, item, &walk))
        ck_assert_ptr_nonnull(catalog_entry(catalog, catalog_item_at(item, walk.place)->place));
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
    catalog_publish(next);
    pthread_mutex_lock(&shared->lock);
    struct catalog *old = shared->current;
    shared->current = next;
    pthread_mutex_unlock(&shared->lock);
    catalog_unref(old);
}

/* Every third upload has the bytes of the first, so that places grow under the readers as well; the upload before the last
 * is taken away again each second time. */
TEST(readers_beside_a_writer)
{
    enum { READERS = 2 };
    static char texts[MANY][400];
    static struct asset_id ids[MANY];
    struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t readers[READERS];
    struct catalog *none = empty();
    for (uint32_t i = 0; i < MANY; i++) {
        struct index_archive *archive = new_archive(texts[i], "a.bvh", i % 3 ? i : 0);
        memcpy(archive->id.bytes, &i, sizeof i);
        ids[i] = archive->id;
        if (!i) {
            shared.first = *clip_of(archive);
            shared.current = catalog_append(none, archive);
            for (int k = 0; k < READERS; k++)
                ck_assert_int_eq(pthread_create(&readers[k], NULL, read_on, &shared), 0);
        } else {
            publish(&shared, catalog_append(shared.current, archive));
        }
        uint32_t last;
        if (i % 2 && i > 2) {
            ck_assert(catalog_find_archive(shared.current, &ids[i - 1], &last));
            publish(&shared, catalog_remove_all(shared.current, &last, 1));
        }
        index_archive_unref(archive);
    }
    atomic_store(&shared.done, true);
    for (int k = 0; k < READERS; k++)
        pthread_join(readers[k], NULL);
    ck_assert_uint_eq(shared.current->archives_present, MANY - (MANY / 2 - 1));
    catalog_unref(shared.current);
    catalog_unref(none);
}

/* ---------------------------------------------------------------------------------------- partial snapshots -- */

static void free_blob(struct blob *blob)
{
    free(blob);
}

/* Upload i: every third one has the bytes of the first. What is made again is the same. */
static struct index_archive *new_upload(unsigned i)
{
    static char texts[MANY][400];
    struct index_archive *archive = new_archive(texts[i], "a.bvh", i % 3 ? i : 0);
    struct blob *blob = calloc(1, sizeof *blob);
    ck_assert_ptr_nonnull(blob);
    blob->references = 1;
    blob->free = free_blob;
    archive->blob = blob;
    memcpy(archive->id.bytes, &(uint32_t){i}, sizeof(uint32_t));
    index_weigh(archive);
    ck_assert_uint_gt(archive->weight, 0);
    return archive;
}

static struct catalog *with_upload(struct catalog *catalog, unsigned i)
{
    struct index_archive *archive = new_upload(i);
    struct catalog *next = catalog_append(catalog, archive);
    ck_assert_ptr_nonnull(next);
    catalog_publish(next);
    index_archive_unref(archive);
    catalog_unref(catalog);
    return next;
}

static struct catalog *filled(struct catalog_memo *memo, unsigned count)
{
    struct catalog *catalog = empty();
    catalog_be_partial(catalog, memo);
    for (unsigned i = 0; i < count; i++)
        catalog = with_upload(catalog, i);
    return catalog;
}

/* Without the uploads that are to leave. */
static struct catalog *left(struct catalog *catalog, uint64_t most)
{
    uint32_t count;
    uint32_t *leaving = catalog_leave(catalog, most, &count);
    ck_assert_ptr_nonnull(leaving);
    for (uint32_t i = 1; i < count; i++)
        ck_assert_uint_lt(leaving[i - 1], leaving[i]);
    struct catalog *next = catalog_remove_all(catalog, leaving, count);
    ck_assert_ptr_nonnull(next);
    catalog_publish(next);
    free(leaving);
    return next;
}

/* What is asked for in a turn: whether it is there, and whether it was missed. */
static bool finds(const struct catalog *catalog, const struct asset_id *clip, bool *is_missed)
{
    struct catalog_turn turn = {.count = 0};
    catalog_turn_begin(&turn);
    const bool is_there = catalog_find(catalog, ASSET_CLIP, clip);
    ck_assert_int_eq(catalog_turn_missed(), turn.count > 0);
    *is_missed = catalog_turn_end();
    if (*is_missed) {
        ck_assert_uint_eq(turn.count, 1);
        ck_assert_int_eq(turn.misses[0].kind, MISS_ASSET);
        ck_assert(id_equal(&turn.misses[0].id, clip));
    }
    catalog_turn_release(&turn);
    return is_there;
}

TEST(what_is_not_whole_is_missed)
{
    struct catalog_memo *memo = memo_new();
    struct catalog *catalog = filled(memo, 4);
    const struct asset_id clip = *clip_of(catalog->archives[1]), unknown = {{9}};
    bool is_missed;
    ck_assert(!finds(catalog, &clip, &is_missed) && is_missed);
    ck_assert_ptr_nonnull(
        catalog_find(catalog, ASSET_CLIP, &clip)); /* without a turn: as far as it is there */
    catalog_set_whole(catalog, catalog_at_hand(catalog, ASSET_CLIP, &clip));
    ck_assert(finds(catalog, &clip, &is_missed) && !is_missed);
    /* An id that nobody has: as long as nothing of it leaves. */
    const struct miss what = miss_of_asset(ASSET_CLIP, &unknown);
    ck_assert(!finds(catalog, &unknown, &is_missed) && is_missed);
    memo_keep(memo, &what, catalog->generation);
    ck_assert(!finds(catalog, &unknown, &is_missed) && !is_missed);
    ck_assert(!memo_has(memo, &what, catalog->generation - 1));
    memo_left(memo, what);
    ck_assert(!finds(catalog, &unknown, &is_missed) && is_missed);
    catalog_unref(catalog);
    memo_free(memo);
}

TEST(who_leaves_takes_wholeness_along)
{
    struct catalog_memo *memo = memo_new();
    struct catalog *all = filled(memo, 4);
    const struct asset_id shared = *clip_of(all->archives[0]);
    const struct miss named = miss_of_named("a.bvh", "a");
    bool is_missed;
    catalog_set_whole(all, catalog_at_hand(all, ASSET_CLIP, &shared));
    memo_keep(memo, &named, all->generation);
    ck_assert(finds(all, &shared, &is_missed) && memo_has(memo, &named, all->generation));
    struct catalog *three = catalog_remove_all(all, &(uint32_t){0}, 1);
    catalog_publish(three);
    ck_assert(!memo_has(memo, &named, three->generation));
    ck_assert(!finds(three, &shared, &is_missed) && is_missed);
    /* It is said of the later snapshot only. */
    catalog_set_whole(three, catalog_at_hand(three, ASSET_CLIP, &shared));
    ck_assert(finds(three, &shared, &is_missed));
    ck_assert_uint_eq(count_places(three, catalog_find(three, ASSET_CLIP, &shared)), 1);
    ck_assert(!finds(all, &shared, &is_missed) && is_missed);
    ck_assert_uint_eq(count_places(all, catalog_find(all, ASSET_CLIP, &shared)), 2);
    catalog_unref(all);
    catalog_unref(three);
    memo_free(memo);
}

TEST(memory_goes_with_the_last_reader)
{
    const uint64_t nothing = index_weights().bytes;
    struct catalog_memo *memo = memo_new();
    struct catalog *all = filled(memo, 9);
    struct index_archive *const kept = all->archives[4];
    ck_assert_uint_eq(catalog_held(all), index_weights().bytes - nothing);
    struct catalog *none = left(all, 0);
    ck_assert_uint_eq(catalog_held(none), 0);
    ck_assert_uint_eq(none->archives_present, 0);
    ck_assert_ptr_eq(catalog_find_archive(all, &kept->id, NULL), kept);
    ck_assert_uint_gt(index_weights().bytes, nothing);
    catalog_unref(all);
    ck_assert_uint_eq(index_weights().bytes, nothing);
    none = with_upload(none, 4);
    ck_assert_uint_eq(index_weights().bytes - nothing, catalog_held(none));
    catalog_unref(none);
    ck_assert_uint_eq(index_weights().bytes, nothing);
    memo_free(memo);
}

TEST(a_removal_that_is_given_up)
{
    struct catalog_memo *memo = memo_new();
    struct catalog *all = filled(memo, 9);
    const uint64_t held = catalog_held(all);
    const uint32_t some[] = {0, 3, 5};
    const struct asset_id shared = *clip_of(all->archives[0]);
    catalog_give_up(catalog_remove_all(all, some, 3));
    ck_assert_uint_eq(catalog_held(all), held);
    ck_assert_uint_eq(count_places(all, catalog_find(all, ASSET_CLIP, &shared)), 3);
    struct catalog *next = catalog_remove_all(all, some, 3);
    catalog_publish(next);
    ck_assert_uint_eq(next->archives_present, 6);
    ck_assert_uint_eq(count_places(next, catalog_find(next, ASSET_CLIP, &shared)), 1);
    catalog_unref(all);
    catalog_unref(next);
    memo_free(memo);
}

TEST(the_used_stay)
{
    struct catalog_memo *memo = memo_new();
    struct catalog *half = filled(memo, 100);
    const struct asset_id kept = half->archive_ids[99];
    for (unsigned round = 0; round < 60; round++) {
        ck_assert_ptr_nonnull(catalog_find_archive(half, &kept, NULL));
        struct catalog *next = left(half, catalog_held(half) - 1);
        catalog_unref(half);
        half = next;
    }
    ck_assert_uint_lt(half->archives_present, 50);
    ck_assert_ptr_nonnull(catalog_find_archive(half, &kept, NULL));
    catalog_unref(half);
    memo_free(memo);
}

TEST(paths_are_whole)
{
    static char texts[2][400];
    struct catalog_memo *memo = memo_new();
    struct index_archive *paths[] = {new_archive(texts[0], "a.bvh", 7), new_archive(texts[1], "b.bvh", 8)};
    struct catalog *before = empty(), *catalog = catalog_new(paths, 2, 2, before, NULL, 0);
    const struct asset_id own = *clip_of(paths[0]);
    const struct catalog_key held = {ASSET_CLIP, *clip_of(paths[1])};
    bool is_missed;
    catalog_be_partial(catalog, memo);
    catalog_set_paths_whole(catalog, NULL, &held, 1);
    ck_assert(finds(catalog, &own, &is_missed) && !is_missed);
    ck_assert(!finds(catalog, &held.id, &is_missed) && is_missed);
    /* What is known stays known when PATHs change. */
    catalog_set_whole(catalog, catalog_at_hand(catalog, ASSET_CLIP, &held.id));
    struct catalog *next = catalog_new(paths, 2, 2, catalog, NULL, 0);
    catalog_set_paths_whole(next, catalog, &held, 1);
    ck_assert(finds(next, &held.id, &is_missed) && !is_missed);
    catalog_unref(before);
    catalog_unref(catalog);
    catalog_unref(next);
    for (int i = 0; i < 2; i++)
        index_archive_unref(paths[i]);
    memo_free(memo);
}

/* The digest is of the PATHs and the version, whatever is at hand. */
TEST(the_digest_is_of_the_version)
{
    const struct asset_id epoch = {{1}};
    struct catalog_memo *memo = memo_new();
    struct catalog *all = filled(memo, 3);
    catalog_set_version(all, &epoch, 5);
    const struct asset_id digest = all->digest;
    struct catalog *none = left(all, 0);
    ck_assert(id_equal(&none->digest, &digest));
    none = with_upload(none, 2);
    ck_assert(id_equal(&none->digest, &digest));
    catalog_set_version(none, &epoch, 6);
    ck_assert(!id_equal(&none->digest, &digest));
    catalog_unref(all);
    catalog_unref(none);
    memo_free(memo);
}

/* Uploads come and go under the readers, who find what their snapshot has. */
TEST(readers_beside_uploads_that_come_and_go)
{
    enum { READERS = 3, ROUNDS = 200, UPLOADS = 60 };
    struct catalog_memo *memo = memo_new();
    struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t readers[READERS];
    shared.current = filled(memo, UPLOADS);
    shared.first = *clip_of(shared.current->archives[0]);
    for (int k = 0; k < READERS; k++)
        ck_assert_int_eq(pthread_create(&readers[k], NULL, read_on, &shared), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        catalog_ref(shared.current);
        struct catalog *held = shared.current, *next = left(held, catalog_held(held) / 2);
        catalog_unref(held);
        publish(&shared, next);
        for (unsigned i = 0; i < UPLOADS; i++) {
            struct index_archive *archive = new_upload(i);
            uint32_t index;
            if (!catalog_has_archive(shared.current, &archive->id, &index))
                publish(&shared, catalog_append(shared.current, archive));
            index_archive_unref(archive);
        }
    }
    atomic_store(&shared.done, true);
    for (int k = 0; k < READERS; k++)
        pthread_join(readers[k], NULL);
    ck_assert_uint_eq(shared.current->archives_present, UPLOADS);
    look_at(shared.current, &shared.first);
    catalog_unref(shared.current);
    memo_free(memo);
}
