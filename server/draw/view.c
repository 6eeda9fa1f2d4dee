#include "server/draw/view.h"

#include <math.h>
#include <stddef.h>

const char *const view_angle_words[] = {"front", "side", "three-quarter", "top", NULL};

/* Degrees: around the figure to its left, and up. Slightly from above, so that the floor is visible. */
static const struct {
    float around, up;
} places[] = {
    [VIEW_FRONT] = {0, 7}, [VIEW_SIDE] = {90, 7}, [VIEW_THREE_QUARTER] = {35, 14}, [VIEW_TOP] = {0, 90}};

void view_init(struct view *view, enum view_angle angle)
{
    const float degree = 0.017453292f;
    float around = places[angle].around * degree, up = places[angle].up * degree;
    float ca = cosf(around), sa = sinf(around), cu = cosf(up), su = sinf(up);
    *view = (struct view){{{ca, 0, -sa}, {-su * sa, cu, -su * ca}, {cu * sa, su, cu * ca}}};
}

struct view_frame view_fit(const struct view_box *box, double width, double height, double margin)
{
    double smaller = fmin(width, height), inner[2], size[2], middle[2];
    for (int i = 0; i < 2; i++) {
        inner[i] = (i ? height : width) - 2 * margin * smaller;
        size[i] = box->is_filled ? (double)box->most[i] - (double)box->least[i] : 0;
        middle[i] = box->is_filled ? ((double)box->most[i] + (double)box->least[i]) / 2 : 0;
    }
    double scale = fmin(inner[0] / fmax(size[0], 1e-6), inner[1] / fmax(size[1], 1e-6));
    return (struct view_frame){scale, width / 2 - scale * middle[0], height / 2 + scale * middle[1]};
}
