#include "lib/core/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned char lower(char letter)
{
    return (unsigned char)(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
}

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned most)
{
    unsigned rows[3][NEAREST_CAPACITY]; /* a row for each letter of a, of which the last three are kept */
    const size_t apart = a_length > b_length ? a_length - b_length : b_length - a_length;
    if (apart > most || b_length >= NEAREST_CAPACITY)
        return most + 1;
    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *before = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];
        unsigned least = row[0] = (unsigned)i;
        for (size_t k = 1; k <= b_length; k++) {
            const unsigned wrong = lower(a[i - 1]) != lower(b[k - 1]);
            row[k] = min(min(before[k], row[k - 1]) + 1, before[k - 1] + wrong);
            if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]))
                row[k] = min(row[k], swapped[k - 2] + 1);
            least = min(least, row[k]);
        }
        if (least > most)
            return most + 1;
    }
    return min(rows[a_length % 3][b_length], most + 1);
}

void nearest_begin(struct nearest *nearest, const char *wanted, size_t length)
{
    nearest->count = 0;
    nearest->wanted[0] = '\0';
    if (length < sizeof nearest->wanted) {
        memcpy(nearest->wanted, wanted, length);
        nearest->wanted[length] = '\0';
    }
}

/* Allows no errors in words of one or two letters, one in up to five letters, else one in three letters. */
static unsigned tolerance_of(size_t length)
{
    return length < 3 ? 0 : length < 6 ? 1 : (unsigned)(length / 3);
}

static void keep(struct nearest *nearest, const char *word, unsigned distance)
{
    unsigned at = nearest->count;
    for (unsigned i = 0; i < nearest->count; i++) {
        if (!strcmp(nearest->words[i], word))
            return;
    }
    while (at && nearest->distances[at - 1] > distance)
        at--;
    if (at == NEAREST_COUNT)
        return;
    if (nearest->count < NEAREST_COUNT)
        nearest->count++;
    for (unsigned i = nearest->count - 1; i > at; i--) {
        nearest->distances[i] = nearest->distances[i - 1];
        memcpy(nearest->words[i], nearest->words[i - 1], NEAREST_CAPACITY);
    }
    nearest->distances[at] = distance;
    snprintf(nearest->words[at], NEAREST_CAPACITY, "%s", word);
}

void nearest_offer(struct nearest *nearest, const char *word)
{
    enum { MIN_BEGINNING = 3 };
    const size_t wanted = strlen(nearest->wanted), length = strnlen(word, NEAREST_CAPACITY);
    if (!wanted || !length || length == NEAREST_CAPACITY)
        return;
    const size_t shorter = wanted < length ? wanted : length, longer = wanted < length ? length : wanted;
    const unsigned tolerance = tolerance_of(longer);
    if (shorter >= MIN_BEGINNING && !strncasecmp(nearest->wanted, word, shorter)) {
        keep(nearest, word, longer - shorter <= tolerance ? (unsigned)(longer - shorter) : tolerance);
    } else if (longer - shorter <= tolerance) {
        const unsigned distance = nearest_distance(nearest->wanted, wanted, word, length, tolerance);
        if (distance <= tolerance)
            keep(nearest, word, distance);
    }
}

void nearest_offer_all(struct nearest *nearest, const char *const *words)
{
    for (; words && *words; words++)
        nearest_offer(nearest, *words);
}

void nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT])
{
    hint[0] = '\0';
    if (nearest->count)
        snprintf(hint, NEAREST_HINT, "; did you mean \"%s\"?", nearest->words[0]);
}
