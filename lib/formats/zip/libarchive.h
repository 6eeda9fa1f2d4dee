/*
 * libarchive, opened for the first container that needs it: it brings libxml2, ICU and a dozen others, which would cost
 * every start of a program a third of its time. Its functions are called through a table.
 */
#ifndef POSE_FORMATS_ZIP_LIBARCHIVE_H
#define POSE_FORMATS_ZIP_LIBARCHIVE_H

#include "pose.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

#define LIBARCHIVE_FUNCTIONS(X)                                                                              \
    X(entry_filetype)                                                                                        \
    X(entry_hardlink)                                                                                        \
    X(entry_is_data_encrypted)                                                                               \
    X(entry_pathname)                                                                                        \
    X(entry_pathname_utf8)                                                                                   \
    X(entry_size)                                                                                            \
    X(entry_size_is_set)                                                                                     \
    X(entry_sparse_count)                                                                                    \
    X(error_string)                                                                                          \
    X(format)                                                                                                \
    X(read_append_filter)                                                                                    \
    X(read_data_block)                                                                                       \
    X(read_free)                                                                                             \
    X(read_header_position)                                                                                  \
    X(read_new)                                                                                              \
    X(read_next_header)                                                                                      \
    X(read_open1)                                                                                            \
    X(read_set_callback_data)                                                                                \
    X(read_set_read_callback)                                                                                \
    X(read_set_seek_callback)                                                                                \
    X(read_set_skip_callback)                                                                                \
    X(read_support_format_7zip)                                                                              \
    X(read_support_format_cab)                                                                               \
    X(read_support_format_cpio)                                                                              \
    X(read_support_format_rar)                                                                               \
    X(read_support_format_rar5)                                                                              \
    X(read_support_format_tar)                                                                               \
    X(read_support_format_zip_streamable)

/* libarchive.read_new is archive_read_new, and so on; after libarchive_open. */
extern struct libarchive {
#define MEMBER(name) __typeof__(&archive_##name) name;
    LIBARCHIVE_FUNCTIONS(MEMBER)
#undef MEMBER
} libarchive;

/* Opened once and never closed; any thread may call it. False, with error, if the library is not installed. */
bool libarchive_open(struct pose_error *error);

#endif
