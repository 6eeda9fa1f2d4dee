/* The catalogue in a real PostgreSQL server, whose URL is in POSED_TEST_POSTGRES; each case has a schema of its own there. */
#include "server/ops/region.h"
#include "server/store/postgres/catalog.h"
#include "server/store/postgres/schema.h"
#include "tests/support/unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TIMEOUT_MS = 60000, THREADS = 6, EACH = 40 };

static char url[600];
static struct store_error error;
static const struct addition_room no_limit;

#define OK(call) ck_assert_msg((call), "%s", error.detail)

static struct catalog_options options_of(const char *text)
{
    return (struct catalog_options){.url = text, .connections = 4};
}

static bool keep_text(void *user, const struct pg_value *values, unsigned count)
{
    if (count)
        snprintf(user, 64, "%s", values[0].bytes ? (const char *)values[0].bytes : "");
    return true;
}

/* Beside the catalogue, as somebody with psql; the last value of the answer. */
static const char *sql(const char *text)
{
    static char answer[64];
    const struct catalog_options options = options_of(url);
    struct pool *pool = pool_open(&options, TIMEOUT_MS, NULL, NULL, NULL, &error);
    OK(pool);
    struct pg *pg = pool_connect(pool, &error);
    OK(pg);
    *answer = 0;
    OK(pool_run(pool, pg, text, TIMEOUT_MS, keep_text, answer, &error));
    pool_disconnect(pool, pg);
    pool_close(pool);
    return answer;
}

static void begin_case(void)
{
    static int number;
    char text[64];
    const char *server = getenv("POSED_TEST_POSTGRES");
    ck_assert_msg(server, "POSED_TEST_POSTGRES is not set");
    snprintf(url, sizeof url, "%s", server);
    snprintf(text, sizeof text, "CREATE SCHEMA case_%d_%d", (int)getpid(), ++number);
    sql(text);
    snprintf(url, sizeof url, "%s&options=-csearch_path%%3Dcase_%d_%d", server, (int)getpid(), number);
}

static struct store_catalog *open_it(void)
{
    const struct catalog_options options = options_of(url);
    struct store_catalog *catalog = store_postgres_open(&options, TIMEOUT_MS, &error);
    OK(catalog);
    return catalog;
}

static struct upload_row row_of(unsigned number, const char *name)
{
    struct upload_row row = {.name = name, .bytes = 100 + number, .created_ms = 1000};
    memcpy(row.id.bytes, &number, sizeof number);
    memcpy(row.blob.bytes, &number, sizeof number);
    return row;
}

static enum addition add(struct store_catalog *catalog, const struct upload_row *row, uint64_t *version)
{
    enum addition addition;
    OK(catalog->sharing->add(catalog, row, &no_limit, &addition, version, &error));
    return addition;
}

/* ---------------------------------------------------------------------------------------------------- rows -- */

FIXTURE(begin_case, NULL);

