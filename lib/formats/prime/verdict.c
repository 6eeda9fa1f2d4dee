#include "lib/formats/prime/verdict.h"

#include "lib/formats/prime/prime.h"
#include "lib/formats/verdict.h"
#include "lib/model/match.h"

#include <string.h>

enum { BONES = 100, FIRST_BONE_MP1 = 3 };

/* Ids index tables of 100; the first game's begin with the root, 3 (prime-skeleton.md, 1). */
static void judge_ids(struct verdict *verdict, const struct pose_clip *clip, bool is_first)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (track->has_id && (track->id >= BONES || (is_first && track->id < FIRST_BONE_MP1)))
            verdict_refuse(verdict, "bone_id", verdict_joint(verdict, track), POSE_NO_OFFSET,
                           "bone ids of this game are from %d to %d", is_first ? FIRST_BONE_MP1 : 0,
                           BONES - 1);
    }
}

/* The second game pairs channel i with bone i, and takes the number of keys from the first channel's rotation
 * (prime-anim.md, 2.2). */
static void judge_order(struct verdict *verdict, const struct pose_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (track->id == i)
            continue;
        verdict_refuse(verdict, "bone_order", verdict_joint(verdict, track), POSE_NO_OFFSET,
                       "channel %u is of bone %u: the game takes it for bone %u", i, track->id, i);
        break;
    }
    if (clip->track_count && track_drives_joint(&clip->tracks[0]) &&
        !clip->tracks[0].channels[POSE_ROTATION].count)
        verdict_refuse(verdict, "first_without_rotation", verdict_joint(verdict, &clip->tracks[0]),
                       POSE_NO_OFFSET,
                       "the game counts the keys by the first channel's rotation, which is missing");
}

/* The first game reads a sign and three numbers for every channel, whether it has rotation or not. */
static void judge_rotations(struct verdict *verdict, const struct pose_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (track_drives_joint(track) && !track->channels[POSE_ROTATION].count)
            verdict_refuse(verdict, "no_rotation", verdict_joint(verdict, track), POSE_NO_OFFSET,
                           "a channel without rotation: the game reads one all the same");
    }
}

static const char *judge_clip(struct verdict *verdict, const struct pose_clip *clip)
{
    const char *game = value_get_string(clip->extras, "game", prime_games[PRIME_MP1]);
    bool is_first = strcmp(game, prime_games[PRIME_MP2]) != 0;
    bool is_packed = value_get_int(clip->extras, "version", 2) == 2;
    judge_ids(verdict, clip, is_first);
    if (is_packed && is_first)
        judge_rotations(verdict, clip);
    else if (is_packed)
        judge_order(verdict, clip);
    return game;
}

/* Versions of the discs: 2 of the first game, 4 of the second; others are of demos (prime-cmdl.md, 7). */
static const char *judge_model(struct verdict *verdict, const struct pose_mesh *mesh)
{
    const char *game = value_get_string(mesh->extras, "game", prime_games[PRIME_MP1]);
    int64_t version = value_get_int(mesh->extras, "version", 2);
    int64_t wanted = strcmp(game, prime_games[PRIME_MP2]) ? 2 : 4;
    if (version != wanted)
        verdict_refuse(verdict, "version", NULL, 4, "version %lld; that of the disc is %lld",
                       (long long)version, (long long)wanted);
    return game;
}

void prime_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user)
{
    static const char *const codes[] = {"bone_table_size",
                                        "key_counts_differ",
                                        "channel_counts_differ",
                                        "last_frame_not_key",
                                        "unknown_constant",
                                        "odd_section_size",
                                        NULL};
    struct verdict verdict = verdict_begin(arena);
    const char *game = NULL;
    bool is_model = !strcmp(document->format, "prime-cmdl");
    if (strcmp(document->format, "prime-anim") != 0 && !is_model)
        return;
    verdict_take(&verdict, document->warnings, document->warning_count, codes);
    if (document->clip_count)
        game = judge_clip(&verdict, document->clips);
    else if (document->mesh_count)
        game = judge_model(&verdict, document->meshes);
    if (game)
        verdict_tell(&verdict, game, tell, user);
}
