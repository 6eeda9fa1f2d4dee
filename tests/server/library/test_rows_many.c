/* Searches that find many rows: pages are found rank by rank, and say the same as if all rows were ranked and sorted. */
#include "lib/core/fold.h"
#include "server/library/index/upload.h"
#include "server/library/rows/link.h"
#include "server/ops/work/effort.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 10400, MAX_FOLDED = 400, WEIGHT = 4, NO_RANK = MATCH_NONE * WEIGHT };

static const struct index_options options = {.threads = 1};
static const char *const names[] = {"dance", "dancer",   "break-dance", "breakdance",
                                    "sit",   "walk sit", "sit walk"};
static const char *const joints[] = {"Hips", "Hips_walk", "tail", "sit_bone", "stail"};
static struct index_archive *archives[MANY];
static char texts[MANY][200];
static struct catalog *catalog;
static struct rows *rows;

/* Most are alike, so that some ranks are rare. */
static void make_archive(unsigned number)
{
    char name[64];
    const unsigned what = number % 7 < 5 ? 0 : number % 31 % 7;
    snprintf(name, sizeof name, "%s-%u.bvh", names[what], number % 1000);
    snprintf(
        texts[number], sizeof texts[number],
        "HIERARCHY\nROOT %s\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n"
        "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n%u.5 0 0\n",
        joints[number % 3 ? 0 : number % 13 % 5], number);
    struct upload_source source = {.name = name,
                                   .bytes = {(const uint8_t *)texts[number], strlen(texts[number])}};
    archives[number] = index_upload(&source, NULL, &options);
    memcpy(archives[number]->id.bytes, &number, sizeof number);
}

static void setup(void)
{
    for (unsigned i = 0; i < MANY; i++)
        make_archive(i);
    catalog = catalog_new(archives, MANY, 0, NULL, NULL, 0);
    rows = rows_open(NULL);
    ck_assert(catalog && rows && rows_change(rows, NULL, catalog));
}

static void teardown(void)
{
    rows_close(rows);
    catalog_unref(catalog);
    for (unsigned i = 0; i < MANY; i++)
        index_archive_unref(archives[i]);
}

static void improve(int *best, const struct search_word *word, const char *folded, int where)
{
    const enum search_match match = *folded ? search_match(word, folded) : MATCH_NONE;
    const int rank = (int)match * WEIGHT + where;
    if (match != MATCH_NONE && rank < *best)
        *best = rank;
}

/* Of the worst word; NO_RANK: one of them is nowhere. */
static int rank_of(const struct catalog_item *item, const struct search *search)
{
    char name[MAX_FOLDED], file[MAX_FOLDED], archive[MAX_FOLDED];
    int worst = 0;
    fold_text(item->asset->name, name, sizeof name);
    fold_text(catalog_entry(catalog, item->place)->name, file, sizeof file);
    fold_text(catalog->archives[item->place.archive]->name, archive, sizeof archive);
    for (unsigned i = 0; i < search->count; i++) {
        int best = NO_RANK;
        improve(&best, &search->words[i], name, 0);
        improve(&best, &search->words[i], file, 1);
        improve(&best, &search->words[i], archive, 1);
        improve(&best, &search->words[i], item->asset->words ? item->asset->words : "", 2);
        worst = best > worst ? best : worst;
    }
    return worst;
}

/* The place of an item in the order: its rank or what it is sorted by, and when it came. */
static double key_of(const struct catalog_item *item, const struct search *search, enum listing_sort sort)
{
    return sort == SORT_MATCH ? rank_of(item, search) : (double)item->asset->duration;
}

static void check_walk(const char *q, enum listing_sort sort, const char *format, uint32_t limit)
{
    struct search search;
    ck_assert(search_read(&search, q));
    const struct listing_filter filter = {.kind = ASSET_CLIP, .search = &search, .format = format};
    struct listing listing = {.sort = sort, .limit = limit};
    struct rows_view *view;
    bool *taken = calloc(catalog->lists[ASSET_CLIP].count + 1, 1);
    uint64_t right = 0, seen = 0;
    double last = -1;
    uint32_t last_index = 0;
    for (uint32_t i = 0; i < catalog->lists[ASSET_CLIP].count && (!format || !strcmp(format, "bvh")); i++)
        right += rank_of(catalog_listed(catalog, ASSET_CLIP, i), &search) < NO_RANK;
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    do {
        ck_assert(listing_run(view, &filter, &listing));
        ck_assert_msg(listing.is_estimate ? right > LISTING_COUNTED && listing.total > LISTING_COUNTED
                                          : listing.total == right,
                      "%s: %llu of %llu", q, (unsigned long long)listing.total, (unsigned long long)right);
        for (uint32_t i = 0; i < listing.count; i++, seen++) {
            uint32_t index;
            const struct catalog_item *item =
                catalog_find_index(catalog, ASSET_CLIP, &listing.ids[i], &index);
            ck_assert(item && !taken[index] && rank_of(item, &search) < NO_RANK);
            const double key = key_of(item, &search, sort);
            ck_assert_msg(key > last || (!(key < last) && index > last_index), "%s: %s", q,
                          item->asset->name);
            taken[index] = true;
            last = key;
            last_index = index;
            listing.cursor_id = listing.ids[i];
        }
        ck_assert(listing.count == limit || !listing.has_more);
        listing.cursor = listing.last;
        listing.has_cursor = true;
        listing_release(&listing);
    } while (listing.has_more);
    ck_assert_msg(seen == right, "%s: %llu of %llu", q, (unsigned long long)seen, (unsigned long long)right);
    rows_view_close(view);
    free(taken);
}

FIXTURE(setup, teardown);
TIMEOUT(300);

