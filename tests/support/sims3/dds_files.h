/* DDS textures, put together field by field. */
#ifndef TESTS_SUPPORT_SIMS3_DDS_FILES_H
#define TESTS_SUPPORT_SIMS3_DDS_FILES_H

#include "tests/support/little_file.h"

/* The header of 128 bytes; code NULL: masks, whose words are given. */
struct dds_head {
    uint32_t width, height, levels;
    const char *code;
    uint32_t flags, bits, masks[4], caps2;
};
void dds_put_head(struct little_file *file, const struct dds_head *head);
/* 8 x 4 pixels in DXT5: reds and blues, half of them faint. */
void dds_put_sample(struct little_file *file);

#endif
