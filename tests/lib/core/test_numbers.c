/* The shortest decimals: known texts, and every text reads back as the same float. */
#include "pose.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    float value;
    const char *text;
} known[] = {
    {0.0f, "0"}, {-0.0f, "-0"}, {1.0f, "1"}, {0.1f, "0.1"}, {-2.5f, "-2.5"}, {0.33333334f, "0.33333334"},
};

START_TEST(known_values_have_their_shortest_text)
{
    char text[POSE_FLOAT_TEXT + 1];
    text[pose_float_text(known[_i].value, text)] = '\0';
    ck_assert_str_eq(text, known[_i].text);
}
END_TEST

/* Bit patterns spread over all exponents by a multiplicative step, and the edges of every exponent. */
static void check_reads_back(uint32_t bits)
{
    float value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        return;
    char text[POSE_FLOAT_TEXT + 1];
    size_t length = pose_float_text(value, text);
    ck_assert_uint_le(length, POSE_FLOAT_TEXT);
    text[length] = '\0';
    back = strtof(text, NULL);
    ck_assert_msg(!memcmp(&back, &value, sizeof back), "%s stands for bits %08x", text, bits);
}

START_TEST(texts_read_back)
{
    uint32_t bits = 1;
    for (int i = 0; i < 200000; i++, bits = bits * 1664525u + 1013904223u)
        check_reads_back(bits);
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        for (uint32_t step = 0; step < 3; step++)
            check_reads_back((exponent << 23) + step - 1);
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("float_text");
    tcase_add_loop_test(cases, known_values_have_their_shortest_text, 0, sizeof known / sizeof *known);
    tcase_add_test(cases, texts_read_back);
    return unit_run("numbers", cases, NULL);
}
