#include "server/store/postgres/rows.h"

#include "server/ops/region.h"

#include <string.h>

void put_bytes(struct row_values *values, const void *bytes, size_t size)
{
    values->values[values->count++] = (struct pg_value){bytes, size};
}

void put_text(struct row_values *values, const char *text)
{
    put_bytes(values, text, text ? strlen(text) : 0);
}

void put_number(struct row_values *values, int64_t number)
{
    struct pg_number *kept = &values->numbers[values->count];
    *kept = pg_number_of(number);
    put_bytes(values, kept->bytes, sizeof kept->bytes);
}

void put_truth(struct row_values *values, bool truth)
{
    uint8_t *kept = &values->truths[values->count];
    *kept = truth;
    put_bytes(values, kept, sizeof *kept);
}

void put_record(struct row_values *values, const struct upload_record *record)
{
    put_number(values, record->data.size ? record->revision : 0);
    if (record->is_bound)
        put_bytes(values, record->context.bytes, sizeof record->context.bytes);
    else
        put_bytes(values, NULL, 0);
    put_number(values, (int64_t)record->checked.size);
    put_number(values, record->checked.modified_ns);
    put_number(values, (int64_t)record->checked.inode);
}

void put_row(struct row_values *values, const struct upload_row *row)
{
    put_bytes(values, row->id.bytes, sizeof row->id.bytes);
    put_bytes(values, row->blob.bytes, sizeof row->blob.bytes);
    put_text(values, row->name);
    put_text(values, row->format);
    put_text(values, row->game);
    put_truth(values, row->has_parts);
    put_number(values, (int64_t)row->bytes);
    put_number(values, row->created_ms);
    put_text(values, row->uploader);
    put_number(values, row->expires_ms);
    put_truth(values, row->is_waiting);
}

bool take_id(const struct pg_value *value, struct asset_id *id)
{
    if (!value->bytes || value->size != sizeof id->bytes)
        return false;
    memcpy(id->bytes, value->bytes, sizeof id->bytes);
    return true;
}

bool take_hash(const struct pg_value *value, struct blob_hash *hash)
{
    if (!value->bytes || value->size != sizeof hash->bytes)
        return false;
    memcpy(hash->bytes, value->bytes, sizeof hash->bytes);
    return true;
}

static bool take_truth(const struct pg_value *value)
{
    return value->size && *(const uint8_t *)value->bytes;
}

bool take_row(const struct pg_value values[ROW_VALUES], struct upload_row *row)
{
    *row = (struct upload_row){0};
    if (!take_id(&values[0], &row->id) || !take_hash(&values[1], &row->blob))
        return false;
    row->name = values[2].bytes;
    row->format = values[3].bytes;
    row->game = values[4].bytes;
    row->has_parts = take_truth(&values[5]);
    row->bytes = (uint64_t)pg_number_read(&values[6]);
    row->created_ms = pg_number_read(&values[7]);
    row->uploader = values[8].bytes;
    row->expires_ms = pg_number_read(&values[9]);
    row->is_waiting = take_truth(&values[10]);
    return row->name != NULL;
}

void take_record(const struct pg_value values[RECORD_VALUES], struct upload_record *record)
{
    *record = (struct upload_record){.revision = (uint32_t)pg_number_read(&values[0])};
    record->is_bound = take_id(&values[1], &record->context);
    record->checked = (struct file_stamp){.size = (uint64_t)pg_number_read(&values[2]),
                                          .modified_ns = pg_number_read(&values[3]),
                                          .inode = (uint64_t)pg_number_read(&values[4])};
    record->data = (struct pose_bytes){values[5].bytes, values[5].size};
}

static uint8_t *put_word(uint8_t *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        *at++ = (uint8_t)(word >> (24 - 8 * i));
    return at;
}

/* One dimension, no nulls, of the type bytea; its length and lowest index; then each with its length. */
uint8_t *make_ids(const struct upload_row *rows, size_t count, size_t *size)
{
    enum { HEADER = 20, ITEM = 4 + sizeof(struct asset_id), BYTEA = 17 };
    *size = HEADER + count * ITEM;
    uint8_t *bytes = try_alloc(*size, 1), *at = bytes;
    if (!bytes)
        return NULL;
    at = put_word(at, 1);
    at = put_word(at, 0);
    at = put_word(at, BYTEA);
    at = put_word(at, (uint32_t)count);
    at = put_word(at, 1);
    for (size_t i = 0; i < count; i++) {
        at = put_word(at, sizeof rows[i].id.bytes);
        memcpy(at, rows[i].id.bytes, sizeof rows[i].id.bytes);
        at += sizeof rows[i].id.bytes;
    }
    return bytes;
}
