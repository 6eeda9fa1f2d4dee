/* Rows of lists beside the snapshots that they are made of: whatever comes, goes or breaks, they say the same. */
#include "server/library/index/upload.h"
#include "server/library/rows/rows.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 120, PATHS = 20, LIMIT = 7 };

static const struct index_options options = {.threads = 1};
static char texts[MANY][600];
static struct index_archive *archives[MANY];
static char folder[64], path[96];

static const char *const names[] = {"walk", "Walk-fast", "run", "sit_down", "été", "wave"};
static const char *const joints[] = {"Hips", "Pelvis", "root"};

/* Names, joints and durations repeat; every fifth has the bytes of the one before. */
static void make_archive(unsigned number)
{
    char name[64];
    const unsigned what = number % 5 == 4 ? number - 1 : number;
    snprintf(name, sizeof name, "%s-%u.bvh", names[number % 6], number % 11);
    snprintf(
        texts[number], sizeof texts[number],
        "HIERARCHY\nROOT %s\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n"
        "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.%u\n0 0 0\n%u.5 0 0\n",
        joints[what % 3], what % 2 + 1, what);
    struct upload_source source = {.name = name,
                                   .bytes = {(const uint8_t *)texts[number], strlen(texts[number])}};
    archives[number] = index_upload(&source, NULL, &options);
    memcpy(archives[number]->id.bytes, &number, sizeof number);
    const struct index_standing standing = {.created_ms = 1000 + number * 7 % 50};
    index_set_standing(archives[number], &standing);
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/posed-rows-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lists.db", folder);
    for (unsigned i = 0; i < MANY; i++)
        make_archive(i);
}

static void remove_files(void)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

static void teardown(void)
{
    for (unsigned i = 0; i < MANY; i++)
        index_archive_unref(archives[i]);
    remove_files();
    rmdir(folder);
}

/* ---------------------------------------------------------------------------------------------- what is right -- */

static bool has_text(const struct catalog *catalog, const struct catalog_item *item,
                     const struct search *search)
{
    struct place_walk walk = {0};
    bool found = strcasestr(item->asset->name, search->words[0].text);
    found |= item->asset->words && strstr(item->asset->words, search->words[0].text);
    while (!found && catalog_next_place(catalog, item, &walk))
        found = strcasestr(catalog_entry(catalog, walk.place)->name, search->words[0].text) ||
                strcasestr(catalog->archives[walk.place.archive]->name, search->words[0].text);
    return found;
}

static bool passes(const struct catalog *catalog, const struct catalog_item *item,
                   const struct listing_filter *filter)
{
    const struct index_asset *asset = item->asset;
    bool is_in = !filter->archive && !filter->source, knows = !filter->has_joint;
    struct place_walk walk = {0};
    while (!is_in && catalog_next_place(catalog, item, &walk)) {
        const struct index_archive *archive = catalog->archives[walk.place.archive];
        const bool is_upload = walk.place.archive >= catalog->path_count;
        is_in = (!filter->archive || id_equal(&archive->id, filter->archive)) &&
                (!filter->source || !strcmp(filter->source, "upload") == is_upload);
    }
    for (uint32_t i = 0; i < asset->known_count && !knows; i++)
        knows = asset->known[i] == known_name(asset->axes, filter->joint);
    return is_in && knows && (!filter->name || !strcmp(filter->name, asset->name)) &&
           (!filter->format || !strcmp(filter->format, catalog_entry(catalog, item->place)->format)) &&
           (!filter->has_duration || ((double)asset->duration >= filter->min_duration &&
                                      (double)asset->duration <= filter->max_duration)) &&
           (!filter->search || has_text(catalog, item, filter->search));
}

/* Whether a may follow b in that order. */
static bool follows(const struct catalog *catalog, const struct catalog_item *a, const struct catalog_item *b,
                    const struct listing *listing)
{
    double order = 0;
    if (listing->sort == SORT_NAME)
        order = strcmp(b->asset->name, a->asset->name);
    else if (listing->sort == SORT_DURATION)
        order = (double)b->asset->duration - (double)a->asset->duration;
    else if (listing->sort == SORT_NEWEST)
        order = (double)(catalog_created(catalog, b) - catalog_created(catalog, a));
    return listing->is_descending ? order >= 0 : order <= 0;
}

/* Keys need no look: these clips have as many of them as joints. */
static bool is_version(const struct catalog *catalog, const struct catalog_item *a,
                       const struct catalog_item *b)
{
    return !strcmp(a->asset->name, b->asset->name) && a->asset->joint_count == b->asset->joint_count &&
           fabsf(a->asset->duration - b->asset->duration) < 0.0005f &&
           !strcmp(catalog_entry(catalog, a->place)->format, catalog_entry(catalog, b->place)->format);
}

