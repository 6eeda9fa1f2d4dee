/*
 * The work of an exchange on the pool: its handler, and the blocks of its stream. The connection is suspended
 * meanwhile, so that only the pool uses the exchange until it returns through the loop's mail.
 */
#include "server/http/internal.h"

#include "server/ops/addresses.h"
#include "server/ops/clock.h"

#include <stddef.h>
#include <stdlib.h>

enum {
    MIN_THREADS = 4, /* some of them wait for the disk */
    MIN_DEAR = 2,
    /* Measured on Linux 6.18: a cached pose's p99 beside conversions is 6 ms with 10, 8 with 0, 9 with SCHED_BATCH, 25 with
     * SCHED_IDLE and 35 with 19. Neither shorter slices help, for the loops or for the pool, nor a higher priority for the
     * loops. What helps is server/ops/work/yield.h. */
    NICENESS = 10,
};

static struct http_exchange *exchange_of(struct pool_job *job)
{
    return (struct http_exchange *)(void *)((char *)job - offsetof(struct http_exchange, job));
}

/* ---- the pool ---- */

bool work_start(struct http_server *server)
{
    const unsigned cores = uv_available_parallelism();
    const unsigned threads = cores > MIN_THREADS ? cores : (unsigned)MIN_THREADS;
    const unsigned dear = cores > MIN_DEAR ? cores : (unsigned)MIN_DEAR;
    const struct http_options *options = &server->options;
    const unsigned share = options->queue_limit * options->client_share / 100;
    const struct pool_limits limits = {.threads = threads,
                                       .dear = dear < threads ? dear : threads - 1,
                                       .jobs = options->queue_limit,
                                       .of_client = share,
                                       .dear_of_client = share > 1 ? share / 2 : share,
                                       .niceness = NICENESS};
    server->pool = pool_new(&limits);
    return server->pool;
}

/* ---- on the pool ---- */

static bool has_waited_too_long(const struct http_exchange *exchange)
{
    const uint64_t most = exchange->connection->loop->server->options.queue_time_ms;
    return most && clock_ms() - exchange->job.since_ms > most;
}

/* Work that is expensive and has a large result is refused beforehand if the result would be refused. */
static bool is_crowded(struct http_server *server)
{
    return server->options.max_pending && atomic_load(&server->pending) > server->options.max_pending;
}

static void run_handler(struct pool_job *job)
{
    struct http_exchange *exchange = exchange_of(job);
    const struct http_application *application = &exchange->connection->loop->server->application;
    if (exchange->request.has_left(&exchange->request)) {
        exchange->end = WORK_LEFT;
    } else if (has_waited_too_long(exchange)) {
        exchange->end = WORK_LATE;
    } else if (job->kind == POOL_DEAR && is_crowded(exchange->connection->loop->server)) {
        exchange->end = WORK_CROWDED;
    } else {
        exchange->request.may_wait = true;
        application->handle(application->user, &exchange->request, &exchange->response);
        exchange->end = WORK_DONE;
    }
    body_release(&exchange->body); /* done here, since closing a large file takes a while */
}

static void run_stream(struct pool_job *job)
{
    struct http_exchange *exchange = exchange_of(job);
    struct api_response *response = &exchange->response;
    struct http_block *block = &exchange->block;
    block->sent = block->size = 0;
    while (block->size < STREAM_BLOCK && !block->has_ended) {
        const ssize_t size =
            response->read(response->owner, block->data + block->size, STREAM_BLOCK - block->size);
        if (size == API_LATER && response->is_ready) {
            block->is_later = block->size == 0;
            break;
        }
        block->has_ended = size <= 0;
        block->has_failed |= size < 0;
        block->size += size > 0 ? (size_t)size : 0;
    }
    exchange->end = WORK_DONE;
}

static void post(struct pool_job *job)
{
    struct http_exchange *exchange = exchange_of(job);
    struct http_loop *loop = exchange->connection->loop;
    pthread_mutex_lock(&loop->mail_lock);
    exchange->next_spare = loop->mail;
    loop->mail = exchange;
    pthread_mutex_unlock(&loop->mail_lock);
    uv_async_send(&loop->wake);
}

/* ---- on the loop ---- */

static struct share *share_of_payer(const struct http_exchange *exchange)
{
    const struct api_request *request = &exchange->request;
    return share_get(&exchange->connection->loop->server->shares,
                     address_client(request->payer[0] ? request->payer : request->client));
}

enum pool_answer work_queue_handler(struct http_exchange *exchange)
{
    struct http_loop *loop = exchange->connection->loop;
    struct http_server *server = loop->server;
    struct pool_job *job = &exchange->job;
    enum pool_answer answer = POOL_FULL;
    *job = (struct pool_job){.kind = exchange->request.is_dear ? POOL_DEAR : POOL_CHEAP,
                             .share = share_of_payer(exchange),
                             .run = run_handler,
                             .done = post};
    if (server->pool && job->share) {
        answer = pool_add(server->pool, job, false);
        if (answer != POOL_TAKEN && connections_drop_left(loop))
            answer = pool_add(server->pool, job, false);
    }
    if (answer != POOL_TAKEN) {
        share_put(&server->shares, job->share);
        atomic_fetch_add_explicit(&server->queue_rejected, 1, memory_order_relaxed);
    }
    return answer;
}

