/* What tests of codecs share: decoding with an eye on warnings and memory, encoding with an eye on losses. */
#ifndef TESTS_SUPPORT_CODECS_H
#define TESTS_SUPPORT_CODECS_H

#include "pose.h"
#include "tests/support/document_content.h"

/* Decodes as that format (NULL: found out); NULL on failure, with error. */
struct pose_document *codec_decode(const char *format, const void *data, size_t size,
                                   struct pose_error *error);
/* The same of what must succeed: fails the test with the error's line. */
struct pose_document *codec_must_decode(const char *format, const void *data, size_t size);
/* Decodes what must fail with that code; the error is given back for a closer look. */
struct pose_error codec_must_fail(const char *format, const void *data, size_t size, const char *code);
/* Bytes that decoding takes from the allocator, all in all; the result does not matter. */
size_t codec_memory(const char *format, const void *data, size_t size);

/* Files beside the one that is decoded; the last has a NULL name. */
struct codec_companion {
    const char *name;
    struct pose_bytes bytes;
};

/* A pose_source's find, whose user is an array of companions. */
bool codec_find_companion(void *user, const char *name, struct pose_bytes *bytes);
/* Decodes what has companions; NULL on failure, with error. */
struct pose_document *codec_decode_with(const char *format, const void *data, size_t size,
                                        struct codec_companion *companions, struct pose_error *error);

/* How many warnings of that code the document and everything in it have. code NULL: of any. */
uint32_t codec_warnings(const struct pose_document *document, const char *code);
/* The message of the first, "" when there is none. */
const char *codec_warning_text(const struct pose_document *document, const char *code);

/* Codes of what encoders report, each followed by a blank: all, and those of them that are no losses. */
struct codec_losses {
    char codes[400], notes[200];
};

/* Encodes what must succeed; losses may be NULL. Free with pose_buffer_free. */
struct pose_buffer codec_must_encode(const char *format, const struct pose_content *content,
                                     struct codec_losses *losses);
/* Fails the test unless the value is that JSON. */
void codec_check_json(const struct pose_value *value, const char *expected);
/* Fails the test unless the bytes are the same; says where they differ. */
void codec_check_bytes(const char *what, const void *a, size_t a_size, const void *b, size_t b_size);

#endif
