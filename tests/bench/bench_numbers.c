/* Numbers as text, both ways, against the C library's. */
#include "lib/core/numbers/numbers.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 6000 };

struct numbers {
    float values[COUNT];
    char text[COUNT * (POSE_FLOAT_TEXT + 1) + 64];
    size_t length;
};

static void write_shortest(void *subject)
{
    struct numbers *numbers = subject;
    char *at = numbers->text;
    for (int i = 0; i < COUNT; i++) {
        at += pose_float_text(numbers->values[i], at);
        *at++ = ',';
    }
    *at = '\0';
    numbers->length = (size_t)(at - numbers->text);
    bench_use(numbers->text);
}

static void write_several(void *subject)
{
    struct numbers *numbers = subject;
    numbers->length = number_texts(numbers->values, COUNT, numbers->text);
    bench_use(numbers->text);
}

static void write_library(void *subject)
{
    struct numbers *numbers = subject;
    char *at = numbers->text;
    for (int i = 0; i < COUNT; i++)
        at += snprintf(at, POSE_FLOAT_TEXT + 2, "%.9g,", (double)numbers->values[i]);
    numbers->length = (size_t)(at - numbers->text);
    bench_use(numbers->text);
}

static void read_own(void *subject)
{
    const struct numbers *numbers = subject;
    const char *at = numbers->text, *end = at + numbers->length;
    float sum = 0, value = 0;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        number_parse_float(at, (size_t)(comma - at), &value);
        sum += value;
        at = comma + 1;
    }
    bench_use(&sum);
}

static void read_library(void *subject)
{
    const struct numbers *numbers = subject;
    const char *at = numbers->text, *end = at + numbers->length;
    float sum = 0;
    while (at < end) {
        char *comma;
        sum += strtof(at, &comma);
        at = comma + 1;
    }
    bench_use(&sum);
}

static void compare(const char *what, struct numbers *numbers)
{
    char heading[64];
    const struct bench_contestant writers[] = {
        {"%.9g", write_library, numbers, COUNT},
        {"pose_float_text", write_shortest, numbers, COUNT},
        {"number_texts, several at once", write_several, numbers, COUNT},
    };
    const struct bench_contestant readers[] = {
        {"strtof", read_library, numbers, COUNT},
        {"number_parse_float", read_own, numbers, COUNT},
    };
    snprintf(heading, sizeof heading, "floats to text, %s", what);
    bench_compare_times(heading, "ns a float", writers, 3);
    write_shortest(numbers);
    snprintf(heading, sizeof heading, "text to floats, %s", what);
    bench_compare_times(heading, "ns a float", readers, 2);
}

static uint32_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* -1 ... 1. */
static float random_float(void)
{
    return (float)(random_bits() >> 8) / 8388608.0f - 1;
}

static void run(void)
{
    static struct numbers numbers;
    for (int i = 0; i < COUNT; i++)
        numbers.values[i] = random_float();
    compare("-1 ... 1", &numbers);
    /* A pose: half of it moves, the rest are zeros and ones. */
    for (int i = 0; i < COUNT; i++) {
        uint32_t kind = random_bits() % 10;
        numbers.values[i] = kind < 5 ? random_float() : kind < 6 ? 3 * random_float() : (float)(kind % 2);
    }
    compare("as in poses", &numbers);
    for (int i = 0; i < COUNT; i++) {
        uint32_t bits = random_bits() & 0xbfffffff;
        memcpy(&numbers.values[i], &bits, sizeof bits);
    }
    compare("any size", &numbers);
}

const struct bench_part bench_numbers = {"numbers", run};
