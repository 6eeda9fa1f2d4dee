/* "-" as the file that a command reads: what arrives on standard input becomes a file of its own. */
#include "server/commands/commands.h"
#include "server/ops/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

/* The name of the file is what the API shows of it, so it has a folder of its own. */
static char folder[PATH_MAX], path[PATH_MAX + sizeof "/stdin"];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

/* Dies of the signal as it would have without the file. */
static void remove_and_die(int number)
{
    remove_file();
    signal(number, SIG_DFL);
    raise(number);
}

static bool make_file(int *fd)
{
    const char *top = getenv("TMPDIR");
    int length = snprintf(folder, sizeof folder, "%s/posed-XXXXXX", top && *top ? top : "/tmp");
    if (length >= (int)sizeof folder || !mkdtemp(folder))
        return false;
    snprintf(path, sizeof path, "%s/stdin", folder);
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd < 0) {
        rmdir(folder);
        return false;
    }
    atexit(remove_file);
    static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], remove_and_die);
    return true;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/* What is kept of it, at most limit bytes. */
static bool copy(int fd, uint64_t limit, uint64_t *kept)
{
    char block[BLOCK_BYTES];
    for (*kept = 0;;) {
        ssize_t size = read(STDIN_FILENO, block, sizeof block);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return !size;
        *kept += (uint64_t)size;
        if (*kept > limit) {
            errno = EFBIG;
            return false;
        }
        if (!write_all(fd, block, (size_t)size))
            return false;
    }
}

void standard_input_keep(char **operand)
{
    struct config config;
    uint64_t size;
    int fd;
    config_init(&config);
    if (!make_file(&fd) || !copy(fd, config.max_upload, &size) || close(fd))
        exit(command_failed("standard input", "%s", strerror(errno)));
    if (!size)
        exit(command_failed("standard input", "the input is empty"));
    *operand = path;
}

const char *standard_input_shown(const char *file)
{
    return *path && !strcmp(file, path) ? "standard input" : file;
}
