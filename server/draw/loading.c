#include "server/draw/loading.h"

#include "server/ops/modules/modules.h"

#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct draw_module *module;
static char problem[256];

static void load(void)
{
    module = module_symbol("posed-draw.so", "draw_module", problem, sizeof problem);
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
