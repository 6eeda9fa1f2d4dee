/* Files on disk: read completely, mapped, or walked. */
#ifndef POSED_SERVER_OPS_FILES_H
#define POSED_SERVER_OPS_FILES_H

#include "pose.h"

#include <stdbool.h>
#include <stdint.h>

/* Distinguishes versions of a file. */
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
 * Reads a regular file completely. limit 0: none. False with one line in error: POSE_NO_MEMORY, or POSE_BAD_ARGUMENT
 * with code "not_found", "unreadable", or "changed" if its size changed meanwhile.
 */
bool file_read(const char *path, uint64_t limit, struct file_bytes *file, struct pose_error *error);
/*
 * Maps a regular file. If the file is truncated while mapped, the rest reads as zeros (see files_init), so that a
 * hostile or careless copy cannot crash the daemon.
 */
bool file_map(const char *path, struct file_bytes *file, struct pose_error *error);
void file_release(struct file_bytes *file);
bool file_stat(const char *path, struct file_stamp *stamp, bool *is_directory);

/* Installs the signal handler for file_map. Call it once, before starting threads. */
void files_init(void);

/* A file below a folder. */
struct walked_file {
    char *path; /* relative to the folder, separated by "/" */
    struct file_stamp stamp;
};

struct walked_folder {
    uint32_t file_count, directory_count;
    struct walked_file *files; /* sorted by path, bytewise */
    char **directories;        /* full paths, the folder itself first */
    bool is_over;              /* there are more files than the limit allows */
};

/* Which files a walk includes: those known by their relative path (is_known NULL: none), and at most so
 * many others, in the order found. */
struct walk_bound {
    uint32_t others;
    bool (*is_known)(void *user, const char *path);
    void *user;
};

/*
 * Lists every regular file below a folder. Symbolic links, names that begin with a dot, and files beyond the limit
 * are skipped. A folder that cannot be read is listed as if it were a file. False with error as above, or "no_memory": also
 * where the process may not open more files.
 */
bool folder_walk(const char *path, const struct walk_bound *bound, struct walked_folder *folder,
                 struct pose_error *error);
void walked_release(struct walked_folder *folder);

/*
 * The file of that name in the folder, or at that path below it; each component ignores case, but an exact match
 * is preferred. Like folder_walk, it skips symbolic links and names that begin with a dot, so that it never leaves
 * the folder. From malloc, NULL if there is none.
 */
char *file_beside(const char *folder, const char *name);

/* Joins two parts of a path, from malloc. */
char *path_join(const char *folder, const char *name);
/* The start of a path's last component, ignoring trailing slashes. */
const char *path_base(const char *path, size_t *length);
/* A copy of it, from malloc. */
char *path_base_name(const char *path);

#endif
