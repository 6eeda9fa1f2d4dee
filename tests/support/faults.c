/*
 * Preloaded into a program: every system call that it makes on files of one folder is counted, and the one whose turn it
 * is fails, or ends the process as SIGKILL does, before it or in the middle of what it writes, or never returns. SQLite's
 * calls come by here too. The folder may be a disk of its own that gets full. Large allocations are counted alike, and the one whose turn it is is refused. FAULT_FOLDER names the folder; FAULT_CONTROL is a file of struct control, which the test writes at any time.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum mode { MODE_FAIL = 1, MODE_KILL = 2, MODE_TEAR = 3, MODE_STALL = 4 };

struct control {
    _Atomic int64_t turn;  /* the call that is hit, from 1; 0: none */
    _Atomic int64_t count; /* calls so far */
    _Atomic int32_t mode;
    _Atomic int32_t reason; /* errno of a failure */
    char last[96];          /* the call that was hit */
    _Atomic int64_t least;  /* bytes of an allocation that counts; 0: none does */
    _Atomic int64_t refused_turn, allocations;
    _Atomic int64_t is_bounded, room; /* bytes that the folder's files may grow by, if it is */
};

static struct control *control;
static const char *folder;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("FAULT_CONTROL");
    folder = getenv("FAULT_FOLDER");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped =
        fd >= 0 ? mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    control = folder && mapped != MAP_FAILED ? mapped : NULL;
}

/* Not what is made anew when it is missing: index.db, which is written to when there is time for it, and lists.db. */
static bool is_ours(const char *path)
{
    size_t length = folder ? strlen(folder) : 0;
    return control && path && !strncmp(path, folder, length) && path[length] == '/' &&
           !strstr(path + length, "index.db") && !strstr(path + length, "lists.db");
}

