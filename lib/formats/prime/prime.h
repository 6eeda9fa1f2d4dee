/*
 * Metroid Prime 1 and 2: shared definitions, and how each format is represented in the common model. Decoders
 * produce these shapes, encoders (*_encode.c) accept them; a missing member has the default in [brackets], so that
 * hand-made documents can be written too. Facts: prime-anim.md, prime-skeleton.md.
 *
 * Everywhere: `game` is "mp1", "mp2" or (prime-anim only) "mp2demo". Members are in the order given. Ids and other
 * unsigned numbers are as stored (POSE_INT, 0 ... 2^32 - 1; 0 or 4294967295 means no id, as stored). Quaternions
 * are [x, y, z, w], whatever the file's order. "|null": the layout has no such field. A four-character type is a
 * string of 4 characters, or of 8 hex digits if it is not printable ASCII. A game time is two members, `X`
 * (seconds) and `X_kind` (0 ... 4) [0].
 *
 * prime-anim: one clip: axes POSE_AXES_PRIME, rules POSE_RULES_PRIME (version 2) or POSE_RULES_PRIME_FRAMES
 *     (version 0), name NULL, fps 1 / interval (an integer if it is one), frame_count L + 1 or K, loop
 *     POSE_LOOP_UNKNOWN in version 0. Tracks in file order (version 0: by bone id), has_id, name NULL; a bone
 *     without keys has a track without channels. Keys are values, at frame * interval.
 *     clip extras: game, version, evnt|null (mp1), root_bone_id, interval, scratch_size|null,
 *         rotation_divisor|null, translation_multiplier|null, scale_multiplier|null (mp2),
 *         key_frames|null: [frames], 0 first; the keys of every channel. Version 0 has none of the nulls but evnt,
 *         and then duration_kind [0], interval_kind [0].
 *
 * prime-cinf: one skeleton: joints with id, name of the first of its names; translation = origin - parent's origin.
 *     skeleton extras: game, build_order: [ids], names: [{name, bone_id}], in file order
 *     joint extras: parent_id, origin: [3], rotation|absent, local_rotation|absent: [4] (mp2), linked_bones: [ids]
 *     file_order of the skeleton is the order of the bones in the file.
 *
 * prime-evnt: document events (struct pose_document, struct pose_content), sorted by time, stable over the streams
 *     in the order bool, int32, particle, sound.
 *     document extras: game, version
 *     event: type = prime_event_types[event_type], "unknown" if there is none; fields:
 *         kind ("bool", "int32", "particle", "sound": the stream), name, head (the u16 before it) [1 mp1, 2 mp2],
 *         event_type, time_kind, index, unique, weight, character_index, flags; then
 *         bool      value
 *         int32     value, locator, action|absent (text of value in user events; not read back)
 *         particle  duration_frames, effect_type (four characters), effect_id, locator (mp1) or bone_id (mp2),
 *                   scale, parented_mode
 *         sound     sound_id, fall_off, max_distance, and in mp2 unknown_12, unknown_16, unknown_18, unknown_20
 *
 * prime-ancs: one character for each in the set: type "character_set".
 *     character extras: id, version, cmdl, cskr, cinf,
 *         animations: [{index, string (version < 10), name}],
 *         pas: {default_state, states: [{type, parameters: [{type, weight_function, weight, min, max}],
 *             animations: [{index, values: []}]}]}   (numbers of type 2 are floats, all others ints),
 *         part: [ids], swhc: [ids], unknown_particles (version >= 6), elsc: [ids], spsc: [ids] (version >= 10),
 *         unknown_1, unknown_2 (version >= 10),
 *         boxes: [{name, box: [6]}], effects: [{name, components: [{name, type, id, bone (text; version >= 10 an
 *             id), scale, mode, flags}]}]   (version >= 2),
 *         frozen_cmdl, frozen_cskr (version >= 4), animation_map: [ids] (version >= 5),
 *         cspp, unknown_3 (a byte), indexed_boxes: [{id, box: [6]}] (version >= 10)
 *     document extras: game, table_count,
 *         animations: [{name, animation: META}],
 *         transitions: [{unknown_0, a, b, transition: META_TRANSITION}], default_transition: META_TRANSITION,
 *         additives: [{index, fade_in, fade_out}], default_fade_in, default_fade_out   (table_count >= 2),
 *         half_transitions: [{index, transition: META_TRANSITION}]   (table_count >= 3),
 *         anim_events: [{anim, evnt}] (mp1) or event_sets: [{version, events: [{time, type, the fields}]}] (mp2)
 *             (table_count >= 4)
 *     META: {type: "play", anim, primitive_index, name, start_time, start_time_kind}
 *         {type: "blend" | "phase_blend", animations: [META, META], weight, unknown (a byte)}
 *         {type: "random", animations: [META], probabilities: [ints]}   {type: "sequence", animations: [META]}
 *     META_TRANSITION: {type: "animation", animation: META}   {type: "snap"}
 *         {type: "transition" | "phase_transition", duration, duration_kind, unknown (a byte), run_outgoing, flags}
 *
 * prime-cskr: one mesh without vertices (they are in the model, which is not read), axes POSE_AXES_PRIME.
 *     mesh extras: game, groups: [{weights: [{bone_id, weight}], vertex_count}],
 *         mp1: vertex_count, vertices (hex; only if the footer has 12 bytes each instead of 0xFFFFFFFF),
 *              normal_count, normals (the same)
 *         mp2: matrix_banks: [u16], ten groups per bank, 65535 unused; footer (hex)
 */
