/* The table of names that the caller gives. */
#include "lib/bake/bake.h"

#include "lib/core/hash.h"
#include "lib/core/value.h"

#include <stdio.h>
#include <string.h>

bool bake_renames_init(struct baking *b)
{
    const struct pose_conversion *conversion = b->conversion;
    b->renamed = ARENA_NEW(b->scratch, bool, conversion->rename_count);
    if (!b->renamed || !name_index_init(&b->renames, b->scratch, conversion->rename_count))
        return false;
    for (uint32_t i = 0; i < conversion->rename_count; i++)
        name_index_add(&b->renames, conversion->renames[i].from, i);
    name_index_sort(&b->renames);
    return true;
}

const char *bake_new_name(const struct baking *b, const char *name)
{
    int64_t i = name ? name_index_find(&b->renames, name) : -1;
    if (i < 0)
        return NULL;
    b->renamed[i] = true;
    return b->conversion->renames[i].to;
}

void bake_renames_tell(const struct baking *b)
{
    char names[200] = "";
    size_t used = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->conversion->rename_count; i++) {
        if (b->renamed[i])
            continue;
        count++;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     b->conversion->renames[i].from);
    }
    if (count)
        bake_warn(b, "rename_unused", "%u names to be changed are no joints of the clip: %s", count, names);
}

/* ---------------------------------------------------------------------------------------- a clip as it is -- */

static void rename_track(const struct baking *b, struct pose_track *track)
{
    char made[32] = "";
    if (!track->name && track->has_id)
        snprintf(made, sizeof made, "joint_%u", track->id);
    const char *name = bake_new_name(b, track->name ? track->name : made);
    if (!name)
        return;
    unsigned id;
    char more;
    track->name = arena_copy_text(b->arena, name);
    if (b->out->rules == POSE_RULES_SIMS3) {
        size_t length = strlen(name);
        bool is_morph = track->channels[POSE_MORPH].count && !track->channels[POSE_ROTATION].count;
        track->id = is_morph ? (uint32_t)hash_fnv64(name, length) : hash_fnv32(name, length);
        track->has_id = true;
    } else if (sscanf(name, "joint_%9u%c", &id, &more) == 1) {
        track->name = NULL;
        track->id = id;
        track->has_id = true;
    } else if (b->out->rules == POSE_RULES_PRIME || b->out->rules == POSE_RULES_PRIME_FRAMES) {
        const struct pose_skeleton *skeleton = b->conversion->skeleton;
        for (uint32_t i = 0; skeleton && i < skeleton->joint_count; i++) {
            if (skeleton->joints[i].has_id && skeleton->joints[i].name &&
                !strcmp(skeleton->joints[i].name, name))
                track->id = skeleton->joints[i].id;
        }
    } else {
        track->has_id = false;
    }
}

const struct pose_value *bake_rename_fields(const struct baking *b, const struct pose_value *fields)
{
    const char *joint = value_get_string(fields, "joint", NULL);
    const char *name = joint ? bake_new_name(b, joint) : NULL;
    if (!name)
        return fields;
    struct pose_value *object = ARENA_NEW(b->arena, struct pose_value, 1);
    if (!object)
        return NULL;
    *object = *fields;
    const struct pose_value **link = &object->first;
    for (const struct pose_value *from = fields->first; from; from = from->next) {
        struct pose_value *to = ARENA_NEW(b->arena, struct pose_value, 1);
        if (!to)
            return NULL;
        *to = *from;
        if (from->kind == POSE_STRING && from->key && !strcmp(from->key, "joint"))
            to->as.string = arena_copy_text(b->arena, name);
        *link = to;
        link = &to->next;
    }
    return object;
}

bool bake_rename(struct baking *b)
{
    uint32_t tracks = b->out->track_count, events = b->out->event_count;
    struct pose_track *renamed = ARENA_NEW(b->arena, struct pose_track, tracks);
    struct pose_event *told = ARENA_NEW(b->arena, struct pose_event, events);
    if (!renamed || !told || !bake_renames_init(b))
        return false;
    for (uint32_t i = 0; i < tracks; i++) {
        renamed[i] = b->out->tracks[i];
        rename_track(b, &renamed[i]);
    }
    for (uint32_t i = 0; i < events; i++) {
        told[i] = b->out->events[i];
        told[i].fields = bake_rename_fields(b, told[i].fields);
    }
    b->out->tracks = renamed;
    b->out->events = told;
    bake_renames_tell(b);
    return !b->arena->failed;
}
