/*
 * Parameters as text: numbers are what strtod makes of them, and the fast ways through a text end where the slow one does.
 */
#include "api/protocol/params.h"

#include "tests/support/unit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each beginning with up to 18 digits, with the point at each place. */
TEST(numbers_are_those_of_strtod)
{
    static const char *const digits[] = {
        "7", "032", "1048576", "299792458", "123456789012345", "314159265358979323"};
    static const char *const signs[] = {"", "-", "+"};
    for (size_t i = 0; i < 3 * sizeof digits / sizeof *digits; i++) {
        const char *all = digits[i / 3];
        for (int place = 0; place <= (int)strlen(all); place++) {
            char text[32];
            double value = 0;
            snprintf(text, sizeof text, "%s%.*s.%s", signs[i % 3], place, all, all + place);
            ck_assert_msg(number_parse(text, &value), "%s", text);
            ck_assert_msg(!memcmp(&value, &(double){strtod(text, NULL)}, sizeof value), "%s: %.17g", text,
                          value);
        }
    }
}

TEST(signs_and_exponents_stay_numbers)
{
    static const char *const good[] = {"-0", "0.1", "1e3", "-2.5E-3", "+4", ".5", "5."};
    static const char *const bad[] = {"", "-", ".", "1e", "1e400", "0x10", "1 ", " 1", "nan", "1.2.3"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(number_parse(good[i], &value), "%s", good[i]);
        ck_assert_msg(!memcmp(&value, &(double){strtod(good[i], NULL)}, sizeof value), "%s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!number_parse(bad[i], &value), "%s", bad[i]);
}

/* Something else than plain text, at each place of more than eight bytes. */
TEST(escapes_are_decoded_wherever_they_stand)
{
    for (int place = 0; place <= 20; place++) {
        char escaped[64], text[64], wanted[64];
        snprintf(escaped, sizeof escaped, "%.*s%%2B+%.*s", place, "abcdefghijklmnopqrst", 20 - place,
                 "uvwxyzabcdefghijklmn");
        snprintf(wanted, sizeof wanted, "%.*s+ %.*s", place, "abcdefghijklmnopqrst", 20 - place,
                 "uvwxyzabcdefghijklmn");
        ck_assert(percent_decode(escaped, strlen(escaped), true, text));
        ck_assert_str_eq(text, wanted);
        ck_assert_ptr_eq(percent_encode(wanted, escaped), escaped + strlen(escaped));
        memcpy(wanted, "abcdefghijklmnopqrstuvwx", 24);
        wanted[place] = '\0';
        ck_assert(!percent_decode(wanted, 24, true, text));
        wanted[place] = (char)0xff;
        ck_assert(!percent_decode(wanted, 24, true, text));
    }
}