bool work_queue_block(struct http_exchange *exchange)
{
    struct http_server *server = exchange->connection->loop->server;
    struct pool_job *job = &exchange->job;
    if (!exchange->block.data)
        exchange->block.data = malloc(STREAM_BLOCK);
    *job = (struct pool_job){.kind = exchange->response.is_dear ? POOL_DEAR : POOL_CHEAP,
                             .share = share_of_payer(exchange),
                             .run = run_stream,
                             .done = post};
    if (exchange->block.data && server->pool && job->share &&
        pool_add(server->pool, job, true) == POOL_TAKEN) {
        exchange->is_making = true;
        return true;
    }
    share_put(&server->shares, job->share);
    return false;
}

/* Handles the result once the connection may continue. */
static void settle(struct http_exchange *exchange)
{
    share_put(&exchange->connection->loop->server->shares, exchange->job.share);
    if (exchange->is_making && exchange->block.is_later) {
        exchange->block.is_later = false;
        exchange->is_idle = true;
        work_wake(exchange, false); /* it may have become ready, or the loop be draining */
        return;
    }
    if (exchange->is_making) {
        exchange->is_making = false;
        if (exchange->end != WORK_DONE)
            exchange->block.has_ended = exchange->block.has_failed = true;
        transport_resume(exchange);
        return;
    }
    if (exchange->end == WORK_LEFT) {
        response_release(&exchange->response);
        response_init(&exchange->response, 499); /* for the log only: nobody reads it */
    } else if (exchange->end == WORK_LATE) {
        exchange_refuse(exchange, 503, "the server is busy: the request waited longer than max-time");
    } else if (exchange->end == WORK_CROWDED) {
        exchange_refuse(exchange, 503, "too many answers are waiting to be read by clients");
    } else if (exchange->end == WORK_STOPPED) {
        exchange_refuse(exchange, 503, "the server is stopping");
    }
    exchange->stage = STAGE_READY;
    transport_resume(exchange);
}

void work_wake(struct http_exchange *exchange, bool cut)
{
    const struct api_response *response = &exchange->response;
    const bool has_left = exchange->request.has_left(&exchange->request);
    if (!has_left && !cut && response->is_ready(response->owner)) {
        exchange->is_idle = !work_queue_block(exchange); /* once more if the pool is full */
        return;
    }
    if (!has_left && !cut && !exchange->connection->loop->draining)
        return;
    exchange->is_idle = exchange->is_making = false;
    exchange->block.has_ended = true;
    exchange->block.has_failed = has_left || cut;
    transport_resume(exchange);
    exchange->connection->loop->turn_wanted = true;
}

bool work_withdraw(struct http_exchange *exchange, enum work_end end)
{
    struct http_loop *loop = exchange->connection->loop;
    if (!pool_withdraw(loop->server->pool, &exchange->job))
        return false;
    exchange->end = end;
    body_release(&exchange->body);
    settle(exchange);
    loop->turn_wanted = true;
    return true;
}

void work_look(struct http_exchange *exchange)
{
    if (exchange->request.has_left(&exchange->request))
        work_withdraw(exchange, WORK_LEFT);
    else if (!exchange->is_making && has_waited_too_long(exchange))
        work_withdraw(exchange, WORK_LATE);
}

/* Puts what has come, the latest of which comes first, behind what waits. */
static void take_mail(struct http_loop *loop)
{
    struct http_exchange *mail, *next, *first = NULL, **const end = loop->done_end;
    pthread_mutex_lock(&loop->mail_lock);
    mail = loop->mail;
    loop->mail = NULL;
    pthread_mutex_unlock(&loop->mail_lock);
    for (; mail; mail = next) {
        next = mail->next_spare;
        mail->next_spare = first;
        if (!first) /* the last one, which came first out of the mail */
            loop->done_end = &mail->next_spare;
        first = mail;
    }
    *end = first;
}

void work_collect(struct http_loop *loop)
{
    enum { MAX_BLOCKS = 4 }; /* in one turn: sending them keeps everybody else waiting */
    unsigned blocks = 0;
    take_mail(loop);
    while (loop->done_work && blocks < MAX_BLOCKS) {
        struct http_exchange *exchange = loop->done_work;
        loop->done_work = exchange->next_spare;
        if (!loop->done_work)
            loop->done_end = &loop->done_work;
        blocks += exchange->is_making;
        settle(exchange);
        loop->turn_wanted = true; /* nothing else would wake up libmicrohttpd */
    }
    if (loop->done_work)
        uv_async_send(&loop->wake);
}
