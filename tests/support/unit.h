/* The end of every check program. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <check.h>

/* Runs the cases (TCase *, ended by NULL) as one suite and returns the exit status of the program. */
int unit_run(const char *suite_name, ...) __attribute__((sentinel));

#endif
