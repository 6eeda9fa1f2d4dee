/* Names of files, and lines of names. */
#include "server/library/names.h"
#include "server/uploads/parts.h"
#include "server/library/unique_names.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(parts_of_a_path)
{
    ck_assert_str_eq(name_base("a/b/walk.anim"), "walk.anim");
    ck_assert_str_eq(name_base("walk.anim"), "walk.anim");
    ck_assert_str_eq(name_base("a/"), "");
    ck_assert_uint_eq(name_stem("walk.anim"), 4);
    ck_assert_uint_eq(name_stem("walk.a.anim"), 6);
    ck_assert_uint_eq(name_stem("walk"), 4);
    ck_assert_uint_eq(name_stem(".anim"), 5);
    ck_assert(name_has_stem("a/Walk.anim", "walk"));
    ck_assert(!name_has_stem("walk", "walk"));
    ck_assert(!name_has_stem("walker.anim", "walk"));
}

TEST(a_line_ends_where_it_is_full)
{
    char line[20] = "";
    ck_assert(name_list_add(line, sizeof line, "run"));
    ck_assert(name_list_add(line, sizeof line, "walk"));
    ck_assert_str_eq(line, "run, walk");
    ck_assert(!name_list_add(line, sizeof line, "somersault"));
    ck_assert_str_eq(line, "run, walk, ...");
    *line = '\0';
    ck_assert(!name_list_add(line, sizeof line, "a name as long as the line"));
    ck_assert_str_eq(line, "...");
}

/* Whatever was added, the dots still have room. */
TEST(a_line_of_any_length_is_told_to_go_on)
{
    char line[64], name[64];
    for (size_t length = 1; length < sizeof name; length++) {
        *line = '\0';
        memset(name, 'x', length);
        name[length] = '\0';
        while (name_list_add(line, sizeof line, name))
            ;
        ck_assert_uint_lt(strlen(line), sizeof line);
        ck_assert_str_eq(line + strlen(line) - 3, "...");
    }
}

TEST(a_code_is_listed_once_or_left_out)
{
    char line[20] = "";
    code_list_add(line, sizeof line, "z_up");
    code_list_add(line, sizeof line, "z");
    code_list_add(line, sizeof line, "z_up");
    code_list_add(line, sizeof line, "");
    ck_assert_str_eq(line, "z_up, z");
    code_list_add(line, sizeof line, "too_long_here");
    code_list_add(line, sizeof line, "ten_bytes_");
    ck_assert_str_eq(line, "z_up, z, ten_bytes_");
}

/* Also where case does not count, and never onto a name that another has. */
TEST(names_that_repeat_are_numbered)
{
    static const char *const given[] = {"b/walk", "walk", "Walk", "b/walk (2)",
                                        "b/walk", "walk", "run",  "b/walk"};
    static const char *const wanted[] = {"b/walk",     "walk",     "Walk (2)", "b/walk (2)",
                                         "b/walk (3)", "walk (3)", "run",      "b/walk (4)"};
    enum { COUNT = sizeof given / sizeof *given };
    char *names[COUNT], **places[COUNT];
    for (int i = 0; i < COUNT; i++) {
        names[i] = strdup(given[i]);
        places[i] = &names[i];
    }
    ck_assert(names_make_unique(places, COUNT));
    for (int i = 0; i < COUNT; i++) {
        ck_assert_str_eq(names[i], wanted[i]);
        free(names[i]);
    }
    ck_assert(names_make_unique(places, 0));
}

/* An upload's part keeps the end of its path: what is left must not look like another path. */
TEST(a_long_path_is_cut_between_its_steps)
{
    enum { MOST = 1024, ABOUT = 20 };
    static const char *const steps[] = {"/", "a../", "/b/", "\xc3\xa4"};
    struct pose_bytes nothing = {NULL, 0};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        /* The cut wanders over the step. */
        for (int tail = MOST - ABOUT; tail < MOST + ABOUT; tail++) {
            char path[2 * MOST + 2 * ABOUT + 10];
            struct parts parts = {0};
            memset(path, 'x', MOST);
            int length = MOST + sprintf(path + MOST, "%s", steps[i]);
            memset(path + length, 'y', (size_t)tail);
            path[length + tail] = '\0';
            parts_add(&parts, path, nothing);
            const char *name = parts.items[0].name;
            ck_assert_uint_le(strlen(name), MOST);
            ck_assert_str_eq(name, path + strlen(path) - strlen(name));
            ck_assert_msg(*name && *name != '/' && (*name & 0xc0) != 0x80 && *name != '.', "%s", name);
            parts_release(&parts);
        }
    }
}
