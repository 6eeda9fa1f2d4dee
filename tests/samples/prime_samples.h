/* Files of Metroid Prime that are put together field by field, so that they do not depend on the project's encoders. */
#ifndef TESTS_SAMPLES_PRIME_SAMPLES_H
#define TESTS_SAMPLES_PRIME_SAMPLES_H

#include <stdbool.h>

/* Writes root/FORMAT/NAME for each of them. */
bool write_prime_samples(const char *root);

#endif
