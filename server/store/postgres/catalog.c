#include "server/store/postgres/catalog.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/postgres/rows.h"
#include "server/store/postgres/schema.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

enum { PAGE = 1000, TICKET = 16 };

struct postgres {
    struct store_catalog catalog; /* must be first */
    struct pool *pool;
    pthread_mutex_t lock; /* guards is_made and sweeper */
    bool is_made;         /* the tables are */
    struct pg *sweeper;   /* has the right to sweep */
    struct pg *listener;  /* only for the thread that waits */
    int wake_fd;
};

static struct postgres *postgres_of(struct store_catalog *catalog)
{
    return (struct postgres *)catalog;
}

/* -------------------------------------------------------------------------------------------- statements -- */

enum statement {
    ADD,
    REMOVE,
    PUBLISH,
    FIND,
    PAGE_OF_ROWS,
    COUNT_BLOB,
    RECORDS,
    SET_RECORD,
    LEASE,
    VERSION,
    CHANGES,
    BYTES,
    NEXT_DUE,
    WAITING,
    BOUND,
    MARK,
    UNMARK,
    SWEEPABLE,
    SWEPT,
    STATEMENT_COUNT
};
_Static_assert((int)STATEMENT_COUNT <= (int)PG_STATEMENTS, "a bit per statement");

#define CHANGE_COLUMNS ROW_COLUMNS ", version, kind, actor"
static const struct pg_statement statements[STATEMENT_COUNT] = {
    [ADD] =
        {"SELECT outcome, at FROM posed_add_1($1::bytea, $2::bytea, $3::text, $4::text, $5::text, "
         "$6::boolean,"
         " $7::bigint, $8::bigint, $9::text, $10::bigint, $11::boolean, $12::bigint, $13::bytea, $14::bigint,"
         " $15::bigint, $16::bigint, $17::bytea, $18::bytea, $19::bigint, $20::bigint, $21::boolean)",
         21},
    [REMOVE] =
        {"SELECT outcome, at, was_blob, others FROM posed_remove_1($1::bytea, $2::text, $3::text, $4::bytea)",
         4},
    [PUBLISH] = {"SELECT outcome, at FROM posed_publish_1($1::bytea, $2::text, $3::bytea)", 3},
    [FIND] = {"SELECT " ROW_COLUMNS " FROM posed_upload WHERE id = $1::bytea", 1},
    [PAGE_OF_ROWS] = {"SELECT " ROW_COLUMNS ", sequence FROM posed_upload WHERE sequence > $1::bigint"
                      " ORDER BY sequence LIMIT $2::bigint",
                      2},
    [COUNT_BLOB] = {"SELECT count(*) FROM posed_upload WHERE blob = $1::bytea", 1},
    [RECORDS] = {"SELECT id, " RECORD_COLUMNS
                 " FROM posed_upload WHERE id = ANY($1::bytea[]) AND data IS NOT NULL",
                 1},
    /* Never an older one over a newer. */
    [SET_RECORD] = {"UPDATE posed_upload SET revision = $2::bigint, context = $3::bytea, size = $4::bigint,"
                    " modified_ns = $5::bigint, inode = $6::bigint, data = $7::bytea, making = NULL"
                    " WHERE id = $1::bytea AND revision <= $2::bigint",
                    7},
    [LEASE] =
        {"UPDATE posed_upload SET making = clock_timestamp() + $3::bigint * interval '1 millisecond'"
         " WHERE id IN (SELECT id FROM posed_upload WHERE id = ANY($1::bytea[]) AND revision < $2::bigint"
         " AND (making IS NULL OR making < clock_timestamp()) FOR UPDATE SKIP LOCKED) RETURNING id",
         3},
    [VERSION] = {"SELECT version, epoch FROM posed_state", 0},
    [CHANGES] =
        {"SELECT " CHANGE_COLUMNS ", NULL::text, " RECORD_COLUMNS ", 0::bigint FROM"
         " (SELECT * FROM posed_upload WHERE version > $1::bigint ORDER BY version LIMIT $2::bigint) added"
         " UNION ALL SELECT id, blob, name, format, NULL, false, bytes, 0, uploader, 0, is_waiting, version,"
         " 2::smallint, actor, reason, 0, NULL, 0, 0, 0, NULL, 0 FROM"
         " (SELECT * FROM posed_removed WHERE version > $1::bigint ORDER BY version LIMIT $2::bigint) removed"
         " UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL,"
         " NULL, NULL, NULL, NULL, NULL, NULL, NULL, forgotten FROM posed_state"
         " ORDER BY 12 LIMIT $2::bigint + 1",
         2},
    [BYTES] = {"SELECT bytes FROM posed_state", 0},
    [NEXT_DUE] = {"SELECT id, expires_ms FROM posed_upload WHERE expires_ms > 0 ORDER BY expires_ms LIMIT 1",
                  0},
    [WAITING] = {"SELECT " ROW_COLUMNS " FROM posed_upload WHERE is_waiting ORDER BY sequence", 0},
    [BOUND] = {"SELECT " ROW_COLUMNS " FROM posed_upload WHERE context IS NOT NULL AND context <> $1::bytea"
               " ORDER BY sequence",
               1},
    [MARK] = {"SELECT posed_mark_1($1::bytea)", 1},
    [SWEEPABLE] = {"SELECT blob FROM posed_removed WHERE NOT is_swept AND version <"
                   " (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint - $1::bigint * 1000000"
                   " ORDER BY version LIMIT $2::bigint",
                   2},
    [SWEPT] = {"UPDATE posed_removed SET is_swept = true WHERE blob = $1::bytea AND NOT is_swept", 1},
    [UNMARK] = {"DELETE FROM posed_sweeping WHERE blob = $1::bytea", 1},
};

