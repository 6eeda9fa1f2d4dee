/* Answers: JSON, problems, caching, compression. Each returns what the handler is to return. */
#ifndef POSED_API_PROTOCOL_REPLY_H
#define POSED_API_PROTOCOL_REPLY_H

#include "api/protocol/call.h"
#include "lib/core/bytes/json_writer.h"

/* A problem (RFC 9457). code may be NULL. */
enum api_outcome reply_problem(struct api_call *call, unsigned status, const char *code, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));
/* A problem that names the limit that was hit (NULL: none). */
enum api_outcome reply_limit(struct api_call *call, unsigned status, const char *code, const char *limit,
                             const char *detail);
enum api_outcome reply_parameter(struct api_call *call, const struct param_error *error);
enum api_outcome reply_bad_parameter(struct api_call *call, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A libpose error: 415, 422, 413, 503 … format and entry say what it is about and may be NULL. */
enum api_outcome reply_error(struct api_call *call, const struct pose_error *error, const char *format,
                             const char *entry);
/* The same, and which parameter it is about. */
enum api_outcome reply_error_of(struct api_call *call, const struct pose_error *error, const char *parameter);
/* After a NULL from document_get or player_get: API_WAIT, or the failure. */
enum api_outcome reply_fetch(struct api_call *call);
enum api_outcome reply_not_found(struct api_call *call, const char *what, const char *name);
/* The same with what may have been meant. */
enum api_outcome reply_not_found_near(struct api_call *call, const char *what, const struct nearest *nearest,
                                      const char *name);

/* The members of a problem that a libpose error is, "status" and all, into an open object. */
void problem_members(struct json_writer *json, const struct pose_error *error, const char *format,
                     const char *entry);
unsigned problem_status(const struct pose_error *error);
/* "Not Found" of 404. */
const char *problem_title(unsigned status);

/*
 * The digest of an answer: start with what it is of, add what it depends on.
 */
struct asset_id digest_begin(const struct api_call *call, const struct asset_id *of);
struct asset_id digest_text(struct asset_id digest, const char *text); /* NULL counts as absent */

/*
 * Sets ETag and Cache-Control for an answer of that digest; true when the client has it already: the response is then
 * the 304 and the handler is done. is_text: it would be compressed when the client asks.
 */
bool reply_cached(struct api_call *call, struct asset_id digest, enum freshness freshness, bool is_text);

/* How long an answer may be kept unasked, within max-age. */
enum lifetime { LIFETIME_NONE, LIFETIME_HOUR, LIFETIME_FOR_EVER };

/* The same with an ETag (in its quotes) and a lifetime that are known. */
bool reply_known(struct api_call *call, const char *etag, enum lifetime lifetime);

/* Content-Location of what is the same with an explicit skeleton (NULL: none), the other parameters as they came. */
void reply_twin(struct api_call *call, const char *path, const struct asset_id *skeleton);

/* What the cache of encoded answers has for the key, or makes on the pool, referenced, and "hit" or "miss" in the response.
 * NULL: see call->fetch. */
struct cache_object *reply_kept(struct api_call *call, const struct cache_key *key, cache_make *make,
                                void *user);

/* The document of an asset, referenced, and "hit" or "miss" in the response; NULL and what to return in outcome. */
struct decoded *reply_document(struct api_call *call, const struct catalog_item *item,
                               enum api_outcome *outcome);

/* 200 with a body that is taken over; text is compressed when the client asks and it is over 1 KiB. */
enum api_outcome reply_body(struct api_call *call, const char *content_type, struct pose_buffer *body,
                            bool is_text);
/* 503. */
enum api_outcome reply_no_memory(struct api_call *call);
/* One whose writer ran out of memory is empty: then 503. */
enum api_outcome reply_json(struct api_call *call, struct pose_buffer *body);
/* Content-Disposition (RFC 6266) of a file of that name, which may hold anything. */
void reply_attachment(struct api_call *call, const char *name, const char *extension);

/* What is added to every answer: CORS, request id, timing. */
void reply_finish(struct api_call *call);

/* Which of the media types (ended by NULL) the client likes best: its index in *chosen. False, with 406 answered, when none
 * will do. One that the request has named already (not below 0) stays, whatever Accept says. */
bool accept_choose(struct api_call *call, const char *const *types, int *chosen);
/* Whether the client would rather have text/html than JSON: a browser that follows a link or sends a form. */
bool accept_prefers_page(const struct api_call *call);

#endif
