/* Converting: the parts fetched, carried over, baked and encoded. */
#ifndef POSED_API_CONVERSION_MAKING_H
#define POSED_API_CONVERSION_MAKING_H

#include "api/conversion/conversion.h"
#include "server/library/warnings.h"

/* Adds ingredients that are not known beforehand; false with error. */
typedef bool conversion_gather(void *user, struct ingredients *ingredients, struct warnings *warnings,
                               struct pose_error *error);

/* What becomes of a conversion. */
struct conversion_file {
    const char *name;     /* without extension */
    const char *key_file; /* name of a pair's second file, without extension; NULL: as in the clip */
    bool unzipped;        /* keep a pair, or what belongs to a mesh, as files instead of a ZIP */
};

/* Everything that determines a conversion. */
struct conversion_order {
    const struct conversion_place *place;
    const struct conversion *conversion;
    conversion_gather *gather; /* NULL: the conversion's parts are complete */
    void *user;
    struct conversion_file file;
};

struct file_beside {
    char *name; /* valid on every file system, such as "xskill-a.cfp"; from malloc */
    struct pose_buffer bytes;
};

struct conversion_result {
    struct warnings warnings;
    struct pose_buffer bytes;
    uint32_t beside_count; /* the second of a pair, what belongs to a mesh; in bytes if these are a ZIP */
    struct file_beside beside[POSE_MESH_FILES];
    double decode_seconds;
};

/* Adds the skeleton, with a warning if it is a stand-in. For callers that add the other parts themselves. */
bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct warnings *warnings,
                             struct pose_error *error);
/* Fetches all parts, with the body of the clips, and warns of a skeleton that is not the game's if the target depends
 * on it. False with error. */
bool conversion_parts_add(const struct conversion_order *order, struct ingredients *ingredients,
                          struct warnings *warnings, struct pose_error *error);

/* False with error; the result must be released in either case. May decode, so call it on the pool. */
bool conversion_make(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error);
void conversion_result_release(struct conversion_result *result);

/* ------------------------------------------------------------------------------------------- one of many -- */

/*
 * One file out of many conversions with the same parameters: of `posed convert`, and of an archive that is answered
 * as a ZIP. The parameters are read for each, since what they mean depends on the clip's format and skeleton.
 */

enum { CONVERSION_DETAIL = 480 };

/*
 * Converts the given clips into one file; if there are none, the meshes, on the skeleton unless the parameters choose
 * another. False with detail, a line for people. The result must be released in either case.
 */
bool conversion_make_one(const struct conversion_place *place, const struct pose_target *target,
                         const struct conversion_parts *given, const struct conversion_file *file,
                         struct conversion_result *result, char detail[CONVERSION_DETAIL]);

/* The name for the file of a clip of that entry, from malloc, NULL if out of memory: the entry's without extension; if
 * the entry holds several clips, the clip's name replaces it, and if that is only a number, it is appended. */
char *conversion_file_name(const struct index_entry *entry, const char *clip);

#endif
