/* Both lists of uploads that are built in say alike what has changed, and what is held, due and waiting. */
#include "server/store/catalog.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

static char path[64];

static struct store_catalog *open_one(int which)
{
    struct store_error error;
    struct store_catalog *catalog = which ? store_sqlite_open(path, &error) : store_memory_open();
    ck_assert_ptr_nonnull(catalog);
    return catalog;
}

static void make_path(void)
{
    strcpy(path, "/tmp/posed-versions-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void remove_path(void)
{
    char log[80];
    unlink(path);
    snprintf(log, sizeof log, "%s-wal", path);
    unlink(log);
    snprintf(log, sizeof log, "%s-shm", path);
    unlink(log);
}

static struct upload_row row_of(unsigned number)
{
    return (struct upload_row){.id = {{(uint8_t)number, 1}},
                               .blob = {{(uint8_t)number}},
                               .name = "walk.anim",
                               .uploader = number % 3 ? NULL : "dot",
                               .bytes = number,
                               .expires_ms = number == 5 || number == 6 ? 1000 * number : 0,
                               .is_waiting = number == 7 || number == 2};
}

static void add(struct store_catalog *catalog, unsigned number)
{
    struct store_error error;
    const struct upload_row row = row_of(number);
    ck_assert(catalog->add(catalog, &row, &error));
}

static void drop(struct store_catalog *catalog, unsigned number)
{
    struct store_error error;
    const struct upload_row row = row_of(number);
    ck_assert(catalog->remove(catalog, &row.id, &error));
}

struct told {
    unsigned count;
    struct upload_change changes[MOST];
};

static bool tell(void *user, const struct upload_change *change)
{
    struct told *told = user;
    ck_assert_uint_lt(told->count, MOST);
    ck_assert(!told->count || told->changes[told->count - 1].version < change->version);
    told->changes[told->count++] = *change;
    return true;
}

static struct told changes_after(struct store_catalog *catalog, uint64_t after, uint32_t most)
{
    struct store_error error;
    struct told told = {.count = 0};
    ck_assert(catalog->changes(catalog, after, most, tell, &told, &error));
    return told;
}

static uint64_t version_of(struct store_catalog *catalog, struct asset_id *epoch)
{
    struct store_error error;
    uint64_t version;
    ck_assert(catalog->version(catalog, &version, epoch, &error));
    return version;
}

static void check(const struct told *told, unsigned at, unsigned number, bool is_removed)
{
    ck_assert_uint_lt(at, told->count);
    ck_assert_uint_eq(told->changes[at].id.bytes[0], number);
    ck_assert_int_eq(told->changes[at].is_removed, is_removed);
}

static bool is_fine(void *user, const struct upload_row *row)
{
    (void)row;
    *(unsigned *)user += 1;
    return true;
}

TEST_EACH(versions, 2)
{
    struct asset_id epoch, again;
    struct store_error error;
    unsigned visited = 0;
    make_path();
    struct store_catalog *catalog = open_one(_i);
    const uint64_t first = version_of(catalog, &epoch);
    for (unsigned i = 1; i <= 4; i++)
        add(catalog, i);
    const uint64_t added = version_of(catalog, &again);
    ck_assert(id_equal(&epoch, &again));
    ck_assert_uint_gt(added, first);
    struct told told = changes_after(catalog, first, MOST);
    ck_assert_uint_eq(told.count, 4);
    ck_assert_uint_eq(told.changes[3].version, added);
    drop(catalog, 1);
    drop(catalog, 3);
    drop(catalog, 9); /* was never there */
    add(catalog, 3);
    const struct upload_row waits = row_of(2);
    ck_assert(catalog->publish(catalog, &waits.id, is_fine, &visited, &error));
    ck_assert_uint_eq(visited, 1);
    told = changes_after(catalog, added, MOST);
    ck_assert_uint_eq(told.count, 3);
    check(&told, 0, 1, true);
    check(&told, 1, 3, false);
    check(&told, 2, 2, false);
    ck_assert_uint_eq(told.changes[2].version, version_of(catalog, &again));
    told = changes_after(catalog, added, 1);
    ck_assert_uint_eq(told.count, 1);
    told = changes_after(catalog, told.changes[0].version, MOST);
    check(&told, 0, 3, false);
    told = changes_after(catalog, first, MOST); /* of each only the last */
    ck_assert_uint_eq(told.count, 4);
    check(&told, 0, 4, false);
    catalog->close(catalog);
    remove_path();
}

TEST(versions_last)
{
    struct asset_id epoch, again, other;
    make_path();
    struct store_catalog *catalog = open_one(1);
    add(catalog, 1);
    drop(catalog, 1);
    const uint64_t version = version_of(catalog, &epoch);
    catalog->close(catalog);
    catalog = open_one(1);
    ck_assert_uint_eq(version_of(catalog, &again), version);
    ck_assert(id_equal(&epoch, &again));
    struct told told = changes_after(catalog, version - 1, MOST);
    check(&told, 0, 1, true);
    catalog->close(catalog);
    remove_path();
    make_path();
    catalog = open_one(1);
    version_of(catalog, &other);
    ck_assert(!id_equal(&epoch, &other));
    catalog->close(catalog);
    remove_path();
}

/* More removals than are remembered in memory. */
TEST(forgotten)
{
    struct asset_id epoch;
    struct store_error error;
    struct told told = {.count = 0};
    struct store_catalog *catalog = open_one(0);
    const uint64_t first = version_of(catalog, &epoch);
    for (unsigned i = 0; i < 3000; i++) {
        add(catalog, 1);
        drop(catalog, 1);
    }
    ck_assert(!catalog->changes(catalog, first + 1, MOST, tell, &told, &error));
    ck_assert_int_eq(error.status, STORE_MISSING);
    told = changes_after(catalog, version_of(catalog, &epoch) - 1, MOST);
    ck_assert_uint_eq(told.count, 1);
    catalog->close(catalog);
}

static void sum(void *user, const char *uploader, uint64_t bytes)
{
    uint64_t *sums = user;
    sums[uploader ? 1 : 0] += bytes;
}

static void check_sums(struct store_catalog *catalog, uint64_t none, uint64_t dot)
{
    struct store_error error;
    uint64_t sums[2] = {0};
    ck_assert(catalog->sums(catalog, sum, sums, &error));
    ck_assert_uint_eq(sums[0], none);
    ck_assert_uint_eq(sums[1], dot);
}

static bool list_id(void *user, const struct upload_row *row)
{
    struct told *told = user;
    told->changes[told->count++].id = row->id;
    return true;
}

TEST(questions)
{
    struct store_error error;
    struct asset_id id;
    int64_t expires;
    bool is_there;
    struct told told = {.count = 0};
    make_path();
    struct store_catalog *catalog = open_one(1);
    ck_assert(catalog->next_due(catalog, &id, &expires, &is_there, &error));
    ck_assert(!is_there);
    check_sums(catalog, 0, 0);
    for (unsigned i = 1; i <= 7; i++)
        add(catalog, 8 - i);
    add(catalog, 4); /* replaces */
    check_sums(catalog, 1 + 2 + 4 + 5 + 7, 3 + 6);
    drop(catalog, 3);
    drop(catalog, 3);
    check_sums(catalog, 1 + 2 + 4 + 5 + 7, 6);
    ck_assert(catalog->next_due(catalog, &id, &expires, &is_there, &error));
    ck_assert(is_there);
    ck_assert_int_eq(expires, 5000);
    ck_assert_uint_eq(id.bytes[0], 5);
    ck_assert(catalog->each_waiting(catalog, list_id, &told, &error));
    ck_assert_uint_eq(told.count, 2);
    ck_assert_uint_eq(told.changes[0].id.bytes[0], 7);
    ck_assert_uint_eq(told.changes[1].id.bytes[0], 2);
    catalog->close(catalog);
    remove_path();
}

TEST(bound)
{
    static const char data[] = "packed";
    const struct asset_id here = {{1}}, elsewhere = {{2}};
    struct store_error error;
    struct told told = {.count = 0};
    make_path();
    struct store_catalog *catalog = open_one(1);
    for (unsigned i = 1; i <= 3; i++) {
        struct upload_row row = row_of(i);
        row.record = (struct upload_record){.data = {(const uint8_t *)data, sizeof data},
                                            .is_bound = i > 1,
                                            .context = i == 2 ? here : elsewhere};
        ck_assert(catalog->add(catalog, &row, &error));
    }
    ck_assert(catalog->each_bound(catalog, &here, list_id, &told, &error));
    ck_assert_uint_eq(told.count, 1);
    ck_assert_uint_eq(told.changes[0].id.bytes[0], 3);
    ck_assert(catalog->each_bound(catalog, &(struct asset_id){{9}}, list_id, &told, &error));
    ck_assert_uint_eq(told.count, 3);
    catalog->close(catalog);
    remove_path();
}
