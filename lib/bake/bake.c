/* Converts any clip to one that a format can hold: chooses the way. */
#include "lib/bake/bake.h"

#include "lib/core/setting.h"
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/core/warn.h"
#include "lib/model/build.h"
#include "lib/model/copy.h"

#include <math.h>
#include <string.h>

/* The range of rates accepted. */
#define MIN_FPS 0.1f
#define MAX_FPS 1000.0f

void bake_warn(const struct baking *b, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(b->warn, b->user, POSE_WARNING, code, POSE_NO_OFFSET, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------------------------------------- checks -- */

static bool check_numbers(const struct baking *b, uint32_t track, enum pose_part part)
{
    const struct pose_channel *channel = &b->clip.tracks[track].channels[part];
    bool finite = true, ascend = true;
    for (uint32_t k = 0; k < channel->count; k++) {
        finite &= isfinite(channel->times[k]) != 0;
        ascend &= !k || channel->times[k] > channel->times[k - 1];
    }
    for (size_t i = 0; i < (size_t)channel->count * part_components(part); i++)
        finite &= isfinite(channel->values[i]) != 0;
    if (finite && ascend)
        return true;
    return error_set(b->error, POSE_BAD_DATA, finite ? "unsorted_keys" : "not_finite", "tracks[%u].%s: %s",
                     track, part_name(part),
                     finite ? "times are not ascending" : "a key is not a finite number");
}

static bool check_clip(const struct baking *b)
{
    const struct pose_clip *clip = &b->clip;
    float fps = b->conversion->fps;
    if (fps != 0 && !(fps >= MIN_FPS && fps <= MAX_FPS))
        return error_set(b->error, POSE_BAD_ARGUMENT, "bad_fps", "fps: neither 0 nor a number from %g to %g",
                         (double)MIN_FPS, (double)MAX_FPS);
    if (!isfinite(clip->duration) || clip->duration < 0)
        return error_set(b->error, POSE_BAD_DATA, "bad_duration", "a clip of %g seconds",
                         (double)clip->duration);
    float most = b->target.max_duration;
    if (most > 0 && clip->duration > most)
        return error_set(b->error, POSE_BAD_DATA, "too_long",
                         "a clip of %g seconds; %s plays up to %g: cut it first", (double)clip->duration,
                         b->target.title, (double)most);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            if (!check_numbers(b, i, (enum pose_part)part))
                return false;
        }
    }
    return true;
}

/* Seconds per frame of Prime; 0 if the clip does not have it. */
static double stored_interval(const struct pose_clip *clip)
{
    double interval = (double)value_get_float(clip->extras, "interval", 0);
    return isfinite(interval) && interval > 0 ? interval : 0;
}

static bool is_on_frames(const struct pose_channel *channel, double frame)
{
    for (uint32_t k = 0; k < channel->count; k++) {
        double at = (double)channel->times[k] / frame;
        if (fabs(at - round(at)) > 0.01)
            return false;
    }
    return true;
}

/* Whether every key k is on frame k. */
static bool is_every_frame(const struct pose_channel *channel, double frame, float duration)
{
    return is_on_frames(channel, frame) && channel->times[0] < 0.5 * frame &&
           fabs((double)channel->times[channel->count - 1] - (double)duration) < 0.5 * frame &&
           fabs((double)channel->count - 1 - round((double)duration / frame)) < 0.5;
}

static bool same_times(const struct pose_channel *a, const struct pose_channel *b)
{
    return a->count == b->count && !memcmp(a->times, b->times, a->count * sizeof *a->times);
}

/*
 * Whether the keys are where the clip's own rules require them: a file edited by another program may claim to be a
 * clip of The Sims, but have keys anywhere.
 */
