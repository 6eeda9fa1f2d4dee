/*
 * Shared by reading and writing of CASP. extras: version, presets: [{xml, number}], priority, own_texture_space,
 * the numbers and lists below, parts: {name: key number}, overlay_priority, vpxy: [number], levels: [{level,
 * texture, meshes: [3 per mesh]}], shoe_material, keys: [key].
 */
#ifndef POSE_FORMATS_SIMS3_BODY_CASP_H
#define POSE_FORMATS_SIMS3_BODY_CASP_H

#include "lib/formats/sims3/body/rcol.h"

enum {
    CASP_VERSION = 18,
    CASP_CLOTHING = 0, /* indices of the numbers */
    CASP_AGE = 2,
    CASP_NUMBERS = 4,
    CASP_PARTS = 6,
    CASP_LISTS = 5,
};

/* The names of the numbers, other parts and lists in the extras. */
const char *casp_number_name(unsigned i);
const char *casp_part_name(unsigned i);
const char *casp_list_name(unsigned i);

/* For struct codec. */
bool casp_encode(struct encode_job *job);

#endif
