/*
 * The connections of a loop, from accept to close, and their time limits.
 *
 * libmicrohttpd restarts its timeout with every byte, so a client that sends one byte per second would be served
 * forever. Here each request has a deadline that starts with its first byte. libmicrohttpd only reports the
 * complete request line; whether earlier bytes have arrived is read from the kernel, a few times a second and only
 * for connections that wait for their client, so that it adds nothing to the cost of a request.
 */
#include "server/http/internal.h"

#include "server/http/raw.h"
#include "server/ops/addresses.h"

#include <stdlib.h>
#include <sys/socket.h>

enum { STUCK_LOOKS = 4 }; /* at most two seconds */

static void count_in(struct http_connection *connection)
{
    struct http_server *server = connection->loop->server;
    const struct http_application *application = &server->application;
    if (application->is_proxy && application->is_proxy(application->user, connection->client))
        return;
    connection->share = share_get(&server->shares, address_client(connection->client));
    if (connection->share)
        connection->client_has = share_connect(&server->shares, connection->share, 1);
}

/* One client may have most of the connections, but the last quarter is reserved for clients with few. */
bool connection_is_too_many(const struct http_connection *connection)
{
    const struct http_server *server = connection->loop->server;
    const unsigned most = server->options.max_connections;
    return server->options.client_share > 0 &&
           atomic_load_explicit(&server->connections, memory_order_relaxed) > most - most / 4 &&
           connection->client_has > (uint64_t)most * server->options.client_share / 100;
}

struct http_connection *connection_open(struct http_loop *loop, struct MHD_Connection *mhd, int fd,
                                        const struct sockaddr *peer)
{
    struct http_connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->loop = loop;
    connection->mhd = mhd;
    connection->fd = fd;
    connection->is_loopback = listen_peer(peer, connection->client);
    count_in(connection);
    connection->next = loop->connections;
    if (connection->next)
        connection->next->previous = connection;
    loop->connections = connection;
    atomic_fetch_add_explicit(&loop->server->connections, 1, memory_order_relaxed);
    return connection;
}

void connection_close(struct http_connection *connection)
{
    struct http_loop *loop = connection->loop;
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        loop->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    atomic_fetch_sub_explicit(&loop->server->connections, 1, memory_order_relaxed);
    if (connection->share) {
        share_connect(&loop->server->shares, connection->share, -1);
        share_put(&loop->server->shares, connection->share);
    }
    free(connection);
}

static uint64_t deadline(const struct http_loop *loop)
{
    const unsigned timeout_s = loop->server->options.request_timeout_s;
    return timeout_s == 0 ? 0 : uv_now(&loop->uv) + timeout_s * UINT64_C(1000);
}

void connection_begins(struct http_connection *connection, struct http_exchange *exchange)
{
    connection->exchange = exchange;
    connection->rate_since_ms = 0;
    if (connection->deadline_ms == 0)
        connection->deadline_ms = deadline(connection->loop);
}

void connection_idles(struct http_connection *connection)
{
    connection->exchange = NULL;
    connection->deadline_ms = 0;
    connection->received = UNKNOWN_RECEIVED;
    if (connection->loop->draining)
        shutdown(connection->fd, SHUT_RD);
}

void connection_cut(struct http_connection *connection)
{
    connection->cut = true;
    shutdown(connection->fd, SHUT_RDWR);
}

/* Ends an incomplete request with that status, or with the refusal that was waiting for the end of the
 * body. */
static void end_request(struct http_connection *connection, unsigned status, const char *detail)
{
    struct http_exchange *exchange = connection->exchange;
    const bool has_line = exchange != NULL;
    if (!has_line)
        exchange = exchange_new(connection);
    if (exchange) {
        if (exchange->stage < STAGE_REFUSED)
            exchange_refuse(exchange, status, detail);
        exchange_answer_raw(exchange);
        if (!has_line)
            exchange_end(exchange, exchange->response.status, exchange->complete);
    }
    connection->deadline_ms = 0;
    connection_cut(connection);
}

/*
 * Counts consecutive looks at which bytes of a body had been waiting since the last look and none was read. This
 * happens when the line before a chunk has filled the connection's memory: libmicrohttpd neither refuses it nor
 * continues, and requests turns forever. A single such look may be due to a busy loop.
 */
static void count_stuck(struct http_connection *connection, const struct raw_peer *peer)
{
    const struct http_exchange *exchange = connection->exchange;
    const bool takes_body = exchange && (exchange->stage == STAGE_BODY || exchange->stage == STAGE_REFUSED);
    const bool waited = connection->received != UNKNOWN_RECEIVED && connection->received > connection->read;
    connection->stuck = takes_body && waited && peer->read == connection->read ? connection->stuck + 1 : 0;
}

