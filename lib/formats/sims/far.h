/* What reading and writing FAR archives share. */
#ifndef POSE_FORMATS_SIMS_FAR_H
#define POSE_FORMATS_SIMS_FAR_H

#include "lib/formats/archive.h"

#define FAR_MAGIC "FAR!byAZ"

enum {
    FAR_BODY_HEADER = 18, /* bytes before the opcodes of a compressed body */
    FAR_LONGEST_NAME = 4096,
};

/* A type of file that version 3 has an id for. */
struct far_type {
    uint32_t id;
    const char *extension, *format, *kind;
};

/* Ends with an extension of NULL. */
extern const struct far_type far_types[];

/*
 * Writes far1a, far1b or far3 (job->format). The setting "compress" of far3 is "refpack" (the default: what thereby
 * gets smaller is compressed) or "none", which it always is for the others. The type id of far3 comes from the
 * extension. A name "TTTTTTTT-FFFFFFFF" is the id pair of an entry without a name; "name.FFFFFFFFTTTTTTTT.anim", as
 * files out of the game are called, gives the file id; else that is the entry's number, from 1. Names must be in
 * Windows-1252.
 */
bool far_pack(struct pack_job *job);

#endif
