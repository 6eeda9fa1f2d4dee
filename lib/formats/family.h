/*
 * Interface between a family of formats and the rest of the library: one constant in the family's folder
 * (family.c), listed in table.c. It names the family's codecs and archives, and everything else that is specific
 * to its game. Members that a family does not need are NULL. A family never includes another one.
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

/* Linking an archive's entries; every family sees all of them. */
struct link_job {
    const struct pose_member *members;
    uint32_t count;
    struct arena *arena;
    struct pose_link **links; /* [count], NULL: no link */
};

/* A new link of a member, to be filled in by the caller; NULL if out of memory. */
struct pose_link *link_new(struct link_job *job, uint32_t member);

/* A mesh that is complete only together with another one. */
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
    const struct axes_row *axes;   /* likewise */
    const struct bvh_dialect *bvh; /* NULL: plain BVH */
    /* Whether, by the family's naming rules, the named thing is made for the skeleton of that name. NULL: the
     * names of the family's files say nothing, and all other families are asked (a clip keeps its name through
     * glTF). */
    bool (*made_for)(const struct pose_naming *what, const char *skeleton);
    /* See pose_adulthood; NULL: the names of its skeletons say nothing. */
    unsigned (*adulthood)(const char *skeleton);
    /* What a clip's name begins with if it is made for the skeleton of that name, "a_"; static, NULL: unknown. */
    const char *(*clip_prefix)(const char *skeleton);
    /* See pose_wear_of; the name is not NULL. */
    bool (*wear_of)(const struct pose_naming *what, struct pose_wear *part);
    /* Writes what link needs to know of a document; only the family itself reads it back. */
    void (*facts)(const struct pose_document *document, struct arena *arena, struct writer *writer);
    /* Links an archive's entries. False if out of memory. */
    bool (*link)(struct link_job *job);
    /* See pose.h. */
    bool (*resource_id)(const char *entry_name, uint64_t *id);
    bool (*relations)(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                      void *user);
    /* See pose_join. False if out of memory. */
    bool (*join)(struct body_job *job);
    /* See pose_mesh_shares. */
    void (*shares)(const struct pose_mesh *mesh, pose_share_visit *tell, void *user);
    bool (*has_key)(const char *key, const char *entry_name, const char *container,
                    const struct pose_entry *row);
    /* How its characters name their bones; ends with NULL. */
    const struct humanoid_names *const *people;
    /* Reports oddities of a document beyond the general ones. file is its name, NULL: unknown. */
    void (*lint)(const struct lint *lint, const struct pose_document *document, const char *file);
    /* The same of a mesh on a skeleton. */
    void (*lint_skin)(const struct lint *lint, const struct pose_skin *skin);
    /* Whether the game would take a document of any family; see pose_verdicts and verdict.h. */
    void (*judge)(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);
    /* See pose_is_filed and pose_json_names. */
    bool (*is_filed)(const char *file);
    void (*describe)(const char *name, const char *file, struct json_writer *json);
    /* Whether a name that an archive gives to an id is a morph's; *id becomes the id that clips use for it. */
    bool (*morph_id)(const struct pose_name *name, uint32_t *id);
};

#endif
