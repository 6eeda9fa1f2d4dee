/* Hands out the names of a file's nodes: no two are equal, also not as three.js spells them. */
#ifndef POSE_FORMATS_GLTF_WRITE_NAMES_H
#define POSE_FORMATS_GLTF_WRITE_NAMES_H

#include "lib/core/bytes/json_writer.h"
#include "pose.h"

struct gltf_taken {
    const char *key; /* as three.js spells it; NULL: a free place */
    uint32_t next;   /* the number to try next for this name */
};

struct gltf_names {
    struct arena *arena;
    uint32_t mask;
    struct gltf_taken *taken;  /* [mask + 1] */
    struct gltf_taken nothing; /* of names that three.js spells as nothing */
};

/* count: how many names will be asked for. Returns false if out of memory. */
bool gltf_names_init(struct gltf_names *names, struct arena *arena, uint32_t count);
/*
 * A name that no node has yet: the one that is wanted, else with "_1", "_2" … appended. three.js drops [ ] . : / and
 * writes blanks as _, renames the second of two nodes that are equal then, and finds the targets of animations by
 * these names. Returns the wanted one if out of memory, which the arena knows.
 */
const char *gltf_names_take(struct gltf_names *names, const char *wanted);

/* Writes the members by which our reader finds the wanted name again into an open object of extras; nothing if the
 * name is the wanted one. */
void gltf_names_put_wanted(struct json_writer *json, const char *name, const char *wanted);

#endif