TEST(a_search_of_many_is_in_the_order_of_ranks)
{
    static const char *const searches[] = {
        "dance",     "danc",         "ance",      "bvh",         "hips",     "hips dance",
        "walk",      "walk hips",    "sit walk",  "da",          "d",        "7",
        "\"sit 7\"", "\"walk sit\"", "dance 12",  "tail",        "nothing",  "dance nothing",
        "tai",       "da 12",        "hips tail", "dancer hips", "\"hips\"",
    };
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        check_walk(searches[i], SORT_MATCH, NULL, 700);
}

TEST(a_search_of_many_is_in_any_order)
{
    check_walk("dance", SORT_DURATION, NULL, 900);
    check_walk("hips", SORT_DURATION, NULL, 900);
    check_walk("bvh", SORT_DURATION, "bvh", 900);
    check_walk("bvh", SORT_MATCH, "bvh", 900);
    check_walk("dance", SORT_MATCH, "sl-anim", 900);
}

/* An offset shows the rows that a cursor would have come to. */
TEST(an_offset_is_as_far_as_a_cursor)
{
    struct search search;
    struct rows_view *view;
    ck_assert(search_read(&search, "dance"));
    const struct listing_filter filter = {.kind = ASSET_CLIP, .search = &search};
    struct listing all = {.sort = SORT_MATCH, .limit = 5000}, some = {.sort = SORT_MATCH, .limit = 3};
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    ck_assert(listing_run(view, &filter, &all));
    some.offset = 4900;
    ck_assert(listing_run(view, &filter, &some));
    ck_assert_uint_eq(some.count, 3);
    ck_assert(!memcmp(some.ids, all.ids + 4900, 3 * sizeof *some.ids));
    listing_release(&some);
    listing_release(&all);
    rows_view_close(view);
}

TEST(archives_are_searched_as_well)
{
    struct search search;
    struct rows_view *view;
    ck_assert(search_read(&search, "dance"));
    const struct listing_filter filter = {.of_archives = true, .search = &search};
    struct listing listing = {.sort = SORT_MATCH, .limit = 1000};
    uint64_t seen = 0, total = 0;
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    do {
        ck_assert(listing_run(view, &filter, &listing));
        ck_assert(!listing.is_estimate && (!total || total == listing.total));
        total = listing.total;
        seen += listing.count;
        listing.cursor_id = listing.ids[listing.count - 1];
        listing.cursor = listing.last;
        listing.has_cursor = true;
        listing_release(&listing);
    } while (listing.has_more);
    ck_assert_uint_eq(seen, total);
    rows_view_close(view);
}

static int count_steps(void *user)
{
    ++*(int *)user;
    return 0;
}

/* What the database does for a page of 20 rows, in steps of ten instructions. */
static int cost_of(struct rows_view *view, struct listing *listing, const struct listing_filter *filter)
{
    int steps = 0;
    sqlite3_progress_handler(view->link->db, 10, count_steps, &steps);
    ck_assert(listing_run(view, filter, listing));
    sqlite3_progress_handler(view->link->db, 0, NULL, NULL);
    ck_assert_uint_eq(listing->count, 20);
    listing_release(listing);
    return steps;
}

/* All clips are of one length, and many have the same name. */
TEST(a_page_costs_the_same_wherever_it_is)
{
    static const enum listing_sort sorts[] = {SORT_ARRIVAL, SORT_NAME, SORT_DURATION, SORT_NEWEST,
                                              SORT_FORMAT};
    const struct listing_filter filter = {.kind = ASSET_CLIP};
    struct rows_view *view;
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    for (int i = 0; i < 10; i++) {
        int first = 0;
        for (uint64_t offset = 0; offset < MANY - 40; offset += MANY / 4) {
            struct listing listing = {
                .sort = sorts[i / 2], .is_descending = i % 2, .limit = 20, .offset = offset};
            cost_of(view, &listing, &filter);
            listing.has_cursor = true;
            listing.cursor = listing.last;
            const int cost = cost_of(view, &listing, &filter);
            first = first ? first : cost;
            ck_assert_msg(cost < first * 2, "%d: %d steps at %llu, %d at first", i, cost,
                          (unsigned long long)offset, first);
        }
    }
    rows_view_close(view);
}

/* Of a search that finds nearly all rows a page costs little more than of one that finds few. */
TEST(a_search_of_many_does_not_look_at_all)
{
    struct search search;
    struct rows_view *view;
    ck_assert(search_read(&search, "danc"));
    const struct listing_filter filter = {.kind = ASSET_CLIP, .search = &search}, any = {.kind = ASSET_CLIP};
    struct listing listing = {.sort = SORT_MATCH, .limit = 20}, page = {.sort = SORT_BYTES, .limit = 20};
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    const int cost = cost_of(view, &listing, &filter);
    ck_assert_uint_gt(listing.total, 5000);
    /* Counting takes a few instructions for a hit, ranking one of them a hundred. */
    ck_assert_int_lt(cost, cost_of(view, &page, &any) + (int)listing.total * 4);
    rows_view_close(view);
}

/* A search of a request whose time is over, or whose client has left, ends and says so. */
TEST(a_search_ends_with_its_request)
{
    struct search search;
    struct rows_view *view;
    struct effort effort;
    ck_assert(search_read(&search, "danc"));
    const struct listing_filter filter = {.kind = ASSET_CLIP, .search = &search};
    struct listing listing = {.sort = SORT_MATCH, .limit = 20};
    effort_begin(&effort, 1e-6, NULL, NULL);
    while (!effort_is_over(&effort))
        continue;
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    ck_assert(!listing_run(view, &filter, &listing));
    listing_release(&listing);
    rows_view_close(view);
    effort_end(&effort);
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    ck_assert(listing_run(view, &filter, &listing) && listing.count == 20);
    listing_release(&listing);
    rows_view_close(view);
}
