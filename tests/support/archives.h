/* What the tests of archive types share: opening bytes that end where their memory ends, and damaging them. */
#ifndef TESTS_SUPPORT_ARCHIVES_H
#define TESTS_SUPPORT_ARCHIVES_H

#include "pose.h"

/* An archive over a copy of its bytes, so that AddressSanitizer sees a read past their end. */
struct test_archive {
    struct pose_archive *archive; /* NULL: it cannot be opened, error says why */
    uint8_t *bytes;
    struct pose_error error;
};

/* options and format may be NULL. */
void test_archive_open(const void *bytes, size_t size, const char *format, const struct pose_options *options,
                       struct test_archive *test);
void test_archive_close(struct test_archive *test);

/* Opens, and fails the test when that is impossible. */
void test_archive_must_open(const struct pose_buffer *bytes, struct test_archive *test);
/* The entry is there, can be read and holds these bytes. */
void test_entry_holds(const struct test_archive *test, uint32_t index, const char *name, const void *bytes,
                      size_t size);
/* The entry cannot be read: code and, unless it is POSE_NO_OFFSET, offset of its error. */
void test_entry_fails(const struct test_archive *test, uint32_t index, const char *code, uint64_t offset);
/* The archive cannot be opened: code, offset (POSE_NO_OFFSET: any) and field (NULL: any) of its error. */
void test_open_fails(const void *bytes, size_t size, const char *code, uint64_t offset, const char *field);
/* How many warnings of that code the archive has. */
unsigned test_count_warnings(const struct test_archive *test, const char *code);
/* The code of the first warning that reading the entry gives; "" when none. */
const char *test_read_warning(const struct test_archive *test, uint32_t index);

/* Packs, and fails the test when that is impossible. settings may be NULL. */
void test_pack(const char *format, const struct pose_pack_item *items, uint32_t count,
               const struct pose_value *settings, struct pose_buffer *out);
/* Packs files of many sizes and contents, opens that and reads every one back, singly and in one pass. name_of writes
 * the name of file number k; NULL: "folder/file-3.anim". */
typedef void test_name_of(unsigned number, char *text, size_t size);
/* (also with each of the library's allocations refused while packing) */
void test_round_trip(const char *format, const struct pose_value *settings, test_name_of *name_of);

/*
 * Opens every truncation of the archive, and it with four patches of every byte, and with each of the library's
 * allocations refused, and reads every entry: right, or refused with a code and a line. Returns how often something
 * was refused.
 */
unsigned test_damage(const struct pose_buffer *bytes);

#endif
