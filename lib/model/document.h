/* A document and the arena that holds all of it, itself included. */
#ifndef POSE_MODEL_DOCUMENT_H
#define POSE_MODEL_DOCUMENT_H

#include "lib/core/arena.h"

/* pose_document_free knows only this form, so whoever makes a document allocates one of these in its arena, and moves
 * the arena in when it is complete. */
struct document {
    struct pose_document view; /* first: what the caller sees */
    struct arena arena;
};

#endif
