/*
 * What a family of formats is to the rest of the library: one constant in the family's folder (family.c), listed in
 * table.c. It gathers the family's codecs and archives, and whatever else is known of its game alone. What a family has
 * nothing to say of is NULL. A family never includes another one.
 */
#ifndef POSE_FORMATS_FAMILY_H
#define POSE_FORMATS_FAMILY_H

#include "lib/core/bytes/json_writer.h"
#include "lib/formats/archive.h"
#include "lib/formats/bvh_dialect.h"
#include "lib/formats/codec.h"
#include "lib/formats/rules.h"
#include "lib/model/lint.h"
#include "lib/retarget/names.h"

/* The joining of an archive's entries; all families see all of them. */
struct link_job {
    const struct pose_member *members;
    uint32_t count;
    struct arena *arena;
    struct pose_link **links; /* [count], NULL: nothing is said */
};

/* What is said of a member, which a caller fills in; NULL when memory is out. */
struct pose_link *link_new(struct link_job *job, uint32_t member);

/* A mesh that is whole with another one only. */
struct body_job {
    const struct pose_mesh *mesh, *other;
    struct arena *arena;
    struct warning_list warnings;
    struct pose_mesh *joined; /* to be filled in; may point into both */
};

struct family {
    const char *id;    /* its folder's name */
    const char *title; /* "The Sims 3" */
    const struct codec *const *codecs;
    const struct archive_type *const *archives;
    const struct rules_row *rules; /* the first are those of its clips; the last has a NULL name */
    const struct axes_row *axes;   /* the same */
    const struct bvh_dialect *bvh; /* NULL: BVH as everybody has it */
    /* Whether the family's naming says that what is called so is made for the skeleton of that name. NULL: names of the
     * family's files say nothing, and those of all others are asked (a clip keeps its name through glTF). */
    bool (*made_for)(const struct pose_naming *what, const char *skeleton);
    /* What is to be remembered of a document for link; the reader of that is its own. */
    void (*facts)(const struct pose_document *document, struct arena *arena, struct writer *writer);
    /* Joins an archive's entries. False when memory is out. */
    bool (*link)(struct link_job *job);
    /* See pose.h. */
    bool (*resource_id)(const char *entry_name, uint64_t *id);
    bool (*relations)(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                      void *user);
    /* See pose_join. False when memory is out. */
    bool (*join)(struct body_job *job);
    /* See pose_mesh_shares. */
    void (*shares)(const struct pose_mesh *mesh, pose_share_visit *tell, void *user);
    bool (*has_key)(const char *key, const char *entry_name, const char *container,
                    const struct pose_entry *row);
    /* How its people call their bones, a list that ends with NULL. */
    const struct humanoid_names *const *people;
    /* What is odd about a document beyond what any may have. file is its name, NULL: not known. */
    void (*lint)(const struct lint *lint, const struct pose_document *document, const char *file);
    /* What the game says of a document of whatever family as an upload; see pose_verdicts. */
    void (*judge)(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);
    /* See pose_is_filed and pose_json_names. */
    bool (*is_filed)(const char *file);
    void (*describe)(const char *name, const char *file, struct json_writer *json);
    /* Whether a name that an archive gives to an id is that of a morph, which clips call by *id. */
    bool (*morph_id)(const struct pose_name *name, uint32_t *id);
};

#endif
