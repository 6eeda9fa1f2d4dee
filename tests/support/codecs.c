#include "tests/support/codecs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct pose_document *decode_with(const char *format, const void *data, size_t size,
                                         const struct pose_options *options, struct pose_error *error)
{
    struct pose_source source = {.bytes = {data, size}, .format = format};
    return pose_decode(&source, options, error);
}

struct pose_document *codec_decode(const char *format, const void *data, size_t size,
                                   struct pose_error *error)
{
    return decode_with(format, data, size, NULL, error);
}

struct pose_document *codec_must_decode(const char *format, const void *data, size_t size)
{
    struct pose_error error;
    struct pose_document *document = codec_decode(format, data, size, &error);
    ck_assert_msg(document != NULL, "%s: %s", error.code, error.detail);
    return document;
}

struct pose_error codec_must_fail(const char *format, const void *data, size_t size, const char *code)
{
    struct pose_error error;
    struct pose_document *document = codec_decode(format, data, size, &error);
    ck_assert_msg(document == NULL, "decoded what should be %s", code);
    ck_assert_msg(!strcmp(error.code, code), "%s, not %s: %s", error.code, code, error.detail);
    return error;
}

static void *count_alloc(void *user, size_t size)
{
    *(size_t *)user += size;
    return malloc(size);
}

static void count_free(void *user, void *memory)
{
    (void)user;
    free(memory);
}

size_t codec_memory(const char *format, const void *data, size_t size)
{
    size_t taken = 0;
    struct pose_allocator allocator = {count_alloc, count_free, &taken};
    struct pose_options options = {.allocator = &allocator};
    pose_document_free(decode_with(format, data, size, &options, NULL));
    return taken;
}

bool codec_find_companion(void *user, const char *name, struct pose_bytes *bytes)
{
    for (const struct codec_companion *companion = user; companion && companion->name; companion++) {
        if (!strcasecmp(companion->name, name)) {
            *bytes = companion->bytes;
            return true;
        }
    }
    return false;
}

struct pose_document *codec_decode_with(const char *format, const void *data, size_t size,
                                        struct codec_companion *companions, struct pose_error *error)
{
    struct pose_source source = {
        .bytes = {data, size}, .format = format, .find = codec_find_companion, .user = companions};
    return pose_decode(&source, NULL, error);
}

/* Counts, and keeps the first. */
static void look(const struct pose_warning *warnings, uint32_t count, const char *code, uint32_t *found,
                 const char **text)
{
    for (uint32_t i = 0; i < count; i++) {
        if (code && strcmp(warnings[i].code, code))
            continue;
        if (!(*found)++)
            *text = warnings[i].message;
    }
}

static uint32_t look_everywhere(const struct pose_document *document, const char *code, const char **text)
{
    uint32_t found = 0;
    look(document->warnings, document->warning_count, code, &found, text);
    for (uint32_t i = 0; i < document->clip_count; i++)
        look(document->clips[i].warnings, document->clips[i].warning_count, code, &found, text);
    for (uint32_t i = 0; i < document->skeleton_count; i++)
        look(document->skeletons[i].warnings, document->skeletons[i].warning_count, code, &found, text);
    for (uint32_t i = 0; i < document->mesh_count; i++)
        look(document->meshes[i].warnings, document->meshes[i].warning_count, code, &found, text);
    for (uint32_t i = 0; i < document->character_count; i++)
        look(document->characters[i].warnings, document->characters[i].warning_count, code, &found, text);
    return found;
}

uint32_t codec_warnings(const struct pose_document *document, const char *code)
{
    const char *text;
    return look_everywhere(document, code, &text);
}

const char *codec_warning_text(const struct pose_document *document, const char *code)
{
    const char *text = "";
    look_everywhere(document, code, &text);
    return text;
}

static void note_loss(void *user, const struct pose_warning *warning)
{
    struct codec_losses *losses = user;
    size_t used = strlen(losses->codes);
    snprintf(losses->codes + used, sizeof losses->codes - used, "%s ", warning->code);
    used = strlen(losses->notes);
    if (warning->severity == POSE_NOTE)
        snprintf(losses->notes + used, sizeof losses->notes - used, "%s ", warning->code);
}

struct pose_buffer codec_must_encode(const char *format, const struct pose_content *content,
                                     struct codec_losses *losses)
{
    struct codec_losses ignored = {0};
    struct pose_buffer out = {0};
    struct pose_error error;
    losses = losses ? losses : &ignored;
    losses->codes[0] = losses->notes[0] = 0;
    bool done = pose_encode(format, content, NULL, note_loss, losses, &out, &error);
    ck_assert_msg(done, "%s: %s", error.code, error.detail);
    return out;
}

void codec_check_bytes(const char *what, const void *a, size_t a_size, const void *b, size_t b_size)
{
    size_t size = a_size < b_size ? a_size : b_size, i = 0;
    const unsigned char *x = a, *y = b;
    while (i < size && x[i] == y[i])
        i++;
    if (i < size)
        ck_abort_msg("%s: byte %zu is %02x, not %02x", what, i, x[i], y[i]);
    ck_assert_msg(a_size == b_size, "%s: %zu bytes, not %zu", what, a_size, b_size);
}

void codec_check_json(const struct pose_value *value, const char *expected)
{
    struct pose_buffer text = {0};
    ck_assert(pose_json_value(&text, value) && pose_buffer_append(&text, "", 1));
    ck_assert_str_eq((const char *)text.data, expected);
    pose_buffer_free(&text);
}
