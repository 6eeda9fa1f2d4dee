/* Calling an encoder by itself, without the table; expected bytes put together field by field. */
#ifndef TESTS_LIB_FORMATS_PRIME_ENCODE_H
#define TESTS_LIB_FORMATS_PRIME_ENCODE_H

#include "lib/core/value.h"
#include "lib/formats/prime/prime.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

typedef bool prime_encoder(struct encode_job *job);

static void note_loss(void *user, const struct pose_warning *warning)
{
    struct codec_losses *losses = user;
    size_t used = strlen(losses->codes), room = sizeof losses->codes - used;
    snprintf(losses->codes + used, room, "%s ", warning->code);
    used = strlen(losses->notes);
    if (warning->severity == POSE_NOTE)
        snprintf(losses->notes + used, sizeof losses->notes - used, "%s ", warning->code);
}

/* False with error when the encoder refuses; losses may be NULL. Free out with pose_buffer_free. */
static bool try_encode(prime_encoder *encoder, const struct pose_content *content,
                       struct codec_losses *losses, struct pose_buffer *out, struct pose_error *error)
{
    struct codec_losses unwanted;
    struct arena arena;
    struct writer writer;
    losses = losses ? losses : &unwanted;
    *losses = (struct codec_losses){.codes = ""};
    *out = (struct pose_buffer){.data = NULL};
    pose_error_init(error);
    arena_init(&arena, NULL, 0, error);
    writer_init(&writer, out, error);
    struct encode_job job = {.content = content,
                             .settings = content->settings,
                             .writer = &writer,
                             .arena = &arena,
                             .error = error,
                             .warn = note_loss,
                             .user = losses};
    bool done = encoder(&job) && !arena.failed && writer_finish(&writer);
    arena_release(&arena);
    if (!done)
        pose_buffer_free(out);
    return done;
}

static inline struct pose_buffer must_encode(prime_encoder *encoder, const struct pose_content *content,
                                             struct codec_losses *losses)
{
    struct pose_buffer out;
    struct pose_error error;
    ck_assert_msg(try_encode(encoder, content, losses, &out, &error), "%s", error.detail);
    return out;
}

static inline void must_refuse(prime_encoder *encoder, const struct pose_content *content, const char *code)
{
    struct pose_buffer out;
    struct pose_error error;
    bool done = try_encode(encoder, content, NULL, &out, &error);
    pose_buffer_free(&out);
    ck_assert_msg(!done, "written, and not refused as %s", code);
    ck_assert_str_eq(error.code, code);
}

/* Bytes that are expected, in a writer of their own. */
struct expected {
    struct pose_buffer bytes;
    struct writer to;
};

static inline struct writer *expect_begin(struct expected *expected)
{
    *expected = (struct expected){.bytes = {.data = NULL}};
    writer_init(&expected->to, &expected->bytes, NULL);
    return &expected->to;
}

/* Read by the decoder, which was made apart from the encoder, and written again: the same bytes. */
static inline void check_round(const char *format, const struct pose_buffer *bytes)
{
    struct codec_losses losses;
    struct pose_document *document = codec_must_decode(format, bytes->data, bytes->size);
    struct pose_content content = document_content(document);
    struct pose_buffer again = codec_must_encode(format, &content, &losses);
    ck_assert_str_eq(losses.codes, "");
    codec_check_bytes("second time", again.data, again.size, bytes->data, bytes->size);
    pose_document_free(document);
    pose_buffer_free(&again);
}

/* Compares and frees both. */
static inline void expect_end(struct expected *expected, struct pose_buffer *found, const char *format)
{
    codec_check_bytes("file", found->data, found->size, expected->bytes.data, expected->bytes.size);
    check_round(format, found);
    pose_buffer_free(&expected->bytes);
    pose_buffer_free(found);
}

static inline void put_words(struct writer *to, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        writer_u32be(to, words[i]);
}

static inline void put_name(struct writer *to, const char *text)
{
    writer_bytes(to, text, strlen(text) + 1);
}

#endif
