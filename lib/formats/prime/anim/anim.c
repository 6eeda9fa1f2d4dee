/*
 * Metroid Prime 1 and 2: an animation clip (ANIM). Big-endian, unaligned, no magic number: u32 version, then
 *
 *     0   every frame is a key, as floats (frames.c)
 *     2   keys as differences in a bitstream (packed.c)
 *     3   made by a fan's engine, refused
 *
 * optionally followed by up to 63 bytes of 0xFF or 0x00. The file does not name its game: either the caller
 * does, or it is the layout that ends exactly at the end of the file. Facts: prime-anim.md; no file of the games
 * is public, so nothing here was checked on one. Values are local to the parent, absolute, and in the game's own
 * axes.
 */
#include "lib/formats/prime/anim/clip.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXTENSIONS ".anim"

/* ------------------------------------------------------------------------------------- what both versions do -- */

void prime_walk_warn(struct prime_walk *walk, uint64_t offset, const char *code, const char *format, ...)
{
    char message[300];
    va_list arguments;
    walk->warning_count++;
    if (!walk->warnings)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    warning_add(walk->warnings, POSE_WARNING, code, offset, "%s", message);
}

float prime_walk_duration(struct prime_walk *walk)
{
    float duration = reader_finite_f32be(&walk->reader, "duration", "bad_duration");
    if (!walk->reader.failed && duration < 0)
        reader_fail(&walk->reader, "bad_duration", "a clip of %g seconds", (double)duration);
    return duration + 0; /* turns -0 into 0 */
}

float prime_walk_interval(struct prime_walk *walk)
{
    float interval = reader_finite_f32be(&walk->reader, "interval", "bad_interval");
    if (!walk->reader.failed && !(interval > 0))
        reader_fail(&walk->reader, "bad_interval", "%g seconds a frame", (double)interval);
    return interval;
}

bool prime_check_keys(struct decode_job *job, uint64_t parts, uint64_t keys, uint64_t offset)
{
    if (parts * keys <= job->limits->keys)
        return true;
    error_limit(job->error, "keys",
                "channels at byte %llu: %llu channels of %llu keys, more than the limit of %llu",
                (unsigned long long)offset, (unsigned long long)parts, (unsigned long long)keys,
                (unsigned long long)job->limits->keys);
    if (job->error && job->error->status == POSE_OVER_LIMIT)
        job->error->offset = offset;
    return false;
}

float *prime_key_times(struct arena *arena, const uint32_t *frames, uint32_t count, float interval)
{
    float *times = ARENA_NEW(arena, float, count);
    for (uint32_t k = 0; times && k < count; k++) {
        double time = (double)(frames ? frames[k] : k) * (double)interval;
        times[k] = time <= (double)FLT_MAX ? (float)time : FLT_MAX;
    }
    return times;
}

void prime_put_head(struct value_list *extras, enum prime_game game, uint32_t version, uint32_t evnt,
                    uint32_t root_bone_id, float interval)
{
    value_put_string(extras, "game", prime_games[game]);
    value_put_int(extras, "version", version);
    if (game == PRIME_MP1)
        value_put_int(extras, "evnt", evnt);
    else
        value_put_null(extras, "evnt");
    value_put_int(extras, "root_bone_id", root_bone_id);
    value_put_float(extras, "interval", interval);
}

/* ----------------------------------------------------------------------------------------- finding the game -- */

/* The layouts that a file may have, the most likely first. */
struct choice {
    unsigned count;
    enum prime_game games[3];
};

static uint32_t word_at(struct pose_bytes bytes, size_t offset)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    reader_seek(&reader, offset, NULL);
    return reader_u32be(&reader, NULL);
}

static void add_choice(struct choice *choice, enum prime_game game)
{
    choice->games[choice->count++] = game;
}

