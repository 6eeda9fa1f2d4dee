#include "server/draw/loading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct draw_module *module;
static char problem[256];

/* Opens the module at a path relative to the program's folder. */
static void *open_beside(const char *place)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length >= sizeof path)
        return NULL;
    while (length && path[length - 1] != '/')
        length--;
    int written = snprintf(path + length, sizeof path - (size_t)length, "%s", place);
    return written > 0 && (size_t)written < sizeof path - (size_t)length ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                                                                         : NULL;
}

/* Uses the program's run path, which AddressSanitizer hides; otherwise looks beside the program, where the
 * build puts the module, or in the installed place. */
static void load(void)
{
    void *handle = dlopen(DRAW_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = open_beside(DRAW_MODULE);
    if (!handle)
        handle = open_beside(DRAW_INSTALLED);
    if (handle)
        module = dlsym(handle, "draw_module");
    if (!module)
        snprintf(problem, sizeof problem, "%s", dlerror());
}

const struct draw_module *draw_load(struct pose_error *error)
{
    pthread_once(&once, load);
    if (module)
        return module;
    pose_error_init(error);
    error->status = POSE_UNSUPPORTED;
    snprintf(error->code, sizeof error->code, "no_pictures");
    snprintf(error->detail, sizeof error->detail, "pictures cannot be drawn here: %s", problem);
    return NULL;
}
