/* An object model of The Sims 3: one level of two parts, one of them with two looks, put together field by field. */
#ifndef TESTS_SUPPORT_SIMS3_MODL_FILES_H
#define TESTS_SUPPORT_SIMS3_MODL_FILES_H

#include "tests/support/little_file.h"

/* The chunks in their order. */
enum {
    MODL_LIST,
    MODL_LEVEL,
    MODL_MATERIAL,
    MODL_LAYOUT,
    MODL_VERTICES,
    MODL_INDICES,
    MODL_SKIN,
    MODL_SET,
    MODL_CHUNKS
};

/* Where each chunk begins. */
struct modl_made {
    struct little_file file;
    size_t at[MODL_CHUNKS];
};

/* As a MODL, or its level alone as an MLOD (then MODL_LIST is a set of materials that nobody names). */
void modl_make(struct modl_made *made, bool is_list);

#endif
