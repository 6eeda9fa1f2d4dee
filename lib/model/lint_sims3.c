/* Whether a Sims 3 clip is filed under the id that its name asks for (sims3-hash.md). */
#include "lib/core/text.h"
#include "lib/model/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_END = 8, GROUP_END = 17, KEY_LENGTH = 34 };

#define HEX "0123456789abcdefABCDEF"

/* The instance of "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII", which ends the name or goes on as "_name". */
static bool read_instance(const char *base, uint64_t *instance)
{
    if (strspn(base, HEX) != TYPE_END || base[TYPE_END] != '-' ||
        strspn(base + TYPE_END + 1, HEX) != GROUP_END - TYPE_END - 1 || base[GROUP_END] != '-' ||
        strspn(base + GROUP_END + 1, HEX) != KEY_LENGTH - GROUP_END - 1)
        return false;
    *instance = strtoull(base + GROUP_END + 1, NULL, 16);
    return true;
}

static uint64_t id_of(const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    return hashes.clip_id;
}

/* Whose version of the named clip the id is, " (...)"; empty when it is none. */
static void describe_ages(const char *name, uint64_t id, char *text, size_t size)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    uint64_t mask = (id_of(hashes.generic) ^ id) >> 48;
    *text = 0;
    if ((id_of(hashes.generic) ^ id) & 0xffffffffffffu)
        return;
    if (!mask)
        snprintf(text, size, ", but of \"%.80s\", which is for adults", hashes.generic);
    else if (mask & 0x8000)
        snprintf(text, size, ", but of the same for actors of the ages 0x%02X and 0x%02X",
                 (unsigned)(mask >> 8 & 0x7f), (unsigned)(mask & 0xff));
}

/* The packages' own maps of names are right where the inner name is not (15 of 15 real clips against 14), so either will
 * do. */
void lint_sims3_id(const struct lint *lint, const struct pose_clip *clip, const char *file)
{
    uint64_t id;
    const char *base = file ? text_base_name(file) : "";
    if (!clip->name || !read_instance(base, &id))
        return;
    const char *mapped = base[KEY_LENGTH] == '_' ? base + KEY_LENGTH + 1 : clip->name;
    if (id == id_of(clip->name) || id == id_of(mapped))
        return;
    char ages[160];
    describe_ages(clip->name, id, ages, sizeof ages);
    lint_report(lint, POSE_WARNING, "id_differs", "the id 0x%016llX is not that of \"%.120s\" (0x%016llX)%s",
                (unsigned long long)id, clip->name, (unsigned long long)id_of(clip->name), ages);
}
