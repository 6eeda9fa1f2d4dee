/* Shared by reading and writing FAR archives. */
#ifndef POSE_FORMATS_SIMS_FAR_H
#define POSE_FORMATS_SIMS_FAR_H

#include "lib/formats/archive.h"

#define FAR_MAGIC "FAR!byAZ"

enum {
    FAR_BODY_HEADER = 18, /* bytes before the opcodes of a compressed body */
    FAR_LONGEST_NAME = 4096,
};

/* A file type that has an id in version 3. */
struct far_type {
    uint32_t id;
    const char *extension, *format, *kind;
};

/* Ends with an extension of NULL. */
extern const struct far_type far_types[];

/*
 * Writes far1a, far1b or far3 (job->format). The setting "compress" of far3 is "refpack" (the default:
 * compresses what gets smaller) or "none", as for the other formats. The type id of far3 comes from the
 * extension. A name "TTTTTTTT-FFFFFFFF" is the id pair of an unnamed entry; "name.FFFFFFFFTTTTTTTT.anim", the
 * naming of extracted game files, gives the file id; otherwise that is the entry's number, from 1. Names must be
 * in Windows-1252.
 */
bool far_pack(struct pack_job *job);

#endif
