/* What is asked of the store's catalogue. */
#include "server/store/store.h"

#include "server/ops/region.h"
#include "server/store/inside.h"

bool store_version(struct store *store, uint64_t *version, struct asset_id *epoch, struct store_error *error)
{
    store_lock(store);
    bool done = store->catalog->version(store->catalog, version, epoch, error);
    store_unlock(store);
    return done;
}

bool store_changes(struct store *store, uint64_t after, uint32_t most, upload_change_visit *visit, void *user,
                   struct store_error *error)
{
    store_lock(store);
    bool done = store->catalog->changes(store->catalog, after, most, visit, user, error);
    store_unlock(store);
    return done;
}

bool store_each(struct store *store, upload_visit *visit, void *user, struct store_error *error)
{
    store_lock(store);
    bool done = store->catalog->each(store->catalog, visit, user, error);
    store_unlock(store);
    return done;
}

void upload_row_own_texts(struct upload_row *row, struct region *texts)
{
    row->name = texts ? region_text(texts, row->name) : NULL;
    row->format = texts ? region_text(texts, row->format) : NULL;
    row->game = texts ? region_text(texts, row->game) : NULL;
    row->uploader = texts ? region_text(texts, row->uploader) : NULL;
}

/* Row by row, from a catalogue that is near. */
static bool find_each(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                      struct region *texts, struct pose_buffer *buffers, bool *are_there,
                      struct store_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct asset_id id = rows[i].id;
        struct store_error ignored;
        are_there[i] = false;
        if (!catalog->find(catalog, &id, &rows[i], texts, &are_there[i], error))
            return false;
        rows[i].record = (struct upload_record){0};
        if (are_there[i] && !catalog->records(catalog, &rows[i], 1, &buffers[i], &ignored))
            rows[i].record = (struct upload_record){0};
    }
    return true;
}

bool store_rows(struct store *store, struct upload_row *rows, size_t count, struct region *texts,
                struct pose_buffer *buffers, bool *are_there, struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    store_lock(store);
    const bool done =
        (catalog->rows ? catalog->rows : find_each)(catalog, rows, count, texts, buffers, are_there, error);
    store_unlock(store);
    if (done && texts->failed)
        return store_fail(error, STORE_DOWN, "out of memory");
    return done;
}

bool store_row(struct store *store, const struct asset_id *id, struct upload_row *row, struct region *texts,
               struct pose_buffer *buffer, struct store_error *error)
{
    bool is_there = false;
    *row = (struct upload_row){.id = *id};
    return store_rows(store, row, 1, texts, buffer, &is_there, error) &&
           (is_there || store_fail(error, STORE_MISSING, "no such upload"));
}

bool store_records(struct store *store, struct upload_row *rows, size_t count, struct pose_buffer *buffers,
                   struct store_error *error)
{
    store_lock(store);
    bool done = store->catalog->records(store->catalog, rows, count, buffers, error);
    store_unlock(store);
    return done;
}

/* What is asked of a catalogue that has no answer of its own: all rows are visited. */
struct asking {
    upload_visit *visit;
    upload_sum_visit *sum;
    void *user;
    struct asset_id id;
    int64_t expires_ms;
};

static bool sum_row(void *user, const struct upload_row *row)
{
    const struct asking *asking = user;
    asking->sum(asking->user, row->uploader, row->bytes);
    return true;
}

static bool find_due(void *user, const struct upload_row *row)
{
    struct asking *asking = user;
    if (row->expires_ms && row->expires_ms < asking->expires_ms) {
        asking->id = row->id;
        asking->expires_ms = row->expires_ms;
    }
    return true;
}

static bool visit_waiting(void *user, const struct upload_row *row)
{
    const struct asking *asking = user;
    return !row->is_waiting || asking->visit(asking->user, row);
}

bool store_sums(struct store *store, upload_sum_visit *visit, void *user, struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    struct asking asking = {.sum = visit, .user = user};
    store_lock(store);
    bool done = catalog->sums ? catalog->sums(catalog, visit, user, error)
                              : catalog->each(catalog, sum_row, &asking, error);
    store_unlock(store);
    return done;
}

bool store_next_due(struct store *store, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                    struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    struct asking asking = {.expires_ms = INT64_MAX};
    store_lock(store);
    bool done = catalog->next_due ? catalog->next_due(catalog, id, expires_ms, is_there, error)
                                  : catalog->each(catalog, find_due, &asking, error);
    store_unlock(store);
    if (!catalog->next_due) {
        *id = asking.id;
        *expires_ms = asking.expires_ms;
        *is_there = asking.expires_ms != INT64_MAX;
    }
    return done;
}

bool store_each_waiting(struct store *store, upload_visit *visit, void *user, struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    struct asking asking = {.visit = visit, .user = user};
    store_lock(store);
    bool done = catalog->each_waiting ? catalog->each_waiting(catalog, visit, user, error)
                                      : catalog->each(catalog, visit_waiting, &asking, error);
    store_unlock(store);
    return done;
}

bool store_each_bound(struct store *store, const struct asset_id *context, upload_visit *visit, void *user,
                      struct store_error *error)
{
    struct store_catalog *catalog = store->catalog;
    store_lock(store);
    bool done = catalog->each_bound ? catalog->each_bound(catalog, context, visit, user, error)
                                    : catalog->each(catalog, visit, user, error);
    store_unlock(store);
    return done;
}
