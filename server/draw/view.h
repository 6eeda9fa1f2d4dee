/* The view of a figure, and how it is fitted into the frame. */
#ifndef POSED_SERVER_DRAW_VIEW_H
#define POSED_SERVER_DRAW_VIEW_H

#include <math.h>
#include <stdbool.h>

/* The figure faces +Z, +Y is up. */
enum view_angle { VIEW_FRONT, VIEW_SIDE, VIEW_THREE_QUARTER, VIEW_TOP };

/* The words of angle=, in the order of enum view_angle, NULL-terminated. */
extern const char *const view_angle_words[];

/* Parallel projection: rows are the axes of view space. */
struct view {
    float axes[3][3];
};

void view_init(struct view *view, enum view_angle angle);
/* Transforms a point from model space to view space. Values that are not finite become 0. Inline: it is called for
 * every vertex of every moment. */
static inline void view_turn(const struct view *view, const float point[3], float out[3])
{
    for (int i = 0; i < 3; i++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += view->axes[i][k] * point[k];
        out[i] = isfinite(sum) ? sum : 0;
    }
}

/* The bounding rectangle in view space. */
struct view_box {
    float least[2], most[2];
    bool is_filled;
};

static inline void view_box_add(struct view_box *box, const float point[3])
{
    for (int i = 0; i < 2; i++) {
        if (!box->is_filled || point[i] < box->least[i])
            box->least[i] = point[i];
        if (!box->is_filled || point[i] > box->most[i])
            box->most[i] = point[i];
    }
    box->is_filled = true;
}

/* View space to pixels: x = origin_x + scale * x, y = origin_y - scale * y. */
struct view_frame {
    double scale, origin_x, origin_y;
};

/* Centres the box in a picture, as large as the margin (a share of the smaller side) allows. */
struct view_frame view_fit(const struct view_box *box, double width, double height, double margin);

#endif
