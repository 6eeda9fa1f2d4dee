#include "server/store/ids.h"

#include "lib/core/hex.h"
#include "server/ops/region.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

struct id_hash {
    struct sha256_ctx context;
};

struct id_hash *id_begin(void)
{
    struct id_hash *hash = must_alloc(1, sizeof *hash);
    sha256_init(&hash->context);
    return hash;
}

struct id_hash *id_fork(const struct id_hash *hash)
{
    struct id_hash *copy = must_alloc(1, sizeof *copy);
    *copy = *hash;
    return copy;
}

void id_part(struct id_hash *hash, const void *bytes, size_t size)
{
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)size >> 8 * i);
    sha256_update(&hash->context, sizeof length, length);
    if (size)
        sha256_update(&hash->context, size, bytes);
}

void id_text_part(struct id_hash *hash, const char *text)
{
    id_part(hash, text, strlen(text));
}

struct asset_id id_end(struct id_hash *hash)
{
    struct asset_id id;
    sha256_digest(&hash->context, sizeof id.bytes, id.bytes);
    free(hash);
    return id;
}

void id_write(const struct asset_id *id, char text[ID_TEXT])
{
    hex_write(id->bytes, sizeof id->bytes, text);
}

bool id_parse(const char *text, size_t length, struct asset_id *id)
{
    return hex_parse(text, length, id->bytes, sizeof id->bytes);
}

bool id_equal(const struct asset_id *a, const struct asset_id *b)
{
    return !memcmp(a, b, sizeof *a);
}

int id_compare(const struct asset_id *a, const struct asset_id *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

/* 64 x 64 -> 128 multiplication, folded: the mixing step of the multiply-and-fold family of hashes. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

struct asset_id id_quick(const struct asset_id *seed, const void *bytes, size_t size)
{
    const uint64_t odd[4] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u,
                             0xd6e8feb86659fd93u};
    uint64_t lane[2] = {odd[0], odd[1]};
    if (seed)
        memcpy(lane, seed->bytes, sizeof lane);
    const uint8_t *at = bytes;
    for (size_t left = size; left;) {
        uint64_t word = 0;
        size_t taken = left < sizeof word ? left : sizeof word;
        memcpy(&word, at, taken);
        lane[0] = mix(lane[0] ^ word ^ odd[2], odd[0]) + odd[3];
        lane[1] = mix(lane[1] + word, odd[1] ^ lane[0]);
        at += taken;
        left -= taken;
    }
    lane[0] = mix(lane[0] ^ size, odd[2]);
    lane[1] = mix(lane[1] ^ size, odd[3]) ^ lane[0];
    struct asset_id id;
    memcpy(id.bytes, lane, sizeof lane);
    return id;
}
