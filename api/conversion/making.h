/* Converting: the parts fetched, carried over, baked and encoded. */
#ifndef POSED_API_CONVERSION_MAKING_H
#define POSED_API_CONVERSION_MAKING_H

#include "api/conversion/conversion.h"

/* Adds ingredients that are not known beforehand; false with error. */
typedef bool conversion_gather(void *user, struct ingredients *ingredients, struct convert_warnings *warnings,
                               struct pose_error *error);

/* Adds the skeleton, with a warning if it is a stand-in. For callers that add the other parts themselves. */
bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error);

/* Everything that determines a conversion. */
struct conversion_order {
    struct service *service;
    struct pose_options options;  /* limits, and cancellation */
    const struct catalog *common; /* the service's catalogue */
    const struct conversion *conversion;
    const struct conversion_parts *parts;
    conversion_gather *gather; /* NULL: the parts are complete */
    void *user;
    const char *name;     /* file name without extension */
    const char *key_file; /* name of a pair's second file, without extension; NULL: as in the clip */
    bool unzipped;        /* keep a pair, or what belongs to a mesh, as files instead of a ZIP */
};

struct conversion_result {
    struct convert_warnings warnings;
    struct pose_buffer bytes;
    bool is_pair; /* bytes is the first of two files */
    struct pose_second_file second;
    struct pose_mesh_files beside; /* of a mesh whose files are not zipped: those after the first */
    double decode_seconds;
};

/* Fetches all parts, with the body of the clips, and warns of a skeleton that is not the game's if the target depends
 * on it. False with error. */
bool conversion_parts_add(const struct conversion_order *order, struct ingredients *ingredients,
                          struct convert_warnings *warnings, struct pose_error *error);

/* False with error; the result must be released in either case. May decode, so call it on the pool. */
bool conversion_make(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error);
void conversion_result_release(struct conversion_result *result);

/* ------------------------------------------------------------------------------------------- one of many -- */

/*
 * One file out of many conversions with the same parameters: of `posed convert`, and of an archive that is answered
 * as a ZIP. The parameters are read for each, since what they mean depends on the clip's format and skeleton.
 */

/* What all files have in common. */
struct conversion_task {
    struct service *service;
    struct catalog *common;      /* the service's catalogue */
    struct catalog *source;      /* where the clips are: the same, or one of other files alone */
    const struct params *params; /* the API's */
    struct pose_options options; /* limits, and the end of the effort */
};

/* The file made from a clip. */
struct task_file {
    const char *name;     /* without extension */
    const char *key_file; /* name of a pair's second file, without extension; NULL: as in the clip */
    bool zipped;          /* put a pair into one ZIP */
};

struct task_result {
    struct conversion_result made;
    bool misused, is_map; /* the parameters are wrong for any clip; is_map: their map is */
    char detail[480];
};

/*
 * Converts the given clips into one file; if there are none, the meshes, on the skeleton unless the parameters choose
 * another. False with detail. The result must be released in either case.
 */
bool task_convert(const struct conversion_task *task, const struct pose_target *target,
                  const struct conversion_parts *given, const struct task_file *file,
                  struct task_result *result);
void task_result_release(struct task_result *result);

/* The name for the file of a clip of that entry, from malloc, NULL if out of memory: the entry's without extension; if the entry holds several
 * clips, the clip's name replaces it, and if that is only a number, it is appended. */
char *task_file_name(const struct index_entry *entry, const char *clip);

/* A file for reports, as JSON in text: its name, its size, and its warnings (NULL: none). */
void task_describe(struct pose_buffer *text, const char *name, size_t size,
                   const struct convert_warnings *warnings);

#endif
