/*
 * What reading and writing of CASP share. extras: version, presets: [{xml, number}], priority, own_texture_space, the
 * numbers and lists below, parts: {name: key's number}, overlay_priority, vpxy: [number], levels: [{level, texture,
 * meshes: [3 a mesh]}], shoe_material, keys: [key].
 */
#ifndef POSE_FORMATS_SIMS3_BODY_CASP_H
#define POSE_FORMATS_SIMS3_BODY_CASP_H

#include "lib/formats/sims3/body/rcol.h"

enum {
    CASP_VERSION = 18,
    CASP_CLOTHING = 0, /* which number is which */
    CASP_AGE = 2,
    CASP_NUMBERS = 4,
    CASP_PARTS = 6,
    CASP_LISTS = 5,
};

/* What the numbers, the other parts and the lists are called among the extras. */
const char *casp_number_name(unsigned i);
const char *casp_part_name(unsigned i);
const char *casp_list_name(unsigned i);

/* For struct codec. */
bool casp_encode(struct encode_job *job);

#endif
