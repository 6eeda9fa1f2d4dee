/* multipart/form-data (RFC 7578): the files of a form, from a body that arrives in pieces or is in memory. */
#ifndef POSED_API_PROTOCOL_MULTIPART_H
#define POSED_API_PROTOCOL_MULTIPART_H

#include "api/protocol/disposition.h"
#include "server/uploads/parts.h"

enum { MULTIPART_MARK = 80, MULTIPART_HELD = 8192 };

/* Receives the files in order: begin, data any number of times, end. A file's bytes begin at offset of the body.
 * False aborts the parsing; whoever made the sink knows why. */
struct multipart_sink {
    void *user;
    bool (*begin)(void *user, const char *name, uint64_t offset);
    bool (*data)(void *user, const uint8_t *data, size_t size);
    bool (*end)(void *user, uint64_t size);
};

/* The state between two pieces. Members are private to multipart.c, but for error: why it failed. */
struct multipart {
    struct multipart_sink sink;
    struct pose_error error; /* status POSE_OK if the sink failed */
    uint32_t most, count;
    enum { MULTIPART_PREAMBLE, MULTIPART_HEAD, MULTIPART_CONTENT, MULTIPART_DONE, MULTIPART_FAILED } state;
    uint64_t at; /* of the next byte, plus 2: see multipart_begin */
    char mark[MULTIPART_MARK];
    size_t mark_size;
    unsigned header_count;
    struct disposition disposition;
    bool has_begun;
    unsigned skipped; /* bytes of the line break that ends the headers */
    uint64_t size;    /* of the content so far */
    size_t held;
    uint8_t hold[MULTIPART_HELD]; /* the end of the last piece, if it may go on in the next */
};

/* Whether a Content-Type (may be NULL) is multipart/form-data. */
bool multipart_is(const char *content_type);

/*
 * A part is named by its filename, else by its field; names are sanitized to stay inside a folder
 * (name_stay_inside). Parts with neither name nor bytes, which a form sends for a field where no file was chosen,
 * are left out. At most `most` files. These return false with the error: status POSE_BAD_ARGUMENT with the offset
 * of the syntax error, or POSE_OVER_LIMIT. Memory is bounded by struct multipart and one part's names. After
 * multipart_begin call multipart_release in any case.
 */
bool multipart_begin(struct multipart *form, const char *content_type, uint32_t most,
                     const struct multipart_sink *sink);
bool multipart_push(struct multipart *form, const void *data, size_t size);
bool multipart_end(struct multipart *form);
void multipart_release(struct multipart *form);

/* The files of a whole body; their bytes point into it. */
bool multipart_parse(const char *content_type, struct pose_bytes body, uint32_t most, struct parts *parts,
                     struct pose_error *error);

#endif
