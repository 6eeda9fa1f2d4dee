/*
 * Drawing is a module of its own, loaded with the first picture: cairo and what it brings along would make every start
 * of the program a quarter longer.
 */
#ifndef POSED_SERVER_DRAW_LOADING_H
#define POSED_SERVER_DRAW_LOADING_H

#include "server/draw/picture.h"
#include "server/draw/plot.h"

/* What the module offers, under the name draw_module. */
struct draw_module {
    bool (*picture)(const struct figure_source *source, const struct picture_options *options,
                    struct pose_buffer *out, struct pose_error *error);
    bool (*plot)(const struct plot_source *source, unsigned width, unsigned height, struct pose_buffer *out,
                 struct pose_error *error);
};

/* The module, loaded once and for the life of the process. NULL, and error, when it is not there. */
const struct draw_module *draw_load(struct pose_error *error);

#endif
