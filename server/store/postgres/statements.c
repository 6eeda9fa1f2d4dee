#include "server/store/postgres/statements.h"

struct postgres *postgres_of(struct store_catalog *catalog)
{
    return (struct postgres *)catalog;
}

#define CHANGE_COLUMNS ROW_COLUMNS ", version, kind, actor"
const struct pg_statement postgres_statements[STATEMENT_COUNT] = {
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
    [ROWS] = {"SELECT " ROW_COLUMNS ", " RECORD_COLUMNS " FROM posed_upload WHERE id = ANY($1::bytea[])", 1},
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
    [OUTDATE] = {"UPDATE posed_upload SET revision = 0, making = NULL WHERE id = $1::bytea", 1},
    /* One look at all rows says by how much the totals are wrong. They are moved by so much: what others add meanwhile is on both
     * sides of it. */
    [RECOUNT] =
        {"WITH wrong AS (SELECT uploader, sum(bytes)::bigint AS bytes FROM"
         " (SELECT uploader, bytes FROM posed_upload WHERE uploader IS NOT NULL"
         " UNION ALL SELECT uploader, -bytes FROM posed_held) both_sides GROUP BY uploader HAVING sum(bytes) "
         "<> 0),"
         " total AS (SELECT ((SELECT coalesce(sum(bytes), 0) FROM posed_upload) - bytes)::bigint AS bytes "
         "FROM posed_state),"
         " held AS (INSERT INTO posed_held AS held (uploader, bytes) SELECT uploader, bytes FROM wrong"
         " ON CONFLICT (uploader) DO UPDATE SET bytes = held.bytes + excluded.bytes)"
         " UPDATE posed_state SET bytes = posed_state.bytes + total.bytes FROM total WHERE total.bytes <> 0",
         0},
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

bool postgres_ask(struct store_catalog *catalog, enum database_operation operation, enum statement statement,
                  const struct row_values *values, pg_visit *visit, void *user, struct store_error *error)
{
    struct pool_question question = {.operation = operation,
                                     .statement = statement,
                                     .values = values->values,
                                     .visit = visit,
                                     .user = user};
    return pool_ask(postgres_of(catalog)->pool, &question, error);
}

bool postgres_write(struct store_catalog *catalog, enum statement statement, const struct row_values *values,
                    pg_visit *visit, void *user, struct store_error *error)
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
