/*
 * The request that handlers read and the response that they fill in.
 *
 * There is no socket and no HTTP library here: server/http/transport.c makes requests and sends responses, and
 * tests do both by hand.
 */
#ifndef POSED_API_PROTOCOL_MESSAGE_H
#define POSED_API_PROTOCOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { API_HEADER_CAPACITY = 3072, API_CLIENT_CAPACITY = 46 };

struct draft;
struct form;

struct route;

struct api_segment {
    const char *text;
    size_t length;
};

enum { API_VALUES = 4, API_ALLOWED = 64 };

/* The route of a request, looked up once by dispatch. Its segments point into the path. */
struct api_match {
    const struct route *route;   /* NULL: no route for this method */
    const struct route *nearest; /* the route for any method: the metrics count by it */
    unsigned value_count;
    struct api_segment values[API_VALUES];
    struct api_segment archive, whole; /* see struct api_call; length 0: none */
    char allowed[API_ALLOWED];         /* the path's methods, comma-separated */
};

struct api_request {
    const char *method;  /* as sent: "GET" … */
    const char *path;    /* the raw target up to '?', not percent-decoded, begins with '/'; dispatch takes
                          * --base-path off */
    const char *query;   /* the raw text after '?', "" if none */
    const uint8_t *body; /* never NULL; valid until the handler has returned API_DONE */
    size_t body_size;
    /* The file that holds a large body; otherwise NULL, or points to NULL. A handler may take over the
     * draft, and the body with it, by setting *body_draft to NULL. */
    struct draft **body_draft;
    /* A form too large for memory, whose files are in the draft; the body is then empty. Otherwise NULL. */
    struct form *form;
    const char *client; /* the peer's address as text, without its port */
    bool client_is_loopback;
    bool is_side;  /* it came in at the address of --metrics-listen */
    bool may_wait; /* true on the thread pool: decoding and file access are allowed */
    unsigned loop; /* index of the event loop that serves the connection, for per-loop buffers */

    /* Set by a handler that returns API_WAIT: the client that the work is charged to ("": the peer), and
     * whether the work is expensive, such as a picture or a conversion. Expensive work runs after
     * everything else. */
    char payer[API_CLIENT_CAPACITY];
    bool is_dear;
    /* Whether the client has disconnected, so that the result is no longer needed. Thread-safe; costs a
     * system call. */
    bool (*has_left)(const struct api_request *request);

    /* The value of a header (name is case-insensitive), NULL if absent. For repeated headers the first;
     * header_count counts them, and "X-Forwarded-*" counts all headers with that prefix. Valid until the
     * response is finished. */
    const char *(*header)(const struct api_request *request, const char *name);
    size_t (*header_count)(const struct api_request *request, const char *name);
    const void *transport; /* owned by whoever made the request */
    bool
        is_current; /* these belong to dispatch; initially zero. What is said not to be there has been asked for */
    bool is_matched;
    struct api_match match;
};

/* The length of a Host header's value without its port: "example.org:8080", "[::1]:8080". The full length
 * if a bracket is not closed: that is not a host. */
size_t host_length(const char *host);

/* What a handler returns. */
enum api_outcome {
    API_DONE, /* the response is complete */
    API_WAIT, /* needs the pool: call again with may_wait set; the response is discarded */
};

/*
 * The body is one of: nothing; bytes (data, size, released by release(owner) once sent); a stream (read is called
 * on the pool, one block at a time as the client takes them, until it returns 0; -1 aborts the connection, for API_LATER see
 * is_ready; size is
 * API_UNKNOWN_SIZE or the total length of the stream).
 */
struct api_response {
    unsigned status;
    uint16_t header_count;
    uint16_t header_size;              /* bytes used in headers */
    char headers[API_HEADER_CAPACITY]; /* "Name\0value\0" times header_count */
    const void *data;
    size_t size;
    ssize_t (*read)(void *owner, uint8_t *buffer, size_t capacity);
    void (*release)(void *owner); /* may be NULL; called exactly once */
    void *owner;
    /* For a stream that waits for what happens: read then returns API_LATER while there is nothing, and is called again once
     * this is true, which is looked at on the loop a few times a second; so it must be cheap. NULL: read never does. */
    bool (*is_ready)(const void *owner);
    bool is_dear; /* a stream whose blocks are drawn or converted: all other work goes first */
    bool
        is_light; /* a stream of which 64 KiB take some microseconds and never wait: it may be read on the loop as well */
    uint64_t held; /* bytes that a stream's owner keeps while the client reads */

    /* For the log and the metrics. */
    const char *route; /* the route's template, "" when none matched; static */
    const char *cache; /* "hit", "miss" or NULL; static */
    char request_id[132];
    char client[API_CLIENT_CAPACITY]; /* the client as reported by a trusted proxy; "": the peer */
    char token[65];                   /* the name of the client's token; "": none */
    char detail[512];                 /* of a problem, as in its JSON */
};

#define API_UNKNOWN_SIZE ((size_t)-1)
#define API_LATER ((ssize_t)-2)

/* A response without headers or body. The caller of a handler has already done this (with status 200). */
void response_init(struct api_response *response, unsigned status);
/* Releases the body and drops the headers; the response can be reused after response_init. */
void response_release(struct api_response *response);
/* Adds a header. A value is cut at its first control character (it may be a name from a file); an empty
 * one, or one that does not fit, is left out. */
void response_header(struct api_response *response, const char *name, const char *value);
/* The same with a number. */
void response_header_number(struct api_response *response, const char *name, uint64_t value);
/* Adds count headers from a block of "Name\0value\0" each, unchecked: for constants. */
void response_header_block(struct api_response *response, const char *block, size_t size, unsigned count);
/* Removes every header of that name. */
void response_drop_header(struct api_response *response, const char *name);
/* The value of the first header of that name, or NULL. */
const char *response_find_header(const struct api_response *response, const char *name);

/* Each of these sets the body, adds the header Content-Type unless content_type is NULL, and releases the
 * previous body. */

/* Copies the body. False, and nothing changed, if out of memory. */
bool response_copy(struct api_response *response, const char *content_type, const void *data, size_t size);
/* Takes over a body from malloc. */
void response_take(struct api_response *response, const char *content_type, void *data, size_t size);
/* A body in static storage. */
void response_static(struct api_response *response, const char *content_type, const void *data, size_t size);
/* A borrowed body that belongs to owner (a cached document, say) until release(owner), which is called
 * once. */
void response_borrow(struct api_response *response, const char *content_type, const void *data, size_t size,
                     void (*release)(void *owner), void *owner);
/* A stream; size as in the struct. */
void response_stream(struct api_response *response, const char *content_type, size_t size,
                     ssize_t (*read)(void *owner, uint8_t *buffer, size_t capacity),
                     void (*release)(void *owner), void *owner);

#endif
