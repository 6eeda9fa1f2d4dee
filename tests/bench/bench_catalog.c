/* What the catalogue costs beside few uploads and beside many: taking one more, finding one, listing them. */
#include "server/library/index/upload.h"
#include "server/library/rows/rows.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 100, MANY = 10000, APPENDED = 16, FOUND = 1000 };

struct subject {
    uint32_t count;
    struct catalog *catalog;
    struct asset_id clip; /* in the middle */
    struct search search;
    struct rows *rows;
};

/* An upload whose bytes, and so whose ids, are its own. */
static void append(struct subject *subject)
{
    static const struct index_options options = {.threads = 1};
    char name[32], *text = malloc(400);
    if (!text)
        abort();
    snprintf(name, sizeof name, "clip-%u.bvh", subject->count);
    snprintf(
        text, 400,
        "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n"
        "  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n%u.5 0 0\n",
        subject->count++);
    struct upload_source source = {.name = name, .bytes = {(const uint8_t *)text, strlen(text)}};
    struct index_archive *archive = index_upload(&source, NULL, &options);
    struct catalog *next = catalog_append(subject->catalog, archive);
    if (!next)
        abort();
    if (subject->rows && !rows_add(subject->rows, next, next->archive_count - 1))
        abort();
    index_archive_unref(archive);
    catalog_unref(subject->catalog);
    subject->catalog = next;
    free(text); /* nobody reads its entries */
}

static void init(struct subject *subject, uint32_t count)
{
    *subject = (struct subject){.catalog = catalog_new(NULL, 0, 0, NULL, NULL, 0)};
    while (subject->count < count)
        append(subject);
    subject->clip = catalog_listed(subject->catalog, ASSET_CLIP, count / 2)->asset->id;
    subject->rows = rows_open(NULL);
    if (!search_read(&subject->search, "lip 77") || !subject->rows ||
        !rows_change(subject->rows, NULL, subject->catalog))
        abort();
}

static void append_some(void *user)
{
    for (int i = 0; i < APPENDED; i++)
        append(user);
}

static void find_some(void *user)
{
    const struct subject *subject = user;
    for (int i = 0; i < FOUND; i++)
        bench_use(catalog_find(subject->catalog, ASSET_CLIP, &subject->clip));
}

static void list(const struct subject *subject, enum listing_sort sort, const struct search *search)
{
    const struct listing_filter filter = {.kind = ASSET_CLIP, .search = search};
    struct listing listing = {.sort = sort, .limit = 100};
    struct rows_view *view;
    if (rows_view_open(subject->rows, subject->catalog, &view) != ROWS_READY ||
        !listing_run(view, &filter, &listing))
        abort();
    bench_use(&listing.total);
    listing_release(&listing);
    rows_view_close(view);
}

static void list_in_order(void *user)
{
    list(user, SORT_ARRIVAL, NULL);
}

static void list_by_name(void *user)
{
    list(user, SORT_NAME, NULL);
}

static void look_for_words(void *user)
{
    const struct subject *subject = user;
    list(subject, SORT_NAME, &subject->search);
}

static void compare(const char *heading, void (*run)(void *), struct subject subjects[2], double amount)
{
    const struct bench_contestant contestants[] = {
        {"beside 100", run, &subjects[0], amount},
        {"beside 10,000", run, &subjects[1], amount},
    };
    bench_compare_times(heading, "ns", contestants, 2);
}

static void run(void)
{
    struct subject subjects[2];
    init(&subjects[0], FEW);
    init(&subjects[1], MANY);
    compare("an id is found", find_some, subjects, FOUND);
    compare("a page in the order of uploads", list_in_order, subjects, 1);
    compare("a page by name", list_by_name, subjects, 1);
    compare("a search", look_for_words, subjects, 1);
    compare("an upload is indexed and joins the catalogue", append_some, subjects, APPENDED);
    for (int i = 0; i < 2; i++) {
        rows_close(subjects[i].rows);
        catalog_unref(subjects[i].catalog);
    }
}

const struct bench_part bench_catalog = {"catalog", run};
