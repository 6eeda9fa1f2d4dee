/* Connections by libpq, which never waits here by itself: it says what it waits for, and poll waits for that. */
#include "server/store/postgres/client.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { MAX_HOSTS = 16, MAX_SETTINGS = 16, TEXT_FORMAT = 0, BINARY_FORMAT = 1 };

struct pg {
    PGconn *connection;
    const struct pg_statement *statements;
    uint32_t prepared; /* a bit per statement */
};

/* ---------------------------------------------------------------------------------------------- failures -- */

/* Texts of libpq end with a line break, and may have several. */
static bool fail(struct pg_failure *failure, enum pg_outcome outcome, const char *format, ...)
{
    va_list arguments;
    failure->outcome = outcome;
    va_start(arguments, format);
    vsnprintf(failure->detail, sizeof failure->detail, format, arguments);
    va_end(arguments);
    failure->detail[strcspn(failure->detail, "\n")] = 0;
    return false;
}

static bool is_class(const char *state, const char *class)
{
    return !strncmp(state, class, 2);
}

/* What the server says about itself, and not about the statement. 25006: it does not take writes (any more); 57: somebody
 * has stopped it, or time was up; 55P03: a lock was not to be had. */
static enum pg_outcome outcome_of(const char *state)
{
    if (!strcmp(state, "53100"))
        return PG_FULL;
    if (!strcmp(state, "40001") || !strcmp(state, "40P01"))
        return PG_AGAIN;
    if (is_class(state, "08") || is_class(state, "53") || is_class(state, "57") || is_class(state, "58") ||
        !strcmp(state, "25006") || !strcmp(state, "55P03"))
        return PG_AWAY;
    return PG_REFUSED;
}

/* Only the first line: what follows may quote values. */
static bool fail_of(const PGresult *result, struct pg_failure *failure)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(failure->state, sizeof failure->state, "%s", state ? state : "");
    if (!state)
        return fail(failure, PG_AWAY, "%s", PQresultErrorMessage(result));
    /* The server has said that it is not done; but that it ends (57P01 and others), it may say afterwards. */
    if (strncmp(state, "57P", 3) && !is_class(state, "08"))
        failure->may_be_done = false;
    return fail(failure, outcome_of(state), "%s (%s)", text ? text : "an error", state);
}

/* ----------------------------------------------------------------------------------------------- waiting -- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Until one of the events; 0 when the time is up. */
static int wait_for(struct pollfd *files, nfds_t count, uint64_t deadline_ms)
{
    for (;;) {
        const uint64_t now = now_ms();
        const int ready = poll(files, count, now < deadline_ms ? (int)(deadline_ms - now) : 0);
        if (ready >= 0 || errno != EINTR)
            return ready > 0 ? ready : 0;
        if (now >= deadline_ms)
            return 0;
    }
}

static bool wait_socket(const PGconn *connection, short events, uint64_t deadline_ms,
                        struct pg_failure *failure)
{
    struct pollfd file = {.fd = PQsocket(connection), .events = events};
    return file.fd >= 0 && wait_for(&file, 1, deadline_ms) ? true
                                                           : fail(failure, PG_AWAY, "no answer in time");
}

/* Saying good-bye must not wait for somebody who does not read. */
static void hang_up(PGconn *connection)
{
    if (connection && PQsocket(connection) >= 0 && PQstatus(connection) != CONNECTION_BAD &&
        PQtransactionStatus(connection) != PQTRANS_IDLE)
        shutdown(PQsocket(connection), SHUT_RDWR);
    PQfinish(connection);
}

/* ------------------------------------------------------------------------------------------- connecting -- */

static const char *setting(const PQconninfoOption *options, const char *name)
{
    for (; options && options->keyword; options++) {
        if (!strcmp(options->keyword, name))
            return options->val;
    }
    return NULL;
}

/* The item of that number in a list with commas, copied; an item that is not there is the only one, or NULL. */
static char *item_of(const char *list, unsigned number)
{
    const char *at = list;
    if (!list)
        return NULL;
    if (strchr(list, ',')) {
        for (; number && *at; number--) {
            at += strcspn(at, ",");
            at += *at == ',';
        }
    }
    return strndup(at, strcspn(at, ","));
}

static unsigned count_items(const char *list)
{
    unsigned count = 1;
    for (; list && *list; list++)
        count += *list == ',';
    return count < MAX_HOSTS ? count : MAX_HOSTS;
}

