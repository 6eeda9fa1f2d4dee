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
START_TEST(what_is_removed_is_gone_from_then_on)
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
        struct catalog *next =
            now.has[at] ? catalog_remove(now.catalog, index) : catalog_append(now.catalog, archives[at]);
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
        struct catalog *next = catalog_remove(now.catalog, index);
        catalog_publish(next);
        catalog_unref(now.catalog);
        now.catalog = next;
    }
    ck_assert(!now.catalog->sums[0] && !now.catalog->sums[1]);
    catalog_unref(now.catalog);
    for (unsigned i = 0; i < MANY; i++)
        index_archive_unref(archives[i]);
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
    while (catalog_next_place(catalog, item, &walk))
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
START_TEST(readers_beside_a_writer)
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
            publish(&shared, catalog_remove(shared.current, last));
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
END_TEST

/* ------------------------------------------------------------------------------------------ contents at rest -- */

static void let_go(struct blob *blob)
{
    (void)blob;
}

static void free_blob(struct blob *blob)
{
    free(blob);
}

/* Upload i: every third one has the bytes of the first. What is loaded again is the same. */
static struct index_archive *new_upload(unsigned i)
{
    static char texts[MANY][400];
    struct index_archive *archive = new_archive(texts[i], "a.bvh", i % 3 ? i : 0);
    struct blob *blob = calloc(1, sizeof *blob);
    ck_assert_ptr_nonnull(blob);
    blob->references = 1;
    blob->rest = let_go;
    blob->free = free_blob;
    archive->blob = blob;
    memcpy(archive->id.bytes, &(uint32_t){i}, sizeof(uint32_t));
    index_sketch_archive(archive);
    ck_assert_ptr_nonnull(archive->sketch);
    return archive;
}

/* Uploads that are loaded, and how often. */
struct library {
    struct catalog_loader loader;
    atomic_uint loads[MANY];
    bool is_broken;
};

static struct index_archive *load(void *user, struct index_sketch *sketch)
{
    struct library *library = user;
    uint32_t i;
    memcpy(&i, sketch->id.bytes, sizeof i);
    atomic_fetch_add(&library->loads[i], 1);
    return library->is_broken ? NULL : new_upload(i);
}

static struct catalog *filled(struct library *library, unsigned count)
{
    struct catalog *catalog = empty();
    memset(library, 0, sizeof *library);
    catalog_loader_init(&library->loader, load, library);
    catalog->loader = &library->loader;
    for (unsigned i = 0; i < count; i++) {
        struct index_archive *archive = new_upload(i);
        struct catalog *next = catalog_append(catalog, archive);
        index_archive_unref(archive);
        catalog_unref(catalog);
        catalog = next;
    }
    return catalog;
}

static struct catalog *rested(struct catalog *catalog, uint64_t most)
{
    struct catalog *next = catalog_put_to_rest(catalog, most);
    ck_assert_ptr_nonnull(next);
    catalog_publish(next);
    return next;
}

static struct asset_id upload_id(const struct catalog *catalog, unsigned i)
{
    return catalog->archive_ids[i];
}

