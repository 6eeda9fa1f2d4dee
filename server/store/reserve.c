#include "server/store/reserve.h"

#include "server/ops/log.h"
#include "server/ops/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    MAX_SIZE = 4 << 20,   /* the catalogue's log at its usual length */
    MIN_SIZE = 128 << 10, /* a deletion takes some ten pages */
    STEP = 32 << 10,
    SHARE = 16, /* of a small disk, so much is given up at most */
};

static uint64_t size_for(const char *folder)
{
    struct statvfs disk;
    if (statvfs(folder, &disk))
        return MAX_SIZE;
    const uint64_t share = (uint64_t)disk.f_blocks * disk.f_frsize / SHARE;
    return share < MIN_SIZE ? MIN_SIZE : share > MAX_SIZE ? MAX_SIZE : share / MIN_SIZE * MIN_SIZE;
}

static int open_file(const struct reserve *reserve, uint64_t *held)
{
    struct stat status;
    const int fd = open(reserve->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fd;
    const bool is_whole = !fstat(fd, &status) && status.st_blocks * 512 >= status.st_size;
    *held = is_whole ? (uint64_t)status.st_size : 0;
    return fd;
}

/* Step by step, as far as there is room; the error, 0: all of it is there. posix_fallocate writes zeros where the file
 * system cannot allocate. */
static int allocate(struct reserve *reserve)
{
    uint64_t held = 0;
    const int fd = open_file(reserve, &held);
    int reason = fd < 0 ? errno : 0;
    while (!reason && held < reserve->size) {
        const uint64_t step = held + STEP < reserve->size ? STEP : reserve->size - held;
        reason = posix_fallocate(fd, (off_t)held, (off_t)step);
        held += reason ? 0 : step;
    }
    if (fd >= 0)
        close(fd);
    atomic_store(&reserve->held, held);
    return reason;
}

bool reserve_hold(struct reserve *reserve)
{
    if (!reserve_missing(reserve))
        return true;
    const int reason = allocate(reserve);
    if (reason == ENOSPC || reason == EDQUOT)
        return false;
    if (reason) {
        log_message(LOG_WARNING, "no room is kept for deletions on a full disk: %s: %s", reserve->path,
                    strerror(reason));
        atomic_store(&reserve->held, reserve->size); /* uploads go on without */
    }
    return true;
}

void reserve_init(struct reserve *reserve, const char *folder)
{
    reserve->path = path_join(folder, "reserve");
    reserve->size = size_for(folder);
    reserve_hold(reserve);
}

void reserve_leave(struct reserve *reserve)
{
    free(reserve->path);
    reserve->path = NULL;
}

bool reserve_release(struct reserve *reserve)
{
    if (!reserve->path || !atomic_load(&reserve->held) || unlink(reserve->path))
        return false;
    atomic_store(&reserve->held, 0);
    return true;
}

uint64_t reserve_missing(const struct reserve *reserve)
{
    const uint64_t held = atomic_load(&reserve->held);
    return reserve->path && held < reserve->size ? reserve->size - held : 0;
}