/* The URL may hold a password, which libpq quotes where it cannot read it. */
static PQconninfoOption *parse(const char *url, struct pg_failure *failure)
{
    PQconninfoOption *options = strncmp(url, "postgres://", 11) && strncmp(url, "postgresql://", 13)
                                    ? NULL
                                    : PQconninfoParse(url, NULL);
    if (!options)
        fail(failure, PG_REFUSED, "not an address such as postgres://USER@HOST[:PORT][,HOST…]/DATABASE");
    return options;
}

/* Several hosts: in the URL, or in the environment. */
static const char *hosts_of(const PQconninfoOption *options, const char **name)
{
    const char *addresses = setting(options, "hostaddr"), *hosts = setting(options, "host");
    *name = addresses ? "hostaddr" : "host";
    if (addresses || hosts)
        return addresses ? addresses : hosts;
    return setting(options, "service") ? NULL : getenv("PGHOST");
}

static bool read_url(const char *url, struct pg_address *address, struct pg_failure *failure)
{
    const char *name;
    PQconninfoOption *options = parse(url, failure);
    if (!options)
        return false;
    const char *hosts = hosts_of(options, &name), *service = setting(options, "service");
    const char *database = setting(options, "dbname");
    const char *ports = setting(options, "port");
    /* libpq would quote them, or we: they may be what follows a "/" or "@" in a password. */
    if ((hosts && strchr(hosts, '@')) || (ports && ports[strspn(ports, "0123456789,")])) {
        PQconninfoFree(options);
        return fail(failure, PG_REFUSED,
                    "no such host or port (in a password \"@\" is %%40, \"/\" %%2F and \":\" %%3A)");
    }
    address->hosts = count_items(hosts);
    snprintf(address->shown, sizeof address->shown, "%.120s/%.60s",
             hosts     ? hosts
             : service ? service
                       : "localhost",
             database ? database : "");
    PQconninfoFree(options);
    return true;
}

struct settings {
    const char *names[MAX_SETTINGS], *values[MAX_SETTINGS];
    unsigned count;
};

static void set(struct settings *settings, const char *name, const char *value)
{
    settings->names[settings->count] = name;
    settings->values[settings->count++] = value;
}

/* What the URL does not say. What follows dbname goes before it. */
static void set_default(struct settings *settings, const PQconninfoOption *options, const char *name,
                        const char *value)
{
    if (!setting(options, name))
        set(settings, name, value);
}

static bool finish_connecting(PGconn *connection, uint64_t deadline_ms, struct pg_failure *failure)
{
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        if (!wait_socket(connection, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ms, failure))
            return false;
        next = PQconnectPoll(connection);
        if (next == PGRES_POLLING_FAILED)
            return fail(failure, PG_AWAY, "%s", PQerrorMessage(connection));
    }
    return true;
}

/* One host at a time: libpq knows no end for one of several that takes a connection and then says nothing. */
static PGconn *start_connecting(const char *url, unsigned host, uint64_t timeout_ms,
                                struct pg_failure *failure)
{
    char patience[24], tcp_patience[24];
    const char *host_name;
    struct settings settings = {0};
    PQconninfoOption *options = parse(url, failure);
    if (!options)
        return NULL;
    const char *hosts = hosts_of(options, &host_name), *ports = setting(options, "port");
    char *one_host = item_of(hosts, host), *other = NULL,
         *port = item_of(ports ? ports : getenv("PGPORT"), host);
    snprintf(patience, sizeof patience, "%llu", (unsigned long long)(timeout_ms + 999) / 1000);
    snprintf(tcp_patience, sizeof tcp_patience, "%llu", (unsigned long long)timeout_ms);
    set(&settings, "dbname", url);
    if (one_host && count_items(hosts) > 1)
        set(&settings, host_name, one_host);
    if (one_host && count_items(hosts) > 1 && !strcmp(host_name, "hostaddr") && setting(options, "host"))
        set(&settings, "host", other = item_of(setting(options, "host"), host));
    if (port && *port && count_items(hosts) > 1)
        set(&settings, "port", port);
    set_default(&settings, options, "target_session_attrs", "read-write");
    set_default(&settings, options, "connect_timeout", patience);
    set_default(&settings, options, "tcp_user_timeout", tcp_patience);
    set_default(&settings, options, "keepalives_idle", "10");
    set_default(&settings, options, "keepalives_interval", "5");
    set_default(&settings, options, "gssencmode", "disable");
    set_default(&settings, options, "client_encoding", "UTF8");
    set_default(&settings, options, "fallback_application_name", "posed");
    PGconn *connection = PQconnectStartParams(settings.names, settings.values, 1);
    PQconninfoFree(options);
    free(one_host);
    free(other);
    free(port);
    if (connection && PQstatus(connection) != CONNECTION_BAD)
        return connection;
    fail(failure, PG_AWAY, "%s", connection ? PQerrorMessage(connection) : "out of memory");
    PQfinish(connection);
    return NULL;
}

