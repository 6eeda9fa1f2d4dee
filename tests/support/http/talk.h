/* A conversation with the server of http_fixture.h: what is said and expected in one line each. A failure ends the test. */
#ifndef TESTS_SUPPORT_HTTP_TALK_H
#define TESTS_SUPPORT_HTTP_TALK_H

#include "tests/support/http/client.h"
#include "tests/support/http/fixture.h"

/* Of the test that runs: its server, its first client, and what was answered last. */
extern struct fixture fixture;
extern struct client client;
extern struct client_answer answer;

void connect_client(struct client *to);
void send_get(struct client *to, const char *target);
/* The next answer; body NULL: any. */
void expect_from(struct client *from, unsigned status, const char *body);
/* The same of the first client. */
void expect(unsigned status, const char *body);
void get(const char *target, unsigned status, const char *body);
/* Whether the last answer has that header with that value. */
bool answer_says(const char *name, const char *expected);
bool answer_closes(void);
/* Waits until the server counts so many connections. */
void await_connections(unsigned count);

#endif
