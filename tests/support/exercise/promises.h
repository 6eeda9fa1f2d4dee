/* What pose.h promises of everything that it hands out, checked. */
#ifndef TESTS_SUPPORT_PROMISES_H
#define TESTS_SUPPORT_PROMISES_H

#include "tests/support/exercise/exercise.h"

/* A refusal: a code, one line of detail, and a place in the file of that size or a limit. size 0: no file is at fault. */
void check_refusal(struct exercise *exercise, const char *what, const struct pose_error *error,
                   uint64_t size);
/* A warning has a code and one line of message; user is the exercise. Serves as a pose_warn. */
void check_warning(void *user, const struct pose_warning *warning);
/* True when a warning of that code is among those of the file or of its clips. */
bool document_warns(const struct pose_document *document, const char *code);
/* Finite numbers, ascending times, parents before children, indices within their arrays, warnings with text. */
void check_document(struct exercise *exercise, const struct pose_document *document);
/* The same of one that was made of from: where that has said so, keys may lie outside of the clip. */
void check_converted(struct exercise *exercise, const struct pose_document *document,
                     const struct pose_document *from);
/* False (and a complaint) when one is NaN or infinite. */
bool check_finite(struct exercise *exercise, const char *what, const float *numbers, size_t count);

#endif
