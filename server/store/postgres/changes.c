/* The version, what changed after one, and hearing of it. */
#include "server/store/postgres/statements.h"

#include "server/ops/log.h"

#include <poll.h>
#include <unistd.h>

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

bool postgres_version(struct store_catalog *catalog, uint64_t *number, struct asset_id *epoch,
                      struct store_error *error)
{
    const struct row_values none = {.count = 0};
    struct state state = {0};
    const bool done = postgres_ask(catalog, DATABASE_VERSION, VERSION, &none, take_state, &state, error);
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

bool postgres_changes(struct store_catalog *catalog, uint64_t after, uint32_t most,
                      shared_change_visit *visit, void *user, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct following following = {.after = after, .visit = visit, .user = user};
    put_number(&values, (int64_t)after);
    put_number(&values, most);
    if (!postgres_ask(catalog, DATABASE_VERSION, CHANGES, &values, take_change, &following, error))
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

bool postgres_changes_plain(struct store_catalog *catalog, uint64_t after, uint32_t most,
                            upload_change_visit *visit, void *user, struct store_error *error)
{
    struct plain plain = {visit, user};
    return postgres_changes(catalog, after, most, visit_plain, &plain, error);
}

static void sleep_until(int fd, uint64_t timeout_ms)
{
    struct pollfd file = {.fd = fd, .events = POLLIN};
    uint64_t count;
    if (poll(&file, 1, (int)timeout_ms) > 0 && read(fd, &count, sizeof count) < 0)
        return;
}

/* Without a connection that listens it only waits: the version is looked at afterwards. */
void postgres_wait(struct store_catalog *catalog, uint64_t timeout_ms)
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

void postgres_wake(struct store_catalog *catalog)
{
    const uint64_t one = 1;
    if (write(postgres_of(catalog)->wake_fd, &one, sizeof one) < 0)
        log_message(LOG_ERROR, "nobody can be woken");
}