#ifndef POSE_FORMATS_PRIME_PRIME_H
#define POSE_FORMATS_PRIME_PRIME_H

#include "lib/formats/codec.h"

enum prime_game { PRIME_MP1, PRIME_MP2, PRIME_MP2_DEMO, PRIME_GAME_COUNT };

enum {
    PRIME_NO_ID = 0, /* also PRIME_NO_ID_EITHER */
    PRIME_BONE_LIMIT = 100,
    PRIME_META_DEPTH = 32, /* nesting of meta-animations */
    PRIME_PADDING = 63,    /* bytes of 0xFF or 0x00 that may follow a file */
    PRIME_BANK_SIZE = 10,  /* groups in a bank of matrices (MP2) */
};
#define PRIME_NO_ID_EITHER UINT32_MAX

enum prime_event_kind { PRIME_BOOL, PRIME_INT32, PRIME_PARTICLE, PRIME_SOUND, PRIME_EVENT_KINDS };

enum prime_meta { PRIME_PLAY, PRIME_BLEND, PRIME_PHASE_BLEND, PRIME_RANDOM, PRIME_SEQUENCE, PRIME_METAS };

enum prime_transition {
    PRIME_TRANSITION_ANIMATION,
    PRIME_TRANSITION,
    PRIME_PHASE_TRANSITION,
    PRIME_SNAP,
    PRIME_TRANSITIONS,
};

enum { PRIME_EVENT_TYPES = 9, PRIME_USER_EVENT = 6, PRIME_ACTIONS = 35 };

/* The words of these numbers; NULL for a number without one (prime_event_types[3]). */
extern const char *const prime_games[PRIME_GAME_COUNT + 1]; /* ends with NULL */
extern const char *const prime_event_kinds[PRIME_EVENT_KINDS];
extern const char *const prime_event_types[PRIME_EVENT_TYPES];
extern const char *const prime_actions[PRIME_ACTIONS]; /* values of user events */
extern const char *const prime_metas[PRIME_METAS];
extern const char *const prime_transitions[PRIME_TRANSITIONS];

/* The same without the demo, which has its own layout for animations alone; ends with NULL. */
extern const char *const prime_released_games[];

/* The number of a word, -1 if there is none (or word is NULL). */
int prime_word_find(const char *const *words, int count, const char *word);

/* Only padding may follow the end of a file; otherwise the error "trailing_bytes". */
bool prime_check_end(struct reader *reader);
/* The bytes of a text up to its NUL, and where the text begins. */
struct prime_text {
    const char *bytes; /* NULL after a failure */
    size_t length;
    uint64_t at;
};
struct prime_text prime_read_text(struct reader *reader, const char *field);
/* In the arena, as UTF-8; warns if it is not valid. */
const char *prime_keep_text(struct decode_job *job, const struct prime_text *text);
/* Four characters of the file as text. */
const char *prime_read_type(struct reader *reader, struct arena *arena, const char *field);
/* The game forced by the caller if it is one of the first count; otherwise -1. */
int prime_forced_game(const struct pose_source *source, int count);

/* Defined in *_encode.c. */
bool prime_anim_encode(struct encode_job *job);
bool prime_cinf_encode(struct encode_job *job);
/* The ids that a CINF gives to a skeleton's joints, [joint_count]: their own (keeps), or new ones. */
bool prime_bone_ids(const struct pose_skeleton *skeleton, enum prime_game game, uint32_t *ids, bool *keeps,
                    struct pose_error *error);
bool prime_evnt_encode(struct encode_job *job);
bool prime_ancs_encode(struct encode_job *job);
bool prime_cskr_encode(struct encode_job *job);

#endif
