/* The list of uploads kept in memory. */
#include "server/store/catalog.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* So many removals are remembered. */
enum { REMEMBERED = 1024 };

struct memory_catalog {
    struct store_catalog catalog; /* must be first */
    size_t count, capacity;
    struct upload_row *rows;
    uint64_t *versions; /* [count] of their last change */
    struct asset_id epoch;
    uint64_t version, forgotten;
    struct upload_change removed[REMEMBERED]; /* by version modulo their number */
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
        memmove(memory->versions + i, memory->versions + i + 1,
                (memory->count - i) * sizeof *memory->versions);
        struct upload_change *removed = &memory->removed[++memory->version % REMEMBERED];
        if (removed->version > memory->forgotten)
            memory->forgotten = removed->version;
        *removed = (struct upload_change){memory->version, *id, true};
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
        uint64_t *versions = reallocarray(memory->versions, capacity, sizeof *versions);
        memory->rows = larger ? larger : memory->rows;
        memory->versions = versions ? versions : memory->versions;
        if (!larger || !versions)
            return store_fail(error, STORE_DOWN, "out of memory");
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
    memory->versions[memory->count] = ++memory->version;
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
        if (visit(user, row)) {
            memory->versions[i] = ++memory->version;
            break;
        }
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

static bool get_version(struct store_catalog *catalog, uint64_t *version, struct asset_id *epoch,
                        struct store_error *error)
{
    const struct memory_catalog *memory = (const struct memory_catalog *)catalog;
    (void)error;
    *version = memory->version;
    *epoch = memory->epoch;
    return true;
}

/* The first change after a version; 0: none. Few of few rows are asked for, since nothing outlives the process. */
static struct upload_change change_after(const struct memory_catalog *memory, uint64_t after)
{
    struct upload_change first = {.version = 0};
    for (size_t i = 0; i < memory->count; i++) {
        const uint64_t version = memory->versions[i];
        if (version > after && (!first.version || version < first.version))
            first = (struct upload_change){version, memory->rows[i].id, false};
    }
    for (size_t i = 0; i < REMEMBERED; i++) {
        const uint64_t version = memory->removed[i].version;
        if (version > after && (!first.version || version < first.version))
            first = memory->removed[i];
    }
    return first;
}

/* Whether it was added again after its removal. */
static bool is_there(const struct memory_catalog *memory, const struct asset_id *id)
{
    for (size_t i = 0; i < memory->count; i++) {
        if (id_equal(&memory->rows[i].id, id))
            return true;
    }
    return false;
}

static bool changes(struct store_catalog *catalog, uint64_t after, uint32_t most, upload_change_visit *visit,
                    void *user, struct store_error *error)
{
    const struct memory_catalog *memory = (const struct memory_catalog *)catalog;
    if (after < memory->forgotten)
        return store_fail(error, STORE_MISSING, "what was removed so long ago is not known");
    for (uint32_t told = 0; told < most;) {
        const struct upload_change change = change_after(memory, after);
        after = change.version;
        if (!after)
            return true;
        if (change.is_removed && is_there(memory, &change.id))
            continue;
        if (!visit(user, &change))
            return true;
        told++;
    }
    return true;
}

static void close_catalog(struct store_catalog *catalog)
{
    struct memory_catalog *memory = (struct memory_catalog *)catalog;
    for (size_t i = 0; i < memory->count; i++)
        drop(&memory->rows[i]);
    free(memory->rows);
    free(memory->versions);
    free(memory);
}

struct store_catalog *store_memory_open(void)
{
    struct memory_catalog *memory = must_alloc(1, sizeof *memory);
    memory->catalog = (struct store_catalog){.add = add,
                                             .remove = remove_row,
                                             .each = each,
                                             .count_blob = count_blob,
                                             .find = find,
                                             .add_all = add_all,
                                             .publish = publish,
                                             .records = records,
                                             .set_records = set_records,
                                             .version = get_version,
                                             .changes = changes,
                                             .close = close_catalog};
    /* Without it, ETags of an earlier process could be those of this one. */
    if (getrandom(&memory->epoch, sizeof memory->epoch, 0) != sizeof memory->epoch)
        memory->epoch = id_quick(NULL, &memory, sizeof(void *));
    return &memory->catalog;
}
