/* The creature's files, in paks of Metroid Prime 1 and 2 and by themselves. */
#ifndef TESTS_SAMPLES_SAMPLE_PAKS_H
#define TESTS_SAMPLES_SAMPLE_PAKS_H

#include "tests/samples/output.h"

/* root/metroid-prime-1.pak and root/metroid-prime-2.pak. */
bool write_paks(const char *root);
/* root/FORMAT/NAME-GAME.EXT, each file of the paks whose format can be written. */
bool write_pak_parts(const char *root);

#endif
