#include "server/library/refused.h"

#include "server/ops/region.h"
#include "server/store/ids.h"

#include <pthread.h>
#include <stdlib.h>

struct picture {
    uint64_t size; /* 0: free */
    uint64_t used; /* when, in calls */
    struct asset_id id;
};

struct refused {
    struct pose_refusals refusals;
    pthread_mutex_t lock; /* guards what follows */
    uint64_t calls;
    struct picture pictures[REFUSED_COUNT];
};

static struct asset_id id_of(struct pose_bytes picture)
{
    struct id_hash *hash = id_begin();
    id_part(hash, picture.data, picture.size);
    return id_end(hash);
}

/* id NULL: any of that size. */
static bool find(struct refused *refused, uint64_t size, const struct asset_id *id)
{
    struct picture *found = NULL;
    pthread_mutex_lock(&refused->lock);
    for (int i = 0; i < REFUSED_COUNT && !found; i++) {
        struct picture *picture = &refused->pictures[i];
        if (picture->size == size && (!id || id_equal(&picture->id, id)))
            found = picture;
    }
    if (found && id)
        found->used = ++refused->calls;
    pthread_mutex_unlock(&refused->lock);
    return found;
}

static bool has(void *user, struct pose_bytes picture)
{
    if (!picture.size || !find(user, picture.size, NULL))
        return false;
    const struct asset_id id = id_of(picture);
    return find(user, picture.size, &id);
}

static void add(void *user, struct pose_bytes picture)
{
    struct refused *refused = user;
    const struct asset_id id = id_of(picture);
    pthread_mutex_lock(&refused->lock);
    struct picture *oldest = refused->pictures;
    for (int i = 1; i < REFUSED_COUNT; i++) {
        if (refused->pictures[i].used < oldest->used)
            oldest = &refused->pictures[i];
    }
    *oldest = (struct picture){picture.size, ++refused->calls, id};
    pthread_mutex_unlock(&refused->lock);
}

struct refused *refused_new(void)
{
    struct refused *refused = must_alloc(1, sizeof *refused);
    refused->refusals = (struct pose_refusals){has, add, refused};
    pthread_mutex_init(&refused->lock, NULL);
    return refused;
}

void refused_free(struct refused *refused)
{
    if (refused)
        pthread_mutex_destroy(&refused->lock);
    free(refused);
}

const struct pose_refusals *refused_get(const struct refused *refused)
{
    return &refused->refusals;
}
