/* Whether a Sims 3 clip is filed under the id that its name asks for (sims3-hash.md). */
#include "lib/model/lint.h"

#include <stdio.h>
#include <string.h>

static uint64_t id_of(const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    return hashes.clip_id;
}

/* Which of the named clip's variants the id is, ", but ..."; empty when it is none. */
static void describe_variant(const char *name, uint64_t id, char *text, size_t size)
{
    struct pose_sims3_actor actors[2];
    char variant[POSE_SIMS3_NAME];
    *text = 0;
    if (pose_sims3_actors(name, id, actors, variant))
        snprintf(text, size, ", but that of \"%.120s\"", variant);
}

/* The packages' own maps of names are right where the inner name is not (15 of 15 real clips against 14), so either will
 * do. */
void lint_sims3_id(const struct lint *lint, const struct pose_clip *clip, const char *file)
{
    struct pose_sims3_key key;
    char mapped[POSE_SIMS3_NAME] = "", variant[160];
    if (!clip->name || !file || !pose_sims3_key(file, &key))
        return;
    snprintf(mapped, sizeof mapped, "%.*s", (int)key.name_length, key.name ? key.name : "");
    if (key.instance == id_of(clip->name) || (*mapped && key.instance == id_of(mapped)))
        return;
    describe_variant(clip->name, key.instance, variant, sizeof variant);
    lint_report(lint, POSE_WARNING, "id_differs", "the id 0x%016llX is not that of \"%.120s\" (0x%016llX)%s",
                (unsigned long long)key.instance, clip->name, (unsigned long long)id_of(clip->name), variant);
}
