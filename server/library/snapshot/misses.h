/*
 * What was asked for and is not surely there. A turn is one run of a handler: what it misses is gathered, fetched by
 * somebody who may wait, and the handler runs again over a snapshot that has it. What was found to be complete though a
 * snapshot does not say so (an id that nobody has, the clips of a name) is remembered in a small table.
 */
#ifndef POSED_SERVER_LIBRARY_SNAPSHOT_MISSES_H
#define POSED_SERVER_LIBRARY_SNAPSHOT_MISSES_H

#include "server/library/index/index.h"

#include <stdatomic.h>

enum miss_kind { MISS_ASSET, MISS_ARCHIVE, MISS_NAMED };

/* What is missed, in two words: is_of says what has to leave so that it is not complete any more. */
struct miss {
    enum miss_kind kind;
    enum asset_kind asset;
    struct asset_id id;         /* of the asset, the archive, or a digest of the names */
    const char *archive, *clip; /* MISS_NAMED: the names, borrowed */
    uint64_t is_of;
};

struct miss miss_of_asset(enum asset_kind kind, const struct asset_id *id);
struct miss miss_of_archive(const struct asset_id *id);
/* The clips of a name in archives of a name, which may be an id. */
struct miss miss_of_named(const char *archive, const char *clip);

/* ---------------------------------------------------------------------------------------------------- memo -- */

struct catalog_memo;
struct catalog_memo *memo_new(void);
void memo_free(struct catalog_memo *memo);
/* Whether it is complete in a snapshot of that generation. Any thread. */
bool memo_has(const struct catalog_memo *memo, const struct miss *what, uint64_t generation);
/* Says so, from that generation on, until something leaves. One thread at a time, as for the following. */
void memo_keep(struct catalog_memo *memo, const struct miss *what, uint64_t generation);
/* What is remembered of an asset, or of what an archive of that id and name is found by, does not hold any more. */
void memo_left(struct catalog_memo *memo, struct miss what);
void memo_left_archive(struct catalog_memo *memo, const struct asset_id *id, const char *name);

/* --------------------------------------------------------------------------------------------------- turns -- */

enum { MAX_MISSES = 4096 };

struct catalog_turn {
    uint32_t count, capacity;
    struct miss *misses; /* [capacity]; the names are copies */
    uint32_t *slots;     /* [2 * capacity] open addressing: index + 1 */
    bool is_over;        /* more than can be kept */
    uint32_t
        settled; /* so many of them, the first, are complete in the snapshot of that generation: the memo */
    uint64_t settled_at; /* may forget one for another, and a snapshot does not know what has left it since */
};

/* Until the end, what this thread misses is added to the turn. */
void catalog_turn_begin(struct catalog_turn *turn);
/* All that is missed so far is complete in the snapshot of that generation. */
void catalog_turn_settle(struct catalog_turn *turn, uint64_t generation);
/* Whether something was missed since. */
bool catalog_turn_end(void);
void catalog_turn_release(struct catalog_turn *turn);
/* Whether something was missed since it began: what follows from it must not be kept. */
bool catalog_turn_missed(void);
/* Whether it is complete nevertheless, or there is no turn; otherwise it is added to what is missed. */
bool miss(const struct catalog_memo *memo, struct miss what, uint64_t generation);

#endif
