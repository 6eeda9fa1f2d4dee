/*
 * libFuzzer's target for forms: the first line is a Content-Type, the rest a body. Every part must lie in the body and
 * have a name that stays inside of a folder; the ZIP that is made of them must have the size that was foreseen. In pieces,
 * however they are cut, the form must have the same files or the same error.
 */
#include "api/protocol/disposition.h"
#include "api/protocol/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PARTS = 100 };

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

static void check_name(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\'))
        give_up("a name that does not stay inside");
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        size_t length = strcspn(at, "/");
        if (!length || (length == 2 && !memcmp(at, "..", 2)) || (length == 1 && *at == '.'))
            give_up("a name with a step that leads elsewhere");
    }
}

static bool count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

static void check_parts(struct parts *parts, struct pose_bytes body)
{
    uint64_t inside = 0, written = 0;
    if (parts->count > MAX_PARTS)
        give_up("more parts than may be");
    for (uint32_t i = 0; i < parts->count; i++) {
        struct pose_bytes bytes = parts->items[i].bytes;
        if (bytes.size && (bytes.data < body.data || bytes.data + bytes.size > body.data + body.size))
            give_up("a part outside of the body");
        inside += bytes.size;
        check_name(parts->items[i].name);
    }
    if (inside > body.size)
        give_up("parts over each other");
    parts_sort(parts);
    if (!parts_write(parts, count_bytes, &written) || written < inside)
        give_up("a ZIP that lacks something");
}

static void compare_parts(const struct parts *parts, const struct parts *other)
{
    if (parts->count != other->count)
        give_up("another number of parts in pieces");
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *a = &parts->items[i], *b = &other->items[i];
        if (strcmp(a->name, b->name) || a->bytes.size != b->bytes.size ||
            (a->bytes.size && memcmp(a->bytes.data, b->bytes.data, a->bytes.size)))
            give_up("another part in pieces");
    }
}

/* The ZIP that was written on the way holds the parts. */
static void check_zip(const struct form *form, const struct draft *draft)
{
    const struct parts *parts = &form->spool.parts;
    struct pose_bytes only, zip = {draft->data, (size_t)draft->size};
    struct pose_source source = {.name = "parts.zip", .bytes = zip};
    struct pose_error error;
    if (parts_only(zip, &only) != (parts->count == 1) ||
        (parts->count == 1 && only.size != parts->items[0].bytes.size))
        give_up("a ZIP of one part");
    struct pose_archive *archive = parts->count ? pose_archive_open(&source, NULL, &error) : NULL;
    if (parts->count && (!archive || pose_archive_count(archive) != parts->count))
        give_up("a ZIP that cannot be opened");
    for (uint32_t i = 0; i < parts->count; i++) {
        struct pose_buffer out = {0};
        if (!pose_archive_read(archive, i, &out, &error) || out.size != parts->items[i].bytes.size ||
            (out.size && memcmp(out.data, parts->items[i].bytes.data, out.size)))
            give_up("a ZIP with other bytes");
        pose_buffer_free(&out);
    }
    pose_archive_close(archive);
}

/* whole: what multipart_parse made of the body, with its error if there are none. */
static void check_pieces(const char *type, struct pose_bytes body, size_t piece, const struct parts *whole,
                         const struct pose_error *why)
{
    struct store_error store_error;
    struct pose_error error = {0};
    struct draft *draft = draft_in_memory(&store_error);
    struct form *form = draft ? form_new(type, MAX_PARTS, draft) : NULL;
    if (!form)
        abort();
    for (size_t at = 0; at < body.size; at += piece) {
        if (!form_add(form, body.data + at, body.size - at < piece ? body.size - at : piece))
            give_up("a piece that was not written");
    }
    bool done = form_finish(form, &error);
    if (done != !why)
        give_up("another end in pieces");
    if (why &&
        (strcmp(why->code, error.code) || why->offset != error.offset || strcmp(why->detail, error.detail)))
        give_up("another error in pieces");
    if (done) {
        compare_parts(whole, &form->spool.parts);
        check_zip(form, draft);
    }
    form_free(form);
    draft_free(draft);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    if (!end)
        return 0;
    size_t length = (size_t)(end - data);
    char *type = calloc(1, length + 1);
    uint8_t *copy = malloc(size - length);
    if (!type || !copy)
        abort();
    memcpy(type, data, length);
    memcpy(copy, end + 1, size - length - 1);
    struct pose_bytes body = {copy, size - length - 1};
    struct parts parts = {0};
    struct pose_error error;
    if (multipart_is(type)) {
        bool done = multipart_parse(type, body, MAX_PARTS, &parts, &error);
        if (done)
            check_parts(&parts, body);
        for (size_t piece = 1; piece < 10000; piece = piece * 7 + 1)
            check_pieces(type, body, piece, &parts, done ? NULL : &error);
    }
    parts_release(&parts);
    free(type);
    free(copy);
    return 0;
}
