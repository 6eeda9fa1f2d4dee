/* Answers: JSON, problems, caching, compression. Each function returns what the handler should return. */
#ifndef POSED_API_PROTOCOL_REPLY_H
#define POSED_API_PROTOCOL_REPLY_H

#include "api/protocol/call.h"
#include "lib/core/bytes/json_writer.h"

/* ------------------------------------------------------------------------------------- problems (problem.c) -- */

/* A problem (RFC 9457). code may be NULL. */
enum api_outcome reply_problem(struct api_call *call, unsigned status, const char *code, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));
/* A problem that names the limit that was hit (NULL: none). */
enum api_outcome reply_limit(struct api_call *call, unsigned status, const char *code, const char *limit,
                             const char *detail);
/* No space left on this machine: 507, or 503 if other machines take uploads into the same store, since the next one may have
 * room. code may be NULL. */
enum api_outcome reply_no_room(struct api_call *call, const char *code, const char *detail);
enum api_outcome reply_parameter(struct api_call *call, const struct param_error *error);
enum api_outcome reply_bad_parameter(struct api_call *call, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A libpose error: 415, 422, 413, 503 … format and entry name its subject and may be NULL. */
enum api_outcome reply_error(struct api_call *call, const struct pose_error *error, const char *format,
                             const char *entry);
/* The same of a request's body, which must still be there: says so if it looks like what curl -d makes of a file. */
enum api_outcome reply_body_error(struct api_call *call, const struct pose_error *error, const char *format,
                                  const char *entry);
/* The same with the parameter that caused it. */
enum api_outcome reply_error_of(struct api_call *call, const struct pose_error *error, const char *parameter);
/* After document_get or player_get returned NULL: API_WAIT, or the failure. */
enum api_outcome reply_fetch(struct api_call *call);
enum api_outcome reply_not_found(struct api_call *call, const char *what, const char *name);
/* The same with suggestions. */
enum api_outcome reply_not_found_near(struct api_call *call, const char *what, const struct nearest *nearest,
                                      const char *name);
/* Behind the text of a clip's id that there is not: what an id looks like, or "" if it is one. */
const char *id_hint(const char *text, size_t length);
/* 404 with that code, and suggestions behind the text. */
enum api_outcome reply_near(struct api_call *call, const char *code, const struct nearest *nearest,
                            const char *text);
/* The same of words that follow a folder, such as "/v1/clips/ID/"; there is at least one. */
enum api_outcome reply_near_path(struct api_call *call, const struct nearest *nearest, const char *folder,
                                 const char *text);

/* Writes the members of a problem for a libpose error, including "status", into an open object. */
void problem_members(struct json_writer *json, const struct pose_error *error, const char *format,
                     const char *entry);
/* "Not Found" for 404. */
const char *problem_title(unsigned status);

/* ------------------------------------------------------------------------------------------ answers (reply.c) -- */

/*
 * The digest of an answer: begin with its subject, then add everything it depends on.
 */
struct asset_id digest_begin(const struct api_call *call, const struct asset_id *of);
struct asset_id digest_text(struct asset_id digest, const char *text); /* NULL counts as absent */

/*
 * Sets ETag and Cache-Control for an answer of that digest. True if the client has it already: the response is
 * then the 304 and the handler is done. is_text: the body may be compressed.
 */
bool reply_cached(struct api_call *call, struct asset_id digest, enum freshness freshness, bool is_text);

/* How long an answer may be cached without revalidation, within max-age. */
enum lifetime { LIFETIME_NONE, LIFETIME_HOUR, LIFETIME_FOR_EVER };

/* That of an answer whose URL may name the revision of the decoders. */
enum lifetime reply_lifetime(const struct api_call *call, enum freshness freshness);
/* The same as reply_cached with a lifetime that is known. */
bool reply_digest(struct api_call *call, struct asset_id digest, enum lifetime lifetime, bool is_text);
/* The same with a given ETag (quoted) and lifetime. */
bool reply_known(struct api_call *call, const char *etag, enum lifetime lifetime);

/* Sets Content-Location to the equivalent URL with an explicit skeleton (NULL: none), an explicit target of a
 * retargeting (NULL: as it is) and the other parameters unchanged. */
void reply_twin(struct api_call *call, const char *path, const struct asset_id *skeleton,
                const struct asset_id *onto);

/* The object for the key from the cache of encoded answers, or made on the pool; referenced. Sets "hit" or
 * "miss" in the response. NULL: see call->fetch. */
struct cache_object *reply_kept(struct api_call *call, const struct cache_key *key, cache_make *make,
                                void *user);

/* The document of an asset, referenced; sets "hit" or "miss" in the response. NULL with the handler's
 * return value in outcome. */
struct decoded *reply_document(struct api_call *call, const struct catalog_item *item,
                               enum api_outcome *outcome);

/* 200 with a body that is taken over; text over 1 KiB is compressed if the client accepts it. */
enum api_outcome reply_body(struct api_call *call, const char *content_type, struct pose_buffer *body,
                            bool is_text);
/* 503. */
enum api_outcome reply_no_memory(struct api_call *call);
/* The effort of the call is over: 413 or 503, see effort_explain. */
enum api_outcome reply_out_of_time(struct api_call *call);
/* An empty buffer means that its writer ran out of memory: then 503. */
enum api_outcome reply_json(struct api_call *call, struct pose_buffer *body);
/* The same of a body that is made in any case: its own digest is the tag. */
enum api_outcome reply_json_by_content(struct api_call *call, struct pose_buffer *body,
                                       enum freshness freshness);
/* Content-Disposition (RFC 6266) for a file of that name, which may contain any characters. */
void reply_attachment(struct api_call *call, const char *name, const char *extension);

/* Adds what every answer has: CORS, request id, timing. */
void reply_finish(struct api_call *call);

/* The media type (NULL-terminated list) that the client prefers: its index in *chosen. False, with 406
 * answered, if none is acceptable. If *chosen is not negative, the request has already named the type, and
 * Accept is ignored. */
bool accept_choose(struct api_call *call, const char *const *types, int *chosen);
/* Whether the client prefers text/html over JSON: a browser that follows a link or sends a form. */
bool accept_prefers_page(const struct api_call *call);

#endif