static bool ask(struct store_catalog *catalog, enum database_operation operation, enum statement statement,
                const struct row_values *values, pg_visit *visit, void *user, struct store_error *error)
{
    struct pool_question question = {.operation = operation,
                                     .statement = statement,
                                     .values = values->values,
                                     .visit = visit,
                                     .user = user};
    return pool_ask(postgres_of(catalog)->pool, &question, error);
}

/* ------------------------------------------------------------------------------------------------ writes -- */

/* A write under a ticket: asked again it says what became of it, so it is asked once more if nobody has said so. */
static bool write_once(struct store_catalog *catalog, enum statement statement,
                       const struct row_values *values, pg_visit *visit, void *user,
                       struct store_error *error)
{
    struct pool_question question = {.operation = DATABASE_WRITE,
                                     .statement = statement,
                                     .values = values->values,
                                     .visit = visit,
                                     .user = user};
    struct pool *pool = postgres_of(catalog)->pool;
    return pool_ask(pool, &question, error) || (error->status == STORE_AWAY && question.may_be_done &&
                                                !pool_is_away(pool) && pool_ask(pool, &question, error));
}

static void make_ticket(uint8_t ticket[TICKET])
{
    if (getrandom(ticket, TICKET, 0) != TICKET)
        abort();
}

struct written {
    int64_t outcome;
    uint64_t version;
    struct blob_hash blob;
    int64_t others;
};

static bool take_written(void *user, const struct pg_value *values, unsigned count)
{
    struct written *written = user;
    written->outcome = pg_number_read(&values[0]);
    written->version = count > 1 ? (uint64_t)pg_number_read(&values[1]) : 0;
    if (count > 3) {
        take_hash(&values[2], &written->blob);
        written->others = pg_number_read(&values[3]);
    }
    return true;
}

static bool put_upload(struct store_catalog *catalog, const struct upload_row *row,
                       const struct addition_room *room, bool replaces, struct written *written,
                       struct store_error *error)
{
    struct row_values values = {.count = 0};
    uint8_t ticket[TICKET];
    make_ticket(ticket);
    put_row(&values, row);
    put_record(&values, &row->record);
    put_bytes(&values, row->record.data.size ? row->record.data.data : NULL, row->record.data.size);
    put_bytes(&values, ticket, sizeof ticket);
    put_number(&values, (int64_t)room->most);
    put_number(&values, (int64_t)room->quota);
    put_truth(&values, replaces);
    return write_once(catalog, ADD, &values, take_written, written, error);
}

