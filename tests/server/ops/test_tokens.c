/* Files of tokens: what is in them, what is refused, and reading them again. */
#include "server/access/tokens.h"
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

static bool holds(struct tokens *tokens, const char *token)
{
    struct grant grant;
    return tokens_find(tokens, token, &grant);
}

TEST(what_is_in_it)
{
    struct tokens *tokens = open_text("# the site\nabc\n\n  def \t\r\n#ghi\njkl");
    ck_assert(holds(tokens, "abc"));
    ck_assert(holds(tokens, "def"));
    ck_assert(holds(tokens, "jkl"));
    ck_assert(!holds(tokens, ""));
    ck_assert(!holds(tokens, "ab"));
    ck_assert(!holds(tokens, "abcd"));
    ck_assert(!holds(tokens, "ABC"));
    ck_assert(!holds(tokens, "#ghi"));
    ck_assert(!holds(tokens, "# the site"));
    tokens_close(tokens);
}

TEST(nobody)
{
    struct tokens *tokens = open_text("# nobody yet\n");
    ck_assert(!holds(tokens, ""));
    tokens_close(tokens);
}

TEST(reading_again)
{
    char error[256] = "";
    struct tokens *tokens = open_text("old\n");
    fill("new\n", 4);
    ck_assert(holds(tokens, "old"));
    ck_assert(tokens_reload(tokens, error, sizeof error));
    ck_assert(!holds(tokens, "old"));
    ck_assert(holds(tokens, "new"));
    fill("two words\n", 10);
    ck_assert(!tokens_reload(tokens, error, sizeof error));
    ck_assert_msg(strstr(error, "line 1"), "%s", error);
    ck_assert(holds(tokens, "new"));
    unlink(path);
    ck_assert(!tokens_reload(tokens, error, sizeof error));
    ck_assert(holds(tokens, "new"));
    tokens_close(tokens);
}

TEST(what_they_permit)
{
    struct grant grant;
    struct tokens *tokens = open_text("plain\n"
                                      "ann-1 name=ann scopes=upload,delete:own quota=2M ttl=0.5 \r\n"
                                      "\troot\tname=mod@site scopes=admin\n"
                                      "up scopes=upload");
    ck_assert(tokens_find(tokens, "plain", &grant));
    ck_assert_str_eq(grant.name, "");
    ck_assert_uint_eq(grant.scopes, SCOPES_DEFAULT);
    ck_assert(!grant.quota && !grant.ttl_ms);
    ck_assert(tokens_find(tokens, "ann-1", &grant));
    ck_assert_str_eq(grant.name, "ann");
    ck_assert_uint_eq(grant.scopes, SCOPE_UPLOAD | SCOPE_DELETE_OWN);
    ck_assert_uint_eq(grant.quota, 2 << 20);
    ck_assert_int_eq(grant.ttl_ms, 43200001);
    ck_assert(tokens_find(tokens, "root", &grant));
    ck_assert_str_eq(grant.name, "mod@site");
    ck_assert_uint_eq(grant.scopes, SCOPES_ALL);
    ck_assert(tokens_find(tokens, "up", &grant));
    ck_assert_uint_eq(grant.scopes, SCOPE_UPLOAD);
    ck_assert(!holds(tokens, "name=ann"));
    tokens_close(tokens);
}

TEST(lines_that_are_refused)
{
    static const char *const cases[][2] = {
        {"a\nb c\n", "line 2"},
        {"a name=\n", "name="},
        {"a name=an\"n\n", "name="},
        {"a scopes=\n", "scopes="},
        {"a scopes=write\n", "write"},
        {"a scopes=delete:own\n", "name="},
        {"a quota=1M\n", "needs name="},
        {"a name=n quota=0\n", "quota"},
        {"a name=n quota=much\n", "much"},
        {"a ttl=0\n", "ttl"},
        {"a ttl=-1\n", "ttl"},
        {"a ttl=nan\n", "ttl"},
        {"a ttl=1e9\n", "ttl"},
        {"a nmae=ann\n", "nmae="},
        {"a ttl=\n", "ttl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char error[256] = "";
        fill(cases[i][0], strlen(cases[i][0]));
        ck_assert_msg(!tokens_open(path, error, sizeof error), "%s", cases[i][0]);
        ck_assert_msg(strstr(error, cases[i][1]) && strstr(error, "line "), "%s", error);
    }
}

TEST(what_is_refused)
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

int main(void)
{
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int status = unit_run();
    unlink(path);
    return status;
}
