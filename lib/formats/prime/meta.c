/*
 * What a Metroid Prime character set plays under one name. u32 type, then
 *
 *     0 play          u32 ANIM id, u32 primitive index, name with its NUL, f32 start time, u32 kind
 *     1, 2 blends     two of them, f32 weight, u8
 *     3 random        u32 count, each: one of them, u32 probability
 *     4 sequence      u32 count of them
 *
 * Files may nest them arbitrarily: an explicit stack handles them up to a depth that valid files do not reach.
 */
#include "lib/formats/prime/set.h"

struct open_meta {
    enum prime_meta type;
    uint32_t left; /* children still to be read */
    struct value_list object, children, probabilities;
};

/* Reads what precedes the children. */
static void begin(struct prime_set *set, struct open_meta *meta)
{
    struct reader *reader = &set->reader;
    uint32_t type = reader_u32be(reader, "type");
    if (!reader->failed && type >= PRIME_METAS)
        reader_fail(reader, "bad_type", "an animation of type %u, the largest known is %d", type,
                    PRIME_METAS - 1);
    if (reader->failed)
        return;
    struct arena *arena = set->job->arena;
    *meta = (struct open_meta){.type = (enum prime_meta)type, .object = value_object(arena)};
    value_put_string(&meta->object, "type", prime_metas[type]);
    if (type == PRIME_PLAY) {
        prime_take_u32(set, &meta->object, "anim");
        prime_take_u32(set, &meta->object, "primitive_index");
        prime_take_text(set, &meta->object, "name");
        prime_take_time(set, &meta->object, "start_time", "start_time_kind");
        return;
    }
    meta->left = 2;
    meta->children = value_array(arena);
    meta->probabilities = value_array(arena);
    if (type == PRIME_RANDOM || type == PRIME_SEQUENCE) {
        meta->left = reader_u32be(reader, "animation_count");
        reader_count(reader, meta->left, type == PRIME_RANDOM ? 12 : 8, "animations", "count_too_large");
    }
}

/* Reads what follows them. */
static void end(struct prime_set *set, struct open_meta *meta)
{
    if (meta->type == PRIME_PLAY)
        return;
    value_put_list(&meta->object, "animations", &meta->children);
    if (meta->type == PRIME_RANDOM)
        value_put_list(&meta->object, "probabilities", &meta->probabilities);
    if (meta->type == PRIME_BLEND || meta->type == PRIME_PHASE_BLEND) {
        prime_take_float(set, &meta->object, "weight");
        prime_take_u8(set, &meta->object, "unknown");
    }
}

static void add_child(struct prime_set *set, struct open_meta *parent, const struct open_meta *child)
{
    value_put_list(&parent->children, NULL, &child->object);
    if (parent->type == PRIME_RANDOM)
        value_put_int(&parent->probabilities, NULL, reader_u32be(&set->reader, "probability"));
    parent->left--;
}

static bool is_stopped(const struct prime_set *set)
{
    return set->reader.failed || set->job->arena->failed;
}

void prime_take_meta(struct prime_set *set, struct value_list *list, const char *key)
{
    struct open_meta stack[PRIME_META_DEPTH];
    unsigned depth = 0;
    for (;;) {
        begin(set, &stack[depth]);
        while (!is_stopped(set) && !stack[depth].left) {
            end(set, &stack[depth]);
            if (!depth) {
                value_put_list(list, key, &stack[0].object);
                return;
            }
            depth--;
            add_child(set, &stack[depth], &stack[depth + 1]);
        }
        if (is_stopped(set))
            return;
        if (++depth == PRIME_META_DEPTH) {
            reader_fail_at(&set->reader, reader_offset(&set->reader), key, "too_deep",
                           "animations are nested more than %d deep", PRIME_META_DEPTH);
            return;
        }
    }
}

void prime_take_transition(struct prime_set *set, struct value_list *list, const char *key)
{
    struct reader *reader = &set->reader;
    struct value_list object = value_object(set->job->arena);
    uint32_t type = reader_u32be(reader, "type");
    if (!reader->failed && type >= PRIME_TRANSITIONS)
        reader_fail(reader, "bad_type", "a transition of type %u, the largest known is %d", type,
                    PRIME_TRANSITIONS - 1);
    if (reader->failed)
        return;
    value_put_string(&object, "type", prime_transitions[type]);
    if (type == PRIME_TRANSITION_ANIMATION) {
        prime_take_meta(set, &object, "animation");
    } else if (type != PRIME_SNAP) {
        prime_take_time(set, &object, "duration", "duration_kind");
        prime_take_u8(set, &object, "unknown");
        prime_take_u8(set, &object, "run_outgoing");
        prime_take_u32(set, &object, "flags");
    }
    value_put_list(list, key, &object);
}
