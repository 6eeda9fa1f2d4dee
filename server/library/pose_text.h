/*
 * The joints of a pose as JSON, fast: what does not change with time (names, ids, parents, rest values, single keys) is
 * written once, so that a pose is copies of text with the moving numbers between them.
 */
#ifndef POSED_SERVER_LIBRARY_POSE_TEXT_H
#define POSED_SERVER_LIBRARY_POSE_TEXT_H

#include "pose.h"

struct pose_text;

/*
 * The text of all rows, or of count selected ones (indices, ascending). with_skeleton adds parents (the nearest
 * selected ancestor), with_matrix the model-space matrix. NULL when memory is out.
 */
struct pose_text *pose_text_new(const struct pose_sampler *sampler, bool with_skeleton, bool with_matrix,
                                const uint32_t *selected, uint32_t count);
void pose_text_free(struct pose_text *text);
size_t pose_text_size(const struct pose_text *text); /* bytes held; 0 for NULL */
/* How many bytes pose_text_write may write. */
size_t pose_text_bound(const struct pose_text *text);
/*
 * "[{…},…]" from rows (10 floats each, of all joints) and, with_matrix, matrices (16 each). Returns the bytes written.
 */
size_t pose_text_write(const struct pose_text *text, const float *rows, const float *matrices, char *out);

/* The parents of selected rows as indices among them: the nearest selected ancestor, -1. selected NULL: all. */
bool pose_select_parents(const struct pose_sampler *sampler, const uint32_t *selected, uint32_t count,
                         int32_t *parents);

#endif
