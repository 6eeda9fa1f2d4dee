#include "server/store/inside.h"

#include "server/store/folder.h"

bool store_is_shared(const struct store *store)
{
    return store->catalog && store->catalog->sharing;
}

void store_lock(struct store *store)
{
    if (!store_is_shared(store))
        pthread_mutex_lock(&store->lock);
}

void store_unlock(struct store *store)
{
    if (!store_is_shared(store))
        pthread_mutex_unlock(&store->lock);
}

bool store_is_in_place(const struct store *store, struct store_error *error)
{
    return !store->folder || folder_is_in_place(store->folder, store->lock_fd, error);
}
