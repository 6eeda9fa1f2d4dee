/* Files of Metroid Prime that were put together by hand come back byte for byte through decoder and encoder. */
#include "tests/support/codecs.h"
#include "tests/support/prime/files.h"
#include "tests/support/unit.h"

#include <string.h>

static const struct {
    const char *format;
    void (*make)(struct prime_made *made);
} files[] = {
    {"prime-cinf", prime_make_cinf_mp1}, {"prime-cinf", prime_make_cinf_mp2},
    {"prime-evnt", prime_make_evnt_mp1}, {"prime-evnt", prime_make_evnt_mp2},
    {"prime-ancs", prime_make_ancs_mp1}, {"prime-ancs", prime_make_ancs_mp2},
    {"prime-cskr", prime_make_cskr_mp1}, {"prime-cskr", prime_make_cskr_mp2},
};

TEST_EACH(what_was_made_by_hand_comes_back, COUNT(files))
{
    struct prime_made made;
    files[_i].make(&made);
    struct pose_document *document = codec_must_decode(files[_i].format, made.bytes.data, made.bytes.size);
    ck_assert_uint_eq(codec_warnings(document, NULL), 0);
    struct pose_content content = document_content(document);
    struct pose_buffer again = codec_must_encode(files[_i].format, &content, NULL);
    codec_check_bytes(files[_i].format, again.data, again.size, made.bytes.data, made.bytes.size);
    pose_buffer_free(&again);
    pose_document_free(document);
    pose_buffer_free(&made.bytes);
}

TEST_EACH(they_are_known_by_their_bytes, COUNT(files))
{
    struct prime_made made;
    files[_i].make(&made);
    struct pose_source source = {.name = "any.dat", .bytes = {made.bytes.data, made.bytes.size}};
    ck_assert_str_eq(pose_detect(&source), files[_i].format);
    pose_buffer_free(&made.bytes);
}
