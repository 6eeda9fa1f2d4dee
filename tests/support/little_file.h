/* A file of little-endian numbers, put together field by field, apart from libpose's own writer. */
#ifndef TESTS_SUPPORT_LITTLE_FILE_H
#define TESTS_SUPPORT_LITTLE_FILE_H

#include "pose.h"

/* A file that is being made; free bytes with pose_buffer_free. */
struct little_file {
    struct pose_buffer bytes;
};

void little_put(struct little_file *file, const void *bytes, size_t size);
void little_put_u8(struct little_file *file, unsigned value);
void little_put_u16(struct little_file *file, unsigned value);
void little_put_u32(struct little_file *file, uint32_t value);
void little_put_f32(struct little_file *file, float value);
/* With its NUL. */
void little_put_text(struct little_file *file, const char *text);

/* Overwrites what was put before. */
void little_set_u32(struct little_file *file, size_t offset, uint32_t value);
void little_set_f32(struct little_file *file, size_t offset, float value);

#endif
