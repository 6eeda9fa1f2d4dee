#include "server/library/search/suggest.h"

#include "lib/core/fold.h"
#include "lib/core/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LOOKED_AT = 5000, MAX_DISTANCE = 3, MAX_NEAR = 32 /* bytes of a word */, FAR = 1000 };

/* Up to a third of the letters may differ. */
static unsigned most_wrong(size_t length)
{
    return length < 3 ? 1 : length < MAX_DISTANCE * 3 ? (unsigned)length / 3 : MAX_DISTANCE;
}

/* The distance of the nearest word in a folded text. */
static unsigned nearest_word(const struct search_word *word, const char *folded)
{
    unsigned most = most_wrong(word->length), best = most + 1;
    for (const char *at = folded + 1; *at && best;) {
        size_t length = strcspn(at, " ");
        unsigned distance =
            length > MAX_NEAR ? most + 1 : nearest_distance(word->text, word->length, at, length, most);
        best = distance < best ? distance : best;
        at += length + (at[length] == ' ');
    }
    return best <= most ? best : FAR;
}

/* The distance of a name from q; FAR if no word is near. */
static unsigned distance_of(const struct search *search, const char *name)
{
    char folded[256];
    unsigned sum = 0, near = 0;
    fold_text(name, folded, sizeof folded);
    for (unsigned i = 0; i < search->count; i++) {
        unsigned distance = nearest_word(&search->words[i], folded);
        near += distance < FAR;
        sum += distance < FAR ? distance : MAX_DISTANCE + 1;
    }
    return near ? sum : FAR;
}

struct suggestion {
    char *name;
    unsigned distance;
};

static bool is_among(const struct suggestion *best, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(best[i].name, name))
            return true;
    }
    return false;
}

/* Keeps the nearest names in order; equal ones in order of arrival. */
static unsigned keep_nearest(struct suggestion *best, unsigned count, struct suggestion candidate)
{
    unsigned at = count;
    if (candidate.distance == FAR || is_among(best, count, candidate.name))
        return count;
    while (at && best[at - 1].distance > candidate.distance)
        at--;
    if (at == MAX_SUGGESTIONS)
        return count;
    unsigned kept = count < MAX_SUGGESTIONS ? count : MAX_SUGGESTIONS - 1;
    memmove(best + at + 1, best + at, (kept - at) * sizeof *best);
    best[at] = candidate;
    return kept + 1;
}

unsigned listing_suggest(struct rows_view *view, enum asset_kind kind, const struct search *search,
                         char *names[MAX_SUGGESTIONS])
{
    char **all = try_alloc(2 * MAX_LOOKED_AT, sizeof(char *));
    struct suggestion best[MAX_SUGGESTIONS];
    uint32_t near = 0, first = 0;
    unsigned count = 0;
    if (!all)
        return 0;
    rows_names(view, (int)kind, search, MAX_LOOKED_AT, all, &near);
    rows_names(view, (int)kind, NULL, MAX_LOOKED_AT, all + near, &first);
    for (uint32_t i = 0; i < near + first; i++)
        count = keep_nearest(best, count, (struct suggestion){all[i], distance_of(search, all[i])});
    for (unsigned i = 0; i < count; i++)
        names[i] = strdup(best[i].name);
    for (uint32_t i = 0; i < near + first; i++)
        free(all[i]);
    free(all);
    return count;
}
