/* Files of the machine: read whole, mapped, or walked. */
#ifndef POSED_SERVER_OPS_FILES_H
#define POSED_SERVER_OPS_FILES_H

#include "pose.h"

#include <stdbool.h>
#include <stdint.h>

/* What tells one state of a file from another. */
struct file_stamp {
    uint64_t size;
    int64_t modified_ns;
    uint64_t inode;
};

bool stamp_equal(const struct file_stamp *a, const struct file_stamp *b);

/* Bytes of a file, on the heap or mapped. */
struct file_bytes {
    struct pose_bytes bytes;
    struct file_stamp stamp;
    bool mapped;
};

/*
 * Reads a regular file whole. limit 0: none. False with one line in error (status POSE_BAD_ARGUMENT, code
 * "not_found", "unreadable" or "changed" when its size moved meanwhile).
 */
bool file_read(const char *path, uint64_t limit, struct file_bytes *file, struct pose_error *error);
/*
 * Maps a regular file. A file that somebody cuts short while it is mapped reads as zeros from there on (see
 * files_init), so that a hostile or clumsy copy cannot kill the daemon.
 */
bool file_map(const char *path, struct file_bytes *file, struct pose_error *error);
void file_release(struct file_bytes *file);
bool file_stat(const char *path, struct file_stamp *stamp, bool *is_directory);

/* Installs the handler that file_map speaks of. Once, before any thread. */
void files_init(void);

/* A file below a folder. */
struct walked_file {
    char *path; /* below the folder, "/" between parts */
    struct file_stamp stamp;
};

struct walked_folder {
    uint32_t file_count, directory_count;
    struct walked_file *files; /* sorted by path, byte by byte */
    char **directories;        /* the folder itself first, as full paths */
    bool is_over;              /* there are more files than the bound let in */
};

/* How many files a walk takes: those that are known by their path below the folder (is_known NULL: none is), and so many
 * others, those that are found first. */
struct walk_bound {
    uint32_t others;
    bool (*is_known)(void *user, const char *path);
    void *user;
};

/*
 * Every regular file below a folder. Links and names that begin with a dot are passed over, and so are files
 * beyond the bound. False with error as above, or "no_memory".
 */
bool folder_walk(const char *path, const struct walk_bound *bound, struct walked_folder *folder,
                 struct pose_error *error);
void folder_release(struct walked_folder *folder);

/*
 * The file of that name in the folder, or at that path below it, each part without regard to case (one spelt exactly
 * so first). As folder_walk does it passes links and names that begin with a dot over, so that nothing elsewhere is found.
 * From malloc, NULL when there is none.
 */
char *file_beside(const char *folder, const char *name);

/* A path from two parts, from malloc. */
char *path_join(const char *folder, const char *name);
/* The last part of a path, trailing slashes aside: where it begins. */
const char *path_base(const char *path, size_t *length);
/* A copy of it, from malloc. */
char *path_base_name(const char *path);

#endif
