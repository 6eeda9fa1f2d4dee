/* Settings: what is asked for, what is not, and what cannot be. */
#include "lib/core/setting.h"
#include "lib/core/value.h"
#include "tests/support/unit.h"

static const char *const words[] = {"red", "green", "blue"};
static struct arena arena;
static struct value_list settings;
static struct pose_error error;

static void start(void)
{
    arena_init(&arena, NULL, 0, NULL);
    settings = value_object(&arena);
    pose_error_init(&error);
}

static void stop(void)
{
    arena_release(&arena);
}

static void must_be_refused(bool done, const char *name, const char *detail)
{
    ck_assert(!done);
    ck_assert_int_eq(error.status, POSE_BAD_ARGUMENT);
    ck_assert_str_eq(error.code, "bad_setting");
    ck_assert_str_eq(error.field, name);
    ck_assert_str_eq(error.detail, detail);
    pose_error_init(&error);
}

FIXTURE(start, stop);

TEST(words_are_chosen)
{
    unsigned choice = 1;
    value_put_string(&settings, "color", "blue");
    value_put_string(&settings, "sound", "loud");
    value_put_int(&settings, "number", 1);
    ck_assert(setting_word(settings.value, "taste", words, 3, &choice, &error));
    ck_assert(setting_word(NULL, "color", words, 3, &choice, &error));
    ck_assert_uint_eq(choice, 1);
    ck_assert(setting_word(settings.value, "color", words, 3, &choice, &error));
    ck_assert_uint_eq(choice, 2);
    must_be_refused(setting_word(settings.value, "color", words, 2, &choice, &error), "color",
                    "color: neither \"red\" nor \"green\"");
    must_be_refused(setting_word(settings.value, "sound", words, 3, &choice, &error), "sound",
                    "sound: neither \"red\" nor \"green\" nor \"blue\"");
    must_be_refused(setting_word(settings.value, "number", words, 2, &choice, &error), "number",
                    "number: neither \"red\" nor \"green\"");
    ck_assert_uint_eq(choice, 2);
    ck_assert(!setting_word(settings.value, "sound", words, 3, &choice, NULL));
}

TEST(flags_are_set)
{
    bool flag = true;
    value_put_bool(&settings, "no", false);
    value_put_int(&settings, "one", 1);
    value_put_string(&settings, "text", "true");
    ck_assert(setting_flag(settings.value, "missing", &flag, &error) && flag);
    ck_assert(setting_flag(settings.value, "no", &flag, &error) && !flag);
    ck_assert(setting_flag(settings.value, "one", &flag, &error) && flag);
    must_be_refused(setting_flag(settings.value, "text", &flag, &error), "text",
                    "text: neither true nor false");
}

/* The first failure wins, its field as well. */
TEST(an_earlier_error_stays)
{
    error_set(&error, POSE_BAD_DATA, "earlier", "what came first");
    ck_assert(!setting_refuse(&error, "fps", "not a number from %d to %d", 1, 1000));
    ck_assert_str_eq(error.code, "earlier");
    ck_assert_str_eq(error.field, "");
}
