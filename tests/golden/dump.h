/* A document or an archive as text: what it is, every joint, first and last keys, and a few poses. */
#ifndef TESTS_GOLDEN_DUMP_H
#define TESTS_GOLDEN_DUMP_H

#include "pose.h"

#include <stdio.h>

/* Writes the text of a file; a refusal is a text as well. */
void dump_file(FILE *out, const struct pose_source *source);

#endif