/* The caller's choice; the second game includes its demo. */
static bool forced_choice(const char *game, bool packed, struct choice *choice)
{
    int found = prime_word_find(prime_games, PRIME_GAME_COUNT, game);
    if (found < 0 || (found == PRIME_MP2_DEMO && !packed))
        return false;
    add_choice(choice, (enum prime_game)found);
    if (found == PRIME_MP2 && packed)
        add_choice(choice, PRIME_MP2_DEMO);
    return true;
}

/* Tests which constants are in place. 01 01 could also be the top of an EVNT id. */
static void marked_choice(struct pose_bytes bytes, bool packed, struct choice *choice)
{
    if (!packed || word_at(bytes, 8) >> 16 == 0x0101)
        add_choice(choice, PRIME_MP2);
    if (!packed || word_at(bytes, 12) == 1)
        add_choice(choice, PRIME_MP1);
    if (packed && word_at(bytes, 8) == 1)
        add_choice(choice, PRIME_MP2_DEMO);
}

static bool walk(struct prime_walk *walk, bool packed, struct prime_packed *file, struct prime_frames *frames)
{
    return packed ? prime_packed_walk(walk, file) : prime_frames_walk(walk, frames);
}

static void begin_walk(struct prime_walk *walk, struct pose_bytes bytes, enum prime_game game,
                       struct pose_error *error)
{
    *walk = (struct prime_walk){.game = game};
    reader_init(&walk->reader, bytes, error);
}

/* The number of layouts in which the file can be walked; *game is the one with the fewest warnings, or if there
 * is none, the one that gets farthest. */
static unsigned try_layouts(struct pose_bytes bytes, bool packed, const struct choice *choice,
                            enum prime_game *game)
{
    unsigned found = 0, fewest = 0;
    uint64_t farthest = 0;
    for (unsigned i = 0; i < choice->count; i++) {
        struct prime_walk attempt;
        struct prime_packed file;
        struct prime_frames frames;
        struct pose_error error;
        pose_error_init(&error);
        begin_walk(&attempt, bytes, choice->games[i], &error);
        bool sound = walk(&attempt, packed, &file, &frames);
        uint64_t reached = error.offset > attempt.reached ? error.offset : attempt.reached;
        if (sound ? !found || attempt.warning_count < fewest : !found && reached > farthest)
            *game = choice->games[i];
        if (sound && (!found++ || attempt.warning_count < fewest))
            fewest = attempt.warning_count;
        else if (!sound && reached > farthest)
            farthest = reached;
    }
    return found;
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

static bool is_version(uint32_t version)
{
    return version == PRIME_ANIM_FRAMES || version == PRIME_ANIM_PACKED;
}

/* Whether both constants of a layout are in place: a clip of The Sims Online begins with the same word, but has
 * letters of names there. */
static bool is_marked(struct pose_bytes bytes)
{
    return (word_at(bytes, 0x0c) == 1 && word_at(bytes, 0x2c) == 1) ||
           (word_at(bytes, 0x08) >> 16 == 0x0101 && word_at(bytes, 0x2a) == 1) ||
           (word_at(bytes, 0x08) == 1 && word_at(bytes, 0x28) == 1);
}

static enum probe_result probe(const struct pose_source *source)
{
    uint32_t version = word_at(source->bytes, 0);
    bool packed = version == PRIME_ANIM_PACKED;
    struct choice choice = {0};
    enum prime_game game;
    if (source->bytes.size < 4 || (!is_version(version) && version != 3))
        return PROBE_NO;
    if (!source->game || !forced_choice(source->game, packed, &choice))
        marked_choice(source->bytes, packed, &choice);
    if (is_version(version) && try_layouts(source->bytes, packed, &choice, &game))
        return PROBE_SURE;
    if (!source->name || !text_has_extension(source->name, EXTENSIONS))
        return PROBE_NO;
    return packed && is_marked(source->bytes) ? PROBE_MARKED : PROBE_NAME;
}

static bool refuse_version(struct decode_job *job, uint32_t version)
{
    error_set(job->error, POSE_UNSUPPORTED, "bad_version", "version at byte 0: unsupported version %u",
              version);
    if (job->error)
        job->error->offset = 0;
    return false;
}

static bool find_choice(struct decode_job *job, bool packed, struct choice *choice)
{
    const char *game = job->source->game;
    if (game && !forced_choice(game, packed, choice))
        return error_set(job->error, POSE_BAD_ARGUMENT, "bad_game", "unknown game \"%s\"", game);
    if (!game)
        marked_choice(job->source->bytes, packed, choice);
    if (!choice->count)
        add_choice(choice, PRIME_MP1);
    return true;
}

static void finish_clip(struct decode_job *job, enum prime_game game, float interval, struct pose_clip *clip)
{
    float last = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < 3; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (channel->count)
                last = fmaxf(last, channel->times[channel->count - 1]);
        }
    }
    if (last > clip->duration)
        warning_add(&job->warnings, POSE_NOTE, "key_outside_clip", POSE_NO_OFFSET,
                    "the last key, at %g s, is after the end at %g s", (double)last, (double)clip->duration);
    clip->axes = POSE_AXES_PRIME;
    clip->game = prime_games[game];
    clip->fps = clip_frame_rate(interval);
    clip->loop_out = clip->duration;
    clip->key_count = clip_count_keys(clip);
}