static bool add_shared(struct store_catalog *catalog, const struct upload_row *row,
                       const struct addition_room *room, enum addition *addition, uint64_t *version,
                       struct store_error *error)
{
    struct written written = {0};
    if (!put_upload(catalog, row, room, false, &written, error))
        return false;
    *addition = (enum addition)written.outcome;
    *version = written.version;
    return true;
}

static bool add(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error)
{
    struct written written = {0};
    return put_upload(catalog, row, &(struct addition_room){0}, true, &written, error) &&
           (written.outcome == ADDITION_NEW ||
            store_fail(error, STORE_AWAY, "the bytes of this upload are being removed at the moment"));
}

static bool remove_shared(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                          const char *reason, struct shared_removal *removal, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct written written = {.outcome = 1};
    uint8_t ticket[TICKET];
    make_ticket(ticket);
    put_bytes(&values, id->bytes, sizeof id->bytes);
    put_text(&values, by);
    put_text(&values, reason);
    put_bytes(&values, ticket, sizeof ticket);
    if (!write_once(catalog, REMOVE, &values, take_written, &written, error))
        return false;
    *removal = (struct shared_removal){.is_removed = !written.outcome,
                                       .is_last = !written.outcome && !written.others,
                                       .version = written.version,
                                       .blob = written.blob};
    return true;
}

static bool remove_row(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error)
{
    struct shared_removal removal;
    return remove_shared(catalog, id, NULL, NULL, &removal, error);
}

static bool publish_shared(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                           bool *is_published, uint64_t *version, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct written written = {.outcome = 1};
    uint8_t ticket[TICKET];
    make_ticket(ticket);
    put_bytes(&values, id->bytes, sizeof id->bytes);
    put_text(&values, by);
    put_bytes(&values, ticket, sizeof ticket);
    if (!write_once(catalog, PUBLISH, &values, take_written, &written, error))
        return false;
    *is_published = !written.outcome;
    *version = written.version;
    return true;
}

static bool find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error);

static bool publish(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit, void *user,
                    struct store_error *error)
{
    struct region texts = {0};
    struct upload_row row;
    bool is_published, is_there;
    uint64_t version;
    bool done = publish_shared(catalog, id, NULL, &is_published, &version, error) &&
                find(catalog, id, &row, &texts, &is_there, error) && (!is_there || visit(user, &row));
    region_release(&texts);
    return done;
}

static bool add_all(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                    void *user, struct store_error *error)
{
    struct upload_row row;
    bool done = true;
    while (done && next(user, &row))
        done = add(catalog, &row, error);
    return done;
}

/* ------------------------------------------------------------------------------------------------- reads -- */

struct reading {
    upload_visit *visit;
    void *user;
    struct upload_row *row;
    struct region *texts;
    bool is_there;
    int64_t after; /* the sequence of the last row */
    unsigned count;
};

static bool take_found(void *user, const struct pg_value *values, unsigned count)
{
    struct reading *reading = user;
    reading->is_there = count >= ROW_VALUES && take_row(values, reading->row);
    if (reading->is_there)
        upload_row_own_texts(reading->row, reading->texts);
    return true;
}

static bool find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct reading reading = {.row = row, .texts = texts};
    put_bytes(&values, id->bytes, sizeof id->bytes);
    const bool done = ask(catalog, DATABASE_READ, FIND, &values, take_found, &reading, error);
    *is_there = reading.is_there;
    return done;
}

static bool visit_page(void *user, const struct pg_value *values, unsigned count)
{
    struct reading *reading = user;
    struct upload_row row;
    reading->count++;
    reading->after = count > ROW_VALUES ? pg_number_read(&values[ROW_VALUES]) : INT64_MAX;
    return !take_row(values, &row) || reading->visit(reading->user, &row);
}

/* Page by page: what is added meanwhile comes last, and what is removed is missed. */
static bool each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error)
{
    struct reading reading = {.visit = visit, .user = user, .after = INT64_MIN};
    do {
        struct row_values values = {.count = 0};
        struct pool_question question = {.operation = DATABASE_READ,
                                         .statement = PAGE_OF_ROWS,
                                         .values = values.values,
                                         .visit = visit_page,
                                         .user = &reading};
        put_number(&values, reading.after);
        put_number(&values, PAGE);
        reading.count = 0;
        if (!pool_ask(postgres_of(catalog)->pool, &question, error))
            return false;
        if (question.is_stopped)
            return true;
    } while (reading.count == PAGE);
    return true;
}

