/* What is asked of the rows. */
#include "server/store/postgres/statements.h"

#include "server/ops/region.h"

enum { PAGE = 1000 };

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

bool postgres_find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                   struct region *texts, bool *is_there, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct reading reading = {.row = row, .texts = texts};
    put_bytes(&values, id->bytes, sizeof id->bytes);
    const bool done = postgres_ask(catalog, DATABASE_READ, FIND, &values, take_found, &reading, error);
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
bool postgres_each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error)
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

bool postgres_count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                         struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    *count = 0;
    return postgres_ask(catalog, DATABASE_READ, COUNT_BLOB, &values, take_number, count, error);
}

bool postgres_bytes(struct store_catalog *catalog, uint64_t *bytes, struct store_error *error)
{
    const struct row_values none = {.count = 0};
    *bytes = 0;
    return postgres_ask(catalog, DATABASE_READ, BYTES, &none, take_number, bytes, error);
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

bool postgres_next_due(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms,
                       bool *is_there, struct store_error *error)
{
    const struct row_values none = {.count = 0};
    struct due due = {id, expires_ms, is_there};
    *is_there = false;
    return postgres_ask(catalog, DATABASE_READ, NEXT_DUE, &none, take_due, &due, error);
}

static bool visit_row(void *user, const struct pg_value *values, unsigned count)
{
    const struct reading *reading = user;
    struct upload_row row;
    return count < ROW_VALUES || !take_row(values, &row) || reading->visit(reading->user, &row);
}

bool postgres_each_waiting(struct store_catalog *catalog, upload_visit *visit, void *user,
                           struct store_error *error)
{
    const struct row_values none = {.count = 0};
    struct reading reading = {.visit = visit, .user = user};
    return postgres_ask(catalog, DATABASE_READ, WAITING, &none, visit_row, &reading, error);
}

bool postgres_each_bound(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
                         void *user, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct reading reading = {.visit = visit, .user = user};
    put_bytes(&values, context->bytes, sizeof context->bytes);
    return postgres_ask(catalog, DATABASE_READ, BOUND, &values, visit_row, &reading, error);
}
