/* Parts of bodies that the project does not write: a mesh of an avatar with a level of detail, a texture. */
#ifndef TESTS_SAMPLES_BODY_SAMPLES_H
#define TESTS_SAMPLES_BODY_SAMPLES_H

#include <stdbool.h>

/* Writes root/FORMAT/NAME for each of them. */
bool write_body_samples(const char *root);

#endif