START_TEST(contents_leave_and_come_back)
{
    static struct library library;
    const uint64_t nothing = index_contents_held().bytes;
    struct catalog *all = filled(&library, 9), *few = rested(all, 0);
    const struct asset_id id = upload_id(all, 4), digest = catalog_archive_digest(all, 4);
    ck_assert_uint_eq(catalog_held(few), 0);
    ck_assert(id_equal(&all->digest, &few->digest) && few->generation == all->generation + 1);
    /* The older snapshot has what it had. */
    const struct index_archive *before = catalog_find_archive(all, &id, NULL);
    ck_assert_ptr_nonnull(before);
    ck_assert_uint_eq(library.loads[4], 0);
    /* What is not freed comes back as it was, at once. */
    ck_assert_ptr_eq(catalog_find_archive(few, &id, NULL), before);
    ck_assert_uint_eq(library.loads[4], 0);
    catalog_unref(all);
    struct catalog *none = rested(few, 0);
    catalog_unref(few);
    ck_assert_uint_eq(index_contents_held().bytes, nothing);
    /* Its sketch is enough for names and digests. */
    ck_assert_str_eq(catalog_archive_name(none, 4), "a.bvh");
    ck_assert(id_equal(&digest, &(struct asset_id[]){catalog_archive_digest(none, 4)}[0]));
    ck_assert_str_eq(catalog_listed_name(none, ASSET_CLIP, 0), "a");
    ck_assert_ptr_nonnull(catalog_next_named(none, "a", NULL));
    ck_assert(!catalog_is_at_hand(none, ASSET_CLIP, 0));
    /* Who must not wait is told. */
    catalog_turn_begin(false);
    ck_assert_ptr_null(catalog_find_archive(none, &id, NULL));
    ck_assert(catalog_turn_end());
    ck_assert_uint_eq(library.loads[4], 0);
    const struct index_archive *archive = catalog_find_archive(none, &id, NULL);
    ck_assert(archive && id_equal(&archive->id, &id));
    ck_assert_uint_eq(library.loads[4], 1);
    catalog_turn_begin(false);
    ck_assert_ptr_eq(catalog_find_archive(none, &id, NULL), archive);
    ck_assert(!catalog_turn_end());
    /* An item at several places: each of them is fetched, and is of its own archive. */
    const struct asset_id first =
        *clip_of(catalog_find_archive(none, &(struct asset_id[]){upload_id(none, 0)}[0], NULL));
    struct catalog_item *item = catalog_find(none, ASSET_CLIP, &first);
    struct place_walk walk = {0};
    for (uint32_t k = 0; catalog_next_place(none, item, &walk); k += 3) {
        const struct catalog_item *there = catalog_item_at(item, walk.place);
        ck_assert_uint_eq(walk.place.archive, k);
        ck_assert_ptr_eq(there->asset, clip_of(none->archives[k]));
    }
    ck_assert_uint_eq(walk.next, 3);
    catalog_unref(none);
    ck_assert_uint_eq(index_contents_held().bytes, nothing);
}
END_TEST

/* Also if the hand passes it twice. */
START_TEST(contents_go_once)
{
    static struct library library;
    struct catalog *all = filled(&library, 4), *three = catalog_remove(all, 0);
    catalog_publish(three);
    for (unsigned i = 0; i < 4; i++)
        atomic_store(&three->rests[i].is_used, false);
    struct catalog *none = rested(three, 0); /* the removed one is held by the first snapshot */
    const struct asset_id id = upload_id(none, 2);
    const struct index_archive *archive = catalog_find_archive(none, &id, NULL);
    catalog_unref(all);
    catalog_unref(three);
    ck_assert_ptr_eq(catalog_find_archive(none, &id, NULL), archive);
    ck_assert_ptr_eq(none->archives[2], archive);
    ck_assert_uint_eq(index_contents_held().count, 1);
    ck_assert(id_equal(&archive->id, &id));
    catalog_unref(none);
}
END_TEST

struct fetching {
    const struct catalog *catalog;
    struct asset_id id;
    atomic_uint ready;
};

static void *fetch(void *user)
{
    enum { ALL = 8 };
    struct fetching *work = user;
    atomic_fetch_add(&work->ready, 1);
    while (atomic_load(&work->ready) < ALL)
        sched_yield();
    ck_assert_ptr_nonnull(catalog_find_archive(work->catalog, &work->id, NULL));
    return NULL;
}

START_TEST(many_ask_for_the_same)
{
    enum { ALL = 8 };
    static struct library library;
    pthread_t threads[ALL];
    struct catalog *all = filled(&library, 9), *none = rested(all, 0);
    struct fetching work = {.catalog = none, .id = upload_id(none, 4)};
    catalog_unref(all);
    for (int i = 0; i < ALL; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fetch, &work), 0);
    for (int i = 0; i < ALL; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(library.loads[4], 1);
    catalog_unref(none);
}
END_TEST

START_TEST(the_used_stay)
{
    static struct library library;
    struct catalog *all = filled(&library, 100), *half = rested(all, catalog_held(all) / 2);
    const struct asset_id kept = upload_id(half, 99);
    catalog_unref(all);
    ck_assert_uint_ge(catalog_held(half), 1);
    for (unsigned round = 0; round < 40; round++) {
        const struct asset_id other = upload_id(half, round);
        ck_assert_ptr_nonnull(catalog_find_archive(half, &kept, NULL));
        ck_assert_ptr_nonnull(catalog_find_archive(half, &other, NULL));
        struct catalog *next = catalog_put_to_rest(half, catalog_held(half) - 1);
        ck_assert_ptr_nonnull(next);
        catalog_publish(next);
        catalog_unref(half);
        half = next;
    }
    ck_assert_uint_le(library.loads[99], 1);
    catalog_unref(half);
}
END_TEST

