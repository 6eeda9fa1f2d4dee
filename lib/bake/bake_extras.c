/* Events and extras: kept within a family, converted or dropped between families. */
#include "lib/bake/bake.h"

#include "lib/core/setting.h"
#include "lib/core/value.h"
#include "lib/model/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- extras -- */

/* A member set by the caller or by the conversion. */
struct replacement {
    const char *key;
    enum pose_value_kind kind;
    int64_t integer;
    float number;
    const char *text;
};

enum { REPLACEMENTS = 12 };

struct extras {
    struct baking *b;
    struct replacement items[REPLACEMENTS];
    unsigned count;
    const char
        *dropped[REPLACEMENTS * 2 + 1]; /* members that are not copied: those that are set, and others */
    unsigned dropped_count;
};

static void drop(struct extras *extras, const char *key)
{
    extras->dropped[extras->dropped_count++] = key;
}

static struct replacement *set(struct extras *extras, const char *key, enum pose_value_kind kind)
{
    struct replacement *item = &extras->items[extras->count++];
    *item = (struct replacement){.key = key, .kind = kind};
    drop(extras, key);
    return item;
}

static bool set_text(struct extras *extras, const char *key)
{
    const struct pose_value *asked = pose_value_find(extras->b->conversion->settings, key);
    if (!asked)
        return true;
    if (asked->kind != POSE_STRING)
        return setting_refuse(extras->b->error, key, "not a text");
    set(extras, key, POSE_STRING)->text = asked->as.string;
    return true;
}

static bool set_id(struct extras *extras, const char *key, int64_t last)
{
    const struct pose_value *asked = pose_value_find(extras->b->conversion->settings, key);
    if (!asked)
        return true;
    if (asked->kind != POSE_INT || asked->as.integer < 0 || asked->as.integer > last)
        return setting_refuse(extras->b->error, key, "not a valid whole number");
    set(extras, key, POSE_INT)->integer = asked->as.integer;
    return true;
}

static bool set_sims(struct extras *extras)
{
    const struct pose_value *asked = pose_value_find(extras->b->conversion->settings, "distance");
    float distance;
    if (asked && (!value_number(asked, &distance) || !isfinite(distance)))
        return setting_refuse(extras->b->error, "distance", "not a valid number");
    if (asked) {
        set(extras, "distance", POSE_FLOAT)->number = distance;
        drop(extras, "is_moving");
    }
    return true;
}

static bool set_sims3(struct extras *extras)
{
    const struct baking *b = extras->b;
    if (!b->keeps_keys)
        set(extras, "frame_duration", POSE_FLOAT)->number = (float)b->frame;
    return set_text(extras, "actor") && set_text(extras, "source_name");
}

static bool set_prime(struct extras *extras)
{
    struct baking *b = extras->b;
    bool same_game = b->keeps_extras && !strcmp(value_get_string(b->clip.extras, "game", ""), b->game->name);
    int64_t version = b->target.rules == POSE_RULES_PRIME_FRAMES ? 0 : 2;
    b->out->game = arena_copy_text(b->arena, b->game->name);
    set(extras, "game", POSE_STRING)->text = b->out->game;
    set(extras, "version", POSE_INT)->integer = version;
    if (!b->keeps_keys)
        set(extras, "interval", POSE_FLOAT)->number = (float)b->frame;
    if (!same_game && !pose_value_find(b->conversion->settings, "root_bone_id"))
        set(extras, "root_bone_id", POSE_INT)->integer = b->game->root_bone_id;
    if (b->keeps_keys && same_game)
        return set_id(extras, "root_bone_id", 99) && set_id(extras, "evnt", UINT32_MAX);
    /* These members describe how the old keys were packed. */
    drop(extras, "key_frames");
    drop(extras, "scratch_size");
    drop(extras, "rotation_divisor");
    drop(extras, "translation_multiplier");
    drop(extras, "scale_multiplier");
    return set_id(extras, "root_bone_id", 99) && set_id(extras, "evnt", UINT32_MAX);
}

static bool set_by_target(struct extras *extras)
{
    switch (extras->b->target.family) {
    case FAMILY_SIMS:
        return set_sims(extras);
    case FAMILY_SIMS3:
        return set_sims3(extras);
    case FAMILY_PRIME:
        return set_prime(extras);
    case FAMILY_NONE:
    case FAMILY_SL:
        break;
    }
    return true;
}

static void put(const struct replacement *item, struct value_list *list)
{
    if (item->kind == POSE_INT)
        value_put_int(list, item->key, item->integer);
    else if (item->kind == POSE_FLOAT)
        value_put_float(list, item->key, item->number);
    else
        value_put_string(list, item->key, arena_copy_text(list->arena, item->text));
}

