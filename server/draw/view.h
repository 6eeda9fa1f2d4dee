/* From where a figure is looked at, and how it is fitted into the frame. */
#ifndef POSED_SERVER_DRAW_VIEW_H
#define POSED_SERVER_DRAW_VIEW_H

#include <stdbool.h>

/* The figure faces +Z, +Y is up. */
enum view_angle { VIEW_FRONT, VIEW_SIDE, VIEW_THREE_QUARTER, VIEW_TOP };

/* The words of angle=, in the order of enum view_angle, ended by NULL. */
extern const char *const view_angle_words[];

/* Parallel projection: rows are the axes of view space. */
struct view {
    float axes[3][3];
};

void view_init(struct view *view, enum view_angle angle);
/* A point of model space in view space. What is not finite becomes 0. */
void view_turn(const struct view *view, const float point[3], float out[3]);

/* The rectangle of view space that holds everything. */
struct view_box {
    float least[2], most[2];
    bool is_filled;
};

void view_box_add(struct view_box *box, const float point[3]);

/* Pixels from view space: x = origin_x + scale * x, y = origin_y - scale * y. */
struct view_frame {
    double scale, origin_x, origin_y;
};

/* The box in the middle of a picture, as large as the margin (a share of the smaller side) lets it be. */
struct view_frame view_fit(const struct view_box *box, double width, double height, double margin);

#endif
