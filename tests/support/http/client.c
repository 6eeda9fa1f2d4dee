/*
 * A raw HTTP client for tests.
 */
#include "tests/support/http/client.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

bool client_open(struct client *client, const char *address)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    const struct timeval patience = {.tv_sec = CLIENT_PATIENCE_S};
    const bool brackets = address[0] == '[';
    const int on = 1;
    const char *colon = strrchr(address, ':');
    struct addrinfo *found;
    char host[128];
    snprintf(host, sizeof host, "%.*s", (int)(colon - address) - (brackets ? 2 : 0), address + brackets);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return false;
    client->start = 0;
    client->end = 0;
    client->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    bool connected = connect(client->fd, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    if (!connected)
        client_close(client);
    return connected;
}

void client_close(struct client *client)
{
    close(client->fd);
    client->fd = -1;
}

bool client_send(struct client *client, const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size > 0) {
        const ssize_t sent = send(client->fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool client_print(struct client *client, const char *format, ...)
{
    char text[4096];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return length >= 0 && (size_t)length < sizeof text && client_send(client, text, (size_t)length);
}

/* Reads more into the buffer; false at the end of the connection or of the patience. */
static bool fill(struct client *client)
{
    ssize_t size;
    if (client->start == client->end) {
        client->start = 0;
        client->end = 0;
    }
    do {
        size = recv(client->fd, client->buffer + client->end, sizeof client->buffer - client->end, 0);
    } while (size < 0 && errno == EINTR);
    if (size <= 0)
        return false;
    client->end += (size_t)size;
    return true;
}

/* Takes a line without its CRLF. */
static bool take_line(struct client *client, char *line, size_t capacity)
{
    size_t length = 0;
    for (;;) {
        if (client->start == client->end && !fill(client))
            return false;
        char letter = (char)client->buffer[client->start++];
        if (letter == '\n') {
            line[length > 0 && line[length - 1] == '\r' ? length - 1 : length] = '\0';
            return true;
        }
        if (length + 1 >= capacity)
            return false;
        line[length++] = letter;
    }
}

static bool take_bytes(struct client *client, struct client_answer *answer, size_t size)
{
    uint8_t *grown = realloc(answer->body, answer->body_size + size + 1);
    if (!grown)
        return false;
    answer->body = grown;
    answer->body[answer->body_size + size] = 0;
    while (size > 0) {
        size_t piece = client->end - client->start;
        if (piece == 0) {
            if (!fill(client))
                return false;
            continue;
        }
        piece = piece < size ? piece : size;
        memcpy(answer->body + answer->body_size, client->buffer + client->start, piece);
        answer->body_size += piece;
        client->start += piece;
        size -= piece;
    }
    return true;
}

static bool take_chunks(struct client *client, struct client_answer *answer)
{
    char line[256];
    for (;;) {
        char *end;
        if (!take_line(client, line, sizeof line))
            return false;
        size_t size = strtoull(line, &end, 16);
        if (end == line || !take_bytes(client, answer, size) || !take_line(client, line, sizeof line) ||
            line[0] != '\0')
            return false;
        if (size == 0)
            return true;
    }
}

static bool take_until_end(struct client *client, struct client_answer *answer)
{
    do {
        if (!take_bytes(client, answer, client->end - client->start))
            return false;
    } while (fill(client));
    return true;
}

static bool take_head(struct client *client, struct client_answer *answer)
{
    size_t size = 0;
    for (;;) {
        char *line = answer->head + size;
        if (!take_line(client, line, sizeof answer->head - size - 2))
            return false;
        if (line[0] == '\0')
            return sscanf(answer->head, "HTTP/1.%*c %u", &answer->status) == 1;
        size += strlen(line);
        memcpy(answer->head + size, "\r\n", 3);
        size += 2;
    }
}

bool client_receive(struct client *client, bool is_head, struct client_answer *answer)
{
    char value[64];
    memset(answer, 0, sizeof *answer);
    do {
        if (!take_head(client, answer))
            return false;
    } while (answer->status == 100);
    answer->is_chunked = answer_header(answer, "Transfer-Encoding", value, sizeof value);
    if (is_head || answer->status == 204 || answer->status == 304)
        return take_bytes(client, answer, 0);
    if (answer->is_chunked)
        return take_chunks(client, answer);
    if (answer_header(answer, "Content-Length", value, sizeof value))
        return take_bytes(client, answer, strtoull(value, NULL, 10));
    return take_until_end(client, answer);
}

bool client_ask(struct client *client, const char *method, const char *target, struct client_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    return client_print(client, "%s %s HTTP/1.1\r\nHost: test\r\n\r\n", method, target) &&
           client_receive(client, !strcmp(method, "HEAD"), answer);
}

bool client_sees_end(struct client *client)
{
    char byte;
    ssize_t size;
    if (client->start < client->end)
        return false;
    do {
        size = recv(client->fd, &byte, 1, 0);
    } while (size < 0 && errno == EINTR);
    return size == 0 || (size < 0 && errno == ECONNRESET);
}

bool answer_header(const struct client_answer *answer, const char *name, char *value, size_t capacity)
{
    const size_t name_length = strlen(name);
    const char *line = answer->head;
    while ((line = strstr(line, "\r\n"))) {
        line += 2;
        if (!strncasecmp(line, name, name_length) && line[name_length] == ':') {
            line += name_length + 1;
            line += strspn(line, " ");
            snprintf(value, capacity, "%.*s", (int)strcspn(line, "\r"), line);
            return true;
        }
    }
    return false;
}

void answer_release(struct client_answer *answer)
{
    free(answer->body);
    answer->body = NULL;
    answer->body_size = 0;
}
