#include "tests/support/little_file.h"

#include "lib/core/numbers/float_bits.h"

#include <stdlib.h>
#include <string.h>

void little_put(struct little_file *file, const void *bytes, size_t size)
{
    if (!pose_buffer_append(&file->bytes, bytes, size))
        abort(); /* the samples are made with it, too, outside of any test */
}

void little_put_u8(struct little_file *file, unsigned value)
{
    little_put(file, &(uint8_t){(uint8_t)value}, 1);
}

void little_put_u16(struct little_file *file, unsigned value)
{
    little_put_u8(file, value);
    little_put_u8(file, value >> 8);
}

void little_put_u32(struct little_file *file, uint32_t value)
{
    little_put_u16(file, value);
    little_put_u16(file, value >> 16);
}

void little_put_f32(struct little_file *file, float value)
{
    little_put_u32(file, bits_of_float(value));
}

void little_put_text(struct little_file *file, const char *text)
{
    little_put(file, text, strlen(text) + 1);
}

void little_set_u32(struct little_file *file, size_t offset, uint32_t value)
{
    if (offset + 4 > file->bytes.size)
        abort();
    for (int i = 0; i < 4; i++)
        file->bytes.data[offset + (size_t)i] = (uint8_t)(value >> 8 * i);
}

void little_set_f32(struct little_file *file, size_t offset, float value)
{
    little_set_u32(file, offset, bits_of_float(value));
}
