#include "tests/support/unit.h"

#include <errno.h>
#include <stdlib.h>

static struct unit_entry *entries;

void unit_add(struct unit_entry *entry)
{
    struct unit_entry **at = &entries;
    while (*at && (*at)->line < entry->line)
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

static TCase *new_case(const struct unit_entry *entry, const struct unit_entry *fixture,
                       const struct unit_entry *timeout)
{
    TCase *one = tcase_create(entry->test.name);
    if (fixture)
        tcase_add_checked_fixture(one, fixture->setup, fixture->teardown);
    if (timeout)
        tcase_set_timeout(one, timeout->seconds);
    tcase_add_loop_test(one, &entry->test, 0, entry->count);
    return one;
}

static Suite *new_suite(void)
{
    const struct unit_entry *fixture = NULL, *timeout = NULL;
    Suite *suite = suite_create(program_invocation_short_name);
    for (const struct unit_entry *entry = entries; entry; entry = entry->next) {
        if (entry->kind == UNIT_FIXTURE)
            fixture = entry;
        else if (entry->kind == UNIT_TIMEOUT)
            timeout = entry;
        else
            suite_add_tcase(suite, new_case(entry, fixture, timeout));
    }
    return suite;
}

int unit_run(void)
{
    SRunner *runner = srunner_create(new_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
