/*
 * Ids of assets and archives: the first 128 bits of a SHA-256 over parts, each preceded by its length as a 64-bit
 * little-endian number. The same bytes with the same companion files have the same id on every server and after every
 * restart.
 */
#ifndef POSED_SERVER_STORE_IDS_H
#define POSED_SERVER_STORE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asset_id {
    uint8_t bytes[16];
};

enum { ID_TEXT = 33 }; /* 32 lowercase hex digits and a NUL */

struct id_hash;

struct id_hash *id_begin(void);
void id_part(struct id_hash *hash, const void *bytes, size_t size);
void id_text_part(struct id_hash *hash, const char *text);
/* A copy of the hash with the same parts so far. */
struct id_hash *id_fork(const struct id_hash *hash);
/* The id; frees the hash. */
struct asset_id id_end(struct id_hash *hash);

void id_write(const struct asset_id *id, char text[ID_TEXT]);
/* Succeeds only for exactly 32 lowercase hex digits in length characters. */
bool id_parse(const char *text, size_t length, struct asset_id *id);
bool id_equal(const struct asset_id *a, const struct asset_id *b);
int id_compare(const struct asset_id *a, const struct asset_id *b);

/* A fast, not cryptographic, 128-bit hash for ETags of parameters. seed continues an earlier one. */
struct asset_id id_quick(const struct asset_id *seed, const void *bytes, size_t size);

#endif
