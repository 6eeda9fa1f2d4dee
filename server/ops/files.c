#include "server/ops/files.h"

#include "server/ops/region.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool stamp_equal(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->size == b->size && a->modified_ns == b->modified_ns && a->inode == b->inode;
}

static struct file_stamp stamp_of(const struct stat *status)
{
    return (struct file_stamp){
        .size = (uint64_t)status->st_size,
        .modified_ns = (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
        .inode = (uint64_t)status->st_ino,
    };
}

/* The end of a path that is longer than a line of text, so that what is wrong with it is still said. */
static const char *path_end(const char *path)
{
    enum { SHOWN = 160 };
    size_t length = strlen(path);
    const char *slash = length > SHOWN ? strchr(path + length - SHOWN, '/') : NULL;
    return slash ? slash : path;
}

static bool fail(struct pose_error *error, const char *code, const char *path, const char *what)
{
    const char *end = path_end(path);
    if (!error)
        return false;
    pose_error_init(error);
    error->status = POSE_BAD_ARGUMENT;
    snprintf(error->code, sizeof error->code, "%s", code);
    snprintf(error->detail, sizeof error->detail, "%s%s: %s", end == path ? "" : "…", end, what);
    return false;
}

static bool fail_memory(struct pose_error *error)
{
    if (!error)
        return false;
    pose_error_init(error);
    error->status = POSE_NO_MEMORY;
    snprintf(error->code, sizeof error->code, "no_memory");
    snprintf(error->detail, sizeof error->detail, "out of memory");
    return false;
}

bool file_stat(const char *path, struct file_stamp *stamp, bool *is_directory)
{
    struct stat status;
    if (stat(path, &status))
        return false;
    *stamp = stamp_of(&status);
    *is_directory = S_ISDIR(status.st_mode);
    return true;
}

static int open_regular(const char *path, struct stat *status, struct pose_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        fail(error, errno == ENOENT ? "not_found" : "unreadable", path, strerror(errno));
        return -1;
    }
    if (fstat(fd, status) || !S_ISREG(status->st_mode)) {
        fail(error, "unreadable", path, "not a regular file");
        close(fd);
        return -1;
    }
    return fd;
}

static bool read_exactly(int fd, uint8_t *data, size_t size)
{
    while (size) {
        ssize_t got = read(fd, data, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        data += got;
        size -= (size_t)got;
    }
    return true;
}

bool file_read(const char *path, uint64_t limit, struct file_bytes *file, struct pose_error *error)
{
    struct stat status;
    *file = (struct file_bytes){0};
    int fd = open_regular(path, &status, error);
    if (fd < 0)
        return false;
    uint64_t size = (uint64_t)status.st_size;
    if (limit && size > limit) {
        close(fd);
        return fail(error, "over_limit", path, "larger than the limit");
    }
    uint8_t *data = malloc(size ? size : 1);
    bool whole = data && read_exactly(fd, data, size);
    struct stat after;
    if (fstat(fd, &after))
        after.st_size = -1;
    close(fd);
    if (!whole || after.st_size != status.st_size) {
        const bool has_memory = data;
        free(data);
        return has_memory ? fail(error, "changed", path, "it changed while it was read") : fail_memory(error);
    }
    file->bytes = (struct pose_bytes){data, size};
    file->stamp = stamp_of(&status);
    return true;
}

bool file_map(const char *path, struct file_bytes *file, struct pose_error *error)
{
    struct stat status;
    *file = (struct file_bytes){0};
    int fd = open_regular(path, &status, error);
    if (fd < 0)
        return false;
    file->stamp = stamp_of(&status);
    size_t size = (size_t)status.st_size;
    if (size) {
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            close(fd);
            return fail(error, "unreadable", path, strerror(errno));
        }
        file->bytes = (struct pose_bytes){data, size};
        file->mapped = true;
    }
    close(fd);
    return true;
}

void file_release(struct file_bytes *file)
{
    union {
        const uint8_t *view;
        void *memory;
    } data = {.view = file->bytes.data};
    if (file->mapped)
        munmap(data.memory, file->bytes.size);
    else
        free(data.memory);
    *file = (struct file_bytes){0};
}

