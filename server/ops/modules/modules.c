#include "server/ops/modules/modules.h"

#include "server/ops/modules/stamp.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens a file of that folder, which is relative to the program's. */
static void *open_beside(const char *folder, const char *file)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length >= sizeof path)
        return NULL;
    while (length && path[length - 1] != '/')
        length--;
    int written = snprintf(path + length, sizeof path - (size_t)length, "%s%s", folder, file);
    return written > 0 && (size_t)written < sizeof path - (size_t)length ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                                                                         : NULL;
}

/* Uses the program's run path, which AddressSanitizer hides; otherwise looks beside the program, where the
 * build puts modules, or in the installed place. */
static void *open_module(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = open_beside("", file);
    return handle ? handle : open_beside(MODULES_INSTALLED, file);
}

void *module_symbol(const char *file, const char *name, char *error, size_t error_size)
{
    void *handle = open_module(file);
    const char *stamp = handle ? dlsym(handle, "posed_module_stamp") : NULL;
    void *symbol = stamp ? dlsym(handle, name) : NULL;
    if (!symbol) {
        snprintf(error, error_size, "%s", dlerror());
        return NULL;
    }
    /* Its functions would be called with structures that they do not know. */
    if (strcmp(stamp, MODULE_STAMP) != 0) {
        snprintf(error, error_size, "%s is of another build than this program: install them together", file);
        return NULL;
    }
    return symbol;
}
