/*
 * A client on a raw socket, for tests that need to say exactly which bytes are sent and when.
 *
 * Every wait ends after CLIENT_PATIENCE_S, so that a server that hangs fails a test and does not hang it too.
 */
#ifndef POSED_TESTS_HTTP_CLIENT_H
#define POSED_TESTS_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLIENT_PATIENCE_S = 30 };

struct client {
    int fd;
    size_t start; /* of what has been received and not yet read */
    size_t end;
    uint8_t buffer[64 * 1024];
};

struct client_answer {
    unsigned status;
    bool is_chunked;
    char head[16 * 1024]; /* the status line and the headers, as sent */
    uint8_t *body;        /* from malloc, with a 0 behind it */
    size_t body_size;
};

/* Connects to "127.0.0.1:8080" or "[::1]:8080"; false when nobody is there. */
bool client_open(struct client *client, const char *address);
void client_close(struct client *client);

/* Sends all of it; false when the server has closed. */
bool client_send(struct client *client, const void *data, size_t size);
bool client_print(struct client *client, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Receives one whole answer, after any 100 (Continue). is_head: it is one to HEAD, without a body. False when the
 * connection ends before. The body has to be released with answer_release. */
bool client_receive(struct client *client, bool is_head, struct client_answer *answer);
/* client_print of "METHOD target HTTP/1.1" with a Host header, then client_receive. */
bool client_ask(struct client *client, const char *method, const char *target, struct client_answer *answer);

/* Waits for the server to close the connection; false when it sends something instead, or does not. */
bool client_sees_end(struct client *client);

/* Copies a header's value (name without regard to case) into value; false when there is none. */
bool answer_header(const struct client_answer *answer, const char *name, char *value, size_t capacity);
void answer_release(struct client_answer *answer);

#endif
