/*
 * Fast JSON for the joints of a pose: everything constant (names, ids, parents, rest values, single keys) is
 * written once, so that writing a pose only copies text and inserts the varying numbers.
 */
#ifndef POSED_SERVER_LIBRARY_POSE_TEXT_H
#define POSED_SERVER_LIBRARY_POSE_TEXT_H

#include "pose.h"

struct pose_text;

/*
 * The text of all rows, or of count selected ones (indices, ascending). with_skeleton adds parents (the nearest
 * selected ancestor), with_matrix the model-space matrix. NULL if out of memory.
 */
struct pose_text *pose_text_new(const struct pose_sampler *sampler, bool with_skeleton, bool with_matrix,
                                const uint32_t *selected, uint32_t count);
/* The same part by part, as in a series: "translation":[…],"rotation":[…],"scale":[…],"matrix":[…]; null where neither clip
 * nor skeleton has a part. */
struct pose_text *pose_text_of_parts(const struct pose_sampler *sampler, bool with_skeleton, bool with_matrix,
                                     const uint32_t *selected, uint32_t count);
void pose_text_free(struct pose_text *text);
size_t pose_text_size(const struct pose_text *text); /* bytes in use; 0 for NULL */
/* The maximum number of bytes that pose_text_write writes. */
size_t pose_text_bound(const struct pose_text *text);
/*
 * Writes "[{…},…]", or the members by parts, from rows (10 floats each, for all joints) and, with_matrix, matrices (16 each). Returns the
 * number of bytes written.
 */
size_t pose_text_write(const struct pose_text *text, const float *rows, const float *matrices, char *out);

/* The parents of selected rows as indices into the selection: the nearest selected ancestor, or -1.
 * selected NULL: all rows. */
bool pose_select_parents(const struct pose_sampler *sampler, const uint32_t *selected, uint32_t count,
                         int32_t *parents);

#endif
