#include "lib/formats/zip/libarchive.h"

#include "lib/core/error.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct libarchive libarchive;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static char problem[200];

/* A function's address out of dlsym's, which C does not convert. */
static bool find(void *handle, const char *name, void *member)
{
    void *symbol = dlsym(handle, name);
    memcpy(member, &symbol, sizeof symbol);
    return symbol;
}

static void load(void)
{
    void *handle = dlopen(LIBARCHIVE_FILE, RTLD_NOW | RTLD_LOCAL);
    loaded = handle;
#define FIND(name) loaded = loaded && find(handle, "archive_" #name, &libarchive.name);
    LIBARCHIVE_FUNCTIONS(FIND)
#undef FIND
    if (!loaded)
        snprintf(problem, sizeof problem, "%s", dlerror());
}

bool libarchive_open(struct pose_error *error)
{
    pthread_once(&once, load);
    return loaded || error_set(error, POSE_UNSUPPORTED, "unsupported_container",
                               "libarchive cannot be loaded: %s", problem);
}