static void ignore_notice(void *user, const PGresult *result)
{
    (void)user;
    (void)result;
}

static void close_pg(struct pg *pg)
{
    if (pg)
        hang_up(pg->connection);
    free(pg);
}

static bool run(struct pg *pg, const char *text, uint64_t timeout_ms, pg_visit *visit, void *user,
                struct pg_failure *failure);

/* The server ends what takes too long, and holds no lock for somebody who does not go on. A commit is on its disk when it
 * is answered; more than that (standbys) is for its operator to say. */
static bool settle(struct pg *pg, uint64_t timeout_ms, uint64_t left_ms, struct pg_failure *failure)
{
    char text[512];
    snprintf(text, sizeof text,
             "SET statement_timeout = %llu; SET lock_timeout = %llu;"
             " SET idle_in_transaction_session_timeout = %llu; SET standard_conforming_strings = on;"
             " SELECT set_config('synchronous_commit', 'on', false)"
             " WHERE current_setting('synchronous_commit') = 'off'",
             (unsigned long long)timeout_ms, (unsigned long long)timeout_ms,
             (unsigned long long)timeout_ms * 5);
    return run(pg, text, left_ms, NULL, NULL, failure);
}

static struct pg *connect_pg(const char *url, unsigned host, uint64_t timeout_ms,
                             const struct pg_statement *statements, struct pg_failure *failure)
{
    const uint64_t deadline_ms = now_ms() + timeout_ms;
    *failure = (struct pg_failure){0};
    struct pg *pg = calloc(1, sizeof *pg);
    if (!pg) {
        fail(failure, PG_AWAY, "out of memory");
        return NULL;
    }
    pg->statements = statements;
    pg->connection = start_connecting(url, host, timeout_ms, failure);
    bool done = pg->connection && finish_connecting(pg->connection, deadline_ms, failure);
    if (done) {
        PQsetNoticeReceiver(pg->connection, ignore_notice, NULL);
        done = !PQsetnonblocking(pg->connection, 1);
        const uint64_t now = now_ms();
        done = done && settle(pg, timeout_ms, now < deadline_ms ? deadline_ms - now : 0, failure);
    }
    if (done)
        return pg;
    close_pg(pg);
    return NULL;
}

static bool is_there(struct pg *pg)
{
    struct pollfd file = {.fd = PQsocket(pg->connection), .events = POLLIN};
    if (PQstatus(pg->connection) != CONNECTION_OK || PQtransactionStatus(pg->connection) != PQTRANS_IDLE)
        return false;
    /* Nothing is expected but the end, or a notice before it. */
    return poll(&file, 1, 0) <= 0 ||
           (PQconsumeInput(pg->connection) && PQstatus(pg->connection) == CONNECTION_OK);
}

/* ------------------------------------------------------------------------------------------- statements -- */

/* Until all has been written. The server may want to be read from meanwhile. */
static bool flush(struct pg *pg, uint64_t deadline_ms, struct pg_failure *failure)
{
    for (;;) {
        const int left = PQflush(pg->connection);
        if (left <= 0)
            return !left || fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
        if (!wait_socket(pg->connection, POLLIN | POLLOUT, deadline_ms, failure))
            return false;
        if (!PQconsumeInput(pg->connection))
            return fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
    }
}

/* The next result, NULL after the last; false if there is none in time. */
static bool next_result(struct pg *pg, uint64_t deadline_ms, PGresult **result, struct pg_failure *failure)
{
    while (PQisBusy(pg->connection)) {
        if (!wait_socket(pg->connection, POLLIN, deadline_ms, failure))
            return false;
        if (!PQconsumeInput(pg->connection))
            return fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
    }
    *result = PQgetResult(pg->connection);
    return true;
}

