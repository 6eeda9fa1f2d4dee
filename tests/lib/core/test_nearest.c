/* What a misspelled word may have meant. */
#include "lib/core/nearest.h"
#include "tests/support/unit.h"

#include <string.h>

static const char *const words[] = {"limit",        "offset",       "format", "archive",
                                    "min_duration", "max_duration", "q",      NULL};

/* The words found, nearest first, with blanks between them. */
static void check(const char *wanted, const char *expected)
{
    char found[NEAREST_COUNT * NEAREST_CAPACITY] = "";
    struct nearest nearest;
    nearest_begin(&nearest, wanted, strlen(wanted));
    nearest_offer_all(&nearest, words);
    nearest_offer_all(&nearest, words); /* each is kept once */
    for (unsigned i = 0; i < nearest.count; i++) {
        strcat(found, i ? " " : "");
        strcat(found, nearest.words[i]);
    }
    ck_assert_str_eq(found, expected);
}

TEST(near_words)
{
    check("limt", "limit");     /* one is missing */
    check("limiit", "limit");   /* one too many */
    check("lemit", "limit");    /* a wrong one */
    check("ilmit", "limit");    /* two swapped */
    check("FORMAT", "format");  /* case */
    check("arch", "archive");   /* a beginning */
    check("offsets", "offset"); /* the other way round */
    check("nin_duration", "min_duration max_duration");
}

TEST(far_words)
{
    check("", "");
    check("z", "");
    check("Q", "q");
    check("theme", "");
    check("unlimited_rate", "");
    check("a name that is longer than any word may be, which is sixty-three bytes", "");
}

TEST(the_nearest_three)
{
    static const char *const many[] = {"walk4567", "walk12", "walk1", "walk123", "walk", NULL};
    struct nearest nearest;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, "walkk", 5);
    nearest_offer_all(&nearest, many);
    ck_assert_uint_eq(nearest.count, 3);
    ck_assert_uint_le(nearest.distances[0], nearest.distances[1]);
    ck_assert_uint_le(nearest.distances[1], nearest.distances[2]);
    nearest_hint(&nearest, hint);
    ck_assert_str_eq(hint, "; did you mean \"walk1\"?");
    nearest_begin(&nearest, "run", 3);
    nearest_hint(&nearest, hint);
    ck_assert_str_eq(hint, "");
}
