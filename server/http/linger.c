/*
 * Lingering close. See linger.h.
 */
#include "server/http/linger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LINGER_MS = 5000,
    MAX_LINGER = 64, /* per loop; further ones are reset */
    READS_PER_TURN = 16,
};

struct lingering {
    uv_poll_t poll;
    struct linger_list *list;
    struct lingering *previous;
    struct lingering *next;
    uint64_t until_ms;
    int fd;
};

void linger_init(struct linger_list *list, uv_loop_t *loop)
{
    list->loop = loop;
    list->first = NULL;
    list->count = 0;
}

/* libuv uses the descriptor until then. */
static void free_linger(uv_handle_t *handle)
{
    struct lingering *linger = handle->data;
    close(linger->fd);
    free(linger);
}

static void end(struct lingering *linger)
{
    struct linger_list *list = linger->list;
    if (linger->previous)
        linger->previous->next = linger->next;
    else
        list->first = linger->next;
    if (linger->next)
        linger->next->previous = linger->previous;
    list->count--;
    uv_close((uv_handle_t *)&linger->poll, free_linger);
}

static void discard(uv_poll_t *poll, int status, int events)
{
    struct lingering *linger = poll->data;
    char rubbish[16 * 1024];
    (void)events;
    for (unsigned i = 0; status == 0 && i < READS_PER_TURN; i++) {
        const ssize_t size = recv(linger->fd, rubbish, sizeof rubbish, MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (size <= 0)
            status = -1;
    }
    if (status != 0)
        end(linger);
}

void linger_start(struct linger_list *list, int fd)
{
    int own;
    if (list->count >= MAX_LINGER || (own = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0)
        return;
    struct lingering *linger = calloc(1, sizeof *linger);
    if (!linger || uv_poll_init(list->loop, &linger->poll, own) != 0) {
        free(linger);
        close(own);
        return;
    }
    linger->poll.data = linger;
    linger->list = list;
    linger->fd = own;
    linger->until_ms = uv_now(list->loop) + LINGER_MS;
    linger->next = list->first;
    if (list->first)
        list->first->previous = linger;
    list->first = linger;
    list->count++;
    shutdown(own, SHUT_WR); /* the client sees the end of the answer at once */
    uv_poll_start(&linger->poll, UV_READABLE, discard);
}

void linger_sweep(struct linger_list *list)
{
    struct lingering *next;
    for (struct lingering *linger = list->first; linger; linger = next) {
        next = linger->next;
        if (uv_now(list->loop) >= linger->until_ms)
            end(linger);
    }
}

void linger_end(struct linger_list *list)
{
    while (list->first)
        end(list->first);
}