START_TEST(what_cannot_be_loaded_is_not_there)
{
    static struct library library;
    struct catalog *all = filled(&library, 4), *none = rested(all, 0);
    const struct asset_id id = upload_id(none, 1);
    uint32_t index;
    catalog_unref(all);
    library.is_broken = true;
    catalog_turn_begin(true);
    ck_assert_ptr_null(catalog_find_archive(none, &id, NULL));
    ck_assert(catalog_turn_end()); /* it may be possible later */
    ck_assert(catalog_has_archive(none, &id, &index));
    atomic_store(&none->rests[index].sketch->is_lost, true);
    catalog_turn_begin(true);
    ck_assert_ptr_null(catalog_find_archive(none, &id, NULL));
    ck_assert(!catalog_turn_end());
    ck_assert_uint_eq(library.loads[1], 1);
    struct catalog *without = catalog_remove(none, index);
    catalog_publish(without);
    ck_assert(!catalog_has_archive(without, &id, &index));
    ck_assert_uint_eq(without->archives_present, 3);
    catalog_unref(none);
    catalog_unref(without);
}
END_TEST

/* New tables over contents at rest: numbers, names and places are as before. */
START_TEST(tables_are_built_without_contents)
{
    static struct library library;
    struct catalog *all = filled(&library, 60), *none = rested(all, 0);
    uint32_t count;
    struct catalog_part *parts = catalog_parts(none, &count);
    struct catalog *made = catalog_of_parts(parts, count, 0, none, NULL, 0);
    ck_assert(made && made->tables != none->tables && catalog_held(made) == 0);
    ck_assert(id_equal(&made->digest, &all->digest));
    for (unsigned i = 0; i < 60; i++) {
        const struct asset_id id = upload_id(all, i);
        const struct index_archive *archive = catalog_find_archive(made, &id, NULL);
        const struct catalog_item *item = catalog_find(made, ASSET_CLIP, clip_of(archive));
        ck_assert_uint_eq(item->number, catalog_find(all, ASSET_CLIP, clip_of(archive))->number);
        ck_assert_uint_eq(count_places(made, item), i % 3 ? 1 : 20);
        ck_assert_uint_eq(library.loads[i], 1);
    }
    free(parts);
    catalog_unref(all);
    catalog_unref(none);
    catalog_unref(made);
}
END_TEST

/* Contents come and go under the readers, who always find everything. */
START_TEST(readers_beside_contents_that_come_and_go)
{
    enum { READERS = 3, ROUNDS = 300, UPLOADS = 60 };
    static struct library library;
    struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t readers[READERS];
    shared.current = filled(&library, UPLOADS);
    shared.first = *clip_of(shared.current->archives[0]);
    for (int k = 0; k < READERS; k++)
        ck_assert_int_eq(pthread_create(&readers[k], NULL, read_on, &shared), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct catalog *next = catalog_put_to_rest(shared.current, 0);
        if (next)
            publish(&shared, next);
        if (round % 10 == 0) {
            struct index_archive *archive = new_upload(UPLOADS + round / 10);
            publish(&shared, catalog_append(shared.current, archive));
            index_archive_unref(archive);
        }
    }
    atomic_store(&shared.done, true);
    for (int k = 0; k < READERS; k++)
        pthread_join(readers[k], NULL);
    ck_assert_uint_eq(shared.current->archives_present, UPLOADS + ROUNDS / 10);
    look_at(shared.current, &shared.first);
    catalog_unref(shared.current);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("catalog");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_snapshot_does_not_see_what_comes_after_it);
    tcase_add_test(tests, places_grow_with_the_snapshots);
    tcase_add_test(tests, a_draft_that_is_given_up_leaves_nothing);
    tcase_add_test(tests, what_is_removed_is_gone_from_then_on);
    tcase_add_test(tests, readers_beside_a_writer);
    tcase_add_test(tests, contents_leave_and_come_back);
    tcase_add_test(tests, contents_go_once);
    tcase_add_test(tests, many_ask_for_the_same);
    tcase_add_test(tests, the_used_stay);
    tcase_add_test(tests, what_cannot_be_loaded_is_not_there);
    tcase_add_test(tests, tables_are_built_without_contents);
    tcase_add_test(tests, readers_beside_contents_that_come_and_go);
    return unit_run("catalog", tests, NULL);
}