static void check_versions(struct rows_view *view, const struct catalog *catalog,
                           const struct listing *listing)
{
    uint32_t counts[LIMIT];
    ck_assert(rows_versions(view, listing->ids, listing->count, counts));
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct catalog_item *item = catalog_find(catalog, ASSET_CLIP, &listing->ids[i]);
        const struct catalog_item *other;
        uint32_t right = 0, next = 0;
        while ((other = catalog_next(catalog, ASSET_CLIP, &next)))
            right += is_version(catalog, item, other);
        ck_assert_uint_eq(counts[i], right);
    }
}

/* Walks a list by its cursors, and compares it with all items of the snapshot. */
static void check_list(struct rows *rows, const struct catalog *catalog, const struct listing_filter *filter,
                       enum listing_sort sort, bool is_descending)
{
    struct listing listing = {.sort = sort, .is_descending = is_descending, .limit = LIMIT};
    struct rows_view *view;
    uint32_t right = 0, seen = 0;
    const struct catalog_item *last = NULL;
    bool *taken = calloc(catalog->lists[ASSET_CLIP].count + 1, 1);
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    for (uint32_t i = 0; i < catalog->lists[ASSET_CLIP].count; i++) {
        const struct catalog_item *item = catalog_listed(catalog, ASSET_CLIP, i);
        right += item && passes(catalog, item, filter);
    }
    do {
        ck_assert(listing_run(view, filter, &listing));
        ck_assert_uint_eq(listing.total, right);
        for (uint32_t i = 0; i < listing.count; i++, seen++) {
            uint32_t index;
            const struct catalog_item *item =
                catalog_find_index(catalog, ASSET_CLIP, &listing.ids[i], &index);
            ck_assert(item && passes(catalog, item, filter) && !taken[index]);
            ck_assert(!last || follows(catalog, item, last, &listing));
            taken[index] = true;
            last = item;
            listing.cursor_id = listing.ids[i];
        }
        check_versions(view, catalog, &listing);
        listing.cursor = listing.last;
        listing.has_cursor = true;
        listing_release(&listing);
    } while (listing.has_more);
    ck_assert_uint_eq(seen, right);
    rows_view_close(view);
    free(taken);
}

static void check_facets(struct rows *rows, const struct catalog *catalog,
                         const struct listing_filter *filter)
{
    struct listing listing = {.limit = 1};
    struct facet_value values[MAX_FACET_VALUES];
    struct rows_view *view;
    uint32_t count;
    ck_assert_int_eq(rows_view_open(rows, catalog, &view), ROWS_READY);
    ck_assert(listing_run(view, filter, &listing));
    for (int facet = 0; facet < FACET_COUNT; facet++) {
        uint64_t sum = 0;
        ck_assert(listing_count(view, filter, (enum listing_facet)facet, values, &count));
        for (uint32_t i = 0; i < count; i++) {
            sum += values[i].count;
            ck_assert(!i || values[i].count <= values[i - 1].count);
            free(values[i].text);
        }
        if (facet == FACET_FORMAT || facet == FACET_LOOP)
            ck_assert_uint_eq(sum, listing.total);
    }
    listing_release(&listing);
    rows_view_close(view);
}

static void check(struct rows *rows, const struct catalog *catalog)
{
    static const enum listing_sort sorts[] = {SORT_ARRIVAL, SORT_NAME, SORT_DURATION, SORT_NEWEST};
    struct search search, phrase, shorter;
    ck_assert(search_read(&search, "alk") && search_read(&phrase, "hips") && search_read(&shorter, "wa"));
    const struct asset_id *one = catalog->archives_present ? &catalog_archive(catalog, 0)->id : NULL;
    for (int i = 0; i < 9; i++) {
        struct listing_filter filter = {.kind = ASSET_CLIP};
        filter.source = i == 1 ? "upload" : i == 2 ? "path" : NULL;
        filter.has_joint = i == 3;
        filter.joint = "Pelvis";
        filter.has_duration = i == 4;
        filter.min_duration = 0.15;
        filter.max_duration = 0.35;
        filter.search = i == 5 ? &search : i == 6 ? &phrase : i == 7 ? &shorter : NULL;
        filter.archive = i == 8 ? one : NULL;
        filter.name = i == 2 && one ? catalog_listed(catalog, ASSET_CLIP, 0)->asset->name : NULL;
        for (int k = 0; k < 8; k++)
            check_list(rows, catalog, &filter, sorts[k / 2], k % 2);
        check_facets(rows, catalog, &filter);
    }
}

/* ----------------------------------------------------------------------------------------------------- changes -- */

static struct catalog *paths_and_uploads(unsigned first, unsigned last, unsigned uploads)
{
    struct index_archive *all[MANY];
    unsigned count = 0;
    for (unsigned i = first; i < last; i++)
        all[count++] = archives[i];
    const unsigned path_count = count;
    for (unsigned i = PATHS; i < PATHS + uploads; i++)
        all[count++] = archives[i];
    struct catalog *catalog = catalog_new(all, count, path_count, NULL, NULL, 0);
    ck_assert_ptr_nonnull(catalog);
    return catalog;
}

