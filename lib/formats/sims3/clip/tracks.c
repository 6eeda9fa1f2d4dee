#include "lib/formats/sims3/clip/tracks.h"

#include "lib/core/value.h"
#include "lib/formats/sims3/clip/keys.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------- which track a channel belongs to -- */

struct member {
    uint32_t key;
    bool is_morph;
    uint32_t channel;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->is_morph != y->is_morph)
        return x->is_morph ? 1 : -1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static struct member *sort_members(struct arena *arena, const struct sims3_section *section)
{
    struct member *members = ARENA_NEW(arena, struct member, section->channel_count);
    for (uint32_t i = 0; i < section->channel_count && members; i++) {
        const struct sims3_channel *channel = &section->channels[i];
        members[i] = (struct member){channel->key, channel->sub_type == SIMS3_MORPH, i};
    }
    if (members && section->channel_count)
        qsort(members, section->channel_count, sizeof *members, compare_members);
    return members;
}

/* The track of each channel, by number; NULL if out of memory. */
static uint32_t *assign_tracks(struct arena *arena, const struct sims3_section *section,
                               uint32_t *track_count)
{
    struct member *members = sort_members(arena, section);
    uint32_t *track_of = ARENA_NEW(arena, uint32_t, section->channel_count);
    if (!members || !track_of)
        return NULL;
    /* First finds the leading channel of each group, then numbers the groups. */
    for (uint32_t i = 0; i < section->channel_count; i++) {
        const struct member *member = &members[i];
        bool same = i && member->key == member[-1].key && member->is_morph == member[-1].is_morph;
        track_of[member->channel] = same ? track_of[member[-1].channel] : member->channel;
    }
    *track_count = 0;
    for (uint32_t i = 0; i < section->channel_count; i++)
        track_of[i] = track_of[i] == i ? (*track_count)++ : track_of[track_of[i]];
    return track_of;
}

/* ------------------------------------------------------------------------------------------------- tracks -- */

/* Extras of a track being built. */
struct draft {
    struct value_list channels, other;
};

static void describe(struct value_list *list, struct arena *arena, const struct sims3_channel *channel,
                     bool with_count)
{
    struct value_list row = value_object(arena);
    if (!list->arena)
        *list = value_array(arena);
    value_put_int(&row, "type", channel->type);
    value_put_int(&row, "sub_type", channel->sub_type);
    value_put_float(&row, "offset", channel->offset);
    value_put_float(&row, "scale", channel->scale);
    if (with_count)
        value_put_int(&row, "key_count", channel->key_count);
    value_put_list(list, NULL, &row);
}

/* True when the channel can be decoded into a part. */
static bool is_known(struct sims3_file *file, const struct sims3_channel *channel)
{
    const struct sims3_packing *packing = sims3_packing_of(channel->type);
    int part = sims3_part_of(channel->sub_type);
    if (packing->kind == SIMS3_UNKNOWN || part < 0) {
        warning_add(&file->job->warnings, POSE_WARNING, "unknown_channel", channel->at,
                    "channel 0x%08X: type 0x%02x of subtype %u is unknown; it is ignored", channel->key,
                    channel->type, channel->sub_type);
        return false;
    }
    if (packing->components != part_components((enum pose_part)part)) {
        warning_add(&file->job->warnings, POSE_WARNING, "component_count", channel->at,
                    "channel 0x%08X: type 0x%02x has %u components, a %s has %u; it is ignored", channel->key,
                    channel->type, packing->components, part_name((enum pose_part)part),
                    part_components((enum pose_part)part));
        return false;
    }
    return true;
}

static bool add_channel(struct sims3_file *file, const struct sims3_section *section, uint32_t index,
                        struct sims3_tracks *tracks, struct pose_track *track, struct draft *draft)
{
    const struct sims3_channel *channel = &section->channels[index];
    struct pose_channel decoded;
    if (!is_known(file, channel)) {
        describe(&draft->other, file->job->arena, channel, true);
        return true;
    }
    enum pose_part part = (enum pose_part)sims3_part_of(channel->sub_type);
    describe(&draft->channels, file->job->arena, channel, false);
    if (!sims3_keys_decode(file, section, index, part, &decoded, &tracks->odd_flags))
        return false;
    if (!decoded.count)
        return true;
    if (track->channels[part].count)
        warning_add(&file->job->warnings, POSE_WARNING, "duplicate_channel", channel->at,
                    "channel 0x%08X drives its %s a second time; the later one wins", channel->key,
                    part_name(part));
    track->channels[part] = decoded;
    return true;
}

static void name_track(const struct sims3_channel *channel, struct pose_track *track)
{
    track->has_id = true;
    track->id = channel->key;
    track->name =
        channel->sub_type == SIMS3_MORPH ? sims3_morph_name(channel->key) : sims3_bone_name(channel->key);
}

static const struct pose_value *finish_extras(struct arena *arena, const struct draft *draft)
{
    struct value_list extras = value_object(arena);
    if (draft->channels.value)
        value_put_list(&extras, "channels", &draft->channels);
    if (draft->other.value)
        value_put_list(&extras, "other", &draft->other);
    return value_done(&extras);
}

/* Blames the channel that begins the first excess track, by its key. */
static bool check_count(struct sims3_file *file, const struct sims3_section *section,
                        const uint32_t *track_of, uint32_t count)
{
    uint32_t limit = file->job->limits->joints, over = 0;
    if (count <= limit)
        return true;
    while (track_of[over] != limit)
        over++;
    reader_enter(&file->reader, "section", READER_NO_INDEX);
    reader_enter(&file->reader, "channels", over);
    return reader_limit_at(&file->reader, section->channels[over].at + SIMS3_CHANNEL_AT_KEY, "key", "joints",
                           "%u tracks, more than the limit of %u joints", count, limit);
}

bool sims3_tracks_build(struct sims3_file *file, const struct sims3_section *section,
                        struct sims3_tracks *tracks)
{
    struct arena *arena = file->job->arena;
    *tracks = (struct sims3_tracks){0};
    uint32_t *track_of = assign_tracks(arena, section, &tracks->count);
    if (!track_of)
        return false;
    if (!check_count(file, section, track_of, tracks->count))
        return false;
    struct draft *drafts = ARENA_NEW(arena, struct draft, tracks->count);
    tracks->items = ARENA_NEW(arena, struct pose_track, tracks->count);
    if (!drafts || !tracks->items)
        return false;
    for (uint32_t i = 0; i < section->channel_count; i++) {
        struct pose_track *track = &tracks->items[track_of[i]];
        name_track(&section->channels[i], track);
        if (!add_channel(file, section, i, tracks, track, &drafts[track_of[i]]))
            return false;
    }
    for (uint32_t i = 0; i < tracks->count; i++)
        tracks->items[i].extras = finish_extras(arena, &drafts[i]);
    return !arena->failed;
}
