/* One request on its way through a handler. */
#ifndef POSED_API_PROTOCOL_CALL_H
#define POSED_API_PROTOCOL_CALL_H

#include "api/protocol/message.h"
#include "api/protocol/params.h"
#include "server/access/tokens.h"
#include "server/library/documents.h"
#include "server/ops/work/effort.h"

enum { CALL_VALUES = 4, CALL_SEGMENTS = 10 };

struct route;

struct api_call {
    struct service *service;
    struct api_request *request;
    struct api_response *response;
    const struct route *route;
    struct catalog *catalog;
    struct params params;
    const char *values[CALL_VALUES]; /* values of the template's {…}, decoded, in order */
    const char *archive_name;        /* for a clip addressed by name */
    const char *whole;               /* "{id}.{ext}" with the dot; NULL for other templates */
    char *value_storage;
    struct grant grant;                /* of the client, once access.h has looked */
    bool by_name;                      /* the path is below /v1/named */
    struct catalog_item *clip;         /* on clip routes, however the path names the clip */
    struct fetch fetch;                /* what loading documents cost */
    const struct index_archive *scope; /* from archive=: the archive as which assets are seen; NULL: none */
    uint32_t scope_index;
    struct rows_view *rows; /* of just this catalogue, to be taken by a list; NULL: it has to be opened */
    bool has_listed;        /* a list was asked for */
    bool is_view;           /* the catalogue holds uploads that others do not see */
    double begun, sample_seconds, write_seconds;
    struct effort *effort; /* budget of the request; NULL unless on the pool */
    /* The pointer of the object in a JSON body whose members the parameters are, and that of its part that has
     * "clip", "joints" and "archive"; NULL: the query, and the same object. */
    const char *pointer, *part_pointer;
};

/* Options for libpose: the service's limits, and the end of the effort. */
struct pose_options call_options(const struct api_call *call);

typedef enum api_outcome api_handler(struct api_call *call);

/* How long a response may be cached. */
enum freshness {
    FRESH_REVALIDATE, /* depends on what else is loaded: no-cache */
    FRESH_CONTENT,    /* depends only on the bytes behind its ids */
};

/* ------------------------------------------------------------------------------------------------ routes -- */

enum route_flags {
    ROUTE_BODY = 1,    /* takes a body, up to --max-upload */
    ROUTE_UPLOADS = 2, /* changes stored data: see access.h */
    ROUTE_DELETES = 64,
    ROUTE_MODERATES = 128,
    ROUTE_WRITES = ROUTE_UPLOADS | ROUTE_DELETES | ROUTE_MODERATES,
    ROUTE_DEAR = 8,  /* draws or converts: all other work goes first */
    ROUTE_POOL = 16, /* always waits for something: never tried on the event loop */
    /* Its first value is a clip, which dispatch looks up; /v1/named/{archive}/{clip}… is routed here too. */
    ROUTE_CLIP = 32,
    ROUTE_SIGNED = 256, /* expensive: see signed.h */
    ROUTE_JSON = 4,     /* only answers application/json, so Accept must allow it */
};

/* A row of the route table in api/routes.c. */
struct route {
    const char *method;
    const char *template;          /* "/v1/clips/{id}/pose" */
    const char *const *parameters; /* allowed query parameters, NULL-terminated; NULL: none */
    api_handler *run;
    unsigned flags; /* of enum route_flags */
};

extern const struct route routes[];
extern const size_t route_count;

#endif
