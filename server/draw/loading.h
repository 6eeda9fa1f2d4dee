/*
 * Drawing is a separate module, loaded for the first picture: linking cairo and its dependencies would make every
 * start of the program a quarter slower.
 */
#ifndef POSED_SERVER_DRAW_LOADING_H
#define POSED_SERVER_DRAW_LOADING_H

#include "server/draw/picture.h"
#include "server/draw/plot.h"

/* The module's interface, exported as draw_module. */
struct draw_module {
    bool (*picture)(const struct figure_source *source, const struct picture_options *options,
                    struct pose_buffer *out, struct pose_error *error);
    bool (*plot)(const struct plot_source *source, unsigned width, unsigned height, struct pose_buffer *out,
                 struct pose_error *error);
};

/* The module, loaded once and never unloaded. NULL, with error, if it is missing. */
const struct draw_module *draw_load(struct pose_error *error);

#endif