TEST(rows)
{
    struct store_catalog *catalog = open_it();
    struct region texts = {0};
    struct upload_row row = row_of(1, "Wä\tve"), found;
    struct pose_buffer buffer = {0};
    uint8_t data[70000];
    bool is_there;
    uint64_t version, count;
    memset(data, 7, sizeof data);
    row.format = "anim";
    row.uploader = "ann";
    row.expires_ms = INT64_C(1) << 60;
    row.is_waiting = row.has_parts = true;
    row.record = (struct upload_record){.data = {data, sizeof data},
                                        .revision = 7,
                                        .checked = {.size = 1, .modified_ns = -2, .inode = UINT64_MAX}};
    ck_assert_int_eq(add(catalog, &row, &version), ADDITION_NEW);
    OK(catalog->find(catalog, &row.id, &found, &texts, &is_there, &error));
    ck_assert(is_there && found.is_waiting && found.has_parts && !found.game);
    ck_assert_str_eq(found.name, row.name);
    ck_assert_str_eq(found.format, "anim");
    ck_assert_str_eq(found.uploader, "ann");
    ck_assert(found.expires_ms == row.expires_ms && found.bytes == 101 && found.created_ms == 1000);
    ck_assert_mem_eq(&found.blob, &row.blob, sizeof row.blob);
    OK(catalog->records(catalog, &found, 1, &buffer, &error));
    ck_assert(found.record.revision == 7 && !found.record.is_bound &&
              found.record.checked.inode == UINT64_MAX && found.record.checked.modified_ns == -2);
    ck_assert_uint_eq(found.record.data.size, sizeof data);
    ck_assert_mem_eq(found.record.data.data, data, sizeof data);
    OK(catalog->count_blob(catalog, &row.blob, &count, &error));
    ck_assert_uint_eq(count, 1);
    OK(catalog->remove(catalog, &row.id, &error));
    OK(catalog->remove(catalog, &row.id, &error));
    OK(catalog->find(catalog, &row.id, &found, &texts, &is_there, &error));
    ck_assert(!is_there);
    OK(catalog->records(catalog, &row, 1, &buffer, &error));
    ck_assert_uint_eq(row.record.data.size, 0);
    pose_buffer_free(&buffer);
    region_release(&texts);
    catalog->close(catalog);
}

/* With a record, without one, one that is not there, and one that is asked for twice; in any order. */
TEST(rows_of_many)
{
    enum { COUNT = 5 };
    static const unsigned numbers[COUNT] = {2, 1, 9, 2, 3};
    struct store_catalog *catalog = open_it();
    struct upload_row rows[COUNT] = {0};
    struct pose_buffer buffers[COUNT] = {0};
    struct region texts = {0};
    bool are_there[COUNT];
    uint8_t data[300];
    uint64_t version;
    for (unsigned number = 1; number <= 3; number++) {
        char name[16];
        snprintf(name, sizeof name, "name %u", number);
        struct upload_row row = row_of(number, name);
        memset(data, (int)number, sizeof data);
        if (number != 3)
            row.record = (struct upload_record){
                .data = {data, 100 * number}, .revision = number, .is_bound = number == 2};
        ck_assert_int_eq(add(catalog, &row, &version), ADDITION_NEW);
    }
    for (int i = 0; i < COUNT; i++)
        rows[i].id = row_of(numbers[i], "").id;
    OK(catalog->rows(catalog, rows, COUNT, &texts, buffers, are_there, &error));
    for (int i = 0; i < COUNT; i++) {
        const struct upload_record *record = &rows[i].record;
        char name[16];
        snprintf(name, sizeof name, "name %u", numbers[i]);
        ck_assert_int_eq(are_there[i], numbers[i] != 9);
        if (!are_there[i])
            continue;
        ck_assert_str_eq(rows[i].name, name);
        ck_assert_uint_eq(rows[i].bytes, 100 + numbers[i]);
        ck_assert_uint_eq(record->data.size, numbers[i] == 3 ? 0 : 100 * numbers[i]);
        ck_assert_uint_eq(record->revision, numbers[i] == 3 ? 0 : numbers[i]);
        ck_assert_int_eq(record->is_bound, numbers[i] == 2);
        ck_assert(!record->data.size || record->data.data[record->data.size - 1] == numbers[i]);
    }
    OK(catalog->rows(catalog, rows, 0, &texts, buffers, are_there, &error));
    for (int i = 0; i < COUNT; i++)
        pose_buffer_free(&buffers[i]);
    region_release(&texts);
    catalog->close(catalog);
}

static bool count_row(void *user, const struct upload_row *row)
{
    unsigned *next = user, number;
    memcpy(&number, row->id.bytes, sizeof number);
    ck_assert_uint_eq(number, *next);
    ++*next;
    return number != 2222;
}

