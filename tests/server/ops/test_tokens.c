/* Files of tokens: what is in them, what is refused, and reading them again. */
#include "server/ops/tokens.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/posed-tokens-XXXXXX";

static void fill(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    fclose(file);
}

static struct tokens *open_text(const char *text)
{
    char error[256] = "";
    fill(text, strlen(text));
    struct tokens *tokens = tokens_open(path, error, sizeof error);
    ck_assert_msg(tokens, "%s", error);
    return tokens;
}

START_TEST(what_is_in_it)
{
    struct tokens *tokens = open_text("# the site\nabc\n\n  def \t\r\n#ghi\njkl");
    ck_assert(tokens_hold(tokens, "abc"));
    ck_assert(tokens_hold(tokens, "def"));
    ck_assert(tokens_hold(tokens, "jkl"));
    ck_assert(!tokens_hold(tokens, ""));
    ck_assert(!tokens_hold(tokens, "ab"));
    ck_assert(!tokens_hold(tokens, "abcd"));
    ck_assert(!tokens_hold(tokens, "ABC"));
    ck_assert(!tokens_hold(tokens, "#ghi"));
    ck_assert(!tokens_hold(tokens, "# the site"));
    tokens_close(tokens);
}
END_TEST

START_TEST(nobody)
{
    struct tokens *tokens = open_text("# nobody yet\n");
    ck_assert(!tokens_hold(tokens, ""));
    tokens_close(tokens);
}
END_TEST

START_TEST(reading_again)
{
    char error[256] = "";
    struct tokens *tokens = open_text("old\n");
    fill("new\n", 4);
    ck_assert(tokens_hold(tokens, "old"));
    ck_assert(tokens_reload(tokens, error, sizeof error));
    ck_assert(!tokens_hold(tokens, "old"));
    ck_assert(tokens_hold(tokens, "new"));
    fill("two words\n", 10);
    ck_assert(!tokens_reload(tokens, error, sizeof error));
    ck_assert_msg(strstr(error, "line 1"), "%s", error);
    ck_assert(tokens_hold(tokens, "new"));
    unlink(path);
    ck_assert(!tokens_reload(tokens, error, sizeof error));
    ck_assert(tokens_hold(tokens, "new"));
    tokens_close(tokens);
}
END_TEST

START_TEST(what_is_refused)
{
    char error[256];
    enum { LARGE = (1 << 20) + 1 };
    char *large = malloc(LARGE);
    memset(large, 'a', LARGE);
    fill("a\0b\n", 4);
    ck_assert_ptr_null(tokens_open(path, error, sizeof error));
    fill("\xc3\xa4\n", 3);
    ck_assert_ptr_null(tokens_open(path, error, sizeof error));
    fill(large, LARGE);
    ck_assert_ptr_null(tokens_open(path, error, sizeof error));
    ck_assert_ptr_null(tokens_open("/nowhere/at/all", error, sizeof error));
    ck_assert_ptr_null(tokens_open("/tmp", error, sizeof error));
    free(large);
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("tokens");
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    tcase_add_test(all, what_is_in_it);
    tcase_add_test(all, nobody);
    tcase_add_test(all, reading_again);
    tcase_add_test(all, what_is_refused);
    int status = unit_run("tokens", all, NULL);
    unlink(path);
    return status;
}
