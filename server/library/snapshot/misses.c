#include "server/library/snapshot/misses.h"

#include <stdlib.h>
#include <string.h>

static uint64_t word_of(const struct asset_id *id)
{
    uint64_t word;
    memcpy(&word, id->bytes, sizeof word);
    return word;
}

static struct asset_id text_digest(const char *text)
{
    return id_quick(NULL, text, strlen(text));
}

struct miss miss_of_asset(enum asset_kind kind, const struct asset_id *id)
{
    return (struct miss){.kind = MISS_ASSET, .asset = kind, .id = *id, .is_of = word_of(id)};
}

struct miss miss_of_archive(const struct asset_id *id)
{
    return (struct miss){.kind = MISS_ARCHIVE, .id = *id, .is_of = word_of(id)};
}

struct miss miss_of_named(const char *archive, const char *clip)
{
    const struct asset_id name = text_digest(archive);
    return (struct miss){.kind = MISS_NAMED,
                         .id = id_quick(&name, clip, strlen(clip)),
                         .archive = archive,
                         .clip = clip,
                         .is_of = word_of(&name)};
}

/* ---------------------------------------------------------------------------------------------------- memo -- */

enum { SLOTS = 4096, OF = 1024 };

/* Written by one thread; a reader that sees another sequence afterwards has read nothing. */
struct slot {
    atomic_uint sequence; /* odd: it is being written */
    _Atomic uint64_t key[2], left, since;
};

struct catalog_memo {
    _Atomic uint64_t left[OF]; /* how often something left that such a key is of */
    struct slot slots[SLOTS];
};

struct catalog_memo *memo_new(void)
{
    return must_alloc(1, sizeof(struct catalog_memo));
}

void memo_free(struct catalog_memo *memo)
{
    free(memo);
}

static void key_of(const struct miss *what, uint64_t key[2])
{
    const uint32_t kinds[] = {what->kind, what->asset};
    const struct asset_id digest = id_quick(&what->id, kinds, sizeof kinds);
    memcpy(key, digest.bytes, sizeof digest.bytes);
    key[0] += !key[0]; /* 0: an empty slot */
}

bool memo_has(const struct catalog_memo *memo, const struct miss *what, uint64_t generation)
{
    uint64_t key[2];
    key_of(what, key);
    const struct slot *slot = &memo->slots[key[0] % SLOTS];
    const unsigned sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
    const bool is_same = atomic_load(&slot->key[0]) == key[0] && atomic_load(&slot->key[1]) == key[1];
    const uint64_t left = atomic_load(&slot->left), since = atomic_load(&slot->since);
    atomic_thread_fence(memory_order_acquire);
    return is_same && !(sequence & 1) &&
           atomic_load_explicit(&slot->sequence, memory_order_relaxed) == sequence && since <= generation &&
           left == atomic_load(&memo->left[what->is_of % OF]);
}

void memo_keep(struct catalog_memo *memo, const struct miss *what, uint64_t generation)
{
    uint64_t key[2];
    key_of(what, key);
    struct slot *slot = &memo->slots[key[0] % SLOTS];
    atomic_fetch_add(&slot->sequence, 1);
    atomic_store(&slot->key[0], key[0]);
    atomic_store(&slot->key[1], key[1]);
    atomic_store(&slot->left, atomic_load(&memo->left[what->is_of % OF]));
    atomic_store(&slot->since, generation);
    atomic_fetch_add(&slot->sequence, 1);
}

void memo_left(struct catalog_memo *memo, struct miss what)
{
    atomic_fetch_add(&memo->left[what.is_of % OF], 1);
}

void memo_left_archive(struct catalog_memo *memo, const struct asset_id *id, const char *name)
{
    char text[ID_TEXT];
    id_write(id, text);
    memo_left(memo, miss_of_archive(id));
    memo_left(memo, miss_of_named(name, ""));
    memo_left(memo, miss_of_named(text, ""));
}

/* --------------------------------------------------------------------------------------------------- turns -- */

static _Thread_local struct catalog_turn *turn;
static _Thread_local bool has_missed;

void catalog_turn_begin(struct catalog_turn *begun)
{
    turn = begun;
    has_missed = false;
}

bool catalog_turn_end(void)
{
    const bool missed = has_missed;
    turn = NULL;
    has_missed = false;
    return missed;
}

void catalog_turn_release(struct catalog_turn *ended)
{
    for (uint32_t i = 0; i < ended->count; i++) {
        free((char *)(uintptr_t)ended->misses[i].archive);
        free((char *)(uintptr_t)ended->misses[i].clip);
    }
    free(ended->misses);
    free(ended->slots);
    *ended = (struct catalog_turn){0};
}

bool catalog_turn_missed(void)
{
    return has_missed;
}

void catalog_turn_settle(struct catalog_turn *settled, uint64_t generation)
{
    settled->settled = settled->count;
    settled->settled_at = generation;
}

/* Its slot, or the empty one where it would be. There is at least one. */
static uint32_t *slot_of(const struct miss *what)
{
    uint64_t key[2];
    key_of(what, key);
    const uint32_t mask = 2 * turn->capacity - 1;
    for (uint32_t at = (uint32_t)key[1] & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &turn->slots[at];
        const struct miss *other = *slot ? &turn->misses[*slot - 1] : NULL;
        if (!other ||
            (other->kind == what->kind && other->asset == what->asset && id_equal(&other->id, &what->id)))
            return slot;
    }
}

static bool grow(void)
{
    const uint32_t capacity = turn->capacity ? turn->capacity * 2 : 16;
    struct miss *larger =
        capacity <= MAX_MISSES ? reallocarray(turn->misses, capacity, sizeof *larger) : NULL;
    if (larger)
        turn->misses = larger;
    uint32_t *slots = larger ? calloc(2 * (size_t)capacity, sizeof *slots) : NULL;
    if (!slots)
        return false;
    free(turn->slots);
    turn->slots = slots;
    turn->capacity = capacity;
    for (uint32_t i = 0; i < turn->count; i++)
        *slot_of(&turn->misses[i]) = i + 1;
    return true;
}

static bool is_settled(const struct miss *what, uint64_t generation)
{
    const uint32_t number = turn->settled && turn->settled_at == generation ? *slot_of(what) : 0;
    return number && number <= turn->settled;
}

static void add(struct miss what)
{
    if (turn->count && *slot_of(&what))
        return;
    if (turn->count == turn->capacity && !grow()) {
        turn->is_over = true;
        return;
    }
    what.archive = what.archive ? strdup(what.archive) : NULL;
    what.clip = what.clip ? strdup(what.clip) : NULL;
    turn->misses[turn->count++] = what;
    *slot_of(&what) = turn->count;
}

bool miss(const struct catalog_memo *memo, struct miss what, uint64_t generation)
{
    if (!turn || is_settled(&what, generation) || memo_has(memo, &what, generation))
        return true;
    has_missed = true;
    add(what);
    return false;
}
