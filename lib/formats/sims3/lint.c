/* Checks of a Sims 3 clip: the id in its file name (sims3-hash.md), its name, sounds, and length (sims3-clip.md,
 * section 7). */
#include "lib/formats/sims3/lint.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t id_of(const char *name)
{
    struct pose_sims3_name hashes;
    pose_sims3_hash(name, &hashes);
    return hashes.clip_id;
}

/* Which variant of the named clip the id belongs to, ", but ..."; empty if none. */
static void describe_variant(const char *name, uint64_t id, char *text, size_t size)
{
    struct pose_sims3_actor actors[2];
    char variant[POSE_SIMS3_NAME];
    *text = 0;
    if (pose_sims3_actors(name, id, actors, variant))
        snprintf(text, size, " but that of \"%.120s\"", variant);
}

/* The packages' name maps are right where the inner name is wrong (15 of 15 real clips against 14), so either
 * may match. */
static void lint_id(const struct lint *lint, const struct pose_clip *clip, const struct pose_sims3_key *key)
{
    char mapped[POSE_SIMS3_NAME] = "", variant[160];
    snprintf(mapped, sizeof mapped, "%.*s", (int)key->name_length, key->name ? key->name : "");
    if (key->instance == id_of(clip->name) || (*mapped && key->instance == id_of(mapped)))
        return;
    describe_variant(clip->name, key->instance, variant, sizeof variant);
    lint_report(lint, POSE_WARNING, "id_differs", "the id 0x%016llX is not that of \"%.120s\" (0x%016llX)%s",
                (unsigned long long)key->instance, clip->name, (unsigned long long)id_of(clip->name),
                variant);
}

/* In 2 of 34 real clips the names differ, so this is only a note. */
static void lint_map(const struct lint *lint, const struct pose_clip *clip, const struct pose_sims3_key *key)
{
    char mapped[200];
    if (!key->name_length || key->name_length >= sizeof mapped)
        return;
    snprintf(mapped, sizeof mapped, "%.*s", (int)key->name_length, key->name);
    if (!text_equal_nocase(mapped, clip->name))
        lint_report(lint, POSE_NOTE, "name_differs",
                    "it is stored as \"%.150s\", but its own name is \"%.150s\"", mapped, clip->name);
}

static void lint_sounds(const struct lint *lint, const struct pose_clip *clip)
{
    uint32_t count = 0;
    float first = 0;
    for (uint32_t i = 0; i < clip->event_count; i++) {
        const struct pose_event *event = &clip->events[i];
        if (strcmp(event->type, "sound") != 0 || *value_get_string(event->fields, "sound", "-"))
            continue;
        if (!count++)
            first = event->time;
    }
    if (count)
        lint_report(lint, POSE_WARNING, "empty_sound", "%u sound event%s no sound; the first is at %.4g s",
                    count, count == 1 ? " names" : "s name", (double)first);
}

/* The time of the last key or event. */
static double find_last(const struct pose_clip *clip)
{
    double last = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (channel->count)
                last = fmax(last, (double)channel->times[channel->count - 1]);
        }
    }
    for (uint32_t i = 0; i < clip->event_count; i++)
        last = fmax(last, (double)clip->events[i].time);
    return last;
}

/* In all real clips the number of ticks is the last key's plus one. A clip may hold its last pose for a while on
 * purpose, but not for more than a second and more than half of its length. */
static void lint_length(const struct lint *lint, const struct pose_clip *clip)
{
    double last = find_last(clip), rest = (double)clip->duration - last;
    if (clip->key_count && rest > 1 && rest > last)
        lint_report(lint, POSE_NOTE, "late_end",
                    "%u ticks are %.4g s, and the last key or event is at %.4g s", clip->frame_count,
                    (double)clip->duration, last);
}

void sims3_lint_clip(const struct lint *lint, const struct pose_clip *clip, const char *file)
{
    struct pose_sims3_key key;
    if (clip->name && file && pose_sims3_key(file, &key)) {
        lint_id(lint, clip, &key);
        lint_map(lint, clip, &key);
    }
    lint_sounds(lint, clip);
    lint_length(lint, clip);
}

void sims3_lint(const struct lint *lint, const struct pose_document *document, const char *file)
{
    if (document->clip_count == 1 && document->clips->rules == POSE_RULES_SIMS3)
        sims3_lint_clip(lint, document->clips, file);
}
