/*
 * The container of bodies and objects in The Sims 3: a resource of chunks, each with a four-letter tag, and
 * tables of keys by which resources refer to others. Facts: sims3-geom.md, 1.
 *
 * sims3-geom: one mesh, axes POSE_AXES_GLTF, bone_ids are FNV-32 of bone names. vertex_ids as stored.
 *     image names: keys, "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII".
 *     mesh extras: morph (true: differences to be added, not a mesh to be drawn), shader, merge_group, sort_order,
 *         skin_controller, elements: [[usage, type, bytes]], further: hex of everything that the mesh model cannot
 *         represent, vertex by vertex, index_bytes, face_groups: [indices], keys: [key], rcol
 *     material extras: shader, parameters: [{id, name, type, values or key}], block: hex
 * sims3-vpxy: a character, type "parts"; extras: entries: [{level, meshes: [key]} or {part: key}], bounds,
 * modular,
 *     footprint, keys, rcol
 * sims3-casp: a character, type "part".
 * sims3-modl, sims3-mlod: one mesh, read only.
 */
#ifndef POSE_FORMATS_SIMS3_BODY_RCOL_H
#define POSE_FORMATS_SIMS3_BODY_RCOL_H

#include "lib/core/value.h"
#include "lib/formats/codec.h"

enum {
    SIMS3_KEY_TEXT = 34 + 1, /* "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII" */
    RCOL_MAX_CHUNKS = 4096,
    RCOL_MAX_KEYS = 4096,
    RCOL_TAG = 4,
};

/* Resource types. */
#define SIMS3_GEOM 0x015a1849u
#define SIMS3_VPXY 0x736884f1u
#define SIMS3_CASP 0x034aeecbu
#define SIMS3_MODL 0x01661233u
#define SIMS3_MLOD 0x01d10f34u
#define SIMS3_DDS 0x00b2d882u
#define SIMS3_RIG 0x8eaf13deu
#define SIMS3_SKIN_CONTROLLER 0x00ae6c67u

struct sims3_resource {
    uint32_t type, group;
    uint64_t instance;
};

/* The three orders in which a key may be stored. */
enum sims3_key_order { KEY_ITG, KEY_TGI, KEY_IGT };

struct rcol_chunk {
    struct sims3_resource key;
    uint64_t offset, size;
};

struct rcol {
    struct decode_job *job;
    struct reader reader; /* of the whole resource */
    uint32_t version, public_count, unused, chunk_count, external_count;
    const struct rcol_chunk *chunks;
    const struct sims3_resource *externals;
};

/* A table of keys in a chunk. */
struct rcol_keys {
    uint32_t count;
    const struct sims3_resource *items;
    uint64_t start, end; /* in the file; both 0: no table */
};

struct sims3_resource sims3_read_key(struct reader *reader, enum sims3_key_order order, const char *field);
void sims3_write_key(struct writer *writer, const struct sims3_resource *key, enum sims3_key_order order);
/* "00B2D882-00000000-D413B1681775B1B5", in the arena. */
const char *sims3_key_text(struct arena *arena, const struct sims3_resource *key);
/* False if it is not a key. */
bool sims3_key_from_text(const char *text, struct sims3_resource *key);
void sims3_put_keys(struct value_list *extras, const char *name, const struct sims3_resource *keys,
                    uint32_t count);

/* PROBE_SURE if they are, PROBE_NAME by the row's extension. */
enum probe_result rcol_probe(const struct pose_source *source, const char *tag, const char *extensions);

/* Reads header, keys and extents. */
bool rcol_read(struct rcol *rcol, struct decode_job *job);
/* Opens a reader after a chunk's tag, which must match: otherwise "bad_magic" in the first chunk,
 * "bad_reference" in others. */
bool rcol_open(struct rcol *rcol, uint32_t chunk, const char *tag, struct reader *part);
/* Reads the table that the next two words of the part point to. */
bool rcol_read_keys(struct rcol *rcol, struct reader *part, struct rcol_keys *keys);
/* Warns if the chunk was not read to its end. */
void rcol_check_end(struct rcol *rcol, const struct reader *part, const struct rcol_keys *keys);
/* Stores the header in extras, unless it is the usual one of a single chunk. */
void rcol_put_extras(const struct rcol *rcol, struct value_list *extras, uint32_t usual_public);

/* Writes the header of a single chunk and its tag, and returns the start of the chunk; rcol_end then fills in
 * what depends on the bytes that follow, and writes the table of keys that the field at table_field (0: none)
 * points to. */
size_t rcol_begin(struct writer *writer, const struct pose_value *extras, const char *tag,
                  uint32_t usual_public);
void rcol_end(struct writer *writer, size_t chunk, size_t table_field, const struct sims3_resource *keys,
              uint32_t key_count);
/* The keys in extras; false, with an error, if one is not a key. */
bool rcol_take_keys(struct encode_job *job, const struct pose_value *extras,
                    const struct sims3_resource **keys, uint32_t *count);

#endif
