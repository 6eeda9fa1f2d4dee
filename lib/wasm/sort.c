#include "lib/wasm/sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int compare_with(const void *a, const void *b, void *user);

struct sorting {
    size_t size;
    compare_with *compare;
    void *user;
};

/* Merges two sorted runs, [0, middle) and [middle, count), into to. */
static void merge(const struct sorting *how, const uint8_t *from, size_t middle, size_t count, uint8_t *to)
{
    const size_t size = how->size;
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; i++, to += size) {
        const bool takes_left =
            left < middle &&
            (right == count || how->compare(from + left * size, from + right * size, how->user) <= 0);
        memcpy(to, from + (takes_left ? left++ : right++) * size, size);
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Runs of 1, 2, 4 … items, from one of the two places to the other. */
static void sort_merging(const struct sorting *how, uint8_t *items, size_t count, uint8_t *other)
{
    uint8_t *from = items, *to = other;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            const size_t rest = least(2 * run, count - start);
            merge(how, from + start * how->size, least(run, rest), rest, to + start * how->size);
        }
        uint8_t *was = from;
        from = to;
        to = was;
    }
    if (from != items)
        memcpy(items, from, count * how->size);
}

static void swap(uint8_t *a, uint8_t *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

static void sift(const struct sorting *how, uint8_t *items, size_t at, size_t count)
{
    const size_t size = how->size;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count &&
            how->compare(items + child * size, items + (child + 1) * size, how->user) < 0)
            child++;
        if (how->compare(items + at * size, items + child * size, how->user) >= 0)
            return;
        swap(items + at * size, items + child * size, size);
    }
}

/* In place, when there is no memory. */
static void sort_heaping(const struct sorting *how, uint8_t *items, size_t count)
{
    for (size_t at = count / 2; at > 0; at--)
        sift(how, items, at - 1, count);
    for (size_t end = count; end > 1; end--) {
        swap(items, items + (end - 1) * how->size, how->size);
        sift(how, items, 0, end - 1);
    }
}

void local_qsort_r(void *items, size_t count, size_t size, compare_with *compare, void *user)
{
    const struct sorting how = {size, compare, user};
    if (count < 2)
        return;
    uint8_t *other = malloc(count * size);
    if (other)
        sort_merging(&how, items, count, other);
    else
        sort_heaping(&how, items, count);
    free(other);
}

struct plain {
    int (*compare)(const void *a, const void *b);
};

static int compare_plain(const void *a, const void *b, void *user)
{
    const struct plain *plain = user;
    return plain->compare(a, b);
}

void local_qsort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
    struct plain plain = {compare};
    local_qsort_r(items, count, size, compare_plain, &plain);
}
