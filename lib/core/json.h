/*
 * Parses JSON into trees of pose_value. The parser is jansson, used in this file only.
 *
 * Numbers: an integer up to 2^53 is a POSE_INT, except -0, which keeps its sign; any other number is the nearest
 * 32-bit float, so the output of pose_float_text is read back bit for bit. Numbers out of range are null. Of
 * duplicate members the last one counts.
 */
#ifndef POSE_CORE_JSON_H
#define POSE_CORE_JSON_H

#include "lib/core/error.h"
#include "lib/core/value.h"

enum { JSON_DEPTH = 64 }; /* nested arrays and objects */

/* A tree and its memory, separate from the document's. */
struct json {
    struct arena arena;
    struct arena *document;
    size_t limit; /* of both together */
    const struct pose_value *root;
};

/*
 * Parses a text whose first byte is at that offset of the file. The memory needed is estimated from the text before
 * anything is allocated, and checked against the rest of the document's limit. Returns false with "bad_json" (with
 * offset and line), "too_deep" or a limit. Call json_close in either case.
 */
bool json_open(struct json *json, struct pose_bytes text, uint64_t offset, struct arena *document,
               struct pose_error *error);
void json_close(struct json *json);
/* Memory that lives until json_close, from the rest of the document's limit. */
void *json_alloc(struct json *json, size_t count, size_t size);

/* True if the text is an object whose direct members include all those names (NULL-terminated list), each with a
 * value that begins with its character ('[', '{', '"', or '0' for a number; 0: any). Scans brackets and strings only;
 * allocates nothing. */
struct json_member {
    const char *name;
    char begins;
};
bool json_has_members(struct pose_bytes text, const struct json_member *members);
/* The same if it has at least one of them. The text may end early. */
bool json_has_any(struct pose_bytes text, const struct json_member *members);

/* The items of an array, for access by index. */
struct json_list {
    const struct pose_value **items;
    uint32_t count;
};
/* Lists an array's items; NULL is an empty list. Returns false if it is not an array, or if out of memory. */
bool json_list(struct json *json, const struct pose_value *array, struct json_list *list);

/* Reports an error at a JSON pointer: "/nodes/3/children: ...". The pointer consists of an object's and a member's
 * ("/children"); either may be empty. Always returns false. */
bool json_refuse(struct pose_error *error, enum pose_status status, const char *code, const char *object,
                 const char *member, const char *format, ...) POSE_PRINTF(6, 7);
bool json_vrefuse(struct pose_error *error, enum pose_status status, const char *code, const char *object,
                  const char *member, const char *format, va_list arguments);

#endif
