#include "lib/formats/prime/anim/fit.h"

#include "lib/core/setting.h"
#include "lib/core/value.h"
#include "lib/model/build.h"

#include <math.h>
#include <string.h>

static const double DEFAULT_INTERVAL = 1 / 30.0;
/* A frame rate is stated with fewer digits than an interval. */
static const double SAME_RATE = 1e-3;

/* The roots of the games' skeletons (prime-skeleton.md, 1). */
static uint32_t root_of(enum prime_game game)
{
    return game == PRIME_MP2 ? 0 : 3;
}

/* --------------------------------------------------------------------------------------------- the target -- */

static bool is_own(const struct pose_clip *clip)
{
    if (clip->origin)
        return !strcmp(clip->origin, "prime-anim");
    return clip->rules == POSE_RULES_PRIME || clip->rules == POSE_RULES_PRIME_FRAMES;
}

static bool choose_game(struct encode_job *job, const struct pose_value *extras, enum prime_game *game)
{
    int own = prime_word_find(prime_games, PRIME_GAME_COUNT, value_get_string(extras, "game", NULL));
    unsigned choice = own < 0 ? PRIME_MP1 : (unsigned)own;
    if (!setting_word(job->settings, "game", prime_games, PRIME_GAME_COUNT, &choice, job->error))
        return false;
    *game = (enum prime_game)choice;
    return true;
}

static bool choose_version(struct encode_job *job, const struct pose_value *extras, unsigned *version)
{
    int64_t own = value_get_int(extras, "version", 2);
    *version = own == 0 ? 0 : 2;
    if (!pose_value_find(job->settings, "version"))
        return true;
    int64_t asked = value_get_int(job->settings, "version", -1);
    if (asked != 0 && asked != 2)
        return setting_refuse(job->error, "version", "neither 0 nor 2");
    *version = (unsigned)asked;
    return true;
}

static bool choose_evnt(struct encode_job *job, const struct pose_value *extras,
                        struct prime_fit_target *target)
{
    int64_t own = value_get_int(extras, "evnt", PRIME_NO_ID);
    target->evnt = own < 0 || own > UINT32_MAX ? PRIME_NO_ID : (uint32_t)own;
    if (pose_value_find(job->settings, "evnt")) {
        int64_t asked = value_get_int(job->settings, "evnt", -1);
        if (asked < 0 || asked > UINT32_MAX)
            return setting_refuse(job->error, "evnt", "not an id of 32 bits");
        target->evnt = (uint32_t)asked;
    }
    if (target->game != PRIME_MP1 && target->evnt != PRIME_NO_ID && target->evnt != PRIME_NO_ID_EITHER)
        encode_warn(job, "evnt_dropped", "the id of the events was dropped: only Metroid Prime 1 has one");
    return true;
}

static bool prime_fit_target(struct encode_job *job, const struct pose_clip *clip,
                             struct prime_fit_target *target)
{
    target->is_own = is_own(clip);
    target->loops = clip->loop == POSE_LOOP_YES;
    const struct pose_value *extras = target->is_own ? clip->extras : NULL;
    if (!choose_game(job, extras, &target->game) || !choose_version(job, extras, &target->version) ||
        !setting_flag(job->settings, "loop", &target->loops, job->error) || !choose_evnt(job, extras, target))
        return false;
    if (target->version == 0 && target->game == PRIME_MP2_DEMO)
        return setting_refuse(job->error, "version", "the demo of Metroid Prime 2 has no version 0");
    const char *game = value_get_string(extras, "game", "");
    bool same_root = !strcmp(game, prime_games[target->game]);
    int64_t root = value_get_int(extras, "root_bone_id", -1);
    target->root_bone_id =
        same_root && root >= 0 && root <= UINT32_MAX ? (uint32_t)root : root_of(target->game);
    return true;
}

/* ------------------------------------------------------------------------------------------------- frames -- */

static void choose_interval(const struct pose_clip *clip, struct prime_fit *fit)
{
    double fps = clip->fps > 0 && isfinite(clip->fps) ? (double)clip->fps : 0;
    double own = fit->target.is_own ? (double)value_get_float(clip->extras, "interval", 0) : 0;
    bool is_sane = own > 0 && isfinite(own) && (fps == 0 || fabs(own * fps - 1) <= SAME_RATE);
    fit->interval = (float)(is_sane ? own : fps > 0 ? 1 / fps : DEFAULT_INTERVAL);
    if (!(fit->interval > 0) || !isfinite(fit->interval))
        fit->interval = (float)DEFAULT_INTERVAL;
}

static uint32_t most_keys(const struct pose_clip *clip)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < PRIME_FIT_PARTS; part++)
            most = clip->tracks[i].channels[part].count > most ? clip->tracks[i].channels[part].count : most;
    }
    return most;
}

static bool too_long(struct encode_job *job, double frames)
{
    return error_set(job->error, POSE_BAD_DATA, "too_long",
                     "a clip of %.0f frames; at most %d fit: cut it first", frames, PRIME_TRACKS_FRAMES);
}

/* Chooses the last frame, and a duration that ends there. */
static bool choose_duration(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit)
{
    bool keeps_frames = clip->rules == POSE_RULES_PRIME_FRAMES && fit->target.version == 0;
    if (!isfinite(clip->duration) || clip->duration < 0)
        return error_set(job->error, POSE_BAD_DATA, "bad_duration", "a clip of %g seconds",
                         (double)clip->duration);
    double last = floor(0.5 + (double)clip->duration / (double)fit->interval);
    bool is_own_duration = fit->target.is_own;
    if (keeps_frames)
        last = fmax(most_keys(clip), 1) - 1;
    if (last < 1 && fit->target.version == 2) {
        last = 1;
        is_own_duration = false;
    }
    if (last + 1 > PRIME_TRACKS_FRAMES)
        return too_long(job, last + 1);
    fit->last_frame = (uint32_t)last;
    fit->duration = is_own_duration ? clip->duration : (float)(last * (double)fit->interval);
    if (!isfinite(fit->duration))
        return too_long(job, last + 1);
    return true;
}

/* ---------------------------------------------------------------------------------------------- the whole -- */

static void tell(struct encode_job *job, const struct pose_clip *clip, const struct prime_fit *fit)
{
    if (fit->target.version == 0 && fit->target.loops)
        encode_warn(job, "loop_dropped", "the loop flag was dropped: version 0 has none");
    if (fit->target.loops && (clip->loop_in > 0 || (clip->loop_out > 0 && clip->loop_out < clip->duration)))
        encode_warn(job, "loop_range_dropped", "the loop was extended to the whole clip");
    if (clip->event_count)
        encode_warn(job, "events_dropped", "%u events were left out: they are separate files",
                    clip->event_count);
}

bool prime_fit_clip(struct encode_job *job, const struct pose_clip *clip, struct prime_fit *fit)
{
    *fit = (struct prime_fit){.channel_count = 0};
    if (!prime_fit_target(job, clip, &fit->target))
        return false;
    choose_interval(clip, fit);
    if (!choose_duration(job, clip, fit))
        return false;
    tell(job, clip, fit);
    return prime_tracks_fit(job, clip, fit) && !job->arena->failed;
}
