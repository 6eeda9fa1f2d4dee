#include "server/events/queue_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 32, PATH = 4096 };

static bool path_of(char path[PATH], const char *folder, uint64_t number, const char *ending)
{
    const int length = snprintf(path, PATH, "%s/%016llx%s", folder, (unsigned long long)number, ending);
    if (length < PATH)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static bool sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool done = fd >= 0 && !fsync(fd);
    if (fd >= 0)
        close(fd);
    return done;
}

bool queue_files_open(const char *folder)
{
    struct stat status;
    if (!mkdir(folder, 0700))
        return true;
    if (errno != EEXIST || stat(folder, &status))
        return false;
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return !fsync(fd);
}

bool queue_files_keep(const char *folder, uint64_t number, const void *body, size_t size)
{
    char path[PATH], part[PATH];
    if (!path_of(path, folder, number, ".json") || !path_of(part, folder, number, ".part"))
        return false;
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool done = fd >= 0 && write_all(fd, body, size);
    const int reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    done = done && !rename(part, path) && sync_folder(folder);
    if (!done && fd >= 0) {
        const int why = errno;
        unlink(part);
        errno = why;
    }
    return done;
}

void queue_files_drop(const char *folder, uint64_t number)
{
    char path[PATH];
    if (path_of(path, folder, number, ".json"))
        unlink(path);
}

/* The number of a whole file; nanoseconds since 1970, so that there is room behind it. */
static bool number_of(const char *name, uint64_t *number)
{
    char again[NAME];
    char *end;
    *number = strtoull(name, &end, 16);
    snprintf(again, sizeof again, "%016llx.json", (unsigned long long)*number);
    return *number < INT64_MAX / 2 && !strcmp(name, again);
}

static int compare(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

uint64_t *queue_files_list(const char *folder, size_t most, size_t *count)
{
    size_t capacity = 0, found = 0;
    uint64_t *numbers = NULL, number;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && !strcmp(entry->d_name + length - 5, ".part"))
            unlinkat(dirfd(directory), entry->d_name, 0);
        if (!number_of(entry->d_name, &number))
            continue;
        if (found == capacity) {
            uint64_t *larger = realloc(numbers, (capacity * 2 + 64) * sizeof *numbers);
            if (!larger)
                break;
            numbers = larger;
            capacity = capacity * 2 + 64;
        }
        numbers[found++] = number;
    }
    if (directory)
        closedir(directory);
    if (found)
        qsort(numbers, found, sizeof *numbers, compare);
    const size_t skipped = found > most ? found - most : 0;
    for (size_t i = 0; i < skipped; i++)
        queue_files_drop(folder, numbers[i]);
    if (skipped)
        memmove(numbers, numbers + skipped, most * sizeof *numbers);
    *count = found - skipped;
    return numbers;
}

char *queue_files_read(const char *folder, uint64_t number, size_t *size)
{
    char path[PATH];
    FILE *file = path_of(path, folder, number, ".json") ? fopen(path, "re") : NULL;
    char *text = file ? malloc(QUEUE_MAX_BODY + 1) : NULL;
    *size = text ? fread(text, 1, QUEUE_MAX_BODY + 1, file) : 0;
    const bool done = text && *size && *size <= QUEUE_MAX_BODY && !ferror(file);
    if (file)
        fclose(file);
    if (done)
        return text;
    free(text);
    return NULL;
}
