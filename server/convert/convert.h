/*
 * From decoded clips to the bytes of another format, as the API and the command line offer it: which targets there are,
 * and one conversion with all that takes part in it.
 */
#ifndef POSED_SERVER_CONVERT_CONVERT_H
#define POSED_SERVER_CONVERT_CONVERT_H

#include "pose.h"
#include "server/ops/region.h"

/* ------------------------------------------------------------------------------------------------- targets -- */

struct convert_target {
    const char *word;       /* what `to` calls it: "glb", or the id of a format */
    const char *format;     /* of the library */
    const char *extensions; /* blank-separated, without dots; the first is what a file of it is called by */
    const char *media_type;
    const char *options; /* blank-separated: those that it takes beyond skeleton, map and strict */
    bool is_text;
    bool on_skeleton; /* its files hold the skeleton, or are made on it */
    bool is_pair;     /* two files, in a ZIP */
};

/* Ended by a NULL word. */
extern const struct convert_target convert_targets[];
/* By its word, or the id of its format; NULL when there is none. */
const struct convert_target *convert_target_find(const char *word);
/* Whether files of it are called so (without the dot, case does not matter). */
bool convert_target_has_extension(const struct convert_target *target, const char *extension);
/*
 * The target of files of that extension; of several the clip's own format (NULL: not known). NULL when that is not clear:
 * count says how many there are.
 */
const struct convert_target *convert_target_of(const char *extension, const char *format, unsigned *count);
/* The words of the targets of an extension (NULL: of all), comma-separated. */
enum { CONVERT_WORDS = 256 };
void convert_target_words(const char *extension, char words[CONVERT_WORDS]);
bool convert_target_takes(const struct convert_target *target, const char *option);

/* ------------------------------------------------------------------------------------------------ warnings -- */

enum { CONVERT_WARNINGS = 100 };

/* What was said meanwhile, each once. Zero-initialise. */
struct convert_warnings {
    struct region region;
    uint32_t count;
    struct pose_warning items[CONVERT_WARNINGS];
    bool is_full; /* there were more */
};

/* For pose_warn, with the warnings as user. */
void convert_warn(void *warnings, const struct pose_warning *warning);
void convert_warn_text(struct convert_warnings *warnings, const char *code, enum pose_severity severity,
                       const char *message);
void convert_warnings_release(struct convert_warnings *warnings);
/* The first that is more than a note; NULL. */
const struct pose_warning *convert_warnings_serious(const struct convert_warnings *warnings);

/* -------------------------------------------------------------------------------------------- a conversion -- */

enum { CONVERT_SETTINGS = 8 };

/* How; the texts and values belong to whoever filled them in. */
struct convert_options {
    float fps; /* 0: the keys as they are */
    uint32_t rename_count;
    const struct pose_rename *renames;
    unsigned setting_count;
    struct pose_value settings[CONVERT_SETTINGS]; /* with their keys; convert_run links them */
};

struct convert_clip {
    const struct pose_clip *clip;
    const char *format; /* of its document */
    const char *name;   /* for a clip without an inner name */
};

/* What. Only glTF takes several clips (or none), and meshes. */
struct convert_content {
    const struct convert_target *target;
    const struct convert_options *options;
    uint32_t clip_count;
    const struct convert_clip *clips;
    const struct pose_skeleton *skeleton; /* NULL: none */
    uint32_t mesh_count;
    const struct pose_mesh *meshes;
    uint32_t image_count;
    const struct pose_image *images;
    const char *name;     /* of the files in a pair, without extension */
    const char *key_file; /* of the second of them, likewise, harmless; NULL: as the clip calls it */
};

/* False with error; out is empty then. */
bool convert_run(const struct convert_content *content, const struct pose_options *options,
                 struct convert_warnings *warnings, struct pose_buffer *out, struct pose_error *error);

/* The two files of a pair (target->is_pair), each with its name, from malloc; names are harmless in a folder. */
struct convert_pair {
    struct pose_buffer bytes[2];
    char *names[2];
};

bool convert_run_pair(const struct convert_content *content, const struct pose_options *options,
                      struct convert_warnings *warnings, struct convert_pair *pair, struct pose_error *error);
/* What the second file of a clip's pair is called without extension, made harmless; from malloc. name: for a clip without an
 * inner name. */
char *convert_key_file(const struct pose_clip *clip, const char *name);
void convert_pair_release(struct convert_pair *pair);

/* A name that any file system takes, in place: no separators, controls, or what Windows forbids; never empty, "." or
 * "..". UTF-8 stays UTF-8. The result is text, or a constant. */
const char *convert_file_name(char *text);

#endif
