/* Rows of the catalogue as values of statements, and back. */
#ifndef POSED_SERVER_STORE_POSTGRES_ROWS_H
#define POSED_SERVER_STORE_POSTGRES_ROWS_H

#include "server/store/postgres/pool.h"
#include "server/store/shared/sharing.h"

/* The columns of a row and of its record, in the order of take_row and take_record. */
#define ROW_COLUMNS                                                                                          \
    "id, blob, name, format, game, has_parts, bytes, created_ms, uploader, expires_ms, is_waiting"
#define RECORD_COLUMNS "revision, context, size, modified_ns, inode, data"
enum { ROW_VALUES = 11, RECORD_VALUES = 6 };

/* The values of a statement, with the numbers that they point to. */
struct row_values {
    struct pg_value values[PG_VALUES];
    struct pg_number numbers[PG_VALUES];
    uint8_t truths[PG_VALUES];
    unsigned count;
};

void put_bytes(struct row_values *values, const void *bytes, size_t size);
void put_text(struct row_values *values, const char *text); /* NULL: null */
void put_number(struct row_values *values, int64_t number);
void put_truth(struct row_values *values, bool truth);
/* Without its data. */
void put_record(struct row_values *values, const struct upload_record *record);
void put_row(struct row_values *values, const struct upload_row *row);

/* False if a value is not of the size that it must have. Texts are borrowed, with a NUL at their end as libpq has it; so is
 * the record's data. */
bool take_id(const struct pg_value *value, struct asset_id *id);
bool take_hash(const struct pg_value *value, struct blob_hash *hash);
bool take_row(const struct pg_value values[ROW_VALUES], struct upload_row *row);
void take_record(const struct pg_value values[RECORD_VALUES], struct upload_record *record);

/* An array of bytea with the rows' ids, as it is sent; from malloc, NULL if out of memory. */
uint8_t *make_ids(const struct upload_row *rows, size_t count, size_t *size);

#endif