static bool decode(struct decode_job *job)
{
    struct pose_bytes bytes = job->source->bytes;
    struct prime_walk final;
    struct prime_packed file;
    struct prime_frames frames;
    struct choice choice = {0};
    uint32_t version = word_at(bytes, 0);
    bool packed = version == PRIME_ANIM_PACKED;
    if (bytes.size >= 4 && !is_version(version))
        return refuse_version(job, version);
    if (!find_choice(job, packed, &choice))
        return false;
    enum prime_game game = choice.games[0];
    if (try_layouts(bytes, packed, &choice, &game) > 1)
        warning_add(&job->warnings, POSE_WARNING, "ambiguous_game", POSE_NO_OFFSET,
                    "the file fits several games; %s was assumed", prime_games[game]);
    begin_walk(&final, bytes, game, job->error);
    final.warnings = &job->warnings;
    struct pose_clip *clip = ARENA_NEW(job->arena, struct pose_clip, 1);
    if (!clip || !walk(&final, packed, &file, &frames))
        return false;
    uint32_t tracks = packed ? file.channel_count : frames.bones.count;
    if (tracks > job->limits->joints)
        return error_limit(job->error, "joints", "%u channels, more than the limit of %u joints", tracks,
                           job->limits->joints);
    if (!(packed ? prime_packed_build(job, &final, &file, clip)
                 : prime_frames_build(job, &final, &frames, clip)))
        return false;
    finish_clip(job, game, packed ? file.interval : frames.interval, clip);
    job->document->clips = clip;
    job->document->clip_count = 1;
    return true;
}

/* The first root bone of Prime 1's characters is 3 (prime-anim.md, 2.2). */
static const struct target_game games[] = {
    {.name = "mp1", .root_bone_id = 3},
    {.name = "mp2", .holds_scale = true, .has_all_bones = true},
    {.name = "mp2demo"},
    {.name = NULL},
};

static const struct target target = {
    .title = "Metroid Prime",
    .family = FAMILY_PRIME,
    .axes = POSE_AXES_PRIME,
    .rules = POSE_RULES_PRIME,
    .other_rules = POSE_RULES_PRIME_FRAMES,
    .holds = {true, true, true, false},
    .own_settings = "loop game version root_bone_id evnt",
    .wants_own_skeleton = true,
    .games = games,
    .files = {{.options = "fps loop game", .games = prime_released_games}},
};

const struct codec codec_prime_anim = {
    .format = {.id = "prime-anim",
               .title = "Metroid Prime 1 and 2 animation",
               .extensions = EXTENSIONS,
               .media_type = "application/x-prime-anim",
               .kinds = "clip",
               .is_linked = true,
               .games = prime_games},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(prime_anim_encode),
    .target = &target,
};