static bool take_number(void *user, const struct pg_value *values, unsigned count)
{
    (void)count;
    *(uint64_t *)user = (uint64_t)pg_number_read(&values[0]);
    return true;
}

static bool count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    *count = 0;
    return ask(catalog, DATABASE_READ, COUNT_BLOB, &values, take_number, count, error);
}

static bool bytes_shared(struct store_catalog *catalog, uint64_t *bytes, struct store_error *error)
{
    const struct row_values none = {.count = 0};
    *bytes = 0;
    return ask(catalog, DATABASE_READ, BYTES, &none, take_number, bytes, error);
}

struct due {
    struct asset_id *id;
    int64_t *expires_ms;
    bool *is_there;
};

static bool take_due(void *user, const struct pg_value *values, unsigned count)
{
    const struct due *due = user;
    *due->is_there = count > 1 && take_id(&values[0], due->id);
    *due->expires_ms = count > 1 ? pg_number_read(&values[1]) : 0;
    return true;
}

static bool next_due(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                     struct store_error *error)
{
    const struct row_values none = {.count = 0};
    struct due due = {id, expires_ms, is_there};
    *is_there = false;
    return ask(catalog, DATABASE_READ, NEXT_DUE, &none, take_due, &due, error);
}

static bool visit_row(void *user, const struct pg_value *values, unsigned count)
{
    const struct reading *reading = user;
    struct upload_row row;
    return count < ROW_VALUES || !take_row(values, &row) || reading->visit(reading->user, &row);
}

static bool each_waiting(struct store_catalog *catalog, upload_visit *visit, void *user,
                         struct store_error *error)
{
    const struct row_values none = {.count = 0};
    struct reading reading = {.visit = visit, .user = user};
    return ask(catalog, DATABASE_READ, WAITING, &none, visit_row, &reading, error);
}

static bool each_bound(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
                       void *user, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct reading reading = {.visit = visit, .user = user};
    put_bytes(&values, context->bytes, sizeof context->bytes);
    return ask(catalog, DATABASE_READ, BOUND, &values, visit_row, &reading, error);
}

/* ----------------------------------------------------------------------------------------------- records -- */

struct recalling {
    struct upload_row *rows;
    size_t count;
    struct pose_buffer *buffers;
    bool *marks;
};

static bool take_one_record(void *user, const struct pg_value *values, unsigned count)
{
    struct recalling *recalling = user;
    struct asset_id id;
    if (count <= RECORD_VALUES || !take_id(&values[0], &id))
        return true;
    for (size_t i = 0; i < recalling->count; i++) {
        struct upload_record *record = &recalling->rows[i].record;
        struct pose_buffer *buffer = &recalling->buffers[i];
        if (!id_equal(&recalling->rows[i].id, &id))
            continue;
        take_record(values + 1, record);
        buffer->size = 0;
        const bool has_room = pose_buffer_append(buffer, record->data.data, record->data.size);
        record->data = has_room ? (struct pose_bytes){buffer->data, buffer->size} : (struct pose_bytes){0};
    }
    return true;
}

static bool records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                    struct pose_buffer *buffers, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct recalling recalling = {.rows = rows, .count = count, .buffers = buffers};
    size_t size;
    uint8_t *ids = make_ids(rows, count, &size);
    if (!ids)
        return store_fail(error, STORE_DOWN, "out of memory");
    for (size_t i = 0; i < count; i++)
        rows[i].record = (struct upload_record){0};
    put_bytes(&values, ids, size);
    const bool done = ask(catalog, DATABASE_READ, RECORDS, &values, take_one_record, &recalling, error);
    free(ids);
    return done;
}

