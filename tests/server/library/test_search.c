/* Words as people type them: folding, cutting, matching, and how near one is to another. */
#include "server/library/search/words.h"
#include "lib/core/fold.h"
#include "lib/core/nearest.h"
#include "tests/support/unit.h"

#include <string.h>

static const char *folded(const char *text)
{
    static char out[200];
    ck_assert_uint_eq(fold_text(text, out, sizeof out), strlen(out));
    return out;
}

TEST(case_accents_and_punctuation_do_not_count)
{
    ck_assert_str_eq(folded("a2o-Walk_cycle.anim/X"), " a2o walk cycle anim x ");
    ck_assert_str_eq(folded("Bôïtërîe ÆØß"), " boiterie aeoss ");
    ck_assert_str_eq(folded("Łódź œuvre Đ þ"), " lodz oeuvre d th ");
    ck_assert_str_eq(folded("e\xcc\x81t\xc3\xa9"),
                     " ete "); /* an accent by itself, and one with its letter */
    ck_assert_str_eq(folded("ХОДЬБА Ёлка Άλφα"), " ходьба елка αλφα ");
    ck_assert_str_eq(folded("歩く"), " 歩く ");
    ck_assert_str_eq(folded("a\xe9z"), " aez "); /* no UTF-8 */
    ck_assert_str_eq(folded(" --__ "), " ");
    ck_assert_str_eq(folded(""), " ");
}

TEST(what_does_not_fit_is_cut)
{
    char out[8];
    for (size_t capacity = 2; capacity <= sizeof out; capacity++) {
        memset(out, 'x', sizeof out);
        size_t length = fold_text("abéß defgh", out, capacity);
        ck_assert_uint_lt(length, capacity);
        ck_assert_uint_eq(strlen(out), length);
        ck_assert_int_eq(out[length - 1], ' ');
    }
}

static struct search search;

TEST(words_and_phrases)
{
    ck_assert(search_read(&search, "a2o-walk \"slow Walk\" \"\" run"));
    ck_assert_uint_eq(search.count, 4);
    ck_assert_str_eq(search.words[0].text, "a2o");
    ck_assert_str_eq(search.words[1].text, "walk");
    ck_assert_str_eq(search.words[2].text, "slow walk");
    ck_assert(search.words[2].is_phrase && !search.words[3].is_phrase);
    ck_assert(search_read(&search, "  _-/. "));
    ck_assert_uint_eq(search.count, 0);
    ck_assert(search_read(&search, "\"never closed"));
    ck_assert(search.count == 1 && search.words[0].is_phrase);
}

TEST(more_than_there_is_room_for_is_refused)
{
    char text[MAX_SEARCH + 2];
    memset(text, 'a', sizeof text);
    text[MAX_SEARCH + 1] = 0;
    ck_assert(!search_read(&search, text));
    text[MAX_SEARCH] = 0;
    ck_assert(search_read(&search, text));
    for (int i = 0; i < MAX_WORDS; i++)
        memcpy(text + 2 * i, "a ", 3);
    ck_assert(search_read(&search, text));
    memcpy(text + 2 * MAX_WORDS, "a", 2);
    ck_assert(!search_read(&search, text));
    for (int i = 0; i < MAX_SEARCH / 2; i++)
        memcpy(text + 2 * i, "a\"", 3);
    ck_assert(!search_read(&search, text));
}

static enum search_match match(const char *word, const char *text)
{
    ck_assert(search_read(&search, word));
    ck_assert_uint_eq(search.count, 1);
    return search_match(&search.words[0], folded(text));
}

TEST(whole_words_before_beginnings_before_parts)
{
    ck_assert_int_eq(match("walk", "sidewalk walker walk"), MATCH_WHOLE);
    ck_assert_int_eq(match("walk", "sidewalk walker"), MATCH_BEGINNING);
    ck_assert_int_eq(match("walk", "sidewalk"), MATCH_PART);
    ck_assert_int_eq(match("walk", "wal k"), MATCH_NONE);
    ck_assert_int_eq(match("\"slow walk\"", "a-slow-walk.anim"), MATCH_WHOLE);
    ck_assert_int_eq(match("\"slow walk\"", "slow walker"), MATCH_NONE);
    ck_assert_int_eq(match("\"slow walk\"", "walk slow"), MATCH_NONE);
}

static unsigned distance(const char *a, const char *b)
{
    return nearest_distance(a, strlen(a), b, strlen(b), 3);
}

TEST(how_near_words_are)
{
    ck_assert_uint_eq(distance("walk", "walk"), 0);
    ck_assert_uint_eq(distance("wlak", "walk"), 1);
    ck_assert_uint_eq(distance("walk", "wak"), 1);
    ck_assert_uint_eq(distance("walk", "walks"), 1);
    ck_assert_uint_eq(distance("", "abc"), 3);
    ck_assert_uint_eq(distance("abcdefgh", "ijklmnop"), 4);
    ck_assert_uint_eq(distance("a", "abcdefgh"), 4);
}
