/* Uploads that come, go and are published. */
#include "server/store/postgres/statements.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <sys/random.h>

enum { TICKET = 16 };

static void make_ticket(uint8_t ticket[TICKET])
{
    if (getrandom(ticket, TICKET, 0) != TICKET)
        abort();
}

struct written {
    int64_t outcome;
    uint64_t version;
    struct blob_hash blob;
    int64_t others;
};

static bool take_written(void *user, const struct pg_value *values, unsigned count)
{
    struct written *written = user;
    written->outcome = pg_number_read(&values[0]);
    written->version = count > 1 ? (uint64_t)pg_number_read(&values[1]) : 0;
    if (count > 3) {
        take_hash(&values[2], &written->blob);
        written->others = pg_number_read(&values[3]);
    }
    return true;
}

static bool put_upload(struct store_catalog *catalog, const struct upload_row *row,
                       const struct addition_room *room, bool replaces, struct written *written,
                       struct store_error *error)
{
    struct row_values values = {.count = 0};
    uint8_t ticket[TICKET];
    make_ticket(ticket);
    put_row(&values, row);
    put_record(&values, &row->record);
    put_bytes(&values, row->record.data.size ? row->record.data.data : NULL, row->record.data.size);
    put_bytes(&values, ticket, sizeof ticket);
    put_number(&values, (int64_t)room->most);
    put_number(&values, (int64_t)room->quota);
    put_truth(&values, replaces);
    return postgres_write(catalog, ADD, &values, take_written, written, error);
}

bool postgres_add(struct store_catalog *catalog, const struct upload_row *row,
                  const struct addition_room *room, enum addition *addition, uint64_t *version,
                  struct store_error *error)
{
    struct written written = {0};
    if (!put_upload(catalog, row, room, false, &written, error))
        return false;
    *addition = (enum addition)written.outcome;
    *version = written.version;
    return true;
}

bool postgres_put(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error)
{
    struct written written = {0};
    return put_upload(catalog, row, &(struct addition_room){0}, true, &written, error) &&
           (written.outcome == ADDITION_NEW ||
            store_fail(error, STORE_AWAY, "the bytes of this upload are being removed at the moment"));
}

bool postgres_remove(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                     const char *reason, struct shared_removal *removal, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct written written = {.outcome = 1};
    uint8_t ticket[TICKET];
    make_ticket(ticket);
    put_bytes(&values, id->bytes, sizeof id->bytes);
    put_text(&values, by);
    put_text(&values, reason);
    put_bytes(&values, ticket, sizeof ticket);
    if (!postgres_write(catalog, REMOVE, &values, take_written, &written, error))
        return false;
    *removal = (struct shared_removal){.is_removed = !written.outcome,
                                       .is_last = !written.outcome && !written.others,
                                       .version = written.version,
                                       .blob = written.blob};
    return true;
}

bool postgres_drop(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error)
{
    struct shared_removal removal;
    return postgres_remove(catalog, id, NULL, NULL, &removal, error);
}

bool postgres_publish(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                      bool *is_published, uint64_t *version, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct written written = {.outcome = 1};
    uint8_t ticket[TICKET];
    make_ticket(ticket);
    put_bytes(&values, id->bytes, sizeof id->bytes);
    put_text(&values, by);
    put_bytes(&values, ticket, sizeof ticket);
    if (!postgres_write(catalog, PUBLISH, &values, take_written, &written, error))
        return false;
    *is_published = !written.outcome;
    *version = written.version;
    return true;
}

bool postgres_publish_row(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit,
                          void *user, struct store_error *error)
{
    struct region texts = {0};
    struct upload_row row;
    bool is_published, is_there;
    uint64_t version;
    bool done = postgres_publish(catalog, id, NULL, &is_published, &version, error) &&
                postgres_find(catalog, id, &row, &texts, &is_there, error) &&
                (!is_there || visit(user, &row));
    region_release(&texts);
    return done;
}

bool postgres_put_all(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                      void *user, struct store_error *error)
{
    struct upload_row row;
    bool done = true;
    while (done && next(user, &row))
        done = postgres_put(catalog, &row, error);
    return done;
}