/* The clip's own extras, except for members that are set, which follow. */
static bool bake_clip_extras(struct baking *b)
{
    struct extras extras = {.b = b};
    if (!set_by_target(&extras))
        return false;
    struct value_list list = value_object(b->arena);
    if (b->keeps_extras)
        value_put_members(&list, b->clip.extras, extras.dropped);
    for (unsigned i = 0; i < extras.count; i++)
        put(&extras.items[i], &list);
    b->out->extras = value_done(&list);
    return !b->arena->failed;
}

static void bake_track_extras(struct baking *b)
{
    for (uint32_t i = 0; i < b->track_count; i++) {
        const struct pose_track *from = b->sources[i].from;
        if (from && b->keeps_extras)
            b->tracks[i].extras = value_copy(b->arena, from->extras);
    }
}

/* Warns about lost members; those that only describe how keys were packed are not a loss. */
static void tell_extras(const struct baking *b)
{
    static const char *const worth[] = {"emote", "constraints", "distance", "ik_chains", "evnt", NULL};
    char names[160] = "";
    size_t used = 0;
    for (const char *const *key = worth; *key && !b->keeps_extras; key++) {
        const struct pose_value *value = pose_value_find(b->clip.extras, *key);
        bool is_empty = !value || value->kind == POSE_NULL ||
                        (value->kind == POSE_INT && !value->as.integer) ||
                        (value->kind == POSE_FLOAT && value->as.number == 0) ||
                        (value->kind == POSE_STRING && !*value->as.string) ||
                        ((value->kind == POSE_ARRAY || value->kind == POSE_OBJECT) && !value->first);
        if (!is_empty && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", *key);
    }
    if (used)
        bake_warn(b, "extras_dropped", "%s has no place for: %s", b->target.title, names);
}

/* ------------------------------------------------------------------------------------------------- events -- */

/* Sounds and script events of The Sims convert to The Sims 3's and back; no other events do. */
static bool to_sims3(struct baking *b, const struct pose_event *from, struct pose_event *to)
{
    const char *value = value_get_string(from->fields, "value", NULL);
    struct value_list fields = value_object(b->arena);
    if (value && !strcmp(from->type, "sound")) {
        to->type = "sound";
        value_put_string(&fields, "name", arena_copy_text(b->arena, value));
        value_put_string(&fields, "sound", arena_copy_text(b->arena, value));
    } else if (value && !strcmp(from->type, "xevt")) {
        char *end;
        long number = strtol(value, &end, 10);
        if (end == value || *end || number < 0 || number > INT32_MAX)
            return false;
        to->type = "script";
        value_put_int(&fields, "id", number);
    } else {
        return false;
    }
    to->fields = value_done(&fields);
    return true;
}

static bool to_sims(struct baking *b, const struct pose_event *from, struct pose_event *to)
{
    struct value_list fields = value_object(b->arena);
    const char *sound = value_get_string(from->fields, "sound", "");
    if (!*sound)
        sound = value_get_string(from->fields, "name", "");
    if (!strcmp(from->type, "sound") && *sound) {
        to->type = "sound";
        value_put_string(&fields, "value", arena_copy_text(b->arena, sound));
    } else if (!strcmp(from->type, "script")) {
        long long id = (long long)value_get_int(from->fields, "id", 0);
        to->type = "xevt";
        value_put_string(&fields, "value", arena_format(b->arena, "%lld", id));
    } else {
        return false;
    }
    to->fields = value_done(&fields);
    return true;
}

static bool bake_event(struct baking *b, const struct pose_event *from, struct pose_event *to)
{
    *to = (struct pose_event){.time = from->time};
    if (b->keeps_extras) {
        to->type = arena_copy_text(b->arena, from->type);
        to->fields = bake_rename_fields(b, value_copy(b->arena, from->fields));
        /* Prime has events in separate files. */
        return b->target.family != FAMILY_PRIME;
    }
    if (b->target.family == FAMILY_SIMS3 && b->family == FAMILY_SIMS)
        return to_sims3(b, from, to);
    if (b->target.family == FAMILY_SIMS && b->family == FAMILY_SIMS3)
        return to_sims(b, from, to);
    return false;
}

static bool bake_events(struct baking *b)
{
    uint32_t dropped = 0;
    struct pose_event *events = ARENA_NEW(b->arena, struct pose_event, b->clip.event_count);
    if (!events)
        return false;
    for (uint32_t i = 0; i < b->clip.event_count; i++) {
        if (bake_event(b, &b->clip.events[i], &events[b->out->event_count]))
            b->out->event_count++;
        else
            dropped++;
    }
    b->out->events = events;
    if (dropped)
        bake_warn(b, "events_dropped", "%u of %u events were dropped: %s has none of their kind%s", dropped,
                  b->clip.event_count, b->target.title,
                  b->target.family == FAMILY_PRIME ? " in a clip; events are in a separate file" : "");
    return true;
}

bool bake_extras(struct baking *b)
{
    tell_extras(b);
    bake_track_extras(b);
    return bake_clip_extras(b) && bake_events(b);
}