static bool is_our_fd(int fd)
{
    char name[32], path[512];
    if (!control)
        return false;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(name, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    return is_ours(path);
}

/* Whether the call is to do its half and end; false with errno: it fails. */
static bool passes(bool counts, const char *call, const char *what, bool *is_torn)
{
    *is_torn = false;
    if (!counts || atomic_fetch_add(&control->count, 1) + 1 != atomic_load(&control->turn))
        return true;
    snprintf(control->last, sizeof control->last, "%s %.80s", call, what);
    enum mode mode = (enum mode)atomic_load(&control->mode);
    *is_torn = mode == MODE_TEAR;
    if (mode == MODE_KILL)
        kill(getpid(), SIGKILL);
    while (mode == MODE_STALL)
        pause();
    errno = atomic_load(&control->reason);
    return mode != MODE_FAIL;
}

static void end_if(bool is_torn)
{
    if (is_torn)
        kill(getpid(), SIGKILL);
}

/* --------------------------------------------------------------------------------------------------- disk -- */

static int64_t blocks_of(int64_t size)
{
    enum { BLOCK = 4096 };
    return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* Whether a file may become that large; with ENOSPC. */
static bool grows(int fd, int64_t size)
{
    struct stat status;
    if (!control || !atomic_load(&control->is_bounded) || !is_our_fd(fd) || fstat(fd, &status))
        return true;
    const int64_t more = blocks_of(size) - blocks_of(status.st_size);
    if (more <= 0)
        return true;
    if (atomic_fetch_sub(&control->room, more) >= more)
        return true;
    atomic_fetch_add(&control->room, more);
    errno = ENOSPC;
    return false;
}

static int64_t end_of(int fd, size_t size)
{
    const off_t at = lseek(fd, 0, SEEK_CUR);
    return (at < 0 ? 0 : at) + (int64_t)size;
}

static int64_t size_of(const char *path)
{
    struct stat status;
    return is_ours(path) && !lstat(path, &status) && S_ISREG(status.st_mode) ? blocks_of(status.st_size) : 0;
}

/* Gives back what a file had that is gone or shorter now. */
static int give_back(int result, int64_t bytes)
{
    if (!result && control)
        atomic_fetch_add(&control->room, bytes);
    return result;
}

#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* A call that is whole or not at all. */
#define WHOLE(counts, what, failed, call)                                                                    \
    bool is_torn;                                                                                            \
    if (!passes(counts, __func__, what, &is_torn))                                                           \
        return failed;                                                                                       \
    __typeof__(call) result = call;                                                                          \
    end_if(is_torn);                                                                                         \
    return result

#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...)                                                               \
    {                                                                                                        \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                              \
        va_end(list);                                                                                        \
        WHOLE(is_ours(path), path, -1, REAL(name)(path, flags, mode));                                       \
    }
OPEN(open)
OPEN(open64)

int mkostemp(char *path, int flags)
{
    WHOLE(is_ours(path), path, -1, REAL(mkostemp)(path, flags));
}

DIR *opendir(const char *path)
{
    WHOLE(is_ours(path), path, NULL, REAL(opendir)(path));
}

int mkdir(const char *path, mode_t mode)
{
    WHOLE(is_ours(path), path, -1, REAL(mkdir)(path, mode));
}

int unlink(const char *path)
{
    const int64_t size = size_of(path);
    WHOLE(is_ours(path), path, -1, give_back(REAL(unlink)(path), size));
}

int rename(const char *from, const char *to)
{
    const int64_t size = size_of(to);
    WHOLE(is_ours(to), to, -1, give_back(REAL(rename)(from, to), size));
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    WHOLE(is_ours(to), to, -1, REAL(linkat)(from_fd, from, to_fd, to, flags));
}

int fsync(int fd)
{
    WHOLE(is_our_fd(fd), "", -1, REAL(fsync)(fd));
}

int fdatasync(int fd)
{
    WHOLE(is_our_fd(fd), "", -1, REAL(fdatasync)(fd));
}

int ftruncate(int fd, off_t size)
{
    struct stat status;
    const bool is_known = is_our_fd(fd) && !fstat(fd, &status) && size < status.st_size;
    const int64_t less = is_known ? blocks_of(status.st_size) - blocks_of(size) : 0;
    WHOLE(is_our_fd(fd), "", -1, give_back(REAL(ftruncate)(fd, size), less));
}

int ftruncate64(int fd, off64_t size)
{
    struct stat status;
    const bool is_known = is_our_fd(fd) && !fstat(fd, &status) && size < status.st_size;
    const int64_t less = is_known ? blocks_of(status.st_size) - blocks_of(size) : 0;
    WHOLE(is_our_fd(fd), "", -1, give_back(REAL(ftruncate64)(fd, size), less));
}

ssize_t read(int fd, void *data, size_t size)
{
    WHOLE(is_our_fd(fd), "", -1, REAL(read)(fd, data, size));
}

ssize_t pread(int fd, void *data, size_t size, off_t at)
{
    WHOLE(is_our_fd(fd), "", -1, REAL(pread)(fd, data, size, at));
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at)
{
    WHOLE(is_our_fd(fd), "", -1, REAL(pread64)(fd, data, size, at));
}

int posix_fallocate(int fd, off_t at, off_t size)
{
    return grows(fd, at + size) ? REAL(posix_fallocate)(fd, at, size) : ENOSPC;
}

int posix_fallocate64(int fd, off64_t at, off64_t size)
{
    return grows(fd, at + size) ? REAL(posix_fallocate64)(fd, at, size) : ENOSPC;
}

/* Half of it is there when the process ends in the middle. */
#define HALVED(size, end, call)                                                                              \
    bool is_torn;                                                                                            \
    if (!passes(is_our_fd(fd), __func__, "", &is_torn))                                                      \
        return -1;                                                                                           \
    if (!grows(fd, end))                                                                                     \
        return -1;                                                                                           \
    if (is_torn)                                                                                             \
        size /= 2;                                                                                           \
    ssize_t result = call;                                                                                   \
    end_if(is_torn);                                                                                         \
    return result

ssize_t write(int fd, const void *data, size_t size)
{
    HALVED(size, end_of(fd, size), REAL(write)(fd, data, size));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    HALVED(size, at + (int64_t)size, REAL(pwrite)(fd, data, size, at));
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
    HALVED(size, at + (int64_t)size, REAL(pwrite64)(fd, data, size, at));
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t at)
{
    WHOLE(fd >= 0 && is_our_fd(fd), "", MAP_FAILED, REAL(mmap)(address, size, protection, flags, fd, at));
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t at)
{
    WHOLE(fd >= 0 && is_our_fd(fd), "", MAP_FAILED, REAL(mmap64)(address, size, protection, flags, fd, at));
}

/* ------------------------------------------------------------------------------------------------- memory -- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static bool is_refused(size_t size)
{
    int64_t least = control ? atomic_load(&control->least) : 0;
    if (!least || size < (size_t)least)
        return false;
    bool hit = atomic_fetch_add(&control->allocations, 1) + 1 == atomic_load(&control->refused_turn);
    if (hit)
        errno = ENOMEM;
    return hit;
}

void *malloc(size_t size)
{
    return is_refused(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    size_t whole;
    bool fits = !__builtin_mul_overflow(count, size, &whole);
    return fits && is_refused(whole) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return is_refused(size) ? NULL : __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t whole;
    if (!__builtin_mul_overflow(count, size, &whole))
        return realloc(memory, whole);
    errno = ENOMEM;
    return NULL;
}
