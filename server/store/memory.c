/* The list of uploads kept in memory. */
#include "server/store/catalog.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

struct memory_catalog {
    struct store_catalog catalog; /* must be first */
    size_t count, capacity;
    struct upload_row *rows;
};

static void drop(struct upload_row *row)
{
    free((char *)(uintptr_t)row->name);
    free((char *)(uintptr_t)row->format);
    free((char *)(uintptr_t)row->game);
    free((char *)(uintptr_t)row->uploader);
}

static bool remove_row(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error)
{
    struct memory_catalog *memory = (struct memory_catalog *)catalog;
    (void)error;
    for (size_t i = 0; i < memory->count; i++) {
        if (!id_equal(&memory->rows[i].id, id))
            continue;
        drop(&memory->rows[i]);
        memory->count--;
        memmove(memory->rows + i, memory->rows + i + 1, (memory->count - i) * sizeof *memory->rows);
        break;
    }
    return true;
}

static bool add(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error)
{
    struct memory_catalog *memory = (struct memory_catalog *)catalog;
    remove_row(catalog, &row->id, error);
    if (memory->count == memory->capacity) {
        size_t capacity = memory->capacity ? memory->capacity * 2 : 16;
        struct upload_row *larger = reallocarray(memory->rows, capacity, sizeof *larger);
        if (!larger)
            return store_fail(error, STORE_DOWN, "out of memory");
        memory->rows = larger;
        memory->capacity = capacity;
    }
    struct upload_row kept = *row;
    kept.record = (struct upload_record){0};
    kept.name = strdup(row->name);
    kept.format = row->format ? strdup(row->format) : NULL;
    kept.game = row->game ? strdup(row->game) : NULL;
    kept.uploader = row->uploader ? strdup(row->uploader) : NULL;
    if (!kept.name || !kept.format != !row->format || !kept.game != !row->game ||
        !kept.uploader != !row->uploader) {
        drop(&kept);
        return store_fail(error, STORE_DOWN, "out of memory");
    }
    memory->rows[memory->count++] = kept;
    return true;
}

static bool each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error)
{
    const struct memory_catalog *memory = (const struct memory_catalog *)catalog;
    (void)error;
    for (size_t i = 0; i < memory->count; i++) {
        if (!visit(user, &memory->rows[i]))
            break;
    }
    return true;
}

static bool count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error)
{
    const struct memory_catalog *memory = (const struct memory_catalog *)catalog;
    (void)error;
    *count = 0;
    for (size_t i = 0; i < memory->count; i++)
        *count += !memcmp(&memory->rows[i].blob, hash, sizeof *hash);
    return true;
}

static bool find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error)
{
    const struct memory_catalog *memory = (const struct memory_catalog *)catalog;
    (void)error;
    *is_there = false;
    for (size_t i = 0; i < memory->count && !*is_there; i++) {
        *is_there = id_equal(&memory->rows[i].id, id);
        if (!*is_there)
            continue;
        *row = memory->rows[i];
        upload_row_own_texts(row, texts);
    }
    return true;
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

static bool publish(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit, void *user,
                    struct store_error *error)
{
    struct memory_catalog *memory = (struct memory_catalog *)catalog;
    (void)error;
    for (size_t i = 0; i < memory->count; i++) {
        struct upload_row *row = &memory->rows[i];
        if (!id_equal(&row->id, id))
            continue;
        row->is_waiting = false;
        if (visit(user, row))
            break;
        row->is_waiting = true;
        return false;
    }
    return true;
}

/* Nothing outlives the process, so nothing is kept for the next one. */
static bool records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                    struct pose_buffer *buffers, struct store_error *error)
{
    (void)catalog;
    (void)buffers;
    (void)error;
    for (size_t i = 0; i < count; i++)
        rows[i].record = (struct upload_record){0};
    return true;
}

static bool set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                        struct store_error *error)
{
    (void)catalog;
    (void)rows;
    (void)count;
    (void)error;
    return true;
}

static void close_catalog(struct store_catalog *catalog)
{
    struct memory_catalog *memory = (struct memory_catalog *)catalog;
    for (size_t i = 0; i < memory->count; i++)
        drop(&memory->rows[i]);
    free(memory->rows);
    free(memory);
}

struct store_catalog *store_memory_open(void)
{
    struct memory_catalog *memory = must_alloc(1, sizeof *memory);
    memory->catalog = (struct store_catalog){add,     remove_row, each,    count_blob,  find,
                                             add_all, publish,    records, set_records, close_catalog};
    return &memory->catalog;
}