/* Each is a transaction: they have nothing to do with each other. */
static bool set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                        struct store_error *error)
{
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        const struct upload_record *record = &rows[i].record;
        struct row_values values = {.count = 0};
        if (!record->data.size)
            continue;
        put_bytes(&values, rows[i].id.bytes, sizeof rows[i].id.bytes);
        put_record(&values, record);
        put_bytes(&values, record->data.data, record->data.size);
        done = ask(catalog, DATABASE_WRITE, SET_RECORD, &values, NULL, NULL, error);
    }
    return done;
}

static bool take_lease(void *user, const struct pg_value *values, unsigned count)
{
    struct recalling *recalling = user;
    struct asset_id id;
    if (!count || !take_id(&values[0], &id))
        return true;
    for (size_t i = 0; i < recalling->count; i++)
        recalling->marks[i] |= id_equal(&recalling->rows[i].id, &id);
    return true;
}

static bool lease(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                  uint32_t revision, uint64_t lease_ms, bool *is_ours, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct recalling recalling = {
        .rows = (struct upload_row *)(uintptr_t)rows, .count = count, .marks = is_ours};
    size_t size;
    uint8_t *ids = make_ids(rows, count, &size);
    if (!ids)
        return store_fail(error, STORE_DOWN, "out of memory");
    memset(is_ours, 0, count * sizeof *is_ours);
    put_bytes(&values, ids, size);
    put_number(&values, revision);
    put_number(&values, (int64_t)lease_ms);
    const bool done = ask(catalog, DATABASE_WRITE, LEASE, &values, take_lease, &recalling, error);
    free(ids);
    return done;
}

/* ----------------------------------------------------------------------------------------------- changes -- */

struct state {
    uint64_t version;
    struct asset_id epoch;
};

static bool take_state(void *user, const struct pg_value *values, unsigned count)
{
    struct state *state = user;
    state->version = (uint64_t)pg_number_read(&values[0]);
    return count > 1 && take_id(&values[1], &state->epoch);
}

static bool version(struct store_catalog *catalog, uint64_t *number, struct asset_id *epoch,
                    struct store_error *error)
{
    const struct row_values none = {.count = 0};
    struct state state = {0};
    const bool done = ask(catalog, DATABASE_VERSION, VERSION, &none, take_state, &state, error);
    *number = state.version;
    *epoch = state.epoch;
    return done;
}

enum {
    AT_VERSION = ROW_VALUES,
    AT_KIND,
    AT_ACTOR,
    AT_REASON,
    AT_RECORD,
    AT_FORGOTTEN = AT_RECORD + RECORD_VALUES
};

struct following {
    uint64_t after;
    shared_change_visit *visit;
    void *user;
    bool is_forgotten;
};

/* The first row only says which removals are forgotten. */
static bool take_change(void *user, const struct pg_value *values, unsigned count)
{
    struct following *following = user;
    struct shared_change change = {0};
    if (count <= AT_FORGOTTEN)
        return false;
    if (!values[0].bytes) {
        following->is_forgotten =
            following->after && (uint64_t)pg_number_read(&values[AT_FORGOTTEN]) > following->after;
        return !following->is_forgotten;
    }
    if (!take_row(values, &change.row))
        return true;
    change.kind = (enum shared_kind)pg_number_read(&values[AT_KIND]);
    change.change = (struct upload_change){.version = (uint64_t)pg_number_read(&values[AT_VERSION]),
                                           .id = change.row.id,
                                           .is_removed = change.kind == SHARED_REMOVE};
    change.by = values[AT_ACTOR].bytes;
    change.reason = values[AT_REASON].bytes;
    take_record(values + AT_RECORD, &change.row.record);
    return following->visit(following->user, &change);
}

static bool changes_shared(struct store_catalog *catalog, uint64_t after, uint32_t most,
                           shared_change_visit *visit, void *user, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct following following = {.after = after, .visit = visit, .user = user};
    put_number(&values, (int64_t)after);
    put_number(&values, most);
    if (!ask(catalog, DATABASE_VERSION, CHANGES, &values, take_change, &following, error))
        return false;
    return !following.is_forgotten ||
           store_fail(error, STORE_MISSING, "removals from so long ago are no longer known");
}

struct plain {
    upload_change_visit *visit;
    void *user;
};

static bool visit_plain(void *user, const struct shared_change *change)
{
    const struct plain *plain = user;
    return plain->visit(plain->user, &change->change);
}