/* More than a page; in their order; an end on request. */
TEST(walks)
{
    struct store_catalog *catalog = open_it();
    unsigned next = 0;
    sql("INSERT INTO posed_upload SELECT decode(lpad(to_hex((n % 256) * 256 + n / 256), 4, '0') || "
        "repeat('0', 28), 'hex'),"
        " n, n, 0, NULL, '', decode(repeat('00', 32), 'hex'), 'x', NULL, NULL, false, 1, 1, NULL, 0, false, "
        "0, NULL,"
        " 0, 0, 0, NULL, NULL FROM generate_series(0, 2500) n");
    OK(catalog->each(catalog, count_row, &next, &error));
    ck_assert_uint_eq(next, 2223);
    catalog->close(catalog);
}

TEST(known_and_limits)
{
    struct store_catalog *catalog = open_it();
    struct upload_row row = row_of(1, "a");
    uint64_t version, first, bytes;
    enum addition addition;
    ck_assert_int_eq(add(catalog, &row, &first), ADDITION_NEW);
    row.name = "b";
    ck_assert_int_eq(add(catalog, &row, &version), ADDITION_KNOWN);
    ck_assert_uint_eq(version, first);
    row = row_of(2, "b");
    row.uploader = "ann";
    const struct addition_room small = {.most = 202}, enough = {.most = 203, .quota = 102},
                               quota = {.quota = 203};
    OK(catalog->sharing->add(catalog, &row, &small, &addition, &version, &error));
    ck_assert_int_eq(addition, ADDITION_NO_ROOM);
    OK(catalog->sharing->add(catalog, &row, &enough, &addition, &version, &error));
    ck_assert_int_eq(addition, ADDITION_NEW);
    row = row_of(3, "c");
    row.uploader = "ann";
    OK(catalog->sharing->add(catalog, &row, &quota, &addition, &version, &error));
    ck_assert_int_eq(addition, ADDITION_NO_QUOTA);
    row = row_of(2, "b");
    OK(catalog->remove(catalog, &row.id, &error));
    row = row_of(3, "c");
    row.uploader = "ann";
    OK(catalog->sharing->add(catalog, &row, &quota, &addition, &version, &error));
    ck_assert_int_eq(addition, ADDITION_NEW);
    OK(catalog->sharing->bytes(catalog, &bytes, &error));
    ck_assert_uint_eq(bytes, 101 + 103);
    catalog->close(catalog);
}

/* ------------------------------------------------------------------------------------------------- changes -- */

struct seen {
    uint64_t version;
    unsigned count, removed;
    struct asset_id last;
    enum shared_kind kind;
    char by[32], reason[32];
};

static bool see(void *user, const struct shared_change *change)
{
    struct seen *seen = user;
    ck_assert(change->change.version > seen->version);
    seen->version = change->change.version;
    seen->count++;
    seen->removed += change->change.is_removed;
    seen->last = change->change.id;
    seen->kind = change->kind;
    snprintf(seen->by, sizeof seen->by, "%s", change->by ? change->by : "");
    snprintf(seen->reason, sizeof seen->reason, "%s", change->reason ? change->reason : "");
    return true;
}

