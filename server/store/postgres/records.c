/* What indexing has made of uploads, and who makes it anew. */
#include "server/store/postgres/statements.h"

#include <stdlib.h>
#include <string.h>

struct recalling {
    struct upload_row *rows;
    size_t count;
    struct pose_buffer *buffers;
    struct region *texts;
    bool *marks;
};

/* The record of a row, or none where it has no data; these are copied into its buffer. */
static void take_over(const struct pg_value *values, struct upload_record *record, struct pose_buffer *buffer)
{
    take_record(values, record);
    buffer->size = 0;
    if (record->data.size && pose_buffer_append(buffer, record->data.data, record->data.size))
        record->data = (struct pose_bytes){buffer->data, buffer->size};
    else
        *record = (struct upload_record){0};
}

static bool take_one_record(void *user, const struct pg_value *values, unsigned count)
{
    struct recalling *recalling = user;
    struct asset_id id;
    if (count <= RECORD_VALUES || !take_id(&values[0], &id))
        return true;
    for (size_t i = 0; i < recalling->count; i++) {
        if (id_equal(&recalling->rows[i].id, &id))
            take_over(values + 1, &recalling->rows[i].record, &recalling->buffers[i]);
    }
    return true;
}

bool postgres_records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
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
    const bool done =
        postgres_ask(catalog, DATABASE_READ, RECORDS, &values, take_one_record, &recalling, error);
    free(ids);
    return done;
}

static bool take_whole_row(void *user, const struct pg_value *values, unsigned count)
{
    struct recalling *recalling = user;
    struct upload_row row;
    if (count < ROW_VALUES + RECORD_VALUES || !take_row(values, &row))
        return true;
    for (size_t i = 0; i < recalling->count; i++) {
        if (recalling->marks[i] || !id_equal(&recalling->rows[i].id, &row.id))
            continue;
        recalling->rows[i] = row;
        upload_row_own_texts(&recalling->rows[i], recalling->texts);
        take_over(values + ROW_VALUES, &recalling->rows[i].record, &recalling->buffers[i]);
        recalling->marks[i] = true;
    }
    return true;
}

bool postgres_rows(struct store_catalog *catalog, struct upload_row *rows, size_t count, struct region *texts,
                   struct pose_buffer *buffers, bool *are_there, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct recalling recalling = {
        .rows = rows, .count = count, .buffers = buffers, .texts = texts, .marks = are_there};
    size_t size;
    uint8_t *ids = make_ids(rows, count, &size);
    if (!ids)
        return store_fail(error, STORE_DOWN, "out of memory");
    memset(are_there, 0, count * sizeof *are_there);
    put_bytes(&values, ids, size);
    const bool done = postgres_ask(catalog, DATABASE_READ, ROWS, &values, take_whole_row, &recalling, error);
    free(ids);
    return done;
}

/* Each is a transaction: they have nothing to do with each other. */
bool postgres_set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
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
        done = postgres_ask(catalog, DATABASE_WRITE, SET_RECORD, &values, NULL, NULL, error);
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

bool postgres_lease(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
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
    const bool done = postgres_ask(catalog, DATABASE_WRITE, LEASE, &values, take_lease, &recalling, error);
    free(ids);
    return done;
}

bool postgres_outdate(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, id->bytes, sizeof id->bytes);
    return postgres_ask(catalog, DATABASE_WRITE, OUTDATE, &values, NULL, NULL, error);
}

bool postgres_recount(struct store_catalog *catalog, struct store_error *error)
{
    const struct row_values none = {.count = 0};
    return postgres_ask(catalog, DATABASE_WRITE, RECOUNT, &none, NULL, NULL, error);
}
