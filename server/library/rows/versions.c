#include "server/library/rows/versions.h"

#include "server/library/rows/link.h"

bool versions_shape(struct rows_view *view, const struct asset_id *id, int64_t *shape)
{
    sqlite3_stmt *statement = link_statement(view->link, ROWS_SHAPE);
    link_bind_blob(statement, 1, id, sizeof *id);
    const bool has_row = link_step(view->link, statement);
    *shape = has_row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return has_row;
}

static sqlite3_stmt *statement_of(struct rows_view *view, enum rows_statement which, int64_t shape)
{
    sqlite3_stmt *statement = link_statement(view->link, which);
    sqlite3_bind_int64(statement, 1, shape);
    sqlite3_bind_int(statement, 2, MAX_VERSIONS);
    return statement;
}

uint32_t versions_count(struct rows_view *view, int64_t shape)
{
    sqlite3_stmt *statement = statement_of(view, ROWS_COUNT_SHAPED, shape);
    const uint32_t count = link_step(view->link, statement) ? (uint32_t)sqlite3_column_int(statement, 0) : 0;
    sqlite3_reset(statement);
    return count;
}

uint32_t versions_list(struct rows_view *view, int64_t shape, struct asset_id ids[MAX_VERSIONS])
{
    sqlite3_stmt *statement = statement_of(view, ROWS_SHAPED, shape);
    uint32_t count = 0;
    while (count < MAX_VERSIONS && link_step(view->link, statement))
        count += link_column_id(statement, 0, &ids[count]);
    sqlite3_reset(statement);
    return count;
}

bool rows_versions(struct rows_view *view, const struct asset_id *ids, uint32_t count, uint32_t *versions)
{
    sqlite3_stmt *statement = link_statement(view->link, ROWS_COUNT_VERSIONS);
    sqlite3_bind_int(statement, 2, MAX_VERSIONS);
    for (uint32_t i = 0; i < count; i++) {
        link_bind_blob(statement, 1, &ids[i], sizeof ids[i]);
        versions[i] = link_step(view->link, statement) ? (uint32_t)sqlite3_column_int(statement, 0) : 0;
        sqlite3_reset(statement);
    }
    return !view->link->failed;
}