/* The PATHs but for the first, and the uploads as they came. */
static struct catalog *with_other_paths(const struct catalog *catalog)
{
    uint32_t count;
    struct index_archive **all = catalog_list_archives(catalog, &count);
    ck_assert_ptr_nonnull(all);
    struct catalog *made = catalog_new(all + 3, count - 3, PATHS - 3, catalog, NULL, 0);
    free(all);
    return made;
}

static void step(struct rows *rows, struct catalog **current, struct catalog *next, bool is_checked)
{
    catalog_publish(next);
    catalog_unref(*current);
    *current = next;
    if (is_checked)
        check(rows, next);
}

FIXTURE(setup, teardown);
TIMEOUT(120);

TEST_EACH(rows_follow_what_comes_and_goes, 2)
{
    struct rows *rows = rows_open(_i ? path : NULL);
    struct catalog *current = paths_and_uploads(0, PATHS, 0);
    uint64_t state = 7;
    uint32_t index;
    ck_assert(rows_change(rows, NULL, current));
    check(rows, current);
    for (int i = 0; i < 40; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const unsigned at = PATHS + (unsigned)(state >> 33) % (MANY - PATHS);
        struct catalog *next;
        if (catalog_find_archive(current, &archives[at]->id, &index)) {
            next = catalog_remove_all(current, &index, 1);
            ck_assert(rows_remove(rows, next, &archives[at]->id));
        } else {
            next = catalog_append(current, archives[at]);
            ck_assert(rows_add(rows, next, next->archive_count - 1));
        }
        step(rows, &current, next, i % 5 == 0);
    }
    /* Other PATHs: some are gone, some have another place. */
    struct catalog *next = with_other_paths(current);
    ck_assert(rows_change(rows, current, next));
    step(rows, &current, next, true);
    rows_close(rows);
    catalog_unref(current);
}

/* The daemon ended somewhere between the store and the rows: these are behind, or ahead, of what is there. */
TEST(rows_of_another_time_are_brought_up_to_date)
{
    struct catalog *few = paths_and_uploads(0, 10, 40), *many = paths_and_uploads(5, PATHS, 90);
    struct catalog *none = paths_and_uploads(0, 0, 0);
    struct catalog *const order[] = {few, many, few, none, many, many};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct rows *rows = rows_open(path);
        struct rows_view *view;
        if (i)
            ck_assert_int_eq(rows_view_open(rows, order[i], &view), i == 5 ? ROWS_READY : ROWS_OTHER);
        if (i == 5)
            rows_view_close(view);
        ck_assert(rows_change(rows, NULL, order[i]));
        check(rows, order[i]);
        struct listing listing = {.limit = 1};
        ck_assert_int_eq(rows_view_open(rows, order[i], &view), ROWS_READY);
        ck_assert(listing_run(view, &(struct listing_filter){.kind = ASSET_CLIP}, &listing));
        /* Nothing is numbered anew that was there throughout. */
        ck_assert(i != 5 || listing.last.number == number);
        number = listing.last.number;
        listing_release(&listing);
        rows_view_close(view);
        rows_close(rows);
    }
    catalog_unref(few);
    catalog_unref(many);
    catalog_unref(none);
}

static void write_file(const char *text, size_t size, long at)
{
    FILE *file = fopen(path, at ? "r+b" : "wb");
    ck_assert_ptr_nonnull(file);
    fseek(file, at, SEEK_SET);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* No database, an empty one, one that was cut, of another version, with pages of something else, and a folder. */
TEST(an_unusable_file_is_made_anew)
{
    static const char junk[4096] = "no database at all";
    struct catalog *catalog = paths_and_uploads(0, 10, 40);
    for (int what = 0; what < 6; what++) {
        struct rows *rows = rows_open(path);
        ck_assert(rows_change(rows, NULL, catalog));
        rows_close(rows);
        if (what == 0)
            write_file(junk, sizeof junk, 0);
        else if (what == 1)
            ck_assert_int_eq(truncate(path, 0), 0);
        else if (what == 2)
            ck_assert_int_eq(truncate(path, 3 * 4096 + 100), 0);
        else if (what == 3)
            write_file("\0\0\0\7", 4, 60);
        else if (what == 4)
            for (long page = 1; page < 12; page++)
                write_file(junk, sizeof junk, page * 4096);
        else
            remove_files();
        if (what == 5)
            ck_assert(snprintf(path, sizeof path, "%s/missing/lists.db", folder) > 0);
        rows = rows_open(path);
        ck_assert(rows_change(rows, NULL, catalog));
        struct catalog *next = catalog_append(catalog, archives[MANY - 1]);
        ck_assert(rows_add(rows, next, next->archive_count - 1));
        catalog_publish(next);
        catalog_unref(catalog);
        check(rows, next);
        rows_close(rows);
        catalog_unref(next);
        catalog = paths_and_uploads(0, 10, 40 - (unsigned)what);
    }
    catalog_unref(catalog);
}
