/* Shared by reading and writing of DBPF packages. */
#ifndef POSE_FORMATS_SIMS3_DBPF_H
#define POSE_FORMATS_SIMS3_DBPF_H

#include "lib/formats/archive.h"

enum {
    DBPF_HEADER = 96, /* bytes */
    DBPF_KEY = 34,    /* characters of "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII" */
};

/* Resource types. */
#define DBPF_CLIP 0x6b20c4f3u
#define DBPF_RIG 0x8eaf13deu
#define DBPF_GEOM 0x015a1849u
#define DBPF_MODL 0x01661233u
#define DBPF_MLOD 0x01d10f34u
#define DBPF_VPXY 0x736884f1u
#define DBPF_CASP 0x034aeecbu
#define DBPF_TEXTURE 0x00b2d882u
#define DBPF_NAME_MAP 0x0166038cu

/* How a resource is stored. */
enum dbpf_compression {
    DBPF_STORED = 0x0000,
    DBPF_REFPACK = 0xffff,
    DBPF_REFPACK_STREAM = 0xfffe,
    DBPF_ZLIB = 0x5a42,
    DBPF_DELETED = 0xffe0,
};

struct dbpf_row {
    uint64_t at; /* of the record in the file */
    uint32_t type, group;
    uint64_t instance;
    uint32_t offset, stored, size;
    uint16_t compression;
};

/*
 * Reads the name maps among the rows and fills in the archive's names, sorted by id; of several names for one id
 * the last counts. A broken map causes a warning and contributes its names up to the error.
 */
void dbpf_read_names(struct pose_archive *archive, const struct dbpf_row *rows, uint32_t count);

/* Unpacks a resource whose size has been checked against the limit. */
bool dbpf_read_row(struct read_job *job, const struct dbpf_row *row);

/*
 * Writes a package. Items are named by key, "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII" (plus "_name" if it has one),
 * or "name.clip" and "name.rig", from which the key is derived. Names go into a name map, unless there is one
 * among the items. The setting "compress" is "refpack" (the default), "zlib" (a package of version 2.1) or
 * "none".
 */
bool dbpf_pack(struct pack_job *job);

#endif