TEST(changes)
{
    struct store_catalog *catalog = open_it(), *other = open_it();
    struct upload_row first = row_of(1, "a"), second = row_of(2, "b");
    struct shared_removal removal;
    struct asset_id epoch, same;
    struct seen seen = {0};
    uint64_t version;
    bool is_published;
    OK(other->sharing->changes(other, 0, 100, see, &seen, &error));
    ck_assert_uint_eq(seen.count, 0);
    second.is_waiting = true;
    add(catalog, &first, &version);
    add(catalog, &second, &version);
    OK(other->sharing->changes(other, 0, 1, see, &seen, &error));
    ck_assert_uint_eq(seen.count, 1);
    OK(other->sharing->changes(other, seen.version, 1, see, &seen, &error));
    ck_assert_uint_eq(seen.version, version);
    OK(catalog->sharing->publish(catalog, &second.id, "mod", &is_published, &version, &error));
    ck_assert(is_published);
    OK(other->sharing->changes(other, seen.version, 100, see, &seen, &error));
    ck_assert(seen.count == 3 && seen.kind == SHARED_PUBLISH && !strcmp(seen.by, "mod"));
    OK(catalog->sharing->publish(catalog, &second.id, "mod", &is_published, &version, &error));
    ck_assert(!is_published);
    OK(catalog->sharing->remove(catalog, &first.id, "ann", "why", &removal, &error));
    ck_assert(removal.is_removed && removal.is_last);
    OK(other->sharing->changes(other, seen.version, 100, see, &seen, &error));
    ck_assert(seen.count == 4 && seen.removed == 1 && seen.version == removal.version);
    ck_assert_str_eq(seen.reason, "why");
    OK(catalog->sharing->remove(catalog, &first.id, NULL, NULL, &removal, &error));
    ck_assert(!removal.is_removed);
    /* Only the last change of each. */
    add(catalog, &first, &version);
    seen = (struct seen){0};
    OK(other->sharing->changes(other, 0, 100, see, &seen, &error));
    ck_assert(seen.count == 2 && !seen.removed && seen.version == version);
    OK(catalog->version(catalog, &version, &epoch, &error));
    OK(other->version(other, &version, &same, &error));
    ck_assert(id_equal(&epoch, &same));
    sql("UPDATE posed_state SET forgotten = 5000");
    ck_assert(!other->sharing->changes(other, 4999, 100, see, &seen, &error));
    ck_assert_int_eq(error.status, STORE_MISSING);
    OK(other->sharing->changes(other, 0, 100, see, &(struct seen){0},
                               &error)); /* from the beginning: nothing is missed */
    catalog->close(catalog);
    other->close(other);
}

TEST(removals_are_forgotten)
{
    struct store_catalog *catalog = open_it();
    struct upload_row row = row_of(1, "a");
    uint64_t version;
    for (unsigned i = 1; i < 4; i++) {
        row = row_of(i, "a");
        add(catalog, &row, &version);
        OK(catalog->remove(catalog, &row.id, &error));
        if (i < 3)
            sql("UPDATE posed_removed SET version = version - 31 * 86400 * 1000000000::bigint WHERE version "
                "> 1700000000000000000");
    }
    ck_assert_str_eq(sql("SELECT count(*) FROM posed_removed"), "1");
    ck_assert_str_eq(sql("SELECT forgotten > 0 FROM posed_state"), "t");
    catalog->close(catalog);
}

TEST(notices)
{
    struct store_catalog *catalog = open_it(), *other = open_it();
    struct upload_row row = row_of(1, "a");
    uint64_t version;
    other->sharing->wait(other, 0); /* begins to listen */
    add(catalog, &row, &version);
    other->sharing->wait(other, TIMEOUT_MS * 10);
    other->sharing->wake(other);
    other->sharing->wait(other, TIMEOUT_MS * 10);
    catalog->close(catalog);
    other->close(other);
}

/* ------------------------------------------------------------------------------------------- many at once -- */

struct crowd {
    struct store_catalog *catalog;
    unsigned number;
    bool is_same;
    _Atomic unsigned *added;
};

static void *add_many(void *user)
{
    const struct crowd *crowd = user;
    for (unsigned i = 0; i < EACH; i++) {
        const unsigned number = crowd->is_same ? i : crowd->number * EACH + i;
        struct upload_row row = row_of(number, "a");
        struct store_error why;
        enum addition addition;
        uint64_t version;
        if (!crowd->catalog->sharing->add(crowd->catalog, &row, &no_limit, &addition, &version, &why))
            return why.detail[0] ? strdup(why.detail) : strdup("?");
        if (addition == ADDITION_NEW)
            atomic_fetch_add(crowd->added, 1);
    }
    return NULL;
}