static bool visit_rows(const PGresult *result, pg_visit *visit, void *user)
{
    struct pg_value values[PG_VALUES];
    const unsigned count = (unsigned)PQnfields(result) < PG_VALUES ? (unsigned)PQnfields(result) : PG_VALUES;
    for (int row = 0; row < PQntuples(result); row++) {
        for (unsigned i = 0; i < count; i++) {
            const bool is_null = PQgetisnull(result, row, (int)i);
            values[i].bytes = is_null ? NULL : PQgetvalue(result, row, (int)i);
            values[i].size = is_null ? 0 : (size_t)PQgetlength(result, row, (int)i);
        }
        if (!visit(user, values, count))
            return false;
    }
    return true;
}

/* Reads the results of what was sent. After a refusal the rest is read: the connection goes on. */
static bool finish(struct pg *pg, uint64_t deadline_ms, pg_visit *visit, void *user,
                   struct pg_failure *failure)
{
    PGresult *result = NULL;
    bool done = true;
    failure->may_be_done = true;
    if (!flush(pg, deadline_ms, failure))
        return false;
    for (;;) {
        if (!next_result(pg, deadline_ms, &result, failure))
            return false;
        if (!result)
            break;
        const ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            done = done && fail_of(result, failure);
        else if (done && visit && !visit_rows(result, visit, user))
            done = fail(failure, PG_STOPPED, "stopped");
        PQclear(result);
    }
    if (PQstatus(pg->connection) == CONNECTION_OK)
        return done;
    return done && fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
}

static bool run(struct pg *pg, const char *text, uint64_t timeout_ms, pg_visit *visit, void *user,
                struct pg_failure *failure)
{
    *failure = (struct pg_failure){0};
    return PQsendQuery(pg->connection, text) ? finish(pg, now_ms() + timeout_ms, visit, user, failure)
                                             : fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
}

static bool prepare(struct pg *pg, unsigned statement, const char *name, uint64_t deadline_ms,
                    struct pg_failure *failure)
{
    if (pg->prepared & 1u << statement)
        return true;
    if (!PQsendPrepare(pg->connection, name, pg->statements[statement].text, 0, NULL))
        return fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
    const bool done = finish(pg, deadline_ms, NULL, NULL, failure);
    failure->may_be_done = false;
    if (done)
        pg->prepared |= 1u << statement;
    return done;
}

static bool ask(struct pg *pg, unsigned statement, const struct pg_value *values, uint64_t timeout_ms,
                pg_visit *visit, void *user, struct pg_failure *failure)
{
    const uint64_t deadline_ms = now_ms() + timeout_ms;
    const unsigned count = pg->statements[statement].values;
    const char *bytes[PG_VALUES];
    int sizes[PG_VALUES], formats[PG_VALUES];
    char name[16];
    *failure = (struct pg_failure){0};
    snprintf(name, sizeof name, "posed_%u", statement);
    if (!prepare(pg, statement, name, deadline_ms, failure))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (values[i].size > INT32_MAX / 4)
            return fail(failure, PG_REFUSED, "a value is too large");
        bytes[i] = values[i].bytes;
        sizes[i] = (int)values[i].size;
        formats[i] = BINARY_FORMAT;
    }
    if (!PQsendQueryPrepared(pg->connection, name, (int)count, bytes, sizes, formats, BINARY_FORMAT))
        return fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
    return finish(pg, deadline_ms, visit, user, failure);
}

static bool take_notices(struct pg *pg, bool *was_told)
{
    PGnotify *notice;
    while ((notice = PQnotifies(pg->connection))) {
        *was_told = true;
        PQfreemem(notice);
    }
    return *was_told;
}

static bool wait_told(struct pg *pg, int stop_fd, uint64_t timeout_ms, bool *was_told,
                      struct pg_failure *failure)
{
    const uint64_t deadline_ms = now_ms() + timeout_ms;
    struct pollfd files[2] = {{.fd = PQsocket(pg->connection), .events = POLLIN},
                              {.fd = stop_fd, .events = POLLIN}};
    *failure = (struct pg_failure){0};
    *was_told = false;
    while (!take_notices(pg, was_told)) {
        if (!wait_for(files, 2, deadline_ms) || files[1].revents)
            return true;
        if (!PQconsumeInput(pg->connection))
            return fail(failure, PG_AWAY, "%s", PQerrorMessage(pg->connection));
    }
    return true;
}

extern const struct pg_module pg_module;
__attribute__((visibility("default"))) const struct pg_module pg_module = {
    .read = read_url,
    .connect = connect_pg,
    .close = close_pg,
    .is_there = is_there,
    .ask = ask,
    .run = run,
    .wait = wait_told,
};
