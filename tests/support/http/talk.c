#include "tests/support/http/talk.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

struct fixture fixture;
struct client client;
struct client_answer answer;

void connect_client(struct client *to)
{
    ck_assert(client_open(to, fixture_address(&fixture)));
}

void expect_from(struct client *from, unsigned status, const char *body)
{
    ck_assert_msg(client_receive(from, false, &answer), "no answer");
    ck_assert_uint_eq(answer.status, status);
    if (body)
        ck_assert_str_eq((const char *)answer.body, body);
    answer_release(&answer);
}

void expect(unsigned status, const char *body)
{
    expect_from(&client, status, body);
}

void send_get(struct client *to, const char *target)
{
    ck_assert(client_print(to, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", target));
}

void get(const char *target, unsigned status, const char *body)
{
    send_get(&client, target);
    expect(status, body);
}

bool answer_says(const char *name, const char *expected)
{
    char value[256];
    return answer_header(&answer, name, value, sizeof value) && !strcmp(value, expected);
}

bool answer_closes(void)
{
    return answer_says("Connection", "close");
}

void await_connections(unsigned count)
{
    struct http_counters counters;
    for (unsigned i = 0; i < 30000; i++) {
        http_count(fixture.server, &counters);
        if (counters.connections == count)
            return;
        usleep(1000);
    }
    ck_abort_msg("%u connections, not %u", (unsigned)counters.connections, count);
}
