/* Forms that arrive in pieces: what a piece ends with must not matter, and what is held is bounded. */
#include "api/protocol/form.h"
#include "server/store/blobs.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static const char type[] = "multipart/form-data; boundary=b";

/* A form with a draft in memory. */
struct spooled {
    struct draft *draft;
    struct form *form;
    struct pose_error error;
    bool done;
};

static struct spooled spool(const char *body, size_t size, size_t first, size_t piece)
{
    struct store_error error;
    struct spooled spooled = {.draft = draft_in_memory(&error)};
    spooled.form = form_new(type, 3, spooled.draft);
    for (size_t at = 0, next = first; at < size; at += next, next = piece) {
        next = size - at < next ? size - at : next;
        ck_assert(form_add(spooled.form, body + at, next));
    }
    spooled.done = form_finish(spooled.form, &spooled.error);
    return spooled;
}

static void drop(struct spooled *spooled)
{
    form_free(spooled->form);
    draft_free(spooled->draft);
}

static void is_part(const struct spooled *spooled, uint32_t index, const char *name, const char *text)
{
    const struct part *part = &spooled->form->spool.parts.items[index];
    ck_assert_str_eq(part->name, name);
    ck_assert_uint_eq(part->bytes.size, strlen(text));
    ck_assert_mem_eq(part->bytes.size ? part->bytes.data : (const uint8_t *)"", text, strlen(text));
}

TEST(a_form_may_be_cut_anywhere)
{
    static const char body[] = "before\r\n--bx\r\n--b \t\r\n"
                               "Content-Disposition: form-data; name=f; filename=\"z\"\r\n\r\n"
                               "\r\n--\r\n--b-\r\n--bb\r\r\n\r\n--b\r\n"
                               "Content-Disposition: form-data; name=f; filename=\"a\"\r\n\r\n"
                               "\r\n--b\r\n"
                               "Content-Disposition: form-data; name=none\r\n\r\n\r\n--b--after\r\n--b\r\n";
    size_t size = sizeof body - 1;
    for (size_t first = 1; first <= size; first++) {
        for (size_t piece = 1; piece <= size; piece = piece * 3 + first % 3) {
            struct spooled spooled = spool(body, size, first, piece);
            ck_assert_msg(spooled.done, "%s", spooled.error.detail);
            ck_assert_uint_eq(spooled.form->spool.parts.count, 2);
            is_part(&spooled, 0, "a", "");
            is_part(&spooled, 1, "z", "\r\n--\r\n--b-\r\n--bb\r\r\n");
            drop(&spooled);
        }
    }
}

TEST(an_error_says_the_same_byte_however_it_arrives)
{
    static const struct {
        const char *body, *detail;
    } cases[] = {
        {"", "the multipart body at byte 0: the closing boundary is missing"},
        {"--b", "the multipart body at byte 3: the closing boundary is missing"},
        {"--b\r\nno header\r\n\r\n", "the multipart body at byte 5: malformed part header"},
        {"--b\r\nA: b", "the multipart body at byte 5: a header line of a part is not terminated"},
        {"--b\r\nA: b\r\n\r\ntext\r\n--b", "the multipart body at byte 22: the closing boundary is missing"},
        {"--b\r\nA: b\r\nContent-Disposition: form-data; name=\"f\r\n\r\n",
         "the multipart body at byte 11: malformed Content-Disposition"},
        {"--b\r\nContent-Transfer-Encoding: base64\r\n\r\n",
         "the multipart body at byte 5: unsupported Content-Transfer-Encoding (only binary)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = strlen(cases[i].body);
        for (size_t piece = 1; piece <= size + 1; piece++) {
            struct spooled spooled = spool(cases[i].body, size, piece, piece);
            ck_assert(!spooled.done);
            ck_assert_str_eq(spooled.error.code, "bad_multipart");
            ck_assert_str_eq(spooled.error.detail, cases[i].detail);
            drop(&spooled);
        }
    }
}

/* Repeats a text many times in one body, with a text before and after it. */
static char *repeated(const char *before, const char *text, size_t times, const char *after, size_t *size)
{
    *size = strlen(before) + strlen(text) * times + strlen(after);
    char *body = malloc(*size + 1), *at = stpcpy(body, before);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, text);
    strcpy(at, after);
    return body;
}

TEST(what_has_no_end_is_refused_or_is_content)
{
    static const struct {
        const char *before, *text;
        size_t times;
        const char *after, *code; /* NULL: done */
    } cases[] = {
        {"--b\r\nA:", "x", 5000, "\r\n\r\n\r\n--b--", "bad_multipart"},
        {"--b\r\n", "A: b\r\n", 33, "\r\n\r\n--b--", "bad_multipart"},
        {"--b\r\n", "A: b\r\n", 32, "\r\n\r\n--b--", NULL},
        {"", "x", 100000, "", "bad_multipart"},
        {"--b", " ", 100000, "\r\n", "bad_multipart"},
        {"--b\r\n\r\n\r\n--b", " ", 2000, "\r\n--b--", NULL},
        {"--b\r\n\r\n", "\r\n--bx", 20000, "\r\n--b--", NULL},
        {"", "--b\r\n\r\nx\r\n", 4, "--b--", "over_limit"},
        {"", "--b\r\n\r\nx\r\n", 3, "--b--", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *body = repeated(cases[i].before, cases[i].text, cases[i].times, cases[i].after, &size);
        for (size_t piece = 1; piece < 200000; piece = piece * 13 + 2) {
            struct spooled spooled = spool(body, size, piece, piece);
            ck_assert_int_eq(spooled.done, !cases[i].code);
            if (cases[i].code)
                ck_assert_str_eq(spooled.error.code, cases[i].code);
            drop(&spooled);
        }
        free(body);
    }
}

/* The bytes of the parts, a record before and after each of them, and the directory: each is written once. */
TEST(every_byte_is_written_once)
{
    size_t size;
    char *body = repeated("--b\r\nContent-Disposition: form-data; name=f; filename=large.bin\r\n\r\n",
                          "12345678", 200000, "\r\n--b--", &size);
    uint64_t before = draft_written();
    struct spooled spooled = spool(body, size, 1000, 30000);
    struct pose_bytes only;
    ck_assert(spooled.done);
    ck_assert_uint_eq(draft_written() - before, spooled.draft->size);
    ck_assert_uint_eq(spooled.draft->size, 1600000 + 30 + 46 + 16 + 22 + 2 * strlen("large.bin"));
    ck_assert(parts_only((struct pose_bytes){spooled.draft->data, (size_t)spooled.draft->size}, &only));
    ck_assert_uint_eq(only.size, 1600000);
    ck_assert_mem_eq(only.data, body + size - 7 - 1600000, 1600000);
    struct blob_hash hash = hash_of(spooled.draft->data, (size_t)spooled.draft->size);
    ck_assert_mem_eq(&hash, &spooled.draft->hash, sizeof hash);
    drop(&spooled);
    free(body);
}
