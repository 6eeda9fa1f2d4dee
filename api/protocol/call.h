/* One request on its way through a handler. */
#ifndef POSED_API_PROTOCOL_CALL_H
#define POSED_API_PROTOCOL_CALL_H

#include "api/protocol/message.h"
#include "api/protocol/params.h"
#include "server/library/documents.h"
#include "server/ops/effort.h"

enum { CALL_VALUES = 4, CALL_SEGMENTS = 10 };

struct route;

struct api_call {
    struct service *service;
    struct api_request *request;
    struct api_response *response;
    const struct route *route;
    struct catalog *catalog;
    struct params params;
    const char *values[CALL_VALUES]; /* of the template's {…}, decoded, in order */
    const char *archive_name;        /* of a clip by its name */
    const char *whole;               /* "{id}.{ext}", both and the dot; NULL of other templates */
    char *value_storage;
    bool by_name;                      /* the path is one of /v1/named */
    struct catalog_item *clip;         /* of a route of a clip, however the path names it */
    struct fetch fetch;                /* what getting documents cost */
    const struct index_archive *scope; /* of archive=, as which the assets are looked at; NULL: none */
    uint32_t scope_index;
    double begun, sample_seconds, write_seconds;
    struct effort *effort; /* that the request is worth; on the pool, else NULL */
};

/* Limits of the service, and the end of the effort, for what the library makes. */
struct pose_options call_options(const struct api_call *call);

typedef enum api_outcome api_handler(struct api_call *call);

/* What may be said of how long an answer holds. */
enum freshness {
    FRESH_REVALIDATE, /* depends on what else is loaded: no-cache */
    FRESH_CONTENT,    /* depends on the bytes behind its ids alone */
};

/* ------------------------------------------------------------------------------------------------ routes -- */

enum route_flags {
    ROUTE_BODY = 1,   /* takes a body, up to --max-upload */
    ROUTE_WRITES = 2, /* changes what is kept: see access.h */
    ROUTE_DEAR = 8,   /* draws or converts: lets all other work go first */
    ROUTE_POOL = 16,  /* always waits for something: never tried on the loop */
    /* Its first value is a clip, which dispatch finds; also /v1/named/{archive}/{clip}… leads here. */
    ROUTE_CLIP = 32,
    ROUTE_JSON = 4, /* answers application/json and nothing else, so that Accept must take it */
};

/* A row of the route table in api/routes.c. */
struct route {
    const char *method;
    const char *template;          /* "/v1/clips/{id}/pose" */
    const char *const *parameters; /* that the query may hold, ended by NULL; NULL: none */
    api_handler *run;
    unsigned flags; /* of enum route_flags */
};

extern const struct route routes[];
extern const size_t route_count;

#endif