static bool keys_obey_rules(const struct pose_clip *clip)
{
    double frame = stored_interval(clip);
    const struct pose_channel *first = NULL;
    bool is_prime = clip->rules == POSE_RULES_PRIME || clip->rules == POSE_RULES_PRIME_FRAMES;
    if (clip->rules != POSE_RULES_SIMS && !is_prime)
        return true;
    if (is_prime && !(frame > 0))
        frame = clip->fps > 0 && isfinite(clip->fps) ? 1 / (double)clip->fps : 1 / 30.0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (!channel->count)
                continue;
            first = first ? first : channel;
            if (clip->rules == POSE_RULES_SIMS && !bake_is_even(channel, clip->duration, channel->count))
                return false;
            if (is_prime && (!is_on_frames(channel, frame) || !same_times(channel, first)))
                return false;
            if (clip->rules == POSE_RULES_PRIME_FRAMES && !is_every_frame(channel, frame, clip->duration))
                return false;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- ways -- */

/* The requested game, else the clip's own, else the first. */
static bool choose_game(struct baking *b, const char *own)
{
    enum { MAX_GAMES = 8 };
    const char *names[MAX_GAMES];
    unsigned game = 0, count = 0;
    for (; count < MAX_GAMES && b->target.games[count].name; count++) {
        names[count] = b->target.games[count].name;
        game = strcmp(names[count], own) ? game : count;
    }
    if (!setting_word(b->conversion->settings, "game", names, count, &game, b->error))
        return false;
    b->game = &b->target.games[game];
    return true;
}

/* Version 0 of Prime has a key on every frame. */
static bool choose_rules(struct baking *b)
{
    const struct pose_value *settings = b->conversion->settings;
    const struct pose_value *own = b->keeps_extras ? b->clip.extras : NULL;
    if (b->target.family != FAMILY_PRIME)
        return true;
    int64_t version = value_get_int(settings, "version", value_get_int(own, "version", 2));
    if (pose_value_find(settings, "version") && version != 0 && version != 2)
        return setting_refuse(b->error, "version", "neither 0 nor 2");
    b->target.rules = version == 0 ? POSE_RULES_PRIME_FRAMES : POSE_RULES_PRIME;
    if (!choose_game(b, value_get_string(own, "game", "")))
        return false;
    b->target.holds[POSE_SCALE] = b->game->holds_scale;
    return true;
}

/* The clip unchanged, for exchange formats and for its own. */
static bool take_over(struct baking *b)
{
    if (!copy_clip(b->arena, &b->clip, b->out))
        return false;
    if (b->target.family == FAMILY_NONE && !b->out->origin)
        b->out->origin = arena_copy_text(b->arena, b->origin);
    if (b->target.family != FAMILY_NONE)
        b->out->origin = NULL;
    return bake_rename(b);
}

static bool moves_joint(const struct pose_track *track)
{
    return track->channels[POSE_TRANSLATION].count || track->channels[POSE_ROTATION].count ||
           track->channels[POSE_SCALE].count;
}

/* Of a clip from elsewhere, all of whose joints have names that no figure of the game knows. */
static void warn_of_strangers(const struct baking *b)
{
    uint32_t strangers = 0;
    if (!b->target.has_bone || b->family == b->target.family)
        return;
    for (uint32_t i = 0; i < b->track_count; i++) {
        if (moves_joint(&b->tracks[i]) && b->target.has_bone(&b->tracks[i]))
            return;
        strangers += moves_joint(&b->tracks[i]);
    }
    if (strangers)
        bake_warn(b, "unknown_joint",
                  "no figure of %s has one of the %u bones, so nothing will move: retarget the clip, or map "
                  "its joints to names of the game's",
                  b->target.title, strangers);
}

static bool change(struct baking *b)
{
    b->out->name = arena_copy_text(b->arena, b->clip.name);
    b->out->axes = b->target.axes;
    b->out->rules = b->target.rules;
    if (b->target.family == FAMILY_NONE)
        b->out->origin = arena_copy_text(b->arena, b->origin);
    if (!bake_tracks(b) || !bake_clock(b) || !bake_keys(b) || !bake_extras(b))
        return false;
    warn_of_strangers(b);
    b->out->tracks = b->tracks;
    b->out->track_count = b->track_count;
    b->out->key_count = clip_count_keys(b->out);
    return !b->arena->failed && !b->scratch->failed;
}

/* Settings that change what a clip is, not only how it is written. */
static bool has_own_settings(const struct baking *b)
{
    const struct pose_value *settings = b->conversion->settings;
    for (const struct pose_value *item = settings ? settings->first : NULL; item; item = item->next) {
        if (item->key && text_lists(b->target.own_settings, item->key))
            return true;
    }
    return false;
}

static bool is_same_format(const struct baking *b)
{
    return b->origin && !strcmp(b->origin, b->format) && b->keeps_keys && b->clip.axes == b->target.axes &&
           !has_own_settings(b);
}

/* For example, a clip read from BVH is converted to Second Life as the viewer would upload that file: the
 * encoder does this, and needs the file's own numbers. */
static bool is_taken_as_read(const struct baking *b)
{
    return b->target.takes_as_read && b->target.takes_as_read(&b->clip);
}

bool bake_clip(struct baking *b)
{
    if (is_taken_as_read(b)) {
        if (b->conversion->fps > 0)
            bake_warn(b, "fps_ignored", "ignored: BVH for %s is converted frame by frame", b->target.title);
        return take_over(b);
    }
    bool is_sampled_here = b->conversion->fps > 0 && b->target.resamples;
    if (b->target.family == FAMILY_NONE && !is_sampled_here)
        return take_over(b);
    if (!check_clip(b))
        return false;
    if (is_sampled_here) {
        b->target.axes = b->clip.axes;
        b->target.rules = b->clip.rules;
    }
    b->keeps_extras = is_sampled_here || b->family == b->target.family;
    if (!choose_rules(b))
        return false;
    if (!keys_obey_rules(&b->clip))
        b->clip.rules = b->clip.rules == POSE_RULES_PRIME_FRAMES ? POSE_RULES_PRIME : POSE_RULES_PLAIN;
    b->keeps_keys =
        b->clip.rules == b->target.rules && !(b->conversion->fps > 0) && keys_obey_rules(&b->clip);
    return is_same_format(b) ? take_over(b) : change(b);
}