static bool changes(struct store_catalog *catalog, uint64_t after, uint32_t most, upload_change_visit *visit,
                    void *user, struct store_error *error)
{
    struct plain plain = {visit, user};
    return changes_shared(catalog, after, most, visit_plain, &plain, error);
}

static void sleep_until(int fd, uint64_t timeout_ms)
{
    struct pollfd file = {.fd = fd, .events = POLLIN};
    uint64_t count;
    if (poll(&file, 1, (int)timeout_ms) > 0 && read(fd, &count, sizeof count) < 0)
        return;
}

/* Without a connection that listens it only waits: the version is looked at afterwards. */
static void wait_changes(struct store_catalog *catalog, uint64_t timeout_ms)
{
    enum { LISTEN_MS = 2000 };
    struct postgres *postgres = postgres_of(catalog);
    struct store_error ignored;
    bool was_told;
    if (!postgres->listener && !pool_is_away(postgres->pool)) {
        postgres->listener = pool_connect(postgres->pool, &ignored);
        if (postgres->listener &&
            !pool_run(postgres->pool, postgres->listener, "LISTEN posed", LISTEN_MS, NULL, NULL, &ignored)) {
            pool_disconnect(postgres->pool, postgres->listener);
            postgres->listener = NULL;
        }
        if (postgres->listener)
            return; /* what was told before was not heard */
    }
    if (!postgres->listener) {
        sleep_until(postgres->wake_fd, timeout_ms);
        return;
    }
    if (!pool_wait(postgres->pool, postgres->listener, postgres->wake_fd, timeout_ms, &was_told)) {
        pool_disconnect(postgres->pool, postgres->listener);
        postgres->listener = NULL;
    }
    sleep_until(postgres->wake_fd, 0);
}

static void wake(struct store_catalog *catalog)
{
    const uint64_t one = 1;
    if (write(postgres_of(catalog)->wake_fd, &one, sizeof one) < 0)
        log_message(LOG_ERROR, "nobody can be woken");
}

/* ---------------------------------------------------------------------------------------------- sweeping -- */

static bool take_right(void *user, const struct pg_value *values, unsigned count)
{
    *(bool *)user = count && values[0].bytes && *(const char *)values[0].bytes == 't';
    return true;
}

/* The right is the connection's, and ends with it. */
static bool sweep_begin(struct store_catalog *catalog, bool *is_ours, struct store_error *error)
{
    enum { SWEEP_MS = 2000 };
    struct postgres *postgres = postgres_of(catalog);
    *is_ours = false;
    struct pg *pg = pool_connect(postgres->pool, error);
    const bool done = pg && pool_run(postgres->pool, pg, "SELECT pg_try_advisory_lock(482804755813)",
                                     SWEEP_MS, take_right, is_ours, error);
    if (!*is_ours)
        pool_disconnect(postgres->pool, pg);
    pthread_mutex_lock(&postgres->lock);
    if (*is_ours)
        postgres->sweeper = pg;
    pthread_mutex_unlock(&postgres->lock);
    return done;
}

static void sweep_end(struct store_catalog *catalog)
{
    struct postgres *postgres = postgres_of(catalog);
    pthread_mutex_lock(&postgres->lock);
    pool_disconnect(postgres->pool, postgres->sweeper);
    postgres->sweeper = NULL;
    pthread_mutex_unlock(&postgres->lock);
}

static bool take_mark(void *user, const struct pg_value *values, unsigned count)
{
    *(bool *)user = count && values[0].size && *(const uint8_t *)values[0].bytes;
    return true;
}

static bool mark(struct store_catalog *catalog, const struct blob_hash *hash, bool *is_marked,
                 struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    *is_marked = false;
    return ask(catalog, DATABASE_WRITE, MARK, &values, take_mark, is_marked, error);
}

static bool unmark(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    return ask(catalog, DATABASE_WRITE, UNMARK, &values, NULL, NULL, error);
}

struct hashes {
    blob_visit *visit;
    void *user;
};

static bool visit_hash(void *user, const struct pg_value *values, unsigned count)
{
    const struct hashes *hashes = user;
    struct blob_hash hash;
    return !count || !take_hash(&values[0], &hash) || hashes->visit(hashes->user, &hash);
}

