/*
 * JSON texts as trees of pose_value. jansson parses; this file alone knows it.
 *
 * Numbers: a whole one up to 2^53 is a POSE_INT, but -0 keeps its sign and any other is the nearest 32-bit float, so a
 * number that pose_float_text wrote comes back bit for bit. What no float can hold is null. Of members that have the same
 * name the last one counts.
 */
#ifndef POSE_CORE_JSON_H
#define POSE_CORE_JSON_H

#include "lib/core/error.h"
#include "lib/core/value.h"

enum { JSON_DEPTH = 64 }; /* arrays and objects inside of each other */

/* A tree and the memory that it takes, which is not the document's. */
struct json {
    struct arena arena;
    struct arena *document;
    size_t limit; /* of both together */
    const struct pose_value *root;
};

/*
 * Parses a text whose first byte is at that offset of the file. What it will take is estimated from the text itself,
 * before anything is allocated, and held against what the document's arena may still take. False with "bad_json" (with
 * offset and line), "too_deep" or a limit. json_close is right in any case.
 */
bool json_open(struct json *json, struct pose_bytes text, uint64_t offset, struct arena *document,
               struct pose_error *error);
void json_close(struct json *json);
/* Memory until json_close, from what the document leaves of the limit. */
void *json_alloc(struct json *json, size_t count, size_t size);

/* True when the text is an object that has, among its own members, all of those names (the list ends with NULL), each
 * followed by a value that begins with its letter ('[', '{', '"', or '0' for a number). Looks at brackets and strings
 * alone; allocates nothing. */
struct json_member {
    const char *name;
    char begins;
};
bool json_has_members(struct pose_bytes text, const struct json_member *members);

/* The items of an array, for access by index. */
struct json_list {
    const struct pose_value **items;
    uint32_t count;
};
/* An array's items; NULL is an empty list. False when it is no array, or memory is out. */
bool json_list(struct json *json, const struct pose_value *array, struct json_list *list);

/* A refusal with a JSON pointer as its place: "/nodes/3/children: ...". The pointer is that of an object and a member of
 * it ("/children"); either may be empty. Always false. */
bool json_refuse(struct pose_error *error, enum pose_status status, const char *code, const char *object,
                 const char *member, const char *format, ...) POSE_PRINTF(6, 7);
bool json_vrefuse(struct pose_error *error, enum pose_status status, const char *code, const char *object,
                  const char *member, const char *format, va_list arguments);

#endif
