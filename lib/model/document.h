/* A document and the arena that holds all of it, itself included. */
#ifndef POSE_MODEL_DOCUMENT_H
#define POSE_MODEL_DOCUMENT_H

#include "lib/core/arena.h"

/* pose_document_free expects this form: allocate one in the document's arena, and move the arena into it when the
 * document is complete. */
struct document {
    struct pose_document view; /* first: what the caller sees */
    struct arena arena;
};

#endif