/* Its client has left. */
static void end_left(struct http_connection *connection)
{
    connection_cut(connection);
    if (!connection->exchange)
        transport_expire(connection);
}

/*
 * Checks a connection that waits for its client. Its next request may have begun to arrive, which libmicrohttpd
 * has not reported yet; or the client may have closed together with its last bytes, which libmicrohttpd misses:
 * after a short read it waits for an edge that never comes.
 */
static void look(struct http_connection *connection)
{
    const struct raw_peer peer = raw_look(connection->fd);
    const bool is_known = connection->received != UNKNOWN_RECEIVED;
    if (connection->deadline_ms == 0 && is_known && peer.received > connection->received)
        connection->deadline_ms = deadline(connection->loop);
    count_stuck(connection, &peer);
    if (connection->stuck >= STUCK_LOOKS)
        end_request(connection, 400, "the size line of a chunk is too long");
    else if (peer.has_ended && peer.received == connection->received)
        end_left(connection);
    connection->received = peer.received;
    connection->read = peer.read;
}

static bool waits_for_client(const struct http_connection *connection)
{
    const struct http_exchange *exchange = connection->exchange;
    return !exchange || exchange->stage == STAGE_HEADERS || exchange->stage == STAGE_BODY ||
           exchange->stage == STAGE_REFUSED;
}

/* Drops clients that read too slowly: every byte they take would restart the idle timeout. The kernel
 * counts the bytes that have arrived there. */
static void look_at_reading(struct http_connection *connection, uint64_t now)
{
    const struct http_options *options = &connection->loop->server->options;
    const bool is_measured = connection->rate_since_ms != 0;
    if (options->least_rate == 0 ||
        (is_measured && now - connection->rate_since_ms < options->rate_window_ms))
        return;
    const struct raw_peer peer = raw_look(connection->fd);
    const uint64_t least = (uint64_t)options->least_rate * options->rate_window_ms / 1000;

    if (is_measured && peer.is_tcp && peer.taken - connection->rate_taken < least) {
        connection_cut(connection);
        return;
    }
    connection->rate_since_ms = now;
    connection->rate_taken = peer.taken;
}

void connections_sweep(struct http_loop *loop)
{
    const uint64_t now = uv_now(&loop->uv);
    for (struct http_connection *at = loop->connections; at; at = at->next) {
        if (at->exchange && (at->exchange->stage == STAGE_POOL || at->exchange->is_making)) {
            at->rate_since_ms = 0;
            if (at->exchange->is_idle)
                work_wake(at->exchange, raw_look(at->fd).has_ended); /* whoever has left frees the place */
            else
                work_look(at->exchange);
            continue;
        }
        if (!at->cut && at->exchange && at->exchange->stage == STAGE_ANSWERED)
            look_at_reading(at, now);
        if (at->cut || !waits_for_client(at))
            continue;
        if (at->deadline_ms != 0 && now >= at->deadline_ms)
            end_request(at, 408, "the request was not complete in time");
        else
            look(at);
    }
}

unsigned connections_drop_left(struct http_loop *loop)
{
    unsigned dropped = 0;
    for (struct http_connection *at = loop->connections; at; at = at->next) {
        struct http_exchange *exchange = at->exchange;
        if (exchange && exchange->stage == STAGE_POOL && exchange->job.waits &&
            exchange->request.has_left(&exchange->request))
            dropped += work_withdraw(exchange, WORK_LEFT);
    }
    return dropped;
}

void connections_drain(struct http_loop *loop)
{
    /* After SHUT_RD, data that has arrived is still read and answered, then comes the end of file. */
    for (struct http_connection *at = loop->connections; at; at = at->next)
        if (!at->exchange && at->deadline_ms == 0)
            shutdown(at->fd, SHUT_RD);
        else if (at->exchange && at->exchange->is_idle)
            work_wake(at->exchange, false); /* the end of what would not end by itself */
}

void connections_cut(struct http_loop *loop)
{
    for (struct http_connection *at = loop->connections; at; at = at->next) {
        if (at->exchange && at->exchange->is_idle)
            work_wake(at->exchange, true);
        else if (at->exchange && (at->exchange->stage == STAGE_POOL || at->exchange->is_making))
            work_withdraw(at->exchange, WORK_STOPPED);
        connection_cut(at);
        if (!at->exchange)
            transport_expire(at);
    }
}
