/*
 * A request as the handlers see it, and the answer that they fill in.
 *
 * No socket, no HTTP library: server/http/transport.c makes the one and sends the other, and a test does both by hand.
 */
#ifndef POSED_API_PROTOCOL_MESSAGE_H
#define POSED_API_PROTOCOL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { API_HEADER_CAPACITY = 3072, API_CLIENT_CAPACITY = 46 };

struct draft;

struct route;

struct api_segment {
    const char *text;
    size_t length;
};

enum { API_VALUES = 4, API_ALLOWED = 64 };

/* Where a request goes, which dispatch looks up once. Its segments point into the path. */
struct api_match {
    const struct route *route;   /* NULL: none for the method */
    const struct route *nearest; /* for whatever method: the metrics count by it */
    unsigned value_count;
    struct api_segment values[API_VALUES];
    struct api_segment archive, whole; /* see struct api_call; length 0: none */
    char allowed[API_ALLOWED];         /* the methods of the path, comma-separated */
};

struct api_request {
    const char *method;  /* as sent, "GET" … */
    const char *path;    /* the raw target up to '?', never percent-decoded, begins with '/' */
    const char *query;   /* the raw text after '?', "" without one */
    const uint8_t *body; /* never NULL; valid until the handler has returned API_DONE */
    size_t body_size;
    /* The file that holds the body when it was large, else NULL or points to NULL. A handler may take the draft, and the
     * body with it, by leaving NULL there. */
    struct draft **body_draft;
    const char *client; /* the peer's address as text, without its port */
    bool client_is_loopback;
    bool may_wait; /* true on the thread pool: decoding and file access are allowed */
    unsigned loop; /* index of the event loop that serves the connection, for per-loop buffers */

    /* What a handler that returns API_WAIT says of the work: for whom, where that is not the peer ("": the peer), and
     * whether it is dear, as a picture or a conversion is. Dear work lets everything else go first. */
    char payer[API_CLIENT_CAPACITY];
    bool is_dear;
    /* Whether the client has left: what is being made has no taker. From any thread; a system call. */
    bool (*has_left)(const struct api_request *request);

    /* The value of a header (name without regard to case), NULL when absent. Several of the same name: the
     * first; header_count tells that there are more, and takes "X-Forwarded-*" for all that begin so. Valid until
     * the answer is finished. */
    const char *(*header)(const struct api_request *request, const char *name);
    size_t (*header_count)(const struct api_request *request, const char *name);
    const void *transport; /* belongs to whoever made the request */
    bool is_matched;       /* these two belong to dispatch, zero at first */
    struct api_match match;
};

/* The length of a Host header's value without its port: "example.org:8080", "[::1]:8080". All of it when a bracket is
 * not closed: that is no host. */
size_t host_length(const char *host);

/* What a handler says when it returns. */
enum api_outcome {
    API_DONE, /* the response is complete */
    API_WAIT, /* it needs the pool: call again with may_wait set; the response is discarded */
};

/*
 * The body is one of: nothing; bytes (data, size, released by release(owner) once sent); a stream (read is
 * called on the pool, a block at a time as the client takes them, until it returns 0; -1 aborts the connection; size is
 * API_UNKNOWN_SIZE, or what the stream adds up to).
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

    /* For the log and the metrics. */
    const char *route; /* the route's template, "" when none matched; static */
    const char *cache; /* "hit", "miss" or NULL; static */
    char request_id[132];
    char client[API_CLIENT_CAPACITY]; /* who asks, as a trusted proxy says; "": the peer */
    char detail[512];                 /* of a problem, as its JSON has it */
};

#define API_UNKNOWN_SIZE ((size_t)-1)

/* An answer without headers and body. Whoever calls a handler has done this (with status 200) before. */
void response_init(struct api_response *response, unsigned status);
/* Releases the body and drops the headers; the response can be initialised again. */
void response_release(struct api_response *response);
/* Adds a header. A value with a control character (a name from a file, say) is cut at it; one that does not fit
 * and one that is empty is left out. */
void response_header(struct api_response *response, const char *name, const char *value);
/* Adds count headers as they stand in a block, "Name\0value\0" each: constant ones, known to be harmless. */
void response_header_block(struct api_response *response, const char *block, size_t size, unsigned count);
/* Takes every header of that name back. */
void response_drop_header(struct api_response *response, const char *name);
/* The value of the first header of that name, NULL when there is none. */
const char *response_find_header(const struct api_response *response, const char *name);

/* Each of these sets the body, adds the header Content-Type unless content_type is NULL, and releases the body
 * that was there before. */

/* A body that is copied. False, and nothing changed, when memory is out. */
bool response_copy(struct api_response *response, const char *content_type, const void *data, size_t size);
/* A body from malloc that the response takes over. */
void response_take(struct api_response *response, const char *content_type, void *data, size_t size);
/* A body of static storage. */
void response_static(struct api_response *response, const char *content_type, const void *data, size_t size);
/* A body that belongs to owner (a cached document, say) until release(owner), which is called once. */
void response_borrow(struct api_response *response, const char *content_type, const void *data, size_t size,
                     void (*release)(void *owner), void *owner);
/* A stream; size as in the struct. */
void response_stream(struct api_response *response, const char *content_type, size_t size,
                     ssize_t (*read)(void *owner, uint8_t *buffer, size_t capacity),
                     void (*release)(void *owner), void *owner);

#endif
