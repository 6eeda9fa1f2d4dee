#include "lib/formats/prime/prime.h"

#include "lib/core/text.h"

#include <string.h>

const char *const prime_games[PRIME_GAME_COUNT + 1] = {"mp1", "mp2", "mp2demo", NULL};
const char *const prime_released_games[] = {"mp1", "mp2", NULL};
const char *const prime_event_kinds[PRIME_EVENT_KINDS] = {"bool", "int32", "particle", "sound"};
const char *const prime_event_types[PRIME_EVENT_TYPES] = {
    "loop", "bool", "int32", NULL, "sound_int32", "particle", "user", "random_rate", "sound",
};
const char *const prime_metas[PRIME_METAS] = {"play", "blend", "phase_blend", "random", "sequence"};
const char *const prime_transitions[PRIME_TRANSITIONS] = {"animation", "transition", "phase_transition",
                                                          "snap"};

/* prime-skeleton.md, 3. */
const char *const prime_actions[PRIME_ACTIONS] = {
    "projectile",
    "egg_lay",
    "looped_sound_stop",
    "align_target_position",
    "align_target_rotation",
    "change_material",
    "delete",
    "generate_end",
    "damage_on",
    "damage_off",
    "align_target_position_start",
    "de_generate",
    "landing",
    "take_off",
    "fade_in",
    "fade_out",
    "screen_shake",
    "begin_action",
    "end_action",
    "become_ragdoll",
    "ik_lock",
    "ik_release",
    "break_lock_on",
    "become_shoot_through",
    "remove_collision",
    "object_pick_up",
    "object_drop",
    "event_start",
    "event_stop",
    "activate",
    "deactivate",
    "sound_play",
    "sound_stop",
    "effect_on",
    "effect_off",
};

int prime_word_find(const char *const *words, int count, const char *word)
{
    for (int i = 0; word && i < count; i++) {
        if (words[i] && !strcmp(words[i], word))
            return i;
    }
    return -1;
}

bool prime_check_end(struct reader *reader)
{
    size_t left = reader_left(reader);
    if (reader->failed)
        return false;
    for (size_t i = 0; i < left && left <= PRIME_PADDING; i++) {
        if (reader->at[i] != 0 && reader->at[i] != 0xff)
            return reader_fail_at(reader, reader_offset(reader) + i, NULL, "trailing_bytes",
                                  "0x%02x follows the end; only padding may", reader->at[i]);
    }
    return left <= PRIME_PADDING ||
           reader_fail_at(reader, reader_offset(reader), NULL, "trailing_bytes",
                          "%zu bytes follow the end; padding is at most %d", left, PRIME_PADDING);
}

struct prime_text prime_read_text(struct reader *reader, const char *field)
{
    struct prime_text text = {.at = reader_offset(reader)};
    text.bytes = reader_cstring(reader, &text.length, field);
    return text;
}

const char *prime_keep_text(struct decode_job *job, const struct prime_text *text)
{
    bool is_utf8;
    if (!text->bytes)
        return NULL;
    const char *copy = text_from_bytes(job->arena, text->bytes, text->length, &is_utf8);
    if (copy && !is_utf8)
        warning_add(&job->warnings, POSE_WARNING, "name_not_utf8", text->at,
                    "\"%.40s\" is not UTF-8; it was read as Windows-1252", copy);
    return copy;
}

const char *prime_read_type(struct reader *reader, struct arena *arena, const char *field)
{
    const uint8_t *type = reader_bytes(reader, 4, field);
    bool printable = type != NULL;
    for (int i = 0; type && i < 4; i++)
        printable &= type[i] >= 0x20 && type[i] < 0x7f;
    if (printable)
        return arena_text(arena, (const char *)type, 4);
    return type ? arena_format(arena, "%02x%02x%02x%02x", type[0], type[1], type[2], type[3]) : NULL;
}

int prime_forced_game(const struct pose_source *source, int count)
{
    return prime_word_find(prime_games, count, source->game);
}
