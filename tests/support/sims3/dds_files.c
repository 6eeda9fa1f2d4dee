#include "tests/support/sims3/dds_files.h"

void dds_put_head(struct little_file *file, const struct dds_head *head)
{
    little_put(file, "DDS ", 4);
    little_put_u32(file, 124);
    little_put_u32(file, 0x1007);
    little_put_u32(file, head->height);
    little_put_u32(file, head->width);
    little_put_u32(file, 0);
    little_put_u32(file, 0);
    little_put_u32(file, head->levels);
    for (int i = 0; i < 11; i++)
        little_put_u32(file, 0);
    little_put_u32(file, 32);
    little_put_u32(file, head->flags);
    little_put(file, head->code ? head->code : "\0\0\0", 4);
    little_put_u32(file, head->bits);
    for (int i = 0; i < 4; i++)
        little_put_u32(file, head->masks[i]);
    little_put_u32(file, 0x1000);
    little_put_u32(file, head->caps2);
    for (int i = 0; i < 3; i++)
        little_put_u32(file, 0);
}

void dds_put_sample(struct little_file *file)
{
    static const uint8_t blocks[2][16] = {
        {0xff, 0x00, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4},
        {0x80, 0x80, 0, 0, 0, 0, 0, 0, 0x1f, 0x00, 0x00, 0xf8, 0x00, 0x55, 0xaa, 0xff},
    };
    dds_put_head(file, &(struct dds_head){.width = 8, .height = 4, .levels = 1, .code = "DXT5", .flags = 4});
    little_put(file, blocks, sizeof blocks);
}
