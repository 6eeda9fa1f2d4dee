/*
 * How files of The Sims Online refer to each other: by a file id and a type id, 64 bits together, which file
 * names of the public content contain in hex, file id first: name.FFFFFFFFTTTTTTTT.ext. In extras such a key is
 * an object:
 *
 *     {"file": 2285046227, "type": 9, "key": "883209d300000009"}      with "group" first where the file stores one
 */
#ifndef POSE_FORMATS_SIMS_TSO_KEY_H
#define POSE_FORMATS_SIMS_TSO_KEY_H

#include "lib/core/value.h"
#include "lib/formats/sims/tso/stream.h"

enum tso_type {
    TSO_MESH = 9,
    TSO_BINDING = 11,
    TSO_APPEARANCE = 12,
};

struct tso_key {
    uint32_t group, file, type;
};

/* File and type; preceded by the group in files that store it. */
void tso_visit_key(struct sims_stream *s, struct tso_key *key);
/* The same inside a field of that name. */
void tso_visit_named_key(struct sims_stream *s, const char *field, struct tso_key *key);

void tso_put_key(struct value_list *list, const char *name, const struct tso_key *key, bool with_group);
/* From the object "name" of a character's extras, or from the object itself; false if there is none. Numbers
 * take precedence over the hex text. */
bool tso_get_key(const struct pose_value *value, struct tso_key *key);

/* A new character of that type as the document's only one; NULL if out of memory. */
struct pose_character *tso_character_new(struct decode_job *job, const char *type,
                                         const struct value_list *extras);
/* Warns about bytes left in the stream. */
void tso_warn_trailing(struct decode_job *job, const struct sims_stream *s);
/* The only character of the content; NULL with an error if there is none, or its type differs. */
const struct pose_character *tso_character_to_encode(struct encode_job *job, const char *type);

#endif
