#include "server/uploads/renewal.h"

#include "server/library/index/pack.h"
#include "server/ops/clock.h"
#include "server/ops/region.h"

#include <stdlib.h>
#include <time.h>

/* Whoever makes a record anew and ends meanwhile is waited for so long. */
enum { LEASE_MS = 30000, STEP_MS = 50 };

/* A record of a later program is not replaced, one that holds beside other PATHs is of this revision, and some uploads have
 * none: what these list is made here, for ourselves. */
static bool is_old(const struct upload_record *record)
{
    return record->data.size && record->revision < index_pack_revision();
}

/* Those whose records are old and not ours to make; with what has been made since. */
static bool look_again(struct store *store, struct upload_row *row, struct pose_buffer *buffer, bool *is_ours,
                       struct store_error *error)
{
    const struct catalog_sharing *sharing = store_sharing(store);
    return store_records(store, row, 1, buffer, error) &&
           (!is_old(&row->record) ||
            sharing->lease(store_catalog_of(store), row, 1, index_pack_revision(), LEASE_MS, is_ours, error));
}

void renewal_wait(struct store *store, struct upload_row *rows, size_t count, struct pose_buffer *buffers)
{
    const struct catalog_sharing *sharing = store_sharing(store);
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    const uint64_t deadline = clock_ms() + LEASE_MS;
    struct store_error error;
    uint32_t old = 0;
    for (size_t i = 0; i < count && sharing; i++)
        old += is_old(&rows[i].record);
    bool *is_ours = old ? try_alloc(count, sizeof *is_ours) : NULL;
    if (!is_ours)
        return;
    bool going = sharing->lease(store_catalog_of(store), rows, count, index_pack_revision(), LEASE_MS,
                                is_ours, &error);
    for (size_t i = 0; i < count && going; i++) {
        while (going && is_old(&rows[i].record) && !is_ours[i] && clock_ms() < deadline) {
            nanosleep(&step, NULL);
            going = look_again(store, &rows[i], &buffers[i], &is_ours[i], &error);
        }
    }
    free(is_ours);
}