/* Somebody who follows the versions while many write misses none. */
static void follow_crowd(bool is_same, unsigned expected)
{
    struct store_catalog *catalogs[2] = {open_it(), open_it()};
    struct crowd crowd[THREADS];
    pthread_t threads[THREADS];
    _Atomic unsigned added = 0;
    struct seen seen = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        crowd[i] = (struct crowd){catalogs[i % 2], i, is_same, &added};
        ck_assert(!pthread_create(&threads[i], NULL, add_many, &crowd[i]));
    }
    while (seen.count < expected)
        OK(catalogs[0]->sharing->changes(catalogs[0], seen.version, 64, see, &seen, &error));
    for (unsigned i = 0; i < THREADS; i++) {
        void *why;
        pthread_join(threads[i], &why);
        ck_assert_msg(!why, "%s", (const char *)why);
    }
    ck_assert_uint_eq(added, expected);
    OK(catalogs[0]->sharing->changes(catalogs[0], seen.version, 64, see, &seen, &error));
    ck_assert_uint_eq(seen.count, expected);
    catalogs[0]->close(catalogs[0]);
    catalogs[1]->close(catalogs[1]);
}

TEST(versions_in_order)
{
    follow_crowd(false, THREADS * EACH);
}

TEST(same_ids_at_once)
{
    follow_crowd(true, EACH);
}

/* ------------------------------------------------------------------------------------- sweeping and leases -- */

TEST(sweeping)
{
    struct store_catalog *catalog = open_it(), *other = open_it();
    struct upload_row row = row_of(1, "a"), unused = row_of(2, "b");
    bool is_ours, is_marked;
    uint64_t version;
    OK(catalog->sharing->sweep_begin(catalog, &is_ours, &error));
    ck_assert(is_ours);
    OK(other->sharing->sweep_begin(other, &is_ours, &error));
    ck_assert(!is_ours);
    catalog->sharing->sweep_end(catalog);
    OK(other->sharing->sweep_begin(other, &is_ours, &error));
    ck_assert(is_ours);
    add(catalog, &row, &version);
    OK(catalog->sharing->mark(catalog, &row.blob, &is_marked, &error));
    ck_assert(!is_marked);
    OK(catalog->sharing->mark(catalog, &unused.blob, &is_marked, &error));
    ck_assert(is_marked);
    ck_assert_int_eq(add(other, &unused, &version), ADDITION_SWEPT);
    OK(catalog->sharing->unmark(catalog, &unused.blob, &error));
    ck_assert_int_eq(add(other, &unused, &version), ADDITION_NEW);
    catalog->close(catalog);
    other->close(other);
}

TEST(leases)
{
    enum { COUNT = 3 };
    struct store_catalog *catalog = open_it();
    struct upload_row wanted[COUNT] = {row_of(1, "a"), row_of(2, "b"), row_of(3, "c")};
    struct pose_buffer buffers[COUNT] = {{0}};
    uint8_t data[4] = {1, 2, 3, 4};
    bool is_ours[COUNT];
    uint64_t version;
    for (unsigned i = 0; i < COUNT; i++) {
        wanted[i].record = (struct upload_record){.data = {data, sizeof data}, .revision = 4 + i};
        add(catalog, &wanted[i], &version);
    }
    OK(catalog->sharing->lease(catalog, wanted, COUNT, 6, TIMEOUT_MS, is_ours, &error));
    ck_assert(is_ours[0] && is_ours[1] && !is_ours[2]);
    OK(catalog->sharing->lease(catalog, wanted, COUNT, 6, TIMEOUT_MS, is_ours, &error));
    ck_assert(!is_ours[0] && !is_ours[1] && !is_ours[2]);
    wanted[0].record.revision = wanted[2].record.revision = 5; /* older than the third has */
    data[0] = 9;
    OK(catalog->set_records(catalog, wanted, COUNT, &error));
    OK(catalog->records(catalog, wanted, COUNT, buffers, &error));
    ck_assert_uint_eq(wanted[0].record.revision, 5);
    ck_assert_uint_eq(wanted[0].record.data.data[0], 9);
    ck_assert_uint_eq(wanted[2].record.revision, 6);
    ck_assert_uint_eq(wanted[2].record.data.data[0], 1);
    for (unsigned i = 0; i < COUNT; i++)
        pose_buffer_free(&buffers[i]);
    catalog->close(catalog);
}

