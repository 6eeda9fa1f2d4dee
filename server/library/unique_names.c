#include "server/library/unique_names.h"

#include "server/ops/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A name as given; its position breaks ties. */
struct given {
    char **name;
    char *text;
    size_t place;
};

static int compare_texts(const void *a, const void *b)
{
    return strcasecmp(((const struct given *)a)->text, ((const struct given *)b)->text);
}

static int compare(const void *a, const void *b)
{
    const struct given *x = a, *y = b;
    int order = compare_texts(x, y);
    return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* The next of "walk (2)", "walk (3)" … that is not in use; NULL if out of memory. */
static char *number(const struct given *all, size_t count, const char *text, unsigned *last)
{
    for (;;) {
        char *name;
        if (asprintf(&name, "%s (%u)", text, ++*last) < 0)
            return NULL;
        struct given key = {.text = name};
        if (!bsearch(&key, all, count, sizeof key, compare_texts))
            return name;
        free(name);
    }
}

bool names_make_unique(char **const names[], size_t count)
{
    struct given *all = try_alloc(count + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < count; i++)
        all[i] = (struct given){names[i], *names[i], i};
    qsort(all, count, sizeof *all, compare);
    unsigned last = 1;
    bool done = true;
    for (size_t i = 1; i < count && done; i++) {
        char *name = all[i].text;
        if (compare_texts(&all[i], &all[i - 1]))
            last = 1;
        else
            name = number(all, count, name, &last);
        done = name;
        if (done)
            *all[i].name = name;
    }
    for (size_t i = 0; i < count; i++) {
        if (*all[i].name != all[i].text)
            free(all[i].text);
    }
    free(all);
    return done;
}
