/* Names that archives give to morphs, by the ids that clips use. */
#include "server/library/index/morphs.h"

#include "server/library/index/refusal.h"

#include <stdlib.h>
#include <string.h>

static int compare_morphs(const void *a, const void *b)
{
    const struct index_morph *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return strcmp(x->name, y->name);
}

void index_list_morphs(struct index_archive *archive)
{
    uint32_t count = pose_archive_name_count(archive->archive), kept = 0;
    const struct pose_name *names = pose_archive_names(archive->archive);
    struct index_morph *morphs = REGION_NEW(&archive->region, struct index_morph, count);
    for (uint32_t i = 0; morphs && i < count; i++) {
        uint32_t id;
        if (pose_archive_morph(archive->archive, i, &id))
            morphs[kept++] = (struct index_morph){id, names[i].text};
    }
    if (!morphs) {
        archive_no_memory(archive);
        return;
    }
    qsort(morphs, kept, sizeof *morphs, compare_morphs);
    archive->morphs = morphs;
    archive->morph_count = kept;
}

static const char *find_morph(const struct index_archive *archive, uint32_t id)
{
    uint32_t low = 0, high = archive->morph_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (archive->morphs[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < archive->morph_count && archive->morphs[low].id == id ? archive->morphs[low].name : NULL;
}

const char *index_morph_name(struct index_archive *const *archives, uint32_t count, uint32_t id)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < count && !name; i++)
        name = find_morph(archives[i], id);
    return name;
}
