#include "tests/support/unit.h"

#include <stdarg.h>
#include <stdlib.h>

int unit_run(const char *suite_name, ...)
{
    Suite *suite = suite_create(suite_name);
    va_list arguments;
    va_start(arguments, suite_name);
    for (TCase *cases; (cases = va_arg(arguments, TCase *));)
        suite_add_tcase(suite, cases);
    va_end(arguments);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