/* Replaces a page of a mapped file that has been truncated by zeros. */
static void replace_page(int signal, siginfo_t *information, void *context)
{
    (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t address = (uintptr_t)information->si_addr & ~(page - 1);
    if (information->si_code == BUS_ADRERR &&
        mmap((void *)address, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
        return;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(signal, &plain, NULL);
}

void files_init(void)
{
    struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

static int compare_walked(const void *a, const void *b)
{
    const struct walked_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* The rows with room for one more at the end; capacity doubles. NULL if out of memory. */
static void *with_room(void *rows, size_t count, size_t size)
{
    bool is_full = !(count & (count - 1)); /* a power of two, or zero */
    return is_full ? reallocarray(rows, count ? 2 * count : 1, size) : rows;
}

static bool add_file(struct walked_folder *folder, const char *path, const struct stat *status)
{
    struct walked_file *files = with_room(folder->files, folder->file_count, sizeof *files);
    char *copy = files ? strdup(path) : NULL;
    folder->files = files ? files : folder->files;
    if (copy)
        files[folder->file_count++] = (struct walked_file){.path = copy, .stamp = stamp_of(status)};
    return copy;
}

static bool add_directory(struct walked_folder *folder, const char *path)
{
    char **directories = with_room(folder->directories, folder->directory_count, sizeof *directories);
    char *copy = directories ? strdup(path) : NULL;
    folder->directories = directories ? directories : folder->directories;
    if (copy)
        directories[folder->directory_count++] = copy;
    return copy;
}

/* Whether a file is within the limit: it is already known, or there are not too many others. */
static bool is_within(struct walked_folder *folder, const struct walk_bound *bound, const char *below,
                      uint32_t *others)
{
    if (bound->is_known && bound->is_known(bound->user, below))
        return true;
    const bool fits = *others < bound->others;
    *others += fits;
    folder->is_over |= !fits;
    return fits;
}

/* A folder that cannot be read, or a name whose path is too long for anybody: listed, so that whoever opens it says
 * why it cannot be. What has gone meanwhile is not. */
static bool is_unreadable(const FTSENT *node)
{
    bool failed = node->fts_info == FTS_DNR || node->fts_info == FTS_NS || node->fts_info == FTS_ERR;
    return failed && node->fts_level > 0 && node->fts_errno != ENOENT;
}

/* Whether this process lacks what is needed to read it: that says nothing of what is there. */
static bool is_exhausted(const FTSENT *node)
{
    const bool failed = node->fts_info == FTS_DNR || node->fts_info == FTS_NS || node->fts_info == FTS_ERR;
    return failed && (node->fts_errno == ENOMEM || node->fts_errno == EMFILE || node->fts_errno == ENFILE);
}

bool folder_walk(const char *path, const struct walk_bound *bound, struct walked_folder *folder,
                 struct pose_error *error)
{
    *folder = (struct walked_folder){0};
    char *root = must_alloc(strlen(path) + 1, 1);
    memcpy(root, path, strlen(path) + 1);
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/')
        root[--length] = 0;
    char *roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    const struct stat unknown = {.st_size = 0};
    uint32_t others = 0;
    bool has_memory = tree;
    for (FTSENT *node; has_memory && (errno = 0, node = fts_read(tree));) {
        if (is_exhausted(node)) {
            has_memory = false;
            break;
        }
        if (node->fts_level > 0 && node->fts_name[0] == '.') {
            fts_set(tree, node, FTS_SKIP);
            continue;
        }
        if (node->fts_info == FTS_D)
            has_memory = add_directory(folder, node->fts_path);
        bool is_lost = is_unreadable(node);
        if (node->fts_info != FTS_F && !is_lost)
            continue;
        const char *below = node->fts_path + length;
        below += *below == '/';
        if (is_within(folder, bound, below, &others))
            has_memory = add_file(folder, below, is_lost ? &unknown : node->fts_statp);
    }
    has_memory = has_memory && errno != ENOMEM;
    if (tree)
        fts_close(tree);
    free(root);
    if (!has_memory) {
        walked_release(folder);
        return fail(error, "no_memory", path, "no memory to list its files");
    }
    if (folder->file_count)
        qsort(folder->files, folder->file_count, sizeof *folder->files, compare_walked);
    return true;
}

void walked_release(struct walked_folder *folder)
{
    for (uint32_t i = 0; i < folder->file_count; i++)
        free(folder->files[i].path);
    for (uint32_t i = 0; i < folder->directory_count; i++)
        free(folder->directories[i]);
    free(folder->files);
    free(folder->directories);
    *folder = (struct walked_folder){0};
}

char *path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = must_alloc(size, 1);
    snprintf(path, size, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name);
    return path;
}

const char *path_base(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin && path[begin - 1] != '/')
        begin--;
    *length = end - begin;
    return path + begin;
}

char *path_base_name(const char *path)
{
    size_t length;
    const char *base = path_base(path, &length);
    char *name = must_alloc(length + 1, 1);
    memcpy(name, base, length);
    return name;
}

/* The entry of a folder with that name, spelt exactly so or else ignoring case; from malloc, NULL: none. */
static char *find_in_folder(const char *folder, const char *name)
{
    DIR *directory = opendir(folder);
    char *found = NULL;
    bool is_exact = false;
    if (!directory)
        return NULL;
    for (const struct dirent *entry; !is_exact && (entry = readdir(directory));) {
        is_exact = !strcmp(entry->d_name, name);
        if (!is_exact && (found || strcasecmp(entry->d_name, name)))
            continue;
        free(found);
        found = path_join(folder, entry->d_name);
    }
    closedir(directory);
    return found;
}

char *file_beside(const char *folder, const char *name)
{
    char *path = strdup(folder);
    for (const char *part = name; path && part;) {
        const char *slash = strchr(part, '/');
        char *piece = slash ? strndup(part, (size_t)(slash - part)) : strdup(part);
        char *next = piece && *piece && *piece != '.' ? find_in_folder(path, piece) : NULL;
        struct stat status;
        bool fits =
            next && !lstat(next, &status) && (slash ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode));
        free(path);
        free(piece);
        path = fits ? next : NULL;
        if (!fits)
            free(next);
        part = slash ? slash + 1 : NULL;
    }
    return path;
}