/* --------------------------------------------------------------------------------------------- ill servers -- */

TEST(cut_connections)
{
    struct store_catalog *catalog = open_it();
    uint64_t version;
    for (unsigned i = 0; i < 4; i++) {
        struct upload_row row = row_of(i, "a");
        sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND"
            " backend_type = 'client backend'");
        ck_assert_int_eq(add(catalog, &row, &version), ADDITION_NEW);
        ck_assert(!catalog->sharing->is_away(catalog));
    }
    catalog->close(catalog);
}

/* A server that is there and never says a word. */
TEST(silence)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char text[200];
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert(!bind(listener, (struct sockaddr *)&address, sizeof address) && !listen(listener, 8));
    ck_assert(!getsockname(listener, (struct sockaddr *)&address, &size));
    snprintf(text, sizeof text, "postgres://me:secret@127.0.0.1:%d/posed", ntohs(address.sin_port));
    const struct catalog_options options = options_of(text);
    ck_assert(!store_postgres_open(&options, 300, &error));
    ck_assert_int_eq(error.status, STORE_AWAY);
    ck_assert_msg(!strstr(error.detail, "secret") && strstr(error.detail, "127.0.0.1"), "%s", error.detail);
    close(listener);
    ck_assert(!store_postgres_open(&options, 300, &error)); /* nobody is there */
    ck_assert_int_eq(error.status, STORE_AWAY);
    ck_assert_msg(!strstr(error.detail, "secret"), "%s", error.detail);
}

TEST(wrong_addresses)
{
    static const char *const wrong[] = {"postgres://me:secret@host:port:x/posed",
                                        "postgres://me:secret@[::1/posed",
                                        "host=x password=secret",
                                        "http://me:secret@host/",
                                        "postgres://h/d?secret=1",
                                        "postgres://me:secret%zz@h/d"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct catalog_options options = options_of(wrong[i]);
        ck_assert(!store_postgres_check(&options, 300, &error));
        ck_assert_msg(error.detail[0] && !strstr(error.detail, "secret"), "%s", error.detail);
    }
}

/* ------------------------------------------------------------------------------------------------- schemas -- */

static void *open_and_close(void *user)
{
    const struct catalog_options options = options_of(url);
    struct store_error why;
    (void)user;
    struct store_catalog *catalog = store_postgres_open(&options, TIMEOUT_MS, &why);
    if (catalog)
        catalog->close(catalog);
    return catalog ? NULL : strdup(why.detail);
}

TEST(made_by_many)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&threads[i], NULL, open_and_close, NULL));
    for (unsigned i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        ck_assert_msg(!failed, "%s", (const char *)failed);
    }
    ck_assert_str_eq(sql("SELECT count(*) FROM posed_schema"), "1");
}

TEST(versions_of_schemas)
{
    struct store_catalog *catalog;
    const struct catalog_options options = options_of(url);
    OK(store_postgres_check(&options, TIMEOUT_MS, &error));
    ck_assert_str_eq(sql("SELECT to_regclass('posed_schema') IS NULL"), "t"); /* looking changes nothing */
    catalog = open_it();
    catalog->close(catalog);
    sql("INSERT INTO posed_schema (version, oldest) VALUES (99, 1)");
    catalog = open_it(); /* a later program has added something */
    catalog->close(catalog);
    sql("INSERT INTO posed_schema (version, oldest) VALUES (100, 100)");
    ck_assert(!store_postgres_check(&options, TIMEOUT_MS, &error));
    ck_assert_int_eq(error.status, STORE_NEWER);
    ck_assert(!store_postgres_open(&options, TIMEOUT_MS, &error));
    ck_assert_int_eq(error.status, STORE_NEWER);
}