static bool sweepable(struct store_catalog *catalog, uint64_t least_ms, uint32_t most, blob_visit *visit,
                      void *user, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct hashes hashes = {visit, user};
    put_number(&values, (int64_t)least_ms);
    put_number(&values, most);
    return ask(catalog, DATABASE_READ, SWEEPABLE, &values, visit_hash, &hashes, error);
}

static bool swept(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    return ask(catalog, DATABASE_WRITE, SWEPT, &values, NULL, NULL, error);
}

/* ----------------------------------------------------------------------------------------------- opening -- */

static bool is_away(struct store_catalog *catalog)
{
    return pool_is_away(postgres_of(catalog)->pool);
}

static struct database_metrics *count(struct store_catalog *catalog)
{
    return pool_metrics(postgres_of(catalog)->pool);
}

static void close_catalog(struct store_catalog *catalog)
{
    struct postgres *postgres = postgres_of(catalog);
    if (postgres->pool) {
        pool_disconnect(postgres->pool, postgres->sweeper);
        pool_disconnect(postgres->pool, postgres->listener);
    }
    pool_close(postgres->pool);
    if (postgres->wake_fd >= 0)
        close(postgres->wake_fd);
    pthread_mutex_destroy(&postgres->lock);
    free(postgres);
}

/* Once: the tables stay. */
static bool make_tables(void *user, struct pool *pool, struct pg *pg, struct store_error *error)
{
    struct postgres *postgres = user;
    pthread_mutex_lock(&postgres->lock);
    const bool is_made = postgres->is_made;
    pthread_mutex_unlock(&postgres->lock);
    if (is_made)
        return true;
    const bool done = schema_make(pool, pg, error);
    pthread_mutex_lock(&postgres->lock);
    postgres->is_made |= done;
    pthread_mutex_unlock(&postgres->lock);
    return done;
}

static const struct catalog_sharing sharing = {
    .add = add_shared,
    .remove = remove_shared,
    .publish = publish_shared,
    .changes = changes_shared,
    .bytes = bytes_shared,
    .lease = lease,
    .wait = wait_changes,
    .wake = wake,
    .sweep_begin = sweep_begin,
    .sweep_end = sweep_end,
    .mark = mark,
    .unmark = unmark,
    .sweepable = sweepable,
    .swept = swept,
    .is_away = is_away,
    .count = count,
};

struct store_catalog *store_postgres_open(const struct catalog_options *options, uint64_t timeout_ms,
                                          struct store_error *error)
{
    struct postgres *postgres = must_alloc(1, sizeof *postgres);
    struct state state;
    postgres->catalog = (struct store_catalog){.add = add,
                                               .remove = remove_row,
                                               .each = each,
                                               .count_blob = count_blob,
                                               .find = find,
                                               .add_all = add_all,
                                               .publish = publish,
                                               .records = records,
                                               .set_records = set_records,
                                               .version = version,
                                               .changes = changes,
                                               .close = close_catalog,
                                               .next_due = next_due,
                                               .each_waiting = each_waiting,
                                               .each_bound = each_bound,
                                               .sharing = &sharing};
    pthread_mutex_init(&postgres->lock, NULL);
    postgres->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    postgres->pool = pool_open(options, timeout_ms, statements, make_tables, postgres, error);
    if (postgres->pool && version(&postgres->catalog, &state.version, &state.epoch, error))
        return &postgres->catalog;
    close_catalog(&postgres->catalog);
    return NULL;
}

static bool look(void *user, struct pool *pool, struct pg *pg, struct store_error *error)
{
    return schema_look(pool, pg, user, error);
}

bool store_postgres_check(const struct catalog_options *options, uint64_t timeout_ms,
                          struct store_error *error)
{
    struct schema_state state;
    struct pool *pool = pool_open(options, timeout_ms, statements, look, &state, error);
    struct pg *pg = pool ? pool_connect(pool, error) : NULL;
    const bool done = pg;
    if (pool) {
        pool_disconnect(pool, pg);
        pool_close(pool);
    }
    return done;
}
