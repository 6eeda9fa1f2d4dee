/* The only symbol that the module exports. */
#include "server/draw/loading.h"

__attribute__((visibility("default"))) extern const struct draw_module draw_module;

const struct draw_module draw_module = {.picture = picture_draw, .plot = plot_draw};
