/*
 * A check program. TEST(name) { … } is a test, and by that alone a part of its program: the tests of a file run in their
 * order, each in a process and a case of its own, so that CK_RUN_CASE=name runs it alone.
 */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <check.h>
#include <stddef.h>

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

/* Once for each _i from 0 below count. */
#define TEST_EACH(name, how_often)                                                                           \
    static void name(int _i);                                                                                \
    UNIT_ENTRY(name, .kind = UNIT_TEST, .test = {#name, name, __FILE__, __LINE__},                           \
               .count = (int)(how_often))                                                                    \
    static void name(int _i CK_ATTRIBUTE_UNUSED)

#define TEST(name) TEST_EACH(name, 1)

/* What is called before and after each of the tests that follow; NULL: nothing. */
#define FIXTURE(before, after)                                                                               \
    UNIT_ENTRY(UNIT_JOIN(fixture_, __LINE__), .kind = UNIT_FIXTURE, .setup = before, .teardown = after)      \
    struct unit_entry

/* The seconds that each of the tests that follow may take. */
#define TIMEOUT(most)                                                                                        \
    UNIT_ENTRY(UNIT_JOIN(timeout_, __LINE__), .kind = UNIT_TIMEOUT, .seconds = most) struct unit_entry

/* What main does. A program with more to do before or after its tests has a main of its own, which calls this and returns
 * its exit status. */
int unit_run(void);

/* ------------------------------------------------------------------------------------------- how they get there -- */

enum unit_kind { UNIT_TEST, UNIT_FIXTURE, UNIT_TIMEOUT };

struct unit_entry {
    enum unit_kind kind;
    int line;
    TTest test;
    int count;
    SFun setup, teardown;
    double seconds;
    struct unit_entry *next;
};

/* Called before main for each, in any order: they are sorted by their lines. */
void unit_add(struct unit_entry *entry);

#define UNIT_JOIN(a, b) UNIT_JOINED(a, b)
#define UNIT_JOINED(a, b) a##b
#define UNIT_ENTRY(id, ...) UNIT_ADD(id, __VA_ARGS__)
#define UNIT_ADD(id, ...)                                                                                    \
    __attribute__((constructor)) static void unit_##id(void)                                                 \
    {                                                                                                        \
        static struct unit_entry entry;                                                                      \
        entry = (struct unit_entry){.line = __LINE__, __VA_ARGS__};                                          \
        unit_add(&entry);                                                                                    \
    }

#endif
