/* The names that Second Life's viewer knows, against the stand-in's table and, when it is there, the corpus. */
#include "lib/formats/sl/names.h"
#include "lib/model/stand_in.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find(const char *name)
{
    return sl_joint_find(name, strlen(name), NULL);
}

TEST(joints_of_the_stand_in)
{
    ck_assert_uint_eq(stand_in_sl.joint_count, SL_FIRST_ATTACHMENT);
    for (uint32_t i = 0; i < stand_in_sl.joint_count; i++) {
        const struct stand_in_joint *joint = &stand_in_sl.joints[i];
        const char *own = NULL;
        ck_assert_int_eq(sl_joint_find(joint->name, strlen(joint->name), &own), (int)i);
        ck_assert_str_eq(own, joint->name);
        ck_assert_int_eq(!strcmp(joint->kind, "bone"), i < SL_FIRST_VOLUME);
        char aliases[128];
        snprintf(aliases, sizeof aliases, "%s", joint->aliases ? joint->aliases : "");
        for (char *rest = NULL, *alias = strtok_r(aliases, " ", &rest); alias;
             alias = strtok_r(NULL, " ", &rest))
            ck_assert_msg(find(alias) == (int)i, "%s is %d, not %u", alias, find(alias), i);
    }
}

TEST(case_and_kind_matter)
{
    ck_assert_int_eq(find("chest"), find("mChest"));
    ck_assert_int_ge(find("CHEST"), SL_FIRST_VOLUME);
    ck_assert_int_lt(find("CHEST"), SL_FIRST_ATTACHMENT);
    ck_assert_int_eq(find("Chest"), SL_FIRST_ATTACHMENT);
    ck_assert_int_eq(find("Left Hand"), SL_FIRST_ATTACHMENT + 4);
    ck_assert_int_eq(find("Left_Hand"), SL_FIRST_ATTACHMENT + 4);
    ck_assert_int_eq(find("Right Hind Foot"), SL_JOINT_COUNT - 1);
    const char *own = "";
    ck_assert_int_eq(sl_joint_find("avatar_mHead", 12, &own), find("mHead"));
    ck_assert_ptr_null(own);
}

TEST(unknown_names)
{
    const char *const names[] = {"",
                                 "m",
                                 "mpelvis",
                                 "mPelvis ",
                                 "avatar_",
                                 "avatar_m",
                                 "avatar_hip",
                                 "avatar_PELVIS",
                                 "bow_and_arrow",
                                 "WISDOM_SWORD_1",
                                 "mScreen",
                                 "mRoot",
                                 "L HAND",
                                 "_",
                                 "Left  Hand",
                                 "a name that is longer than any that the viewer has got"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(find(names[i]) == -1, "\"%s\" is known as %d", names[i], find(names[i]));
    ck_assert(sl_joint_is_forbidden("mRoot", 5) && sl_joint_is_forbidden("mScreen", 7));
    ck_assert(!sl_joint_is_forbidden("mHead", 5) && !sl_joint_is_forbidden("", 0));
}

TEST(emotes)
{
    ck_assert(sl_emote_is_known("express_smile"));
    ck_assert(sl_emote_is_known("Express_Smile"));
    ck_assert(sl_emote_is_known("aim_L_bow"));
    ck_assert(sl_emote_is_known("yoga_float"));
    ck_assert(!sl_emote_is_known("Closed_Mouth"));
    ck_assert(!sl_emote_is_known(""));
}

/* The first column that is asked for of each line but the first, by a callback; how many. */
static unsigned each_line(const char *name, int column, void (*check)(const char *field, unsigned line))
{
    struct test_file file;
    if (!corpus_read(name, &file))
        return 0;
    unsigned count = 0;
    char *text = strndup((const char *)file.data, file.size), *rest = NULL;
    strtok_r(text, "\n", &rest);
    for (char *line = strtok_r(NULL, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        for (int i = 0; i < column; i++)
            line = strchr(line, '\t') + 1;
        line[strcspn(line, "\t\r")] = 0;
        check(line, count++);
    }
    free(text);
    test_file_free(&file);
    return count;
}

static void check_attachment(const char *name, unsigned line)
{
    ck_assert_msg(find(name) == SL_FIRST_ATTACHMENT + (int)line, "%s is %d", name, find(name));
}

static void check_emote(const char *name, unsigned line)
{
    (void)line;
    ck_assert_msg(sl_emote_is_known(name), "%s", name);
}

TEST(names_of_the_corpus)
{
    if (!corpus_root())
        return;
    ck_assert_uint_eq(each_line("sl/attachment_points.tsv", 1, check_attachment), 55);
    ck_assert_uint_eq(each_line("sl/names.tsv", 0, check_emote), 139);
}
